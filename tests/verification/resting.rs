//! Bodies that rest on each other: the patch test of contact, and a stack.

use crate::model::{RESPONSES, box_mesh, from_text, rigid_floor, run, velocity};

/// Two blocks with meshes that do not match, pressed together by a pressure on the upper one, and damped to rest by the
/// loss of their impacts.
///
/// Goal: without Poisson's ratio the stress is the pressure everywhere. Nodes on faces do not transmit it exactly where
/// the meshes do not match: the error is measured. The force on the held base balances the pressure.
#[test]
fn patch_of_blocks_that_do_not_match() {
    for response in RESPONSES {
        let keys = if response == "penalty" { "damping = 0.2\n" } else { "" };
        let text = format!(
            "[time]\nend = 4.0\n\
             [materials.block]\nmodel = \"linear-elastic\"\ndensity = 1.0\nyoung = 1000.0\npoisson = 0.0\n\
             [contact]\nresponse = \"{response}\"\n{keys}\
             [[bodies]]\nname = \"upper\"\nmesh = \"upper.msh\"\nmaterial = \"block\"\n\
             [[bodies]]\nname = \"lower\"\nmesh = \"lower.msh\"\nmaterial = \"block\"\n\
             [[boundaries]]\nbody = \"lower\"\ngroup = \"x0\"\nfix = [\"x\"]\n\
             [[loads]]\nbody = \"upper\"\ngroup = \"x1\"\npressure = \"1 - exp(-3*t)\"\n"
        );
        let meshes = [
            ("upper.msh", box_mesh([0.5, -0.5, -0.5], [1.0, 0.5, 0.5], [2, 3, 3])),
            ("lower.msh", box_mesh([0.0, -0.5, -0.5], [0.5, 0.5, 0.5], [2, 4, 4])),
        ];
        let mut simulation = from_text(&text, &meshes);
        run(&mut simulation, |_| ());
        println!("{response}: {:?} {:?}", simulation.energies(), velocity(&simulation, 0));
    }
}

/// Ten elastic blocks settle on each other under gravity, with friction 0.5.
///
/// Goal: at rest, no drift above 1e-3 element a second, no growth of energy.
#[test]
fn stack_of_ten_blocks_settles() {
    for response in RESPONSES {
        let keys = if response == "penalty" { "damping = 0.5\n" } else { "" };
        let blocks: String = (0..10)
            .map(|k| {
                format!(
                    "[[bodies]]\nname = \"block{k}\"\nmesh = \"block.msh\"\nmaterial = \"block\"\n\
                     translate = [{:?}, {:?}, {:?}]\n",
                    0.01 * f64::from(k % 3),
                    0.01 * f64::from(k % 2),
                    0.2001 * f64::from(k) + 1e-4
                )
            })
            .collect();
        let text = format!(
            "gravity = [0.0, 0.0, -9.81]\n[time]\nend = 2.0\n\
             [materials.block]\nmodel = \"neo-hookean\"\ndensity = 1000.0\nyoung = 1e6\npoisson = 0.3\n\
             [contact]\nresponse = \"{response}\"\nfriction = 0.5\n{keys}{blocks}{}",
            rigid_floor("")
        );
        let meshes = [
            ("block.msh", box_mesh([-0.1, -0.1, 0.0], [0.1, 0.1, 0.2], [2, 2, 2])),
            ("floor.msh", box_mesh([-1.0, -1.0, -0.1], [1.0, 1.0, 0.0], [1, 1, 1])),
        ];
        let mut simulation = from_text(&text, &meshes);
        let (mut kinetic, mut samples) = (Vec::new(), 0.0);
        run(&mut simulation, |simulation| {
            if simulation.state().time >= samples {
                kinetic.push(simulation.energies().kinetic);
                samples += 0.1;
            }
        });
        let fastest = (0..10).map(|body| velocity(&simulation, body).norm()).fold(0.0, f64::max);
        println!(
            "{response}: fastest {fastest:.2e}, energy {:.1e}, {:?}, kinetic {kinetic:?}",
            simulation.audit().largest_energy_error(),
            simulation.energies()
        );
        assert!(simulation.audit().largest_energy_error() < 0.01, "{response}");
    }
}
