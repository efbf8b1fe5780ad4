//! Criteria for flush surfaces, which are coplanar and at the same height, and for a contact that continues from one
//! flush surface to the other.
//!
//! Detection and response share the criteria: a contact keeps its spring only if both detection and response continue
//! this contact.

use crate::math::Vec3;

/// Largest gap at which surfaces touch, relative to the largest |coordinate|; larger than the rounding error of gaps.
/// With this tolerance, two bodies with flat faces on each other touch at every node of these faces, whether the bodies
/// are at rest or fall together.
const FLUSH: f64 = 1e-12;
/// Cosine of about 1°, the largest angle between the normals of coplanar surfaces.
const COPLANAR: f64 = 0.9998;
/// Cosine of about 26°, the largest angle between aligned directions.
const ALONG: f64 = 0.9;
/// Largest ratio of the new to the old penetration at which a contact continues on another surface.
pub const DEEPER: f64 = 2.0;

/// Largest gap at which surfaces touch \[m\], for the largest |coordinate| `size` \[m\].
pub fn rounding_of_gap_at(size: f64) -> f64 {
    FLUSH * size
}

/// Largest gap at which features with these points touch \[m\].
pub fn rounding_of_gap<'a>(points: impl IntoIterator<Item = &'a Vec3>) -> f64 {
    rounding_of_gap_at(points.into_iter().map(Vec3::amax).fold(0.0, f64::max))
}

/// Whether the angle between two unit normals is less than about 1°.
pub fn are_coplanar(a: &Vec3, b: &Vec3) -> bool {
    a.dot(b) > COPLANAR
}

/// Whether the angle between two unit vectors is less than about 26°.
pub fn is_along(a: &Vec3, b: &Vec3) -> bool {
    a.dot(b) > ALONG
}

/// Whether the angle between `a` and −`b` is less than about 26°; the vectors can have any length.
pub fn are_opposite(a: &Vec3, b: &Vec3) -> bool {
    a.dot(b) < -ALONG * a.norm() * b.norm()
}

/// Whether the penetration −`gap` is at most `DEEPER` times the penetration −`other`; both gaps in \[m\].
pub fn is_as_deep(gap: f64, other: f64) -> bool {
    gap >= DEEPER * other
}

/// Whether the contact with unit normal `normal` and gap `gap` \[m\] continues as the other contact of the same node.
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
