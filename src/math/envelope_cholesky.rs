//! Cholesky factors of sparse symmetric matrices, by rows of their envelope.
//!
//! A row of L begins where that of the matrix does, so rows are dense from there to the diagonal. The order of the unknowns
//! keeps them short.
//!
//! # Source
//! George & Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981: §4.2 (envelope), §4.3 (reverse
//! Cuthill–McKee order, from a node of a far level).

use std::collections::VecDeque;

/// A = L Lᵀ in an order of the unknowns.
#[derive(Clone, Debug, Default)]
pub struct EnvelopeCholesky {
    /// The unknown at each place.
    order: Vec<u32>,
    /// Where the rows of L begin, in `values`, with the end of the last one.
    starts: Vec<usize>,
    /// Rows of L, each from its first place to the diagonal.
    values: Vec<f64>,
    right_side: Vec<f64>,
}

impl EnvelopeCholesky {
    /// Of a matrix of this size given by entries (row, column, value) of its lower triangle, those of one place to be added
    /// up. `None` where it is not positive definite to rounding.
    ///
    /// # Cost
    /// Σ_i w_i² for widths w of the rows in the order found.
    pub fn factor(size: usize, entries: &[(u32, u32, f64)]) -> Option<Self> {
        let order = reverse_cuthill_mckee(size, entries);
        let mut places = vec![0; size];
        order.iter().enumerate().for_each(|(place, &unknown)| places[unknown as usize] = place);
        let placed = |&(row, column, value): &(u32, u32, f64)| {
            let [a, b] = [row, column].map(|unknown| places[unknown as usize]);
            (a.max(b), a.min(b), value)
        };
        let mut first: Vec<usize> = (0..size).collect();
        for (row, column, _) in entries.iter().map(placed) {
            first[row] = first[row].min(column);
        }
        let mut starts = vec![0; size + 1];
        for row in 0..size {
            starts[row + 1] = starts[row] + row + 1 - first[row];
        }
        let mut values = vec![0.0; starts[size]];
        for (row, column, value) in entries.iter().map(placed) {
            values[starts[row] + column - first[row]] += value;
        }
        let mut factor = Self { order, starts, values, right_side: vec![0.0; size] };
        factor.decompose().then_some(factor)
    }

    fn first(&self, row: usize) -> usize {
        row + 1 - (self.starts[row + 1] - self.starts[row])
    }

    /// L over A, row by row; whether all pivots are positive.
    fn decompose(&mut self) -> bool {
        for row in 0..self.order.len() {
            let first = self.first(row);
            let (above, from_row) = self.values.split_at_mut(self.starts[row]);
            let of_row = &mut from_row[..row + 1 - first];
            for column in first..row {
                let first_of_column = column + 1 - (self.starts[column + 1] - self.starts[column]);
                let of_column = &above[self.starts[column]..self.starts[column + 1]];
                let common = first.max(first_of_column);
                let known = dot(
                    &of_row[common - first..column - first],
                    &of_column[common - first_of_column..column - first_of_column],
                );
                let pivot = of_column[column - first_of_column];
                of_row[column - first] = (of_row[column - first] - known) / pivot;
            }
            let (before, pivot) = of_row.split_at_mut(row - first);
            let square = pivot[0] - dot(before, before);
            if square.is_nan() || square <= f64::EPSILON * pivot[0] {
                return false;
            }
            pivot[0] = square.sqrt();
        }
        true
    }

    /// x of A x = b, in the place of b.
    pub fn solve(&mut self, b: &mut [f64]) {
        let mut x = std::mem::take(&mut self.right_side);
        x.iter_mut().zip(&self.order).for_each(|(x, &unknown)| *x = b[unknown as usize]);
        for row in 0..x.len() {
            let (first, of_row) = (self.first(row), &self.values[self.starts[row]..self.starts[row + 1]]);
            let (before, pivot) = of_row.split_at(row - first);
            x[row] = (x[row] - dot(before, &x[first..row])) / pivot[0];
        }
        for row in (0..x.len()).rev() {
            let (first, of_row) = (self.first(row), &self.values[self.starts[row]..self.starts[row + 1]]);
            let (before, pivot) = of_row.split_at(row - first);
            x[row] /= pivot[0];
            let found = x[row];
            x[first..row].iter_mut().zip(before).for_each(|(x, value)| *x -= value * found);
        }
        self.order.iter().zip(&x).for_each(|(&unknown, x)| b[unknown as usize] = *x);
        self.right_side = x;
    }
}

/// In four sums, as one after another would wait for each other.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let ([a, b], [rest_a, rest_b]) = {
        let ((a, rest_a), (b, rest_b)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
        ([a, b], [rest_a, rest_b])
    };
    for (a, b) in a.iter().zip(b) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    let rest: f64 = rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// Order of the unknowns, each after its neighbours of the level before, backwards.
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
            // The last of the farthest level of a search from anywhere is about the end of the graph.
            let farthest = *levels(start, &neighbours, &mut is_placed.clone()).last().unwrap_or(&start);
            order.extend(levels(farthest, &neighbours, &mut is_placed));
        }
    }
    order.reverse();
    order
}

/// Unknowns that are connected with one, by their distance from it and then by their number of neighbours.
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

    /// The matrix of a grid of springs between masses that differ by eight orders, and one of two unknowns apart from it,
    /// numbered at random: the residual is that of rounding, row by row. A matrix of rank one is refused.
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
        EnvelopeCholesky::factor(37, &entries).unwrap().solve(&mut x);
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
        assert!(EnvelopeCholesky::factor(2, &[(0, 0, 1.0), (1, 0, 1.0), (1, 1, 1.0)]).is_none());
    }
}
