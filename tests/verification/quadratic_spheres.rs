//! Two equal balls of curved second-order elements collide head-on. The tests check the time of first contact of their
//! faces, and the exchange of velocities.
//!
//! ```text
//!     ___        ___
//!    /   \ -->  <-- /   \       V = 0.5 m/s each; they meet in the middle of faces, between the nodes
//!    \___/          \___/
//! ```
//!
//! Source: Hertz 1882; Johnson, Contact Mechanics, 1985, §11.4.

use ictus::math::Vec3;
use ictus::mesh::CellKind;
use ictus::simulation::Simulation;

use crate::closed_form::HertzImpact;
use crate::model::{from_config, momentum, run, run_to_contact, velocity};

const SPEED: f64 = 0.5;

/// The x axis crosses a face in its middle; x coordinate of this middle on the given side of a body \[m\]. The middle
/// is interpolated from the corners and mid-side nodes of the face, with the weights −1/9 and 4/9 for a Tri6, and −1/4
/// and 1/2 for a Quad8.
fn middle_of_face(simulation: &Simulation, body: usize, side: f64) -> f64 {
    let model = simulation.model();
    let mut found = Vec::new();
    for block in &model.bodies[body].blocks {
        for cell in block.connectivity.chunks_exact(block.kind.num_nodes()) {
            for face in block.kind.faces() {
                let nodes: Vec<Vec3> = face
                    .nodes
                    .iter()
                    .map(|&n| model.reference_positions[cell[n as usize] as usize])
                    .collect();
                let corners = face.kind.corners().len();
                let [at_corner, at_mid_side] =
                    if face.kind == CellKind::Tri6 { [-1.0 / 9.0, 4.0 / 9.0] } else { [-0.25, 0.5] };
                let share = |(a, x): (usize, &Vec3)| x * if a < corners { at_corner } else { at_mid_side };
                let middle: Vec3 = nodes.iter().enumerate().map(share).sum();
                if middle.yz().norm() < 1e-9 {
                    found.push(middle.x);
                }
            }
        }
    }
    found.into_iter().max_by(|a, b| (side * a).total_cmp(&(side * b))).unwrap()
}

/// Goals of one scenario.
///
/// First contact: the closest points are the middles of two faces, by symmetry about the axis. The time of contact is
/// the gap over the closing speed, to 1e-9 s (a nanometre at 1 m/s).
///
/// Balances: contact forces are equal and opposite, so momentum is conserved to 1e-12 of the momentum of a ball. The
/// balls exchange their velocities to 4 % of the speed. The difference is the energy of vibration: some per cent,
/// because the transit time 2R/c of a wave is a seventh of the contact duration.
///
/// Duration: that of the impact of a finite ball on its mirror image, to 5 %. Nodes half an element away from the axis
/// touch only when the approach is 3 % (Tet10) or 7 % (Hex20) of its maximum.
fn check(name: &str) {
    let mut simulation = from_config(name, &[]);
    let gap = middle_of_face(&simulation, 1, -1.0) - middle_of_face(&simulation, 0, 1.0);
    let exact = gap / (2.0 * SPEED);
    let before = simulation.balances()[0].momentum.linear.norm();
    let mass = simulation.model().bodies[0].mass;
    let contact = run_to_contact(&mut simulation);
    let mut touching = Vec::new();
    run(&mut simulation, |simulation| {
        if !simulation.constraints().is_empty() {
            touching.push(simulation.state().time);
        }
    });
    let ball = HertzImpact { young: 10e6, poisson: 0.3, density: 1000.0, radius: 0.01, speed: SPEED };
    let duration = (touching.last().unwrap() - contact) / ball.of_finite_ball().duration;
    let speeds = [0, 1].map(|body| velocity(&simulation, body).x / SPEED);
    let error = momentum(&simulation).linear.norm() / before;
    println!(
        "{name}: contact {contact:.12} of {exact:.12}, mass {:.5}, duration {duration:.4} of {:.4e} (Hertz {:.4e}), speeds \
         {speeds:?}, momentum {error:.1e}, energy {:.1e}, {} steps",
        mass / ball.mass(),
        ball.of_finite_ball().duration,
        ball.duration(),
        simulation.audit().energy_error().largest,
        simulation.state().step,
    );
    assert!((contact - exact).abs() < 1e-9, "{contact} {exact}");
    assert!(error < 1e-12, "{error}");
    assert!((speeds[0] + 1.0).abs() < 0.04 && (speeds[1] - 1.0).abs() < 0.04, "{speeds:?}");
    assert!((duration - 1.0).abs() < 0.05, "{duration}");
    assert!(simulation.audit().energy_error().largest < 5e-3);
    assert!((mass / ball.mass() - 1.0).abs() < 2e-3, "{mass}");
}

#[test]
fn tetrahedra_meet_between_their_nodes() {
    check("quadratic-spheres");
}

#[test]
fn hexahedra_meet_between_their_nodes() {
    check("quadratic-spheres-hex20");
}
