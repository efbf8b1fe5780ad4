//! The remedies of warnings work: each scene gives a warning, and after the remedy the scene gives no such warning.
//!
//! Warnings with their own tests: springs stiffer than the elements (`rigid_walls`), hourglass energy
//! (`one_point_hexahedra`), sheets (`tests/cli/sheets.rs`), likely mistakes in a scenario (`tests/scenario/good.rs`).

use std::fs;

use ictus::scenario::Scenario;
use ictus::simulation::Simulation;

use crate::model::{box_mesh, run};

/// A scene and its meshes.
struct Scene {
    text: String,
    meshes: Vec<(&'static str, String)>,
}

impl Scene {
    /// First warning that contains `kind` by the end of the run, with these keys set.
    fn warning(&self, kind: &str, keys: &[&str]) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in &self.meshes {
            fs::write(folder.path().join(name), content).unwrap();
        }
        let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
        let scenario = Scenario::parse(&self.text, &folder.path().join("test.toml"), &keys).unwrap();
        let mut simulation = Simulation::new(&scenario).unwrap();
        run(&mut simulation, |_| {});
        simulation.warnings().into_iter().find(|text| text.contains(kind))
    }

    /// Asserts that the warning of this kind contains `words`, and that each remedy prevents it.
    fn is_mended(&self, kind: &str, keys: &[&str], words: &str, remedies: &[&str]) {
        let warning = self.warning(kind, keys).unwrap_or_default();
        println!("{warning}");
        assert!(warning.contains(words), "{kind}, {keys:?}: {warning}");
        for remedy in remedies {
            let mended = [keys, &[remedy]].concat();
            assert_eq!(self.warning(kind, &mended), None, "{mended:?}");
        }
    }
}

/// A steel block that strikes a wall with its flat end at 10 m/s, on springs.
fn block_on_wall(keys: &str) -> Scene {
    let text = format!(
        "[time]\nend = 1e-4\nstep = 7e-6\nenergy_tolerance = 100.0\n[contact]\n{keys}\
         [materials.m]\nmodel = \"linear-elastic\"\ndensity = 7800.0\nyoung = 210e9\npoisson = 0.0\n\
         [[bodies]]\nname = \"block\"\nmesh = \"block.msh\"\nmaterial = \"m\"\nvelocity = [-10, 0, 0]\n\
         [[walls]]\nname = \"wall\"\npoint = [-1e-6, 0, 0]\nnormal = [1, 0, 0]\n"
    );
    Scene { text, meshes: vec![("block.msh", box_mesh([0.0; 3], [0.1; 3], [2, 1, 1]))] }
}

/// Rubber cubes of edge 0.2 m that fall on a floor, with contact impulses. Adjacent cubes have different meshes.
/// `placed` contains the keys of position and motion for each cube.
fn cubes(young: f64, placed: &[&str]) -> Scene {
    let mut text = format!(
        "gravity = [0, 0, -9.81]\n[time]\nend = 0.3\nflight_step = 1e-3\nenergy_tolerance = 100.0\n\
         [contact]\nresponse = \"decomposition\"\nfriction = 0.3\n\
         [materials.m]\nmodel = \"neo-hookean\"\ndensity = 1000.0\nyoung = {young:?}\npoisson = 0.3\n\
         [[walls]]\nname = \"floor\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n"
    );
    for (number, keys) in placed.iter().enumerate() {
        let cells = 2 + number % 2;
        text += &format!(
            "[[bodies]]\nname = \"cube{number}\"\nmesh = \"cube{cells}.msh\"\nmaterial = \"m\"\n{keys}\n"
        );
    }
    let cube = |cells| box_mesh([-0.1, -0.1, 0.0], [0.1, 0.1, 0.2], [cells; 3]);
    Scene { text, meshes: vec![("cube2.msh", cube(2)), ("cube3.msh", cube(3))] }
}

