//! Bounding spheres: the joint sphere of two spheres, and fits to points, from quick to exact.
//!
//! Every radius is rounded up, so that the sphere contains its content despite rounding.

mod fit;
mod minimum_ball;
#[cfg(test)]
mod tests;

pub use fit::{Directions, Extremes};
pub use minimum_ball::MinimumBall;

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

use crate::math::Vec3;

/// A ball: all points within `radius` of `centre`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Serialize, Deserialize)]
#[repr(C, align(32))]
pub struct Sphere {
    /// Centre \[m\].
    pub centre: Vec3,
    /// Radius \[m\], ≥ 0.
    pub radius: f64,
}

/// Relative slack that covers the rounding of a distance, of a sum of radii, and of the squares of both.
pub const RELATIVE_SLACK: f64 = 8.0 * f64::EPSILON;

/// `radius` plus the rounding errors of an interpolated `centre` and of the distances that give the radius.
#[inline]
pub fn rounded_up(radius: f64, centre: &Vec3) -> f64 {
    let position_error = f64::EPSILON * (centre.x.abs() + centre.y.abs() + centre.z.abs());
    radius + (RELATIVE_SLACK * radius + position_error)
}

/// The larger of two numbers, in one instruction; `b` if a number is NaN. `f64::max` needs several instructions.
#[inline]
pub fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

impl Sphere {
    /// Whether a point is in the ball or on its surface.
    #[inline]
    pub fn contains(&self, point: &Vec3) -> bool {
        (point - self.centre).norm() <= self.radius
    }

    /// Whether the balls are certainly disjoint.
    #[inline]
    pub fn excludes(&self, other: &Self) -> bool {
        let reach = self.radius + other.radius;
        (self.centre - other.centre).norm_squared() > reach * reach * (1.0 + RELATIVE_SLACK)
    }

    /// Radius of [`Sphere::joint`] before rounding up \[m\]: max(r₁, r₂, (D + r₁ + r₂)/2) with the distance D of the
    /// centres. Exchanging the two spheres changes no bit of the result.
    #[inline]
    pub fn joint_radius(&self, other: &Self) -> f64 {
        let distance = (other.centre - self.centre).norm();
        let sum = self.radius + other.radius;
        larger(0.5 * (distance + sum), larger(self.radius, other.radius))
    }

    /// Fraction f in \[0, 1\] for the centre c = (1 − f) c₁ + f c₂ of the joint sphere; c₁ is the centre of `self`. f
    /// is 0 if `self` contains the other sphere, and 1 if the other sphere contains `self`.
    ///
    /// # Source
    /// Omohundro 1989, ICSI TR-89-063, joint ball of two balls.
    #[inline]
    pub fn joint_fraction(&self, other: &Self) -> f64 {
        let distance = (other.centre - self.centre).norm();
        let between = 0.5 * (distance + other.radius - self.radius) / distance;
        // For coincident centres, the quotient may be NaN; `larger` replaces NaN by zero.
        let at_least = larger(between, 0.0);
        if at_least < 1.0 { at_least } else { 1.0 }
    }

    /// Smallest sphere that contains both spheres, rounded up.
    pub fn joint(&self, other: &Self) -> Self {
        self.joint_at(other, self.joint_fraction(other))
    }

    /// Sphere with the centre c = (1 − f) c₁ + f c₂ that contains both spheres, rounded up; f is `fraction`.
    #[inline]
    pub fn joint_at(&self, other: &Self, fraction: f64) -> Self {
        let offset = other.centre - self.centre;
        let distance = offset.norm();
        let centre = self.centre + offset * fraction;
        let reach = larger(self.radius + fraction * distance, other.radius + (1.0 - fraction) * distance);
        Self { centre, radius: rounded_up(reach, &centre) }
    }

    /// Volume 4/3 π r³ \[m³\].
    pub fn volume(&self) -> f64 {
        4.0 / 3.0 * std::f64::consts::PI * self.radius.powi(3)
    }

    /// Grows the sphere, point by point, until it reaches each point outside. The point of the sphere opposite to the
    /// outside point stays fixed.
    ///
    /// # Source
    /// Ritter 1990, "An efficient bounding sphere", Graphics Gems.
    pub fn grow_over(&mut self, points: &[Vec3]) {
        for point in points {
            let offset = point - self.centre;
            let distance_squared = offset.norm_squared();
            if distance_squared > self.radius * self.radius {
                let distance = distance_squared.sqrt();
                let radius = 0.5 * (self.radius + distance);
                self.centre += offset * ((distance - radius) / distance).max(0.0);
                self.radius = rounded_up(radius, &self.centre);
            }
        }
    }
}
