//! Elements of one kind, one material and one body, stored in groups for vector arithmetic.
//!
//! Per group of elements and quadrature point, the block stores the inverse reference Jacobian (∂X/∂ξ)⁻¹ and the
//! weight w det ∂X/∂ξ, sufficient for a total Lagrangian element. Of eight-point hexahedra it stores the nodes, from
//! which both are computed faster than they are read, or one point if all are parallelepipeds. Copies of the last
//! element fill the last group; their results are not used.

mod reference;

use std::sync::Arc;

use pulp::Simd;
use rayon::prelude::*;

use reference::ReferenceBuilder;

use super::formulation::{ElementFormulation, Integrated};
use super::group::{GROUPS_PER_CHUNK, GroupPart, POINT_ROWS, element_of, num_groups};
use super::interpolation::{
    Displacement, Hexahedron, MeanDilatation, Parallelepiped, QuadraticTetrahedron, Tabulated, Tetrahedron,
};
use super::one_point_hexahedron::{self, OnePointHexahedron, is_parallelepiped};
use super::reference_geometry::NODE_ROWS;
use crate::dynamics::mass::{Lumping, add_lumped_mass};
use crate::element::quadrature;
use crate::material::{Law, LinearElastic, Material, NeoHookean, StVenantKirchhoff};
use crate::math::Vec3;
use crate::math::pack::{Row, prefetch};
use crate::mesh::CellKind;

/// Reason why a set of cells is not a valid element block.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ElementError {
    /// The kind has no solid interior.
    #[error("cells of kind {} cannot be elements; use triangles, quadrilaterals or volumes", .kind.name())]
    UnsupportedKind {
        /// The kind.
        kind: CellKind,
    },
    /// The number of node indices is not a multiple of the nodes of a cell.
    #[error("{length} node indices are not a multiple of the {per_cell} nodes of a cell")]
    ConnectivityLength {
        /// Number of node indices.
        length: usize,
        /// Number of nodes of a cell.
        per_cell: usize,
    },
    /// A node index is out of range.
    #[error("element {element} refers to node {node}, but the mesh has {num_nodes} nodes")]
    UnknownNode {
        /// Element of the block.
        element: usize,
        /// The index.
        node: u32,
        /// Number of positions.
        num_nodes: usize,
    },
    /// A curved element is inverted between its quadrature points, or a mass overflows.
    #[error(
        "element {element} gives a node the mass {mass} kg: it is partly inverted or too large; remesh it, or correct its \
         scale or density"
    )]
    NodalMass {
        /// Element of the block.
        element: usize,
        /// The mass \[kg\].
        mass: f64,
    },
    /// The density is not positive and finite.
    #[error("the density is {density}; give a positive number")]
    Density {
        /// The density \[kg/m³\].
        density: f64,
    },
    /// The element is inverted, flat or has non-finite coordinates.
    #[error(
        "element {element} is inverted or degenerate: its smallest Jacobian is {jacobian}; renumber or remesh it"
    )]
    Degenerate {
        /// Element of the block.
        element: usize,
        /// Smallest det ∂X/∂ξ over its quadrature points.
        jacobian: f64,
    },
    /// A triangle or quadrilateral leaves the plane z = 0.
    #[error("element {element} is plane but has a node at z = {z}; plane problems lie in z = 0")]
    OutOfPlane {
        /// Element of the block.
        element: usize,
        /// The z coordinate \[m\].
        z: f64,
    },
}

/// Integration of the element forces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integration {
    /// Full quadrature of the kind, with mean dilatation for linear kinds of several points.
    #[default]
    Full,
    /// One-point quadrature with hourglass control for eight-node hexahedra; full quadrature otherwise.
    OnePoint,
}

/// Stored data of the reference configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StoredGeometry {
    /// Geometry of the quadrature points.
    Points,
    /// Nodes of eight-node hexahedra.
    Nodes,
    /// First quadrature point of parallelepipeds, whose points are all equal.
    FirstPoint,
    /// One-point data of eight-node hexahedra.
    OnePoint,
    /// One-point data of parallelepipeds.
    OnePointOfParallelepipeds,
}

