//! The surface in the reference configuration, and the points of its faces closest to a given point.

use crate::Surface;
use crate::detection::face::closest_point::{Method, Start, closest_point};
use crate::math::Vec3;

/// Point of the surface closest to a support point ([module](super)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Closest {
    pub distance: f64,
    pub face: u32,
    /// Closest point \[m\].
    pub point: Vec3,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Target<'a> {
    pub surface: &'a Surface,
    pub positions: &'a [Vec3],
}

impl Target<'_> {
    pub fn closest_of_face(&self, face: u32, query: &Vec3) -> Closest {
        let (kind, nodes) = self.surface.face(face as usize);
        let mut places = [Vec3::zeros(); 9];
        places.iter_mut().zip(nodes).for_each(|(place, &node)| *place = self.positions[node as usize]);
        let found = closest_point(Method::Auto, Start::Nearest, kind, &places[..nodes.len()], query);
        Closest { distance: found.distance_squared.sqrt(), face, point: found.point }
    }

    /// Point of the `faces` closest to `query`. Of equally close faces, the first counts.
    pub fn closest_of_faces(&self, faces: impl Iterator<Item = u32>, query: &Vec3) -> Option<Closest> {
        let nearer =
            |best: Closest, other: Closest| if other.distance < best.distance { other } else { best };
        faces.map(|face| self.closest_of_face(face, query)).reduce(nearer)
    }
}
