use std::f64::consts::{E, PI};

use approx::assert_relative_eq;
use proptest::prelude::*;

use super::*;

fn value(text: &str, t: f64) -> f64 {
    TimeFunction::expression(text).unwrap().value(t)
}

#[test]
fn values_follow_the_conventions_of_mathematics() {
    for (text, t, expected) in [
        ("1e5*(t < 1e-3)", 0.0, 1e5),
        ("1e5*(t < 1e-3)", 1e-3, 0.0),
        ("0.1*sin(2*pi*t)", 0.25, 0.1),
        ("exp(-t/1e-3)", 1e-3, 1.0 / E),
        ("-t^2", 3.0, -9.0),
        ("2^3^2", 0.0, 512.0),
        ("2^-t", 1.0, 0.5),
        ("2/-t^2", 2.0, -0.5),
        ("8/4/2", 0.0, 1.0),
        ("8 - 4 - 2", 0.0, 2.0),
        ("6*4/2", 0.0, 12.0),
        ("(0 <= t)*(t <= 1)", 1.0, 1.0),
        ("t + 1 > 2 * t", 0.5, 1.0),
        ("t == 2", 2.0, 1.0),
        ("t != 2", 2.0, 0.0),
        ("min(max(t, 1), min(3, 5))", 7.0, 3.0),
        ("abs(-t) + sqrt(4) + ln(e)", 2.0, 5.0),
        ("cos(π)", 0.0, -1.0),
        ("2.e1 + .5E+1 + 1e-0", 0.0, 26.0),
        ("step(t - 1)*smoothstep(t/2)*tanh(0)", 1.0, 0.0),
        ("smoothstep(t)", 0.5, 0.5),
        ("floor(t) + sign(-t)", 2.5, 1.0),
        ("  --t ", 2.0, 2.0),
    ] {
        assert_relative_eq!(value(text, t), expected, max_relative = 1e-14);
    }
}

#[test]
fn expressions_without_time_are_constant() {
    assert!(matches!(TimeFunction::expression("2*pi").unwrap(), TimeFunction::Constant(v) if v == 2.0 * PI));
    assert!(!TimeFunction::expression("0*t").unwrap().is_constant());
    assert!(TimeFunction::table(&[(0.0, 1.0), (2.0, 1.0)]).unwrap().is_constant());
    assert!(!TimeFunction::table(&[(0.0, 1.0), (2.0, 1.5)]).unwrap().is_constant());
}

/// Derivatives agree with closed forms.
#[test]
fn derivatives_of_a_harmonic_motion_and_a_decay() {
    let motion = TimeFunction::expression("0.1*sin(2*pi*t)").unwrap();
    let w = 2.0 * PI;
    for t in [0.0, 0.1, 0.37] {
        assert_relative_eq!(motion.derivative(t), 0.1 * w * (w * t).cos(), epsilon = 1e-14);
        assert_relative_eq!(motion.second_derivative(t), -0.1 * w * w * (w * t).sin(), epsilon = 1e-13);
    }
    let decay = TimeFunction::expression("t^2*exp(-t/0.5)").unwrap();
    let t = 0.3;
    let envelope = (-t / 0.5_f64).exp();
    assert_relative_eq!(decay.derivative(t), (2.0 * t - 2.0 * t * t) * envelope, max_relative = 1e-14);
    assert_relative_eq!(
        decay.second_derivative(t),
        (2.0 - 8.0 * t + 4.0 * t * t) * envelope,
        max_relative = 1e-13
    );
}

#[test]
fn derivatives_at_kinks_are_those_from_the_right() {
    let of = |text: &str, t| TimeFunction::expression(text).unwrap().derivative(t);
    assert_eq!(of("abs(t - 1)", 1.0), 1.0);
    assert_eq!(of("abs(1 - t)", 1.0), 1.0);
    assert_eq!(of("min(t, 1)", 1.0), 0.0);
    assert_eq!(of("max(1, t)", 1.0), 1.0);
    assert_eq!(of("t*(t < 1)", 0.5), 1.0);
    assert_eq!(of("t*(t < 1)", 1.0), 0.0);
}

