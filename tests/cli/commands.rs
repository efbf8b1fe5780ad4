//! Commands on good input.

use super::{Folder, block, source};

/// `check` names the rigid body whose mesh limits the steps, and the remedy. Reference: with fewer nodes on its surface
/// the steps are longer.
#[test]
fn check_names_the_rigid_mesh_that_limits_the_steps() {
    let folder = Folder::with_impact();
    let text = folder.read("impact.toml").replace("model = \"neo-hookean\"", "model = \"rigid\"");
    let rigid: Vec<&str> =
        text.lines().filter(|line| !line.starts_with("young") && !line.starts_with("poisson")).collect();
    folder.write("rigid.toml", &(rigid.join("\n") + "\n"));
    let check = ["check", "rigid.toml", "--set", "time.flight_step=1e-4"];
    let told = folder.run(&check).succeeds();
    let limit = "s, limited by the travel of rigid bodies, 1.2e-5 m per step by the mesh of `left`: with fewer nodes on its \
                 surface, steps are longer";
    assert!(told.contains(limit), "{told}");
    let step =
        || folder.run(&[&check[..], &["--json"]].concat()).json()["time"]["stable_step"].as_f64().unwrap();
    let fine = step();
    folder.write("left.msh", &block([3; 3], 0.02));
    folder.write("right.msh", &block([3; 3], 0.02));
    assert!(step() > 5.0 * fine, "{} {fine}", step());
}

#[test]
fn help_names_the_commands_and_the_exit_codes() {
    let folder = Folder::new();
    let help = folder.run(&["--help"]).succeeds();
    for part in
        ["run ", "check ", "predict ", "mesh ", "completions ", "Exit codes: 0 success, 1 numerical failure"]
    {
        assert!(help.contains(part), "{part} is not in\n{help}");
    }
    let help = folder.run(&["run", "--help"]).succeeds();
    for part in ["--set <KEY=VALUE>", "--threads <N>", "--output <DIR>", "--quiet"] {
        assert!(help.contains(part), "{part} is not in\n{help}");
    }
    let script = folder.run(&["completions", "bash"]).succeeds();
    assert!(script.contains("predict") && script.contains("--json"), "{script}");
}

