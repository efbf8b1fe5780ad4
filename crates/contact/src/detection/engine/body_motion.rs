//! Motion of a deforming body: bounding boxes of nodal displacements, step by step.
//!
//! The engine predicts no motion in the contact phase: a search result is valid until the displacements exceed an
//! allowance. The displacements of a step are known before detection. The engine therefore checks the validity before
//! each use.
//!
//! The displacement of a point of a face is Σ N_a d_a, with shape functions N_a and nodal displacements d_a. On linear
//! faces the displacement is in the box of the d_a, on curved faces at most slightly outside.

use crate::Surface;
use crate::detection::face::bounds::{Bounds, overshoot};
use crate::detection::model::Configuration;
use crate::detection::tree::hierarchy::{Builder, Hierarchy};
use crate::detection::volume::{Aabb, Sphere};
use crate::math::Vec3;
use crate::math::reduction::fixed_order_sum;

use super::displacement::{Steps, bounds_of_chunks};
use super::patches::{BOXES, Patches, Placed};

/// Number of steps that the allowance of an inflated box covers, if the body keeps its current speed.
const STEPS_IN_INFLATED_BOX: f64 = 128.0;

/// Least allowance of an inflated box, relative to the `search_distance` of the body.
const LEAST_ALLOWANCE: f64 = 0.5;

/// Growth above which a bounding volume is refitted, relative to the `search_distance` of the body. Growth is the
/// increase of the radius of a sphere, or of the half-widths of a box.
const GROWTH_LIMIT: f64 = 0.125;

/// Ratio of the total sphere volume to its least value so far, above which a tree is rebuilt.
const VOLUME_RATIO_LIMIT: f64 = 3.0;

/// Rounding of a displacement, relative to the coordinates.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

#[derive(Clone, Debug)]
pub(super) struct BodyMotion {
    /// Bounds on the displacements in the latest step \[m\].
    pub step: Bounds,
    /// Box of the body at the last inflation, not inflated.
    bounds: Aabb,
    /// Displacements since the last inflation \[m\].
    since_bounds: Bounds,
    /// The inflated box contains the body until a component of a displacement since the inflation exceeds this length
    /// \[m\].
    allowance: f64,
    /// Largest absolute coordinate within the inflated box \[m\].
    largest_coordinate: f64,
    spheres: Vec<Sphere>,
    /// Displacements since the fit of the spheres \[m\].
    since_fit: Bounds,
    /// A tree rebuilt after large deformation. The `Box` keeps the struct small: few bodies have a rebuilt tree, but
    /// every step reads the other fields.
    rebuilt: Option<Box<Hierarchy>>,
    /// Least Σ r³ so far over the spheres of the current tree, with the radii r \[m³\].
    least_volume: f64,
    patches: Option<Box<Patches>>,
    /// Active patches, ascending. In every step, each active patch gets displacement bounds of its own.
    active: Vec<u32>,
    /// Displacements of the body not yet added to its inactive patches \[m\].
    since_moved: Bounds,
    /// Search depth plus offset of the body \[m\].
    search_distance: f64,
    /// Offset of the body plus half its search depth \[m\]. Two bodies farther apart than the sum of these lengths
    /// cannot touch: the search depth of a pair is the smaller of the search depths of its bodies, thus at most the
    /// mean.
    share_of_reach: f64,
    overshoot: f64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedSpheres<'a> {
    spheres: &'a [Sphere],
    placed: Placed,
}

impl PlacedSpheres<'_> {
    pub fn sphere(&self, vertex: u32) -> Sphere {
        let sphere = self.spheres[vertex as usize];
        let Placed { shift, growth } = self.placed;
        Sphere { centre: sphere.centre + shift, radius: sphere.radius + growth }
    }
}

impl BodyMotion {
    pub fn new(surface: &Surface, depth: f64, offset: f64) -> Self {
        let nowhere = Vec3::repeat(f64::NAN);
        Self {
            step: Bounds::ZERO,
            bounds: Aabb { lower: nowhere, upper: nowhere },
            since_bounds: Bounds::ZERO,
            allowance: f64::NEG_INFINITY,
            largest_coordinate: 0.0,
            spheres: Vec::new(),
            since_fit: Bounds::ZERO,
            rebuilt: None,
            least_volume: f64::INFINITY,
            patches: None,
            active: Vec::new(),
            since_moved: Bounds::ZERO,
            search_distance: depth + offset,
            share_of_reach: 0.5 * depth + offset,
            overshoot: overshoot(surface),
        }
    }