/// Goal: a warning reports energy created by contact, with its remedy. Causes: springs that stiffen under compression,
/// springs that are too stiff for a fixed step, and projections of a tumbling rubber cube.
#[test]
fn less_contact_energy() {
    let created = "contact has created";
    let growing = block_on_wall("penalty = 1.0\nsoft_start = 5e-5\n");
    growing.is_mended(created, &[], "remove `contact.soft_start`", &["contact.soft_start=0"]);
    let stiff = block_on_wall("stiffness = 5e10\n");
    let remedies = ["time.step=auto", "contact.response=energy-momentum"];
    stiff.is_mended(created, &[], "set `time.step` to \"auto\", or `contact.response`", &remedies);
    let tumbling = cubes(
        1e7,
        &["velocity = [1, 0, -1]\ntranslate = [0, 0, 0.101]\nrotate = { axis = [1, 0.3, 0], angle = 30 }"],
    );
    let remedies = ["contact.response=penalty", "contact.response=energy-momentum", "time.step=2e-5"];
    let words = "set `contact.response` to \"penalty\" or \"energy-momentum\", or lower `time.step`";
    tumbling.is_mended(created, &[], words, &remedies);
}

/// Goal: a warning reports unconverged impulses of a stack of soft cubes. Without friction, or with springs, all
/// contact problems converge.
#[test]
fn impulses_that_converge() {
    let stack =
        cubes(1e6, &["translate = [0, 0, 0.001]", "translate = [0, 0, 0.202]", "translate = [0, 0, 0.403]"]);
    let remedies = ["contact.friction=0", "contact.response=penalty", "contact.response=energy-momentum"];
    stack.is_mended("did not converge to their tolerance", &[], "lower the friction", &remedies);
}

/// Goal: a cube wedged in a groove by friction, with the coefficient 2 > tan 60°, jams when it is struck from above.
/// With less friction, or without restitution, the cube does not jam.
#[test]
fn restitution_without_jamming() {
    let cube = |name: &str, velocity: f64, height: f64| {
        format!(
            "[[bodies]]\nname = \"{name}\"\nmesh = \"cube.msh\"\nmaterial = \"m\"\n\
             velocity = [0, 0, {velocity:?}]\ntranslate = [0, 0, {height:?}]\n"
        )
    };
    let wall = |name: &str, x: f64| {
        format!("[[walls]]\nname = \"{name}\"\npoint = [0, 0, 0]\nnormal = [{x:?}, 0, 0.5]\n")
    };
    let text = format!(
        "gravity = [0, 0, -9.81]\n[time]\nend = 0.1\nstep = 1e-4\n\
         [contact]\nresponse = \"decomposition\"\nfriction = 2.0\nrestitution = 1.0\n\
         [materials.m]\nmodel = \"rigid\"\ndensity = 1000.0\n{}{}{}{}",
        cube("wedge", -1.0, 0.18),
        cube("hammer", -5.0, 0.4),
        wall("left", 0.75_f64.sqrt()),
        wall("right", -(0.75_f64.sqrt()))
    );
    let mesh = box_mesh([-0.1, -0.1, 0.0], [0.1, 0.1, 0.2], [1; 3]);
    let wedged = Scene { text, meshes: vec![("cube.msh", mesh)] };
    let remedies = ["contact.friction=0.3", "contact.restitution=0"];
    wedged.is_mended("friction jams contacts", &[], "with less friction or restitution = 0", &remedies);
}

/// Goal: an unstable fixed step is reported; the automatic step is stable.
#[test]
fn a_stable_step() {
    let unstable = block_on_wall("penalty = 0.1\n");
    let step = "`time.step` is 1";
    let simulation = |keys: &[&str]| {
        let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("block.msh"), &unstable.meshes[0].1).unwrap();
        let path = folder.path().join("test.toml");
        Simulation::new(&Scenario::parse(&unstable.text, &path, &keys).unwrap()).unwrap()
    };
    let mut failing = simulation(&["time.step=1e-4", "time.energy_tolerance=0.05", "time.end=1.0"]);
    assert!(failing.warnings()[0].contains(step), "{:?}", failing.warnings());
    let failure = loop {
        if let Err(failure) = failing.advance(f64::INFINITY) {
            break failure;
        }
        assert!(!failing.is_finished(), "it is not stable");
    };
    assert!(failure.remedy().contains("time.step = \"auto\""), "{failure}");
    let mut stable = simulation(&["time.step=auto", "time.energy_tolerance=0.05"]);
    assert_eq!(stable.warnings(), [] as [String; 0]);
    run(&mut stable, |_| {});
}
