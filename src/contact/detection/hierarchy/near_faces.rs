//! Which faces of a tree are near which points: all pairs whose boxes overlap.
//!
//! The binary tree is opened three levels at once: eight boxes a node, in single precision, met in lanes. Points along a
//! space-filling curve go through it a few at a time, as one box; what that meets is then held against each of them.
//! Where single precision cannot tell whether two boxes overlap, double precision does.

#![allow(clippy::needless_range_loop, reason = "a lane is one index of several arrays")]

use super::Hierarchy;
use super::leaves::bounding_points;
use super::space_filling_curve;
use crate::contact::detection::control_points::{MAX_CONTROL_POINTS, rounding_of};
use crate::contact::detection::volume::Aabb;
use crate::math::Vec3;
use crate::math::octet::{OCTET, at_most, exceeding, set_bits};
use crate::math::real::{Kernel, Real, Vectorised};

/// Points that go through the tree together.
const POINTS_PER_BATCH: usize = 8;

/// Leaves that wait for the points of a batch at most.
const LISTED: usize = 256;

/// Boxes of the faces of a tree in one configuration, eight children a node.
#[derive(Clone, Debug)]
pub struct NearFaces {
    /// Inner nodes from the root, then leaves.
    nodes: Vec<Node>,
    num_inner: usize,
    /// Boxes of the faces.
    faces: Vec<Aabb>,
    /// Where the coordinates of single precision start, and the largest of them.
    origin: Vec3,
    largest: f64,
}

/// Eight boxes along the axes, and what is in them: nodes below an inner one, faces in a leaf; the largest number where
/// there is none.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Node {
    lower: [[f32; OCTET]; 3],
    upper: [[f32; OCTET]; 3],
    links: [u32; OCTET],
}

/// A box in single precision.
#[derive(Clone, Copy)]
struct Rounded {
    lower: [f32; 3],
    upper: [f32; 3],
}

impl Rounded {
    #[inline(always)]
    fn new(bounds: &Aabb, origin: &Vec3) -> Self {
        let mut rounded = Self { lower: [0.0; 3], upper: [0.0; 3] };
        for d in 0..3 {
            rounded.lower[d] = (bounds.lower[d] - origin[d]) as f32;
            rounded.upper[d] = (bounds.upper[d] - origin[d]) as f32;
        }
        rounded
    }
}

impl Node {
    /// Boxes that overlap none.
    const EMPTY: Self = Self {
        lower: [[f32::INFINITY; OCTET]; 3],
        upper: [[f32::NEG_INFINITY; OCTET]; 3],
        links: [u32::MAX; OCTET],
    };

    fn set(&mut self, lane: usize, bounds: &Rounded, link: u32) {
        for d in 0..3 {
            self.lower[d][lane] = bounds.lower[d];
            self.upper[d][lane] = bounds.upper[d];
        }
        self.links[lane] = link;
    }

    /// Widest gap to a box along the axes: not positive where they overlap.
    #[inline(always)]
    fn gaps(&self, bounds: &Rounded) -> [f32; OCTET] {
        let larger = |a: f32, b: f32| if a > b { a } else { b };
        let mut widest = [f32::NEG_INFINITY; OCTET];
        for d in 0..3 {
            for k in 0..OCTET {
                let gap = larger(self.lower[d][k] - bounds.upper[d], bounds.lower[d] - self.upper[d][k]);
                widest[k] = larger(gap, widest[k]);
            }
        }
        std::hint::black_box(widest)
    }
}