    pub fn reset(&mut self) {
        self.allowance = f64::NEG_INFINITY;
        self.spheres.clear();
        self.patches = None;
        self.active.clear();
        (self.rebuilt, self.least_volume) = (None, f64::INFINITY);
    }

    pub fn update(&mut self, nodes: &[u32], configuration: &Configuration<'_>) {
        let steps = self.steps();
        self.step = steps.of(nodes, configuration);
        if !self.step.is_zero() {
            self.since_bounds = self.since_bounds.plus(&self.step);
            self.since_fit = self.since_fit.plus(&self.step);
            self.since_moved = self.since_moved.plus(&self.step);
        }
        if !self.active.is_empty()
            && let Some(patches) = &mut self.patches
        {
            patches.update(&self.active, &self.step, &steps, configuration);
        }
    }

    fn steps(&self) -> Steps {
        Steps { overshoot: self.overshoot, rounding: ROUNDING * self.largest_coordinate }
    }

    pub fn has_escaped(&self) -> bool {
        let moved = self.since_bounds.greatest();
        moved > self.allowance || moved.is_nan()
    }

    /// Computes and inflates the box of the body. The inflated box contains the body until [`BodyMotion::has_escaped`]
    /// is true.
    pub fn inflate(&mut self, surface: &Surface, positions: &[Vec3]) -> Aabb {
        self.bounds = bounds_of(surface, positions, self.overshoot);
        self.since_bounds = Bounds::ZERO;
        self.allowance =
            (STEPS_IN_INFLATED_BOX * self.step.greatest()).max(LEAST_ALLOWANCE * self.search_distance);
        let margin = self.allowance + self.share_of_reach;
        let inflated = Bounds::ZERO.widened(margin * (1.0 + ROUNDING)).displace(&self.bounds);
        self.largest_coordinate = inflated.lower.amax().max(inflated.upper.amax());
        inflated
    }

    pub fn bounds(&self) -> Aabb {
        self.since_bounds.displace(&self.bounds)
    }

    pub fn largest_coordinate(&self) -> f64 {
        self.largest_coordinate
    }

    pub fn patches(&self) -> Option<&Patches> {
        self.patches.as_deref()
    }

    /// Divides the surface into patches if needed, and refits deformed patches. Returns the number of refitted boxes;
    /// the first fit does not count.
    pub fn divide(&mut self, surface: &Surface, positions: &[Vec3]) -> usize {
        if self.patches.is_none() {
            let mut patches = Patches::new(surface, positions);
            patches.fit(surface, positions, |_| true);
            self.since_moved = Bounds::ZERO;
            self.patches = Some(Box::new(patches));
        }
        let all = 0..self.patches().map_or(0, Patches::len) as u32;
        self.fit_patches(surface, positions, all)
    }

    /// Makes the `selected` patches (ascending) active, and all others inactive.
    pub fn select_active_patches(
        &mut self,
        selected: impl Iterator<Item = u32> + Clone,
        configuration: &Configuration<'_>,
    ) {
        if self.active.iter().copied().eq(selected.clone()) {
            return;
        }
        self.move_patches();
        let steps = self.steps();
        if let Some(patches) = &mut self.patches {
            let is_new = |patch: &u32| self.active.binary_search(patch).is_err();
            let new: Vec<u32> = selected.clone().filter(is_new).collect();
            patches.find_steps(&new, &self.step, &steps, configuration);
            self.active.clear();
            self.active.extend(selected);
        }
    }

    fn move_patches(&mut self) {
        if let Some(patches) = &mut self.patches {
            patches.move_all_but(&self.active, &self.since_moved);
            self.since_moved = Bounds::ZERO;
        }
    }

    /// Adds pending displacements to inactive patches. Refits the patches among `needed` (ascending) that have grown
    /// too much. Returns the number of refitted boxes.
    pub fn fit_patches(
        &mut self,
        surface: &Surface,
        positions: &[Vec3],
        needed: impl Iterator<Item = u32>,
    ) -> usize {
        self.move_patches();
        let most = GROWTH_LIMIT * self.search_distance;
        let Some(patches) = &mut self.patches else { return 0 };
        let is_fitted = |patch: u32| patches.placed(patch).growth <= most;
        let stale: Vec<u32> = needed.filter(|&patch| !is_fitted(patch)).collect();
        if !stale.is_empty() {
            patches.fit(surface, positions, |patch| stale.binary_search(&patch).is_ok());
        }
        BOXES * stale.len()
    }

