//! From candidate pairs of edges to contact constraints.
//!
//! Two convex edges that cross touch along the common perpendicular of their tangents, n = ±(d₁ × d₂)/|d₁ × d₂|. It is
//! the contact normal if n is a direction from which both faces of the target edge fall away, and −n such a direction
//! of the contactor edge: the arcs of the two edges on the Gauss map intersect. Contact around a corner, or with the
//! far side of a penetrated body, is thereby excluded.
//!
//! ```text
//!         contactor
//!     ╲        ╱
//!      ╲______╱       n·(into either face of the target) ≤ 0, n·(into either face of the contactor) ≥ 0
//!          n↑
//!        ╱────╲
//!       ╱      ╲
//!        target
//! ```
//! Curved edges are parabolas through their middle nodes. Newton's method finds their closest points, starting from
//! those of the chords of their halves. Where two arcs approach each other at two places at once, only one is found.
//!
//! Node–face contact covers edges closer to parallel than 0.6°, and points next to the end of an edge whose node is in
//! contact with the same body: the end of an edge is as deep in the other body as the edge, up to a hundredth of its
//! length. A corner outside the face of the other body by less than that is supported by its edges only.
//!
//! # Source
//! Cirak & West 2005, IJNME 64, 1078–1110 (the constraint of two edges: weights 1 − α, α, −(1 − β), −β and normal d₁ ×
//! d₂); Gottschalk, Lin & Manocha 1996, and Gregorius 2013, "The separating axis test between convex polyhedra" (arcs
//! of the Gauss map); Ericson, Real-Time Collision Detection, §5.1.9 (closest points).

mod passed;
mod redundant;

use rayon::prelude::*;

use crate::contact::flush::rounding_of_gap;
use crate::contact::{Constraints, ContactKey, Edge, EdgeOnEdge, NodeOnSurface, Side, Surface};
use crate::math::Vec3;

use crate::contact::detection::face::closest_point::segment_segment::closest_parameters;
use crate::contact::detection::face::closest_point::{
    SQUARE, normals_are_opposed, normals_beside_edge, unit_or_zero,
};
use crate::contact::detection::face::control_points::rounding_of;
use crate::contact::detection::model::ContactModel;
use crate::contact::detection::volume::Aabb;
use redundant::RedundantCrossings;

pub use passed::edges_have_passed;

/// Fraction of an edge at either end that its node covers if it is in contact.
const END: f64 = 0.01;

/// Fraction of an edge at either end that its node always covers: of two bodies the rounding of places; of a body with
/// itself more, since coincident vertices of the lips of a cut move by the strain of their edges, and would alternate
/// between node and edge contacts.
const AT_END: f64 = 1e-12;
const AT_END_OF_LIP: f64 = 1e-3;

/// Sine of the least angle between crossing edges.
const CROSSING: f64 = 0.01;

/// Sine of the angle by which the common perpendicular may point into a face: where faces lie flat on each other, as in
/// crosswise stacked blocks, it is normal to both up to their deformation.
const LEANING: f64 = 0.1;

/// Least normal part of a distance for a point to be in front of a plane rather than beside it.
const BEFORE: f64 = 0.1;

/// Most Newton iterations, and the step below which they have converged.
const MAX_STEPS: usize = 30;
const ARRIVED: f64 = 1e-14;

/// Growth of a squared distance due to rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Pairs per task.
const PAIRS_PER_TASK: usize = 256;

/// Two edges that the stress-free configuration allows to touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EdgePair {
    /// Their numbers, the lower one first.
    pub key: EdgeOnEdge,
    /// Their bodies.
    pub bodies: [u32; 2],
}

/// Two crossed edges.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    candidate: EdgePair,
    /// Coordinates of the closest points along both edges, in \[0, 1\].
    places: [f64; 2],
    points: [Vec3; 2],
    gap: f64,
    normal: Vec3,
}

/// Candidates and workspace of the search, reused from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdgeEdgeSearch {
    candidates: Vec<EdgePair>,
    /// Ends of the edges of each candidate without middle nodes; only these are tested by their chords.
    ends: Vec<Option<[[u32; 2]; 2]>>,
    /// Crossings found by each task.
    found: Vec<Vec<Crossing>>,
    crossings: Vec<Crossing>,
    redundant_crossings: RedundantCrossings,
}

impl EdgeEdgeSearch {
    /// Replaces the candidates, given in any order.
    pub fn set(&mut self, model: &ContactModel, candidates: impl IntoIterator<Item = EdgePair>) {
        self.candidates.clear();
        self.candidates.extend(candidates);
        self.candidates.par_sort_unstable();
        self.candidates.dedup();
        let ends = |pair: &EdgePair| {
            let edges = pair.edges(model);
            edges.iter().all(|edge| edge.middle.is_none()).then(|| edges.map(|edge| edge.nodes))
        };
        self.ends.clear();
        self.ends.extend(self.candidates.iter().map(ends));
    }

