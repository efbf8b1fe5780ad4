//! `ictus predict`: trajectories up to the first contact.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ictus::contact::detection::DetectionMethod;
use ictus::io::summary::{FirstContact, FlightDetection, HierarchySummary, Prediction, Status};
use ictus::scenario::Scenario;
use ictus::simulation::Simulation;
use ictus::units::UnitSystem;
use serde::Serialize;

use super::args::PredictOptions;
use super::failure::Failure;
use super::input::{read_scenario, set_up};
use super::print;

#[derive(Debug, Serialize)]
struct Report {
    scenario: String,
    title: String,
    /// Null unless the scenario names a system of units.
    units: Option<&'static str>,
    /// Without a flight, nothing is predicted.
    begins_in_flight: bool,
    /// Names of the bodies that prevent a flight: they neither move in closed form nor stay at rest.
    hindered: Vec<String>,
    /// Time at the end of the flight \[s\].
    time: f64,
    /// Whether the flight lasts until the end of the run.
    finished: bool,
    predictions: Vec<Prediction>,
    first_contacts: Vec<FirstContact>,
    hierarchies: Vec<HierarchySummary>,
    /// Instants in flight at which detection was active, each with the wall-clock duration of detection.
    detection: FlightDetection,
    /// Only with `--levels`.
    #[serde(skip_serializing_if = "Option::is_none")]
    levels: Option<LevelsReport>,
}

#[derive(Debug, Serialize)]
struct LevelsReport {
    /// Number of levels, including the roots.
    count: u32,
    file: PathBuf,
}

pub fn predict(options: &PredictOptions) -> Result<ExitCode, Failure> {
    let scenario = read_scenario(&options.report.scenario)?;
    let mut simulation = set_up(&scenario)?;
    let mut report = report(&scenario, &mut simulation);
    if let Some(depth) = options.levels {
        let directory = options.output.as_deref().unwrap_or(&scenario.output.directory);
        report.levels = Some(write_levels(&scenario, &simulation, directory, depth)?);
    }
    if options.report.json {
        print::json(&report);
    } else {
        print::text(&describe(&report, scenario.likely_units()));
    }
    Ok(ExitCode::SUCCESS)
}

fn write_levels(
    scenario: &Scenario,
    simulation: &Simulation,
    directory: &Path,
    depth: u32,
) -> Result<LevelsReport, Failure> {
    let name = format!("{}_levels", scenario.name);
    let count = simulation.write_hierarchy_levels(directory, &name, depth)?;
    let count = count.ok_or_else(|| match scenario.contact.detection {
        DetectionMethod::Hierarchy => Failure::Usage {
            fact: "there are no hierarchies: no body has faces that can touch".into(),
            help: "leave out --levels, or let a body touch (`contact` in [[bodies]])",
        },
        _ => Failure::Usage {
            fact: "there are no hierarchies: `contact.detection` is not `hierarchy`".into(),
            help: "leave out --levels, or add --set contact.detection=hierarchy",
        },
    })?;
    Ok(LevelsReport { count, file: directory.join(name + ".pvd") })
}

fn report(scenario: &Scenario, simulation: &mut Simulation) -> Report {
    let begins_in_flight = simulation.progress().in_flight;
    simulation.fly_to_first_contact();
    let hindered = simulation.model().bodies.iter().filter(|body| !body.flies() && !body.stays());
    let hindered = hindered.map(|body| body.name.clone()).collect();
    let summary = simulation.summary(scenario, Status::Finished, None);
    Report {
        scenario: summary.scenario,
        title: summary.title,
        units: scenario.units.map(|units| units.name),
        begins_in_flight,
        hindered,
        time: summary.time.end,
        finished: simulation.is_finished(),
        predictions: summary.detection.predictions,
        first_contacts: summary.first_contacts,
        hierarchies: summary.detection.hierarchies,
        detection: summary.detection.flight,
        levels: None,
    }
}

