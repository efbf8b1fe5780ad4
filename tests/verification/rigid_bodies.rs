//! Rigid bodies: impact of two rigid bodies, impact on an elastic block, and prescribed motion.

use std::f64::consts::PI;

use ictus::math::Vec3;
use ictus::simulation::Simulation;

use crate::model::{box_mesh, from_text, run, velocity};

/// The ball of the scenario `projectiles`, with a radius of 1 m. Its leading node is at x = 1, or at x = −1 for the
/// ball called "right", relative to its centre.
fn ball(name: &str, material: &str, position: [f64; 3], velocity: [f64; 3]) -> String {
    format!(
        "[[bodies]]\nname = \"{name}\"\nmesh = \"{}/meshes/projectile.msh\"\nregion = \"ball\"\n\
         material = \"{material}\"\nrotate = {{ axis = [0, 0, 1], angle = {angle} }}\ntranslate = {position:?}\nvelocity = {velocity:?}\n",
        env!("CARGO_MANIFEST_DIR"),
        angle = if name == "right" { 180.0 } else { 0.0 },
    )
}

const RIGID: &str = "[materials.rigid]\nmodel = \"rigid\"\ndensity = 7850.0\n";

/// Two equal rigid cubes, face on face.
///
/// Goal: the cubes exchange their velocities (elastic impact of equal masses). Tolerances: 1e-3 m/s for the velocities;
/// rounding, 1e-12, for the momentum; 1 % for the energy error at any time, including the compression. All nodes of
/// both faces touch at once, and the frequency ω of their springs together determines the error. The penalty response
/// limits the total (ω dt)² of the springs between two rigid bodies to 0.1. At this value the error is 6e-4 of the
/// impact energy.
#[test]
fn equal_cubes_exchange_their_velocities() {
    let body = |name: &str, x: f64, speed: f64| {
        format!(
            "[[bodies]]\nname = \"{name}\"\nmesh = \"cube.msh\"\nmaterial = \"rigid\"\n\
             translate = [{x:?}, 0.0, 0.0]\nvelocity = [{speed:?}, 0.0, 0.0]\n"
        )
    };
    let bodies = body("left", -1.2, 10.0) + &body("right", 0.0, 0.0);
    let text = format!("[time]\nend = 0.1\nflight_step = 1e-3\n[contact]\npenalty = 0.1\n{RIGID}{bodies}");
    let mesh = box_mesh([0.0; 3], [1.0; 3], [3, 3, 3]);
    let simulation = collide(from_text(&text, &[("cube.msh", mesh)]));
    let velocities = [0, 1].map(|body| velocity(&simulation, body));
    let expected = [Vec3::zeros(), Vec3::x() * 10.0];
    assert!((0..2).all(|k| (velocities[k] - expected[k]).norm() < 1e-3), "{velocities:?}");
}

/// Two equal rigid balls, head-on along the line through two opposite nodes.
///
/// Goal: the balls exchange their velocities (elastic impact of equal masses). The line through the two nodes in
/// contact is the line of centres and, by symmetry, the contact normal. Tolerances: rounding, 1e-12, for the momentum;
/// 1e-6 m/s for the velocities; 1 % for the energy error at any time, including the compression. The velocities are
/// more accurate than the energy during compression: an undamped spring returns its energy, and the response balances
/// the numerical work of a contact when the contact opens.
#[test]
fn equal_balls_part_with_their_energy() {
    let text = format!(
        "[time]\nend = 0.05\nflight_step = 1e-3\n{RIGID}{}{}",
        ball("left", "rigid", [-1.1, 0.0, 0.0], [10.0, 0.0, 0.0]),
        ball("right", "rigid", [1.1, 0.0, 0.0], [0.0; 3]),
    );
    let simulation = collide(from_text(&text, &[]));
    let velocities = [0, 1].map(|body| velocity(&simulation, body));
    let expected = [Vec3::zeros(), Vec3::x() * 10.0];
    assert!((0..2).all(|k| (velocities[k] - expected[k]).norm() < 1e-6), "{velocities:?}");
}

