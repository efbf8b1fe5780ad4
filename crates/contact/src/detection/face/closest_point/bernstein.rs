//! Bounds of F = ½ |x(ξ) − r|² and of its Hessian over a whole face. x(ξ) is a point of the face, and r is the query.
//!
//! On its domain, a polynomial lies between its least and its greatest Bernstein coefficient (Farin 2002, *Curves and
//! Surfaces for CAGD*, §5.4). The Bernstein coefficients of the Hessian are matrices. The least eigenvalue of these
//! matrices is a lower bound on the eigenvalues of the Hessian.

use crate::math::Vec3;

/// Bounds of F on a whole domain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower bound on F \[m²\].
    pub least_value: f64,
    /// Upper bound on F and on its Bernstein coefficients \[m²\].
    pub greatest_value: f64,
    /// Lower bound on the eigenvalues of the Hessian of F \[m²\]. The bound is at most zero.
    pub least_curvature: f64,
}

impl Bounds {
    /// Bounds for an affine x: F is convex and not negative.
    pub const AFFINE: Self = Self { least_value: 0.0, greatest_value: f64::INFINITY, least_curvature: 0.0 };

    /// `squares`: Bernstein coefficients of |x − r|²; `hessians`: Bernstein coefficients of the Hessian of F, computed
    /// only if `least_value` < `limit` \[m²\]. Otherwise `least_curvature` is −∞.
    fn new<'a, const N: usize>(
        squares: impl Iterator<Item = &'a f64>,
        limit: f64,
        hessians: impl FnOnce() -> [[f64; 3]; N],
    ) -> Self {
        let extremes = |(least, greatest): (f64, f64), v: &f64| (least.min(*v), greatest.max(*v));
        let (least, greatest) = squares.fold((f64::INFINITY, f64::NEG_INFINITY), extremes);
        let least_curvature = if 0.5 * least < limit {
            hessians().iter().map(least_eigenvalue_or_zero).fold(0.0, f64::min)
        } else {
            f64::NEG_INFINITY
        };
        Self { least_value: 0.5 * least, greatest_value: 0.5 * greatest, least_curvature }
    }
}

/// Least eigenvalue of the matrix with the components (11, 22, 12), or zero if the eigenvalue is positive.
fn least_eigenvalue_or_zero(&[h11, h22, h12]: &[f64; 3]) -> f64 {
    if h11 >= 0.0 && h22 >= 0.0 && h11 * h22 >= h12 * h12 {
        return 0.0;
    }
    let (mean, half) = (0.5 * (h11 + h22), 0.5 * (h11 - h22));
    (mean - (half * half + h12 * h12).sqrt()).min(0.0)
}

/// Quadratic curve.
pub struct Curve {
    /// Bernstein coefficients of |x − r|², degree 4.
    squares: [f64; 5],
}

impl Curve {
    /// The curve with the control points `net` of x − r.
    #[inline]
    pub fn new(net: &[Vec3; 3]) -> Self {
        Self { squares: product(net, net) }
    }

    /// Bernstein coefficients of d²F/dξ², degree 2.
    #[inline]
    fn curvatures(&self) -> [f64; 3] {
        let [a, b, c, d, e] = self.squares;
        [second_difference([a, b, c]), second_difference([b, c, d]), second_difference([c, d, e])]
            .map(|d| 1.5 * d)
    }

    /// Bounds of F; `least_curvature` is −∞ if `least_value` ≥ `limit` \[m²\].
    pub fn bounds(&self, limit: f64) -> Bounds {
        Bounds::new(self.squares.iter(), limit, || self.curvatures().map(|c| [c, c, 0.0]))
    }
}

/// Bilinear surface.
pub struct BilinearNet {
    /// Bernstein coefficients of |x − r|², degree 2 in ξ (first index) and η.
    squares: [[f64; 3]; 3],
}

impl BilinearNet {
    /// The surface with the given control points of x − r; the first index belongs to ξ.
    #[inline]
    pub fn new([p, q]: &[[Vec3; 2]; 2]) -> Self {
        let middle = [p[0].dot(&q[0]), 0.5 * (p[0].dot(&q[1]) + p[1].dot(&q[0])), p[1].dot(&q[1])];
        let square = |p: &[Vec3; 2]| [p[0].norm_squared(), p[0].dot(&p[1]), p[1].norm_squared()];
        Self { squares: [square(p), middle, square(q)] }
    }

