//! `ictus plot`, and messages about probes.

use std::fs;

use serde_json::Value;

use super::{Folder, IMPACT};

const PROBES: &str = "
[[probes]]
name = \"tip\"
body = \"left\"
nearest_node = [0, 0.03, 0.03]
interval = 1e-6
filter = \"CFC1000\"
injury = [\"peak\", \"hic15\"]
";

/// A folder with a finished run of two impacting blocks in `out`.
fn with_run() -> Folder {
    let folder = Folder::with_impact();
    folder.write("impact.toml", &format!("{IMPACT}{PROBES}"));
    let report = folder.run(&["run", "impact.toml"]);
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    assert!(
        report.stdout.contains(" peak ") && report.stdout.contains(" in tip, CFC 1000"),
        "{}",
        report.stdout
    );
    folder
}

/// Width, height and fraction of non-white pixels of a PNG. The whole picture is decoded.
fn picture(folder: &Folder, name: &str) -> (u32, u32, f64) {
    let file = std::io::BufReader::new(fs::File::open(folder.path(name)).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let inked = pixels.chunks(3).filter(|pixel| *pixel != [255; 3]).count();
    (info.width, info.height, 3.0 * inked as f64 / pixels.len() as f64)
}

/// Each quantity of a run gives an SVG and a PNG of the width of a column, with labelled axes and curves.
#[test]
fn a_run_is_drawn() {
    let folder = with_run();
    let text = folder.run(&["plot", "out"]).succeeds();
    let names = ["energies", "momenta", "step", "forces", "probe_tip"];
    let paths: Vec<String> = names
        .iter()
        .flat_map(|name| ["svg", "png"].map(|ending| format!("out/plots/{name}.{ending}")))
        .collect();
    let (peaks, listed): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with(' '));
    assert_eq!(listed, paths);
    assert!(peaks.len() == 2 && peaks[0].starts_with("  left – right: at most "), "{peaks:?}");
    assert!(
        peaks[1].starts_with("  left – right, mean over ") && peaks[1].contains(" kN, at t = "),
        "{peaks:?}"
    );
    for (name, axis) in
        names.into_iter().zip(["energy [J]", "momentum [", "step [", "contact force [kN]", "velocity [m/s]"])
    {
        let drawing = folder.read(&format!("out/plots/{name}.svg"));
        assert!(drawing.contains(axis) && drawing.contains("time [µs]"), "{name} has no axis {axis}");
        let (width, _, inked) = picture(&folder, &format!("out/plots/{name}.png"));
        assert_eq!(width, 1004);
        assert!((0.01..0.3).contains(&inked), "{name}: {inked} of it is drawn on");
    }
    let forces = folder.read("out/plots/forces.svg");
    assert!(forces.contains("left – right, mean") && forces.contains("<svg stroke-linejoin=\"round\""));
    let probe = folder.read("out/plots/probe_tip.svg");
    for part in ["|acceleration|", "magnitude, CFC 1000", "HIC15 = "] {
        assert!(probe.contains(part), "{part} is not in the picture");
    }
}

/// The steps of a flight are some 70 times those of the impact: their axis is logarithmic, with labels at powers of ten.
#[test]
fn steps_of_different_sizes_have_a_logarithmic_axis() {
    let folder = Folder::with_impact();
    let far = IMPACT
        .replace("[-0.0601,", "[-0.0801,")
        .replace("end = 3e-4\nflight_step = 1e-6", "end = 1.1e-3\nflight_step = 5e-4");
    folder.write("impact.toml", &far);
    folder.run(&["run", "impact.toml", "--quiet"]).succeeds();
    folder.run(&["plot", "out", "step"]).succeeds();
    let drawing = folder.read("out/plots/step.svg");
    let labels: Vec<f64> = drawing.lines().filter_map(|line| line.trim().parse().ok()).collect();
    assert!([1.0, 10.0, 100.0].iter().all(|label| labels.contains(label)), "{labels:?}");
}

/// The same impact in mm, kg and ms, with the key `units`, gives the same figures as the impact in SI units, with equal
/// labels of the axes, forces and times. The filter and the injury criteria count in seconds and standard gravity by
/// themselves. Forces agree to the six digits that are printed, and the criteria to rounding errors of some thousand
/// steps.
#[test]
fn results_in_named_units_are_drawn_in_si_units() {
    let folder = with_run();
    let scenario = format!("units = \"mm-kg-ms\"\n{IMPACT}{PROBES}")
        .replace("end = 3e-4\nflight_step = 1e-6", "end = 0.3\nflight_step = 1e-3")
        .replace("density = 1000.0", "density = 1e-6")
        .replace("young = 1e9", "young = 1.0")
        .replace("[-0.0601, 0.001, 0.002]", "[-60.1, 1.0, 2.0]")
        .replace("material = \"plastic\"", "material = \"plastic\"\nscale = 1000")
        .replace("interval = 1e-5", "interval = 0.01")
        .replace(
            "nearest_node = [0, 0.03, 0.03]\ninterval = 1e-6",
            "nearest_node = [0, 30, 30]\ninterval = 1e-3",
        )
        .replace("directory = \"out\"", "directory = \"millimetres\"");
    folder.write("millimetres.toml", &scenario);
    let report = folder.run(&["run", "millimetres.toml"]);
    assert!(report.stdout.contains(" ms, closing at 20.000 mm/ms"), "{}", report.stderr);
    let injury = |directory: &str, path: &str| {
        let summary = folder.json(&format!("{directory}/summary.json"));
        summary["probes"][0].pointer(path).and_then(serde_json::Value::as_f64).unwrap()
    };
    for path in ["/peak/value", "/hic15/value"] {
        let [si, other] = ["out", "millimetres"].map(|directory| injury(directory, path));
        assert!((other / si - 1.0).abs() < 1e-9, "{path}: {other} for {si}");
    }
    let filter = ["--filter", "CFC 1000", "--to", "2e-4"];
    let peaks = |directory: &str| {
        let text = folder.run(&[&["plot", directory, "forces", "energies"][..], &filter].concat()).succeeds();
        text.lines().filter(|line| line.starts_with(' ')).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(peaks("millimetres"), peaks("out"));
    let labels = |directory: &str| {
        let drawing = folder.read(&format!("{directory}/plots/energies.svg"));
        drawing
            .lines()
            .map(str::trim)
            .filter(|line| !line.starts_with('<'))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert!(labels("out").contains(&"energy [J]".to_owned()));
    assert_eq!(labels("millimetres"), labels("out"));
}

/// Without the key `units`, materials in mm-t-s are recognized: the figure has the energies of the impact in SI units. The
/// summary says that the units are inferred, and a hint asks for the key. Reference: the labels of the axes in SI units.
#[test]
fn forgotten_units_are_inferred_from_the_materials() {
    let folder = Folder::with_impact();
    folder.run(&["run", "impact.toml", "--quiet"]).succeeds();
    let scenario = IMPACT
        .replace("density = 1000.0", "density = 1e-9")
        .replace("young = 1e9", "young = 1e3")
        .replace("[-0.0601, 0.001, 0.002]", "[-60.1, 1.0, 2.0]")
        .replace("[20.0, 0.0, 0.0]", "[20e3, 0.0, 0.0]")
        .replace("material = \"plastic\"", "material = \"plastic\"\nscale = 1000")
        .replace("directory = \"out\"", "directory = \"millimetres\"");
    folder.write("millimetres.toml", &scenario);
    let report = folder.run(&["run", "millimetres.toml"]);
    assert_eq!(report.code, Some(0));
    assert!(report.stdout.contains("closing at 20000.000 mm/s"), "{}", report.stdout);
    let hint = "  help: write `units = \"mm-t-s\"` at the top of the scenario";
    assert!(report.stderr.contains(hint), "{}", report.stderr);
    let summary = folder.json("millimetres/summary.json");
    assert_eq!((&summary["units"], &summary["inferred_units"]), (&Value::Null, &"mm-t-s".into()));
    assert_eq!(folder.json("out/summary.json")["inferred_units"], "m-kg-s");
    let labels = |directory: &str| {
        folder.run(&["plot", directory, "energies"]).succeeds();
        let drawing = folder.read(&format!("{directory}/plots/energies.svg"));
        drawing
            .lines()
            .map(str::trim)
            .filter(|line| !line.starts_with('<'))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let [si, inferred] = ["out", "millimetres"].map(labels);
    assert!(si.contains(&"energy [J]".to_owned()) && inferred == si, "{inferred:?}");
}

/// Two runs are plotted in the same axes with their labels, and a column of a table by its name, into another
/// directory.
#[test]
fn runs_are_drawn_over_each_other() {
    let folder = with_run();
    folder.run(&["run", "impact.toml", "--quiet", "--output", "soft", "--set", "contact.penalty=0.1"]);
    let arguments = [
        "plot",
        "out",
        "soft",
        "left.kinetic",
        "forces",
        "tip",
        "--labels",
        "stiff,compliant",
        "-o",
        "pictures",
        "--units",
        "none",
    ];
    let text = folder.run(&arguments).succeeds();
    assert_eq!(text.lines().filter(|line| !line.starts_with(' ')).count(), 6, "{text}");
    let drawing = folder.read("pictures/left_kinetic.svg");
    for part in ["stiff", "compliant", "left.kinetic", "time [10⁻⁶]"] {
        assert!(drawing.contains(part), "{part} is not in the picture");
    }
    let probe = folder.read("pictures/probe_tip.svg");
    assert!(probe.contains("stiff: HIC15 = ") && probe.contains("compliant: HIC15 = "), "{probe}");
    // A pair has the same colour in all runs, so the legend names it twice only: for its force and for the mean force.
    let drawing = folder.read("pictures/forces.svg");
    assert_eq!(drawing.matches("left – right").count(), 2, "{drawing}");
}

/// The directory of a sweep stands for its runs, in the order of their values. The table of the sweep and other files
/// are passed over, as in `ictus plot out_sweep/*`.
#[test]
fn the_runs_of_a_sweep_are_drawn() {
    let folder = Folder::with_impact();
    folder
        .run(&["sweep", "impact.toml", "-q", "--set", "output.frames=10,9", "--set", "time.end=1e-4"])
        .succeeds();
    let told = folder.run(&["plot", "out_sweep", "energies"]).succeeds();
    assert_eq!(told, "out_sweep/plots/energies.svg\nout_sweep/plots/energies.png\n");
    let drawing = folder.read("out_sweep/plots/energies.svg");
    let place = |label: &str| drawing.find(label).unwrap();
    assert!(place("frames=9,end=1e-4") < place("frames=10,end=1e-4"));
    let inside = ["frames=9,end=1e-4", "plots", "sweep.csv"].map(|name| format!("out_sweep/{name}"));
    let ran = folder.run(&["plot", &inside[0], &inside[1], &inside[2], "energies"]);
    let note = |name: &str| {
        format!("note: `out_sweep/{name}` is passed over: it is no directory of a run or a sweep\n")
    };
    assert_eq!((ran.code, ran.stderr), (Some(0), note("plots") + &note("sweep.csv")));
    folder.run(&["plot", &inside[2]]).refuses(&[
        "error: none of `out_sweep/sweep.csv` is a directory",
        "  help: name the output directory of a run, as in `ictus plot out/drop energies`",
    ]);
}

/// `--from` and `--to` select a span of time. A span without rows is refused, and so is a filter of a quantity that is
/// not drawn.
#[test]
fn a_span_of_time_is_drawn() {
    let folder = with_run();
    folder.run(&["plot", "out", "forces", "--from", "1e-5", "--to", "1e-4"]).succeeds();
    folder.run(&["plot", "out", "forces", "--from", "1.0"]).refuses(&[
        "error: `out` has fewer than two rows between --from and --to",
        "  help: give a longer span of time within that of the run",
    ]);
    folder.run(&["plot", "out", "energies", "--mean", "1e-6"]).refuses(&[
        "error: `--filter` and `--mean` apply to contact forces, which are not among the quantities",
        "  help: add `forces`, or leave them out; probes are filtered by their key `filter` in the scenario",
    ]);
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let folder = with_run();
    folder.run(&["plot", "nowhere"]).refuses(&[
        "error: none of `nowhere` is a directory",
        "  help: name the output directory of a run, as in `ictus plot out/drop energies`",
    ]);
    folder.run(&["plot", "out", "entropy"]).refuses(&[
        "error: `out` contains no quantity `entropy`",
        "  help: ask for energies, momenta, step, forces, probes, a probe name, or a column of a table of the run, such as `kinetic`",
    ]);
    folder.run(&["plot", "out", "--labels", "a,b"]).refuses(&[
        "error: there are 2 labels for 1 runs",
        "  help: give each run one, in their order, as in `--labels coarse,fine`",
    ]);
    folder.run(&["plot", "out", "forces", "--filter", "CFC 61"]).refuses(&[
        "error: there is no channel class `CFC 61`",
        "  help: it is one of \"CFC 60\", \"CFC 180\", \"CFC 600\" and \"CFC 1000\"",
    ]);
    fs::create_dir(folder.path("empty")).unwrap();
    folder.run(&["plot", "empty"]).refuses(&[
        "error: `empty` has no history.csv, and none of its folders has",
        "  help: name a directory that a run or a sweep has written to",
    ]);
}

/// Samples of a filtered probe, and rows of filtered forces, that leave out steps of a run with contact give a warning.
/// Without `interval`, the probe samples every step, and there is no such warning. The 50 rows of a flight, which leave
/// out no steps, do not hide those of the contact after it. Long steps of a flight give no warning: linear interpolation
/// of the constant acceleration is exact.
#[test]
fn samples_that_leave_out_steps_are_reported() {
    let folder = Folder::with_impact();
    let near = String::from(IMPACT);
    let far = |flight_step: &str| {
        let flight = format!("end = 1.3e-3\nflight_step = {flight_step}");
        IMPACT.replace("[-0.0601,", "[-0.0801,").replace("end = 3e-4\nflight_step = 1e-6", &flight)
    };
    let warning = |scene: &str, probe: &str, history: &str| {
        let scenario = format!("{scene}{probe}").replace("interval = 1e-5", history);
        folder.write("impact.toml", &scenario);
        let report = folder.run(&["run", "impact.toml", "--quiet"]);
        assert!(!report.stderr.contains("uneven"), "{}", report.stderr);
        let forces = folder.run(&["plot", "out", "forces", "--filter", "CFC 1000"]).succeeds();
        (
            report.stderr.contains("contact forces oscillate from step to step"),
            forces.contains("rows leave out steps"),
        )
    };
    let every_step = PROBES.replace("interval = 1e-6\n", "");
    assert_eq!(warning(&near, &PROBES.replace("1e-6", "2e-5"), "interval = 2e-5"), (true, true));
    assert_eq!(warning(&near, &every_step, "interval = 0"), (false, false));
    assert_eq!(warning(&far("2e-5"), &every_step, "interval = 2e-5"), (false, true));
    assert_eq!(warning(&far("5e-4"), &every_step, "interval = 0"), (false, false));
}

/// A probe outside its body is refused, with its location in the scenario and the remedy.
#[test]
fn a_probe_outside_of_its_body_is_refused() {
    let folder = Folder::with_impact();
    let probe = "\n[[probes]]\nname = \"tip\"\nbody = \"right\"\npoint = [0.0, -0.01, 0.0]\n";
    folder.write("impact.toml", &format!("{IMPACT}{probe}"));
    folder.run(&["check", "impact.toml"]).refuses(&[
        "error: probe `tip` is at [0.0, -0.01, 0.0], outside of body `right`: the nearest of its nodes, 1, is 1.000e-2 m away, at \
         [0.0, 0.0, 0.0]",
        "    ,-[impact.toml:34:9]",
        " 33 | body = \"right\"",
        " 34 | point = [0.0, -0.01, 0.0]",
        "    :         ^^^^^^^^^^^^^^^^^",
        "    `----",
        "  help: move the point inside, or measure that node by `nearest_node` instead of `point`",
        "",
    ]);
    folder.write(
        "impact.toml",
        &format!("{IMPACT}{}", probe.replace("point = [0.0, -0.01, 0.0]", "group = \"blok\"")),
    );
    let told = folder.run(&["check", "impact.toml"]);
    assert_eq!(told.code, Some(2));
    assert!(
        told.stderr.contains("no physical group `blok`")
            && told.stderr.contains("help: did you mean `block`?"),
        "{}",
        told.stderr
    );
}
