//! Edge–edge contact, and thin bodies through which fast bodies must not pass.

use ictus::math::Vec3;
use ictus::simulation::Simulation;

use crate::model::{RESPONSES, box_mesh, from_text, momentum, run, velocity, worse};

const SOFT: &str = "[materials.m]\nmodel = \"neo-hookean\"\ndensity = 1000.0\nyoung = 1e6\npoisson = 0.3\n";
const STEEL: &str =
    "[materials.m]\nmodel = \"neo-hookean\"\ndensity = 7800.0\nyoung = 210e9\npoisson = 0.3\n";

/// Two cubes of one cell. The upper cube is turned by 45° about the vertical and approaches the lower cube from a
/// distance of 1 mm.
fn cubes(edges: &str, detection: &str) -> Simulation {
    let text = format!(
        "[time]\nend = 0.3\nstep = 2e-3\n{SOFT}\
         [[bodies]]\nname = \"lower\"\nmesh = \"cube.msh\"\nmaterial = \"m\"\n\
         [[bodies]]\nname = \"upper\"\nmesh = \"cube.msh\"\nmaterial = \"m\"\n\
         rotate = {{ axis = [0, 0, 1], angle = 45 }}\ntranslate = [0, 0, 1.001]\nvelocity = [0, 0, -1]\n\
         [contact]\npenalty = 0.02\nedges = \"{edges}\"\ndetection = \"{detection}\"\n"
    );
    from_text(&text, &[("cube.msh", box_mesh([-0.5, -0.5, 0.0], [0.5, 0.5, 1.0], [1, 1, 1]))])
}

/// Height of the lowest node of the upper cube above the highest node of the lower cube \[m\].
fn clearance(simulation: &Simulation) -> f64 {
    let heights = |body: usize| {
        let nodes = simulation.model().bodies[body].nodes.clone();
        simulation.state().positions[nodes].iter().map(|x| x.z)
    };
    heights(1).fold(f64::INFINITY, f64::min) - heights(0).fold(f64::NEG_INFINITY, f64::max)
}

/// Goal: two cubes rebound if their edges cross but no node meets a face. The cubes approach at 1 m/s and separate at
/// more than 0.5 m/s; the remaining energy is energy of vibration. The penetration is always less than a quarter of an
/// edge. Without edge contact nothing stops the cubes for 0.2 s. The nodes are √½ − ½ = 0.207 m beside the faces, and
/// come into contact only when their depth behind the faces exceeds this distance. Momentum is conserved to rounding
/// (1e-12). Tolerance of the energy: 2 %. A spring that begins with the penetration of one step has the energy f m v²/2
/// without work, with the nodal mass m = 125 kg and the penalty factor f = 0.02. Eight such springs have 2 % of the 500
/// J. All detectors agree bit for bit.
#[test]
fn stacked_cubes_do_not_pass_through_each_other() {
    let mut results: Vec<Vec<Vec3>> = Vec::new();
    for detection in ["hierarchy", "buckets", "all-pairs"] {
        let mut simulation = cubes("feature", detection);
        let before = momentum(&simulation);
        let (mut least, mut most_contacts) = (f64::INFINITY, 0);
        run(&mut simulation, |simulation| {
            least = least.min(clearance(simulation));
            most_contacts = most_contacts.max(simulation.constraints().len());
        });
        let rebound = [0, 1].map(|body| velocity(&simulation, body).z);
        let energy = simulation.audit().energy_error().largest;
        let drift = (momentum(&simulation).linear - before.linear).norm() / before.linear.norm();
        println!("{detection}: {least:.3} m, {most_contacts} contacts, {rebound:?} m/s, energy {energy:.1e}");
        assert!(most_contacts >= 8 && least > -0.25, "{most_contacts} contacts, {least} m");
        assert!(rebound[1] > rebound[0] + 0.5, "{rebound:?}");
        assert!(drift < 1e-12 && energy < 0.02, "{drift:e}, {energy:e}");
        results.push(simulation.state().positions.clone());
    }
    assert!(results[0] == results[1] && results[0] == results[2]);
    let mut simulation = cubes("none", "hierarchy");
    while simulation.state().time < 0.2 {
        simulation.advance(f64::INFINITY).unwrap();
    }
    let speed = velocity(&simulation, 1).z;
    assert!((speed + 1.0).abs() < 1e-12, "{speed}");
}