    /// Number of candidates.
    pub fn num_candidates(&self) -> usize {
        self.candidates.len()
    }

    /// Adds the constraints of crossed edges to `constraints`, which so far contain those of nodes.
    ///
    /// If an edge crosses two edges of a body closer to each other than its depth, as at a corner, only the shallower
    /// crossing counts. If it crosses the rims of a seam between flush bodies, neither counts. Crossings covered by a
    /// node in contact with the same body do not count.
    pub fn find(&mut self, model: &ContactModel, positions: &[Vec3], constraints: &mut Constraints) {
        let tasks = self.candidates.par_chunks(PAIRS_PER_TASK).zip(self.ends.par_chunks(PAIRS_PER_TASK));
        let chord = |[from, to]: [u32; 2]| positions[to as usize] - positions[from as usize];
        let may_cross = |ends: &Option<[[u32; 2]; 2]>| {
            ends.is_none_or(|[first, second]| !are_parallel(&chord(first), &chord(second)))
        };
        self.found.resize_with(tasks.len(), Vec::new);
        self.found.par_iter_mut().zip(tasks).for_each(|(found, (pairs, ends))| {
            let pairs = pairs.iter().zip(ends).filter(|(_, ends)| may_cross(ends));
            found.clear();
            found.extend(pairs.filter_map(|(pair, _)| crossing(model, pair, positions)));
        });
        self.crossings.clear();
        self.crossings.extend(self.found.iter().flatten());
        let is_redundant = self.redundant_crossings.find(model, positions, &self.crossings);
        for (crossing, _) in self.crossings.iter().zip(is_redundant).filter(|(_, shadowed)| !**shadowed) {
            if !crossing.is_covered(model, constraints) {
                push(model, crossing, constraints);
            }
        }
    }
}

impl Crossing {
    /// Whether a crossing is next to the end of an edge whose node is in contact with the body of the other edge.
    fn is_covered(&self, model: &ContactModel, constraints: &Constraints) -> bool {
        let EdgePair { bodies, .. } = self.candidate;
        let edges = self.candidate.edges(model);
        edges.into_iter().zip(self.places).zip([bodies[1], bodies[0]]).any(|((edge, place), target)| {
            let contactor = match place {
                place if place < END => edge.nodes[0],
                place if place > 1.0 - END => edge.nodes[1],
                _ => return false,
            };
            constraints.contains(ContactKey::Node(NodeOnSurface { contactor, target }))
        })
    }
}

/// Lists the edges assigned to one face with those assigned to another, if they are within `reach` \[m\] and can touch.
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

/// Box around an edge, an index into the edges of a surface.
pub(crate) fn bounds_of_edge(surface: &Surface, edge: u32, positions: &[Vec3]) -> Aabb {
    let Curve { ends: [a, b], height } =
        Curve::of(&surface.edges()[edge as usize], |node| positions[node as usize]);
    let points = [a, b, (a + b) * 0.5 + height * 2.0];
    Aabb::fit(&points, if height == Vec3::zeros() { 0.0 } else { rounding_of(&points) })
}

impl EdgePair {
    /// Two edges, given by body and index in its surface; `None` if they can never touch.
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

