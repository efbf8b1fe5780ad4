//! Points of quadrature rules.

/// A point of a quadrature rule on a reference element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuadraturePoint {
    /// Natural coordinates; those beyond the dimension of the element are zero.
    pub xi: [f64; 3],
    /// Weight; the weights of a rule sum to the measure of the reference element.
    pub weight: f64,
}
