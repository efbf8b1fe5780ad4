//! Supports and prescribed motion.

use crate::math::TimeFunction;

/// What is prescribed of one component of a motion.
#[derive(Clone, Debug, PartialEq)]
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

/// By how much a prescribed motion jumps in a step, beside what its accelerations say \[m/s\]: nothing where it is smooth.
///
/// ```text
/// v_n ─ begin, ½ dt a_n ─► Δx/dt ─ ½ dt a_{n+1}, end ─► v_{n+1}
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VelocityJumps {
    begin: f64,
    end: f64,
    velocity_before: f64,
    velocity_after: f64,
}

impl VelocityJumps {
    /// From the velocity \[m/s\] and the acceleration \[m/s²\] before a step of a length \[s\] and the way made in it \[m\] to
    /// its end; none in a step of no length.
    pub fn of(before: [f64; 2], travel: f64, end: &PrescribedStep, time_step: f64) -> Self {
        if time_step == 0.0 {
            return Self::default();
        }
        let [velocity_before, acceleration_before] = before;
        let (mean, half) = (travel / time_step, 0.5 * time_step);
        Self {
            begin: mean - velocity_before - half * acceleration_before,
            end: end.velocity - mean - half * end.acceleration,
            velocity_before,
            velocity_after: end.velocity,
        }
    }

    /// The jumps at the beginning and at the end \[m/s\].
    pub fn at_ends(&self) -> [f64; 2] {
        [self.begin, self.end]
    }

    /// Work of what makes them, of a mass of one \[J/kg\]: each does its own with the mean velocity in it, before the half kick
    /// that follows and after the one that went before.
    pub fn work(&self) -> f64 {
        self.begin * (self.velocity_before + 0.5 * self.begin)
            + self.end * (self.velocity_after - 0.5 * self.end)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What the jumps and the reaction m a do over a step is what becomes of momentum, and of ½ m v² − ⅛ dt² m a², of a
    /// mass that is held to any motion: work and impulse as they are defined, to rounding.
    #[test]
    fn jumps_and_accelerations_make_the_motion() {
        let (dt, mass, travel) = (0.1, 2.0, 0.37);
        let [before, after] = [[1.3, -0.7], [-2.1, 4.0]];
        let end = PrescribedStep { position: travel, velocity: after[0], acceleration: after[1] };
        let jumps = VelocityJumps::of(before, travel, &end, dt);
        let gained = |of: &dyn Fn([f64; 2]) -> f64| mass * (of(after) - of(before));
        let impulse = mass * (jumps.at_ends().iter().sum::<f64>() + 0.5 * dt * (before[1] + after[1]));
        assert!((impulse - gained(&|[v, _]| v)).abs() < 1e-14);
        let work = mass * (jumps.work() + 0.5 * (before[1] + after[1]) * travel);
        assert!((work - gained(&|[v, a]| 0.5 * v * v - 0.125 * dt * dt * a * a)).abs() < 1e-14);
    }

    /// A smooth motion has none: positions by the trapezoidal rule of the accelerations.
    #[test]
    fn prescribed_acceleration_does_not_jump() {
        let motion = Prescribed::Acceleration(TimeFunction::Constant(3.0)).over_step(0.0, 0.5);
        let start = StepStart { reference: 0.0, position: 1.0, velocity: 2.0 };
        let end = motion.end(&start);
        let jumps = VelocityJumps::of([2.0, 3.0], end.position - 1.0, &end, 0.5);
        assert_eq!(jumps.at_ends(), [0.0, 0.0]);
    }
}
