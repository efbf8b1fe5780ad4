//! Cholesky factorisation of sparse symmetric matrices with a fill-reducing order.
//!
//! # Source
//! George & Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981, §4.3 (reverse Cuthill–McKee order
//! from a peripheral node). The crate `nalgebra-sparse` does not reorder.

use std::collections::VecDeque;

use nalgebra::DMatrixViewMut;
use nalgebra_sparse::factorization::CscCholesky;
use nalgebra_sparse::{CooMatrix, CscMatrix};

/// A = L Lᵀ with the unknowns in a fill-reducing order.
#[derive(Clone, Debug)]
pub struct SparseCholesky {
    /// Unknown at each position of the order.
    order: Vec<u32>,
    factor: CscCholesky<f64>,
}

impl SparseCholesky {
    /// Factors a symmetric matrix with `size` rows. `entries` (row, column, value) give the lower triangle; repeated
    /// entries add up. `None` if the matrix is not positive definite, or is singular within rounding.
    ///
    /// # Cost
    /// Σ_k w_k² operations for w_k entries in column k of L.
    pub fn factor(size: usize, entries: &[(u32, u32, f64)]) -> Option<Self> {
        let order = reverse_cuthill_mckee(size, entries);
        let mut places = vec![0; size];
        order.iter().enumerate().for_each(|(place, &unknown)| places[unknown as usize] = place);
        let mut matrix = CooMatrix::new(size, size);
        let mut diagonal = vec![0.0; size];
        for &(row, column, value) in entries {
            let [row, column] = [row, column].map(|unknown| places[unknown as usize]);
            matrix.push(row, column, value);
            if row == column {
                diagonal[row] += value;
            } else {
                matrix.push(column, row, value);
            }
        }
        let factor = CscCholesky::factor(&CscMatrix::from(&matrix)).ok()?;
        let pivots = factor.l().diagonal_as_csc();
        let is_rounding = |(pivot, whole): (&f64, &f64)| pivot * pivot <= f64::EPSILON * whole;
        let is_singular = pivots.values().iter().zip(&diagonal).any(is_rounding);
        (!is_singular).then_some(Self { order, factor })
    }

    /// Solves A x = b; x overwrites `b`. `ordered` is a workspace.
    pub fn solve(&self, b: &mut [f64], ordered: &mut Vec<f64>) {
        ordered.clear();
        ordered.extend(self.order.iter().map(|&unknown| b[unknown as usize]));
        self.factor.solve_mut(DMatrixViewMut::from_slice(ordered, self.order.len(), 1));
        self.order.iter().zip(&*ordered).for_each(|(&unknown, x)| b[unknown as usize] = *x);
    }
}

fn reverse_cuthill_mckee(size: usize, entries: &[(u32, u32, f64)]) -> Vec<u32> {
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); size];
    for &(row, column, _) in entries.iter().filter(|(row, column, _)| row != column) {
        neighbours[row as usize].push(column);
        neighbours[column as usize].push(row);
    }
    for of_unknown in &mut neighbours {
        of_unknown.sort_unstable();
        of_unknown.dedup();
    }
    let mut is_placed = vec![false; size];
    let mut order = Vec::with_capacity(size);
    for start in 0..size as u32 {
        if !is_placed[start as usize] {
            // The last unknown in breadth-first order is nearly peripheral.
            let farthest = *levels(start, &neighbours, &mut is_placed.clone()).last().unwrap_or(&start);
            order.extend(levels(farthest, &neighbours, &mut is_placed));
        }
    }
    order.reverse();
    order
}

/// Unplaced unknowns connected with `start`, in breadth-first order; marks the unknowns as placed. The neighbours of an
/// unknown are visited in ascending order of their own numbers of neighbours.
fn levels(start: u32, neighbours: &[Vec<u32>], is_placed: &mut [bool]) -> Vec<u32> {
    let mut queue = VecDeque::from([start]);
    is_placed[start as usize] = true;
    let mut order = Vec::new();
    while let Some(unknown) = queue.pop_front() {
        order.push(unknown);
        let mut next: Vec<u32> = neighbours[unknown as usize].clone();
        next.retain(|&neighbour| !std::mem::replace(&mut is_placed[neighbour as usize], true));
        next.sort_by_key(|&neighbour| (neighbours[neighbour as usize].len(), neighbour));
        queue.extend(next);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stiffness of an irregularly numbered grid of springs, plus masses that differ by eight orders of magnitude. The
    /// residual is within rounding. A matrix of rank one is rejected.
    #[test]
    fn solutions_have_no_residual() {
        let (width, height) = (7, 5);
        let number = |i: usize, j: usize| ((i + width * j) * 11 % (width * height)) as u32;
        let mut entries = vec![(35, 35, 2.0), (36, 35, 1.0), (36, 36, 2.0)];
        for (i, j) in (0..width).flat_map(|i| (0..height).map(move |j| (i, j))) {
            entries.push((number(i, j), number(i, j), 10f64.powi((3 * i + j) as i32 % 9)));
            let near = [(i + 1, j), (i, j + 1)];
            for (k, l) in near.into_iter().filter(|&(k, l)| k < width && l < height) {
                let [a, b] = [number(i, j), number(k, l)];
                entries.extend([(a, a, 1.0), (b, b, 1.0), (a.max(b), a.min(b), -1.0)]);
            }
        }
        let b: Vec<f64> = (0..37).map(|k| (k as f64).sin()).collect();
        let mut x = b.clone();
        SparseCholesky::factor(37, &entries).unwrap().solve(&mut x, &mut Vec::new());
        let (mut residual, mut scale) = (b, vec![0.0; 37]);
        for &(row, column, value) in &entries {
            let mut take = |row: u32, column: u32| {
                residual[row as usize] -= value * x[column as usize];
                scale[row as usize] += (value * x[column as usize]).abs();
            };
            take(row, column);
            if row != column {
                take(column, row);
            }
        }
        for (residual, scale) in residual.iter().zip(scale) {
            assert!(residual.abs() <= 1e-14 * scale.max(1.0), "{residual:e} of {scale:e}");
        }
        assert!(SparseCholesky::factor(2, &[(0, 0, 1.0), (1, 0, 1.0), (1, 1, 1.0)]).is_none());
    }
}
