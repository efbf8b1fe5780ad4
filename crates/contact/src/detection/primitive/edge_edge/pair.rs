//! Pairs of edges that can touch.

use super::curve::{Curve, closest_places};
use crate::detection::face::closest_point::{normals_beside_edge, unit_or_zero};
use crate::detection::model::ContactModel;
use crate::math::Vec3;
use crate::{Edge, EdgeOnEdge, Surface};

/// A point is in front of an edge if v·n > `BEFORE` |v|. Here v points from the edge to the point, and n is the outward
/// unit normal of the edge.
const BEFORE: f64 = 0.1;

/// Two edges that can touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EdgePair {
    /// Numbers of the edges over all surfaces. The edge with the lower number is the contactor.
    pub key: EdgeOnEdge,
    /// Bodies of the contactor and of the target.
    pub bodies: [u32; 2],
}

impl EdgePair {
    /// Pair of two edges, given by their `bodies` and by their indices `edges` into [`Surface::edges`]. `None` if the
    /// edges can never touch.
    pub fn new(model: &ContactModel, bodies: [u32; 2], edges: [u32; 2]) -> Option<Self> {
        let number = |k: usize| model.edges[bodies[k] as usize].first_number + edges[k];
        let (first, second) = (number(0), number(1));
        let pair = match first < second {
            true => Self { key: EdgeOnEdge { contactor: first, target: second }, bodies },
            false => {
                Self { key: EdgeOnEdge { contactor: second, target: first }, bodies: [bodies[1], bodies[0]] }
            }
        };
        pair.can_touch(model).then_some(pair)
    }

    /// The two edges.
    pub fn edges<'a>(&self, model: &'a ContactModel) -> [&'a Edge; 2] {
        let EdgeOnEdge { contactor, target } = self.key;
        let edge = |body: u32, number: u32| {
            let first = model.edges[body as usize].first_number;
            &model.surfaces[body as usize].edges()[(number - first) as usize]
        };
        [edge(self.bodies[0], contactor), edge(self.bodies[1], target)]
    }

    /// Edges of different bodies can always touch. Edges of one body that are assigned to the same face, or that have a
    /// common node, cannot touch. Other edges of one body can touch if their stress-free distance exceeds
    /// `Thickness::near`. Nearer edges can touch only if each edge is in front of the other, and if their distance
    /// exceeds twice the surface offset. This excludes opposite sides of a thin part, and edges around a corner.
    fn can_touch(&self, model: &ContactModel) -> bool {
        let [body, other] = self.bodies;
        if body != other {
            return true;
        }
        let (surface, positions) = (&model.surfaces[body as usize], model.thickness.positions());
        let [a, b] = self.edges(model);
        if a.face == b.face || a.nodes.iter().any(|node| b.nodes.contains(node)) {
            return false;
        }
        let curves = [a, b].map(|edge| Curve::of(edge, |node| positions[node as usize]));
        let [s, t] = closest_places(&curves);
        let offset = curves[0].at(s).0 - curves[1].at(t).0;
        let least = BEFORE * offset.norm();
        let is_before = outward(surface, positions, b, t).dot(&offset) > least
            && outward(surface, positions, a, s).dot(&offset) < -least;
        let is_clear = offset.norm() > model.offset([body, body]);
        is_before && is_clear || offset.norm() > model.thickness.near(body)
    }
}

/// Unit pseudo-normal at the fraction `place` along an edge; zero if undefined.
fn outward(surface: &Surface, positions: &[Vec3], edge: &Edge, place: f64) -> Vec3 {
    let [first, second] = normals_beside_edge(surface, &|node| positions[node as usize], edge, place);
    unit_or_zero(&(first + second))
}

/// Adds to `near` the pairs of an edge of the first face and an edge of the second face that can touch and may be
/// within `reach` of each other \[m\].
pub(crate) fn near_edges(
    model: &ContactModel,
    bodies: [u32; 2],
    faces: [u32; 2],
    positions: &[Vec3],
    reach: f64,
    near: &mut Vec<EdgePair>,
) {
    let [first, second] = [0, 1].map(|k| model.edges_of_face(bodies[k], faces[k]));
    for (&a, &b) in first.iter().flat_map(|a| second.iter().map(move |b| (a, b))) {
        let curves = [(0, a), (1, b)].map(|(k, edge): (usize, u32)| {
            let edge = &model.surfaces[bodies[k] as usize].edges()[edge as usize];
            Curve::of(edge, |node| positions[node as usize])
        });
        if curves[0].clearance(&curves[1]) <= reach {
            near.extend(EdgePair::new(model, bodies, [a, b]));
        }
    }
}