impl Hierarchy {
    /// The boxes of the faces at `positions` \[m\], enlarged by `inflation` \[m\] on every side.
    ///
    /// # Panics
    /// If `positions` is shorter than the largest node number of the surface asks for.
    pub fn near_faces(&self, positions: &[Vec3], inflation: f64) -> NearFaces {
        let bounds = self.bounds(positions, inflation);
        let origin = bounds.first().map_or_else(Vec3::zeros, |first| first.lower);
        let largest =
            bounds.iter().fold(0.0, |largest, bounds| largest_coordinate(bounds, &origin).max(largest));
        let rounded: Vec<Rounded> = bounds.iter().map(|bounds| Rounded::new(bounds, &origin)).collect();
        let mut faces = vec![
            Aabb { lower: Vec3::zeros(), upper: Vec3::zeros() };
            self.num_leaves_below(self.root()) as usize
        ];
        for (v, bounds) in (0..).zip(&bounds) {
            if let Some(face) = self.face(v) {
                faces[face as usize] = *bounds;
            }
        }
        let (mut inner, mut leaves): (Vec<Node>, Vec<Node>) = (Vec::new(), Vec::new());
        // Depth first, so that what is near in space is near in memory. Links to leaves have their bits turned until
        // the number of inner nodes is known.
        let mut pending: Vec<(u32, Option<(usize, usize)>)> = vec![(self.root(), None)];
        while let Some((v, above)) = pending.pop() {
            if let Some((node, lane)) = above {
                let place = inner.len() as u32;
                inner[node].links[lane] = place;
            }
            let mut node = Node::EMPTY;
            for (lane, child) in self.opened(v).into_iter().enumerate() {
                if self.num_leaves_below(child) as usize <= OCTET {
                    node.set(lane, &rounded[child as usize], !(leaves.len() as u32));
                    leaves.push(self.leaf_node(child, &rounded));
                } else {
                    node.set(lane, &rounded[child as usize], 0);
                    pending.push((child, Some((inner.len(), lane))));
                }
            }
            inner.push(node);
        }
        let num_inner = inner.len();
        for link in inner.iter_mut().flat_map(|node| &mut node.links) {
            let leaf = !*link as usize;
            *link = if leaf < leaves.len() { (num_inner + leaf) as u32 } else { *link };
        }
        inner.append(&mut leaves);
        NearFaces { nodes: inner, num_inner, faces, origin, largest }
    }

    fn bounds(&self, positions: &[Vec3], inflation: f64) -> Vec<Aabb> {
        match self.leaves.stride() {
            2 => self.bounds_of_stride::<2>(positions, inflation),
            3 => self.bounds_of_stride::<3>(positions, inflation),
            4 => self.bounds_of_stride::<4>(positions, inflation),
            6 => self.bounds_of_stride::<6>(positions, inflation),
            _ => self.bounds_of_stride::<MAX_CONTROL_POINTS>(positions, inflation),
        }
    }

    /// Boxes of all vertices.
    fn bounds_of_stride<const N: usize>(&self, positions: &[Vec3], inflation: f64) -> Vec<Aabb> {
        let leaves = self.leaves.of_stride::<N>();
        let mut bounds: Vec<Aabb> = Vec::with_capacity(self.num_vertices());
        let mut leaf = 0;
        for v in 0..self.num_vertices() as u32 {
            bounds.push(match self.children(v) {
                Some([left, right]) => bounds[left as usize].union(&bounds[right as usize]),
                None => {
                    let (kind, nodes) = (leaves.kinds[leaf], &leaves.nodes[leaf]);
                    leaf += 1;
                    bounds_of(&bounding_points(kind, nodes, positions), inflation)
                }
            });
        }
        bounds
    }

    /// Up to eight vertices that a vertex of more leaves than that is opened into, the largest first.
    fn opened(&self, v: u32) -> Vec<u32> {
        let mut vertices = vec![v];
        while vertices.len() < OCTET {
            let largest = vertices.iter().enumerate().max_by_key(|(_, v)| self.num_leaves_below(**v));
            let Some((k, &largest)) = largest else { break };
            match self.children(largest) {
                Some([left, right]) if self.num_leaves_below(largest) as usize > OCTET => {
                    vertices[k] = left;
                    vertices.push(right);
                }
                _ => break,
            }
        }
        vertices
    }

    /// The faces below a vertex, eight at most.
    fn leaf_node(&self, v: u32, bounds: &[Rounded]) -> Node {
        let mut node = Node::EMPTY;
        let (mut pending, mut lane) = (vec![v], 0);
        while let Some(v) = pending.pop() {
            if let Some(face) = self.face(v) {
                node.set(lane, &bounds[v as usize], face);
                lane += 1;
            }
            pending.extend(self.children(v).into_iter().flatten());
        }
        node
    }
}

