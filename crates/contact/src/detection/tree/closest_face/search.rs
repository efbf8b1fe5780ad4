//! Search for the closest face by branch and bound through the tree of boxes of a [`ClosestFaceIndex`].

#![expect(clippy::needless_range_loop, reason = "a lane is one index of several arrays")]

use super::layout::single_precision;
use super::*;
use crate::detection::face::closest_point::batch::{PointLanes, points_from_fn};
use crate::math::eight_lanes::{EightLanes, set_bits};

/// Numbers f and a: the squared distance of a query from a box, computed in single precision, is at most f times the
/// exact value plus a. Differences, squares and sums together have an error of 3 units in the last place. Rounding
/// the position of a query far from all boxes adds an error of half a unit in the last place of its distance; the boxes
/// themselves are rounded outward. The addend a covers numbers below the normal numbers of single precision.
const SINGLE_ROUNDING: [f64; 2] = [1.0 + 16.0 * f32::EPSILON as f64, 1e-37];

pub(super) const LISTED: usize = 32;

/// Mask of the low bits of a key. A key is the bit pattern of a squared distance in single precision. The index of a
/// child, or a position in a list, replaces the low bits.
const NUMBER: u32 = LISTED as u32 - 1;

/// Length of the stack: seven entries for each of at most 11 levels, plus eight entries written at a time.
pub(super) const STACK: usize = 7 * 11 + CHILDREN;

/// Nodes and leaves that may contain a closer face: key in the high half, number in the low half.
pub(super) type Stack = [u64; STACK];

pub(super) trait Visitor {
    /// Key beyond which boxes are ignored.
    fn limit(&self) -> u32;
    fn visit(&mut self, leaf: u32);
}

struct Search<'a> {
    index: &'a ClosestFaceIndex,
    query: PointLanes,
    rounded: Rounded,
    /// Squared distance of the closest face so far, at first the largest admissible value \[m²\].
    least: f64,
    limit: u32,
    /// The closest face so far, its leaf, and its lane.
    best: Option<(u32, u32, usize)>,
}

/// A point, or the box around several points, in single precision.
#[derive(Clone, Copy)]
pub(super) struct Rounded {
    /// Lower and upper corner relative to the origin of the index.
    corners: [[f32; 3]; 2],
}

impl Rounded {
    pub(super) const ORIGIN: Self = Self { corners: [[0.0; 3]; 2] };

    #[inline(always)]
    pub(super) fn new(point: &Vec3, origin: &Vec3) -> Self {
        let place = [point.x - origin.x, point.y - origin.y, point.z - origin.z].map(single_precision);
        Self { corners: [place, place] }
    }

    #[inline(always)]
    pub(super) fn union(&self, other: &Self) -> Self {
        let ([lower, upper], [other_lower, other_upper]) = (&self.corners, &other.corners);
        let mut union = *self;
        for d in 0..3 {
            union.corners[0][d] = if other_lower[d] < lower[d] { other_lower[d] } else { lower[d] };
            union.corners[1][d] = if other_upper[d] > upper[d] { other_upper[d] } else { upper[d] };
        }
        union
    }
}

impl Node {
    const EVERYTHING: Self =
        Self { boxes: [[[f32::NEG_INFINITY; CHILDREN]; 3], [[f32::INFINITY; CHILDREN]; 3]], first: 0 };

    #[inline(always)]
    fn put(&mut self, lane: usize, other: &Self, child: usize) {
        for corner in 0..2 {
            for d in 0..3 {
                self.boxes[corner][d][lane] = other.boxes[corner][d][child];
            }
        }
    }

    /// Keys of the child boxes: squared distances from `point`, with the index of the child in the low bits.
    #[inline(always)]
    pub(super) fn keys(&self, simd: impl EightLanes, point: &Rounded) -> [u32; CHILDREN] {
        let squares = simd.distances_squared(&self.boxes, &point.corners);
        let mut keys = [0; CHILDREN];
        for k in 0..CHILDREN {
            keys[k] = squares[k].to_bits() & !NUMBER | k as u32;
        }
        keys
    }
}

impl<'a> Search<'a> {
    #[inline(always)]
    fn new(index: &'a ClosestFaceIndex, query: &Vec3, farthest: f64) -> Self {
        Self {
            index,
            query: [Lanes::splat(query.x), Lanes::splat(query.y), Lanes::splat(query.z)],
            rounded: Rounded::new(query, &index.origin),
            least: farthest,
            limit: single(farthest),
            best: None,
        }
    }
}

