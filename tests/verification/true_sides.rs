//! Outer sides of bodies support contact; the common sides of two flush bodies do not.
//!
//! Every response is tested with two independent detectors. An acceleration a compresses contact springs of frequency ω
//! by a/ω², with ω dt ≥ 0.3. With impulses the penetration is about a dt². A body that strikes with the velocity v
//! penetrates by v dt. Springs add about v/ω, at most v dt/0.3. The tolerance [`depth`] is 2 v dt/0.3.

use ictus::math::{Mat3, Vec3};
use rayon::prelude::*;

use crate::model::{RESPONSES, box_mesh, exceeds, lossy, pierced_box_mesh, worse, worst};
use crate::situations::{cube, turn};
use crate::stage::{Actor, Motion, Placed, Stage};

const DETECTORS: [&str; 2] = ["hierarchy", "buckets"];
const STEP: f64 = 1e-4;

/// Tolerance of the penetration \[m\] of a body that strikes with this velocity \[m/s\].
pub fn depth(velocity: f64) -> f64 {
    2.0 * velocity * STEP / 0.3
}

/// Keys of the contact table for every response and detector, with or without the losses that bring bodies to rest.
pub fn contacts(rests: bool) -> Vec<String> {
    let of = |response: &str, detector: &str| {
        let keys = if rests { lossy(response) } else { "" };
        format!("response = \"{response}\"\ndetection = \"{detector}\"\n{keys}")
    };
    RESPONSES.iter().flat_map(|response| DETECTORS.map(|detector| of(response, detector))).collect()
}

/// Faults that `check` finds when it runs a stage with each of these contact settings.
pub fn faults(
    contacts: &[String],
    stage: impl Fn(&str) -> Stage + Sync,
    check: impl Fn(&mut Placed, &str) -> Vec<String> + Sync,
) -> Vec<String> {
    let of = |contact: &String| {
        let label = contact.replace('\n', " ");
        let found = check(&mut stage(contact).plain(), &label);
        found.into_iter().map(move |fault| format!("{label}: {fault}")).collect::<Vec<_>>()
    };
    contacts.par_iter().flat_map_iter(of).collect()
}

pub fn hold(faults: &[String]) {
    assert!(faults.is_empty(), "{}:\n{}", faults.len(), faults.join("\n"));
}

/// A fixed box.
fn fixed_box(low: [f64; 3], high: [f64; 3]) -> Actor {
    Actor::fixed(box_mesh(low, high, [1, 1, 1]))
}

/// A block that lies on a floor and is pushed against a ledge, the side of a fixed mesh.
///
/// Goal: at the ledge the speed of the block decreases to at most 1 %, and its nodes never penetrate the side of the
/// ledge by more than [`depth`]. The ledge is half as high as the block. A second ledge is 2 mm high, so that the block
/// tips over its edge and falls back.
#[test]
#[ignore = "long verification: cargo test --release --test verification -- --ignored"]
fn a_step_stops_a_block() {
    let mut found = Vec::new();
    for height in [0.1, 2e-3] {
        let stage = |contact: &str| {
            let block = Actor {
                at: Vec3::new(0.0, 0.013, 0.1),
                velocity: Vec3::new(0.5, 0.0, 0.0),
                ..Actor::new(cube(1))
            };
            let actors = vec![
                block,
                fixed_box([-0.5, -0.5, -0.2], [0.15, 0.5, 0.0]),
                fixed_box([0.15, -0.5, -0.2], [1.0, 0.5, height]),
            ];
            let stage = Stage::new(1.5, contact.to_owned(), actors).with_step(STEP);
            Stage { gravity: Vec3::new(2.0, 0.0, -9.81), ..stage }
        };
        found.extend(faults(&contacts(true), stage, |placed, label| {
            let mut deepest = 0.0;
            let run = placed.follow(|placed| {
                let below = placed.nodes(0).filter(|(_, now)| now.z < height - depth(1.0));
                deepest = below.map(|(_, now)| now.x - 0.15).fold(deepest, worse);
            });
            let mut faults: Vec<String> = run.err().into_iter().collect();
            let speed = placed.motion(0).velocity.norm();
            println!("step of {height}, {label}: {deepest:.2e} m deep, {speed:.2e} m/s");
            if exceeds(deepest, depth(1.0)) {
                faults.push(format!("step of {height}: {deepest} m deep, not {}", depth(1.0)));
            }
            if exceeds(speed, 0.01 * 0.5) {
                faults.push(format!("step of {height}: still has {speed} m/s"));
            }
            faults
        }));
    }
    hold(&found);
}

