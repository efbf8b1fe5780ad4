//! `ictus run`: runs a scenario and writes its results.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ictus::io::summary::{
    ContactSummary, DetectionLevel, DetectionSummary, EnergySummary, ErrorSummary, FirstContact,
    HeadInjurySummary, MomentumSummary, ProbeSummary, Status, Summary, TimingSummary,
};
use ictus::io::{DirectoryLock, OutputError};
use ictus::scenario::Scenario;
use ictus::simulation::{Checkpoint, NumericalFailure, Outcome, Recorder, RunError};
use ictus::units::UnitSystem;

use super::args::RunOptions;
use super::check::units::hints;
use super::diagnostic;
use super::failure::{Failure, INTERRUPTED};
use super::input::{print_warnings, read_scenario, set_up};
use super::print;
use super::progress::Reporter;

/// Returns the exit code: 0 for a finished run, 130 for an interrupted one.
pub fn run(options: &RunOptions) -> Result<ExitCode, Failure> {
    let scenario = read_scenario(&options.scenario)?;
    let directory = options.output.clone().unwrap_or_else(|| scenario.output.directory.clone());
    let resume = |file: &Option<PathBuf>| resume(&scenario, &directory, file.as_deref(), options.quiet);
    let resumed = options.resume.as_ref().map(resume).transpose()?;
    let Completed { summary, failure, frames } =
        execute(&scenario, &directory, options.quiet, &stop_on_signal()?, resumed)?;
    if let Some(failure) = failure {
        return Err(Failure::Numerical(failure, directory));
    }
    let interrupted = summary.status == Status::Interrupted;
    if !options.quiet {
        print::text(&report(&summary, &scenario, &directory, frames));
        if interrupted {
            print::text(&format!("continue with: {}\n", command_to_resume(options)));
        }
    }
    Ok(if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

pub(super) struct Completed {
    pub summary: Summary,
    pub failure: Option<Box<NumericalFailure>>,
    pub frames: usize,
}

/// A checkpoint, and the lock of the output directory; the lock is `None` if the directory does not exist.
pub(super) struct Resumed {
    lock: Option<DirectoryLock>,
    checkpoint: Checkpoint,
}

/// The output directory is locked during the run.
pub(super) fn execute(
    scenario: &Scenario,
    directory: &Path,
    quiet: bool,
    stop: &Arc<AtomicBool>,
    resumed: Option<Resumed>,
) -> Result<Completed, Failure> {
    let start = Instant::now();
    let resumed_at = resumed.as_ref().map(|resumed| resumed.checkpoint.instant().0);
    let mut simulation = set_up(scenario)?;
    if !quiet {
        let hints = hints(scenario, &simulation);
        hints.iter().for_each(|hint| print::message(&diagnostic::plain("hint", hint)));
    }
    // Variables are dropped in the reverse order of their declaration. The lock is declared before the recorder, and so
    // outlives the recorder, whose threads can write.
    let (_lock, mut recorder) = match resumed {
        Some(Resumed { lock, checkpoint }) => {
            let (time, step) = checkpoint.instant();
            let second = scenario.likely_units().symbol_of("s");
            let resumed =
                format!("resumed from {}: t = {time:.9} {second}, step {step}\n", checkpoint.path.display());
            let recorder = Recorder::resume(scenario, directory, &mut simulation, checkpoint)?;
            if !quiet {
                print::message(&resumed);
            }
            (lock, recorder)
        }
        None => {
            let lock = locked(DirectoryLock::create(directory), quiet)?;
            print_warnings(&other_runs(directory, &scenario.name));
            (Some(lock), Recorder::create(scenario, directory, &simulation)?)
        }
    };
    let known: BTreeSet<String> = simulation.warnings().into_iter().collect();
    let mut reporter = Reporter::new(quiet, scenario.likely_units());
    let result = simulation.run(&mut recorder, &mut |progress| reporter.show(progress), stop);
    reporter.finish();
    let warnings: Vec<String> =
        simulation.warnings().into_iter().filter(|warning| !known.contains(warning)).collect();
    print_warnings(&warnings);
    print_warnings(&warnings_of_probes(recorder.probe_summaries()));

    let (status, failure) = match result {
        Ok(Outcome::Finished) => (Status::Finished, None),
        Ok(Outcome::Interrupted) => (Status::Interrupted, None),
        Err(RunError::Numerical(failure)) => (Status::Failed, Some(failure)),
        Err(RunError::Output(error)) => return Err(error.into()),
        Err(error) => return Err(Failure::Run(Box::new(error))),
    };
    let mut summary = simulation.summary(scenario, status, failure.as_ref());
    summary.probes = recorder.probe_summaries().to_vec();
    summary.threads = rayon::current_num_threads();
    summary.resumed_at = resumed_at;
    summary.wall_seconds.total = start.elapsed().as_secs_f64();
    summary.write(directory)?;
    Ok(Completed { summary, failure: failure.map(Box::new), frames: recorder.num_frames() })
}

/// One warning for each scenario with another name whose frames are in the directory.
fn other_runs(directory: &Path, name: &str) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let stems =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "pvd"));
    let beside = ["_walls", "_volumes", "_levels"];
    let of_run = |path: std::path::PathBuf| {
        let stem = path.file_stem()?.to_str()?;
        Some(beside.iter().find_map(|suffix| stem.strip_suffix(suffix)).unwrap_or(stem).to_owned())
    };
    let others: BTreeSet<String> = stems.filter_map(of_run).filter(|stem| stem != name).collect();
    let warning = |stem| {
        format!(
            "`{}` holds frames of another scenario, {stem}.pvd; its tables are replaced, its frames stay",
            directory.display()
        )
    };
    others.into_iter().map(warning).collect()
}

