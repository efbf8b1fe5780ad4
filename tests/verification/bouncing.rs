//! Bouncing blocks.

use ictus::simulation::Simulation;

use crate::model::{
    RESPONSES, box_mesh, from_text, mean_displacement, rigid_floor, run, smooth_weight, velocity,
};
use crate::round_meshes::ball;

const GRAVITY: f64 = 9.81;

/// Bounces of a rigid ball released above a floor, with contact impulses.
struct Bounces {
    /// Height of the apex after each bounce \[m\].
    apexes: Vec<f64>,
    /// Last time at which the ball is above the floor \[s\].
    rests_from: f64,
    simulation: Simulation,
}

/// Releases the ball; contact is computed in every `every`-th step of length `step` \[s\].
fn bounces(height: f64, restitution: f64, every: u32, step: f64, end: f64) -> Bounces {
    let text = format!(
        "gravity = [0.0, 0.0, -{GRAVITY:?}]\n[time]\nend = {end:?}\nstep = {step:?}\nflight_step = {step:?}\n\
         [materials.ball]\nmodel = \"rigid\"\ndensity = 1000.0\n\
         [contact]\nresponse = \"decomposition\"\nrestitution = {restitution:?}\nevery = {every}\n\
         [[bodies]]\nname = \"ball\"\nmesh = \"ball.msh\"\nmaterial = \"ball\"\ntranslate = [0.0, 0.0, {:?}]\n{}",
        height + 0.1,
        rigid_floor("")
    );
    let meshes =
        [("ball.msh", ball(0.1, 1)), ("floor.msh", box_mesh([-1.0, -1.0, -0.1], [1.0, 1.0, 0.0], [1, 1, 1]))];
    let mut simulation = from_text(&text, &meshes);
    let (mut apexes, mut apex, mut rests_from, mut was_rising) = (Vec::new(), 0.0_f64, 0.0, false);
    run(&mut simulation, |simulation| {
        let above = simulation.balances()[0].centre.z - 0.1;
        let rises = velocity(simulation, 0).z > 0.0;
        if above > GRAVITY * step * step * f64::from(every * every) {
            rests_from = simulation.state().time;
        }
        if was_rising && !rises && apex > 0.0 {
            apexes.push(apex);
            apex = 0.0;
        }
        apex = if rises { apex.max(above) } else { apex };
        was_rising = rises;
    });
    Bounces { apexes, rests_from, simulation }
}

/// A rigid cube bounces on a rigid plate, without friction or loss.
///
/// Goal: over 20 bounces each apex is at the initial height within 1 %, and the energy stays within 0.5 %.
#[test]
fn rigid_cube_bounces_twenty_times() {
    for (response, keys) in
        [("penalty", "penalty = 0.01\n"), ("decomposition", "restitution = 1.0\n"), ("energy-momentum", "")]
    {
        let height = 0.1;
        let period = 2.0 * f64::sqrt(2.0 * height / 9.81);
        let text = format!(
            "gravity = [0.0, 0.0, -9.81]\n[time]\nend = {:?}\nstep = 1e-4\nflight_step = 1e-3\n\
             [materials.cube]\nmodel = \"rigid\"\ndensity = 1000.0\n[contact]\nresponse = \"{response}\"\n{keys}\
             [[bodies]]\nname = \"cube\"\nmesh = \"cube.msh\"\nmaterial = \"cube\"\ntranslate = [0.0, 0.0, {height:?}]\n{}",
            20.6 * period,
            rigid_floor("")
        );
        let meshes = [
            ("cube.msh", box_mesh([-0.1, -0.1, 0.0], [0.1, 0.1, 0.2], [2, 2, 2])),
            ("floor.msh", box_mesh([-1.0, -1.0, -0.1], [1.0, 1.0, 0.0], [1, 1, 1])),
        ];
        let mut simulation = from_text(&text, &meshes);
        let start = simulation.balances()[0].centre.z - height;
        let (mut apexes, mut apex, mut touched) = (Vec::new(), 0.0_f64, true);
        run(&mut simulation, |simulation| {
            let touches = !simulation.constraints().is_empty();
            if touches && !touched && apex > 0.5 * height {
                apexes.push(apex);
                apex = 0.0;
            }
            touched = touches;
            apex = apex.max(simulation.balances()[0].centre.z - start);
        });
        apexes.push(apex);
        let audit = simulation.audit();
        println!(
            "{response}: energy {:.1e}, {:?}, apexes {apexes:.4?}",
            audit.energy_error().largest,
            simulation.energies()
        );
        assert!(apexes.len() > 20, "{response}");
        assert!(apexes[..21].iter().all(|apex| (apex / height - 1.0).abs() < 0.01), "{response}: {apexes:?}");
        assert!(audit.energy_error().largest < 5e-3, "{response}");
    }
}

