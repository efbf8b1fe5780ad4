//! Whole runs: the files left by runs that finish, fail or are interrupted, for any number of threads.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use vtkio::model::{Attribute, DataSet, Piece, VertexNumbers};

use super::{Folder, source};

/// Files of the series listed in the .pvd, with their times.
pub fn listed(folder: &Folder, name: &str) -> Vec<(f64, String)> {
    let text = folder.read(&format!("out/{name}.pvd"));
    let attribute = |line: &str, key: &str| {
        let rest = line.split_once(&format!("{key}=\"")).unwrap().1;
        rest.split_once('"').unwrap().0.to_owned()
    };
    let entries = text.lines().filter(|line| line.contains("<DataSet "));
    entries.map(|line| (attribute(line, "timestep").parse().unwrap(), attribute(line, "file"))).collect()
}

/// Number of points and cells of a frame.
fn size_of_frame(path: &Path) -> (usize, usize) {
    let vtk = vtkio::Vtk::import(path).unwrap();
    let DataSet::UnstructuredGrid { pieces, .. } = vtk.data else { panic!("not an unstructured grid") };
    let [Piece::Inline(piece)] = &pieces[..] else { panic!("not one inline piece") };
    let VertexNumbers::XML { offsets, .. } = &piece.cells.cell_verts else { panic!("not XML") };
    (piece.points.len() / 3, offsets.len())
}

/// The last frame holds the whole model, and the series lists it at the end time of the summary. The history has
/// exactly one row at that time.
fn assert_last_state_is_there(folder: &Folder, summary: &Value) {
    let frames = listed(folder, "impact");
    let (time, file) = frames.last().unwrap();
    assert_eq!(*time, summary["time"]["end"].as_f64().unwrap());
    assert_eq!(size_of_frame(&folder.path("out").join(file)), (343 + 6 * 7 * 8, 216 + 5 * 6 * 7));
    let written = fs::read_dir(folder.path("out/frames")).unwrap().count();
    assert_eq!(written, frames.len());
    let history = folder.read("out/history.csv");
    let rows = history.lines().skip(1).map(|row| row.split(',').next().unwrap());
    let times: Vec<f64> = rows.map(|time| time.parse().unwrap()).collect();
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
    assert_eq!(times.last(), Some(time));
}

/// The report gives the hourglass energy only if elements are integrated with one point. The value equals that of the
/// summary and of the last row of the history, to the digits shown.
#[test]
fn energy_of_hourglass_control_is_reported() {
    let folder = Folder::with_impact();
    assert!(!folder.run(&["run", "impact.toml"]).stdout.contains("hourglass"));
    let text = folder.run(&["run", "impact.toml", "--set", "bodies.left.hex=one-point"]);
    assert_eq!(text.code, Some(0), "{}", text.stderr);
    let energy = &folder.json("out/summary.json")["energy"];
    let [hourglass, strain] = ["hourglass", "strain"].map(|name| energy[name].as_f64().unwrap());
    let line = format!("hourglass energy  {hourglass:.3e} at the end, strain energy {strain:.3e}");
    assert!(hourglass > 0.0 && text.stdout.contains(&line), "{line} is not in\n{}", text.stdout);
    let history = folder.read("out/history.csv");
    let rows: Vec<Vec<&str>> = history.lines().map(|line| line.split(',').collect()).collect();
    let column = rows[0].iter().position(|name| *name == "hourglass_energy").unwrap();
    assert_eq!(rows[rows.len() - 1][column].parse::<f64>().unwrap(), hourglass);
}

/// For each limit, the summary counts the rows of `steps.csv` with that limit; `steps.csv` has a row for every step.
/// The report adds the share of each limit in the steps outside flight.
#[test]
fn steps_are_counted_by_what_limited_them() {
    let folder = Folder::with_impact();
    let keys = ["output.history.interval=0", "time.flight_step=1e-4"];
    let text = folder.run(&["run", "impact.toml", "--set", keys[0], "--set", keys[1]]).succeeds();
    let summary = folder.json("out/summary.json");
    assert_eq!(num_limited_steps(&summary), summary["steps"].as_u64().unwrap());
    let table = folder.read("out/steps.csv");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let column = rows[0].iter().position(|name| *name == "limited_by").unwrap();
    let limits = summary["step_limits"].as_object().unwrap();
    assert!(limits.len() >= 3 && limits["flight"] == summary["flight_steps"], "{limits:?}");
    let line = text.lines().find(|line| line.starts_with(" steps limited by ")).unwrap();
    let outside = (summary["steps"].as_u64().unwrap() - summary["flight_steps"].as_u64().unwrap()) as f64;
    for (limit, count) in limits {
        let count = count.as_u64().unwrap();
        assert_eq!(rows.iter().filter(|row| row[column] == limit).count() as u64, count, "{limit}");
        let share = format!("{limit} {count} ({:.1} %)", 100.0 * count as f64 / outside);
        assert_eq!(line.contains(&share), limit != "flight", "{share} in {line}");
    }
}

