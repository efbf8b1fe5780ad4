//! Elements of one kind, one material and one body, stored four at a time for vector arithmetic.
//!
//! Per group of four elements and per quadrature point the block keeps the inverse reference Jacobian
//! (∂X/∂ξ)⁻¹ and the weight w det ∂X/∂ξ, from which all that a total Lagrangian element needs follows. The last
//! group is filled up with copies of the last element, whose results are not used.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::interpolation::{
    Displacement, Hexahedron, Interpolation, MeanDilatation, QuadraticTetrahedron, Tabulated, Tetrahedron,
};
use super::mass::Lumping;
use crate::element::{MAX_NODES, quadrature, shape_gradients};
use crate::material::{Law, LinearElastic, Material, NeoHookean, StVenantKirchhoff};
use crate::math::real::{LANES, Lanes};
use crate::math::tensor::Tensor;
use crate::math::{Mat3, Vec3};
use crate::mesh::CellKind;

/// Why a set of cells cannot be a block of elements.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ElementError {
    /// The kind has no interior to strain.
    #[error("cells of kind {} cannot be elements; use triangles, quadrilaterals or volumes", .kind.name())]
    UnsupportedKind {
        /// The kind.
        kind: CellKind,
    },
    /// The number of node indices is not a multiple of the nodes of a cell.
    #[error("{length} node indices do not make whole cells of {per_cell} nodes")]
    ConnectivityLength {
        /// Node indices given.
        length: usize,
        /// Nodes of a cell.
        per_cell: usize,
    },
    /// A node index has no position.
    #[error("element {element} refers to node {node}, but there are {num_nodes} nodes")]
    UnknownNode {
        /// Element of the block.
        element: usize,
        /// The index.
        node: u32,
        /// Number of positions given.
        num_nodes: usize,
    },
    /// A curved element that is inside out somewhere between its quadrature points.
    #[error(
        "element {element} gives a node the mass {mass} kg: it is turned inside out in part; mesh it again"
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
    /// The element is inverted, flat or has coordinates that are not numbers.
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
        /// The coordinate \[m\].
        z: f64,
    },
}

/// Reference geometry of four elements at one quadrature point.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointGeometry {
    /// (∂X/∂ξ)⁻¹ \[1/m\].
    pub inverse_jacobian: Tensor<Lanes>,
    /// Quadrature weight times det ∂X/∂ξ \[m³\].
    pub weight: Lanes,
}

/// What the bound of the highest frequency needs to know of four elements in the reference state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spectrum {
    /// Largest eigenvalue of Σ_k w_k ∇N_a·∇N_b / √(m_a m_b) \[1/(m² · kg/m³)\].
    pub laplacian: Lanes,
    /// 1 / smallest nodal mass of the element \[1/kg\].
    pub inverse_mass: Lanes,
    /// Largest eigenvalue of Σ_k w_k ∇N_a ⊗ ∇N_b / √(m_a m_b) \[1/(m² · kg/m³)\].
    pub divergence: Lanes,
}

/// Elements of one kind and one material.
#[derive(Clone, Debug)]
pub struct ElementBlock {
    kind: CellKind,
    material: Material,
    density: f64,
    connectivity: Vec<u32>,
    /// Mass of each node of each element \[kg\], in the order of the connectivity.
    lumped_mass: Vec<f64>,
    geometry: Vec<PointGeometry>,
    spectra: Vec<Spectrum>,
}

impl ElementBlock {
    /// Prepares elements for total Lagrangian forces.
    ///
    /// # Shapes and units
    /// `density` \[kg/m³\]; `connectivity`: `kind.num_nodes()` indices into `reference_positions` \[m\] per element.
    ///
    /// # Errors
    /// The first element (lowest number) at fault, or the argument.
    pub fn new(
        kind: CellKind,
        material: Material,
        density: f64,
        connectivity: &[u32],
        reference_positions: &[Vec3],
    ) -> Result<Self, ElementError> {
        check_arguments(kind, density, connectivity)?;
        let lumping = Lumping::new(kind);
        let elements: Vec<&[u32]> = connectivity.chunks_exact(kind.num_nodes()).collect();
        let reference: Vec<ReferenceElement> = elements
            .par_iter()
            .enumerate()
            .map(|(element, nodes)| {
                let corners = node_positions(kind, element, nodes, reference_positions)?;
                ReferenceElement::new(kind, density, &lumping, element, &corners)
            })
            .collect::<Vec<_>>()
            .into_iter()
            .collect::<Result<_, _>>()?;
        let (mut geometry, mut spectra) = (Vec::new(), Vec::new());
        for group in reference.chunks(LANES) {
            let member = |lane: usize| &group[lane.min(group.len() - 1)];
            for point in 0..quadrature(kind).len() {
                geometry.push(PointGeometry {
                    inverse_jacobian: Tensor(std::array::from_fn(|i| {
                        std::array::from_fn(|j| lanes(|l| member(l).points[point].inverse_jacobian[(i, j)]))
                    })),
                    weight: lanes(|l| member(l).points[point].weight),
                });
            }
            spectra.push(Spectrum {
                laplacian: lanes(|l| member(l).laplacian),
                inverse_mass: lanes(|l| member(l).inverse_mass),
                divergence: lanes(|l| member(l).divergence),
            });
        }
        let lumped_mass = reference.into_iter().flat_map(|element| element.mass).collect();
        Ok(Self {
            kind,
            material,
            density,
            connectivity: connectivity.to_vec(),
            lumped_mass,
            geometry,
            spectra,
        })
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
        self.lumped_mass.iter().sum::<f64>() / self.density
    }

