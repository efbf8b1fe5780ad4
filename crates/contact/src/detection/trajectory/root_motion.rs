//! Motion of the roots of the hierarchies, estimated from the root positions at the first three instants of a flight.
//!
//! Each root is classified as stationary, as moving at constant velocity, or as accelerating.
//!
//! # Source
//! Aragón & Molinari, CMAME 268 (2014), §3.1.

use serde::{Deserialize, Serialize};

use super::bounding_spheres::MovingSphere;
use crate::detection::volume::Sphere;
use crate::math::{RigidMotion, Vec3};

/// Rounding error of the centre of a refitted sphere, relative to the radius plus the largest |coordinate| of the
/// centre.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Path length of a root over the three instants, relative to `size`, below which the root is stationary. `size` is the
/// radius of its sphere plus the largest |coordinate| of the centre, at the instant at which this sum is greatest.
const STATIONARY: f64 = 1e-12;

/// Acceleration times the square of the shorter of the two time steps, relative to `size`, below which the velocity is
/// taken as constant.
const CONSTANT: f64 = 4.0 * ROUNDING;

/// Error of a difference of two positions, relative to `size`. It includes [`CONSTANT`], because a velocity taken as
/// constant neglects accelerations up to this bound.
const NOISE: f64 = 8.0 * ROUNDING + CONSTANT;

