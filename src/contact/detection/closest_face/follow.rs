//! The closest faces of queries that move little, from the faces that were nearest to each.
//!
//! A search of the index finds the nearest faces of a query and their distances then. Since that, no face has come
//! nearer than by the way of the query and the largest way of a node of the surface. So the faces are looked at in
//! that order, and the first that no later one can have passed is the answer: mostly the first or the second. Where
//! none is, the query is searched for anew.
//!
//! # Source
//! Verlet 1967, "Computer \"experiments\" on classical fluids. I", for lists of neighbours that hold while little
//! moves; here the list of a query has a length instead of a radius.

#![expect(clippy::needless_range_loop, reason = "a lane is one index of several arrays")]

use super::search::{Rounded, STACK, Stack, Visitor, single};
use super::together::QUERIES_PER_TASK;
use super::*;
use crate::contact::detection::closest_point::batch::{ClosestLanes, PointLanes, TriangleLanes};
use crate::contact::detection::control_points::MAX_CONTROL_POINTS;
use crate::math::octet::{Octets, PlainOctets};
use crate::math::vectorised::Kernel;

/// Faces of a list, and one whose distance ends it.
const LISTED: usize = 8;

/// Distances rounded to single precision may be larger by this, relatively.
const ROUNDING: f64 = 1.0 - f32::EPSILON as f64;

/// The faces nearest to a query when it was last searched for.
#[derive(Clone, Copy, Debug)]
pub struct Neighbourhood {
    query: Vec3,
    /// The nearest first.
    faces: [u32; LISTED],
    /// Their distances, rounded down; infinite beyond the last.
    distances: [f32; LISTED],
}

impl Default for Neighbourhood {
    /// That of a query that was never searched for.
    fn default() -> Self {
        Self { query: Vec3::repeat(f64::NAN), faces: [u32::MAX; LISTED], distances: [f32::NAN; LISTED] }
    }
}

/// A surface as it is now.
struct Moved<'a> {
    index: &'a ClosestFaceIndex,
    surface: &'a Surface,
    positions: &'a [Vec3],
    /// How far a point of it may have moved since the index was built.
    way: f64,
    radius: f64,
}

impl Moved<'_> {
    #[inline(always)]
    fn closest_point(&self, face: u32, query: &Vec3) -> ClosestPoint {
        match self.surface.face(face as usize) {
            (CellKind::Tri3, &[a, b, c]) => {
                let corners = [a, b, c].map(|node| self.positions[node as usize]);
                closest_point(Method::Auto, Start::Nearest, CellKind::Tri3, &corners, query)
            }
            (kind, nodes) => self.closest_point_of_other(kind, nodes, query),
        }
    }

    #[inline(never)]
    fn closest_point_of_other(&self, kind: CellKind, nodes: &[u32], query: &Vec3) -> ClosestPoint {
        let mut positions = [Vec3::zeros(); MAX_CONTROL_POINTS];
        for (position, &node) in positions.iter_mut().zip(nodes) {
            *position = self.positions[node as usize];
        }
        closest_point(Method::Auto, Start::Nearest, kind, &positions[..nodes.len()], query)
    }

    /// Closest points of the first faces of four lists; `None` unless they all are plain triangles.
    #[inline(always)]
    fn first_points(&self, neighbourhoods: &[Neighbourhood], queries: &[Vec3]) -> Option<ClosestLanes> {
        let (mut triangles, mut points) = (TriangleLanes::ZERO, [Lanes([0.0; LANES]); 3]);
        for lane in 0..LANES {
            let (neighbourhood, query) = (neighbourhoods.get(lane)?, queries.get(lane)?);
            let face = neighbourhood.faces[0] as usize;
            if face >= self.surface.num_faces() {
                return None;
            }
            let (CellKind::Tri3, &[a, b, c]) = self.surface.face(face) else { return None };
            for (corner, node) in [a, b, c].into_iter().enumerate() {
                for d in 0..3 {
                    triangles.corners[corner][d].0[lane] = self.positions[node as usize][d];
                }
            }
            for d in 0..3 {
                points[d].0[lane] = query[d];
            }
        }
        let (closest, slivers) = triangles.closest_and_slivers(&points);
        (!slivers.any()).then_some(closest)
    }

    /// The closest face by the list, given the point on its first; `Err` if one that is not on it may be closer.
    #[inline(always)]
    fn look_up(
        &self,
        neighbourhood: &Neighbourhood,
        query: &Vec3,
        first: Option<ClosestPoint>,
    ) -> Result<Option<ClosestFace>, ()> {
        let way = (query - neighbourhood.query).norm() + self.way;
        let mut nearest = Nearest { least: self.radius * self.radius, face: None };
        // Faces that were farther than this do not count.
        let reach = |nearest: f64| (nearest + way) * (1.0 + 8.0 * f64::EPSILON) + 2.0 * self.index.margin;
        let mut limit = reach(self.radius);
        for k in 0..LISTED {
            if f64::from(neighbourhood.distances[k]) > limit {
                return Ok(nearest.face);
            }
            let face = neighbourhood.faces[k];
            if k < LISTED - 1 && face != u32::MAX {
                let first = first.filter(|_| k == 0);
                let point = first.unwrap_or_else(|| self.closest_point(face, query));
                if nearest.take(face, point) {
                    limit = reach(point.distance_squared.sqrt());
                }
            }
        }
        Err(())
    }
    /// The closest face by the index; renews the list.
    #[inline(never)]
    fn search(&self, neighbourhood: &mut Neighbourhood, query: &Vec3) -> Option<ClosestFace> {
        if !(is_finite(query) && self.radius >= 0.0) {
            return None;
        }
        self.index.vectorised.run(Renew { index: self.index, neighbourhood, query });
        self.look_up(neighbourhood, query, None).unwrap_or_else(|()| {
            let nearest = Nearest { least: Real::min(f64::MAX, self.radius * self.radius), face: None };
            let mut search = NearestMoved { moved: self, query: *query, nearest, limit: 0 };
            search.narrow();
            let rounded = Rounded::new(query, &self.index.origin);
            self.index.descend(PlainOctets, &rounded, &mut search, &mut [0; STACK]);
            search.nearest.face
        })
    }
}

