//! Integrals of a function over a step, and effective values at the ends of the step.

use super::TimeFunction;
use super::enclosure::Enclosure;
use super::jet::Jet;

/// Largest distance from an end of an interval at which a point counts as this end, relative to the length of the
/// interval.
const INSIDE: f64 = 1e-6;

/// Bound on the rounding error of a time that is a sum of time steps, relative to this time.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Bound on (length of an interval) · (variation of the slope in the interval)/(largest magnitude of the function).
/// Intervals beyond this bound are bisected. Within the bound, Gauss quadrature is accurate nearly to rounding.
const SMOOTH: f64 = 1e-3;

/// Largest number of bisections of an interval between two kinks or jumps.
const HALVINGS: u32 = 24;

/// Largest number of further bisections of an interval if the function or its slope has no finite bound.
const HALVINGS_UNBOUNDED: u32 = 6;

/// Largest deviation of a function from the chord over a step, relative to the largest magnitude of the function, at
/// which the step uses the end values. Beyond this deviation, the mean replaces the end values.
const FOLLOWED: f64 = 0.1;

/// Gauss rule on (−1, 1) (Abramowitz & Stegun 1964, table 25.4).
const TWO_POINTS: [(f64, f64); 2] = [(-0.577_350_269_189_625_8, 1.0), (0.577_350_269_189_625_8, 1.0)];
/// Gauss rule on (−1, 1) (Abramowitz & Stegun 1964, table 25.4).
const FIVE_POINTS: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.906_179_845_938_664, 0.236_926_885_056_189_1),
];

/// Integrals of a function over a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Integrals {
    /// ∫ f dt.
    pub first: f64,
    /// ∫∫ f dt dt = ∫ (t_end − t) f dt.
    pub second: f64,
}

/// Effective values at the ends of a step. In two cases (see `TimeFunction::end_values`), both are the mean of the
/// function over the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EndValues {
    /// Value at the beginning of the step.
    pub start: f64,
    /// Value at the end of the step.
    pub end: f64,
    /// Largest distance of the function from the chord over the step, at the quadrature points.
    pub deviation: f64,
}

impl TimeFunction {
    /// Value, first and second derivative just after `time + time_step` \[s\].
    pub fn after_step(&self, time: f64, time_step: f64) -> [f64; 3] {
        let end = time + time_step;
        let Jet { value, first, second } = self.limit(end, end + inside(end, time_step));
        [value, first, second]
    }

    /// Integrals over a step that begins at `time`. For a table, the result is exact up to rounding. For an expression,
    /// Gauss quadrature is used between kinks and jumps.
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

    /// Values at the ends of a step that begins at `time`, as limits from within the step. In two cases, the mean of
    /// the function over the step replaces both values:
    /// - The function has a kink or a jump inside the step.
    /// - The function deviates from the chord over the step by more than a tenth of its largest magnitude.
    ///
    /// With the mean, half the step times the sum of both values is the integral over the step.
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

    /// Calls `visit` with instant, weight \[s\] and value at each quadrature point from `from` to `to`.
    fn for_each_point(&self, from: f64, to: f64, visit: &mut dyn FnMut(f64, f64, f64)) {
        let slack = inside(to, to - from);
        let mut start = from;
        while start < to {
            let end = self.first_break(start + slack, to - slack).unwrap_or(to);
            match self {
                Self::Expression(expression) => {
                    let enclose = |from: f64, to: f64| expression.enclose(from, to);
                    // The trim excludes jumps at `start` and `end` from the bounds.
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

/// Distance \[s\] between the instant `time`, an end of a step, and the instant that selects the side of a one-sided
/// limit.
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

/// Quadrature with bisection until the slope varies little over each part.
struct Halving<'a> {
    enclose: &'a dyn Fn(f64, f64) -> Enclosure,
    value: &'a dyn Fn(f64) -> f64,
    /// Bound on the magnitude of the function.
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
