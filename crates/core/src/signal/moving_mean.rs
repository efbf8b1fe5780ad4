//! Moving mean.

/// Mean of a piecewise linear signal over a window centred at each sample. The window is truncated at the ends of the
/// signal. `values` are unchanged if there is one sample, or if the lengths of `times` and `values` differ.
///
/// # Shapes and units
/// `times` \[s\], strictly ascending; `values`: one per instant; `window` \[s\].
pub fn moving_mean(times: &[f64], values: &[f64], window: f64) -> Vec<f64> {
    let (Some(&first), Some(&last)) = (times.first(), times.last()) else { return Vec::new() };
    if times.len() < 2 || times.len() != values.len() {
        return values.to_vec();
    }
    let mut integral = vec![0.0; times.len()];
    for k in 1..times.len() {
        integral[k] = integral[k - 1] + 0.5 * (values[k - 1] + values[k]) * (times[k] - times[k - 1]);
    }
    let integral_to = |time: f64| {
        let k = times.partition_point(|&t| t <= time).clamp(1, times.len() - 1) - 1;
        let part = time - times[k];
        let slope = (values[k + 1] - values[k]) / (times[k + 1] - times[k]);
        integral[k] + part * (values[k] + 0.5 * slope * part)
    };
    let mean = |(&time, &value): (&f64, &f64)| {
        let (from, to) = ((time - 0.5 * window).max(first), (time + 0.5 * window).min(last));
        if to > from { (integral_to(to) - integral_to(from)) / (to - from) } else { value }
    };
    times.iter().zip(values).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of t² over a window w exceeds t² by w²/12. The tolerance 1e-6 allows for the linear interpolation.
    #[test]
    fn a_parabola_is_raised() {
        let times: Vec<f64> = (0..=1000).map(|k| 1e-3 * f64::from(k)).collect();
        let values: Vec<f64> = times.iter().map(|t| t * t).collect();
        let means = moving_mean(&times, &values, 0.2);
        for k in 100..=900 {
            assert!((means[k] - values[k] - 0.04 / 12.0).abs() < 1e-6, "at {}", times[k]);
        }
        assert!((means[0] - 0.01 / 3.0).abs() < 1e-6);
        assert_eq!(moving_mean(&times, &values, 0.0), values);
    }
}
