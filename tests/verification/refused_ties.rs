//! Ties that cannot hold as requested are rejected; the remedies in the messages work.

use ictus::dynamics::Wrench;
use ictus::math::Vec3;
use ictus::scenario::Scenario;
use ictus::simulation::{SetupError, Simulation};

use crate::model::{box_mesh, run};

/// Blocks of 1 m along x, each tied to the next, with these materials and further keys. The text `before` precedes all
/// of them.
fn tied_blocks(before: &str, bodies: &[(&str, &str)]) -> Result<Simulation, SetupError> {
    let folder = tempfile::tempdir().unwrap();
    let mut text = before.to_owned();
    for (k, (material, keys)) in bodies.iter().enumerate() {
        let x = k as f64;
        let mesh = box_mesh([x, 0.0, 0.0], [x + 1.0, 1.0, 1.0], [1; 3]);
        std::fs::write(folder.path().join(format!("b{k}.msh")), mesh).unwrap();
        text += &format!(
            "[materials.m{k}]\n{material}\n[[bodies]]\nname = \"b{k}\"\nmesh = \"b{k}.msh\"\nmaterial = \"m{k}\"\n{keys}\n"
        );
        if k > 0 {
            text += &format!("[[contact.pairs]]\nbetween = [\"b{}\", \"b{k}\"]\ntied = true\n", k - 1);
        }
    }
    Simulation::new(&Scenario::parse(&text, &folder.path().join("test.toml"), &[]).unwrap())
}

const RIGID: &str = "model = \"rigid\"\ndensity = 1000.0";

fn soft(density: f64) -> String {
    format!("model = \"neo-hookean\"\nyoung = 1e6\npoisson = 0.3\ndensity = {density:?}")
}

/// Goal: tied bodies with different initial velocities at the tie are rejected with the node and both velocities. With
/// the velocity and the spin recommended by the message, the bodies are accepted and move as one body. Energy is
/// conserved to 1e-5, and angular momentum to 1e-12. A difference of the velocities by one rounding error is accepted.
#[test]
fn bodies_that_begin_to_part_are_refused() {
    let soft = soft(1e3);
    let first = "velocity = [1.0, 0.0, 0.0]\nangular_velocity = [0.1, 0.0, 0.3]";
    for materials in [[RIGID, RIGID], [RIGID, &soft], [&soft, RIGID], [&soft, &soft]] {
        let with = |second: &str| {
            tied_blocks("[time]\nend = 0.01\n", &[(materials[0], first), (materials[1], second)])
        };
        let Err(SetupError::PartingTie(parting)) = with("velocity = [1.0, 0.1, 0.0]") else {
            panic!("not refused")
        };
        let [node, face] = [&parting.bodies[0], &parting.bodies[1]];
        let apart = Vec3::from(parting.velocities[0]) - Vec3::from(parting.velocities[1]);
        assert!(node != face && apart.norm() > 0.1, "{parting}");
        let asked =
            format!("velocity = {:?}\nangular_velocity = {:?}", parting.velocity, parting.angular_velocity);
        assert!(asked.lines().all(|line| parting.to_string().contains(&format!("`{line}`"))), "{parting}");
        let told = if *face == "b1" {
            with(&asked)
        } else {
            let second = "velocity = [1.0, 0.1, 0.0]";
            tied_blocks("[time]\nend = 0.01\n", &[(materials[0], &asked), (materials[1], second)])
        };
        let mut simulation = told.unwrap();
        run(&mut simulation, |_| ());
        assert!(simulation.audit().energy_error().largest < 1e-5);
        assert!(simulation.audit().largest_angular_error() < 1e-12);
    }
    let rounded = "velocity = [1.0, 0.1, 0.0]";
    let exact = "velocity = [1.0, 0.10000000000000002, 0.0]";
    tied_blocks("[time]\nend = 0.01\n", &[(RIGID, rounded), (RIGID, exact)]).unwrap();
}

/// Goal: tied deformable bodies are rejected, with their names, under two conditions. Their mass ratio exceeds
/// floating-point precision, and the tied nodes of the heavier body do not determine the motion of all light nodes.
/// Here two heavy nodes lie on a face of four light nodes. If the heavier body is rigid, or the densities differ less,
/// the bodies are accepted, and the tied points coincide.
#[test]
fn masses_without_a_common_digit_are_refused() {
    let with = |heavy: &str| {
        let light = soft(1e-9);
        let keys = "velocity = [1.0, 0.0, 0.0]";
        let aside = format!("{keys}\ntranslate = [0.0, 0.5, 0.0]");
        let before = "[time]\nend = 1e-8\nstep = 1e-10\n";
        tied_blocks(before, &[(heavy, &aside), (&light, keys)])
    };
    let Err(refusal) = with(&soft(1e12)) else { panic!("not refused") };
    // Eight nodes share a block of 1 m³.
    assert!(refusal.to_string().contains("by nodes of 1.250e-10 to 1.250e11 kg"), "{refusal}");
    let SetupError::UnlikeTies { bodies, masses, .. } = refusal else { panic!("{refusal}") };
    assert_eq!(bodies, ["b0", "b1"]);
    assert!((masses[0] / 1.25e-10 - 1.0).abs() < 1e-12 && (masses[1] / 1.25e11 - 1.0).abs() < 1e-12);
    for heavy in ["model = \"rigid\"\ndensity = 1e12", &soft(1e3)] {
        let mut simulation = with(heavy).unwrap();
        run(&mut simulation, |_| ());
        let at = |body: usize, place: [f64; 3]| {
            let mut nodes = simulation.model().bodies[body].nodes.clone();
            let is_there = |node: &usize| {
                (simulation.model().reference_positions[*node] - Vec3::from(place)).norm() < 1e-12
            };
            simulation.state().positions[nodes.find(is_there).unwrap()]
        };
        let on_heavy = at(0, [1.0, 0.5, 0.0]);
        let on_light = (at(1, [1.0, 0.0, 0.0]) + at(1, [1.0, 1.0, 0.0])) * 0.5;
        assert!((on_heavy - on_light).norm() < 1e-14);
    }
}

