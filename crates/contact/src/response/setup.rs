//! Settings from which a response is built.

use std::fmt;

use ictus_core::vocabulary;
use serde::Serialize;
use serde::de::DeserializeOwned;

#[cfg(doc)]
use super::Stage;
use super::laws::contact_laws::ContactLaws;
use super::laws::pairs::PairOptions;
use super::laws::stiffness::Stiffness;
use super::{ContactAction, MidpointGeometry, Response, StepLength};
use crate::Constraints;

vocabulary! {
    /// Time integration of the contact forces of the energy–momentum response.
    pub enum Scheme {
        /// The gaps of the contact springs refer to mid-steps. The geometry (closest points and normals) refers to the
        /// ends of the steps, at which the positions are known.
        Staggered = "staggered",
        /// The gaps of the contact springs refer to the ends of the steps. The geometry refers to mid-steps and is
        /// found by iteration (see [`MidpointGeometry`](super::MidpointGeometry)).
        Midpoint = "midpoint",
    }
}

vocabulary! {
    /// Order in which the contacts of a group are solved.
    pub enum Order {
        /// Simultaneously, by iteration to convergence.
        Together = "together",
        /// Sequentially, in order of decreasing penetration. Passes over the contacts are repeated until no contact is
        /// closing; their number is limited.
        OneByOne = "one-by-one",
    }
}

vocabulary! {
    /// Treatment of the angular momentum that position corrections change.
    pub enum AngularMomentum {
        /// A couple on the bodies or nodes of each contact restores the angular momentum.
        Restore = "restore",
        /// The change of the angular momentum remains.
        Change = "none",
    }
}

/// Options of responses, common to all pairs of bodies. A response uses those that its [`ResponseProperties::keys`]
/// name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResponseOptions {
    /// Scheme of the energy–momentum response.
    pub scheme: Scheme,
    /// Time over which the spring stiffness of a new contact increases to its full value \[s\].
    pub soft_start: f64,
    /// Order in which contacts that share nodes are solved.
    pub order: Order,
    /// Number of steps from one contact solution to the next, at least 1.
    pub every: u32,
    /// Fraction of the penetration that a position correction removes \[-\], in \[0, 1\].
    pub projection: f64,
    /// Treatment of the angular momentum that position corrections change.
    pub angular_momentum: AngularMomentum,
}

/// Settings and bodies from which a response is built.
#[derive(Clone, Debug)]
pub struct ResponseSetup {
    /// Options of responses.
    pub options: ResponseOptions,
    /// Stiffness of the contact springs.
    pub stiffness: Stiffness,
    /// Laws of all pairs of bodies.
    pub laws: PairOptions<ContactLaws>,
    /// Number of nodes of all bodies.
    pub num_nodes: usize,
    /// Mass of each body \[kg\].
    pub masses: Vec<f64>,
}

/// Properties of a response by which scenarios are checked and completed.
#[derive(Clone, Copy, Debug)]
pub struct ResponseProperties {
    /// Keys of the table `[contact]` that affect this response but not every response.
    pub keys: &'static [&'static str],
    /// Default coefficient of restitution \[-\].
    pub default_restitution: f64,
    /// Smallest coefficient of restitution that the response can realise \[-\].
    pub least_restitution: f64,
    /// Whether the response is stable with springs of any stiffness; otherwise, only for a factor of at most 1.
    pub is_stable_for_any_stiffness: bool,
    /// Whether springs integrated explicitly limit the time step.
    pub has_explicit_springs: bool,
    /// Whether the response needs the mobility of the bodies.
    pub needs_mobility: bool,
}

/// A response that scenarios can name.
pub trait SelectableResponse: Response + Clone + fmt::Debug {
    /// State of the response between steps.
    type Memory: Clone + fmt::Debug + Default + Serialize + DeserializeOwned;

    /// Properties of the response.
    const PROPERTIES: ResponseProperties;

    /// Builds the response.
    fn build(setup: ResponseSetup) -> Self;

    /// Whether the response acts by velocity jumps, which the accelerations do not include.
    fn acts_by_impulses(options: &ResponseOptions) -> bool;

    /// Change of the scenario with which contact creates less energy, as advice to the user. `step_is_fixed` is true if
    /// the scenario prescribes the time step.
    fn energy_remedy(options: &ResponseOptions, step_is_fixed: bool) -> &'static str;

    /// Exchanges the memory of the response for `memory`.
    fn exchange(&mut self, memory: &mut Self::Memory);

    /// Whether the data of the memory fit a model with these numbers of nodes and bodies.
    fn fits(memory: &Self::Memory, num_nodes: usize, num_bodies: usize) -> bool;

    /// Computes the action over a step with the geometry at the middle of the step. The default computes nothing; only
    /// responses that act at [`Stage::Middle`] need more.
    fn respond_at_middle(
        &mut self,
        _constraints: &Constraints,
        _geometry: &mut impl MidpointGeometry,
        _step: StepLength,
        _action: &mut ContactAction,
    ) {
    }
}
