//! Compares times of contact with reference values and with times computed in twice the precision: no time is late, and
//! no contact is missed.

use super::*;
use crate::detection::samples::Samples;

fn sphere(centre: [f64; 3], velocity: [f64; 3], acceleration: [f64; 3], radius: f64) -> MovingSphere {
    MovingSphere {
        centre: centre.into(),
        radius,
        velocity: velocity.into(),
        acceleration: acceleration.into(),
        growth: 0.0,
        growth_rate: 0.0,
    }
}

fn at_rest() -> MovingSphere {
    sphere([0.0; 3], [0.0; 3], [0.0; 3], 0.0)
}

/// The reference values are first roots computed with 40 digits.
#[test]
fn reference_values() {
    let growing = MovingSphere {
        growth: 0.2,
        growth_rate: 0.1,
        ..sphere([10.0, 0.0, 0.0], [-1.0, 0.3, 0.0], [0.05, 0.0, 0.02], 1.0)
    };
    let cases = [
        (sphere([1500.0, 0.0, 0.0], [-100.0, 0.0, 0.0], [0.0; 3], 2.0), Some(14.98), 1e-13),
        (sphere([10.0, 0.0, 0.0], [-3.0, 0.2, 0.0], [0.5, 0.0, -0.1], 1.0), None, 0.0),
        (sphere([10.0, 1.0, 0.0], [0.0; 3], [-0.2, 0.01, 0.0], 2.5), Some(8.902_966_838_438_32), 1e-12),
        (sphere([0.0, 5.0, 0.0], [0.0, -2.0, 0.0], [0.0, 0.5, 0.0], 1.0), Some(4.0), 1e-5),
        (sphere([0.0, 5.0, 0.0], [0.0, -2.0, 0.0], [0.0, 0.5, 0.0], 0.999_999), None, 0.0),
        (growing, Some(6.920_066_115_544_814), 1e-12),
    ];
    for (moving, expected, tolerance) in cases {
        for horizon in [20.0, 37.5, 1000.0] {
            let found = time_of_contact(&moving, &at_rest(), horizon);
            match (found, expected) {
                (Some(found), Some(root)) => {
                    assert!(found <= root && root - found <= tolerance * root, "{found} for {root}")
                }
                _ => assert_eq!(found, expected, "{moving:?}"),
            }
        }
    }
}

#[test]
fn contact_after_the_horizon_is_none() {
    let moving = sphere([1500.0, 0.0, 0.0], [-100.0, 0.0, 0.0], [0.0; 3], 2.0);
    let fixed = at_rest();
    assert_eq!(time_of_contact(&moving, &fixed, 14.97), None);
    assert_eq!(time_of_contact(&moving, &fixed, -1.0), None);
    let accelerated = sphere([10.0, 1.0, 0.0], [0.0; 3], [-0.2, 0.01, 0.0], 2.5);
    assert_eq!(time_of_contact(&accelerated, &fixed, 8.9), None);
    assert!(time_of_contact(&accelerated, &fixed, 8.91).is_some());
}

#[test]
fn bad_data_and_overlap_give_time_zero() {
    let fixed = at_rest();
    let nan = f64::NAN;
    for moving in [
        sphere([nan, 0.0, 0.0], [0.0; 3], [0.0; 3], 1.0),
        sphere([9.0, 0.0, 0.0], [0.0, nan, 0.0], [0.0; 3], 1.0),
        sphere([9.0, 0.0, 0.0], [0.0; 3], [0.0, 0.0, nan], 1.0),
        sphere([9.0, 0.0, 0.0], [0.0; 3], [0.0, 0.0, 1.0], nan),
        sphere([9.0, 0.0, 0.0], [1e308, 0.0, 0.0], [0.0, 0.0, 1.0], 1.0),
        sphere([0.5, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0; 3], 1.0),
        sphere([0.0; 3], [0.0; 3], [0.0; 3], 0.0),
    ] {
        assert_eq!(time_of_contact(&moving, &fixed, 100.0), Some(0.0), "{moving:?}");
    }
    let growing = MovingSphere { growth: nan, ..sphere([9.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0; 3], 1.0) };
    assert_eq!(time_of_contact(&growing, &fixed, 1.0), Some(0.0));
    let at_distance = sphere([9.0, 0.0, 0.0], [0.0; 3], [0.0; 3], 1.0);
    assert_eq!(time_of_contact(&at_distance, &fixed, f64::INFINITY), None);
}

/// A number with about 106 bits of mantissa: the unevaluated sum of two numbers (Dekker 1971).
#[derive(Clone, Copy, Debug)]
struct Double {
    high: f64,
    low: f64,
}