impl Visitor for Search<'_> {
    #[inline(always)]
    fn limit(&self) -> u32 {
        self.limit
    }

    /// Replaces the closest face by a closer face, or by an equally close face with a lower number.
    #[inline(always)]
    fn visit(&mut self, place: u32) {
        let faces = &self.index.leaves[place as usize].faces;
        let distances = std::hint::black_box(self.index.distances_squared(place, &self.query));
        if distances.at_most(Lanes::splat(self.least)).any() {
            for lane in 0..LANES {
                let (distance, face) = (distances.0[lane], faces[lane]);
                let comes_before = self.best.is_none_or(|best| face < best.0);
                if distance < self.least || (distance == self.least && comes_before) {
                    (self.least, self.best) = (distance, Some((face, place, lane)));
                }
            }
            self.limit = single(self.least);
        }
    }
}

/// Upper bound on the keys of all boxes that contain a point at the squared distance `limit` from the query.
#[inline(always)]
pub(super) fn single(limit: f64) -> u32 {
    ((limit * SINGLE_ROUNDING[0] + SINGLE_ROUNDING[1]) as f32).to_bits() | NUMBER
}

/// Two margins of the squared distance to a sample point. The first is relative to this squared distance, the second to
/// the squared norm of the sample point. Because of rounding, the computed distance of a face may exceed the computed
/// distance of one of its nodes.
const SAMPLE_SLACK: [f64; 2] = [1e-9, 1e-20];

/// Upper bound on the squared distance of a query from the surface, with a margin for rounding.
#[inline(always)]
pub(super) fn distance_squared_to_sample(query: &Vec3, sample: &Sample) -> f64 {
    let mut sum = [0.0; CHILDREN];
    for d in 0..3 {
        for k in 0..CHILDREN {
            let offset = sample[d][k] - query[d];
            sum[k] += offset * offset;
        }
    }
    let sum = std::hint::black_box(sum);
    let mut least = f64::MAX;
    for k in 0..CHILDREN {
        least = Real::min(sum[k], least);
    }
    // |sample| ≤ |query| + √least, so |sample|² ≤ 2 (|query|² + least).
    least + SAMPLE_SLACK[0] * least + 2.0 * SAMPLE_SLACK[1] * (query.norm_squared() + least)
}

impl ClosestFaceIndex {
    /// Visits all leaves with keys up to `Visitor::limit`, from the root down, with the nearest child first.
    #[inline(always)]
    pub(super) fn descend(
        &self,
        simd: impl EightLanes,
        query: &Rounded,
        visitor: &mut impl Visitor,
        stack: &mut Stack,
    ) {
        let num_leaves = self.leaves.len() as u32;
        stack[0] = u64::from(num_leaves) + (self.nodes.len() as u64).wrapping_sub(1);
        let mut waiting = usize::from(!self.nodes.is_empty());
        while waiting > 0 {
            waiting -= 1;
            let (key, mut place) = ((stack[waiting] >> 32) as u32, stack[waiting] as u32);
            let mut nearest = key;
            while nearest <= visitor.limit() && place >= num_leaves {
                let node = &self.nodes[(place - num_leaves) as usize];
                let keys = node.keys(simd, query);
                nearest = simd.least(&keys);
                // All children are written. Only children within the limit, except the nearest, advance the end of the
                // stack.
                for k in 0..CHILDREN {
                    stack[waiting] = u64::from(keys[k]) << 32 | u64::from(node.first + k as u32);
                    waiting += (keys[k] <= visitor.limit() && keys[k] != nearest) as usize;
                }
                place = node.first + nearest % CHILDREN as u32;
            }
            if nearest <= visitor.limit() {
                visitor.visit(place);
            }
        }
    }

    #[inline(always)]
    pub(super) fn distances_squared(&self, leaf: u32, query: &PointLanes) -> Lanes {
        match &self.leaves[leaf as usize].shapes {
            Shapes::Triangles(triangles) => triangles.closest_and_slivers(query).0.distance_squared,
            Shapes::Others(places) => self.distances_squared_to_others(places, query),
        }
    }

    /// Sample points of a lowest-level node near the midpoint of the first and the last query.
    ///
    /// The search ignores faces beyond the squared distance `farthest` \[m²\]. If `farthest` is at most `span`², the
    /// result is `None`, because sample points would hardly improve this limit.
    #[inline(always)]
    pub(super) fn sample(&self, simd: impl EightLanes, queries: &[Vec3], farthest: f64) -> Option<&Sample> {
        if farthest <= self.span * self.span {
            return None;
        }
        let middle = (queries[0] + queries[queries.len() - 1]) * 0.5;
        let (middle, num_leaves) = (Rounded::new(&middle, &self.origin), self.leaves.len() as u32);
        let mut place = self.nodes.len() as u32 - 1;
        while self.nodes[place as usize].first >= num_leaves {
            let node = &self.nodes[place as usize];
            let nearest = simd.least(&node.keys(simd, &middle));
            place = node.first - num_leaves + nearest % CHILDREN as u32;
        }
        Some(&self.samples[place as usize])
    }

