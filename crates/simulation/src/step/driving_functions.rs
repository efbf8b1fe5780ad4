//! Driving functions: prescribed functions of time. Steps end at breaks: kinks and jumps of these functions.

use serde::{Deserialize, Serialize};

use crate::math::TimeFunction;
use crate::scenario::{
    BoundarySpec, LoadKind, LoadSpec, PrescribedMotion, Scenario, Turn, WallMotion, WallSpec,
};

use crate::Simulation;

/// Smallest step that ends at a break, relative to the wanted step (the step without breaks). A break closer to the
/// beginning of a step does not end the step; the mean of the function over the step then acts.
const MIN_STEP_TO_BREAK: f64 = 0.1;

/// If the interval of a wanted step contains at most this number of breaks, a step ends at each break. If the interval
/// contains more breaks, a step ends only at the last.
const MAX_BREAKS_PER_STEP: usize = 3;

/// Largest relative difference at which step lengths count as equal. Equal lengths can differ by rounding,
/// because times are rounded sums of steps.
const ROUNDING: f64 = 1e-9;

/// A warning is due if a function deviates from linear interpolation over a step by more than this fraction of its size
/// (`FunctionRange::size`).
const TOLERATED_DEVIATION: f64 = 0.1;

/// Number of equal intervals into which the duration of the run is divided. Functions are sampled at their ends.
const SAMPLES: u32 = 64;

#[derive(Clone, Debug)]
struct DrivingFunction {
    key: String,
    function: TimeFunction,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct FunctionRange {
    /// Size of the function: the maximum of its absolute values at the samples of the run and at both ends of the steps
    /// so far, and of its deviations from linear interpolation within these steps.
    size: f64,
    has_warned: bool,
}

/// The driving functions that are not constant.
#[derive(Clone, Debug, Default)]
pub(crate) struct DrivingFunctions {
    all: Vec<DrivingFunction>,
}

impl DrivingFunctions {
    pub fn new(scenario: &Scenario) -> Self {
        let mut all = Vec::new();
        let mut add = |key: String, function: &TimeFunction| {
            if function.is_constant() {
                return;
            }
            all.push(DrivingFunction { key, function: function.clone() });
        };
        let mut varying: Vec<&[TimeFunction; 3]> = Vec::new();
        for functions in scenario.bodies.iter().filter_map(|body| body.varying_gravity.as_ref()) {
            if !varying.contains(&functions) {
                varying.push(functions);
                functions.iter().for_each(|component| add("gravity".into(), component));
            }
        }
        for (index, body) in scenario.bodies.iter().enumerate() {
            let rate = body.mass_damping.iter();
            rate.for_each(|rate| add(format!("bodies.{index}.mass_damping"), rate));
        }
        for (index, boundary) in scenario.boundaries.iter().enumerate() {
            add_boundary(index, boundary, &mut add);
        }
        for (index, load) in scenario.loads.iter().enumerate() {
            add_load(index, load, &mut add);
        }
        for WallSpec { name, motion, .. } in &scenario.walls {
            if let WallMotion::Driven(velocity) = motion {
                velocity.iter().for_each(|component| add(format!("walls.{name}.velocity"), component));
            }
        }
        Self { all }
    }

    /// Ranges of the functions, sampled from t = 0 to `end` \[s\].
    pub fn ranges(&self, end: f64) -> Vec<FunctionRange> {
        let range = |driving: &DrivingFunction| {
            let instants = (0..=SAMPLES).map(|k| end * f64::from(k) / f64::from(SAMPLES));
            let size = instants.map(|time| driving.function.value(time).abs()).fold(0.0, f64::max);
            FunctionRange { size, has_warned: false }
        };
        self.all.iter().map(range).collect()
    }

    /// First break in the interval (`from`, `to`] \[s\].
    fn first_break(&self, from: f64, to: f64) -> Option<f64> {
        let breaking =
            self.all.iter().map(|driving| &driving.function).filter(|function| function.can_break());
        breaking.fold(None, |first, function| function.first_break(from, first.unwrap_or(to)).or(first))
    }

