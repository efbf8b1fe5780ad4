//! When surfaces are flush: they are level, and what touches one of them goes on with the other.
//!
//! Detection and response ask this in many places, and have to agree: a contact that detection lets go on with another
//! surface takes its spring along.

use crate::math::Vec3;

/// Gap, relative to the coordinates, up to which surfaces touch: those that are flush, as of blocks that rest or fall
/// together, touch all over, and not here and there by rounding.
const FLUSH: f64 = 1e-12;
/// Cosine of the angle, about 1°, between the normals of surfaces that are flush, or of one face from step to step.
const COPLANAR: f64 = 0.9998;
/// Cosine of the angle between directions that are along each other.
const ALONG: f64 = 0.9;
/// Depth up to which a contact goes on with another surface, over the depth that it had with the first: past that there is
/// a step between them.
pub const DEEPER: f64 = 2.0;

/// Gap up to which surfaces touch where the largest coordinate has this size \[m\].
pub fn rounding_of_gap_at(size: f64) -> f64 {
    FLUSH * size
}

/// Rounding of the gap between features with these points, within which they touch \[m\].
pub fn rounding_of_gap<'a>(points: impl IntoIterator<Item = &'a Vec3>) -> f64 {
    rounding_of_gap_at(points.into_iter().map(Vec3::amax).fold(0.0, f64::max))
}

/// Whether surfaces with these unit normals are in one plane, as those of flush bodies.
pub fn are_coplanar(a: &Vec3, b: &Vec3) -> bool {
    a.dot(b) > COPLANAR
}

/// Whether a unit vector is along another one, as the normal of a contact is along that of a face that it goes on with.
pub fn is_along(a: &Vec3, b: &Vec3) -> bool {
    a.dot(b) > ALONG
}

/// Whether directions of any length are opposed.
pub fn are_opposite(a: &Vec3, b: &Vec3) -> bool {
    a.dot(b) < -ALONG * a.norm() * b.norm()
}

/// Whether a gap is about that of a contact which has another one \[m\], or smaller.
pub fn is_as_deep(gap: f64, other: f64) -> bool {
    gap >= DEEPER * other
}

/// Whether a contact with this unit normal and gap \[m\] goes on as another one of the same node.
pub fn goes_on([normal, other]: [&Vec3; 2], [gap, other_gap]: [f64; 2]) -> bool {
    are_coplanar(normal, other) && is_as_deep(other_gap, gap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_go_on_over_flush_seams() {
        let tilted = |degrees: f64| {
            let (sine, cosine) = degrees.to_radians().sin_cos();
            Vec3::new(sine, 0.0, cosine)
        };
        let on = |degrees: f64, gap: f64| goes_on([&Vec3::z(), &tilted(degrees)], [-0.1, gap]);
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
