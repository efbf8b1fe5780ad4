//! The iteration study of Aragón, Yastrebov & Molinari 2013, §5.1: the same minimisation from every point of a lattice
//! about a single face. The lattices are those of the paper. The paper does not give the coordinates of the nodes, so
//! the coordinates here follow its description. A triangle has one node on the left and two nodes on the right.
//! Quadratic faces have a convex right edge and concave other edges.
//!
//! The minimised function F is half the squared distance from the query. An iteration evaluates F and its derivatives,
//! and computes a step by a quadratic program, a working set or a linear system. The evaluation that confirms the
//! minimum counts too. The library solves flat triangles in one step of sequential quadratic programming; this study
//! iterates on flat triangles too. From the last two Newton steps, the library predicts that the next step would be
//! below the tolerance, and omits the evaluation for this step. This study omits the evaluation too. The paper counts
//! "QP iterations" and does not state its tolerance.

#![allow(dead_code, reason = "benches and tests use part of it")]

use ictus::contact::detection::face::closest_point::minimisation::sqp::Hessian;
use ictus::contact::detection::face::closest_point::polynomial::{Cell, Derivatives, FacePolynomial};
use ictus::contact::detection::face::closest_point::{
    ActiveSet, Domain, InteriorPoint, Minimise, Minimum, Sqp, Start, local_minimum,
};
use ictus::element::shape_values;
use ictus::math::Vec3;
use ictus::mesh::CellKind;

/// A face and the lattice around it.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Kind of the face.
    pub kind: CellKind,
    /// Nodes.
    pub nodes: &'static [[f64; 3]],
    /// The lattice fills \[−h, h\]².
    pub half_width: f64,
    /// Height of the plane of the lattice above z = 0.
    pub height: f64,
}

/// Faces with queries in their plane.
pub const PLANE: [Case; 4] = [
    Case {
        kind: CellKind::Tri3,
        nodes: &[[-1.0, 0.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0]],
        half_width: 2.0,
        height: 0.0,
    },
    Case {
        kind: CellKind::Quad4,
        nodes: &[[-1.0, -0.8, 0.0], [1.0, -1.0, 0.0], [0.8, 1.0, 0.0], [-1.0, 0.6, 0.0]],
        half_width: 2.0,
        height: 0.0,
    },
    Case {
        kind: CellKind::Tri6,
        nodes: &[
            [-2.0, 0.0, 0.0],
            [2.0, -2.0, 0.0],
            [2.0, 2.0, 0.0],
            [0.0, -0.6, 0.0],
            [2.8, 0.0, 0.0],
            [0.0, 0.6, 0.0],
        ],
        half_width: 6.0,
        height: 0.0,
    },
    Case {
        kind: CellKind::Quad8,
        nodes: &[
            [-2.0, -2.0, 0.0],
            [2.0, -2.0, 0.0],
            [2.0, 2.0, 0.0],
            [-2.0, 2.0, 0.0],
            [0.0, -1.5, 0.0],
            [2.8, 0.0, 0.0],
            [0.0, 1.5, 0.0],
            [-1.5, 0.0, 0.0],
        ],
        half_width: 6.0,
        height: 0.0,
    },
];

/// Faces with queries in the plane x₃ = 2: triangles with the right corners at x₃ = 1 and the left corner at x₃ = 0.
/// The first triangle is flat. The second has curved edges as in [`PLANE`]; its mid-side nodes have the mean heights of
/// their corners.
pub const SPACE: [Case; 2] = [
    Case {
        kind: CellKind::Tri3,
        nodes: &[[-1.0, 0.0, 0.0], [1.0, -1.0, 1.0], [1.0, 1.0, 1.0]],
        half_width: 4.0,
        height: 2.0,
    },
    Case {
        kind: CellKind::Tri6,
        nodes: &[
            [-2.0, 0.0, 0.0],
            [2.0, -2.0, 1.0],
            [2.0, 2.0, 1.0],
            [0.0, -0.6, 0.5],
            [2.8, 0.0, 1.0],
            [0.0, 0.6, 0.5],
        ],
        half_width: 4.0,
        height: 2.0,
    },
];

impl Case {
    /// Nodes as points.
    pub fn points(&self) -> Vec<Vec3> {
        self.nodes.iter().map(|&node| node.into()).collect()
    }

    /// Point of the face at natural coordinates (ξ, η).
    pub fn at(&self, [xi, eta]: [f64; 2]) -> Vec3 {
        let mut values = [0.0; 9];
        shape_values(self.kind, [xi, eta, 0.0], &mut values);
        self.points().iter().zip(values).map(|(x, n)| x * n).sum()
    }