    /// Lists the lowest-level nodes with keys up to `limit` for the box `around`, and copies the box around each of
    /// these nodes. Returns the number of listed nodes; `None` if the nodes of a level do not fit into the list.
    #[inline(always)]
    pub(super) fn list_nodes(
        &self,
        simd: impl EightLanes,
        (around, limit): (&Rounded, u32),
        listed: &mut [u32; LISTED],
        boxes: &mut [Node; LISTED / CHILDREN],
    ) -> Option<usize> {
        let num_leaves = self.leaves.len() as u32;
        let root = self.nodes.len() - 1;
        let (mut list, mut count) = ([root as u32; LISTED + CHILDREN], 1);
        while count > 0 && self.nodes[list[0] as usize].first >= num_leaves {
            let (level, above) = (list, count);
            count = 0;
            for &node in &level[..above] {
                let node = &self.nodes[node as usize];
                let near = simd.at_most(&node.keys(simd, around), limit);
                let (room, bits) = (list.get_mut(count..count + CHILDREN)?, set_bits(near));
                for k in 0..CHILDREN {
                    room[k] = node.first - num_leaves + u32::from(bits[k]);
                }
                count += near.count_ones() as usize;
            }
        }
        for (lane, &node) in list[..count].iter().enumerate() {
            *listed.get_mut(lane)? = node;
            // Leaves and nodes are numbered together, leaves first. In a complete tree, the parent of leaf or
            // node n is `nodes[n / 8]`.
            let parent = (self.leaves.len() + node as usize) / CHILDREN;
            let above = if node as usize == root { &Node::EVERYTHING } else { &self.nodes[parent] };
            boxes[lane / CHILDREN].put(lane % CHILDREN, above, node as usize % CHILDREN);
        }
        for lane in count..count.next_multiple_of(CHILDREN) {
            boxes[lane / CHILDREN].put(lane % CHILDREN, &Node::NOTHING, 0);
        }
        Some(count)
    }

    /// Leaf and lane of the closest face, by a search from the root down.
    #[inline(always)]
    pub(super) fn search(
        &self,
        simd: impl EightLanes,
        query: &Vec3,
        farthest: f64,
        stack: &mut Stack,
    ) -> Option<(u32, usize)> {
        let mut search = Search::new(self, query, farthest);
        self.descend(simd, &{ search.rounded }, &mut search, stack);
        search.best.map(|(_, leaf, lane)| (leaf, lane))
    }

    /// Writes the closest face of each query to `closest`. `places`: leaf and lane of this face.
    #[inline(always)]
    pub(super) fn closest_faces(
        &self,
        queries: &[Vec3],
        places: &[Option<(u32, usize)>],
        closest: &mut [Option<ClosestFace>],
    ) {
        let (mut leaves, mut lanes) = ([&TriangleLanes::ZERO; LANES], [0; LANES]);
        let mut points = [Vec3::zeros(); LANES];
        for (k, (query, place)) in queries.iter().zip(places).enumerate() {
            points[k] = *query;
            if let Some((leaf, lane)) = *place
                && let Shapes::Triangles(triangles) = &self.leaves[leaf as usize].shapes
            {
                (leaves[k], lanes[k]) = (triangles, lane % LANES);
            }
        }
        let triangles = TriangleLanes::from_fn(|k, corner| leaves[k].corner(lanes[k], corner));
        let found = triangles.closest_and_slivers(&points_from_fn(|k| points[k])).0;
        for (k, (query, place)) in queries.iter().zip(places).enumerate() {
            closest[k] = place.map(|(leaf, lane)| {
                let Leaf { faces, shapes } = &self.leaves[leaf as usize];
                let point = match shapes {
                    Shapes::Others(places) => self.closest_point_of_other(places[lane], query),
                    Shapes::Triangles(_) => found.lane(k),
                };
                ClosestFace { face: faces[lane], point }
            });
        }
    }

    #[inline(never)]
    fn distances_squared_to_others(&self, places: &[u32; LANES], query: &PointLanes) -> Lanes {
        let query = Vec3::new(query[0].0[0], query[1].0[0], query[2].0[0]);
        Lanes(places.map(|place| self.closest_point_of_other(place, &query).distance_squared))
    }

    fn closest_point_of_other(&self, place: u32, query: &Vec3) -> ClosestPoint {
        let (kind, first) = self.other_faces[place as usize];
        let nodes = &self.other_nodes[first as usize..first as usize + kind.num_nodes()];
        closest_point(Method::Auto, Start::Nearest, kind, nodes, query)
    }
}
