//! Restart: a run that is stopped and continued writes the same files as an uninterrupted run.
//!
//! Goal: frames, histories, pairs, tables and probes are equal byte for byte, and so is the final state. Each run is
//! stopped at three steps and continued from its checkpoint on another number of threads. Reference: the same run
//! without a stop, on one thread. Tolerance: none.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use ictus::scenario::Scenario;
use ictus::simulation::{Checkpoint, Outcome, Recorder, Simulation};

use crate::model::box_mesh;
use crate::round_meshes::ball;

const RIGID: &str = "model = \"rigid\"\ndensity = 1000.0\n";
const RUBBER: &str = "model = \"neo-hookean\"\nyoung = 1e6\npoisson = 0.3\ndensity = 1000.0\n";

/// Files of a run by path, without the summary and checkpoints, and its final state.
struct Files {
    files: BTreeMap<String, Vec<u8>>,
    state: Vec<u8>,
    steps: u64,
}

/// Files of a run by path, without the summary and checkpoints.
fn results(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for folder in [directory.to_path_buf(), directory.join("frames")] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(directory).unwrap().display().to_string();
            assert!(!name.ends_with(".partial"), "{name} is left");
            if path.is_file() && !name.starts_with("checkpoint") && name != "summary.json" {
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    files
}

impl Files {
    fn of(directory: &Path, simulation: &Simulation) -> Self {
        let state = simulation.checkpoint().encode().unwrap();
        Self { files: results(directory), state, steps: simulation.state().step }
    }

    fn assert_same(&self, other: &Self, label: &str) {
        let names = |files: &Self| files.files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(self), names(other), "{label}");
        for (name, bytes) in &self.files {
            assert!(bytes == &other.files[name], "{label}: {name} differs");
        }
        assert!(self.state == other.state, "{label}: the final states differ");
    }
}

/// Runs a scenario up to the step `until`, from its last checkpoint if `continues`.
fn run(scenario: &Scenario, directory: &Path, continues: bool, until: u64, threads: usize) -> Files {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut simulation = Simulation::new(scenario).unwrap();
        let mut recorder = if continues {
            let (checkpoint, passed_over) = Checkpoint::read(scenario, directory).unwrap();
            assert!(passed_over.is_empty());
            Recorder::resume(scenario, directory, &mut simulation, checkpoint).unwrap()
        } else {
            Recorder::create(scenario, directory, &simulation).unwrap()
        };
        let stop = AtomicBool::new(false);
        let mut report =
            |progress: &ictus::simulation::Progress| stop.store(progress.step >= until, Ordering::Relaxed);
        let outcome = simulation.run(&mut recorder, &mut report, &stop).unwrap();
        assert_eq!(outcome == Outcome::Interrupted, until < u64::MAX);
        Files::of(directory, &simulation)
    })
}

/// Compares a run with a second run that is stopped after a quarter, a half and three quarters of its steps.
fn assert_restarts(label: &str, scenario: &Scenario) {
    let [whole, stopped] = [(), ()].map(|()| tempfile::tempdir().unwrap());
    let reference = run(scenario, whole.path(), false, u64::MAX, 1);
    assert!(reference.steps > 8, "{label} has {} steps", reference.steps);
    for part in 0..3 {
        run(scenario, stopped.path(), part > 0, (part + 1) * reference.steps / 4, 1 + part as usize % 2);
    }
    let restarted = run(scenario, stopped.path(), true, u64::MAX, 2);
    reference.assert_same(&restarted, label);
}

