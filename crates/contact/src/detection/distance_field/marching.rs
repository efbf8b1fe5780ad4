//! Closest-feature front marching. Distances spread from the surface to the support points ([module](super)). The
//! closest face of a support point is searched only near the closest faces of neighbouring support points.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::support::Support;
use super::target::{Closest, Target};
use crate::math::Vec3;

/// Variant of the algorithm. A heap holds the points with a provisional distance. The front accepts the point of the
/// heap that is nearest to the surface, then searches the closest surface point of each neighbour of the accepted
/// point. The variant selects the faces of this search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Front {
    /// The faces that contain the origin of the accepted point, the support point on the surface from which the front
    /// reached the accepted point (Wolff & Bucher, Algorithm 1).
    Published,
    /// The faces of a walk that begins at the closest face of the accepted point, and ends when no adjacent face is
    /// closer to the neighbour.
    RingWalk,
}

/// A support point in a heap, and its distance \[m\]. Entries ascend by distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Waiting {
    pub distance: f64,
    pub point: u32,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance).then(self.point.cmp(&other.point))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Closest points by a front from the surface; `None` for points that the front does not reach.
///
/// # Cost
/// O(n log n) in the number n of points, on one thread, because points are accepted in the order of their distances.
pub(super) fn front_marching(support: &Support, target: &Target<'_>, front: Front) -> Vec<Option<Closest>> {
    let mut closest: Vec<Option<Closest>> = vec![None; support.positions.len()];
    let mut origin = vec![0; support.positions.len()];
    let mut heap = BinaryHeap::new();
    for (k, boundary) in support.boundary.iter().enumerate() {
        let point = boundary.point as usize;
        if support.is_covered(point) {
            let face = boundary.faces[0].0;
            closest[point] = Some(Closest { distance: 0.0, face, point: support.positions[point] });
            origin[point] = k;
            heap.push(Reverse(Waiting { distance: 0.0, point: boundary.point }));
        }
    }
    let mut is_final = vec![false; support.positions.len()];
    // For each point, the accepted point from which it was last tested. Prevents repeated tests, because
    // `Support::neighbours` can list a neighbour repeatedly.
    let mut tried_from = vec![u32::MAX; support.positions.len()];
    while let Some(Reverse(Waiting { point, .. })) = heap.pop() {
        let Some(from) = closest[point as usize].filter(|_| !is_final[point as usize]) else { continue };
        is_final[point as usize] = true;
        for neighbour in support.neighbours(point as usize) {
            let other = neighbour as usize;
            let is_repeated = std::mem::replace(&mut tried_from[other], point) == point;
            if is_repeated || is_final[other] || support.boundary_of_point[other].is_some() {
                continue;
            }
            let query = &support.positions[other];
            let found = match front {
                Front::Published => {
                    let faces = support.boundary[origin[point as usize]].faces.iter();
                    target.closest_of_faces(faces.map(|face| face.0), query)
                }
                Front::RingWalk => walk(support, target, (point, from), query),
            };
            let Some(found) = found else { continue };
            if closest[other].is_none_or(|best| found.distance < best.distance) {
                closest[other] = Some(found);
                origin[other] = origin[point as usize];
                heap.push(Reverse(Waiting { distance: found.distance, point: neighbour }));
            }
        }
    }
    closest
}

/// The closest point to `query` found by a walk over the surface. The walk begins at the closest face of `point`, or at
/// a face that contains `point` and is nearer to `query`. The walk moves to the closest of the faces that share a node
/// with the present face, and ends when none of these is closer.
fn walk(
    support: &Support,
    target: &Target<'_>,
    (point, from): (u32, Closest),
    query: &Vec3,
) -> Option<Closest> {
    let own = support.boundary_of_point[point as usize].map(|k| &support.boundary[k as usize].faces);
    let own = own.into_iter().flatten().map(|face| face.0);
    let mut best = target.closest_of_faces(own.chain([from.face]), query)?;
    loop {
        let nodes = target.surface.local_nodes_of_face(best.face as usize).iter();
        let ring = nodes.flat_map(|&node| target.surface.faces_of_local_node(node as usize).iter().copied());
        let nearest = target.closest_of_faces(ring, query)?;
        if nearest.distance >= best.distance {
            return Some(best);
        }
        best = nearest;
    }
}
