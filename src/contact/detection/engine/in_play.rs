//! Which of the near pairs count for now: those that can give a constraint before points of the bodies have gone a
//! little farther towards each other, the way s.
//!
//! ```text
//!         ● q        the node faces A and B for certain. A is at a, so at most at a + s within the way s,
//!        ╱┊           and a face at b > a + 2 s is not nearer: it is left out.
//!       ╱ ┊ a         Where q is in front of the planes of A, and of all faces around A, for certain,
//!   ┄┄┄╱┄┄●━━━A━━━    no gap there is negative: q is left out.
//!   B ╱
//! ```
//! Let two nodes of a triangle go no farther than s, one towards the other. Of its normal N = e × f then
//! |ΔN| ≤ s (|e| + |f|) + s², or with y = s (|e| + |f|)/|N| at most q |N| with q = y + y²/4, as (|e| + |f|)² ≥ 4 |N|, and
//! the unit normal turns by no more than τ = q/(1 − q/2). Two normals are opposed for certain where
//! n·m < −(τ_n + τ_m + τ_n τ_m), and a node at x stays in front of the plane through a corner c where
//! (x − c)·n > s + (|x − c| + s) τ. Of curved and of warped faces no normals are bounded: they are kept or left out by
//! their distance alone.
//!
//! # Source
//! Volino & Magnenat-Thalmann 1994, "Efficient self-collision detection on smoothly discretized surface animations
//! using geometrical shape regularity", Computer Graphics Forum 13(3), for the use of normals; the rest is ours.

use rayon::prelude::*;

use crate::contact::detection::ContactModel;
use crate::contact::detection::closest_point::{Method, Start, closest_point};
use crate::contact::detection::control_points::{
    MAX_CONTROL_POINTS, control_points, is_held_by_nodes, rounding_of,
};
use crate::contact::detection::node_face::Candidate;
use crate::contact::detection::volume::Aabb;
use crate::contact::{NodeOnSurface, Surface};
use crate::math::Vec3;
use crate::mesh::CellKind;

use super::traversal::NearPair;

/// Near pairs looked at by one task.
const PAIRS_PER_TASK: usize = 2048;

/// Largest q for which a turn is bounded.
const LARGEST_CHANGE: f64 = 0.5;

/// Rounding of products of unit normals.
const ROUNDING: f64 = 1e-12;

/// The near pairs of two bodies, and how far ahead is looked.
pub(super) struct InPlay<'a> {
    /// The surfaces.
    pub model: &'a ContactModel,
    /// The two bodies.
    pub bodies: [u32; 2],
    /// Positions of all nodes \[m\].
    pub positions: &'a [Vec3],
    /// How far points go towards each other \[m\].
    pub way: f64,
    /// What distances may be off by \[m\].
    pub rounding: f64,
}

/// Unit normal of a flat face, and a bound on its change.
#[derive(Clone, Copy)]
struct FlatFace {
    corner: Vec3,
    normal: Vec3,
    turn: f64,
}

/// Whether normals are opposed while bodies go on their way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opposed {
    Always,
    Perhaps,
    Never,
}

