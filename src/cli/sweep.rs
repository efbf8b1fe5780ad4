//! `ictus sweep`: runs a scenario with all combinations of given values of its keys, and compares the summaries.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use ictus::io::summary::{Status, Summary};
use ictus::scenario::Scenario;

use super::args::{ScenarioOptions, SweepOptions};
use super::failure::{Failure, INTERRUPTED};
use super::input::read_scenario;
use super::print;
use super::run::{execute, stop_on_signal};

const TABLE: &str = "sweep.csv";

struct Axis {
    key: String,
    values: Vec<String>,
}

/// One combination of values, and the folder of its results.
struct Case {
    scenario: Scenario,
    values: Vec<String>,
    folder: PathBuf,
}

/// An invalid combination is reported before the first run. Exit code: 130 if a run was interrupted, otherwise 1 if a
/// run has failed, and otherwise 0.
pub fn sweep(options: &SweepOptions) -> Result<ExitCode, Failure> {
    let axes = options.sets.iter().map(|text| axis(text)).collect::<Result<Vec<_>, _>>()?;
    let combinations = combinations(&axes);
    let cases = combinations.into_iter().map(|values| case(options, &axes, values));
    let mut cases = cases.collect::<Result<Vec<_>, _>>()?;
    number_repeated(cases.iter_mut().map(|case| &mut case.folder));
    let stop = stop_on_signal()?;
    let (mut rows, mut summaries) = (Vec::new(), Vec::new());
    for (index, Case { scenario, values, folder }) in cases.iter().enumerate() {
        if !options.quiet {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            print::message(&format!("{} of {}: {name}\n", index + 1, cases.len()));
        }
        let completed = execute(scenario, folder, options.quiet, &stop, None)?;
        rows.push(values.clone());
        summaries.push(completed.summary);
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    let table = table(&axes, &rows, &summaries);
    if let Some(directory) = cases.first().and_then(|case| case.folder.parent()) {
        write(&directory.join(TABLE), &table)?;
        print::text(&printed(&table));
        print::text(&format!("\n{}\n", directory.join(TABLE).display()));
    }
    Ok(exit_code(&summaries))
}

fn exit_code(summaries: &[Summary]) -> ExitCode {
    let any = |status: Status| summaries.iter().any(|summary| summary.status == status);
    match (any(Status::Interrupted), any(Status::Failed)) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, true) => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}

/// Reads `KEY=VALUE,VALUE…`.
fn axis(text: &str) -> Result<Axis, Failure> {
    let usage = |fact: String| Failure::Usage {
        fact,
        help: "write KEY=VALUE,VALUE..., as in parameters.v=10,20,30 or bodies.left.velocity=[1,0,0],[2,0,0]",
    };
    let (key, values) = text.split_once('=').ok_or_else(|| usage(format!("`{text}` has no `=`")))?;
    let values = split(values);
    match values.iter().any(String::is_empty) {
        true => Err(usage(format!("`{text}` has an empty value"))),
        false => Ok(Axis { key: key.trim().to_owned(), values }),
    }
}

/// Splits a text at commas outside brackets and quotes.
fn split(text: &str) -> Vec<String> {
    let (mut values, mut depth, mut quote) = (vec![String::new()], 0_i32, None);
    for character in text.chars() {
        match (quote, character) {
            (None, ',') if depth == 0 => {
                values.push(String::new());
                continue;
            }
            (None, '[' | '{' | '(') => depth += 1,
            (None, ']' | '}' | ')') => depth -= 1,
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            _ => {}
        }
        if let Some(value) = values.last_mut() {
            value.push(character);
        }
    }
    values.iter().map(|value| value.trim().to_owned()).collect()
}

/// The value of the last key changes fastest.
fn combinations(axes: &[Axis]) -> Vec<Vec<String>> {
    axes.iter().fold(vec![Vec::new()], |combinations, axis| {
        let extended = combinations.iter().flat_map(|chosen| {
            axis.values.iter().map(|value| [chosen.as_slice(), std::slice::from_ref(value)].concat())
        });
        extended.collect()
    })
}

fn case(options: &SweepOptions, axes: &[Axis], values: Vec<String>) -> Result<Case, Failure> {
    let overrides = axes.iter().zip(&values).map(|(axis, value)| format!("{}={value}", axis.key));
    let scenario = ScenarioOptions {
        scenario: options.scenario.clone(),
        overrides: overrides.collect(),
        threads: options.threads,
    };
    let scenario = read_scenario(&scenario)?;
    let directory = options.output.clone().unwrap_or_else(|| {
        let mut directory = scenario.output.directory.clone().into_os_string();
        directory.push("_sweep");
        directory.into()
    });
    let folder = directory.join(folder_name(axes, &values));
    Ok(Case { scenario, values, folder })
}