    /// Adds the lumped mass \[kg\] of the elements to the nodes: row sums of linear ones, HRZ of quadratic ones.
    pub fn add_lumped_mass(&self, mass: &mut [f64]) {
        for (node, share) in self.connectivity.iter().zip(&self.lumped_mass) {
            mass[*node as usize] += share;
        }
    }

    /// Number of groups of [`LANES`] elements.
    pub(super) fn num_groups(&self) -> usize {
        self.spectra.len()
    }

    /// Quadrature points of the elements of one group.
    pub(super) fn group_geometry(&self, group: usize) -> &[PointGeometry] {
        let points = quadrature(self.kind).len();
        &self.geometry[group * points..(group + 1) * points]
    }

    /// Bound data of one group.
    pub(super) fn spectrum(&self, group: usize) -> &Spectrum {
        &self.spectra[group]
    }

    /// Node of one element of a group; a lane past the last element repeats the last element.
    #[inline(always)]
    pub(super) fn group_node(&self, group: usize, lane: usize, local: usize) -> u32 {
        let element = (group * LANES + lane).min(self.num_elements() - 1);
        self.connectivity[element * self.kind.num_nodes() + local]
    }

    /// Positions of the nodes of a group, out of those of all nodes.
    #[inline(always)]
    pub(super) fn gather_group<const N: usize>(&self, group: usize, positions: &[Vec3]) -> [[Lanes; 3]; N] {
        let mut x = [[Lanes([0.0; LANES]); 3]; N];
        for (a, x) in x.iter_mut().enumerate() {
            for lane in 0..LANES {
                let corner = &positions[self.group_node(group, lane, a) as usize];
                for i in 0..3 {
                    x[i].0[lane] = corner[i];
                }
            }
        }
        x
    }

    /// Runs `operation` with the interpolation and the law of this block: the one place that names them all.
    pub(super) fn dispatch<O: ElementOperation>(&self, operation: O) -> Option<O::Output> {
        let (kind, law) = (self.kind, self.material);
        match kind {
            CellKind::Point1 | CellKind::Line2 | CellKind::Line3 => None,
            CellKind::Tri3 => Some(with_law(law, &Plain::<3, 1, true>::new(kind), operation)),
            CellKind::Quad4 => Some(with_law(law, &Mean::<4, 4, true>::new(kind), operation)),
            CellKind::Tet4 => Some(with_law(law, &Tetrahedron, operation)),
            CellKind::Wedge6 => Some(with_law(law, &Mean::<6, 6, false>::new(kind), operation)),
            CellKind::Hex8 => Some(with_law(law, &Hexahedron::new(), operation)),
            CellKind::Tri6 => Some(with_law(law, &Plain::<6, 3, true>::new(kind), operation)),
            CellKind::Quad8 => Some(with_law(law, &Plain::<8, 9, true>::new(kind), operation)),
            CellKind::Quad9 => Some(with_law(law, &Plain::<9, 9, true>::new(kind), operation)),
            CellKind::Tet10 => Some(with_law(law, &QuadraticTetrahedron::new(), operation)),
            CellKind::Hex20 => Some(with_law(law, &Plain::<20, 27, false>::new(kind), operation)),
            CellKind::Hex27 => Some(with_law(law, &Plain::<27, 27, false>::new(kind), operation)),
        }
    }
}

type Plain<const N: usize, const P: usize, const PLANE: bool> = Tabulated<Displacement, N, P, PLANE>;
type Mean<const N: usize, const P: usize, const PLANE: bool> = Tabulated<MeanDilatation, N, P, PLANE>;

/// Work on elements, generic over interpolation and law.
pub(super) trait ElementOperation {
    /// What it returns.
    type Output;
    /// Does the work.
    fn run<I, L, const N: usize, const P: usize>(self, interpolation: &I, law: L) -> Self::Output
    where
        I: Interpolation<N, P>,
        L: Law;
}

