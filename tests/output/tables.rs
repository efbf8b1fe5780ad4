//! `history.csv` and `summary.json`.

use std::fs;

use ictus::io::history::{BodyRow, History, HistoryRow};
use ictus::io::pairs::{PairRow, Pairs};
use ictus::io::summary::*;
use ictus::io::{OutputError, Tables};
use ictus::math::Vec3;

use super::file_names;

const HISTORY_HEADER: &str = "time,step,dt,kinetic,strain,external_work,contact_energy,friction_dissipation,\
    plastic_dissipation,hourglass_energy,viscous_dissipation,numerical_work,total,energy_error,momentum_x,momentum_y,momentum_z,\
    angular_momentum_x,angular_momentum_y,angular_momentum_z,contacts,left.momentum_x,left.momentum_y,\
    left.momentum_z,left.kinetic,left.centre_x,left.centre_y,left.centre_z,left.contact_force_x,\
    left.contact_force_y,left.contact_force_z,kick,energy_imbalance,net_numerical_work,\
    mass_damping_dissipation";

/// A row with the value (k + shift)/3 in column k. These values differ, and most values need every digit. The counts of
/// steps (column 1) and contacts (column 20) are whole numbers, k + shift.
fn history_row(shift: u32) -> HistoryRow {
    let third = |column: u32| f64::from(column + shift) / 3.0;
    let vector = |column: u32| Vec3::new(third(column), third(column + 1), third(column + 2));
    HistoryRow {
        time: third(0),
        step: u64::from(shift) + 1,
        dt: third(2),
        kinetic: third(3),
        strain: third(4),
        external_work: third(5),
        contact_energy: third(6),
        friction_dissipation: third(7),
        plastic_dissipation: third(8),
        hourglass_energy: third(9),
        viscous_dissipation: third(10),
        numerical_work: third(11),
        total: third(12),
        energy_error: third(13),
        momentum: vector(14),
        angular_momentum: vector(17),
        contacts: u64::from(shift) + 20,
        bodies: vec![BodyRow {
            momentum: vector(21),
            kinetic: third(24),
            centre: vector(25),
            contact_force: vector(28),
        }],
        kick: third(31),
        energy_imbalance: third(32),
        net_numerical_work: third(33),
        mass_damping_dissipation: third(34),
    }
}

#[test]
fn history_has_exactly_its_columns_and_every_digit() {
    let directory = tempfile::tempdir().unwrap();
    let mut history = History::create(&mut Tables::new(directory.path()), &["left"]).unwrap();
    history.append(&history_row(0)).unwrap();
    history.flush().unwrap();
    // The file is read while the history is still open, as after a killed run.
    let path = directory.path().join("history.csv");
    assert_eq!(fs::read_to_string(&path).unwrap().lines().next().unwrap(), HISTORY_HEADER);
    let record = csv::Reader::from_path(&path).unwrap().records().next().unwrap().unwrap();
    for (column, cell) in record.iter().enumerate() {
        match column {
            1 | 20 => assert_eq!(cell, column.to_string(), "counts are whole numbers"),
            _ => assert_eq!(cell.parse::<f64>().unwrap(), column as f64 / 3.0, "column {column}"),
        }
    }
    let refused = history.append(&HistoryRow::default()).unwrap_err();
    assert!(matches!(refused, OutputError::BodyCount { expected: 1, given: 0, .. }));
}

#[test]
fn pairs_have_exactly_their_columns_and_every_digit() {
    let directory = tempfile::tempdir().unwrap();
    let mut pairs = Pairs::create(&mut Tables::new(directory.path())).unwrap();
    let third = |column: u32| f64::from(column) / 3.0;
    let row = PairRow {
        time: third(0),
        bodies: ["left", "a, \"quoted\" one"],
        contacts: 3,
        force: Vec3::new(third(4), third(5), third(6)),
        contact_energy: third(7),
        friction_dissipation: third(8),
        damping_dissipation: third(9),
        contact_area: third(10),
    };
    pairs.append(&[row.clone(), PairRow { bodies: ["left", "floor"], ..row }]).unwrap();
    pairs.flush().unwrap();
    // The file is read while the table is still open, as after a killed run.
    let mut reader = csv::Reader::from_path(directory.path().join("pairs.csv")).unwrap();
    let header = "time,first,second,contacts,force_x,force_y,force_z,contact_energy,friction_dissipation,\
                  damping_dissipation,contact_area";
    assert!(reader.headers().unwrap().iter().eq(header.split(',')));
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), 2);
    for (record, second) in records.iter().zip(["a, \"quoted\" one", "floor"]) {
        assert_eq!([&record[1], &record[2], &record[3]], ["left", second, "3"]);
        for column in [0, 4, 5, 6, 7, 8, 9, 10] {
            assert_eq!(record[column].parse::<f64>().unwrap(), column as f64 / 3.0, "column {column}");
        }
    }
}

