//! Closest points of the surface for the support points ([module](super)) of the band. The band consists of the
//! elements that the field covers.

use rayon::prelude::*;

use super::DistanceAlgorithm;
use super::fast_marching::fast_marching;
use super::marching::{Front, front_marching};
use super::support::Support;
use super::target::{Closest, Target};
use crate::Surface;
use crate::detection::tree::closest_face::ClosestFaceIndex;
use crate::math::Vec3;
use crate::mesh::CellKind;

/// For each support point, the closest point of the surface; `None` outside the band, and where no front arrives.
pub(super) fn closest_points(
    algorithm: DistanceAlgorithm,
    support: &Support,
    target: &Target<'_>,
) -> Vec<Option<Closest>> {
    let mut closest = match algorithm {
        DistanceAlgorithm::Certified => certified(support, target),
        DistanceAlgorithm::RingWalk => front_marching(support, target, Front::RingWalk),
        DistanceAlgorithm::FrontMarching => front_marching(support, target, Front::Published),
        DistanceAlgorithm::DiscretePoints => discrete_points(support, target),
        DistanceAlgorithm::FastMarching => fast_marching(support, certified(support, target)),
    };
    for boundary in &support.boundary {
        let point = boundary.point as usize;
        let on_surface =
            Closest { distance: 0.0, face: boundary.faces[0].0, point: support.positions[point] };
        closest[point] = support.is_covered(point).then_some(on_surface);
    }
    closest
}

fn certified(support: &Support, target: &Target<'_>) -> Vec<Option<Closest>> {
    let covered: Vec<usize> =
        (0..support.positions.len()).filter(|&point| support.is_covered(point)).collect();
    let queries: Vec<Vec3> = covered.iter().map(|&point| support.positions[point]).collect();
    let mut found = vec![None; queries.len()];
    ClosestFaceIndex::build(target.surface, target.positions).closest_to_all(
        &queries,
        f64::INFINITY,
        &mut found,
    );
    let mut closest = vec![None; support.positions.len()];
    for (&point, found) in covered.iter().zip(found) {
        closest[point] = found.map(|found| Closest {
            distance: found.point.distance_squared.sqrt(),
            face: found.face,
            point: found.point.point,
        });
    }
    closest
}

/// For each support point of the band, finds the nearest support point on the surface, then the closest point of the
/// faces that contain the nearest support point.
fn discrete_points(support: &Support, target: &Target<'_>) -> Vec<Option<Closest>> {
    let places: Vec<Vec3> =
        support.boundary.iter().map(|boundary| support.positions[boundary.point as usize]).collect();
    let numbers: Vec<u32> = (0..places.len() as u32).collect();
    let points = Surface::new(numbers.chunks_exact(1).map(|point| (CellKind::Point1, point)));
    let index = ClosestFaceIndex::build(&points, &places);
    let near = |(point, query): (usize, &Vec3)| {
        let nearest = index.closest(query, f64::INFINITY).filter(|_| support.is_covered(point))?;
        let faces = support.boundary[nearest.face as usize].faces.iter();
        target.closest_of_faces(faces.map(|face| face.0), query)
    };
    support.positions.par_iter().enumerate().map(near).collect()
}
