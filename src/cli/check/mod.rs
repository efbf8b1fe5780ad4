//! `ictus check`: validates a scenario and its meshes, and reports the time step and the expected cost of a run.

mod probes;
pub(super) mod units;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ictus::io::summary::{FirstContact, Status};
use ictus::scenario::{MaterialSpec, Scenario, StepSize, WallMotion, WallSpec};
use ictus::simulation::{Body, Simulation};
use ictus::units::UnitSystem;
use serde::Serialize;

use super::args::ReportOptions;
use super::failure::Failure;
use super::input::{read_scenario, set_up};
use super::{diagnostic, print};

/// Largest number of steps that are timed for an estimate of the wall time.
const TIMED_STEPS: u32 = 20;
const TIMED_AT_MOST: Duration = Duration::from_secs(1);

#[derive(Debug, Serialize)]
struct Report {
    scenario: String,
    title: String,
    /// Null unless the scenario names a system of units.
    units: Option<&'static str>,
    /// SI or mm-t-s, if the densities and wave speeds of the materials are those of solids in this system only. Null
    /// otherwise, or if the scenario names a system.
    inferred_units: Option<&'static str>,
    /// In the order of the scenario.
    bodies: Vec<BodyReport>,
    walls: Vec<WallReport>,
    probes: Vec<probes::ProbeReport>,
    begins_in_flight: bool,
    /// Predicted first contact; null if the run does not begin in flight, or if the flight meets no contact.
    first_contact: Option<FirstContact>,
    time: TimeReport,
    warnings: Vec<String>,
    hints: Vec<String>,
}

#[derive(Debug, Serialize)]
struct BodyReport {
    name: String,
    nodes: usize,
    /// Number of elements of each kind.
    elements: BTreeMap<&'static str, usize>,
    /// Number of contact faces.
    faces: usize,
    mass: f64,
    /// Lowest and highest coordinates of the nodes at t = 0.
    bounding_box: [[f64; 3]; 2],
    /// Speed of longitudinal waves; null for a rigid body.
    wave_speed: Option<f64>,
    /// Largest distance between two nodes of the same element.
    largest_size: Option<f64>,
    /// Gmsh tag.
    largest_element: Option<u64>,
    /// In the reference configuration; null for a rigid body.
    critical_step: Option<f64>,
    /// Gmsh tag.
    critical_element: Option<u64>,
}

#[derive(Debug, Serialize)]
struct WallReport {
    name: String,
    /// A point of the plane at t = 0.
    point: [f64; 3],
    /// Unit normal towards the bodies.
    normal: [f64; 3],
    motion: &'static str,
    /// Null unless the wall is free along its normal.
    mass: Option<f64>,
}

#[derive(Debug, Serialize)]
struct TimeReport {
    end: f64,
    flight_step: f64,
    stable_step: f64,
    /// Whether the scenario prescribes the step.
    fixed: bool,
    /// Limit that most often determines the stable step, by its name in `steps.csv`. Steps cut to end at an event do
    /// not count.
    limited_by: Option<&'static str>,
    /// Largest admissible displacement of a node of a rigid body in a step, and the body that sets this limit.
    rigid_travel: Option<(f64, String)>,
    /// Number of steps up to the end time, counted from the first contact if the run begins in flight, and otherwise
    /// from t = 0.
    stable_steps: u64,
    /// Expected wall time of the stable steps \[s\].
    wall_seconds: Option<f64>,
    threads: usize,
}

/// Writes no files.
pub fn check(options: &ReportOptions) -> Result<ExitCode, Failure> {
    let scenario = read_scenario(&options.scenario)?;
    let mut simulation = set_up(&scenario)?;
    let report = report(&scenario, &mut simulation);
    if options.json {
        print::json(&report);
    } else {
        print::text(&describe(&report, scenario.likely_units()));
        report.hints.iter().for_each(|hint| print::message(&diagnostic::plain("hint", hint)));
    }
    Ok(ExitCode::SUCCESS)
}

