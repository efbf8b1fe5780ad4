//! Two bars tied end to end act as one bar of twice the length.
//!
//! ```text
//!    p ->  =========|=========       a pulse runs through the joint, and back from the free end
//! ```
//!
//! Source: Graff, Wave Motion in Elastic Solids, 1975, §2.1.

use ictus::math::Vec3;
use ictus::scenario::Scenario;
use ictus::simulation::{SetupError, Simulation};

use crate::closed_form::Bar;
use crate::model::{RESPONSES, box_mesh, from_text, mean_displacement, run, worse, worst};

const BAR: Bar = Bar { young: 1e9, density: 1000.0, length: 2.0, area: 0.01 };

/// A scenario of bars with these meshes and `ties`; a pulse of pressure acts on the first bar.
fn text(bodies: &[&str], ties: &str) -> String {
    let mut text = "[time]\nend = 7e-3\nstep = 1e-5\n\
         [materials.m]\nmodel = \"linear-elastic\"\ndensity = 1000.0\nyoung = 1e9\npoisson = 0.0\n\
         [[loads]]\nbody = \"left\"\ngroup = \"x0\"\npressure = \"1e5*sin(pi*t/4e-4)^2*(t < 4e-4)\"\n"
        .to_owned();
    for name in bodies {
        text += &format!("[[bodies]]\nname = \"{name}\"\nmesh = \"{name}.msh\"\nmaterial = \"m\"\n");
    }
    text + ties
}

const TIED: &str = "[[contact.pairs]]\nbetween = [\"right\", \"left\"]\ntied = true\n";

/// Times and displacements of the free end in all steps.
fn free_end(mut simulation: Simulation, body: usize, x: f64) -> Vec<(f64, f64)> {
    let mut history = Vec::new();
    run(&mut simulation, |simulation| {
        history.push((simulation.state().time, mean_displacement(simulation, body, x)));
    });
    assert!(
        simulation.contact_pressures().iter().all(|&pressure| pressure == 0.0),
        "what is tied does not press"
    );
    assert!(simulation.audit().largest_momentum_error() < 1e-10);
    assert!(simulation.pair_balances().is_empty(), "tied bodies do not touch");
    history
}

fn glued(gap: f64, section: usize) -> Vec<(f64, f64)> {
    let far = 1.0 + gap;
    let meshes = [
        ("left.msh", box_mesh([0.0; 3], [1.0, 0.1, 0.1], [50, 1, 1])),
        ("right.msh", box_mesh([far, 0.0, 0.0], [far + 1.0, 0.1, 0.1], [50, section, section])),
    ];
    free_end(from_text(&text(&["left", "right"], TIED), &meshes), 1, far + 1.0)
}

/// Goal: a pulse passes the joint without reflection. The period of the free bar is 2 (2 L)/c, with the length L of one
/// tied bar. With matching nodes the tied bars equal one mesh: the displacement histories agree to rounding. In a
/// second case the sections have different meshes and the bars are 0.1 mm apart. This gap, 1/200 of a cell, is closed
/// without strain, and its missing mass changes the histories by 1e-3. Tolerance of the period: 1 %, for the dispersion
/// of the front over some cells of L/50.
#[test]
fn glued_bars_are_one_bar() {
    let mesh = box_mesh([0.0; 3], [2.0, 0.1, 0.1], [100, 1, 1]);
    let one = free_end(from_text(&text(&["left"], ""), &[("left.msh", mesh)]), 0, 2.0);
    let largest = one.iter().map(|(_, u)| u.abs()).fold(0.0, f64::max);
    for (gap, section, tolerance) in [(0.0, 1, 1e-10), (1e-4, 2, 1e-3)] {
        let glued = glued(gap, section);
        assert_eq!(one.len(), glued.len());
        let off = worst(one.iter().zip(&glued).map(|(a, b)| (a.1 - b.1).abs())) / largest;
        // The end moves by the same amount in each passage of the pulse. The period is the difference of the times at
        // which half of each amount is reached.
        let last = glued[glued.len() - 1].1;
        let when = |part: f64| glued.iter().find(|(_, u)| *u > part * last).map(|(time, _)| *time).unwrap();
        let period = (when(0.75) - when(0.25)) / (2.0 * BAR.transit_time());
        println!("gap {gap}: off by {off:e}, period {period} of 2 L/c");
        assert!(off < tolerance, "gap {gap}: off by {off:e}");
        assert!((period - 1.0).abs() < 0.01, "gap {gap}: period {period}");
    }
}

