//! Conservative advancement: features that are apart go on by what they certainly can before they meet.
//!
//! They meet no sooner than their gap over a bound on their relative speed tells, and no sooner than the control points of
//! the one reach, along the line between their closest points, those of the other. The first holds for every shape, the
//! second is long where things slide past each other: there the way along the line counts and not that across it.

use crate::contact::Edge;
use crate::contact::detection::control_points::{
    MAX_CONTROL_POINTS, bulge, num_control_points, to_control_points,
};
use crate::math::Vec3;
use crate::math::polynomial::first_root_of_quadratic;
use crate::mesh::CellKind;

use super::BEGINNING;
use super::paths::StepPaths;

/// Most advances; curved features that graze each other need many, and count as not met.
const MAX_ADVANCES: usize = 1000;

/// What is left of the time in which control points keep apart, for its rounding.
const KEPT_APART: f64 = 1.0 - 1e-9;

/// Paths of the control points of one feature relative to those of another, x(τ) = c₀ + c₁ τ + c₂ τ².
pub struct RelativePaths {
    paths: [[Vec3; 3]; MAX_CONTROL_POINTS],
    count: usize,
}

impl RelativePaths {
    /// Of a node to a face.
    pub fn of_node(paths: &StepPaths, node: u32, kind: CellKind, nodes: &[u32]) -> Self {
        let mut relative =
            Self { paths: [[Vec3::zeros(); 3]; MAX_CONTROL_POINTS], count: num_control_points(kind) };
        let own = paths.coefficients(node);
        for power in 0..3 {
            let mut points = [Vec3::zeros(); MAX_CONTROL_POINTS];
            for (point, &node) in points.iter_mut().zip(nodes) {
                *point = paths.coefficients(node)[power];
            }
            to_control_points(kind, &mut points);
            for (path, point) in relative.paths.iter_mut().zip(&points) {
                path[power] = own[power] - point;
            }
        }
        relative
    }

    /// Of the first of two edges to the second.
    pub fn of_edges(paths: &StepPaths, edges: [&Edge; 2]) -> Self {
        let controls = edges.map(|edge| {
            let [from, to] = edge.nodes.map(|node| paths.coefficients(node));
            let middle = edge.middle.map_or(from, |middle| {
                let middle = paths.coefficients(middle);
                [0, 1, 2].map(|power| bulge(&from[power], &to[power], &middle[power]))
            });
            [from, to, middle]
        });
        let mut relative = Self { paths: [[Vec3::zeros(); 3]; MAX_CONTROL_POINTS], count: 0 };
        for (a, b) in controls[0].iter().flat_map(|a| controls[1].iter().map(move |b| (a, b))) {
            relative.paths[relative.count] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
            relative.count += 1;
        }
        relative
    }

    /// How long after an instant all of them stay farther off than `distance` \[m\] along a unit vector.
    fn time_apart(&self, direction: &Vec3, distance: f64, tau: f64) -> f64 {
        let until = |path: &[Vec3; 3]| {
            let [c0, c1, c2] = path.map(|coefficient| coefficient.dot(direction));
            let from_now = [c0 + (c1 + c2 * tau) * tau - distance, c1 + 2.0 * c2 * tau, c2];
            first_root_of_quadratic(&from_now).unwrap_or(f64::INFINITY)
        };
        KEPT_APART * self.paths[..self.count].iter().map(until).fold(f64::INFINITY, f64::min)
    }
}

/// What goes on until it meets.
pub struct Advancement<'a> {
    /// Paths of the control points.
    pub relative: &'a RelativePaths,
    /// Bound on the relative speed of two of its points \[m\].
    pub speed: f64,
    /// Distance at which it meets \[m\].
    pub offset: f64,
    /// How much more counts as met \[m\].
    pub met: f64,
}

impl Advancement<'_> {
    /// First instant at which the closest points are met, given their difference at each instant; `None` where that is not
    /// in the step.
    pub fn first(&self, difference: impl Fn(f64) -> Vec3) -> Option<f64> {
        let mut tau = 0.0;
        for _ in 0..MAX_ADVANCES {
            let difference = difference(tau);
            let distance = difference.norm();
            let gap = distance - self.offset;
            if gap <= self.met {
                return (tau > BEGINNING).then_some(tau);
            }
            let apart = self.relative.time_apart(&(difference / distance), self.offset, tau);
            tau += apart.max(gap / self.speed);
            if tau > 1.0 || tau.is_nan() {
                return None;
            }
        }
        None
    }
}
