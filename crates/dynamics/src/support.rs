//! Supports and prescribed motion.

use serde::{Deserialize, Serialize};

use crate::math::{Integrals, Rotation, TimeFunction, Vec3};

/// Prescribed motion of one component of a position.
#[derive(Clone, Debug, PartialEq)]
pub enum Prescribed {
    /// Fixed.
    Fixed,
    /// Displacement from the reference position \[m\].
    Displacement(TimeFunction),
    /// Velocity \[m/s\].
    Velocity(TimeFunction),
    /// Acceleration \[m/s²\].
    Acceleration(TimeFunction),
    /// Motion of points that rotate about an axis. A rotation is prescribed for all three components together.
    Rotation(PrescribedRotation),
}

/// A rotation about a fixed axis.
#[derive(Clone, Debug, PartialEq)]
pub struct PrescribedRotation {
    /// Unit vector of the axis; positive angles are right-handed.
    pub axis: Vec3,
    /// A point of the axis \[m\].
    pub point: Vec3,
    /// Angle or angular velocity.
    pub turn: Turn,
}

/// Prescribed quantity of a rotation.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// Angle from the reference configuration \[rad\].
    Angle(TimeFunction),
    /// Angular velocity \[rad/s\].
    Speed(TimeFunction),
}

/// One component of a prescribed motion over a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PrescribedStep {
    /// Position at the end of the step \[m\].
    pub position: f64,
    /// Velocity at the end of the step \[m/s\].
    pub velocity: f64,
    /// Acceleration at the end of the step \[m/s²\].
    pub acceleration: f64,
}

/// Motion of a point at the beginning of a step.
#[derive(Clone, Copy, Debug)]
pub struct StepStart {
    /// Reference position \[m\].
    pub reference: Vec3,
    /// Position \[m\].
    pub position: Vec3,
    /// Velocity \[m/s\].
    pub velocity: Vec3,
}

/// Jumps of a prescribed velocity v at the beginning and at the end of a step \[m/s\]: the changes of v that the
/// accelerations a do not produce. For a smooth motion, the jumps are O(dt²). Δx is the displacement in the step.
///
/// ```text
/// v_n ─ begin, ½ dt a_n ─► Δx/dt ─ ½ dt a_{n+1}, end ─► v_{n+1}
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VelocityJumps {
    begin: f64,
    end: f64,
    energy_gained: f64,
}

impl VelocityJumps {
    /// `before`: velocity \[m/s\] and acceleration \[m/s²\] at the beginning of the step; `travel`: displacement \[m\];
    /// `end`: motion at the end of the step. A step of zero length has no jumps.
    pub fn of(before: [f64; 2], travel: f64, end: &PrescribedStep, time_step: f64) -> Self {
        if time_step == 0.0 {
            return Self::default();
        }
        let [velocity_before, acceleration_before] = before;
        let (mean, half) = (travel / time_step, 0.5 * time_step);
        Self {
            begin: mean - velocity_before - half * acceleration_before,
            end: end.velocity - mean - half * end.acceleration,
            energy_gained: 0.5 * (end.velocity * end.velocity - velocity_before * velocity_before),
        }
    }

    /// Jumps at the beginning and at the end of the step \[m/s\].
    pub fn at_ends(&self) -> [f64; 2] {
        [self.begin, self.end]
    }

    /// Change of ½ v² over the step, including the jumps \[J/kg\].
    pub fn energy_gained(&self) -> f64 {
        self.energy_gained
    }
}

/// A prescribed motion over a step, for all nodes of a support.
#[derive(Clone, Copy, Debug)]
pub struct MotionOverStep {
    time_step: f64,
    values: Values,
}

#[derive(Clone, Copy, Debug)]
enum Values {
    Fixed,
    /// Displacement and its first two derivatives at the end of the step.
    Displacement([f64; 3]),
    /// Integral of the velocity over the step; velocity and acceleration at the end of the step.
    Velocity([f64; 3]),
    /// Integrals of the acceleration over the step; acceleration at the end of the step.
    Acceleration(Integrals, f64),
    Rotation(RotationOverStep),
}

/// A prescribed rotation over a step.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RotationOverStep {
    point: Vec3,
    turn: TurnOverStep,
    /// Angular velocity at the end of the step \[rad/s\].
    pub spin: Vec3,
    /// Angular acceleration at the end of the step \[rad/s²\].
    pub spin_rate: Vec3,
}

/// Rotation up to the end of a step.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum TurnOverStep {
    /// From the reference configuration.
    FromReference(Rotation),
    /// From the beginning of the step.
    FromStart(Rotation),
}

impl PrescribedRotation {
    /// Rotation over a step that begins at `time` \[s\]. A step of zero length does not change positions.
    pub fn over_step(&self, time: f64, time_step: f64) -> RotationOverStep {
        let rotation = |angle: f64| Rotation::from_scaled_axis(self.axis * angle);
        let (turn, spin, spin_rate) = match &self.turn {
            Turn::Angle(angle) => {
                let [angle, speed, acceleration] = angle.after_step(time, time_step);
                let turn = if time_step == 0.0 {
                    TurnOverStep::FromStart(Rotation::identity())
                } else {
                    TurnOverStep::FromReference(rotation(angle))
                };
                (turn, speed, acceleration)
            }
            Turn::Speed(speed) => {
                let turn = rotation(speed.integrals(time, time_step).first);
                let [speed, acceleration, _] = speed.after_step(time, time_step);
                (TurnOverStep::FromStart(turn), speed, acceleration)
            }
        };
        let (spin, spin_rate) = (self.axis * spin, self.axis * spin_rate);
        RotationOverStep { point: self.point, turn, spin, spin_rate }
    }
}

