//! Which faces of a tree are near which points: all pairs whose boxes overlap.
//!
//! The binary tree is opened three levels at once: eight boxes a node, met in lanes. Points along a space-filling curve go
//! through it a few at a time, as one box; what that meets is then held against each of them.

#![expect(
    clippy::needless_range_loop,
    reason = "a lane is one index of several arrays, and closures escape the kernels"
)]

use pulp::{Simd, WithSimd};

use super::Hierarchy;
use super::leaves::bounding_points;
use super::space_filling_curve;
use crate::contact::detection::control_points::{MAX_CONTROL_POINTS, rounding_of};
use crate::contact::detection::volume::{Aabb, AabbRow};
use crate::math::Vec3;
use crate::math::pack::{Registers, WIDTH};
use crate::math::real::Real;

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
}

/// Eight boxes along the axes, and what is in them: nodes below an inner one, faces in a leaf.
#[derive(Clone, Copy, Debug)]
struct Node {
    boxes: AabbRow,
    links: [u32; WIDTH],
}

impl Node {
    /// Boxes that overlap none.
    const EMPTY: Self = Self { boxes: AabbRow::EMPTY, links: [0; WIDTH] };

    fn set(&mut self, lane: usize, bounds: &Aabb, link: u32) {
        self.boxes.set(lane, bounds);
        self.links[lane] = link;
    }
}

impl Hierarchy {
    /// The boxes of the faces at `positions` \[m\], enlarged by `inflation` \[m\] on every side.
    ///
    /// # Panics
    /// If `positions` is shorter than the largest node number of the surface asks for.
    pub fn near_faces(&self, positions: &[Vec3], inflation: f64) -> NearFaces {
        let bounds = self.bounds(positions, inflation);
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
                if self.num_leaves_below(child) as usize <= WIDTH {
                    node.set(lane, &bounds[child as usize], !(leaves.len() as u32));
                    leaves.push(self.leaf_node(child, &bounds));
                } else {
                    node.set(lane, &bounds[child as usize], 0);
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
        NearFaces { nodes: inner, num_inner }
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
        while vertices.len() < WIDTH {
            let largest = vertices.iter().enumerate().max_by_key(|(_, v)| self.num_leaves_below(**v));
            let Some((k, &largest)) = largest else { break };
            match self.children(largest) {
                Some([left, right]) if self.num_leaves_below(largest) as usize > WIDTH => {
                    vertices[k] = left;
                    vertices.push(right);
                }
                _ => break,
            }
        }
        vertices
    }

    /// The faces below a vertex, eight at most.
    fn leaf_node(&self, v: u32, bounds: &[Aabb]) -> Node {
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
        Registers::default().run(Search { faces: self, points, order: &order, inflation, pairs });
    }
}

/// Nodes that wait to be opened: the first `count`.
struct Pending {
    nodes: Vec<u32>,
    count: usize,
}

/// A search of the faces near all points.
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
        let (mut pending, mut listed) = (Pending { nodes: vec![0; LISTED], count: 0 }, [0; LISTED]);
        let mut count = 0;
        for batch in order.chunks(POINTS_PER_BATCH) {
            let mut boxes = [Aabb { lower: Vec3::zeros(), upper: Vec3::zeros() }; POINTS_PER_BATCH];
            for (k, &point) in batch.iter().enumerate() {
                let point = &points[point as usize];
                boxes[k] = Aabb { lower: point.add_scalar(-inflation), upper: point.add_scalar(inflation) };
            }
            let boxes = &boxes[..batch.len()];
            let around = joint(boxes);
            (pending.nodes[0], pending.count) = (0, 1);
            while pending.count > 0 {
                let num_listed = faces.list(simd, &around, &mut pending, &mut listed);
                for &leaf in &listed[..num_listed] {
                    let room = count + WIDTH * POINTS_PER_BATCH;
                    if pairs.len() < room {
                        pairs.resize(2 * room, [0; 2]);
                    }
                    count += faces.meet(simd, leaf, batch, boxes, &mut pairs[count..room]);
                }
            }
        }
        pairs.truncate(count);
    }
}

impl NearFaces {
    /// Lists leaves that overlap a box, from what is `pending`, until no more may fit; how many they are.
    #[inline(always)]
    fn list<S: Simd>(
        &self,
        simd: S,
        around: &Aabb,
        pending: &mut Pending,
        listed: &mut [u32; LISTED],
    ) -> usize {
        let mut count = 0;
        while count + WIDTH <= LISTED && pending.count > 0 {
            pending.count -= 1;
            let node = &self.nodes[pending.nodes[pending.count] as usize];
            let Some(overlaps) = node.boxes.overlaps(simd, around) else { continue };
            if pending.nodes.len() < pending.count + WIDTH {
                pending.nodes.resize(2 * (pending.count + WIDTH), 0);
            }
            let (room, leaves) =
                (&mut pending.nodes[pending.count..][..WIDTH], &mut listed[count..count + WIDTH]);
            let (mut more, mut found) = (0, 0);
            for lane in 0..WIDTH {
                let link = node.links[lane];
                let (overlaps, is_inner) = (overlaps[lane] as usize, (link as usize) < self.num_inner);
                room[more % WIDTH] = link;
                more += overlaps & usize::from(is_inner);
                leaves[found % WIDTH] = link;
                found += overlaps & usize::from(!is_inner);
            }
            pending.count += more;
            count += found;
        }
        count
    }

    /// Writes the pairs of the points of a batch with the faces of a leaf; how many they are.
    #[inline(always)]
    fn meet<S: Simd>(
        &self,
        simd: S,
        leaf: u32,
        batch: &[u32],
        boxes: &[Aabb],
        pairs: &mut [[u32; 2]],
    ) -> usize {
        let leaf = &self.nodes[leaf as usize];
        let mut count = 0;
        for k in 0..batch.len() {
            let Some(overlaps) = leaf.boxes.overlaps(simd, &boxes[k]) else { continue };
            let room = &mut pairs[count..count + WIDTH];
            let mut found = 0;
            for lane in 0..WIDTH {
                room[found % WIDTH] = [batch[k], leaf.links[lane]];
                found += overlaps[lane] as usize;
            }
            count += found;
        }
        count
    }
}

/// The box around some boxes, of their coordinates that are numbers.
#[inline(always)]
fn joint(boxes: &[Aabb]) -> Aabb {
    let mut joint = Aabb { lower: Vec3::repeat(f64::INFINITY), upper: Vec3::repeat(f64::NEG_INFINITY) };
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
            let hierarchy = Hierarchy::build(Builder::Fast, &surface, &positions, 0.0).unwrap();
            let mut pairs = Vec::new();
            hierarchy.near_faces(&positions, inflation).pairs(&points, inflation, &mut pairs);
            pairs.sort_unstable();
            let mut all = Vec::new();
            for (point, x) in (0..).zip(&points) {
                if x.y.is_nan() {
                    continue;
                }
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