    /// Length of a step that begins at `time` \[s\]: `wanted`, or less if a break up to the time `horizon` \[s\] ends
    /// the step. A break between one and two times `wanted` ahead is reached in two equal steps.
    pub fn step_to_break(&self, time: f64, wanted: f64, horizon: f64) -> f64 {
        let in_two_steps = horizon.min(time + 2.0 * wanted);
        let Some(first) = self.first_break(time + MIN_STEP_TO_BREAK * wanted, in_two_steps) else {
            return wanted;
        };
        let ahead = first - time;
        if ahead > wanted * (1.0 + ROUNDING) {
            return if ahead < 2.0 * wanted * (1.0 - ROUNDING) { 0.5 * ahead } else { wanted };
        }
        let (mut last, mut count) = (first, 1);
        while let Some(next) = self.first_break(last, horizon.min(time + wanted)) {
            (last, count) = (next, count + 1);
        }
        let step = if count > MAX_BREAKS_PER_STEP { last - time } else { ahead };
        if step > wanted * (1.0 - ROUNDING) { wanted } else { step }
    }

    /// Warnings about functions that vary too fast for the step of length `time_step` \[s\] at `time` \[s\]. Each
    /// function has at most one warning per run.
    pub fn unresolved<'a>(
        &'a self,
        ranges: &'a mut [FunctionRange],
        time: f64,
        time_step: f64,
    ) -> impl Iterator<Item = String> + 'a {
        let unwarned = self.all.iter().zip(ranges).filter(|(_, range)| !range.has_warned);
        unwarned.filter_map(move |(driving, range)| {
            let values = driving.function.end_values(time, time_step);
            range.size = range.size.max(values.start.abs()).max(values.end.abs()).max(values.deviation);
            range.has_warned = values.deviation > TOLERATED_DEVIATION * range.size;
            range.has_warned.then(|| {
                format!(
                    "`{}` varies faster than steps of {time_step:.3e} s can resolve, first at t = {time:.6e} s; \
                     choose a shorter `time.step` to resolve its variation within a step",
                    driving.key
                )
            })
        })
    }
}

fn add_boundary(index: usize, boundary: &BoundarySpec, add: &mut impl FnMut(String, &TimeFunction)) {
    for component in &boundary.components {
        let (axis, motion) = &component.value;
        let axis = format!("{axis:?}").to_lowercase();
        match motion {
            PrescribedMotion::Fixed => {}
            PrescribedMotion::Displacement(function) => {
                add(format!("boundaries.{index}.displacement.{axis}"), function);
            }
            PrescribedMotion::Velocity(function) => {
                add(format!("boundaries.{index}.velocity.{axis}"), function);
            }
            PrescribedMotion::Acceleration(function) => {
                add(format!("boundaries.{index}.acceleration.{axis}"), function);
            }
            // All three axes share the function of the rotation.
            PrescribedMotion::Rotation(_) if axis != "x" => {}
            PrescribedMotion::Rotation(rotation) => match &rotation.turn {
                Turn::Angle(angle) => add(format!("boundaries.{index}.rotation.angle"), angle),
                Turn::Speed(speed) => add(format!("boundaries.{index}.rotation.speed"), speed),
            },
        }
    }
}

fn add_load(index: usize, load: &LoadSpec, add: &mut impl FnMut(String, &TimeFunction)) {
    let (name, functions) = match &load.kind {
        LoadKind::Pressure(function) => ("pressure", std::slice::from_ref(function)),
        LoadKind::Traction(functions) => ("traction", functions.as_slice()),
        LoadKind::BodyForce(functions) => ("body_force", functions.as_slice()),
    };
    functions.iter().for_each(|function| add(format!("loads.{index}.{name}"), function));
}

impl Simulation {
    /// See `DrivingFunctions::step_to_break`.
    pub(crate) fn step_to_break(&self, wanted: f64, horizon: f64) -> f64 {
        let time = self.state.nodes.time + self.state.nodes.time_remainder;
        self.settings.driving_functions.step_to_break(time, wanted, horizon)
    }

    /// Warns about functions that vary too fast for the step of length `dt` \[s\] that begins at the current time.
    pub(crate) fn check_driving_functions(&mut self, dt: f64) {
        if self.is_relaxing() {
            return;
        }
        let ledger = &mut self.state.ledger;
        let functions = &self.settings.driving_functions;
        let unresolved = functions.unresolved(&mut ledger.function_ranges, self.state.nodes.time, dt);
        ledger.warnings.extend(unresolved);
    }
}