/// Goal: a tie between distant bodies is rejected with the reason.
#[test]
fn distant_faces_are_not_tied() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = |x: f64| box_mesh([x, 0.0, 0.0], [x + 1.0, 0.1, 0.1], [5, 1, 1]);
    std::fs::write(folder.path().join("left.msh"), mesh(0.0)).unwrap();
    std::fs::write(folder.path().join("right.msh"), mesh(1.2)).unwrap();
    let text = text(&["left", "right"], TIED);
    let scenario = Scenario::parse(&text, &folder.path().join("test.toml"), &[]).unwrap();
    let Err(SetupError::NothingTied { within, span, .. }) = Simulation::new(&scenario) else {
        panic!("tied")
    };
    assert!((within - 0.025).abs() < 1e-12);
    assert_eq!(&scenario.source[span], "true");
}

/// Goal: two rigid bars that are tied across a gap of 2 cm act as one rigid body. With the initial motion of one body,
/// the bars rotate as one body, and the tie forces have no moment. The two centres stay 1.02 m apart along a line that
/// rotates with the angular velocity ω. The total angular momentum is conserved to 1e-12 and the energy to 1e-5, in
/// plane problems too. Tolerance of the distance of the centres: 5e-6 m. The error of the rotation is of the order of
/// ω² dt² = 1e-6 times the total rotation of 2 rad.
#[test]
fn rigid_bars_tied_apart_are_one_body() {
    let (gap, turn) = (0.02, 10.0);
    for depth in [1, 0] {
        let body = |name: &str, side: f64| {
            format!(
                "[[bodies]]\nname = \"{name}\"\nmesh = \"{name}.msh\"\nmaterial = \"m\"\n\
                 angular_velocity = [0, 0, {turn:?}]\nvelocity = [3, {:?}, 0]\n",
                side * turn * 0.5 * (1.0 + gap)
            )
        };
        let text = format!(
            "[time]\nend = 0.2\nstep = 1e-4\n[materials.m]\nmodel = \"rigid\"\ndensity = 1000.0\n{}{}{TIED}tied_within = 0.03\n",
            body("left", -1.0),
            body("right", 1.0)
        );
        let thick = 0.1 * depth as f64;
        let meshes = [
            ("left.msh", box_mesh([0.0; 3], [1.0, 0.1, thick], [10, 1, depth])),
            ("right.msh", box_mesh([1.0 + gap, 0.0, 0.0], [2.0 + gap, 0.1, thick], [10, 2, 2 * depth])),
        ];
        let mut simulation = from_text(&text, &meshes);
        run(&mut simulation, |_| ());
        let [left, right] = [0, 1].map(|body| simulation.balances()[body].centre);
        let (apart, angle) = (right - left, turn * simulation.state().time);
        let expected = Vec3::new(angle.cos(), angle.sin(), 0.0) * (1.0 + gap);
        let [momentum, energy] =
            [simulation.audit().largest_angular_error(), simulation.audit().energy_error().largest];
        println!("apart {apart:?} of {expected:?}, errors {momentum:e} {energy:e}");
        assert!((apart - expected).norm() < 5e-6, "{apart:?}");
        assert!(momentum < 1e-12 && energy < 1e-5, "{momentum:e} {energy:e}");
    }
}

