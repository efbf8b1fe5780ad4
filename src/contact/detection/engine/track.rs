//! How a deforming body moves: the box of the displacements of its points, step by step.
//!
//! Nothing is predicted: what has been found holds for as long as the body has not moved too far, and how far it has
//! moved is known in every step before its positions are used. A point of a face moves as its nodes do, Σ N_a d_a, and
//! so within the box of their displacements where it is linear, and a little beyond where it is curved.

use rayon::prelude::*;

use crate::contact::Surface;
use crate::contact::detection::Configuration;
use crate::contact::detection::bounds::{Bounds, overshoot};
use crate::contact::detection::hierarchy::{Hierarchy, VertexMotion};
use crate::contact::detection::volume::Aabb;
use crate::math::Vec3;

/// Nodes looked at by one task.
const NODES_PER_TASK: usize = 8192;

/// Steps at the present speed that a body should stay in its room.
const STEPS_IN_ROOM: f64 = 128.0;

/// Least room around a body, relative to its search depth.
const LEAST_ROOM: f64 = 0.5;

/// How much the spheres of a body that has deformed may have grown before they are fitted anew, relative to its search
/// depth.
const STALE: f64 = 0.125;

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
    spheres: Vec<VertexMotion>,
    /// Displacements since then.
    since_fit: Bounds,
    search_depth: f64,
    overshoot: f64,
}

/// Where the spheres of a body are now: all are shifted and have grown alike.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedSpheres<'a> {
    /// As they were fitted.
    pub spheres: &'a [VertexMotion],
    /// How far they have moved since \[m\].
    pub shift: Vec3,
    /// How much larger they are now \[m\].
    pub growth: f64,
}

impl BodyTrack {
    /// Nothing is known of the body yet.
    pub fn new(surface: &Surface, search_depth: f64) -> Self {
        let nowhere = Vec3::repeat(f64::NAN);
        Self {
            step: Bounds::ZERO,
            bounds: Aabb { lower: nowhere, upper: nowhere },
            since_bounds: Bounds::ZERO,
            room: f64::NEG_INFINITY,
            largest_coordinate: 0.0,
            spheres: Vec::new(),
            since_fit: Bounds::ZERO,
            search_depth,
            overshoot: overshoot(surface),
        }
    }

    /// Forgets where the body was.
    pub fn forget(&mut self) {
        self.room = f64::NEG_INFINITY;
        self.spheres.clear();
    }

    /// Goes along with a step.
    pub fn follow(&mut self, surface: &Surface, configuration: &Configuration<'_>) {
        let velocities = configuration.velocities;
        let of_nodes = |nodes: &[u32]| Bounds::of(nodes.iter().map(|&node| velocities[node as usize]), 0.0);
        let pieces = surface.nodes().par_chunks(NODES_PER_TASK);
        let velocity = pieces.map(of_nodes).reduce(|| Bounds::EMPTY, |a, b| a.union(&b));
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
        let margin = self.room + self.search_depth;
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

    /// Whether the spheres of the tree are to be fitted anew before they are used.
    pub fn is_stale(&self) -> bool {
        let growth = 0.5 * self.since_fit.extent();
        self.spheres.is_empty() || growth > STALE * self.search_depth || growth.is_nan()
    }

    /// Fits the spheres of the tree.
    pub fn fit(&mut self, tree: &Hierarchy, configuration: &Configuration<'_>) {
        tree.refit(configuration.positions, configuration.velocities, &mut self.spheres);
        self.since_fit = Bounds::ZERO;
    }

    /// Where the spheres are now.
    pub fn placed(&self) -> PlacedSpheres<'_> {
        let growth = 0.5 * self.since_fit.extent();
        PlacedSpheres { spheres: &self.spheres, shift: self.since_fit.middle(), growth }
    }
}

/// Box of a surface, not rounded; points of a curved face may overshoot those of its nodes.
fn bounds_of(surface: &Surface, positions: &[Vec3], overshoot: f64) -> Aabb {
    let of_nodes = |nodes: &[u32]| Bounds::of(nodes.iter().map(|&node| positions[node as usize]), 0.0);
    let pieces = surface.nodes().par_chunks(NODES_PER_TASK);
    let bounds = pieces.map(of_nodes).reduce(|| Bounds::EMPTY, |a, b| a.union(&b)).beyond(overshoot);
    bounds.displace(&Aabb { lower: Vec3::zeros(), upper: Vec3::zeros() })
}
