//! The instants at which a function kinks or jumps, found from what it is made of.

use super::TimeFunction;
use super::enclosure::Enclosure;
use super::jet::Jet;
use super::program::{Crossing, Program};

/// Halvings of an interval in which a crossing is looked for; nearer to each other, two can be taken for none.
const HALVINGS: u32 = 12;

/// Halvings where nothing is known of a function but its values.
const HALVINGS_UNBOUNDED: u32 = 6;

/// A part of an expression that makes it kink or jump where it crosses something.
#[derive(Clone, Debug)]
pub(super) struct Switch {
    pub argument: Program,
    pub crossing: Crossing,
}

impl Switch {
    /// On which side of what it crosses the argument is; the same number on the same side.
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

    /// The first instant after `from`, up to `to`, at which the argument has crossed.
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

    /// The instant at which the argument leaves the side that it is on at `low`, between two of which the second is on
    /// another.
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
    /// The first instant after `from`, up to `to` \[s\], at which the function kinks or jumps: points of a table, and where
    /// comparisons, `step`, `sign`, `floor`, `abs`, `min` and `max` change sides.
    ///
    /// Crossings are isolated by ranges over intervals of time, not by samples; two that are nearer than `(to − from)/4096`
    /// can be taken for none.
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

    /// Whether it can kink or jump anywhere.
    pub fn can_break(&self) -> bool {
        match self {
            Self::Constant(_) => false,
            Self::Table(_) => !self.is_constant(),
            Self::Expression(expression) => !expression.switches().is_empty(),
        }
    }

    /// Value and derivatives at `time` as they are on the side of it where `beside` is, which no other break is between
    /// \[s\].
    pub(super) fn limit(&self, time: f64, beside: f64) -> Jet {
        match self {
            Self::Constant(value) => Jet::constant(*value),
            Self::Table(points) => super::interpolate(points, time, beside),
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
