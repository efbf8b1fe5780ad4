//! Coulomb friction: blocks that slide and stick, balls that begin to roll, and balls that strike at an angle.

use std::f64::consts::PI;

use ictus::math::Vec3;
use ictus::simulation::Simulation;

use crate::model::{RESPONSES, box_mesh, from_text, momentum, rigid_floor, run, velocity};
use crate::round_meshes::wheel;

/// Mean displacement of the nodes of a body.
fn displacement(simulation: &Simulation, body: usize) -> Vec3 {
    let nodes = simulation.model().bodies[body].nodes.clone();
    let count = nodes.len() as f64;
    let way = |node: usize| simulation.state().positions[node] - simulation.model().reference_positions[node];
    nodes.map(way).sum::<Vec3>() / count
}

/// A block of 1 kg slides on a free plate of 200 kg.
///
/// Goal: with μ = 0.5, a weight of 1 N and the initial velocity V = 1 m/s the block slides to rest on the plate, and
/// then moves with the plate at 0.004975 m/s. In the closed form, the block slides until t = 1.990 s and x = 1.000 m.
/// The assertions compare with 2 s and 1.005 m; the differences of 0.010 s and 0.005 m are within the tolerances.
///
/// Momentum along x is conserved to 1e-12 kg·m/s. Momentum along z is the impulse of the weight, to 3e-12 kg·m/s. The
/// balance of angular momentum holds to 1e-10 of its scale.
///
/// Tolerance of the position at t = 2 s: 1.5 V dt plus 1 % of 1 m for the elasticity of the block. If friction begins
/// later by a time τ, this position increases by V τ; the tolerance allows τ = 1.5 dt. The first step causes τ = dt/2,
/// because only half of the weight acts in this step.
///
/// The onset and the end of friction each excite a shear vibration of the block (11 rad/s) of 0.045 m/s. The vibration
/// shifts the end of sliding by up to 0.09 s; the tolerance is 0.1 s and two steps. Afterwards the velocity of the
/// block differs from 0.004975 m/s by at most the 0.09 m/s of both vibrations, and the velocity of the plate by a two
/// hundredth of this value.
///
/// Sliding converts 0.4975 J of kinetic energy, of which up to 0.004 J remains in the vibrations. The dissipation by
/// friction and damping, minus the numerical work, is therefore 0.4975 J, to 0.004 J plus 1 % of m V²/2. The numerical
/// work is subtracted because, with impulses, a projection lifts sticking nodes in every step. Contact dissipates the
/// energy of this lift, in part by friction, but this dissipation is no loss by sliding.
///
/// Source: Wolff & Bucher, CMAME 259 (2013) 77–92, §6.5, with the closed form of two masses.
#[test]
fn block_slides_to_rest_on_a_floating_plate() {
    let step = 0.01;
    for (response, keys) in [("penalty", "damping = 0.2\n"), ("decomposition", ""), ("energy-momentum", "")] {
        let text = format!(
            "[time]\nend = 3.0\nstep = {step}\n\
             [materials.block]\nmodel = \"neo-hookean\"\ndensity = 1.0\nyoung = 100.0\npoisson = 0.0\n\
             [materials.plate]\nmodel = \"neo-hookean\"\ndensity = 100.0\nyoung = 10e3\npoisson = 0.0\n\
             [contact]\nresponse = \"{response}\"\nfriction = 0.5\n{keys}\
             [[bodies]]\nname = \"block\"\nmesh = \"block.msh\"\nmaterial = \"block\"\nvelocity = [1.0, 0.0, 0.0]\n\
             gravity = [0.0, 0.0, -1.0]\n\
             [[bodies]]\nname = \"plate\"\nmesh = \"plate.msh\"\nmaterial = \"plate\"\n"
        );
        let meshes = [
            ("block.msh", box_mesh([0.0, -0.5, 0.0], [1.0, 0.5, 1.0], [3, 3, 3])),
            ("plate.msh", box_mesh([-1.0, -1.0, -0.2], [4.0, 1.0, 0.0], [5, 5, 1])),
        ];
        let mut simulation = from_text(&text, &meshes);
        let (mut at_two, mut stop) = (0.0, 0.0);
        run(&mut simulation, |simulation| {
            let relative = velocity(simulation, 0).x - velocity(simulation, 1).x;
            if simulation.state().time < 2.0 + 0.5 * step {
                at_two = displacement(simulation, 0).x;
            }
            if relative < 0.0 && stop == 0.0 {
                stop = simulation.state().time;
            }
        });
        let (audit, energies) = (simulation.audit(), *simulation.energies());
        let lost = energies.friction_dissipation + energies.viscous_dissipation - energies.numerical_work;
        println!(
            "{response}: x(2) {at_two:.5}, x(3) {:.5}, stops at {stop:.3}, velocities {:.6} {:.6}, lost {lost:.5}, \
             energy {:.1e}, momentum {:.1e}, angular {:.1e} {:?}",
            displacement(&simulation, 0).x,
            velocity(&simulation, 0).x,
            velocity(&simulation, 1).x,
            audit.energy_error().largest,
            audit.largest_momentum_error(),
            audit.largest_angular_error(),
            energies,
        );
        assert!((lost - 0.4975).abs() < 0.009, "{response}: {lost} J");
        let [of_block, of_plate] = [0, 1].map(|body| velocity(&simulation, body).x - 0.004975);
        assert!(of_block.abs() < 0.09 && of_plate.abs() < 0.09 / 200.0, "{response}: {of_block} {of_plate}");
        assert!((momentum(&simulation).linear.x - 1.0).abs() < 1e-12);
        assert!((momentum(&simulation).linear.z + 3.0).abs() < 3e-12);
        assert!((at_two - 1.005).abs() < 1.5 * step + 0.01, "{response}: {at_two}");
        assert!((stop - 2.0).abs() < 2.0 * step + 0.1, "{response}: {stop}");
        assert!(audit.largest_angular_error() < 1e-10, "{response}");
        // Of the energy error, this line checks the imbalance, and not the net numerical work. With impulses, nodes at
        // the foot of the block repeatedly open and close. The projections of these nodes do numerical work, which the
        // impulses of the same step do not fully absorb. `lost` subtracts the numerical work.
        assert!(audit.balance_deviation().largest < 0.01, "{response}");
    }
}

