//! The state alone determines all results; data stored in addition to the state (caches) have no effect.
//!
//! Goal: caches discarded at random between steps change no bit of the state. Three further actions leave the state
//! unchanged: steps undone with a copy of the state, a restart from the bytes of the state, and a failed step. Scenes:
//! every twelfth scene of the parade with all its responses, and flights. Tolerance: none.

use ictus::simulation::{FailureCause, NumericalFailure, Simulation, State};
use rayon::prelude::*;

use crate::model::{RESPONSES, from_config, from_text};
use crate::parade::scenes;
use crate::passages::Shot;
use crate::random::Random;

/// Every scene of the parade whose index is a multiple of this number is run.
const STRIDE: usize = 12;

/// Steps of a scene.
const STEPS: usize = 300;

/// Interruption of a run between two steps.
#[derive(Clone, Copy, Debug)]
enum Interruption {
    DiscardCaches,
    RestoreBytes,
    /// Takes three steps, and then restores a copy of the state before them.
    StepOnAndBack,
}

fn simulation_of(scene: &crate::parade::Scene, detection: &str) -> Simulation {
    let meshes: Vec<(&str, String)> =
        scene.meshes.iter().map(|(name, mesh)| (name.as_str(), mesh.clone())).collect();
    let text = scene.text.replace("[contact]\n", &format!("[contact]\ndetection = \"{detection}\"\n"));
    assert!(text.contains(detection), "{text}");
    from_text(&text, &meshes)
}

fn interrupt(simulation: &mut Simulation, interruption: Interruption) {
    match interruption {
        Interruption::DiscardCaches => simulation.discard_caches(),
        Interruption::RestoreBytes => {
            let bytes = simulation.checkpoint().encode().unwrap();
            simulation.restore(State::decode(&bytes).unwrap()).unwrap();
        }
        Interruption::StepOnAndBack => {
            let copy = simulation.checkpoint();
            for _ in 0..3 {
                // If a step is beyond the end of the run or fails, it is undone as well.
                let _ = simulation.advance(f64::INFINITY);
            }
            simulation.restore(copy).unwrap();
        }
    }
}

/// First step after which the states of an undisturbed and an interrupted run differ.
fn first_difference(
    mut plain: Simulation,
    mut disturbed: Simulation,
    seed: u64,
    interruption: Interruption,
) -> Option<usize> {
    let mut random = Random(seed);
    for step in 0..STEPS {
        if random.uniform(1.0) > 0.5 {
            interrupt(&mut disturbed, interruption);
        }
        let outcomes = [&mut plain, &mut disturbed].map(|run| run.advance(f64::INFINITY).is_ok());
        let bytes = [&plain, &disturbed].map(|run| run.checkpoint().encode().unwrap());
        if outcomes[0] != outcomes[1] || bytes[0] != bytes[1] {
            return Some(step);
        }
        if !outcomes[0] || plain.is_finished() {
            break;
        }
    }
    None
}

/// The scenes of the parade; every third scene with the energy–momentum response is added in its midpoint form.
fn scenes_of_all_schemes() -> Vec<crate::parade::Scene> {
    let mut scenes = scenes::all();
    let staggered = "response = \"energy-momentum\"";
    let at_middle = scenes.iter().filter(|scene| scene.text.contains(staggered)).step_by(3).map(|scene| {
        let text = scene.text.replace(staggered, &format!("{staggered}\nscheme = \"midpoint\""));
        crate::parade::Scene { label: format!("{}, midpoint", scene.label), text, ..scene.clone() }
    });
    let at_middle: Vec<_> = at_middle.collect();
    scenes.extend(at_middle);
    scenes
}

fn hold(detection: &str, interruption: Interruption) {
    let scenes = scenes_of_all_schemes();
    let chosen: Vec<_> = scenes.iter().enumerate().step_by(STRIDE).collect();
    let differing: Vec<String> = chosen
        .par_iter()
        .filter_map(|(index, scene)| {
            let [plain, disturbed] = [(), ()].map(|()| simulation_of(scene, detection));
            let step = first_difference(plain, disturbed, *index as u64, interruption)?;
            Some(format!("{}: step {step}", scene.label))
        })
        .collect();
    assert!(differing.is_empty(), "{} of {}:\n{}", differing.len(), chosen.len(), differing.join("\n"));
}

#[test]
fn caches_can_be_discarded_between_any_steps() {
    hold("hierarchy", Interruption::DiscardCaches);
    hold("buckets", Interruption::DiscardCaches);
    hold("all-pairs", Interruption::DiscardCaches);
}

/// In detection by distance fields, tracked elements and boxes are also caches. The runs with discarded caches, or with
/// a state restored from bytes, have the states of the undisturbed run.
#[test]
fn caches_of_distance_fields_can_be_discarded() {
    for response in RESPONSES {
        let keys = [format!("contact.response={response}"), "contact.passes=2".to_owned()];
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        for interruption in [Interruption::DiscardCaches, Interruption::RestoreBytes] {
            let [plain, disturbed] = [(), ()].map(|()| from_config("sliding-block", &keys));
            assert_eq!(first_difference(plain, disturbed, 5, interruption), None, "{response}");
        }
    }
}

#[test]
fn steps_can_be_taken_back() {
    hold("hierarchy", Interruption::StepOnAndBack);
}

#[test]
fn bytes_of_the_state_restore_it() {
    hold("hierarchy", Interruption::RestoreBytes);
}

/// The failure of a run; `None` if the run reaches its end. A failed step must not change the bytes of the state, and
/// must fail again.
fn failure_that_keeps_the_state(mut simulation: Simulation, label: &str) -> Option<NumericalFailure> {
    while !simulation.is_finished() {
        let before = simulation.checkpoint().encode().unwrap();
        let Err(failure) = simulation.advance(f64::INFINITY) else { continue };
        assert!(simulation.checkpoint().encode().unwrap() == before, "{label}: {failure}");
        assert_eq!(simulation.advance(f64::INFINITY).as_ref(), Err(&failure), "{label}");
        assert!(simulation.checkpoint().encode().unwrap() == before, "{label}, once more");
        return Some(failure);
    }
    None
}

/// Goal: after a failed step the state is that before the step, bit for bit. Failures: inverted elements, and bullets
/// that have passed through a plate, with all responses.
#[test]
fn failed_steps_leave_the_state_before_them() {
    let [mut passages, mut inversions] = [0, 0];
    let shots = [(1.0, 8000.0, ""), (5.0, 8000.0, ""), (20.0, 8000.0, ""), (20.0, 1.0, "step = 1.5e-3")];
    for ((speed, density, keys), stiffness) in
        shots.into_iter().flat_map(|shot| [None, Some(1.0)].map(|stiffness| (shot, stiffness)))
    {
        for (response, detection) in
            RESPONSES.into_iter().flat_map(|response| ["hierarchy", "buckets"].map(|name| (response, name)))
        {
            let shot = Shot { speed, density, stiffness, ..Shot::hard(0.0) };
            let label = format!("{response}, {detection}, {speed} c, {density} kg/m³, {stiffness:?}");
            let simulation = shot.simulation(response, detection, keys);
            let Some(failure) = failure_that_keeps_the_state(simulation, &label) else { continue };
            println!("{label}: {failure}");
            passages += u32::from(matches!(failure.cause, FailureCause::Passage(_)));
            inversions += u32::from(matches!(failure.cause, FailureCause::InvertedElement(_)));
        }
    }
    assert!(passages > 2 && inversions > 2, "{passages} passages, {inversions} inversions");
}