impl StoredGeometry {
    /// Chooses the data for cells at these positions.
    fn of((kind, integration): (CellKind, Integration), connectivity: &[u32], positions: &[Vec3]) -> Self {
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

    /// Rows of a group for its forces.
    fn rows_per_group(self, kind: CellKind) -> usize {
        match self {
            Self::Points => quadrature(kind).len() * POINT_ROWS,
            Self::Nodes => NODE_ROWS,
            Self::FirstPoint => POINT_ROWS,
            Self::OnePoint => one_point_hexahedron::ROWS,
            Self::OnePointOfParallelepipeds => one_point_hexahedron::PARALLELEPIPED_ROWS,
        }
    }

    /// Additional rows of a group for its critical step.
    fn spectrum_rows_per_group(self) -> usize {
        match self {
            Self::Points | Self::Nodes | Self::FirstPoint => SPECTRUM_ROWS,
            Self::OnePoint | Self::OnePointOfParallelepipeds => one_point_hexahedron::SPECTRUM_ROWS,
        }
    }
}

/// Elements of one kind and one material.
#[derive(Clone, Debug)]
pub struct ElementBlock {
    kind: CellKind,
    stored: StoredGeometry,
    material: Material,
    density: f64,
    connectivity: Arc<[u32]>,
    /// Reference volume \[m³\].
    volume: f64,
    /// Rows of each group for its forces: those of its quadrature points.
    rows: Vec<Row>,
    rows_per_group: usize,
    /// Additional rows of each group for its critical step: its spectrum.
    spectra: Vec<Row>,
    spectrum_rows_per_group: usize,
}

impl ElementBlock {
    /// Prepares elements for total Lagrangian forces.
    ///
    /// # Shapes and units
    /// `density` \[kg/m³\]; `connectivity`: `kind.num_nodes()` indices into `reference_positions` \[m\] per element.
    ///
    /// # Errors
    /// The first invalid element (lowest number), or the invalid argument.
    pub fn new(
        kind: CellKind,
        material: Material,
        density: f64,
        connectivity: &[u32],
        reference_positions: &[Vec3],
    ) -> Result<Self, ElementError> {
        let cells = (kind, Integration::Full, connectivity.into());
        Self::shared(cells, material, density, reference_positions)
    }

    /// Like [`ElementBlock::new`], with shared connectivity and a given integration.
    ///
    /// # Errors
    /// See [`ElementBlock::new`].
    pub fn shared(
        (kind, integration, connectivity): (CellKind, Integration, Arc<[u32]>),
        material: Material,
        density: f64,
        reference_positions: &[Vec3],
    ) -> Result<Self, ElementError> {
        check_arguments(kind, density, &connectivity)?;
        let (rows, spectra) = (Vec::new(), Vec::new());
        let stored = StoredGeometry::of((kind, integration), &connectivity, reference_positions);
        let mut block = Self {
            kind,
            stored,
            material,
            density,
            connectivity,
            volume: 0.0,
            rows,
            rows_per_group: stored.rows_per_group(kind),
            spectra,
            spectrum_rows_per_group: stored.spectrum_rows_per_group(),
        };
        let num_groups = num_groups(block.num_elements());
        let mut rows = vec![Row::splat(0.0); num_groups * block.rows_per_group];
        let mut spectra = vec![Row::splat(0.0); num_groups * block.spectrum_rows_per_group];
        let maker =
            ReferenceBuilder { block: &block, lumping: Lumping::new(kind), positions: reference_positions };
        let tasks = rows
            .par_chunks_mut(block.rows_per_group * GROUPS_PER_CHUNK)
            .zip(spectra.par_chunks_mut(block.spectrum_rows_per_group * GROUPS_PER_CHUNK));
        let outcomes: Vec<_> = tasks
            .enumerate()
            .map(|(chunk, (rows, spectra))| maker.fill_chunk(chunk, rows, spectra))
            .collect();
        for outcome in outcomes {
            block.volume += outcome?;
        }
        (block.rows, block.spectra) = (rows, spectra);
        Ok(block)
    }

    /// Number of elements.
    pub fn num_elements(&self) -> usize {
        self.connectivity.len() / self.kind.num_nodes()
    }

    /// Kind of every element.
    pub fn kind(&self) -> CellKind {
        self.kind
    }

    /// Material of every element.
    pub fn material(&self) -> Material {
        self.material
    }

    /// Mass per reference volume \[kg/m³\].
    pub fn density(&self) -> f64 {
        self.density
    }

    /// Nodes of one element.
    pub fn nodes(&self, element: usize) -> &[u32] {
        let n = self.kind.num_nodes();
        &self.connectivity[element * n..(element + 1) * n]
    }

    /// Reference volume of all elements \[m³\] (area times thickness 1 of plane ones).
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// Adds the lumped mass \[kg\] of the elements to the nodes, given their reference positions \[m\]: row sums of
    /// linear ones, HRZ of quadratic ones.
    pub fn add_lumped_mass(&self, reference_positions: &[Vec3], mass: &mut [f64]) {
        add_lumped_mass(self.kind, &self.connectivity, reference_positions, self.density, mass);
    }

    /// A part of a group, for the given registers.
    #[inline(always)]
    pub(crate) fn part<S: Simd>(&self, simd: S, group: usize, part: usize) -> GroupPart<'_, S> {
        let of_group = |rows: usize| group * rows..(group + 1) * rows;
        let rows = &self.rows[of_group(self.rows_per_group)];
        GroupPart { simd, part, rows, spectrum: &self.spectra[of_group(self.spectrum_rows_per_group)] }
    }