/// Runs an impact of two free bodies until they have separated, and checks the balances.
fn collide(mut simulation: Simulation) -> Simulation {
    let mut touched = 0;
    run(&mut simulation, |simulation| touched += usize::from(!simulation.constraints().is_empty()));
    let audit = simulation.audit();
    println!(
        "velocities {:?}, {touched} steps in contact, energy {:.1e}, momentum {:.1e}, angular {:.1e}",
        [0, 1].map(|body| velocity(&simulation, body)),
        audit.energy_error().largest,
        audit.largest_momentum_error(),
        audit.largest_angular_error()
    );
    assert!(touched > 0 && simulation.constraints().is_empty(), "in contact for {touched} steps");
    assert!(audit.largest_momentum_error() < 1e-12 && audit.energy_error().largest < 0.01);
    simulation
}

/// A rigid ball falls on a free elastic block.
///
/// Goal: the momentum of both bodies together changes by the impulse of gravity, to rounding (1e-12). The angular
/// momentum changes by the moment of this impulse, to 1e-9 of its scale. The energy error is below 1 %. There is one
/// first contact, and afterwards the ball leaves the block: its upward velocity exceeds that of the block by more than
/// 1 m/s.
#[test]
fn ball_and_elastic_block_balance() {
    let text = format!(
        "gravity = [0.0, 0.0, -9.81]\n[time]\nend = 0.03\nflight_step = 1e-3\n{RIGID}\
         [materials.rubber]\nmodel = \"neo-hookean\"\ndensity = 1000.0\nyoung = 5e8\npoisson = 0.3\n{}\
         [[bodies]]\nname = \"block\"\nmesh = \"block.msh\"\nmaterial = \"rubber\"\n",
        ball("ball", "rigid", [0.1, 0.2, 1.01], [0.0, 0.0, -5.0]),
    );
    let mesh = box_mesh([-1.5, -1.5, -2.0], [1.5, 1.5, 0.0], [8, 8, 6]);
    let mut simulation = from_text(&text, &[("block.msh", mesh)]);
    run(&mut simulation, |_| ());
    let audit = simulation.audit();
    let velocities = [0, 1].map(|body| velocity(&simulation, body).z);
    println!(
        "velocities {velocities:?}, energy {:.1e}, momentum {:.1e}, angular {:.1e}, contacts {}",
        audit.energy_error().largest,
        audit.largest_momentum_error(),
        audit.largest_angular_error(),
        simulation.first_contacts().len()
    );
    assert_eq!(simulation.first_contacts().len(), 1);
    assert!(velocities[0] > velocities[1] + 1.0, "the ball has not left the block: {velocities:?}");
    assert!(audit.largest_momentum_error() < 1e-12);
    assert!(audit.largest_angular_error() < 1e-9);
    assert!(audit.energy_error().largest < 0.01);
}

/// A rigid ball whose centre follows a prescribed path, x = (t + t⁴)/100, with x in m and t in s.
///
/// Goal: the impulse and work of the reaction equal the changes of momentum and energy to rounding (1e-12). The
/// reaction includes the impulses of the velocity jumps that each step adds to its accelerations to follow the path. At
/// the end, velocity and acceleration are the derivatives of the prescribed position, to 1e-12 m/s and 1e-12 m/s². All
/// this holds for steps of π/300 s and of half this length.
#[test]
fn reaction_of_a_prescribed_motion_gives_its_momentum() {
    for refinement in [1.0, 0.5] {
        let end = PI / 3.0;
        let text = format!(
            "[time]\nend = {end}\nstep = {}\n{RIGID}{}[[boundaries]]\nbody = \"ball\"\n\
             displacement = {{ x = \"0.01*(t + t^4)\" }}\nfix = [\"y\", \"z\"]\n",
            PI / 300.0 * refinement,
            ball("ball", "rigid", [0.0; 3], [0.0; 3]),
        );
        let mut simulation = from_text(&text, &[]);
        run(&mut simulation, |_| ());
        let speed = velocity(&simulation, 0).x;
        let expected = 0.01 + 0.04 * end.powi(3);
        assert!((speed - expected).abs() < 1e-12, "speed {speed} instead of {expected}");
        let (acceleration, expected) = (simulation.state().accelerations[0].x, 0.12 * end.powi(2));
        assert!((acceleration - expected).abs() < 1e-12, "acceleration {acceleration} instead of {expected}");
        let audit = simulation.audit();
        let (momentum, energy) = (audit.largest_momentum_error(), audit.energy_error().largest);
        println!("momentum and energy errors {momentum:e} {energy:e}");
        assert!(momentum < 1e-12 && energy < 1e-12, "{momentum:e} {energy:e}");
    }
}
