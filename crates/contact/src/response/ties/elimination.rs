//! Gaussian elimination of sparse rows, in place.

/// Smallest magnitude of a pivot, relative to the largest entry of all open rows and all columns that may be eliminated
/// \[-\].
const PIVOT_THRESHOLD: f64 = 0.8;

type Entry = (u32, f64);

/// Sparse rows. The elimination of a column changes only open rows, that is rows not yet used as pivot rows.
#[derive(Clone, Debug, Default)]
pub(super) struct SparseRows {
    /// Entries of each row, by ascending column.
    rows: Vec<Vec<Entry>>,
    /// For each column, the rows that have or had an entry in this column.
    users: Vec<Vec<u32>>,
    is_done: Vec<bool>,
    /// Magnitude and column of the largest entry of each row in the columns that `eliminate` may eliminate. Used by
    /// `eliminate` only.
    largest: Vec<(f64, u32)>,
    merged: Vec<Entry>,
}

impl SparseRows {
    pub fn begin(&mut self, num_rows: usize, num_columns: usize) {
        self.rows.resize(num_rows, Vec::new());
        self.users.resize(num_columns, Vec::new());
        self.rows.iter_mut().for_each(Vec::clear);
        self.users.iter_mut().for_each(Vec::clear);
        self.is_done.clear();
        self.is_done.resize(num_rows, false);
    }

    /// Appends an entry, unless `value` is zero. The caller appends the entries of a row by ascending column.
    pub fn push(&mut self, row: usize, column: usize, value: f64) {
        if value != 0.0 {
            self.rows[row].push((column as u32, value));
            self.users[column].push(row as u32);
        }
    }

    /// Eliminates columns for which `eligible` is true: at most `most` columns, and only while an open row has an entry
    /// above `tolerance` in such a column. `pivots` receives the row and column of each pivot.
    pub fn eliminate(
        &mut self,
        eligible: &[bool],
        tolerance: f64,
        most: usize,
        pivots: &mut Vec<[usize; 2]>,
    ) {
        pivots.clear();
        self.largest.clear();
        self.largest.extend(self.rows.iter().map(|row| largest(row, eligible)));
        while let Some(pivot) = self.next_pivot(tolerance).filter(|_| pivots.len() < most) {
            self.clear_column(pivot, |row, of_row| *row = largest(of_row, eligible));
            pivots.push(pivot);
        }
    }

    pub fn eliminate_at(&mut self, pivots: &[[usize; 2]]) {
        self.largest.clear();
        self.largest.resize(self.rows.len(), (0.0, 0));
        pivots.iter().for_each(|&pivot| self.clear_column(pivot, |_, _| ()));
    }

    /// Row and column of the next pivot. Entries in eligible columns can be pivots. An open row is a candidate if its
    /// largest such entry is above `tolerance`, and at least `PIVOT_THRESHOLD` times the largest such entry of all open
    /// rows. The pivot is the largest such entry of the candidate with the fewest entries in total.
    fn next_pivot(&self, tolerance: f64) -> Option<[usize; 2]> {
        let rows = || self.largest.iter().enumerate().filter(|(row, _)| !self.is_done[*row]);
        let most = rows().map(|(_, (size, _))| *size).fold(0.0, f64::max);
        let candidates = rows().filter(|(_, (size, _))| *size > tolerance && *size >= PIVOT_THRESHOLD * most);
        let shortest = candidates.min_by_key(|(row, _)| self.rows[*row].len());
        shortest.map(|(row, (_, column))| [row, *column as usize])
    }

    /// Eliminates `column` from all open rows, with `row` as the pivot row. `update` receives each changed row and its
    /// element of `largest`.
    fn clear_column(&mut self, [row, column]: [usize; 2], update: impl Fn(&mut (f64, u32), &[Entry])) {
        self.is_done[row] = true;
        let pivot_row = std::mem::take(&mut self.rows[row]);
        let pivot = entry(&pivot_row, column);
        let users = std::mem::take(&mut self.users[column]);
        for other in users.iter().map(|&other| other as usize) {
            let factor = entry(&self.rows[other], column) / pivot;
            if factor != 0.0 && !self.is_done[other] {
                self.subtract(other, &pivot_row, factor, column as u32);
                update(&mut self.largest[other], &self.rows[other]);
            }
        }
        self.users[column] = users;
        self.rows[row] = pivot_row;
    }

    /// Subtracts `factor` times the entries `others` from `row`, and removes the entry of `row` in `column`.
    fn subtract(&mut self, row: usize, others: &[Entry], factor: f64, column: u32) {
        self.merged.clear();
        let mut own = self.rows[row].iter().copied().peekable();
        for &(other, value) in others {
            while let Some(before) = own.next_if(|(column, _)| *column < other) {
                self.merged.push(before);
            }
            let same = own.next_if(|(column, _)| *column == other);
            if same.is_none() {
                self.users[other as usize].push(row as u32);
            }
            let left = same.map_or(0.0, |(_, own)| own) - factor * value;
            if other != column && left != 0.0 {
                self.merged.push((other, left));
            }
        }
        self.merged.extend(own);
        std::mem::swap(&mut self.rows[row], &mut self.merged);
    }

