//! Values set from the command line.

use super::*;
use ictus::contact::detection::DetectionMethod;

#[test]
fn overrides_change_the_text() {
    let scenario = read(
        "full.toml",
        &[
            "time.end=3.0",
            "time.step=auto",
            "contact.detection=\"hierarchy\"",
            "bodies.0.velocity=[1, 0, 0]",
            "bodies.wall.contact = skin",
            "bodies.bar.rotate.angle=180",
            "loads.0.pressure=2e5*(t < 1)",
            "contact.pairs.0.contact=true",
            "materials.\"glass\".young=6e10",
            "output.history.interval=0.5",
            "time.energy_tolerance=0.02",
        ],
    )
    .unwrap();
    assert_eq!((scenario.time.end, scenario.time.step), (3.0, StepSize::Auto));
    assert_eq!(scenario.contact.detection, DetectionMethod::Hierarchy);
    assert_eq!(scenario.bodies[0].velocity, Vec3::x());
    assert_eq!(scenario.bodies[1].contact, ContactSurface::Skin);
    assert_eq!(scenario.bodies[0].rotate.unwrap().1, std::f64::consts::PI);
    assert!(matches!(&scenario.loads[0].kind, LoadKind::Pressure(f) if f.value(0.5) == 2e5));
    assert_eq!(scenario.contact.excluded, [SurfacePair::whole([2, 3])]);
    assert_eq!(scenario.output.history_interval, 0.5);
    assert!(scenario.source.contains("end = 3.0\n"));
    assert!(scenario.source.starts_with("# Every table"));
    assert!(scenario.source.contains("energy_tolerance = 0.02 # stop early\n"));
    assert_eq!(&scenario.source[scenario.bodies[0].mesh.span.clone()], "\"bar.msh\"");
}

#[test]
fn an_override_takes_the_place_of_its_alternatives() {
    let schedule = |overrides: &[&str]| read("full.toml", overrides).unwrap().output.frames;
    assert_eq!(schedule(&["output.frames=7"]), FrameSchedule::Count(7));
    assert_eq!(schedule(&["output.times=[0.5]"]), FrameSchedule::Times(vec![0.5]));
    assert_eq!(schedule(&["output.frames=7", "output.interval=0.5"]), FrameSchedule::Interval(0.5));
}

#[test]
fn overrides_create_missing_tables() {
    let scenario = read("minimal.toml", &["contact.penalty=0.25", "output.history.interval=0"]).unwrap();
    assert_eq!((scenario.contact.laws.penalty, scenario.output.history_interval), (0.25, 0.0));
}

#[test]
fn invalid_overrides() {
    for (given, message, help) in [
        ("time.end", "override `time.end` has no `=`", "write KEY=VALUE"),
        (
            "bodies.7.mesh=x",
            "override `bodies.7.mesh=x`: `bodies` has no entry 7",
            "it has 3, counted from 0",
        ),
        (
            "bodies.bra.mesh=x",
            "override `bodies.bra.mesh=x`: `bodies` has no entry named `bra`",
            "did you mean `bar`?",
        ),
        ("time.end.x=1", "override `time.end.x=1`: `time.end` is not a table", "an entry of a list"),
        ("a b=1", "override `a b=1` has the invalid key `a b`", "write KEY=VALUE"),
        ("=1", "override `=1` has the invalid key ``", "write KEY=VALUE"),
        ("time.ned=1", "unknown key `ned` in [time]", "did you mean `end`?"),
        ("tmie.end=1", "unknown key `tmie` in the scenario", "did you mean `time`?"),
        ("time.end=-1", "`time.end` is -1, not a positive number", "give a positive number"),
    ] {
        let Err(ScenarioError::Invalid { problems, .. }) = read("full.toml", &[given]) else {
            panic!("{given} is taken")
        };
        assert_eq!(problems.len(), 1, "{problems:#?}");
        assert!(problems[0].message.starts_with(message), "{}", problems[0].message);
        assert!(problems[0].help.as_ref().unwrap().starts_with(help), "{problems:?}");
    }
}

#[test]
fn the_error_reads_as_plain_text() {
    let error = read("full.toml", &["time.saftey=1"]).unwrap_err().to_string();
    let path = data("full.toml");
    let expected = "unknown key `saftey` in [time] (from `--set`)\n  --> PATH [time.saftey]\n  help: did you mean `safety`?";
    assert_eq!(error, expected.replace("PATH", &path.display().to_string()));
}

/// A quoted part of a key may contain `=`; in an unquoted key, `=` ends the key.
#[test]
fn quoted_names_hold_any_sign() {
    for (name, key) in
        [("gl=ass", r#""gl=ass""#), ("gl=ass", "'gl=ass'"), ("g\"=\\", r#""g\"=\\""#), (r"g\=", r"'g\='")]
    {
        let quoted = toml::Value::from(name).to_string();
        let text =
            format!("[materials.{quoted}]\nmodel = \"rigid\"\ndensity = 1.0\n") + &text("minimal.toml");
        let given = [format!("materials.{key}.density = 7.5"), format!("materials.{key}.model = \"rigid\"")];
        let scenario = Scenario::parse(&text, &data("minimal.toml"), &given).unwrap();
        let material = scenario.materials.iter().find(|material| material.name == name).unwrap();
        assert_eq!(material.density, Some(7.5));
    }
    let Err(ScenarioError::Invalid { problems, .. }) = read("full.toml", &["bodies.\"bar.mesh=x"]) else {
        panic!()
    };
    assert!(problems[0].message.contains("invalid key `bodies.\"bar.mesh`"), "{}", problems[0].message);
}

/// Overrides insert lines into the text. Problems of the file are still reported at their lines in the file.
#[test]
fn problems_of_the_file_keep_their_lines() {
    let text = text("minimal.toml") + "[[contact.pairs]]\nbetwen = []\n";
    let overrides = ["time.step=1e-3", "time.safety=2.0", "bodies.0.scale=2.0"].map(str::to_owned);
    let error = Scenario::parse(&text, &data("minimal.toml"), &overrides).unwrap_err();
    let ScenarioError::Invalid { text: file, problems, .. } = error else { panic!("unreadable") };
    assert_eq!(file, text);
    let [safety, unknown] = problems.as_slice() else { panic!("{problems:#?}") };
    assert_eq!(safety.message, "`time.safety` is 2, not a number in (0, 1] (from `--set`)");
    assert_eq!(safety.span, None);
    assert_eq!(&text[unknown.span.clone().unwrap()], "betwen");
}

#[test]
fn a_mesh_is_no_scenario() {
    let path = data("../mesh/cube_22_ascii.msh");
    let error = Scenario::read(&path, &[]).unwrap_err();
    assert!(matches!(error, ScenarioError::Mesh { .. }), "{error}");
    assert!(error.to_string().contains("is a Gmsh mesh, not a scenario; give a TOML file"), "{error}");
}
