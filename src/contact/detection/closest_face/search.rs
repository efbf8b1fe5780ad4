//! Branch and bound through the boxes of an index.

#![allow(clippy::needless_range_loop, reason = "a lane is one index of several arrays")]

use super::layout::outward;
use super::*;
use crate::contact::detection::closest_point::batch::PointLanes;
use crate::math::real::Kernel;

/// Fewest queries worth a task of their own.
pub(super) const QUERIES_PER_TASK: usize = 1024;

/// A computed squared distance to a box may exceed that to a point in it by this factor, and by this where it leaves
/// the normal numbers of single precision.
const SINGLE_ROUNDING: [f64; 2] = [1.0 + 16.0 * f32::EPSILON as f64, 1e-37];

/// Last bits of a bound, which hold the number of a child instead.
const LANE_BITS: u32 = CHILDREN as u32 - 1;

/// Most entries waiting: seven for each of at most 11 levels, and eight that are written at a time.
pub(super) const STACK: usize = 7 * 11 + CHILDREN;

/// Nodes and leaves that may hold a closer face: their numbers, below the bits of the bound.
pub(super) type Stack = [u64; STACK];

/// What is done with the leaves that a descent comes to.
pub(super) trait Visitor {
    /// Key beyond which no box counts.
    fn limit(&self) -> u32;
    /// Takes the faces of a leaf into account.
    fn visit(&mut self, leaf: u32);
}

/// The search for one query.
struct Search<'a> {
    index: &'a ClosestFaceIndex,
    query: PointLanes,
    rounded: Rounded,
    /// Squared distance of the best so far, or beyond which nothing counts.
    least: f64,
    /// Key beyond which no box counts.
    limit: u32,
    /// The best so far: the face, its leaf, its lane there.
    best: Option<(u32, u32, usize)>,
}

/// A point, or a box of points, in single precision, rounded down and up.
#[derive(Clone, Copy)]
pub(super) struct Rounded {
    lower: [f32; 3],
    upper: [f32; 3],
}

impl Rounded {
    #[inline(always)]
    pub(super) fn around(points: &[Vec3], origin: &Vec3) -> Self {
        let mut rounded = Self { lower: [f32::INFINITY; 3], upper: [f32::NEG_INFINITY; 3] };
        for point in points {
            for d in 0..3 {
                let [lower, upper] = outward(point[d] - origin[d]);
                rounded.lower[d] = if lower < rounded.lower[d] { lower } else { rounded.lower[d] };
                rounded.upper[d] = if upper > rounded.upper[d] { upper } else { rounded.upper[d] };
            }
        }
        rounded
    }
}

impl Node {
    /// Squares of the distances to a point or a box, as bits, the last of which hold the number of the child.
    #[inline(always)]
    fn keys(&self, point: &Rounded) -> [u32; CHILDREN] {
        // The larger, or what is not a number: that of a box without a child.
        let larger = |a: f32, b: f32| if a > b { a } else { b };
        let mut sum = [0.0; CHILDREN];
        for d in 0..3 {
            let (lower, upper) = (&self.lower[d], &self.upper[d]);
            for k in 0..CHILDREN {
                let outside = larger(0.0, larger(lower[k] - point.upper[d], point.lower[d] - upper[k]));
                sum[k] += outside * outside;
            }
        }
        let mut keys = [0; CHILDREN];
        for k in 0..CHILDREN {
            keys[k] = sum[k].to_bits() & !LANE_BITS | k as u32;
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
            rounded: Rounded::around(std::slice::from_ref(query), &index.origin),
            least: farthest,
            limit: single(farthest),
            best: None,
        }
    }

