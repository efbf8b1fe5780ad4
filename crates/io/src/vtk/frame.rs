//! Contents of a frame, as plain data.

use crate::OutputError;
use crate::math::Vec3;
use crate::mesh::CellKind;

/// The cells of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// Kind of each cell.
    pub kinds: Vec<CellKind>,
    /// Points of the cells, concatenated, in the node order of [`CellKind`]; indices into [`Frame::points`].
    pub connectivity: Vec<u32>,
}

/// The grid at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The instant \[s\].
    pub time: f64,
    /// Current positions \[m\].
    pub points: Vec<Vec3>,
    /// Fields with one value per point.
    pub point_fields: Vec<NamedField>,
    /// Fields with one value per cell, in the order of the grid.
    pub cell_fields: Vec<NamedField>,
}

/// A field and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedField {
    /// Name in ParaView; any text.
    pub name: String,
    /// The values.
    pub data: FieldData,
}

/// Values of a field, one per point or cell.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FieldData {
    /// Real numbers.
    Scalar(Vec<f64>),
    /// Whole numbers: a body, a material, a status.
    Integer(Vec<i32>),
    /// Vectors.
    Vector(Vec<Vec3>),
    /// Symmetric tensors as XX, YY, ZZ, XY, YZ, XZ, the order of VTK; the components carry these names.
    SymmetricTensor(Vec<[f64; 6]>),
}

impl NamedField {
    /// Gives values a name.
    pub fn new(name: impl Into<String>, data: FieldData) -> Self {
        Self { name: name.into(), data }
    }
}

impl FieldData {
    /// Number of points or cells with a value.
    pub fn len(&self) -> usize {
        match self {
            Self::Scalar(values) => values.len(),
            Self::Integer(values) => values.len(),
            Self::Vector(values) => values.len(),
            Self::SymmetricTensor(values) => values.len(),
        }
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Grid {
    /// Checks that the connectivity has the length that the cell kinds require.
    pub(super) fn check(&self) -> Result<(), OutputError> {
        let expected = self.kinds.iter().map(|kind| kind.num_nodes()).sum();
        let given = self.connectivity.len();
        if given == expected { Ok(()) } else { Err(OutputError::ConnectivityLength { expected, given }) }
    }

    /// Sizes that frames must match.
    pub(super) fn extent(&self) -> GridExtent {
        GridExtent { num_cells: self.kinds.len(), highest_point: self.connectivity.iter().copied().max() }
    }
}

/// Sizes that a frame must match.
#[derive(Clone, Copy, Debug)]
pub(super) struct GridExtent {
    num_cells: usize,
    highest_point: Option<u32>,
}

impl Frame {
    /// Checks the points referred to by the cells and the lengths of the fields.
    pub(super) fn check(
        &self,
        GridExtent { num_cells, highest_point }: GridExtent,
    ) -> Result<(), OutputError> {
        let num_points = self.points.len();
        if let Some(node) = highest_point.filter(|&node| node as usize >= num_points) {
            return Err(OutputError::UnknownPoint { node, num_points, time: self.time });
        }
        self.check_lengths(&self.point_fields, num_points, "points")?;
        self.check_lengths(&self.cell_fields, num_cells, "cells")
    }

    fn check_lengths(
        &self,
        fields: &[NamedField],
        expected: usize,
        place: &'static str,
    ) -> Result<(), OutputError> {
        match fields.iter().find(|field| field.data.len() != expected) {
            None => Ok(()),
            Some(NamedField { name, data }) => Err(OutputError::FieldLength {
                field: name.clone(),
                given: data.len(),
                expected,
                place,
                time: self.time,
            }),
        }
    }
}
