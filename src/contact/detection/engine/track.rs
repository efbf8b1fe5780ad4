//! How a deforming body moves: the box of the displacements of its points, step by step.
//!
//! Nothing is predicted: what has been found holds for as long as the body has not moved too far, and how far it has
//! moved is known in every step before its positions are used. A point of a face moves as its nodes do, Σ N_a d_a, and
//! so within the box of their displacements where it is linear, and a little beyond where it is curved.

use rayon::prelude::*;

use crate::contact::Surface;
use crate::contact::detection::Configuration;
use crate::contact::detection::bounds::{Bounds, overshoot};
use crate::contact::detection::hierarchy::{Builder, Hierarchy};
use crate::contact::detection::volume::{Aabb, Sphere};
use crate::math::Vec3;
use crate::math::reduction::fixed_order_sum;

use super::face_batches::FaceBatches;

/// Nodes looked at by one task.
const NODES_PER_TASK: usize = 16_384;

/// Steps at the present speed that a body should stay in its room.
const STEPS_IN_ROOM: f64 = 128.0;

/// Least room around a body, relative to its search depth.
const LEAST_ROOM: f64 = 0.5;

/// How much the spheres of a body that has deformed may have grown before they are fitted anew, relative to its search
/// depth.
const STALE: f64 = 0.125;

/// How much larger the spheres of a tree may be in all, by volume, than at their best before another is built.
const DECAYED: f64 = 3.0;

/// Rounding of a displacement, relative to the coordinates.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Motion of one body, and what is known of where it is.
#[derive(Clone, Debug)]
pub(super) struct BodyTrack {
    /// Displacements of its points in the last step \[m\].
    pub step: Bounds,
    /// Box of the body when it was last given room.
    bounds: Aabb,
    /// Displacements since then.
    since_bounds: Bounds,
    /// How far it may move until it is given room again \[m\].
    room: f64,
    /// Largest coordinate as long as it stays in its room \[m\].
    largest_coordinate: f64,
    /// Spheres of its tree when they were last fitted.
    spheres: Vec<Sphere>,
    /// Its faces by eight, with their boxes then; none before.
    batches: Option<Box<FaceBatches>>,
    /// Displacements since then.
    since_fit: Bounds,
    /// A tree built since, in the place of that of the beginning; apart, as few have one and every step reads the rest.
    rebuilt: Option<Box<Hierarchy>>,
    /// The least sum of the volumes of the spheres of the tree in use \[m³\].
    best: f64,
    search_depth: f64,
    /// Its part of the distance within which others can touch it: the smaller of two depths is no more than their mean.
    share_of_reach: f64,
    overshoot: f64,
}

/// Where the spheres and the boxes of a body are now: all are shifted and have grown alike.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedVolumes<'a> {
    /// As they were fitted.
    pub spheres: &'a [Sphere],
    /// As their boxes were fitted.
    pub batches: Option<&'a FaceBatches>,
    /// How far they have moved since \[m\].
    pub shift: Vec3,
    /// How much larger they are now \[m\].
    pub growth: f64,
}

impl BodyTrack {
    /// Nothing is known of the body yet.
    pub fn new(surface: &Surface, depth: f64, offset: f64) -> Self {
        let nowhere = Vec3::repeat(f64::NAN);
        Self {
            step: Bounds::ZERO,
            bounds: Aabb { lower: nowhere, upper: nowhere },
            since_bounds: Bounds::ZERO,
            room: f64::NEG_INFINITY,
            largest_coordinate: 0.0,
            spheres: Vec::new(),
            batches: None,
            since_fit: Bounds::ZERO,
            rebuilt: None,
            best: f64::INFINITY,
            search_depth: depth + offset,
            share_of_reach: 0.5 * depth + offset,
            overshoot: overshoot(surface),
        }
    }

    /// Forgets where the body was.
    pub fn forget(&mut self) {
        self.room = f64::NEG_INFINITY;
        self.spheres.clear();
        self.batches = None;
        (self.rebuilt, self.best) = (None, f64::INFINITY);
    }

    /// Goes along with a step, given the nodes of the surface.
    pub fn follow(&mut self, nodes: &[u32], configuration: &Configuration<'_>) {
        let velocities = configuration.velocities;
        let of_nodes = |nodes: &[u32]| Bounds::of(nodes.iter().map(|&node| velocities[node as usize]), 0.0);
        let velocity = in_pieces(nodes, of_nodes);
        self.step = velocity.beyond(self.overshoot).times(configuration.time_step);
        if !self.step.is_zero() {
            self.step = self.step.widened(ROUNDING * self.largest_coordinate);
            self.since_bounds = self.since_bounds.plus(&self.step);
            self.since_fit = self.since_fit.plus(&self.step);
        }
    }

