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

/// Where a component stands at the beginning of a step, and the step.
#[derive(Clone, Copy, Debug)]
pub struct StepStart {
    /// Reference position \[m\].
    pub reference: f64,
    /// Position \[m\].
    pub position: f64,
    /// Velocity \[m/s\].
    pub velocity: f64,
    /// Time \[s\].
    pub time: f64,
    /// Size of the step \[s\].
    pub time_step: f64,
}

impl Prescribed {
    /// Whether the component never moves.
    pub fn is_fixed(&self) -> bool {
        matches!(self, Self::Fixed)
    }

    /// The motion at the end of a step. Velocities are integrated by the midpoint rule, accelerations by the
    /// trapezoidal one.
    pub fn step(&self, start: &StepStart) -> PrescribedStep {
        let dt = start.time_step;
        let end = start.time + dt;
        match self {
            Self::Fixed => PrescribedStep { position: start.position, velocity: 0.0, acceleration: 0.0 },
            Self::Displacement(function) => PrescribedStep {
                position: start.reference + function.value(end),
                velocity: function.derivative(end),
                acceleration: function.second_derivative(end),
            },
            Self::Velocity(function) => PrescribedStep {
                position: start.position + dt * function.value(start.time + 0.5 * dt),
                velocity: function.value(end),
                acceleration: function.derivative(end),
            },
            Self::Acceleration(function) => {
                let (before, after) = (function.value(start.time), function.value(end));
                PrescribedStep {
                    position: start.position + dt * (start.velocity + 0.5 * dt * before),
                    velocity: start.velocity + 0.5 * dt * (before + after),
                    acceleration: after,
                }
            }
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
