//! `mass_damping` of the bodies.

use crate::error::Problem;
use crate::math::TimeFunction;
use crate::raw;
use crate::spanned::Spanned;
use crate::validate::check::{Bounds, Check};
use crate::{BodySpec, TiedPair};

/// Number of equal intervals from t = 0 to the end time, at whose ends a varying rate is checked.
const SAMPLES: u32 = 1000;

/// Rate of mass damping. `None` if the rate is zero, or if `value` is no function of time. `end` is the end time \[s\].
pub(super) fn validate(
    key: &str,
    value: &Spanned<raw::Function>,
    end: Option<f64>,
    check: &mut Check<'_>,
) -> Option<TimeFunction> {
    let rate = match check.function(key, value)? {
        TimeFunction::Constant(rate) => {
            TimeFunction::Constant(check.in_range(key, rate, value.span(), Bounds::NotNegative))
        }
        rate => rate,
    };
    let instants = (0..=SAMPLES).map(|k| end.unwrap_or(0.0) * f64::from(k) / f64::from(SAMPLES));
    let negative = |time: &f64| !(rate.value(*time) >= 0.0 && rate.value(*time).is_finite());
    if let Some(time) = instants.filter(|_| !rate.is_constant()).find(negative) {
        let fact = format!("`{key}` is {} at t = {time} s", rate.value(time));
        let help = "give a finite rate that is zero or positive until `time.end`; a negative one would drive the body";
        check.report(Problem::new(fact).at(value.span()).key(key).help(help));
    }
    (rate != TimeFunction::Constant(0.0)).then_some(rate)
}

/// Refuses ties between bodies of different mass damping: the damping would give tied points different velocities.
pub(crate) fn refuse_unlike_ties(tied: &[TiedPair], bodies: &[BodySpec], check: &mut Check<'_>) {
    for pair in tied {
        let [Some(first), Some(second)] = pair.bodies.map(|body| bodies.get(body)) else { continue };
        if first.mass_damping != second.mass_damping {
            let fact = format!("`{}` and `{}` are tied, but damped differently", first.name, second.name);
            let problem = Problem::new(fact).at(pair.span.clone()).key("bodies.mass_damping");
            check.report(problem.help("give all bodies tied to each other the same `mass_damping`"));
        }
    }
}