    /// Bernstein coefficients of the Hessian, raised to degree 2 in ξ and in η.
    #[inline]
    fn hessians(&self) -> [[f64; 3]; 9] {
        let f = &self.squares;
        let twist = |i: usize, j: usize| 0.5 * ((f[i + 1][j + 1] - f[i + 1][j]) - (f[i][j + 1] - f[i][j]));
        let [a, b, c, d] = [twist(0, 0), twist(0, 1), twist(1, 0), twist(1, 1)];
        let (before, behind) = ([a, 0.5 * (a + b), b], [c, 0.5 * (c + d), d]);
        let mut hessians = [[0.0; 3]; 9];
        for i in 0..3 {
            let across = 0.25 * second_difference(f[i]);
            for j in 0..3 {
                let along = 0.25 * second_difference([f[0][j], f[1][j], f[2][j]]);
                let mixed = [before[j], 0.5 * (before[j] + behind[j]), behind[j]][i];
                hessians[3 * i + j] = [along, across, mixed];
            }
        }
        hessians
    }

    /// Bounds of F; `limit` as in [`Curve::bounds`].
    pub fn bounds(&self, limit: f64) -> Bounds {
        Bounds::new(self.squares.as_flattened().iter(), limit, || self.hessians())
    }
}

/// Quadratic triangle.
pub struct TriangleNet {
    /// Bernstein coefficients of |x − r|², degree 4; the indices are the powers of the barycentric coordinates of the
    /// corners 1 and 2.
    squares: [[f64; 5]; 5],
}

impl TriangleNet {
    /// The triangle with the given control points of x − r: first at the corners, then for the edges 01, 12, 20.
    #[inline]
    pub fn new([a, b, c, ab, bc, ca]: &[Vec3; 6]) -> Self {
        let third = 1.0 / 3.0;
        let opposite = |p: &Vec3, q: &Vec3, m: &Vec3| (p.dot(q) + 2.0 * m.norm_squared()) * third;
        let inner =
            |corner: &Vec3, far: &Vec3, m: &Vec3, n: &Vec3| (corner.dot(far) + 2.0 * m.dot(n)) * third;
        Self {
            squares: [
                [a.norm_squared(), a.dot(ca), opposite(a, c, ca), c.dot(ca), c.norm_squared()],
                [a.dot(ab), inner(a, bc, ab, ca), inner(c, ab, bc, ca), c.dot(bc), 0.0],
                [opposite(a, b, ab), inner(b, ca, ab, bc), opposite(b, c, bc), 0.0, 0.0],
                [b.dot(ab), b.dot(bc), 0.0, 0.0, 0.0],
                [b.norm_squared(), 0.0, 0.0, 0.0, 0.0],
            ],
        }
    }

    #[inline]
    fn hessians(&self) -> [[f64; 3]; 6] {
        let f = &self.squares;
        let mut hessians = [[0.0; 3]; 6];
        for (hessian, (i, j)) in hessians.iter_mut().zip([(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2)]) {
            *hessian = [
                6.0 * second_difference([f[i][j], f[i + 1][j], f[i + 2][j]]),
                6.0 * second_difference([f[i][j], f[i][j + 1], f[i][j + 2]]),
                6.0 * ((f[i + 1][j + 1] - f[i + 1][j]) - (f[i][j + 1] - f[i][j])),
            ];
        }
        hessians
    }

    /// Bounds of F; `limit` as in [`Curve::bounds`].
    pub fn bounds(&self, limit: f64) -> Bounds {
        let squares = self.squares.iter().enumerate().flat_map(|(i, row)| &row[..5 - i]);
        Bounds::new(squares, limit, || self.hessians())
    }
}

/// Biquadratic surface.
pub struct BiquadraticNet {
    /// Bernstein coefficients of |x − r|², degree 4 in ξ (first index) and η.
    squares: [[f64; 5]; 5],
}

