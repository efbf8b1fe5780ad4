//! Results do not depend on the description of the problem.
//!
//! Each scene of a single impact runs unchanged and in five other descriptions: rotated; at a distance of a thousand
//! body sizes; in the units mm, t and s; with renumbered nodes and elements; and with renamed bodies in another order.
//! Goal: every body has the same final velocity, change of momentum and spin, in the units and axes of the unchanged
//! run. Tolerance, relative to the largest value of the scene: 1e-6 for rigid bodies, far above rounding and the
//! residuals of iterations. For deformable bodies 1e-3, because their nodes enter and leave contact from step to step.

use ictus::math::{Rotation, Vec3};
use rayon::prelude::*;

use crate::model::{RESPONSES, box_mesh, exceeds, worst};
use crate::round_meshes::ball;
use crate::situations::{attitude, cube, floor, octahedra, turn};
use crate::stage::{Actor, Held, Material, Motion, Placement, Stage};

const RUBBER: Material = Material::Rubber { young: 1e6, poisson: 0.3 };

/// A scene of one impact.
struct Scene {
    label: String,
    stage: Stage,
}

/// Keys of a response, with friction and, for impulses, restitution.
fn contact(response: &str, friction: f64) -> String {
    let restitution = if response == "decomposition" { "restitution = 0.6\n" } else { "" };
    format!("response = \"{response}\"\nfriction = {friction:?}\n{restitution}")
}

/// The lowest corner of a rotated cube of edge 0.2 m, relative to its centre.
fn lowest_corner(turn: Rotation) -> Vec3 {
    let corner = |k: usize| turn * Vec3::from_fn(|axis, _| if k >> axis & 1 == 1 { 0.1 } else { -0.1 });
    (0..8).map(corner).min_by(|a, b| a.z.total_cmp(&b.z)).unwrap()
}

/// A spinning cube with one corner down, 3 mm above the ground, with this number of cells per side.
fn tumbling_cube(cells: usize) -> Actor {
    let turn = attitude(3);
    Actor {
        turn,
        at: Vec3::new(0.03, -0.02, 0.003 - lowest_corner(turn).z),
        velocity: Vec3::new(0.7, -0.3, -1.5),
        spin: Vec3::new(1.1, -0.6, 2.3),
        ..Actor::new(cube(cells))
    }
}

/// A cube that strikes the top of a free cube off its centre.
fn two_cubes() -> Vec<Actor> {
    let upper = tumbling_cube(1);
    let corner = upper.at + lowest_corner(upper.turn);
    let at = Vec3::new(corner.x + 0.05, corner.y + 0.03, -0.1);
    let lower = Actor { at, turn: turn([0.0, 0.0, 1.0], 23.0), ..Actor::new(cube(1)) };
    vec![upper, lower]
}

/// A cube that lands flat and slides.
fn flat_cube() -> Actor {
    let (turn, at) = (turn([0.0, 0.0, 1.0], 17.0), Vec3::z() * 0.103);
    Actor { turn, at, spin: Vec3::zeros(), ..tumbling_cube(1) }
}

fn rigid_impacts() -> Vec<Scene> {
    let mut scenes = Vec::new();
    for response in RESPONSES {
        let mut add = |label: &str, stage: Stage| {
            scenes.push(Scene { label: format!("{label}, {response}"), stage });
        };
        let rough = contact(response, 0.3);
        let stage = |actors| Stage::new(0.006, rough.clone(), actors).heavy().with_step(2e-5);
        add("cube on a wall", stage(vec![tumbling_cube(1)]).on_wall());
        add("cube on a mesh", stage(vec![tumbling_cube(1), floor(7)]));
        add("cube on a cube", stage(two_cubes()));
        add("flat cube on a wall", stage(vec![flat_cube()]).on_wall());
        add("flat cube on a mesh", stage(vec![flat_cube(), floor(7)]));
        // Scenes with edge–edge contact.
        let lower = Actor { at: Vec3::z() * -0.1, ..Actor::new(cube(1)) };
        add("flat cube on a cube", stage(vec![flat_cube(), lower]));
        let edge = Actor { turn: turn([0.0, 1.0, 0.0], 30.0), at: Vec3::z() * 0.14, ..flat_cube() };
        add("edge on a mesh", stage(vec![edge, floor(7)]));
        let vertices = octahedra(&contact(response, 0.0));
        add("vertex on vertex", Stage { end: 0.12, ..vertices.with_step(1e-4) });
    }
    scenes
}

