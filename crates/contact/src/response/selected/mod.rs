//! One of the three contact responses, with its memory stored separately.

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::decomposition::{Decomposition, DecompositionMemory};
use super::energy_momentum::{EnergyMomentum, EnergyMomentumMemory, MidpointGeometry};
use super::penalty::{Penalty, PenaltyMemory};
use super::{Bodies, ContactAction, Response, Stage, StepLength};
use crate::Constraints;

/// The response that a scenario selects.
#[derive(Clone, Debug)]
pub enum SelectedResponse {
    /// Penalty.
    Penalty(Box<Penalty>),
    /// Decomposition.
    Decomposition(Box<Decomposition>),
    /// Energy–momentum.
    EnergyMomentum(Box<EnergyMomentum>),
}

/// Memory of a response between steps.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ResponseMemory {
    /// Penalty.
    Penalty(Box<PenaltyMemory>),
    /// Decomposition.
    Decomposition(Box<DecompositionMemory>),
    /// Energy–momentum.
    EnergyMomentum(Box<EnergyMomentumMemory>),
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

    /// Memory before the first step.
    pub fn no_memory(&self) -> ResponseMemory {
        match self {
            Self::Penalty(_) => ResponseMemory::Penalty(Box::default()),
            Self::Decomposition(_) => ResponseMemory::Decomposition(Box::default()),
            Self::EnergyMomentum(_) => ResponseMemory::EnergyMomentum(Box::default()),
        }
    }

    /// Computes the action over a step and updates the memory. The memory of another kind of response is discarded.
    pub fn respond_from(
        &mut self,
        memory: &mut ResponseMemory,
        constraints: &Constraints,
        bodies: &Bodies<'_>,
        step: StepLength,
        action: &mut ContactAction,
    ) {
        self.exchange(memory);
        match self {
            Self::Penalty(response) => response.respond(constraints, bodies, step, action),
            Self::Decomposition(response) => response.respond(constraints, bodies, step, action),
            Self::EnergyMomentum(response) => response.respond(constraints, bodies, step, action),
        }
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

    fn exchange(&mut self, memory: &mut ResponseMemory) {
        match (self, memory) {
            (Self::Penalty(response), ResponseMemory::Penalty(memory)) => response.exchange(memory),
            (Self::Decomposition(response), ResponseMemory::Decomposition(memory)) => {
                response.exchange(memory)
            }
            (Self::EnergyMomentum(response), ResponseMemory::EnergyMomentum(memory)) => {
                response.exchange(memory);
            }
            (response, memory) => *memory = response.no_memory(),
        }
    }

    fn response(&self) -> &dyn Response {
        match self {
            Self::Penalty(response) => response.as_ref(),
            Self::Decomposition(response) => response.as_ref(),
            Self::EnergyMomentum(response) => response.as_ref(),
        }
    }
}

impl ResponseMemory {
    /// Whether the stored data fit a model of this size; always true for decomposition.
    pub fn fits(&self, num_nodes: usize, num_bodies: usize) -> bool {
        match self {
            Self::Decomposition(_) => true,
            Self::Penalty(memory) => memory.fits(num_nodes, num_bodies),
            Self::EnergyMomentum(memory) => memory.fits(num_nodes, num_bodies),
        }
    }
}
