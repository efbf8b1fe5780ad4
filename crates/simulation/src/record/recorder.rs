//! The recorder of a run.

use std::path::Path;
use std::time::Instant;

use crate::io::history::{BodyRow, History, HistoryRow};
use crate::io::pairs::{PairRow, Pairs};
use crate::io::summary::ProbeSummary;
use crate::io::vtk::{Grid, Series};
use crate::io::{FileAction, OutputError, Tables, checkpoint, remove_partial_files};
use crate::math::Vec3;
use crate::scenario::{Field, OutputSettings, Scenario};

use super::checkpoints::{Checkpoint, Checkpoints, OutputPosition};
use super::frame::{output_frame, output_grid};
use super::nodal_distances::NodalDistances;
use super::probes::ProbeWriter;
use super::schedule::{OutputTimes, Schedule};
use super::side_tables::SideTables;
use super::volumes::balls_of_pairs;
use crate::Simulation;
use crate::account::contact_audit::PairBalance;

/// Writes frames, tables and checkpoints to the output directory when they are due.
pub struct Recorder {
    series: Option<Series>,
    /// Bounding spheres that detection examines next, two for each pair of bodies.
    volumes: Option<Series>,
    walls: Option<Series>,
    history: History,
    pairs: Pairs,
    side_tables: SideTables,
    probes: Option<ProbeWriter>,
    probe_summaries: Vec<ProbeSummary>,
    fields: Vec<Field>,
    distances: NodalDistances,
    schedule: Schedule,
    /// Wall-clock duration of the creation of the recorder \[s\].
    creation: f64,
    /// Times of the frames \[s\].
    frame_times: Vec<f64>,
    tables: Tables,
    checkpoints: Checkpoints,
}

impl Recorder {
    /// Recorder of a new run. Removes the checkpoints of an earlier run.
    ///
    /// # Errors
    /// [`OutputError`] if the directory or a file in it cannot be written.
    pub fn create(
        scenario: &Scenario,
        directory: &Path,
        simulation: &Simulation,
    ) -> Result<Self, OutputError> {
        checkpoint::remove(directory)?;
        Self::open(scenario, simulation, Tables::new(directory), None)
    }

    /// Restores the state of a checkpoint, and continues the output in `directory`.
    ///
    /// # Errors
    /// [`OutputError`] if the state belongs to another model, if a table or frame from before the checkpoint is
    /// missing, or if a file of the directory cannot be written.
    pub fn resume(
        scenario: &Scenario,
        directory: &Path,
        simulation: &mut Simulation,
        checkpoint: Checkpoint,
    ) -> Result<Self, OutputError> {
        let Checkpoint { state, output: position, path } = checkpoint;
        let tables = Tables::resumed(directory, position.tables.clone());
        tables.check()?;
        Series::check(directory, &scenario.name, position.frame_times.len())?;
        let restored = simulation.restore(state).map_err(std::io::Error::other);
        restored.map_err(OutputError::file(FileAction::Continue, &path))?;
        checkpoint::continue_from(directory, &path)?;
        let mut recorder = Self::open(scenario, simulation, tables, Some(&position))?;
        let instant = [simulation.state.nodes.time, simulation.state.control.time_step()];
        recorder.schedule.resume(position.schedule, instant);
        Ok(recorder)
    }

    fn open(
        scenario: &Scenario,
        simulation: &Simulation,
        mut tables: Tables,
        position: Option<&OutputPosition>,
    ) -> Result<Self, OutputError> {
        let start = Instant::now();
        let directory = tables.directory().to_path_buf();
        remove_partial_files(&directory)?;
        let OutputSettings { contact_interval, fields, detection_volumes, .. } = &scenario.output;
        let frame_times = position.map_or_else(Vec::new, |position| position.frame_times.clone());
        let series =
            Series::resume(&directory, &scenario.name, output_grid(simulation), frame_times.clone())?;
        let beside = |what: &str, grid: Option<Grid>| {
            let name = format!("{}_{what}", scenario.name);
            match grid {
                // If the series lacks a frame from before the checkpoint, its first frame is the next one written.
                Some(grid) => {
                    let exists = Series::check(&directory, &name, frame_times.len()).is_ok();
                    let times = if exists { frame_times.clone() } else { Vec::new() };
                    Series::resume(&directory, &name, grid, times).map(Some)
                }
                None => Series::remove(&directory, &name).map(|()| None),
            }
        };
        let volumes = beside("volumes", detection_volumes.then(Grid::default))?;
        let walls = beside("walls", (!scenario.walls.is_empty()).then(|| simulation.wall_grid()))?;
        let names: Vec<&str> = simulation.model.bodies.iter().map(|body| body.name.as_str()).collect();
        let (probes, interval) = (&simulation.settings.probes, scenario.output.history_interval);
        let mut recorder = Self {
            series: Some(series),
            volumes,
            walls,
            history: History::create(&mut tables, &names)?,
            pairs: Pairs::create(&mut tables)?,
            side_tables: SideTables::create(&mut tables, scenario, &simulation.model.bodies)?,
            probes: ProbeWriter::create(&mut tables, probes, interval)?,
            probe_summaries: Vec::new(),
            fields: fields.clone(),
            distances: NodalDistances::of_fields(fields, &simulation.model),
            schedule: Schedule::new(OutputTimes::of(scenario), *contact_interval),
            checkpoints: Checkpoints::new(scenario, &directory, simulation.clock()),
            tables,
            creation: 0.0,
            frame_times,
        };
        if let (Some(probes), Some(position)) =
            (&mut recorder.probes, position.and_then(|position| position.probes.as_ref()))
        {
            probes.resume(position);
        }
        recorder.creation = start.elapsed().as_secs_f64();
        Ok(recorder)
    }

