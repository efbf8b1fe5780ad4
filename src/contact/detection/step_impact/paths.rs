//! The paths of nodes in a step, and the boxes that nodes and bodies sweep on them.

use crate::contact::Surface;
use crate::contact::detection::ContactModel;
use crate::contact::detection::bounds::overshoot;
use crate::contact::detection::volume::Aabb;
use crate::math::Vec3;
use crate::math::polynomial::first_root_of_quadratic;

/// Growth of swept boxes for rounding, relative to the coordinates.
pub const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// A part of a step, from 0 to 1.
pub type Window = [f64; 2];

/// The whole step.
pub const STEP: Window = [0.0, 1.0];

/// Paths of all nodes in a step: x(τ) = c₀ + c₁ τ + c₂ τ², τ from 0 to 1.
#[derive(Clone, Debug, Default)]
pub struct StepPaths {
    pub(super) begin: Vec<Vec3>,
    /// c₁ and c₂.
    slopes: Vec<[Vec3; 2]>,
}

impl StepPaths {
    /// Paths that begin at these positions \[m\] with these velocities \[m/s\], and end a step \[s\] later at others.
    pub fn set(&mut self, begin: &[Vec3], velocities: &[Vec3], end: &[Vec3], time_step: f64) {
        self.begin.clear();
        self.begin.extend_from_slice(begin);
        self.slopes.clear();
        self.slopes.extend(begin.iter().zip(velocities).zip(end).map(|((x, v), end)| {
            let along = v * time_step;
            [along, end - x - along]
        }));
    }

    /// Position of a node.
    pub fn at(&self, node: u32, tau: f64) -> Vec3 {
        let [_, c1, c2] = self.coefficients(node);
        self.begin[node as usize] + (c1 + c2 * tau) * tau
    }

    /// c₀, c₁ and c₂ of a node.
    pub fn coefficients(&self, node: u32) -> [Vec3; 3] {
        let [c1, c2] = self.slopes[node as usize];
        [self.begin[node as usize], c1, c2]
    }

    /// Derivative of the position of a node.
    pub fn rate(&self, node: u32, tau: f64) -> Vec3 {
        let [c1, c2] = self.slopes[node as usize];
        c1 + c2 * (2.0 * tau)
    }

    /// Box that holds nodes all along a part of the step; none without nodes. A parabola is in the hull of its ends and
    /// the point where the tangents there meet.
    fn swept(&self, nodes: &[u32], [begin, end]: Window) -> Option<Aabb> {
        let of_node = |&node: &u32| {
            let start = self.at(node, begin);
            Aabb::fit(
                &[start, start + self.rate(node, begin) * (0.5 * (end - begin)), self.at(node, end)],
                0.0,
            )
        };
        let bounds = nodes.iter().map(of_node).reduce(|a, b| a.union(&b))?;
        Some(grown(&bounds, ROUNDING * bounds.lower.amax().max(bounds.upper.amax())))
    }

    /// Bound on the derivative of the offset between any two of two sets of nodes.
    pub fn relative_rate(&self, nodes: &[u32], others: &[u32]) -> f64 {
        let of_pair = |a: u32, b: u32| {
            (self.rate(a, 0.0) - self.rate(b, 0.0)).norm().max((self.rate(a, 1.0) - self.rate(b, 1.0)).norm())
        };
        let pairs = nodes.iter().flat_map(|&a| others.iter().map(move |&b| (a, b)));
        pairs.map(|(a, b)| of_pair(a, b)).fold(0.0, f64::max)
    }
}

/// Bounds on the paths of the nodes of a body.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// Of c₀, c₁ and c₂.
    coefficients: [Aabb; 3],
    /// How far its faces and edges may be beyond that \[m\].
    margin: f64,
}

