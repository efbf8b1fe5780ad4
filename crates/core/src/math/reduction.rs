//! Parallel work on nodes, and sums that do not depend on the number of threads.

use std::ops::{Add, Range};

/// Largest number of nodes in a chunk of a sum. A fixed number makes the order of additions independent of the threads.
const CHUNK: usize = 2048;

/// Largest number of nodes that one thread processes alone.
const SEQUENTIAL: usize = 1 << 12;

/// Number of nodes per task, for work of some nanoseconds per node.
pub fn nodes_per_task(num_nodes: usize) -> usize {
    if num_nodes <= SEQUENTIAL { SEQUENTIAL } else { CHUNK }
}

/// Sum of the values of `chunk` over consecutive ranges that cover `0..len`. The ranges are processed in parallel, but
/// their values are added in a fixed order.
pub fn fixed_order_sum<T: Add<Output = T> + Send>(
    len: usize,
    chunk: &(impl Fn(Range<usize>) -> T + Sync),
) -> T {
    sum_range(0..len, chunk)
}

fn sum_range<T: Add<Output = T> + Send>(
    range: Range<usize>,
    chunk: &(impl Fn(Range<usize>) -> T + Sync),
) -> T {
    if range.len() <= CHUNK {
        return chunk(range);
    }
    let middle = range.start + (range.len() / 2).next_multiple_of(CHUNK);
    let (first, second) = (|| sum_range(range.start..middle, chunk), || sum_range(middle..range.end, chunk));
    let (first, second) =
        if range.len() <= SEQUENTIAL { (first(), second()) } else { rayon::join(first, second) };
    first + second
}

#[cfg(test)]
mod tests {
    use super::*;

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
