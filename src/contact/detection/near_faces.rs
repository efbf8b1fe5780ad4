//! Which faces of a surface are near which points: all pairs whose boxes overlap.
//!
//! The faces lie in a [`compact_order`](super::compact_order()), eight in a leaf, below a tree of boxes. Points, compact as
//! well, go down to the nodes above the leaves 64 at a time, from there eight at a time, as one box; and the leaves that
//! this meets are held against each point.

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::box_tree::{BoxTree, Descent, ROWS_PER_TASK, list_overlapping};
use super::compact_order::compact_order_of_faces;
use super::control_points::{MAX_CONTROL_POINTS, control_points, is_held_by_nodes, rounding_of};
use super::volume::Aabb;
use crate::contact::Surface;
use crate::math::Vec3;
use crate::math::pack::{Registers, WIDTH};
use crate::math::real::Real;

/// Points that go through the upper levels together.
const POINTS_PER_GROUP: usize = WIDTH * WIDTH;

/// Points of a list of pairs.
const POINTS_PER_TASK: usize = 64 * POINTS_PER_GROUP;

/// Boxes of the faces of a surface in one configuration.
#[derive(Clone, Debug)]
pub struct NearFaces {
    num_faces: usize,
    /// Of each leaf; the last may have fewer than there is room for.
    faces: Vec<[u32; WIDTH]>,
    /// Boxes of the faces, those of a leaf in a row, and of the leaves and so on.
    tree: BoxTree,
}

impl NearFaces {
    /// The faces of `surface`, in a tree that is compact at `positions` \[m\] of all nodes (global numbering), with their
    /// boxes there as [`NearFaces::refit`] finds them.
    ///
    /// # Panics
    /// If `positions` is shorter than the largest node number of the surface asks for.
    pub fn new(surface: &Surface, positions: &[Vec3], inflation: f64) -> Self {
        let order = compact_order_of_faces(surface, positions);
        let mut faces = vec![[0; WIDTH]; order.len().div_ceil(WIDTH)];
        faces.as_flattened_mut()[..order.len()].copy_from_slice(&order);
        let mut near = Self { num_faces: order.len(), faces, tree: BoxTree::empty(order.len(), 2) };
        near.refit(surface, positions, inflation);
        near
    }

    /// Finds the boxes of the same faces at other `positions` \[m\], enlarged by `inflation` \[m\] on every side.
    ///
    /// # Panics
    /// If the surface has fewer faces, or `positions` is shorter than its largest node number asks for.
    pub fn refit(&mut self, surface: &Surface, positions: &[Vec3], inflation: f64) {
        let num_faces = self.num_faces;
        let rows = self.faces.par_iter().zip(self.tree.rows_mut());
        rows.with_min_len(ROWS_PER_TASK).enumerate().for_each(|(leaf, (faces, row))| {
            for (lane, &face) in faces.iter().enumerate().take(num_faces - WIDTH * leaf) {
                row.set(lane, &bounds_of_face(surface, face, positions).widened(inflation));
            }
        });
        self.tree.fit_above();
    }

    /// Finds all pairs (point, face) such that the box of the face overlaps the box of half edge `inflation` \[m\] around
    /// the point; boxes that touch overlap.
    ///
    /// Only the points in `order` are looked at. Any order will do; a [`compact_order`](super::compact_order()), kept
    /// from call to call, is by far the fastest. There is a list of pairs for every 4096 points, in no particular, but
    /// always the same order.
    ///
    /// # Cost
    /// O(points · log faces + pairs), in parallel.
    pub fn pairs(&self, points: &[Vec3], order: &[u32], inflation: f64, lists: &mut Vec<Vec<[u32; 2]>>) {
        lists.resize_with(order.len().div_ceil(POINTS_PER_TASK), Vec::new);
        let registers = Registers::default();
        order.par_chunks(POINTS_PER_TASK).zip(lists).for_each(|(order, pairs)| {
            pairs.clear();
            registers.run(Search { faces: self, points, order, inflation, pairs });
        });
    }
}

/// Box of a face; control points may be off by rounding.
pub(super) fn bounds_of_face(surface: &Surface, face: u32, positions: &[Vec3]) -> Aabb {
    let (kind, nodes) = surface.face(face as usize);
    let mut points = [Vec3::zeros(); MAX_CONTROL_POINTS];
    let points = control_points(kind, nodes, positions, &mut points);
    let mut bounds = Aabb { lower: points[0], upper: points[0] };
    for point in &points[1..] {
        bounds = bounds.union(&Aabb { lower: *point, upper: *point });
    }
    if is_held_by_nodes(kind) { bounds } else { bounds.widened(rounding_of(points)) }
}

