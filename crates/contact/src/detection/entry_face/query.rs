//! Selects the entry face of a node with a detected contact. The *nearest* face is the face of this contact. At a
//! common edge or vertex, several faces are nearest.
//!
//! An *alternative* is a face near the node; the node lies behind the face and projects onto it, and the normals of
//! face and node are opposed. An alternative *continues* a contact of the previous step, or another contact of this
//! step, under three conditions. (1) The contact acts on the node or on a node of the alternative. (2) The contact
//! force has the direction that a contact with the alternative would have. (3) The node is at most about twice as deep
//! below the alternative as the contact. The exact conditions are at the top of `entry_face`.

use crate::detection::face::closest_point::{
    Method, Start, closest_point, face_normal_where, normals_are_opposed, vertex_normal,
};
use crate::detection::initial::overlap::winds_around;
use crate::detection::model::Configuration;
use crate::detection::primitive::node_face::STRAIGHT;
use crate::element::{MAX_NODES, shape_values};
use crate::flush::{DEEPER, are_coplanar, rounding_of_gap};
use crate::math::Vec3;
use crate::mesh::CellKind;
use crate::{Constraint, Constraints, Side, Surface};

/// Allowance for curvature in the depth of a continued contact, relative to the displacement in the step.
const CURVED: f64 = 0.1;
/// Depths count as equal up to this relative difference, and fractions of the step up to this difference.
const EQUAL: f64 = 1e-6;

/// Summary of the contacts that satisfy conditions (1) and (2) for an alternative, before condition (3) is tested.
/// `origin` tells whether they are contacts of the previous step or of this step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Continuation {
    /// Largest depth of the contacts at current positions \[m\].
    pub(super) depth: f64,
    pub(super) origin: Origin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Contacts of the previous step, at least one on the node itself.
    Node,
    /// Contacts of the previous step on nodes of the face, none on the node itself.
    Face,
    /// Contacts detected in this step, with nodes of the face as contactors.
    Detected,
}

