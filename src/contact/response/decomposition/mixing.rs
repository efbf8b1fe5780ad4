//! Anderson mixing: of the last rounds of an iteration x → g(x), the combination whose change g − x is least.
//!
//! With f_i = g_i − x_i of the rounds that are kept and f of the present one, γ minimises |f − Σ γ_i (f − f_i)|, and the
//! next round begins at g − Σ γ_i (g − g_i). For a linear iteration this is what GMRES does; near the solution, where the
//! contacts that open, stick and slip change no more, so is this one but for the turning of slip.
//!
//! # Source
//! Walker & Ni, SIAM J. Numer. Anal. 49 (2011) 1715–1735.

use nalgebra::{SMatrix, SVector};

use crate::math::Vec3;

/// Rounds that are kept.
const DEPTH: usize = 6;
/// Directions in which the square of changes differs by less than this part are not told from rounding.
const RANK: f64 = 1e-10;

type Products = SMatrix<f64, DEPTH, DEPTH>;
type Weights = SVector<f64, DEPTH>;

/// Impulses of a group and the motion of its movers.
#[derive(Clone, Debug, Default)]
struct Iterate {
    impulses: Vec<Vec3>,
    field: Vec<Vec3>,
}

/// One round.
#[derive(Clone, Debug, Default)]
struct Round {
    end: Iterate,
    /// Of the impulses, from the start of the round to its end.
    change: Vec<Vec3>,
}

/// The last rounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Mixing {
    rounds: [Round; DEPTH],
    present: Round,
    next: Iterate,
    /// Rounds since the beginning.
    count: usize,
}

impl Mixing {
    /// Forgets all rounds.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Notes the impulses with which a round begins.
    pub fn begin(&mut self, impulses: impl Iterator<Item = Vec3>) {
        self.present.change.clear();
        self.present.change.extend(impulses);
    }

    /// Takes a round's end: impulses, with the masses of their contacts \[kg\], and the motion of the movers.
    pub fn end(&mut self, impulses: impl Iterator<Item = (Vec3, f64)>, field: &[Vec3]) {
        let Self { rounds, present, next, count } = self;
        present.end.impulses.clear();
        present.end.field.clear();
        present.end.field.extend_from_slice(field);
        let kept = &rounds[..(*count).min(DEPTH)];
        let mut products = Products::zeros();
        let mut right = Weights::zeros();
        for (place, (impulse, mass)) in impulses.enumerate() {
            present.end.impulses.push(impulse);
            let own = impulse - present.change[place];
            present.change[place] = own;
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
            let step_back = |next: &mut [Vec3], present: &[Vec3], earlier: &[Vec3]| {
                for ((next, present), earlier) in next.iter_mut().zip(present).zip(earlier) {
                    *next -= (present - earlier) * weight;
                }
            };
            step_back(&mut next.impulses, &present.end.impulses, &round.end.impulses);
            step_back(&mut next.field, &present.end.field, &round.end.field);
        }
        std::mem::swap(&mut rounds[*count % DEPTH], present);
        *count += 1;
    }

    /// Impulses and motion of the movers with which the next round begins.
    pub fn next_start(&self) -> (&[Vec3], &[Vec3]) {
        (&self.next.impulses, &self.next.field)
    }
}

/// The least γ of least squares, from the products of its columns among themselves and with the right side.
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
