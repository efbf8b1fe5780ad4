//! Situations of contact, shared by several tests.

use ictus::math::{Rotation, Vec3};

use crate::model::{box_mesh, lossy};
use crate::round_meshes::{octahedron, solid_wheel};
use crate::stage::{Actor, Held, Material, Stage};

/// A cube of edge 0.2 m about the origin, with this number of cells per side.
pub fn cube(cells: usize) -> String {
    box_mesh([-0.1; 3], [0.1; 3], [cells; 3])
}

/// A fixed floor of 2 × 2 m with its top at z = 0, with this number of cells per side.
pub fn floor(cells: usize) -> Actor {
    Actor::fixed(box_mesh([-1.0, -1.0, -0.2], [1.0, 1.0, 0.0], [cells, cells, 1]))
}

/// Rotation about an axis by an angle \[°\].
pub fn turn(axis: [f64; 3], angle: f64) -> Rotation {
    Rotation::from_scaled_axis(Vec3::from(axis).normalize() * angle.to_radians())
}

/// Orientation number k of a fixed sequence. The axis and the angle of the rotation are sines of multiples of k + 1.
pub fn attitude(k: usize) -> Rotation {
    let wave = |rate: f64| (rate * (k as f64 + 1.0)).sin();
    turn([wave(1.3), wave(2.7), wave(0.9)], 180.0 * wave(3.1))
}

/// A cube of `cells` cells per side in the orientation `attitude(k)`, which strikes a wall with one of its corners.
pub fn corner_cube(k: usize, cells: usize, contact: &str) -> Stage {
    let cube = Actor {
        turn: attitude(k),
        at: Vec3::new(0.0, 0.0, 0.3),
        velocity: Vec3::new(0.3, -0.2, -1.5),
        spin: Vec3::new(-0.35, -0.28, -0.67),
        ..Actor::new(cube(cells))
    };
    Stage::new(0.3, contact.to_owned(), vec![cube]).on_wall()
}

/// A cube of 1 m, of `cells` cells per side, that falls flat by 1 m on a floor of `floor_cells` cells per side.
pub fn box_on_floor(cells: usize, floor_cells: usize, contact: &str) -> Stage {
    let cube = Actor {
        at: Vec3::new(0.0, 0.0, 1.0),
        ..Actor::new(box_mesh([-0.5, -0.5, 0.0], [0.5, 0.5, 1.0], [cells; 3]))
    };
    let stage = Stage::new(0.6, contact.to_owned(), vec![cube, floor(floor_cells)]);
    Stage { flight_step: 1e-2, ..stage.heavy() }
}

/// A rod of 1 × 0.04 × 0.02 m, tilted by 30°, that lands on its lower edge at 1 m/s.
pub fn rod(contact: &str) -> Stage {
    let rod = Actor {
        turn: turn([0.0, 1.0, 0.0], 30.0),
        at: Vec3::new(0.0, 0.0, 0.27),
        velocity: Vec3::new(0.0, 0.0, -1.0),
        ..Actor::new(box_mesh([-0.5, -0.02, -0.01], [0.5, 0.02, 0.01], [10, 1, 1]))
    };
    Stage::new(0.02, contact.to_owned(), vec![rod]).on_wall().with_step(1e-7)
}

/// A cube that falls on a floor with a corner, and slides. The floor is a mesh if `on_mesh` is true, else a wall.
pub fn cube_that_gets_spin(on_mesh: bool, contact: &str) -> Stage {
    let cube = Actor {
        turn: turn([1.0, 2.0, 0.3], 50.0),
        at: Vec3::new(0.013, 0.017, 0.3),
        velocity: Vec3::new(0.2, 0.05, 0.0),
        ..Actor::new(cube(1))
    };
    let mut stage = Stage::new(0.2, contact.to_owned(), vec![cube]).heavy().with_step(1e-5);
    stage.flight_step = 1e-4;
    if on_mesh {
        stage.actors.push(floor(7));
        return stage;
    }
    stage.on_wall()
}

/// Two equal octahedra that collide vertex to vertex along x, at 1 m/s.
pub fn octahedra(contact: &str) -> Stage {
    let first = Actor { velocity: Vec3::x(), ..Actor::new(octahedron()) };
    let second = Actor { at: Vec3::x() * 2.1, ..Actor::new(octahedron()) };
    Stage { flight_step: 1e-2, ..Stage::new(0.6, contact.to_owned(), vec![first, second]) }
}

/// Ground under a wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    Wall,
    Rigid,
    Soft,
}

/// A wheel of radius R = 0.1 m, with a contact thickness 2 h = 0.1 m. It starts at v0 = 2 m/s without rotation.
/// Friction slows it down until it rolls.
pub fn thick_wheel(ground: Ground, response: &str) -> Stage {
    let wheel = Actor {
        at: Vec3::new(0.0, 0.0, 0.15),
        velocity: Vec3::new(2.0, 0.0, 0.0),
        contact_thickness: Some(0.1),
        ..Actor::new(solid_wheel())
    };
    let contact = format!("response = \"{response}\"\nfriction = 0.3\n{}", lossy(response));
    let mut stage = Stage::new(0.15, contact, vec![wheel]).heavy().with_step(2e-5);
    let mesh = box_mesh([-0.3, -0.3, -0.1], [0.6, 0.3, 0.0], [6, 2, 1]);
    match ground {
        Ground::Wall => return stage.on_wall(),
        Ground::Rigid => stage.actors.push(Actor::fixed(mesh)),
        Ground::Soft => {
            let material = Material::Rubber { young: 5e7, poisson: 0.3 };
            stage.actors.push(Actor { material, held: Held::Ends, ..Actor::new(mesh) });
        }
    }
    stage
}

/// Rolling velocity v = v0/(1 + k²/(R + h)²) of [`thick_wheel`], with the radius of gyration k of a regular polygon
/// with 96 corners.
pub fn rolling_velocity() -> f64 {
    let square = 0.01 * (2.0 + (std::f64::consts::TAU / 96.0).cos()) / 6.0;
    2.0 / (1.0 + square / (0.15 * 0.15))
}

/// A cube that falls by 0.5 m on a sheet in z = 0.
pub fn cube_over_sheet(cells: usize, contact: &str) -> Stage {
    let cube = Actor { at: Vec3::new(0.02, 0.01, 0.6), ..Actor::new(cube(cells)) };
    let sheet = Actor {
        thickness: Some(0.01),
        contact_thickness: Some(0.0),
        ..Actor::fixed(box_mesh([-0.5, -0.5, 0.0], [0.5, 0.5, 0.0], [3, 3, 0]))
    };
    Stage::new(0.5, contact.to_owned(), vec![cube, sheet]).heavy().with_step(1e-4)
}

/// A rotated, tumbling box of 0.2 × 0.4 × 0.6 m, with given inertia if `given` is true.
pub fn tumbling_box(given: bool) -> Stage {
    let mass = 1000.0 * 0.2 * 0.4 * 0.6;
    let moment = |b: f64, c: f64| mass * (b * b + c * c) / 12.0;
    let inertia = given.then(|| (mass, [moment(0.4, 0.6), moment(0.2, 0.6), moment(0.2, 0.4)]));
    let tumbling = Actor {
        turn: turn([1.0, 2.0, 3.0], 77.0),
        spin: Vec3::new(1.0, -2.0, 0.5),
        inertia,
        ..Actor::new(box_mesh([-0.1, -0.2, -0.3], [0.1, 0.2, 0.3], [1, 1, 1]))
    };
    Stage { flight_step: 0.01, ..Stage::new(1.0, String::new(), vec![tumbling]) }
}
