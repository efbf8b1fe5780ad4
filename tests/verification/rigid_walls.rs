//! A rod hits rigid walls that are fixed, driven or free. Further tests are for rigid blocks at walls.
//!
//! ```text
//!    =========  -> V   |//
//! ```
//!
//! Sources: ANSYS Mechanical APDL Verification Manual, VM265 (elastic rod impacting a rigid wall), after Graff, Wave
//! Motion in Elastic Solids, 1975, §2.4. For the free wall: Graff, §2.5 (the force of a rod on a mass decays
//! exponentially).

use ictus::simulation::Simulation;

use crate::closed_form::Bar;
use crate::model::{box_mesh, from_config, from_text, run, velocity, worse};

const ROD: Bar = Bar { young: 3e7, density: 0.73e-3, length: 10.0, area: 1.0 };
const SPEED: f64 = 202.2;

/// Instants of contact \[s\], and the mean force from 0.1 L/c to 1.9 L/c after the impact, from the momentum of the
/// rod.
fn contact(simulation: &mut Simulation, impact: f64) -> (Vec<f64>, f64) {
    let (mut times, mut momenta) = (Vec::new(), Vec::new());
    run(simulation, |simulation| {
        let time = simulation.state().time;
        if !simulation.constraints().is_empty() {
            times.push(time);
        }
        if (0.1..1.9).contains(&((time - impact) / ROD.transit_time())) {
            momenta.push((time, simulation.balances()[0].momentum.linear.x));
        }
    });
    let (first, last) = (momenta[0], momenta[momenta.len() - 1]);
    (times, -(last.1 - first.1) / (last.0 - first.0))
}

/// Goal: the results of VM265. The impact is at 49.46 µs. The force is 29 923 lbf until the separation at 148.11 µs.
/// The rod rebounds at V. Tolerances: 1e-12 s for the impact, because the flight to the impact is computed in closed
/// form; 1 % for the time of separation, because a front spreads over some cells of L/200; 1 % for the mean force; 1 %
/// for the velocity, because oscillations keep some energy.
#[test]
fn rod_on_a_fixed_wall() {
    let mut simulation = from_config("rod-on-wall", &[]);
    let impact = 0.01 / SPEED;
    let (times, force) = contact(&mut simulation, impact);
    let first = simulation.first_contacts()[0];
    let separation = times[times.len() - 1];
    let expected = impact + 2.0 * ROD.transit_time();
    let back = velocity(&simulation, 0).x;
    println!(
        "impact {:e}, separation {separation:e} of {expected:e} s, force {force} lbf, velocity {back}",
        first.time
    );
    assert!((first.time - impact).abs() < 1e-12 && (first.normal_speed - SPEED).abs() < 1e-9);
    assert!((separation / expected - 1.0).abs() < 0.01, "separates at {separation} s");
    assert!((force / (ROD.stress(SPEED) * ROD.area) - 1.0).abs() < 0.01, "force {force}");
    assert!((back / -SPEED - 1.0).abs() < 0.01, "flies back at {back}");
    assert!(simulation.audit().largest_momentum_error() < 1e-12);
}

/// Goal: all responses support wall contact, with the same results to the same tolerances. Impulses stop the nodes of
/// the end, 1/400 of the mass, and leave waves of the mesh behind the front. As a reference, a chain of 200 masses
/// whose end stops loses 0.61 % of the velocity (see `elastic_cylinder_rebounds`).
#[test]
fn every_response_supports_walls() {
    for response in ["penalty", "decomposition", "energy-momentum"] {
        let response_key = format!("contact.response={response}");
        let mut simulation =
            from_config("rod-on-wall", &[&response_key, "walls.wall.point=[10.01, 3.0, 2.0]"]);
        let (times, force) = contact(&mut simulation, 0.01 / SPEED);
        let separation = times[times.len() - 1] / (0.01 / SPEED + 2.0 * ROD.transit_time());
        let [force, back] = [force / (ROD.stress(SPEED) * ROD.area), velocity(&simulation, 0).x / -SPEED];
        let error = simulation.audit().energy_error().largest;
        println!(
            "{response}: separation {separation}, force {force}, velocity {back}, energy error {error:e}"
        );
        assert!((separation - 1.0).abs() < 0.01 && (force - 1.0).abs() < 0.01, "{response}");
        assert!((back - 1.0).abs() < 0.01, "{response}: {back}");
        assert!(simulation.audit().largest_momentum_error() < 1e-12, "{response}");
        let angular = simulation.audit().largest_angular_error();
        println!("{response}: angular error {angular:e}");
        assert!(angular < 1e-12, "{response}: {angular:e}");
    }
}

