//! Channel frequency classes of impact tests: zero-phase low-pass filters.

use std::f64::consts::{PI, SQRT_2};

/// A channel frequency class: a two-pole Butterworth filter, applied forward and backward.
///
/// One pass, for input x, output y, sampling interval T \[s\] and class number CFC:
/// ```text
/// y_t = a₀ x_t + a₁ x_{t−1} + a₂ x_{t−2} + b₁ y_{t−1} + b₂ y_{t−2},    ω_d = 2π · CFC · 2.0775,  ω_a = tan(ω_d T/2)
/// ```
/// The standards give the coefficients a and b as functions of ω_a. Both passes together have a gain of −3 dB near
/// 5/3 · CFC \[Hz\].
///
/// # Ends
/// Point reflection about each end sample extends the signal, at the start by the values 2 x₀ − x_k. The extension
/// lasts 10 ms or 100 samples, whichever is longer, but at most n − 1 samples for a signal of n samples. Each pass
/// starts in the steady state of a constant signal equal to the first value that the pass reads.
///
/// # Source
/// SAE J211-1, appendix C; ISO 6487, annex A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelClass {
    /// CFC 60, for vehicle structures.
    Cfc60,
    /// CFC 180, for accelerations to be integrated.
    Cfc180,
    /// CFC 600, for components.
    Cfc600,
    /// CFC 1000, for head accelerations.
    Cfc1000,
}

/// Minimum sampling rate of the standards \[Hz\] divided by the number of the class.
const SAMPLES_PER_CLASS: f64 = 10.0;

/// Corner frequency of one pass \[Hz\] divided by the number of the class.
const CORNER: f64 = 2.0775;

/// Minimum duration of the extension at each end \[s\].
const CONTINUED: f64 = 0.01;
/// Minimum number of samples of the extension at each end.
const LEAST_CONTINUED: usize = 100;

/// The sampling rate is too low for the filter of a class.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "{rate:.6} samples a second are too few for a corner at {corner} Hz; sample at {least} a second or more"
)]
pub struct TooFewSamples {
    /// Sampling rate \[Hz\].
    pub rate: f64,
    /// Corner frequency of the filter \[Hz\].
    pub corner: f64,
    /// Minimum sampling rate of the class \[Hz\].
    pub least: f64,
}

struct Coefficients {
    a: [f64; 3],
    b: [f64; 2],
}

impl ChannelClass {
    /// All classes, with their names.
    pub const ALL: [(&'static str, Self); 4] = [
        ("CFC 60", Self::Cfc60),
        ("CFC 180", Self::Cfc180),
        ("CFC 600", Self::Cfc600),
        ("CFC 1000", Self::Cfc1000),
    ];

    /// The class called `name`, without regard to spaces and case; `None` for other names.
    pub fn named(name: &str) -> Option<Self> {
        let compact = |name: &str| name.replace(' ', "").to_uppercase();
        Self::ALL.into_iter().find(|(other, _)| compact(other) == compact(name)).map(|(_, class)| class)
    }

    /// The number of the class.
    pub fn number(self) -> u32 {
        match self {
            Self::Cfc60 => 60,
            Self::Cfc180 => 180,
            Self::Cfc600 => 600,
            Self::Cfc1000 => 1000,
        }
    }

    /// Minimum sampling rate of the class \[Hz\].
    pub fn least_rate(self) -> f64 {
        SAMPLES_PER_CLASS * f64::from(self.number())
    }

    /// Low-pass filtered signal. The samples are `spacing` apart \[s\].
    ///
    /// # Errors
    /// [`TooFewSamples`] if the corner frequency is not below half the sampling rate.
    pub fn filter(self, samples: &[f64], spacing: f64) -> Result<Vec<f64>, TooFewSamples> {
        let corner = CORNER * f64::from(self.number());
        let rate = 1.0 / spacing;
        if rate.is_nan() || rate <= 2.0 * corner {
            return Err(TooFewSamples { rate, corner, least: self.least_rate() });
        }
        let longest = samples.len().saturating_sub(1);
        let count = LEAST_CONTINUED.max((CONTINUED * rate).round() as usize).min(longest);
        let coefficients = Coefficients::of(2.0 * PI * corner, spacing);
        let mut signal = continued(samples, count);
        for _ in 0..2 {
            coefficients.pass(&mut signal);
            signal.reverse();
        }
        Ok(signal.get(count..count + samples.len()).unwrap_or_default().to_vec())
    }
}

impl Coefficients {
    /// Coefficients for a corner frequency \[rad/s\] and a sampling interval \[s\].
    fn of(corner: f64, spacing: f64) -> Self {
        let half = 0.5 * corner * spacing;
        let w = half.sin() / half.cos();
        let scale = 1.0 / (1.0 + SQRT_2 * w + w * w);
        let a0 = w * w * scale;
        Self { a: [a0, 2.0 * a0, a0], b: [-2.0 * (w * w - 1.0) * scale, (-1.0 + SQRT_2 * w - w * w) * scale] }
    }

    /// One forward pass, in place. The initial state is the steady state of a constant signal equal to the first value.
    fn pass(&self, signal: &mut [f64]) {
        let ([a0, a1, a2], [b1, b2]) = (self.a, self.b);
        let first = signal.first().copied().unwrap_or_default();
        let (mut next, mut after) = ((a1 + a2 + b1 + b2) * first, (a2 + b2) * first);
        for value in signal {
            let x = *value;
            *value = a0 * x + next;
            next = a1 * x + b1 * *value + after;
            after = a2 * x + b2 * *value;
        }
    }
}

/// Extends the samples by `count` at each end, by point reflection about the end sample.
fn continued(samples: &[f64], count: usize) -> Vec<f64> {
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else { return Vec::new() };
    let before = samples[1..=count].iter().rev().map(|x| 2.0 * first - x);
    let after = samples.iter().rev().skip(1).take(count).map(|x| 2.0 * last - x);
    before.chain(samples.iter().copied()).chain(after).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
        assert_eq!(a.len(), b.len());
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// A constant signal is unchanged. Poles near 1 amplify the rounding errors of the coefficients, 2e-16, by
    /// 1/(4 a₀) = 1.6e4 for CFC 60 at a sampling interval of 1e-5 s.
    #[test]
    fn a_constant_passes() {
        for (name, class) in ChannelClass::ALL {
            for count in [0, 1, 2, 50, 500] {
                let samples = vec![3.0; count];
                let off = largest_difference(&class.filter(&samples, 1e-5).unwrap(), &samples);
                assert!(off < 1e-10, "{name}, {count} samples: {off:e}");
            }
        }
    }

    /// A straight line is unchanged, also at its ends: the transient exp(−ω_d t/√2) decays below 1e-24 in the
    /// extension.
    #[test]
    fn a_straight_line_passes() {
        let line: Vec<f64> = (0..2000).map(|k| 3.0 - 0.25 * f64::from(k)).collect();
        for class in [ChannelClass::Cfc600, ChannelClass::Cfc1000] {
            let off = largest_difference(&class.filter(&line, 1e-5).unwrap(), &line);
            assert!(off < 1e-9, "CFC {}: {off:e}", class.number());
        }
    }

    #[test]
    fn too_few_samples_are_refused() {
        let refused = ChannelClass::Cfc600.filter(&[0.0; 9], 1e-3).unwrap_err();
        assert_eq!(refused, TooFewSamples { rate: 1e3, corner: 1246.5, least: 6e3 });
    }
}