fn config(name: &str, overrides: &[&str]) -> Scenario {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    let path = format!("{}/configs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Scenario::read(Path::new(&path), &overrides).unwrap()
}

/// Runs a scenario given as text, on two boxes and a ball.
fn assert_text_restarts(label: &str, text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let meshes = [
        ("base.msh", box_mesh([-1.0, -1.0, -0.5], [1.0, 1.0, 0.0], [4, 4, 1])),
        ("box.msh", box_mesh([-0.3, -0.3, 0.0], [0.3, 0.3, 0.6], [2; 3])),
        ("ball.msh", ball(0.3, 2)),
    ];
    for (name, mesh) in meshes {
        fs::write(folder.path().join(name), mesh).unwrap();
    }
    assert_restarts(label, &Scenario::parse(text, &folder.path().join("test.toml"), &[]).unwrap());
}

/// A box that slides on a held base, with probes.
fn sliding_box(response: &str, box_material: &str, keys: &str) -> String {
    format!(
        "gravity = [0, 0, -9.81]\n[time]\nend = 0.05\nflight_step = 1e-3\n\
         [contact]\nresponse = \"{response}\"\nfriction = 0.3\n{keys}\
         [materials.base]\n{RUBBER}[materials.box]\n{box_material}\
         [[bodies]]\nname = \"base\"\nmesh = \"base.msh\"\nmaterial = \"base\"\n\
         [[bodies]]\nname = \"box\"\nmesh = \"box.msh\"\nmaterial = \"box\"\ntranslate = [0, 0, 0.002]\n\
         velocity = [1, 0.2, -0.5]\n\
         [[boundaries]]\nbody = \"base\"\ngroup = \"x0\"\nfix = [\"x\", \"y\", \"z\"]\n\
         [[probes]]\nname = \"top\"\nbody = \"box\"\nnearest_node = [0, 0, 0.6]\nquantities = [\"velocity\", \"acceleration\"]\n\
         interval = 1e-4\nfilter = \"CFC 60\"\n\
         [output]\nframes = 10\nhistory = {{ interval = 1e-3 }}\n"
    )
}

#[test]
fn a_box_slides_on_by_every_response() {
    for response in ["penalty", "decomposition", "energy-momentum"] {
        assert_text_restarts(response, &sliding_box(response, RUBBER, ""));
        assert_text_restarts(response, &sliding_box(response, RIGID, ""));
    }
    for material in [RUBBER, RIGID] {
        assert_text_restarts(
            "midpoint",
            &sliding_box("energy-momentum", material, "scheme = \"midpoint\"\n"),
        );
    }
}

/// The run is first stopped during dynamic relaxation. Mass damping acts for a limited time.
#[test]
fn settled_and_damped_boxes_go_on() {
    for response in ["penalty", "decomposition", "energy-momentum"] {
        for material in [RUBBER, RIGID] {
            let text = sliding_box(response, material, "[dynamic_relaxation]\n");
            let damped = "velocity = [1, 0.2, -0.5]\nmass_damping = \"20*(t < 0.02)\"\n";
            let text =
                text.replace("velocity = [1, 0.2, -0.5]\n", damped).replace("group = \"x0\"\nfix", "fix");
            assert_text_restarts(response, &text);
        }
    }
}

/// Goal: checkpoints are written during dynamic relaxation. The time is zero during relaxation, so the interval of
/// checkpoints refers to the sum of the relaxation steps.
#[test]
fn checkpoints_are_written_during_relaxation() {
    let [meshes, directory] = [(), ()].map(|()| tempfile::tempdir().unwrap());
    fs::write(meshes.path().join("base.msh"), box_mesh([-1.0, -1.0, -0.5], [1.0, 1.0, 0.0], [4, 4, 1]))
        .unwrap();
    fs::write(meshes.path().join("box.msh"), box_mesh([-0.3, -0.3, 0.0], [0.3, 0.3, 0.6], [2; 3])).unwrap();
    let text = sliding_box("penalty", RUBBER, "[dynamic_relaxation]\n")
        .replace("group = \"x0\"\nfix", "fix")
        .replace("[output]\n", "[output]\ncheckpoint = { interval = 1e-2 }\n");
    let scenario = Scenario::parse(&text, &meshes.path().join("test.toml"), &[]).unwrap();
    let mut simulation = Simulation::new(&scenario).unwrap();
    let mut recorder = Recorder::create(&scenario, directory.path(), &simulation).unwrap();
    let mut instants = Vec::new();
    let mut report = |progress: &ictus::simulation::Progress| {
        let is_due = progress.relaxation.is_some() && progress.step.is_multiple_of(16);
        if let Some((checkpoint, _)) =
            is_due.then(|| Checkpoint::read(&scenario, directory.path()).ok()).flatten()
        {
            instants.push(checkpoint.instant());
        }
    };
    simulation.run(&mut recorder, &mut report, &AtomicBool::new(false)).unwrap();
    instants.dedup();
    assert!(instants.len() > 1, "{instants:?}");
    assert!(instants.iter().all(|&(time, step)| time == 0.0 && step > 0), "{instants:?}");
}

#[test]
fn steps_that_end_at_impacts_go_on() {
    assert_text_restarts("resolve_impact", &sliding_box("penalty", RUBBER, "resolve_impact = true\n"));
}

/// Closest-point searches start from the closest points of the previous step, on quadrilaterals.
#[test]
fn previous_closest_points_are_kept() {
    let keys = "closest_point = \"sqp\"\nstart = \"previous\"\n";
    assert_text_restarts("previous", &sliding_box("penalty", RUBBER, keys));
}

#[test]
fn every_few_steps_go_on() {
    assert_text_restarts("every", &sliding_box("decomposition", RUBBER, "every = 5\n"));
}

/// Two tied boxes, one of them rigid, rotate.
#[test]
fn tied_boxes_go_on() {
    for other in [RUBBER, RIGID] {
        let text = format!(
            "[time]\nend = 0.05\nflight_step = 1e-3\n[materials.a]\n{RUBBER}[materials.b]\n{other}\
             [[bodies]]\nname = \"a\"\nmesh = \"box.msh\"\nmaterial = \"a\"\n\
             [[bodies]]\nname = \"b\"\nmesh = \"box.msh\"\nmaterial = \"b\"\ntranslate = [0, 0, 0.6]\n\
             [[contact.pairs]]\nbetween = [\"a\", \"b\"]\ntied = true\n\
             [[loads]]\nbody = \"a\"\ngroup = \"x0\"\npressure = \"1e4*(t < 0.02)\"\n\
             [output]\nframes = 5\nexact = true\n"
        );
        assert_text_restarts("tied", &text);
    }
}

/// A rigid ball rolls and bounces on walls, one of which is driven.
#[test]
fn a_ball_between_walls_goes_on() {
    let text = format!(
        "gravity = [0, 0, -9.81]\n[time]\nend = 1.0\n[contact]\nfriction = 0.2\nrestitution = 0.5\n\
         [materials.ball]\n{RIGID}[[bodies]]\nname = \"ball\"\nmesh = \"ball.msh\"\nmaterial = \"ball\"\n\
         translate = [0, 0, 0.5]\nvelocity = [1, 0, 0]\nangular_velocity = [1, 2, 3]\n\
         [[walls]]\nname = \"floor\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n\
         [[walls]]\nname = \"side\"\npoint = [1, 0, 0]\nnormal = [-1, 0, 0]\nvelocity = [\"-0.1*t\", \"0\", \"0\"]\n"
    );
    assert_text_restarts("ball", &text);
}

/// Scenarios with flight and impact, curved faces, self-contact, and a wall.
#[test]
fn scenarios_of_the_gallery_go_on() {
    for (name, end) in [
        ("projectiles", "time.end=15.0"),
        ("quadratic-spheres", "time.end=0.05e-3"),
        ("ring", "time.end=0.2e-3"),
        ("rod-on-wall", "time.end=60e-6"),
    ] {
        assert_restarts(name, &config(name, &[end]));
    }
}

/// A continued flight keeps the kinematics computed from its first steps, also if it is stopped before its third step.
#[test]
fn first_steps_are_kept() {
    for set in [&["time.end=10.0"][..], &["time.end=15.0"], &["time.end=0.5"]] {
        assert_restarts("paper-projectiles", &config("paper-projectiles", set));
    }
}

/// Eight scenarios of the repository, shortened as in `.ci/run`.
#[test]
#[ignore = "long verification: cargo test --release --test verification -- --ignored"]
fn all_scenarios_go_on() {
    for (name, end) in [
        ("projectiles-falling", None),
        ("two-bars", Some("time.end=10e-6")),
        ("rod-on-wall", Some("time.end=60e-6")),
        ("hertz", Some("time.end=0.5e-3")),
        ("quadratic-spheres", Some("time.end=0.2e-3")),
        ("quadratic-spheres-hex20", Some("time.end=0.2e-3")),
        ("ring", Some("time.end=1e-3")),
        ("motorcycle", Some("time.end=3.00002")),
    ] {
        let overrides: Vec<&str> = end.into_iter().collect();
        assert_restarts(name, &config(name, &overrides));
    }
}

/// Runs are killed at random instants, 30 times in all. Each time they resume from the last complete checkpoint, and in
/// the end their files equal those of a run that was not killed.
#[test]
#[ignore = "long verification: cargo test --release --test verification -- --ignored"]
fn killed_runs_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let meshes = [
        ("base.msh", box_mesh([-1.0, -1.0, -0.5], [1.0, 1.0, 0.0], [4, 4, 1])),
        ("box.msh", box_mesh([-0.3, -0.3, 0.0], [0.3, 0.3, 0.6], [2; 3])),
    ];
    for (name, mesh) in meshes {
        fs::write(folder.path().join(name), mesh).unwrap();
    }
    let text = sliding_box("energy-momentum", RUBBER, "")
        .replace("end = 0.05", "end = 3.0")
        .replace("[output]\n", "[output]\ncheckpoint = { interval = 2e-3 }\n");
    fs::write(folder.path().join("test.toml"), text).unwrap();
    let command = |directory: &str, resumes: bool| {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("ictus"));
        command.current_dir(folder.path()).args(["run", "test.toml", "--quiet", "-o", directory]);
        if resumes {
            command.arg("--resume");
        }
        command
    };
    let start = std::time::Instant::now();
    assert!(command("whole", false).status().unwrap().success());
    let duration = start.elapsed().as_secs_f64();
    let whole = results(&folder.path().join("whole"));
    let (mut random, mut killed, mut rounds) = (crate::random::Random(7), 0, 0);
    while killed < 30 {
        rounds += 1;
        let directory = format!("parts{rounds}");
        let has_checkpoint = |directory: &str| {
            let found = ["checkpoint.bin", "checkpoint.1.bin"];
            found.iter().any(|name| folder.path().join(directory).join(name).exists())
        };
        // Kill and resume the run until it ends by itself.
        loop {
            let mut child = command(&directory, has_checkpoint(&directory)).spawn().unwrap();
            std::thread::sleep(std::time::Duration::from_secs_f64(random.between(0.02, 0.2) * duration));
            // The process may have ended already.
            let _ = child.kill();
            match child.wait().unwrap().code() {
                None => killed += 1,
                Some(code) => {
                    assert_eq!(code, 0, "after {killed} kills");
                    break;
                }
            }
        }
        assert!(results(&folder.path().join(&directory)) == whole, "the files of round {rounds} differ");
    }
    println!("{killed} kills in {rounds} runs");
}
