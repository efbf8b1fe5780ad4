//! `probes.csv`: one row for each instant at which a sample of any probe is due.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::io::measurements::{Cell, Measurements};
use crate::io::summary::ProbeSummary;
use crate::io::{OutputError, Tables};

use super::post_processing::post_process;
use super::probe::Probe;
use crate::Simulation;

const FILE_NAME: &str = "probes.csv";

/// Largest time by which a sample may precede its scheduled instant, relative to the length of the last step. The sum
/// of the steps can miss the instant by a rounding error.
const EARLY: f64 = 1e-6;

#[derive(Debug)]
pub(crate) struct ProbeWriter {
    table: Measurements,
    path: PathBuf,
    schedules: Vec<Schedule>,
    last_row: f64,
    /// Workspace.
    is_due: Vec<bool>,
}

/// Times of the last row of the table and of the next sample of each probe \[s\].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ProbePosition {
    last_row: f64,
    next_samples: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Schedule {
    /// Time between samples \[s\]; 0 for a sample in every step.
    interval: f64,
    next: f64,
    columns: usize,
}

impl Schedule {
    /// Whether a sample is due at `time` \[s\], after a step of length `time_step` \[s\]. If so, also schedules
    /// the next sample.
    fn take(&mut self, time: f64, time_step: f64) -> bool {
        let now = time + EARLY * time_step;
        let is_due = now >= self.next;
        if is_due && self.interval > 0.0 {
            self.next = ((now / self.interval).floor() + 1.0) * self.interval;
        }
        is_due
    }
}

impl ProbeWriter {
    /// `default_interval` \[s\] applies to probes without an interval. Without probes, removes the table of an earlier
    /// run.
    pub fn create(
        tables: &mut Tables,
        probes: &[Probe],
        default_interval: f64,
    ) -> Result<Option<Self>, OutputError> {
        if probes.is_empty() {
            return Measurements::remove(tables.directory(), FILE_NAME).map(|()| None);
        }
        let columns: Vec<Vec<String>> = probes.iter().map(Probe::columns).collect();
        let schedule = |(probe, columns): (&Probe, &Vec<String>)| Schedule {
            interval: probe.spec.interval.unwrap_or(default_interval),
            next: 0.0,
            columns: columns.len(),
        };
        let schedules = probes.iter().zip(&columns).map(schedule).collect();
        let header: Vec<String> =
            std::iter::once("time".to_owned()).chain(columns.into_iter().flatten()).collect();
        let table = Measurements::create(tables, FILE_NAME, &header)?;
        Ok(Some(Self {
            table,
            path: tables.directory().join(FILE_NAME),
            schedules,
            last_row: f64::NEG_INFINITY,
            is_due: Vec::new(),
        }))
    }

    pub fn position(&self) -> ProbePosition {
        let next_samples = self.schedules.iter().map(|probe| probe.next).collect();
        ProbePosition { last_row: self.last_row, next_samples }
    }

    pub fn resume(&mut self, position: &ProbePosition) {
        self.last_row = position.last_row;
        let probes = self.schedules.iter_mut().zip(&position.next_samples);
        probes.for_each(|(probe, next)| probe.next = *next);
    }

    /// `contact_steps` is the number of steps outside flight, or 0 without contact.
    pub fn finish(&self, probes: &[Probe], contact_steps: u64) -> Result<Vec<ProbeSummary>, OutputError> {
        post_process(&self.path, probes, contact_steps)
    }

    pub fn record(&mut self, simulation: &mut Simulation) -> Result<(), OutputError> {
        let (time, time_step) = (simulation.state.nodes.time, simulation.state.control.time_step());
        let mut is_due = std::mem::take(&mut self.is_due);
        is_due.clear();
        is_due.extend(self.schedules.iter_mut().map(|probe| probe.take(time, time_step)));
        let written = if is_due.contains(&true) { self.write(simulation, &is_due) } else { Ok(()) };
        self.is_due = is_due;
        written
    }

    /// Writes samples of all probes in the last state, unless the table already has a row at this time.
    pub fn record_last(&mut self, simulation: &mut Simulation) -> Result<(), OutputError> {
        if simulation.state.nodes.time > self.last_row {
            return self.write(simulation, &vec![true; self.schedules.len()]);
        }
        Ok(())
    }

    /// Hands all rows to the operating system.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        self.table.flush()
    }

    fn write(&mut self, simulation: &mut Simulation, is_due: &[bool]) -> Result<(), OutputError> {
        simulation.update_nodal_state();
        self.last_row = simulation.state.nodes.time;
        let mut row = vec![Cell::Number(self.last_row)];
        for ((probe, schedule), is_due) in simulation.settings.probes.iter().zip(&self.schedules).zip(is_due)
        {
            match is_due {
                true => row.extend(simulation.probe_values(probe).into_iter().map(Cell::Number)),
                false => row.extend(std::iter::repeat_n(Cell::Empty, schedule.columns)),
            }
        }
        self.table.append(&row)
    }
}