/// The nearest face so far.
struct Nearest {
    least: f64,
    face: Option<ClosestFace>,
}

impl Nearest {
    /// Takes a face if it is closer, or as close and before the nearest so far.
    #[inline(always)]
    fn take(&mut self, face: u32, point: ClosestPoint) -> bool {
        let comes_before = self.face.is_none_or(|nearest| face < nearest.face);
        let is_nearer =
            point.distance_squared < self.least || (point.distance_squared == self.least && comes_before);
        if is_nearer {
            (self.least, self.face) = (point.distance_squared, Some(ClosestFace { face, point }));
        }
        is_nearer
    }
}

/// The search for the few nearest faces in the configuration of the index.
struct NearestFew<'a> {
    index: &'a ClosestFaceIndex,
    query: PointLanes,
    faces: [u32; LISTED],
    distances_squared: [f64; LISTED],
}

impl Visitor for NearestFew<'_> {
    #[inline(always)]
    fn limit(&self) -> u32 {
        single(self.distances_squared[LISTED - 1])
    }

    #[inline(always)]
    fn visit(&mut self, leaf: u32) {
        let distances_squared = self.index.distances_squared(leaf, &self.query).settled();
        for lane in 0..LANES {
            let face = self.index.leaves[leaf as usize].faces[lane];
            if distances_squared[lane] < self.distances_squared[LISTED - 1] && !self.faces.contains(&face) {
                let mut place = LISTED - 1;
                while place > 0 && self.distances_squared[place - 1] > distances_squared[lane] {
                    self.faces[place] = self.faces[place - 1];
                    self.distances_squared[place] = self.distances_squared[place - 1];
                    place -= 1;
                }
                (self.faces[place], self.distances_squared[place]) = (face, distances_squared[lane]);
            }
        }
    }
}

/// The search for the nearest face of a surface that has moved.
struct NearestMoved<'a> {
    moved: &'a Moved<'a>,
    query: Vec3,
    nearest: Nearest,
    limit: u32,
}

impl NearestMoved<'_> {
    #[inline(always)]
    fn narrow(&mut self) {
        let reach = Real::min(f64::MAX, self.nearest.least.sqrt() + self.moved.way + self.moved.index.margin);
        self.limit = single(Real::min(f64::MAX, reach * reach));
    }
}

