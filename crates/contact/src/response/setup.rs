//! Settings from which a response is built.

use ictus_core::vocabulary;

use super::Response;
use super::laws::contact_laws::ContactLaws;
use super::laws::pairs::PairOptions;
use super::laws::stiffness::Stiffness;

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
    #[derive(Default)]
    pub enum Order {
        /// Simultaneously, by iteration to convergence.
        #[default]
        Together = "together",
        /// Sequentially, in order of decreasing penetration. Passes over the contacts are repeated until no contact is
        /// closing; their number is limited.
        OneByOne = "one-by-one",
    }
}

vocabulary! {
    /// Treatment of the angular momentum that position corrections change.
    #[derive(Default)]
    pub enum AngularMomentum {
        /// A couple on the bodies or nodes of each contact restores the angular momentum.
        #[default]
        Restore = "restore",
        /// The change of the angular momentum remains.
        Change = "none",
    }
}

/// Options of responses, common to all pairs of bodies. A response uses those in its [`NamedResponse::KEYS`].
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

/// A response that scenarios can name.
pub trait NamedResponse: Response + Sized {
    /// State of the response between steps.
    type Memory;

    /// Keys of the `[contact]` table of a scenario that affect this response but not every response.
    const KEYS: &'static [&'static str];

    /// Builds the response.
    fn build(setup: ResponseSetup) -> Self;

    /// Swaps the memory of the response with `memory`.
    fn exchange(&mut self, memory: &mut Self::Memory);

    /// Whether the data of the memory fit a model with these numbers of nodes and bodies.
    fn fits(memory: &Self::Memory, num_nodes: usize, num_bodies: usize) -> bool;
}