    /// Refits the spheres of a deformed body, and rebuilds the tree if the spheres are too large. Returns the number of
    /// refitted spheres.
    pub fn fit_spheres(&mut self, tree: &Hierarchy, surface: &Surface, positions: &[Vec3]) -> usize {
        let growth = Placed::after(&self.since_fit).growth;
        let is_stale =
            self.spheres.is_empty() || growth > GROWTH_LIMIT * self.search_distance || growth.is_nan();
        if !is_stale {
            return 0;
        }
        self.rebuilt.as_deref().unwrap_or(tree).refit(positions, &mut self.spheres);
        self.since_fit = Bounds::ZERO;
        let quality = sum_of_volumes(&self.spheres);
        if quality > VOLUME_RATIO_LIMIT * self.least_volume {
            self.rebuilt = Hierarchy::build(Builder::Fast, surface, positions, 0.0).map(Box::new);
            self.rebuilt.as_deref().unwrap_or(tree).refit(positions, &mut self.spheres);
            self.least_volume = sum_of_volumes(&self.spheres);
        } else {
            self.least_volume = self.least_volume.min(quality);
        }
        self.spheres.len()
    }

    pub fn tree<'a>(&'a self, tree: &'a Hierarchy) -> &'a Hierarchy {
        self.rebuilt.as_deref().unwrap_or(tree)
    }

    pub fn placed_spheres(&self) -> PlacedSpheres<'_> {
        PlacedSpheres { spheres: &self.spheres, placed: Placed::after(&self.since_fit) }
    }
}

/// Box of a surface, without rounding margin. On curved faces, points may leave the range of the nodes by `overshoot`
/// times the range.
fn bounds_of(surface: &Surface, positions: &[Vec3], overshoot: f64) -> Aabb {
    let of_nodes = |nodes: &[u32]| Bounds::of(nodes.iter().map(|&node| positions[node as usize]), 0.0);
    let bounds = bounds_of_chunks(surface.nodes(), of_nodes).beyond(overshoot);
    bounds.displace(&Aabb { lower: Vec3::zeros(), upper: Vec3::zeros() })
}

