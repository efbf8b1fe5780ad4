//! Reference geometry of elements at the quadrature points.

#![expect(
    clippy::needless_range_loop,
    reason = "indices are those of the formulas, and closures of iterators escape the vector code"
)]

use pulp::Simd;

use super::group::{GroupPart, POINT_ROWS};
use crate::math::pack::{Pack, Row};
use crate::math::real::Real;
use crate::math::tensor::Tensor;

/// Number of rows for the positions of seven nodes of a hexahedron relative to its first node.
pub(crate) const NODE_ROWS: usize = 3 * 7;

/// Reference geometry at the quadrature points.
pub(crate) trait ReferenceGeometry<S: Simd> {
    /// Quadrature weight times det ∂X/∂ξ \[m³\].
    fn weight(&self, k: usize) -> Pack<S>;
    /// (∂X/∂ξ)⁻¹ \[1/m\].
    fn inverse_jacobian(&self, k: usize) -> Tensor<Pack<S>>;
    /// Weight times (∂X/∂ξ)⁻ᵀ \[m²\], that is, A_k in f_a = Σ_k P_k A_k ∂N_a/∂ξ, with the first
    /// Piola–Kirchhoff stress P_k.
    fn weighted_cofactor(&self, k: usize) -> Tensor<Pack<S>>;
}

/// Reference geometry stored for each point.
#[derive(Clone, Copy)]
pub(crate) struct PointGeometry<'a, S, const P: usize> {
    part: GroupPart<'a, S>,
    points: &'a [[Row; POINT_ROWS]],
}

impl<'a, S: Simd, const P: usize> PointGeometry<'a, S, P> {
    #[inline(always)]
    pub fn new(part: &GroupPart<'a, S>) -> Self {
        let (points, _) = part.rows.as_chunks();
        Self { part: *part, points: &points[..P] }
    }
}

impl<S: Simd, const P: usize> ReferenceGeometry<S> for PointGeometry<'_, S, P> {
    #[inline(always)]
    fn weight(&self, k: usize) -> Pack<S> {
        self.part.load(&self.points[k][9])
    }

    #[inline(always)]
    fn inverse_jacobian(&self, k: usize) -> Tensor<Pack<S>> {
        let mut tensor = Tensor::filled(self.weight(k));
        for i in 0..3 {
            for j in 0..3 {
                tensor.0[i][j] = self.part.load(&self.points[k][3 * i + j]);
            }
        }
        tensor
    }

    #[inline(always)]
    fn weighted_cofactor(&self, k: usize) -> Tensor<Pack<S>> {
        self.inverse_jacobian(k).transposed().scale(self.weight(k))
    }
}

/// Reference geometry stored once for all points.
pub(crate) struct UniformGeometry<S: Simd> {
    weight: Pack<S>,
    inverse_jacobian: Tensor<Pack<S>>,
    cofactor: Tensor<Pack<S>>,
}

impl<S: Simd> UniformGeometry<S> {
    #[inline(always)]
    pub fn new(part: &GroupPart<'_, S>) -> Self {
        let first = PointGeometry::<S, 1>::new(part);
        Self {
            weight: first.weight(0),
            inverse_jacobian: first.inverse_jacobian(0),
            cofactor: first.weighted_cofactor(0),
        }
    }
}

impl<S: Simd> ReferenceGeometry<S> for UniformGeometry<S> {
    #[inline(always)]
    fn weight(&self, _: usize) -> Pack<S> {
        self.weight
    }

    #[inline(always)]
    fn inverse_jacobian(&self, _: usize) -> Tensor<Pack<S>> {
        self.inverse_jacobian
    }

    #[inline(always)]
    fn weighted_cofactor(&self, _: usize) -> Tensor<Pack<S>> {
        self.cofactor
    }
}

/// Reference geometry computed from the nodes, which is faster than reading it from memory.
pub(crate) struct NodeGeometry<S: Simd, const P: usize> {
    weights: [Pack<S>; P],
    /// ∂X/∂ξ before the call of `settle`, cof ∂X/∂ξ after it.
    cofactors: [Tensor<Pack<S>>; P],
}

impl<S: Simd, const P: usize> NodeGeometry<S, P> {
    #[inline(always)]
    pub fn new(simd: S) -> Self {
        let zero = Pack::splat(simd, 0.0);
        Self { weights: [zero; P], cofactors: [Tensor::filled(zero); P] }
    }

    /// ∂X/∂ξ, to be written before `settle`. The quadrature weights of the rule must be 1.
    #[inline(always)]
    pub fn jacobians(&mut self) -> &mut [Tensor<Pack<S>>; P] {
        &mut self.cofactors
    }

    #[inline(always)]
    pub fn settle(&mut self) {
        for k in 0..P {
            let jacobian = self.cofactors[k];
            self.cofactors[k] = jacobian.cofactor();
            self.weights[k] = jacobian.determinant_by(&self.cofactors[k]);
        }
    }
}

impl<S: Simd, const P: usize> ReferenceGeometry<S> for &NodeGeometry<S, P> {
    #[inline(always)]
    fn weight(&self, k: usize) -> Pack<S> {
        self.weights[k]
    }

    #[inline(always)]
    fn inverse_jacobian(&self, k: usize) -> Tensor<Pack<S>> {
        self.cofactors[k].transposed().scale(self.weights[k].reciprocal())
    }

    #[inline(always)]
    fn weighted_cofactor(&self, k: usize) -> Tensor<Pack<S>> {
        self.cofactors[k]
    }
}

/// Positions of the nodes relative to the first node.
#[inline(always)]
pub(crate) fn node_positions<S: Simd>(part: &GroupPart<'_, S>) -> [[Pack<S>; 3]; 8] {
    let mut nodes = [[Pack::splat(part.simd, 0.0); 3]; 8];
    for a in 1..8 {
        for i in 0..3 {
            nodes[a][i] = part.load(&part.rows[3 * (a - 1) + i]);
        }
    }
    nodes
}
