//! The impulse, moment and work of the supports of each boundary are compared with the changes of sums over the nodes.
//! The cases are all kinds of prescribed motion, deformable and rigid bodies, and boundaries that share nodes.
//!
//! The test sums masses, positions, velocities and accelerations of nodes independently of the audit. References:
//! Newton's second law; for the work the identity of the predictor–corrector given at `Energies::conserved`, exact for
//! linear forces. Prescribed components do not contribute to the kick energy.

use ictus::dynamics::Wrench;
use ictus::math::Vec3;
use ictus::simulation::Simulation;

use crate::model::{box_mesh, from_text, worse};

/// Motions that are smooth, or that have a kink or a jump between two regular steps or at the start.
const MOTIONS: [&str; 12] = [
    "displacement = { x = \"1e-3*sin(3e3*t)\", z = \"2e-4*t/1e-3\" }",
    "displacement = { y = [[0.0, 0.0], [5.07e-4, 0.0], [1e-3, 1e-3]], z = \"1e-4*(t>4e-4)\" }",
    "velocity = { x = \"sin(3e3*t)\", y = 2.0 }",
    "velocity = { y = [[0.0, 0.0], [3.3e-4, 2.0], [7e-4, 2.0], [1e-3, -1.0]] }",
    "velocity = { x = \"1.0*(t<5e-4)\", z = \"sin(3e3*t)*(t>2e-4)\" }",
    "acceleration = { x = \"2e3*cos(2e3*t)\", z = 500.0 }",
    "acceleration = { x = \"2e3*(t<3e-4)\", y = \"-3e3*step(t-5e-4)\" }",
    "rotation = { axis = [1, 2, -1], point = [0.2, 0.1, 0], angle = \"0.02*sin(2e3*t)\" }",
    "rotation = { axis = [0, 0, 1], point = [0.35, 0, 0], angle = \"1e-3*(t>4e-4)\" }",
    "rotation = { axis = [0, 1, 1], point = [0, 0, 0], angle = [[0, 0], [3e-4, 0], [1e-3, 0.02]] }",
    "rotation = { axis = [1, 2, -1], point = [0.2, 0.1, 0], speed = \"30*cos(2e3*t)\" }",
    "rotation = { axis = [0, 0, -2], point = [0.35, 0, 0], speed = \"20*(t<6e-4)\" }",
];

/// Group of a boundary at one end of the body.
const END: &str = "group = \"x0\"\n";
/// Group of a boundary on all nodes: the default.
const ALL: &str = "";
/// Groups of the boundaries of each case. All boundaries of a case prescribe the same motion.
const PLACES: [&[&str]; 5] = [&[END], &[ALL], &[END, END], &[END, ALL], &[ALL, END, ALL]];

const LOW: [f64; 3] = [0.3, -0.2, 0.4];
const SIZE: [f64; 3] = [0.1, 0.02, 0.02];
const CELLS: [usize; 3] = [5, 2, 2];
const DENSITY: f64 = 1000.0;

/// A body with the mass and inertia of its nodes. The body has one boundary for each entry of `places`, and each
/// boundary prescribes `motion`.
fn scene(model: &str, places: &[&str], motion: &str) -> Simulation {
    let is_rigid = model == "rigid";
    let constants = if is_rigid { "" } else { "young = 1e7\npoisson = 0.3\ndensity = 1000.0" };
    let material = format!("model = \"{model}\"\n{constants}");
    let boundaries: String =
        places.iter().map(|place| format!("[[boundaries]]\nbody = \"bar\"\n{place}{motion}\n")).collect();
    let inertia = if is_rigid { lumped_inertia() } else { String::new() };
    let text = format!(
        "[time]\nend = 1.5e-3\nstep = 1.2e-5\nenergy_tolerance = 1e9\n[materials.m]\n{material}\n\
         [[bodies]]\nname = \"bar\"\nmesh = \"bar.msh\"\nmaterial = \"m\"\n{inertia}{boundaries}"
    );
    let high = [0, 1, 2].map(|k| LOW[k] + SIZE[k]);
    from_text(&text, &[("bar.msh", box_mesh(LOW, high, CELLS))])
}