pub fn summary() -> Summary {
    let bodies = ["left".to_owned(), "right".to_owned()];
    Summary {
        version: "0.1.0".to_owned(),
        scenario: "configs/drop.toml".to_owned(),
        title: "Drop".to_owned(),
        units: Some("mm-t-s".into()),
        inferred_units: None,
        threads: 2,
        status: Status::Failed,
        failure: Some(Failure {
            message: "inverted element".to_owned(),
            step: 7,
            time: 0.5,
            body: Some("left".to_owned()),
            element: Some(12),
        }),
        bodies: vec![BodySummary {
            name: "left".to_owned(),
            nodes: 8,
            elements: 1,
            faces: 6,
            mass: 2.0,
            critical_step: f64::INFINITY,
        }],
        walls: vec![WallSummary {
            name: "floor".to_owned(),
            point: [0.0, 0.0, -1.0],
            normal: [0.0, 0.0, 1.0],
            mass: None,
        }],
        steps: 7,
        flight_steps: 3,
        step_limits: [("flight", 3), ("elements", 4)].into(),
        relaxation_steps: None,
        resumed_at: None,
        time: TimeSpan { start: 0.0, end: 0.5 },
        wall_seconds: TimingSummary::default(),
        detection: DetectionSummary {
            operated_times: vec![0.05],
            flight: FlightDetection::new([(0.05, 0.001)].into_iter(), 0.01),
            ladder: vec![RungSummary { volume: "obb".to_owned(), tested: 4, excluded: 1, fitted: 2 }],
            predictions: vec![Prediction {
                asked_at: 0.1,
                bodies: bodies.clone(),
                depth: [0, 1],
                time: f64::NAN,
            }],
            hierarchies: vec![HierarchySummary {
                body: "left".to_owned(),
                builder: "fast".to_owned(),
                leaves: 6,
                depth: DepthSummary { min: 2, mean: 2.5, max: 3 },
                sum_of_volumes: 4.0,
                build_seconds: 0.01,
            }],
            ..DetectionSummary::default()
        },
        first_contacts: vec![FirstContact {
            bodies,
            time: 0.25,
            point: [0.0; 3],
            normal: [1.0, 0.0, 0.0],
            normal_speed: 100.0,
        }],
        contact: ContactSummary { unsolved_impulses: 3, ..ContactSummary::default() },
        energy: EnergySummary::default(),
        momentum: MomentumSummary::default(),
        probes: vec![ProbeSummary {
            name: "head".to_owned(),
            samples: 3,
            peak: Some(PeakSummary { value: 80.0, time: 0.25 }),
            hic15: Some(HeadInjurySummary { value: 700.0, start: 0.1, end: 0.115 }),
            hic36: Some(HeadInjurySummary { value: 900.0, start: 0.1, end: 0.136 }),
            ..ProbeSummary::default()
        }],
        warnings: vec!["initial overlap".to_owned()],
    }
}

