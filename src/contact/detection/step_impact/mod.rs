//! The first instant within a step of deforming bodies at which a node meets a face, or an edge an edge.
//!
//! In a step every node goes along a parabola, x(τ) = c₀ + c₁ τ + c₂ τ² with τ from 0 to 1. A node and a triangle, or
//! two straight edges, are in one plane where a polynomial of degree six vanishes: its first root at which the node is
//! on the triangle, or the edges cross inside of both, is the instant. In the plane it is one of degree four, for a node
//! and a segment. Curved faces and edges, quadrilaterals and offset surfaces are advanced conservatively, by what keeps them
//! apart for certain, until their distance is 1e-12 of their size; what slides so fast that this takes too long goes the
//! rest of its way by the rate at which it closes ([`advancement`]).
//!
//! A step that ends there begins the contact with no penetration. Where an edge is crossed next to one of its ends, which
//! contact leaves to the node there, it begins when the node comes in.
//!
//! What can meet is found by swept boxes, those of groups of faces first. Before the bodies themselves can meet nothing is
//! looked at, and then a part of the step at a time, in which they go no farther than their faces are wide: so even a
//! long flight costs little. Features that meet in a part are in one plane there, which few of those near each other are.
//!
//! # Source
//! Provot 1997, "Collision and self-collision handling in cloth model dedicated to design garments", Graphics Interface
//! (coplanarity of four nodes, there on straight paths); Mirtich 1996, §2.3 (conservative advancement).

mod advancement;
mod paths;
mod sweep;
mod tunnelling;

pub use paths::StepPaths;
pub use tunnelling::TunnellingGuard;

use std::cmp::Ordering;

use rayon::prelude::*;

use crate::contact::{Constraints, Surface};
use crate::element::{MAX_NODES, shape_values};
use crate::math::Vec3;

use super::face::closest_point::{ClosestPoint, Method, Start, closest_point, face_normal_where};
use super::model::ContactModel;
use super::primitive::edge_edge::{Curve, EdgePair, closest_places, normal_of_crossing};
use super::tree::body_tree::BodyTree;
use super::tree::face_groups::{FACES_PER_GROUP, FaceGroups};
use super::volume::Aabb;
use paths::{BodyReach, STEP};
use sweep::Sweep;

/// Part of a step at its beginning in which nothing counts: what ended the step before at its impact.
pub(super) const BEGINNING: f64 = 1e-6;

/// What meets first in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepImpact {
    /// Part of the step before it, in \[0, 1\].
    pub fraction: f64,
    /// Bodies of the contactor and of the target.
    pub bodies: [u32; 2],
    /// Where \[m\].
    pub point: Vec3,
    /// Unit normal out of the target.
    pub normal: Vec3,
    /// How far they would close along the normal in a step at the speed with which they meet \[m\].
    pub closing: f64,
}

/// What meets, and when.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    fraction: f64,
    bodies: [u32; 2],
    features: Features,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Features {
    Node { node: u32, face: u32 },
    Edges(EdgePair),
}

/// The search for impacts within steps.
#[derive(Clone, Debug)]
pub struct StepImpactSearch {
    model: ContactModel,
    /// The faces of every body, in groups.
    groups: Vec<FaceGroups>,
}

impl StepImpactSearch {
    /// Of the surfaces of a model.
    pub fn new(model: ContactModel) -> Self {
        let groups = |surface| FaceGroups::new(surface, model.thickness.positions(), FACES_PER_GROUP);
        Self { groups: model.surfaces.par_iter().map(groups).collect(), model }
    }

    /// The first impact within a step of what is not `touching` yet: a node with a face, or two edges that can touch.
    /// What meets in the first millionth of the step is left out, as what ended the step before at its impact.
    ///
    /// Steps in which bodies go farther than the size of their faces are looked at in parts, from when the bodies may
    /// meet.
    ///
    /// # Cost
    /// Bounds on the paths of all nodes, once. For each pair of bodies whose swept boxes meet, and each part of the step
    /// until they do: the swept boxes of their groups of faces, and of the nodes, faces and edges of those groups that
    /// meet one of the other body.
    pub fn first(&self, paths: &StepPaths, touching: &Constraints) -> Option<StepImpact> {
        let Self { model, groups } = self;
        let reach = |(groups, &offset)| BodyReach::of(groups, offset, paths);
        let reaches: Vec<Option<BodyReach>> = groups.iter().zip(&model.offsets).map(reach).collect();
        let mut first: Option<Meeting> = None;
        for bodies in near_bodies(model, &reaches) {
            let [Some(a), Some(b)] = bodies.map(|body| reaches[body as usize].as_ref()) else { continue };
            let offset = model.offset(bodies);
            let sweep = Sweep { bodies, model, groups, paths, touching, offset, reaches: [a, b] };
            let until = first.map_or(1.0, |first| first.fraction);
            first = sweep.first(until).into_iter().chain(first).min_by(order);
        }
        first.map(|meeting| complete(model, paths, &meeting))
    }
}

/// Earlier first, then by what meets.
fn order(a: &Meeting, b: &Meeting) -> Ordering {
    let ids = |meeting: &Meeting| (meeting.bodies, meeting.features);
    a.fraction.total_cmp(&b.fraction).then_with(|| ids(a).cmp(&ids(b)))
}

/// Pairs of bodies whose swept boxes meet, and bodies that can touch themselves.
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

/// Where a meeting is, and how fast, from the positions of all nodes at its instant.
fn complete(model: &ContactModel, paths: &StepPaths, meeting: &Meeting) -> StepImpact {
    let tau = meeting.fraction;
    let at = |node: u32| paths.at(node, tau);
    let rates = |nodes: &[u32], values: &[f64]| -> Vec3 {
        nodes.iter().zip(values).map(|(&node, value)| paths.rate(node, tau) * *value).sum()
    };
    let (point, normal, closing) = match meeting.features {
        Features::Node { node, face } => {
            let surface = &model.surfaces[meeting.bodies[1] as usize];
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
    StepImpact { fraction: tau, bodies: meeting.bodies, point, normal, closing }
}

/// Closest point of a face to a node where nodes are `at` these positions.
fn closest_at(surface: &Surface, face: u32, at: impl Fn(u32) -> Vec3, node: u32) -> ClosestPoint {
    let (kind, nodes) = surface.face(face as usize);
    let mut corners = [Vec3::zeros(); MAX_NODES];
    for (corner, &node) in corners.iter_mut().zip(nodes) {
        *corner = at(node);
    }
    closest_point(Method::Auto, Start::Nearest, kind, &corners[..nodes.len()], &at(node))
}

#[cfg(test)]
mod tests;
