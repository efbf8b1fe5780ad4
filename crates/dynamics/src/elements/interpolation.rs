//! Gradients ∂x/∂ξ of the positions x in the natural coordinates ξ, and the transposed operation for nodal forces.
//!
//! For plane cells (plane strain, thickness 1), the third row and column of ∂x/∂ξ are those of the identity, and
//! the third component of the nodal forces is zero.

#![expect(
    clippy::needless_range_loop,
    reason = "indices are those of the formulas, and closures of iterators escape the vector code"
)]

use std::marker::PhantomData;

use pulp::Simd;

use super::group::GroupPart;
use super::reference_geometry::{
    NodeGeometry, PointGeometry, ReferenceGeometry, UniformGeometry, node_positions,
};
use crate::element::hexahedron::{CORNER_BY_SIDE, GAUSS_2X2X2};
use crate::element::line::{GAUSS_2, values2};
use crate::element::tetrahedron::{CENTROID, DEGREE_2};
use crate::element::{quadrature, shape_gradients};
use crate::math::real::Real;
use crate::math::tensor::Tensor;
use crate::mesh::CellKind;

/// Treatment of the volume change in elements with several quadrature points.
pub trait Formulation: Sync {
    /// Whether the mean volume change of the element replaces the volume change at each quadrature point.
    ///
    /// The mean prevents volumetric locking of linear elements, but would reduce the order of accuracy of quadratic
    /// elements.
    const MEAN_DILATATION: bool;
}

/// Pointwise volume change.
pub struct Displacement;

impl Formulation for Displacement {
    const MEAN_DILATATION: bool = false;
}

/// Mean volume change.
pub struct MeanDilatation;

impl Formulation for MeanDilatation {
    const MEAN_DILATATION: bool = true;
}

/// Interpolation from `N` nodes to the `P` points of a quadrature rule.
pub(crate) trait Interpolation<const N: usize, const P: usize>: Formulation {
    type Geometry<'a, S: Simd>: ReferenceGeometry<S>;
    /// Reference geometry of a part of a group. `nodes`: workspace, used if the element block stores node positions.
    fn geometry<'a, S: Simd>(
        &self,
        part: &GroupPart<'a, S>,
        nodes: &'a mut NodeGeometry<S, P>,
    ) -> Self::Geometry<'a, S>;
    /// Overwrites `tensors` with ∂x_i/∂ξ_j at each point.
    fn gradients<R: Real>(&self, positions: &[[R; 3]; N], tensors: &mut [Tensor<R>; P]);
    /// Overwrites `forces` with f_a = Σ_k T_k · ∂N_a/∂ξ, from the tensors T_k at the points k.
    fn divergence<R: Real>(&self, tensors: &[Tensor<R>; P], forces: &mut [[R; 3]; N]);
    /// Quadrature weight of point `k` in natural coordinates.
    fn weight(&self, k: usize) -> f64;
}

/// The four-node tetrahedron; the columns of ∂x/∂ξ are the edge vectors from the first node.
pub struct Tetrahedron;

impl Formulation for Tetrahedron {
    const MEAN_DILATATION: bool = false;
}

impl Interpolation<4, 1> for Tetrahedron {
    type Geometry<'a, S: Simd> = PointGeometry<'a, S, 1>;

    #[inline(always)]
    fn geometry<'a, S: Simd>(
        &self,
        part: &GroupPart<'a, S>,
        _: &'a mut NodeGeometry<S, 1>,
    ) -> Self::Geometry<'a, S> {
        PointGeometry::new(part)
    }

    #[inline(always)]
    fn gradients<R: Real>(&self, x: &[[R; 3]; 4], tensors: &mut [Tensor<R>; 1]) {
        for i in 0..3 {
            for j in 0..3 {
                tensors[0].0[i][j] = x[j + 1][i] - x[0][i];
            }
        }
    }

    #[inline(always)]
    fn divergence<R: Real>(&self, [tensor]: &[Tensor<R>; 1], forces: &mut [[R; 3]; 4]) {
        for i in 0..3 {
            let row = tensor.0[i];
            forces[0][i] = -(row[0] + row[1] + row[2]);
            for j in 0..3 {
                forces[j + 1][i] = row[j];
            }
        }
    }

    #[inline(always)]
    fn weight(&self, _: usize) -> f64 {
        CENTROID[0].weight
    }
}

