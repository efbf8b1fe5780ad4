//! Contents of a frame, the state of the model at one instant, as plain data.

use crate::OutputError;
use crate::math::Vec3;
use crate::mesh::CellKind;

/// Cells that successive frames of a series have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// Kind of each cell.
    pub kinds: Vec<CellKind>,
    /// Nodes of each cell in the node order of its [`CellKind`], as indices into [`Frame::points`].
    pub connectivity: Vec<u32>,
}

/// Positions and fields of a grid at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Time of the instant \[s\].
    pub time: f64,
    /// Current positions \[m\].
    pub points: Vec<Vec3>,
    /// Fields with one value per point.
    pub point_fields: Vec<NamedField>,
    /// Fields with one value per cell, in the order of [`Grid::kinds`].
    pub cell_fields: Vec<NamedField>,
}

/// A field and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedField {
    /// Name that ParaView shows; any text.
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
    /// Integers, for example the index of the body or material of each cell.
    Integer(Vec<i32>),
    /// Vectors of three components.
    Vector(Vec<Vec3>),
    /// Symmetric tensors, with their components in the order of VTK: XX, YY, ZZ, XY, YZ, XZ.
    SymmetricTensor(Vec<[f64; 6]>),
}

impl NamedField {
    /// A field with this name and these values.
    pub fn new(name: impl Into<String>, data: FieldData) -> Self {
        Self { name: name.into(), data }
    }
}

impl FieldData {
    /// Number of values, one per point or cell.
    pub fn len(&self) -> usize {
        match self {
            Self::Scalar(values) => values.len(),
            Self::Integer(values) => values.len(),
            Self::Vector(values) => values.len(),
            Self::SymmetricTensor(values) => values.len(),
        }
    }

    /// Whether the field has no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Grid {
    pub(super) fn check(&self) -> Result<(), OutputError> {
        let expected = self.kinds.iter().map(|kind| kind.num_nodes()).sum();
        let given = self.connectivity.len();
        if given == expected { Ok(()) } else { Err(OutputError::ConnectivityLength { expected, given }) }
    }

    pub(super) fn extent(&self) -> GridExtent {
        GridExtent { num_cells: self.kinds.len(), highest_point: self.connectivity.iter().copied().max() }
    }
}

/// Number of cells, and highest index in the connectivity (`None` if the connectivity is empty).
#[derive(Clone, Copy, Debug)]
pub(super) struct GridExtent {
    num_cells: usize,
    highest_point: Option<u32>,
}

impl Frame {
    /// Checks that the frame matches the grid.
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