#[test]
fn powers_have_derivatives_at_zero_and_of_negative_bases() {
    let cube = TimeFunction::expression("(t - 2)^3").unwrap();
    assert_eq!((cube.value(1.0), cube.derivative(1.0), cube.second_derivative(1.0)), (-1.0, 3.0, -6.0));
    let line = TimeFunction::expression("t^1").unwrap();
    assert_eq!((line.derivative(0.0), line.second_derivative(0.0)), (1.0, 0.0));
    let square = TimeFunction::expression("t^2").unwrap();
    assert_eq!((square.derivative(0.0), square.second_derivative(0.0)), (0.0, 2.0));
    let root = TimeFunction::expression("t + sqrt(0)").unwrap();
    assert_eq!(root.derivative(0.0), 1.0);
}

#[test]
fn a_table_is_linear_between_its_points_and_constant_outside() {
    let table = TimeFunction::table(&[(1.0, 0.0), (2.0, 4.0), (4.0, 0.0)]).unwrap();
    for (t, value, slope) in [
        (0.0, 0.0, 0.0),
        (1.0, 0.0, 4.0),
        (1.5, 2.0, 4.0),
        (2.0, 4.0, -2.0),
        (3.0, 2.0, -2.0),
        (4.0, 0.0, 0.0),
    ] {
        assert_eq!((table.value(t), table.derivative(t), table.second_derivative(t)), (value, slope, 0.0));
    }
}

#[test]
fn tables_that_are_not_functions_are_rejected() {
    assert_eq!(TimeFunction::table(&[]).unwrap_err(), TimeFunctionError::EmptyTable);
    assert_eq!(
        TimeFunction::table(&[(0.0, 1.0), (0.0, 2.0)]).unwrap_err(),
        TimeFunctionError::NotAscending { row: 2, time: 0.0, previous: 0.0 }
    );
    assert!(matches!(
        TimeFunction::table(&[(0.0, f64::INFINITY)]).unwrap_err(),
        TimeFunctionError::NotFinite { row: 1, .. }
    ));
}

#[test]
fn faults_of_expressions_are_located() {
    for (text, at, part) in [
        ("", 0, "its end where a number"),
        ("2*x", 2, "unknown name `x`"),
        ("sinus(t)", 0, "unknown name `sinus`"),
        ("2 t", 2, "`t` where an operator"),
        ("2t", 1, "`t` where an operator"),
        ("sin t", 4, "`t` where `(` after a function"),
        ("min(t)", 5, "a second argument"),
        ("max(t, 1, 2)", 8, "`,` where an operator or `)`"),
        ("(t", 2, "its end where an operator or `)`"),
        ("t)", 1, "`)` where an operator"),
        ("0 < t < 1", 6, "chains comparisons"),
        ("1..2", 2, "`.` where"),
        ("1e", 1, "`e` where an operator"),
        (".", 0, "`.` where a number"),
        ("t @ 2", 2, "`@`"),
        ("t +", 3, "its end"),
    ] {
        let error = TimeFunction::expression(text).unwrap_err();
        assert_eq!(error.at(), Some(at), "{text}: {error}");
        assert!(error.to_string().contains(part), "{text}: {error}");
    }
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| format!("{}t{}", "(".repeat(depth), ")".repeat(depth));
    assert!(TimeFunction::expression(&nested(DEPTH - 1)).is_ok());
    assert!(matches!(TimeFunction::expression(&nested(DEPTH)), Err(TimeFunctionError::TooDeep { .. })));
    assert!(matches!(TimeFunction::expression(&"-".repeat(100_000)), Err(TimeFunctionError::TooDeep { .. })));
    assert!(TimeFunction::expression(&["t"; 10_000].join("+")).is_ok());
    let stack = format!("{}t{}", "t+t*t^(".repeat(20), ")".repeat(20));
    assert!(matches!(TimeFunction::expression(&stack), Err(TimeFunctionError::TooDeep { .. })));
}

const DEPTH: usize = program::DEPTH_LIMIT;

fn assert_shared<T: Send + Sync + Clone>() {}

#[test]
fn functions_are_shared_between_threads() {
    assert_shared::<TimeFunction>();
}

