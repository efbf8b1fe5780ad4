//! Reference contact of the unit tests: a node above a triangle.

use crate::math::Vec3;
use crate::{Constraints, ContactKey, NodeOnSurface, Side};

use super::Bodies;
use super::mobility::Mobility;

pub(super) fn key(contactor: u32) -> ContactKey {
    ContactKey::Node(NodeOnSurface { contactor, target: 1 })
}

/// Adds the contact of a node of body 0 with a triangle of body 1. The triangle has the nodes 0, 1, 2 and the shape
/// values 0.2, 0.3, 0.5. The normal is z.
pub(super) fn node_on_face(constraints: &mut Constraints, contactor: u32, gap: f64) {
    let nodes = [contactor];
    let side = Side { body: 0, nodes: &nodes, shape_values: &[1.0] };
    let target = Side { body: 1, nodes: &[0, 1, 2], shape_values: &[0.2, 0.3, 0.5] };
    constraints.push(key(contactor), gap, Vec3::z(), side, target);
}

pub(super) fn one_contact(gap: f64) -> Constraints {
    let mut constraints = Constraints::default();
    node_on_face(&mut constraints, 3, gap);
    constraints
}

/// Inverse masses \[1/kg\]: nodes of 2, 1 and 1.5 kg on the triangle, and a contactor of 0.8 kg.
pub(super) const INVERSE_MASS: [f64; 4] = [0.5, 1.0, 1.0 / 1.5, 1.25];

pub(super) fn positions(gap: f64) -> [Vec3; 4] {
    let face = [Vec3::zeros(), Vec3::x(), Vec3::y()];
    let foot = face[0] * 0.2 + face[1] * 0.3 + face[2] * 0.5;
    [face[0], face[1], face[2], foot + Vec3::z() * gap]
}

/// Mobility of two deformable bodies with these inverse nodal masses \[1/kg\].
pub(super) fn free_nodes(inverse_mass: &[f64]) -> Mobility {
    Mobility::of_nodes(inverse_mass.iter().map(|inverse| Vec3::repeat(*inverse)).collect(), 2)
}

const NO_ACCELERATIONS: &[Vec3] = &[Vec3::new(0.0, 0.0, 0.0); 16];

pub(super) fn bodies<'a>(
    positions: &'a [Vec3],
    velocities: &'a [Vec3],
    inverse_mass: &'a [f64],
    mobility: &'a Mobility,
) -> Bodies<'a> {
    Bodies { positions, velocities, accelerations: NO_ACCELERATIONS, inverse_mass, mobility, created: 0.0 }
}
