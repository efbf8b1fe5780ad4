//! Common interface of the iterative methods for closest points.

use crate::detection::face::closest_point::polynomial::FacePolynomial;

/// A descent method for F = ½ |x(ξ) − r|² within the natural domain of a face, for the query r.
pub trait Minimise {
    /// Seeks a local minimum of F from `start`, in a bounded number of iterations.
    fn minimise<P: FacePolynomial>(&self, polynomial: &P, start: [f64; 2]) -> Minimum;
}

/// Result of an iterative method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimum {
    /// Natural coordinates, in the domain.
    pub xi: [f64; 2],
    /// Number of iterations; for sequential quadratic programming, number of quadratic programs.
    pub iterations: u32,
    /// Whether ξ satisfies the optimality conditions to the tolerance of the method.
    pub converged: bool,
}
