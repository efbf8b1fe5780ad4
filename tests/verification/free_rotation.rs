//! A body without load that turns stays as it is.
//!
//! ```text
//!      +--+     ω
//!      |  |    ↺        one turn, step by step
//!      +--+
//! ```
//!
//! Goal: objectivity of elements, of rigid bodies and of the time integration.

use std::f64::consts::TAU;

use crate::model::{box_mesh, from_text, run};

/// Speed of the rim over that of waves.
const RIM_SPEED: f64 = 3e-5;

/// A cube of 1 m of eight elements, c = √(E/ρ) = 1000 m/s, that makes one turn about (1, 2, 2)/3.
///
/// A traction of zero keeps a deformable body from flying in closed form.
fn scenario(material: &str, loads: &str) -> String {
    let rate = spin();
    format!(
        "[time]\nend = {}\nflight_step = {}\n{material}\ndensity = 1000.0\n[[bodies]]\nname = \"cube\"\nmesh = \"cube.msh\"\n\
         material = \"m\"\nangular_velocity = [{}, {}, {}]\n{loads}",
        TAU / rate,
        0.01 / rate,
        rate / 3.0,
        rate * 2.0 / 3.0,
        rate * 2.0 / 3.0,
    )
}

/// Angular velocity \[rad/s\]; the corners are 0.866 m from the centre.
fn spin() -> f64 {
    RIM_SPEED * 1000.0 / 0.75_f64.sqrt()
}

/// Runs one turn; returns the largest strain energy over the kinetic one, and the largest distance of a node from
/// where it began \[m\].
fn turn(text: &str) -> (f64, f64) {
    let mesh = box_mesh([-0.5; 3], [0.5; 3], [2, 2, 2]);
    let mut simulation = from_text(text, &[("cube.msh", mesh)]);
    let mut strain: f64 = 0.0;
    run(&mut simulation, |simulation| strain = strain.max(simulation.energies().strain));
    simulation.materialise();
    let energies = simulation.energies();
    let pairs = simulation.state().positions.iter().zip(&simulation.model().reference_positions);
    let distance = pairs.map(|(x, reference)| (x - reference).norm()).fold(0.0, f64::max);
    println!(
        "strain/kinetic {:.2e}, distance {distance:.2e}, {} steps ({} in flight), energy error {:.1e}, angular {:.1e}",
        strain / energies.kinetic,
        simulation.state().step,
        simulation.steps_in_flight(),
        simulation.audit().largest_energy_error(),
        simulation.audit().largest_angular_error(),
    );
    assert!(simulation.audit().largest_angular_error() < 1e-9);
    assert!(simulation.audit().largest_energy_error() < 1e-9);
    (strain / energies.kinetic, distance)
}

/// The spin itself strains a body: stresses of ρ v² against a modulus of ρ c² make a strain energy of (v/c)² of the
/// kinetic one times a number below one, 9e-10 here. Anything above comes from the turn. The nodes come back to within
/// the stretch of that spin, (v/c)² of a metre, and the phase error of the integration.
#[test]
fn deformable_body_turns_without_strain() {
    let load = "[[loads]]\nbody = \"cube\"\ntraction = [0.0, 0.0, 0.0]\n";
    for model in ["neo-hookean", "st-venant-kirchhoff"] {
        let material = format!("[materials.m]\nmodel = \"{model}\"\nyoung = 1e9\npoisson = 0.3");
        let (strain, distance) = turn(&scenario(&material, load));
        assert!(strain < 1e-9, "{model}: strain energy {strain:e} of the kinetic");
        assert!(distance < 1e-6, "{model}: a node is {distance:e} m from where it began");
    }
}

/// A rigid body flies in closed form: it comes back to rounding of some steps.
#[test]
fn rigid_body_comes_back_after_a_turn() {
    let (_, distance) = turn(&scenario("[materials.m]\nmodel = \"rigid\"", ""));
    assert!(distance < 1e-12, "a node is {distance:e} m from where it began");
}