fn deformable_impacts() -> Vec<Scene> {
    let mut scenes = Vec::new();
    for response in RESPONSES {
        let mut add = |label: &str, actors: Vec<Actor>, walls: bool| {
            let stage = Stage::new(0.02, format!("response = \"{response}\"\n"), actors).heavy();
            let stage = if walls { stage.on_wall() } else { stage };
            scenes.push(Scene { label: format!("{label}, {response}"), stage });
        };
        let soft = || Actor { material: RUBBER, ..tumbling_cube(2) };
        add("rubber cube on a wall", vec![soft()], true);
        add("rubber cube on a mesh", vec![soft(), floor(7)], false);
        let ball = Actor {
            material: RUBBER,
            at: Vec3::new(0.03, 0.02, 0.103),
            velocity: Vec3::new(0.3, 0.1, -1.0),
            ..Actor::new(ball(0.1, 2))
        };
        let plate = Actor {
            material: RUBBER,
            held: Held::Ends,
            ..Actor::new(box_mesh([-0.3, -0.3, -0.1], [0.3, 0.3, 0.0], [6, 6, 2]))
        };
        add("ball on a plate", vec![ball, plate], false);
    }
    scenes
}

/// The placements, by name. The distance 200 m of `far off` is a thousand times the size of a body, 0.2 m.
fn descriptions() -> [(&'static str, Placement); 5] {
    [
        ("turned", Placement::turned()),
        ("far off", Placement::far_off(200.0)),
        ("in millimetres", Placement::in_millimetres()),
        ("renumbered", Placement { renumbered: true, ..Placement::plain() }),
        ("reordered", Placement { reordered: true, ..Placement::plain() }),
    ]
}

impl Scene {
    /// Final motion of the bodies.
    fn end(&self, placement: Placement) -> Result<Vec<Motion>, String> {
        let mut placed = self.stage.placed(placement);
        placed.run();
        let after = placed.first_contact().map(|time| placed.time() - time);
        if after.is_none_or(|after| after <= 0.0) {
            return Err(format!("{}: nothing has met", self.label));
        }
        Ok((0..self.stage.actors.len()).map(|actor| placed.motion(actor)).collect())
    }

    /// Messages about placements whose results differ by more than the tolerance.
    fn faults(&self, tolerance: f64) -> Vec<String> {
        let plain = match self.end(Placement::plain()) {
            Ok(motions) => motions,
            Err(fault) => return vec![fault],
        };
        let mut faults = Vec::new();
        for (name, placement) in descriptions() {
            match self.end(placement) {
                Err(fault) => faults.push(fault),
                Ok(motions) => {
                    let off = self.difference(&plain, &motions);
                    println!("{}, {name}: {off:.1e}", self.label);
                    if exceeds(off, tolerance) {
                        faults.push(format!("{}, {name}: off by {off:.2e}", self.label));
                    }
                }
            }
        }
        faults
    }

    /// Largest difference of velocities, changes of momentum and spins, each relative to the largest value of the
    /// scene.
    fn difference(&self, plain: &[Motion], other: &[Motion]) -> f64 {
        let free: Vec<usize> =
            (0..plain.len()).filter(|&k| self.stage.actors[k].held == Held::Nothing).collect();
        let first = free.iter().map(|&k| self.stage.actors[k].velocity.norm()).fold(0.0, f64::max);
        let relative = |of: &dyn Fn(&Motion) -> Vec3, scale: f64| {
            let largest = free.iter().map(|&k| of(&plain[k]).norm()).fold(scale, f64::max);
            worst(free.iter().map(|&k| (of(&plain[k]) - of(&other[k])).norm() / largest))
        };
        worst([
            relative(&|motion| motion.velocity, first),
            relative(&|motion| motion.momentum, 0.0),
            relative(&|motion| motion.spin, 1e-3 * first),
        ])
    }
}

/// Checks scenes to a tolerance, relative to the largest velocity, momentum and spin of the scene.
fn hold(scenes: &[Scene], tolerance: f64) {
    let faults: Vec<String> = scenes.par_iter().flat_map_iter(|scene| scene.faults(tolerance)).collect();
    assert!(faults.is_empty(), "{}:\n{}", faults.len(), faults.join("\n"));
}

/// Tolerance for rigid bodies.
const RIGID: f64 = 1e-6;

#[test]
fn impacts_of_rigid_bodies_are_independent_of_their_description() {
    hold(&rigid_impacts(), RIGID);
}

#[test]
fn impacts_of_deformable_bodies_are_independent_of_their_description() {
    hold(&deformable_impacts(), 1e-3);
}
