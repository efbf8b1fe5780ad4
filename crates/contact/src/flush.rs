//! Flush surfaces: coplanar surfaces at the same height, over which a contact continues from one surface to the other.
//!
//! Detection and response share these criteria. A contact that passes to another surface keeps its spring only if both
//! detection and response continue the contact on this surface.

use crate::math::Vec3;

/// Gap, relative to the largest coordinate, up to which surfaces touch. With this tolerance, flush surfaces of blocks
/// that rest or fall together touch everywhere. Without a tolerance, rounding would select the contacts at random.
const FLUSH: f64 = 1e-12;
/// Cosine of the largest angle, about 1°, between the normals of flush surfaces, or of one face in consecutive steps.
const COPLANAR: f64 = 0.9998;
/// Cosine of the largest angle, about 26°, between aligned directions.
const ALONG: f64 = 0.9;
/// Largest ratio of the depth of a continued contact to its earlier depth; a larger ratio indicates that the surfaces
/// differ in height.
pub const DEEPER: f64 = 2.0;

/// Gap up to which surfaces touch for coordinates of this size \[m\].
pub fn rounding_of_gap_at(size: f64) -> f64 {
    FLUSH * size
}

/// Gap up to which features with these points touch: the rounding error of the gap \[m\].
pub fn rounding_of_gap<'a>(points: impl IntoIterator<Item = &'a Vec3>) -> f64 {
    rounding_of_gap_at(points.into_iter().map(Vec3::amax).fold(0.0, f64::max))
}

/// Whether surfaces with these unit normals are coplanar.
pub fn are_coplanar(a: &Vec3, b: &Vec3) -> bool {
    a.dot(b) > COPLANAR
}

/// Whether two unit vectors are aligned, for example the normals of a contact and of a face on which the contact
/// continues.
pub fn is_along(a: &Vec3, b: &Vec3) -> bool {
    a.dot(b) > ALONG
}

/// Whether directions of any length are opposed.
pub fn are_opposite(a: &Vec3, b: &Vec3) -> bool {
    a.dot(b) < -ALONG * a.norm() * b.norm()
}

/// Whether a gap \[m\] is at most [`DEEPER`] times as deep as another gap.
pub fn is_as_deep(gap: f64, other: f64) -> bool {
    gap >= DEEPER * other
}

/// Whether the first of two contacts of a node continues as the second contact, given their unit normals and gaps
/// \[m\].
pub fn continues([normal, other]: [&Vec3; 2], [gap, other_gap]: [f64; 2]) -> bool {
    are_coplanar(normal, other) && is_as_deep(other_gap, gap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_continue_over_flush_seams() {
        let tilted = |degrees: f64| {
            let (sine, cosine) = degrees.to_radians().sin_cos();
            Vec3::new(sine, 0.0, cosine)
        };
        let on = |degrees: f64, gap: f64| continues([&Vec3::z(), &tilted(degrees)], [-0.1, gap]);
        assert!(on(0.0, -0.1) && on(1.1, -0.2) && on(0.0, 0.0));
        assert!(!on(1.2, -0.1) && !on(0.0, -0.201) && !on(90.0, -0.1));
        assert!(is_along(&Vec3::z(), &tilted(25.0)) && !is_along(&Vec3::z(), &tilted(26.0)));
        assert!(!is_along(&Vec3::z(), &-Vec3::z()) && are_opposite(&Vec3::z(), &(tilted(25.0) * -7.0)));
        assert!(!are_opposite(&Vec3::z(), &(tilted(26.0) * -7.0)));
    }

    #[test]
    fn rounding_follows_the_largest_coordinate() {
        let points = [Vec3::new(1.0, -3.0, 2.0), Vec3::new(0.5, 0.0, 0.0)];
        assert_eq!(rounding_of_gap(&points), rounding_of_gap_at(3.0));
        assert_eq!(rounding_of_gap(&points.map(|x| x * 8.0)), 8.0 * rounding_of_gap(&points));
        assert_eq!(rounding_of_gap([]), 0.0);
    }
}
