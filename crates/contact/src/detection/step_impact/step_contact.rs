//! Contacts within a step and their instants.

use std::cmp::Ordering;

use crate::Surface;
use crate::detection::face::closest_point::{ClosestPoint, Method, Start, closest_point};
use crate::detection::primitive::edge_edge::EdgePair;
use crate::element::MAX_NODES;
use crate::math::Vec3;

/// Fraction of a step before which contacts are ignored: such contacts belong to the impact that ended the previous
/// step.
pub(in crate::detection) const BEGINNING: f64 = 1e-6;

/// A contact at a `fraction` of the step. `bodies`: the body of the contactor, then the body of the target.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepContact {
    pub fraction: f64,
    pub bodies: [u32; 2],
    pub features: Features,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Features {
    Node { node: u32, face: u32 },
    Edges(EdgePair),
}

pub(super) fn order(a: &StepContact, b: &StepContact) -> Ordering {
    let ids = |step_contact: &StepContact| (step_contact.bodies, step_contact.features);
    a.fraction.total_cmp(&b.fraction).then_with(|| ids(a).cmp(&ids(b)))
}

pub(super) fn closest_at(surface: &Surface, face: u32, at: impl Fn(u32) -> Vec3, node: u32) -> ClosestPoint {
    let (kind, nodes) = surface.face(face as usize);
    let mut corners = [Vec3::zeros(); MAX_NODES];
    for (corner, &node) in corners.iter_mut().zip(nodes) {
        *corner = at(node);
    }
    closest_point(Method::Auto, Start::Nearest, kind, &corners[..nodes.len()], &at(node))
}