/// A block of elastic cells on a fixed plate. The plate is level, and the direction of the weight is rotated by the
/// angle of the incline \[rad\]. The weight increases over the first fifth of the run. Returns the displacement along
/// the plate \[m\] and the mean acceleration under the full weight \[m/s²\].
fn on_an_incline(response: &str, angle: f64, scale: f64, end: f64) -> [f64; 2] {
    let (sine, cosine) = angle.sin_cos();
    let damping = match response {
        "penalty" => "damping = 0.2\n",
        // The springs are stiff, because after each hop of a node the tangential spring starts unstretched, and holds
        // less until it is stretched again.
        "energy-momentum" => "restitution = 0.5\npenalty = 10.0\n",
        _ => "",
    };
    let begin = 0.2 * end;
    let grown = format!("((t < {begin:?})*sin(pi*t/{:?})^2 + (t >= {begin:?}))", 2.0 * begin);
    let text = format!(
        "[time]\nend = {end}\n\
         [materials.block]\nmodel = \"neo-hookean\"\ndensity = 1000.0\nyoung = 1e6\npoisson = 0.3\n\
         [contact]\nresponse = \"{response}\"\nfriction = 0.5\n{damping}\
         [[bodies]]\nname = \"block\"\nmesh = \"block.msh\"\nmaterial = \"block\"\nscale = {scale:?}\n\
         [[loads]]\nbody = \"block\"\nbody_force = [\"{:?}*{grown}\", 0, \"{:?}*{grown}\"]\n{}",
        9810.0 * sine,
        -9810.0 * cosine,
        rigid_floor(&format!("scale = {scale:?}\n"))
    );
    let meshes = [
        ("block.msh", box_mesh([0.0, -0.1, 0.0], [0.2, 0.1, 0.1], [4, 4, 2])),
        ("floor.msh", box_mesh([-1.0, -0.5, -0.1], [3.0, 0.5, 0.0], [1, 1, 1])),
    ];
    let mut simulation = from_text(&text, &meshes);
    run(&mut simulation, |_| ());
    let way = displacement(&simulation, 0).x;
    let acceleration = velocity(&simulation, 0).x / (end - 0.5 * begin);
    println!(
        "{response} at {angle:.3}, scale {scale}: way {way:.3e}, acceleration {acceleration:.5} {:?}",
        simulation.energies()
    );
    [way, acceleration]
}