#[test]
fn check_reports_the_set_up_of_a_run() {
    let folder = Folder::with_impact();
    let report = folder.run(&["check", "impact.toml", "--json", "--threads", "1"]).json();
    let left = &report["bodies"][0];
    assert_eq!((&left["name"], &left["nodes"]), (&"left".into(), &343.into()));
    assert_eq!((&left["elements"]["hex8"], &left["faces"]), (&216.into(), &216.into()));
    assert!((left["mass"].as_f64().unwrap() / 0.216 - 1.0).abs() < 1e-12);
    // The fastest wave of the solid has the speed sqrt((λ + 2μ)/ρ). The critical step of a 10 mm element is at most 10
    // mm divided by this speed.
    let critical = left["critical_step"].as_f64().unwrap();
    let fastest = (1e9_f64 * 0.7 / (1.3 * 0.4) / 1000.0).sqrt();
    assert!(critical > 0.3 * 0.01 / fastest && critical <= 0.01 / fastest * (1.0 + 1e-12), "{critical}");
    assert!(left["critical_element"].as_u64().is_some_and(|element| (1..=216).contains(&element)));

    let time = &report["time"];
    let stable = time["stable_step"].as_f64().unwrap();
    assert!(stable > 0.0 && stable <= critical);
    let steps = time["stable_steps"].as_f64().unwrap();
    assert_eq!(steps, ((3e-4 - 5e-6) / stable).ceil());
    assert!(time["wall_seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(time["threads"], 1);
    assert_eq!(report["begins_in_flight"], true);
    assert!((report["first_contact"]["time"].as_f64().unwrap() / 5e-6 - 1.0).abs() < 1e-6);
    assert_eq!(report["warnings"].as_array().unwrap().len(), 0);

    let text = folder.run(&["check", "impact.toml"]).succeeds();
    for part in
        ["Two blocks (impact.toml)", " left ", "216 hex8", "in flight", "left and right at 0.000005000 s"]
    {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(!folder.path("out").exists(), "check writes nothing");
}

#[test]
fn check_warns_of_a_step_that_may_be_unstable() {
    let folder = Folder::with_impact();
    let ran = folder.run(&["check", "impact.toml", "--set", "time.step=1e-4"]);
    assert_eq!(ran.code, Some(0));
    let lines: Vec<&str> = ran.stderr.lines().collect();
    let bound = "s, a lower bound of the stability limit, so that the run may be unstable";
    assert!(lines[0].starts_with("warning: `time.step` is ") && lines[0].ends_with(bound), "{lines:?}");
    let help = lines[1].strip_prefix("  help: set `time.step` to \"auto\", or to ").unwrap();
    let largest = help.strip_suffix(" at most").unwrap();
    let ran = folder.run(&["check", "impact.toml", "--set", &format!("time.step={largest}")]);
    assert_eq!((ran.code, ran.stderr.as_str(), lines.len()), (Some(0), "", 2));
}

#[test]
fn check_counts_all_steps_of_a_body_that_is_held() {
    let folder = Folder::with_drop();
    let hold = "\n[[boundaries]]\nbody = \"block\"\ngroup = \"all\"\nfix = [\"x\"]\n";
    folder.write("drop.toml", &(folder.read("drop.toml") + hold));
    let report = folder.run(&["check", "drop.toml", "--json"]).json();
    assert_eq!(report["begins_in_flight"], false);
    assert!(report["first_contact"].is_null());
    let time = &report["time"];
    assert_eq!(time["stable_steps"].as_f64().unwrap(), (1.0 / time["stable_step"].as_f64().unwrap()).ceil());
    let text = folder.run(&["predict", "drop.toml"]).succeeds();
    assert!(text.contains("No predictions: the run does not begin in flight"), "{text}");
    assert!(text.contains("(held and moved, loaded, damped or driven: block)"), "{text}");
}

#[test]
fn predict_reports_the_first_contact_and_the_hierarchies() {
    let folder = Folder::with_impact();
    let report = folder.run(&["predict", "impact.toml", "--json"]).json();
    assert_eq!((&report["begins_in_flight"], &report["finished"]), (&true.into(), &false.into()));
    let predictions = report["predictions"].as_array().unwrap();
    assert_eq!(predictions[0]["bodies"], serde_json::json!(["left", "right"]));
    for prediction in predictions {
        assert!(prediction["time"].as_f64().unwrap() <= 5e-6 * (1.0 + 1e-9), "{prediction}");
    }
    let contact = &report["first_contacts"][0];
    assert!((contact["time"].as_f64().unwrap() / 5e-6 - 1.0).abs() < 1e-6, "{contact}");
    assert!((contact["normal_speed"].as_f64().unwrap() - 20.0).abs() < 1e-9, "{contact}");
    let tree = &report["hierarchies"][0];
    assert_eq!(tree["leaves"], 216);
    let depth = ["min", "mean", "max"].map(|key| tree["depth"][key].as_f64().unwrap());
    // In a binary tree of 216 leaves the deepest leaf is at least at depth log2 216 = 7.75.
    assert!(depth[0] <= depth[1] && depth[1] <= depth[2] && depth[2] >= 8.0, "{depth:?}");
    assert!(tree["sum_of_volumes"].as_f64().unwrap() > 0.06_f64.powi(3));

    let text = folder.run(&["predict", "impact.toml"]).succeeds();
    for part in [
        "Predictions\n predicted at [s]",
        "First contact\n",
        "0.000005000",
        "Hierarchies\n body",
        "\n no contact before  time at which",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(!folder.path("out").exists(), "predict writes nothing");
}

#[test]
fn predict_says_when_bodies_do_not_meet() {
    let folder = Folder::with_impact();
    let report =
        folder.run(&["predict", "impact.toml", "--json", "--set", "bodies.left.velocity=[-20, 0, 0]"]);
    let report = report.json();
    assert_eq!(report["finished"], true);
    assert_eq!(report["first_contacts"].as_array().unwrap().len(), 0);
    assert_eq!(report["time"], 3e-4);
}

#[test]
fn mesh_reports_groups_elements_and_quality() {
    let folder = Folder::new();
    let file = source("tests/data/mesh/mixed_41_ascii.msh");
    let report = folder.run(&["mesh", file.to_str().unwrap(), "--json"]).json();
    assert_eq!(report["nodes"], 87);
    assert_eq!(
        report["elements"],
        serde_json::json!({"hex8": 8, "line2": 4, "point1": 1, "quad4": 4, "tet4": 100, "tri3": 28, "wedge6": 28})
    );
    let groups = report["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 7);
    assert!(groups.contains(&serde_json::json!({"name": "hexes", "dimension": 3, "tag": 1, "elements": 8})));
    assert!((report["volume"].as_f64().unwrap() - 3.0).abs() < 1e-12);
    assert_eq!(report["inverted"], 0);
    let (min, mean) =
        (report["quality"]["min"].as_f64().unwrap(), report["quality"]["mean"].as_f64().unwrap());
    assert!(0.0 < min && min <= mean && mean <= 1.0);
    assert!(report.get("critical_step").is_none());
}

#[test]
fn mesh_reports_the_critical_step_of_a_material() {
    let folder = Folder::with_drop();
    let material = ["--young", "1e7", "--poisson", "0.4", "--density", "1000"];
    let arguments = [&["mesh", "block.msh", "--json"][..], &material].concat();
    let of_mesh = folder.run(&arguments).json();
    let of_body = folder.run(&["check", "drop.toml", "--json"]).json();
    let ratio =
        of_mesh["critical_step"].as_f64().unwrap() / of_body["bodies"][0]["critical_step"].as_f64().unwrap();
    assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
    let text = folder.run(&[&["mesh", "block.msh"][..], &material].concat()).succeeds();
    assert!(text.contains(" critical step ") && text.contains(" s (element "), "{text}");

    let ran = folder.run(&["mesh", "block.msh", "--young", "1e7"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("--poisson <NU>") && ran.stderr.contains("--density <RHO>"),
        "{}",
        ran.stderr
    );
    folder.run(&["mesh", "block.msh", "--young", "1e7", "--poisson", "0.5", "--density", "1000"]).refuses(&[
        "error: Poisson's ratio is 0.5",
        "  help: give a positive --young, and --poisson between -1 and 0.5",
    ]);
}

#[test]
fn only_solids_have_a_critical_step() {
    let folder = Folder::new();
    let material = ["--young", "1e7", "--poisson", "0.4", "--density", "1000"];
    let file = source("tests/data/bad/surface_only.msh");
    folder.run(&[&["mesh", file.to_str().unwrap()][..], &material].concat()).refuses(&[
        "error: there is no critical step: the mesh has neither volume elements nor plane ones in z = 0",
        "  help: leave out --young, --poisson and --density",
    ]);
    let file = source("tests/data/bad/inverted.msh");
    let report = folder.run(&[&["mesh", "--json", file.to_str().unwrap()][..], &material].concat()).json();
    assert_eq!(report["critical_step"], serde_json::Value::Null);
    assert!(report.get("critical_step").is_some());
    let file = source("tests/data/mesh/plane_41_ascii.msh");
    let report = folder.run(&[&["mesh", "--json", file.to_str().unwrap()][..], &material].concat()).json();
    assert!(report["critical_step"].as_f64().unwrap() > 0.0);
}

#[test]
fn mesh_reports_inverted_elements() {
    let folder = Folder::new();
    let file = source("tests/data/bad/inverted.msh");
    let file = file.to_str().unwrap();
    let report = folder.run(&["mesh", file, "--json"]).json();
    assert_eq!((&report["inverted"], &report["quality"]["min"]), (&1.into(), &0.0.into()));
    let text = folder.run(&["mesh", file]).succeeds();
    assert!(text.contains("1 (element 29)"), "{text}");
}
