//! Functions of time that vary within a step, for example pulses shorter than a step; motion that starts and stops
//! during the run; loads on rigid bodies.
//!
//! References: Newton's second law with the integral of the function.

use std::f64::consts::PI;

use ictus::math::Vec3;
use ictus::simulation::Simulation;

use crate::model::{box_mesh, from_text, mean_displacement, run, velocity};

const RIGID: &str = "model = \"rigid\"\ndensity = 1.0";
const SOFT: &str = "model = \"neo-hookean\"\ndensity = 1.0\nyoung = 1e2\npoisson = 0.3";
const BAR: &str = "model = \"neo-hookean\"\ndensity = 1000.0\nyoung = 1e7\npoisson = 0.0";

/// The unit cube of one element, or a bar of ten elements, with loads and prescribed motion `actions`.
fn scene(time: &str, material: &str, mesh: String, actions: &str) -> Simulation {
    let text = format!(
        "[time]\n{time}\n[materials.m]\n{material}\n[[bodies]]\nname = \"b\"\nmesh = \"b.msh\"\nmaterial = \"m\"\n{actions}"
    );
    from_text(&text, &[("b.msh", mesh)])
}

fn cube() -> String {
    box_mesh([0.0; 3], [1.0; 3], [1, 1, 1])
}

fn bar() -> String {
    box_mesh([0.0; 3], [0.1, 0.01, 0.01], [10, 1, 1])
}

fn assert_close(found: f64, expected: f64, most: f64, what: &str) {
    println!("{what}: {found:.15e} of {expected:.15e}");
    assert!((found - expected).abs() <= most * expected.abs(), "{what}: {found:e} of {expected:e}");
}

/// Goal: a velocity pulse shorter than the step drives a rigid body. The displacement is the integral of the pulse.
/// Tolerance: 1e-12, for the rounding of positions; for the smooth pulse without breaks 1e-9, the accuracy of its
/// integral.
#[test]
fn velocity_pulse_shorter_than_a_step_gives_its_displacement() {
    for (velocity, expected) in [
        ("[[0, 0], [0.042, 0], [0.0425, 100], [0.043, 0]]", 0.05),
        ("[[0, 0], [0.042, 0], [0.0420001, 100], [0.0421, 100], [0.0421001, 0]]", 0.01),
        ("\"40*(t >= 0.5011)*(t < 0.50123)\"", 40.0 * 0.000_13),
        ("\"7*exp(-((t - 0.6004)/1e-4)^2)\"", 7e-4 * 1.772_453_850_905_516),
    ] {
        let action = format!("[[boundaries]]\nbody = \"b\"\nvelocity = {{ x = {velocity} }}\n");
        for step in ["", "step = 3e-2\n"] {
            let mut simulation = scene(&format!("end = 1.0\n{step}"), RIGID, cube(), &action);
            run(&mut simulation, |_| ());
            let most = if velocity.contains("exp") { 1e-9 } else { 1e-12 };
            assert_close(mean_displacement(&simulation, 0, 0.0), expected, most, velocity);
            assert!(simulation.audit().largest_momentum_error() < 1e-12);
        }
    }
}

/// Goal: a pulse of pressure or traction of any duration gives its impulse to deformable and rigid bodies, and the
/// energy of rigid bodies balances. Tolerances: rounding, 1e-12; for a smooth pulse without breaks 1e-9, the accuracy
/// of its integral; for a pressure on a soft body 1e-3.
#[test]
fn short_pulses_of_loads_keep_their_impulse() {
    for (function, expected) in [
        ("[[0, 0], [0.5011, 0], [0.5012, 1000], [0.5013, 0]]", 0.1),
        ("[[0, 0], [0.2, 0], [0.2000001, 500], [0.2004, 500], [0.2004001, 0]]", 0.2),
        ("\"300*(t > 0.3003)*(t < 0.3007)\"", 0.12),
        ("\"50*exp(-((t - 0.6004)/1e-3)^2)\"", 0.05 * 1.772_453_850_905_516),
    ] {
        for (material, load) in [SOFT, RIGID].into_iter().flat_map(|material| {
            [
                (material, format!("pressure = {function}")),
                (material, format!("traction = [{function}, 0, 0]")),
            ]
        }) {
            let action = format!("[[loads]]\nbody = \"b\"\ngroup = \"x0\"\n{load}\n");
            let mut simulation = scene("end = 1.0", material, cube(), &action);
            run(&mut simulation, |_| ());
            // Under pressure a soft body is strained. The area of the pressed face changes, and so does the impulse.
            let is_pulse = function.contains("exp");
            let most = if material == SOFT && load.starts_with("pressure") { 1e-3 } else { 1e-9 };
            let most = if is_pulse || most > 1e-9 { most } else { 1e-12 };
            let momentum = simulation.balances()[0].momentum.linear.x;
            assert_close(momentum, expected, most, &format!("{load} on {material}"));
            let audit = simulation.audit();
            assert!(audit.largest_momentum_error() < 1e-12, "{:e}", audit.largest_momentum_error());
            if material == RIGID {
                let error = audit.energy_error().largest;
                assert!(error < 1e-12, "{load} on {material}: energy {error:e}");
            }
        }
    }
}