/// Goal: below the angle of friction the block sticks; at a larger angle α it slides with the acceleration g (sin α − μ
/// cos α), to 1 %. Blocks of full size and of a tenth of the full size behave alike. The mean acceleration of a
/// sticking block is below 0.02 m/s², and its mean displacement below 0.1 % of its length, 2e-4 m at full size. This
/// limit leaves room for the elastic shear of the block under its weight. For a layer of the height h and the shear
/// modulus G, the mean shear displacement is ρ g sin α h²/(3 G) = 3.4e-5 m at full size, and a hundredth of this value
/// at a tenth of the size.
#[test]
fn block_on_an_incline_sticks_or_slides() {
    let friction_angle = 0.5_f64.atan();
    for response in RESPONSES {
        for (scale, end) in [(1.0, 0.4), (0.1, 0.1)] {
            let [way, acceleration] = on_an_incline(response, friction_angle - 0.05, scale, end);
            assert!(
                way.abs() < 2e-4 * scale && acceleration.abs() < 0.02,
                "{response}: {way} {acceleration}"
            );
            let angle = friction_angle + 0.2;
            let [_, acceleration] = on_an_incline(response, angle, scale, end);
            let expected = 9.81 * (angle.sin() - 0.5 * angle.cos());
            assert!((acceleration / expected - 1.0).abs() < 0.01, "{response}: {acceleration} of {expected}");
        }
    }
}

/// A rigid block slides to rest on a held plate.
///
/// Goal: the block stops after the time V/(μ g) and the distance V²/(2 μ g), and friction dissipates m V²/2, all to 1
/// %.
#[test]
fn rigid_block_gives_its_energy_to_friction() {
    for response in RESPONSES {
        let text = format!(
            "gravity = [0.0, 0.0, -9.81]\n[time]\nend = 0.5\nstep = 1e-4\n\
             [materials.block]\nmodel = \"rigid\"\ndensity = 1000.0\n\
             [contact]\nresponse = \"{response}\"\nfriction = {{ static = 0.4, dynamic = 0.3 }}\n\
             [[bodies]]\nname = \"block\"\nmesh = \"block.msh\"\nmaterial = \"block\"\nvelocity = [1.0, 0.0, 0.0]\n{}",
            rigid_floor("")
        );
        let meshes = [
            ("block.msh", box_mesh([0.0, -0.1, 0.0], [0.4, 0.1, 0.1], [4, 2, 1])),
            ("floor.msh", box_mesh([-1.0, -0.5, -0.1], [3.0, 0.5, 0.0], [1, 1, 1])),
        ];
        let mut simulation = from_text(&text, &meshes);
        let mut stop = 0.0;
        run(&mut simulation, |simulation| {
            if velocity(simulation, 0).x < 1e-3 && stop == 0.0 {
                stop = simulation.state().time;
            }
        });
        let (way, lost) = (displacement(&simulation, 0).x, simulation.energies().friction_dissipation / 4.0);
        let [time, distance] = [1.0 / (0.3 * 9.81), 1.0 / (0.6 * 9.81)];
        println!(
            "{response}: stops at {:.4} of V/(mu g), after {:.4} of V²/(2 mu g), friction {lost:.5} of m V²/2, energy {:.1e}",
            stop / time,
            way / distance,
            simulation.audit().energy_error().largest
        );
        assert!((stop / time - 1.0).abs() < 0.01, "{response}: {stop}");
        assert!((way / distance - 1.0).abs() < 0.01, "{response}: {way}");
        assert!((lost - 1.0).abs() < 0.01, "{response}: {lost}");
    }
}

