//! Small dense systems, row by row, in place.

/// Eliminates columns of rows of this width (Gauss–Jordan, complete pivoting) among those that are eligible, until no entry
/// there is larger than the tolerance: a pivot is 1 then and the only entry of its column. Pivots are [row, column].
pub(super) fn eliminate(
    rows: &mut [f64],
    width: usize,
    eligible: &[bool],
    tolerance: f64,
    pivots: &mut Vec<[usize; 2]>,
) {
    pivots.clear();
    let num_rows = rows.len() / width;
    while let Some(pivot) = largest(rows, width, eligible, tolerance, pivots) {
        clear_column(rows, width, num_rows, pivot);
        pivots.push(pivot);
    }
}

/// Eliminates at pivots that are given.
pub(super) fn eliminate_at(rows: &mut [f64], width: usize, pivots: &[[usize; 2]]) {
    let num_rows = rows.len() / width;
    pivots.iter().for_each(|&pivot| clear_column(rows, width, num_rows, pivot));
}

/// Place of the largest entry of an eligible column, in a row that has no pivot, above the tolerance.
fn largest(
    rows: &[f64],
    width: usize,
    eligible: &[bool],
    tolerance: f64,
    pivots: &[[usize; 2]],
) -> Option<[usize; 2]> {
    let (mut most, mut place) = (tolerance, None);
    for (row, entries) in rows.chunks_exact(width).enumerate() {
        if pivots.iter().any(|pivot| pivot[0] == row) {
            continue;
        }
        for (column, (entry, _)) in entries.iter().zip(eligible).enumerate().filter(|(_, (_, is))| **is) {
            if entry.abs() > most {
                (most, place) = (entry.abs(), Some([row, column]));
            }
        }
    }
    place
}

fn clear_column(rows: &mut [f64], width: usize, num_rows: usize, [row, column]: [usize; 2]) {
    let pivot = rows[row * width + column];
    rows[row * width..][..width].iter_mut().for_each(|entry| *entry /= pivot);
    for other in (0..num_rows).filter(|&other| other != row) {
        let factor = rows[other * width + column];
        if factor != 0.0 {
            (0..width).for_each(|k| rows[other * width + k] -= factor * rows[row * width + k]);
            rows[other * width + column] = 0.0;
        }
    }
}

/// Pivots of scaled equations that are rounding.
const NOTHING: f64 = 1e-15;

/// x of A x = b in the place of b, by rows of A, which is overwritten; unknowns are scaled by the diagonal first, as one of
/// masses has. What no equation determines is zero. `scales` is overwritten.
pub(super) fn solve(matrix: &mut [f64], b: &mut [f64], scales: &mut Vec<f64>) {
    let n = b.len();
    let scale = |k: usize| match matrix[k * n + k].abs() {
        0.0 => 1.0,
        diagonal => 1.0 / diagonal.sqrt(),
    };
    scales.clear();
    scales.extend((0..n).map(scale));
    for row in 0..n {
        (0..n).for_each(|column| matrix[row * n + column] *= scales[row] * scales[column]);
        b[row] *= scales[row];
    }
    for k in 0..n {
        let size = |row: usize| matrix[row * n + k].abs();
        let pivot_row = (k..n).fold(k, |best, row| if size(row) > size(best) { row } else { best });
        if size(pivot_row) <= NOTHING {
            continue;
        }
        if pivot_row != k {
            (0..n).for_each(|column| matrix.swap(k * n + column, pivot_row * n + column));
            b.swap(k, pivot_row);
        }
        for row in k + 1..n {
            let factor = matrix[row * n + k] / matrix[k * n + k];
            if factor != 0.0 {
                (k..n).for_each(|column| matrix[row * n + column] -= factor * matrix[k * n + column]);
                b[row] -= factor * b[k];
            }
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|column| matrix[k * n + column] * b[column]).sum();
        let pivot = matrix[k * n + k];
        b[k] = if pivot.abs() > NOTHING { (b[k] - known) / pivot } else { 0.0 };
    }
    b.iter_mut().zip(scales).for_each(|(x, scale)| *x *= *scale);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Masses that differ by twenty orders, coupled: the residual is that of rounding, row by row.
    #[test]
    fn scaled_systems_are_solved_to_rounding() {
        let masses = [1e-10, 3.0, 2e10];
        let matrix: Vec<f64> = (0..9)
            .map(|k| {
                let [row, column] = [k / 3, k % 3];
                let whole = masses[row] * f64::from(u8::from(row == column));
                whole
                    + 0.4 * (masses[row] * masses[column]).sqrt() * (1.0 + 0.1 * (row as f64 - column as f64))
            })
            .collect();
        let b = [1e-3, -4.0, 1e6];
        let (mut x, mut scales) = (b, Vec::new());
        solve(&mut matrix.clone(), &mut x, &mut scales);
        for row in 0..3 {
            let terms = [0, 1, 2].map(|column| matrix[3 * row + column] * x[column]);
            let scale = terms.iter().map(|term| term.abs()).fold(b[row].abs(), f64::max);
            assert!((terms.iter().sum::<f64>() - b[row]).abs() < 1e-14 * scale);
        }
    }

    /// Three rows of which the last is the sum of the others, with a column that is not eligible: two pivots, and what they
    /// say of the other columns is what the rows said.
    #[test]
    fn redundant_rows_have_no_pivot() {
        let rows = [[1.0, 2.0, 0.5, 9.0], [0.0, 1.0, -1.0, 1.0], [1.0, 3.0, -0.5, 10.0]];
        let eligible = [true, true, true, false];
        let mut reduced: Vec<f64> = rows.concat();
        let mut pivots = Vec::new();
        eliminate(&mut reduced, 4, &eligible, 1e-12, &mut pivots);
        assert_eq!(pivots.len(), 2);
        let mut again: Vec<f64> = rows.concat();
        eliminate_at(&mut again, 4, &pivots);
        assert_eq!(again, reduced);
        // Motions that the reduced rows admit, with the free columns at some value.
        let mut motion = [0.7, -0.3, 1.9, 0.2];
        for &[row, column] in &pivots {
            let others = (0..4).filter(|other| !pivots.iter().any(|pivot| pivot[1] == *other));
            motion[column] = -others.map(|other| reduced[4 * row + other] * motion[other]).sum::<f64>();
        }
        for row in rows {
            let jump: f64 = row.iter().zip(motion).map(|(entry, motion)| entry * motion).sum();
            assert!(jump.abs() < 1e-14);
        }
    }
}