fn report(scenario: &Scenario, simulation: &mut Simulation) -> Report {
    let bodies = simulation.model().bodies.iter().enumerate().filter(|(_, body)| !body.is_wall());
    let bodies = bodies.map(|(index, body)| body_report(scenario, simulation, index, body)).collect();
    let mut hints = units::hints(scenario, simulation);
    let probes = probes::of_nodes(scenario, simulation);
    hints.extend(probes.iter().filter_map(probes::ProbeReport::hint));
    let begins_in_flight = simulation.progress().in_flight;
    let stable_step = simulation.stable_step();
    simulation.fly_to_first_contact();
    let remaining = scenario.time.end - simulation.progress().time;
    let stable_steps = (remaining / stable_step).ceil() as u64;
    let wall_seconds = time_steps(simulation).map(|seconds| seconds * stable_steps as f64);
    // Only a flight predicts a first contact. Without a flight, the first contacts in the summary come from the timed
    // steps, and are not reported.
    let predicted = if begins_in_flight { 1 } else { 0 };
    let summary = simulation.summary(scenario, Status::Finished, None);
    let mut warnings: Vec<String> = scenario.warnings.iter().map(|warning| warning.message.clone()).collect();
    warnings.extend(summary.warnings);
    Report {
        scenario: summary.scenario,
        title: summary.title,
        units: scenario.units.map(|units| units.name),
        inferred_units: scenario.inferred_units().map(|units| units.name),
        bodies,
        walls: scenario.walls.iter().map(wall_report).collect(),
        probes,
        begins_in_flight,
        first_contact: summary.first_contacts.into_iter().take(predicted).next(),
        time: TimeReport {
            end: scenario.time.end,
            flight_step: scenario.time.flight_step,
            stable_step,
            fixed: matches!(scenario.time.step, StepSize::Fixed(_)),
            limited_by: most_frequent_limit(&summary.step_limits),
            rigid_travel: simulation.rigid_travel().map(|(travel, body)| (travel, body.name.clone())),
            stable_steps,
            wall_seconds,
            threads: rayon::current_num_threads(),
        },
        warnings,
        hints,
    }
}

fn body_report(scenario: &Scenario, simulation: &Simulation, index: usize, body: &Body) -> BodyReport {
    let mut elements = BTreeMap::new();
    for block in &body.blocks {
        *elements.entry(block.kind.name()).or_insert(0) += block.tags.len();
    }
    let (critical_step, critical_element) = simulation.critical_step(index).unzip();
    let (largest_size, largest_element) = units::largest_element(simulation, body).unzip();
    let material = body.material.map(|material| &scenario.materials[material]);
    BodyReport {
        name: body.name.clone(),
        nodes: body.nodes.len(),
        elements,
        faces: body.num_faces,
        mass: body.mass,
        bounding_box: units::bounding_box(simulation, body),
        wave_speed: material.and_then(MaterialSpec::wave_speed),
        largest_size,
        largest_element,
        critical_step,
        critical_element,
    }
}

fn wall_report(wall: &WallSpec) -> WallReport {
    let (motion, mass) = match wall.motion {
        WallMotion::Fixed => ("fixed", None),
        WallMotion::Driven(_) => ("driven", None),
        WallMotion::Free { mass, .. } => ("free along its normal", Some(mass)),
    };
    WallReport { name: wall.name.clone(), point: wall.point.into(), normal: wall.normal.into(), motion, mass }
}