/// Goal: a ball 1 m above a block has no contact in any step. Both bodies vibrate by far less than this distance, and
/// all their faces and edges are in the contact surfaces.
#[test]
fn a_ball_above_a_block_touches_nothing() {
    let ball = concat!(env!("CARGO_MANIFEST_DIR"), "/meshes/projectile.msh");
    let text = format!(
        "[time]\nend = 2e-3\n{STEEL}\
         [[bodies]]\nname = \"block\"\nmesh = \"block.msh\"\nmaterial = \"m\"\n\
         [[bodies]]\nname = \"ball\"\nmesh = \"{ball}\"\nmaterial = \"m\"\ntranslate = [0, 0, 3]\n\
         [[loads]]\nbody = \"ball\"\npressure = 1e6\n[[loads]]\nbody = \"block\"\npressure = 1e6\n\
         [contact]\nedges = \"all\"\n"
    );
    let block = box_mesh([-2.0, -2.0, 0.0], [2.0, 2.0, 1.0], [4, 4, 1]);
    let mut simulation = from_text(&text, &[("block.msh", block)]);
    let mut steps = 0;
    run(&mut simulation, |simulation| {
        steps += 1;
        assert!(simulation.constraints().is_empty());
    });
    assert!(steps > 20 && simulation.first_contacts().is_empty());
}

/// Goal: a needle at 100 m/s hits a plate of 1 mm at the exact instant, after 9.5 mm and 95 µs, and does not leave the
/// plate through the far side. In a flight step the needle travels five thicknesses of the plate. Tolerance of the
/// instant: 1e-9 of its value, the tolerance of the computed time of impact.
#[test]
fn a_thin_plate_is_hit_by_a_fast_needle() {
    let text = format!(
        "[time]\nend = 2e-4\nflight_step = 5e-5\n{STEEL}\
         [[bodies]]\nname = \"plate\"\nmesh = \"plate.msh\"\nmaterial = \"m\"\n\
         [[bodies]]\nname = \"needle\"\nmesh = \"needle.msh\"\nmaterial = \"m\"\n\
         translate = [0.3e-3, 0.2e-3, 10e-3]\nvelocity = [0, 0, -100]\n"
    );
    let meshes = [
        ("plate.msh", box_mesh([-5e-3, -5e-3, -0.5e-3], [5e-3, 5e-3, 0.5e-3], [10, 10, 1])),
        ("needle.msh", box_mesh([-0.25e-3, -0.25e-3, 0.0], [0.25e-3, 0.25e-3, 3e-3], [1, 1, 6])),
    ];
    let mut simulation = from_text(&text, &meshes);
    let mut deepest = f64::INFINITY;
    run(&mut simulation, |simulation| {
        // Height of the nose of the needle above the lower side of the plate, in the middle of the plate.
        let nose = simulation.model().bodies[1].nodes.start;
        let positions = &simulation.state().positions;
        let under = simulation.model().bodies[0].nodes.clone().map(|node| positions[node]);
        let nearest = under
            .filter(|x| (x.x - positions[nose].x).hypot(x.y - positions[nose].y) < 1e-3)
            .map(|x| x.z)
            .fold(f64::INFINITY, f64::min);
        deepest = deepest.min(positions[nose].z - nearest);
    });
    let contact = simulation.first_contacts()[0];
    let rebound = [0, 1].map(|body| velocity(&simulation, body).z);
    println!("hit at {:e} s, {deepest:.2e} m above the far side, {rebound:?} m/s", contact.time);
    assert!((contact.time - 95e-6).abs() < 1e-9 * 95e-6);
    assert!(deepest > 0.0 && rebound[1] > rebound[0], "{deepest:e}, {rebound:?}");
}

/// A free soft plate of two layers of cells that vibrates above a fixed soft anvil.
fn vibrating_plate(keys: &str, step: f64) -> Simulation {
    let text = format!(
        "[time]\nend = 8e-3\nstep = {step:e}\n{SOFT}\
         [[bodies]]\nname = \"anvil\"\nmesh = \"anvil.msh\"\nmaterial = \"m\"\n\
         [[bodies]]\nname = \"plate\"\nmesh = \"plate.msh\"\nmaterial = \"m\"\nangular_velocity = [0, 3, 0]\n\
         velocity = [0, 0, -2]\ntranslate = [0.0123, 0.0077, 4e-3]\n\
         [[boundaries]]\nbody = \"anvil\"\nfix = [\"x\", \"y\", \"z\"]\n\
         [[loads]]\nbody = \"plate\"\ngroup = \"x1\"\npressure = \"1e5*(t < 1.01e-3)\"\n{keys}"
    );
    let meshes = [
        ("anvil.msh", box_mesh([-0.2, -0.2, -0.1], [0.2, 0.2, 0.0], [4, 4, 1])),
        ("plate.msh", box_mesh([-0.1, -0.1, 0.0], [0.1, 0.1, 0.02], [6, 6, 2])),
    ];
    from_text(&text, &meshes)
}

