//! Binary space partition of particles. A particle i is inserted into a cell n, first into the root:
//!
//! ```text
//! insert(i, n)   n without particle and children: store i
//!                n with one particle j:           move j, then i, each to the child of n on its own side
//!                n with children:                 move i to the child of n on the side of i
//! ```
//! Cells are halved across x, y and, in three dimensions, z in turn. Coincident particles share a cell at the largest
//! depth.
//!
//! # Source
//! Petőcz & Armero, report UCB/SEMM-98/06, 1998, §3.

use crate::detection::volume::Aabb;
use crate::math::Vec3;

/// Largest depth of a cell: 20 halvings of each of three axes, or 30 of each of two axes.
const MAX_DEPTH: u32 = 60;

/// Index of a missing particle or child.
const NONE: u32 = u32::MAX;

/// Tree of particles. The number of a particle is its index in the positions passed to [`ParticleTree::sort`].
#[derive(Clone, Debug, Default)]
pub struct ParticleTree {
    space: Option<Aabb>,
    /// Number of axes across which cells are halved in turn: two for a plane working space, otherwise three.
    num_axes: u32,
    cells: Vec<Cell>,
    /// For each particle, the next particle in the same cell, or [`NONE`].
    next: Vec<u32>,
    /// Cells to visit, with boxes and depths.
    stack: Vec<(u32, Aabb, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    children: [u32; 2],
    first: u32,
}

impl Cell {
    const EMPTY: Self = Self { children: [NONE; 2], first: NONE };
}

impl ParticleTree {
    /// Sorts particles into the working space, a box that contains all positions \[m\].
    ///
    /// # Cost
    /// O(N log N) for N particles without clusters much denser than the mean.
    pub fn sort(&mut self, space: Aabb, positions: &[Vec3]) {
        let is_plane = space.lower.z == space.upper.z;
        self.num_axes = if is_plane { 2 } else { 3 };
        self.space = Some(space);
        self.cells.clear();
        self.next.clear();
        self.next.resize(positions.len(), NONE);
        for particle in 0..positions.len() as u32 {
            self.insert(particle, space, positions);
        }
    }

    /// Working space of the last sorting.
    pub fn space(&self) -> Option<&Aabb> {
        self.space.as_ref()
    }

    fn insert(&mut self, particle: u32, mut bounds: Aabb, positions: &[Vec3]) {
        if self.cells.is_empty() {
            self.cells.push(Cell { first: particle, ..Cell::EMPTY });
            return;
        }
        let mut cell = 0;
        for depth in 0..MAX_DEPTH {
            let resident = std::mem::replace(&mut self.cells[cell as usize].first, NONE);
            let axis = (depth % self.num_axes) as usize;
            let middle = 0.5 * (bounds.lower[axis] + bounds.upper[axis]);
            let side = |particle: u32| usize::from(positions[particle as usize][axis] >= middle);
            if resident != NONE {
                self.push_child(cell, side(resident), resident);
            }
            let side = side(particle);
            let child = self.cells[cell as usize].children[side];
            if child == NONE {
                self.push_child(cell, side, particle);
                return;
            }
            bounds = half(&bounds, axis, side);
            cell = child;
        }
        self.next[particle as usize] = self.cells[cell as usize].first;
        self.cells[cell as usize].first = particle;
    }

    fn push_child(&mut self, parent: u32, side: usize, particle: u32) {
        self.cells[parent as usize].children[side] = self.cells.len() as u32;
        self.cells.push(Cell { first: particle, ..Cell::EMPTY });
    }