/// The names in `summary.json` on which scripts rely; `[]` stands for the entries of a list.
const SUMMARY_NAMES: &str = "
    version scenario title units inferred_units threads status
    failure.message failure.step failure.time failure.body failure.element
    bodies[].name bodies[].nodes bodies[].elements bodies[].faces bodies[].mass bodies[].critical_step
    walls[].name walls[].point walls[].normal walls[].mass
    steps flight_steps step_limits.flight step_limits.elements time.start time.end
    wall_seconds.total wall_seconds.read wall_seconds.setup wall_seconds.hierarchy wall_seconds.detection
    wall_seconds.response wall_seconds.internal_force wall_seconds.critical_step wall_seconds.integration
    wall_seconds.account wall_seconds.output
    detection.counts.trajectory detection.counts.update detection.counts.overlap detection.counts.primitive
    detection.seconds.trajectory detection.seconds.update detection.seconds.overlap detection.seconds.primitive
    detection.cost.trajectory detection.cost.update detection.cost.overlap detection.cost.primitive
    detection.counts.monitor detection.seconds.monitor detection.cost.monitor detection.total_seconds
    detection.operated_times detection.flight.instants[].time detection.flight.instants[].seconds
    detection.flight.instants[].share detection.flight.seconds detection.flight.construction_seconds
    detection.flight.construction_share detection.ladder[].volume detection.ladder[].tested
    detection.ladder[].excluded detection.ladder[].fitted
    detection.predictions[].asked_at detection.predictions[].bodies detection.predictions[].depth
    detection.predictions[].time
    detection.hierarchies[].body detection.hierarchies[].builder detection.hierarchies[].leaves
    detection.hierarchies[].depth.min detection.hierarchies[].depth.mean detection.hierarchies[].depth.max
    detection.hierarchies[].sum_of_volumes detection.hierarchies[].build_seconds
    first_contacts[].bodies first_contacts[].time first_contacts[].point first_contacts[].normal
    first_contacts[].normal_speed
    contact.unsolved_impulses contact.jammed_restitutions contact.unsolved_projections contact.unmet_ties
    contact.unconverged_geometries
    energy.initial energy.final energy.strain energy.hourglass energy.mass_damping_dissipation energy.largest_error
    energy.largest_error_time energy.final_error energy.peak
    energy.imbalance.largest energy.imbalance.time energy.imbalance.final
    energy.net_numerical_work.largest energy.net_numerical_work.time energy.net_numerical_work.final
    momentum.largest_error momentum.largest_error_time momentum.final_error momentum.peak
    momentum.largest_angular_error momentum.largest_angular_error_time momentum.final_angular_error
    momentum.angular_peak
    probes[].name probes[].samples probes[].filter probes[].peak.value probes[].peak.time
    probes[].hic15.value probes[].hic15.start probes[].hic15.end probes[].hic36.value probes[].hic36.start probes[].hic36.end
    probes[].warnings
    warnings";

/// Names of every leaf of a JSON value, as paths.
fn names(value: &serde_json::Value, prefix: &str) -> Vec<String> {
    use serde_json::Value;
    match value {
        Value::Object(map) => {
            map.iter().flat_map(|(key, value)| names(value, &format!("{prefix}.{key}"))).collect()
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            items.iter().flat_map(|item| names(item, &format!("{prefix}[]"))).collect()
        }
        _ => vec![prefix.trim_start_matches('.').to_owned()],
    }
}

#[test]
fn summary_has_exactly_the_promised_names() {
    let directory = tempfile::tempdir().unwrap();
    summary().write(directory.path()).unwrap();
    let text = fs::read_to_string(directory.path().join("summary.json")).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut found = names(&value, "");
    found.sort();
    let mut promised: Vec<_> = SUMMARY_NAMES.split_whitespace().collect();
    promised.sort_unstable();
    assert_eq!(found, promised);
    assert!(value["bodies"][0]["critical_step"].is_null(), "infinite is null");
    assert!(value["detection"]["predictions"][0]["time"].is_null(), "not a number is null");
    assert_eq!(file_names(directory.path()), ["summary.json"]);
}

#[test]
fn the_status_of_a_summary_is_one_word_and_a_run_without_failure_has_none() {
    let statuses = [Status::Finished, Status::Failed, Status::Interrupted];
    let words = statuses.map(|status| serde_json::to_value(status).unwrap());
    assert_eq!(words, ["finished", "failed", "interrupted"]);
    let value = serde_json::to_value(Summary { failure: None, ..summary() }).unwrap();
    assert_eq!(value.get("failure"), Some(&serde_json::Value::Null));
}