impl Reach {
    /// Of a body that has a surface.
    pub fn of(model: &ContactModel, paths: &StepPaths, body: u32) -> Option<Self> {
        let surface = &model.surfaces[body as usize];
        let first = paths.coefficients(*surface.nodes().first()?);
        let mut coefficients = first.map(|c| Aabb { lower: c, upper: c });
        for &node in surface.nodes() {
            for (bounds, c) in coefficients.iter_mut().zip(paths.coefficients(node)) {
                *bounds = bounds.union(&Aabb { lower: c, upper: c });
            }
        }
        let mut reach = Self { coefficients, margin: 0.0 };
        let whole = reach.within(STEP);
        let rounding = ROUNDING * whole.lower.amax().max(whole.upper.amax());
        reach.margin = model.offset_of(body) + overshoot(surface) * whole.diagonal() + rounding;
        Some(reach)
    }

    /// Box of the body all along a part of the step.
    pub fn within(&self, [begin, end]: Window) -> Aabb {
        let [c0, c1, c2] = &self.coefficients;
        let least = |c: &Vec3, a: f64, b: f64| (c * a).inf(&(c * b));
        let most = |c: &Vec3, a: f64, b: f64| (c * a).sup(&(c * b));
        let (first, last) = (begin * begin, end * end);
        let bounds = Aabb {
            lower: c0.lower + least(&c1.lower, begin, end) + least(&c2.lower, first, last),
            upper: c0.upper + most(&c1.upper, begin, end) + most(&c2.upper, first, last),
        };
        grown(&bounds, self.margin)
    }

    /// Before this part of the step two bodies are apart along some axis; `None` if they are for all of it.
    pub fn earliest(&self, other: &Self) -> Option<f64> {
        let reach = self.margin + other.margin;
        let mut earliest = 0.0_f64;
        for d in 0..3 {
            for (below, above) in [(self, other), (other, self)] {
                let gap = |k: usize| above.coefficients[k].lower[d] - below.coefficients[k].upper[d];
                earliest = earliest.max(first_root_of_quadratic(&[gap(0) - reach, gap(1), gap(2)])?);
            }
        }
        (earliest <= 1.0).then_some(earliest * (1.0 - ROUNDING))
    }

    /// Bound on the derivative of the paths.
    pub fn rate(&self) -> f64 {
        let [_, c1, c2] = &self.coefficients;
        (c1.lower.abs().sup(&c1.upper.abs()) + c2.lower.abs().sup(&c2.upper.abs()) * 2.0).norm()
    }
}

/// Boxes that the nodes of a surface sweep, by their numbers from the first on.
pub struct SweptNodes {
    first: u32,
    boxes: Vec<Aabb>,
}

impl SweptNodes {
    /// Those of all nodes of a surface in a part of the step.
    pub fn new(paths: &StepPaths, surface: &Surface, window: Window) -> Self {
        let (Some(&first), Some(&last)) = (surface.nodes().first(), surface.nodes().last()) else {
            return Self { first: 0, boxes: Vec::new() };
        };
        let nowhere = Aabb { lower: Vec3::repeat(f64::INFINITY), upper: Vec3::repeat(f64::NEG_INFINITY) };
        let mut boxes = vec![nowhere; (last - first) as usize + 1];
        for &node in surface.nodes() {
            boxes[(node - first) as usize] = paths.swept(&[node], window).unwrap_or(nowhere);
        }
        Self { first, boxes }
    }

    /// Box that some of the nodes sweep; there is at least one.
    pub fn of(&self, nodes: &[u32]) -> Aabb {
        let of_node = |node: u32| self.boxes[(node - self.first) as usize];
        nodes[1..].iter().fold(of_node(nodes[0]), |joint, &node| joint.union(&of_node(node)))
    }
}

/// A box with a margin around it.
pub fn grown(bounds: &Aabb, margin: f64) -> Aabb {
    let margin = Vec3::repeat(margin);
    Aabb { lower: bounds.lower - margin, upper: bounds.upper + margin }
}
