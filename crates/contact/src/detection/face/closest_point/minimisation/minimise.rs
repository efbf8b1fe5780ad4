//! Common interface of the iterative methods.

use crate::detection::face::closest_point::polynomial::FacePolynomial;

/// A descent method for ½ |x(ξ) − r|² within the natural domain.
pub trait Minimise {
    /// A local minimum, found from the point `start` of the domain. The method ends after a bounded number of
    /// iterations.
    fn minimise<P: FacePolynomial>(&self, polynomial: &P, start: [f64; 2]) -> Minimum;
}

/// Result of an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimum {
    /// Natural coordinates, in the domain.
    pub xi: [f64; 2],
    /// Iterations; for sequential quadratic programming, the number of quadratic programs solved.
    pub iterations: u32,
    /// Whether ξ satisfies the optimality conditions to the tolerance.
    pub converged: bool,
}