/// Prints a message if the lock is taken over from a run that ended early.
fn locked(lock: Result<DirectoryLock, OutputError>, quiet: bool) -> Result<DirectoryLock, Failure> {
    let lock = lock?;
    if let (Some(owner), false) = (&lock.taken_over, quiet) {
        print::message(&format!(
            "{owner} ended without completing its run; its output directory is taken over\n"
        ));
    }
    Ok(lock)
}

fn resume(
    scenario: &Scenario,
    directory: &Path,
    file: Option<&Path>,
    quiet: bool,
) -> Result<Resumed, Failure> {
    let lock = directory.is_dir().then(|| locked(DirectoryLock::acquire(directory), quiet)).transpose()?;
    Ok(Resumed { lock, checkpoint: read_checkpoint(scenario, directory, file)? })
}

/// The checkpoint in `file`, or else the latest readable checkpoint of the output directory.
fn read_checkpoint(
    scenario: &Scenario,
    directory: &Path,
    file: Option<&Path>,
) -> Result<Checkpoint, Failure> {
    let read = Checkpoint::read(scenario, file.unwrap_or(directory));
    let (checkpoint, damaged) = read.map_err(|error| Failure::Checkpoint(Box::new(error)))?;
    let warning = |path: &PathBuf| {
        format!(
            "checkpoint '{}' is damaged or cannot be read; the previous checkpoint is used",
            path.display()
        )
    };
    print_warnings(&damaged.iter().map(warning).collect::<Vec<_>>());
    let (time, end) = (checkpoint.instant().0, scenario.time.end);
    if time > end {
        let second = scenario.likely_units().symbol_of("s");
        let fact = format!("the checkpoint is at t = {time:.9} {second}, after `time.end` = {end} {second}");
        return Err(Failure::Usage {
            fact,
            help: "give a later `time.end`, or an earlier checkpoint (`--resume FILE`)",
        });
    }
    Ok(checkpoint)
}

fn command_to_resume(options: &RunOptions) -> String {
    let quoted = |text: &str| match text.contains([' ', '\'', '"', '{', '[', '$']) {
        true => format!("'{}'", text.replace('\'', "'\\''")),
        false => text.to_owned(),
    };
    let mut words = vec!["ictus run".to_owned(), quoted(&options.scenario.scenario.display().to_string())];
    words.extend(options.scenario.overrides.iter().map(|text| format!("--set {}", quoted(text))));
    words.extend(
        options.output.iter().map(|path| format!("--output {}", quoted(&path.display().to_string()))),
    );
    words.push("--resume".to_owned());
    words.join(" ")
}

/// A flag that the first interrupt signal sets. The second interrupt signal terminates the program.
pub(super) fn stop_on_signal() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    })
    .map_err(|error| Failure::Usage {
        fact: format!("interrupt signals cannot be caught: {error}"),
        help: "run on a system with catchable interrupt signals",
    })?;
    Ok(stop)
}

/// Largest number of first contacts in the closing report.
const CONTACTS_SHOWN: usize = 10;

