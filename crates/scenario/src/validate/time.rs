//! `[time]` and `[dynamic_relaxation]`.

use super::check::{Bounds, Check};
use crate::error::Problem;
use crate::raw;
use crate::section::Section;
use crate::spanned::Spanned;
use crate::{DynamicRelaxation, StepSize, TimeSettings};

pub(super) fn validate(section: Option<Section<'_>>, check: &mut Check<'_>) -> Option<TimeSettings> {
    let Some(section) = section else {
        let problem = Problem::new("missing table [time]").key("time.end");
        check.report(problem.help("add [time] with `end = …`: end of the run [s]"));
        return None;
    };
    let raw: raw::Time = section.read_sound_part(&mut check.problems)?;
    let end = check.number("time.end", &raw.end, Bounds::Positive);
    let step = match &raw.step {
        None => StepSize::Auto,
        Some(step) => match step.get_ref() {
            raw::Step::Word(word) if word == "auto" => StepSize::Auto,
            raw::Step::Word(word) => {
                let problem = Problem::new(format!("`time.step` cannot be `{word}`"));
                check.report(problem.at(step.span()).key("time.step").help("give \"auto\" or a number [s]"));
                StepSize::Auto
            }
            raw::Step::Size(size) => {
                StepSize::Fixed(check.in_range("time.step", *size, step.span(), Bounds::Positive))
            }
        },
    };
    let flight_step = raw.flight_step.as_ref();
    Some(TimeSettings {
        end,
        step,
        safety: check.number_or("time.safety", raw.safety.as_ref(), Bounds::Fraction, 0.8),
        flight_step: check.number_or("time.flight_step", flight_step, Bounds::Positive, end / 200.0),
        energy_tolerance: check.number_or(
            "time.energy_tolerance",
            raw.energy_tolerance.as_ref(),
            Bounds::Positive,
            0.05,
        ),
    })
}

/// Default of `max_steps`.
const MAX_STEPS: u64 = 100_000;

pub(super) fn validate_relaxation(section: Section<'_>, check: &mut Check<'_>) -> Option<DynamicRelaxation> {
    let raw: raw::DynamicRelaxation = section.read_sound_part(&mut check.problems)?;
    let tolerance = raw.tolerance.as_ref();
    Some(DynamicRelaxation {
        tolerance: check.number_or("dynamic_relaxation.tolerance", tolerance, Bounds::Fraction, 1e-3),
        max_steps: raw.max_steps.as_ref().map_or(MAX_STEPS, |count| max_steps(count, check)),
    })
}

fn max_steps(count: &Spanned<i64>, check: &mut Check<'_>) -> u64 {
    let key = "dynamic_relaxation.max_steps";
    let least = DynamicRelaxation::MIN_CALM_STEPS;
    if u64::try_from(*count.get_ref()).map_or(true, |count| count <= least) {
        let fact = format!(
            "`{key}` is {}, but bodies must stay at rest for {least} steps before the run starts",
            count.get_ref()
        );
        let problem = Problem::new(fact).at(count.span()).key(key);
        check.report(problem.help(format!("give more than {least} steps, such as 100000")));
    }
    u64::try_from(*count.get_ref()).unwrap_or(MAX_STEPS)
}
