//! Dynamic relaxation: bodies start at rest under their weight.

use ictus::simulation::{FailureCause, Simulation};

use crate::model::{RESPONSES, box_mesh, exceeds, from_text, rigid_floor, run, velocity, worse};

const RIGID: &str = "model = \"rigid\"\ndensity = 1000.0\n";
const RUBBER: &str = "model = \"neo-hookean\"\nyoung = 1e6\npoisson = 0.3\ndensity = 1000.0\n";

/// A block on a slope of tan α = 0.5 with μ = 0.6, modelled by a level floor and gravity along and across the slope.
fn block_on_slope(response: &str, material: &str, relaxation: &str) -> Simulation {
    let across = 9.81 / 1.25_f64.sqrt();
    let text = format!(
        "gravity = [{}, 0, {}]\n[time]\nend = 0.3\n{relaxation}\
         [contact]\nresponse = \"{response}\"\nfriction = 0.6\n[materials.m]\n{material}\
         [[bodies]]\nname = \"block\"\nmesh = \"block.msh\"\nmaterial = \"m\"\n{}",
        0.5 * across,
        -across,
        rigid_floor("")
    );
    let block = box_mesh([0.0; 3], [0.4, 0.4, 0.2], [2, 2, 1]);
    let floor = box_mesh([-1.0, -1.0, -0.2], [2.0, 2.0, 0.0], [3, 3, 1]);
    from_text(&text, &[("block.msh", block), ("floor.msh", floor)])
}

/// Kinetic energy at the middle of the last step \[J\]. At the end of a step, bodies held by impulses have the velocity
/// of half a kick by the other forces.
fn kinetic_at_mid_step(simulation: &Simulation) -> f64 {
    let (state, half_step) = (simulation.state(), 0.5 * simulation.progress().time_step);
    let motion = state.velocities.iter().zip(&state.accelerations).zip(&simulation.model().mass);
    motion.map(|((v, a), mass)| 0.5 * mass * (v - a * half_step).norm_squared()).sum()
}

/// Advances to t = 0; returns the number of steps and the largest kinetic energy during the relaxation \[J\].
fn settle(simulation: &mut Simulation) -> (u64, f64) {
    let (mut peak, mut imbalance) = (0.0, 0.0);
    while simulation.is_relaxing() {
        simulation.advance(f64::INFINITY).unwrap();
        peak = worse(peak, kinetic_at_mid_step(simulation).max(simulation.energies().kinetic));
        imbalance = worse(imbalance, simulation.audit().relative_imbalance());
    }
    assert!(!exceeds(imbalance, 1e-3), "imbalance of the relaxation: {imbalance:e}");
    assert_eq!((simulation.state().time, simulation.state().step), (0.0, 0));
    (simulation.relaxation_steps(), peak)
}

/// Goal: after dynamic relaxation a block with μ = 0.6 on a slope of tan α = 0.5 sticks, with every response at default
/// settings. The block is rigid or of rubber. Reference: Coulomb's law. Tolerance: in 0.3 s the block moves by 1e-6 of
/// its length at most. Without friction, the block would travel 0.2 m in this time. The kinetic energy stays below the
/// tolerance of the relaxation, 1e-3 of its peak.
#[test]
fn a_block_sticks_on_a_slope() {
    for response in RESPONSES {
        for material in [RIGID, RUBBER] {
            let mut simulation = block_on_slope(response, material, "[dynamic_relaxation]\n");
            let (steps, peak) = settle(&mut simulation);
            let start = simulation.balances()[0].centre;
            let energy = simulation.energies().strain + simulation.energies().contact + peak;
            let (mut kinetic, mut imbalance) = (0.0, 0.0);
            run(&mut simulation, |simulation| {
                kinetic = worse(kinetic, kinetic_at_mid_step(simulation));
                imbalance = worse(imbalance, simulation.audit().imbalance().abs() / energy);
            });
            let moved = (simulation.balances()[0].centre - start).norm();
            println!(
                "{response}, {}: {steps} steps, moved {moved:e} m, kinetic {:e} of the peak, imbalance {imbalance:e}",
                material.split('"').nth(1).unwrap(),
                kinetic / peak
            );
            assert!(!exceeds(moved, 4e-7), "{response}: moved by {moved:e} m");
            assert!(!exceeds(kinetic, 1e-3 * peak), "{response}: {:e} of the peak", kinetic / peak);
            assert!(!exceeds(imbalance, 1e-8), "{response}: {imbalance:e}");
        }
    }
}

/// Goal: a warning names a block that hops under sudden gravity on springs without damping. A block that has come to
/// rest before, by dynamic relaxation, gives no warning. Source: springs without loss conserve the energy that the
/// block gains when it falls onto the springs.
#[test]
fn hopping_under_sudden_gravity_is_warned_of() {
    let warnings = |response: &str, table: &str| {
        let mut simulation = block_on_slope(&format!("{response}\"\ndamping = 0.0\n#"), RIGID, table);
        run(&mut simulation, |_| ());
        let warnings = simulation.warnings();
        println!("{response}, {table:?}: {warnings:?}");
        warnings
    };
    for response in ["penalty", "energy-momentum"] {
        let sudden = warnings(response, "");
        assert!(sudden.len() == 1 && sudden[0].starts_with("`block` under gravity has left `floor`"));
        assert_eq!(warnings(response, "[dynamic_relaxation]\n"), Vec::<String>::new());
    }
}