/// A ball slides and begins to roll. The model of the ball is a wheel with a rim of 720 nodes and the inertia of a
/// ball.
///
/// Goal: the ball rolls at 5/7 of its initial velocity V from t = 2 V/(7 μ g) on, to 1 %.
#[test]
fn ball_slides_until_it_rolls() {
    let (radius, mass, speed, friction) = (0.1, 2.0, 1.0, 0.3);
    let moment = 0.4 * mass * radius * radius;
    for response in RESPONSES {
        let begins = 2.0 * speed / (7.0 * friction * 9.81);
        let text = format!(
            "gravity = [0.0, 0.0, -9.81]\n[time]\nend = {}\nstep = 2e-5\n[materials.ball]\nmodel = \"rigid\"\n\
             [contact]\nresponse = \"{response}\"\nfriction = {friction}\n{}\
             [[bodies]]\nname = \"ball\"\nmesh = \"wheel.msh\"\nmaterial = \"ball\"\nmass = {mass}\n\
             inertia = [{moment}, {moment}, {moment}]\ntranslate = [0.0, 0.0, {radius}]\nvelocity = [{speed:?}, 0.0, 0.0]\n{}",
            1.3 * begins,
            rolling_keys(response),
            rigid_floor("")
        );
        let meshes = [
            ("wheel.msh", wheel(radius, 720)),
            ("floor.msh", box_mesh([-1.0, -0.5, -0.1], [3.0, 0.5, 0.0], [1, 1, 1])),
        ];
        let mut simulation = from_text(&text, &meshes);
        let mut at_start = 0.0;
        run(&mut simulation, |simulation| {
            if simulation.state().time < 1.02 * begins {
                at_start = velocity(simulation, 0).x;
            }
        });
        let end = velocity(&simulation, 0).x;
        println!(
            "{response}: {at_start:.5} {end:.5} of {:.5} {:?}",
            speed * 5.0 / 7.0,
            simulation.energies()
        );
        assert!((at_start / speed * 7.0 / 5.0 - 1.0).abs() < 0.01, "{response}: {at_start}");
        assert!((end / speed * 7.0 / 5.0 - 1.0).abs() < 0.01, "{response}: {end}");
    }
}

fn rolling_keys(response: &str) -> &'static str {
    match response {
        "penalty" => "damping = 0.5\npenalty = 0.1\n",
        _ => "",
    }
}

/// A ball of alumina strikes a plate at the angle θ from the normal. Returns the normal and tangential restitution and
/// the spin.
fn oblique(response: &str, keys: &str, degrees: f64) -> [f64; 3] {
    let (radius, density, friction, speed) = (2.5e-3, 4000.0, 0.092, 3.9);
    let mass = 4.0 / 3.0 * PI * f64::powi(radius, 3) * density;
    let moment = 0.4 * mass * radius * radius;
    let (sine, cosine) = f64::sin_cos(degrees.to_radians());
    let text = format!(
        "[time]\nend = 4e-5\nflight_step = 1e-6\nstep = 2e-8\n[materials.ball]\nmodel = \"rigid\"\n\
         [contact]\nresponse = \"{response}\"\nfriction = {friction}\n{keys}\
         [[bodies]]\nname = \"ball\"\nmesh = \"wheel.msh\"\nmaterial = \"ball\"\nmass = {mass:?}\n\
         inertia = [{moment:?}, {moment:?}, {moment:?}]\ntranslate = [0.0, 0.0, {:?}]\n\
         velocity = [{:?}, 0.0, {:?}]\n{}",
        radius + 1e-7,
        speed * sine,
        -speed * cosine,
        rigid_floor("")
    );
    let meshes = [
        ("wheel.msh", wheel(radius, 24)),
        ("floor.msh", box_mesh([-0.01, -0.01, -0.01], [0.01, 0.01, 0.0], [1, 1, 1])),
    ];
    let mut simulation = from_text(&text, &meshes);
    run(&mut simulation, |_| ());
    assert!(
        simulation.constraints().is_empty() && !simulation.first_contacts().is_empty(),
        "{response} {degrees}"
    );
    let after = velocity(&simulation, 0);
    let balance = &simulation.balances()[0].momentum;
    let spin = (balance.angular - simulation.balances()[0].centre.cross(&balance.linear)).y / moment;
    let [tangential, normal] = [after.x / (speed * sine), after.z / (speed * cosine)];
    println!(
        "{response} at {degrees}: e_n {normal:.4}, e_t {tangential:.4}, spin {spin:.1}, energy {:.1e}",
        simulation.audit().energy_error().largest
    );
    [normal, tangential, spin]
}

