//! The first contact of deforming bodies within a step: the contact of a node with a face, or of two edges.
//!
//! Every node moves on a parabola x(τ) = c₀ + c₁ τ + c₂ τ², with the fraction τ of the step.
//! - A node and a triangle, or two straight edges, are coplanar at the roots of a polynomial of degree six. Contact
//!   begins at the first root at which the node enters through the triangle, or the approaching edges cross.
//! - In plane problems, a node and a segment meet at a root of a polynomial of degree four.
//! - For all other pairs, and for bodies with offsets, time advances conservatively until the gap is about 1e-12 of the
//!   size of the features ([`advancement`]).
//!
//! A crossing at an end of an edge makes no edge contact: the node at this end makes a node contact.
//!
//! # Source
//! Provot 1997, "Collision and self-collision handling in cloth model dedicated to design garments", Graphics Interface
//! (coplanarity of four nodes on straight paths); Mirtich 1996, §2.3 (conservative advancement).

mod advancement;
mod paths;
mod step_contact;
mod sweep;
mod tunnelling;

pub use paths::StepPaths;
pub(super) use step_contact::BEGINNING;
pub use tunnelling::TunnellingGuard;

use rayon::prelude::*;

use crate::Constraints;
use crate::element::{MAX_NODES, shape_values};
use crate::math::Vec3;

use super::face::closest_point::face_normal_where;
use super::model::ContactModel;
use super::primitive::edge_edge::{Curve, closest_places, normal_of_crossing};
use super::tree::body_tree::BodyTree;
use super::tree::face_groups::{FACES_PER_GROUP, FaceGroups};
use super::volume::Aabb;
use paths::{BodyReach, STEP};
use step_contact::{Features, StepContact, closest_at, order};
use sweep::Sweep;

/// The first contact in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepImpact {
    /// Instant of the contact, as a fraction of the step in \[0, 1\].
    pub fraction: f64,
    /// Bodies of the contactor and of the target.
    pub bodies: [u32; 2],
    /// Point of contact \[m\].
    pub point: Vec3,
    /// Unit normal out of the target.
    pub normal: Vec3,
    /// Closing speed along the normal, multiplied by the time step \[m\].
    pub closing: f64,
}

/// The search for impacts within steps.
#[derive(Clone, Debug)]
pub struct StepImpactSearch {
    model: ContactModel,
    groups: Vec<FaceGroups>,
}

impl StepImpactSearch {
    /// Search among the surfaces of a model.
    pub fn new(model: ContactModel) -> Self {
        let groups = |surface| FaceGroups::new(surface, model.thickness.positions(), FACES_PER_GROUP);
        Self { groups: model.surfaces.par_iter().map(groups).collect(), model }
    }

    /// The first contact within a step. Ignores contacts in the first millionth of the step (`BEGINNING`), and contacts
    /// of the pairs in `touching`: of two edges, or of a node with any face of a target body.
    ///
    /// # Cost
    /// Bounds on all paths, once. Then, for each near pair of bodies and each part into which the search divides the
    /// step: swept boxes of all face groups, then of the nodes, faces and edges in the groups near the other body.
    pub fn first(&self, paths: &StepPaths, touching: &Constraints) -> Option<StepImpact> {
        let Self { model, groups } = self;
        let reach = |(groups, &offset)| BodyReach::of(groups, offset, paths);
        let reaches: Vec<Option<BodyReach>> = groups.iter().zip(&model.offsets).map(reach).collect();
        let mut first: Option<StepContact> = None;
        for bodies in near_bodies(model, &reaches) {
            let [Some(a), Some(b)] = bodies.map(|body| reaches[body as usize].as_ref()) else { continue };
            let offset = model.offset(bodies);
            let sweep = Sweep { bodies, model, groups, paths, touching, offset, reaches: [a, b] };
            let until = first.map_or(1.0, |first| first.fraction);
            first = sweep.first(until).into_iter().chain(first).min_by(order);
        }
        first.map(|step_contact| complete(model, paths, &step_contact))
    }
}

/// Pairs of bodies with permitted contact and overlapping swept boxes. A body with self-contact is paired with itself.
fn near_bodies(model: &ContactModel, reaches: &[Option<BodyReach>]) -> Vec<[u32; 2]> {
    let swept = |body: u32| Some((body, reaches[body as usize].as_ref()?.whole.within(STEP)));
    let boxes: Vec<(u32, Aabb)> = model.bodies().filter_map(swept).collect();
    let mut tree = BodyTree::new(model.surfaces.len());
    tree.build(&boxes);
    let mut pairs = tree.pairs(usize::MAX).unwrap_or_default();
    pairs.retain(|&bodies| model.can_meet(bodies));
    pairs.extend(model.foldable().iter().map(|&body| [body; 2]));
    pairs
}

fn complete(model: &ContactModel, paths: &StepPaths, step_contact: &StepContact) -> StepImpact {
    let tau = step_contact.fraction;
    let at = |node: u32| paths.at(node, tau);
    let rates = |nodes: &[u32], values: &[f64]| -> Vec3 {
        nodes.iter().zip(values).map(|(&node, value)| paths.rate(node, tau) * *value).sum()
    };
    let (point, normal, closing) = match step_contact.features {
        Features::Node { node, face } => {
            let surface = &model.surfaces[step_contact.bodies[1] as usize];
            let found = closest_at(surface, face, at, node);
            let (kind, nodes) = surface.face(face as usize);
            let mut values = [0.0; MAX_NODES];
            shape_values(kind, [found.xi[0], found.xi[1], 0.0], &mut values[..nodes.len()]);
            let normal = face_normal_where(surface, &at, face as usize, found.xi);
            let relative = paths.rate(node, tau) - rates(nodes, &values);
            (at(node), normal, -relative.dot(&normal))
        }
        Features::Edges(pair) => {
            let edges = pair.edges(model);
            let curves = edges.map(|edge| Curve::of(edge, at));
            let places = closest_places(&curves);
            let normal = normal_of_crossing(model, &pair, &curves, places, &at);
            let rate = |k: usize| {
                let (nodes, values, count) = Curve::shares(edges[k], places[k]);
                rates(&nodes[..count], &values[..count])
            };
            let normal = normal.unwrap_or_else(Vec3::zeros);
            (curves[0].at(places[0]).0, normal, (rate(1) - rate(0)).dot(&normal))
        }
    };
    StepImpact { fraction: tau, bodies: step_contact.bodies, point, normal, closing }
}

#[cfg(test)]
mod tests;