/// Box of the points of a face; control points may be off by rounding.
fn bounds_of<const N: usize>(points: &[Vec3; N], inflation: f64) -> Aabb {
    let mut bounds = Aabb { lower: points[0], upper: points[0] };
    for point in points {
        bounds = bounds.union(&Aabb { lower: *point, upper: *point });
    }
    let margin =
        if N > super::leaves::LARGEST_FLAT_STRIDE { inflation + rounding_of(points) } else { inflation };
    Aabb { lower: bounds.lower.add_scalar(-margin), upper: bounds.upper.add_scalar(margin) }
}

impl NearFaces {
    /// Replaces `pairs` by all pairs (point, face) such that the box of the face overlaps the box of half edge
    /// `inflation` \[m\] around the point; boxes that touch overlap. In no particular, but always the same order.
    ///
    /// # Cost
    /// O(points · log faces + pairs); allocates the list of the points along a curve.
    pub fn pairs(&self, points: &[Vec3], inflation: f64, pairs: &mut Vec<[u32; 2]>) {
        pairs.clear();
        let (order, _) = space_filling_curve::order(points);
        Vectorised::detect().run(Search { faces: self, points, order: &order, inflation, pairs });
    }
}

/// Rounding of a gap in single precision, of the sum of the largest coordinates on both sides: a half for each of the
/// coordinates and for their difference, doubled.
const GAP_ROUNDING: f64 = 3.0 * f32::EPSILON as f64;

/// A search of the faces near all points.
struct Search<'a> {
    faces: &'a NearFaces,
    points: &'a [Vec3],
    order: &'a [u32],
    inflation: f64,
    pairs: &'a mut Vec<[u32; 2]>,
}

/// Points that go through the tree together.
struct Batch<'a> {
    points: &'a [u32],
    boxes: [Aabb; POINTS_PER_BATCH],
    rounded: [Rounded; POINTS_PER_BATCH],
    around: Rounded,
    /// Gaps in single precision that are off by no more than this.
    slack: f32,
}

impl Kernel for Search<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { faces, points, order, inflation, pairs } = self;
        let (mut pending, mut listed) = (vec![0; LISTED], [0; LISTED]);
        let mut count = 0;
        for batch in order.chunks(POINTS_PER_BATCH) {
            let batch = faces.batch(batch, points, inflation);
            (pending[0], listed[0]) = (0, 0);
            let mut num_pending = 1;
            while num_pending > 0 {
                let num_listed = faces.list(&batch, (&mut pending, &mut num_pending), &mut listed);
                for &leaf in &listed[..num_listed] {
                    let room = count + OCTET * POINTS_PER_BATCH;
                    if pairs.len() < room {
                        pairs.resize(2 * room, [0; 2]);
                    }
                    count += faces.meet(leaf, &batch, &mut pairs[count..room]);
                }
            }
        }
        pairs.truncate(count);
    }
}

