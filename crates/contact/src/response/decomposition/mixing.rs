//! Anderson mixing. A round changes the impulses x to g(x). The method finds the combination of the last rounds with
//! the smallest change f = g − x.
//!
//! f and g belong to the present round, and f_i and g_i to the stored rounds i. The coefficients γ_i minimise
//! |f − Σ γ_i (f − f_i)|. In this norm, the squared change of each contact has the weight 1/`mass`. The next round
//! begins at g − Σ γ_i (g − g_i). For a linear iteration, the method is equivalent to GMRES. With constant sets of
//! open, sticking and slipping contacts, the contact iteration is linear, except for the rotation of the slip
//! direction.
//!
//! # Source
//! Walker & Ni, SIAM J. Numer. Anal. 49 (2011) 1715–1735.

use nalgebra::{SMatrix, SVector};

use crate::math::Vec3;

/// Largest number of stored rounds.
const DEPTH: usize = 6;
/// Largest eigenvalue of the scaled normal equations that counts as zero.
const RANK: f64 = 1e-10;

type Products = SMatrix<f64, DEPTH, DEPTH>;
type Weights = SVector<f64, DEPTH>;

#[derive(Clone, Debug, Default)]
struct Round {
    end: Vec<Vec3>,
    change: Vec<Vec3>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Mixing {
    rounds: [Round; DEPTH],
    present: Round,
    /// Impulses with which the next round begins.
    next: Vec<Vec3>,
    count: usize,
}

impl Mixing {
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds a round that started at the impulses `start`, and computes `next`. For each contact, `end` gives the
    /// impulse after the round and the mass \[kg\].
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

    pub fn next_start(&self) -> &[Vec3] {
        &self.next
    }
}

/// Least-squares coefficients γ of least norm, each scaled by the length of its column. `products` contains the inner
/// products of the columns f − f_i with each other, and `right` their inner products with f.
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

    /// Six rounds reduce the error of each component below 1e-5, the square root of `RANK`. Without mixing, 0.94 of the
    /// error of the first component would remain.
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
