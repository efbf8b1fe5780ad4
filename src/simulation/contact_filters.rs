//! Filters of the detected contacts: excluded parts, flush surfaces, one-pass contact.

use crate::contact::{Constraint, Constraints, ContactKey, NodeOnSurface, Surface, SurfacePair};
use crate::math::Vec3;
use crate::scenario::Passes;

use crate::simulation::model::Model;

/// Excluded parts of surfaces whose bodies are otherwise in contact.
///
/// Detection never searches pairs of bodies that are excluded as a whole: flights, contact, impacts within a step and
/// the guard against tunnelling test [`ContactModel::can_meet`](crate::contact::detection::ContactModel::can_meet)
/// before they search faces. Excluded parts are filtered after the search, which needs their contacts. The closest face
/// of a node decides whether the node is in contact. A node that has entered through an excluded part must therefore
/// find that part; otherwise an adjacent face would be the closest one and push the node out sideways. Entry faces and
/// the passes of one-pass contact follow from the contacts of neighbouring nodes, excluded or not.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExcludedParts {
    pairs: Vec<SurfacePair>,
    workspace: Constraints,
}

impl ExcludedParts {
    /// Filter of these pairs.
    pub fn new(pairs: Vec<SurfacePair>) -> Self {
        Self { pairs, workspace: Constraints::default() }
    }

    /// Whether two bodies, in ascending order, have excluded parts, so that an impact between them can lack a contact.
    pub fn are_of(&self, bodies: [u32; 2]) -> bool {
        self.pairs.iter().any(|pair| pair.bodies() == bodies)
    }

    /// Removes the contacts between excluded parts.
    pub fn remove(&mut self, constraints: &mut Constraints) {
        if self.pairs.is_empty() || constraints.is_empty() {
            return;
        }
        let pairs = &self.pairs;
        let touches = |constraint: &Constraint<'_>| !pairs.iter().any(|pair| pair.holds(constraint));
        constraints.retain(touches, &mut self.workspace);
    }
}

/// Filter of flush contacts, which have no contact force.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlushContacts {
    workspace: Constraints,
}

impl FlushContacts {
    /// Removes the contacts of flush surfaces.
    pub fn remove(&mut self, positions: &[Vec3], constraints: &mut Constraints) {
        if constraints.iter().any(|constraint| constraint.is_flush(positions)) {
            constraints.retain(|constraint| !constraint.is_flush(positions), &mut self.workspace);
        }
    }
}

/// Filter of one-pass contact: the nodes of one body against the faces of the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct OnePass {
    /// Rank of each body; the body of lower rank is the contactor. Empty for two-pass contact.
    places: Vec<u32>,
    keys: Vec<ContactKey>,
    workspace: Constraints,
}

impl OnePass {
    /// Filter of a scenario. Deformable bodies rank before rigid bodies and these before walls; finer surfaces rank
    /// before coarser ones.
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

    /// Removes a contact of the second pass if nodes of its face are in contact themselves, or flush: a face wider
    /// than the opposite surface has no nodes in contact there, and keeps its contacts. Self-contact and edge
    /// contacts are kept.
    pub fn remove(&mut self, positions: &[Vec3], constraints: &mut Constraints) {
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
