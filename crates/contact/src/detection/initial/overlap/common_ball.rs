//! Thickness of the intersection of two bodies: the diameter of the largest ball inside both.

use rayon::prelude::*;

use crate::detection::volume::Aabb;
use crate::math::Vec3;

use super::side::Side;

/// Number of starting points along each axis of the common box, the intersection of the bounding boxes of the bodies.
const LATTICE: usize = 8;
/// Largest number of starting points near the nodes and face centres of one body.
const MAX_POINTS: usize = 1000;
/// Largest number of growth steps of a ball.
const MAX_TOUCHED: usize = 8;
/// Largest number of trial radii in a growth step.
const MAX_TRIALS: usize = 30;
/// Number of balls that `rise` moves along the medial surface: the largest balls after growth.
const MAX_RISING: usize = 8;
const RISING_STEPS: usize = 190;
/// Ratio of the length of a step of `rise` to the length of the previous step.
const SHORTER: f64 = 0.9;
/// Length of the first step of `rise`, relative to half the diagonal of the common box. The length of the last step is
/// about 1e-9 of half the diagonal.
const FIRST_STEP: f64 = 0.5;
/// Relative tolerance of three tests: whether a ball is free of surface points, a ball has grown, and a box is flat.
const TOLERANCE: f64 = 1e-9;

/// Approximate diameter and centre of the largest ball inside both of two closed surfaces; `None` if no ball is found.
///
/// Any displacement that separates the bodies is at least as long as this diameter. Balls start at those of the
/// following points that are inside both bodies:
/// - the points of a lattice in the common box `common`;
/// - the nodes and face centres of each body, displaced inward by about `depth` \[m\] (`Side::inset_points`);
/// - the point `inside`.
pub fn common_ball(sides: [&Side<'_>; 2], common: &Aabb, depth: f64, inside: Vec3) -> Option<(f64, Vec3)> {
    let both = Both(sides);
    let largest = 0.5 * common.diagonal();
    let mut starts = lattice(common);
    for side in sides {
        let points = side.inset_points(depth, common);
        starts.extend(points.iter().step_by(points.len().div_ceil(MAX_POINTS).max(1)));
    }
    starts.push(inside);
    let depths = sides.map(|side| side.depths(&starts));
    let inside: Vec<Vec3> = (0..starts.len())
        .filter(|&k| depths.iter().all(|depths| depths[k] > 0.0))
        .map(|k| starts[k])
        .collect();
    let mut balls: Vec<Ball> = inside.par_iter().filter_map(|start| both.grow(start, largest)).collect();
    balls.sort_by(|a, b| b.radius.total_cmp(&a.radius));
    let risen: Vec<Ball> =
        balls.par_iter().take(MAX_RISING).map(|ball| both.rise(*ball, FIRST_STEP * largest)).collect();
    balls.extend(risen);
    balls.sort_by(|a, b| b.radius.total_cmp(&a.radius));
    let found = balls.into_iter().find(|ball| sides.iter().all(|side| side.winds_around(&ball.centre)))?;
    Some((2.0 * found.radius, found.centre))
}

/// Centres of equal cells of a box; a flat box has one layer of cells.
fn lattice(bounds: &Aabb) -> Vec<Vec3> {
    let size = bounds.upper - bounds.lower;
    let count = |axis: usize| if size[axis] > TOLERANCE * size.max() { LATTICE } else { 1 };
    let along = |axis: usize| {
        (0..count(axis)).map(move |k| bounds.lower[axis] + size[axis] * (k as f64 + 0.5) / count(axis) as f64)
    };
    along(0).flat_map(|x| along(1).flat_map(move |y| along(2).map(move |z| Vec3::new(x, y, z)))).collect()
}

/// A ball without surface points in its interior, and a point at which the ball touches a surface.
#[derive(Clone, Copy)]
struct Ball {
    centre: Vec3,
    radius: f64,
    touched: Vec3,
}

struct Both<'a>([&'a Side<'a>; 2]);

impl Both<'_> {
    /// The largest ball about `centre` without surface points in its interior; `None` if neither surface has faces.
    fn ball_about(&self, centre: Vec3) -> Option<Ball> {
        let closest = self.0.iter().filter_map(|side| side.closest(&centre));
        let ball = |touched: Vec3| Ball { centre, radius: (touched - centre).norm(), touched };
        closest.map(ball).min_by(|a, b| a.radius.total_cmp(&b.radius))
    }

    /// Grows a ball about `start`: moves the centre away from the touched point as long as the radius increases.
    fn grow(&self, start: &Vec3, largest: f64) -> Option<Ball> {
        let mut ball = self.ball_about(*start)?;
        for _ in 0..MAX_TOUCHED {
            let Some(grown) = self.away_from(&ball, largest) else { break };
            let is_larger = grown.radius > ball.radius * (1.0 + TOLERANCE);
            if is_larger {
                ball = grown;
            } else {
                break;
            }
        }
        Some(ball)
    }

    /// Moves the centre of a ball along the medial surface in ever shorter steps. Each step leads away from the point
    /// that the ball touches before the step. Returns the largest ball on this path.
    fn rise(&self, ball: Ball, step: f64) -> Ball {
        let (mut best, mut last, mut step) = (ball, ball, step);
        for _ in 0..RISING_STEPS {
            let Some(direction) = (last.centre - last.touched).try_normalize(0.0) else { break };
            let Some(next) = self.ball_about(last.centre + direction * step) else { break };
            last = next;
            if last.radius > best.radius {
                best = last;
            }
            step *= SHORTER;
        }
        best
    }

    /// The largest ball (at most of radius `largest`) that touches a surface at the point touched by `ball`. The centre
    /// lies on the ray from this point through the centre of `ball`. `None` if the trials are exhausted, or if the
    /// radius of `ball` is zero.
    ///
    /// # Source
    /// Ma, Bae & Choi 2012, "3D medial axis point approximation using nearest neighbors and the normal field", Vis.
    /// Comput. 28.
    fn away_from(&self, ball: &Ball, largest: f64) -> Option<Ball> {
        let direction = (ball.centre - ball.touched).try_normalize(0.0)?;
        let (mut radius, mut touched) = (largest, ball.touched);
        for _ in 0..MAX_TRIALS {
            let grown = self.ball_about(ball.touched + direction * radius)?;
            if grown.radius >= radius * (1.0 - TOLERANCE) {
                return Some(Ball { touched, ..grown });
            }
            touched = grown.touched;
            let chord = touched - ball.touched;
            radius = chord.norm_squared() / (2.0 * direction.dot(&chord));
        }
        None
    }
}
