//! A motorcycle hits a wall: a surface with irregular faces of very different sizes touches a surface with large faces.
//!
//! ```text
//!     o-o ->                     |#|
//! ```
//!
//! Source: Aragón & Molinari, CMAME 268 (2014) 574–588, §3.2 and §5.2.

use ictus::contact::detection::face::closest_point::Method;
use ictus::contact::detection::{
    AllPairs, Configuration, ContactModel, Detector, NodeFaceOptions, StartFrom,
};
use ictus::contact::{Constraints, Surface};
use ictus::math::Vec3;
use ictus::mesh::CellKind;
use ictus::simulation::Simulation;

use crate::brute_force::{RelativeMotion, Triangles, depth, first_contact};
use crate::model::{from_config, run, run_to_contact, worse, worst};

/// Goal: the motorcycle travels 100 m at 120 km/h in 3 s, to 1e-6 s (33 µm; the foremost node of the front tyre starts
/// at x = 0 up to rounding). The meshes meet at the time found by brute force, to 1e-9 s. Before the contact, detection
/// runs at no more than 12 of 60 instants.
#[test]
fn meets_the_wall_after_three_seconds() {
    let mut simulation = from_config("motorcycle", &[]);
    let surfaces = [0, 1].map(|body| Triangles::skin(&simulation.model().bodies[body]));
    let motion = RelativeMotion { velocity: Vec3::new(-100.0 / 3.0, 0.0, 0.0), acceleration: Vec3::zeros() };
    let reference = first_contact(simulation.model(), [&surfaces[0], &surfaces[1]], &motion).unwrap();
    let contact = run_to_contact(&mut simulation);
    let statistics = simulation.detection();
    let operated: Vec<f64> =
        statistics.operated_times.iter().copied().filter(|&time| time < contact).collect();
    println!("contact {contact:.12}, brute force {reference:.12}, instants of work {operated:?}");
    assert!((contact - 3.0).abs() < 1e-6, "contact {contact}");
    assert!((contact - reference).abs() < 1e-9, "contact {contact}, brute force {reference}");
    assert!(operated.len() <= 12, "the engine worked at {} instants", operated.len());
    assert!(statistics.predictions.iter().all(|p| p.time <= contact + 1e-12), "a late prediction");
}

/// Goal: in the first 0.2 ms of contact, detection misses no contact and no node passes through; see [`check_impact`].
#[test]
fn does_not_pass_through_the_wall_at_first() {
    check_impact(3.0 + 2e-4, 50);
}

/// Goal: as in `does_not_pass_through_the_wall_at_first`, during the whole impact.
#[test]
#[ignore = "long verification: cargo test --release --test verification -- --ignored"]
fn does_not_pass_through_the_wall() {
    let simulation = check_impact(3.004, 1000);
    let error = 100.0 * simulation.audit().energy_error().largest;
    let steps = simulation.state().step - simulation.steps_in_flight();
    let told = format!("Energy error {error:.3} % after {steps} stable steps");
    let header = include_str!("../../configs/motorcycle.toml");
    assert!(header.contains(&told), "the header does not say \"{told}\"");
}

/// Runs to `end` \[s\]. Checks every node and face every `interval` steps, and at every twentieth step in contact.
///
/// The constraints of the detection engine have the same keys, gaps, nodes and weights as the constraints from tests of
/// all pairs, bit for bit. No node penetrates by more than 0.5 mm, a thousandth of the size of the wall elements. A
/// node of mass m on a penalty spring of stiffness κ = f m/dt² penetrates by V √(m/κ) = V dt/√f, about 0.02 mm here.
/// The bound is far above this penetration, and far below the depth of a node that passes through. The energy error is
/// below 1 %.
fn check_impact(end: f64, interval: u64) -> Simulation {
    let mut simulation = from_config("motorcycle", &[&format!("time.end={end}")]);
    let skins = [0, 1].map(|body| Triangles::skin(&simulation.model().bodies[body]));
    let mut all_pairs = oracle(&simulation, &skins);
    let (mut expected, mut compared, mut deepest) = (Constraints::default(), 0, 0.0_f64);
    let mut touching: u64 = 0;
    run_to_contact(&mut simulation);
    run(&mut simulation, |simulation| {
        touching += u64::from(!simulation.constraints().is_empty());
        let in_contact = !simulation.constraints().is_empty() && touching.is_multiple_of(20);
        if !(in_contact || simulation.state().step % interval == 0) {
            return;
        }
        let state = simulation.state();
        let configuration = Configuration {
            time: state.time,
            time_step: 0.0,
            positions: &state.positions,
            positions_before: &state.positions,
        };
        all_pairs.detect(&configuration, &mut expected);
        assert_eq!(simulation.constraints().len(), expected.len(), "contacts at {} s", state.time);
        for (found, expected) in simulation.constraints().iter().zip(expected.iter()) {
            assert_eq!((found.key, found.gap), (expected.key, expected.gap));
            assert_eq!((found.nodes, found.weights), (expected.nodes, expected.weights));
        }
        compared += expected.len();
        for (contactor, target) in [(0, 1), (1, 0)] {
            deepest = worse(deepest, deepest_node(&skins[contactor], &skins[target], &state.positions));
        }
    });
    println!(
        "{} steps, {compared} constraints compared, deepest node {deepest:.2e} m, energy error {:.2e}",
        simulation.state().step,
        simulation.audit().energy_error().largest
    );
    assert!(compared > 0, "nothing has been compared");
    assert!(deepest < 5e-4, "a node is {deepest} m deep");
    assert!(simulation.audit().energy_error().largest < 0.01);
    simulation
}

/// Depth of the deepest node of one surface in another \[m\]; only nodes within the bounding box of the other count.
fn deepest_node(contactor: &Triangles, target: &Triangles, positions: &[Vec3]) -> f64 {
    let corners = || target.nodes.iter().map(|&node| positions[node as usize]);
    let low = corners().fold(Vec3::repeat(f64::INFINITY), |low, x| low.inf(&x));
    let high = corners().fold(Vec3::repeat(f64::NEG_INFINITY), |high, x| high.sup(&x));
    let points = contactor.nodes.iter().map(|&node| positions[node as usize]);
    let near = points.filter(|x| x.inf(&high) == *x && x.sup(&low) == *x);
    worst(near.map(|x| depth(target, positions, &x)))
}

/// A second detector tests all pairs. Its faces are found independently of the program.
fn oracle(simulation: &Simulation, skins: &[Triangles; 2]) -> AllPairs {
    let surfaces = skins
        .iter()
        .map(|skin| Surface::new(skin.triangles.iter().map(|t| (CellKind::Tri3, t.as_slice()))))
        .collect();
    let model = ContactModel::new(surfaces, &[], &simulation.model().reference_positions);
    AllPairs::new(model, NodeFaceOptions { method: Method::Auto, start: StartFrom::Nearest })
}