/// Expressions that are smooth for t in (0.1, 0.9). Together they contain every function.
const SMOOTH: [&str; 20] = [
    "t^3 - 2*t + 1",
    "t/(1 + t^2)",
    "1/t",
    "sqrt(t)*t",
    "exp(2*t)",
    "ln(t)",
    "sin(3*t)*cos(t)",
    "tan(t)",
    "asin(t)",
    "acos(t/2)",
    "atan(4*t)",
    "sinh(t)",
    "cosh(t)^2",
    "tanh(3*t - 1)",
    "t^t",
    "2^(t^2)",
    "smoothstep(t)",
    "abs(t - 2)^2.5",
    "max(t, t - 1) * min(t^2, 5)",
    "(t < 1)*t^3 + floor(t) + step(t) + sign(t)",
];

proptest! {
    /// Central differences of fourth order agree with the derivatives.
    #[test]
    fn derivatives_agree_with_differences(index in 0..SMOOTH.len(), t in 0.15_f64..0.85) {
        let f = TimeFunction::expression(SMOOTH[index]).unwrap();
        let h = 1e-3;
        let at = |k: f64| f.value(t + k * h);
        let first = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h);
        let second = (16.0 * (at(1.0) + at(-1.0)) - (at(2.0) + at(-2.0)) - 30.0 * at(0.0)) / (12.0 * h * h);
        // The tolerances allow for the truncation error of the differences, of order h⁴, and for their rounding error,
        // of order ε/h². Here ε is the rounding error of the values.
        prop_assert!((f.derivative(t) - first).abs() < 1e-6 * (1.0 + first.abs()), "{}", SMOOTH[index]);
        prop_assert!((f.second_derivative(t) - second).abs() < 1e-5 * (1.0 + second.abs()), "{}", SMOOTH[index]);
    }

    #[test]
    fn no_text_panics(text in "[-+*/^()<>=!,. et0-9πxsinmaxé\\PC]{0,40}") {
        if let Ok(f) = TimeFunction::expression(&text) {
            f.value(0.5);
        }
    }
}

/// Breaks of the expression `text` after `from`, up to `to`, in ascending order.
fn breaks(text: &str, from: f64, to: f64) -> Vec<f64> {
    let function = TimeFunction::expression(text).unwrap();
    let mut found = Vec::new();
    let mut at = from;
    while let Some(next) = function.first_break(at, to) {
        found.push(next);
        at = next + 1e-9 * (to - from);
    }
    found
}

/// Breaks lie where arguments change sign or cross an integer. The expected instants are known in closed form.
#[test]
fn breaks_are_at_crossings_of_arguments() {
    let cases: [(&str, &[f64]); 10] = [
        ("1e5*(t < 1e-3)", &[1e-3]),
        ("step(t - 0.25) - step(2*t - 1)", &[0.25, 0.5]),
        ("sin(20*t)", &[]),
        ("sin(3*pi*t) > 0", &[1.0 / 3.0, 2.0 / 3.0]),
        ("floor(4*t)", &[0.25, 0.5, 0.75, 1.0]),
        ("abs(t - 0.3) + min(t, 0.6)", &[0.3, 0.6]),
        ("(t >= 0.7)*(t <= 0.7001)", &[0.7, 0.7001]),
        ("sign(exp(t) - 2)", &[std::f64::consts::LN_2]),
        ("max(t^2, 0.25)*(1 > 2)", &[0.5]),
        ("(t - 0.5)^2 > 0.0001", &[0.49, 0.51]),
    ];
    for (text, expected) in cases {
        let found = breaks(text, 1e-7, 1.0);
        assert_eq!(found.len(), expected.len(), "{text}: {found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14, "{text}: {found} for {expected}");
        }
    }
    let table = TimeFunction::table(&[(0.0, 1.0), (0.5, 4.0), (2.0, 0.0)]).unwrap();
    assert_eq!(table.first_break(0.0, 1.0), Some(0.5));
    assert_eq!(table.first_break(0.5, 1.0), None);
}