/// For example, `v=10,friction=0.3`, with only the last part of each key.
fn folder_name(axes: &[Axis], values: &[String]) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "+-.".contains(c);
    let plain = |text: &str| text.chars().map(|c| if is_plain(c) { c } else { '_' }).collect::<String>();
    let last = |key: &str| plain(key.rsplit('.').next().unwrap_or_default());
    let parts = axes.iter().zip(values).map(|(axis, value)| format!("{}={}", last(&axis.key), plain(value)));
    parts.collect::<Vec<_>>().join(",")
}

/// Appends numbers to repeated folder names. For example, the meshes `a/b` and `a_b` give the same name.
fn number_repeated<'a>(folders: impl Iterator<Item = &'a mut PathBuf>) {
    let mut counts: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for folder in folders {
        let count = counts.entry(folder.clone()).or_default();
        *count += 1;
        if *count > 1 {
            folder.as_mut_os_string().push(format!(",{count}"));
        }
    }
}

/// One row for each run, below a header: the values of the keys, followed by results.
fn table(axes: &[Axis], values: &[Vec<String>], summaries: &[Summary]) -> Vec<Vec<String>> {
    let keys = axes.iter().map(|axis| axis.key.clone());
    let results = [
        "status",
        "end_time",
        "steps",
        "first_contact",
        "energy_error",
        "end_energy",
        "strain_energy",
        "wall_seconds",
    ];
    let probes = summaries.first().map_or(&[][..], |summary| &summary.probes);
    let of_probes = probes
        .iter()
        .flat_map(|probe| ["peak", "hic15", "hic36"].map(|what| format!("{}_{what}", probe.name)));
    let header: Vec<String> = keys.chain(results.map(String::from)).chain(of_probes).collect();
    let rows =
        values.iter().zip(summaries).map(|(values, summary)| [values.clone(), results_of(summary)].concat());
    let table: Vec<Vec<String>> = std::iter::once(header).chain(rows).collect();
    without_empty_columns(table)
}

fn results_of(summary: &Summary) -> Vec<String> {
    let status = match summary.status {
        Status::Finished => "finished",
        Status::Interrupted => "interrupted",
        _ => "failed",
    };
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let mut results = vec![
        status.into(),
        number(Some(summary.time.end)),
        summary.steps.to_string(),
        number(summary.first_contacts.first().map(|contact| contact.time)),
        number(Some(summary.energy.largest_error)),
        number(Some(summary.energy.end)),
        number(Some(summary.energy.strain)),
        number(Some(summary.wall_seconds.total)),
    ];
    for probe in &summary.probes {
        results.push(number(probe.peak.map(|peak| peak.value)));
        results.extend([probe.hic15, probe.hic36].map(|hic| number(hic.map(|hic| hic.value))));
    }
    results
}

fn without_empty_columns(table: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let num_columns = table.first().map_or(0, Vec::len);
    let is_kept =
        |column: usize| table[1..].iter().any(|row| row.get(column).is_some_and(|cell| !cell.is_empty()));
    let kept: Vec<usize> = (0..num_columns).filter(|&column| is_kept(column)).collect();
    let cells =
        |row: &Vec<String>| kept.iter().map(|&column| row.get(column).cloned().unwrap_or_default()).collect();
    table.iter().map(cells).collect()
}

fn write(path: &Path, table: &[Vec<String>]) -> Result<(), Failure> {
    let cannot_write = |error: &dyn std::fmt::Display| Failure::cannot_write(path, error);
    let mut writer = csv::Writer::from_path(path).map_err(|error| cannot_write(&error))?;
    for row in table {
        writer.write_record(row).map_err(|error| cannot_write(&error))?;
    }
    writer.flush().map_err(|error| cannot_write(&error))
}

/// Rounds numbers of more than eight characters.
fn printed(table: &[Vec<String>]) -> String {
    let rounded = |cell: &String| match cell.parse::<f64>() {
        Ok(number) if cell.len() > 8 => print::number(number),
        _ => cell.clone(),
    };
    let rows: Vec<Vec<String>> = table[1..].iter().map(|row| row.iter().map(rounded).collect()).collect();
    let header: Vec<&str> = table[0].iter().map(String::as_str).collect();
    print::table(&header, &rows)
}