    /// Whether the body may have left its room.
    pub fn has_left(&self) -> bool {
        let moved = self.since_bounds.greatest();
        moved > self.room || moved.is_nan()
    }

    /// Gives the body room: the box that it does not leave before [`BodyTrack::has_left`] tells.
    pub fn give_room(&mut self, surface: &Surface, positions: &[Vec3]) -> Aabb {
        self.bounds = bounds_of(surface, positions, self.overshoot);
        self.since_bounds = Bounds::ZERO;
        self.room = (STEPS_IN_ROOM * self.step.greatest()).max(LEAST_ROOM * self.search_depth);
        let margin = self.room + self.share_of_reach;
        let room = Bounds::ZERO.widened(margin * (1.0 + ROUNDING)).displace(&self.bounds);
        self.largest_coordinate = room.lower.amax().max(room.upper.amax());
        room
    }

    /// Box that holds the body now.
    pub fn bounds(&self) -> Aabb {
        self.since_bounds.displace(&self.bounds)
    }

    /// Largest coordinate of the body, now and until it leaves its room \[m\].
    pub fn largest_coordinate(&self) -> f64 {
        self.largest_coordinate
    }

    /// Whether the spheres of the tree and the boxes are to be fitted anew before they are used.
    pub fn is_stale(&self) -> bool {
        let growth = 0.5 * self.since_fit.extent();
        self.spheres.is_empty() || growth > STALE * self.search_depth || growth.is_nan()
    }

    /// Fits the spheres of the tree, and the boxes of its faces; where it has become a bad one, of another one in its place.
    pub fn fit(&mut self, tree: &Hierarchy, surface: &Surface, positions: &[Vec3]) {
        self.rebuilt.as_deref().unwrap_or(tree).refit(positions, &mut self.spheres);
        self.since_fit = Bounds::ZERO;
        let quality = sum_of_volumes(&self.spheres);
        if quality > DECAYED * self.best {
            self.rebuilt = Hierarchy::build(Builder::Fast, surface, positions, 0.0).map(Box::new);
            self.rebuilt.as_deref().unwrap_or(tree).refit(positions, &mut self.spheres);
            self.best = sum_of_volumes(&self.spheres);
            self.batches = None;
        } else {
            self.best = self.best.min(quality);
        }
        match &mut self.batches {
            Some(batches) => batches.tree.refit(surface, positions, 0.0),
            none => *none = Some(Box::new(FaceBatches::new(surface, positions))),
        }
    }

    /// The tree in use: the given one of the body unless another has taken its place.
    pub fn tree<'a>(&'a self, tree: &'a Hierarchy) -> &'a Hierarchy {
        self.rebuilt.as_deref().unwrap_or(tree)
    }

    /// Where the spheres and the boxes are now.
    pub fn placed(&self) -> PlacedVolumes<'_> {
        let growth = 0.5 * self.since_fit.extent();
        PlacedVolumes {
            spheres: &self.spheres,
            batches: self.batches.as_deref(),
            shift: self.since_fit.middle(),
            growth,
        }
    }
}

/// Box of a surface, not rounded; points of a curved face may overshoot those of its nodes.
fn bounds_of(surface: &Surface, positions: &[Vec3], overshoot: f64) -> Aabb {
    let of_nodes = |nodes: &[u32]| Bounds::of(nodes.iter().map(|&node| positions[node as usize]), 0.0);
    let bounds = in_pieces(surface.nodes(), of_nodes).beyond(overshoot);
    bounds.displace(&Aabb { lower: Vec3::zeros(), upper: Vec3::zeros() })
}

/// Sum of r³ of spheres: the measure of a tree, but for a factor.
fn sum_of_volumes(spheres: &[Sphere]) -> f64 {
    fixed_order_sum(spheres.len(), &|range| {
        spheres[range].iter().map(|sphere| sphere.radius.powi(3)).sum::<f64>()
    })
}

