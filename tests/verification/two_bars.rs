//! A bar hits an equal bar at rest, end to end.
//!
//! ```text
//!    ========= -> V   =========
//! ```
//!
//! Source: Graff, Wave Motion in Elastic Solids, 1975, §2.4.

use crate::closed_form::Bar;
use crate::model::{from_config, mean_displacement, run, velocity};

/// Goal: contact lasts 2 L/c, with the compression ρ c V/2 at the contact and inside the bars. The bars exchange their
/// velocities. Poisson's ratio is zero, so the problem is one-dimensional.
///
/// Tolerance of the duration: 2 %, because a front spreads over some cells of L/200. The contact spring is as stiff as
/// a cell, and lengthens contact by a few transit times of a cell. Tolerance of the stress: 3 %. The oscillation behind
/// a front (Gibbs) has zero mean, so the mean stress is exact except at the edges of the plateau. Tolerance of the
/// velocities: 1 %, because the oscillation keeps some energy.
#[test]
fn exchange_their_velocities_in_two_transit_times() {
    let bar = Bar { young: 200e9, density: 7850.0, length: 0.1, area: 1e-4 };
    let (speed, transit) = (10.0, bar.transit_time());
    let mut simulation = from_config("two-bars", &[]);
    let middle = [-0.05501, -0.04501];
    let (mut contact_times, mut stresses, mut momenta) = (Vec::new(), Vec::new(), Vec::new());
    run(&mut simulation, |simulation| {
        let time = simulation.state().time;
        if !simulation.constraints().is_empty() {
            contact_times.push(time);
        }
        let passed = (time - 1e-6) / transit;
        if (0.65..1.35).contains(&passed) {
            let [u0, u1] = middle.map(|x| mean_displacement(simulation, 0, x));
            stresses.push(-bar.young * (u1 - u0) / (middle[1] - middle[0]));
        }
        if (0.2..1.8).contains(&passed) {
            momenta.push((time, simulation.balances()[1].momentum.linear.x));
        }
    });
    let duration = contact_times.last().unwrap() - contact_times[0];
    let stress = stresses.iter().sum::<f64>() / stresses.len() as f64;
    let (first, last) = (momenta[0], momenta.last().unwrap());
    let force = (last.1 - first.1) / (last.0 - first.0);
    let velocities = [0, 1].map(|body| velocity(&simulation, body).x);
    println!(
        "contact {:.3} us of {:.3}, stress {:.2} MPa, force/area {:.2} MPa of {:.2}, velocities {velocities:?}, \
         energy error {:.2e}",
        1e6 * duration,
        2e6 * transit,
        1e-6 * stress,
        1e-6 * force / bar.area,
        1e-6 * bar.stress(speed / 2.0),
        simulation.audit().energy_error().largest
    );
    assert!((duration / (2.0 * transit) - 1.0).abs() < 0.02, "contact lasts {duration} s");
    assert!((stress / bar.stress(speed / 2.0) - 1.0).abs() < 0.03, "stress {stress} Pa");
    assert!((force / bar.area / bar.stress(speed / 2.0) - 1.0).abs() < 0.03, "force {force} N");
    assert!(velocities[0].abs() < 0.01 * speed && (velocities[1] - speed).abs() < 0.01 * speed);
    assert!(simulation.audit().energy_error().largest < 5e-3);
    assert!(simulation.audit().largest_momentum_error() < 1e-12);
}

/// The contact springs have the stiffness 4 GN/m. Mass and step would give half of this value to a node in the middle
/// of an end, and an eighth to a corner node. A node at the rim of one bar leaves the other bar through its side and
/// returns behind the face.
///
/// Goal: the energy balance closes and the energy of the bars is constant to 0.5 %, as with the default springs. One
/// run has the automatic step. This step is short enough for the springs. With the critical step of the elements, the
/// springs would throw nodes off the face, and contact would create more than 60 % of the energy. The other run has a
/// tenth of the automatic step. A node that enters from the side has an initial gap; without this gap, contact would
/// create 6 % of the energy for any step.
#[test]
fn stiff_springs_keep_the_energy() {
    for step in ["auto", "1e-8"] {
        let keys = ["contact.stiffness=4e9", "time.end=1.4e-5", &format!("time.step={step}")];
        let mut simulation = from_config("two-bars", &keys);
        let before = simulation.energies().kinetic;
        run(&mut simulation, |_| ());
        let error = simulation.audit().energy_error().largest;
        let energies = simulation.energies();
        let left = (energies.kinetic + energies.strain + energies.contact) / before - 1.0;
        println!("step {step}: {:e} s, energy error {error:e}, {left:e}", simulation.progress().time_step);
        assert!(error < 5e-3 && left.abs() < 5e-3, "{error:e}, {left:e}");
        assert!(simulation.audit().largest_momentum_error() < 1e-12);
    }
}
