//! Everyday scenes: boxes that drop, slide, bounce and tumble on floors with different meshes, with default settings.

use ictus::math::{Rotation, Vec3};
use ictus::simulation::Simulation;

use crate::model::{RESPONSES, box_mesh, from_text, lossy, rigid_floor, run, velocity};
use crate::situations::{
    Ground, box_on_floor, corner_cube, cube_over_sheet, cube_that_gets_spin, octahedra, rod,
    rolling_velocity, thick_wheel, tumbling_box,
};
use crate::stage::Placement;

const RIGID: &str = "[materials.m]\nmodel = \"rigid\"\ndensity = 1000.0\n";
const FLOOR_WALL: &str = "[[walls]]\nname = \"floor\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n";

fn body(name: &str, keys: &str) -> String {
    format!("[[bodies]]\nname = \"{name}\"\nmesh = \"{name}.msh\"\nmaterial = \"m\"\n{keys}")
}

/// Goal: a frictionless cube that lands on a corner with restitution e = 1 keeps its energy in any orientation.
/// Tolerance: rounding, 1e-12.
#[test]
fn corners_bounce_with_all_their_energy() {
    for k in 0..40 {
        let contact = "response = \"decomposition\"\nrestitution = 1.0\n";
        let mut simulation = corner_cube(k, 1, contact).with_step(1e-3).plain().simulation;
        let before = simulation.energies().kinetic;
        run(&mut simulation, |_| {});
        let after = simulation.energies().kinetic;
        assert!(velocity(&simulation, 0).z > 0.0, "attitude {k} has bounced");
        assert!((after / before - 1.0).abs() < 1e-12, "attitude {k}: {:e}", after / before - 1.0);
    }
}

/// A box falls flat on a rigid floor with the given number of cells per side, with the default response. Rebound speed
/// relative to the impact speed.
fn rebound(cells: usize) -> f64 {
    let mut simulation = box_on_floor(1, cells, "").plain().simulation;
    let (mut down, mut up) = (0.0_f64, 0.0_f64);
    run(&mut simulation, |simulation| {
        let speed = velocity(simulation, 0).z;
        (down, up) = (down.min(speed), up.max(speed));
    });
    up / -down
}

/// Goal: a rigid box that falls flat rebounds with its impact speed on floors of 1 to 900 cells. Tolerance: 0.5 %. The
/// springs of the default response have a smaller error, from the step in which the springs open.
#[test]
fn a_box_bounces_alike_on_any_floor() {
    for cells in [1, 3, 10, 30] {
        let ratio = rebound(cells);
        println!("{cells} × {cells}: {ratio}");
        assert!((ratio - 1.0).abs() < 5e-3, "{cells} × {cells}: {ratio}");
    }
}

/// A rod of 1 × 0.04 × 0.02 m, tilted by 30°, lands on both nodes of its lower edge and sticks.
///
/// Goal: the impulse P changes the velocity of the edge from (0, −1) to (0, e). The change v' of the velocity and the
/// change ω' of the angular velocity follow from m v' = P and I ω' = r × P, with the arm r of the edge. There is no
/// gravity. Tolerance: 1e-6, for the step of 1e-7 s in which the rod lands.
#[test]
fn a_rod_that_sticks_keeps_its_restitution() {
    let restitution = 0.7;
    let contact = format!("response = \"decomposition\"\nrestitution = {restitution:?}\nfriction = 10.0\n");
    let mut simulation = rod(&contact).plain().simulation;
    run(&mut simulation, |_| {});
    let (sine, cosine) = 30_f64.to_radians().sin_cos();
    // The right end is down: the lower edge is at (0.5, −0.01), rotated about y by 30°.
    let arm = [0.5 * cosine - 0.01 * sine, -0.5 * sine - 0.01 * cosine];
    let (mass, inertia) = (0.8, 0.8 * (1.0 + 0.0004) / 12.0);
    // The change of velocity of the edge by P = (p, q) is (p/m + a z, q/m − a x) with a = (z p − x q)/I.
    let [x, z] = arm;
    let along = [1.0 / mass + z * z / inertia, -x * z / inertia, 1.0 / mass + x * x / inertia];
    let wanted = 1.0 + restitution;
    let determinant = along[0] * along[2] - along[1] * along[1];
    let impulse = [-along[1] * wanted / determinant, along[0] * wanted / determinant];
    let expected = Vec3::new(impulse[0] / mass, 0.0, impulse[1] / mass - 1.0);
    let found = velocity(&simulation, 0);
    assert!((found - expected).norm() < 1e-6, "{found:?} instead of {expected:?}");
}