/// Goal: a block that slides at v on a rough wall comes to rest after v²/(2 μ g). Friction dissipates its energy, also
/// in the account of the pair. Afterwards the wall carries the weight of the block. The force oscillates from step to
/// step, and is averaged over the last third of the run. Tolerance: 2 %, because the block sinks into the springs of
/// the wall while it slides.
#[test]
fn block_slides_to_rest_on_a_wall() {
    let text = "gravity = [0, 0, -9.81]\n[time]\nend = 0.3\nflight_step = 2e-5\n[contact]\ndamping = 0.2\n\
         [materials.m]\nmodel = \"rigid\"\ndensity = 1000.0\n\
         [[bodies]]\nname = \"block\"\nmesh = \"block.msh\"\nmaterial = \"m\"\nvelocity = [0.8, 0.6, 0]\n\
         [[walls]]\nname = \"floor\"\npoint = [7, 7, 0]\nnormal = [0, 0, 1]\nfriction = 0.5\n";
    let mesh = box_mesh([0.0; 3], [0.1, 0.1, 0.02], [2, 2, 1]);
    let mut simulation = from_text(text, &[("block.msh", mesh)]);
    let start = simulation.balances()[0].centre;
    let mut impulse = 0.0;
    run(&mut simulation, |simulation| {
        if let ([pair], true) = (simulation.pair_balances(), simulation.state().time > 0.2) {
            impulse += pair.force.z * simulation.progress().time_step;
        }
    });
    let way = (simulation.balances()[0].centre - start).norm();
    let expected = 1.0 / (2.0 * 0.5 * 9.81);
    let [pair] = simulation.pair_balances() else { panic!("one pair") };
    let (taken, kinetic) = (pair.friction_dissipation, 0.5 * simulation.model().bodies[0].mass);
    println!("way {way} of {expected} m, friction has taken {taken} of {kinetic} J");
    assert!((way / expected - 1.0).abs() < 0.02, "{way} m");
    assert!((taken / kinetic - 1.0).abs() < 0.02, "{taken} J");
    assert!((simulation.contact_areas()[0] / 0.01 - 1.0).abs() < 1e-6);
    assert!((impulse / (0.1 * kinetic * 2.0 * 9.81) - 1.0).abs() < 0.02, "{impulse}");
}

/// Goal: results are the same in the frame of a steadily moving wall. The wall hits a rod at rest and does work; the
/// rod moves away at twice the speed of the wall. The flight to the impact is computed in closed form. Tolerances as
/// for the fixed wall, and 2 % for the work of the wall.
#[test]
fn driven_wall_hits_a_rod() {
    let driven = ["bodies.rod.velocity=[0, 0, 0]", "walls.wall.velocity=[-202.2, 0, 0]"];
    let mut simulation = from_config("rod-on-wall", &driven);
    assert!(simulation.progress().in_flight);
    let impact = 0.01 / SPEED;
    let (_, force) = contact(&mut simulation, impact);
    assert!((simulation.first_contacts()[0].time - impact).abs() < 1e-12);
    assert!((force / (ROD.stress(SPEED) * ROD.area) - 1.0).abs() < 0.01, "force {force}");
    let away = velocity(&simulation, 0).x;
    assert!((away / (-2.0 * SPEED) - 1.0).abs() < 0.01, "flies away at {away}");
    let energies = simulation.energies();
    assert!((energies.external_work / energies.total() - 1.0).abs() < 0.02);
    assert!(simulation.audit().largest_momentum_error() < 1e-12);
}

