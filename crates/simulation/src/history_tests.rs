//! A run with a material that has a history: a viscoelastic block falls on a wall.

use std::path::Path;

use super::{Checkpoint, Phase, Recorder, Simulation, State};
use crate::dynamics::MaterialHistory;
use crate::scenario::Scenario;

/// A cube of two hexahedra.
const MESH: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n12\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 0.5\n\
                    6 1 0 0.5\n7 1 1 0.5\n8 0 1 0.5\n9 0 0 1\n10 1 0 1\n11 1 1 1\n12 0 1 1\n$EndNodes\n$Elements\n2\n\
                    1 5 2 1 1 1 2 3 4 5 6 7 8\n2 5 2 1 1 5 6 7 8 9 10 11 12\n$EndElements\n";

/// The scenario of the test. The mesh is written to `folder`, `step` is the time step \[s\], and `keys` is inserted
/// before the materials.
fn scenario(folder: &Path, step: &str, keys: &str) -> Scenario {
    std::fs::write(folder.join("a.msh"), MESH).unwrap();
    let text = format!(
        "[time]\nend = 0.4\nstep = {step}\nenergy_tolerance = 1e9\n{keys}\
         [materials.m]\nmodel = \"maxwell\"\nyoung = 1e6\npoisson = 0.3\ndensity = 1000.0\n\
         [[bodies]]\nname = \"a\"\nmesh = \"a.msh\"\nmaterial = \"m\"\nvelocity = [0, 0, -4]\n\
         translate = [0, 0, 0.01]\ngravity = [0, 0, -10]\n\
         [[walls]]\nname = \"wall\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n\
         [output]\nhistory = {{ interval = 0.01 }}\nframes = 4\nfields = [\"stress\"]\n"
    );
    Scenario::parse(&text, &folder.join("test.toml"), &[]).unwrap()
}

fn advance(simulation: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        simulation.advance(f64::INFINITY).unwrap();
    }
}

fn bytes(simulation: &Simulation) -> Vec<u8> {
    simulation.checkpoint().encode().unwrap()
}

fn has_history(simulation: &Simulation) -> bool {
    let history: &MaterialHistory = &simulation.state.history;
    simulation.caches.internal.fits(history) && *history != simulation.caches.internal.initial_history()
}

/// Goal: a run continues from a checkpoint file, from bytes, and from a copy of the state after its caches were
/// discarded. This holds during the run and during dynamic relaxation. Reference: the same steps without interruption.
/// Tolerance: none, the states are equal in every bit.
#[test]
fn a_run_with_history_goes_on_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    for keys in ["", "[dynamic_relaxation]\nmax_steps = 100000\n"] {
        let scenario = scenario(folder.path(), "1e-3", keys);
        let mut whole = Simulation::new(&scenario).unwrap();
        while whole.state.phase == Phase::Flight {
            advance(&mut whole, 1);
        }
        let phase = whole.state.phase;
        let mut recorder = Recorder::create(&scenario, folder.path(), &whole).unwrap();
        advance(&mut whole, 100);
        assert!(has_history(&whole));
        recorder.write_checkpoint(&whole).unwrap();
        drop(recorder);
        let (copy, middle) = (whole.checkpoint(), bytes(&whole));
        advance(&mut whole, 90);
        let end = bytes(&whole);
        assert_ne!(copy.history, whole.state.history);
        assert_eq!(whole.state.phase, phase);
        whole.restore(copy).unwrap();
        whole.discard_caches();
        assert!(bytes(&whole) == middle);
        advance(&mut whole, 90);
        assert!(bytes(&whole) == end, "from a copy");
        let mut other = Simulation::new(&scenario).unwrap();
        other.restore(State::decode(&middle).unwrap()).unwrap();
        advance(&mut other, 90);
        assert!(bytes(&other) == end, "from bytes");
        let mut resumed = Simulation::new(&scenario).unwrap();
        let (checkpoint, _) = Checkpoint::read(&scenario, folder.path()).unwrap();
        let _recorder = Recorder::resume(&scenario, folder.path(), &mut resumed, checkpoint).unwrap();
        assert!(bytes(&resumed) == middle);
        advance(&mut resumed, 90);
        assert!(bytes(&resumed) == end, "from a file");
    }
}

/// Goal: a step of an unstable run fails, and the simulation then has the state before this step. Tolerance: none, the
/// states are equal in every bit.
#[test]
fn a_failed_step_leaves_the_state() {
    let folder = tempfile::tempdir().unwrap();
    let mut simulation = Simulation::new(&scenario(folder.path(), "0.024", "")).unwrap();
    let mut before = bytes(&simulation);
    while simulation.advance(f64::INFINITY).is_ok() {
        assert!(!simulation.is_finished());
        before = bytes(&simulation);
    }
    assert!(has_history(&simulation));
    assert!(bytes(&simulation) == before);
}

/// A simulation refuses a state without the history variables of its materials.
#[test]
fn a_state_without_history_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut simulation = Simulation::new(&scenario(folder.path(), "1e-3", "")).unwrap();
    let mut state = simulation.checkpoint();
    state.history = MaterialHistory::default();
    assert!(simulation.restore(state).is_err());
}
