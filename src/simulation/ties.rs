//! Bodies that are glued together: the nodes of the one with the finer surface to the faces of the other.

use crate::contact::detection::TiedSurfaces;
use crate::contact::{Constraint, Constraints, Surface};
use crate::math::Vec3;
use crate::scenario::{Scenario, TiedPair};

use super::SetupError;
use super::assembly::Assembly;

/// How far a node may be from a face to be tied to it, relative to the shortest edge of the two surfaces: the next layer of
/// nodes is farther.
const WITHIN: f64 = 0.25;

impl Assembly {
    /// The model with the nodes that are tied on their faces, which is where it is free of strain, and the ties.
    ///
    /// # Errors
    /// [`SetupError::NothingTied`] where no node of a pair is near a face, and what a model with moved nodes can have.
    pub(super) fn tie(self, scenario: &Scenario) -> Result<(Self, Constraints), SetupError> {
        let ties = self.find_ties(scenario)?;
        let is_off =
            |tie: &Constraint<'_>| tie.gap > 0.0 && !self.model.bodies[tie.bodies[0] as usize].is_rigid();
        if !ties.iter().any(|tie| is_off(&tie)) {
            return Ok((self, ties));
        }
        let mut positions = self.model.reference_positions.clone();
        for tie in ties.iter().filter(is_off) {
            positions[tie.nodes[0] as usize] -= tie.normal * tie.gap;
        }
        let moved = Self::build(scenario, Some(&positions))?;
        let ties = moved.find_ties(scenario)?;
        Ok((moved, ties))
    }

    fn find_ties(&self, scenario: &Scenario) -> Result<Constraints, SetupError> {
        let (mut ties, mut workspace) = (Constraints::default(), Constraints::default());
        for pair in &scenario.contact.tied {
            let found = self.find_ties_of(pair)?;
            ties.merge(found.iter(), &mut workspace);
        }
        Ok(ties)
    }

    fn find_ties_of(&self, pair: &TiedPair) -> Result<Constraints, SetupError> {
        let positions: &[Vec3] = &self.model.reference_positions;
        let edges = pair.bodies.map(|body| self.surfaces[body].median_edge(positions));
        let is_rigid = pair.bodies.map(|body| self.model.bodies[body].is_rigid());
        let [contactor, target] = match (is_rigid, edges[0] <= edges[1]) {
            ([false, true], _) => [0, 1],
            ([true, false], _) => [1, 0],
            (_, true) => [0, 1],
            (_, false) => [1, 0],
        }
        .map(|side: usize| pair.bodies[side]);
        let shortest = pair.bodies.map(|body| shortest_edge(&self.surfaces[body], positions));
        let within = pair.within.unwrap_or(WITHIN * shortest[0].min(shortest[1]));
        let ties = TiedSurfaces {
            bodies: [contactor as u32, target as u32],
            surfaces: [&self.surfaces[contactor], &self.surfaces[target]],
            within,
        }
        .find(positions);
        if ties.is_empty() {
            let bodies = [contactor, target].map(|body| self.model.bodies[body].name.clone());
            return Err(SetupError::NothingTied { bodies, within, span: pair.span.clone() });
        }
        Ok(ties)
    }
}

/// Length of the shortest edge of a surface, from corner to corner \[m\].
fn shortest_edge(surface: &Surface, positions: &[Vec3]) -> f64 {
    let lengths = (0..surface.num_faces()).flat_map(|face| {
        let (kind, nodes) = surface.face(face);
        let corner = move |k: usize| positions[nodes[kind.corners()[k] as usize] as usize];
        let count = kind.corners().len();
        (0..count).map(move |k| (corner((k + 1) % count) - corner(k)).norm())
    });
    lengths.fold(f64::INFINITY, f64::min)
}
