//! Penetration of a node below its closest face.

use super::closest_faces::{Closest, ClosestFaces};
use crate::detection::face::closest_point::{Feature, Gap, is_past_rim, pseudo_normal_vector, unit_or_zero};
use crate::detection::model::is_behind;
use crate::flush::are_coplanar;

/// Sine of an angle. If the line from a closest point on an edge or corner to a penetrating node makes a smaller angle
/// with the face normal, the contact normal is the face normal.
pub(crate) const STRAIGHT: f64 = 1e-6;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Penetration {
    /// Index of the face among the candidates.
    pub candidate: u32,
    pub xi: [f64; 2],
    pub gap: Gap,
}

impl ClosestFaces<'_> {
    /// The penetration of a node; `None` if the node is not in contact with the face. The gap is the signed distance
    /// from the face minus the offsets of both bodies.
    ///
    /// Let d be the vector from the closest point to the node. If the closest point is on an edge or corner of the
    /// face, the contact normal is the face normal in three cases:
    ///
    /// - The node is not in front of the face, and d is parallel to the face normal within `STRAIGHT` or rounding.
    /// - The node is past a rim: behind the face, but in front of an adjacent face (`is_past_rim`). A contact normal
    ///   along d would push the node along the face.
    /// - The node is below a dent between faces that count as coplanar. A contact normal along d would vary with
    ///   rounding, and would drive motion along the face.
    pub fn penetration(&self, closest: &Closest) -> Option<Penetration> {
        let Self { model, positions, .. } = *self;
        let Closest { candidate: place, point, face_normal, .. } = closest;
        let candidate = &self.candidates[*place as usize];
        let surface = &model.surfaces[candidate.key.target as usize];
        let normal_of = |feature: Feature| {
            pseudo_normal_vector(surface, positions, candidate.face as usize, point.xi, feature)
        };
        let of_feature;
        // A reference, because the processor would have to write a copy before it could read it.
        let pseudo_normal = match (point.feature, face_normal) {
            (Feature::Face, Some(normal)) => normal,
            (feature, _) => {
                of_feature = normal_of(feature);
                &of_feature
            }
        };
        let offset = model.offset([candidate.contactor_body, candidate.key.target]);
        let query = &positions[candidate.key.contactor as usize];
        let from_face = query - point.point;
        // Most nodes are far in front of the face. For these nodes, the cheaper bound `largest_rounding` on the
        // rounding error suffices.
        let before = from_face.dot(pseudo_normal);
        let is_in_front = |rounding: f64| {
            before > 0.0 && before * before > rounding * rounding * pseudo_normal.norm_squared()
        };
        if offset == 0.0 && is_in_front(self.largest_rounding(*place as usize)) {
            return None;
        }
        let rounding = self.rounding(*place as usize);
        if offset == 0.0 && is_in_front(rounding) {
            return None;
        }
        let of_one_body = candidate.contactor_body == candidate.key.target;
        if of_one_body && point.feature != Feature::Face {
            let face_normal = unit_or_zero(&face_normal.unwrap_or_else(|| normal_of(Feature::Face)));
            let is_before = offset > 0.0 && from_face.dot(&face_normal) > 0.0;
            if !(is_before || is_behind(&face_normal, &from_face)) {
                return None;
            }
        }
        let under_face = || {
            let normal = unit_or_zero(&face_normal.unwrap_or_else(|| normal_of(Feature::Face)));
            let gap = from_face.dot(&normal);
            let is_straight = || {
                let off = (from_face - normal * gap).norm();
                off <= f64::max(STRAIGHT * gap.abs(), rounding)
            };
            let is_in_flat_dent = || {
                are_coplanar(&normal, &unit_or_zero(pseudo_normal))
                    && are_coplanar(&normal, &unit_or_zero(&-from_face))
            };
            let face = candidate.face as usize;
            let is_past_rim = || is_past_rim(surface, positions, face, point.xi, point.feature, &from_face);
            (gap <= rounding && (is_straight() || is_in_flat_dent()) || is_past_rim())
                .then_some(Gap { gap, normal })
        };
        let under_face = if point.feature == Feature::Face { None } else { under_face() };
        let Gap { gap, normal } = under_face.unwrap_or_else(|| Gap::new(query, point, pseudo_normal));
        let is_touching = gap - offset <= rounding && (offset == 0.0 || gap >= -model.depth_of(candidate));
        let gap = Gap { gap: gap - offset, normal };
        is_touching.then_some(Penetration { candidate: *place, xi: point.xi, gap })
    }
}
