//! `ictus sweep`, and hints of `ictus check` about units.

use super::Folder;

/// A sweep runs all combinations of values, each in its own folder. The results of a combination equal the results of a
/// single run with the same values. The table of results is printed and written.
#[test]
fn a_sweep_runs_all_combinations() {
    let folder = Folder::with_impact();
    let text = folder.read("impact.toml").replace("velocity = [20.0, 0.0, 0.0]", "velocity = [\"=v\", 0, 0]");
    folder.write(
        "impact.toml",
        &format!("[parameters]\nv = 1.0\n{}", text.replacen("title = \"Two blocks\"\n", "", 1)),
    );
    let sets = ["--set", "parameters.v=20,40", "--set", "bodies.right.velocity=[0,0,0], [-20, 0, 0]"];
    let told = folder.run(&[&["sweep", "impact.toml", "--quiet"][..], &sets].concat()).succeeds();
    assert!(told.contains("parameters.v") && told.ends_with("out_sweep/sweep.csv\n"), "{told}");
    let csv = folder.read("out_sweep/sweep.csv");
    let rows: Vec<&str> = csv.lines().collect();
    let header = "parameters.v,bodies.right.velocity,status,end_time,steps,first_contact,energy_error";
    assert!(rows[0].starts_with(header), "{csv}");
    assert_eq!(rows.len(), 5, "{csv}");
    for (row, start) in rows[1..].iter().zip([
        "20,\"[0,0,0]\",finished,0.0003,",
        "20,\"[-20, 0, 0]\",finished,0.0003,",
        "40,\"[0,0,0]\",finished,0.0003,",
        "40,\"[-20, 0, 0]\",finished,0.0003,",
    ]) {
        assert!(row.starts_with(start), "{row}");
    }
    let fourth = "out_sweep/v=40,velocity=_-20__0__0_";
    let summary = folder.json(&format!("{fourth}/summary.json"));
    assert_eq!(summary["status"], "finished");
    // The blocks are 0.1 mm apart and approach each other at 60 m/s.
    let contact = summary["first_contacts"][0]["time"].as_f64().unwrap();
    assert!((contact / (1e-4 / 60.0) - 1.0).abs() < 1e-6, "{contact}");
    let alone = ["--set", "parameters.v=40", "--set", "bodies.right.velocity=[-20,0,0]", "-o", "alone", "-q"];
    folder.run(&[&["run", "impact.toml"][..], &alone].concat()).succeeds();
    assert_eq!(folder.read("alone/history.csv"), folder.read(&format!("{fourth}/history.csv")));
}

/// The titles `a/b` and `a b` give the same name of a folder: the second folder has a number, and both runs remain.
#[test]
fn repeated_names_of_folders_are_numbered() {
    let folder = Folder::with_impact();
    folder
        .run(&["sweep", "impact.toml", "-q", "--set", "title='a/b','a b'", "--set", "time.end=1e-5"])
        .succeeds();
    for (name, title) in [("title=_a_b_,end=1e-5", "a/b"), ("title=_a_b_,end=1e-5,2", "a b")] {
        assert_eq!(folder.json(&format!("out_sweep/{name}/summary.json"))["title"], title);
    }
}