    /// Calls `visit` with all particles in a box, in preorder of the cells. Returns the number of visited cells.
    pub fn visit(&mut self, zone: &Aabb, positions: &[Vec3], mut visit: impl FnMut(u32)) -> u64 {
        let Some(space) = self.space.filter(|_| !self.cells.is_empty()) else { return 0 };
        let mut count = 0;
        self.stack.clear();
        self.stack.push((0, space, 0));
        while let Some((cell, bounds, depth)) = self.stack.pop() {
            count += 1;
            if bounds.excludes(zone) {
                continue;
            }
            let Cell { children, first } = self.cells[cell as usize];
            let mut particle = first;
            while particle != NONE {
                if zone.contains(&positions[particle as usize]) {
                    visit(particle);
                }
                particle = self.next[particle as usize];
            }
            let axis = (depth % self.num_axes) as usize;
            for side in [1, 0] {
                if children[side] != NONE {
                    self.stack.push((children[side], half(&bounds, axis, side), depth + 1));
                }
            }
        }
        count
    }
}

/// The half of a box below (`side` = 0) or above (`side` = 1) its middle.
fn half(bounds: &Aabb, axis: usize, side: usize) -> Aabb {
    let mut half = *bounds;
    let middle = 0.5 * (bounds.lower[axis] + bounds.upper[axis]);
    if side == 0 {
        half.upper[axis] = middle;
    } else {
        half.lower[axis] = middle;
    }
    half
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::samples::Samples;

    fn depths(tree: &ParticleTree) -> Vec<u32> {
        let mut depths = vec![0; tree.next.len()];
        let mut stack = vec![(0_u32, 0_u32)];
        while let Some((cell, depth)) = stack.pop().filter(|_| !tree.cells.is_empty()) {
            let cell = tree.cells[cell as usize];
            let mut particle = cell.first;
            while particle != NONE {
                depths[particle as usize] = depth;
                particle = tree.next[particle as usize];
            }
            assert!(cell.children == [NONE; 2] || cell.first == NONE);
            stack.extend(
                cell.children.iter().filter(|&&child| child != NONE).map(|&child| (child, depth + 1)),
            );
        }
        depths
    }

    fn cube(half: f64) -> Aabb {
        Aabb { lower: Vec3::repeat(-half), upper: Vec3::repeat(half) }
    }

    /// A traversal finds all particles in a box, also coincident particles.
    #[test]
    fn a_traversal_finds_the_particles_in_a_box() {
        let samples = &mut Samples::new(3);
        for flat in [false, true] {
            for _ in 0..200 {
                let count = samples.pick(&[1, 2, 5, 40, 300]);
                let mut positions: Vec<Vec3> = (0..count).map(|_| samples.vector(1.0)).collect();
                for k in 0..count / 4 {
                    positions[k] = samples.pick(&[Vec3::zeros(), Vec3::repeat(1.0), positions[k / 2]]);
                }
                if flat {
                    positions.iter_mut().for_each(|position| position.z = 0.0);
                }
                let space = if flat {
                    Aabb { lower: Vec3::new(-1.0, -1.0, 0.0), upper: Vec3::new(1.0, 1.0, 0.0) }
                } else {
                    cube(1.0)
                };
                let mut tree = ParticleTree::default();
                tree.sort(space, &positions);
                let centre = samples.vector(1.0);
                let size = samples.uniform(0.0, 0.7);
                let zone = Aabb { lower: centre.add_scalar(-size), upper: centre.add_scalar(size) };
                let mut found = Vec::new();
                tree.visit(&zone, &positions, |particle| found.push(particle));
                found.sort_unstable();
                let expected: Vec<u32> =
                    (0..count as u32).filter(|&k| zone.contains(&positions[k as usize])).collect();
                assert_eq!(found, expected);
                assert_eq!(depths(&tree).len(), count);
            }
        }
    }

    /// Five particles as in figures 4 and 5 of the report. Reference: insertion by hand.
    ///
    /// ```text
    ///  y 1 ┌─────────┬────┬────┐     root: x < ½ → {2, 5},  x ≥ ½ → {1, 3, 4}
    ///      │ 2       │    │ 1  │     {2, 5}: y ≥ ½ → 2, y < ½ → 5
    ///    ½ ├─────────┼────┴────┤     {1, 3, 4}: y ≥ ½ → 1, y < ½ → {3, 4}
    ///      │       5 │ 3  │ 4  │     {3, 4}: x < ¾ → 3, x ≥ ¾ → 4
    ///    0 └─────────┴────┴────┘
    ///      0         ½    ¾    1 x
    /// ```
    #[test]
    fn five_particles_are_sorted_as_in_the_report() {
        let positions =
            [(0.9, 0.8), (0.1, 0.7), (0.6, 0.2), (0.9, 0.3), (0.4, 0.1)].map(|(x, y)| Vec3::new(x, y, 0.0));
        let space = Aabb { lower: Vec3::zeros(), upper: Vec3::new(1.0, 1.0, 0.0) };
        let mut tree = ParticleTree::default();
        tree.sort(space, &positions);
        assert_eq!(depths(&tree), [2, 2, 3, 3, 2]);
        // Root, two children, four grandchildren, and the cells of the particles 3 and 4.
        assert_eq!(tree.cells.len(), 9);
        let zone = Aabb { lower: Vec3::new(0.5, 0.0, 0.0), upper: Vec3::new(1.0, 0.5, 0.0) };
        let mut found = Vec::new();
        tree.visit(&zone, &positions, |particle| found.push(particle));
        assert_eq!(found, [2, 3], "in preorder, lower halves first");
    }
}
