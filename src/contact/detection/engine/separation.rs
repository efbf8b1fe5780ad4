//! How far apart two bodies are: their trees of spheres are opened against each other, the larger of two first, until they
//! are known to be apart.

use crate::contact::detection::tree::hierarchy::Hierarchy;
use crate::contact::detection::volume::Sphere;

use super::body_motion::PlacedSpheres;

/// Most leaves below a vertex that is not opened.
const MAX_UNOPENED_LEAVES: u32 = 8;

/// How far apart two bodies are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Separation {
    /// No points of them are nearer to each other than this \[m\].
    pub distance: f64,
    /// The vertices of the trees of spheres that were nearest to each other.
    pub nearest: Option<[u32; 2]>,
    /// Pairs of spheres compared.
    pub tests: u64,
}

/// Two bodies and their trees of spheres.
pub(super) struct SeparationSearch<'a> {
    /// The trees.
    pub trees: [&'a Hierarchy; 2],
    /// Where their spheres are.
    pub placed: [PlacedSpheres<'a>; 2],
    /// Distance that is too near to be told \[m\].
    pub reach: f64,
}

impl SeparationSearch<'_> {
    /// How far apart the bodies are: no less than the reach, as their boxes have told.
    pub fn find(&self) -> Separation {
        let mut separation = Separation { distance: f64::INFINITY, nearest: None, tests: 0 };
        let mut pending = vec![self.trees.map(Hierarchy::root)];
        while let Some(vertices) = pending.pop() {
            let spheres = [0, 1].map(|k| self.placed[k].sphere(vertices[k]));
            if self.is_apart(&spheres, vertices, &mut separation) {
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

    /// Whether two spheres are farther apart than the reach; how far is noted.
    fn is_apart(&self, spheres: &[Sphere; 2], vertices: [u32; 2], separation: &mut Separation) -> bool {
        separation.tests += 1;
        let radii = spheres[0].radius + spheres[1].radius;
        let near = radii + self.reach;
        let distance_squared = (spheres[0].centre - spheres[1].centre).norm_squared();
        let is_apart = distance_squared > near * near;
        if is_apart {
            let distance = distance_squared.sqrt() - radii;
            if distance < separation.distance {
                (separation.distance, separation.nearest) = (distance, Some(vertices));
            }
        }
        is_apart
    }
}
