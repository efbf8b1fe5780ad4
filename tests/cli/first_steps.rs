//! `ictus init`, `ictus explain` and `ictus examples`.

use std::fs;

use super::{Folder, source};

/// The scenario of `ictus init` is valid without warnings and runs to its end; existing files are not overwritten.
#[test]
fn a_first_scenario_runs() {
    let folder = Folder::new();
    let text = folder.run(&["init", "drop"]).succeeds();
    assert_eq!(text, "drop.toml\ndrop.msh\nrun it with `ictus run drop.toml`\n");
    folder.run(&["check", "drop.toml"]).succeeds();
    let report = folder.run(&["run", "drop.toml", "--set", "time.end=0.2"]).succeeds();
    assert!(report.contains("first contact     block and floor"), "{report}");
    assert!(folder.path("out/drop/probes.csv").exists());
    folder
        .run(&["init", "drop.toml"])
        .refuses(&["error: `drop.toml` exists already", "  help: give another name, or move the file away"]);
}

#[test]
fn keys_are_explained() {
    let folder = Folder::new();
    let told = folder.run(&["explain", "time.step"]).succeeds();
    assert_eq!(
        told,
        "time.step [s]\n  \"auto\" (safety times the critical step) or a number\n  default: \"auto\"\n"
    );
    // A key is found by its name in all tables, or by its path with an index, as in `--set`. A whole table is explained
    // too.
    assert_eq!(folder.run(&["explain", "restitution"]).succeeds().matches("restitution [-]\n").count(), 3);
    assert!(folder.run(&["explain", "probes.0.body"]).succeeds().ends_with("  required\n"));
    assert_eq!(folder.run(&["explain", "[time]"]).succeeds().matches("default: ").count(), 4);
    // Another word is searched for in the explanations, from the beginning of words on: `hic` is in `hic15`, and not in
    // `thickness`.
    let told = folder.run(&["explain", "hic"]).succeeds();
    assert!(told.starts_with("probes.injury\n") && told.matches("default: ").count() == 1, "{told}");
    // Keys of this name come first, then others that contain the word.
    let told = folder.run(&["explain", "damping"]).succeeds();
    let place = |key: &str| told.find(&format!("{key} [")).unwrap();
    assert!(
        told.starts_with("contact.damping [")
            && place("bodies.mass_damping") > place("contact.pairs.damping")
    );
    folder.run(&["explain", "frictoin"]).refuses(&[
        "error: no scenario has a key or table `frictoin`; did you mean `friction`?",
        "  help: give a key such as `time.step` or `friction`, or a table such as `contact`",
    ]);
}

/// `ictus examples` writes identical copies of all scenarios of `configs/` and of their meshes; each scenario is valid
/// in the new directory, without warnings except hints. Existing files are not overwritten.
#[test]
fn examples_are_the_scenarios_of_the_repository() {
    let folder = Folder::new();
    folder.run(&["examples", "cases"]).succeeds();
    for entry in fs::read_dir(source("configs")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let written = fs::read(folder.path(&format!("cases/configs/{name}"))).unwrap();
        assert!(written == fs::read(&path).unwrap(), "{name}");
        let checked = folder.run(&["check", &format!("cases/configs/{name}")]);
        assert_eq!(checked.code, Some(0), "{name}: {}", checked.stderr);
        let is_hint = |line: &str| line.starts_with("hint: ") || line.starts_with("  help: ");
        assert!(checked.stderr.lines().all(is_hint), "{name}: {}", checked.stderr);
    }
    folder
        .run(&["examples", "cases"])
        .refuses(&["error: `cases/configs/disks.toml` exists already", "  help: choose a new directory"]);
}