    /// Number of frames written so far.
    pub fn num_frames(&self) -> usize {
        self.frame_times.len()
    }

    /// Summaries of the probes; empty before the end of the run.
    pub fn probe_summaries(&self) -> &[ProbeSummary] {
        &self.probe_summaries
    }

    /// Writes a checkpoint if the relaxation continues and a checkpoint is due. In the relaxation, t stays 0; the
    /// interval between checkpoints is measured on the sum of the step lengths.
    pub(crate) fn record_relaxation(&mut self, simulation: &mut Simulation) -> Result<(), OutputError> {
        let start = Instant::now();
        if simulation.is_relaxing()
            && self.checkpoints.is_due(simulation.clock(), simulation.state.control.time_step())
        {
            self.write_checkpoint(simulation)?;
        }
        simulation.timings.output += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Records the initial state if no frame exists yet.
    pub(crate) fn begin(&mut self, simulation: &mut Simulation) -> Result<(), OutputError> {
        self.checkpoints.restart_at(simulation.state.nodes.time);
        if !self.frame_times.is_empty() {
            return Ok(());
        }
        let start = Instant::now();
        self.write_row(simulation)?;
        self.probes.as_mut().map_or(Ok(()), |probes| probes.record(simulation))?;
        self.write_frame(simulation)?;
        simulation.timings.output += self.creation + start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Records the output that is due after a step. The step of the first contact always has a frame.
    pub(crate) fn record(&mut self, simulation: &mut Simulation) -> Result<(), OutputError> {
        let start = Instant::now();
        let (time, time_step) = (simulation.state.nodes.time, simulation.state.control.time_step());
        if self.schedule.row_is_due(time, time_step) {
            self.write_row(simulation)?;
        }
        self.probes.as_mut().map_or(Ok(()), |probes| probes.record(simulation))?;
        let touched = simulation.state.ledger.first_contacts.first().map(|contact| contact.time);
        if self.schedule.frame_is_due(touched, time, time_step) {
            self.write_frame(simulation)?;
        }
        if self.checkpoints.is_due(time, time_step) {
            self.write_checkpoint(simulation)?;
        }
        simulation.timings.output += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Writes a checkpoint in the background.
    pub(crate) fn write_checkpoint(&mut self, simulation: &Simulation) -> Result<(), OutputError> {
        self.flush_tables()?;
        let series = [&mut self.series, &mut self.volumes, &mut self.walls].into_iter().flatten();
        let written = series.map(Series::written).collect::<Result<_, _>>()?;
        let position = OutputPosition {
            frame_times: self.frame_times.clone(),
            schedule: self.schedule.position,
            probes: self.probes.as_ref().map(ProbeWriter::position),
            tables: self.tables.lengths()?,
        };
        let time_step = simulation.state.control.time_step();
        self.checkpoints.write(simulation.checkpoint(), position, written, [simulation.clock(), time_step])
    }

    /// Records the last state, and waits until all output is written.
    pub(crate) fn record_last(&mut self, simulation: &mut Simulation) -> Result<(), OutputError> {
        let start = Instant::now();
        let time = simulation.state.nodes.time;
        if time > self.schedule.position.last_row {
            self.write_row(simulation)?;
        }
        if time > self.schedule.position.last_frame {
            self.write_frame(simulation)?;
        }
        for series in [self.series.take(), self.volumes.take(), self.walls.take()].into_iter().flatten() {
            series.finish()?;
        }
        self.probes.as_mut().map_or(Ok(()), |probes| probes.record_last(simulation))?;
        self.flush_tables()?;
        if let Some(probes) = &mut self.probes {
            let state = &simulation.state;
            let has_contact = !state.ledger.first_contacts.is_empty();
            let contact_steps = if has_contact { state.nodes.step - state.steps_in_flight } else { 0 };
            self.probe_summaries = probes.finish(&simulation.settings.probes, contact_steps)?;
        }
        self.checkpoints.wait()?;
        simulation.timings.output += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Time of the next scheduled frame \[s\].
    pub(crate) fn next_frame_time(&self) -> f64 {
        self.schedule.next_frame()
    }

    fn write_row(&mut self, simulation: &Simulation) -> Result<(), OutputError> {
        self.schedule.note_row(simulation.state.nodes.time, simulation.state.control.time_step());
        self.history.append(&history_row(simulation))?;
        self.pairs.append(&pair_rows(simulation))?;
        self.side_tables.append(simulation)
    }

    fn flush_tables(&mut self) -> Result<(), OutputError> {
        self.history.flush()?;
        self.pairs.flush()?;
        self.side_tables.flush()?;
        self.probes.as_mut().map_or(Ok(()), ProbeWriter::flush)
    }

    /// Hands all rows to the operating system, and queues a frame.
    fn write_frame(&mut self, simulation: &mut Simulation) -> Result<(), OutputError> {
        self.flush_tables()?;
        simulation.update_nodal_state();
        self.schedule.note_frame(simulation.state.nodes.time, simulation.state.control.time_step());
        self.frame_times.push(simulation.state.nodes.time);
        let frame = output_frame(simulation, &self.fields, &self.distances);
        self.series.as_mut().map_or(Ok(()), |series| series.write(frame))?;
        self.walls.as_mut().map_or(Ok(()), |series| series.write(simulation.wall_frame()))?;
        self.volumes.as_mut().map_or(Ok(()), |series| {
            let pairs = simulation.top_of_queue();
            let (grid, frame) = balls_of_pairs(simulation.state.nodes.time, &pairs).into_frame();
            series.replace_grid(grid)?;
            series.write(frame)
        })
    }
}

fn history_row(simulation: &Simulation) -> HistoryRow {
    let energies = &simulation.state.ledger.energies;
    let body_row = |(index, (body, balance)): (
        usize,
        (&crate::model::Body, &crate::account::energy_audit::BodyBalance),
    )| {
        let action = &simulation.state.contact.action;
        let forces = action.touched_in(&body.nodes).iter().map(|&node| action.mean_force(node as usize));
        BodyRow {
            momentum: balance.momentum.linear,
            kinetic: balance.kinetic,
            centre: balance.centre,
            contact_force: forces.sum::<Vec3>() + action.rigid_force(index)[0],
        }
    };
    HistoryRow {
        time: simulation.state.nodes.time,
        step: simulation.state.nodes.step,
        dt: simulation.state.control.time_step(),
        kinetic: energies.kinetic,
        strain: energies.strain,
        external_work: energies.external_work,
        contact_energy: energies.contact,
        friction_dissipation: energies.friction_dissipation,
        plastic_dissipation: 0.0,
        hourglass_energy: simulation.state.ledger.energies.hourglass,
        viscous_dissipation: energies.viscous_dissipation,
        numerical_work: energies.numerical_work,
        total: energies.total(),
        energy_error: simulation.state.ledger.audit.relative_imbalance(),
        momentum: simulation.state.ledger.balances.iter().map(|balance| balance.momentum.linear).sum(),
        angular_momentum: simulation
            .state
            .ledger
            .balances
            .iter()
            .map(|balance| balance.momentum.angular)
            .sum(),
        contacts: simulation.state.contact.constraints.len() as u64,
        bodies: simulation
            .model
            .bodies
            .iter()
            .zip(&simulation.state.ledger.balances)
            .enumerate()
            .map(body_row)
            .collect(),
        kick: energies.kick,
        energy_imbalance: simulation.state.ledger.audit.imbalance(),
        net_numerical_work: simulation.state.ledger.audit.net_numerical_work(),
        mass_damping_dissipation: energies.mass_damping_dissipation,
    }
}

fn pair_rows(simulation: &Simulation) -> Vec<PairRow<'_>> {
    let areas = simulation.contact_areas();
    let row = |(balance, contact_area): (&PairBalance, f64)| PairRow {
        time: simulation.state.nodes.time,
        bodies: balance.bodies.map(|body| simulation.model.bodies[body as usize].name.as_str()),
        contacts: balance.contacts,
        force: balance.force,
        contact_energy: balance.contact_energy,
        friction_dissipation: balance.friction_dissipation,
        damping_dissipation: balance.damping_dissipation,
        contact_area,
    };
    simulation.state.ledger.pair_balances.iter().zip(areas).map(row).collect()
}
