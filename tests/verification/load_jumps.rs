//! Energy balance of contact over steps in which loads jump.
//!
//! ```text
//!        ┌───┐ → t > T   A block strikes a wall obliquely. During contact a traction, along the wall or onto it, is
//!        └───┘ ↓         suddenly applied to its side.
//!   ───────────────
//! ```
//!
//! Source: the identity of the predictor–corrector of `random_cuts`. Discrete-gradient forces are computed for
//! velocities that the other forces give from the mid-step velocities. A load jump ΔF changes these velocities by ½ dt
//! M⁻¹ ΔF, with the mass matrix M. Contact forces f therefore do the additional work ¼ dt² f · M⁻¹ ΔF. No spring stores
//! this work, so the energy balance must contain it.

use ictus::simulation::Simulation;

use crate::model::{RESPONSES, box_mesh, from_text, worse};

/// Tolerance of the energy balance of a step, relative to the largest energy.
const CLOSED: f64 = 1e-10;

/// Simulation of a block that is in contact with the wall at the time `jump` of the load jump \[s\].
fn scene(response: &str, material: &str, friction: f64, [x, z]: [f64; 2], jump: f64) -> Simulation {
    let elastic = if material == "rigid" { "" } else { "young = 1e6\npoisson = 0.3\n" };
    let text = format!(
        "gravity = [0, 0, -9.81]\n[time]\nend = 0.02\nflight_step = 1e-3\nsafety = 0.3\n\
         [contact]\nresponse = \"{response}\"\nfriction = {friction:?}\n\
         [materials.m]\nmodel = \"{material}\"\ndensity = 1000.0\n{elastic}\
         [[bodies]]\nname = \"block\"\nmesh = \"block.msh\"\nmaterial = \"m\"\n\
         velocity = [0.5, 0.1, -0.5]\ntranslate = [0, 0, 0.0002]\n\
         [[loads]]\nbody = \"block\"\ngroup = \"x1\"\n\
         traction = [\"{x:?}*(t > {jump:?})\", 0, \"{z:?}*(t > {jump:?})\"]\n\
         [[walls]]\nname = \"floor\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n"
    );
    from_text(&text, &[("block.msh", box_mesh([-0.05, -0.05, 0.0], [0.05, 0.05, 0.1], [2; 3]))])
}

/// The largest energy imbalance of a step, relative to the largest energy, and the number of contacts at the load jump.
fn ledger(simulation: &mut Simulation, jump: f64) -> (f64, usize) {
    let (mut open, mut contacts) = (0.0, 0);
    while !simulation.is_finished() {
        if simulation.state().time <= jump * (1.0 + 1e-9) {
            contacts = simulation.constraints().len();
        }
        let before = simulation.energies().conserved();
        simulation.advance(f64::INFINITY).unwrap();
        open = worse(open, (simulation.energies().conserved() - before).abs());
    }
    (open / simulation.audit().energy_scale(), contacts)
}

/// Goal: the energy balance of contact closes to rounding in every step, including the step of the load jump. Cases:
/// every response, with and without friction, rigid and deformable blocks.
#[test]
fn ledgers_close_where_loads_jump() {
    for response in RESPONSES {
        // Rigid blocks leave the wall sooner, so the load jumps earlier.
        for (material, jump) in [("rigid", 0.001), ("linear-elastic", 0.003)] {
            for friction in [0.0, 0.3] {
                for traction in [[200.0, 0.0], [0.0, -200.0]] {
                    let mut simulation = scene(response, material, friction, traction, jump);
                    let (open, contacts) = ledger(&mut simulation, jump);
                    let case = format!("{response}, {material}, friction {friction}, {traction:?} Pa");
                    println!("{case}: open by {open:.1e}, {contacts} contacts at the jump");
                    assert!(open < CLOSED && contacts > 0, "{case}: {open:e}");
                }
            }
        }
    }
}
