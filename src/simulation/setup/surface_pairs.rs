//! Pairs of bodies, or of physical groups of their faces, that a scenario gives laws of contact or takes out of it.

use std::sync::Arc;

use crate::contact::{Constraint, Constraints, ContactKey, NodeOnSurface, Surface, SurfacePair};
use crate::math::Vec3;
use crate::scenario::{self, ContactLaws, Located, Passes, Scenario};

use super::assembly::{Assembly, faces_of_group};
use crate::simulation::error::SetupError;
use crate::simulation::model::Model;

/// Pairs with laws of their own, in the order of the scenario.
pub(crate) fn own_laws(
    scenario: &Scenario,
    assembly: &Assembly,
) -> Result<Vec<(SurfacePair, ContactLaws)>, SetupError> {
    let own = scenario.contact.own_laws.iter();
    own.map(|(pair, laws)| Ok((assembly.surface_pair(scenario, pair)?, *laws))).collect()
}

/// Parts of surfaces that do not touch each other though their bodies do.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExcludedParts {
    pairs: Vec<SurfacePair>,
    workspace: Constraints,
}

impl ExcludedParts {
    /// Those of a scenario.
    pub fn new(scenario: &Scenario, assembly: &Assembly) -> Result<Self, SetupError> {
        let parts = scenario.contact.excluded.iter().filter(|pair| !pair.is_whole());
        let pairs = parts.map(|pair| assembly.surface_pair(scenario, pair)).collect::<Result<_, _>>()?;
        Ok(Self { pairs, workspace: Constraints::default() })
    }

    /// Whether these bodies, in ascending order, have such parts: that they meet is no contact yet.
    pub fn are_of(&self, bodies: [u32; 2]) -> bool {
        self.pairs.iter().any(|pair| pair.bodies() == bodies)
    }

    /// Takes the contacts between such parts out.
    pub fn take_out(&mut self, constraints: &mut Constraints) {
        if self.pairs.is_empty() || constraints.is_empty() {
            return;
        }
        let pairs = &self.pairs;
        let touches = |constraint: &Constraint<'_>| !pairs.iter().any(|pair| pair.holds(constraint));
        constraints.retain(touches, &mut self.workspace);
    }
}

/// Takes contacts out that do not press.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlushContacts {
    workspace: Constraints,
}

impl FlushContacts {
    /// Takes out those of flush surfaces.
    pub fn take_out(&mut self, positions: &[Vec3], constraints: &mut Constraints) {
        if constraints.iter().any(|constraint| constraint.is_flush(positions)) {
            constraints.retain(|constraint| !constraint.is_flush(positions), &mut self.workspace);
        }
    }
}

/// Takes contacts out where only the nodes of one of two bodies touch the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct OnePass {
    /// Place of each body; of two, the nodes of the one with the lower place touch. Empty for both passes.
    places: Vec<u32>,
    keys: Vec<ContactKey>,
    workspace: Constraints,
}

impl OnePass {
    /// As the scenario says. Deformable bodies come before rigid ones and these before walls, finer surfaces before
    /// coarser ones.
    pub fn new(passes: Passes, model: &Model, surfaces: &[Surface]) -> Self {
        if passes == Passes::Two {
            return Self::default();
        }
        let edge = |body: usize| {
            surfaces
                .get(body)
                .map_or(f64::INFINITY, |surface| surface.median_edge(&model.reference_positions))
        };
        let keys: Vec<(bool, bool, f64)> = (model.bodies.iter().enumerate())
            .map(|(number, body)| (body.is_wall(), body.is_rigid(), edge(number)))
            .collect();
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by(|&a, &b| {
            let ((wall_a, rigid_a, edge_a), (wall_b, rigid_b, edge_b)) = (keys[a], keys[b]);
            (wall_a, rigid_a).cmp(&(wall_b, rigid_b)).then(edge_a.total_cmp(&edge_b)).then(a.cmp(&b))
        });
        let mut places = vec![0; order.len()];
        for (place, &body) in (0..).zip(&order) {
            places[body] = place;
        }
        Self { places, keys: Vec::new(), workspace: Constraints::default() }
    }

    /// Takes the contacts of the other pass out where nodes of their face are in contact themselves, or are about to be: a
    /// face that is wider than what it lies on has no nodes there. Contacts of a body with itself and of edges are of
    /// neither pass.
    pub fn take_out(&mut self, positions: &[Vec3], constraints: &mut Constraints) {
        if self.places.is_empty() || constraints.is_empty() {
            return;
        }
        let places = &self.places;
        let is_of_pass = |constraint: &Constraint<'_>| {
            let [contactor, target] = constraint.bodies.map(|body| places[body as usize]);
            contactor <= target || matches!(constraint.key, ContactKey::Edges(_))
        };
        self.keys.clear();
        self.keys.extend_from_slice(constraints.keys());
        let keys = &self.keys;
        let touches = |&contactor: &u32, target: u32| {
            keys.binary_search(&ContactKey::Node(NodeOnSurface { contactor, target })).is_ok()
        };
        let is_wanted = |constraint: &Constraint<'_>| {
            let face = &constraint.nodes[constraint.num_contactor_nodes..];
            let has_nodes = || face.iter().any(|node| touches(node, constraint.bodies[0]));
            is_of_pass(constraint) || (!constraint.is_flush(positions) && !has_nodes())
        };
        constraints.retain(is_wanted, &mut self.workspace);
    }
}

impl Assembly {
    /// A pair as contact knows it.
    fn surface_pair(
        &self,
        scenario: &Scenario,
        pair: &scenario::SurfacePair,
    ) -> Result<SurfacePair, SetupError> {
        let part = |side: usize| {
            let group = pair.groups[side].as_ref();
            group.map(|group| self.part(scenario, pair.bodies[side], group)).transpose()
        };
        Ok(SurfacePair::new(pair.bodies.map(|body| body as u32), [part(0)?, part(1)?]))
    }

    /// The faces of a physical group of a body, some of which can touch.
    fn part(
        &self,
        scenario: &Scenario,
        body: usize,
        group: &Located<String>,
    ) -> Result<Arc<Surface>, SetupError> {
        let (spec, (mesh, first)) = (&scenario.bodies[body], &self.meshes[body]);
        let faces = faces_of_group(spec, mesh, self.extents[body], group, *first)?;
        if !faces.iter().any(|(_, nodes)| self.surfaces[body].holds(nodes)) {
            return Err(SetupError::IdleGroup {
                body: spec.name.clone(),
                group: group.value.clone(),
                span: group.span.clone(),
            });
        }
        Ok(Arc::new(Surface::new(faces.iter().map(|(kind, nodes)| (*kind, nodes.as_slice())))))
    }
}