/// Goal: impulses with friction hold a rigid block under sudden gravity from the first step, without a warning. In each
/// step the other forces add a kick. The impulses absorb this kick by their normal parts and by sticking friction.
/// Reference: the net numerical work is the energy of the half kick at the end of the last step, ½ m (g dt/2)², and
/// does not accumulate. Tolerance 1e-9, for rounding.
#[test]
fn impulses_that_hold_a_block_create_no_energy() {
    let mut simulation = block_on_slope("decomposition", RIGID, "");
    let (mut half_kick, mut net) = (0.0, 0.0);
    run(&mut simulation, |simulation| {
        half_kick = worse(half_kick, 0.5 * 32.0 * (0.5 * 9.81 * simulation.progress().time_step).powi(2));
        net = worse(net, simulation.audit().net_numerical_work());
    });
    println!("net numerical work {net:e} J, half kick {half_kick:e} J");
    assert_eq!(simulation.warnings(), Vec::<String>::new());
    assert!((net - half_kick).abs() < 1e-9 * half_kick, "{net:e} J, not {half_kick:e} J");
}

/// Goal: a stack of rubber and rigid blocks, and a block that hangs on a support, start at rest. The kinetic energy
/// stays below the tolerance. Time, work and dissipation start at 0; strain and contact energy start at the values of
/// the bodies at rest. Tolerance: the tolerance of the relaxation.
#[test]
fn stacks_and_hanging_blocks_start_at_rest() {
    for response in RESPONSES {
        let text = format!(
            "gravity = [0, 0, -9.81]\n[time]\nend = 0.1\n[dynamic_relaxation]\ntolerance = 1e-4\n\
             [contact]\nresponse = \"{response}\"\nfriction = 0.3\n\
             [materials.rigid]\n{RIGID}[materials.rubber]\n{RUBBER}\
             [[bodies]]\nname = \"a\"\nmesh = \"block.msh\"\nmaterial = \"rubber\"\n\
             [[bodies]]\nname = \"b\"\nmesh = \"block.msh\"\nmaterial = \"rigid\"\ntranslate = [0.01, 0.02, 0.2]\n\
             [[bodies]]\nname = \"c\"\nmesh = \"fine.msh\"\nmaterial = \"rubber\"\ntranslate = [-0.02, 0.01, 0.4]\n\
             [[bodies]]\nname = \"hanging\"\nmesh = \"block.msh\"\nmaterial = \"rubber\"\ntranslate = [3, 0, 1]\n\
             [[boundaries]]\nbody = \"hanging\"\ngroup = \"x0\"\nfix = [\"x\", \"y\", \"z\"]\n{}",
            rigid_floor("")
        );
        let block = box_mesh([0.0; 3], [0.4, 0.4, 0.2], [2, 2, 1]);
        let fine = box_mesh([0.0; 3], [0.4, 0.4, 0.2], [3, 3, 2]);
        let floor = box_mesh([-1.0, -1.0, -0.2], [1.0, 1.0, 0.0], [3, 3, 1]);
        let mut simulation =
            from_text(&text, &[("block.msh", block), ("fine.msh", fine), ("floor.msh", floor)]);
        let (steps, peak) = settle(&mut simulation);
        let initial = *simulation.energies();
        assert!(initial.strain > 0.0 && initial.external_work == 0.0 && initial.friction_dissipation == 0.0);
        assert!(initial.mass_damping_dissipation == 0.0 && simulation.audit().imbalance() == 0.0);
        let mut kinetic = 0.0;
        run(&mut simulation, |simulation| {
            kinetic = worse(kinetic, kinetic_at_mid_step(simulation));
        });
        println!("{response}: {steps} steps, kinetic {:e} of the peak", kinetic / peak);
        assert!(!exceeds(kinetic, 1e-4 * peak), "{response}: {:e} of the peak", kinetic / peak);
        let sag = simulation.state().positions[..18].iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
        assert!(sag > -1e-3, "{response}: sinks to {sag}");
    }
}