impl RotationOverStep {
    /// Rotation from the reference configuration to the end of the step. `before`: rotation from the reference
    /// configuration to the beginning of the step.
    pub fn rotation(&self, before: &Rotation) -> Rotation {
        match self.turn {
            TurnOverStep::FromReference(rotation) => rotation,
            TurnOverStep::FromStart(turn) => turn * before,
        }
    }

    /// Component `axis` of the motion of a point at the end of the step:
    ///
    /// ```text
    /// x = p + R (x_0 − p),   v = ω × (x − p),   a = α × (x − p) + ω × v
    /// ```
    /// p is a point of the axis, ω the angular velocity, α the angular acceleration. x_0 is the position in the
    /// reference configuration or at the beginning of the step, and R the rotation since then.
    fn end(&self, start: &StepStart, axis: usize) -> PrescribedStep {
        let arm = match self.turn {
            TurnOverStep::FromReference(rotation) => rotation * (start.reference - self.point),
            TurnOverStep::FromStart(turn) => turn * (start.position - self.point),
        };
        let velocity = self.spin.cross(&arm);
        let acceleration = self.spin_rate.cross(&arm) + self.spin.cross(&velocity);
        PrescribedStep {
            position: self.point[axis] + arm[axis],
            velocity: velocity[axis],
            acceleration: acceleration[axis],
        }
    }
}

impl Prescribed {
    /// Whether the component is fixed.
    pub fn is_fixed(&self) -> bool {
        matches!(self, Self::Fixed)
    }

    /// Motion over a step that begins at `time` \[s\].
    pub fn over_step(&self, time: f64, time_step: f64) -> MotionOverStep {
        let values = match self {
            Self::Fixed => Values::Fixed,
            Self::Displacement(function) => Values::Displacement(function.after_step(time, time_step)),
            Self::Velocity(function) => {
                let [velocity, acceleration, _] = function.after_step(time, time_step);
                Values::Velocity([function.integrals(time, time_step).first, velocity, acceleration])
            }
            Self::Acceleration(function) => {
                let [acceleration, ..] = function.after_step(time, time_step);
                Values::Acceleration(function.integrals(time, time_step), acceleration)
            }
            Self::Rotation(rotation) => Values::Rotation(rotation.over_step(time, time_step)),
        };
        MotionOverStep { time_step, values }
    }
}

impl MotionOverStep {
    /// Component `axis` of the motion of a point at the end of the step. A step of zero length does not change
    /// positions.
    pub fn end(&self, start: &StepStart, axis: usize) -> PrescribedStep {
        let dt = self.time_step;
        let (reference, position, velocity) =
            (start.reference[axis], start.position[axis], start.velocity[axis]);
        match self.values {
            Values::Fixed => PrescribedStep { position, velocity: 0.0, acceleration: 0.0 },
            Values::Displacement([displacement, velocity, acceleration]) => {
                let end = if dt == 0.0 { position } else { reference + displacement };
                PrescribedStep { position: end, velocity, acceleration }
            }
            Values::Velocity([travel, velocity, acceleration]) => {
                PrescribedStep { position: position + travel, velocity, acceleration }
            }
            Values::Acceleration(integrals, acceleration) => PrescribedStep {
                position: position + dt * velocity + integrals.second,
                velocity: velocity + integrals.first,
                acceleration,
            },
            Values::Rotation(rotation) => rotation.end(start, axis),
        }
    }
}

/// Prescribed motion of one component of the positions of nodes of a deformable body.
#[derive(Clone, Debug)]
pub struct Support {
    /// Global nodes, ascending.
    pub nodes: Vec<u32>,
    /// Component: 0, 1 or 2.
    pub axis: usize,
    /// Prescribed motion.
    pub motion: Prescribed,
    /// Index of the support account, which sums the reactions.
    pub account: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For any prescribed motion, the impulses of the jumps and of the accelerations sum to the change of momentum, and
    /// `energy_gained` times the mass is the change of the kinetic energy.
    #[test]
    fn jumps_and_accelerations_make_the_motion() {
        let (dt, mass, travel) = (0.1, 2.0, 0.37);
        let [before, after] = [[1.3, -0.7], [-2.1, 4.0]];
        let end = PrescribedStep { position: travel, velocity: after[0], acceleration: after[1] };
        let jumps = VelocityJumps::of(before, travel, &end, dt);
        let gained = |of: &dyn Fn([f64; 2]) -> f64| mass * (of(after) - of(before));
        let impulse = mass * (jumps.at_ends().iter().sum::<f64>() + 0.5 * dt * (before[1] + after[1]));
        assert!((impulse - gained(&|[v, _]| v)).abs() < 1e-14);
        assert!((mass * jumps.energy_gained() - gained(&|[v, _]| 0.5 * v * v)).abs() < 1e-14);
    }

    #[test]
    fn prescribed_acceleration_does_not_jump() {
        let motion = Prescribed::Acceleration(TimeFunction::Constant(3.0)).over_step(0.0, 0.5);
        let start = StepStart { reference: Vec3::zeros(), position: Vec3::y(), velocity: Vec3::y() * 2.0 };
        let end = motion.end(&start, 1);
        let jumps = VelocityJumps::of([2.0, 3.0], end.position - 1.0, &end, 0.5);
        assert_eq!(jumps.at_ends(), [0.0, 0.0]);
    }
}