/// Goal: responses that neglect the ties reject contact of movable tied rigid bodies if another body can touch them.
/// The remedy is penalty springs: two tied blocks fly into a wall at 1 m/s, and both leave the wall at 1 m/s.
/// Tolerance: 0.25 % of the speed. With the penalty factor 0.02, springs create the fraction ¼ · 0.02 of the energy in
/// an impact. Half this fraction is the error of the speed.
#[test]
fn contact_of_tied_rigid_bodies_is_by_springs() {
    let with = |response: &str, more: &str| {
        let before = format!(
            "[time]\nend = 0.3\nstep = 1e-3\n[contact]\nresponse = \"{response}\"\n{more}\
             [[walls]]\nname = \"wall\"\npoint = [-0.1, 0, 0]\nnormal = [1, 0, 0]\n"
        );
        let keys = "velocity = [-1.0, 0.0, 0.0]";
        tied_blocks(&before, &[(RIGID, keys), (RIGID, keys)])
    };
    let apart =
        |body: &str| format!("[[contact.pairs]]\nbetween = [\"{body}\", \"wall\"]\ncontact = false\n");
    for response in ["decomposition", "energy-momentum"] {
        let Err(SetupError::TiedContact { bodies, response: named, .. }) = with(response, "") else {
            panic!("not refused")
        };
        assert_eq!((bodies, named), (["b0".to_owned(), "wall".to_owned()], response));
        assert!(with(response, &(apart("b0") + &apart("b1"))).is_ok());
    }
    let mut simulation = with("penalty", "penalty = 0.02\n").unwrap();
    run(&mut simulation, |_| ());
    for body in 0..2 {
        let velocity = simulation.balances()[body].momentum.linear / 1000.0;
        println!("{velocity:?}");
        assert!((velocity - Vec3::x()).norm() < 2.5e-3, "{velocity:?}");
    }
    assert!(simulation.audit().energy_error().largest < 1e-2);
}

/// Goal: support reactions include the forces of ties. Scene: a block under oblique gravity is tied to a second block.
/// The second block is fixed, completely or along some axes. Each block is deformable or rigid. Linear and angular
/// momentum balance with the reactions, and the support bears the weight of a hanging block. Tolerance: rounding,
/// 1e-12, and the rounding of positions in the forces of a step.
#[test]
fn supports_take_what_ties_give_them() {
    let soft = soft(1e3);
    for (held, axes) in [
        (RIGID, "\"x\""),
        (RIGID, "\"x\", \"z\""),
        (RIGID, "\"x\", \"y\", \"z\""),
        (&soft, "\"x\", \"y\", \"z\""),
    ] {
        for falling in [&soft, RIGID] {
            let before =
                format!("[time]\nend = 0.1\n[[boundaries]]\nbody = \"b0\"\ngroup = \"x1\"\nfix = [{axes}]\n");
            let before = if held == RIGID { before.replace("group = \"x1\"\n", "") } else { before };
            let mut simulation =
                tied_blocks(&before, &[(held, ""), (falling, "gravity = [1.0, 3.0, -9.0]")]).unwrap();
            run(&mut simulation, |_| ());
            let hangs = falling == RIGID && axes.len() == 13;
            let [linear, angular] = if hangs { errors_of_statics(&simulation) } else { errors(&simulation) };
            let limit = if hangs { rounding_of_forces(&simulation) } else { 1e-12 };
            println!("{axes}: {linear:e} {angular:e} of {limit:e}");
            assert!(linear < limit && angular < limit, "{axes}: {linear:e} {angular:e}");
        }
    }
}

/// Errors of linear and angular momentum by the audit.
fn errors(simulation: &Simulation) -> [f64; 2] {
    [simulation.audit().largest_momentum_error(), simulation.audit().largest_angular_error()]
}

/// Force m ε x/dt² by a rounding error ε x of the position x = 1.5 m in a step dt, relative to the weight.
fn rounding_of_forces(simulation: &Simulation) -> f64 {
    1.5 * f64::EPSILON / simulation.progress().time_step.powi(2) / Vec3::new(1.0, 3.0, -9.0).norm()
}

/// Errors of the force and moment of the reaction of the first boundary, relative to the force and moment of the weight
/// of the second block.
fn errors_of_statics(simulation: &Simulation) -> [f64; 2] {
    let weight = Wrench::at(&Vec3::new(1.5, 0.5, 0.5), Vec3::new(1.0, 3.0, -9.0) * 1000.0);
    let off = simulation.support_accounts()[0].reaction + weight;
    [off.linear.norm() / weight.linear.norm(), off.angular.norm() / weight.angular.norm()]
}