/// Goal: the first contact of a deformable, vibrating body is found at its instant within a step. The step ends at this
/// instant, with the lowest node within 1e-12 m of the face of the anvil.
///
/// Reference by brute force: a run with steps a hundred times as short, up to the contact. The instant is interpolated
/// linearly between the two positions of the lowest node before and behind the face. The error of the reference is a
/// dt²/(8 v), about 1e-10 s for the acceleration a = p/(ρ h) = 1e4 m/s² and the speed v = 1 m/s.
///
/// Tolerance: 6e-7 s, somewhat less than the following upper estimate. Central differences raise a frequency by the
/// fraction (ω dt)²/24 = 6e-4, for ω = 2 × 30 m/s/0.01 m and dt = 20 µs. In t = 1.4 ms the vibrations of both runs then
/// differ by ω t × 6e-4 = 5e-3 of the amplitude. The amplitude is 0.3 mm for a pressure of a tenth of Young's modulus,
/// so the difference is 1.5e-6 m, or 8e-7 s at 2 m/s. The error is of second order. With a third of the step the error
/// should be a ninth, and the test requires at most a fifth. In all runs the load ends half-way between two steps,
/// because a load that ends at a step acts half a step too long or too short. Without the key `resolve_impact` the
/// contact is recorded at the end of a step.
#[test]
fn a_contact_within_a_step_is_found_at_its_instant() {
    const STEP: f64 = 2e-5;
    let mut fine = vibrating_plate("[contact]\nresolve_impact = false\n", STEP / 101.0);
    let nodes = fine.model().bodies[1].nodes.clone();
    let lowest = |simulation: &Simulation| {
        simulation.state().positions[nodes.clone()].iter().map(|x| x.z).fold(f64::INFINITY, f64::min)
    };
    let mut before = (0.0, lowest(&fine));
    let expected = loop {
        fine.advance(f64::INFINITY).unwrap();
        let after = (fine.state().time, lowest(&fine));
        if after.1 <= 0.0 {
            break before.0 + (after.0 - before.0) * before.1 / (before.1 - after.1);
        }
        before = after;
    };
    let first = |keys: &str, step: f64| {
        let mut simulation = vibrating_plate(keys, step);
        while simulation.first_contacts().is_empty() {
            simulation.advance(f64::INFINITY).unwrap();
        }
        let found = (simulation.first_contacts()[0], simulation.state().time, lowest(&simulation));
        // Contact in the next steps is not recorded as another first contact.
        (0..3).for_each(|_| simulation.advance(f64::INFINITY).unwrap());
        assert!(!simulation.constraints().is_empty() && simulation.first_contacts().len() == 1);
        found
    };
    let (resolved, end, height) = first("[contact]\nresolve_impact = true\n", STEP);
    let third = first("[contact]\nresolve_impact = true\n", STEP / 3.0).0;
    let (unresolved, ..) = first("[contact]\nresolve_impact = false\n", STEP);
    let [error, of_third] = [resolved, third].map(|contact| (contact.time - expected).abs());
    println!(
        "{expected:.9e} s by brute force, {:.9e} s resolved, {:.9e} s not; {height:e} m at the end of that step; off by \
         {error:e} s, {of_third:e} s with a third of the step",
        resolved.time, unresolved.time
    );
    assert!(error < 6e-7 && of_third < error / 5.0, "{error:e}, {of_third:e}");
    assert!((end - resolved.time).abs() < 1e-15 && height.abs() < 1e-12);
    assert!(resolved.bodies == [0, 1] && (resolved.normal - Vec3::z()).norm() < 1e-12);
    assert!(resolved.normal_speed > 0.5 && resolved.normal_speed < 10.0, "{resolved:?}");
    assert!(unresolved.time > resolved.time + 1e-6, "a step that ends there anyway: {}", unresolved.time);
}