/// A peg that moves sideways in a square hole of a fixed mesh. The peg is aligned with the hole, with or without a spin
/// about its axis, or turned by 3°.
///
/// Goal: no node leaves the hole by more than [`depth`].
#[test]
fn a_peg_stays_in_its_hole() {
    let mut found = Vec::new();
    for (spin, angle) in [(0.0, 0.0), (0.0, 3.0), (4.0_f64, 0.0)] {
        let stage = |contact: &str| {
            let around = |[i, j, _]: [usize; 3]| [i, j] != [1, 1];
            let plate = pierced_box_mesh([-0.15, -0.15, -0.1], [0.15, 0.15, 0.1], [3, 3, 2], around);
            let peg = Actor {
                velocity: Vec3::new(0.5, 0.21, 0.0),
                spin: Vec3::new(0.0, 0.0, spin),
                turn: turn([0.0, 0.0, 1.0], angle),
                ..Actor::new(box_mesh([-0.045, -0.045, -0.07], [0.045, 0.045, 0.07], [1, 1, 1]))
            };
            Stage::new(0.3, contact.to_owned(), vec![peg, Actor::fixed(plate)]).with_step(STEP)
        };
        let most = depth(0.5 * f64::hypot(1.0, 0.42) + 0.07 * 4.0);
        found.extend(faults(&contacts(false), stage, |placed, label| {
            let mut farthest = 0.0;
            let run = placed.follow(|placed| {
                let nodes = placed.nodes(0).map(|(_, now)| worse(now.x.abs(), now.y.abs()));
                farthest = nodes.fold(farthest, worse);
            });
            let mut faults: Vec<String> = run.err().into_iter().collect();
            println!("{spin}, {angle}°, {label}: {:.2e} m out", farthest - 0.05);
            if exceeds(farthest, 0.05 + most) || placed.simulation.first_contacts().is_empty() {
                faults.push(format!("{} m out of the hole, not {most}", farthest - 0.05));
            }
            faults.iter().map(|fault| format!("spin {spin}, {angle}°: {fault}")).collect()
        }));
    }
    hold(&found);
}

/// A cube under oblique gravity falls into the corner between a floor and the side of a box beside the floor.
///
/// Goal: the cube rests against floor and box, with a penetration of at most [`depth`] and a speed below 1 cm/s.
#[test]
fn a_cube_rests_in_a_corner() {
    let mut found = Vec::new();
    for inset in [0.0, -0.2] {
        let stage = |contact: &str| {
            let cube = Actor { at: Vec3::new(0.12, 0.01, 0.13), ..Actor::new(cube(1)) };
            let actors = vec![
                cube,
                fixed_box([0.0, -0.5, -0.2], [1.0, 0.5, 0.0]),
                fixed_box([-0.2, -0.5, inset], [0.0, 0.5, 0.4]),
            ];
            let stage = Stage::new(1.2, contact.to_owned(), actors).with_step(STEP);
            Stage { gravity: Vec3::new(-4.0, 0.0, -9.81), ..stage }
        };
        found.extend(faults(&contacts(true), stage, |placed, label| {
            let run = placed.follow(|_| {});
            let mut faults: Vec<String> = run.err().into_iter().collect();
            let Motion { centre, velocity, .. } = placed.motion(0);
            println!("box from {inset}, {label}: at {centre:?} with {:.2e}", velocity.norm());
            let off = worse((centre.x - 0.1).abs(), (centre.z - 0.1).abs());
            if exceeds(off, depth(1.0)) || exceeds(velocity.norm(), 0.01) {
                faults.push(format!("box from {inset}: at {centre:?}, with {} m/s", velocity.norm()));
            }
            faults
        }));
    }
    hold(&found);
}

