//! Anderson mixing of an iteration x → g(x): finds the combination of the last rounds with the smallest change g − x.
//!
//! A round changes x to g by f = g − x. The values of the stored rounds i are x_i, g_i and f_i. The coefficients γ_i
//! minimise |f − Σ γ_i (f − f_i)|, where the norm weights the squared impulse of each contact by the reciprocal of its
//! mass. The next round begins at g − Σ γ_i (g − g_i). For a linear iteration, this method is equivalent to GMRES. Near
//! the solution, the sets of open, sticking and slipping contacts are constant. The contact iteration is then linear,
//! except for the rotation of the slip direction.
//!
//! # Source
//! Walker & Ni, SIAM J. Numer. Anal. 49 (2011) 1715–1735.

use nalgebra::{SMatrix, SVector};

use crate::math::Vec3;

/// Largest number of stored rounds.
const DEPTH: usize = 6;
/// Largest eigenvalue of the scaled normal equations for which a direction counts as rounding error.
const RANK: f64 = 1e-10;

type Products = SMatrix<f64, DEPTH, DEPTH>;
type Weights = SVector<f64, DEPTH>;

/// One round.
#[derive(Clone, Debug, Default)]
struct Round {
    /// Impulses at the end of the round.
    end: Vec<Vec3>,
    /// Change of the impulses in the round.
    change: Vec<Vec3>,
}

/// Stored rounds of the impulses of a group.
#[derive(Clone, Debug, Default)]
pub(super) struct Mixing {
    rounds: [Round; DEPTH],
    /// Memory for the current round.
    present: Round,
    /// Impulses with which the next round begins.
    next: Vec<Vec3>,
    /// Number of rounds since the last call of `clear`.
    count: usize,
}

impl Mixing {
    /// Removes all rounds.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds a round. `start` are the impulses at the start of the round. For each contact, `end` gives the impulse at
    /// the end of the round and the mass \[kg\].
    pub fn end(&mut self, start: &[Vec3], end: impl Iterator<Item = (Vec3, f64)>) {
        let Self { rounds, present, next, count } = self;
        present.end.clear();
        present.change.clear();
        let kept = &rounds[..(*count).min(DEPTH)];
        let mut products = Products::zeros();
        let mut right = Weights::zeros();
        for (place, (start, (impulse, mass))) in start.iter().zip(end).enumerate() {
            let own = impulse - start;
            present.end.push(impulse);
            present.change.push(own);
            let softness = if mass > 0.0 { 1.0 / mass } else { 0.0 };
            for (i, round) in kept.iter().enumerate() {
                let difference = own - round.change[place];
                right[i] += softness * difference.dot(&own);
                for (j, other) in kept.iter().enumerate().take(i + 1) {
                    products[(i, j)] += softness * difference.dot(&(own - other.change[place]));
                }
            }
        }
        products.fill_upper_triangle_with_lower_triangle();
        next.clone_from(&present.end);
        let weights = least_squares(&products, &right);
        for (round, &weight) in kept.iter().zip(weights.iter()) {
            for ((next, present), earlier) in next.iter_mut().zip(&present.end).zip(&round.end) {
                *next -= (present - earlier) * weight;
            }
        }
        std::mem::swap(&mut rounds[*count % DEPTH], present);
        *count += 1;
    }

    /// Impulses with which the next round begins.
    pub fn next_start(&self) -> &[Vec3] {
        &self.next
    }
}

/// Least-squares coefficients γ of minimum norm. `products` are the products of the columns f − f_i with each other,
/// and `right` their products with f.
fn least_squares(products: &Products, right: &Weights) -> Weights {
    let scale = products.diagonal().map(|square| if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 });
    let diagonal = Products::from_diagonal(&scale);
    let eigen = (diagonal * products * diagonal).symmetric_eigen();
    let mut along = eigen.eigenvectors.transpose() * right.component_mul(&scale);
    for (part, value) in along.iter_mut().zip(eigen.eigenvalues.iter()) {
        *part = if *value > RANK { *part / value } else { 0.0 };
    }
    (eigen.eigenvectors * along).component_mul(&scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With mixing, six rounds of a linear iteration with the four eigenvalues 0.99, 0.9, 0.5 and −0.8 reduce the error
    /// of each component below 1e-5, the square root of `RANK`. Without mixing, 0.94 of the error of the first
    /// component would remain.
    #[test]
    fn linear_iterations_end_in_as_many_rounds_as_they_have_parts() {
        let rates = [0.99, 0.9, 0.5, -0.8];
        let solution = |k: usize| Vec3::x() * (1.0 + k as f64);
        let mut x = vec![Vec3::zeros(); 4];
        let mut mixing = Mixing::default();
        for _ in 0..6 {
            let round = |k: usize| solution(k) + (x[k] - solution(k)) * rates[k];
            let end: Vec<(Vec3, f64)> = (0..4).map(|k| (round(k), 1.0)).collect();
            mixing.end(&x, end.into_iter());
            x = mixing.next_start().to_vec();
        }
        for (k, found) in x.iter().enumerate() {
            assert!((found - solution(k)).norm() < 1e-5, "{k}: {found:?}");
        }
    }
}