/// Goal: at θ = 30°, 50° and 70° the ball slides throughout the impact. Let e be the normal restitution given to the
/// response (1 for penalty). The normal restitution is e, the tangential restitution e_t = 1 − μ (1 + e)/tan θ, and the
/// spin 2.5 μ (1 + e) V cos θ/R, to 2 % each. The exception is the response by contact impulses at 30°: sliding stops
/// during the impact. Then e_t is 5/7, and the spin is 5/7 V sin θ/R.
///
/// Source: Maw, Barber & Fawcett, Wear 38 (1976) 101–114; parameters of Chung & Ooi, Granular Matter 13 (2011), test 4.
#[test]
fn oblique_impact_in_gross_sliding() {
    for (response, keys, restitution) in [
        ("penalty", "penalty = 1e-3\n", 1.0),
        ("decomposition", "restitution = 0.98\n", 0.98),
        ("energy-momentum", "restitution = 0.98\npenalty = 1e-3\n", 0.98),
    ] {
        for degrees in [30.0, 50.0, 70.0] {
            let [normal, tangential, spin] = oblique(response, keys, degrees);
            let angle = f64::to_radians(degrees);
            let mut expected = 1.0 - 0.092 * (1.0 + restitution) / angle.tan();
            let mut expected_spin = 2.5 * 0.092 * (1.0 + restitution) * 3.9 * angle.cos() / 2.5e-3;
            if expected < 5.0 / 7.0 && response == "decomposition" {
                // With impulses the contact point comes to rest if tan θ is less than 7/2 μ (1 + e), that is, for θ <
                // 32.5°.
                (expected, expected_spin) = (5.0 / 7.0, 5.0 / 7.0 * 3.9 * angle.sin() / 2.5e-3);
            }
            assert!((normal / restitution - 1.0).abs() < 0.02, "{response} {degrees}: {normal}");
            assert!(
                (tangential / expected - 1.0).abs() < 0.02,
                "{response} {degrees}: {tangential} of {expected}"
            );
            assert!(
                (spin / expected_spin - 1.0).abs() < 0.02,
                "{response} {degrees}: {spin} of {expected_spin}"
            );
        }
    }
}

/// Goal: at 15° and 20°, somewhat below the angle of gross sliding, the tangential springs return their energy, like
/// the surfaces in Maw's solution. The contact point then moves backwards when the ball leaves, at more than 1 % of the
/// normal velocity. With impulses the contact point stops at 5°, 10° and 15°, to 0.1 % of the normal velocity.
#[test]
fn oblique_impact_with_stick_turns_the_slip() {
    for (response, keys) in [
        ("penalty", "penalty = 1e-3\n"),
        ("energy-momentum", "penalty = 1e-3\n"),
        ("decomposition", "restitution = 1.0\n"),
    ] {
        let slips = [5.0, 10.0, 15.0, 20.0].map(|degrees: f64| {
            let [_, tangential, spin] = oblique(response, keys, degrees);
            // Velocity of the contact point relative to the normal velocity.
            tangential * degrees.to_radians().tan() - spin * 2.5e-3 / (3.9 * degrees.to_radians().cos())
        });
        println!("{response}: slip after {slips:?}");
        if response == "decomposition" {
            assert!(slips[..3].iter().all(|slip| slip.abs() < 1e-3), "{slips:?}");
        } else {
            assert!(slips[2] < -0.01 && slips[3] < -0.01, "{slips:?}");
        }
    }
}