/// A sweep with an invalid value, or with a key without values, is refused before the first run.
#[test]
fn sweeps_are_refused_before_they_run() {
    let folder = Folder::with_impact();
    let ran = folder.run(&["sweep", "impact.toml", "--set", "time.safety=0.5,2"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("`time.safety` is 2, not a number in (0, 1]"), "{}", ran.stderr);
    let help = "  help: write KEY=VALUE,VALUE..., as in parameters.v=10,20,30 or bodies.left.velocity=[1,0,0],[2,0,0]";
    folder
        .run(&["sweep", "impact.toml", "--set", "time.end"])
        .refuses(&["error: `time.end` has no `=`", help]);
    folder
        .run(&["sweep", "impact.toml", "--set", "time.end=1,,2"])
        .refuses(&["error: `time.end=1,,2` has an empty value", help]);
    assert!(!folder.path("out_sweep").exists());
}

/// `check` prints extents and wave speeds, and hints at units that look mixed. Common systems of units give no hint,
/// except that materials in mm-t-s without the key `units` ask for this key.
#[test]
fn mixed_units_are_hinted_at() {
    let folder = Folder::with_drop();
    let body = &folder.run(&["check", "drop.toml", "--json"]).json()["bodies"][0];
    assert_eq!(body["bounding_box"], serde_json::json!([[0.0, 0.0, 0.0], [0.02, 0.02, 0.02]]));
    let speed = (1e7_f64 * 0.6 / (1.4 * 0.2) / 1000.0).sqrt();
    assert!((body["wave_speed"].as_f64().unwrap() / speed - 1.0).abs() < 1e-12);
    assert!((body["largest_size"].as_f64().unwrap() / (0.01 * 3_f64.sqrt()) - 1.0).abs() < 1e-12);
    assert!((1..=8).contains(&body["largest_element"].as_u64().unwrap()));
    let material = |density: &str, young: &str| {
        let text = folder.read("drop.toml");
        text.replace("density = 1000.0", density).replace("young = 1e7", young)
    };
    let steel = ["density = 7850", "young = 210000"];
    for (density, young, scale, gravity, hint) in [
        (steel[0], "young = 210e9", 1, "9.81", ""),
        (
            "density = 7.85e-9",
            "young = 210e3",
            1000,
            "9810",
            "hint: the densities and wave speeds are those of solids in mm-t-s",
        ),
        ("density = 7.85e-6", "young = 210", 1000, "9.81e-3", ""),
        (
            steel[0],
            steel[1],
            1,
            "9.81",
            "hint: material `rubber` has a density of 7850 and a wave speed of 7.571e0",
        ),
        (
            "density = 7.85e-9",
            "young = 210e3",
            1000,
            "9.81",
            "hint: gravity is 9.81 and material `rubber` has a density of 7.850e-9\n  help: give gravity in mm-t-s, in \
             which it is 9810",
        ),
        (steel[0], "young = 210e9", 10000, "9.81", "hint: body `block` has a mass of 6.280e10"),
        ("density = 10.0", "young = 1e7", 3000, "9.81", "hint: body `block` has an extent of 60 m"),
    ] {
        let text = material(density, young).replace("9.81]", &format!("{gravity}]"));
        folder.write("units.toml", &format!("{text}scale = {scale}\n"));
        let ran = folder.run(&["check", "units.toml"]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let is_right = if hint.is_empty() { ran.stderr.is_empty() } else { ran.stderr.contains(hint) };
        assert!(is_right, "{density}, {young}: {}", ran.stderr);
    }
}

/// `check` with the key `units` compares a material with the solids of this system only, and prints its symbols.
#[test]
fn units_of_the_scenario_are_those_of_the_report() {
    let folder = Folder::with_drop();
    folder.write("drop.toml", &format!("units = \"mm-t-s\"\n{}", folder.read("drop.toml")));
    let report = folder.run(&["check", "drop.toml"]);
    for part in ["mass [t]", "from [mm]", "wave speed [mm/s]"] {
        assert!(report.stdout.contains(part), "{part} is not in\n{}", report.stdout);
    }
    let hint = "hint: material `rubber` has a density of 1000 and a wave speed of 1.464e2\n  help: in mm-t-s, the `units` of \
                the scenario, no solid has both: steel";
    assert!(report.stderr.starts_with(hint), "{}", report.stderr);
    assert_eq!(folder.run(&["check", "drop.toml", "--json"]).json()["units"], "mm-t-s");
}

/// Hints use the `units` of the scenario: in mm-t-s, a mesh in metres gives tiny masses, and 1 g of a probe is
/// 9806.65 mm/s². With a `g` of another system, the remedy is not to name the units. Overlaps are in mm.
#[test]
fn hints_are_in_the_units_of_the_scenario() {
    let folder = Folder::with_drop();
    let elastic = ["density = 7.85e-9", "young = 210e3"];
    let drop =
        folder.read("drop.toml").replace("density = 1000.0", elastic[0]).replace("young = 1e7", elastic[1]);
    let probe = "[[probes]]\nname = \"top\"\nbody = \"block\"\ninjury = [\"peak\"]\n";
    folder.write("drop.toml", &format!("units = \"mm-t-s\"\n{}\n{probe}", drop.replace("9.81]", "9810]")));
    let told = |sets: &[&str]| {
        let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
        folder.run(&[&["check", "drop.toml"][..], &sets].concat()).stderr
    };
    assert_eq!(told(&["bodies.block.scale=1000"]), "");
    let tiny = told(&["bodies.block.scale=1e-2"]);
    assert!(tiny.starts_with("hint: body `block` has a mass of 6.280e-20 t\n"), "{tiny}");
    assert!(tiny.contains("`scale = 1e3` takes a mesh from metres to millimetres"), "{tiny}");
    assert_eq!(
        told(&["bodies.block.scale=1000", "probes.top.g=9.81"]),
        "hint: probe `top` takes 9.81 for 1 g, while 1 g in mm-t-s is 9806.65\n  help: leave out its `g`, or give it in these \
         units\n"
    );
    let wall = "[[walls]]\nname = \"floor\"\nnormal = [0, 0, 1]\npoint = [0, 0, 5.0]\n";
    folder.write("drop.toml", &format!("{}{wall}", folder.read("drop.toml")));
    let overlap = told(&["bodies.block.scale=1000"]);
    assert!(
        overlap.starts_with("error: two bodies overlap at t = 0: `block` and `floor` by 5.000e0 mm at"),
        "{overlap}"
    );
    assert!(!overlap.contains("scale"), "{overlap}");
}

/// `check` names the node of a probe, and hints at three likely mistakes: a velocity above the wave speed, a `g` of the
/// probe in units other than those of the gravity of the scenario, and a `nearest_node` far from every node of the
/// body.
#[test]
fn velocities_and_probes_in_other_units_are_hinted_at() {
    let folder = Folder::with_drop();
    let probe = "[[probes]]\nname = \"top\"\nbody = \"block\"\nnearest_node = [0.01, 0.01, 20.0]\n\
        quantities = [\"acceleration\"]\ninjury = [\"peak\"]\ng = 9806.65\n";
    let text = folder.read("drop.toml");
    folder.write("units.toml", &format!("{text}velocity = [5000, 0, 0]\n{probe}"));
    let report = folder.run(&["check", "units.toml", "--json"]).json();
    assert_eq!(report["probes"][0]["position"], serde_json::json!([0.01, 0.01, 0.02]));
    let stderr = folder.run(&["check", "units.toml"]).stderr;
    for hint in [
        "hint: body `block` moves at 5000, 34.2 times its wave speed of 146.385",
        "hint: probe `top` takes 9806.65 for 1 g, while 1 g in m-kg-s is 9.80665\n  help: leave out its `g`, or",
        "hint: probe `top` samples node ",
    ] {
        assert!(stderr.contains(hint), "{hint} is not in\n{stderr}");
    }
}