fn with_law<O, I, const N: usize, const P: usize>(
    material: Material,
    interpolation: &I,
    operation: O,
) -> O::Output
where
    O: ElementOperation,
    I: Interpolation<N, P>,
{
    match material {
        Material::LinearElastic(e) => operation.run(interpolation, LinearElastic(e)),
        Material::StVenantKirchhoff(e) => operation.run(interpolation, StVenantKirchhoff(e)),
        Material::NeoHookean(e) => operation.run(interpolation, NeoHookean(e)),
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

fn lanes(value: impl Fn(usize) -> f64) -> Lanes {
    Lanes(std::array::from_fn(value))
}

struct ReferencePoint {
    inverse_jacobian: Mat3,
    weight: f64,
}

/// One element in the reference configuration, before it is put into lanes.
struct ReferenceElement {
    points: Vec<ReferencePoint>,
    /// Mass of each node \[kg\].
    mass: Vec<f64>,
    laplacian: f64,
    inverse_mass: f64,
    divergence: f64,
}

/// Eigenvalues carry a rounding error of a few units in the last place.
const EIGENVALUE_ROUNDING: f64 = 1e-12;

impl ReferenceElement {
    fn new(
        kind: CellKind,
        density: f64,
        lumping: &Lumping,
        element: usize,
        nodes: &[Vec3],
    ) -> Result<Self, ElementError> {
        let mut slopes = [[0.0; 3]; MAX_NODES];
        let mut points = Vec::with_capacity(quadrature(kind).len());
        // √w ∇N_a, one row a node, one column a point and direction.
        let mut gradients = DMatrix::zeros(nodes.len(), 3 * quadrature(kind).len());
        for (k, point) in quadrature(kind).iter().enumerate() {
            shape_gradients(kind, point.xi, &mut slopes);
            let jacobian = reference_jacobian(kind, nodes, &slopes);
            let determinant = jacobian.determinant();
            let degenerate = ElementError::Degenerate { element, jacobian: determinant };
            if !(determinant > 0.0 && determinant.is_finite()) {
                return Err(degenerate);
            }
            let inverse_jacobian = jacobian.try_inverse().ok_or(degenerate)?;
            let weight = point.weight * determinant;
            for (a, &slope) in slopes[..nodes.len()].iter().enumerate() {
                let slope = inverse_jacobian.transpose() * Vec3::from(slope) * weight.sqrt();
                gradients.fixed_view_mut::<1, 3>(a, 3 * k).copy_from(&slope.transpose());
            }
            points.push(ReferencePoint { inverse_jacobian, weight });
        }
        let mut mass = vec![0.0; nodes.len()];
        lumping.shares(nodes, &mut mass);
        for (a, mass) in mass.iter_mut().enumerate() {
            *mass *= density;
            if !(*mass > 0.0 && mass.is_finite()) {
                return Err(ElementError::NodalMass { element, mass: *mass });
            }
            gradients.row_mut(a).scale_mut(1.0 / mass.sqrt());
        }
        let laplacian = largest_eigenvalue(&gradients * gradients.transpose());
        let divergence = largest_eigenvalue(divergence_of_points(&gradients));
        let inverse_mass = 1.0 / mass.iter().copied().fold(f64::INFINITY, f64::min);
        Ok(Self { points, mass, laplacian, inverse_mass, divergence })
    }
}

/// √(w_k w_l) Σ_a ∇N_a(k)·∇N_a(l)/m_a, from √(w/m_a) ∇N_a: it has the eigenvalues of Σ_k w_k ∇N_a ⊗ ∇N_b / √(m_a m_b).
fn divergence_of_points(gradients: &DMatrix<f64>) -> DMatrix<f64> {
    let points = gradients.ncols() / 3;
    DMatrix::from_fn(points, points, |k, l| gradients.columns(3 * k, 3).dot(&gradients.columns(3 * l, 3)))
}

fn largest_eigenvalue(symmetric: DMatrix<f64>) -> f64 {
    symmetric.symmetric_eigenvalues().max() * (1.0 + EIGENVALUE_ROUNDING)
}

fn node_positions(
    kind: CellKind,
    element: usize,
    nodes: &[u32],
    positions: &[Vec3],
) -> Result<Vec<Vec3>, ElementError> {
    let mut corners = Vec::with_capacity(nodes.len());
    for &node in nodes {
        let unknown = ElementError::UnknownNode { element, node, num_nodes: positions.len() };
        corners.push(*positions.get(node as usize).ok_or(unknown)?);
    }
    if kind.dimension() == 2 {
        // Rounding of a rotated or scaled mesh is allowed for, relative to the element.
        let size = corners.iter().map(|x| (x - corners[0]).norm()).fold(0.0, f64::max);
        if let Some(off) = corners.iter().find(|x| x.z.abs() > 1e-9 * size) {
            return Err(ElementError::OutOfPlane { element, z: off.z });
        }
    }
    Ok(corners)
}

/// ∂X/∂ξ; the third axis of plane cells is that of space.
fn reference_jacobian(kind: CellKind, corners: &[Vec3], gradients: &[[f64; 3]]) -> Mat3 {
    let mut jacobian = Mat3::zeros();
    for (x, slope) in corners.iter().zip(gradients) {
        jacobian += x * Vec3::from(*slope).transpose();
    }
    if kind.dimension() == 2 {
        jacobian.set_row(2, &nalgebra::RowVector3::zeros());
        jacobian[(2, 2)] = 1.0;
    }
    jacobian
}
