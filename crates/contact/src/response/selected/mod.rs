//! The responses that scenarios can name. One of them acts in a run. The caller stores the memory of the response
//! between steps.

#[cfg(test)]
mod tests;

use ictus_core::vocabulary;
use serde::{Deserialize, Serialize};

use super::energy_momentum::MidpointGeometry;
use super::setup::{NamedResponse, ResponseSetup};
use super::{Bodies, ContactAction, Response, Stage, StepLength};
use super::{decomposition, energy_momentum, penalty};
use crate::Constraints;

/// Declares [`ResponseMethod`], [`SelectedResponse`] and [`ResponseMemory`], with a variant for each response, from the
/// responses and their words in scenarios.
macro_rules! responses {
    ($($(#[$description:meta])* $module:ident::$response:ident = $word:literal,)*) => {
        vocabulary! {
            /// Contact response methods, with the names of their responses.
            pub enum ResponseMethod { $($(#[$description])* $response = $word,)* }
        }

        /// The response that a scenario selects.
        #[derive(Clone, Debug)]
        pub enum SelectedResponse { $($(#[$description])* $response(Box<$module::$response>),)* }

        /// Memory of a response between steps.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub enum ResponseMemory {
            $($(#[$description])* $response(Box<<$module::$response as NamedResponse>::Memory>),)*
        }

        impl ResponseMethod {
            /// Builds the response.
            pub fn build(self, setup: ResponseSetup) -> SelectedResponse {
                match self {
                    $(Self::$response => SelectedResponse::$response(Box::new($module::$response::build(setup))),)*
                }
            }

            /// Keys of the `[contact]` table of a scenario that affect this response but not every response.
            pub fn keys(self) -> &'static [&'static str] {
                match self { $(Self::$response => $module::$response::KEYS,)* }
            }
        }

        impl SelectedResponse {
            /// Memory before the first step.
            pub fn no_memory(&self) -> ResponseMemory {
                match self { $(Self::$response(_) => ResponseMemory::$response(Box::default()),)* }
            }

            fn exchange(&mut self, memory: &mut ResponseMemory) {
                match (self, memory) {
                    $((Self::$response(response), ResponseMemory::$response(memory)) => response.exchange(memory),)*
                    (response, memory) => *memory = response.no_memory(),
                }
            }

            fn response(&self) -> &dyn Response {
                match self { $(Self::$response(response) => response.as_ref(),)* }
            }

            fn respond(
                &mut self,
                constraints: &Constraints,
                bodies: &Bodies<'_>,
                step: StepLength,
                action: &mut ContactAction,
            ) {
                match self { $(Self::$response(response) => response.respond(constraints, bodies, step, action),)* }
            }
        }

        impl ResponseMemory {
            /// Whether the stored data fit a model with these numbers of nodes and bodies.
            pub fn fits(&self, num_nodes: usize, num_bodies: usize) -> bool {
                match self { $(Self::$response(memory) => $module::$response::fits(memory, num_nodes, num_bodies),)* }
            }
        }
    };
}

responses! {
    /// Penalty springs.
    penalty::Penalty = "penalty",
    /// Impulses and position corrections.
    decomposition::Decomposition = "decomposition",
    /// Springs that conserve energy and momenta to rounding.
    energy_momentum::EnergyMomentum = "energy-momentum",
}

impl SelectedResponse {
    /// Stage at which the response acts.
    pub fn stage(&self) -> Stage {
        self.response().stage()
    }

    /// Whether contacts with a positive gap, or a zero gap within rounding, act (see `Constraint::is_flush`).
    pub fn uses_flush_contacts(&self) -> bool {
        self.response().uses_flush_contacts()
    }

    /// Computes the action over a step and updates `memory`. A `memory` of another kind of response is first replaced
    /// by the initial memory.
    pub fn respond_from(
        &mut self,
        memory: &mut ResponseMemory,
        constraints: &Constraints,
        bodies: &Bodies<'_>,
        step: StepLength,
        action: &mut ContactAction,
    ) {
        self.exchange(memory);
        self.respond(constraints, bodies, step, action);
        self.exchange(memory);
    }

    /// Like `respond_from`, but with the geometry at the middle of the step. Penalty and decomposition compute nothing.
    pub fn respond_at_middle_from(
        &mut self,
        memory: &mut ResponseMemory,
        constraints: &Constraints,
        geometry: &mut impl MidpointGeometry,
        step: StepLength,
        action: &mut ContactAction,
    ) {
        self.exchange(memory);
        if let Self::EnergyMomentum(response) = self {
            response.respond_at_middle(constraints, geometry, step, action);
        }
        self.exchange(memory);
    }
}
