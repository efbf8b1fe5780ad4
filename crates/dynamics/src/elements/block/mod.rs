//! Elements of one kind, one material and one body, stored in groups for vector arithmetic.
//!
//! For each quadrature point of an element, a block stores (∂X/∂ξ)⁻¹ and the quadrature weight times det ∂X/∂ξ. For an
//! eight-node hexahedron, a block stores less (`StoredGeometry`). A lane without an element repeats the last element of
//! the block, and the results of this lane are not used.

mod error;
mod reference;
mod stored_geometry;

use std::sync::Arc;

use pulp::Simd;
use rayon::prelude::*;

use reference::ReferenceBuilder;
use stored_geometry::StoredGeometry;

pub use error::ElementError;
pub use stored_geometry::Integration;

use super::formulation::{ElementFormulation, Integrated, history_rows};
use super::group::{GROUPS_PER_CHUNK, GroupPart, element_of, num_groups};
use super::interpolation::{
    Displacement, Hexahedron, MeanDilatation, Parallelepiped, QuadraticTetrahedron, Tabulated, Tetrahedron,
};
use super::one_point_hexahedron::OnePointHexahedron;
use crate::mass::{Lumping, add_lumped_mass};
use crate::material::{Law, LawOperation, Material};
use crate::math::Vec3;
use crate::math::pack::{Row, prefetch};
use crate::mesh::CellKind;

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
    /// For each group, the rows that the forces need.
    rows: Vec<Row>,
    rows_per_group: usize,
    /// For each group, the additional rows that the critical step needs.
    spectra: Vec<Row>,
    spectrum_rows_per_group: usize,
}

impl ElementBlock {
    /// Prepares elements for total Lagrangian forces.
    ///
    /// # Shapes and units
    /// `density` \[kg/m³\]; `reference_positions` \[m\]; `connectivity`: for each element, `kind.num_nodes()` indices
    /// into `reference_positions`.
    ///
    /// # Errors
    /// The invalid argument, or the invalid element with the lowest index.
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

    /// Like [`ElementBlock::new`], but shares the connectivity and selects the integration.
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

    /// Indices of the nodes of one element.
    pub fn nodes(&self, element: usize) -> &[u32] {
        let n = self.kind.num_nodes();
        &self.connectivity[element * n..(element + 1) * n]
    }

    /// Reference volume of all elements \[m³\]; for plane elements, area times thickness 1.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// Adds the lumped masses to the nodal `mass` \[kg\]: row sums in linear, HRZ lumping in quadratic elements.
    pub fn add_lumped_mass(&self, reference_positions: &[Vec3], mass: &mut [f64]) {
        add_lumped_mass(self.kind, &self.connectivity, reference_positions, self.density, mass);
    }

    #[inline(always)]
    pub(crate) fn part<S: Simd>(&self, simd: S, group: usize, part: usize) -> GroupPart<'_, S> {
        let of_group = |rows: usize| group * rows..(group + 1) * rows;
        let rows = &self.rows[of_group(self.rows_per_group)];
        GroupPart { simd, part, rows, spectrum: &self.spectra[of_group(self.spectrum_rows_per_group)] }
    }

    pub(crate) fn history_rows_per_group(&self) -> usize {
        self.dispatch(HistoryRows).unwrap_or(0)
    }

    #[inline(always)]
    pub(crate) fn prefetch(&self, group: usize) {
        let num_rows = self.rows_per_group;
        let ahead = group + PREFETCH_ROWS.div_ceil(num_rows);
        if let Some(rows) = self.rows.get(ahead * num_rows..(ahead + 1) * num_rows) {
            prefetch(rows);
        }
    }

    /// Nodes of the element in a lane; in a lane without an element, those of the last element of the block.
    #[inline(always)]
    pub(crate) fn lane_nodes(&self, group: usize, lane: usize) -> &[u32] {
        let num_elements = self.num_elements();
        self.nodes(element_of(group, lane, num_elements).unwrap_or(num_elements - 1))
    }

    /// Runs `operation` with the formulation and the law of the block; `None` for points and segments.
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
    type Output;
    fn run<F: ElementFormulation<N>, L: Law, const N: usize>(self, formulation: &F, law: L) -> Self::Output;
}

struct HistoryRows;

impl ElementOperation for HistoryRows {
    type Output = usize;

    fn run<F: ElementFormulation<N>, L: Law, const N: usize>(self, _: &F, _: L) -> usize {
        history_rows::<F, L, N>()
    }
}

/// Element operation with a given formulation; `run` adds the law.
struct WithFormulation<'a, F, O, const N: usize> {
    formulation: &'a F,
    operation: O,
}

impl<F: ElementFormulation<N>, O: ElementOperation, const N: usize> LawOperation
    for WithFormulation<'_, F, O, N>
{
    type Output = O::Output;

    fn run<L: Law>(self, law: L) -> O::Output {
        self.operation.run(self.formulation, law)
    }
}

fn with_law<O: ElementOperation, F: ElementFormulation<N>, const N: usize>(
    material: Material,
    formulation: &F,
    operation: O,
) -> O::Output {
    material.with_law(WithFormulation { formulation, operation })
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

/// Number of rows from the group in use to the prefetched group. `ElementBlock::prefetch` rounds it up to whole groups.
/// The number is large enough to hide the memory latency.
const PREFETCH_ROWS: usize = 96;