/// Mass and inertia of the body after lumping, with an equal share of each cell at its corners. Along an axis with n
/// cells and the total length L, Σ m (x − L/2)² = M L² (1 + 2/n²)/12 for the total mass M, by the trapezoidal rule for
/// x².
fn lumped_inertia() -> String {
    let mass = DENSITY * SIZE.iter().product::<f64>();
    let [x, y, z] =
        [0, 1, 2].map(|k| mass * SIZE[k] * SIZE[k] * (1.0 + 2.0 / (CELLS[k] * CELLS[k]) as f64) / 12.0);
    format!("mass = {mass:?}\ninertia = [{:?}, {:?}, {:?}]\n", y + z, x + z, x + y)
}

/// Sums over the nodes: momentum, kinetic energy, and Σ m |a|² of the free components of the accelerations a. The last
/// sum gives the kick energy of a step.
#[derive(Clone, Copy)]
struct Sums {
    momentum: Wrench,
    kinetic: f64,
    force_acceleration: f64,
    strain: f64,
}

fn sums(simulation: &Simulation, is_free: impl Fn(usize, usize) -> bool) -> Sums {
    let (state, masses) = (simulation.state(), &simulation.model().mass);
    let nodes = || masses.iter().enumerate();
    let momentum = nodes().fold(Wrench::zero(), |sum, (node, &mass)| {
        sum + Wrench::at(&state.positions[node], state.velocities[node] * mass)
    });
    let kinetic = nodes().map(|(node, mass)| 0.5 * mass * state.velocities[node].norm_squared()).sum();
    let of_node = |(node, mass): (usize, &f64)| -> f64 {
        let free = (0..3).filter(|&axis| is_free(node, axis));
        free.map(|axis| mass * state.accelerations[node][axis].powi(2)).sum()
    };
    Sums {
        momentum,
        kinetic,
        force_acceleration: nodes().map(of_node).sum(),
        strain: simulation.energies().strain,
    }
}

/// Momentum, angular momentum and kinetic energy of the mean velocities in a step that starts from these positions. If
/// a motion jumps and comes to rest within a step, the velocities at the ends of steps are zero. The values of this
/// function are then the scales of the errors.
fn mean_motion(simulation: &Simulation, before: &[Vec3], dt: f64) -> [f64; 3] {
    let (state, masses) = (simulation.state(), &simulation.model().mass);
    masses.iter().enumerate().fold([0.0; 3], |[size, angular, energy], (node, mass)| {
        let speed = (state.positions[node] - before[node]).norm() / dt;
        let arm = state.positions[node].norm();
        [size + mass * speed, angular + arm * mass * speed, energy + 0.5 * mass * speed * speed]
    })
}

/// Impulse and work of all boundaries so far.
fn given(simulation: &Simulation) -> (Wrench, f64) {
    simulation.support_accounts().iter().fold((Wrench::zero(), 0.0), |(impulse, work), account| {
        (impulse + account.impulse, work + account.work)
    })
}

/// Goal: in every step the impulse, angular impulse and work of the boundaries equal the changes of the nodal sums.
/// This holds for any motion and for boundaries that share nodes. The audit agrees. Tolerance: 1e-12, for the rounding
/// of sums over a step, relative to the peaks of the run. The peaks include those of the mean velocities in steps.
#[test]
fn supports_give_what_nodes_take_in_every_step() {
    for (motion, places) in MOTIONS.iter().flat_map(|motion| PLACES.map(|places| (motion, places))) {
        for model in ["linear-elastic", "neo-hookean", "rigid"] {
            let case = format!("{motion} at {places:?}, {model}");
            let mut simulation = scene(model, places, motion);
            let references = simulation.model().reference_positions.clone();
            let moves_all = model == "rigid" || places.contains(&ALL);
            let is_free = |node: usize, axis: usize| {
                let name = format!(" {} =", ["x", "y", "z"][axis]);
                let is_moved = motion.starts_with("rotation") || motion.contains(&name);
                model != "rigid" && !(is_moved && (moves_all || (references[node].x - LOW[0]).abs() < 1e-9))
            };
            let mut positions = simulation.state().positions.clone();
            let mut before = (sums(&simulation, is_free), given(&simulation));
            let (mut errors, mut peaks) = ([0.0; 3], [0.0_f64; 3]);
            while !simulation.is_finished() {
                simulation.advance(f64::INFINITY).unwrap();
                let now = (sums(&simulation, is_free), given(&simulation));
                let ([a, b], [(p, v), (q, w)]) = ([before.0, now.0], [before.1, now.1]);
                let dt = simulation.progress().time_step;
                let kick = 0.125 * dt * dt * (b.force_acceleration - a.force_acceleration);
                let off = [
                    (b.momentum.linear - a.momentum.linear - (q.linear - p.linear)).norm(),
                    (b.momentum.angular - a.momentum.angular - (q.angular - p.angular)).norm(),
                    (b.kinetic - a.kinetic - kick + b.strain - a.strain - (w - v)).abs(),
                ];
                let [size, angular_size, energy] = mean_motion(&simulation, &positions, dt);
                let kicks = 0.125 * dt * dt * b.force_acceleration;
                let sizes = [
                    size.max(b.momentum.linear.norm()),
                    angular_size.max(b.momentum.angular.norm()),
                    energy.max(b.kinetic).max(b.strain).max(w.abs()).max(kicks),
                ];
                positions.clone_from(&simulation.state().positions);
                for k in 0..3 {
                    errors[k] = worse(off[k], errors[k]);
                    peaks[k] = peaks[k].max(sizes[k]);
                }
                before = now;
            }
            let mut relative = [0, 1, 2].map(|k| errors[k] / peaks[k]);
            let audit = simulation.audit();
            let mut of_audit = [audit.largest_momentum_error(), audit.largest_angular_error()];
            // Small-strain stresses refer to the undeformed body and have a moment on the deformed body.
            if model == "linear-elastic" {
                (relative[1], of_audit[1]) = (0.0, 0.0);
            }
            // For nonlinear forces the work by the trapezoidal rule differs from the change of the strain energy.
            if model == "neo-hookean" {
                relative[2] = 0.0;
            }
            let all = relative.iter().chain(&of_audit);
            let words: Vec<String> = all.clone().map(|error| format!("{error:.1e}")).collect();
            println!("{case}: {}", words.join(" "));
            assert!(all.clone().all(|error| *error < 1e-12), "{case}: {words:?}");
        }
    }
}