fn describe(report: &Report, units: UnitSystem) -> String {
    let mut text = format!("{} ({})\n\n", report.title, report.scenario);
    if report.begins_in_flight {
        text.push_str(&predictions(report, units));
        text.push_str(&first_contacts(report, units));
        text.push_str(&print::flight(&report.detection, units));
    } else {
        let reason = match report.hindered.as_slice() {
            [] => "because of ties, initial gaps, dynamic relaxation, velocities of groups of nodes, a held body with \
                   a velocity, or a rotating linear-elastic body"
                .into(),
            names => format!("held and moved, loaded, damped or driven: {}", names.join(", ")),
        };
        text.push_str(&format!("No predictions: the run does not begin in flight ({reason}).\n\n"));
    }
    text.push_str(&hierarchies(&report.hierarchies, units));
    if let Some(LevelsReport { count, file }) = &report.levels {
        text.push_str(&format!("\n{count} levels in {} (time is depth)\n", file.display()));
    }
    text
}

const LEGEND: [(&str, &str); 3] = [
    ("predicted at", "simulated time at which detection computed the prediction"),
    ("depths", "levels of two bounding volumes in the hierarchies of their bodies; 0 encloses a whole body"),
    ("no contact before", "time at which the two volumes meet; the faces in them cannot touch earlier"),
];

fn predictions(report: &Report, units: UnitSystem) -> String {
    if report.predictions.is_empty() {
        return "No predictions: no body pair can touch, or detection has no hierarchies.\n\n".into();
    }
    let row = |prediction: &Prediction| {
        let Prediction { asked_at, bodies, depth: [first, second], time } = prediction;
        let time = if time.is_finite() { format!("{time:.9}") } else { "never".into() };
        vec![format!("{asked_at:.9}"), bodies.join(" and "), format!("{first}, {second}"), time]
    };
    let rows: Vec<Vec<String>> = report.predictions.iter().map(row).collect();
    let [at, before] =
        ["predicted at", "no contact before"].map(|name| format!("{name} [{}]", units.symbol_of("s")));
    let header = [at.as_str(), "<bodies", "depths", &before];
    let legend = print::name_values(&LEGEND.map(|(name, meaning)| (name, meaning.to_owned())));
    format!("Predictions\n{}\n{legend}\n", print::table(&header, &rows))
}

fn first_contacts(report: &Report, units: UnitSystem) -> String {
    if report.first_contacts.is_empty() {
        return format!(
            "No contact up to the end at t = {} {}.\n\n",
            print::number(report.time),
            units.symbol_of("s")
        );
    }
    let row = |contact: &FirstContact| {
        let speed = print::number(contact.normal_speed);
        let time = format!("{:.9}", contact.time);
        vec![contact.bodies.join(" and "), time, print::point(contact.point), speed]
    };
    let rows: Vec<Vec<String>> = report.first_contacts.iter().map(row).collect();
    let columns = [("time", "s"), ("<point", "m"), ("normal speed", "m/s")];
    let [time, point, speed] = columns.map(|(name, si)| format!("{name} [{}]", units.symbol_of(si)));
    let header = ["<bodies", &time, &point, &speed];
    format!("First contact\n{}\n", print::table(&header, &rows))
}

fn hierarchies(hierarchies: &[HierarchySummary], units: UnitSystem) -> String {
    if hierarchies.is_empty() {
        return "No hierarchies.\n".into();
    }
    let row = |tree: &HierarchySummary| {
        vec![
            tree.body.clone(),
            tree.builder.clone(),
            tree.leaves.to_string(),
            tree.depth.min.to_string(),
            print::number(tree.depth.mean),
            tree.depth.max.to_string(),
            print::number(tree.sum_of_volumes),
        ]
    };
    let rows: Vec<Vec<String>> = hierarchies.iter().map(row).collect();
    let sum = format!("sum of sphere volumes [{}]", units.symbol_of("m³"));
    let header = ["<body", "<builder", "leaves", "least depth", "mean", "largest", &sum];
    format!("Hierarchies\n{}", print::table(&header, &rows))
}