/// Depth of a point in a box with this centre, these axes and these half sides \[m\]; negative outside.
fn depth_in_box(point: Vec3, centre: Vec3, axes: Mat3, half: Vec3) -> f64 {
    let local = axes.transpose() * (point - centre);
    (half - local.abs()).min()
}

/// Axes of a rigid body: the rotation from the initial to the current positions of the nodes of the body.
fn axes(placed: &Placed, actor: usize) -> Mat3 {
    let nodes: Vec<(Vec3, Vec3)> = placed.nodes(actor).collect();
    let mean = |of: fn(&(Vec3, Vec3)) -> Vec3| nodes.iter().map(of).sum::<Vec3>() / nodes.len() as f64;
    let (before, now) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let sum = |of: &dyn Fn(&(Vec3, Vec3)) -> Mat3| nodes.iter().map(of).sum::<Mat3>();
    let mixed = sum(&|pair| (pair.1 - now) * (pair.0 - before).transpose());
    let own = sum(&|pair| (pair.0 - before) * (pair.0 - before).transpose());
    mixed * own.try_inverse().unwrap()
}

/// A block pushed over the edge of a table tips and falls.
///
/// Goal: the block ends below the table top. The nodes of block and table penetrate the other body by at most [`depth`]
/// for the largest speed of the block, 4 m/s.
#[test]
fn a_block_falls_off_a_table() {
    let mut found = Vec::new();
    for speed in [0.3, 1.0] {
        let stage = |contact: &str| {
            let block = Actor {
                at: Vec3::new(-0.14, 0.02, 0.1),
                velocity: Vec3::new(speed, 0.0, 0.0),
                ..Actor::new(cube(1))
            };
            let table = Actor::fixed(box_mesh([-1.0, -0.5, -1.0], [0.0, 0.5, 0.0], [2, 2, 2]));
            Stage::new(1.0, contact.to_owned(), vec![block, table]).heavy().with_step(STEP)
        };
        found.extend(faults(&contacts(true), stage, |placed, label| {
            let (mut deepest, mut when) = (0.0, 0.0);
            let run = placed.follow(|placed| {
                let now = depth_of_block_and_table(placed);
                if exceeds(now, deepest) {
                    (deepest, when) = (now, placed.time());
                }
            });
            let mut faults: Vec<String> = run.err().into_iter().collect();
            let centre = placed.motion(0).centre;
            println!("{speed} m/s, {label}: {deepest:.2e} m deep at {when:.3} s, in the end at {centre:?}");
            if exceeds(deepest, depth(4.0)) {
                faults.push(format!("{speed} m/s: {deepest} m deep at {when} s, not {}", depth(4.0)));
            }
            if exceeds(centre.z, -0.3) {
                faults.push(format!("{speed} m/s: has not fallen, it is at {centre:?}"));
            }
            faults
        }));
    }
    hold(&found);
}

/// Largest penetration of nodes of the block into the table, or of nodes of the table into the block \[m\].
fn depth_of_block_and_table(placed: &Placed) -> f64 {
    let (centre, axes) = (placed.motion(0).centre, axes(placed, 0));
    let (middle, half) = (Vec3::new(-0.5, 0.0, -0.5), Vec3::repeat(0.5));
    let in_table = placed.nodes(0).map(|(_, now)| depth_in_box(now, middle, Mat3::identity(), half));
    let in_block = placed.nodes(1).map(|(_, now)| depth_in_box(now, centre, axes, Vec3::repeat(0.1)));
    worst(in_table.chain(in_block))
}