/// A search of the faces near some points.
struct Search<'a> {
    faces: &'a NearFaces,
    points: &'a [Vec3],
    order: &'a [u32],
    inflation: f64,
    pairs: &'a mut Vec<[u32; 2]>,
}

impl WithSimd for Search<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { faces, points, order, inflation, pairs } = self;
        let [_, above_leaves, upper @ ..] = faces.tree.levels() else { return };
        let (mut descent, mut leaves) = (Descent::default(), Vec::new());
        for group in order.chunks(POINTS_PER_GROUP) {
            let nodes = descent.go_down(simd, upper, above_leaves.len(), &around(points, group, inflation));
            for batch in group.chunks(WIDTH) {
                list_overlapping(simd, above_leaves, nodes, &around(points, batch, inflation), &mut leaves);
                let batch = Batch::of(points, batch, inflation);
                for &leaf in &leaves {
                    faces.meet(simd, leaf as usize, &batch, pairs);
                }
            }
        }
    }
}

/// Eight points and the boxes around them. What is left of the last few overlaps nothing.
struct Batch {
    points: [u32; WIDTH],
    boxes: [Aabb; WIDTH],
}

impl Batch {
    #[inline(always)]
    fn of(points: &[Vec3], these: &[u32], inflation: f64) -> Self {
        let mut batch = Self { points: [0; WIDTH], boxes: [NOWHERE; WIDTH] };
        for k in 0..these.len().min(WIDTH) {
            let point = &points[these[k] as usize];
            batch.points[k] = these[k];
            batch.boxes[k] = Aabb { lower: *point, upper: *point }.widened(inflation);
        }
        batch
    }
}

/// A box that overlaps none.
const NOWHERE: Aabb =
    Aabb { lower: Vec3::new(f64::NAN, f64::NAN, f64::NAN), upper: Vec3::new(f64::NAN, f64::NAN, f64::NAN) };

impl NearFaces {
    /// Adds the pairs of the points of a batch with the faces of a leaf.
    #[inline(always)]
    fn meet<S: Simd>(&self, simd: S, leaf: usize, batch: &Batch, pairs: &mut Vec<[u32; 2]>) {
        let (row, faces) = (&self.tree.rows()[leaf], &self.faces[leaf]);
        // All points first, then all pairs at once: one branch that cannot be foreseen instead of eight.
        let mut overlapping = 0_u64;
        for k in 0..WIDTH {
            overlapping |= row.overlapping(simd, &batch.boxes[k]) << (WIDTH * k);
        }
        pairs.reserve(WIDTH * WIDTH);
        while overlapping != 0 {
            let pair = overlapping.trailing_zeros() as usize;
            pairs.push([batch.points[pair / WIDTH], faces[pair % WIDTH]]);
            overlapping &= overlapping - 1;
        }
    }
}