/// Goal: initial velocities, prescribed motion and time start after the relaxation. Scene: a rigid block strikes a
/// rubber block on a floor from above at 2 m/s. A third block has a prescribed motion. Reference: at t = 0 the moving
/// blocks have their initial positions and speeds.
#[test]
fn motion_begins_at_time_zero() {
    let text = format!(
        "[time]\nend = 0.01\n[dynamic_relaxation]\n[materials.rigid]\n{RIGID}[materials.rubber]\n{RUBBER}\
         [[bodies]]\nname = \"a\"\nmesh = \"block.msh\"\nmaterial = \"rubber\"\ngravity = [0, 0, -9.81]\n\
         [[bodies]]\nname = \"b\"\nmesh = \"block.msh\"\nmaterial = \"rigid\"\ntranslate = [0, 0, 0.3]\n\
         velocity = [0, 0, -2]\nangular_velocity = [0, 0, 1]\n\
         [[bodies]]\nname = \"c\"\nmesh = \"block.msh\"\nmaterial = \"rubber\"\ntranslate = [3, 0, 0.3]\n\
         [[boundaries]]\nbody = \"c\"\nvelocity = {{ x = \"1 + 100*t\", y = 0, z = 0 }}\n{}",
        rigid_floor("")
    );
    let block = box_mesh([0.0; 3], [0.4, 0.4, 0.2], [2, 2, 1]);
    let floor = box_mesh([-1.0, -1.0, -0.2], [1.0, 1.0, 0.0], [3, 3, 1]);
    let mut simulation = from_text(&text, &[("block.msh", block), ("floor.msh", floor)]);
    settle(&mut simulation);
    assert!((velocity(&simulation, 1).z + 2.0).abs() < 1e-12);
    assert!((simulation.balances()[1].centre.z - 0.4).abs() < 1e-12);
    assert!((velocity(&simulation, 2).x - 1.0).abs() < 1e-12);
    assert!((simulation.balances()[2].centre.x - 3.2).abs() < 1e-12);
    assert_eq!(simulation.first_contacts().len(), 1, "the block and the floor");
    let mut imbalance = 0.0;
    run(&mut simulation, |simulation| {
        imbalance = worse(imbalance, simulation.audit().relative_imbalance());
    });
    assert!((simulation.balances()[2].centre.x - 3.2 - 0.015).abs() < 1e-9);
    assert!(!exceeds(imbalance, 1e-6), "{imbalance:e}");
}

/// Goal: a falling body does not come to rest. Its relaxation fails with a message that names the remedy.
#[test]
fn a_falling_body_is_reported() {
    let text = format!(
        "gravity = [0, 0, -9.81]\n[time]\nend = 0.01\n[dynamic_relaxation]\nmax_steps = 500\n[materials.m]\n{RUBBER}\
         [[bodies]]\nname = \"a\"\nmesh = \"a.msh\"\nmaterial = \"m\"\n"
    );
    let mut simulation = from_text(&text, &[("a.msh", box_mesh([0.0; 3], [0.3; 3], [2; 3]))]);
    let failure = (0..600).find_map(|_| simulation.advance(f64::INFINITY).err()).expect("no failure");
    assert!(matches!(failure.cause, FailureCause::NotAtRest { .. }), "{failure}");
    assert!(failure.remedy().contains("support it"));
}

/// Goal: tied blocks, rigid and of rubber, that are clamped at one end come to rest and start at rest. At t = 0 the
/// clamped end begins to move sideways, at 1e-6 t m/s. Tolerances: that of the relaxation; tied points coincide within
/// 1e-9 m.
#[test]
fn a_clamped_assembly_starts_at_rest() {
    for other in ["rubber", "rigid"] {
        let text = format!(
            "gravity = [0, 0, -9.81]\n[time]\nend = 0.1\n[dynamic_relaxation]\n\
             [materials.rigid]\n{RIGID}[materials.rubber]\n{RUBBER}\
             [[bodies]]\nname = \"a\"\nmesh = \"block.msh\"\nmaterial = \"rubber\"\n\
             [[bodies]]\nname = \"b\"\nmesh = \"fine.msh\"\nmaterial = \"{other}\"\ntranslate = [0.4, 0, 0]\n\
             [[boundaries]]\nbody = \"a\"\ngroup = \"x0\"\nfix = [\"x\", \"z\"]\n\
             velocity = {{ y = \"1e-6*t\" }}\n\
             [[contact.pairs]]\nbetween = [\"a\", \"b\"]\ntied = true\n"
        );
        let block = box_mesh([0.0; 3], [0.4, 0.4, 0.2], [3, 2, 2]);
        let fine = box_mesh([0.0; 3], [0.2, 0.4, 0.2], [2, 3, 2]);
        let mut simulation = from_text(&text, &[("block.msh", block), ("fine.msh", fine)]);
        let (steps, peak) = settle(&mut simulation);
        let sag = simulation.balances()[1].centre.z - 0.1;
        let (mut kinetic, mut gap) = (0.0, 0.0);
        run(&mut simulation, |simulation| {
            kinetic = worse(kinetic, kinetic_at_mid_step(simulation));
            let points = simulation.tied_points().unwrap();
            gap =
                points.iter().map(|point| point.jump(&simulation.state().positions).norm()).fold(gap, worse);
        });
        println!(
            "{other}: {steps} steps, sag {sag:e}, kinetic {:e} of the peak, gap {gap:e}",
            kinetic / peak
        );
        assert!(sag < -1e-3, "{other}: {sag}");
        assert!(!exceeds(kinetic, 1e-3 * peak), "{other}: {:e} of the peak", kinetic / peak);
        assert!(!exceeds(gap, 1e-9), "{other}: {gap:e}");
    }
}