/// Bounds of all pieces of a list of nodes, in parallel where there are many.
fn in_pieces(nodes: &[u32], bounds: impl Fn(&[u32]) -> Bounds + Sync + Send) -> Bounds {
    if nodes.len() <= NODES_PER_TASK {
        return bounds(nodes);
    }
    nodes.par_chunks(NODES_PER_TASK).map(bounds).reduce(|| Bounds::EMPTY, |a, b| a.union(&b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::detection::samples::Samples;
    use crate::mesh::CellKind;

    fn configuration<'a>(positions: &'a [Vec3], velocities: &'a [Vec3]) -> Configuration<'a> {
        Configuration { time: 0.0, time_step: 0.5, positions, velocities }
    }

    /// Three-node faces side by side along x, each node of its own.
    fn strip(count: u32) -> (Surface, Vec<Vec3>) {
        let faces: Vec<[u32; 3]> = (0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let corners = |k: u32| {
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
                .map(|[x, y, z]| Vec3::new(x + f64::from(k), y, z))
        };
        let surface = Surface::new(faces.iter().map(|face| (CellKind::Tri3, face.as_slice())));
        (surface, (0..count).flat_map(corners).collect())
    }

    /// A body in motion is in its box, and its faces are in the spheres of the tree and in their own boxes, fitted or
    /// not; rigid motion makes none larger. It tells in time when it leaves its room.
    #[test]
    fn boxes_and_spheres_hold_what_moves() {
        let samples = &mut Samples::new(4);
        for is_rigid in [true, false] {
            let (surface, mut positions) = strip(20);
            let tree = Hierarchy::build(Builder::Fast, &surface, &positions, 0.0).unwrap();
            let mut track = BodyTrack::new(&surface, 0.5, 0.0);
            assert!(track.has_left() && track.is_stale());
            let room = track.give_room(&surface, &positions);
            track.fit(&tree, &surface, &positions);
            let mut left = 0;
            for _ in 0..50 {
                let common = samples.vector(0.02) + Vec3::x() * 0.02;
                let own = |samples: &mut Samples| if is_rigid { Vec3::zeros() } else { samples.vector(0.01) };
                let velocities: Vec<Vec3> = positions.iter().map(|_| common + own(samples)).collect();
                positions.iter_mut().zip(&velocities).for_each(|(x, v)| *x += v * 0.5);
                track.follow(surface.nodes(), &configuration(&positions, &velocities));
                let (bounds, placed) = (track.bounds(), track.placed());
                assert!(positions.iter().all(|x| bounds.contains(x)));
                assert!(track.has_left() || positions.iter().all(|x| room.contains(x)));
                left += usize::from(track.has_left());
                // Rounding adds up: 50 steps of 8 ε times coordinates of about 25.
                assert!(!is_rigid || placed.growth < 1e-11 && bounds.diagonal() < 20.1);
                for v in (0..tree.num_vertices() as u32).filter(|&v| tree.face(v).is_some()) {
                    let sphere = placed.spheres[v as usize];
                    let (_, nodes) = surface.face(tree.face(v).unwrap() as usize);
                    let farthest =
                        |&node: &u32| (positions[node as usize] - sphere.centre - placed.shift).norm();
                    assert!(nodes.iter().all(|node| farthest(node) <= sphere.radius + placed.growth + 1e-12));
                }
                let batches = placed.batches.unwrap();
                for batch in (0..batches.tree.num_leaves() as u32).map(|k| batches.batch(k)) {
                    for (place, &face) in batch.faces.iter().enumerate() {
                        let bounds = batch.boxes.get(place).moved(&placed.shift);
                        let bounds = bounds.widened(placed.growth + 1e-12);
                        let (_, nodes) = surface.face(face as usize);
                        assert!(nodes.iter().all(|&node| bounds.contains(&positions[node as usize])));
                    }
                }
            }
            assert!(left > 10 && left < 50, "{left}");
            assert_eq!(track.is_stale(), !is_rigid);
        }
    }

    /// Faces that change places make a bad tree: another takes its place, as good as one built there.
    #[test]
    fn a_decayed_tree_is_built_anew() {
        let (surface, mut positions) = strip(200);
        let tree = Hierarchy::build(Builder::Fast, &surface, &positions, 0.0).unwrap();
        let mut track = BodyTrack::new(&surface, 0.5, 0.0);
        track.fit(&tree, &surface, &positions);
        positions.iter_mut().for_each(|x| x.y += 0.1 * x.x);
        track.fit(&tree, &surface, &positions);
        assert!(track.rebuilt.is_none(), "shear");
        for (k, x) in positions.iter_mut().enumerate() {
            x.x += f64::from((k as u32 / 3) * 89 % 200) - (k / 3) as f64;
        }
        track.fit(&tree, &surface, &positions);
        let fresh = Hierarchy::build(Builder::Fast, &surface, &positions, 0.0).unwrap();
        let mut spheres = Vec::new();
        fresh.refit(&positions, &mut spheres);
        assert!(track.rebuilt.is_some() && track.best == sum_of_volumes(&spheres));
        track.forget();
        assert!(track.rebuilt.is_none());
    }
}