/// Gradients of the ten-node tetrahedron at the four points of the rule of degree 2.
///
/// At point c, the barycentric coordinate L_c is `far`, and the other three are `near`. D_c is the value of ∂x/∂ξ at
/// corner c, Σ D the sum of D_c over the corners, and x_(ci) the mid-side node between the corners c and i.
///
/// ```text
/// ∂x/∂ξ at point c = (far − near) D_c + near Σ D,   because ∂x/∂ξ is linear
/// ∂/∂ξ_j = ∂/∂L_j − ∂/∂L_0
/// ∂x/∂L_i at corner c = 4 x_(ci) − x_i for i ≠ c, and 3 x_c for i = c
/// sum of ∂x/∂L_i over the corners = 4 Σ_(c ≠ i) x_(ci)
/// ```
pub struct QuadraticTetrahedron {
    /// far − near.
    own: f64,
    /// near.
    all: f64,
}

/// Mid-side node between two corners. An entry of the diagonal is the corner itself.
const MID_SIDE: [[usize; 4]; 4] = [[0, 4, 6, 7], [4, 1, 5, 9], [6, 5, 2, 8], [7, 9, 8, 3]];

impl QuadraticTetrahedron {
    pub fn new() -> Self {
        let [far, near] = [1, 0].map(|point: usize| DEGREE_2[point].xi[0]);
        Self { own: far - near, all: near }
    }
}

impl Formulation for QuadraticTetrahedron {
    const MEAN_DILATATION: bool = Displacement::MEAN_DILATATION;
}

impl Interpolation<10, 4> for QuadraticTetrahedron {
    type Geometry<'a, S: Simd> = PointGeometry<'a, S, 4>;

    #[inline(always)]
    fn geometry<'a, S: Simd>(
        &self,
        part: &GroupPart<'a, S>,
        _: &'a mut NodeGeometry<S, 4>,
    ) -> Self::Geometry<'a, S> {
        PointGeometry::new(part)
    }

    #[inline(always)]
    fn gradients<R: Real>(&self, x: &[[R; 3]; 10], tensors: &mut [Tensor<R>; 4]) {
        for i in 0..3 {
            // `own`: ∂x/∂L_j at each corner, times `self.own`. `all`: a quarter of the sum of ∂x/∂L_j over the corners.
            let zero = x[0][i].constant(0.0);
            let (mut own, mut all) = ([[zero; 4]; 4], [zero; 4]);
            for c in 0..4 {
                for j in 0..4 {
                    if c == j {
                        own[c][c] = x[c][i] * (3.0 * self.own);
                    } else {
                        let mid_side = x[MID_SIDE[c][j]][i];
                        own[c][j] = mid_side * (4.0 * self.own) - x[j][i] * self.own;
                        all[j] += mid_side;
                    }
                }
            }
            for j in 0..3 {
                let sum = (all[j + 1] - all[0]) * (4.0 * self.all);
                for c in 0..4 {
                    tensors[c].0[i][j] = own[c][j + 1] - own[c][0] + sum;
                }
            }
        }
    }

    #[inline(always)]
    fn divergence<R: Real>(&self, tensors: &[Tensor<R>; 4], forces: &mut [[R; 3]; 10]) {
        for i in 0..3 {
            // `work`: work conjugate w_cj of ∂x/∂L_j at each point c. `all`: sum of w_cj over the points c.
            let zero = tensors[0].0[i][0].constant(0.0);
            let (mut work, mut all) = ([[zero; 4]; 4], [zero; 4]);
            for c in 0..4 {
                let row = tensors[c].0[i];
                work[c] = [-(row[0] + row[1] + row[2]), row[0], row[1], row[2]];
                for j in 0..4 {
                    all[j] += work[c][j];
                }
            }
            for c in 0..4 {
                // 4 w_cc − Σ_k w_kc = 3 w_cc − Σ_(k ≠ c) w_kc.
                forces[c][i] = (work[c][c] * 4.0 - all[c]) * self.own;
                for j in 0..c {
                    forces[MID_SIDE[c][j]][i] =
                        (work[c][j] + work[j][c]) * (4.0 * self.own) + (all[c] + all[j]) * (4.0 * self.all);
                }
            }
        }
    }

    #[inline(always)]
    fn weight(&self, k: usize) -> f64 {
        DEGREE_2[k].weight
    }
}