/// Limit that determines the most steps. Steps in flight and steps cut to end at an event do not count.
fn most_frequent_limit(limits: &BTreeMap<&'static str, u64>) -> Option<&'static str> {
    let of_stable_steps = limits.iter().filter(|(name, _)| !["flight", "event"].contains(*name));
    of_stable_steps.max_by_key(|(_, count)| **count).map(|(name, _)| *name)
}

/// Mean wall time of up to [`TIMED_STEPS`] steps \[s\]. An untimed step before them builds caches.
fn time_steps(simulation: &mut Simulation) -> Option<f64> {
    if !simulation.is_finished() {
        simulation.advance(f64::INFINITY).ok()?;
    }
    let start = Instant::now();
    let mut steps = 0;
    while steps < TIMED_STEPS && start.elapsed() < TIMED_AT_MOST && !simulation.is_finished() {
        simulation.advance(f64::INFINITY).ok()?;
        steps += 1;
    }
    (steps > 0).then(|| start.elapsed().as_secs_f64() / f64::from(steps))
}

fn describe(report: &Report, units: UnitSystem) -> String {
    let with_unit = |name: &str, si: &str| format!("{name} [{}]", units.symbol_of(si));
    let (mass, step) = (with_unit("mass", "kg"), with_unit("critical step", "s"));
    let rows: Vec<Vec<String>> = report.bodies.iter().map(row).collect();
    let header = ["<body", "nodes", "elements", "faces", &mass, &step, "<controlled by"];
    let mut text = format!("{} ({})\n\n", report.title, report.scenario);
    text.push_str(&print::table(&header, &rows));
    text.push('\n');
    let rows: Vec<Vec<String>> = report.bodies.iter().map(extent_row).collect();
    let [from, to] = ["<from", "<to"].map(|end| with_unit(end, "m"));
    let (speed, size) = (with_unit("wave speed", "m/s"), with_unit("largest element", "m"));
    text.push_str(&print::table(&["<body", &from, &to, &speed, &size], &rows));
    text.push('\n');
    if !report.walls.is_empty() {
        let rows: Vec<Vec<String>> = report.walls.iter().map(wall_row).collect();
        text.push_str(&print::table(&["<wall", "<through", "<normal", "<motion", &mass], &rows));
        text.push('\n');
    }
    if !report.probes.is_empty() {
        text.push_str(&probes::table(&report.probes, units));
        text.push('\n');
    }
    text.push_str(&print::name_values(&expectations(report, units)));
    text
}

fn row(body: &BodyReport) -> Vec<String> {
    let counts: Vec<String> = body.elements.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    vec![
        body.name.clone(),
        body.nodes.to_string(),
        counts.join(" + "),
        body.faces.to_string(),
        print::number(body.mass),
        body.critical_step.map_or("-".into(), |step| format!("{step:.3e}")),
        body.critical_element.map_or("rigid".into(), |element| format!("element {element}")),
    ]
}

fn extent_row(body: &BodyReport) -> Vec<String> {
    let [low, high] = body.bounding_box.map(|point| format!("({})", point.map(print::number).join(", ")));
    let size = body.largest_size.zip(body.largest_element);
    vec![
        body.name.clone(),
        low,
        high,
        body.wave_speed.map_or("-".into(), print::number),
        size.map_or("-".into(), |(size, tag)| format!("{} (element {tag})", print::number(size))),
    ]
}

fn wall_row(wall: &WallReport) -> Vec<String> {
    let vector = |v: &[f64; 3]| format!("({})", v.map(print::number).join(", "));
    vec![
        wall.name.clone(),
        vector(&wall.point),
        vector(&wall.normal),
        wall.motion.into(),
        wall.mass.map_or("-".into(), print::number),
    ]
}

fn expectations(report: &Report, units: UnitSystem) -> Vec<(&'static str, String)> {
    let TimeReport { end, flight_step, stable_step, stable_steps, wall_seconds, threads, .. } = &report.time;
    let unit = units.symbol_of("s");
    let end_time = print::number(*end);
    let mut facts = Vec::new();
    if report.begins_in_flight {
        facts.push(("begins", format!("in flight, in steps of {} {unit}", print::number(*flight_step))));
        facts.push((
            "first contact",
            match &report.first_contact {
                Some(FirstContact { bodies: [first, second], time, .. }) => {
                    format!("{first} and {second} at {time:.9} {unit}")
                }
                None => format!("none up to the end at {end_time} {unit}"),
            },
        ));
    } else {
        facts.push(("begins", "with stable steps, without a flight".into()));
    }
    let limit = limit_of_steps(&report.time, units);
    facts.push(("stable step", format!("{stable_step:.3e} {unit}, {limit}")));
    facts.push(("stable steps", format!("about {stable_steps} up to {end_time} {unit}")));
    if let Some(seconds) = wall_seconds {
        let plural = if *threads == 1 { "" } else { "s" };
        facts.push((
            "wall time",
            format!(
                "about {seconds:.1} s on {threads} thread{plural}, if all steps cost as much as the first"
            ),
        ));
    }
    facts
}

/// Limit of the stable step in words, with a remedy if the mesh of a rigid body determines this limit.
fn limit_of_steps(time: &TimeReport, units: UnitSystem) -> String {
    let text = match (time.limited_by, &time.rigid_travel) {
        _ if time.fixed => "fixed by time.step",
        (Some("flight_step"), _) => "limited by time.flight_step",
        (Some("elements") | None, _) => {
            "time.safety times the critical step; stiff contacts need shorter steps"
        }
        (Some("contact"), _) => "limited by the critical step with the contact stiffness",
        (Some("contact springs"), _) => "limited by stiff contact springs",
        (Some("rigid motion"), Some((travel, body))) => {
            return format!(
                "limited by the travel of rigid bodies, {travel:.1e} {} per step by the mesh of `{body}`: with fewer \
                 nodes on its surface, steps are longer",
                units.symbol_of("m")
            );
        }
        (Some("rest"), _) => "limited by rigid bodies at rest on springs",
        (Some("tunnelling"), _) => "limited by the approach of bodies (half the search depth per step)",
        (Some(other), _) => other,
    };
    text.to_owned()
}
