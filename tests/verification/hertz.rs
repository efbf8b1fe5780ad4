//! An elastic ball dropped on a rigid plate.
//!
//! Source: Hertz 1882; Johnson, Contact Mechanics, 1985, §4.2, §11.4.
//!
//! Hertz treats the ball as a half-space. The error is of first order in a/R, with the radius a of the contact and the
//! radius R of the ball. The reason is that the displacements of a loaded half-space decay as a/r with the distance r,
//! and the centre of the ball is at r = R. At a/R = 0.2 the error is nearly ten per cent of the force. The reference is
//! therefore Hertz's solution with the compliance of a ball: see [`HertzImpact::of_finite_ball`].

use crate::closed_form::HertzImpact;
use crate::model::{from_config, run};

/// Relative deviations of the results of an impact from a reference.
struct Deviations {
    force: f64,
    duration: f64,
    approach: f64,
}

/// Runs the scenario at a speed \[m/s\]. Returns the deviations from the impact of a finite ball, and from Hertz's
/// half-space.
///
/// The force is the change of momentum over a window of a twentieth of the contact duration. The window averages the
/// oscillations of the contact springs. Their period is a hundredth of the window. The mean of a parabola over the
/// window is 0.2 % below its top. A quarter of the ball is modelled. The mass m of the mesh is 0.85 % below the mass of
/// a round ball. Hertz's force is proportional to m^(3/5) and is evaluated for the mass of the mesh.
fn measure(speed: f64, response: &str) -> [Deviations; 2] {
    let ball = HertzImpact { young: 10e6, poisson: 0.3, density: 1000.0, radius: 0.1, speed };
    let gap = 1e-4;
    let end = gap / speed + 1.15 * ball.duration();
    let settings = [
        format!("time.end={end}"),
        format!("bodies.ball.velocity=[0, 0, {}]", -speed),
        format!("contact.response={response}"),
    ];
    let overrides: Vec<&str> = settings.iter().map(String::as_str).collect();
    let mut simulation = from_config("hertz", &overrides);
    let mesh_ball =
        HertzImpact { density: 4.0 * simulation.model().bodies[0].mass / ball.mass() * 1e3, ..ball };
    let (mut momenta, mut contact, mut lowest) = (Vec::new(), Vec::new(), f64::INFINITY);
    let height = simulation.balances()[0].centre.z;
    run(&mut simulation, |simulation| {
        let (time, balance) = (simulation.state().time, &simulation.balances()[0]);
        momenta.push((time, balance.momentum.linear.z));
        lowest = lowest.min(balance.centre.z);
        if !simulation.constraints().is_empty() {
            contact.push(time);
        }
    });
    let window = 0.05 * ball.duration();
    let mut force: f64 = 0.0;
    let mut first = 0;
    for last in 0..momenta.len() {
        while momenta[last].0 - momenta[first + 1].0 > window {
            first += 1;
        }
        let span = momenta[last].0 - momenta[first].0;
        if span > window {
            force = force.max((momenta[last].1 - momenta[first].1) / span);
        }
    }
    let reference = mesh_ball.of_finite_ball();
    let against = |[reference_force, duration, approach]: [f64; 3]| Deviations {
        force: 4.0 * force / reference_force - 1.0,
        duration: (contact.last().unwrap() - contact[0]) / duration - 1.0,
        approach: (height - lowest - gap) / approach - 1.0,
    };
    let deviations = against([reference.force, reference.duration, reference.approach]);
    let from_hertz = against([mesh_ball.force(), mesh_ball.duration(), mesh_ball.approach()]);
    println!(
        "reference over Hertz: force {:+.2} %, duration {:+.2} %, approach {:+.2} %",
        1e2 * (reference.force / mesh_ball.force() - 1.0),
        1e2 * (reference.duration / mesh_ball.duration() - 1.0),
        1e2 * (reference.approach / mesh_ball.approach() - 1.0),
    );
    println!(
        "{response}: V = {speed} m/s, a/R = {:.4}: force {:+.2} %, duration {:+.2} %, approach {:+.2} %, energy error {:.1e}, {} steps",
        mesh_ball.contact_ratio(),
        1e2 * deviations.force,
        1e2 * deviations.duration,
        1e2 * deviations.approach,
        simulation.audit().energy_error().largest,
        simulation.state().step,
    );
    [deviations, from_hertz]
}

fn check(deviations: &Deviations, tolerance: f64) {
    let Deviations { force, duration, approach } = *deviations;
    for (name, deviation) in [("force", force), ("duration", duration), ("approach", approach)] {
        assert!(deviation.abs() < tolerance, "{name} deviates by {deviation}");
    }
}

/// Goal: force, duration and approach of the scenario of the repository, with a/R = 0.2, agree with the finite ball.
/// Tolerance 2 %: the neglected effects, such as waves in the ball, are of the order (a/R)² = 4 %.
#[test]
fn ball_at_a_metre_a_second() {
    let [deviations, _] = measure(1.0, "penalty");
    check(&deviations, 0.02);
}

/// Goal: as in `ball_at_a_metre_a_second`, at a tenth of the speed, with a/R = 0.08. The neglected effects are 0.6 %,
/// and one node of the fine zone more or less in contact changes a by about 1 %. The tolerance is 1 %. An error of 5 %
/// in Young's modulus E would change the force by 2 % (E^(2/5)), and an error of 5 % in the mass by 3 % (m^(3/5)). The
/// deviation from Hertz's half-space is within 5 %.
#[test]
#[ignore = "long verification: cargo test --release --test verification -- --ignored"]
fn ball_at_a_tenth_of_that() {
    let [deviations, from_hertz] = measure(0.1, "penalty");
    check(&deviations, 0.01);
    check(&from_hertz, 0.05);
}

/// Goal: as in `ball_at_a_metre_a_second`, with the discrete-gradient springs of `energy-momentum` and with the
/// impulses of `decomposition`. Tolerance 3 %: the 2 % of that test, and 1 % for one node of the fine zone more or less
/// in contact. With impulses, striking nodes lose their kinetic energy. The mass of these nodes is about ρ h π a²/2,
/// half a layer of cells of size h under the contact, or 0.1 % of the ball.
#[test]
#[ignore = "long verification: cargo test --release --test verification -- --ignored"]
fn ball_by_the_other_responses() {
    for response in ["energy-momentum", "decomposition"] {
        let [deviations, _] = measure(1.0, response);
        check(&deviations, 0.03);
    }
}