fn spins(on_mesh: bool) -> (Vec3, Vec3) {
    let contact = "response = \"decomposition\"\nrestitution = 0.5\nfriction = 0.35\n";
    let mut simulation = cube_that_gets_spin(on_mesh, contact).plain().simulation;
    run_past_the_first_contact(&mut simulation);
    (velocity(&simulation, 0), simulation.balances()[0].momentum.angular)
}

fn run_past_the_first_contact(simulation: &mut Simulation) {
    run(simulation, |_| {});
    assert!(!simulation.first_contacts().is_empty() && velocity(simulation, 0).z > 0.0, "it has bounced");
}

/// Goal: a cube strikes a floor with a corner, with friction. The velocities after the rebound are the same for a fixed
/// wall and for a fixed mesh. Tolerance 1e-9, the residual of the impulses.
#[test]
fn walls_and_fixed_meshes_are_alike() {
    let (wall, plate) = (spins(false), spins(true));
    assert!((wall.0 - plate.0).norm() < 1e-9 * wall.0.norm(), "{wall:?} {plate:?}");
    assert!((wall.1 - plate.1).norm() < 1e-9 * wall.1.norm(), "{wall:?} {plate:?}");
}

/// Goal: two equal bodies collide vertex to vertex, symmetric about the line between them. The bodies exchange their
/// velocities without a lateral component, in any orientation in space. Tolerance: 1e-9. With penalty springs of the
/// default stiffness, the tolerance along the line is 1 %.
#[test]
fn vertices_push_along_their_symmetry() {
    for (response, keys, tolerance) in
        [("penalty", "", 1e-2), ("decomposition", "restitution = 1.0\n", 1e-9), ("energy-momentum", "", 1e-9)]
    {
        for turn in [Rotation::identity(), Rotation::from_scaled_axis(Vec3::new(0.3, -1.1, 0.7))] {
            let contact = format!("response = \"{response}\"\n{keys}");
            let mut placed = octahedra(&contact).placed(Placement { turn, ..Placement::plain() });
            placed.run();
            let (found, direction) = (velocity(&placed.simulation, 1), turn * Vec3::x());
            let lateral = found - direction * direction.dot(&found);
            assert!(lateral.norm() < 1e-9, "{response}: {found}");
            assert!((direction.dot(&found) - 1.0).abs() < tolerance, "{response}: {found}");
        }
    }
}

/// Goal: damped penalty springs and energy–momentum springs of the default stiffness reproduce the coefficient of
/// restitution e within 2 %. A cube lands on a corner below its centre (one contact) or flat (four contacts), with
/// friction and without.
#[test]
fn springs_rebound_with_the_coefficient_of_restitution() {
    let diagonal = (1.0_f64 / 3.0).sqrt().acos().to_degrees();
    for rotate in [String::new(), format!("rotate = {{ axis = [1, -1, 0], angle = {diagonal:?} }}\n")] {
        let damped = [0.1, 0.3, 0.5, 0.8].map(|restitution| ("penalty", restitution));
        let conserving = [0.0, 0.3, 0.5, 0.8].map(|restitution| ("energy-momentum", restitution));
        let all = damped.into_iter().chain(conserving);
        for ((response, restitution), friction) in all.flat_map(|law| [(law, 0.0), (law, 0.3)]) {
            let text = format!(
                "[time]\nend = 0.2\nflight_step = 1e-3\nstep = 1e-4\n{RIGID}[contact]\nresponse = \"{response}\"\n\
                 restitution = {restitution:?}\nfriction = {friction:?}\n{}{FLOOR_WALL}",
                body("cube", &format!("{rotate}translate = [0, 0, 0.2]\nvelocity = [0, 0, -1]\n"))
            );
            let mut simulation = from_text(&text, &[("cube.msh", box_mesh([-0.1; 3], [0.1; 3], [1, 1, 1]))]);
            run(&mut simulation, |_| {});
            let found = velocity(&simulation, 0).z;
            println!("{response}, {rotate}{restitution}, {friction}: {found}");
            assert!(
                (found - restitution).abs() < 0.02,
                "{response}, {rotate}{restitution}, {friction}: {found}"
            );
        }
    }
}

