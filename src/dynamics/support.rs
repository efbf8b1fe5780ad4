//! Supports and prescribed motion.

use crate::math::TimeFunction;

/// What is prescribed of one component of a motion.
#[derive(Clone, Debug)]
pub enum Prescribed {
    /// It stays where it is.
    Fixed,
    /// Displacement from the reference position \[m\].
    Displacement(TimeFunction),
    /// Velocity \[m/s\].
    Velocity(TimeFunction),
    /// Acceleration \[m/s²\].
    Acceleration(TimeFunction),
}

/// One component of a prescribed motion over a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PrescribedStep {
    /// Position at the end \[m\].
    pub position: f64,
    /// Velocity at the end \[m/s\].
    pub velocity: f64,
    /// Acceleration at the end \[m/s²\].
    pub acceleration: f64,
}

/// Where a component stands at the beginning of a step.
#[derive(Clone, Copy, Debug)]
pub struct StepStart {
    /// Reference position \[m\].
    pub reference: f64,
    /// Position \[m\].
    pub position: f64,
    /// Velocity \[m/s\].
    pub velocity: f64,
}

/// A prescribed motion in one step: what is the same for all that follow it.
#[derive(Clone, Copy, Debug)]
pub struct MotionOverStep {
    time_step: f64,
    values: Values,
}

/// Values of what is prescribed.
#[derive(Clone, Copy, Debug)]
enum Values {
    Fixed,
    /// At the end, with the first and the second derivative.
    Displacement([f64; 3]),
    /// In the middle, at the end, and the derivative there.
    Velocity([f64; 3]),
    /// At the beginning and at the end.
    Acceleration([f64; 2]),
}

impl Prescribed {
    /// Whether the component never moves.
    pub fn is_fixed(&self) -> bool {
        matches!(self, Self::Fixed)
    }

    /// The motion in a step of a size \[s\] from a time on \[s\].
    pub fn over_step(&self, time: f64, time_step: f64) -> MotionOverStep {
        let end = time + time_step;
        let values = match self {
            Self::Fixed => Values::Fixed,
            Self::Displacement(function) => Values::Displacement([
                function.value(end),
                function.derivative(end),
                function.second_derivative(end),
            ]),
            Self::Velocity(function) => Values::Velocity([
                function.value(time + 0.5 * time_step),
                function.value(end),
                function.derivative(end),
            ]),
            Self::Acceleration(function) => Values::Acceleration([function.value(time), function.value(end)]),
        };
        MotionOverStep { time_step, values }
    }
}

impl MotionOverStep {
    /// Where it brings what stands somewhere at the beginning. Velocities are integrated by the midpoint rule,
    /// accelerations by the trapezoidal one.
    pub fn end(&self, start: &StepStart) -> PrescribedStep {
        let dt = self.time_step;
        match self.values {
            Values::Fixed => PrescribedStep { position: start.position, velocity: 0.0, acceleration: 0.0 },
            Values::Displacement([displacement, velocity, acceleration]) => {
                PrescribedStep { position: start.reference + displacement, velocity, acceleration }
            }
            Values::Velocity([middle, velocity, acceleration]) => {
                PrescribedStep { position: start.position + dt * middle, velocity, acceleration }
            }
            Values::Acceleration([before, after]) => PrescribedStep {
                position: start.position + dt * (start.velocity + 0.5 * dt * before),
                velocity: start.velocity + 0.5 * dt * (before + after),
                acceleration: after,
            },
        }
    }
}

/// Prescribes one component of some nodes of a deformable body.
#[derive(Clone, Debug)]
pub struct Support {
    /// Global nodes, ascending.
    pub nodes: Vec<u32>,
    /// Component: 0, 1 or 2.
    pub axis: usize,
    /// What is prescribed.
    pub motion: Prescribed,
}