/// Goal: the account of a boundary includes its nodes that no earlier boundary names. The impulse of a body that moves
/// rigidly is divided among the boundaries in the same way as its nodes. Tolerance: rounding, 1e-12 of the impulse.
/// Reference: m Δv of the nodes of each boundary, because there is no strain.
#[test]
fn the_first_boundary_that_names_a_node_gives_it() {
    for (motion, is_first_end) in MOTIONS[2..5].iter().flat_map(|motion| [(motion, true), (motion, false)]) {
        let places: &[&str] = if is_first_end { &[END, ALL] } else { &[ALL, END] };
        let mut simulation = scene("linear-elastic", places, motion);
        let momentum_of = |simulation: &Simulation, is_of: &dyn Fn(f64) -> bool| -> Vec3 {
            let (state, model) = (simulation.state(), simulation.model());
            let nodes =
                (0..model.mass.len()).filter(|&node| is_of(model.reference_positions[node].x - LOW[0]));
            nodes.map(|node| state.velocities[node] * model.mass[node]).sum()
        };
        let is_end = |x: f64| x.abs() < 1e-9;
        let parts: [&dyn Fn(f64) -> bool; 2] =
            if is_first_end { [&is_end, &|x| !is_end(x)] } else { [&|_| true, &|_| false] };
        let start = parts.map(|part| momentum_of(&simulation, part));
        while !simulation.is_finished() {
            simulation.advance(f64::INFINITY).unwrap();
        }
        let size: f64 = simulation
            .model()
            .mass
            .iter()
            .zip(&simulation.state().velocities)
            .map(|(m, v)| m * v.norm())
            .sum();
        for (k, part) in parts.iter().enumerate() {
            let taken = momentum_of(&simulation, part) - start[k];
            let off = (simulation.support_accounts()[k].impulse.linear - taken).norm();
            assert!(
                off < 1e-12 * size.max(1e-2),
                "{motion}, boundary {k} of {places:?}: {off:e} of {size:e}"
            );
        }
    }
}

