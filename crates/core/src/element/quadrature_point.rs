//! Points of quadrature rules.

/// A point of a quadrature rule on a reference element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuadraturePoint {
    /// Natural coordinates; components beyond the dimension of the element are zero.
    pub xi: [f64; 3],
    /// Weight; the sum of all weights of a rule is the length, area or volume of the reference element.
    pub weight: f64,
}