    /// Two nearby edges of one body in the stress-free configuration can touch only if each is in front of the other.
    /// This excludes edges opposite across the thickness or around a corner.
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

/// Unit pseudo-normal at a point of an edge; zero if undefined.
fn outward(surface: &Surface, positions: &[Vec3], edge: &Edge, place: f64) -> Vec3 {
    let [first, second] = normals_beside_edge(surface, &|node| positions[node as usize], edge, place);
    unit_or_zero(&(first + second))
}

/// The crossing of two edges, if each has penetrated the body of the other through it.
fn crossing(model: &ContactModel, candidate: &EdgePair, positions: &[Vec3]) -> Option<Crossing> {
    let edges = candidate.edges(model);
    let curves = edges.map(|edge| Curve::of(edge, |node| positions[node as usize]));
    let thickness = model.offset(candidate.bodies);
    let depth = model.edge_search_depth(candidate.bodies, edges);
    let reach = depth.max(thickness);
    if curves[0].clearance(&curves[1]) > reach {
        return None;
    }
    let places = closest_places(&curves);
    let [body, other] = candidate.bodies;
    let end = if body == other { AT_END_OF_LIP } else { AT_END };
    if places.iter().any(|place| !(end..=1.0 - end).contains(place)) {
        return None;
    }
    let points = [0, 1].map(|k| curves[k].at(places[k]).0);
    let offset = points[0] - points[1];
    if offset.norm_squared() > reach * reach {
        return None;
    }
    let normal = normal_of_crossing(model, candidate, &curves, places, &|node| positions[node as usize])?;
    let distance = normal.dot(&offset);
    let gap = distance - thickness;
    let is_contact = distance >= -depth
        && gap
            <= rounding_of_gap(
                edges.iter().flat_map(|edge| edge.nodes).map(|node| &positions[node as usize]),
            );
    is_contact.then_some(Crossing { candidate: *candidate, places, points, gap, normal })
}

/// Whether straight edges with these chords are too close to parallel to cross, as along the rims of blocks. Most pairs
/// are, and need no closest points. Arcs may cross all the same.
fn are_parallel(first: &Vec3, second: &Vec3) -> bool {
    let bound = (0.999 * CROSSING) * (0.999 * CROSSING) * first.norm_squared() * second.norm_squared();
    first.cross(second).norm_squared() < bound
}

/// Unit normal out of the target at the closest points of two edges; `None` where they are parallel, or where the
/// normal does not belong to both edges. Face normals are evaluated at the positions `at`.
pub(crate) fn normal_of_crossing(
    model: &ContactModel,
    pair: &EdgePair,
    curves: &[Curve; 2],
    places: [f64; 2],
    at: &impl Fn(u32) -> Vec3,
) -> Option<Vec3> {
    let along = [0, 1].map(|k| curves[k].at(places[k]).1);
    let across = along[0].cross(&along[1]);
    let sine = across.norm() / (along[0].norm() * along[1].norm());
    let normal = across.try_normalize(0.0).filter(|_| sine > CROSSING)?;
    let edges = pair.edges(model);
    let beside = [0, 1].map(|k| {
        let surface = &model.surfaces[pair.bodies[k] as usize];
        normals_beside_edge(surface, at, edges[k], places[k])
    });
    let normal = if normal.dot(&(beside[1][0] + beside[1][1])) < 0.0 { -normal } else { normal };
    let is_normal = have_faces_with_opposed_normals(&beside)
        && is_supported(&beside[1], &along[1], &normal)
        && is_supported(&beside[0], &along[0], &-normal);
    is_normal.then_some(normal)
}

/// Whether a face of one edge has a normal opposed to that of a face of the other. Where both edges have two faces this
/// follows from the normal; for borders of coplanar sheets it does not hold.
fn have_faces_with_opposed_normals([a, b]: &[[Vec3; 2]; 2]) -> bool {
    a.iter().any(|a| b.iter().any(|b| normals_are_opposed(a, b)))
}

/// Whether both faces beside an edge fall away from this direction, and it points out of the edge.
fn is_supported([first, second]: &[Vec3; 2], along: &Vec3, direction: &Vec3) -> bool {
    let most = LEANING * along.norm();
    let into = [first.cross(along), along.cross(second)];
    direction.dot(&(first + second)) > SQUARE && into.iter().all(|into| direction.dot(into) <= most)
}

fn push(model: &ContactModel, crossing: &Crossing, constraints: &mut Constraints) {
    let &Crossing { candidate: pair, places, gap, normal, .. } = crossing;
    let edges = pair.edges(model);
    let shares = [0, 1].map(|k| Curve::shares(edges[k], places[k]));
    let side = |k: usize| {
        let (nodes, shape_values, count) = &shares[k];
        Side { body: pair.bodies[k], nodes: &nodes[..*count], shape_values: &shape_values[..*count] }
    };
    constraints.push(ContactKey::Edges(pair.key), gap, normal, side(0), side(1));
}

/// An edge at one instant: a segment, or a parabola x(s) = a + s (b − a) + 4 s (1 − s) h.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Curve {
    ends: [Vec3; 2],
    /// From the middle of the chord to the middle node.
    height: Vec3,
}

impl Curve {
    /// An edge with its nodes at these positions.
    pub fn of(edge: &Edge, at: impl Fn(u32) -> Vec3) -> Self {
        let ends = edge.nodes.map(&at);
        let height = |middle: u32| at(middle) - (ends[0] + ends[1]) * 0.5;
        Self { ends, height: edge.middle.map_or_else(Vec3::zeros, height) }
    }

    /// Nodes of an edge, their shape values at s, and their number.
    pub fn shares(edge: &Edge, s: f64) -> ([u32; 3], [f64; 3], usize) {
        let [a, b] = edge.nodes;
        let middle = if edge.middle.is_some() { 4.0 * s * (1.0 - s) } else { 0.0 };
        let values = [1.0 - s - 0.5 * middle, s - 0.5 * middle, middle];
        ([a, b, edge.middle.unwrap_or(a)], values, if edge.middle.is_some() { 3 } else { 2 })
    }

    fn is_straight(&self) -> bool {
        self.height == Vec3::zeros()
    }

