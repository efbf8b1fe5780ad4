//! Couples distributed over the nodes of a contact.

use crate::math::{Mat3, Vec3};

/// Largest eigenvalue of an inertia tensor that counts as zero, relative to the largest eigenvalue.
const COLLINEARITY: f64 = 1e-10;

/// Determinant of an inertia tensor, relative to the cube of its trace, above which no eigenvalue counts as zero. The
/// smallest eigenvalue is then more than 4e-6 of the largest.
const FULL_RANK: f64 = 1e-6;

/// Nodal vectors q × (x_a − x̄) with a constant q (`turn`) and the mean x̄ (`middle`) of the nodal positions x_a. Their
/// sum is zero. Of all nodal vectors with the same moment about x̄, they have the smallest sum of squares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Couple {
    turn: Vec3,
    middle: Vec3,
}

impl Couple {
    /// q = J⁻¹ m for the moment m, with J = Σ (|y|² I − y ⊗ y), the identity I and the nodal positions y relative to
    /// their mean. For collinear nodes, the component of m along their line is omitted.
    pub fn new(positions: impl Iterator<Item = Vec3> + Clone, moment: &Vec3) -> Self {
        let count = positions.clone().count() as f64;
        let middle = positions.clone().sum::<Vec3>() / count;
        let square = |position: Vec3| {
            let arm = position - middle;
            Mat3::identity() * arm.norm_squared() - arm * arm.transpose()
        };
        let spread: Mat3 = positions.map(square).sum();
        Self { turn: solve(&spread, moment), middle }
    }

    pub fn at(&self, position: &Vec3) -> Vec3 {
        self.turn.cross(&(position - self.middle))
    }
}

/// Solution of a positive semi-definite system, without components along eigenvectors with negligible eigenvalues.
pub(crate) fn solve(matrix: &Mat3, right: &Vec3) -> Vec3 {
    let trace = matrix.trace();
    if matrix.determinant() > FULL_RANK * trace * trace * trace
        && let Some(factors) = matrix.cholesky()
    {
        return factors.solve(right);
    }
    let eigen = matrix.symmetric_eigen();
    let least = COLLINEARITY * eigen.eigenvalues.max();
    let along = eigen.eigenvectors.transpose() * right;
    eigen.eigenvectors
        * along.zip_map(&eigen.eigenvalues, |r, value| if value > least { r / value } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn couple_has_its_moment_and_no_sum() {
        let x = [Vec3::x(), Vec3::y(), Vec3::new(0.3, -0.4, 0.1), Vec3::new(0.2, 0.2, -0.5)];
        let moment = Vec3::new(1.0, -2.0, 3.0);
        let couple = Couple::new(x.iter().copied(), &moment);
        let vectors = x.map(|position| couple.at(&position));
        assert!(vectors.iter().sum::<Vec3>().norm() < 1e-14);
        let found: Vec3 = x.iter().zip(&vectors).map(|(position, vector)| position.cross(vector)).sum();
        assert!((found - moment).norm() < 1e-13);
        let line = Couple::new([Vec3::zeros(), Vec3::x()].into_iter(), &Vec3::new(5.0, 2.0, 0.0));
        assert!((line.at(&Vec3::x()) - line.at(&Vec3::zeros()) + Vec3::z() * 4.0).norm() < 1e-13);
    }
}