/// Goal: a run with a motion that starts, stops or turns back reaches its end. A jump of the velocity by v does the
/// work ½ m v². Tolerance: rounding, 1e-12, for a rigid body. For a bar whose end moves, the momentum balances to
/// rounding and the energy to 5 %.
#[test]
fn motions_that_jump_do_the_work_of_their_jumps() {
    let mass = 1000.0 * 0.1 * 0.01 * 0.01;
    for (motion, travel, work) in [
        ("velocity = { x = \"1.0*(t<5e-4)\" }", 5e-4, -0.5),
        ("velocity = { x = \"2.0*step(t - 1.2345e-3)\" }", 2.0 * (2e-3 - 1.2345e-3), 2.0),
        ("displacement = { x = [[0, 0], [5e-4, 0], [2e-3, 1.5e-3]] }", 1.5e-3, 0.0),
        ("acceleration = { x = \"1e3*(t > 3e-4)*(t < 7e-4)\" }", 1e3 * 4e-4 * (1.3e-3 + 2e-4), 0.08),
    ] {
        let material = "model = \"rigid\"\ndensity = 1000.0";
        let action = format!("[[boundaries]]\nbody = \"b\"\n{motion}\n");
        let mut simulation = scene("end = 2e-3", material, bar(), &action);
        let start = velocity(&simulation, 0).x;
        run(&mut simulation, |_| ());
        let end = velocity(&simulation, 0).x;
        assert_close(mean_displacement(&simulation, 0, 0.0), travel, 1e-12, motion);
        let given = simulation.energies().external_work;
        let taken = 0.5 * mass * (end * end - start * start);
        assert!((given - taken).abs() < 1e-12 * mass, "{motion}: {given:e} of {taken:e}");
        assert!(
            (taken - work * mass).abs() < 1e-12 * mass || motion.starts_with("disp"),
            "{motion}: {taken:e}"
        );
        let audit = simulation.audit();
        assert!(audit.energy_error().largest < 1e-12 && audit.largest_momentum_error() < 1e-12);
    }
    for motion in [
        "displacement = { x = [[0, 0], [5e-4, 0], [2e-3, 1.5e-3]] }",
        "displacement = { x = [[0, 0], [1e-3, 1e-3], [1.1e-3, 1e-3], [2e-3, 0]] }",
        "velocity = { x = \"0.5*(t>7e-4)\" }",
        "velocity = { x = [[0, 0.3], [1e-3, 0.3], [1.00001e-3, -0.3]] }",
    ] {
        let action = format!("[[boundaries]]\nbody = \"b\"\ngroup = \"x0\"\n{motion}\n");
        let mut simulation = scene("end = 2e-3", BAR, bar(), &action);
        run(&mut simulation, |_| ());
        let audit = simulation.audit();
        let [energy, momentum] = [audit.energy_error().largest, audit.largest_momentum_error()];
        println!("{motion} of an end: energy {energy:.1e}, momentum {momentum:.1e}");
        assert!(energy < 0.05 && momentum < 1e-12, "{motion}: {energy:e} {momentum:e}");
    }
}

