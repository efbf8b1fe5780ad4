//! Runs that are interrupted and resumed.

use std::collections::BTreeMap;
use std::fs;

use super::Folder;

/// Checkpoints every 0.1 ms of the impact of two blocks.
const CHECKPOINTS: &str = "output.checkpoint={ interval = 1e-4, keep = 3 }";

/// Contents of the result files by name, without the summary and the checkpoints.
fn results(folder: &Folder, directory: &str) -> BTreeMap<String, Vec<u8>> {
    let root = folder.path(directory);
    let entries = [root.clone(), root.join("frames")].map(|path| fs::read_dir(path).unwrap());
    let files = entries.into_iter().flatten().map(|entry| entry.unwrap().path());
    let is_result = |name: &str| name != "summary.json" && !name.starts_with("checkpoint");
    files
        .filter(|path| path.is_file())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path))
        .filter(|(name, _)| is_result(name))
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

/// A run stopped with Ctrl-C is resumed; its files equal those of a run that was never stopped.
#[cfg(unix)]
#[test]
fn an_interrupted_run_goes_on() {
    use std::process::{Command, Stdio};

    let folder = Folder::with_impact();
    let end = "time.end=0.01";
    folder
        .run(&["run", "impact.toml", "--set", end, "--set", "output.frames=200", "-o", "whole", "--quiet"])
        .succeeds();
    let mut child = folder
        .command(&["run", "impact.toml", "--set", end, "--set", "output.frames=200", "-o", "parts"])
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let start = std::time::Instant::now();
    while !folder.path("parts/frames/impact_000001.vtu").exists() {
        assert!(start.elapsed() < std::time::Duration::from_secs(60), "the run does not begin");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(folder.path("parts/checkpoint.bin").exists());
    let ran = folder.run(&[
        "run",
        "impact.toml",
        "--set",
        end,
        "--set",
        "output.frames=200",
        "-o",
        "parts",
        "--resume",
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.starts_with("resumed from parts/checkpoint.bin: t = "), "{}", ran.stderr);
    assert!(folder.json("parts/summary.json")["resumed_at"].as_f64().unwrap() > 0.0);
    let [whole, parts] = ["whole", "parts"].map(|directory| results(&folder, directory));
    assert_eq!(whole.keys().collect::<Vec<_>>(), parts.keys().collect::<Vec<_>>());
    assert!(whole == parts, "the files differ");
}

#[test]
fn other_scenarios_and_meshes_are_refused() {
    let folder = Folder::with_impact();
    let run = |more: &[&str]| {
        let all = ["run", "impact.toml", "--set", "time.end=1e-3", "--set", CHECKPOINTS, "--quiet"];
        folder.run(&[&all, more].concat())
    };
    run(&["--resume"]).refuses(&[
        "error: cannot read checkpoint 'out': there is no such file or directory",
        "  help: give the directory of an interrupted run with `--output DIR`, or a checkpoint with `--resume FILE`",
    ]);
    run(&[]).succeeds();
    run(&["--resume", "--set", "contact.friction=0.5"]).refuses(&[
        "error: checkpoint 'out/checkpoint.bin' belongs to another scenario",
        "  help: only `time.end`, `time.energy_tolerance`, `title` and `[output]` may differ: restore the other keys and \
         the name of the scenario file, or start the run again",
    ]);
    run(&["--resume", "--set", "time.end=1e-4"]).refuses(&[
        "error: the checkpoint is at t = 0.001000000 s, after `time.end` = 0.0001 s",
        "  help: give a later `time.end`, or an earlier checkpoint (`--resume FILE`)",
    ]);
    run(&["--resume", "--set", "time.end=1.2e-3", "--set", "output.frames=3"]).succeeds();
    let last = folder.read("out/history.csv").lines().last().unwrap().to_owned();
    assert!(last.starts_with("0.0012"), "{last}");
    fs::write(folder.path("left.msh"), folder.read("left.msh") + "\n").unwrap();
    run(&["--resume"]).refuses(&[
        "error: checkpoint 'out/checkpoint.bin' belongs to other meshes",
        "  help: restore the mesh files of the run, or start it again",
    ]);
}

/// A damaged checkpoint is skipped with a warning, and the previous checkpoint is used.
#[test]
fn an_older_checkpoint_takes_the_place_of_a_damaged_one() {
    let folder = Folder::with_impact();
    let run = |more: &[&str]| {
        let all = ["run", "impact.toml", "--set", "time.end=1e-3", "--set", CHECKPOINTS, "--quiet"];
        folder.run(&[&all, more].concat())
    };
    run(&[]).succeeds();
    let path = folder.path("out/checkpoint.bin");
    let whole = results(&folder, "out");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let ran = run(&["--resume"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("'out/checkpoint.bin' is damaged"), "{}", ran.stderr);
    assert!(whole == results(&folder, "out"));
    let older = folder.path("out/checkpoint.2.bin");
    assert!(older.exists() && !folder.path("out/checkpoint.3.bin").exists());
    run(&["--resume", "out/checkpoint.2.bin"]).succeeds();
    assert!(whole == results(&folder, "out"));
}
