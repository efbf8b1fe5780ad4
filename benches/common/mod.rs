//! A plain benchmark harness: warm up, repeat, report minimum and median time per unit.
#![allow(dead_code, reason = "each bench uses part of it")]
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::time::Instant;

use rayon::prelude::*;

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Times of one measured function, per unit of work \[ns\].
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Fastest repetition, the least disturbed one.
    pub minimum: f64,
    /// Median repetition.
    pub median: f64,
    /// Mean and standard deviation of the repetitions.
    pub mean: [f64; 2],
}

/// Mean and standard deviation.
pub fn mean_and_deviation(values: &[f64]) -> [f64; 2] {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count;
    [mean, variance.sqrt()]
}

/// Times `work` after one warm-up, `repetitions` times. One call of `work` processes `units` units.
pub fn measure(units: usize, repetitions: usize, mut work: impl FnMut()) -> Timing {
    work();
    let mut samples: Vec<f64> = (0..repetitions.max(1))
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e9 / units as f64
        })
        .collect();
    samples.sort_by(f64::total_cmp);
    let mean = mean_and_deviation(&samples);
    Timing { minimum: samples[0], median: samples[samples.len() / 2], mean }
}

/// Prints one row of a table of timings.
pub fn report(label: &str, unit: &str, timing: Timing) {
    let Timing { minimum, median, mean: [mean, deviation] } = timing;
    println!("{label:<48} {minimum:>12.2} {median:>12.2} {mean:>12.2} ± {deviation:<9.2} ns per {unit}");
}

/// Prints the heading above rows of [`report`].
pub fn heading(title: &str) {
    println!("\n{title}\n{:<48} {:>12} {:>12} {:>12} ± {:<9}", "", "minimum", "median", "mean", "deviation");
}

/// Number of repetitions: 1 in a test (`cargo test --benches` or `--test`) or a debug build, `many` in a benchmark.
pub fn repetitions(many: usize) -> usize {
    if std::env::args().any(|argument| argument == "--test") || cfg!(debug_assertions) { 1 } else { many }
}

/// Processor time of this thread \[ns\], independent of other programs; 0 if the system does not report it.
pub fn time_on_processor() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|first| first.parse().ok()).unwrap_or(0.0)
}

/// STREAM triad a = b + s c on all threads of the current pool \[GB/s\], two reads and one write counted.
pub fn triad() -> f64 {
    let n = 8_000_000;
    let (mut a, b, c) = (vec![0.0_f64; n], vec![1.0_f64; n], vec![2.0_f64; n]);
    let time = measure(n, repetitions(10), || {
        a.par_chunks_mut(4096).zip(b.par_chunks(4096)).zip(c.par_chunks(4096)).for_each(|((a, b), c)| {
            for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                *a = b + 3.0 * c;
            }
        });
    });
    std::hint::black_box(&a);
    24.0 / time.minimum
}