    /// Point and derivative at s.
    pub fn at(&self, s: f64) -> (Vec3, Vec3) {
        let chord = self.ends[1] - self.ends[0];
        let point = self.ends[0] * (1.0 - s) + self.ends[1] * s + self.height * (4.0 * s * (1.0 - s));
        (point, chord + self.height * (4.0 - 8.0 * s))
    }

    /// Lower bound on the distance of two curves; negative if they may touch \[m\].
    fn clearance(&self, other: &Self) -> f64 {
        let ball = |curve: &Self| {
            let radius = 0.5 * (curve.ends[1] - curve.ends[0]).norm() + curve.height.norm();
            ((curve.ends[0] + curve.ends[1]) * 0.5, radius)
        };
        let [(a, r), (b, s)] = [ball(self), ball(other)];
        let rounding = 16.0 * f64::EPSILON * (a.amax() + b.amax() + r + s);
        (a - b).norm() - r - s - rounding
    }
}

/// Coordinates in \[0, 1\] of the closest points of two edges.
pub(crate) fn closest_places(curves: &[Curve; 2]) -> [f64; 2] {
    if curves.iter().all(Curve::is_straight) {
        return closest_parameters(&curves[0].ends, &curves[1].ends);
    }
    let mut places = closest_of_chords(curves);
    for _ in 0..MAX_STEPS {
        let next = newton_step(curves, places);
        let moved = (next[0] - places[0]).abs().max((next[1] - places[1]).abs());
        places = next;
        if moved <= ARRIVED {
            break;
        }
    }
    places
}

/// Coordinates of the closest points of the chords of the halves of two curves.
fn closest_of_chords(curves: &[Curve; 2]) -> [f64; 2] {
    let chord =
        |k: usize, half: usize| [0.5 * half as f64, 0.5 * (half + 1) as f64].map(|s| curves[k].at(s).0);
    let mut best = (f64::INFINITY, [0.5; 2]);
    for [i, j] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
        let (p, q) = (chord(0, i), chord(1, j));
        let [s, t] = closest_parameters(&p, &q);
        let distance = (p[0] + (p[1] - p[0]) * s - q[0] - (q[1] - q[0]) * t).norm_squared();
        if distance < best.0 {
            best = (distance, [0.5 * (i as f64 + s), 0.5 * (j as f64 + t)]);
        }
    }
    best.1
}

/// One bounded Newton step for the least distance, halved until the distance does not grow.
fn newton_step(curves: &[Curve; 2], places: [f64; 2]) -> [f64; 2] {
    let [(p, dp), (q, dq)] = [0, 1].map(|k| curves[k].at(places[k]));
    let r = p - q;
    let gradient = [r.dot(&dp), -r.dot(&dq)];
    // Active bounds are kept.
    let is_held = [0, 1].map(|k| match gradient[k] > 0.0 {
        true => places[k] <= 0.0,
        false => places[k] >= 1.0,
    });
    let mut step = descent(curves, &r, [&dp, &dq], gradient, is_held);
    let distance = |[s, t]: [f64; 2]| (curves[0].at(s).0 - curves[1].at(t).0).norm_squared();
    let before = r.norm_squared();
    for _ in 0..8 {
        let next = [0, 1].map(|k| (places[k] + step[k]).clamp(0.0, 1.0));
        if distance(next) <= before * (1.0 + ROUNDING) {
            return next;
        }
        step = step.map(|length| 0.5 * length);
    }
    places
}

/// Step to the minimum of the quadratic model of half the squared distance, with its curvature where that is convex.
fn descent(
    curves: &[Curve; 2],
    r: &Vec3,
    [dp, dq]: [&Vec3; 2],
    gradient: [f64; 2],
    is_held: [bool; 2],
) -> [f64; 2] {
    let bend = [-8.0 * r.dot(&curves[0].height), 8.0 * r.dot(&curves[1].height)];
    let (gauss, mixed) = ([dp.norm_squared(), dq.norm_squared()], -dp.dot(dq));
    let solve = |diagonal: [f64; 2]| {
        let [a, b] = diagonal;
        let mixed = if is_held.contains(&true) { 0.0 } else { mixed };
        let determinant = a * b - mixed * mixed;
        let step = [mixed * gradient[1] - b * gradient[0], mixed * gradient[0] - a * gradient[1]];
        let is_convex = a > 0.0 && b > 0.0 && determinant > 1e-12 * a * b;
        is_convex.then(|| [0, 1].map(|k| if is_held[k] { 0.0 } else { step[k] / determinant }))
    };
    let full = [0, 1].map(|k| if is_held[k] { gauss[k] } else { gauss[k] + bend[k] });
    solve(full).or_else(|| solve(gauss)).unwrap_or([0.0; 2])
}

#[cfg(test)]
mod tests;