/// Goal: the reactions on a rigid body at rest are its weight and the moment of the weight. The reaction on a body that
/// rotates steadily about an axis is the centripetal force m ω² r. Tolerance: rounding, 1e-12. Reference: statics and
/// uniform rotation.
#[test]
fn reactions_are_those_of_statics_and_of_steady_turning() {
    let mass = DENSITY * SIZE.iter().product::<f64>();
    let centre = Vec3::from_fn(|k, _| LOW[k] + 0.5 * SIZE[k]);
    let text = format!(
        "gravity = [0.0, 0.0, -9.81]\n[time]\nend = 1e-3\nstep = 1e-4\n[materials.m]\nmodel = \"rigid\"\n\
         density = {DENSITY:?}\n[[bodies]]\nname = \"bar\"\nmesh = \"bar.msh\"\nmaterial = \"m\"\n\
         [[boundaries]]\nbody = \"bar\"\nfix = [\"x\", \"y\", \"z\"]\n\
         [[boundaries]]\nbody = \"bar\"\ngroup = \"x0\"\nfix = [\"z\"]\n"
    );
    let high = [0, 1, 2].map(|k| LOW[k] + SIZE[k]);
    let held = from_text(&text, &[("bar.msh", box_mesh(LOW, high, CELLS))]);
    let expected = Wrench::at(&centre, Vec3::z() * (9.81 * mass));
    let found = [0, 1].map(|boundary| held.support_accounts()[boundary].reaction);
    assert!((found[0].linear - expected.linear).norm() < 1e-12 * expected.linear.norm(), "{found:?}");
    assert!((found[0].angular - expected.angular).norm() < 1e-12 * expected.angular.norm(), "{found:?}");
    assert_eq!(found[1], Wrench::zero());
    let (speed, axis, point) = (30.0, Vec3::new(0.0, 0.0, -1.0), Vec3::new(0.35, 0.1, 0.0));
    let motion = format!("rotation = {{ axis = [0, 0, -2], point = [0.35, 0.1, 0], speed = {speed:?} }}");
    for model in ["rigid", "linear-elastic"] {
        let mut turning = scene(model, &[ALL], &motion);
        while !turning.is_finished() {
            turning.advance(f64::INFINITY).unwrap();
        }
        let turned = -axis.z * speed * turning.state().time;
        let arm = centre - point;
        let (sin, cos) = (-turned).sin_cos();
        let arm = Vec3::new(cos * arm.x - sin * arm.y, sin * arm.x + cos * arm.y, 0.0);
        let expected = arm * (-mass * speed * speed);
        let found = turning.support_accounts()[0].reaction.linear;
        let error = (found - expected).norm() / expected.norm();
        println!("centripetal {found} of {expected}: {error:.1e}");
        assert!(error < 1e-12, "{model}: {error:e}");
    }
}

/// Goal: with every response, a rigid body with prescribed rotation strikes a free body, and transfers momentum,
/// angular momentum and energy. The free body leaves at least as fast as the striking point, and the balances close.
/// Tolerance: rounding, 1e-12, for momenta; 1 % for the energy, the error of springs in time steps. Reference: Newton's
/// second law.
#[test]
fn a_turned_body_strikes_with_its_accounts_closed() {
    let speed = 20.0;
    for response in crate::model::RESPONSES {
        let text = format!(
            "[time]\nend = 0.02\n[materials.m]\nmodel = \"rigid\"\ndensity = 1000.0\n\
             [contact]\nresponse = \"{response}\"\n\
             [[bodies]]\nname = \"arm\"\nmesh = \"arm.msh\"\nmaterial = \"m\"\n\
             [[bodies]]\nname = \"cube\"\nmesh = \"cube.msh\"\nmaterial = \"m\"\ntranslate = [0.085, 0.025, 0.005]\n\
             [[boundaries]]\nbody = \"arm\"\n\
             rotation = {{ axis = [0, 0, 1], point = [0, 0.01, 0], speed = {speed:?} }}\n"
        );
        let arm = box_mesh([0.0; 3], SIZE, CELLS);
        let cube = box_mesh([0.0; 3], [0.01, 0.01, 0.01], [1, 1, 1]);
        let mut simulation = from_text(&text, &[("arm.msh", arm), ("cube.msh", cube)]);
        while !simulation.is_finished() {
            simulation.advance(f64::INFINITY).unwrap();
        }
        let struck = crate::model::velocity(&simulation, 1).norm();
        let audit = simulation.audit();
        let [linear, angular, energy] =
            [audit.largest_momentum_error(), audit.largest_angular_error(), audit.energy_error().largest];
        println!(
            "{response}: {struck:.3} m/s, momentum {linear:.1e}, angular {angular:.1e}, energy {energy:.1e}"
        );
        assert_eq!(simulation.first_contacts().len(), 1);
        assert!(struck > 0.09 * speed, "{response}: {struck}");
        assert!(linear < 1e-12 && angular < 1e-12, "{response}: {linear:e} {angular:e}");
        assert!(energy < 0.01, "{response}: {energy:e}");
        let given = simulation.support_accounts()[0];
        assert!((given.work - simulation.energies().external_work).abs() < 1e-12 * audit.energy_scale());
    }
}