/// Gradients of the eight-node hexahedron at 2 × 2 × 2 points, by sums over edges.
///
/// ∂x/∂ξ_d does not depend on ξ_d, so it is interpolated only between the four edges of direction d.
pub struct Hexahedron {
    /// Half of `whole`.
    half: [f64; 2],
    /// Linear shape functions of an edge at a Gauss point: that of the nearer end, then that of the farther end.
    whole: [f64; 2],
}

/// For each direction: the bit of this direction in an index into `CORNER_BY_SIDE`, then the bits of the other two.
/// In the index of a corner, a bit is set if the corner lies on the positive side of the direction of the bit.
const DIRECTIONS: [[usize; 3]; 3] = [[1, 2, 4], [2, 1, 4], [4, 1, 2]];

impl Hexahedron {
    pub fn new() -> Self {
        let mut whole = [0.0; 2];
        values2(GAUSS_2[0].xi, &mut whole);
        Self { half: [0.5 * whole[0], 0.5 * whole[1]], whole }
    }

    /// Interpolates bilinearly from the four `edges` of one direction to the 2 × 2 Gauss points between them, and
    /// halves the result, because on an edge, ∂x/∂ξ_d is half the edge vector. The matrix of this map is symmetric, so
    /// `divergence` uses the same map.
    #[inline(always)]
    fn across<R: Real>(&self, edges: [[R; 3]; 4]) -> [[R; 3]; 4] {
        let mut points = edges;
        for i in 0..3 {
            let [a, b] = between([edges[0][i], edges[1][i]], self.half);
            let [c, d] = between([edges[2][i], edges[3][i]], self.half);
            [points[0][i], points[2][i]] = between([a, c], self.whole);
            [points[1][i], points[3][i]] = between([b, d], self.whole);
        }
        points
    }
}

/// Values at the two Gauss points of a segment, from the values at its ends. `near`, `far`: weights of the nearer and
/// of the farther end.
#[inline(always)]
fn between<R: Real>([first, second]: [R; 2], [near, far]: [f64; 2]) -> [R; 2] {
    let weight = first.constant(far);
    [second.mul_add(weight, first * near), first.mul_add(weight, second * near)]
}

impl Formulation for Hexahedron {
    const MEAN_DILATATION: bool = true;
}

impl Interpolation<8, 8> for Hexahedron {
    type Geometry<'a, S: Simd> = &'a NodeGeometry<S, 8>;

