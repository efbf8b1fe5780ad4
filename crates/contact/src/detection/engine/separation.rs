//! Separation of two bodies, by a simultaneous traversal of their sphere trees.

use crate::detection::tree::hierarchy::Hierarchy;
use crate::detection::volume::Sphere;

use super::body_motion::PlacedSpheres;

/// A vertex with at most this number of leaves is not opened.
const MAX_UNOPENED_LEAVES: u32 = 8;

#[derive(Clone, Copy, Debug)]
pub(super) struct Separation {
    /// Lower bound on the distance of the bodies \[m\].
    pub distance: f64,
    /// Sphere-tree vertices that determine the bound; `None` for a bound from the body boxes.
    pub nearest: Option<[u32; 2]>,
    /// Number of sphere pairs tested.
    pub tests: u64,
}

pub(super) struct SeparationSearch<'a> {
    pub trees: [&'a Hierarchy; 2],
    pub placed: [PlacedSpheres<'a>; 2],
    /// Known lower bound on the distance of the bodies \[m\].
    pub reach: f64,
}

impl SeparationSearch<'_> {
    /// If the spheres prove a distance larger than `reach`, the result has this distance, otherwise `reach`.
    pub fn find(&self) -> Separation {
        let mut separation = Separation { distance: f64::INFINITY, nearest: None, tests: 0 };
        let mut pending = vec![self.trees.map(Hierarchy::root)];
        while let Some(vertices) = pending.pop() {
            let spheres = [0, 1].map(|k| self.placed[k].sphere(vertices[k]));
            if self.is_separated(&spheres, vertices, &mut separation) {
                continue;
            }
            let can_open = [0, 1].map(|k| self.trees[k].num_leaves_below(vertices[k]) > MAX_UNOPENED_LEAVES);
            let opens_first = can_open[0] && (!can_open[1] || spheres[0].radius >= spheres[1].radius);
            let opens = if opens_first { 0 } else { 1 };
            match self.trees[opens].children(vertices[opens]).filter(|_| can_open[opens]) {
                Some(children) => pending.extend(children.map(|child| {
                    let mut below = vertices;
                    below[opens] = child;
                    below
                })),
                None => return Separation { distance: self.reach, nearest: Some(vertices), ..separation },
            }
        }
        separation
    }

    /// Whether two spheres are farther apart than `reach`. Updates the smallest distance found.
    fn is_separated(&self, spheres: &[Sphere; 2], vertices: [u32; 2], separation: &mut Separation) -> bool {
        separation.tests += 1;
        let radii = spheres[0].radius + spheres[1].radius;
        let near = radii + self.reach;
        let distance_squared = (spheres[0].centre - spheres[1].centre).norm_squared();
        let is_separated = distance_squared > near * near;
        if is_separated {
            let distance = distance_squared.sqrt() - radii;
            if distance < separation.distance {
                (separation.distance, separation.nearest) = (distance, Some(vertices));
            }
        }
        is_separated
    }
}
