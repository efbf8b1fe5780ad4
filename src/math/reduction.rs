//! Work on many nodes, shared out among threads, and sums whose result does not depend on their number.

use std::ops::{Add, Range};

/// Length of the pieces that are summed in one go, and of those that tasks are made of: fixed, so that the order of
/// additions is.
const PIECE: usize = 2048;

/// Nodes that one thread has done before another wakes up to help.
const FEW: usize = 1 << 12;

/// Nodes of one task where some nanoseconds are spent on each of so many.
pub fn nodes_per_task(num_nodes: usize) -> usize {
    if num_nodes <= FEW { FEW } else { PIECE }
}

/// Sum of `piece` over consecutive ranges that cover `0..len`, added pairwise in a fixed order, in parallel.
pub fn fixed_order_sum<T: Add<Output = T> + Send>(
    len: usize,
    piece: &(impl Fn(Range<usize>) -> T + Sync),
) -> T {
    sum_range(0..len, piece)
}

fn sum_range<T: Add<Output = T> + Send>(
    range: Range<usize>,
    piece: &(impl Fn(Range<usize>) -> T + Sync),
) -> T {
    if range.len() <= PIECE {
        return piece(range);
    }
    let middle = range.start + (range.len() / 2).next_multiple_of(PIECE);
    let (first, second) = (|| sum_range(range.start..middle, piece), || sum_range(middle..range.end, piece));
    let (first, second) = if range.len() <= FEW { (first(), second()) } else { rayon::join(first, second) };
    first + second
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same bits with one thread and with many, on terms that do not add exactly.
    #[test]
    fn bits_do_not_depend_on_threads() {
        let terms: Vec<f64> = (0..50_000).map(|k| 1.0 / f64::from(k + 1)).collect();
        let sum = || fixed_order_sum(terms.len(), &|range| terms[range].iter().sum::<f64>());
        let with =
            |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(sum);
        assert_eq!(with(1).to_bits(), with(5).to_bits());
        assert!((with(1) - 11.397003949278504).abs() < 1e-12);
    }
}