impl Double {
    fn new(x: f64) -> Self {
        Self { high: x, low: 0.0 }
    }

    fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let t = high - a;
        Self { high, low: (a - (high - t)) + (b - t) }
    }

    fn plus(self, other: Self) -> Self {
        let s = Self::sum(self.high, other.high);
        Self::sum(s.high, s.low + self.low + other.low)
    }

    fn times(self, other: Self) -> Self {
        let high = self.high * other.high;
        let low = self.high.mul_add(other.high, -high) + (self.high * other.low + self.low * other.high);
        Self::sum(high, low)
    }

    fn scaled(self, factor: f64) -> Self {
        self.times(Self::new(factor))
    }
}

fn dot(a: &[Double; 3], b: &[Double; 3]) -> Double {
    (0..3).fold(Double::new(0.0), |sum, k| sum.plus(a[k].times(b[k])))
}

/// Coefficients of the quartic p(t) of a pair, in twice the precision.
fn quartic(a: &MovingSphere, b: &MovingSphere) -> [Double; 5] {
    let difference = |x: Vec3, y: Vec3| [0, 1, 2].map(|k| Double::sum(x[k], -y[k]));
    let (d, v, w) = (
        difference(a.centre, b.centre),
        difference(a.velocity, b.velocity),
        difference(a.acceleration, b.acceleration),
    );
    let r = Double::sum(a.radius, b.radius).scaled(-1.0);
    let minus = [r, Double::sum(a.growth, b.growth), Double::sum(a.growth_rate, b.growth_rate)];
    let (r0, r1, r2) = (minus[0].scaled(-1.0), minus[1], minus[2]);
    [
        dot(&d, &d).plus(r0.times(r0).scaled(-1.0)),
        dot(&d, &v).plus(r0.times(r1).scaled(-1.0)).scaled(2.0),
        dot(&v, &v).plus(dot(&d, &w)).plus(r1.times(r1).scaled(-1.0)).plus(r0.times(r2).scaled(-1.0)),
        dot(&v, &w).plus(r1.times(r2).scaled(-1.0)),
        dot(&w, &w).plus(r2.times(r2).scaled(-1.0)).scaled(0.25),
    ]
}

fn evaluate(p: &[Double], t: Double) -> f64 {
    p.iter().rev().fold(Double::new(0.0), |sum, &c| sum.times(t).plus(c)).high
}

/// All sign changes of p in \[0, end\], found by bisection to the last bit in twice the precision.
fn sign_changes(p: &[Double], end: f64) -> Vec<Double> {
    if p.len() < 2 {
        return Vec::new();
    }
    let derivative: Vec<Double> = p.iter().enumerate().skip(1).map(|(k, c)| c.scaled(k as f64)).collect();
    let mut knots = vec![Double::new(0.0)];
    knots.extend(sign_changes(&derivative, end));
    knots.push(Double::new(end));
    let mut found = Vec::new();
    for pair in knots.windows(2) {
        let (mut low, mut high) = (pair[0], pair[1]);
        let sign = evaluate(p, low);
        if sign * evaluate(p, high) > 0.0 {
            continue;
        }
        for _ in 0..120 {
            let middle = low.plus(high).scaled(0.5);
            if evaluate(p, middle) * sign > 0.0 { low = middle } else { high = middle }
        }
        found.push(high);
    }
    found
}

