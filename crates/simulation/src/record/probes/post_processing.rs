//! Post-processing of samples at the end of a run: filtered columns and injury criteria.

use std::path::Path;

use crate::io::OutputError;
use crate::io::measurements::Columns;
use crate::io::summary::{HeadInjurySummary, PeakSummary, ProbeSummary};
use crate::scenario::{Injury, ProbeQuantity, ProbeSpec};
use crate::signal::{ChannelClass, Grid, head_injury};

use super::probe::Probe;

/// Longest time window of the head injury criterion HIC15 \[s\].
const HIC15: f64 = 0.015;
/// Longest time window of the head injury criterion HIC36 \[s\].
const HIC36: f64 = 0.036;

/// Largest sampling interval at which samples count as even, relative to the grid spacing of the filter.
const UNEVEN: f64 = 1.5;

/// A quantity counts as constant between two successive samples if its change is at most this fraction of its largest
/// magnitude. Linear interpolation is accurate for such a quantity, for example the acceleration in free flight.
const CONSTANT: f64 = 0.01;

/// Samples of contact forces count as complete, and cause no warning of aliasing, if their number is at least this
/// fraction of the number of steps with contact forces.
const MOST_STEPS: f64 = 0.9;

/// `rows` are the indices of the sampled table rows, and `times` their times \[s\].
struct Samples {
    rows: Vec<usize>,
    times: Vec<f64>,
    columns: Vec<(String, Vec<f64>)>,
}

impl Samples {
    fn of(table: &Columns, probe: &Probe) -> Self {
        let names = probe.columns();
        let columns: Vec<&[Option<f64>]> = names.iter().filter_map(|name| table.column(name)).collect();
        let times = table.column("time").unwrap_or_default();
        let is_sampled = |row: &usize| columns.iter().all(|column| column[*row].is_some());
        let rows: Vec<usize> = (0..times.len()).filter(is_sampled).collect();
        let of_rows =
            |column: &[Option<f64>]| rows.iter().filter_map(|&row| column[row]).collect::<Vec<f64>>();
        let times = of_rows(times).iter().map(|time| time / probe.spec.second).collect();
        let columns = names.iter().cloned().zip(columns.into_iter().map(of_rows)).collect();
        Self { rows, times, columns }
    }

    /// Magnitude of the acceleration in multiples of `spec.g`.
    fn acceleration(&self, spec: &ProbeSpec) -> Vec<f64> {
        let name = format!("{}.{}_", spec.name, ProbeQuantity::Acceleration.word());
        let components: Vec<_> =
            self.columns.iter().filter(|(column, _)| column.starts_with(&name)).collect();
        let size =
            |k: usize| components.iter().map(|(_, values)| values[k].powi(2)).sum::<f64>().sqrt() / spec.g;
        (0..self.times.len()).map(size).collect()
    }

    /// Length \[s\] of the longest sampling interval that exceeds `limit` and over which an acceleration, stress or
    /// strain changes; 0 without such an interval. Positions, displacements and velocities change nearly linearly
    /// between samples.
    fn longest_interpolation(&self, limit: f64) -> f64 {
        let is_smooth = |name: &str| {
            let quantity = name.rsplit('.').next().unwrap_or_default();
            [ProbeQuantity::Position, ProbeQuantity::Displacement, ProbeQuantity::Velocity]
                .iter()
                .any(|smooth| quantity.starts_with(smooth.word()))
        };
        let of_column = |values: &[f64]| {
            let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
            let pairs = self.times.windows(2).zip(values.windows(2));
            let lasting = pairs.map(|(times, values)| (times[1] - times[0], (values[1] - values[0]).abs()));
            let varying = lasting.filter(|(length, change)| *length > limit && *change > CONSTANT * largest);
            varying.fold(0.0, |longest: f64, (length, _)| longest.max(length))
        };
        let rough = self.columns.iter().filter(|(name, _)| !is_smooth(name));
        rough.map(|(_, values)| of_column(values)).fold(0.0, f64::max)
    }