/// Σ r³ over the spheres with radii r, proportional to their total volume.
fn sum_of_volumes(spheres: &[Sphere]) -> f64 {
    fixed_order_sum(spheres.len(), &|range| {
        spheres[range].iter().map(|sphere| sphere.radius.powi(3)).sum::<f64>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::samples::Samples;
    use crate::mesh::CellKind;

    fn configuration<'a>(positions: &'a [Vec3], positions_before: &'a [Vec3]) -> Configuration<'a> {
        Configuration { time: 0.0, time_step: 0.5, positions, positions_before }
    }

    fn strip(count: u32) -> (Surface, Vec<Vec3>) {
        let faces: Vec<[u32; 3]> = (0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let corners = |k: u32| {
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
                .map(|[x, y, z]| Vec3::new(x + f64::from(k), y, z))
        };
        let surface = Surface::new(faces.iter().map(|face| (CellKind::Tri3, face.as_slice())));
        (surface, (0..count).flat_map(corners).collect())
    }

    /// A moving body stays in its box, and its faces stay in the spheres of the tree and the boxes of the patches.
    /// Rigid translation enlarges no volume. An escape from the inflated box is reported in time.
    #[test]
    fn boxes_and_spheres_hold_what_moves() {
        let samples = &mut Samples::new(4);
        for (is_rigid, count) in [(true, 20), (false, 20), (true, 150), (false, 150)] {
            let (surface, mut positions) = strip(count);
            let tree = Hierarchy::build(Builder::Fast, &surface, &positions, 0.0).unwrap();
            let mut motion = BodyMotion::new(&surface, 0.5, 0.0);
            assert!(motion.has_escaped());
            let inflated = motion.inflate(&surface, &positions);
            assert_eq!(motion.fit_spheres(&tree, &surface, &positions), tree.num_vertices());
            motion.divide(&surface, &positions);
            let num_patches = motion.patches().unwrap().len();
            assert_eq!(num_patches, (count as usize).div_ceil(64));
            let (mut left, mut active) = (0, Vec::new());
            for step in 0..50 {
                let common = samples.vector(0.02) + Vec3::x() * 0.02;
                let own = |samples: &mut Samples| if is_rigid { Vec3::zeros() } else { samples.vector(0.01) };
                let before = positions.clone();
                positions.iter_mut().for_each(|x| *x += (common + own(samples)) * 0.5);
                let configuration = configuration(&positions, &before);
                motion.update(surface.nodes(), &configuration);
                if step % 7 == 3 {
                    active = (0..num_patches as u32).filter(|_| samples.uniform(0.0, 1.0) < 0.5).collect();
                    motion.select_active_patches(active.iter().copied(), &configuration);
                }
                motion.fit_patches(&surface, &positions, 0..u32::from(step == 25));
                let (bounds, spheres) = (motion.bounds(), motion.placed_spheres());
                assert!(positions.iter().all(|x| bounds.contains(x)));
                assert!(motion.has_escaped() || positions.iter().all(|x| inflated.contains(x)));
                left += usize::from(motion.has_escaped());
                // Rounding adds up to about 50 · 8 ε · 150 ≈ 1.3e-11 in 50 steps with coordinates of about 150.
                let most = 20.1 + f64::from(count - 20);
                assert!(!is_rigid || spheres.placed.growth < 1e-10 && bounds.diagonal() < most);
                for v in (0..tree.num_vertices() as u32).filter(|&v| tree.face(v).is_some()) {
                    let sphere = spheres.sphere(v);
                    let (_, nodes) = surface.face(tree.face(v).unwrap() as usize);
                    let farthest = |&node: &u32| (positions[node as usize] - sphere.centre).norm();
                    assert!(nodes.iter().all(|node| farthest(node) <= sphere.radius + 1e-12));
                }
                let patches = motion.patches().unwrap();
                for (patch, batch) in (0..count.div_ceil(8)).map(|k| (k / 8, patches.batch(k))) {
                    let (placed, around) = (patches.placed(patch), patches.bounds(patch).widened(1e-12));
                    assert!(!is_rigid || placed.growth < 1e-10);
                    for (place, &face) in batch.faces.iter().enumerate() {
                        let bounds = batch.boxes.get(place).moved(&placed.shift);
                        let bounds = bounds.widened(placed.growth + 1e-12);
                        for &node in surface.face(face as usize).1 {
                            let (x, from) = (&positions[node as usize], &before[node as usize]);
                            assert!(bounds.contains(x) && around.contains(x));
                            let travelled = Bounds::of([x - from].into_iter(), 0.0);
                            assert!(
                                !active.contains(&patch)
                                    || patches.step(patch).greatest_distance(&travelled)
                                        <= patches.extent(patch) + 1e-12
                            );
                        }
                    }
                }
            }
            assert!(left > 10 && left < 50, "{left}");
            let stale = motion.fit_patches(&surface, &positions, 0..num_patches as u32);
            assert_eq!(stale, if is_rigid { 0 } else { BOXES * num_patches });
            assert_eq!(motion.fit_spheres(&tree, &surface, &positions) > 0, !is_rigid);
        }
    }

    /// A permutation of the positions of the faces causes a rebuild. The spheres of the rebuilt tree have the same
    /// total volume as those of a tree built at the new positions.
    #[test]
    fn a_degraded_tree_is_rebuilt() {
        let (surface, mut positions) = strip(200);
        let tree = Hierarchy::build(Builder::Fast, &surface, &positions, 0.0).unwrap();
        let mut motion = BodyMotion::new(&surface, 0.5, 0.0);
        motion.fit_spheres(&tree, &surface, &positions);
        let go = |motion: &mut BodyMotion, positions: &mut Vec<Vec3>, to: Vec<Vec3>| {
            let before = std::mem::replace(positions, to);
            motion.update(surface.nodes(), &configuration(positions, &before));
            motion.fit_spheres(&tree, &surface, positions);
        };
        let sheared = positions.iter().map(|x| x + Vec3::y() * (0.1 * x.x)).collect();
        go(&mut motion, &mut positions, sheared);
        assert!(motion.rebuilt.is_none(), "shear");
        let swap =
            |(k, x): (usize, &Vec3)| x + Vec3::x() * (f64::from((k as u32 / 3) * 89 % 200) - (k / 3) as f64);
        let swapped = positions.iter().enumerate().map(swap).collect();
        go(&mut motion, &mut positions, swapped);
        let fresh = Hierarchy::build(Builder::Fast, &surface, &positions, 0.0).unwrap();
        let mut spheres = Vec::new();
        fresh.refit(&positions, &mut spheres);
        assert!(motion.rebuilt.is_some() && motion.least_volume == sum_of_volumes(&spheres));
        motion.reset();
        assert!(motion.rebuilt.is_none());
    }
}