/// Three tied blocks of 1 × 1 × 1 m rotate as one about an axis through the middle, for the given number of steps. The
/// block in the middle has a finer mesh. The density of this block is `density` times the density of the other blocks,
/// and its stiffness is `stiffness` times the stiffness of the other blocks. Returns the largest distance of a tied
/// node from its tied point \[m\], and the error of the angular momentum.
fn spinning_sandwich(density: f64, stiffness: f64, heavy_cells: usize, steps: f64) -> [f64; 2] {
    let light = [1e3, 1e6];
    let heavy = [light[0] * density, light[1] * stiffness];
    let fastest = (light[1] / light[0]).sqrt().max((heavy[1] / heavy[0]).sqrt());
    // The spin strains the blocks with the lowest wave speed by about 1e-3.
    let slowest = (light[1] / light[0]).min(heavy[1] / heavy[0]).sqrt();
    let spin = Vec3::new(1.0, 2.0, 3.0).normalize() * (0.03 * slowest);
    let mut text = format!("[time]\nend = {:?}\n", steps * 0.3 / (heavy_cells as f64 * fastest));
    for (name, x, [density, young]) in [("low", 0.0, light), ("middle", 1.0, heavy), ("high", 2.0, light)] {
        let velocity = Vec3::new(3.0, 1.0, -2.0) * spin.norm() + spin.cross(&(Vec3::x() * (x - 1.0)));
        text += &format!(
            "[materials.{name}]\nmodel = \"neo-hookean\"\ndensity = {density:?}\nyoung = {young:?}\npoisson = 0.3\n\
             [[bodies]]\nname = \"{name}\"\nmesh = \"{name}.msh\"\nmaterial = \"{name}\"\nvelocity = [{:?}, {:?}, {:?}]\n\
             angular_velocity = [{:?}, {:?}, {:?}]\n",
            velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z
        );
    }
    text += "[[contact.pairs]]\nbetween = [\"low\", \"middle\"]\ntied = true\n\
             [[contact.pairs]]\nbetween = [\"middle\", \"high\"]\ntied = true\n";
    let block = |x: f64, cells: usize| box_mesh([x, 0.0, 0.0], [x + 1.0, 1.0, 1.0], [cells; 3]);
    let meshes =
        [("low.msh", block(0.0, 1)), ("middle.msh", block(1.0, heavy_cells)), ("high.msh", block(2.0, 1))];
    let mut simulation = from_text(&text, &meshes);
    let references = simulation.model().reference_positions.clone();
    // Indices of the nodes of the heavy block on the corners of the light blocks.
    let at = |body: usize, x: f64| -> Vec<usize> {
        let nodes = simulation.model().bodies[body].nodes.clone();
        nodes.filter(|&node| (references[node].x - x).abs() < 1e-9).collect()
    };
    let mut tied: Vec<(usize, Vec<(usize, f64)>)> = Vec::new();
    for (body, x) in [(0, 1.0), (2, 2.0)] {
        let corners = at(body, x);
        for node in at(1, x) {
            let share = |corner: usize| {
                let apart = references[corner] - references[node];
                (1.0 - apart.y.abs()) * (1.0 - apart.z.abs())
            };
            tied.push((node, corners.iter().map(|&corner| (corner, share(corner))).collect()));
        }
    }
    let mut largest = 0.0;
    run(&mut simulation, |simulation| {
        let positions = &simulation.state().positions;
        let apart = |(node, shares): &(usize, Vec<(usize, f64)>)| {
            (positions[*node] - shares.iter().map(|&(corner, share)| positions[corner] * share).sum::<Vec3>())
                .norm()
        };
        largest = worse(largest, worst(tied.iter().map(apart)));
    });
    [largest, simulation.audit().largest_angular_error()]
}

/// Goal: tied points of spinning and flying blocks coincide to rounding, and angular momentum is conserved. This holds
/// for any masses and stiffnesses on either side. Tolerances: 1e-14 m, some roundings of coordinates of 3 m; for the
/// angular momentum 4e-14, accumulated over some hundred steps.
#[test]
fn unlike_bodies_stay_together() {
    for (density, stiffness) in
        [(1.0, 1.0), (1e2, 1.0), (1e4, 1e4), (1e8, 1e6), (1e6, 1e6), (1.0, 1e6), (1e-4, 1.0), (1e-8, 1e-6)]
    {
        for cells in [1, 2, 3] {
            let [apart, momentum] = spinning_sandwich(density, stiffness, cells, 400.0);
            println!(
                "{density:e}, {stiffness:e}, {cells} cells: apart {apart:.1e} m, angular momentum {momentum:.1e}"
            );
            assert!(apart < 1e-14, "{density:e}, {stiffness:e}: apart {apart:e}");
            assert!(momentum < 4e-14, "{density:e}, {stiffness:e}: {momentum:e}");
        }
    }
}