/// Box of half edge `inflation` around all of these points that are somewhere.
#[inline(always)]
fn around(points: &[Vec3], these: &[u32], inflation: f64) -> Aabb {
    let mut around = Aabb { lower: Vec3::repeat(f64::INFINITY), upper: Vec3::repeat(f64::NEG_INFINITY) };
    for &point in these {
        let point = &points[point as usize];
        for d in 0..3 {
            around.lower[d] = Real::min(point[d], around.lower[d]);
            around.upper[d] = Real::max(point[d], around.upper[d]);
        }
    }
    around.widened(inflation)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::contact::detection::compact_order::compact_order;
    use crate::contact::detection::samples::Samples;
    use crate::mesh::CellKind;

    proptest! {
        /// The pairs are those that all pairs of boxes have, also far from the faces, and where boxes just touch or
        /// just do not.
        #[test]
        fn pairs_are_those_of_all(seed: u64, num_faces in 1..200_usize, inflation in 0.0..0.3) {
            let mut s = Samples::new(seed);
            let (far, grid) = (s.pick(&[0.0, 1e3, 1e9]), s.pick(&[1e-9, 0.05, 0.25]));
            let place = |s: &mut Samples, far: f64| (s.vector(1.0) / grid).map(f64::round) * grid + s.vector(far);
            let mut positions = Vec::new();
            for _ in 0..num_faces {
                let first = place(&mut s, 0.0);
                positions.extend([first, first + place(&mut s, 0.0) * 0.2, first + place(&mut s, 0.0) * 0.2]);
            }
            let mut points: Vec<Vec3> =
                (0..37).map(|k| place(&mut s, if k % 9 == 0 { far } else { 0.0 })).collect();
            // A point that has no place is near nothing, and no other point is less near for it.
            points[30].y = f64::NAN;
            let faces: Vec<[u32; 3]> = (0..num_faces as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
            let surface = Surface::new(faces.iter().map(|nodes| (CellKind::Tri3, nodes.as_slice())));
            let elsewhere: Vec<Vec3> = positions.iter().map(|x| x * 2.0).collect();
            let mut near = NearFaces::new(&surface, &elsewhere, 0.0);
            near.refit(&surface, &positions, inflation);
            let order = compact_order(&points);
            let mut lists = Vec::new();
            near.pairs(&points, &order, inflation, &mut lists);
            let mut pairs = lists.concat();
            pairs.sort_unstable();
            let mut all = Vec::new();
            for (point, x) in (0..).zip(&points) {
                if x.y.is_nan() {
                    continue;
                }
                let around = Aabb { lower: x.add_scalar(-inflation), upper: x.add_scalar(inflation) };
                for face in 0..faces.len() as u32 {
                    let box_of_face = bounds_of_face(&surface, face, &positions).widened(inflation);
                    if !box_of_face.excludes(&around) {
                        all.push([point, face]);
                    }
                }
            }
            prop_assert_eq!(pairs, all);
        }
    }

    /// Faces of several kinds and more points than a list has, against boxes of the nodes, or of control points computed here;
    /// then fewer points, and no face.
    #[test]
    fn many_points_and_faces_of_all_kinds() {
        let s = &mut Samples::new(3);
        let kinds = [CellKind::Tri3, CellKind::Quad4, CellKind::Tri6];
        let (mut positions, mut faces) = (Vec::new(), Vec::new());
        for k in 0..5000 {
            let (kind, centre, first) = (kinds[k % 3], s.vector(1.0), positions.len() as u32);
            positions.extend((0..kind.num_nodes()).map(|_| centre + s.vector(0.02)));
            faces.push((kind, (first..positions.len() as u32).collect::<Vec<u32>>()));
        }
        let surface = Surface::new(faces.iter().map(|(kind, nodes)| (*kind, nodes.as_slice())));
        let points: Vec<Vec3> = (0..5000).map(|_| s.vector(1.0)).collect();
        let inflation = 0.01;
        let boxes = |margin: f64| -> Vec<Aabb> {
            let of_face = |(kind, nodes): &(CellKind, Vec<u32>)| {
                let mut at: Vec<Vec3> = nodes.iter().map(|&node| positions[node as usize]).collect();
                if *kind == CellKind::Tri6 {
                    for (middle, [a, b]) in [[0, 1], [1, 2], [2, 0]].into_iter().enumerate() {
                        at[3 + middle] = at[3 + middle] * 2.0 - (at[a] + at[b]) * 0.5;
                    }
                }
                let lower = at.iter().skip(1).fold(at[0], |lower, x| lower.inf(x)).add_scalar(-margin);
                let upper = at.iter().skip(1).fold(at[0], |upper, x| upper.sup(x)).add_scalar(margin);
                Aabb { lower, upper }
            };
            faces.iter().map(of_face).collect()
        };
        let near = NearFaces::new(&surface, &positions, inflation);
        let mut lists = Vec::new();
        for points in [&points[..], &points[..70]] {
            near.pairs(points, &compact_order(points), inflation, &mut lists);
            let mut pairs = lists.concat();
            pairs.sort_unstable();
            for (margin, is_larger) in [(-1e-12, false), (1e-12, true)] {
                let boxes = boxes(2.0 * inflation + margin);
                let mut all = Vec::new();
                for (point, x) in (0..).zip(points) {
                    let holds = |b: &Aabb| (0..3).all(|d| b.lower[d] <= x[d] && x[d] <= b.upper[d]);
                    all.extend((0..).zip(&boxes).filter(|(_, b)| holds(b)).map(|(face, _)| [point, face]));
                }
                assert!(all.len() > points.len() / 100);
                let (fewer, more) = if is_larger { (&pairs, &all) } else { (&all, &pairs) };
                assert!(fewer.iter().all(|pair| more.binary_search(pair).is_ok()));
            }
        }
        let nothing = NearFaces::new(&Surface::new([]), &positions, inflation);
        nothing.pairs(&points, &compact_order(&points), inflation, &mut lists);
        assert!(lists.iter().all(Vec::is_empty));
    }
}