/// Goal: contact of surfaces with a contact thickness begins at the distance given by the thickness. A ball of radius 1
/// m moves down at 10 m/s. Its lowest point is initially 2 m above a block. The distance of contact is half the sum of
/// the thicknesses 0.3 m (ball) and 0.1 m (block), so the ball travels 1.8 m instead of 2 m. Tolerance: 1e-9 s, the
/// tolerance of the computed time of impact. The ball rebounds at this distance, and no node of the ball comes nearer
/// to the block than 0.15 m.
#[test]
fn surfaces_with_a_thickness_touch_at_a_distance() {
    let ball = concat!(env!("CARGO_MANIFEST_DIR"), "/meshes/projectile.msh");
    let first = |thickness: [f64; 2], detection: &str| {
        let text = format!(
            "[time]\nend = 0.21\n{STEEL}\
             [[bodies]]\nname = \"block\"\nmesh = \"block.msh\"\nmaterial = \"m\"\n\
             contact_thickness = {}\n\
             [[bodies]]\nname = \"ball\"\nmesh = \"{ball}\"\nmaterial = \"m\"\ntranslate = [0, 0, 4]\n\
             velocity = [0, 0, -10]\ncontact_thickness = {}\n\
             [contact]\ndetection = \"{detection}\"\n",
            thickness[0], thickness[1]
        );
        let block = box_mesh([-2.0, -2.0, 0.0], [2.0, 2.0, 1.0], [4, 4, 1]);
        let mut simulation = from_text(&text, &[("block.msh", block)]);
        let nodes: Vec<_> = simulation.model().bodies.iter().map(|body| body.nodes.clone()).collect();
        let mut nearest = f64::INFINITY;
        run(&mut simulation, |simulation| {
            let heights = |body: usize| simulation.state().positions[nodes[body].clone()].iter().map(|x| x.z);
            let low = heights(1).fold(f64::INFINITY, f64::min);
            nearest = nearest.min(low - heights(0).fold(f64::NEG_INFINITY, f64::max));
        });
        (simulation.first_contacts().to_vec(), nearest)
    };
    let without = first([0.0, 0.0], "hierarchy").0[0].time;
    for detection in ["hierarchy", "buckets", "all-pairs"] {
        let (contacts, nearest) = first([0.1, 0.3], detection);
        println!("{detection}: {without:.9} s and {:.9} s, {nearest} m", contacts[0].time);
        assert!((without - contacts[0].time - 0.02).abs() < 1e-9);
        assert!(nearest > 0.15 && nearest < 0.21, "{nearest}");
    }
}

/// Goal: contact of a deformable or rigid body with a wall begins at half the contact thickness of the body. A cube
/// travels 1 m at 10 m/s, or 0.95 m with a thickness of 0.1 m. Tolerance: 1e-9 s, the tolerance of the computed time of
/// impact. The cube rebounds; with the thickness no node is nearer than 0.04 m.
#[test]
fn a_wall_is_met_at_the_thickness() {
    for (rigid, thickness, expected) in [(false, 0.0, 0.1), (false, 0.1, 0.095), (true, 0.1, 0.095)] {
        let material = if rigid { "[materials.m]\nmodel = \"rigid\"\ndensity = 7800.0\n" } else { STEEL };
        let text = format!(
            "[time]\nend = 0.12\n{material}[contact]\npenalty = 0.02\n\
             [[bodies]]\nname = \"cube\"\nmesh = \"cube.msh\"\nmaterial = \"m\"\ntranslate = [0, 0, 1]\n\
             velocity = [0, 0, -10]\ncontact_thickness = {thickness}\n\
             [[walls]]\nname = \"floor\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n"
        );
        let cube = box_mesh([0.0; 3], [0.1, 0.1, 0.1], [2, 2, 2]);
        let mut simulation = from_text(&text, &[("cube.msh", cube)]);
        let mut lowest = f64::INFINITY;
        let nodes = simulation.model().bodies[0].nodes.clone();
        run(&mut simulation, |simulation| {
            let heights = simulation.state().positions[nodes.clone()].iter().map(|x| x.z);
            lowest = heights.fold(lowest, f64::min);
        });
        let first = simulation.first_contacts()[0].time;
        println!("rigid {rigid}, thickness {thickness}: {first} s, {lowest} m");
        assert!((first - expected).abs() < 1e-9, "{first} s");
        assert!(lowest > 0.5 * thickness - 0.01 && velocity(&simulation, 0).z > 5.0, "{lowest} m");
    }
}

