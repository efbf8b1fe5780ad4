//! Points of quadrature rules.

/// A point of a quadrature rule on a reference element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuadraturePoint {
    /// Natural coordinates; zero beyond the dimension of the element.
    pub xi: [f64; 3],
    /// Weight; all weights of a rule sum to the length, area or volume of the reference element.
    pub weight: f64,
}
