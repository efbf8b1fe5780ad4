//! Second-order tensors over [`Real`]: the algebra of kinematics and stress.

use std::ops::{Add, Mul, Sub};

use super::real::Real;

/// 3 × 3 tensor T with T_ij = `self.0[i][j]`. In the comments, `self` is T or A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tensor<R>(pub [[R; 3]; 3]);

/// A tensor of the type of `$tensor` with the components `$value`. A macro, because closures are not always inlined.
macro_rules! components {
    ($tensor:expr, $i:ident, $j:ident, $value:expr) => {{
        let mut tensor = *$tensor;
        for $i in 0..3 {
            for $j in 0..3 {
                tensor.0[$i][$j] = $value;
            }
        }
        tensor
    }};
}

/// a · b.
#[inline(always)]
fn dot3<R: Real>(a: [R; 3], b: [R; 3]) -> R {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
}

/// a b − c d.
#[inline(always)]
fn minor<R: Real>(a: R, b: R, c: R, d: R) -> R {
    c.negated_mul_add(d, a * b)
}

impl<R: Real> Tensor<R> {
    /// The same number in every component.
    #[inline(always)]
    pub fn filled(value: R) -> Self {
        Self([[value; 3]; 3])
    }

    /// I + T.
    #[inline(always)]
    pub fn plus_identity(mut self) -> Self {
        for i in 0..3 {
            self.0[i][i] = self.0[i][i] + 1.0;
        }
        self
    }

    /// T − I.
    #[inline(always)]
    pub fn minus_identity(mut self) -> Self {
        for i in 0..3 {
            self.0[i][i] = self.0[i][i] + -1.0;
        }
        self
    }

    /// T + s I.
    #[inline(always)]
    pub fn add_diagonal(mut self, s: R) -> Self {
        for i in 0..3 {
            self.0[i][i] += s;
        }
        self
    }

    /// tr T.
    #[inline(always)]
    pub fn trace(&self) -> R {
        self.0[0][0] + self.0[1][1] + self.0[2][2]
    }

    #[inline(always)]
    fn column(&self, j: usize) -> [R; 3] {
        [self.0[0][j], self.0[1][j], self.0[2][j]]
    }

    /// s T.
    #[inline(always)]
    pub fn scale(&self, s: R) -> Self {
        components!(self, i, j, self.0[i][j] * s)
    }

    /// T + s B with B = `other`.
    #[inline(always)]
    pub fn plus_scaled(&self, other: &Self, s: R) -> Self {
        components!(self, i, j, other.0[i][j].mul_add(s, self.0[i][j]))
    }

    /// A B with B = `other`.
    #[inline(always)]
    pub fn dot(&self, other: &Self) -> Self {
        components!(self, i, j, dot3(self.0[i], other.column(j)))
    }

    /// A B + C with B = `other` and C = `addend`.
    #[inline(always)]
    pub fn dot_plus(&self, other: &Self, addend: &Self) -> Self {
        components!(self, i, j, {
            let (a, b) = (self.0[i], other.column(j));
            a[2].mul_add(b[2], a[1].mul_add(b[1], a[0].mul_add(b[0], addend.0[i][j])))
        })
    }

    /// A Bᵀ with B = `other`.
    #[inline(always)]
    pub fn dot_transposed(&self, other: &Self) -> Self {
        components!(self, i, j, dot3(self.0[i], other.0[j]))
    }

    /// A : B = Σ A_ij B_ij with B = `other`.
    #[inline(always)]
    pub fn double_dot(&self, other: &Self) -> R {
        dot3(self.0[0], other.0[0]) + dot3(self.0[1], other.0[1]) + dot3(self.0[2], other.0[2])
    }

    /// Tᵀ.
    #[inline(always)]
    pub fn transposed(&self) -> Self {
        components!(self, i, j, self.0[j][i])
    }

    /// det T from cof T.
    #[inline(always)]
    pub fn determinant_by(&self, cofactor: &Self) -> R {
        dot3(self.0[0], cofactor.0[0])
    }

    /// det T.
    #[inline(always)]
    pub fn determinant(&self) -> R {
        let [first, a, b] = self.0;
        let cross =
            [minor(a[1], b[2], a[2], b[1]), minor(a[2], b[0], a[0], b[2]), minor(a[0], b[1], a[1], b[0])];
        dot3(first, cross)
    }

    /// det(I + T) − 1, without cancellation against 1.
    #[inline(always)]
    pub fn relative_volume_change(&self) -> R {
        self.deformed_cofactor().1
    }

    /// cof(I + T), and det(I + T) − 1 without cancellation against 1:
    ///
    /// ```text
    /// cof(I + T) = cof T + (1 + tr T) I − Tᵀ
    /// det(I + T) − 1 = tr T + tr cof T + det T
    /// ```
    #[inline(always)]
    pub fn deformed_cofactor(&self) -> (Self, R) {
        let cofactor = self.cofactor();
        let trace = self.trace();
        let change = trace + cofactor.trace() + dot3(self.0[0], cofactor.0[0]);
        let deformed = components!(self, i, j, cofactor.0[i][j] - self.0[j][i]).add_diagonal(trace + 1.0);
        (deformed, change)
    }