    /// Looks through all leaves below the listed nodes of the lowest level, the nearest first.
    #[inline(always)]
    fn scan(&mut self, nodes: &[u32], near: &mut [u64; CHILDREN * LISTED]) {
        let limit = self.limit;
        let mut count = 0;
        for &node in nodes {
            let node = &self.index.nodes[node as usize];
            let keys = std::hint::black_box(node.keys(&self.rounded));
            for k in 0..CHILDREN {
                near[count] = u64::from(keys[k]) << 32 | u64::from(node.first + k as u32);
                count += (keys[k] <= limit) as usize;
            }
        }
        if count == 0 {
            return;
        }
        let mut nearest = 0;
        for k in 1..count {
            nearest = if near[k] < near[nearest] { k } else { nearest };
        }
        near.swap(0, nearest);
        for &entry in &near[..count] {
            let place = entry as u32;
            if (entry >> 32) as u32 <= self.limit {
                self.visit(place);
            }
        }
    }
}

impl Visitor for Search<'_> {
    #[inline(always)]
    fn limit(&self) -> u32 {
        self.limit
    }

    /// Takes the faces of a leaf into account: closer ones, and as close ones that come before.
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

/// Key of boxes at the given squared distance, rounded up.
#[inline(always)]
pub(super) fn single(limit: f64) -> u32 {
    ((limit * SINGLE_ROUNDING[0] + SINGLE_ROUNDING[1]) as f32).to_bits() | LANE_BITS
}

/// Queries that go through the upper levels together.
const GROUP: usize = 3;

/// Most nodes of the lowest level that a group may list; scattered queries, which would need more, go alone.
const LISTED: usize = 64;

/// Searches for consecutive queries, a group at a time.
struct SearchAll<'a> {
    index: &'a ClosestFaceIndex,
    queries: &'a [Vec3],
    radius: f64,
    closest: &'a mut [Option<ClosestFace>],
}

impl Kernel for SearchAll<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (mut stack, mut listed, mut near) = ([0; STACK], [0; LISTED], [0; CHILDREN * LISTED]);
        let farthest = (self.radius * self.radius).min(f64::MAX);
        let mut seed_point = Vec3::repeat(f64::INFINITY);
        for (queries, closest) in self.queries.chunks(GROUP).zip(self.closest.chunks_mut(GROUP)) {
            let mut reach = 0.0;
            for query in queries {
                reach = Real::max(farthest.min(distance_squared_to_seed(query, &seed_point)), reach);
            }
            let nodes = self.index.nodes_near(queries, reach, &mut listed);
            for (query, closest) in queries.iter().zip(closest) {
                *closest = None;
                if !(is_finite(query) && self.radius >= 0.0) {
                    continue;
                }
                let limit = farthest.min(distance_squared_to_seed(query, &seed_point));
                let mut search = Search::new(self.index, query, limit);
                match nodes {
                    Some(nodes) => search.scan(nodes, &mut near),
                    None => self.index.descend(&{ search.rounded }, &mut search, &mut stack),
                }
                if let Some((_, leaf, lane)) = search.best {
                    let best = self.index.closest_face(leaf, lane, query);
                    seed_point = best.point.point;
                    *closest = Some(best);
                }
            }
        }
    }
}

/// A point that was computed to be on the surface is off it by rounding: relative slack of the squared distance to
/// it, and slack relative to the squared coordinates.
const SEED_SLACK: [f64; 2] = [1e-9, 1e-20];

/// Upper bound on the squared distance to the surface, from a point of the surface.
#[inline(always)]
fn distance_squared_to_seed(query: &Vec3, seed: &Vec3) -> f64 {
    let distance_squared = (query - seed).norm_squared();
    let coordinates_squared = Real::max(query.norm_squared(), seed.norm_squared());
    distance_squared + SEED_SLACK[0] * distance_squared + SEED_SLACK[1] * coordinates_squared
}

#[inline(always)]
pub(super) fn is_finite(point: &Vec3) -> bool {
    point.x.is_finite() && point.y.is_finite() && point.z.is_finite()
}

