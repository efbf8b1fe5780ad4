//! Kinks and jumps of a function of time.

use super::TimeFunction;
use super::enclosure::Enclosure;
use super::jet::Jet;
use super::program::{Crossing, Program};
use super::table::interpolate;

/// Largest number of bisections of an interval in the search for a kink or a jump.
const HALVINGS: u32 = 12;

/// Largest number of further bisections of an interval in which the slope of [`Switch::argument`] has no finite bound.
const HALVINGS_UNBOUNDED: u32 = 6;

/// A possible kink or jump of an expression, where `argument` crosses zero or an integer.
#[derive(Clone, Debug)]
pub(super) struct Switch {
    pub argument: Program,
    pub crossing: Crossing,
}

impl Switch {
    /// Number for the side of the crossings on which `value` lies: for crossings of zero, the sign; for crossings of
    /// integers, the largest integer not above `value`. Zero for NaN.
    fn side_of(&self, value: f64) -> f64 {
        match self.crossing {
            Crossing::Zero if value == 0.0 || value.is_nan() => 0.0,
            Crossing::Zero => value.signum(),
            Crossing::Integers if value.is_nan() => 0.0,
            Crossing::Integers => value.floor(),
        }
    }

    fn side(&self, time: f64) -> f64 {
        self.side_of(self.argument.evaluate(Jet::constant(time)).value)
    }

    /// First instant after `from`, up to `to`, at which the argument has changed its side.
    fn first_crossing(&self, from: f64, to: f64, halvings: u32) -> Option<f64> {
        let Enclosure { value, slope } = self.argument.enclose(from, to);
        if self.side_of(value.low) == self.side_of(value.high) && value.low.is_finite() {
            return None;
        }
        let middle = 0.5 * (from + to);
        let is_monotone = slope.low >= 0.0 || slope.high <= 0.0;
        let left = if slope.width().is_finite() { halvings } else { halvings.min(HALVINGS_UNBOUNDED) };
        if is_monotone || left == 0 || middle <= from || middle >= to {
            return (self.side(from) != self.side(to)).then(|| self.bisect(from, to));
        }
        self.first_crossing(from, middle, left - 1).or_else(|| self.first_crossing(middle, to, left - 1))
    }

    /// First floating-point number after the crossing between `low` and `high`. The argument must lie on different
    /// sides at `low` and at `high`.
    fn bisect(&self, mut low: f64, mut high: f64) -> f64 {
        let before = self.side(low);
        loop {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                return high;
            }
            if self.side(middle) == before {
                low = middle;
            } else {
                high = middle;
            }
        }
    }
}

impl TimeFunction {
    /// First instant after `from`, up to `to` \[s\], with a kink or a jump. Every point of a table counts as a kink.
    ///
    /// The search skips parts of the interval in which bounds exclude kinks and jumps. Two kinks or jumps can be missed
    /// if their distance is below `(to − from)/4096`, or below `(to − from)/64` where a slope has no finite bound.
    pub fn first_break(&self, from: f64, to: f64) -> Option<f64> {
        match self {
            Self::Constant(_) => None,
            Self::Table(points) => {
                let next = points.partition_point(|point| point.0 <= from);
                points.get(next).map(|point| point.0).filter(|&time| time <= to)
            }
            Self::Expression(expression) => expression.switches().iter().fold(None, |first, switch| {
                switch.first_crossing(from, first.unwrap_or(to), HALVINGS).or(first)
            }),
        }
    }

    /// Whether the function can have a kink or a jump.
    pub fn can_break(&self) -> bool {
        match self {
            Self::Constant(_) => false,
            Self::Table(_) => !self.is_constant(),
            Self::Expression(expression) => !expression.switches().is_empty(),
        }
    }

    /// One-sided value and derivatives at `time` \[s\], from the side of `beside` \[s\]. The function must have no kink
    /// or jump strictly between `time` and `beside`.
    pub(super) fn limit(&self, time: f64, beside: f64) -> Jet {
        match self {
            Self::Constant(value) => Jet::constant(*value),
            Self::Table(points) => interpolate(points, time, beside),
            Self::Expression(expression) => {
                let crosses = |switch: &Switch| switch.side(time) != switch.side(beside);
                if !expression.switches().iter().any(crosses) {
                    return expression.evaluate(Jet::variable(time));
                }
                let Jet { value, first, second } = expression.evaluate(Jet::variable(beside));
                let back = time - beside;
                Jet {
                    value: value + back * (first + 0.5 * back * second),
                    first: first + back * second,
                    second,
                }
            }
        }
    }
}
