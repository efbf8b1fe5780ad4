//! Conservative advancement: time advances by a lower bound on the time left until two separated features touch.
//!
//! The bound is the larger of two:
//! - The gap divided by a bound on the relative speed.
//! - The time for which the control points stay separated along the line between the closest points. This bound is
//!   larger for flat features that slide past each other.
//!
//! After 1000 advances, an advance may be longer: half the time to contact, estimated from the closing rate in the
//! previous advance.

use crate::Edge;
use crate::detection::face::control_points::{
    MAX_CONTROL_POINTS, bulge, num_control_points, to_control_points,
};
use crate::math::Vec3;
use crate::math::polynomial::first_root_of_quadratic;
use crate::mesh::CellKind;

use super::paths::StepPaths;
use super::step_contact::BEGINNING;

/// Number of advances that use the bounds alone.
const CERTAIN_ADVANCES: usize = 1000;
/// Largest number of advances after `CERTAIN_ADVANCES`. Features that are then still separated count as not touching.
const MORE_ADVANCES: usize = 200;

/// Factor on the time for which the control points stay separated. It is less than 1, so that the closest points are
/// evaluated once more before the features touch.
const KEPT_APART: f64 = 1.0 - 1e-9;

/// Paths x(τ) = c₀ + c₁ τ + c₂ τ² of the control points of one feature relative to those of another, with the fraction
/// τ of the step.
pub struct RelativePaths {
    paths: [[Vec3; 3]; MAX_CONTROL_POINTS],
    count: usize,
}

impl RelativePaths {
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

    /// Lower bound on the time after `tau` for which n·x > `distance` \[m\] for all paths x, with n = `direction`.
    /// Times are fractions of the step.
    fn time_apart(&self, direction: &Vec3, distance: f64, tau: f64) -> f64 {
        let until = |path: &[Vec3; 3]| {
            let [c0, c1, c2] = path.map(|coefficient| coefficient.dot(direction));
            let from_now = [c0 + (c1 + c2 * tau) * tau - distance, c1 + 2.0 * c2 * tau, c2];
            first_root_of_quadratic(&from_now).unwrap_or(f64::INFINITY)
        };
        KEPT_APART * self.paths[..self.count].iter().map(until).fold(f64::INFINITY, f64::min)
    }
}

pub struct Advancement<'a> {
    pub relative: &'a RelativePaths,
    /// Bound on the relative speed of any two points, one of each feature, multiplied by the time step \[m\].
    pub speed: f64,
    /// Distance of the features at contact \[m\].
    pub offset: f64,
    /// Gap up to which the features count as touching \[m\].
    pub met: f64,
}

