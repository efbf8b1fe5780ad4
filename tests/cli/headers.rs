//! The numbers in the header comments of the scenarios are those that the program prints.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Folder;

/// Scenarios whose headers list predictions.
const LISTED: [&str; 4] = ["motorcycle", "paper-motorcycle", "paper-projectiles", "projectiles"];

fn scenario(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("configs").join(name).with_extension("toml")
}

/// The comment at the beginning of a scenario, in one line.
fn header(name: &str) -> String {
    let text = fs::read_to_string(scenario(name)).unwrap();
    let lines = text.lines().take_while(|line| line.starts_with('#'));
    lines.map(|line| line.trim_start_matches('#').trim()).collect::<Vec<_>>().join(" ")
}

/// The predictions listed in a header. Each has four texts: the time of the prediction, the depths of the two spheres
/// in their hierarchies, and the predicted time.
fn predictions(header: &str) -> Vec<[String; 4]> {
    let entry = |text: &str| {
        let (asked_at, rest) = text.split_once(" s, depths ")?;
        let (depths, rest) = rest.split_once(": ")?;
        let (first, second) = depths.split_once(" and ")?;
        let (time, _) = rest.split_once(" s")?;
        Some([asked_at, first, second, time].map(str::to_owned))
    };
    header.split(" at ").filter_map(entry).collect()
}

/// Predictions, instants of detection and the first contact in a header equal those of `ictus predict`, to the nine
/// decimals printed.
#[test]
fn predictions_in_headers_are_those_printed() {
    let folder = Folder::new();
    for name in LISTED {
        let header = header(name);
        let ran = folder.run(&["predict", scenario(name).to_str().unwrap(), "--json"]);
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        let number = |value: &Value| format!("{:.9}", value.as_f64().unwrap());
        let row = |found: &Value| {
            let depth = |k: usize| found["depth"][k].to_string();
            [number(&found["asked_at"]), depth(0), depth(1), number(&found["time"])]
        };
        let printed: Vec<_> = report["predictions"].as_array().unwrap().iter().map(row).collect();
        assert_eq!(predictions(&header), printed, "{name}");
        let instants = report["detection"]["instants"].as_array().unwrap();
        let instants: Vec<String> = instants.iter().map(|instant| number(&instant["time"])).collect();
        let active = format!("Active at {} s", instants.join(", "));
        assert!(header.contains(&active), "{name}: no \"{active}\" in the header");
        let contact = format!("First contact at {} s", number(&report["first_contacts"][0]["time"]));
        assert!(header.contains(&contact), "{name}: no \"{contact}\" in the header");
    }
}

/// The first contact in a header equals the first contact of the run to nine decimals, and the energy error to three
/// digits. These runs take a few seconds.
#[test]
fn energy_errors_in_headers_are_those_of_the_runs() {
    for name in ["projectiles", "paper-projectiles", "rough-layers"] {
        let folder = Folder::new();
        let ran = folder.run(&["run", scenario(name).to_str().unwrap(), "--output", "out", "--quiet"]);
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
        let summary = folder.json("out/summary.json");
        let error = summary["energy"]["largest_error"].as_f64().unwrap();
        let contact = summary["first_contacts"][0]["time"].as_f64().unwrap();
        for told in [format!("energy error {error:.2e}"), format!("First contact at {contact:.9} s")] {
            assert!(header(name).contains(&told), "{name}: no \"{told}\" in the header");
        }
    }
}