/// Goal: a wall with the mass M recoils with V (1 − exp(−ρ c A t/M)). This holds until 2 L/c, when the wave reflected
/// at the end of the rod returns. The momentum of rod and wall is conserved to rounding, also for a wall oblique to the
/// axes. Tolerance: 1.5 % of V. The contact spring is as stiff as a cell, and the front spreads over some cells. Both
/// together delay the wall by up to three transit times of a cell. In one transit time the velocity of the wall changes
/// by 0.5 % of V.
#[test]
fn free_wall_recoils() {
    let mass = ROD.density * ROD.area * ROD.length;
    for tilt in [0.0, 30.0] {
        let angle: f64 = f64::to_radians(tilt);
        let along = [angle.cos(), angle.sin()];
        let text = format!(
            "[time]\nend = 140e-6\n\
             [materials.m]\nmodel = \"linear-elastic\"\ndensity = 0.73e-3\nyoung = 3e7\npoisson = 0.0\n\
             [[bodies]]\nname = \"rod\"\nmesh = \"rod.msh\"\nmaterial = \"m\"\n\
             rotate = {{ axis = [0, 0, 1], angle = {tilt:?} }}\nvelocity = [{:?}, {:?}, 0]\n\
             [[walls]]\nname = \"wall\"\npoint = [{:?}, {:?}, 3.0]\nnormal = [{:?}, {:?}, 0]\nmass = {mass:?}\n",
            SPEED * along[0],
            SPEED * along[1],
            10.01 * along[0],
            10.01 * along[1],
            -along[0],
            -along[1],
        );
        let mesh = box_mesh([0.0, -0.5, -0.5], [10.0, 0.5, 0.5], [200, 1, 1]);
        let mut simulation = from_text(&text, &[("rod.msh", mesh)]);
        let rate = ROD.stress(SPEED) / SPEED * ROD.area / mass;
        let (mut worst, mut compared) = (0.0_f64, 0);
        run(&mut simulation, |simulation| {
            let passed = simulation.state().time - 0.01 / SPEED;
            if (0.05..0.9).contains(&(0.5 * passed / ROD.transit_time())) {
                let expected = SPEED * (1.0 - (-rate * passed).exp());
                worst = worse(worst, (velocity(simulation, 1).norm() - expected).abs() / SPEED);
                compared += 1;
            }
        });
        println!("tilt {tilt}: the wall's velocity is off by {worst:.2e} of V in {compared} steps");
        assert!(worst < 0.015 && compared > 100, "{worst}");
        assert!(simulation.audit().largest_momentum_error() < 1e-12);
        assert!(simulation.audit().largest_angular_error() < 1e-12);
    }
}

/// Goal: a heavy block lifted by a platform reaches the ceiling, a wall or a body, at the time h/V. With the
/// decomposition response the block falls in each step and is projected back by the rise of the platform. Here g dt =
/// V, so the velocity of the block is zero although the block rises. Tolerance: 2.5 dt, because contact is found one
/// step after the block has moved behind the ceiling.
#[test]
fn persistent_projection_is_reported() {
    let wall = "[[walls]]\nname = \"ceiling\"\npoint = [0, 0, 0.3]\nnormal = [0, 0, -1]\n";
    let body = "[[bodies]]\nname = \"ceiling\"\nmesh = \"ceiling.msh\"\nmaterial = \"m\"\ngravity = [0, 0, 0]\n\
         [[boundaries]]\nbody = \"ceiling\"\nfix = [\"x\", \"y\", \"z\"]\n";
    for ceiling in [wall, body] {
        let text = format!(
            "gravity = [0, 0, -1000.0]\n[time]\nend = 0.21\nstep = 1e-3\n\
             [contact]\nresponse = \"decomposition\"\nrestitution = 0.0\n\
             [materials.m]\nmodel = \"rigid\"\ndensity = 1000.0\n\
             [[bodies]]\nname = \"block\"\nmesh = \"block.msh\"\nmaterial = \"m\"\n{ceiling}\
             [[walls]]\nname = \"platform\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\nvelocity = [0, 0, 1.0]\n"
        );
        let block = box_mesh([0.0; 3], [0.1; 3], [4, 4, 4]);
        let plate = box_mesh([-0.1, -0.1, 0.3], [0.2, 0.2, 0.32], [20, 20, 2]);
        let mut simulation = from_text(&text, &[("block.msh", block), ("ceiling.msh", plate)]);
        let number = simulation.model().bodies.iter().position(|body| body.name == "ceiling").unwrap();
        let met = |simulation: &Simulation| {
            let contacts = simulation.first_contacts().iter();
            contacts
                .filter(|contact| contact.bodies.contains(&(number as u32)))
                .map(|contact| contact.time)
                .next()
        };
        while met(&simulation).is_none() && !simulation.is_finished() {
            simulation.advance(f64::INFINITY).unwrap();
        }
        let time = met(&simulation);
        println!("ceiling met at {time:?} s");
        assert!(time.is_some_and(|time| (time - 0.2).abs() < 2.5e-3), "{time:?}");
    }
}