impl Visitor for NearestMoved<'_> {
    #[inline(always)]
    fn limit(&self) -> u32 {
        self.limit
    }

    fn visit(&mut self, leaf: u32) {
        for face in self.moved.index.leaves[leaf as usize].faces {
            if self.nearest.take(face, self.moved.closest_point(face, &self.query)) {
                self.narrow();
            }
        }
    }
}

/// Follows consecutive queries.
struct Follow<'a> {
    moved: &'a Moved<'a>,
    queries: &'a [Vec3],
    neighbourhoods: &'a mut [Neighbourhood],
    closest: &'a mut [Option<ClosestFace>],
}

impl Kernel for Follow<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, _: impl Octets) {
        let places = self.neighbourhoods.chunks_mut(LANES).zip(self.closest.chunks_mut(LANES));
        for (queries, (neighbourhoods, closest)) in self.queries.chunks(LANES).zip(places) {
            let first = self.moved.first_points(neighbourhoods, queries);
            let places = neighbourhoods.iter_mut().zip(closest);
            for (lane, (query, (neighbourhood, closest))) in queries.iter().zip(places).enumerate() {
                let first = first.as_ref().map(|first| first.lane(lane));
                *closest = match self.moved.look_up(neighbourhood, query, first) {
                    Ok(found) => found,
                    Err(()) => self.moved.search(neighbourhood, query),
                };
            }
        }
    }
}

/// Lists the faces that are nearest to a query.
struct Renew<'a> {
    index: &'a ClosestFaceIndex,
    neighbourhood: &'a mut Neighbourhood,
    query: &'a Vec3,
}

impl Kernel for Renew<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, octets: impl Octets) {
        let query = self.query;
        let mut few = NearestFew {
            index: self.index,
            query: [Lanes::splat(query.x), Lanes::splat(query.y), Lanes::splat(query.z)],
            faces: [u32::MAX; LISTED],
            distances_squared: [f64::MAX; LISTED],
        };
        let rounded = Rounded::new(query, &self.index.origin);
        let mut stack: Stack = [0; STACK];
        self.index.descend(octets, &rounded, &mut few, &mut stack);
        *self.neighbourhood = Neighbourhood {
            query: *query,
            faces: few.faces,
            distances: few.distances_squared.map(|squared| (squared.sqrt() * ROUNDING) as f32),
        };
    }
}

impl ClosestFaceIndex {
    /// The closest face of each query on a surface whose nodes are at `positions` \[m\] now, as an index of it would
    /// give it; in parallel. A neighbourhood belongs to each query, from one call for this index to the next.
    ///
    /// # Cost
    /// No allocation. Queries and surfaces that move less than the faces are apart cost no search; the index should
    /// be built anew when the surface has moved farther.
    ///
    /// # Panics
    /// If `surface` is not that of the index or `positions` are too few for it.
    pub fn follow(
        &self,
        (surface, positions): (&Surface, &[Vec3]),
        queries: &[Vec3],
        radius: f64,
        neighbourhoods: &mut [Neighbourhood],
        closest: &mut [Option<ClosestFace>],
    ) {
        let radius = if radius >= 0.0 { radius } else { f64::NAN };
        let moved = Moved { index: self, surface, positions, way: self.way(surface, positions), radius };
        queries
            .par_chunks(QUERIES_PER_TASK)
            .zip(neighbourhoods.par_chunks_mut(QUERIES_PER_TASK))
            .zip(closest.par_chunks_mut(QUERIES_PER_TASK))
            .for_each(|((queries, neighbourhoods), closest)| {
                self.vectorised.run(Follow { moved: &moved, queries, neighbourhoods, closest });
            });
    }

    /// Bound on the way of any point of the surface since the index was built; infinite where positions are not
    /// numbers.
    fn way(&self, surface: &Surface, positions: &[Vec3]) -> f64 {
        let largest = self
            .positions
            .par_iter()
            .zip(surface.nodes())
            .with_min_len(QUERIES_PER_TASK)
            .map(|(before, &node)| (positions[node as usize] - before).norm_squared())
            .map(|squared| if squared >= 0.0 { squared } else { f64::INFINITY })
            .reduce(|| 0.0, f64::max);
        largest.sqrt() * self.spread * (1.0 + 8.0 * f64::EPSILON)
    }
}
