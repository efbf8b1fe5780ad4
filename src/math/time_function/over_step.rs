//! What a function does over a step: its integrals, and the values that act at its ends.

use super::TimeFunction;
use super::enclosure::Enclosure;
use super::jet::Jet;

/// Part of a step by which a limit at one of its ends is taken inside: the sum of the steps is rounded.
const INSIDE: f64 = 1e-6;

/// The same, relative to the time itself.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Change of a function by the change of its slope over an interval, relative to the function, up to which Gauss's rule is
/// exact but for rounding or nearly so.
const SMOOTH: f64 = 1e-3;

/// Halvings of a step in which what changes fast in it is looked for.
const HALVINGS: u32 = 24;

/// Halvings where nothing bounds the function or its slope.
const HALVINGS_UNBOUNDED: u32 = 6;

/// How far a function may be off the line between its values at the ends of a step, relative to its size, before its mean
/// acts in place of them.
const FOLLOWED: f64 = 0.1;

/// Points and weights of Gauss's rules of two and five points on (−1, 1) (Abramowitz & Stegun 1964, table 25.4).
const TWO_POINTS: [(f64, f64); 2] = [(-0.577_350_269_189_625_8, 1.0), (0.577_350_269_189_625_8, 1.0)];
const FIVE_POINTS: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.906_179_845_938_664, 0.236_926_885_056_189_1),
];

/// The integrals of a function over a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Integrals {
    /// ∫ f dt.
    pub first: f64,
    /// ∫∫ f dt dt = ∫ (t_end − t) f dt.
    pub second: f64,
}

/// What a function is at the ends of a step, or its mean where the step cannot follow it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EndValues {
    /// At the beginning.
    pub start: f64,
    /// At the end.
    pub end: f64,
    /// How far it is off the line between them, at its most.
    pub deviation: f64,
}

impl TimeFunction {
    /// Value, first and second derivative just after the end of a step of a size from a time on \[s\].
    pub fn after_step(&self, time: f64, time_step: f64) -> [f64; 3] {
        let end = time + time_step;
        let Jet { value, first, second } = self.limit(end, end + inside(end, time_step));
        [value, first, second]
    }

    /// Integrals over a step of a size from a time on \[s\]: of a table exact, of an expression by Gauss's rule of five points
    /// on the parts between its breaks, halved where ranges tell that it changes fast.
    pub fn integrals(&self, time: f64, time_step: f64) -> Integrals {
        if let Self::Constant(value) = self {
            let first = value * time_step;
            return Integrals { first, second: 0.5 * first * time_step };
        }
        let mut sum = Integrals::default();
        let end = time + time_step;
        self.for_each_point(time, end, &mut |at, weight, value| {
            sum.first += weight * value;
            sum.second += weight * value * (end - at);
        });
        sum
    }

    /// Values at the ends of a step of a size from a time on \[s\], as they are within it; or at both ends the mean over the
    /// step, where it has kinks or jumps inside, or is off the line between its values by a tenth of its size over the step: half
    /// the step times their sum is then the integral.
    pub fn end_values(&self, time: f64, time_step: f64) -> EndValues {
        let end = time + time_step;
        let start_value = self.limit(time, time + inside(time, time_step)).value;
        if self.is_constant() || time_step == 0.0 {
            return EndValues { start: start_value, end: start_value, deviation: 0.0 };
        }
        let end_value = self.limit(end, end - inside(end, time_step)).value;
        let (mut integral, mut deviation, mut size) = (0.0, 0.0_f64, start_value.abs().max(end_value.abs()));
        self.for_each_point(time, end, &mut |at, weight, value| {
            let line = start_value + (end_value - start_value) * ((at - time) / time_step);
            integral += weight * value;
            deviation = deviation.max((value - line).abs());
            size = size.max(value.abs());
        });
        if deviation <= FOLLOWED * size && !self.breaks_within(time, end, time_step) {
            return EndValues { start: start_value, end: end_value, deviation };
        }
        let mean = integral / time_step;
        EndValues { start: mean, end: mean, deviation }
    }

    fn breaks_within(&self, from: f64, to: f64, time_step: f64) -> bool {
        self.first_break(from + inside(from, time_step), to - inside(to, time_step)).is_some()
    }

    /// Calls `visit` with the instants, weights and values of a rule of integration over an interval.
    fn for_each_point(&self, from: f64, to: f64, visit: &mut dyn FnMut(f64, f64, f64)) {
        let slack = inside(to, to - from);
        let mut start = from;
        while start < to {
            let end = self.first_break(start + slack, to - slack).unwrap_or(to);
            match self {
                Self::Expression(expression) => {
                    let enclose = |from: f64, to: f64| expression.enclose(from, to);
                    // Ranges just within the part have no jump at its ends in them.
                    let trim = INSIDE * (end - start);
                    let size = enclose(start + trim, end - trim).value.size();
                    let value = |at: f64| expression.evaluate(Jet::constant(at)).value;
                    Halving { enclose: &enclose, value: &value, size, visit }.integrate(start, end, HALVINGS);
                }
                _ => gauss(&TWO_POINTS, start, end, &|at| self.value(at), visit),
            }
            start = end;
        }
    }
}

/// How far inside a step a limit at its end is taken \[s\].
fn inside(time: f64, time_step: f64) -> f64 {
    (INSIDE * time_step).max(ROUNDING * time.abs())
}

fn gauss(
    rule: &[(f64, f64)],
    from: f64,
    to: f64,
    value: &dyn Fn(f64) -> f64,
    visit: &mut dyn FnMut(f64, f64, f64),
) {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    for &(place, weight) in rule {
        let at = middle + half * place;
        visit(at, half * weight, value(at));
    }
}

/// Integration of a smooth function on intervals that are halved until it changes little over each.
struct Halving<'a> {
    enclose: &'a dyn Fn(f64, f64) -> Enclosure,
    value: &'a dyn Fn(f64) -> f64,
    /// Size of the function.
    size: f64,
    visit: &'a mut dyn FnMut(f64, f64, f64),
}

impl Halving<'_> {
    fn integrate(&mut self, from: f64, to: f64, halvings: u32) {
        let trim = INSIDE * (to - from);
        let slope = (self.enclose)(from + trim, to - trim).slope;
        let change = slope.width() * (to - from);
        let is_bounded = change.is_finite() && self.size.is_finite();
        let left = if is_bounded { halvings } else { halvings.min(HALVINGS_UNBOUNDED) };
        let is_smooth = is_bounded && change <= SMOOTH * self.size;
        let middle = 0.5 * (from + to);
        if is_smooth || left == 0 || middle <= from || middle >= to {
            gauss(&FIVE_POINTS, from, to, self.value, self.visit);
        } else {
            self.integrate(from, middle, left - 1);
            self.integrate(middle, to, left - 1);
        }
    }
}