/// A rigid block of 1 kg, a millimetre above a wall. `contact` and `wall` are further keys of the contact and of the
/// wall.
fn block_before_a_wall(response: &str, contact: &str, velocity: [f64; 3], wall: &str) -> Simulation {
    let text = format!(
        "[time]\nend = 5e-3\nstep = 1e-5\n[contact]\nresponse = \"{response}\"\n{contact}\
         [materials.m]\nmodel = \"rigid\"\ndensity = 1000.0\n\
         [[bodies]]\nname = \"block\"\nmesh = \"block.msh\"\nmaterial = \"m\"\nvelocity = {velocity:?}\n\
         [[walls]]\nname = \"wall\"\npoint = [5, 3, 0]\nnormal = [0, 0, 1]\n{wall}"
    );
    from_text(&text, &[("block.msh", box_mesh([0.0, 0.0, 1e-3], [0.1, 0.1, 0.101], [2, 2, 2]))])
}

/// Goal: a rigid block strikes a rough wall of a fifth of its mass, and slides, spins and rebounds. The constraint that
/// guides the wall along its normal does no work. Kinetic energy and the dissipation by friction and impact therefore
/// balance to rounding.
#[test]
fn friction_on_a_light_wall_balances() {
    for response in ["decomposition", "energy-momentum"] {
        let mut simulation =
            block_before_a_wall(response, "friction = 0.5\n", [1.0, 0.3, -2.0], "mass = 0.2\n");
        run(&mut simulation, |_| ());
        let (taken, error) =
            (simulation.energies().friction_dissipation, simulation.audit().relative_imbalance());
        println!("{response}: friction has taken {taken} J, energy error {error:e}");
        assert!(taken > 0.01 && error < 1e-10, "{response}: {error:e}");
        assert!(simulation.audit().largest_momentum_error() < 1e-12, "{response}");
    }
}

/// Goal: a rigid block that strikes a wall rebounds with its initial speed. When the block begins to move away, it is
/// still behind the wall. The contact must last until the block has left the wall. Tolerance: with penalty springs of κ
/// = f m/dt², the step in which a spring opens causes an error of √f, 3 % for f = 1e-3. The two other responses
/// conserve the speed to rounding.
#[test]
fn rigid_block_flies_back_from_a_wall() {
    for (response, keys, tolerance) in [
        ("penalty", "penalty = 1e-3\n", 0.03),
        ("decomposition", "restitution = 1.0\n", 1e-12),
        ("energy-momentum", "penalty = 1e-3\n", 1e-12),
    ] {
        let mut simulation = block_before_a_wall(response, keys, [0.0, 0.0, -2.0], "");
        run(&mut simulation, |_| ());
        let back = velocity(&simulation, 0).z;
        println!("{response}: flies back at {back}");
        assert!((back / 2.0 - 1.0).abs() < tolerance, "{response}: {back}");
    }
}

/// A body force f accelerates a bar from rest with a = f/ρ, in time steps, towards a fixed or a free wall at the
/// distance h.
///
/// Goal: the bar meets the wall at √(2 h/a). With `resolve_impact` the step ends at this instant. The parabolic paths
/// of the predictor give this time to 1e-9. The contact is reported once, with the normal speed of this instant to 1 %.
/// Without the key, contact begins up to a step late.
#[test]
fn steps_end_where_a_wall_is_met() {
    let (height, acceleration) = (1e-4_f64, 2e5_f64);
    let exact = (2.0 * height / acceleration).sqrt();
    for (resolve, keys) in [(true, ""), (true, "mass = 1.0\ngravity = [0, 0, 0]\n"), (false, "")] {
        let text = format!(
            "[time]\nend = 4e-5\n\
             [materials.m]\nmodel = \"linear-elastic\"\ndensity = 8000.0\nyoung = 2e11\npoisson = 0.3\n\
             [contact]\nresolve_impact = {resolve}\n\
             [[bodies]]\nname = \"bar\"\nmesh = \"bar.msh\"\nmaterial = \"m\"\n\
             [[loads]]\nbody = \"bar\"\nbody_force = [0, 0, {:?}]\n\
             [[walls]]\nname = \"wall\"\npoint = [0, 0, {:?}]\nnormal = [0, 0, 1]\n{keys}",
            -8000.0 * acceleration,
            -height
        );
        let mesh = box_mesh([0.0; 3], [0.01, 0.01, 0.02], [2, 2, 4]);
        let mut simulation = from_text(&text, &[("bar.msh", mesh)]);
        let mut depth = None;
        run(&mut simulation, |simulation| {
            if depth.is_none() && !simulation.constraints().is_empty() {
                depth = Some(-simulation.constraints().get(0).gap);
            }
        });
        let [contact] = simulation.first_contacts() else { panic!("{:?}", simulation.first_contacts()) };
        let late = contact.time / exact - 1.0;
        println!("resolved {resolve}: {late:e} late, first found {depth:?} m deep");
        assert_eq!(late.abs() < 1e-9, resolve, "{late:e}");
        assert!((contact.normal_speed / (2.0 * height * acceleration).sqrt() - 1.0).abs() < 0.01);
        assert!(simulation.audit().largest_momentum_error() < 1e-12);
    }
}

