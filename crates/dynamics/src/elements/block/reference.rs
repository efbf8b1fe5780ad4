//! Computation of the data of the reference configuration that a block stores.

use nalgebra::DMatrix;

use super::ElementBlock;
use super::error::ElementError;
use super::stored_geometry::StoredGeometry;
use crate::element::{MAX_NODES, quadrature, shape_gradients};
use crate::elements::frequency_bound::EIGENVALUE_ROUNDING;
use crate::elements::group::{POINT_ROWS, element_of, groups_of_chunk};
use crate::elements::one_point_hexahedron;
use crate::mass::Lumping;
use crate::math::pack::{Row, WIDTH};
use crate::math::{Mat3, Vec3};
use crate::mesh::CellKind;

/// Largest number of quadrature points of an element.
const MAX_POINTS: usize = 27;

pub(super) struct ReferenceBuilder<'a> {
    pub block: &'a ElementBlock,
    pub lumping: Lumping,
    pub positions: &'a [Vec3],
}

impl ReferenceBuilder<'_> {
    /// Fills the rows of a chunk; returns the volume of the elements of the chunk \[m³\].
    pub fn fill_chunk(
        &self,
        chunk: usize,
        rows: &mut [Row],
        spectra: &mut [Row],
    ) -> Result<f64, ElementError> {
        let (num_elements, num_rows) = (self.block.num_elements(), self.block.rows_per_group);
        let num_spectrum = self.block.spectrum_rows_per_group;
        let (mut volume, mut numbers) = (0.0, vec![0.0; num_rows + num_spectrum]);
        let groups = groups_of_chunk(chunk, num_elements);
        // This order of the loops visits the elements in ascending order.
        for lane in 0..WIDTH {
            let of_groups = rows.chunks_exact_mut(num_rows).zip(spectra.chunks_exact_mut(num_spectrum));
            for (group, (rows, spectrum)) in groups.clone().zip(of_groups) {
                // In a lane without an element, `numbers` are those of the last element.
                if let Some(element) = element_of(group, lane, num_elements) {
                    volume += self.fill_numbers(element, &mut numbers)?;
                }
                for (row, number) in rows.iter_mut().chain(spectrum).zip(&numbers) {
                    row.0[lane] = *number;
                }
            }
        }
        Ok(volume)
    }

    /// Computes the `numbers` of one element, one for each row of its group; returns the volume of the element \[m³\].
    fn fill_numbers(&self, element: usize, numbers: &mut [f64]) -> Result<f64, ElementError> {
        let block = self.block;
        let mut nodes = [Vec3::zeros(); MAX_NODES];
        let nodes = node_positions(block.kind, element, block.nodes(element), self.positions, &mut nodes)?;
        let mut masses = [0.0; MAX_NODES];
        let masses = &mut masses[..nodes.len()];
        self.lumping.shares(nodes, masses);
        for mass in masses.iter_mut() {
            *mass *= block.density;
        }
        let mut gradients = [[Vec3::zeros(); MAX_NODES]; MAX_POINTS];
        let mut points = [[0.0; POINT_ROWS]; MAX_POINTS];
        let volume = reference_points(block.kind, element, nodes, &mut points, &mut gradients)?;
        if let Some(&mass) = masses.iter().find(|mass| !(**mass > 0.0 && mass.is_finite())) {
            return Err(ElementError::NodalMass { element, mass });
        }
        let num_points = quadrature(block.kind).len();
        let (rows, of_spectrum) = numbers.split_at_mut(block.rows_per_group);
        match (block.stored, nodes.first_chunk()) {
            (StoredGeometry::OnePoint | StoredGeometry::OnePointOfParallelepipeds, Some(nodes)) => {
                let elasticity = block.material.elasticity();
                let numbers = (rows, of_spectrum);
                return Ok(one_point_hexahedron::fill_numbers(nodes, masses, &elasticity, numbers));
            }
            (StoredGeometry::Nodes, _) => {
                for (numbers, node) in rows.chunks_exact_mut(3).zip(&nodes[1..]) {
                    numbers.copy_from_slice((node - nodes[0]).as_slice());
                }
            }
            _ => rows.copy_from_slice(&points.as_flattened()[..rows.len()]),
        }
        of_spectrum.copy_from_slice(&spectrum(block.kind, &gradients[..num_points], masses));
        Ok(volume)
    }
}