    /// `lines` × `lines` queries, row by row, including the border.
    pub fn lattice(&self, lines: u32) -> Vec<Vec3> {
        let at = |k: u32| self.half_width * (2.0 * f64::from(k) / f64::from(lines - 1) - 1.0);
        (0..lines).flat_map(|j| (0..lines).map(move |i| Vec3::new(at(i), at(j), self.height))).collect()
    }
}

/// A method with its starting point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approach {
    /// Sequential quadratic programming with the exact Hessian, from the nearest of the nodes and the centre (option
    /// I).
    SqpNearest,
    /// Sequential quadratic programming with the exact Hessian, from the centre (option II).
    SqpCentre,
    /// Sequential quadratic programming with BFGS, option I.
    BfgsNearest,
    /// Sequential quadratic programming with BFGS, option II.
    BfgsCentre,
    /// Interior-point method; the start must be inside the face (option II).
    InteriorPoint,
    /// Active set, option I.
    ActiveSetNearest,
    /// Active set, option II.
    ActiveSetCentre,
}

/// All methods with their starting points.
pub const APPROACHES: [Approach; 7] = [
    Approach::SqpNearest,
    Approach::SqpCentre,
    Approach::BfgsNearest,
    Approach::BfgsCentre,
    Approach::InteriorPoint,
    Approach::ActiveSetNearest,
    Approach::ActiveSetCentre,
];

/// Published mean iterations and times on the faces of [`PLANE`].
#[derive(Clone, Copy, Debug)]
pub struct Published {
    /// Mean iterations of Aragón, Yastrebov & Molinari 2013, table I.
    pub iterations: [Option<f64>; 4],
    /// Mean times of the same table \[µs\].
    pub microseconds: [Option<f64>; 4],
    /// Mean iterations on the faces of [`PLANE`] by plain implementations of the methods, independent of this code.
    /// These means use every second point of the lattices and the step tolerance 10⁻⁸.
    pub independent: [f64; 4],
}

impl Approach {
    /// Name in tables.
    pub fn label(self) -> &'static str {
        match self {
            Self::SqpNearest => "SQP, option I",
            Self::SqpCentre => "SQP, option II",
            Self::BfgsNearest => "SQP with BFGS, option I",
            Self::BfgsCentre => "SQP with BFGS, option II",
            Self::InteriorPoint => "interior point",
            Self::ActiveSetNearest => "active set, option I",
            Self::ActiveSetCentre => "active set, option II",
        }
    }

    /// Name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::SqpNearest => "sqp_I",
            Self::SqpCentre => "sqp_II",
            Self::BfgsNearest => "bfgs_I",
            Self::BfgsCentre => "bfgs_II",
            Self::InteriorPoint => "interior_point",
            Self::ActiveSetNearest => "active_set_I",
            Self::ActiveSetCentre => "active_set_II",
        }
    }

    /// Published values.
    pub fn published(self) -> Published {
        let option_one = [1.6, 2.4, 1.8, 1.7].map(Some);
        let option_two = [2.8, 4.7, 3.2, 3.0].map(Some);
        let (iterations, microseconds, independent) = match self {
            Self::SqpNearest => (option_one, [6.0, 7.4, 6.5, 6.7].map(Some), [1.7, 2.2, 3.6, 3.3]),
            Self::SqpCentre => (option_two, [None; 4], [2.0, 3.1, 4.5, 4.2]),
            Self::BfgsNearest => (option_one, [6.0, 7.4, 6.5, 6.7].map(Some), [2.4, 2.9, 3.3, 3.5]),
            Self::BfgsCentre => (option_two, [None; 4], [2.7, 3.8, 4.5, 4.7]),
            Self::InteriorPoint => (
                [9.0, 7.6, 10.8, 9.8].map(Some),
                [21.1, 19.0, 24.4, 22.8].map(Some),
                [10.9, 11.9, 12.4, 12.9],
            ),
            Self::ActiveSetNearest => {
                ([1.5, 2.2, 1.7, 1.7].map(Some), [5.2, 6.0, 5.5, 5.4].map(Some), [1.8, 2.2, 3.7, 3.5])
            }
            Self::ActiveSetCentre => ([None; 4], [None; 4], [2.9, 3.4, 5.6, 5.1]),
        };
        Published { iterations, microseconds, independent }
    }

    /// The local minimum that the method finds, with the number of iterations.
    pub fn solve(self, kind: CellKind, nodes: &[Vec3], query: &Vec3) -> Option<Minimum> {
        let newton = Iterated(Sqp { hessian: Hessian::Exact });
        let bfgs = Iterated(Sqp { hessian: Hessian::Bfgs });
        match self {
            Self::SqpNearest => local_minimum(&newton, Start::Nearest, kind, nodes, query),
            Self::SqpCentre => local_minimum(&newton, Start::Centre, kind, nodes, query),
            Self::BfgsNearest => local_minimum(&bfgs, Start::Nearest, kind, nodes, query),
            Self::BfgsCentre => local_minimum(&bfgs, Start::Centre, kind, nodes, query),
            Self::InteriorPoint => local_minimum(&InteriorPoint, Start::Centre, kind, nodes, query),
            Self::ActiveSetNearest => local_minimum(&ActiveSet, Start::Nearest, kind, nodes, query),
            Self::ActiveSetCentre => local_minimum(&ActiveSet, Start::Centre, kind, nodes, query),
        }
    }
}

