//! Level 1: time of contact of two moving spheres.
//!
//! The centres have constant accelerations, and the radii are quadratic in time. The squared distance minus the squared
//! sum of the radii is a quartic p:
//!
//! ```text
//! p(t) = |d(t)|² − ρ(t)²,   d(t) = d₀ + v t + a t²/2,   ρ(t) = r₀ + r₁ t + r₂ t²/2
//! ```
//!
//! The centres have the relative position d₀, velocity v and acceleration a at time 0. The radii of the two spheres add
//! up to r₀, their speeds of growth to r₁, and the rates of these speeds to r₂. In Aragón & Molinari 2014, eq. (12),
//! r₁ = r₂ = 0.
//!
//! Radii grow to cover deformations of the bodies and errors of the predicted motion. The returned time is
//! *conservative*: never later than the first root of p.

use crate::math::{
    Vec3,
    polynomial::{first_root, first_root_of_quadratic},
};

/// Rounding error of p and of its coefficients for times scaled to \[0, 1\], relative to
/// (|d₀| + |v| + |a|/2)² + (r₀ + r₁ + r₂/2)². The factor 64 is about twice the estimated error in units of 2⁻⁵³.
const QUARTIC_ROUNDING: f64 = 64.0 * 0.5 * f64::EPSILON;
/// Rounding error of positions, distances and speeds, relative to the sum of the magnitudes of their terms. The value
/// is more than twice the estimated error.
const ROUNDING: f64 = 16.0 * 0.5 * f64::EPSILON;
/// Largest number of iterations that refine a time (`RelativeMotion::advance`). Each iteration doubles the number of
/// correct digits; in grazing contact, convergence is slower.
const MAX_ADVANCES: usize = 30;
/// If all lengths of a pair of spheres (relative position, radii, paths) are below this value \[m\], the spheres count
/// as touching, because numbers could underflow.
const SMALLEST_SCALE: f64 = 1e-280;

/// A sphere whose centre moves on a parabola, and whose radius may grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingSphere {
    /// Centre at time 0 \[m\].
    pub centre: Vec3,
    /// Radius at time 0 \[m\].
    pub radius: f64,
    /// Velocity of the centre at time 0 \[m/s\].
    pub velocity: Vec3,
    /// Acceleration of the centre, constant \[m/s²\].
    pub acceleration: Vec3,
    /// Speed at which the radius grows at time 0 \[m/s\]; a negative value counts as zero.
    pub growth: f64,
    /// Constant rate of this speed \[m/s²\]; a negative value counts as zero.
    pub growth_rate: f64,
}

#[derive(Clone, Copy)]
struct RelativeMotion {
    distance: Vec3,
    velocity: Vec3,
    acceleration: Vec3,
    radius: f64,
    growth: f64,
    growth_rate: f64,
}

/// First time in \[0, `horizon`\] \[s\] at which the spheres can touch; `None` if they certainly do not touch.
///
/// A negative horizon gives `None`. Overlap at time 0 and NaN give `Some(0.0)`: invalid data never hides a contact.
///
/// # Source
/// Aragón & Molinari 2014, eq. (12); [`first_root`] divides the quartic into monotone pieces.
///
/// # Cost
/// Two square roots if the accelerations are equal and the radii constant. Otherwise the first root of a quartic, and a
/// few iterations of `RelativeMotion::advance` if this root lies within the horizon.
pub fn time_of_contact(a: &MovingSphere, b: &MovingSphere, horizon: f64) -> Option<f64> {
    if horizon < 0.0 {
        return None;
    }
    let motion = RelativeMotion {
        distance: a.centre - b.centre,
        velocity: a.velocity - b.velocity,
        acceleration: a.acceleration - b.acceleration,
        radius: a.radius + b.radius,
        growth: a.growth.max(0.0) + b.growth.max(0.0),
        growth_rate: a.growth_rate.max(0.0) + b.growth_rate.max(0.0),
    };
    if (a.growth + b.growth + a.growth_rate + b.growth_rate + horizon).is_nan() {
        return Some(0.0);
    }
    if motion.acceleration == Vec3::zeros() && motion.growth == 0.0 && motion.growth_rate == 0.0 {
        return motion.uniform_contact(horizon);
    }
    let coarse = motion.first_contact(horizon)?;
    motion.advance(coarse, horizon)
}