/// Spheres of the hierarchy roots at the first instants of a flight, and the motions of the roots.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RootHistory {
    times: Vec<f64>,
    roots: Vec<Vec<Sphere>>,
    /// Empty until three instants are known.
    motions: Vec<RootMotion>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MotionClass {
    Stationary,
    ConstantVelocity,
    Accelerating,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct RootMotion {
    time: f64,
    velocity: Vec3,
    acceleration: Vec3,
    /// Bounds on the errors of velocity \[m/s\] and acceleration \[m/s²\], without the effect of the rotation of the
    /// body.
    errors: [f64; 2],
    /// Sum of the two steps between the three instants \[s\].
    span: f64,
    /// Distance of the centre of the root sphere from the centre of the body at the third instant \[m\].
    arm: f64,
}

impl RootHistory {
    pub(crate) fn is_complete(&self) -> bool {
        !self.motions.is_empty()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    pub(crate) fn last_instant(&self) -> Option<f64> {
        self.times.last().copied()
    }

    pub(crate) fn motion(&self, body: u32) -> Option<&RootMotion> {
        self.motions.get(body as usize)
    }

    /// Whether the history is consistent and has `num_bodies` bodies.
    pub fn fits(&self, num_bodies: usize) -> bool {
        self.times.len() == self.roots.len()
            && self.roots.iter().all(|roots| roots.len() == num_bodies)
            && (self.motions.is_empty() || self.motions.len() == num_bodies)
    }

    /// Adds an instant. The third call estimates the motions of the roots.
    pub(crate) fn push(&mut self, time: f64, roots: Vec<Sphere>, motions: &[RigidMotion]) {
        self.times.push(time);
        self.roots.push(roots);
        self.estimate(motions);
    }

    fn estimate(&mut self, motions: &[RigidMotion]) {
        let (&[first, second, third], [before, between, now]) = (&self.times[..], &self.roots[..]) else {
            return;
        };
        let steps = [second - first, third - second];
        let size = |sphere: &Sphere| sphere.centre.amax() + sphere.radius;
        let roots = before.iter().zip(between).zip(now).zip(motions);
        let motions = roots.map(|(((a, b), c), motion)| {
            let size = size(a).max(size(b)).max(size(c));
            let arm = (c.centre - motion.centre).norm();
            RootMotion::from_positions([a.centre, b.centre, c.centre], steps, third, size, arm)
        });
        self.motions = motions.collect();
    }
}

impl MotionClass {
    /// `travel`: path length. `change`: acceleration times the square of the shorter step. Both relative to `size`.
    fn of(travel: f64, change: f64) -> Self {
        if travel < STATIONARY {
            Self::Stationary
        } else if change < CONSTANT {
            Self::ConstantVelocity
        } else {
            Self::Accelerating
        }
    }
}

impl RootMotion {
    /// `time`: the third instant \[s\]. `size`: as in `STATIONARY` \[m\]. `arm`: see the field.
    ///
    /// Indices count backwards from the third instant. The difference quotients of the positions are D₁ (`last`) over
    /// the second step h₁, and D₂ (`first`) over the first step h₂. The acceleration a (`change`) and the velocity v at
    /// the third instant are
    ///
    /// ```text
    /// a = 2 (D₁ − D₂)/(h₁ + h₂),   v = D₁ + a h₁/2
    /// ```
    fn from_positions(positions: [Vec3; 3], [h2, h1]: [f64; 2], time: f64, size: f64, arm: f64) -> Self {
        let [before, between, now] = positions;
        let (last, first) = ((now - between) / h1, (between - before) / h2);
        let change = (last - first) * (2.0 / (h1 + h2));
        let shortest = h1.min(h2);
        let travel = last.norm() * h1 + first.norm() * h2;
        let class = MotionClass::of(travel / size, change.norm() * shortest * shortest / size);
        let (velocity, acceleration) = match class {
            MotionClass::Stationary => (Vec3::zeros(), Vec3::zeros()),
            MotionClass::ConstantVelocity => (last, Vec3::zeros()),
            MotionClass::Accelerating => (last + change * (0.5 * h1), change),
        };
        let noise = size * if class == MotionClass::Stationary { NOISE + STATIONARY } else { NOISE };
        let errors = [noise / shortest, noise / (shortest * shortest)];
        Self { time, velocity, acceleration, errors, span: h1 + h2, arm }
    }

    /// Gives `sphere`, a sphere of the same body at `time`, the estimated motion of the root. The radius grows by the
    /// errors of this motion.
    ///
    /// The body has the angular velocity ω. At the distance q from the centre of the body, velocities deviate from the
    /// velocity of this centre by at most |ω| q, and accelerations by at most (|ω|² + |dω/dt|) q ≤ `spin_bound` × q.
    /// `turning` covers the velocity deviations of the centres of `sphere` and root. `growth_rate` covers the
    /// acceleration deviation of the centre of the root. The estimated velocity is an average over the two steps; the
    /// term with `span` covers the error of this average.
    pub(crate) fn carry(&self, motion: &RigidMotion, sphere: &Sphere, time: f64) -> MovingSphere {
        let (age, spin) = (time - self.time, motion.spin_bound);
        let [of_velocity, of_acceleration] = self.errors;
        let growth_rate = of_acceleration + spin * self.arm;
        let turning = spin.sqrt() * (self.arm + (sphere.centre - motion.centre).norm());
        MovingSphere {
            centre: sphere.centre,
            radius: sphere.radius,
            velocity: self.velocity + self.acceleration * age,
            acceleration: self.acceleration,
            growth: of_velocity + turning + growth_rate * age + spin * self.arm * self.span,
            growth_rate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For positions on a parabola, velocity and acceleration are exact up to rounding. If the velocity or the
    /// acceleration is zero, its estimate is exactly zero.
    #[test]
    fn three_positions_give_the_motion() {
        let (start, velocity) = (Vec3::new(-750.0, 2.0, 1.0), Vec3::new(50.0, -3.0, 86.6));
        for (velocity, acceleration) in [
            (velocity, Vec3::new(0.5, 0.0, -9.81)),
            (velocity, Vec3::zeros()),
            (Vec3::zeros(), Vec3::zeros()),
        ] {
            let at = |t: f64| start + velocity * t + acceleration * (0.5 * t * t);
            let steps = [0.05, 0.07];
            let positions = [at(0.0), at(0.05), at(0.12)];
            let found = RootMotion::from_positions(positions, steps, 0.12, 752.5, 0.0);
            let is_still = |found: Vec3, exact: Vec3| (found == Vec3::zeros()) == (exact == Vec3::zeros());
            assert!(is_still(found.velocity, velocity) && is_still(found.acceleration, acceleration));
            let expected = velocity + acceleration * 0.12;
            let [of_velocity, of_acceleration] = found.errors;
            assert!((found.velocity - expected).norm() < of_velocity.min(1e-7), "{found:?}");
            assert!((found.acceleration - acceleration).norm() < of_acceleration.min(1e-5), "{found:?}");
        }
    }
}
