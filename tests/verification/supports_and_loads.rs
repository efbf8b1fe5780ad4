//! A bar with a prescribed velocity, under a suddenly applied pressure, and hanging under gravity: waves, reactions and
//! external work.
//!
//! ```text
//!    V or p ->  =================   x0 ... x1
//! ```
//!
//! Source: Graff, Wave Motion in Elastic Solids, 1975, §2.1.

use ictus::math::Vec3;
use ictus::simulation::Simulation;

use crate::closed_form::Bar;
use crate::model::{box_mesh, from_text, mean_displacement, run};

const BAR: Bar = Bar { young: 1e9, density: 1000.0, length: 1.0, area: 0.01 };
const CELLS: usize = 100;

/// The bar under `actions` until `end` \[s\]. All actions begin suddenly, so the shortest waves have a large part of
/// the energy. The energy balance of a wave of frequency ω has an error of (ω dt)²/4. With a quarter of the critical
/// step, this error is at most 1/16 of the energy of a wave.
fn bar(end: f64, actions: &str) -> Simulation {
    bar_with("safety = 0.25", end, actions)
}

fn bar_with(step: &str, end: f64, actions: &str) -> Simulation {
    let text = format!(
        "[time]\nend = {end}\n{step}\n\
         [materials.m]\nmodel = \"linear-elastic\"\ndensity = 1000.0\nyoung = 1e9\npoisson = 0.0\n\
         [[bodies]]\nname = \"bar\"\nmesh = \"bar.msh\"\nmaterial = \"m\"\n{actions}"
    );
    from_text(&text, &[("bar.msh", box_mesh([0.0; 3], [1.0, 0.1, 0.1], [CELLS, 1, 1]))])
}

/// Runs the bar and returns the mean compression at its middle from 0.55 to 0.9 L/c \[Pa\]. The front passes the middle
/// before this interval, and its reflection returns after the interval.
fn middle_stress(simulation: &mut Simulation) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    run(simulation, |simulation| {
        if (0.55..0.9).contains(&(simulation.state().time / BAR.transit_time())) {
            let [u0, u1] = [0.48, 0.52].map(|x| mean_displacement(simulation, 0, x));
            sum -= BAR.young * (u1 - u0) / 0.04;
            count += 1.0;
        }
    });
    sum / count
}

/// Goal: an end that moves at V from t = 0 on sends a wave of stress ρ c V into the bar, and does the work ρ c V² A t.
/// The energy balance closes to 1e-3. Tolerances: 2 % for the stress, the mean of an oscillation over its plateau; 2 %
/// for the work, because half of the first cell starts to move at once with the end.
#[test]
fn moving_end_sends_a_wave() {
    let speed = 2.0;
    let end = 0.9 * BAR.transit_time();
    let action = format!(
        "[[boundaries]]\nbody = \"bar\"\ngroup = \"x0\"\nvelocity = {{ x = {speed:?} }}\nfix = [\"y\", \"z\"]\n"
    );
    let mut simulation = bar(end, &action);
    let stress = middle_stress(&mut simulation);
    let work = simulation.energies().total();
    let audit = simulation.audit();
    let expected = BAR.stress(speed) * BAR.area * speed * end;
    println!(
        "stress {stress:.4e} of {:.4e}, work {work:.4e} of {expected:.4e}, energy {:.1e}, momentum {:.1e}",
        BAR.stress(speed),
        audit.relative_imbalance(),
        audit.largest_momentum_error()
    );
    assert!((stress / BAR.stress(speed) - 1.0).abs() < 0.02);
    assert!((work / expected - 1.0).abs() < 0.02, "work {work} J");
    assert!(audit.relative_imbalance() < 1e-3, "{}", audit.relative_imbalance());
    assert!(audit.largest_momentum_error() < 1e-10, "{}", audit.largest_momentum_error());
}

/// Goal: a suddenly applied pressure p sends a wave of stress p into the bar. Behind the front the material moves at
/// p/(ρ c), so the momentum of the bar is p A t and the work is p² A t/(ρ c). Tolerances: as in
/// `moving_end_sends_a_wave`. The tolerance of the momentum is 1e-10, because the trapezoidal rule is exact for a
/// constant force. The area of the end is constant, because Poisson's ratio is zero.
#[test]
fn pressure_sends_a_wave() {
    let pressure = 1e6;
    let end = 0.9 * BAR.transit_time();
    let action = format!("[[loads]]\nbody = \"bar\"\ngroup = \"x0\"\npressure = {pressure:?}\n");
    let mut simulation = bar(end, &action);
    let stress = middle_stress(&mut simulation);
    let (work, audit) = (simulation.energies().external_work, simulation.audit());
    let momentum = simulation.balances()[0].momentum.linear.x;
    let expected = pressure * pressure * BAR.area * end / BAR.stress(1.0);
    println!(
        "stress {stress:.4e}, work {work:.4e} of {expected:.4e}, momentum {momentum:.12} of {:.12}, energy {:.1e}",
        pressure * BAR.area * end,
        audit.relative_imbalance()
    );
    assert!((stress / pressure - 1.0).abs() < 0.02);
    assert!((work / expected - 1.0).abs() < 0.02, "work {work} J");
    assert!((momentum / (pressure * BAR.area * end) - 1.0).abs() < 1e-10, "momentum {momentum}");
    assert!(audit.relative_imbalance() < 1e-3 && audit.largest_momentum_error() < 1e-10);
}