impl RelativeMotion {
    /// First contact within the horizon, for spheres with neither relative acceleration nor growth:
    ///
    /// ```text
    /// t = c₀ / (−b + √(A R² − |d₀ × v|²)),   c₀ = |d₀|² − R²,   b = d₀·v,   A = |v|²
    /// ```
    ///
    /// R is the sum of the radii, plus the rounding errors of d₀, |d₀| and |d₀ × v|/|v|.
    fn uniform_contact(&self, horizon: f64) -> Option<f64> {
        let (scale, speed) = (self.distance.amax().max(self.radius), self.velocity.amax());
        let sum = self.distance.sum() + self.radius + self.velocity.sum() + scale + speed;
        if !sum.is_finite() || scale < SMALLEST_SCALE {
            return Some(0.0);
        }
        let (scale, speed) = (power_of_two_above(scale), power_of_two_above(speed));
        let d = self.distance / scale;
        let distance = d.norm();
        let radius = self.radius / scale + ROUNDING * (distance + self.radius / scale);
        if distance <= radius {
            return Some(0.0);
        }
        if speed == 0.0 {
            return None;
        }
        let v = self.velocity / speed;
        let approach = -d.dot(&v);
        let discriminant = v.norm_squared() * radius * radius - d.cross(&v).norm_squared();
        if approach <= 0.0 || discriminant < 0.0 {
            return None;
        }
        let time = (distance - radius) * (distance + radius) / (approach + discriminant.sqrt());
        let time = time * (scale / speed) * (1.0 - ROUNDING);
        (time <= horizon).then_some(time)
    }

    /// First root in \[0, horizon\] of the quartic p minus its rounding error. The error grows with the squared length
    /// of the path, so the root is too early for a long path.
    fn first_contact(&self, horizon: f64) -> Option<f64> {
        let time = power_of_two_above(horizon);
        let (v, a) = (self.velocity * time, self.acceleration * time * time);
        let (r1, r2) = (self.growth * time, self.growth_rate * time * time);
        let reach = self.distance.amax().max(v.amax()).max(a.amax());
        let scale = power_of_two_above(reach.max(self.radius + r1 + r2));
        let sum = reach + self.distance.sum() + v.sum() + a.sum() + self.radius;
        if !(scale.is_finite() && sum.is_finite()) || scale < SMALLEST_SCALE {
            return Some(0.0);
        }
        let scaled = Self {
            distance: self.distance / scale,
            velocity: v / scale,
            acceleration: a / scale,
            radius: self.radius / scale,
            growth: r1 / scale,
            growth_rate: r2 / scale,
        };
        let root = first_root(&scaled.inflated_quartic())?;
        let contact = time * root * (1.0 - 4.0 * f64::EPSILON);
        (contact <= horizon).then_some(contact)
    }

    /// Coefficients c₀ … c₄ of p on \[0, 1\], with the rounding errors subtracted from c₀.
    fn inflated_quartic(&self) -> [f64; 5] {
        let Self { distance: d, velocity: v, acceleration: a, radius: r0, growth: r1, growth_rate: r2 } =
            *self;
        let path = d.norm() + v.norm() + 0.5 * a.norm();
        let reach = r0 + r1 + 0.5 * r2;
        [
            d.dot(&d) - r0 * r0 - QUARTIC_ROUNDING * (path * path + reach * reach),
            2.0 * (d.dot(&v) - r0 * r1),
            v.dot(&v) + d.dot(&a) - r1 * r1 - r0 * r2,
            v.dot(&a) - r1 * r2,
            0.25 * (a.dot(&a) - r2 * r2),
        ]
    }

    /// Refines the conservative time `coarse` by conservative advancement (Mirtich 1996). The refined time has only the
    /// rounding error of the distance, not of p. `None` if no contact lies within the horizon.
    ///
    /// Let n = d/|d| at the current time t. After a further time s, a quadratic in s bounds the gap from below:
    ///
    /// ```text
    /// |d(t + s)| − ρ(t + s) ≥ n·d(t + s) − ρ(t + s)
    /// ```
    ///
    /// Each iteration moves the time to the first root of this quadratic.
    fn advance(&self, coarse: f64, horizon: f64) -> Option<f64> {
        let Self { distance: d, velocity: v, acceleration: a, radius: r0, growth: r1, growth_rate: r2 } =
            *self;
        let mut time = coarse;
        for _ in 0..MAX_ADVANCES {
            let (velocity, growth) = (v + a * time, r1 + r2 * time);
            let separation = d + (v + velocity) * (0.5 * time);
            let distance = separation.norm();
            let radius = r0 + 0.5 * (r1 + growth) * time;
            let speeds = v.norm() + a.norm() * time + growth;
            let gap = distance - radius - ROUNDING * (d.norm() + radius + speeds * time);
            if gap.is_nan() || gap <= 0.0 {
                break;
            }
            let normal = separation / distance;
            let rate = normal.dot(&velocity) - growth - ROUNDING * speeds;
            let curvature = normal.dot(&a) - r2 - ROUNDING * (a.norm() + r2);
            let step = first_root_of_quadratic(&[gap, rate, 0.5 * curvature])? * (1.0 - ROUNDING);
            if step.is_nan() || time + step <= time * (1.0 + f64::EPSILON) {
                break;
            }
            time += step;
            if time > horizon {
                return None;
            }
        }
        Some(time)
    }
}

/// The smallest power of two ≥ `value`, for normal positive values; otherwise `value`. Scaling by a power of two is
/// exact.
fn power_of_two_above(value: f64) -> f64 {
    const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
    let truncated = f64::from_bits(value.to_bits() & EXPONENT);
    if value.is_normal() && truncated < value { truncated * 2.0 } else { value }
}

#[cfg(test)]
mod tests;
