//! Closed-form motion of a rigid body during a step of a flight.

use super::{Rotation, Vec3};

/// Motion of a rigid body at the time s \[s\]. A point with the reference position X has the position x:
///
/// ```text
/// x(s) = c + v s + ½ a s² + exp(ω s) R (X − C)
/// ```
/// exp(ω s) is the rotation by the angle |ω| s about the axis ω.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidMotion {
    /// Reference centre C \[m\].
    pub reference_centre: Vec3,
    /// Position c of the centre at s = 0 \[m\].
    pub centre: Vec3,
    /// Velocity v of the centre at s = 0 \[m/s\].
    pub velocity: Vec3,
    /// Acceleration a of the centre \[m/s²\].
    pub acceleration: Vec3,
    /// Rotation R at s = 0.
    pub rotation: Rotation,
    /// Angular velocity ω \[rad/s\], constant within a step of the flight; it can change between steps.
    pub angular_velocity: Vec3,
    /// Upper bound on |ω|² + |dω/dt| over the whole flight \[1/s²\]. The product with the distance of a point
    /// from the centre bounds the acceleration of the point relative to the centre.
    pub spin_bound: f64,
}

impl RigidMotion {
    /// Rest in the reference configuration, with the centre `reference_centre` \[m\].
    pub fn at_rest(reference_centre: Vec3) -> Self {
        Self {
            reference_centre,
            centre: reference_centre,
            velocity: Vec3::zeros(),
            acceleration: Vec3::zeros(),
            rotation: Rotation::identity(),
            angular_velocity: Vec3::zeros(),
            spin_bound: 0.0,
        }
    }

    /// Vector from the centre to a material point at the time s \[m\].
    pub fn offset(&self, reference_position: &Vec3, s: f64) -> Vec3 {
        let offset = self.rotation * (reference_position - self.reference_centre);
        if self.angular_velocity == Vec3::zeros() {
            offset
        } else {
            Rotation::from_scaled_axis(self.angular_velocity * s) * offset
        }
    }

    /// Position of the centre at the time s \[m\].
    pub fn centre_at(&self, s: f64) -> Vec3 {
        self.centre + self.displacement(s)
    }

    /// Displacement of the centre since s = 0 \[m\].
    pub fn displacement(&self, s: f64) -> Vec3 {
        (self.velocity + self.acceleration * (0.5 * s)) * s
    }

    /// Position \[m\] and velocity \[m/s\] of a material point at the time s.
    pub fn point(&self, reference_position: &Vec3, s: f64) -> (Vec3, Vec3) {
        let offset = self.offset(reference_position, s);
        let velocity = self.velocity + self.acceleration * s + self.angular_velocity.cross(&offset);
        (self.centre_at(s) + offset, velocity)
    }

    /// The same motion, with the origin of time at the instant s.
    pub fn advanced(&self, s: f64) -> Self {
        Self {
            centre: self.centre_at(s),
            velocity: self.velocity + self.acceleration * s,
            rotation: Rotation::from_scaled_axis(self.angular_velocity * s) * self.rotation,
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The velocity equals the central difference of the position. The truncation error is h² ω³ r/6 with the step h
    /// and the distance r from the centre.
    #[test]
    fn velocity_is_the_derivative_and_motions_compose() {
        let motion = RigidMotion {
            centre: Vec3::new(1.0, -2.0, 0.5),
            velocity: Vec3::new(3.0, 0.2, -1.0),
            acceleration: Vec3::new(0.0, 0.0, -9.81),
            rotation: Rotation::from_scaled_axis(Vec3::new(0.3, -0.1, 0.7)),
            angular_velocity: Vec3::new(1.0, 2.0, -0.5),
            ..RigidMotion::at_rest(Vec3::new(0.1, 0.2, 0.3))
        };
        let material = Vec3::new(0.7, -0.4, 0.9);
        let (s, h) = (0.37, 1e-5);
        let (_, velocity) = motion.point(&material, s);
        let difference = (motion.point(&material, s + h).0 - motion.point(&material, s - h).0) / (2.0 * h);
        assert!((velocity - difference).norm() < 1e-8, "{velocity} against {difference}");
        let later = motion.advanced(0.2).point(&material, s - 0.2).0;
        assert!((later - motion.point(&material, s).0).norm() < 1e-14);
    }
}
