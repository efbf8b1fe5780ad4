//! First contact of two bodies, or of a body with itself, in a step.
//!
//! The search divides the step into parts in which displacements are at most twice the smaller search depth of the
//! bodies. Every part but the last has at least a thousandth of the length of the step, even if the displacements in it
//! are then larger.

use rayon::prelude::*;

use crate::detection::face::closest_point::{face_normal_where, normals_are_opposed, vertex_normal_where};
use crate::detection::face::control_points::lebesgue_constant;
use crate::detection::initial::overlap::SortedBoxes;
use crate::detection::model::{Candidate, ContactModel, both_ways};
use crate::detection::primitive::edge_edge::{Curve, EdgePair, closest_places, normal_of_crossing};
use crate::detection::tree::face_groups::{FaceGroup, FaceGroups};
use crate::detection::volume::Aabb;
use crate::math::Vec3;
use crate::math::polynomial::{keeps_sign, sign_changes};
use crate::mesh::CellKind;
use crate::{Constraints, ContactKey, Edge, NodeOnSurface, Surface};

use super::advancement::{Advancement, RelativePaths};
use super::paths::{BodyReach, ROUNDING, StepPaths, Window};
use super::step_contact::{BEGINNING, Features, StepContact, closest_at, order};

/// Tolerance on the barycentric coordinates of the point at which a node passes through a face. Without it, a node
/// could pass between two adjacent faces.
const SEAM: f64 = 1e-9;

/// Gap at which conservative advancement ends with a contact, relative to the length of an edge of one feature.
const MET: f64 = 1e-12;

/// Least length of every part but the last, as a fraction of the step.
const SHORTEST_WINDOW: f64 = 1e-3;

pub(super) struct Sweep<'a> {
    pub bodies: [u32; 2],
    pub model: &'a ContactModel,
    pub groups: &'a [FaceGroups],
    pub paths: &'a StepPaths,
    pub touching: &'a Constraints,
    /// Sum of the surface offsets of the two bodies \[m\].
    pub offset: f64,
    pub reaches: [&'a BodyReach; 2],
}

/// `region`: intersection of the swept boxes of the bodies, widened by the offset. `groups`: for each body, its face
/// groups near the other body.
struct Part<'a> {
    window: Window,
    region: Aabb,
    groups: [Vec<FaceGroup<'a>>; 2],
}

impl<'a> Sweep<'a> {
    /// First contact of the two bodies, or of the body with itself. Contacts after `until` may be missed, or returned.
    pub fn first(&self, until: f64) -> Option<StepContact> {
        let [a, b] = self.reaches.map(|reach| &reach.whole);
        let mut begin = if self.bodies[0] == self.bodies[1] { 0.0 } else { a.earliest(b)? };
        let size = self.bodies.iter().map(|&body| 2.0 * self.model.search_depths[body as usize]);
        let length = size.fold(f64::INFINITY, f64::min) / a.rate().max(b.rate());
        let length = if length.is_nan() { 1.0 } else { length.max(SHORTEST_WINDOW) };
        loop {
            let end = (begin + length).min(1.0);
            let found = self.first_within([begin, end]);
            if end >= until || found.is_some_and(|step_contact| step_contact.fraction <= end) {
                return found;
            }
            begin = end;
        }
    }

    /// First contact of features that are near each other in the part `window`. The contact itself may be after this
    /// part.
    fn first_within(&self, window: Window) -> Option<StepContact> {
        let part = self.part(window)?;
        let directions = both_ways([0, 1]).take(both_ways(self.bodies).count());
        let of_nodes = directions.filter_map(|direction| self.first_of_nodes(direction, &part));
        of_nodes.chain(self.first_of_edges(&part)).min_by(order)
    }

