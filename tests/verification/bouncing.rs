//! Blocks that bounce.

use crate::model::{RESPONSES, box_mesh, from_text, rigid_floor, run};

/// A rigid cube bounces on a rigid plate, without friction or loss.
///
/// Goal: over 20 bounces each apex is that of the first height, 1 %, and the energy stays within 0.5 %.
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

/// A block of 27 cells falls on a larger one that lies on a held plane.
///
/// Goal: it bounces several times, no element is inverted, and the energy stays within 0.5 %.
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

/// Goal: rigid cubes exchange their velocities, however stiff the springs are between them, and the energy stays, also
/// where the step in which they meet ends at that instant and the next is a regular one. Tolerance: the pressures of
/// nine nodes on one rigid body are iterated for, which leaves some 1e-6 of stiff ones.
#[test]
fn stiff_contact_after_a_cut_step_keeps_the_energy() {
    let body = |name: &str, speed: f64| {
        format!(
            "[[bodies]]\nname = \"{name}\"\nmesh = \"{name}.msh\"\nmaterial = \"m\"\nvelocity = [{speed:?}, 0, 0]\n"
        )
    };
    for penalty in ["1.0", "1e6"] {
        // A flight leads to the first impact; the second one is met in steps.
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