impl Advancement<'_> {
    /// First instant of contact, as a fraction of the step. `difference` gives the vector between the closest points at
    /// a fraction of the step.
    ///
    /// `None` if the contact is after the step or at a fraction up to [`BEGINNING`], or if the features are still
    /// separated after all advances.
    pub fn first(&self, difference: impl Fn(f64) -> Vec3) -> Option<f64> {
        let (mut tau, mut before) = (0.0, [0.0, f64::INFINITY]);
        for advance in 0..CERTAIN_ADVANCES + MORE_ADVANCES {
            let difference = difference(tau);
            let distance = difference.norm();
            let gap = distance - self.offset;
            if gap <= self.met {
                return (tau > BEGINNING).then_some(tau);
            }
            let apart = self.relative.time_apart(&(difference / distance), self.offset, tau);
            let mut free = apart.max(gap / self.speed);
            let rate = (before[1] - gap) / (tau - before[0]);
            if advance >= CERTAIN_ADVANCES && rate > 0.0 {
                free = free.max(0.5 * gap / rate);
            }
            before = [tau, gap];
            tau += free;
            if tau > 1.0 || tau.is_nan() {
                return None;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::samples::Samples;
    use crate::element::{MAX_NODES, shape_values};

    fn place(samples: &mut Samples, kind: CellKind) -> [f64; 3] {
        let [s, t] = [samples.uniform(0.0, 1.0), samples.uniform(0.0, 1.0)];
        match kind.linear() {
            CellKind::Tri3 if s + t > 1.0 => [1.0 - s, 1.0 - t, 0.0],
            CellKind::Tri3 => [s, t, 0.0],
            _ => [2.0 * s - 1.0, 2.0 * t - 1.0, 0.0],
        }
    }

    fn point(paths: &StepPaths, kind: CellKind, first: u32, xi: [f64; 3], tau: f64) -> Vec3 {
        let mut values = [0.0; MAX_NODES];
        let values = &mut values[..kind.num_nodes()];
        shape_values(kind, xi, values);
        (first..).zip(values).map(|(node, value)| paths.at(node, tau) * *value).sum()
    }

    /// Random paths of two sets of nodes: the first set begins near the origin, the second near the point `other`.
    fn random_paths(samples: &mut Samples, counts: [usize; 2], other: Vec3) -> StepPaths {
        let centres = (0..counts[0]).map(|_| Vec3::zeros()).chain((0..counts[1]).map(|_| other));
        let begin: Vec<Vec3> = centres.map(|centre| centre + samples.vector(1.0)).collect();
        let velocities: Vec<Vec3> = begin.iter().map(|_| samples.vector(6.0)).collect();
        let end: Vec<Vec3> =
            begin.iter().zip(&velocities).map(|(x, v)| x + v + samples.vector(3.0)).collect();
        let mut paths = StepPaths::default();
        paths.set(&begin, &velocities, &end, 1.0);
        paths
    }

    /// As long as the control points of two features are separated along a line, all points of the features are
    /// separated. At the end of the computed time, the nearest corners of linear features are at the given distance
    /// along this line.
    #[test]
    fn features_are_apart_while_their_control_points_are() {
        let samples = &mut Samples::new(4);
        let faces = [
            CellKind::Line2,
            CellKind::Line3,
            CellKind::Tri3,
            CellKind::Tri6,
            CellKind::Quad4,
            CellKind::Quad8,
            CellKind::Quad9,
        ];
        for kind in faces {
            let (count, mut ended) = (kind.num_nodes(), 0);
            for case in 0..400 {
                let (direction, distance) = (samples.direction(), samples.uniform(0.0, 0.5));
                // The other feature is a node, or an edge of the same kind as the face. Its nodes are numbered after
                // those of the face.
                let is_edge = kind.dimension() == 1 && case % 2 == 0;
                let others = if is_edge { kind } else { CellKind::Point1 };
                let paths = random_paths(samples, [count, others.num_nodes()], direction * 6.0);
                let first = count as u32;
                let nodes: Vec<u32> = (0..first).collect();
                let relative = match is_edge {
                    true => {
                        let edge = |first: u32| Edge {
                            nodes: [first, first + 1],
                            middle: (kind == CellKind::Line3).then_some(first + 2),
                            face: 0,
                            neighbour: None,
                        };
                        RelativePaths::of_edges(&paths, [&edge(first), &edge(0)])
                    }
                    false => RelativePaths::of_node(&paths, first, kind, &nodes),
                };
                let until = relative.time_apart(&direction, distance, 0.0);
                let apart = |tau: f64, xi: [f64; 3], other: [f64; 3]| {
                    let there = match is_edge {
                        true => point(&paths, kind, first, other, tau),
                        false => paths.at(first, tau),
                    };
                    (there - point(&paths, kind, 0, xi, tau)).dot(&direction)
                };
                for _ in 0..300 {
                    let tau = until.min(1.0) * samples.uniform(0.0, 1.0);
                    let [xi, other] = [place(samples, kind), place(samples, kind)];
                    let found = apart(tau, xi, other);
                    assert!(
                        found > distance - 1e-12,
                        "{kind:?}, {case}: {found} of {distance} at {tau} of {until}"
                    );
                }
                if until < 1.0 && kind == kind.linear() {
                    ended += 1;
                    let own = |node: u32| paths.at(node, until);
                    let pairs = nodes
                        .iter()
                        .flat_map(|&a| (first..first + others.num_nodes() as u32).map(move |b| (a, b)));
                    let nearest =
                        pairs.map(|(a, b)| (own(b) - own(a)).dot(&direction)).fold(f64::INFINITY, f64::min);
                    assert!((nearest - distance).abs() < 1e-6, "{kind:?}: {nearest} for {distance}");
                }
            }
            assert!(kind != kind.linear() || ended > 100, "{kind:?}: {ended}");
        }
    }
}