/// A block of 27 cells falls on a larger block that is held at both ends along x.
///
/// Goal: the block bounces several times, no element is inverted, and the energy stays within 0.5 %.
#[test]
fn elastic_block_drops_on_an_elastic_base() {
    for response in RESPONSES {
        let soft = if response == "decomposition" { "" } else { "penalty = 0.1\n" };
        let text = format!(
            "gravity = [0.0, 0.0, -9.81]\n[time]\nend = 2.5\nsafety = 0.2\nflight_step = 1e-2\n\
             [materials.rubber]\nmodel = \"neo-hookean\"\ndensity = 1000.0\nyoung = 1e6\npoisson = 0.3\n\
             [contact]\nresponse = \"{response}\"\n{soft}\
             [[bodies]]\nname = \"block\"\nmesh = \"block.msh\"\nmaterial = \"rubber\"\ntranslate = [0.0, 0.0, 0.5]\n\
             [[bodies]]\nname = \"base\"\nmesh = \"base.msh\"\nmaterial = \"rubber\"\ngravity = [0.0, 0.0, 0.0]\n\
             [[boundaries]]\nbody = \"base\"\ngroup = \"x0\"\nfix = [\"x\", \"y\", \"z\"]\n\
             [[boundaries]]\nbody = \"base\"\ngroup = \"x1\"\nfix = [\"x\", \"y\", \"z\"]\n"
        );
        let meshes = [
            ("block.msh", box_mesh([-0.5, -0.5, 0.0], [0.5, 0.5, 1.0], [3, 3, 3])),
            ("base.msh", box_mesh([-1.0, -1.0, -1.0], [1.0, 1.0, 0.0], [5, 5, 3])),
        ];
        let mut simulation = from_text(&text, &meshes);
        let (mut bounces, mut touched) = (0, 0.0);
        run(&mut simulation, |simulation| {
            let time = simulation.state().time;
            if !simulation.constraints().is_empty() {
                bounces += usize::from(time - touched > 0.1);
                touched = time;
            }
        });
        let audit = simulation.audit();
        println!(
            "{response}: {bounces} bounces, energy {:.1e} {:.1e}, momentum {:.1e}, {:?}, {} steps",
            audit.energy_error().largest,
            audit.relative_imbalance(),
            audit.largest_momentum_error(),
            simulation.energies(),
            simulation.state().step
        );
        assert!(bounces >= 3, "{response}: {bounces}");
        assert!(audit.energy_error().largest < 5e-3, "{response}");
    }
}

/// Goal: rigid cubes exchange their velocities for any stiffness of the springs between them. The energy is conserved,
/// also if a shortened step ends at the impact and the next step has the regular length. Tolerance: 1e-5, because the
/// iteration for the pressures of nine nodes on one rigid body leaves an error of about 1e-6 for stiff springs.
#[test]
fn stiff_contact_after_a_cut_step_keeps_the_energy() {
    let body = |name: &str, speed: f64| {
        format!(
            "[[bodies]]\nname = \"{name}\"\nmesh = \"{name}.msh\"\nmaterial = \"m\"\nvelocity = [{speed:?}, 0, 0]\n"
        )
    };
    for penalty in ["1.0", "1e6"] {
        // The first impact ends a flight; the second occurs in a time step.
        let text = format!(
            "[time]\nend = 0.1\nstep = 1e-4\n\
             [contact]\nresponse = \"energy-momentum\"\npenalty = {penalty}\nresolve_impact = true\n\
             [materials.m]\nmodel = \"rigid\"\ndensity = 1000.0\n{}{}{}",
            body("first", 1.0),
            body("second", 0.0),
            body("third", 0.0)
        );
        let cube = |x: f64| box_mesh([x, 0.0, 0.0], [x + 0.1, 0.1, 0.1], [2, 2, 2]);
        let meshes =
            [("first.msh", cube(0.0)), ("second.msh", cube(0.11)), ("third.msh", cube(0.110_037_7 + 0.11))];
        let mut simulation = from_text(&text, &meshes);
        run(&mut simulation, |_| ());
        let speeds = [0, 1, 2].map(|body| simulation.balances()[body].momentum.linear.x);
        let error = simulation.audit().energy_error().largest;
        println!("penalty {penalty}: momenta {speeds:?}, energy error {error:e}");
        assert_eq!(simulation.first_contacts().len(), 2);
        assert!((speeds[2] - 1.0).abs() < 1e-5 && speeds[0].abs() < 1e-5, "{speeds:?}");
        assert!(error < 1e-5, "{error:e}");
    }
}