/// For each quadrature point, fills `numbers` with the inverse Jacobian and w = quadrature weight · det ∂X/∂ξ, and
/// `gradients` with √w ∇N_a. Returns the volume \[m³\].
fn reference_points(
    kind: CellKind,
    element: usize,
    nodes: &[Vec3],
    numbers: &mut [[f64; POINT_ROWS]; MAX_POINTS],
    gradients: &mut [[Vec3; MAX_NODES]; MAX_POINTS],
) -> Result<f64, ElementError> {
    let (mut slopes, mut volume) = ([[0.0; 3]; MAX_NODES], 0.0);
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
        volume += weight;
        for (gradient, &slope) in gradients[k].iter_mut().zip(&slopes[..nodes.len()]) {
            *gradient = inverse_jacobian.transpose() * Vec3::from(slope) * weight.sqrt();
        }
        numbers[k][..9].copy_from_slice(inverse_jacobian.transpose().as_slice());
        numbers[k][9] = weight;
    }
    Ok(volume)
}

/// `Spectrum` of an element: the largest eigenvalue of Σ_k w_k ∇N_a·∇N_b / √(m_a m_b), and for linear kinds 1 /
/// smallest mass, for quadratic kinds the largest eigenvalue of `divergence_of_points`. `points`: √w_k ∇N_a.
fn spectrum(kind: CellKind, points: &[[Vec3; MAX_NODES]], masses: &[f64]) -> [f64; 2] {
    let inverse_mass = 1.0 / masses.iter().copied().fold(f64::INFINITY, f64::min);
    if let ([gradients], true) = (points, kind == kind.linear()) {
        // With g_a = √w ∇N_a, the 3 × 3 matrix Σ_a g_a ⊗ g_a / m_a has the same non-zero eigenvalues as the matrix
        // g_a·g_b / √(m_a m_b) with one row per node.
        let terms =
            gradients.iter().zip(masses).map(|(gradient, mass)| gradient * gradient.transpose() / *mass);
        let largest = terms.sum::<Mat3>().symmetric_eigenvalues().max();
        return [largest * (1.0 + EIGENVALUE_ROUNDING), inverse_mass];
    }
    let gradients = DMatrix::from_fn(masses.len(), 3 * points.len(), |a, column| {
        points[column / 3][a][column % 3] / masses[a].sqrt()
    });
    let laplacian = largest_eigenvalue(&gradients * gradients.transpose());
    if kind == kind.linear() {
        [laplacian, inverse_mass]
    } else {
        [laplacian, largest_eigenvalue(divergence_of_points(&gradients))]
    }
}

/// The matrix √(w_k w_l) Σ_a ∇N_a(k)·∇N_a(l)/m_a, with one row per point k. `gradients`: √(w_k/m_a) ∇N_a(k). The
/// non-zero eigenvalues are those of the matrix Σ_k w_k ∇N_a ⊗ ∇N_b / √(m_a m_b), with one row per node and component.
fn divergence_of_points(gradients: &DMatrix<f64>) -> DMatrix<f64> {
    let points = gradients.ncols() / 3;
    DMatrix::from_fn(points, points, |k, l| gradients.columns(3 * k, 3).dot(&gradients.columns(3 * l, 3)))
}

fn largest_eigenvalue(symmetric: DMatrix<f64>) -> f64 {
    symmetric.symmetric_eigenvalues().max() * (1.0 + EIGENVALUE_ROUNDING)
}

fn node_positions<'a>(
    kind: CellKind,
    element: usize,
    nodes: &[u32],
    positions: &[Vec3],
    corners: &'a mut [Vec3; MAX_NODES],
) -> Result<&'a [Vec3], ElementError> {
    for (corner, &node) in corners.iter_mut().zip(nodes) {
        let unknown = ElementError::UnknownNode { element, node, num_nodes: positions.len() };
        *corner = *positions.get(node as usize).ok_or(unknown)?;
    }
    let corners = &corners[..nodes.len()];
    if kind.dimension() == 2 {
        // The tolerance allows for rounding errors of z from rotation or scaling of the mesh.
        let size = corners.iter().map(|x| (x - corners[0]).norm()).fold(0.0, f64::max);
        if let Some(off) = corners.iter().find(|x| x.z.abs() > 1e-9 * size) {
            return Err(ElementError::OutOfPlane { element, z: off.z });
        }
    }
    Ok(corners)
}

/// ∂X/∂ξ; for plane cells, the third row and the third column are those of the identity.
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