    /// Prefetches the rows of a later group.
    #[inline(always)]
    pub(crate) fn prefetch(&self, group: usize) {
        let num_rows = self.rows_per_group;
        let ahead = group + PREFETCH_ROWS.div_ceil(num_rows);
        if let Some(rows) = self.rows.get(ahead * num_rows..(ahead + 1) * num_rows) {
            prefetch(rows);
        }
    }

    /// Nodes of the element in a lane of a group; a lane past the last element repeats the last element.
    #[inline(always)]
    pub(crate) fn lane_nodes(&self, group: usize, lane: usize) -> &[u32] {
        let num_elements = self.num_elements();
        self.nodes(element_of(group, lane, num_elements).unwrap_or(num_elements - 1))
    }

    /// Runs `operation` with the interpolation and the law of this block. All combinations are dispatched here.
    pub(crate) fn dispatch<O: ElementOperation>(&self, operation: O) -> Option<O::Output> {
        let (kind, law) = (self.kind, self.material);
        match kind {
            CellKind::Point1 | CellKind::Line2 | CellKind::Line3 => None,
            CellKind::Tri3 => Some(with_law(law, &Integrated(Plain::<3, 1, true>::new(kind)), operation)),
            CellKind::Quad4 => Some(with_law(law, &Integrated(Mean::<4, 4, true>::new(kind)), operation)),
            CellKind::Tet4 => Some(with_law(law, &Integrated(Tetrahedron), operation)),
            CellKind::Wedge6 => Some(with_law(law, &Integrated(Mean::<6, 6, false>::new(kind)), operation)),
            CellKind::Hex8 => Some(match self.stored {
                StoredGeometry::OnePoint => with_law(law, &OnePointHexahedron::<true>, operation),
                StoredGeometry::OnePointOfParallelepipeds => {
                    with_law(law, &OnePointHexahedron::<false>, operation)
                }
                StoredGeometry::FirstPoint => {
                    with_law(law, &Integrated(Parallelepiped(Hexahedron::new())), operation)
                }
                StoredGeometry::Points | StoredGeometry::Nodes => {
                    with_law(law, &Integrated(Hexahedron::new()), operation)
                }
            }),
            CellKind::Tri6 => Some(with_law(law, &Integrated(Plain::<6, 3, true>::new(kind)), operation)),
            CellKind::Quad8 => Some(with_law(law, &Integrated(Plain::<8, 9, true>::new(kind)), operation)),
            CellKind::Quad9 => Some(with_law(law, &Integrated(Plain::<9, 9, true>::new(kind)), operation)),
            CellKind::Tet10 => Some(with_law(law, &Integrated(QuadraticTetrahedron::new()), operation)),
            CellKind::Hex20 => Some(with_law(law, &Integrated(Plain::<20, 27, false>::new(kind)), operation)),
            CellKind::Hex27 => Some(with_law(law, &Integrated(Plain::<27, 27, false>::new(kind)), operation)),
        }
    }
}

type Plain<const N: usize, const P: usize, const PLANE: bool> = Tabulated<Displacement, N, P, PLANE>;
type Mean<const N: usize, const P: usize, const PLANE: bool> = Tabulated<MeanDilatation, N, P, PLANE>;

/// Operation on elements, generic over formulation and law.
pub(crate) trait ElementOperation {
    /// Result.
    type Output;
    /// Runs the operation.
    fn run<F: ElementFormulation<N>, L: Law, const N: usize>(self, formulation: &F, law: L) -> Self::Output;
}

fn with_law<O: ElementOperation, F: ElementFormulation<N>, const N: usize>(
    material: Material,
    formulation: &F,
    operation: O,
) -> O::Output {
    match material {
        Material::LinearElastic(e) => operation.run(formulation, LinearElastic(e)),
        Material::StVenantKirchhoff(e) => operation.run(formulation, StVenantKirchhoff(e)),
        Material::NeoHookean(e) => operation.run(formulation, NeoHookean(e)),
    }
}

fn check_arguments(kind: CellKind, density: f64, connectivity: &[u32]) -> Result<(), ElementError> {
    if kind.dimension() < 2 {
        return Err(ElementError::UnsupportedKind { kind });
    }
    if !(density > 0.0 && density.is_finite()) {
        return Err(ElementError::Density { density });
    }
    let (length, per_cell) = (connectivity.len(), kind.num_nodes());
    if length % per_cell != 0 {
        return Err(ElementError::ConnectivityLength { length, per_cell });
    }
    Ok(())
}

/// Prefetch distance in rows, to hide the memory latency.
const PREFETCH_ROWS: usize = 96;

/// Rows of the [`Spectrum`](super::frequency_bound::Spectrum).
const SPECTRUM_ROWS: usize = 2;
