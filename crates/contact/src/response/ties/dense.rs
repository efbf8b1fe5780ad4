//! Solution of small dense systems with mass matrices.

/// Largest negligible pivot \[-\] of a matrix whose diagonal is scaled to 1.
const NEGLIGIBLE_PIVOT: f64 = 1e-15;

/// Solves A x = b with row-major A = `matrix`; x overwrites b, and A is overwritten. The diagonal is first scaled to
/// 1, because the masses can be very unlike. Undetermined unknowns are set to zero.
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
        if size(pivot_row) <= NEGLIGIBLE_PIVOT {
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
        b[k] = if pivot.abs() > NEGLIGIBLE_PIVOT { (b[k] - known) / pivot } else { 0.0 };
    }
    b.iter_mut().zip(scales).for_each(|(x, scale)| *x *= *scale);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The masses differ by twenty orders of magnitude. The residual of each row is within rounding of its terms.
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
}