    #[inline(always)]
    fn geometry<'a, S: Simd>(
        &self,
        part: &GroupPart<'a, S>,
        nodes: &'a mut NodeGeometry<S, 8>,
    ) -> Self::Geometry<'a, S> {
        self.gradients(&node_positions(part), nodes.jacobians());
        nodes.settle();
        nodes
    }

    #[inline(always)]
    fn gradients<R: Real>(&self, x: &[[R; 3]; 8], tensors: &mut [Tensor<R>; 8]) {
        for d in 0..3 {
            let [along, first, second] = DIRECTIONS[d];
            let sides = [0, first, second, first + second];
            let mut edges = [x[0]; 4];
            for e in 0..4 {
                let (low, high) = (CORNER_BY_SIDE[sides[e]], CORNER_BY_SIDE[sides[e] + along]);
                for i in 0..3 {
                    edges[e][i] = x[high][i] - x[low][i];
                }
            }
            let points = self.across(edges);
            for e in 0..4 {
                for i in 0..3 {
                    tensors[sides[e]].0[i][d] = points[e][i];
                    tensors[sides[e] + along].0[i][d] = points[e][i];
                }
            }
        }
    }

    #[inline(always)]
    fn divergence<R: Real>(&self, tensors: &[Tensor<R>; 8], forces: &mut [[R; 3]; 8]) {
        let zero = tensors[0].0[0][0].constant(0.0);
        *forces = [[zero; 3]; 8];
        for d in 0..3 {
            let [along, first, second] = DIRECTIONS[d];
            let sides = [0, first, second, first + second];
            let mut points = [[zero; 3]; 4];
            for e in 0..4 {
                for i in 0..3 {
                    points[e][i] = tensors[sides[e]].0[i][d] + tensors[sides[e] + along].0[i][d];
                }
            }
            let edges = self.across(points);
            for e in 0..4 {
                let (low, high) = (CORNER_BY_SIDE[sides[e]], CORNER_BY_SIDE[sides[e] + along]);
                for i in 0..3 {
                    forces[high][i] += edges[e][i];
                    forces[low][i] -= edges[e][i];
                }
            }
        }
    }

    #[inline(always)]
    fn weight(&self, k: usize) -> f64 {
        GAUSS_2X2X2[k].weight
    }
}

/// Hexahedra with the same reference geometry at all quadrature points.
pub struct Parallelepiped(pub Hexahedron);

impl Formulation for Parallelepiped {
    const MEAN_DILATATION: bool = Hexahedron::MEAN_DILATATION;
}

impl Interpolation<8, 8> for Parallelepiped {
    type Geometry<'a, S: Simd> = UniformGeometry<S>;

    #[inline(always)]
    fn geometry<'a, S: Simd>(
        &self,
        part: &GroupPart<'a, S>,
        _: &'a mut NodeGeometry<S, 8>,
    ) -> Self::Geometry<'a, S> {
        UniformGeometry::new(part)
    }

    #[inline(always)]
    fn gradients<R: Real>(&self, x: &[[R; 3]; 8], tensors: &mut [Tensor<R>; 8]) {
        self.0.gradients(x, tensors);
    }

    #[inline(always)]
    fn divergence<R: Real>(&self, tensors: &[Tensor<R>; 8], forces: &mut [[R; 3]; 8]) {
        self.0.divergence(tensors, forces);
    }

    #[inline(always)]
    fn weight(&self, k: usize) -> f64 {
        self.0.weight(k)
    }
}

/// Interpolation with tabulated shape gradients.
pub struct Tabulated<F, const N: usize, const P: usize, const PLANE: bool> {
    slopes: [[[f64; 3]; N]; P],
    weights: [f64; P],
    formulation: PhantomData<F>,
}

impl<F, const N: usize, const P: usize, const PLANE: bool> Tabulated<F, N, P, PLANE> {
    const DIMENSION: usize = if PLANE { 2 } else { 3 };

    pub fn new(kind: CellKind) -> Self {
        let (mut slopes, mut weights) = ([[[0.0; 3]; N]; P], [0.0; P]);
        for ((table, weight), point) in slopes.iter_mut().zip(&mut weights).zip(quadrature(kind)) {
            shape_gradients(kind, point.xi, table);
            *weight = point.weight;
        }
        Self { slopes, weights, formulation: PhantomData }
    }
}