/// Integrals agree with antiderivatives. Some steps contain breaks, or a pulse as narrow as 1e-3 or 1e-4 of the step.
/// The relative tolerance is 1e-9 for the Gaussian pulse, and at most 1e-11 for all other functions.
#[test]
fn integrals_agree_with_antiderivatives() {
    let of = |text: &str, from: f64, size: f64| TimeFunction::expression(text).unwrap().integrals(from, size);
    let close = |found: f64, expected: f64, most: f64| {
        assert!((found - expected).abs() <= most * expected.abs(), "{found} for {expected}");
    };
    let table = TimeFunction::table(&[(0.0, 0.0), (0.042, 0.0), (0.0425, 100.0), (0.043, 0.0)]).unwrap();
    let integrals = table.integrals(0.0, 1.0);
    close(integrals.first, 0.05, 1e-14);
    close(integrals.second, 0.05 * (1.0 - 0.0425), 1e-13);
    let wave = of("sin(2*t)", 0.3, 0.4);
    close(wave.first, ((0.6_f64).cos() - (1.4_f64).cos()) / 2.0, 1e-13);
    close(wave.second, 0.4 * (0.6_f64).cos() / 2.0 - ((1.4_f64).sin() - (0.6_f64).sin()) / 4.0, 1e-11);
    close(of("3*(t > 0.45)", 0.0, 1.0).first, 3.0 * 0.55, 1e-13);
    close(of("floor(8*t)", 0.0, 1.0).first, 3.5, 1e-13);
    close(of("exp(-((t - 0.4321)/1e-4)^2)", 0.0, 1.0).first, 1e-4 * PI.sqrt(), 1e-9);
    close(of("1e3*t^2", 0.0, 1e-3).first, 1e-6 / 3.0, 1e-13);
}

/// Half the step times the sum of the end values is the integral. The cases are linear functions, jumps at the ends of
/// a step, and kinks or a pulse inside a step.
#[test]
fn end_values_of_steps_are_limits_from_within() {
    let pulse = TimeFunction::expression("1e5*(t >= 1e-3)*(t < 2e-3)").unwrap();
    for (time, start, end) in [(0.0, 0.0, 0.0), (1e-3, 1e5, 1e5), (2e-3, 0.0, 0.0), (5e-4, 5e4, 5e4)] {
        let values = pulse.end_values(time, 1e-3);
        assert!((values.start - start).abs() < 1e-6 && (values.end - end).abs() < 1e-6, "{time}: {values:?}");
    }
    // An end of the step misses the instant of the jump by a rounding error of either sign, as in sums of time steps.
    for off in [-1e-18, 1e-18] {
        assert_eq!(pulse.end_values(1e-3 + off, 5e-4).start, 1e5);
        assert_eq!(pulse.end_values(5e-4, 5e-4 + off).end, 0.0);
        assert_eq!(pulse.after_step(5e-4, 5e-4 + off), [1e5, 0.0, 0.0]);
    }
    let table = TimeFunction::table(&[(0.0, 0.0), (1.0, 2.0), (3.0, 0.0)]).unwrap();
    let EndValues { start, end, deviation } = table.end_values(0.25, 0.5);
    assert_eq!((start, end), (0.5, 1.5));
    assert!(deviation < 1e-15);
    assert_relative_eq!(table.end_values(0.5, 1.0).start, 1.625, max_relative = 1e-14);
    let spike = TimeFunction::expression("exp(-((t - 0.4321)/1e-4)^2)").unwrap().end_values(0.0, 1.0);
    assert!(spike.deviation > 0.9, "{spike:?}");
    assert_relative_eq!(spike.start, 1e-4 * PI.sqrt(), max_relative = 1e-9);
}

proptest! {
    /// The bounds over a time interval contain the values and slopes, up to rounding. Over a short time interval the
    /// bounds of the value are close together.
    #[test]
    fn intervals_contain_values_and_slopes(index in 0..SMOOTH.len(), t in 0.15_f64..0.8, width in 1e-6_f64..0.1) {
        let TimeFunction::Expression(f) = TimeFunction::expression(SMOOTH[index]).unwrap() else { return Ok(()) };
        let range = f.enclose(t, t + width);
        for k in 0..=10 {
            let Jet { value, first, .. } = f.evaluate(Jet::variable(t + width * f64::from(k) / 10.0));
            let rounding = 1e-12 * (1.0 + value.abs() + first.abs());
            prop_assert!(range.value.low - rounding <= value && value <= range.value.high + rounding, "{}", SMOOTH[index]);
            prop_assert!(range.slope.low - rounding <= first && first <= range.slope.high + rounding, "{}", SMOOTH[index]);
        }
        if width < 1e-5 {
            prop_assert!(range.value.width() < 1e-3, "{}: {range:?}", SMOOTH[index]);
        }
    }
}