    /// (det F) (I − F⁻ᵀ) with F = I + T, without cancellation against I: Tᵀ − cof T + (tr cof T + det T) I.
    #[inline(always)]
    pub fn inverse_transposed_defect(&self) -> Self {
        let cofactor = self.cofactor();
        let quadratic = cofactor.trace() + dot3(self.0[0], cofactor.0[0]);
        components!(self, i, j, self.0[j][i] - cofactor.0[i][j]).add_diagonal(quadratic)
    }

    /// cof T = det T · T⁻ᵀ.
    #[inline(always)]
    pub fn cofactor(&self) -> Self {
        let t = &self.0;
        components!(self, i, j, {
            let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
            minor(t[i1][j1], t[i2][j2], t[i1][j2], t[i2][j1])
        })
    }

    /// ½(T + Tᵀ).
    #[inline(always)]
    pub fn symmetric_part(&self) -> SymmetricTensor<R> {
        let t = &self.0;
        SymmetricTensor([
            t[0][0],
            t[1][1],
            t[2][2],
            (t[0][1] + t[1][0]) * 0.5,
            (t[1][2] + t[2][1]) * 0.5,
            (t[0][2] + t[2][0]) * 0.5,
        ])
    }

    /// Tᵀ T.
    #[inline(always)]
    pub fn transposed_dot_self(&self) -> SymmetricTensor<R> {
        let (x, y, z) = (self.column(0), self.column(1), self.column(2));
        SymmetricTensor([dot3(x, x), dot3(y, y), dot3(z, z), dot3(x, y), dot3(y, z), dot3(x, z)])
    }
}

impl<R: Real> Add for Tensor<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        components!(&self, i, j, self.0[i][j] + other.0[i][j])
    }
}

impl<R: Real> Sub for Tensor<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        components!(&self, i, j, self.0[i][j] - other.0[i][j])
    }
}

/// Symmetric tensor S: components 11, 22, 33, 12, 23, 13.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SymmetricTensor<R>(pub [R; 6]);

impl<R: Real> SymmetricTensor<R> {
    /// All nine components.
    #[inline(always)]
    pub fn full(&self) -> Tensor<R> {
        let s = &self.0;
        Tensor([[s[0], s[3], s[5]], [s[3], s[1], s[4]], [s[5], s[4], s[2]]])
    }

    /// tr S.
    #[inline(always)]
    pub fn trace(&self) -> R {
        self.0[0] + self.0[1] + self.0[2]
    }

    /// S + s I.
    #[inline(always)]
    pub fn add_diagonal(mut self, s: R) -> Self {
        for i in 0..3 {
            self.0[i] += s;
        }
        self
    }

    /// c S for a constant c.
    #[inline(always)]
    pub fn times(&self, c: f64) -> Self {
        let [xx, yy, zz, xy, yz, xz] = self.0;
        Self([xx * c, yy * c, zz * c, xy * c, yz * c, xz * c])
    }

    /// S + c A for a constant c, with A = `other`.
    #[inline(always)]
    pub fn plus_times(mut self, other: &Self, c: f64) -> Self {
        for i in 0..6 {
            self.0[i] = other.0[i].mul_add(self.0[i].constant(c), self.0[i]);
        }
        self
    }

    /// |S|² = S : S.
    #[inline(always)]
    pub fn norm_squared(&self) -> R {
        let [xx, yy, zz, xy, yz, xz] = self.0;
        let (normal, shear) = ([xx, yy, zz], [xy, yz, xz]);
        dot3(shear, shear).mul_add(xx.constant(2.0), dot3(normal, normal))
    }

    /// ½((tr S)² − tr(S²)) and det S.
    #[inline(always)]
    pub fn second_and_third_invariant(&self) -> (R, R) {
        let [xx, yy, zz, xy, yz, xz] = self.0;
        let first = [minor(yy, zz, yz, yz), minor(yz, xz, xy, zz), minor(xy, yz, yy, xz)];
        (first[0] + minor(xx, yy, xy, xy) + minor(xx, zz, xz, xz), dot3([xx, xy, xz], first))
    }

    /// cof S.
    #[inline(always)]
    pub fn cofactor(&self) -> Self {
        let [xx, yy, zz, xy, yz, xz] = self.0;
        Self([
            minor(yy, zz, yz, yz),
            minor(xx, zz, xz, xz),
            minor(xx, yy, xy, xy),
            minor(yz, xz, xy, zz),
            minor(xy, xz, xx, yz),
            minor(xy, yz, yy, xz),
        ])
    }

    /// det S from cof S.
    #[inline(always)]
    pub fn determinant_by(&self, cofactor: &Self) -> R {
        let ([xx, _, _, xy, _, xz], [a, _, _, b, _, c]) = (self.0, cofactor.0);
        dot3([xx, xy, xz], [a, b, c])
    }

    /// ½ (s S − I).
    #[inline(always)]
    pub fn scaled_strain(&self, s: R) -> Self {
        let (half, minus_half) = (s * 0.5, s.constant(-0.5));
        let [xx, yy, zz, xy, yz, xz] = self.0;
        Self([
            xx.mul_add(half, minus_half),
            yy.mul_add(half, minus_half),
            zz.mul_add(half, minus_half),
            xy * half,
            yz * half,
            xz * half,
        ])
    }

