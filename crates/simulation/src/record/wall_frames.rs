//! Rigid walls in output frames: of each infinite plane, the part near the bodies.

use crate::io::vtk::{FieldData, Frame, Grid, NamedField};
use crate::math::Vec3;
use crate::mesh::CellKind;

use crate::Simulation;
use crate::model::{Behaviour, Body};

/// Side length of the square that represents a wall, relative to the diagonal of the bounding box of all bodies.
const EXTENT: f64 = 1.2;

struct View {
    /// Centre of the bounding box of all bodies \[m\].
    centre: Vec3,
    /// Half the side length of the square of a wall \[m\].
    half: f64,
}

impl Simulation {
    /// One square per wall; one line segment if all bodies are plane.
    pub(crate) fn wall_grid(&self) -> Grid {
        let kind = if self.is_plane() { CellKind::Line2 } else { CellKind::Quad4 };
        let count = self.model.walls().count();
        Grid { kinds: vec![kind; count], connectivity: (0..(count * kind.num_nodes()) as u32).collect() }
    }

    pub(crate) fn wall_frame(&self) -> Frame {
        let (lower, upper) = self.box_of_bodies();
        let view = View { centre: (lower + upper) * 0.5, half: 0.5 * EXTENT * (upper - lower).norm() };
        let is_plane = self.is_plane();
        let corners = |wall: &Body| match is_plane {
            true => self.ends(wall, &view).to_vec(),
            false => self.corners(wall, &view).to_vec(),
        };
        let bodies = self.model.walls().map(|(number, _)| number as i32).collect();
        let nodes = || self.model.walls().map(|(_, wall)| wall.nodes.start);
        let forces = nodes().map(|node| self.state.contact.action.mean_force(node)).collect();
        let velocities = nodes().map(|node| self.state.nodes.velocities[node]).collect();
        Frame {
            time: self.state.nodes.time,
            points: self.model.walls().flat_map(|(_, wall)| corners(wall)).collect(),
            cell_fields: vec![
                NamedField::new("body", FieldData::Integer(bodies)),
                NamedField::new("contact_force", FieldData::Vector(forces)),
                NamedField::new("velocity", FieldData::Vector(velocities)),
            ],
            ..Frame::default()
        }
    }

    /// Whether all bodies lie in z = 0 in the reference configuration.
    fn is_plane(&self) -> bool {
        self.model.output_nodes.iter().all(|&node| self.model.reference_positions[node as usize].z == 0.0)
    }

    /// Lower and upper corner of the box \[m\].
    fn box_of_bodies(&self) -> (Vec3, Vec3) {
        let positions = &self.state.nodes.positions;
        let points = self.model.output_nodes.iter().map(|&node| positions[node as usize]);
        let none = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        points.fold(none, |(lower, upper), x| (lower.inf(&x), upper.sup(&x)))
    }

    /// Normal of a wall, and projection of the centre of the view onto the wall \[m\].
    fn foot(&self, wall: &Body, view: &View) -> (Vec3, Vec3) {
        let Behaviour::Wall { normal, .. } = wall.behaviour else { return (Vec3::zeros(), view.centre) };
        let above = view.centre - self.state.nodes.positions[wall.nodes.start];
        (normal, view.centre - normal * normal.dot(&above))
    }

    fn ends(&self, wall: &Body, view: &View) -> [Vec3; 2] {
        let (normal, foot) = self.foot(wall, view);
        let along = normal.cross(&Vec3::z()).try_normalize(0.0).unwrap_or_else(Vec3::x) * view.half;
        [foot - along, foot + along]
    }

    fn corners(&self, wall: &Body, view: &View) -> [Vec3; 4] {
        let (normal, foot) = self.foot(wall, view);
        let first = normal.cross(&Vec3::ith(normal.iamin(), 1.0)).normalize() * view.half;
        let second = normal.cross(&first);
        [foot - first - second, foot + first - second, foot + first + second, foot - first + second]
    }
}