/// Goal: in a three-dimensional model, a rigid sheet exactly in z = 0 is a surface in space. A cube that falls by h =
/// 0.5 m reaches the sheet after √(2 h/g), to 1e-6 s, and bounces.
#[test]
fn a_sheet_in_the_plane_z_0_is_met() {
    let mut simulation =
        cube_over_sheet(1, "response = \"decomposition\"\nrestitution = 1.0\n").plain().simulation;
    run(&mut simulation, |_| {});
    let met = simulation.first_contacts().first().map(|contact| contact.time);
    let expected = (2.0 * 0.5 / 9.81_f64).sqrt();
    assert!(met.is_some_and(|time| (time - expected).abs() < 1e-6), "{met:?}, not {expected}");
    assert!(velocity(&simulation, 0).z > 0.0);
}

/// Goal: a given inertia refers to the axes of the mesh. A box with the given moments of inertia of its mesh, m (b² +
/// c²)/12 about the first axis, moves like a box without given inertia. The same holds if `rotate` rotates the box.
/// Tolerance 1e-12, rounding.
#[test]
fn given_inertia_turns_with_the_mesh() {
    let spun = |given| {
        let mut placed = tumbling_box(given).plain();
        placed.run();
        placed.simulation.balances()[0].momentum.angular
    };
    let (of_mesh, given) = (spun(false), spun(true));
    assert!((of_mesh - given).norm() < 1e-12 * of_mesh.norm(), "{of_mesh} {given}");
}

/// Goal: a wheel of radius R and contact thickness 2 h slides on a floor until it rolls. The lever of friction is R +
/// h, so the wheel rolls at v = v0/(1 + k²/(R + h)²), with the radius of gyration k. The result is the same on a wall,
/// a rigid mesh and a deformable mesh. Tolerance 1 %, since the wheel rolls on 96 corners.
#[test]
fn thick_wheels_roll_on_their_thickness() {
    let expected = rolling_velocity();
    for response in RESPONSES {
        for ground in [Ground::Wall, Ground::Rigid, Ground::Soft] {
            let mut simulation = thick_wheel(ground, response).plain().simulation;
            run(&mut simulation, |_| {});
            let found = velocity(&simulation, 0).x;
            println!("{response}: {found}, not {expected}");
            assert!((found / expected - 1.0).abs() < 0.01, "{response}: {found}, not {expected}");
            let error = simulation.audit().largest_angular_error();
            assert!(error < 1e-12, "{response}: {error:e}");
        }
    }
}

/// Goal: in one-pass contact, a soft box wider than the rigid floor below does not fall through the floor. All nodes of
/// the box are beside the floor, but nodes of the floor touch the box. With every response the box sinks by less than a
/// tenth of its height.
#[test]
fn wide_boxes_rest_on_narrow_floors_by_one_pass() {
    for response in RESPONSES {
        let text = format!(
            "gravity = [0, 0, -9.81]\n[time]\nend = 0.3\n[materials.m]\nmodel = \"neo-hookean\"\ndensity = 1000.0\n\
             young = 1e6\npoisson = 0.3\n\
             [contact]\nresponse = \"{response}\"\npasses = 1\n{}{}{}",
            lossy(response),
            body("box", "translate = [0, 0, 0.01]\n"),
            rigid_floor("")
        );
        let meshes = [
            ("box.msh", box_mesh([-0.2, -0.2, 0.0], [0.2, 0.2, 0.2], [1, 1, 1])),
            ("floor.msh", box_mesh([-0.1, -0.1, -0.1], [0.1, 0.1, 0.0], [1, 1, 1])),
        ];
        let mut simulation = from_text(&text, &meshes);
        let mut lowest = 1.0_f64;
        run(&mut simulation, |simulation| lowest = lowest.min(simulation.balances()[0].centre.z));
        println!("{response}: {lowest}");
        assert!(lowest > 0.08, "{response}: {lowest}");
    }
}
