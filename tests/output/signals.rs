//! Filters and injury criteria of signals, compared with an independent program and with closed forms.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use ictus::signal::{ChannelClass, head_injury};

/// Reference: `filtfilt` of scipy with the coefficients of SAE J211-1 and the same extension at the ends, computed by
/// tests/data/signal/make.py. The signal is a truncated pulse at two sampling rates. The full extension at 12.5 kHz is
/// 125 samples at each end. The record of 60 samples is shorter, so its extension is cut to 59 samples. Tolerance: 1e-9
/// of the largest sample, for the different rounding of the two programs.
#[test]
fn channel_classes_are_those_of_the_standard() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/signal/channel_classes.csv");
    let mut signals: BTreeMap<u64, Vec<Vec<f64>>> = BTreeMap::new();
    for record in csv::Reader::from_path(path).unwrap().records() {
        let row: Vec<f64> = record.unwrap().iter().map(|cell| cell.parse().unwrap()).collect();
        signals.entry(row[0] as u64).or_default().push(row);
    }
    assert_eq!(signals.values().map(Vec::len).collect::<Vec<_>>(), [60, 240]);
    for (rate, rows) in signals {
        let column = |k: usize| rows.iter().map(|row| row[k]).collect::<Vec<f64>>();
        let samples = column(1);
        let largest = samples.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        for (k, (name, class)) in ChannelClass::ALL.into_iter().enumerate() {
            let filtered = class.filter(&samples, 1.0 / rate as f64).unwrap();
            let wanted = column(2 + k);
            let off = filtered.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-9 * largest, "{name} at {rate} a second: off by {off:e}");
        }
    }
}

/// At the frequency 5/3 CFC \[Hz\], the gain of both passes together is −3 dB (1/√2), within 1 % of the amplitude. This
/// frequency is the corner frequency of the standard. The standard requires −3.05 dB ± 1 dB at 1.65 CFC.
#[test]
fn channel_classes_let_pass_what_they_should() {
    for (name, class) in ChannelClass::ALL {
        let corner = f64::from(class.number()) * 5.0 / 3.0;
        let spacing = 1.0 / (200.0 * corner);
        let wave: Vec<f64> =
            (0..20_000).map(|k| (2.0 * PI * corner * spacing * f64::from(k)).sin()).collect();
        let filtered = class.filter(&wave, spacing).unwrap();
        let middle = filtered[8_000..12_000].iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        assert!((middle - 0.5_f64.sqrt()).abs() < 0.01 * middle, "{name}: {middle}");
    }
}

/// A rectangular pulse of acceleration A \[g\] and duration D \[s\] has the criterion A^{5/2} min(D, window). The
/// window is the longest interval allowed. Zero samples before and after the pulse change nothing. Tolerance: 1e-6, for
/// edges with a duration of 1e-9 D.
#[test]
fn rectangles_have_their_head_injury() {
    let (size, length) = (80.0, 0.02);
    let edge = 1e-9 * length;
    let mut times = vec![-0.01, -edge];
    times.extend((0..=999).map(|k| length * f64::from(k) / 999.0));
    times.extend([length + edge, 0.05]);
    let inside = |t: &f64| if (0.0..=length).contains(t) { size } else { 0.0 };
    let values: Vec<f64> = times.iter().map(inside).collect();
    for window in [0.015, 0.036] {
        let found = head_injury(&times, &values, window);
        let wanted = size.powf(2.5) * length.min(window);
        assert!((found.value / wanted - 1.0).abs() < 1e-6, "{window}: {found:?}, wanted {wanted}");
        assert!((found.end - found.start - length.min(window)).abs() < 1e-6, "{found:?}");
    }
}

/// The criterion of a half sine A sin(π t/D) over an interval w about its middle is w^{−3/2} (2 A D/π sin(π
/// w/2D))^{5/2}. The criterion is largest for u cot u = 3/5 with u = π w/2D or, if this w exceeds the window, for w
/// equal to the window. Tolerance: 1e-6. The error of 20 000 samples is 2.5 (π/20 000)²/12 = 5e-9.
#[test]
fn half_sines_have_their_head_injury() {
    let size = 120.0;
    let (mut low, mut high) = (0.5_f64, 1.5_f64);
    for _ in 0..80 {
        let u = 0.5 * (low + high);
        if u / u.tan() > 0.6 { low = u } else { high = u }
    }
    for (length, window) in [(0.01, 0.015), (0.03, 0.015), (0.03, 0.036), (0.1, 0.036)] {
        let count = 20_000;
        let times: Vec<f64> = (0..=count).map(|k| length * f64::from(k) / f64::from(count)).collect();
        let values: Vec<f64> = times.iter().map(|t| size * (PI * t / length).sin()).collect();
        let wide = (2.0 * length * low / PI).min(window);
        let area = 2.0 * size * length / PI * (PI * wide / (2.0 * length)).sin();
        let wanted = area.powf(2.5) * wide.powf(-1.5);
        let found = head_injury(&times, &values, window);
        assert!(
            (found.value / wanted - 1.0).abs() < 1e-6,
            "{length} in {window}: {found:?}, wanted {wanted}"
        );
        assert!((0.5 * (found.start + found.end) - 0.5 * length).abs() < 1e-3 * length, "{found:?}");
    }
}

/// The criterion is zero for no samples, one sample, and accelerations that are not positive.
#[test]
fn no_acceleration_does_no_injury() {
    for (times, values) in [(&[][..], &[][..]), (&[0.0], &[9.0]), (&[0.0, 1.0], &[0.0, 0.0])] {
        assert_eq!(head_injury(times, values, 0.015).value, 0.0);
    }
}
