//! Closest points of up to 16 candidates at a time. Each vector has four lanes, with one candidate per lane.

use crate::detection::face::closest_point::ClosestPoint;
use crate::detection::face::closest_point::batch::{
    ClosestLanes, PointLanes, TriangleLanes, closest_points_and_normals, point_in_lane, points_from_fn,
};
use crate::math::Vec3;
use crate::math::real::{LANES, Lanes};
use crate::math::vectorised::Vectorised;

use super::target_face::TargetFace;
use crate::detection::model::Candidate;

/// Number of sets of four candidates in a `Batch`.
const BLOCKS: usize = 4;

/// Closest points of up to 16 candidates, in sets of four. A set is computed only if all four faces are triangles.
pub(super) struct Batch {
    triangles: [TriangleLanes; BLOCKS],
    queries: [PointLanes; BLOCKS],
    closest: [ClosestLanes; BLOCKS],
    normals: [PointLanes; BLOCKS],
    /// Index of each set of four in the other arrays; `None` if not computed.
    places: [Option<u8>; BLOCKS],
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            triangles: [TriangleLanes::ZERO; BLOCKS],
            queries: [[Lanes::splat(0.0); 3]; BLOCKS],
            closest: [ClosestLanes::ZERO; BLOCKS],
            normals: [[Lanes::splat(0.0); 3]; BLOCKS],
            places: [None; BLOCKS],
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct InLane<'a> {
    closest: &'a ClosestLanes,
    normals: &'a PointLanes,
    lane: usize,
}

impl InLane<'_> {
    pub fn distance_squared(&self) -> f64 {
        self.closest.distance_squared.0[self.lane]
    }

    pub fn point(&self) -> ClosestPoint {
        self.closest.lane(self.lane)
    }

    /// Normal of the triangle, of any length.
    pub fn normal(&self) -> Vec3 {
        point_in_lane(self.normals, self.lane)
    }
}

impl Batch {
    /// Largest number of candidates.
    pub const LEN: usize = LANES * BLOCKS;

    /// Computes the closest points of at most [`Self::LEN`] candidates.
    pub fn find(
        &mut self,
        vectorised: Vectorised,
        candidates: &[Candidate],
        target_faces: &[TargetFace],
        positions: &[Vec3],
    ) {
        let position = |node: u32| positions[node as usize];
        self.places = [None; BLOCKS];
        let mut count = 0;
        let fours = candidates.chunks(LANES).zip(target_faces.chunks(LANES));
        for (place, (candidates, target_faces)) in self.places.iter_mut().zip(fours) {
            let last = candidates.len() - 1;
            let corners = [0, 1, 2, 3].map(|lane| target_faces[lane.min(last)].triangle);
            let [Some(a), Some(b), Some(c), Some(d)] = corners else { continue };
            let corners = [a, b, c, d];
            self.triangles[count] = TriangleLanes::from_fn(|lane, corner| position(corners[lane][corner]));
            self.queries[count] = points_from_fn(|lane| position(candidates[lane.min(last)].key.contactor));
            *place = Some(count as u8);
            count += 1;
        }
        let Self { triangles, queries, closest, normals, .. } = self;
        closest_points_and_normals(vectorised, &triangles[..count], &queries[..count], closest, normals);
    }

    /// Result for the k-th candidate; `None` if not computed.
    pub fn candidate(&self, k: usize) -> Option<InLane<'_>> {
        let place = usize::from(self.places[k / LANES]?);
        Some(InLane { closest: &self.closest[place], normals: &self.normals[place], lane: k % LANES })
    }
}