/// Goal: a hammer starts 5 mm from an anvil. The hammer moves at 10 m/s towards the anvil from 1 ms on, back from 1.6
/// ms on, and towards the anvil again from 2.2 ms on. The hammer touches the anvil from 1.5 to 1.7 ms and again from
/// 2.7 ms on. The tolerance of these instants is 30 µs, three steps, because contact begins and ends within a step, and
/// the velocity changes within a step. The search depth, 50 mm, is far larger than the motion. All detectors agree. The
/// energy is not checked, because reactions omit the work of a velocity jump.
#[test]
fn a_body_moved_late_touches_parts_and_touches_again() {
    let text = |detection: &str| {
        format!(
            "[time]\nend = 2.9e-3\nstep = 1e-5\nenergy_tolerance = 100.0\n{SOFT}\
             [[bodies]]\nname = \"anvil\"\nmesh = \"cube.msh\"\nmaterial = \"m\"\n\
             [[bodies]]\nname = \"hammer\"\nmesh = \"cube.msh\"\nmaterial = \"m\"\n\
             rotate = {{ axis = [0, 0, 1], angle = 30 }}\ntranslate = [0.01, 0.02, 0.105]\n\
             [[boundaries]]\nbody = \"anvil\"\nfix = [\"x\", \"y\", \"z\"]\n\
             [[boundaries]]\nbody = \"hammer\"\nfix = [\"x\", \"y\"]\n\
             velocity = {{ z = \"-10*(t > 1e-3) + 20*(t > 1.6e-3) - 20*(t > 2.2e-3)\" }}\n\
             [contact]\ndetection = \"{detection}\"\n"
        )
    };
    for detection in ["hierarchy", "buckets", "all-pairs"] {
        let cube = box_mesh([-0.05, -0.05, 0.0], [0.05, 0.05, 0.1], [1, 1, 1]);
        let mut simulation = from_text(&text(detection), &[("cube.msh", cube)]);
        let mut changes = Vec::new();
        run(&mut simulation, |simulation| {
            let touches = !simulation.constraints().is_empty();
            if touches != (changes.len() % 2 == 1) {
                changes.push(simulation.state().time);
            }
        });
        println!("{detection}: {changes:?}");
        assert_eq!(changes.len(), 3);
        for (change, expected) in changes.iter().zip([1.5e-3, 1.7e-3, 2.7e-3]) {
            assert!((change - expected).abs() < 3e-5, "{change}, not {expected}");
        }
    }
}

/// Simulation to 0.2 s of a rigid cube of edge 0.2 m on an equal fixed cube. The upper cube is turned by some degrees
/// about the vertical.
fn turned_on_its_like(response: &str, degrees: f64) -> Simulation {
    let text = format!(
        "gravity = [0, 0, -9.81]\n[time]\nend = 0.2\nstep = 1e-4\n[contact]\nresponse = \"{response}\"\nrestitution = {}\n\
         [materials.m]\nmodel = \"rigid\"\ndensity = 1000.0\n\
         [[bodies]]\nname = \"upper\"\nmesh = \"cube.msh\"\nmaterial = \"m\"\n\
         rotate = {{ axis = [0, 0, 1], angle = {degrees:?} }}\ntranslate = [0, 0, 0.2]\n\
         [[bodies]]\nname = \"lower\"\nmesh = \"cube.msh\"\nmaterial = \"m\"\n\
         [[boundaries]]\nbody = \"lower\"\nfix = [\"x\", \"y\", \"z\"]\n",
        if response == "penalty" { "0.5" } else { "0.0" }
    );
    from_text(&text, &[("cube.msh", box_mesh([-0.1, -0.1, 0.0], [0.1, 0.1, 0.2], [1, 1, 1]))])
}

/// A cube on an equal cube, turned by a small angle. The edges of the cubes cross near the corners, at a distance of
/// half the angle times the edge length. No corner is therefore above or below the face of the other cube.
///
/// Goal: the upper cube keeps the position at which it is released, also sideways. Tolerance: with impulses the
/// displacement by gravity in a step, 0.1 µm. With springs twice the penetration of face contact, because four edge
/// crossings bear the load of eight corners.
#[test]
fn cubes_turned_by_a_little_are_held() {
    for response in RESPONSES {
        let aligned = lowest(&mut turned_on_its_like(response, 0.0));
        for degrees in [1e-4, 1e-3, 0.01, 0.05, 0.1, 0.5, 1.0, 2.0] {
            let mut simulation = turned_on_its_like(response, degrees);
            let found = lowest(&mut simulation);
            let [x, y, _] = velocity(&simulation, 0).into();
            println!(
                "{response}, {degrees}°: {found:e} m, {aligned:e} m on faces, {x:e} and {y:e} m/s aside"
            );
            assert!(found > 2.0 * aligned - 1e-7, "{response}, {degrees}°: {found:e}");
            assert!(x.abs().max(y.abs()) < 1e-12, "{response}, {degrees}°: {x:e} {y:e}");
        }
    }
}

/// Lowest position of the upper cube relative to its release \[m\].
fn lowest(simulation: &mut Simulation) -> f64 {
    let mut lowest = 0.0;
    run(simulation, |simulation| lowest = -worse(-lowest, 0.3 - simulation.balances()[0].centre.z));
    lowest
}
