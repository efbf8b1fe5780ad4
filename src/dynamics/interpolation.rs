//! Natural gradients of a field and their transpose, per kind of cell, four elements at a time.
//!
//! Plane cells move in their plane: the third row and column of ∂x/∂ξ are those of the identity, which is plane
//! strain with thickness 1, and their forces have no third component.

#![allow(
    clippy::needless_range_loop,
    reason = "indices are those of the formulas, and closures of iterators escape the vector code"
)]

use crate::element::{quadrature, shape_gradients};
use crate::math::real::{Lanes, Real};
use crate::math::tensor::Tensor;
use crate::mesh::CellKind;

/// Interpolation with `N` nodes at `P` quadrature points.
pub trait Interpolation<const N: usize, const P: usize>: Sync {
    /// ∂x_i/∂ξ_j at a point.
    fn gradient(&self, point: usize, positions: &[[Lanes; 3]; N]) -> Tensor<Lanes>;
    /// f_a += T · ∂N_a/∂ξ at a point.
    fn add_divergence(&self, point: usize, tensor: &Tensor<Lanes>, forces: &mut [[Lanes; 3]; N]);
}

/// Edge vectors from the first node are the columns of ∂x/∂ξ.
pub struct Tetrahedron;

impl Interpolation<4, 1> for Tetrahedron {
    #[inline(always)]
    fn gradient(&self, _point: usize, x: &[[Lanes; 3]; 4]) -> Tensor<Lanes> {
        let mut tensor = Tensor::zero();
        for i in 0..3 {
            for j in 0..3 {
                tensor.0[i][j] = x[j + 1][i] - x[0][i];
            }
        }
        tensor
    }

    #[inline(always)]
    fn add_divergence(&self, _point: usize, tensor: &Tensor<Lanes>, forces: &mut [[Lanes; 3]; 4]) {
        for i in 0..3 {
            let row = tensor.0[i];
            forces[0][i] -= row[0] + row[1] + row[2];
            for j in 0..3 {
                forces[j + 1][i] += row[j];
            }
        }
    }
}

/// Shape gradients looked up in a table; `PLANE` for cells of two dimensions.
pub struct Tabulated<const N: usize, const P: usize, const PLANE: bool> {
    gradients: [[[f64; 3]; N]; P],
}

impl<const N: usize, const P: usize, const PLANE: bool> Tabulated<N, P, PLANE> {
    /// Table of a kind that has `N` nodes and `P` points.
    pub fn new(kind: CellKind) -> Self {
        let mut gradients = [[[0.0; 3]; N]; P];
        for (table, point) in gradients.iter_mut().zip(quadrature(kind)) {
            shape_gradients(kind, point.xi, table);
        }
        Self { gradients }
    }
}

impl<const N: usize, const P: usize, const PLANE: bool> Interpolation<N, P> for Tabulated<N, P, PLANE> {
    #[inline(always)]
    fn gradient(&self, point: usize, positions: &[[Lanes; 3]; N]) -> Tensor<Lanes> {
        let dimension = if PLANE { 2 } else { 3 };
        let mut tensor = Tensor::zero();
        for (x, slope) in positions.iter().zip(&self.gradients[point]) {
            for i in 0..dimension {
                for j in 0..dimension {
                    tensor.0[i][j] += x[i] * slope[j];
                }
            }
        }
        if PLANE {
            tensor.0[2][2] = Lanes::splat(1.0);
        }
        tensor
    }

    #[inline(always)]
    fn add_divergence(&self, point: usize, tensor: &Tensor<Lanes>, forces: &mut [[Lanes; 3]; N]) {
        let dimension = if PLANE { 2 } else { 3 };
        for (force, slope) in forces.iter_mut().zip(&self.gradients[point]) {
            for i in 0..dimension {
                for j in 0..dimension {
                    force[i] += tensor.0[i][j] * slope[j];
                }
            }
        }
    }
}
