//! Cells and fields of a frame, computed from the state.

use crate::contact::Constraint;
use crate::contact::response::{ContactResult, Status};
use crate::io::vtk::{FieldData, Frame, Grid, NamedField};
use crate::math::Vec3;
use crate::scenario::Field;

use super::nodal_distances::NodalDistances;
use crate::Simulation;

/// Cells body by body, and block by block in each body. The cells of a block are in the order of the mesh file.
pub(crate) fn output_grid(simulation: &Simulation) -> Grid {
    let model = &simulation.model;
    let mut point_of = vec![0u32; model.output_nodes.len()];
    for (point, &node) in model.output_nodes.iter().enumerate() {
        point_of[node as usize] = point as u32;
    }
    let mut grid = Grid::default();
    for address in model.output_cells() {
        let block = &model.bodies[address.body as usize].blocks[address.block as usize];
        grid.kinds.push(block.kind);
        grid.connectivity
            .extend(block.element(address.element as usize).iter().map(|&n| point_of[n as usize]));
    }
    grid
}

pub(crate) fn output_frame(simulation: &Simulation, fields: &[Field], distances: &NodalDistances) -> Frame {
    let nodes = &simulation.model.output_nodes;
    let mut frame = Frame {
        time: simulation.state.nodes.time,
        points: nodes.iter().map(|&node| simulation.state.nodes.positions[node as usize]).collect(),
        ..Frame::default()
    };
    frame.cell_fields = body_fields(simulation);
    let stress = CellStress::new(simulation, fields);
    for field in fields {
        match field {
            Field::Stress => frame.cell_fields.push(stress.tensor()),
            Field::Distance => frame.point_fields.push(distances.distance(nodes)),
            Field::DistanceGradient => frame.point_fields.push(distances.gradient(nodes)),
            Field::VonMises => frame.cell_fields.push(stress.von_mises()),
            _ => frame.point_fields.extend(point_fields(simulation, *field, nodes)),
        }
    }
    frame
}

/// Indices of body and material (−1 without a material) of each output cell.
fn body_fields(simulation: &Simulation) -> Vec<NamedField> {
    let model = &simulation.model;
    let bodies = model.output_cells().map(|address| address.body as i32).collect();
    let material = |body: u32| model.bodies[body as usize].material.map_or(-1, |material| material as i32);
    let materials = model.output_cells().map(|address| material(address.body)).collect();
    vec![
        NamedField::new("body", FieldData::Integer(bodies)),
        NamedField::new("material", FieldData::Integer(materials)),
    ]
}

fn point_fields(simulation: &Simulation, field: Field, nodes: &[u32]) -> Vec<NamedField> {
    let (state, action) = (&simulation.state.nodes, &simulation.state.contact.action);
    let scalar = |name: &str, values: &[f64]| {
        let values = nodes.iter().map(|&node| values[node as usize]).collect();
        vec![NamedField::new(name, FieldData::Scalar(values))]
    };
    match field {
        Field::Displacement => vector_field("displacement", nodes, |node| {
            state.positions[node] - simulation.model.reference_positions[node]
        }),
        Field::Velocity => vector_field("velocity", nodes, |node| state.velocities[node]),
        Field::Acceleration => vector_field("acceleration", nodes, |node| state.accelerations[node]),
        Field::ContactForce => vector_field("contact_force", nodes, |node| action.mean_force(node)),
        Field::FrictionForce => vector_field("friction_force", nodes, |node| action.friction_forces[node]),
        Field::ContactPressure => scalar("contact_pressure", &simulation.contact_pressures()),
        Field::ContactGap => {
            let gaps = contactor_field(simulation, 0.0_f64, |field, constraint, _| {
                for node in contactors(constraint) {
                    field[node] = field[node].min(constraint.gap);
                }
            });
            scalar("contact_gap", &gaps)
        }
        Field::ContactStatus => {
            let status = contactor_field(simulation, 0.0_f64, |field, constraint, result| {
                for node in contactors(constraint) {
                    field[node] = field[node].max(status_number(result.status));
                }
            });
            scalar("contact_status", &status)
        }
        Field::Stress | Field::VonMises | Field::Distance | Field::DistanceGradient => Vec::new(),
    }
}

fn vector_field(name: &str, nodes: &[u32], value: impl Fn(usize) -> Vec3) -> Vec<NamedField> {
    let values = nodes.iter().map(|&node| value(node as usize)).collect();
    vec![NamedField::new(name, FieldData::Vector(values))]
}

/// A field with one value per node, initially `nothing`. `add` updates the field for each contact of the last step.
fn contactor_field<T: Copy>(
    simulation: &Simulation,
    nothing: T,
    add: impl Fn(&mut [T], &Constraint<'_>, &ContactResult),
) -> Vec<T> {
    let mut field = vec![nothing; simulation.state.nodes.positions.len()];
    for (constraint, result) in
        simulation.state.contact.constraints.iter().zip(&simulation.state.contact.action.results)
    {
        add(&mut field, &constraint, result);
    }
    field
}

fn contactors(constraint: &Constraint<'_>) -> impl Iterator<Item = usize> {
    constraint.nodes[..constraint.num_contactor_nodes].iter().map(|&node| node as usize)
}

fn status_number(status: Status) -> f64 {
    match status {
        Status::Open => 0.0,
        Status::Stick => 1.0,
        Status::Slip => 2.0,
    }
}

/// Cauchy stress of every output cell \[Pa\]: XX YY ZZ XY YZ XZ.
struct CellStress {
    values: Vec<[f64; 6]>,
}

impl CellStress {
    /// `values` is empty if none of the `fields` needs the stress. The stress of rigid bodies is zero.
    fn new(simulation: &Simulation, fields: &[Field]) -> Self {
        if !fields.iter().any(|field| matches!(field, Field::Stress | Field::VonMises)) {
            return Self { values: Vec::new() };
        }
        let model = &simulation.model;
        let of_block = |block: &crate::model::Block| {
            let mut stress = vec![[0.0; 6]; block.tags.len()];
            if let Some(internal) = block.internal {
                simulation.caches.internal.cauchy_stress(
                    &simulation.state.nodes.positions,
                    &simulation.state.history,
                    internal,
                    &mut stress,
                );
            }
            stress
        };
        let blocks: Vec<Vec<Vec<[f64; 6]>>> =
            model.bodies.iter().map(|body| body.blocks.iter().map(of_block).collect()).collect();
        let value =
            |a: crate::model::CellAddress| blocks[a.body as usize][a.block as usize][a.element as usize];
        Self { values: model.output_cells().map(value).collect() }
    }

    fn tensor(&self) -> NamedField {
        NamedField::new("stress", FieldData::SymmetricTensor(self.values.clone()))
    }

    /// √(3/2 s : s) \[Pa\], with the stress deviator s.
    fn von_mises(&self) -> NamedField {
        let of = |[xx, yy, zz, xy, yz, xz]: &[f64; 6]| {
            let normal = (xx - yy).powi(2) + (yy - zz).powi(2) + (zz - xx).powi(2);
            (0.5 * normal + 3.0 * (xy * xy + yz * yz + xz * xz)).sqrt()
        };
        NamedField::new("von_mises", FieldData::Scalar(self.values.iter().map(of).collect()))
    }
}