impl<F: Formulation, const N: usize, const P: usize, const PLANE: bool> Formulation
    for Tabulated<F, N, P, PLANE>
{
    const MEAN_DILATATION: bool = F::MEAN_DILATATION;
}

impl<F: Formulation, const N: usize, const P: usize, const PLANE: bool> Interpolation<N, P>
    for Tabulated<F, N, P, PLANE>
{
    type Geometry<'a, S: Simd> = PointGeometry<'a, S, P>;

    #[inline(always)]
    fn geometry<'a, S: Simd>(
        &self,
        part: &GroupPart<'a, S>,
        _: &'a mut NodeGeometry<S, P>,
    ) -> Self::Geometry<'a, S> {
        PointGeometry::new(part)
    }

    #[inline(always)]
    fn gradients<R: Real>(&self, positions: &[[R; 3]; N], tensors: &mut [Tensor<R>; P]) {
        for k in 0..P {
            let mut tensor = Tensor::filled(positions[0][0].constant(0.0));
            for a in 0..N {
                for i in 0..Self::DIMENSION {
                    for j in 0..Self::DIMENSION {
                        let slope = positions[a][i].constant(self.slopes[k][a][j]);
                        tensor.0[i][j] = positions[a][i].mul_add(slope, tensor.0[i][j]);
                    }
                }
            }
            if PLANE {
                tensor.0[2][2] = tensor.0[2][2].constant(1.0);
            }
            tensors[k] = tensor;
        }
    }

    #[inline(always)]
    fn divergence<R: Real>(&self, tensors: &[Tensor<R>; P], forces: &mut [[R; 3]; N]) {
        *forces = [[tensors[0].0[0][0].constant(0.0); 3]; N];
        for k in 0..P {
            let tensor = tensors[k];
            for a in 0..N {
                for i in 0..Self::DIMENSION {
                    for j in 0..Self::DIMENSION {
                        let slope = tensor.0[i][j].constant(self.slopes[k][a][j]);
                        forces[a][i] = tensor.0[i][j].mul_add(slope, forces[a][i]);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn weight(&self, k: usize) -> f64 {
        self.weights[k]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees_with_its_table<I, const N: usize, const P: usize>(fast: &I, kind: CellKind)
    where
        I: Interpolation<N, P>,
    {
        let table = Tabulated::<Displacement, N, P, false>::new(kind);
        let value = |a: usize, i: usize| ((a * 7 + i * 5) % 11) as f64 - 0.3 * (a * i) as f64;
        let x: [[f64; 3]; N] = std::array::from_fn(|a| std::array::from_fn(|i| value(a, i)));
        let (mut quick, mut slow) = ([Tensor::filled(0.0); P], [Tensor::filled(0.0); P]);
        fast.gradients(&x, &mut quick);
        table.gradients(&x, &mut slow);
        let tensors: [Tensor<f64>; P] =
            std::array::from_fn(|k| slow[k] + Tensor::filled(0.0).add_diagonal(k as f64));
        let (mut quick_forces, mut slow_forces) = (x, x);
        fast.divergence(&tensors, &mut quick_forces);
        table.divergence(&tensors, &mut slow_forces);
        for k in 0..P {
            for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                assert!((quick[k].0[i][j] - slow[k].0[i][j]).abs() < 1e-13, "{kind:?} point {k}");
            }
        }
        for a in 0..N {
            for i in 0..3 {
                let difference = quick_forces[a][i] - slow_forces[a][i];
                assert!(difference.abs() < 1e-12, "{kind:?} node {a} {difference:e}");
            }
        }
    }

    #[test]
    fn sums_over_edges_and_corners_are_the_shape_gradients() {
        agrees_with_its_table(&Hexahedron::new(), CellKind::Hex8);
        agrees_with_its_table(&Tetrahedron, CellKind::Tet4);
        agrees_with_its_table(&QuadraticTetrahedron::new(), CellKind::Tet10);
    }
}