    /// `None` if the swept boxes of the bodies are disjoint.
    fn part(&self, window: Window) -> Option<Part<'a>> {
        let [a, b] = self.reaches.map(|reach| reach.whole.within(window));
        let region = a.intersection(&b)?;
        let within_region = [0, 1].map(|k: usize| {
            let boxes = self.reaches[k].groups.iter().map(|reach| reach.within(window));
            let groups = boxes.zip(self.groups[self.bodies[k] as usize].iter());
            SortedBoxes::new(groups.filter(|(bounds, _)| !bounds.excludes(&region)).collect())
        });
        let near = |k: usize| {
            let [these, others] = [&within_region[k], &within_region[1 - k]];
            let is_near = |bounds: &Aabb| others.near(bounds).next().is_some();
            these.iter().filter(|(bounds, _)| is_near(bounds)).map(|&(_, group)| group).collect()
        };
        Some(Part { window, region: region.widened(self.offset), groups: [near(0), near(1)] })
    }

    /// First contact of a node of one body with a face of the other. `one` and `other` are indices into `bodies`.
    fn first_of_nodes(&self, [one, other]: [u32; 2], part: &Part<'_>) -> Option<StepContact> {
        let roles = [self.bodies[one as usize], self.bodies[other as usize]];
        let of_faces = &self.model.surfaces[roles[1] as usize];
        let is_free = |node: u32| {
            !self.touching.contains(ContactKey::Node(NodeOnSurface { contactor: node, target: roles[1] }))
        };
        let nodes = part.groups[one as usize].iter().flat_map(|group| group.own_nodes);
        let boxes = nodes.map(|&node| (self.paths.swept(&[node], part.window), node));
        let near = boxes.filter(|(bounds, node)| !bounds.excludes(&part.region) && is_free(*node));
        let nodes = SortedBoxes::new(near.collect());
        let faces: Vec<u32> =
            part.groups[other as usize].iter().flat_map(|group| group.faces).copied().collect();
        faces
            .into_par_iter()
            .filter_map(|face| {
                let (kind, corners) = of_faces.face(face as usize);
                let bounds = self.paths.swept(corners, part.window);
                let beyond = (lebesgue_constant(kind) - 1.0) * bounds.diagonal();
                let bounds = bounds.widened(self.offset + beyond);
                if bounds.excludes(&part.region) {
                    return None;
                }
                let near = nodes.near(&bounds);
                near.filter_map(|node| self.node_and_face(roles, node, face, part.window)).min_by(order)
            })
            .min_by(order)
    }

    fn node_and_face(&self, roles: [u32; 2], node: u32, face: u32, window: Window) -> Option<StepContact> {
        let [contactor_body, target] = roles;
        let surface = &self.model.surfaces[target as usize];
        let (kind, nodes) = surface.face(face as usize);
        let key = NodeOnSurface { contactor: node, target };
        let candidate = Candidate::new(key, face, contactor_body);
        if nodes.contains(&node) || !self.model.can_touch(&candidate) {
            return None;
        }
        let fraction = match self.offset == 0.0 && matches!(kind, CellKind::Line2 | CellKind::Tri3) {
            true => self.first_passage(node, nodes, window),
            false => self.first_approach(surface, node, face),
        }?;
        self.normals_are_opposed(&candidate, fraction).then_some(StepContact {
            fraction,
            bodies: roles,
            features: Features::Node { node, face },
        })
    }

    /// Whether the normals of a node and a face are opposed at `tau`. A contact begins only with opposed normals.
    fn normals_are_opposed(&self, candidate: &Candidate, tau: f64) -> bool {
        let at = |node: u32| self.paths.at(node, tau);
        let NodeOnSurface { contactor, target } = candidate.key;
        let surface = &self.model.surfaces[target as usize];
        let xi = closest_at(surface, candidate.face, at, contactor).xi;
        let face_normal = face_normal_where(surface, &at, candidate.face as usize, xi);
        let of_node = &self.model.surfaces[candidate.contactor_body as usize];
        normals_are_opposed(&face_normal, &vertex_normal_where(of_node, &at, contactor))
    }

    /// First instant at which a node passes through a segment or triangle from outside to inside.
    ///
    /// `None` also if the node certainly stays on one side in the part `window`.
    fn first_passage(&self, node: u32, corners: &[u32], window: Window) -> Option<f64> {
        let relative = |node: u32| self.difference(node, corners[0]);
        let volume = match *corners {
            [_, b] => triple(&[Vec3::z(), Vec3::zeros(), Vec3::zeros()], &relative(b), &relative(node)),
            [_, b, c] => triple(&relative(b), &relative(c), &relative(node)),
            _ => return None,
        };
        if keeps_sign(&volume, window) {
            return None;
        }
        // The outside of a segment is on its right, where the triple product with the z axis is negative.
        let sign = if corners.len() == 2 { -1.0 } else { 1.0 };
        let mut roots = [0.0; 7];
        let count = sign_changes(&volume, &mut roots);
        let enters = |tau: &f64| {
            *tau > BEGINNING && sign * slope(&volume, *tau) < 0.0 && self.is_on(node, corners, *tau)
        };
        roots[..count].iter().copied().find(enters)
    }

    fn is_on(&self, node: u32, corners: &[u32], tau: f64) -> bool {
        let at = |node: u32| self.paths.at(node, tau);
        let origin = at(corners[0]);
        let (u, w) = (at(corners[1]) - origin, at(node) - origin);
        let Some(&third) = corners.get(2) else {
            return (-SEAM..=1.0 + SEAM).contains(&(w.dot(&u) / u.norm_squared()));
        };
        let v = at(third) - origin;
        let normal = u.cross(&v);
        let squared = normal.norm_squared();
        let (s, t) = (normal.dot(&w.cross(&v)), normal.dot(&u.cross(&w)));
        s >= -SEAM * squared && t >= -SEAM * squared && s + t <= (1.0 + SEAM) * squared
    }

    fn difference(&self, node: u32, origin: u32) -> [Vec3; 3] {
        let (a, b) = (self.paths.coefficients(node), self.paths.coefficients(origin));
        [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
    }

    /// First instant at which the distance of a node from a face falls to the offset of the pair.
    ///
    /// `None` without contact in the step, or if the node is not in front of the face at the start of the step.
    fn first_approach(&self, surface: &Surface, node: u32, face: u32) -> Option<f64> {
        let (kind, nodes) = surface.face(face as usize);
        let begin = |node: u32| self.paths.at(node, 0.0);
        let found = closest_at(surface, face, begin, node);
        let normal = face_normal_where(surface, &begin, face as usize, found.xi);
        if (begin(node) - found.point).dot(&normal) <= 0.0 {
            return None;
        }
        let speed = lebesgue_constant(kind) * self.paths.relative_rate(&[node], nodes);
        let relative = &RelativePaths::of_node(self.paths, node, kind, nodes);
        let met = self.met([nodes[0], nodes[1]], node, speed);
        Advancement { relative, speed, offset: self.offset, met }.first(|tau| {
            let at = |node: u32| self.paths.at(node, tau);
            at(node) - closest_at(surface, face, at, node).point
        })
    }

    /// Gap \[m\] up to which two features count as touching. It covers the rounding errors of positions after a
    /// `displacement` \[m\].
    fn met(&self, [a, b]: [u32; 2], other: u32, displacement: f64) -> f64 {
        let edge = self.paths.at(b, 0.0) - self.paths.at(a, 0.0);
        let ends = [0.0, 1.0].map(|tau| [a, b, other].map(|node| self.paths.at(node, tau).amax()));
        let farthest = ends.as_flattened().iter().copied().fold(0.0, f64::max);
        MET * edge.norm() + 4.0 * ROUNDING * (farthest + displacement)
    }

    fn first_of_edges(&self, part: &Part<'_>) -> Option<StepContact> {
        let [first, second] = [0, 1].map(|k| {
            let faces = part.groups[k].iter().flat_map(|group| group.faces);
            let edges = faces.flat_map(|&face| self.model.edges_of_face(self.bodies[k], face));
            let surface = &self.model.surfaces[self.bodies[k] as usize];
            let swept = |edge: u32| self.swept_edge(&surface.edges()[edge as usize], part.window);
            let boxes = edges.map(|&edge| (swept(edge), edge));
            boxes.filter(|(bounds, _)| !bounds.excludes(&part.region)).collect::<Vec<_>>()
        });
        let targets = SortedBoxes::new(second);
        first
            .par_iter()
            .filter_map(|(bounds, edge)| {
                let bounds = bounds.widened(self.offset);
                let near = targets.near(&bounds);
                near.filter_map(|other| self.edge_and_edge([*edge, other], part.window)).min_by(order)
            })
            .min_by(order)
    }

    /// Swept box of an edge. The middle control point is twice as far from the chord as the middle node, so the box of
    /// the nodes is widened by its diagonal.
    fn swept_edge(&self, edge: &Edge, window: Window) -> Aabb {
        let ends = self.paths.swept(&edge.nodes, window);
        let Some(middle) = edge.middle else { return ends };
        let bounds = ends.union(&self.paths.swept(&[middle], window));
        bounds.widened(bounds.diagonal())
    }

    fn edge_and_edge(&self, edges: [u32; 2], window: Window) -> Option<StepContact> {
        let pair = EdgePair::new(self.model, self.bodies, edges)?;
        if self.touching.contains(ContactKey::Edges(pair.key)) {
            return None;
        }
        let [a, b] = pair.edges(self.model);
        let straight = self.offset == 0.0 && a.middle.is_none() && b.middle.is_none();
        let fraction = match straight {
            true => self.first_crossing(&pair, window),
            false => self.first_approach_of_edges(&pair),
        }?;
        Some(StepContact { fraction, bodies: pair.bodies, features: Features::Edges(pair) })
    }

    /// First instant at which two straight edges cross at interior points while they approach each other.
    ///
    /// `None` also if the edges are certainly not coplanar in the part `window`.
    fn first_crossing(&self, pair: &EdgePair, window: Window) -> Option<f64> {
        let [a, b] = pair.edges(self.model);
        let along = [a, b].map(|edge| self.difference(edge.nodes[1], edge.nodes[0]));
        let volume = triple(&along[0], &along[1], &self.difference(a.nodes[0], b.nodes[0]));
        if keeps_sign(&volume, window) {
            return None;
        }
        let mut roots = [0.0; 7];
        let count = sign_changes(&volume, &mut roots);
        roots[..count].iter().copied().find(|&tau| tau > BEGINNING && self.is_entry(pair, tau))
    }

    /// First instant at which the distance of two edges falls to the offset of the pair and a contact begins.
    fn first_approach_of_edges(&self, pair: &EdgePair) -> Option<f64> {
        let [a, b] = pair.edges(self.model);
        let nodes = [a, b].map(|edge| [edge.nodes[0], edge.nodes[1], edge.middle.unwrap_or(edge.nodes[0])]);
        let lebesgue = lebesgue_constant(CellKind::Line3);
        let speed = lebesgue * lebesgue * self.paths.relative_rate(&nodes[0], &nodes[1]);
        let relative = &RelativePaths::of_edges(self.paths, [a, b]);
        let met = self.met(a.nodes, b.nodes[0], speed);
        let first = Advancement { relative, speed, offset: self.offset, met }.first(|tau| {
            let curves = [a, b].map(|edge| Curve::of(edge, |node| self.paths.at(node, tau)));
            let [s, t] = closest_places(&curves);
            curves[0].at(s).0 - curves[1].at(t).0
        });
        first.filter(|&tau| self.is_entry(pair, tau))
    }

    /// Whether touching edges begin a contact: they touch at interior points, have a contact normal, and approach.
    fn is_entry(&self, pair: &EdgePair, tau: f64) -> bool {
        let edges = pair.edges(self.model);
        let curves = edges.map(|edge| Curve::of(edge, |node| self.paths.at(node, tau)));
        let places = closest_places(&curves);
        // A crossing at or beyond an end of an edge is left to node contact.
        if places.iter().any(|&place| place <= 0.0 || place >= 1.0) {
            return false;
        }
        let rate = |k: usize| -> Vec3 {
            let (nodes, values, count) = Curve::shares(edges[k], places[k]);
            nodes.iter().zip(values).take(count).map(|(&node, n)| self.paths.rate(node, tau) * n).sum()
        };
        normal_of_crossing(self.model, pair, &curves, places, &|node| self.paths.at(node, tau))
            .is_some_and(|normal| (rate(0) - rate(1)).dot(&normal) < 0.0)
    }
}

/// Coefficients in τ of the polynomial (a × b)·c of three paths a, b and c.
fn triple(a: &[Vec3; 3], b: &[Vec3; 3], c: &[Vec3; 3]) -> [f64; 7] {
    let mut normal = [Vec3::zeros(); 5];
    for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
        normal[i + j] += a[i].cross(&b[j]);
    }
    let mut volume = [0.0; 7];
    for (i, j) in (0..5).flat_map(|i| (0..3).map(move |j| (i, j))) {
        volume[i + j] += normal[i].dot(&c[j]);
    }
    volume
}

fn slope(coefficients: &[f64], tau: f64) -> f64 {
    let terms = coefficients.iter().enumerate().skip(1).rev();
    terms.fold(0.0, |sum, (k, c)| sum * tau + k as f64 * c)
}
