//! A first scenario, and what its keys mean.

use super::Folder;

/// What `ictus init` writes is read without a warning and runs to its end; it writes over nothing.
#[test]
fn a_first_scenario_runs() {
    let folder = Folder::new();
    let text = folder.run(&["init", "drop"]).succeeds();
    assert_eq!(text, "drop.toml\ndrop.msh\nrun it with `ictus run drop.toml`\n");
    folder.run(&["check", "drop.toml"]).succeeds();
    let report = folder.run(&["run", "drop.toml", "--set", "time.end=0.2"]).succeeds();
    assert!(report.contains("first contact     block and floor"), "{report}");
    assert!(folder.path("out/drop/probes.csv").exists());
    folder.run(&["init", "drop.toml"]).refuses(&[
        "error: `drop.toml` is there already",
        "  help: give another name, or move the file away",
    ]);
}

#[test]
fn keys_are_explained() {
    let folder = Folder::new();
    let told = folder.run(&["explain", "time.step"]).succeeds();
    assert_eq!(
        told,
        "time.step [s]\n  \"auto\" (safety times the critical step) or a number\n  default: \"auto\"\n"
    );
    // By its name alone, wherever it stands; as `--set` writes it; a whole table.
    assert_eq!(folder.run(&["explain", "restitution"]).succeeds().matches("restitution [-]\n").count(), 3);
    assert!(folder.run(&["explain", "probes.0.body"]).succeeds().ends_with("  required\n"));
    assert_eq!(folder.run(&["explain", "[time]"]).succeeds().matches("default: ").count(), 4);
    folder.run(&["explain", "frictoin"]).refuses(&[
        "error: no scenario has a key or table `frictoin`; did you mean `friction`?",
        "  help: give a key such as `time.step` or `friction`, or a table such as `contact`",
    ]);
}