/// Goal: in contact with other bodies, tied bodies act as one body. With every response, two tied bars that fly into a
/// wall behave like one bar of their total length. Tolerance: 1e-9 m after a travel of 12 mm, because contact amplifies
/// rounding.
#[test]
fn glued_bars_touch_as_one() {
    for response in RESPONSES {
        let strike = |bodies: &[&str], ties: &str, meshes: &[(&str, String)]| {
            let mut text = format!(
                "[time]\nend = 6e-3\nstep = 1e-5\n[contact]\nresponse = \"{response}\"\n\
                 [materials.m]\nmodel = \"linear-elastic\"\ndensity = 1000.0\nyoung = 1e9\npoisson = 0.0\n\
                 [[walls]]\nname = \"wall\"\npoint = [-0.001, 0, 0]\nnormal = [1, 0, 0]\n"
            );
            for name in bodies {
                text += &format!(
                    "[[bodies]]\nname = \"{name}\"\nmesh = \"{name}.msh\"\nmaterial = \"m\"\nvelocity = [-2, 0, 0]\n"
                );
            }
            let mut simulation = from_text(&(text + ties), meshes);
            let mut history = Vec::new();
            let last = bodies.len() - 1;
            run(&mut simulation, |simulation| history.push(mean_displacement(simulation, last, 2.0)));
            history
        };
        let bar = |from: f64, to: f64| {
            box_mesh([from, 0.0, 0.0], [to, 0.1, 0.1], [(50.0 * (to - from)) as usize, 1, 1])
        };
        let one = strike(&["left"], "", &[("left.msh", bar(0.0, 2.0))]);
        let meshes = [("left.msh", bar(0.0, 1.0)), ("right.msh", bar(1.0, 2.0))];
        let glued = strike(&["left", "right"], TIED, &meshes);
        // Flight steps of the two runs have different lengths, so only the final positions are compared.
        let [one, glued] = [&one[one.len() - 1], &glued[glued.len() - 1]];
        println!("{response}: {one:.6e} m, glued {glued:.6e} m");
        assert!((one - glued).abs() < 1e-9, "{response}: {one} against {glued}");
        assert!(*glued > -0.008, "{response}: the bars have not come back");
    }
}

/// Goal: a tie between sides with different prescribed motions is rejected with the node and the axis; with equal
/// prescribed motions it is accepted.
#[test]
fn a_tie_that_cannot_hold_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("left.msh"), box_mesh([0.0; 3], [1.0, 0.1, 0.1], [5, 1, 1])).unwrap();
    let right = box_mesh([1.0, 0.0, 0.0], [2.0, 0.1, 0.1], [5, 2, 2]);
    std::fs::write(folder.path().join("right.msh"), right).unwrap();
    let driven = |left: &str, right: &str| {
        let boundary = |body: &str, group: &str, motion: &str| {
            format!("[[boundaries]]\nbody = \"{body}\"\ngroup = \"{group}\"\n{motion}\n")
        };
        let ties = boundary("left", "x1", left) + &boundary("right", "x0", right) + TIED;
        let text = text(&["left", "right"], &ties);
        Simulation::new(&Scenario::parse(&text, &folder.path().join("test.toml"), &[]).unwrap()).map(|_| ())
    };
    let Err(SetupError::TornTie { bodies, axis, .. }) =
        driven("velocity = { x = 0.0, y = 1.0 }", "velocity = { x = 0.0, y = 2.0 }")
    else {
        panic!("not refused")
    };
    assert_eq!((bodies, axis), (["right".to_owned(), "left".to_owned()], 1));
    driven("velocity = { y = 1.0 }", "velocity = { y = 1.0 }").unwrap();
    driven("fix = [\"x\"]", "velocity = { y = 1.0 }").unwrap();
}

/// Goal: two blocks that spin as one about a tied node away from the origin are accepted. This node is at rest up to
/// rounding.
#[test]
fn blocks_tied_at_their_centre_of_rotation_spin_as_one() {
    let block = |name: &str, place: f64, speed: f64| {
        format!(
            "[[bodies]]\nname = \"{name}\"\nmesh = \"cube.msh\"\nmaterial = \"m\"\n\
             translate = [{place:?}, 0.1, 0.7]\nvelocity = [0.0, {speed:?}, 0.0]\nangular_velocity = [0, 0, 20]\n"
        )
    };
    let text = format!(
        "[time]\nend = 1e-6\n\
         [materials.m]\nmodel = \"linear-elastic\"\ndensity = 7800.0\nyoung = 210e9\npoisson = 0.3\n\
         [[contact.pairs]]\nbetween = [\"left\", \"right\"]\ntied = true\n{}{}",
        block("left", 0.3, -10.0),
        block("right", 1.3, 10.0),
    );
    let mut simulation = from_text(&text, &[("cube.msh", box_mesh([-0.5; 3], [0.5; 3], [2, 2, 2]))]);
    run(&mut simulation, |_| {});
}
