//! Data of the reference configuration that a block stores.

use rayon::prelude::*;

use crate::element::quadrature;
use crate::elements::group::POINT_ROWS;
use crate::elements::one_point_hexahedron::{self, is_parallelepiped};
use crate::elements::reference_geometry::NODE_ROWS;
use crate::math::Vec3;
use crate::mesh::CellKind;

/// Integration of the element forces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integration {
    /// Full quadrature, with mean dilatation for linear kinds that have several quadrature points.
    #[default]
    Full,
    /// One-point quadrature with hourglass control for eight-node hexahedra; full quadrature for other kinds.
    OnePoint,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoredGeometry {
    /// Inverse Jacobian and weight of each quadrature point.
    Points,
    /// Node positions of eight-node hexahedra.
    Nodes,
    /// Inverse Jacobian and weight of the first quadrature point of parallelepipeds. The other points have equal
    /// values.
    FirstPoint,
    /// Data for one-point quadrature of eight-node hexahedra.
    OnePoint,
    /// Data for one-point quadrature of eight-node hexahedra that are parallelepipeds.
    OnePointOfParallelepipeds,
}

impl StoredGeometry {
    pub fn of(
        (kind, integration): (CellKind, Integration),
        connectivity: &[u32],
        positions: &[Vec3],
    ) -> Self {
        if kind != CellKind::Hex8 {
            return Self::Points;
        }
        let place = |node: &u32| positions.get(*node as usize).copied();
        let parallelepiped = |nodes: &[u32; 8]| {
            let corners = nodes.each_ref().map(place);
            corners.iter().all(Option::is_some)
                && is_parallelepiped(&corners.map(|corner| corner.unwrap_or_else(Vec3::zeros)))
        };
        let (cells, _) = connectivity.as_chunks();
        match (integration, cells.par_iter().all(parallelepiped)) {
            (Integration::Full, false) => Self::Nodes,
            (Integration::Full, true) => Self::FirstPoint,
            (Integration::OnePoint, false) => Self::OnePoint,
            (Integration::OnePoint, true) => Self::OnePointOfParallelepipeds,
        }
    }

    /// Number of rows per group that the forces need.
    pub fn rows_per_group(self, kind: CellKind) -> usize {
        match self {
            Self::Points => quadrature(kind).len() * POINT_ROWS,
            Self::Nodes => NODE_ROWS,
            Self::FirstPoint => POINT_ROWS,
            Self::OnePoint => one_point_hexahedron::ROWS,
            Self::OnePointOfParallelepipeds => one_point_hexahedron::PARALLELEPIPED_ROWS,
        }
    }

    /// Number of additional rows per group that the critical step needs.
    pub fn spectrum_rows_per_group(self) -> usize {
        match self {
            Self::Points | Self::Nodes | Self::FirstPoint => SPECTRUM_ROWS,
            Self::OnePoint | Self::OnePointOfParallelepipeds => one_point_hexahedron::SPECTRUM_ROWS,
        }
    }
}

const SPECTRUM_ROWS: usize = 2;