    /// `None` if the samples cannot be filtered.
    fn filtered(&self, class: ChannelClass, warnings: &mut Vec<String>) -> Option<Self> {
        let Some(grid) = Grid::of(&self.times) else {
            warnings.push("it has too few samples for its filter and is not filtered".to_owned());
            return None;
        };
        let (rate, least) = (1.0 / grid.spacing(), class.least_rate());
        if rate * (1.0 + 1e-6) < least {
            warnings.push(format!(
                "it has {rate:.6} samples a second and its filter is for {least} or more; give it a shorter \
                 `interval`, and shorten time steps that are longer than this interval (`time.step`, \
                 `time.flight_step`)"
            ));
        }
        let longest = self.longest_interpolation((UNEVEN * grid.spacing()).max(1.0 / least)) / grid.spacing();
        if longest > 0.0 {
            warnings.push(format!(
                "its samples are uneven: some between which it changes are {longest:.1} times as far apart as most, and \
                 the filter interpolates linearly between them; leave out its `interval`, and shorten long steps \
                 (`time.flight_step`, `time.step`)"
            ));
        }
        let name = |column: &str| format!("{column}_cfc{}", class.number());
        let column = |(column, values): &(String, Vec<f64>)| {
            let even = class.filter(&grid.sample(&self.times, values), grid.spacing()).ok()?;
            Some((name(column), grid.back(&self.times, &even)))
        };
        let Some(columns) = self.columns.iter().map(column).collect::<Option<Vec<_>>>() else {
            warnings.push("its samples are too far apart for its filter and are not filtered".to_owned());
            return None;
        };
        Some(Self { rows: self.rows.clone(), times: self.times.clone(), columns })
    }
}

/// Adds the filtered columns to the table at `path`. `contact_steps` is the number of steps in which contact forces may
/// have oscillated.
pub(super) fn post_process(
    path: &Path,
    probes: &[Probe],
    contact_steps: u64,
) -> Result<Vec<ProbeSummary>, OutputError> {
    let mut table = Columns::read(path)?;
    let mut added = Vec::new();
    let mut summaries = Vec::new();
    for probe in probes {
        let samples = Samples::of(&table, probe);
        let mut warnings = Vec::new();
        warnings.extend(warning_of_aliases(&samples, &probe.spec, contact_steps));
        let filtered = probe.spec.filter.and_then(|class| samples.filtered(class, &mut warnings));
        let measured = filtered.as_ref().unwrap_or(&samples);
        let filter = filtered.is_some().then_some(probe.spec.filter).flatten();
        let summary = summary(probe, measured, filter, warnings);
        summaries.push(ProbeSummary { samples: samples.times.len(), ..summary });
        added.extend(filtered);
    }
    if !added.is_empty() {
        let rows = table.values.first().map_or(0, Vec::len);
        for Samples { rows: sampled, columns, .. } in added {
            for (name, values) in columns {
                let mut column = vec![None; rows];
                sampled.iter().zip(values).for_each(|(&row, value)| column[row] = Some(value));
                table.names.push(name);
                table.values.push(column);
            }
        }
        table.write(path)?;
    }
    Ok(summaries)
}

/// `measured` contains the filtered samples if `filter` is given.
fn summary(
    probe: &Probe,
    measured: &Samples,
    filter: Option<ChannelClass>,
    warnings: Vec<String>,
) -> ProbeSummary {
    let spec = &probe.spec;
    let mut summary = ProbeSummary {
        name: spec.name.clone(),
        filter: filter.map(|class| format!("CFC {}", class.number())),
        warnings,
        ..ProbeSummary::default()
    };
    if spec.injuries.is_empty() {
        return summary;
    }
    let acceleration = measured.acceleration(spec);
    let hic = |window: f64| {
        let found = head_injury(&measured.times, &acceleration, window);
        let [start, end] = [found.start, found.end].map(|time| time * spec.second);
        HeadInjurySummary { value: found.value, start, end }
    };
    for injury in &spec.injuries {
        match injury {
            Injury::Peak => {
                summary.peak = peak(&measured.times, &acceleration, spec.second);
                if filter.is_some() {
                    summary.warnings.extend(warning_of_peak(summary.peak, measured, spec));
                }
            }
            Injury::Hic15 => summary.hic15 = Some(hic(HIC15)),
            Injury::Hic36 => summary.hic36 = Some(hic(HIC36)),
        }
    }
    summary
}

