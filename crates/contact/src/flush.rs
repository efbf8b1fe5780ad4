//! Flush surfaces: coplanar surfaces at the same height, over which a contact continues from one surface to the other.
//!
//! Detection and response share these criteria. A contact that passes to another surface keeps its spring only if both
//! detection and response continue the contact on this other surface.

use crate::math::Vec3;

/// Largest gap at which surfaces touch, relative to the largest |coordinate|. With this tolerance, blocks that rest or
/// fall together touch everywhere on their flush surfaces. Without a tolerance, rounding would select the contacts at
/// random.
const FLUSH: f64 = 1e-12;
/// Cosine of the largest angle, about 1°, between the normals of coplanar surfaces. The limit also applies to the
/// normals of one face in consecutive steps.
const COPLANAR: f64 = 0.9998;
/// Cosine of the largest angle, about 26°, between aligned directions.
const ALONG: f64 = 0.9;
/// Largest ratio of the new depth of a contact to its earlier depth if the contact continues on another surface. A
/// larger ratio indicates that the surfaces differ in height.
pub const DEEPER: f64 = 2.0;

/// Largest gap at which surfaces touch \[m\] if the largest |coordinate| is `size` \[m\].
pub fn rounding_of_gap_at(size: f64) -> f64 {
    FLUSH * size
}

/// Largest gap at which features with these points touch \[m\]; it covers the rounding error of the gap.
pub fn rounding_of_gap<'a>(points: impl IntoIterator<Item = &'a Vec3>) -> f64 {
    rounding_of_gap_at(points.into_iter().map(Vec3::amax).fold(0.0, f64::max))
}

/// Whether two unit normals differ by less than about 1°, as the normals of coplanar surfaces do.
pub fn are_coplanar(a: &Vec3, b: &Vec3) -> bool {
    a.dot(b) > COPLANAR
}

/// Whether two unit vectors differ by less than about 26°, for example the normals of a contact and of a face on which
/// the contact continues.
pub fn is_along(a: &Vec3, b: &Vec3) -> bool {
    a.dot(b) > ALONG
}

/// Whether `a` differs by less than about 26° from the direction opposite to `b`; the vectors have any length.
pub fn are_opposite(a: &Vec3, b: &Vec3) -> bool {
    a.dot(b) < -ALONG * a.norm() * b.norm()
}

/// Whether `gap` is at most [`DEEPER`] times as deep as the penetration `other`; both gaps in \[m\].
pub fn is_as_deep(gap: f64, other: f64) -> bool {
    gap >= DEEPER * other
}

/// Whether the first of two contacts of a node continues as the second contact. `[normal, other]` are the unit normals
/// and `[gap, other_gap]` the gaps \[m\] of the first and the second contact.
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