impl NearFaces {
    #[inline(always)]
    fn batch<'a>(&self, batch: &'a [u32], points: &[Vec3], inflation: f64) -> Batch<'a> {
        let nowhere = Aabb { lower: Vec3::zeros(), upper: Vec3::zeros() };
        let mut boxes = [nowhere; POINTS_PER_BATCH];
        let mut rounded = [Rounded::new(&nowhere, &nowhere.lower); POINTS_PER_BATCH];
        for (k, &point) in batch.iter().enumerate() {
            let point = &points[point as usize];
            boxes[k] = Aabb { lower: point.add_scalar(-inflation), upper: point.add_scalar(inflation) };
            rounded[k] = Rounded::new(&boxes[k], &self.origin);
        }
        let around = joint(&boxes[..batch.len()]);
        let largest = self.largest + largest_coordinate(&around, &self.origin);
        let around = Rounded::new(&around, &self.origin);
        Batch { points: batch, boxes, rounded, around, slack: (GAP_ROUNDING * largest) as f32 }
    }

    /// Lists leaves that may overlap the box of a batch, from what is pending, until no more may fit; how many they are.
    #[inline(always)]
    fn list(
        &self,
        batch: &Batch<'_>,
        (pending, num_pending): (&mut Vec<u32>, &mut usize),
        listed: &mut [u32; LISTED],
    ) -> usize {
        let mut count = 0;
        while count + OCTET <= LISTED && *num_pending > 0 {
            *num_pending -= 1;
            let node = &self.nodes[pending[*num_pending] as usize];
            if pending.len() < *num_pending + OCTET {
                pending.resize(2 * (*num_pending + OCTET), 0);
            }
            let apart = exceeding(&node.gaps(&batch.around), batch.slack);
            let mut near = !apart;
            while near != 0 {
                let link = node.links[near.trailing_zeros() as usize];
                near &= near - 1;
                if (link as usize) < self.num_inner {
                    pending[*num_pending] = link;
                    *num_pending += 1;
                } else if (link as usize) < self.nodes.len() {
                    listed[count] = link;
                    count += 1;
                }
            }
        }
        count
    }

    /// Writes the pairs of the points of a batch with the faces of a leaf; how many they are.
    #[inline(always)]
    fn meet(&self, leaf: u32, batch: &Batch<'_>, pairs: &mut [[u32; 2]]) -> usize {
        let leaf = &self.nodes[leaf as usize];
        let mut count = 0;
        for (k, &point) in batch.points.iter().enumerate() {
            let gaps = leaf.gaps(&batch.rounded[k]);
            let (mut met, apart) = (at_most(&gaps, -batch.slack), exceeding(&gaps, batch.slack));
            if met | apart != u8::MAX {
                met |= self.meeting(leaf, !(met | apart), &batch.boxes[k]);
            }
            let bits = set_bits(met);
            for lane in 0..OCTET {
                pairs[count + lane] = [point, leaf.links[bits[lane] as usize]];
            }
            count += met.count_ones() as usize;
        }
        count
    }
}

impl NearFaces {
    /// Which of some faces of a leaf overlap a box.
    #[cold]
    #[inline(never)]
    fn meeting(&self, leaf: &Node, some: u8, bounds: &Aabb) -> u8 {
        let meets = |lane: &u8| {
            let face = self.faces.get(leaf.links[*lane as usize] as usize);
            face.is_some_and(|face| !face.excludes(bounds))
        };
        let lanes = &set_bits(some)[..some.count_ones() as usize];
        lanes.iter().filter(|lane| meets(lane)).fold(0, |met, lane| met | 1 << lane)
    }
}

/// The largest coordinate of a box, of either sign, from `origin`.
#[inline(always)]
fn largest_coordinate(bounds: &Aabb, origin: &Vec3) -> f64 {
    Real::max((bounds.lower - origin).amax(), (bounds.upper - origin).amax())
}

/// The box around some boxes.
#[inline(always)]
fn joint(boxes: &[Aabb]) -> Aabb {
    let mut joint = boxes[0];
    for other in boxes {
        for d in 0..3 {
            joint.lower[d] = Real::min(other.lower[d], joint.lower[d]);
            joint.upper[d] = Real::max(other.upper[d], joint.upper[d]);
        }
    }
    joint
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::contact::Surface;
    use crate::contact::detection::hierarchy::Builder;
    use crate::contact::detection::samples::Samples;
    use crate::mesh::CellKind;

    proptest! {
        /// The pairs are those that all pairs of boxes have, also where single precision tells nothing: far from where
        /// its coordinates start, and where boxes just touch or just do not.
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
            let points: Vec<Vec3> =
                (0..37).map(|k| place(&mut s, if k % 9 == 0 { far } else { 0.0 })).collect();
            let faces: Vec<[u32; 3]> = (0..num_faces as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
            let surface = Surface::new(faces.iter().map(|nodes| (CellKind::Tri3, nodes.as_slice())));
            let hierarchy = Hierarchy::build(Builder::Fast, &surface, &positions, 0.0).unwrap();
            let mut pairs = Vec::new();
            hierarchy.near_faces(&positions, inflation).pairs(&points, inflation, &mut pairs);
            pairs.sort_unstable();
            let mut all = Vec::new();
            for (point, x) in (0..).zip(&points) {
                let around = Aabb { lower: x.add_scalar(-inflation), upper: x.add_scalar(inflation) };
                for (face, nodes) in (0..).zip(&faces) {
                    let box_of_face = bounds_of(&nodes.map(|node| positions[node as usize]), inflation);
                    if !box_of_face.excludes(&around) {
                        all.push([point, face]);
                    }
                }
            }
            prop_assert_eq!(pairs, all);
        }
    }
}
