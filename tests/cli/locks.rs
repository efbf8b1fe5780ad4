//! Runs that share an output directory.

use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::Folder;

/// Starts a run of many steps into `out`, and waits until the second frame is written.
fn begun(folder: &Folder) -> Child {
    let mut child = folder
        .command(&["run", "impact.toml", "--set", "time.end=0.1", "--set", "output.frames=2000"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !folder.path("out/frames/impact_000001.vtu").exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "the run does not begin");
        assert_eq!(child.try_wait().unwrap(), None, "the run has ended");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

/// Content of the lock file: the process that holds the lock, or nothing after the process has completed its run.
fn owner(folder: &Folder) -> String {
    folder.read("out/.lock").trim_end().to_owned()
}

#[test]
fn a_second_run_into_the_directory_is_refused() {
    let folder = Folder::with_impact();
    let mut first = begun(&folder);
    let named = owner(&folder);
    assert!(named.starts_with(&format!("process {} on host ", first.id())), "{named}");
    let refusal = [
        format!("error: 'out' is in use by {named}"),
        "  help: wait until that run has ended, stop it, or choose another directory (`--output DIR`)"
            .to_owned(),
    ];
    let refusal = refusal.each_ref().map(String::as_str);
    folder.run(&["run", "impact.toml"]).refuses(&refusal);
    folder.run(&["run", "impact.toml", "--resume"]).refuses(&refusal);
    assert_eq!(first.try_wait().unwrap(), None, "the first run has ended");
    folder.run(&["run", "impact.toml", "--output", "other"]);
    assert!(folder.path("other/summary.json").exists());
    assert_eq!(fs::read(folder.path("other/.lock")).unwrap(), b"");
    first.kill().unwrap();
    first.wait().unwrap();
}

#[test]
fn the_lock_of_a_killed_run_is_taken_over() {
    let folder = Folder::with_impact();
    let mut first = begun(&folder);
    first.kill().unwrap();
    first.wait().unwrap();
    let named = owner(&folder);
    let ran = folder.run(&["run", "impact.toml"]);
    let told = format!("{named} ended without completing its run; its output directory is taken over\n");
    assert_eq!((ran.code, ran.stderr.starts_with(&told)), (Some(0), true), "{}", ran.stderr);
    assert_eq!(owner(&folder), "");
    folder.run(&["run", "impact.toml", "--quiet"]).succeeds();
}

#[test]
fn the_lock_of_another_host_is_refused() {
    let folder = Folder::with_impact();
    fs::create_dir(folder.path("out")).unwrap();
    folder.write("out/.lock", "process 77 on host elsewhere.example\n");
    folder.run(&["run", "impact.toml"]).refuses(&[
        "error: 'out' is locked by process 77 on host elsewhere.example",
        "  help: if that run has ended, remove 'out/.lock', or choose another directory (`--output DIR`)",
    ]);
    fs::remove_file(folder.path("out/.lock")).unwrap();
    folder.run(&["run", "impact.toml", "--quiet"]).succeeds();
}