    /// Upper bound ⅓ tr S + √⅔ |dev S| on the largest eigenvalue; exact if the two smaller eigenvalues are equal.
    #[inline(always)]
    pub fn largest_eigenvalue_bound(&self) -> R {
        let mean = self.trace() * (1.0 / 3.0);
        let deviator = self.add_diagonal(-mean);
        mean + (deviator.norm_squared() * (2.0 / 3.0)).sqrt()
    }
}

impl<R: Real> Mul<R> for SymmetricTensor<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: R) -> Self {
        let [xx, yy, zz, xy, yz, xz] = self.0;
        Self([xx * s, yy * s, zz * s, xy * s, yz * s, xz * s])
    }
}

impl<R: Real> Add for SymmetricTensor<R> {
    type Output = Self;
    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        for i in 0..6 {
            self.0[i] += other.0[i];
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tensor() -> impl Strategy<Value = Tensor<f64>> {
        prop::array::uniform3(prop::array::uniform3(-1.0..1.0f64)).prop_map(Tensor)
    }

    fn matrix(t: &Tensor<f64>) -> nalgebra::Matrix3<f64> {
        nalgebra::Matrix3::from_fn(|i, j| t.0[i][j])
    }

    proptest! {
        #[test]
        fn algebra_agrees_with_matrices(a in tensor(), b in tensor()) {
            // The tolerance for some dozen operations is relative to the product of the norms.
            let rounding = |size: f64| 32.0 * f64::EPSILON * size;
            let (m, n) = (matrix(&a), matrix(&b));
            let (size, other, moved) = (m.norm(), n.norm(), m.norm() + 3.0_f64.sqrt());
            let close = |x: &Tensor<f64>, y: nalgebra::Matrix3<f64>, of: f64| (matrix(x) - y).norm() <= rounding(of);
            prop_assert!(close(&a.dot(&b), m * n, size * other));
            prop_assert!(close(&a.dot_transposed(&b), m * n.transpose(), size * other));
            prop_assert!((a.double_dot(&b) - m.dot(&n)).abs() <= rounding(size * other));
            prop_assert!((a.determinant() - m.determinant()).abs() <= rounding(size.powi(3)));
            prop_assert!((a.determinant_by(&a.cofactor()) - m.determinant()).abs() <= rounding(size.powi(3)));
            prop_assert!(matrix(&a.transposed()) == m.transpose());
            let cofactor = matrix(&a.cofactor());
            let identity = nalgebra::Matrix3::identity();
            prop_assert!((cofactor.transpose() * m - identity * m.determinant()).norm() <= rounding(size.powi(3)));
            let volume = (m + identity).determinant() - 1.0;
            prop_assert!((a.relative_volume_change() - volume).abs() <= rounding(moved.powi(3)));
            let s = a.transposed_dot_self();
            prop_assert!(close(&s.full(), m.transpose() * m, size.powi(2)));
            let strain = (m.transpose() * m * 0.7 - identity) * 0.5;
            prop_assert!(close(&s.scaled_strain(0.7).full(), strain, size.powi(2) + 1.0));
            prop_assert!(close(&s.cofactor().full(), matrix(&s.full().cofactor()), size.powi(4)));
            prop_assert!((s.determinant_by(&s.cofactor()) - m.determinant().powi(2)).abs() <= rounding(size.powi(6)));
            let (second, third) = s.second_and_third_invariant();
            let c = m.transpose() * m;
            prop_assert!((second - 0.5 * (c.trace().powi(2) - (c * c).trace())).abs() <= rounding(size.powi(4)));
            prop_assert!((third - m.determinant().powi(2)).abs() <= rounding(size.powi(6)));
            prop_assert!(close(&a.dot_plus(&b, &a), m * n + m, size * other + size));
            prop_assert!(close(&a.plus_scaled(&b, 0.7), m + n * 0.7, size + other));
            let sum = m.transpose() * m + (m + m.transpose()) * 0.15;
            prop_assert!(close(&s.plus_times(&a.symmetric_part(), 0.3).full(), sum, size.powi(2) + size));
            let f = m + identity;
            let defect = matrix(&a.inverse_transposed_defect());
            let volume = identity * f.determinant();
            prop_assert!((f.transpose() * (volume - defect) - volume).norm() <= rounding(moved.powi(4)));
            let (deformed, _) = a.deformed_cofactor();
            prop_assert!(close(&deformed, matrix(&a.plus_identity().cofactor()), moved.powi(2)));
            prop_assert!(close(&a.symmetric_part().full(), (m + m.transpose()) * 0.5, size));
            let largest = nalgebra::SymmetricEigen::new(m.transpose() * m).eigenvalues.max();
            prop_assert!(s.largest_eigenvalue_bound() >= largest - rounding(size.powi(2)));
            prop_assert!(s.largest_eigenvalue_bound() <= 2.0 * largest + rounding(size.powi(2)));
        }
    }
}