/// Goal: a bar held at one end, with gravity g along its axis from t = 0 on, oscillates about its static stretch g
/// L²/(2 c²). The motion is the static solution plus a free vibration of odd modes. After half a period, 2 L/c, all
/// these modes have changed sign, and the free end has moved by twice the static stretch. The momentum of the bar
/// equals the impulse of reactions and gravity to 1e-10, and the energy balance closes to 1e-3. Tolerance of the
/// displacement: 1 %, for the dispersion of the corner of the wave over some cells.
#[test]
fn hanging_bar_swings_about_its_static_stretch() {
    let gravity = 1000.0;
    let action = "[[boundaries]]\nbody = \"bar\"\ngroup = \"x0\"\nfix = [\"x\", \"y\", \"z\"]\n";
    let action = format!("gravity = [{gravity:?}, 0.0, 0.0]\n{action}");
    let mut simulation = bar(2.0 * BAR.transit_time(), &action);
    run(&mut simulation, |_| ());
    let stretch = mean_displacement(&simulation, 0, 1.0);
    let expected = gravity * BAR.length.powi(2) / BAR.wave_speed().powi(2);
    let audit = simulation.audit();
    println!(
        "stretch {stretch:.5e} of {expected:.5e}, energy {:.1e}, momentum {:.1e}",
        audit.relative_imbalance(),
        audit.largest_momentum_error()
    );
    assert!((stretch / expected - 1.0).abs() < 0.01);
    assert!(audit.largest_momentum_error() < 1e-10, "{}", audit.largest_momentum_error());
    assert!(audit.relative_imbalance() < 1e-3);
}

/// Goal: a vibrating bar conserves the discrete energy of `Energies::conserved` to 1e-10 over 1e5 steps of a fixed
/// size. The bar is linear, and its displacements are large compared with the rounding of positions. Source: the
/// identity given at `Energies::conserved`, exact up to rounding.
#[test]
fn ringing_bar_keeps_its_energy() {
    let steps = 100_000;
    let step = 0.8 * BAR.transit_time() / CELLS as f64;
    // The end time is two steps later, because the last step of a run is shortened to the end time.
    let mut simulation = bar_with(&format!("step = {step:?}"), step * f64::from(steps + 2), "");
    simulation.set_velocities(|x| if x.x < 0.1 { Vec3::x() * 50.0 } else { Vec3::zeros() });
    (0..steps).for_each(|_| simulation.advance(f64::INFINITY).unwrap());
    let error = simulation.audit().energy_error().largest;
    println!("energy {error:.1e}");
    assert!(error < 1e-10, "{error:e}");
}

/// Goal: with the default step, a run under the pressure of `pressure_sends_a_wave` reaches its end. The discrete
/// energy of `Energies::conserved` is constant to rounding from the first step on, because the bar is linear. The sum
/// of kinetic and strain energy, less the work p A u of the pressure, would have an error of a quarter of the total in
/// the first step. The test requires this error to exceed 5 % of the largest energy. Tolerance of the discrete energy:
/// 1e-10.
#[test]
fn sudden_pressure_keeps_the_energy_of_the_steps() {
    let action = "[[loads]]\nbody = \"bar\"\ngroup = \"x0\"\npressure = 1e6\n";
    let mut simulation = bar_with("safety = 0.8", 0.9 * BAR.transit_time(), action);
    let mut off = 0.0_f64;
    run(&mut simulation, |simulation| {
        let energies = simulation.energies();
        let work = 1e6 * BAR.area * mean_displacement(simulation, 0, 0.0);
        let drift = (energies.kinetic + energies.strain - work).abs();
        off = off.max(drift / simulation.audit().energy_scale());
    });
    let error = simulation.audit().energy_error().largest;
    println!("energy {error:.1e}, of the ends of steps {off:.1e}");
    assert!(error < 1e-10 && off > 0.05, "{error:e}, {off:e}");
}

