//! Nodal values of the distance fields of the bodies, for the frames.

use crate::contact::detection::distance_field::{Band, DistanceField, DistanceFieldOptions, Solid};
use crate::io::vtk::{FieldData, NamedField};
use crate::math::Vec3;
use crate::mesh::CellKind;
use crate::model::{Body, Model};
use crate::scenario::Field;

/// For every node, the distance from the surface of its body \[m\] and the gradient that the distance field assumes
/// \[-\], in the reference configuration. Zero for a body without a distance field, such as a sheet or a wall.
#[derive(Debug, Default)]
pub(super) struct NodalDistances {
    distances: Vec<f64>,
    gradients: Vec<Vec3>,
}

impl NodalDistances {
    /// Empty if `fields` contain neither distance nor gradient.
    pub fn of_fields(fields: &[Field], model: &Model) -> Self {
        if !fields.iter().any(|field| matches!(field, Field::Distance | Field::DistanceGradient)) {
            return Self::default();
        }
        let count = model.reference_positions.len();
        let mut nodal = Self { distances: vec![0.0; count], gradients: vec![Vec3::zeros(); count] };
        for (body, surface) in model.bodies.iter().zip(&model.surfaces) {
            let blocks: Vec<(CellKind, &[u32])> =
                body.blocks.iter().map(|block| (block.kind, &*block.connectivity)).collect();
            let solid = Solid { blocks: &blocks, positions: &model.reference_positions };
            let options = DistanceFieldOptions { band: Band::Whole, ..Default::default() };
            if let Ok(field) = DistanceField::new(&solid, surface, &options) {
                nodal.set(body, &field);
            }
        }
        nodal
    }

    fn set(&mut self, body: &Body, field: &DistanceField) {
        let elements = body.blocks.iter().flat_map(|block| block.connectivity.chunks(block.kind.num_nodes()));
        for (element, nodes) in elements.enumerate() {
            // The first points of the distance field in an element are the nodes of the element.
            for (&node, &point) in nodes.iter().zip(field.points_of(element)) {
                self.distances[node as usize] = field.distances()[point as usize];
                self.gradients[node as usize] = field.gradients()[point as usize];
            }
        }
    }

    pub fn distance(&self, nodes: &[u32]) -> NamedField {
        let values = nodes.iter().map(|&node| self.distances[node as usize]).collect();
        NamedField::new("distance", FieldData::Scalar(values))
    }

    pub fn gradient(&self, nodes: &[u32]) -> NamedField {
        let values = nodes.iter().map(|&node| self.gradients[node as usize]).collect();
        NamedField::new("distance_gradient", FieldData::Vector(values))
    }
}