/// Goal: steps end at the points of tables and at jumps, without very short steps. Tolerance: no step except the last
/// is shorter than half a regular step.
#[test]
fn steps_end_where_functions_break() {
    let action = "[[boundaries]]\nbody = \"b\"\n\
                  velocity = { x = [[0, 0], [0.1234, 1], [0.5, 2], [0.86201, 0]], y = \"(t > 0.301)*(t < 0.7777)\", \
                  z = \"sin(7*t) > 0.5\" }\n";
    let mut simulation = scene("end = 1.0\nstep = 1e-2", RIGID, cube(), action);
    let mut ends = Vec::new();
    let mut steps: Vec<f64> = Vec::new();
    run(&mut simulation, |simulation| {
        ends.push(simulation.state().time);
        steps.push(simulation.progress().time_step);
    });
    let root = 0.5_f64.asin();
    for expected in [0.1234, 0.5, 0.86201, 0.301, 0.7777, root / 7.0, (PI - root) / 7.0] {
        let nearest = ends.iter().map(|end| (end - expected).abs()).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-14, "no step ends at {expected}: {nearest:e}");
    }
    let (last, regular) = steps.split_last().unwrap();
    assert!(
        *last > 0.0 && regular.iter().all(|step| (0.5e-2..=1e-2 * (1.0 + 1e-9)).contains(step)),
        "{steps:?}"
    );
    assert!(regular.iter().filter(|step| **step < 0.999e-2).count() <= 16, "{steps:?}");
    assert!(simulation.warnings().is_empty(), "{:?}", simulation.warnings());
}

/// Goal: each function that varies too fast for the steps is reported by one warning with its key. No other function is
/// reported.
#[test]
fn functions_faster_than_the_steps_are_reported_once() {
    let action = "[[boundaries]]\nbody = \"b\"\nvelocity = { x = \"sin(2e3*t)\", y = \"sin(20*t)\", z = \"t^2\" }\n\
                  [[loads]]\nbody = \"b\"\ngroup = \"x0\"\npressure = \"exp(-((t - 0.6004)/1e-4)^2)\"\n";
    let mut simulation = scene("end = 1.0\nstep = 1e-2", RIGID, cube(), action);
    run(&mut simulation, |_| ());
    let warnings = simulation.warnings();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(
        warnings[0].contains("`boundaries.0.velocity.x` varies faster than steps of 1.000e-2 s"),
        "{warnings:?}"
    );
    assert!(warnings[1].contains("`loads.0.pressure`"), "{warnings:?}");
}

/// Goal: an eccentric traction acts on one face of a rigid body. The body gets the momentum of the force, the angular
/// momentum of the moment, and the work of both. The same holds for a pressure. Its direction rotates with the body.
/// Reference: F t and M t with the force F and the moment M, for a small rotation. Tolerances: 1e-9 for the momentum;
/// 1e-4, the square of the rotation, for the angular momentum; 1e-12, rounding, for the balances.
#[test]
fn loads_turn_rigid_bodies() {
    let high = [0.2, 0.1, 0.1];
    let area = 0.01;
    for (load, force) in [
        ("traction = [0, 2e5, 5e4]", Vec3::new(0.0, 2e5, 5e4) * area),
        ("pressure = \"3e5*(t > 0.5e-3)\"", Vec3::x() * (3e5 * area * 0.5)),
    ] {
        let material = "model = \"rigid\"\ndensity = 1000.0";
        let action = format!("[[loads]]\nbody = \"b\"\ngroup = \"x0\"\n{load}\n");
        let keys = "translate = [0, 0.3, 0]\n";
        let mesh = box_mesh([0.0; 3], high, [2, 1, 1]);
        let mut simulation = scene("end = 1e-3\nstep = 1.3e-5", material, mesh, &format!("{keys}{action}"));
        run(&mut simulation, |_| ());
        let found = simulation.balances()[0].momentum;
        let impulse = force * 1e-3;
        let moment = Vec3::new(0.0, 0.35, 0.05).cross(&impulse);
        println!("{load}: {found:?}, {impulse} {moment}");
        assert!((found.linear - impulse).norm() < 1e-9 * impulse.norm());
        assert!((found.angular - moment).norm() < 1e-4 * moment.norm());
        let audit = simulation.audit();
        let errors =
            [audit.largest_momentum_error(), audit.largest_angular_error(), audit.energy_error().largest];
        println!("{errors:?}");
        assert!(errors.iter().all(|error| *error < 1e-12), "{load}: {errors:?}");
    }
}
