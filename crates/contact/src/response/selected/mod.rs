//! The responses that scenarios can name. One of them acts in a run. The caller stores the memory of the response
//! between steps.

#[cfg(test)]
mod tests;

use ictus_core::vocabulary;
use serde::{Deserialize, Serialize};

use super::setup::{ResponseOptions, ResponseProperties, ResponseSetup, SelectableResponse};
use super::{Bodies, ContactAction, MidpointGeometry, Response, Stage, StepLength};
use super::{decomposition, energy_momentum, penalty};
use crate::Constraints;

/// Declares [`ResponseMethod`], [`SelectedResponse`] and [`ResponseMemory`], with a variant for each response, from the
/// responses, their words in scenarios and short descriptions.
macro_rules! responses {
    ($($module:ident::$response:ident = $word:literal, $description:literal;)*) => {
        vocabulary! {
            /// Contact response methods.
            pub enum ResponseMethod { $(#[doc = $description] $response = $word,)* }
        }

        /// The response that a scenario selects.
        #[derive(Clone, Debug)]
        pub enum SelectedResponse { $(#[doc = $description] $response(Box<$module::$response>),)* }

        /// Memory of a response between steps.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub enum ResponseMemory {
            $(#[doc = $description] $response(Box<<$module::$response as SelectableResponse>::Memory>),)*
        }

        impl ResponseMethod {
            /// Builds the response.
            pub fn build(self, setup: ResponseSetup) -> SelectedResponse {
                match self {
                    $(Self::$response => SelectedResponse::$response(Box::new($module::$response::build(setup))),)*
                }
            }

            /// Properties of the response, for checks of scenarios.
            pub fn properties(self) -> ResponseProperties {
                match self { $(Self::$response => $module::$response::PROPERTIES,)* }
            }

            /// Whether the response acts by velocity jumps, which the accelerations do not include.
            pub fn acts_by_impulses(self, options: &ResponseOptions) -> bool {
                match self { $(Self::$response => $module::$response::acts_by_impulses(options),)* }
            }

            /// Change of the scenario with which contact creates less energy, as advice to the user.
            pub fn energy_remedy(self, options: &ResponseOptions, step_is_fixed: bool) -> &'static str {
                match self { $(Self::$response => $module::$response::energy_remedy(options, step_is_fixed),)* }
            }

            /// Short description for the key reference.
            pub fn description(self) -> &'static str {
                match self { $(Self::$response => $description,)* }
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

            fn respond_at_middle(
                &mut self,
                constraints: &Constraints,
                geometry: &mut impl MidpointGeometry,
                step: StepLength,
                action: &mut ContactAction,
            ) {
                match self {
                    $(Self::$response(response) => response.respond_at_middle(constraints, geometry, step, action),)*
                }
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
    penalty::Penalty = "penalty", "springs";
    decomposition::Decomposition = "decomposition", "impulses and position corrections";
    energy_momentum::EnergyMomentum = "energy-momentum", "springs that conserve energy for any stiffness";
}

impl ResponseMethod {
    /// Whether a key of `[contact]` that does not affect every response affects this one.
    pub fn uses(self, key: &str) -> bool {
        self.properties().keys.contains(&key)
    }
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

    /// Like `respond_from`, but with the geometry at the middle of the step. For responses that act at
    /// [`Stage::Middle`].
    pub fn respond_at_middle_from(
        &mut self,
        memory: &mut ResponseMemory,
        constraints: &Constraints,
        geometry: &mut impl MidpointGeometry,
        step: StepLength,
        action: &mut ContactAction,
    ) {
        self.exchange(memory);
        self.respond_at_middle(constraints, geometry, step, action);
        self.exchange(memory);
    }
}
