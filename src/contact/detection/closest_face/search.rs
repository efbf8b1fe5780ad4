//! Branch and bound through the boxes of an index.

#![allow(clippy::needless_range_loop, reason = "a lane is one index of several arrays")]

use super::*;
use crate::contact::detection::closest_point::batch::PointLanes;
use crate::math::real::Kernel;

/// Fewest queries worth a task of their own.
const QUERIES_PER_TASK: usize = 1024;

/// A computed distance to a box may exceed that to a point in it by this, relatively.
const ROUNDING: f64 = 1.0 + 16.0 * f64::EPSILON;

/// Most entries waiting: three for each of at most 16 levels.
const STACK: usize = 48;

/// A node that may hold a closer face.
#[derive(Clone, Copy)]
struct Pending {
    bound: f64,
    level: u32,
    node: u32,
}

/// The search for one query.
pub(super) struct Search<'a> {
    index: &'a ClosestFaceIndex,
    query: Vec3,
    lanes: PointLanes,
    /// Squared distance beyond which nothing counts, rounding included.
    limit: f64,
    best: Option<ClosestFace>,
    leaf: u32,
}

impl Boxes {
    /// Squares of the distances to a point.
    #[inline(always)]
    fn distances_squared(&self, point: &PointLanes) -> Lanes {
        self.distances_squared_of_box(point, point)
    }

    /// Squares of the distances to a box.
    #[inline(always)]
    fn distances_squared_of_box(&self, lower: &PointLanes, upper: &PointLanes) -> Lanes {
        let zero = Lanes::splat(0.0);
        let mut sum = zero;
        for d in 0..3 {
            let outside = (self.lower[d] - upper[d]).max(lower[d] - self.upper[d]).max(zero);
            sum += outside * outside;
        }
        sum
    }
}

impl<'a> Search<'a> {
    #[inline(always)]
    fn new(index: &'a ClosestFaceIndex, query: &Vec3, limit: f64) -> Self {
        let lanes = [Lanes::splat(query.x), Lanes::splat(query.y), Lanes::splat(query.z)];
        Self { index, query: *query, lanes, limit, best: None, leaf: u32::MAX }
    }

    /// Takes the faces of a leaf into account.
    #[inline(always)]
    pub fn visit(&mut self, leaf: u32) {
        let Leaf { faces, shapes } = &self.index.leaves[leaf as usize];
        match shapes {
            Shapes::Triangles(triangles) => {
                let (closest, _) = triangles.closest_and_slivers(&self.lanes);
                // As in `Lanes::settled`.
                std::hint::black_box(&closest);
                if closest.distance_squared.at_most(Lanes::splat(self.limit)).any() {
                    for lane in 0..LANES {
                        if self.is_better(closest.distance_squared.0[lane], faces[lane]) {
                            self.accept(faces[lane], closest.lane(lane), leaf);
                        }
                    }
                }
            }
            Shapes::Others(boxes, places) => self.visit_others(leaf, faces, boxes, places),
        }
    }

    #[inline(never)]
    fn visit_others(&mut self, leaf: u32, faces: &[u32; LANES], boxes: &Boxes, places: &[u32; LANES]) {
        let bounds = boxes.distances_squared(&self.lanes);
        for lane in 0..LANES {
            if bounds.0[lane] <= self.limit {
                let point = self.index.closest_point_of_other(places[lane], &self.query);
                if self.is_better(point.distance_squared, faces[lane]) {
                    self.accept(faces[lane], point, leaf);
                }
            }
        }
    }

    /// Whether a face is closer than the best so far, or as close and before it.
    #[inline(always)]
    fn is_better(&self, distance_squared: f64, face: u32) -> bool {
        match &self.best {
            None => distance_squared <= self.limit,
            Some(best) => {
                let least = best.point.distance_squared;
                distance_squared < least || (distance_squared == least && face < best.face)
            }
        }
    }

    #[inline(always)]
    fn accept(&mut self, face: u32, point: ClosestPoint, leaf: u32) {
        self.limit = point.distance_squared * ROUNDING;
        self.best = Some(ClosestFace { face, point });
        self.leaf = leaf;
    }

    /// Looks through all leaves below the listed nodes of the lowest level, the nearest first.
    #[inline(always)]
    fn scan(&mut self, nodes: &[u32], near: &mut [(f64, u32); LANES * LISTED]) {
        let (mut count, mut nearest) = (0, 0);
        for &node in nodes {
            let bounds = self.index.nodes[node as usize].distances_squared(&self.lanes).settled();
            for lane in 0..LANES {
                near[count] = (bounds[lane], LANES as u32 * node + lane as u32);
                nearest = if bounds[lane] < near[nearest].0 { count } else { nearest };
                count += (bounds[lane] <= self.limit) as usize;
            }
        }
        if count == 0 {
            return;
        }
        near.swap(0, nearest);
        for &(bound, leaf) in &near[..count] {
            if bound <= self.limit {
                self.visit(leaf);
            }
        }
    }