/// Sum of the numbers of steps over all limits.
fn num_limited_steps(summary: &Value) -> u64 {
    summary["step_limits"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum()
}

#[test]
fn a_finished_run_leaves_frames_history_and_summary() {
    let folder = Folder::with_impact();
    let text = folder.run(&["run", "impact.toml"]);
    assert_eq!(text.code, Some(0), "{}", text.stderr);
    let text = text.stdout;
    for part in
        ["Two blocks: finished in ", "left and right at 0.000005000 s, closing at 20.000 m/s", "impact.pvd"]
    {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let summary = folder.json("out/summary.json");
    assert_detection_is_reported(&text, &summary);
    assert_eq!(summary["status"], "finished");
    assert_eq!(summary["time"]["end"], 3e-4);
    assert_last_state_is_there(&folder, &summary);
    assert!(folder.read("out/history.csv").lines().count() >= 30);
}

/// The closing report has a row for each stage of detection with the values of the summary. The count times the cost of
/// one operation is the time of a stage. The times of the stages add up to the total of the detector. This total is at
/// most the time of detection that the run measures.
fn assert_detection_is_reported(text: &str, summary: &Value) {
    let detection = &summary["detection"];
    let seconds = |stage: &str| detection["seconds"][stage].as_f64().unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip_while(|line| !line.starts_with(" detection  "))
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows[0], ["detection", "operations", "time", "[s]", "share", "of", "one", "[µs]"]);
    let mut sum = 0.0;
    for (row, stage) in rows[1..6].iter().zip(["trajectory", "update", "overlap", "primitive", "monitor"]) {
        let words = if stage == "monitor" { vec!["travel", "bound"] } else { vec![stage] };
        let count = detection["counts"][stage].as_u64().unwrap();
        let cost = detection["cost"][stage].as_f64().unwrap();
        assert!(count > 0 && cost > 0.0, "{stage}: {count} of {cost} s");
        assert!((count as f64 * cost / seconds(stage) - 1.0).abs() < 1e-12, "{stage}");
        let (time, of_one) = (format!("{:.3}", seconds(stage)), format!("{:.3}", 1e6 * cost));
        let (name, row) = row.split_at(words.len());
        assert_eq!((name, row[0]), (words.as_slice(), count.to_string().as_str()));
        assert_eq!((row[1], row[3], row[4]), (time.as_str(), "%", of_one.as_str()));
        sum += seconds(stage);
    }
    let total = detection["total_seconds"].as_f64().unwrap();
    assert!((sum / total - 1.0).abs() < 1e-12, "{sum} of {total}");
    assert_eq!(rows[6], ["all", &format!("{total:.3}"), "100", "%"]);
    // The run measures the whole calls of the detector. Between its stages the detector does little, less than half of
    // the time.
    let outside = summary["wall_seconds"]["detection"].as_f64().unwrap();
    assert!(total <= outside && total > 0.5 * outside, "{total} of {outside}");
}

/// The times of the stages add up to the total wall time, in the summary and in the last table of the report.
#[test]
fn stages_of_the_wall_time_add_up() {
    let folder = Folder::with_impact();
    let text = folder.run(&["run", "impact.toml", "--output", "out"]).succeeds();
    let wall = folder.json("out/summary.json")["wall_seconds"].clone();
    let total = wall["total"].as_f64().unwrap();
    let sum: f64 =
        wall.as_object().unwrap().values().map(|seconds| seconds.as_f64().unwrap()).sum::<f64>() - total;
    // Work between the stages takes at most 2 %. In a short run the operating system may take a further 10 ms.
    assert!(sum <= total && sum > 0.98 * total - 0.01, "{sum} of {total}: {wall}");
    let rows = text.lines().skip_while(|line| !line.starts_with(" stage ")).skip(1);
    let stages: Vec<&str> = rows.filter_map(|line| line.split("  ").next()).map(str::trim).collect();
    assert_eq!(stages.len(), wall.as_object().unwrap().len(), "{text}");
    assert_eq!(stages.last(), Some(&"all"));
}

#[test]
fn an_idle_stage_has_no_cost() {
    let folder = Folder::with_drop();
    let text = folder.run(&["run", "drop.toml"]).succeeds();
    let row = text.lines().find(|line| line.starts_with(" primitive ")).unwrap();
    assert!(row.split_whitespace().eq(["primitive", "0", "0.000", "0", "%", "-"]), "{text}");
    let summary = folder.json("out/drop/summary.json");
    assert_eq!(summary["detection"]["counts"]["primitive"], 0);
    assert!(summary["detection"]["cost"]["primitive"].is_null());
}

#[test]
fn quiet_runs_say_nothing() {
    let folder = Folder::with_drop();
    assert_eq!(folder.run(&["run", "drop.toml", "-q", "--output", "elsewhere"]).succeeds(), "");
    assert_eq!(folder.json("elsewhere/summary.json")["status"], "finished");
}

#[test]
fn set_changes_the_scenario() {
    let folder = Folder::with_impact();
    let set =
        ["--set", "time.end=2e-6", "--set", "bodies.left.velocity=[10,0,0]", "--set", "output.directory=o"];
    folder.run(&[&["run", "impact.toml", "-q"][..], &set].concat()).succeeds();
    let summary = folder.json("o/summary.json");
    assert_eq!(summary["time"]["end"], 2e-6);
    assert_eq!(summary["flight_steps"], summary["steps"]);
    let energy = summary["energy"]["final"].as_f64().unwrap();
    assert!((energy / (0.5 * 0.216 * 100.0) - 1.0).abs() < 1e-9, "{energy}");
}

/// A field of the points of a frame.
fn point_field(path: &Path, name: &str) -> Vec<f64> {
    let vtk = vtkio::Vtk::import(path).unwrap();
    let DataSet::UnstructuredGrid { pieces, .. } = vtk.data else { panic!("not an unstructured grid") };
    let [Piece::Inline(piece)] = &pieces[..] else { panic!("not one inline piece") };
    let values = piece.data.point.iter().find_map(|attribute| match attribute {
        Attribute::DataArray(array) if array.name == name => array.data.clone().cast_into(),
        _ => None,
    });
    values.unwrap()
}

/// The frame written after a failure shows the last good step. Compared with a run that wrote this frame before the
/// failure, contact forces are equal to the last bit. Velocities agree to 1e-9 m/s, the rounding of undoing the failed
/// step.
#[test]
fn a_failed_step_leaves_no_trace_in_the_last_frame() {
    let folder = Folder::with_impact();
    let last_frame = |directory: &str, frames: &str| {
        let into = format!("output.directory={directory}");
        let fast = "bodies.left.velocity=[2.4e3, 0, 0]";
        let sets = [fast, "time.step=1e-7", "time.energy_tolerance=1e9", &into, frames];
        let arguments: Vec<&str> = sets.into_iter().flat_map(|set| ["--set", set]).collect();
        let ran = folder.run(&[&["run", "impact.toml"][..], &arguments].concat());
        assert!(ran.code == Some(1) && ran.stderr.contains("inverted"), "{}", ran.stderr);
        let frames = fs::read_dir(folder.path(directory).join("frames")).unwrap();
        frames.map(|frame| frame.unwrap().path()).max().unwrap()
    };
    let before = last_frame("before", "output.contact_interval=1e-12");
    let after = last_frame("after", "output.frames=1");
    let [before_force, after_force] = [&before, &after].map(|path| point_field(path, "contact_force"));
    assert!(before_force.iter().any(|force| force.abs() > 1.0), "no contact");
    assert_eq!(before_force, after_force);
    for (a, b) in point_field(&before, "velocity").iter().zip(point_field(&after, "velocity")) {
        assert!((a - b).abs() < 1e-9, "{a} against {b}");
    }
}

/// With `output.exact`, frames and rows are at their times to the relative rounding error 2.2e-16, in flight, in
/// contact and at the end. The first contact has its own frame.
#[test]
fn exact_output_is_at_its_times() {
    let folder = Folder::with_impact();
    let sets = ["output.exact=true", "output.times=[1.7e-6, 3.1e-5, 1.23e-4, 2.9e-4]"];
    let sets: Vec<&str> = sets.into_iter().flat_map(|set| ["--set", set]).collect();
    let ran = folder.run(&[&["run", "impact.toml"][..], &sets].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let is_at = |written: f64, time: f64| (written - time).abs() <= f64::EPSILON * time;
    let frames: Vec<f64> = listed(&folder, "impact").into_iter().map(|(time, _)| time).collect();
    let mut expected = vec![0.0, 1.7e-6, 3.1e-5, 1.23e-4, 2.9e-4, 3e-4];
    let touched = frames.iter().position(|&time| time > 1.7e-6 && time < 3.1e-5).unwrap();
    expected.insert(touched, frames[touched]);
    assert_eq!(frames.len(), expected.len(), "{frames:?}");
    assert!(frames.iter().zip(&expected).all(|(&frame, &time)| is_at(frame, time)), "{frames:?}");
    let history = folder.read("out/history.csv");
    let rows: Vec<f64> =
        history.lines().skip(1).map(|row| row.split(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!(rows.len(), 31, "{rows:?}");
    assert!(rows.iter().zip(0..).all(|(&row, k)| is_at(row, 1e-5 * f64::from(k))), "{rows:?}");
}

#[test]
fn a_step_too_long_fails_with_its_place_and_a_last_frame() {
    let folder = Folder::with_impact();
    let check = folder.run(&["check", "impact.toml", "--json"]).json();
    let critical =
        check["bodies"].as_array().unwrap().iter().map(|body| body["critical_step"].as_f64().unwrap());
    let step = 3.0 * critical.fold(f64::INFINITY, f64::min);
    let ran = folder.run(&["run", "impact.toml", "--set", &format!("time.step={step:e}")]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);

    let summary = folder.json("out/summary.json");
    assert_eq!(summary["status"], "failed");
    assert_eq!(num_limited_steps(&summary), summary["steps"].as_u64().unwrap());
    let failure = &summary["failure"];
    let (number, time) = (failure["step"].as_u64().unwrap(), failure["time"].as_f64().unwrap());
    let body = failure["body"].as_str().unwrap();
    assert!(body == "left" || body == "right");
    let element = failure["element"].as_u64().unwrap();
    assert!((1..=216).contains(&element));
    let place = format!(" in step {number} at t = {time:.9e} s, body `{body}`, element {element}; step ");
    let error = ran.stderr.lines().find(|line| line.starts_with("error: ")).unwrap();
    assert!(error.contains(&place), "{error}\n{place}");
    assert!(
        ran.stderr.contains("the step exceeds the critical step and may be unstable: use time.step = \"auto\", or a smaller one"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("; the last frame in `out` shows the state"), "{}", ran.stderr);
    assert_last_state_is_there(&folder, &summary);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_a_last_frame() {
    use std::process::{Command, Stdio};
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    let folder = Folder::with_impact();
    let mut child = folder
        .command(&["run", "impact.toml", "--set", "time.end=10", "--set", "output.history.interval=1"])
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // The run writes its first frame after it has installed its signal handler; afterwards it gets time for some steps.
    let start = Instant::now();
    while !folder.path("out/impact.pvd").exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "the run does not begin");
        sleep(Duration::from_millis(10));
    }
    sleep(Duration::from_millis(300));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));

    let summary = folder.json("out/summary.json");
    assert_eq!(summary["status"], "interrupted");
    let end = summary["time"]["end"].as_f64().unwrap();
    assert!(end > 0.0 && end < 10.0, "{end}");
    assert_last_state_is_there(&folder, &summary);
}

/// Contents of the result files that hold no wall times.
fn result(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let files =
        [directory.to_path_buf(), directory.join("frames")].map(|folder| fs::read_dir(folder).unwrap());
    files
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file() && path.file_name().unwrap() != "summary.json")
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap()))
        .collect()
}

