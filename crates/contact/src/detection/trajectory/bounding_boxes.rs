//! Time of contact of two moving axis-aligned boxes.
//!
//! In each coordinate k, the boxes overlap while
//!
//! ```text
//! |d_k(t)| ≤ h_k + ρ(t)
//! ```
//!
//! with the vector d between the centres, the sum h of the half edge lengths at time 0, and the sum ρ of their
//! increases. These are two quadratic inequalities per coordinate. The result is the first time at which all six
//! inequalities hold.

use crate::math::{Vec3, polynomial::first_root_of_quadratic};

use super::bounding_spheres::MovingSphere;

/// Bound on the rounding error of positions and distances, relative to the sum of the magnitudes of the added terms.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// Largest number of passes over the six inequalities. In exact arithmetic, twelve passes suffice: each inequality is
/// violated in at most two intervals of time, and in each pass the time moves past at least one of these intervals.
const MAX_ADVANCES: usize = 24;

/// An axis-aligned box whose centre moves on a parabola, and which may grow equally on all sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingBox {
    /// Half edge lengths at time 0 \[m\].
    pub half: Vec3,
    /// Motion of the centre, and growth of the box; `radius` is not used.
    pub path: MovingSphere,
}

/// First time in \[0, `horizon`\] \[s\] at which the boxes can touch; `None` if they certainly do not touch.
///
/// The time is never late. Overlap at time 0 and overflow give `Some(0.0)`. NaN also gives `Some(0.0)`, except NaN in
/// `growth` or `growth_rate`, which counts as zero.
///
/// # Source
/// Aragón & Molinari 2014, §3.1, mentions hierarchies of volumes other than spheres. The quadratics are derived here.
pub fn time_of_contact(a: &MovingBox, b: &MovingBox, horizon: f64) -> Option<f64> {
    let (distance, velocity) = (a.path.centre - b.path.centre, a.path.velocity - b.path.velocity);
    let acceleration = a.path.acceleration - b.path.acceleration;
    let growth = [a, b].map(|side| [side.path.growth.max(0.0), side.path.growth_rate.max(0.0)]);
    let [r1, r2] = [0, 1].map(|k| growth[0][k] + growth[1][k]);
    let half = a.half + b.half;
    let reach = [a, b].map(|side| side.path.centre.abs().sum() + side.half.sum()).iter().sum::<f64>();
    let travel = velocity.abs().sum() * horizon + acceleration.abs().sum() * horizon * horizon;
    let rounding = ROUNDING * (reach + travel);
    if !(rounding + r1 * horizon + r2 * horizon * horizon).is_finite() {
        return Some(0.0);
    }
    // With the sums r₁ of `growth` and r₂ of `growth_rate`: (±d − h) + (±v − r₁) t + (±a − r₂) t²/2 ≤ 0.
    let side = |k: usize, sign: f64| {
        [
            sign * distance[k] - half[k] - rounding,
            sign * velocity[k] - r1,
            0.5 * (sign * acceleration[k] - r2),
        ]
    };
    let sides = [0, 1, 2].map(|k| [side(k, 1.0), side(k, -1.0)]);
    let mut time = 0.0;
    for _ in 0..MAX_ADVANCES {
        let mut latest = time;
        for [c0, c1, c2] in sides.iter().flatten() {
            let from_now = [c0 + (c1 + c2 * latest) * latest, c1 + 2.0 * c2 * latest, *c2];
            latest += first_root_of_quadratic(&from_now)?;
        }
        if latest > horizon {
            return None;
        }
        if latest <= time {
            break;
        }
        time = latest;
    }
    Some(time * (1.0 - ROUNDING))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::samples::Samples;

    fn overlap(a: &MovingBox, b: &MovingBox, t: f64) -> bool {
        let centre = |side: &MovingBox| {
            side.path.centre + (side.path.velocity + side.path.acceleration * (0.5 * t)) * t
        };
        let grown = |side: &MovingBox| (side.path.growth + 0.5 * side.path.growth_rate * t) * t;
        let reach = (a.half + b.half).add_scalar(grown(a) + grown(b));
        let distance = (centre(a) - centre(b)).abs();
        (0..3).all(|k| distance[k] <= reach[k])
    }

    /// The boxes are disjoint before the computed time, and overlap at this time or right after it.
    #[test]
    fn times_agree_with_a_scan() {
        let samples = &mut Samples::new(11);
        let (mut met, mut late_starts) = (0, 0);
        for trial in 0..4000 {
            let growth = if trial % 3 == 0 { 0.1 } else { 0.0 };
            let [a, b] = [0; 2].map(|_| samples.vector(3.0)).map(|centre| MovingBox {
                half: samples.vector(0.6).abs(),
                path: MovingSphere {
                    centre,
                    radius: 0.0,
                    velocity: samples.vector(2.0) - centre,
                    acceleration: samples.vector(if trial % 2 == 0 { 6.0 } else { 0.0 }),
                    growth,
                    growth_rate: growth,
                },
            });
            let scan = (0..=4000).map(|k| f64::from(k) * 5e-4);
            let first = scan.clone().find(|&t| overlap(&a, &b, t));
            let found = time_of_contact(&a, &b, 2.0);
            match (found, first) {
                (Some(found), Some(first)) => {
                    assert!(
                        found <= first && first - found <= 5e-4 + 1e-9 || !overlap(&a, &b, found - 1e-9),
                        "{trial}"
                    );
                    met += 1;
                    late_starts += usize::from(found > 0.0);
                }
                (None, first) => assert_eq!(first, None, "{trial}"),
                (Some(found), None) => assert!(overlap(&a, &b, found + 1e-9), "{trial}: {found}"),
            }
        }
        assert!(met > 300 && late_starts > 150, "{met}, {late_starts}");
    }
}
