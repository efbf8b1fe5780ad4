//! Gravity as a function of time: the velocity of falling bodies is its integral, and a block on a slope sticks under a
//! ramp of gravity.

use ictus::math::Vec3;

use crate::model::{RESPONSES, box_mesh, exceeds, from_text, lossy, run, velocity, worse};
use crate::round_meshes::wheel;

const RUBBER: &str = "model = \"neo-hookean\"\nyoung = 1e6\npoisson = 0.3\ndensity = 1000.0\n";
const RIGID: &str = "model = \"rigid\"\ndensity = 1000.0\n";

/// Goal: a deformable body and a rigid body of uneven mesh fall freely under a ramp of gravity with a kink at its end.
/// The bodies gain the velocity ∫ g dt and do not rotate. The work of gravity is the gain of kinetic energy. Tolerance:
/// rounding, 1e-12, because the function is linear in every step.
#[test]
fn bodies_fall_by_the_integral_of_gravity() {
    let uneven = wheel(0.5, 7);
    for (material, mesh) in [(RUBBER, box_mesh([0.0; 3], [1.0, 0.5, 0.2], [3, 2, 1])), (RIGID, uneven)] {
        let thickness = if material == RIGID { "thickness = 0.01\n" } else { "" };
        let text = format!(
            "gravity = [\"0\", 3.0, \"-9.81*min(t/0.01, 1)\"]\n[time]\nend = 0.035\nflight_step = 1e-3\n\
             [materials.m]\n{material}\
             [[bodies]]\nname = \"a\"\nmesh = \"a.msh\"\nmaterial = \"m\"\nvelocity = [1.0, 0.0, 0.0]\n{thickness}"
        );
        let mut simulation = from_text(&text, &[("a.msh", mesh)]);
        let mut imbalance = 0.0;
        run(&mut simulation, |simulation| {
            imbalance = worse(imbalance, simulation.audit().relative_imbalance())
        });
        let expected = Vec3::new(1.0, 3.0 * 0.035, -9.81 * (0.035 - 0.005));
        let found = velocity(&simulation, 0);
        let kinetic = simulation.energies().kinetic;
        let mass = simulation.model().bodies[0].mass;
        let spread = simulation.state().velocities.iter().map(|v| (v - expected).norm()).fold(0.0, worse);
        println!("{found:?}, spread {spread:e}, imbalance {imbalance:e}");
        assert!((found - expected).norm() < 1e-12, "{found:?}");
        assert!(!exceeds(spread, 1e-12), "nodes move apart or turn: {spread:e}");
        assert!((kinetic / (0.5 * mass * expected.norm_squared()) - 1.0).abs() < 1e-12, "{kinetic}");
        assert!(!exceeds(imbalance, 1e-12), "{imbalance:e}");
    }
}

/// Goal: a block with μ = 0.6 on a slope of tan α = 0.5 sticks if gravity is ramped up. Reference: Coulomb's law.
/// Tolerance: a displacement of 1e-3 of the size of the block, for the stretch of the tangential springs and the shear
/// of the block.
#[test]
fn ramped_gravity_puts_a_block_at_rest_on_a_slope() {
    let across = 9.81 / 1.25_f64.sqrt();
    for response in RESPONSES {
        let text = format!(
            "gravity = [\"{}*min(t/0.2, 1)\", \"0\", \"{}*min(t/0.2, 1)\"]\n[time]\nend = 0.6\n\
             [contact]\nresponse = \"{response}\"\nfriction = 0.6\n{}\
             [materials.m]\n{RIGID}\
             [[bodies]]\nname = \"a\"\nmesh = \"a.msh\"\nmaterial = \"m\"\n\
             [[walls]]\nname = \"slope\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n",
            0.5 * across,
            -across,
            lossy(response)
        );
        let mut simulation = from_text(&text, &[("a.msh", box_mesh([0.0; 3], [1.0, 1.0, 0.5], [2, 2, 1]))]);
        run(&mut simulation, |_| ());
        let moved = simulation.state().positions[0] - simulation.model().reference_positions[0];
        println!("{response}: moved by {moved:?} m, speed {:e}", velocity(&simulation, 0).norm());
        assert!(!exceeds(moved.norm(), 1e-3), "{response}: {moved:?}");
        assert!(!simulation.warnings().iter().any(|warning| warning.contains("hops")), "{response}");
    }
}