/// Iterations over a lattice.
#[derive(Clone, Debug)]
pub struct Iterations(pub Vec<u32>);

impl Iterations {
    /// Counts the iterations of a method from every point.
    ///
    /// # Panics
    /// If an iteration does not converge.
    pub fn count(approach: Approach, case: &Case, lattice: &[Vec3]) -> Self {
        let nodes = case.points();
        let count = |query: &Vec3| {
            let found = approach.solve(case.kind, &nodes, query).filter(|found| found.converged);
            assert!(found.is_some(), "{approach:?} of {:?} for {query:?} does not converge", case.kind);
            found.map_or(0, |found| found.iterations)
        };
        Self(lattice.iter().map(count).collect())
    }

    /// Mean and standard deviation.
    pub fn mean_and_deviation(&self) -> [f64; 2] {
        let (mean, count) = (self.mean(), self.0.len() as f64);
        let variance = self.0.iter().map(|&n| (f64::from(n) - mean).powi(2)).sum::<f64>() / count;
        [mean, variance.sqrt()]
    }

    /// Text "mean ± standard deviation [fewest, most]" of the iterations.
    pub fn described(&self) -> String {
        let [mean, deviation] = self.mean_and_deviation();
        format!("{mean:.1} ± {deviation:.1} [{}, {}]", self.fewest(), self.most())
    }

    /// Mean number of iterations.
    pub fn mean(&self) -> f64 {
        self.0.iter().map(|&n| f64::from(n)).sum::<f64>() / self.0.len() as f64
    }

    /// Largest number of iterations.
    pub fn most(&self) -> u32 {
        self.0.iter().copied().max().unwrap_or(0)
    }

    /// Smallest number of iterations.
    pub fn fewest(&self) -> u32 {
        self.0.iter().copied().min().unwrap_or(0)
    }

    /// Fraction of the points with one iteration.
    pub fn share_of_one(&self) -> f64 {
        self.0.iter().filter(|&&n| n == 1).count() as f64 / self.0.len() as f64
    }
}

/// A method that treats all faces as non-affine, and therefore iterates on affine faces too.
#[derive(Clone, Copy, Debug)]
struct Iterated<M>(M);

impl<M: Minimise> Minimise for Iterated<M> {
    fn minimise<P: FacePolynomial>(&self, polynomial: &P, start: [f64; 2]) -> Minimum {
        self.0.minimise(&HiddenAffine(*polynomial), start)
    }
}

/// A polynomial that hides whether it is affine.
#[derive(Clone, Copy, Debug)]
struct HiddenAffine<P>(P);

impl<P: FacePolynomial> FacePolynomial for HiddenAffine<P> {
    const KIND: CellKind = P::KIND;
    const DOMAIN: &'static Domain = P::DOMAIN;
    const OTHER_NODES: &'static [[f64; 2]] = P::OTHER_NODES;
    const POWERS: &'static [[u8; 2]] = P::POWERS;

    fn offset(&self, xi: [f64; 2]) -> Vec3 {
        self.0.offset(xi)
    }

    fn derivatives(&self, xi: [f64; 2]) -> Derivatives {
        self.0.derivatives(xi)
    }

    fn coefficients(&self) -> &[Vec3] {
        self.0.coefficients()
    }

    fn part(&self, cell: &Cell) -> Self {
        Self(self.0.part(cell))
    }
}