impl BiquadraticNet {
    /// The surface with the given control points of x − r; the first index belongs to ξ.
    #[inline]
    pub fn new([p, q, r]: &[[Vec3; 3]; 3]) -> Self {
        let (ends, middle) = (product(p, r), product(q, q));
        let mut mean = [0.0; 5];
        for j in 0..5 {
            mean[j] = (ends[j] + 2.0 * middle[j]) * (1.0 / 3.0);
        }
        Self { squares: [product(p, p), product(p, q), mean, product(q, r), product(r, r)] }
    }

    /// Bernstein coefficients of ∂²F/∂ξ², degree 2 in ξ (first index) and 4 in η.
    #[inline]
    fn along(&self) -> [[f64; 5]; 3] {
        let f = &self.squares;
        let mut along = [[0.0; 5]; 3];
        for i in 0..3 {
            for j in 0..5 {
                along[i][j] = 1.5 * second_difference([f[i][j], f[i + 1][j], f[i + 2][j]]);
            }
        }
        along
    }

    /// Bernstein coefficients of ∂²F/∂η², degree 2 in η (first index) and 4 in ξ.
    #[inline]
    fn across(&self) -> [[f64; 5]; 3] {
        let f = &self.squares;
        let mut across = [[0.0; 5]; 3];
        for j in 0..3 {
            for i in 0..5 {
                across[j][i] = 1.5 * second_difference([f[i][j], f[i][j + 1], f[i][j + 2]]);
            }
        }
        across
    }

    /// Bernstein coefficients of ∂²F/∂ξ∂η, degree 3 in ξ (first index) and in η.
    #[inline]
    fn mixed(&self) -> [[f64; 4]; 4] {
        let f = &self.squares;
        let mut mixed = [[0.0; 4]; 4];
        for i in 0..4 {
            for j in 0..4 {
                mixed[i][j] = 2.0 * ((f[i + 1][j + 1] - f[i + 1][j]) - (f[i][j + 1] - f[i][j]));
            }
        }
        mixed
    }

    /// Bernstein coefficients of the Hessian, raised to degree 4 in ξ and in η.
    fn hessians(&self) -> [[f64; 3]; 25] {
        let along = transpose(&self.along());
        let across = transpose(&self.across());
        let mixed = transpose(&self.mixed().map(raise_cubic)).map(raise_cubic);
        let (along, across) = (along.map(raise_quadratic), across.map(raise_quadratic));
        // The index of η varies fastest.
        std::array::from_fn(|k| [along[k % 5][k / 5], across[k / 5][k % 5], mixed[k % 5][k / 5]])
    }

    /// Bounds of F; `limit` as in [`Curve::bounds`].
    pub fn bounds(&self, limit: f64) -> Bounds {
        Bounds::new(self.squares.as_flattened().iter(), limit, || self.hessians())
    }
}

#[inline]
fn product(p: &[Vec3; 3], q: &[Vec3; 3]) -> [f64; 5] {
    [
        p[0].dot(&q[0]),
        0.5 * (p[0].dot(&q[1]) + p[1].dot(&q[0])),
        (p[0].dot(&q[2]) + 4.0 * p[1].dot(&q[1]) + p[2].dot(&q[0])) * (1.0 / 6.0),
        0.5 * (p[1].dot(&q[2]) + p[2].dot(&q[1])),
        p[2].dot(&q[2]),
    ]
}

#[inline]
fn second_difference([a, b, c]: [f64; 3]) -> f64 {
    (a - b) + (c - b)
}

fn raise_quadratic([a, b, c]: [f64; 3]) -> [f64; 5] {
    [a, 0.5 * (a + b), (a + 4.0 * b + c) / 6.0, 0.5 * (b + c), c]
}

fn raise_cubic([a, b, c, d]: [f64; 4]) -> [f64; 5] {
    [a, 0.25 * (a + 3.0 * b), 0.5 * (b + c), 0.25 * (3.0 * c + d), d]
}

fn transpose<const M: usize, const N: usize>(rows: &[[f64; N]; M]) -> [[f64; M]; N] {
    std::array::from_fn(|j| std::array::from_fn(|i| rows[i][j]))
}
