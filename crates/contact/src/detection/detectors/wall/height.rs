//! Height of the points of a flying body above a moving wall, as a function of time.
//!
//! The centre of the body moves on a parabola relative to the wall. The body rotates about an axis of constant
//! direction at a constant angular speed Ω. At the time s after the beginning of the step, a point at the vector q from
//! the centre has the height
//!
//! ```text
//! h(s) = α(s) + A cos(Ω s − φ),   A = |q⊥| |n⊥|
//! ```
//! with a quadratic function α and a phase φ. Here n is the normal of the wall, and ⊥ denotes the component
//! perpendicular to the rotation axis.

use crate::math::polynomial::first_root_of_quadratic;
use crate::math::{RigidMotion, Vec3};

/// Rounding of heights, relative to the coordinates, and of rates of heights, relative to the velocities.
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// Rounding of a time, relative to the time.
const TIME_ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Largest number of iterations in `Heights::first_touch`, which converge linearly near a grazing contact.
const MAX_ADVANCES: usize = 200;

/// Heights of the points of a body above a wall.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heights<'a> {
    body: &'a RigidMotion,
    wall: &'a RigidMotion,
    /// Reference position of the node of the wall \[m\].
    wall_point: Vec3,
    normal: Vec3,
    /// Outward offset of the surface of the body \[m\].
    offset: f64,
    /// Second derivative α'' of the height of the centre [m/s²], set to zero if within rounding.
    acceleration: f64,
    spin: f64,
    axis: Vec3,
    /// Length |n⊥| of the component of the normal perpendicular to the rotation axis.
    normal_across: f64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Height {
    /// Height of the point of the offset surface above the plane \[m\].
    pub height: f64,
    /// Rate of the height [m/s].
    pub rate: f64,
    rounding: f64,
    rate_rounding: f64,
}

impl<'a> Heights<'a> {
    /// Heights of the offset surface of a body above a wall, with the given `offset` \[m\]. The wall is given by its
    /// motion, its normal, and the reference position of its node \[m\].
    pub fn new(
        body: &'a RigidMotion,
        offset: f64,
        (wall, normal, wall_point): (&'a RigidMotion, Vec3, Vec3),
    ) -> Self {
        let accelerations = [body.acceleration, wall.acceleration];
        let acceleration = normal.dot(&(accelerations[0] - accelerations[1]));
        let negligible = acceleration.abs() <= ROUNDING * (accelerations[0].norm() + accelerations[1].norm());
        let spin = body.angular_velocity.norm();
        let axis = body.angular_velocity.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        Self {
            body,
            wall,
            wall_point,
            normal,
            offset,
            acceleration: if negligible { 0.0 } else { acceleration },
            spin,
            axis,
            normal_across: normal.cross(&axis).norm(),
        }
    }

    /// Height of a material point, less the offset, at the time `s` \[s\] after the beginning of the step.
    pub fn at(&self, point: &Vec3, s: f64) -> Height {
        let (x, v) = self.body.point(point, s);
        let (wall, wall_velocity) = self.wall.point(&self.wall_point, s);
        let path = |motion: &RigidMotion| {
            let (v, a) = (motion.velocity.amax(), motion.acceleration.amax());
            (motion.centre.amax() + (v + 0.5 * a * s) * s + x.amax() + wall.amax(), v + a * s)
        };
        let ((size, speed), (size_of_wall, speed_of_wall)) = (path(self.body), path(self.wall));
        Height {
            height: self.normal.dot(&(x - wall)) - self.offset,
            rate: self.normal.dot(&(v - wall_velocity)),
            rounding: ROUNDING * (size + size_of_wall),
            rate_rounding: ROUNDING * (speed + speed_of_wall + v.amax()),
        }
    }

    /// First time in \[0, `until`\] at which a ball of `radius` \[m\] about a material point touches the wall, exact or
    /// too early. A point (radius 0) that starts at the wall touches at once if it descends, otherwise on its return.
    ///
    /// # Source
    /// Mirtich 1996, §2.3 (conservative advancement), with the bounds h'' ≥ α'' − Ω² A and h ≥ α − A.
    pub fn first_touch(&self, point: &Vec3, radius: f64, until: f64) -> Option<f64> {
        let offset = self.body.rotation * (point - self.body.reference_centre);
        let amplitude = offset.cross(&self.axis).norm() * self.normal_across;
        let curvature = self.acceleration - self.spin * self.spin * amplitude;
        let mut s = 0.0;
        let start = self.at(point, 0.0);
        if start.height - radius <= start.rounding {
            s = if radius > 0.0 { 0.0 } else { self.leave(&start, curvature)? };
            if s == 0.0 {
                return Some(0.0);
            }
        } else if self.spin > 0.0 {
            s = self.envelope(&offset, amplitude + radius)?;
        }
        for _ in 0..MAX_ADVANCES {
            if s > until {
                return None;
            }
            let Height { height, rate, rounding, .. } = self.at(point, s);
            let gap = height - radius - rounding;
            if !(gap > 0.0 && rate.is_finite()) {
                return Some(s);
            }
            let step = first_root_of_quadratic(&[gap, rate, 0.5 * curvature])?;
            if step.is_nan() || step <= TIME_ROUNDING * s {
                return Some(s);
            }
            s += step;
        }
        (s <= until).then_some(s)
    }

    pub fn is_above(&self, point: &Vec3) -> bool {
        let start = self.at(point, 0.0);
        start.height > start.rounding
    }

    /// Lower bound on the time at which a point that starts at the wall touches the wall again; 0 if the point may
    /// descend at once, `None` if the point does not return.
    fn leave(&self, start: &Height, curvature: f64) -> Option<f64> {
        if start.rate < -start.rate_rounding {
            return Some(0.0);
        }
        if curvature >= 0.0 {
            return None;
        }
        Some(if start.rate > start.rate_rounding { -2.0 * start.rate / curvature } else { 0.0 })
    }

    /// Lower bound on the time at which α(s) descends to `reach`, the sum of the amplitude A and the radius of the ball
    /// \[m\]; `None` if α never descends so far.
    fn envelope(&self, offset: &Vec3, reach: f64) -> Option<f64> {
        let along = self.axis * self.axis.dot(offset);
        let middle = self.at(&(self.body.reference_centre), 0.0);
        let turning = self.body.velocity - self.wall.velocity;
        let height = middle.height + self.normal.dot(&along) - reach * (1.0 + ROUNDING) - middle.rounding;
        let rate = self.normal.dot(&turning) - middle.rate_rounding;
        Some(first_root_of_quadratic(&[height, rate, 0.5 * self.acceleration])? * (1.0 - ROUNDING))
    }
}