/// A rigid ball released from 0.1 m bounces until it rests. The coefficient of restitution is e = 0.5 or 0.8, and
/// contact is computed in every step or in every fourth step.
///
/// References: after each bounce the apex is at e² of the previous height. The ball rests from t₀ (1 + e)/(1 − e) on,
/// with t₀ = √(2h/g) the time of the fall from the height h. Tolerances: the time of an impact is known to the interval
/// Δt between two contact steps. The speed v therefore has an error of up to g Δt after one impact, and of e/(1 − e) g
/// Δt after several. The error of a height is v e/(1 − e) Δt, and the error of the duration of each bounce is 2 e/(1 −
/// e) Δt.
#[test]
fn bounces_decay_by_the_coefficient_of_restitution() {
    let (height, step) = (0.1, 1e-4);
    for (restitution, every) in [(0.5, 1), (0.8, 1), (0.5, 4), (0.8, 4)] {
        let e: f64 = restitution;
        let fall = (2.0 * height / GRAVITY).sqrt();
        let rest = fall * (1.0 + e) / (1.0 - e);
        let found = bounces(height, e, every, step, 1.2 * rest);
        let between = step * f64::from(every);
        let off = between * e / (1.0 - e);
        // Only bounces with a speed above 30 g Δt are checked. Restitution decreases below 3 g Δt and is zero below 2 g
        // Δt.
        let strikes = |k: &usize| e.powi(*k as i32) * GRAVITY * fall > 30.0 * GRAVITY * between;
        let count = (1..).take_while(strikes).count();
        println!(
            "e = {e}, every {every}: rests from {} of {rest}, {count} bounces, {:?}",
            found.rests_from, found.apexes
        );
        for (apex, k) in found.apexes.iter().zip(1..=count as i32) {
            let (speed, expected) = (e.powi(k) * GRAVITY * fall, e.powi(2 * k) * height);
            assert!((apex - expected).abs() < speed * off, "bounce {k}: {apex}, not {expected}");
        }
        assert!(found.apexes.len() >= count && count >= 3, "{} of {count}", found.apexes.len());
        let error = (found.rests_from - rest).abs();
        assert!(error < 2.0 * off * count as f64, "{} of {rest}", found.rests_from);
        let speed = velocity(&found.simulation, 0).norm();
        let centre = found.simulation.balances()[0].centre.z - 0.1;
        let sunk = GRAVITY * between * between;
        assert!(speed <= GRAVITY * between && centre.abs() <= sunk, "{speed:e} {centre:e}");
    }
}

/// An elastic block pressed against a wall by a slowly increasing pressure, with contact impulses of restitution 0, ½
/// and 1.
///
/// Goal: a pressed body comes to rest for any restitution. All nodes stay on the wall once the pressure p is constant.
/// The contact force is the pressure times the area, the block of length L is shorter by p L/E, and contact creates no
/// energy. Tolerances: 1 %, for the waves that the load leaves; 0.5 % for the energy.
#[test]
fn pressed_elastic_blocks_rest_at_any_restitution() {
    let (young, pressure, rise, end) = (1e6, 1e3, 1.0, 1.5);
    for restitution in [0.0, 0.5, 1.0] {
        let text = format!(
            "[time]\nend = {end:?}\nsafety = 0.5\n\
             [contact]\nresponse = \"decomposition\"\nrestitution = {restitution:?}\n\
             [materials.rubber]\nmodel = \"neo-hookean\"\ndensity = 1000.0\nyoung = {young:?}\npoisson = 0.0\n\
             [[bodies]]\nname = \"block\"\nmesh = \"block.msh\"\nmaterial = \"rubber\"\n\
             [[loads]]\nbody = \"block\"\ngroup = \"x1\"\npressure = \"{pressure:?}*(0.5 - 0.5*cos(pi*min(t/{rise:?}, 1)))\"\n\
             [[walls]]\nname = \"wall\"\npoint = [0.0, 0.0, 0.0]\nnormal = [1.0, 0.0, 0.0]\n"
        );
        let mesh = box_mesh([0.0; 3], [0.4, 0.2, 0.2], [4, 2, 2]);
        let mut simulation = from_text(&text, &[("block.msh", mesh)]);
        let (mut force, mut shorter, mut weight) = (0.0, 0.0, 0.0);
        let (mut steps, mut off) = (0, 0);
        run(&mut simulation, |simulation| {
            if simulation.state().time > rise {
                steps += 1;
                off += usize::from(simulation.constraints().len() < 9);
            }
            let part = smooth_weight(simulation, [rise, end]);
            weight += part;
            force += part * simulation.pair_balances()[0].force.x;
            shorter -= part * mean_displacement(simulation, 0, 0.4);
        });
        let [force, shorter] = [force, shorter].map(|sum| sum / weight);
        let energies = simulation.energies();
        let made = energies.kinetic - energies.kick + energies.strain - energies.external_work;
        let made = made / energies.strain;
        println!("e = {restitution}: {force} N, {shorter} m, off in {off} of {steps} steps, {made:e} made");
        assert_eq!((off, steps > 100), (0, true), "e = {restitution}");
        assert!((force / (pressure * 0.04) - 1.0).abs() < 0.01, "e = {restitution}: {force} N");
        assert!((shorter / (pressure * 0.4 / young) - 1.0).abs() < 0.01, "e = {restitution}: {shorter} m");
        assert!(made < 5e-3, "e = {restitution}: {made:e}");
    }
}