    /// Looks through all leaves from the root down.
    #[inline(always)]
    fn descend(&mut self) {
        let index = self.index;
        let Some(top) = index.levels.len().checked_sub(1) else { return };
        let mut stack = [Pending { bound: 0.0, level: 0, node: 0 }; STACK];
        let mut waiting = 0;
        let mut current = Pending { bound: 0.0, level: top as u32, node: 0 };
        loop {
            let boxes = &index.nodes[index.levels[current.level as usize] + current.node as usize];
            let bounds = boxes.distances_squared(&self.lanes).settled();
            let first = LANES as u32 * current.node;
            if current.level == 0 {
                let nearest = nearest_of(&bounds);
                for k in 0..LANES {
                    let lane = k ^ nearest;
                    if bounds[lane] <= self.limit {
                        self.visit(first + lane as u32);
                    }
                }
            } else {
                let nearest = nearest_of(&bounds);
                for lane in 0..LANES {
                    if lane != nearest && bounds[lane] <= self.limit {
                        stack[waiting] = Pending {
                            bound: bounds[lane],
                            level: current.level - 1,
                            node: first + lane as u32,
                        };
                        waiting += 1;
                    }
                }
                if bounds[nearest] <= self.limit {
                    current = Pending {
                        bound: bounds[nearest],
                        level: current.level - 1,
                        node: first + nearest as u32,
                    };
                    continue;
                }
            }
            loop {
                if waiting == 0 {
                    return;
                }
                waiting -= 1;
                if stack[waiting].bound <= self.limit {
                    break;
                }
            }
            current = stack[waiting];
        }
    }
}

/// Lane of the least bound.
#[inline(always)]
fn nearest_of(bounds: &[f64; LANES]) -> usize {
    let first = if bounds[1] < bounds[0] { 1 } else { 0 };
    let second = if bounds[3] < bounds[2] { 3 } else { 2 };
    if bounds[second] < bounds[first] { second } else { first }
}

/// Queries that go through the upper levels together.
const GROUP: usize = 4;

/// Most nodes of the lowest level that a group may list; scattered queries, which would need more, go alone.
const LISTED: usize = 64;

/// A point that was computed to be on the surface is off it by rounding: relative slack of the squared distance to
/// it, and slack relative to the squared coordinates.
const SEED_SLACK: [f64; 2] = [1e-9, 1e-20];

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
        let (mut listed, mut near) = ([0; LISTED], [(0.0, 0); LANES * LISTED]);
        let farthest = (self.radius * self.radius * ROUNDING).min(f64::MAX);
        let mut seed = None;
        for (queries, closest) in self.queries.chunks(GROUP).zip(self.closest.chunks_mut(GROUP)) {
            let mut reach = 0.0;
            for query in queries {
                reach = Real::max(farthest.min(distance_squared_to_seed(query, seed)), reach);
            }
            let nodes = self.index.nodes_near(queries, reach, &mut listed);
            for (query, closest) in queries.iter().zip(closest) {
                if !(query.x.is_finite() && query.y.is_finite() && query.z.is_finite()) {
                    *closest = None;
                    continue;
                }
                let limit = farthest.min(reach).min(distance_squared_to_seed(query, seed));
                let mut search = Search::new(self.index, query, limit);
                match nodes {
                    Some(nodes) => search.scan(nodes, &mut near),
                    None => search.descend(),
                }
                if let Some(best) = &search.best {
                    seed = Some(best.point.point);
                }
                *closest =
                    search.best.filter(|best| best.point.distance_squared <= self.radius * self.radius);
            }
        }
    }
}

/// Upper bound on the squared distance to the surface, from a point of the surface.
#[inline(always)]
fn distance_squared_to_seed(query: &Vec3, seed: Option<Vec3>) -> f64 {
    let Some(seed) = seed else { return f64::MAX };
    let distance_squared = (query - seed).norm_squared();
    let coordinates_squared = Real::max(query.norm_squared(), seed.norm_squared());
    distance_squared + SEED_SLACK[0] * distance_squared + SEED_SLACK[1] * coordinates_squared
}

impl ClosestFaceIndex {
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
        if reach >= f64::MAX || self.levels.is_empty() {
            return None;
        }
        let (mut lower, mut upper) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        for query in queries {
            for d in 0..3 {
                lower[d] = Real::min(query[d], lower[d]);
                upper[d] = Real::max(query[d], upper[d]);
            }
        }
        let lower = [Lanes::splat(lower.x), Lanes::splat(lower.y), Lanes::splat(lower.z)];
        let upper = [Lanes::splat(upper.x), Lanes::splat(upper.y), Lanes::splat(upper.z)];
        // Breadth first: the list of one level makes that of the next.
        let (mut count, mut next) = (1, [0; LISTED]);
        listed[0] = 0;
        for level in (1..self.levels.len()).rev() {
            let mut below = 0;
            for &node in &listed[..count] {
                if below + LANES > LISTED {
                    return None;
                }
                let bounds = self.nodes[self.levels[level] + node as usize]
                    .distances_squared_of_box(&lower, &upper)
                    .settled();
                for lane in 0..LANES {
                    next[below] = LANES as u32 * node + lane as u32;
                    below += (bounds[lane] <= reach) as usize;
                }
            }
            listed[..below].copy_from_slice(&next[..below]);
            count = below;
        }
        Some(&listed[..count])
    }

    fn closest_point_of_other(&self, place: u32, query: &Vec3) -> ClosestPoint {
        let (kind, first) = self.other_faces[place as usize];
        let nodes = &self.other_nodes[first as usize..first as usize + kind.num_nodes()];
        closest_point(Method::Auto, Start::Nearest, kind, nodes, query)
    }
}