    /// Solves the pivot rows Σ a x = b, with the entries a of a row, for the unknowns x of the pivot columns. `x`
    /// receives these unknowns; on input, it contains the values of the other unknowns. Columns beyond the length of
    /// `x` have no unknown: their entries hold the data of the right-hand side, which the function `b` computes from
    /// them.
    pub fn solve(&self, pivots: &[[usize; 2]], b: impl Fn(&[Entry]) -> f64, x: &mut [f64]) {
        for &[row, column] in pivots.iter().rev() {
            let entries = &self.rows[row];
            let mut rest = b(entries);
            let mut pivot = 1.0;
            for &(other, value) in entries {
                match other as usize {
                    other if other == column => pivot = value,
                    other => rest -= value * x.get(other).copied().unwrap_or(0.0),
                }
            }
            x[column] = rest / pivot;
        }
    }

    /// Solves the pivot rows with b = 0 once per independent unknown, with this unknown set to 1 and the other
    /// independent unknowns to 0. `motions` receives, for each pivot, one value per independent unknown.
    pub fn find_motions(
        &self,
        pivots: &[[usize; 2]],
        independent: &[usize],
        x: &mut [f64],
        motions: &mut Vec<f64>,
    ) {
        let count = independent.len();
        motions.clear();
        motions.resize(pivots.len() * count, 0.0);
        for (k, &free) in independent.iter().enumerate().filter(|_| !pivots.is_empty()) {
            x.fill(0.0);
            x[free] = 1.0;
            self.solve(pivots, |_| 0.0, x);
            let of_pivots = pivots.iter().enumerate();
            of_pivots.for_each(|(pivot, &[_, column])| motions[pivot * count + k] = x[column]);
        }
    }

    /// Computes multipliers μ of the pivot rows such that Σ μ a over these rows is `wanted` in the pivot columns.
    /// `sums` receives Σ μ a for all columns.
    pub fn multiply(&self, pivots: &[[usize; 2]], wanted: impl Fn(usize) -> f64, sums: &mut [f64]) {
        sums.fill(0.0);
        for &[row, column] in pivots {
            let entries = &self.rows[row];
            let multiplier = (wanted(column) - sums[column]) / entry(entries, column);
            entries.iter().for_each(|&(other, value)| sums[other as usize] += multiplier * value);
        }
    }
}

fn entry(row: &[Entry], column: usize) -> f64 {
    let place = row.binary_search_by_key(&(column as u32), |(column, _)| *column);
    place.map_or(0.0, |place| row[place].1)
}

/// Magnitude and column of the largest entry in an eligible column; of equal entries, the first. Columns beyond the
/// length of `eligible` are not eligible.
fn largest(row: &[Entry], eligible: &[bool]) -> (f64, u32) {
    let is_eligible = |column: u32| eligible.get(column as usize).copied().unwrap_or(false);
    let candidates = row.iter().filter(|(column, _)| is_eligible(*column));
    candidates.fold(
        (0.0, 0),
        |best, &(column, value)| {
            if value.abs() > best.0 { (value.abs(), column) } else { best }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [[f64; 5]; 3] =
        [[1.0, 2.0, 0.5, 9.0, 0.0], [0.0, 1.0, -1.0, 1.0, 3.0], [1.0, 3.0, -0.5, 10.0, 3.0]];
    const ELIGIBLE: [bool; 3] = [true; 3];

    fn filled() -> SparseRows {
        let mut rows = SparseRows::default();
        rows.begin(3, 5);
        for (row, entries) in ROWS.iter().enumerate() {
            entries.iter().enumerate().for_each(|(column, &value)| rows.push(row, column, value));
        }
        rows
    }

    /// The last row is the sum of the first two; the last two columns are not eligible. `solve` satisfies all rows.
    #[test]
    fn redundant_rows_have_no_pivot() {
        let (mut rows, mut again, mut pivots) = (filled(), filled(), Vec::new());
        rows.eliminate(&ELIGIBLE, 1e-12, usize::MAX, &mut pivots);
        assert_eq!(pivots.len(), 2);
        again.eliminate_at(&pivots);
        assert_eq!(again.rows, rows.rows);
        let mut x = [0.7, -0.3, 1.9, 0.2, -1.1];
        rows.solve(&pivots, |_| 0.0, &mut x);
        for row in ROWS {
            let jump: f64 = row.iter().zip(x).map(|(entry, x)| entry * x).sum();
            assert!(jump.abs() < 1e-14, "{jump:e}");
        }
        let rhs: Vec<f64> = (0..5).map(|k| 0.3 * ROWS[0][k] - 2.0 * ROWS[1][k]).collect();
        let mut sums = [1.0; 5];
        rows.multiply(&pivots, |column| rhs[column], &mut sums);
        let off = sums.iter().zip(&rhs).map(|(sum, rhs)| (sum - rhs).abs()).fold(0.0, f64::max);
        assert!(off < 1e-14, "{off:e}");
        filled().eliminate(&ELIGIBLE, 0.0, 1, &mut pivots);
        assert_eq!(pivots.len(), 1);
    }
}