fn report(summary: &Summary, scenario: &Scenario, directory: &Path, frames: usize) -> String {
    let units = scenario.likely_units();
    let seconds = |time: f64| format!("{time:.9} {}", units.symbol_of("s"));
    let steps = summary.steps - summary.flight_steps;
    let span = format!(
        "0 to {}, {} steps in flight, {steps} stable steps",
        seconds(summary.time.end),
        summary.flight_steps
    );
    let mut facts = vec![("time", span)];
    let relaxed = summary.relaxation_steps.map(|steps| format!("at rest before t = 0 after {steps} steps"));
    facts.extend(step_limits(summary).map(|text| ("steps limited by", text)));
    facts.extend(relaxed.map(|text| ("dynamic relaxation", text)));
    facts.extend(first_contacts(&summary.first_contacts, units));
    facts.extend(errors(&summary.energy, &summary.momentum, units));
    let EnergySummary { strain, hourglass, .. } = summary.energy;
    if hourglass > 0.0 {
        facts.push(("hourglass energy", format!("{hourglass:.3e} at the end, strain energy {strain:.3e}")));
    }
    facts.extend(unsolved_problems(&summary.contact));
    facts.extend(injuries(&summary.probes, units));
    let file: PathBuf = directory.join(format!("{}.pvd", scenario.name));
    facts.push(("frames", format!("{frames} in {} (open it in ParaView)", file.display())));
    let profile = profile(&summary.wall_seconds);
    let head = format!("{}: {} in {:.1} s", summary.title, describe(summary), summary.wall_seconds.total);
    let in_flight = print::flight(&summary.detection.flight, units);
    let (facts, detection) = (print::name_values(&facts), detection(&summary.detection));
    format!("{head}\n{facts}\n{in_flight}{detection}\n{profile}")
}

/// The energy error has two parts: imbalance and numerical work.
fn errors(
    energy: &EnergySummary,
    momentum: &MomentumSummary,
    units: UnitSystem,
) -> [(&'static str, String); 5] {
    let second = units.symbol_of("s");
    let text = |ErrorSummary { largest, time, end }: ErrorSummary, peak: f64, si: &str| {
        let unit = units.symbol_of(si);
        format!(
            "{largest:.3e} at most, at t = {time:.6e} {second}; {end:.3e} at the end; of {peak:.3e} {unit}"
        )
    };
    let error = |largest: f64, time: f64, end: f64| ErrorSummary { largest, time, end };
    let energy_error = error(energy.largest_error, energy.largest_error_time, energy.final_error);
    let linear = error(momentum.largest_error, momentum.largest_error_time, momentum.final_error);
    let angular = error(
        momentum.largest_angular_error,
        momentum.largest_angular_error_time,
        momentum.final_angular_error,
    );
    [
        ("energy error", text(energy_error, energy.peak, "J")),
        ("- imbalance", text(energy.imbalance, energy.peak, "J")),
        ("- numerical work", text(energy.net_numerical_work, energy.peak, "J")),
        ("momentum error", text(linear, momentum.peak, "N s")),
        ("angular momentum", text(angular, momentum.angular_peak, "N m s")),
    ]
}

fn warnings_of_probes(probes: &[ProbeSummary]) -> Vec<String> {
    let of_probe = |probe: &ProbeSummary| {
        let ProbeSummary { name, warnings, .. } = probe;
        warnings.iter().map(|warning| format!("probe `{name}`: {warning}")).collect::<Vec<_>>()
    };
    probes.iter().flat_map(of_probe).collect()
}

fn injuries(probes: &[ProbeSummary], units: UnitSystem) -> Vec<(&'static str, String)> {
    let unit = units.symbol_of("s");
    let of_probe = |probe: &ProbeSummary| {
        let name = &probe.name;
        let filter = probe.filter.as_ref().map_or(String::new(), |filter| format!(", {filter}"));
        let peak = probe.peak.map(|peak| {
            ("peak", format!("{:.4} g at t = {:.6e} {unit} in {name}{filter}", peak.value, peak.time))
        });
        let criterion = |label: &'static str, hic: Option<HeadInjurySummary>| {
            let text = |hic: HeadInjurySummary| {
                format!("{:.2} from {:.6e} to {:.6e} {unit} in {name}{filter}", hic.value, hic.start, hic.end)
            };
            Some((label, text(hic?)))
        };
        [peak, criterion("HIC15", probe.hic15), criterion("HIC36", probe.hic36)]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
    };
    probes.iter().flat_map(of_probe).collect()
}

/// Limits of the steps outside flight, the most frequent first, each with the number and share of the steps that the
/// limit determined.
fn step_limits(summary: &Summary) -> Option<String> {
    let steps = summary.steps - summary.flight_steps;
    let mut limits: Vec<_> = summary.step_limits.iter().filter(|(name, _)| **name != "flight").collect();
    limits.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let share = |count: u64| 100.0 * count as f64 / steps as f64;
    let text = |(name, count): (&&str, &u64)| format!("{name} {count} ({:.1} %)", share(*count));
    (steps > 0).then(|| limits.into_iter().map(text).collect::<Vec<_>>().join(", "))
}