impl Continuation {
    /// Rank of the alternative, see the top of `entry_face`. A contact whose depth is at most `rounding` is unloaded.
    pub(super) fn rank(&self, rounding: f64) -> u8 {
        match self.origin {
            Origin::Node | Origin::Face if self.depth > rounding => 2,
            Origin::Node => 1,
            Origin::Face | Origin::Detected => 0,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Alternative {
    pub(super) face: u32,
    pub(super) xi: [f64; 2],
    pub(super) gap: f64,
    pub(super) normal: Vec3,
    /// `None` if the alternative can continue no contact.
    pub(super) continuation: Option<Continuation>,
    /// Fraction of the step at which the node crossed the plane of the face; negative or −∞ as in `Query::crossed`.
    pub(super) crossed: f64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Workspace {
    pub(super) faces: Vec<u32>,
    pub(super) alternatives: Vec<Alternative>,
    pub(super) tied: Vec<Alternative>,
}

/// A detected contact, and the data with which its entry face is found.
pub(super) struct Query<'a> {
    pub(super) surfaces: &'a [Surface],
    pub(super) configuration: &'a Configuration<'a>,
    pub(super) constraint: Constraint<'a>,
    /// Sum of the outward offsets of the two surfaces \[m\].
    pub(super) offset: f64,
    /// Search depth of the pair of bodies, without offsets \[m\].
    pub(super) depth: f64,
    /// Largest depth of all contacts of the previous step, at the current positions \[m\].
    pub(super) deepest: f64,
}

impl Query<'_> {
    pub(super) fn target(&self) -> &Surface {
        &self.surfaces[self.constraint.bodies[1] as usize]
    }

    pub(super) fn position(&self, node: u32) -> Vec3 {
        self.configuration.positions[node as usize]
    }

    /// Displacement of the node relative to its target in the step \[m\].
    fn relative_displacement(&self) -> Vec3 {
        let Configuration { positions, positions_before, .. } = self.configuration;
        self.constraint.jump(positions) - self.constraint.jump(positions_before)
    }

    /// Length of the relative displacement \[m\].
    pub(super) fn travel(&self) -> f64 {
        self.relative_displacement().norm()
    }

    /// Distance within which faces are examined \[m\]:
    ///
    /// ```text
    /// min(max(2 |u|, −2 g, DEEPER δ + CURVED |u|), search depth) + offset
    /// ```
    /// with the relative displacement u in the step, the gap g, and `deepest` δ. The last term of the maximum is the
    /// largest depth at which a contact can continue.
    pub(super) fn reach(&self) -> f64 {
        let travel = self.travel();
        let reach =
            (DEEPER * self.deepest + CURVED * travel).max(2.0 * travel).max(-2.0 * self.constraint.gap);
        reach.min(self.depth) + self.offset
    }

    /// Outward normal of the contactor surface at the node, of any length.
    pub(super) fn outward(&self) -> Vec3 {
        let surface = &self.surfaces[self.constraint.bodies[0] as usize];
        vertex_normal(surface, self.configuration.positions, self.constraint.nodes[0])
    }

    /// Distance from a plane within which a node counts as on the plane \[m\].
    pub(super) fn rounding(&self) -> f64 {
        rounding_of_gap(
            self.constraint.nodes.iter().map(|&node| &self.configuration.positions[node as usize]),
        )
    }

    pub(super) fn position_before(&self, node: u32) -> Vec3 {
        self.configuration.positions_before[node as usize]
    }

    /// Component of `vector` perpendicular to the normal of the contact.
    fn across(&self, vector: &Vec3) -> Vec3 {
        let normal = self.constraint.normal;
        vector - normal * normal.dot(vector)
    }

    /// Whether the orthogonal projection of the node onto the plane of the nearest face lies on the face.
    pub(super) fn is_under_face(&self) -> bool {
        let apart = self.constraint.jump(self.configuration.positions);
        self.across(&apart).norm() <= STRAIGHT * apart.norm() + self.rounding()
    }

    /// Whether the node was behind the plane of the nearest face (without offset) before the step, by more than
    /// rounding.
    pub(super) fn was_behind(&self) -> bool {
        let Constraint { gap, normal, .. } = self.constraint;
        let travel = self.relative_displacement();
        gap + self.offset - normal.dot(&travel) < -self.rounding()
    }

    /// Whether the node is outside the closed surface of its target.
    ///
    /// # Cost
    /// A pass over all faces of the target; needed for few nodes in a step.
    pub(super) fn is_outside(&self) -> bool {
        let node = self.position(self.constraint.nodes[0]);
        !winds_around(self.target(), self.configuration.positions, &node)
    }

    /// Whether the node is past the rim of the nearest face and did not come through this face. Either the node was
    /// behind the plane of the face before the step, or it was past the rim when it crossed the plane. The plane
    /// includes the offset.
    pub(super) fn is_beside(&self) -> bool {
        let Constraint { gap, normal, .. } = self.constraint;
        if self.is_under_face() {
            return false;
        }
        let off = self.across(&self.constraint.jump(self.configuration.positions));
        let rounding = self.rounding();
        let travel = self.relative_displacement();
        let approach = normal.dot(&travel);
        if gap - approach < -rounding {
            return true;
        }
        let since_crossing = if approach < 0.0 { (gap / approach).clamp(0.0, 1.0) } else { 0.0 };
        off.dot(&(off - self.across(&travel) * since_crossing)) > rounding * off.norm()
    }

    /// Whether the contact point lies on one triangle or quadrilateral, farther than `distance` \[m\] from all edges of
    /// this face. False if any face of the target is of another kind.
    pub(super) fn is_within_face(&self, distance: f64) -> bool {
        let (nodes, weights) = (self.constraint.nodes, self.constraint.weights);
        let middle = self.constraint.num_contactor_nodes;
        let (nodes, weights) = (&nodes[middle..], &weights[middle..]);
        let kind = self.target().distinct_kinds();
        if nodes.len() < 3 || kind.iter().any(|kind| !matches!(kind, CellKind::Tri3 | CellKind::Quad4)) {
            return false;
        }
        let point: Vec3 = nodes.iter().zip(weights).map(|(&node, w)| self.position(node) * -w).sum();
        (0..nodes.len()).all(|k| {
            let [from, to] = [k, (k + 1) % nodes.len()].map(|corner| self.position(nodes[corner]));
            let edge = to - from;
            (point - from).cross(&edge).norm_squared() > distance * distance * edge.norm_squared()
        }) && self.target().is_face(nodes)
    }

    /// The faces that contain all target nodes of the contact. If no face contains all, the faces whose nodes are all
    /// among the target nodes.
    pub(super) fn nearest_faces(&self) -> impl Iterator<Item = u32> {
        self.target().faces_at(&self.constraint.nodes[self.constraint.num_contactor_nodes..])
    }

    pub(super) fn add_neighbours(&self, face: u32, faces: &mut Vec<u32>) {
        let surface = self.target();
        for &local in surface.local_nodes_of_face(face as usize) {
            for &other in surface.faces_of_local_node(local as usize) {
                if !faces.contains(&other) {
                    faces.push(other);
                }
            }
        }
    }

    /// Distance of a face from the node \[m\]. Also the face as an alternative, if the node is behind the face and
    /// projects onto it, and the normals of the face and of the node (`outward`) are opposed.
    pub(super) fn evaluate(&self, face: u32, outward: &Vec3) -> Option<(f64, Option<Alternative>)> {
        let surface = self.target();
        let (kind, nodes) = surface.face(face as usize);
        let node = self.constraint.nodes[0];
        let mut corners = [Vec3::zeros(); MAX_NODES];
        for (corner, &node) in corners.iter_mut().zip(nodes) {
            *corner = self.position(node);
        }
        let query = self.position(node);
        let corners = &corners[..nodes.len()];
        let point = closest_point(Method::Auto, Start::Nearest, kind, corners, &query);
        let normal = face_normal_where(surface, &|node| self.position(node), face as usize, point.xi);
        let offset = query - point.point;
        let distance = offset.norm();
        let along = offset.dot(&normal);
        let off = (offset - normal * along).norm();
        let gap = along - self.offset;
        let is_under = gap <= self.rounding() && off <= STRAIGHT * distance + self.rounding();
        if !(is_under && normals_are_opposed(&normal, outward)) {
            return Some((distance, None));
        }
        let crossed = self.crossed(face, point.xi, gap);
        let continuation = None;
        Some((distance, Some(Alternative { face, xi: point.xi, gap, normal, continuation, crossed })))
    }

    /// Fraction of the step at which the node crossed the plane of a face (with offset); negative if the node was
    /// behind the plane before the step. −∞ if the node does not approach the plane by more than rounding.
    pub(super) fn crossed(&self, face: u32, xi: [f64; 2], gap: f64) -> f64 {
        let surface = self.target();
        let (kind, nodes) = surface.face(face as usize);
        let mut values = [0.0; MAX_NODES];
        shape_values(kind, [xi[0], xi[1], 0.0], &mut values[..nodes.len()]);
        let place =
            nodes.iter().zip(values).map(|(&node, value)| self.position_before(node) * value).sum::<Vec3>();
        let normal = face_normal_where(surface, &|node| self.position_before(node), face as usize, xi);
        let before = normal.dot(&(self.position_before(self.constraint.nodes[0]) - place)) - self.offset;
        if before - gap > self.rounding() { before / (before - gap) } else { f64::NEG_INFINITY }
    }

    /// Adds the contact with the best alternative, or the detected contact if fewer than two alternatives exist
    /// or none has the normal of the detected contact.
    pub(super) fn push_best(&self, workspace: &mut Workspace, chosen: &mut Constraints) {
        let Workspace { alternatives, tied, .. } = workspace;
        let is_nearest = |a: &Alternative| are_coplanar(&a.normal, &self.constraint.normal);
        if alternatives.len() < 2 || !alternatives.iter().any(is_nearest) {
            chosen.push_copy(&self.constraint);
            return;
        }
        let (travel, rounding) = (self.travel(), self.rounding());
        let rank = |continuation: &Continuation| continuation.rank(rounding);
        let highest = alternatives.iter().filter_map(|a| a.continuation.as_ref()).map(rank).max();
        let continues = |a: &Alternative| {
            a.continuation.is_some_and(|continuation| {
                -a.gap <= DEEPER * continuation.depth + CURVED * travel
                    && highest == Some(rank(&continuation))
            })
        };
        let any_continues = alternatives.iter().any(continues);
        let any_is_approached = alternatives.iter().any(|a| a.crossed > f64::NEG_INFINITY);
        let by_depth = any_continues || !any_is_approached;
        let merit = |a: &Alternative| match by_depth {
            true if any_continues && !continues(a) => f64::NEG_INFINITY,
            true => a.gap,
            false => a.crossed,
        };
        let best = alternatives.iter().map(merit).fold(f64::NEG_INFINITY, f64::max);
        let tolerance = match by_depth {
            true => EQUAL * best.abs() + rounding,
            false => EQUAL + rounding / travel.max(rounding),
        };
        tied.clear();
        tied.extend(alternatives.iter().filter(|a| merit(a) >= best - tolerance));
        self.push_tied(tied, chosen);
    }

    /// Adds one contact for the equally good alternatives `tied`. If their planes differ, the contact is with their
    /// common edge or vertex, if any. If their planes agree, and the first alternative has the face and the normal of
    /// the detected contact, the detected contact is kept. Otherwise the contact is with the first alternative.
    fn push_tied(&self, tied: &[Alternative], chosen: &mut Constraints) {
        let normal = &tied[0].normal;
        let differ = tied.iter().any(|a| !are_coplanar(&a.normal, normal));
        // The faces of the detected contact are examined first, and therefore come first in `tied`.
        let is_original = || {
            self.nearest_faces().any(|face| face == tied[0].face)
                && are_coplanar(normal, &self.constraint.normal)
        };
        if !differ && is_original() {
            chosen.push_copy(&self.constraint);
        } else if !(differ && self.push_common(tied, chosen)) {
            self.push_face(&tied[0], chosen);
        }
    }

    pub(super) fn push_face(&self, alternative: &Alternative, chosen: &mut Constraints) {
        let (kind, nodes) = self.target().face(alternative.face as usize);
        let mut values = [0.0; MAX_NODES];
        shape_values(kind, [alternative.xi[0], alternative.xi[1], 0.0], &mut values[..nodes.len()]);
        self.push(alternative.gap, alternative.normal, nodes, &values[..nodes.len()], chosen);
    }

    pub(super) fn push(
        &self,
        gap: f64,
        normal: Vec3,
        nodes: &[u32],
        shape_values: &[f64],
        chosen: &mut Constraints,
    ) {
        let Constraint { key, bodies, num_contactor_nodes, .. } = self.constraint;
        let contactor = Side {
            body: bodies[0],
            nodes: &self.constraint.nodes[..num_contactor_nodes],
            shape_values: &self.constraint.weights[..num_contactor_nodes],
        };
        chosen.push(key, gap, normal, contactor, Side { body: bodies[1], nodes, shape_values });
    }

    /// Adds the contact with the common vertex or edge of equally good alternatives. Adds nothing and returns false if
    /// the faces have no common feature or are quadratic, or if the normal is undefined.
    pub(super) fn push_common(&self, tied: &[Alternative], chosen: &mut Constraints) -> bool {
        let surface = self.target();
        let of = |a: &Alternative| surface.face(a.face as usize).1;
        let is_common = |node: &&u32| tied.iter().all(|a| of(a).contains(node));
        let common: Vec<u32> = of(&tied[0]).iter().filter(is_common).copied().collect();
        let kind = surface.face(tied[0].face as usize).0;
        let query = self.position(self.constraint.nodes[0]);
        match (kind, common.as_slice()) {
            (CellKind::Line2 | CellKind::Tri3 | CellKind::Quad4, &[vertex]) => {
                let positions = self.configuration.positions;
                let contactor = &self.surfaces[self.constraint.bodies[0] as usize];
                let outward = [
                    vertex_normal(surface, positions, vertex),
                    vertex_normal(contactor, positions, self.constraint.nodes[0]),
                ];
                let [Some(target), Some(own)] = outward.map(|normal| normal.try_normalize(0.0)) else {
                    return false;
                };
                let Some(normal) = (target - own).try_normalize(STRAIGHT) else { return false };
                let gap = normal.dot(&(query - self.position(vertex))) - self.offset;
                self.push(gap, normal, &[vertex], &[1.0], chosen);
            }
            (CellKind::Tri3 | CellKind::Quad4, &[first, second]) => {
                let sum: Vec3 = tied.iter().map(|a| a.normal).sum();
                let Some(normal) = sum.try_normalize(STRAIGHT) else { return false };
                let (from, to) = (self.position(first), self.position(second));
                let chord = to - from;
                let place = ((query - from).dot(&chord) / chord.norm_squared()).clamp(0.0, 1.0);
                let gap = normal.dot(&(query - from - chord * place)) - self.offset;
                self.push(gap, normal, &[first, second], &[1.0 - place, place], chosen);
            }
            _ => return false,
        }
        true
    }
}