/// Warning about a probe that samples only some of the steps: its samples distort contact forces, which oscillate with
/// a period of a few steps.
fn warning_of_aliases(samples: &Samples, spec: &ProbeSpec, contact_steps: u64) -> Option<String> {
    let is_used = spec.filter.is_some() || !spec.injuries.is_empty();
    (is_used && (samples.times.len() as f64) < MOST_STEPS * contact_steps as f64).then(|| {
        format!(
            "it has {} samples of {contact_steps} steps, and contact forces oscillate from step to step, which distorts \
             filtered values and peaks; leave out its `interval`, so that it samples every step",
            samples.times.len()
        )
    })
}

/// Warning about a peak at the first or last sample. The filter has little effect there, because it extends the record
/// by point reflection.
fn warning_of_peak(peak: Option<PeakSummary>, measured: &Samples, spec: &ProbeSpec) -> Option<String> {
    let ends = [measured.times.first()?, measured.times.last()?].map(|time| time * spec.second);
    ends.contains(&peak?.time).then(|| {
        "its peak is at an end of the run, where the filter has little effect; extend the run by 10 ms, and use the \
         peak before these 10 ms"
            .to_owned()
    })
}

/// `times` are in seconds, and `second` is one second in the time unit of the scenario.
fn peak(times: &[f64], values: &[f64], second: f64) -> Option<PeakSummary> {
    let largest = values.iter().zip(times).reduce(|a, b| if b.0 > a.0 { b } else { a })?;
    Some(PeakSummary { value: *largest.0, time: *largest.1 * second })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Warnings for a flight of 0.1 s under 9.81 m/s². The steps of the flight have the length `flight` \[s\], and the
    /// steps after the flight 0.1 ms. A push begins `before` \[s\] before the end of the flight: a half sine of 2 ms
    /// and 500 m/s².
    fn warnings(flight: f64, before: f64) -> Vec<String> {
        let in_flight = (0..).map(|k| f64::from(k) * flight).take_while(|time| *time < 0.1);
        let times: Vec<f64> = in_flight.chain((0..1000).map(|k| 0.1 + 1e-4 * f64::from(k))).collect();
        let push = |time: f64| {
            let phase = std::f64::consts::PI * (time - 0.1 + before) / 2e-3;
            if (0.0..std::f64::consts::PI).contains(&phase) { 500.0 * phase.sin() } else { 0.0 }
        };
        let acceleration = times.iter().map(|&time| push(time) - 9.81).collect();
        let position = times.iter().map(|time| -0.5 * 9.81 * time * time).collect();
        let columns = vec![("p.acceleration_z".into(), acceleration), ("p.position_z".into(), position)];
        let mut warnings = Vec::new();
        let samples = Samples { rows: (0..times.len()).collect(), times, columns };
        assert!(samples.filtered(ChannelClass::named("CFC 1000").unwrap(), &mut warnings).is_some());
        warnings
    }

    /// Long steps of constant acceleration cause no warning: linear interpolation is exact. A push that begins within
    /// such a step causes a warning.
    #[test]
    fn uneven_samples_matter_while_an_acceleration_changes() {
        for flight in [1e-4, 2e-3, 0.05] {
            assert_eq!(warnings(flight, 0.0), Vec::<String>::new(), "{flight}");
        }
        let told = warnings(2e-3, 1e-3);
        assert!(told.len() == 1 && told[0].starts_with("its samples are uneven"), "{told:?}");
        assert_eq!(warnings(1e-4, 1e-3), Vec::<String>::new());
    }
}