/// Numbers of contact, tie and geometry problems that were not solved exactly. Zeros are omitted.
fn unsolved_problems(contact: &ContactSummary) -> Vec<(&'static str, String)> {
    let ContactSummary {
        unsolved_impulses,
        jammed_restitutions,
        unsolved_projections,
        unmet_ties,
        unconverged_geometries,
    } = *contact;
    let lines = [
        ("impulses", unsolved_impulses, "groups of contacts not found to their tolerance"),
        ("restitution", jammed_restitutions, "groups of contacts that friction jams"),
        ("projections", unsolved_projections, "groups of contacts not found to their tolerance"),
        ("ties", unmet_ties, "groups of ties not brought to meet"),
        ("geometry", unconverged_geometries, "steps not found to its tolerance at mid-step"),
    ];
    let line = |(name, count, what): (&'static str, u64, &str)| {
        (count > 0).then(|| (name, format!("of {count} {what}")))
    };
    lines.into_iter().filter_map(line).collect()
}

/// One line for each of the first [`CONTACTS_SHOWN`] body pairs. A last line counts the other pairs, if any.
fn first_contacts(contacts: &[FirstContact], units: UnitSystem) -> Vec<(&'static str, String)> {
    let [unit_of_time, unit_of_speed] = ["s", "m/s"].map(|si| units.symbol_of(si));
    let line = |contact: &FirstContact| {
        let (bodies, speed) = (contact.bodies.join(" and "), print::decimals(contact.normal_speed, 3));
        let text =
            format!("{bodies} at {:.9} {unit_of_time}, closing at {speed} {unit_of_speed}", contact.time);
        ("first contact", text)
    };
    let mut lines: Vec<_> = contacts.iter().take(CONTACTS_SHOWN).map(line).collect();
    let others = contacts.len() - lines.len();
    if others > 0 {
        let pairs = if others == 1 { "pair" } else { "pairs" };
        lines.push(("first contact", format!("of {others} more {pairs} of bodies: see summary.json")));
    }
    lines
}

fn profile(timings: &TimingSummary) -> String {
    let row = |(name, seconds): (&str, f64)| {
        let share = 100.0 * seconds / timings.total;
        vec![name.to_owned(), format!("{seconds:.3}"), format!("{share:.1} %")]
    };
    let mut rows: Vec<Vec<String>> = timings.stages().map(row).into();
    rows.push(row(("all", timings.total)));
    print::table(&["<stage", "time [s]", "share"], &rows)
}

/// One row for each term of the cost model of detection, and a row for the sum.
fn detection(summary: &DetectionSummary) -> String {
    let total = summary.total_seconds;
    let share = |seconds: f64| if total > 0.0 { 100.0 * seconds / total } else { 0.0 };
    let time = |seconds: f64| vec![format!("{seconds:.3}"), format!("{:.0} %", share(seconds))];
    let row = |level: DetectionLevel| {
        let cost = level.cost.map_or("-".into(), |cost| format!("{:.3}", 1e6 * cost));
        [vec![level.name.into(), level.count.to_string()], time(level.seconds), vec![cost]].concat()
    };
    let mut rows: Vec<Vec<String>> = summary.levels().map(row).into();
    rows.push([vec!["all".into(), String::new()], time(total), vec![String::new()]].concat());
    print::table(&["<detection", "operations", "time [s]", "share", "of one [µs]"], &rows)
}

fn describe(summary: &Summary) -> &'static str {
    match summary.status {
        Status::Finished => "finished",
        Status::Interrupted => "interrupted",
        _ => "failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_counts_unsolved_problems() {
        assert!(unsolved_problems(&ContactSummary::default()).is_empty());
        let contact = ContactSummary { jammed_restitutions: 7, ..ContactSummary::default() };
        let line = ("restitution", "of 7 groups of contacts that friction jams".to_owned());
        assert_eq!(unsolved_problems(&contact), [line]);
    }

    /// The report lists the first ten body pairs and counts the others.
    #[test]
    fn the_report_names_some_first_contacts() {
        let contact = FirstContact {
            bodies: ["ball".into(), "wall".into()],
            time: 0.25,
            point: [0.0; 3],
            normal: [1.0, 0.0, 0.0],
            normal_speed: 2.0,
        };
        let lines = |count: usize| first_contacts(&vec![contact.clone(); count], UnitSystem::SI);
        let named = "ball and wall at 0.250000000 s, closing at 2.000 m/s";
        assert!(lines(0).is_empty());
        assert!(
            lines(10).len() == 10 && lines(10).iter().all(|line| *line == ("first contact", named.into()))
        );
        let resting = FirstContact { normal_speed: -1e-17, ..contact.clone() };
        assert!(first_contacts(&[resting], UnitSystem::SI)[0].1.ends_with("closing at 0.000 m/s"));
        assert_eq!(lines(1234).len(), 11);
        assert_eq!(lines(1234)[10].1, "of 1224 more pairs of bodies: see summary.json");
    }
}
