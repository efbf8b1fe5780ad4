//! Common interface of all face polynomials.

use crate::detection::face::closest_point::bernstein::Bounds;
use crate::detection::face::closest_point::domain::Domain;
use crate::math::Vec3;
use crate::mesh::CellKind;

/// The polynomial x(ξ) − r on the natural domain of a face, with the query point r and the point x(ξ) of the face. F is
/// ½ |x(ξ) − r|².
pub trait FacePolynomial: Copy {
    /// Kind of the face.
    const KIND: CellKind;
    /// Natural domain.
    const DOMAIN: &'static Domain;
    /// Natural coordinates of the nodes that are not corners, in nodal order.
    const OTHER_NODES: &'static [[f64; 2]] = &[];
    /// Powers (i, j) of the monomials ξⁱ ηʲ, in the order 1, ξ, η, nonlinear monomials. Segments have no η.
    const POWERS: &'static [[u8; 2]];
    /// Whether x is affine in ξ.
    const AFFINE: bool = false;

    /// x(ξ) − r.
    fn offset(&self, xi: [f64; 2]) -> Vec3;

    /// x(ξ) − r and its derivatives; derivatives in η are zero on a segment.
    fn derivatives(&self, xi: [f64; 2]) -> Derivatives;

    /// Coefficients c_ij of the monomials ξⁱ ηʲ, in the order of [`FacePolynomial::POWERS`].
    fn coefficients(&self) -> &[Vec3];

    /// The polynomial over the part `cell` of the domain, in the natural coordinates of this part.
    fn part(&self, cell: &Cell) -> Self;

    /// Bounds of F over the whole domain. If the lower bound `least_value` on F is at least `limit` \[m²\],
    /// `least_curvature` is not computed, and is −∞. Affine faces ignore `limit`.
    fn bounds(&self, _limit: f64) -> Bounds {
        Bounds::AFFINE
    }

    /// Least n·(p − r) over the Bézier control points p of the face, with n = `direction`: a lower bound on n·(x − r).
    /// −∞ for affine faces.
    #[inline]
    fn least_along(&self, _direction: &Vec3) -> f64 {
        f64::NEG_INFINITY
    }

    /// F and its derivatives at ξ.
    #[inline(always)]
    fn expand(&self, xi: [f64; 2]) -> Expansion {
        let Derivatives { offset, tangents: [x1, x2], second } = self.derivatives(xi);
        let metric = [x1.norm_squared(), x2.norm_squared(), x1.dot(&x2)];
        let hessian = [
            metric[0] + offset.dot(&second[0]),
            metric[1] + offset.dot(&second[1]),
            metric[2] + offset.dot(&second[2]),
        ];
        let gradient = [offset.dot(&x1), offset.dot(&x2)];
        Expansion { xi, objective: 0.5 * offset.norm_squared(), gradient, metric, hessian }
    }
}

/// Affine image of the natural domain, with natural coordinates ξ' of its own: ξ = o + a₁ ξ'₁ + a₂ ξ'₂. The axes of a
/// rectangular cell are parallel to the ξ and η axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Origin o.
    pub origin: [f64; 2],
    /// Axes a₁ and a₂.
    pub axes: [[f64; 2]; 2],
}

impl Cell {
    /// The domain itself.
    pub const WHOLE: Self = Self { origin: [0.0; 2], axes: [[1.0, 0.0], [0.0, 1.0]] };

    /// Coordinates ξ in the domain, from coordinates in the cell.
    #[inline]
    pub fn at(&self, [s, t]: [f64; 2]) -> [f64; 2] {
        let [u, v] = &self.axes;
        [0, 1].map(|i| self.origin[i] + (u[i] * s + v[i] * t))
    }

    /// Coordinates in the cell, from coordinates ξ in the domain; for rectangular cells.
    #[inline]
    pub fn inverse(&self, xi: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|i| (xi[i] - self.origin[i]) / self.axes[i][i])
    }
}

/// x(ξ) − r and its derivatives at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Derivatives {
    /// x − r.
    pub offset: Vec3,
    /// x,₁ and x,₂.
    pub tangents: [Vec3; 2],
    /// x,₁₁, x,₂₂ and x,₁₂.
    pub second: [Vec3; 3],
}

/// F = ½ |r − x(ξ)|² and its derivatives at a point; e = r − x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expansion {
    /// Natural coordinates of the point.
    pub xi: [f64; 2],
    /// F \[m²\].
    pub objective: f64,
    /// F,ᵢ = −e·x,ᵢ.
    pub gradient: [f64; 2],
    /// x,ᵢ·x,ⱼ as (11, 22, 12).
    pub metric: [f64; 3],
    /// F,ᵢⱼ = x,ᵢ·x,ⱼ − e·x,ᵢⱼ as (11, 22, 12).
    pub hessian: [f64; 3],
}

#[inline]
pub(super) fn least_of(points: &[Vec3], direction: &Vec3) -> f64 {
    points.iter().map(|p| p.dot(direction)).fold(f64::INFINITY, |a, b| if b < a { b } else { a })
}

#[inline]
pub(super) fn shifted<const N: usize>(nodes: &[Vec3; N], query: &Vec3) -> [Vec3; N] {
    let mut shifted = *nodes;
    for node in &mut shifted {
        *node -= query;
    }
    shifted
}