/// Runs a scenario with one and with two threads, and expects the same bytes in all tables and in at least `frames`
/// frames.
fn assert_threads_do_not_matter(scenario: &str, folder: &Folder, set: &[&str], frames: usize) {
    for threads in ["1", "2"] {
        let arguments = ["run", scenario, "-q", "--threads", threads, "--output", threads];
        folder.run(&[&arguments[..], set].concat()).succeeds();
        assert_eq!(folder.json(&format!("{threads}/summary.json"))["threads"].to_string(), threads);
    }
    let (one, two) = (result(&folder.path("1")), result(&folder.path("2")));
    assert!(one.keys().eq(two.keys()), "{:?} {:?}", one.keys(), two.keys());
    assert!(one.keys().filter(|name| name.ends_with(".vtu")).count() >= frames);
    assert!(one.contains_key("history.csv") && one.keys().any(|name| name.ends_with(".pvd")));
    for (name, bytes) in &one {
        assert!(bytes == &two[name], "{name} depends on the number of threads");
    }
}

#[test]
fn two_blocks_move_alike_on_any_number_of_threads() {
    assert_threads_do_not_matter("impact.toml", &Folder::with_impact(), &[], 5);
}

#[test]
fn projectiles_move_alike_on_any_number_of_threads() {
    let scenario = source("configs/projectiles.toml");
    let set = ["--set", "output.frames=3"];
    assert_threads_do_not_matter(scenario.to_str().unwrap(), &Folder::new(), &set, 4);
}