impl InPlay<'_> {
    /// Those of the pairs that are no farther apart than `reach` \[m\].
    pub fn within(&self, near: &[NearPair], reach: f64) -> Vec<NearPair> {
        let is_within = |pair: &&NearPair| self.distance(pair) <= reach;
        near.par_iter().with_min_len(PAIRS_PER_TASK).filter(is_within).copied().collect()
    }

    /// Candidates of all pairs that count, in the order of the pairs.
    ///
    /// # Cost
    /// In parallel; the result does not depend on the number of threads.
    pub fn short_list(&self, near: &[NearPair]) -> Vec<Candidate> {
        let is_same_node = |a: &NearPair, b: &NearPair| (a.target, a.node) == (b.target, b.node);
        let list = |groups: &[&[NearPair]]| {
            let mut candidates = Vec::new();
            let mut distances = Vec::new();
            groups.iter().for_each(|group| self.add_node(group, &mut distances, &mut candidates));
            candidates
        };
        let groups: Vec<&[NearPair]> = near.chunk_by(is_same_node).collect();
        if near.len() <= PAIRS_PER_TASK {
            return list(&groups);
        }
        let parts: Vec<Vec<Candidate>> = groups.par_chunks(PAIRS_PER_TASK / 8).map(list).collect();
        parts.concat()
    }

    fn surface(&self, body: u32) -> &Surface {
        &self.model.surfaces[body as usize]
    }

    /// Adds the candidates of one node with the faces of one body.
    fn add_node(&self, group: &[NearPair], distances: &mut Vec<f64>, candidates: &mut Vec<Candidate>) {
        let [target, contactor_body] = {
            let target = group[0].target as usize;
            [self.bodies[target], self.bodies[1 - target]]
        };
        let key = NodeOnSurface { contactor: group[0].node, target };
        let depth = self.model.reach_of_node(key, contactor_body) + self.rounding;
        distances.clear();
        distances.extend(group.iter().map(|pair| self.distance(pair)));
        let mut farthest = depth + self.way;
        if distances.iter().all(|&distance| distance > farthest) {
            return;
        }
        let star = Star::of(self.surface(contactor_body), key.contactor, self);
        let first = candidates.len();
        for (pair, &distance) in group.iter().zip(&*distances) {
            if distance > farthest {
                continue;
            }
            match star.opposed_to(self.flat_face(self.surface(target), pair.face)) {
                Opposed::Never => continue,
                Opposed::Always => {
                    let candidate = Candidate { key, face: pair.face, contactor_body };
                    if distance + self.way <= self.model.reach_of(&candidate) - self.rounding {
                        farthest = farthest.min(distance + 2.0 * (self.way + self.rounding));
                    }
                }
                Opposed::Perhaps => {}
            }
            candidates.push(Candidate { key, face: pair.face, contactor_body });
        }
        let mut place = first;
        for (pair, &distance) in group.iter().zip(&*distances) {
            if candidates.get(place).is_some_and(|candidate| candidate.face == pair.face) {
                if distance > farthest {
                    candidates.remove(place);
                } else {
                    place += 1;
                }
            }
        }
        let position = &self.positions[key.contactor as usize];
        let target = self.surface(target);
        if candidates[first..].iter().all(|candidate| self.is_before(target, candidate.face, position)) {
            candidates.truncate(first);
        }
    }

    /// Distance of a node from a face; of a curved or warped one, no more than it \[m\].
    fn distance(&self, pair: &NearPair) -> f64 {
        let (kind, nodes) = self.surface(self.bodies[pair.target as usize]).face(pair.face as usize);
        let position = &self.positions[pair.node as usize];
        let mut points = [Vec3::zeros(); MAX_CONTROL_POINTS];
        let points = control_points(kind, nodes, self.positions, &mut points);
        match kind {
            CellKind::Line2 | CellKind::Tri3 => {
                closest_point(Method::Auto, Start::Nearest, kind, points, position).distance_squared.sqrt()
            }
            _ => {
                let rounding = if is_held_by_nodes(kind) { 0.0 } else { rounding_of(points) };
                Aabb::fit(points, rounding).offset(position).norm()
            }
        }
    }

    /// Whether a point stays in front of the planes of a face and of all faces around it.
    fn is_before(&self, surface: &Surface, face: u32, point: &Vec3) -> bool {
        if !self.is_before_plane(surface, face, point) {
            return false;
        }
        surface.face(face as usize).1.iter().all(|&node| {
            surface.local_node(node).is_some_and(|local| {
                let around = surface.faces_of_local_node(local);
                around.iter().all(|&other| other == face || self.is_before_plane(surface, other, point))
            })
        })
    }

    fn is_before_plane(&self, surface: &Surface, face: u32, point: &Vec3) -> bool {
        self.flat_face(surface, face).is_some_and(|FlatFace { corner, normal, turn }| {
            let offset = point - corner;
            let off = self.model.offset(self.bodies)
                + self.way
                + (offset.norm() + self.way) * (turn + ROUNDING)
                + self.rounding;
            offset.dot(&normal) > off
        })
    }

    /// `None` if the face is not flat, or so small or thin that its normal may turn anywhere.
    fn flat_face(&self, surface: &Surface, face: u32) -> Option<FlatFace> {
        let (kind, nodes) = surface.face(face as usize);
        let at = |k: usize| self.positions[nodes[k] as usize];
        let (normal, edges) = match kind {
            CellKind::Tri3 => {
                let (e, f) = (at(1) - at(0), at(2) - at(0));
                (e.cross(&f), e.norm() + f.norm())
            }
            CellKind::Line2 => {
                let edge = at(1) - at(0);
                (Vec3::new(edge.y, -edge.x, 0.0), 1.0)
            }
            _ => return None,
        };
        let length = normal.norm();
        let y = (self.way + self.rounding) * edges / length;
        let change = y + 0.25 * y * y;
        (change < LARGEST_CHANGE).then(|| FlatFace {
            corner: at(0),
            normal: normal / length,
            turn: change / (1.0 - 0.5 * change),
        })
    }
}

/// The faces around a node.
struct Star {
    faces: Option<Vec<FlatFace>>,
}

impl Star {
    fn of(surface: &Surface, node: u32, in_play: &InPlay<'_>) -> Self {
        let around = surface.local_node(node).map_or(&[][..], |local| surface.faces_of_local_node(local));
        Self { faces: around.iter().map(|&face| in_play.flat_face(surface, face)).collect() }
    }

    /// Whether the normal of the node, a mean of those of its faces, is opposed to that of a face.
    fn opposed_to(&self, face: Option<FlatFace>) -> Opposed {
        let (Some(faces), Some(face)) = (&self.faces, face) else { return Opposed::Perhaps };
        let (mut always, mut never) = (!faces.is_empty(), true);
        for other in faces {
            let product = other.normal.dot(&face.normal);
            let off = other.turn + face.turn + other.turn * face.turn + ROUNDING;
            always &= product < -off;
            never &= product > off;
        }
        match (always, never) {
            (true, _) => Opposed::Always,
            (_, true) => Opposed::Never,
            _ => Opposed::Perhaps,
        }
    }
}