/// Prescribed motions with a kink or a velocity jump between two steps, or a sudden start, along the three axes.
const JUMPS: [&str; 4] = [
    "velocity = { y = [[0.0, 0.0], [3.3e-4, 0.02], [7e-4, 0.02], [1e-3, -0.01]] }",
    "velocity = { x = \"0.01*(t<5e-4)\", z = \"0.01*sin(3e3*t)*(t>2e-4)\" }",
    "displacement = { y = [[0.0, 0.0], [5e-4, 0.0], [1e-3, 1e-5]], z = \"1e-6*(t>4e-4)\" }",
    "acceleration = { x = \"20*(t<3e-4)\", y = \"-30*(t>5e-4)\" }",
];

/// Goal: for every jump, the impulse, moment and work of a support equal the changes of the momenta and energy of a
/// body away from the origin. Reference: Newton's second law. Tolerances: 1e-10, rounding, for a rigid body in equal
/// steps, and for the momenta if one end of a bar jumps by 0.01 m/s. For the energy of the bar, the trapezoidal rule of
/// the internal forces has a relative error of the order of the strain, 1e-4; the tolerance is ten times this error.
#[test]
fn supports_whose_motion_jumps_keep_the_accounts() {
    for motion in JUMPS {
        for (body, material, place) in [
            ("rigid", "model = \"rigid\"", ""),
            ("bar", "model = \"neo-hookean\"\nyoung = 1e7\npoisson = 0.3", "group = \"x0\"\n"),
        ] {
            let text = format!(
                "[time]\nend = 1.5e-3\nstep = 1.2e-5\n[materials.m]\n{material}\ndensity = 1000.0\n\
                 [[bodies]]\nname = \"bar\"\nmesh = \"bar.msh\"\nmaterial = \"m\"\ntranslate = [0.3, -0.2, 0.4]\n\
                 [[boundaries]]\nbody = \"bar\"\n{place}{motion}\n"
            );
            let mesh = box_mesh([0.0; 3], [0.1, 0.02, 0.02], [10, 2, 2]);
            let mut simulation = from_text(&text, &[("bar.msh", mesh)]);
            run(&mut simulation, |_| ());
            let audit = simulation.audit();
            let [linear, angular, energy] =
                [audit.largest_momentum_error(), audit.largest_angular_error(), audit.energy_error().largest];
            println!(
                "{motion} of a {body}: momentum {linear:.1e}, angular {angular:.1e}, energy {energy:.1e}"
            );
            assert!(linear < 1e-10 && angular < 1e-10, "{motion} of a {body}: {linear:e} {angular:e}");
            let most = if body == "rigid" { 1e-10 } else { 1e-3 };
            assert!(energy < most, "{motion} of a {body}: {energy:e}");
        }
    }
}

/// Goal: boundaries that prescribe equal motions of shared nodes count once, for deformable and rigid bodies. Motion,
/// work and momentum balance equal those of one boundary with all these nodes. Tolerance: none for the motion (equal
/// bit for bit); 1e-12, the rounding of sums, for the work and momentum.
#[test]
fn boundaries_that_share_nodes_count_once() {
    let materials =
        ["model = \"rigid\"", "model = \"neo-hookean\"\nyoung = 1e7\npoisson = 0.3"].map(str::to_owned);
    let end = "group = \"x0\"\n";
    let all = "";
    for (material, motion) in materials.iter().flat_map(|material| JUMPS.map(|motion| (material, motion))) {
        let run_with = |places: &[&str]| {
            let boundaries =
                places.iter().map(|place| format!("[[boundaries]]\nbody = \"bar\"\n{place}{motion}\n"));
            let text = format!(
                "[time]\nend = 1.5e-3\nstep = 1.2e-5\n[materials.m]\n{material}\ndensity = 1000.0\n\
                 [[bodies]]\nname = \"bar\"\nmesh = \"bar.msh\"\nmaterial = \"m\"\n{}",
                boundaries.collect::<String>()
            );
            let mesh = box_mesh([0.0; 3], [0.1, 0.02, 0.02], [10, 2, 2]);
            let mut simulation = from_text(&text, &[("bar.msh", mesh)]);
            run(&mut simulation, |_| ());
            simulation
        };
        for (places, one) in [(vec![end, end], end), (vec![end, all], all), (vec![all, end, all], all)] {
            let (found, expected) = (run_with(&places), run_with(&[one]));
            assert_eq!(found.state().positions, expected.state().positions, "{places:?}, {motion}");
            let [work, expected_work] = [&found, &expected].map(|run| run.energies().external_work);
            let scale = found.audit().energy_scale();
            assert!(scale > 0.0 && (work - expected_work).abs() < 1e-12 * scale, "{work} {expected_work}");
            let error = found.audit().largest_momentum_error();
            assert!(error < 1e-12, "{places:?}, {motion}: {error:e}");
        }
    }
}