/// First time at which p is not positive, and the smallest value of p on \[0, end\], in twice the precision.
fn oracle(a: &MovingSphere, b: &MovingSphere, end: f64) -> (Option<f64>, f64) {
    let p = quartic(a, b);
    if p[0].high <= 0.0 {
        return (Some(0.0), p[0].high);
    }
    let derivative: Vec<Double> = p.iter().enumerate().skip(1).map(|(k, c)| c.scaled(k as f64)).collect();
    let mut stationary = sign_changes(&derivative, end);
    stationary.push(Double::new(end));
    let least = stationary.iter().map(|&t| evaluate(&p, t)).fold(p[0].high, f64::min);
    let root = if least <= 0.0 { sign_changes(&p, end).first().map(|t| t.high) } else { None };
    (root, least)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Class {
    General,
    PureAcceleration,
    Uniform,
    SmallAcceleration,
    SmallGap,
    GrazingLine,
    GrazingParabola,
    Growing,
}

/// A pair of spheres of the given class, and the horizon of the search.
fn sample(class: Class, s: &mut Samples) -> (MovingSphere, MovingSphere, f64) {
    let radius = s.uniform(0.1, 2.0);
    let mut a = sphere([0.0; 3], [0.0; 3], [0.0; 3], 0.3 * radius);
    let mut b = sphere(s.vector(1000.0).into(), s.vector(5.0).into(), s.vector(1.0).into(), 0.7 * radius);
    let gap =
        if class == Class::SmallGap { 10f64.powf(s.uniform(-15.0, -3.0)) } else { s.uniform(0.1, 10.0) };
    let offset = s.direction() * (radius + gap);
    let mut velocity = -offset * s.uniform(0.1, 2.0) + s.vector(0.4 * offset.norm());
    let mut acceleration = s.vector(1.0) * s.pick(&[1.0, 10.0]);
    let mut horizon = s.pick(&[1.0, 7.3, 100.0]);
    match class {
        Class::PureAcceleration => {
            velocity = Vec3::zeros();
            acceleration = -offset * s.uniform(0.1, 2.0) + s.vector(0.5);
        }
        Class::Uniform => acceleration = Vec3::zeros(),
        Class::SmallAcceleration => acceleration *= s.pick(&[1e-16, 1e-12, 1e-6]),
        Class::GrazingLine => {
            acceleration = Vec3::zeros();
            velocity = s.vector(3.0);
            let side = velocity.cross(&s.direction()).normalize() * radius * (1.0 - 1e-15);
            a.centre = side - velocity * s.uniform(0.2, 0.8) * horizon;
        }
        Class::GrazingParabola => {
            let (touch, normal) = (s.uniform(0.2, 0.8) * horizon, s.direction());
            acceleration = normal * s.uniform(0.1, 2.0);
            velocity = -acceleration * touch;
            a.centre = normal * (radius * (1.0 - 1e-15)) + acceleration * (0.5 * touch * touch);
        }
        Class::Growing => {
            (a.growth, b.growth) = (s.uniform(0.0, 0.5), s.uniform(0.0, 0.1));
            (a.growth_rate, b.growth_rate) = (s.uniform(0.0, 0.1), s.uniform(0.0, 2.0));
        }
        Class::General | Class::SmallGap => {}
    }
    if !matches!(class, Class::GrazingLine | Class::GrazingParabola) {
        a.centre = offset;
    } else {
        horizon *= 1.0 + s.uniform(0.0, 1.0);
        b.centre = Vec3::zeros();
    }
    a.centre += b.centre;
    a.velocity = velocity + b.velocity;
    a.acceleration = acceleration + b.acceleration;
    if acceleration == Vec3::zeros() {
        a.acceleration = b.acceleration;
    }
    (a, b, horizon)
}

#[test]
fn never_late_never_missed() {
    use Class::*;
    let mut samples = Samples::new(2014);
    for class in [
        General,
        PureAcceleration,
        Uniform,
        SmallAcceleration,
        SmallGap,
        GrazingLine,
        GrazingParabola,
        Growing,
    ] {
        let (mut contacts, mut most_early, mut most_clear) = (0, 0.0_f64, 0.0_f64);
        for _ in 0..3000 {
            let (a, b, horizon) = sample(class, &mut samples);
            let radius = a.radius + b.radius;
            let (expected, least) = oracle(&a, &b, horizon);
            let found = time_of_contact(&a, &b, horizon);
            match (found, expected) {
                (None, Some(root)) => panic!("{class:?}: missed the contact at {root} of {a:?} {b:?}"),
                (Some(time), Some(root)) => {
                    assert!(time <= root, "{class:?}: {time} is later than {root}: {a:?} {b:?}");
                    contacts += 1;
                    // A pair whose gap at the start is within rounding counts as touching, for any motion.
                    if time == 0.0 && quartic(&a, &b)[0].high < 1e-13 * (a.centre - b.centre).norm_squared() {
                        continue;
                    }
                    most_early = most_early.max((root - time) / horizon);
                }
                (Some(_), None) => most_clear = most_clear.max(least / (radius * radius)),
                (None, None) => {}
            }
        }
        assert!(contacts > 300, "{class:?}: {contacts} contacts are too few to tell");
        let allowed = match class {
            GrazingLine => 1e-6,
            GrazingParabola => 1e-5,
            _ => 1e-10,
        };
        assert!(most_early < allowed, "{class:?}: early by {most_early:e} of the horizon");
        assert!(most_clear < 1e-8, "{class:?}: reported at a clearance of {most_clear:e}");
    }
}

#[test]
fn a_long_horizon_costs_no_accuracy() {
    let mut samples = Samples::new(7);
    for _ in 0..500 {
        let (a, b, _) = sample(Class::PureAcceleration, &mut samples);
        let (expected, _) = oracle(&a, &b, 100.0);
        let Some(root) = expected else { continue };
        let found = time_of_contact(&a, &b, 1e6).unwrap();
        assert!(found <= root && root - found < 1e-11 * root, "{found} for {root}");
    }
}
