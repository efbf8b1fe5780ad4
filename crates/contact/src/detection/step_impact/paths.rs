//! Paths of the nodes in a step, and swept boxes of nodes and bodies.

use crate::detection::tree::face_groups::FaceGroups;
use crate::detection::volume::{Aabb, larger};
use crate::math::Vec3;
use crate::math::polynomial::first_root_of_quadratic;

/// Margin of swept boxes for rounding errors, relative to the largest coordinate.
pub const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Begin and end of a part of a step, as fractions of the step in \[0, 1\].
pub type Window = [f64; 2];

pub const STEP: Window = [0.0, 1.0];

/// Paths of all nodes in a step: x(τ) = c₀ + c₁ τ + c₂ τ², with the fraction τ of the step.
#[derive(Clone, Debug, Default)]
pub struct StepPaths {
    coefficients: Vec<[Vec3; 3]>,
}

impl StepPaths {
    /// Sets the paths from positions `begin` \[m\] and velocities \[m/s\] at the start of the step, and positions `end`
    /// \[m\] after `time_step` \[s\].
    pub fn set(&mut self, begin: &[Vec3], velocities: &[Vec3], end: &[Vec3], time_step: f64) {
        self.coefficients.clear();
        self.coefficients.extend(begin.iter().zip(velocities).zip(end).map(|((x, v), end)| {
            let along = v * time_step;
            [*x, along, end - x - along]
        }));
    }

    /// Position of a node at the fraction `tau` of the step \[m\].
    #[inline]
    pub fn at(&self, node: u32, tau: f64) -> Vec3 {
        let [c0, c1, c2] = self.coefficients(node);
        c0 + (c1 + c2 * tau) * tau
    }

    /// Coefficients c₀, c₁ and c₂ of the path of a node \[m\].
    #[inline]
    pub fn coefficients(&self, node: u32) -> [Vec3; 3] {
        self.coefficients[node as usize]
    }

    /// Derivative dx/dτ of the position of a node at `tau` \[m\].
    #[inline]
    pub fn rate(&self, node: u32, tau: f64) -> Vec3 {
        let [_, c1, c2] = self.coefficients(node);
        c1 + c2 * (2.0 * tau)
    }

    /// Box around the paths of the given nodes in a part of the step. `nodes` must not be empty.
    ///
    /// A parabolic path lies in the triangle of its two ends and the intersection of the tangents at these ends.
    pub fn swept(&self, nodes: &[u32], [begin, end]: Window) -> Aabb {
        let (mut lower, mut upper) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        for &node in nodes {
            let start = self.at(node, begin);
            let middle = start + self.rate(node, begin) * (0.5 * (end - begin));
            for point in [start, middle, self.at(node, end)] {
                (lower, upper) = (lower.inf(&point), upper.sup(&point));
            }
        }
        let bounds = Aabb::fit(&[lower, upper], 0.0);
        bounds.widened(ROUNDING * bounds.lower.amax().max(bounds.upper.amax()))
    }

    fn bounds_of_coefficients(&self, nodes: &[u32]) -> Option<[Aabb; 3]> {
        let first = self.coefficients(*nodes.first()?);
        let (mut lower, mut upper) = (first, first);
        for &node in nodes {
            for (k, c) in self.coefficients(node).iter().enumerate() {
                for d in 0..3 {
                    lower[k][d] = if c[d] < lower[k][d] { c[d] } else { lower[k][d] };
                    upper[k][d] = larger(c[d], upper[k][d]);
                }
            }
        }
        Some([0, 1, 2].map(|k: usize| Aabb { lower: lower[k], upper: upper[k] }))
    }

    /// Greatest |d(x_a − x_b)/dτ| in the step, over all nodes a in `nodes` and all nodes b in `others` \[m\].
    pub fn relative_rate(&self, nodes: &[u32], others: &[u32]) -> f64 {
        let of_pair = |a: u32, b: u32| {
            (self.rate(a, 0.0) - self.rate(b, 0.0)).norm().max((self.rate(a, 1.0) - self.rate(b, 1.0)).norm())
        };
        let pairs = nodes.iter().flat_map(|&a| others.iter().map(move |&b| (a, b)));
        pairs.map(|(a, b)| of_pair(a, b)).fold(0.0, f64::max)
    }
}

/// Bounds on the paths of some nodes, and of the faces and edges between these nodes.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// Boxes around the coefficients c₀, c₁ and c₂ of the nodes.
    coefficients: [Aabb; 3],
    /// Distance \[m\], including rounding, by which the offset surface of the faces and edges may extend beyond the
    /// bounds on the nodes.
    margin: f64,
}

#[derive(Clone, Debug)]
pub struct BodyReach {
    pub whole: Reach,
    pub groups: Vec<Reach>,
}

impl BodyReach {
    pub fn of(groups: &FaceGroups, offset: f64, paths: &StepPaths) -> Option<Self> {
        let of_group = |nodes: &[u32]| Reach::of(nodes, groups.overshoot(), offset, paths);
        let groups: Vec<Reach> = groups.iter().filter_map(|group| of_group(group.nodes)).collect();
        let whole = groups.iter().copied().reduce(|a, b| a.union(&b))?;
        Some(Self { whole, groups })
    }
}

impl Reach {
    /// `offset`: offset of the surface \[m\]. `overshoot`: excess of interpolated over nodal values
    /// (`FaceGroups::overshoot`).
    fn of(nodes: &[u32], overshoot: f64, offset: f64, paths: &StepPaths) -> Option<Self> {
        let coefficients = paths.bounds_of_coefficients(nodes)?;
        let mut reach = Self { coefficients, margin: 0.0 };
        let whole = reach.within(STEP);
        let rounding = ROUNDING * whole.lower.amax().max(whole.upper.amax());
        let spread: f64 = coefficients.iter().map(Aabb::diagonal).sum();
        reach.margin = offset + overshoot * spread + rounding;
        Some(reach)
    }

    fn union(&self, other: &Self) -> Self {
        let both = |k: usize| self.coefficients[k].union(&other.coefficients[k]);
        Self { coefficients: [0, 1, 2].map(both), margin: self.margin.max(other.margin) }
    }

    /// Box around all points of the faces and edges in a part of the step.
    #[inline]
    pub fn within(&self, [begin, end]: Window) -> Aabb {
        let [c0, c1, c2] = &self.coefficients;
        let least = |c: &Vec3, a: f64, b: f64| (c * a).inf(&(c * b));
        let most = |c: &Vec3, a: f64, b: f64| (c * a).sup(&(c * b));
        let (first, last) = (begin * begin, end * end);
        let bounds = Aabb {
            lower: c0.lower + least(&c1.lower, begin, end) + least(&c2.lower, first, last),
            upper: c0.upper + most(&c1.upper, begin, end) + most(&c2.upper, first, last),
        };
        bounds.widened(self.margin)
    }

    /// Lower bound on the first τ at which faces or edges of `self` and `other` can touch; `None` if the bounds stay
    /// disjoint in one coordinate for the whole step.
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

    /// Upper bound on |dx/dτ| of any path x(τ) \[m\].
    #[inline]
    pub fn rate(&self) -> f64 {
        let [_, c1, c2] = &self.coefficients;
        (c1.lower.abs().sup(&c1.upper.abs()) + c2.lower.abs().sup(&c2.upper.abs()) * 2.0).norm()
    }
}