/// The contact springs are 267 times as stiff as the adjacent elements of the rod.
///
/// Goal: the automatic step is short enough for these springs, already before nodes touch. The energy error is below
/// 0.2 % (measured: 0.1 %). With the step for the elements alone, the error exceeds 100 % and elements invert. If a
/// fixed step is too long, a warning before the run reports this step and an admissible step. Springs 2.7 times as
/// stiff as the elements, with an error of 0.4 %, give no warning.
#[test]
fn springs_stiffer_than_the_elements_hold() {
    let told = |stiffness: &str, step: &str| {
        let keys = [format!("contact.stiffness={stiffness}"), format!("time.step={step}")];
        let simulation = from_config("rod-on-wall", &keys.each_ref().map(String::as_str));
        simulation.warnings().iter().find(|text| text.contains("contact springs are")).cloned()
    };
    let fixed = |stiffness| told(stiffness, "1.9e-7");
    assert_eq!(
        [fixed("\"mass\""), fixed("1e8"), fixed("\"segment\""), told("1e10", "auto")],
        [const { None }; 4]
    );
    let warning = fixed("1e10").unwrap();
    assert!(warning.contains("266.7 times as stiff as the adjacent elements"), "{warning}");
    let step = warning.split("set `time.step` to ").nth(1).unwrap().split(' ').next().unwrap();
    assert_eq!(told("1e10", step), None);
    let mut simulation = from_config("rod-on-wall", &["contact.stiffness=1e10", "time.end=1.6e-4"]);
    run(&mut simulation, |_| ());
    let error = simulation.audit().energy_error().largest;
    println!("{warning}\nenergy error {error:e}");
    assert!(error < 2e-3, "{error}");
}

/// A rigid block that tumbles along a fixed, driven or free wall. In a step the block moves by a tenth of its size.
///
/// Goal: the changes of momenta by projection and impulses equal the impulse and moment of the wall supports. The
/// balances of linear and angular momentum close to 1e-10, for any displacement and rotation by projection. Reference:
/// conservation.
#[test]
fn projection_at_a_wall_keeps_the_account_of_angular_momentum() {
    let walls = ["", "velocity = [0.1, 0.0, \"0.5*cos(50*t)\"]\n", "mass = 0.3\ngravity = [0, 0, 0]\n"];
    for (wall, restitution, friction) in
        walls.iter().flat_map(|wall| [(wall, 0.5, 0.3), (wall, 0.0, 0.0), (wall, 1.0, 1.0)])
    {
        for step in [1e-4, 1e-3] {
            let text = format!(
                "gravity = [0.0, 0.0, -9.81]\n[time]\nend = 0.3\nstep = {step:?}\n\
                 [contact]\nresponse = \"decomposition\"\nrestitution = {restitution:?}\nfriction = {friction:?}\n\
                 [materials.m]\nmodel = \"rigid\"\ndensity = 1000.0\n\
                 [[bodies]]\nname = \"block\"\nmesh = \"block.msh\"\nmaterial = \"m\"\ntranslate = [0.4, -0.3, 0.2]\n\
                 rotate = {{ axis = [1, 2, 3], angle = 40 }}\nvelocity = [1.0, 0.5, -3.0]\n\
                 angular_velocity = [20.0, -30.0, 10.0]\n\
                 [[walls]]\nname = \"side\"\npoint = [0.55, 0, 0]\nnormal = [-1, 0, 0.2]\n\
                 [[walls]]\nname = \"floor\"\npoint = [5, 3, 0]\nnormal = [0, 0, 1]\n{wall}"
            );
            let mesh = box_mesh([-0.05; 3], [0.05, 0.05, 0.03], [2, 2, 2]);
            let mut simulation = from_text(&text, &[("block.msh", mesh)]);
            let mut contacts = 0;
            run(&mut simulation, |simulation| contacts += simulation.constraints().len());
            let audit = simulation.audit();
            let (linear, angular) = (audit.largest_momentum_error(), audit.largest_angular_error());
            println!(
                "{wall:?} e {restitution} μ {friction} dt {step}: {contacts} contacts, momentum {linear:.1e}, angular {angular:.1e}"
            );
            assert!(contacts > 0);
            assert!(linear < 1e-10 && angular < 1e-10, "{linear:e} {angular:e}");
        }
    }
}
