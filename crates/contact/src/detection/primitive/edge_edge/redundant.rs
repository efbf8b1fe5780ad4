//! Crossings that other crossings make redundant.
//!
//! An edge may cross two edges of one body, as at a corner. If both crossings are contacts, and their distance is below
//! the depth of the deeper one, only the shallower crossing counts.
//!
//! If an edge crosses both rims of a seam between flush bodies, neither crossing counts in two cases:
//! - Both crossings are contacts, and their distance is at most the larger of the depth of the deeper crossing and the
//!   width of a closed seam (`CLOSED_SEAM`).
//! - Only one crossing is a contact, and both the distance of the crossings and the difference of their gaps are at
//!   most the width of a closed seam.
//!
//! ```text
//!        ────────────────   edge that crosses both rims
//!     ──────────┐┌─────────
//!        a      ││     b    bodies a and b: their rims coincide, and their top faces are flush
//! ```
//! In both cases, the edge touches a continuous surface, and node–face contact prevents its penetration.

use super::crossing::Crossing;
use super::curve::Curve;
use crate::EdgeOnEdge;
use crate::detection::face::closest_point::normals_beside_edge;
use crate::detection::model::ContactModel;
use crate::flush::{are_coplanar, are_opposite, is_along, rounding_of_gap};
use crate::math::Vec3;

/// An edge of a crossing. `side` is 0 for the contactor edge of the crossing, 1 for the target edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Incidence {
    edge: u32,
    crossing: u32,
    side: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct RedundantCrossings {
    incidences: Vec<Incidence>,
    is_redundant: Vec<bool>,
}

impl RedundantCrossings {
    /// Whether each crossing is redundant.
    pub fn find(&mut self, model: &ContactModel, positions: &[Vec3], crossings: &[Crossing]) -> &[bool] {
        let Self { incidences, is_redundant } = self;
        is_redundant.clear();
        is_redundant.resize(crossings.len(), false);
        incidences.clear();
        for (number, EdgeOnEdge { contactor, target }) in
            crossings.iter().map(|c| c.candidate.key).enumerate()
        {
            let crossing = number as u32;
            incidences.push(Incidence { edge: contactor, crossing, side: 0 });
            incidences.push(Incidence { edge: target, crossing, side: 1 });
        }
        incidences.sort_unstable();
        for of_edge in incidences.chunk_by(|a, b| a.edge == b.edge) {
            for (i, one) in of_edge.iter().enumerate() {
                for other in &of_edge[i + 1..] {
                    let [a, b] = [one, other].map(|incidence| &crossings[incidence.crossing as usize]);
                    let sides = [one.side, other.side];
                    if are_at_seam(model, positions, [a, b], sides) {
                        is_redundant[one.crossing as usize] = true;
                        is_redundant[other.crossing as usize] = true;
                    }
                    let (shallow, deep, redundant) =
                        if a.gap < b.gap { (b, a, one.crossing) } else { (a, b, other.crossing) };
                    let apart = (a.points[one.side] - b.points[other.side]).norm();
                    if shallow.is_contact
                        && shallow.candidate.bodies == deep.candidate.bodies
                        && apart < -deep.gap
                    {
                        is_redundant[redundant as usize] = true;
                    }
                }
            }
        }
        is_redundant
    }
}

/// Whether the common edge of two crossings crosses the two rims of a seam. `sides` tells, for each crossing, whether
/// the common edge is the contactor (0) or the target (1).
fn are_at_seam(
    model: &ContactModel,
    positions: &[Vec3],
    crossings: [&Crossing; 2],
    sides: [usize; 2],
) -> bool {
    let [one, other] = [0, 1].map(|k| crossings[k].candidate.bodies[1 - sides[k]]);
    let [point, beside] = [0, 1].map(|k| crossings[k].points[sides[k]]);
    let [gap, other_gap] = crossings.map(|crossing| crossing.gap);
    let closed = f64::min(crossings[0].seam, crossings[1].seam);
    let widest = match crossings.iter().all(|crossing| crossing.is_contact) {
        true => closed.max(-gap).max(-other_gap),
        false if (gap - other_gap).abs() <= closed => closed,
        false => return false,
    };
    if one == other || (point - beside).norm() > widest + rounding_of_gap([&point]) {
        return false;
    }
    let [first, second] = [0, 1].map(|k| faces_beside(model, positions, crossings[k], 1 - sides[k]));
    let push = if sides[0] == 0 { crossings[0].normal } else { -crossings[0].normal };
    first
        .iter()
        .filter(|face| is_along(&face.normal, &push))
        .any(|a| second.iter().any(|b| are_coplanar(&a.normal, &b.normal) && are_opposite(&a.into, &b.into)))
}

struct FaceBeside {
    normal: Vec3,
    /// Direction from the edge into the face, of any length.
    into: Vec3,
}

/// The two faces at one edge of a crossing. On a border, the normal of the missing face is zero.
fn faces_beside(
    model: &ContactModel,
    positions: &[Vec3],
    crossing: &Crossing,
    side: usize,
) -> [FaceBeside; 2] {
    let edge = crossing.candidate.edges(model)[side];
    let surface = &model.surfaces[crossing.candidate.bodies[side] as usize];
    let at = |node: u32| positions[node as usize];
    let place = crossing.places[side];
    let along = Curve::of(edge, at).at(place).1;
    let [first, second] = normals_beside_edge(surface, &at, edge, place);
    [
        FaceBeside { normal: first, into: first.cross(&along) },
        FaceBeside { normal: second, into: along.cross(&second) },
    ]
}