impl ClosestFaceIndex {
    /// Shows a visitor all leaves within its limit, from the root down, nearer boxes first.
    #[inline(always)]
    pub(super) fn descend(&self, query: &Rounded, visitor: &mut impl Visitor, stack: &mut Stack) {
        let num_leaves = self.leaves.len() as u32;
        stack[0] = u64::from(num_leaves) + (self.nodes.len() as u64).wrapping_sub(1);
        let mut waiting = usize::from(!self.nodes.is_empty());
        while waiting > 0 {
            waiting -= 1;
            let (key, mut place) = ((stack[waiting] >> 32) as u32, stack[waiting] as u32);
            let mut nearest = key;
            while nearest <= visitor.limit() && place >= num_leaves {
                let node = &self.nodes[(place - num_leaves) as usize];
                let keys = std::hint::black_box(node.keys(query));
                nearest = keys[0];
                for k in 1..CHILDREN {
                    nearest = nearest.min(keys[k]);
                }
                // All are written, those that count are kept.
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

    /// Squared distances of the faces of a leaf.
    #[inline(always)]
    pub(super) fn distances_squared(&self, leaf: u32, query: &PointLanes) -> Lanes {
        match &self.leaves[leaf as usize].shapes {
            Shapes::Triangles(triangles) => triangles.closest_and_slivers(query).0.distance_squared,
            Shapes::Others(places) => self.distances_squared_to_others(places, query),
        }
    }

    /// The closest face no farther than `radius` \[m\] from `query`, if any; of equally close ones the first. None
    /// where the query is not finite.
    pub fn closest(&self, query: &Vec3, radius: f64) -> Option<ClosestFace> {
        let mut closest = [None];
        self.closest_to_all(&[*query], radius, &mut closest);
        closest[0]
    }

    /// The closest face of each query, as [`ClosestFaceIndex::closest`] gives it; in parallel.
    ///
    /// # Cost
    /// No allocation. Queries near the one before them cost less.
    pub fn closest_to_all(&self, queries: &[Vec3], radius: f64, closest: &mut [Option<ClosestFace>]) {
        queries.par_chunks(QUERIES_PER_TASK).zip(closest.par_chunks_mut(QUERIES_PER_TASK)).for_each(
            |(queries, closest)| self.vectorised.run(SearchAll { index: self, queries, radius, closest }),
        );
    }

    /// Nodes of the lowest level within the given squared distance of the box of the queries; `None` if they are
    /// too many to list.
    #[inline(always)]
    fn nodes_near<'a>(
        &self,
        queries: &[Vec3],
        reach: f64,
        listed: &'a mut [u32; LISTED],
    ) -> Option<&'a [u32]> {
        if reach >= f64::MAX || self.nodes.is_empty() {
            return None;
        }
        let (around, limit) = (Rounded::around(queries, &self.origin), single(reach));
        let num_leaves = self.leaves.len() as u32;
        // Breadth first: the list of one level makes that of the next.
        let (mut count, mut next) = (1, [0; LISTED]);
        listed[0] = self.nodes.len() as u32 - 1;
        while count > 0 && self.nodes[listed[0] as usize].first >= num_leaves {
            let mut below = 0;
            for &node in &listed[..count] {
                if below + CHILDREN > LISTED {
                    return None;
                }
                let node = &self.nodes[node as usize];
                let keys = std::hint::black_box(node.keys(&around));
                for k in 0..CHILDREN {
                    next[below] = node.first - num_leaves + k as u32;
                    below += (keys[k] <= limit) as usize;
                }
            }
            listed[..below].copy_from_slice(&next[..below]);
            count = below;
        }
        Some(&listed[..count])
    }

    #[inline(always)]
    fn closest_face(&self, leaf: u32, lane: usize, query: &Vec3) -> ClosestFace {
        let Leaf { faces, shapes } = &self.leaves[leaf as usize];
        let point = match shapes {
            Shapes::Triangles(triangles) => {
                closest_point(Method::Auto, Start::Nearest, CellKind::Tri3, &triangles.triangle(lane), query)
            }
            Shapes::Others(places) => self.closest_point_of_other(places[lane], query),
        };
        ClosestFace { face: faces[lane], point }
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
