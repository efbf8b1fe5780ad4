//! Volume, orientation and shape of cells.
//!
//! The edges at a corner are the columns of J. The edges at a corner of the ideal cell are the columns of W. The ideal
//! cell is an equilateral triangle, a regular tetrahedron, a square, a cube, or a right prism on an equilateral
//! triangle. The shape quality in d dimensions is the mean ratio
//!
//! ```text
//! S = J W⁻¹,    q = d det(S)^(2/d) / ‖S‖²_F     (1 for the ideal corner, 0 for a flat or inverted one)
//! ```
//!
//! The quality of a cell is the minimum over its corners (P. M. Knupp, "Algebraic mesh quality metrics", SIAM J. Sci.
//! Comput. 23 (2001) 193). For hexahedra and quadrilaterals q is the `shape` of the Verdict library, SAND2007-1751. For
//! a tetrahedron of volume V with edges l, q is the measure 12 (3V)^(2/3) / Σ l² of A. Liu and B. Joe, BIT 34 (1994)
//! 268.
//!
//! Inverted cells:
//! - Linear cell: det J ≤ 0 at a corner. The check misses cells with det J > 0 at all corners but det J < 0 elsewhere.
//! - Quadratic cell: det J ≤ 0 anywhere (module `curved`). The columns of J are tangents instead of edges.
//!
//! The edge lengths and facet areas of a quadratic cell are those of the linear cell with the same corners. For a
//! surface cell, the third column of J is a unit normal. In a mesh in the plane z = 0, this is the z axis. In any other
//! surface mesh, it is the mean normal of the cell: a reversed cell has a reversed normal, so only a folded cell or a
//! cell without area counts as inverted.

mod curved;

use self::curved::CurvedCell;
use super::{CellFace, CellKind, Mesh, MeshError, TagList};
use crate::math::{Mat3, Vec3};

/// Summary over the cells of the highest dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct QualityReport {
    /// Dimension of the cells.
    pub dimension: usize,
    /// Number of cells.
    pub cells: usize,
    /// Sum of the signed volumes \[m³\]; for surfaces, sum of the areas \[m²\]; for segments, sum of the lengths \[m\].
    pub volume: f64,
    /// Cells with a Jacobian, det J, that is not positive, in order of block and cell.
    pub inverted: Vec<InvertedCell>,
    /// Smallest shape quality \[-\], 0 to 1.
    pub minimum: f64,
    /// Mean shape quality \[-\], 0 to 1.
    pub mean: f64,
    /// Tag of the cell of smallest quality.
    pub worst: u64,
    /// Shortest edge \[m\].
    pub smallest_edge: f64,
    /// Smallest altitude \[m\]: f V / A, with the magnitude V of the volume and the area A of the largest facet. For a
    /// simplex of dimension d, f = d, otherwise f = 1. For a surface cell, V is the area, and A the length of the
    /// longest edge.
    pub smallest_altitude: f64,
}

/// An inverted, flat or folded cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InvertedCell {
    /// Gmsh tag.
    pub tag: u64,
    /// Block of the cell.
    pub block: u32,
    /// Index of the cell within the block.
    pub cell: u32,
    /// Smallest Jacobian found \[m^d\], in dimension d. If a quadratic cell was bisected, the Jacobian is that of
    /// a part, in reference coordinates from 0 to 1 over the part.
    pub jacobian: f64,
    /// Gmsh tags of two coincident nodes of the cell, if any.
    pub coincident: Option<[u64; 2]>,
}

/// Distance up to which two nodes of a cell count as coincident, relative to the largest distance between two of its
/// nodes.
const SAME_PLACE: f64 = 1e-9;

struct CellQuality {
    volume: f64,
    jacobian: f64,
    shape: f64,
    edge: f64,
    altitude: f64,
}

impl Mesh {
    /// Evaluates the cells of the highest dimension.
    ///
    /// # Errors
    /// [`MeshError::NoCells`], or the errors of [`Mesh::validate`].
    pub fn quality(&self) -> Result<QualityReport, MeshError> {
        self.validate()?;
        let dimension = self.dimension().ok_or(MeshError::NoCells)?;
        let plane = self.is_plane();
        let mut report = QualityReport::empty(dimension);
        let mut sum = 0.0;
        let mut points: Vec<Vec3> = Vec::new();
        for (block, cells) in self.blocks_of_dimension(dimension) {
            for (cell, nodes) in cells.cells().enumerate() {
                points.clear();
                points.extend(nodes.iter().map(|&node| self.nodes[node as usize]));
                let measured = measure(cells.kind, &points, plane);
                sum += measured.shape;
                report.add(&measured, (cells.tags[cell], block as u32, cell as u32));
            }
        }
        for cell in &mut report.inverted {
            cell.coincident =
                self.coincident_nodes(self.blocks[cell.block as usize].cell(cell.cell as usize));
        }
        report.mean = sum / report.cells as f64;
        Ok(report)
    }

    /// Tags of the first two nodes that coincide within [`SAME_PLACE`]; `None` if all nodes are distinct.
    fn coincident_nodes(&self, nodes: &[u32]) -> Option<[u64; 2]> {
        let apart = |a: u32, b: u32| (self.nodes[a as usize] - self.nodes[b as usize]).norm();
        let pairs = || (1..nodes.len()).flat_map(|k| nodes[..k].iter().map(move |&a| (a, nodes[k])));
        let extent = pairs().map(|(a, b)| apart(a, b)).fold(0.0, f64::max);
        let (a, b) = pairs().find(|&(a, b)| apart(a, b) <= SAME_PLACE * extent)?;
        Some([a, b].map(|node| self.node_tags[node as usize]))
    }
}

impl QualityReport {
    /// Checks that no cell is inverted.
    ///
    /// # Errors
    /// [`MeshError::CoincidentNodes`] or [`MeshError::InvertedCells`].
    pub fn check(&self) -> Result<(), MeshError> {
        if self.inverted.is_empty() {
            return Ok(());
        }
        if let Some((cell, nodes)) = self.inverted.iter().find_map(|cell| Some((cell.tag, cell.coincident?)))
        {
            return Err(MeshError::CoincidentNodes { cell, nodes });
        }
        let tags = TagList(self.inverted.iter().map(|cell| cell.tag).collect());
        Err(MeshError::InvertedCells { tags, cells: self.cells, dimension: self.dimension })
    }

    fn empty(dimension: usize) -> Self {
        Self {
            dimension,
            cells: 0,
            volume: 0.0,
            inverted: Vec::new(),
            minimum: f64::INFINITY,
            mean: 0.0,
            worst: 0,
            smallest_edge: f64::INFINITY,
            smallest_altitude: f64::INFINITY,
        }
    }

    fn add(&mut self, measured: &CellQuality, (tag, block, cell): (u64, u32, u32)) {
        self.cells += 1;
        self.volume += measured.volume;
        if measured.shape < self.minimum {
            (self.minimum, self.worst) = (measured.shape, tag);
        }
        self.smallest_edge = self.smallest_edge.min(measured.edge);
        self.smallest_altitude = self.smallest_altitude.min(measured.altitude);
        // NaN by overflow counts as inverted.
        if measured.jacobian <= 0.0 || measured.jacobian.is_nan() {
            self.inverted.push(InvertedCell {
                tag,
                block,
                cell,
                jacobian: measured.jacobian,
                coincident: None,
            });
        }
    }
}

fn measure(kind: CellKind, points: &[Vec3], plane: bool) -> CellQuality {
    match kind.dimension() {
        0 => CellQuality {
            volume: 1.0,
            jacobian: 1.0,
            shape: 1.0,
            edge: f64::INFINITY,
            altitude: f64::INFINITY,
        },
        // A curved segment is measured by its chord.
        1 => {
            let length = (points[1] - points[0]).norm();
            let shape = if length > 0.0 { 1.0 } else { 0.0 };
            CellQuality { volume: length, jacobian: length, shape, edge: length, altitude: length }
        }
        2 => measure_surface(kind, points, plane),
        _ => measure_volume(kind, points),
    }
}

fn measure_surface(kind: CellKind, points: &[Vec3], plane: bool) -> CellQuality {
    let curved = CurvedCell::new(kind, points);
    let flat = || area_vector(&points[..kind.corners().len()]);
    let area = curved.as_ref().map_or_else(flat, CurvedCell::area_vector);
    let normal = if plane { Vec3::z() } else { area.try_normalize(0.0).unwrap_or_else(Vec3::zeros) };
    let volume = match &curved {
        Some(cell) if !plane => cell.area(),
        _ => area.dot(&normal),
    };
    let (mut jacobian, mut shape) = (f64::INFINITY, 1.0_f64);
    for corner in corners(kind) {
        let mut edges = edges_at(points, curved.as_ref(), corner);
        edges.set_column(2, &normal);
        let det = edges.determinant();
        jacobian = jacobian.min(det);
        shape = shape.min(mean_ratio(&(edges * to_ideal(kind)), 2));
    }
    if let Some(cell) = &curved {
        jacobian = cell.smallest_jacobian(normal);
    }
    let (shortest, longest) = edge_lengths(kind, points);
    CellQuality {
        volume,
        jacobian,
        shape,
        edge: shortest,
        altitude: simplex_factor(kind) * volume.abs() / longest,
    }
}

fn measure_volume(kind: CellKind, points: &[Vec3]) -> CellQuality {
    let curved = CurvedCell::new(kind, points);
    let (mut jacobian, mut shape) = (f64::INFINITY, 1.0_f64);
    for corner in corners(kind) {
        let edges = edges_at(points, curved.as_ref(), corner);
        jacobian = jacobian.min(edges.determinant());
        shape = shape.min(mean_ratio(&(edges * to_ideal(kind)), 3));
    }
    if let Some(cell) = &curved {
        jacobian = cell.smallest_jacobian(Vec3::zeros());
    }
    let volume = curved.as_ref().map_or_else(|| cell_volume(kind, points), |cell| cell.volume(Vec3::zeros()));
    let (mut edge, mut largest) = (f64::INFINITY, 0.0_f64);
    for face in kind.faces() {
        let local = face_corners(face);
        let mut corners = [Vec3::zeros(); 4];
        for (corner, &node) in corners.iter_mut().zip(local) {
            *corner = points[node as usize];
        }
        largest = largest.max(area_vector(&corners[..local.len()]).norm());
        edge = edge.min(edge_lengths(face.kind, &corners[..local.len()]).0);
    }
    CellQuality { volume, jacobian, shape, edge, altitude: simplex_factor(kind) * volume.abs() / largest }
}

/// Factor f of `QualityReport::smallest_altitude`.
fn simplex_factor(kind: CellKind) -> f64 {
    if kind.corners().len() == kind.dimension() + 1 { kind.dimension() as f64 } else { 1.0 }
}

fn face_corners(face: &CellFace) -> &'static [u8] {
    &face.nodes[..face.kind.corners().len()]
}

/// Volume by the divergence theorem, V = ⅓ Σ ∫ x · n dA over the faces. Exact for linear and trilinear cells.
///
/// The integral over a bilinear quadrilateral is the mean of the integrals over its two triangulations (J. Grandy,
/// "Efficient computation of volume of hexahedral cells", UCRL-ID-128886, 1997).
fn cell_volume(kind: CellKind, points: &[Vec3]) -> f64 {
    // Six times the signed volume of the tetrahedron of the nodes 0, a, b and c. Positions relative to node 0 stay
    // accurate far from the origin.
    let cone = |a: u8, b: u8, c: u8| {
        let from_first = |i: u8| points[i as usize] - points[0];
        from_first(a).dot(&from_first(b).cross(&from_first(c)))
    };
    let face = |face: &CellFace| match *face_corners(face) {
        [a, b, c, d] => 0.5 * (cone(a, b, c) + cone(a, c, d) + cone(a, b, d) + cone(b, c, d)),
        [a, b, c, ..] => cone(a, b, c),
        _ => 0.0,
    };
    kind.faces().iter().map(face).sum::<f64>() / 6.0
}

/// ∫ n dA of a triangle or of a bilinear quadrilateral.
fn area_vector(points: &[Vec3]) -> Vec3 {
    match *points {
        [a, b, c, d] => 0.5 * (c - a).cross(&(d - b)),
        [a, b, c, ..] => 0.5 * (b - a).cross(&(c - a)),
        _ => Vec3::zeros(),
    }
}

/// q of S = J W⁻¹. For a surface, the third column of S is the normal.
fn mean_ratio(s: &Mat3, dimension: usize) -> f64 {
    let det = s.determinant();
    if det <= 0.0 || det.is_nan() {
        return 0.0;
    }
    let norm: f64 = (0..dimension).map(|i| s.column(i).norm_squared()).sum();
    let volume = if dimension == 2 { det } else { det.cbrt() * det.cbrt() };
    (dimension as f64 * volume / norm).min(1.0)
}

fn edge_lengths(kind: CellKind, points: &[Vec3]) -> (f64, f64) {
    let corners = &points[..kind.corners().len()];
    let next = corners.iter().cycle().skip(1);
    let lengths = corners.iter().zip(next).map(|(a, b)| (b - a).norm());
    lengths.fold((f64::INFINITY, 0.0), |(low, high), length| (low.min(length), f64::max(high, length)))
}

/// Corners at which q and det J are evaluated. Each array holds the node at the corner, then its neighbours along the
/// edges, in right-handed order in a valid cell. For surfaces, the last entry of each array is unused. All corners of a
/// linear simplex have equal q and det J, so one suffices.
const fn corners(kind: CellKind) -> &'static [[u8; 4]] {
    match kind {
        CellKind::Tri6 => &[[0, 1, 2, 0], [1, 2, 0, 1], [2, 0, 1, 2]],
        CellKind::Tet10 => &[[0, 1, 2, 3], [1, 2, 0, 3], [2, 0, 1, 3], [3, 2, 1, 0]],
        _ => linear_corners(kind.linear()),
    }
}

const fn linear_corners(kind: CellKind) -> &'static [[u8; 4]] {
    match kind {
        CellKind::Tri3 => &[[0, 1, 2, 0]],
        CellKind::Quad4 => &[[0, 1, 3, 0], [1, 2, 0, 1], [2, 3, 1, 2], [3, 0, 2, 3]],
        CellKind::Tet4 => &[[0, 1, 2, 3]],
        CellKind::Wedge6 => {
            &[[0, 1, 2, 3], [1, 2, 0, 4], [2, 0, 1, 5], [3, 5, 4, 0], [4, 3, 5, 1], [5, 4, 3, 2]]
        }
        CellKind::Hex8 => &[
            [0, 1, 3, 4],
            [1, 2, 0, 5],
            [2, 3, 1, 6],
            [3, 0, 2, 7],
            [4, 7, 5, 0],
            [5, 4, 6, 1],
            [6, 5, 7, 2],
            [7, 6, 4, 3],
        ],
        _ => &[],
    }
}

/// Columns: edges at a corner, or tangents for a quadratic cell.
fn edges_at(points: &[Vec3], curved: Option<&CurvedCell>, corner: &[u8; 4]) -> Mat3 {
    if let Some(cell) = curved {
        return cell.tangents_at(corner);
    }
    let [node, a, b, c] = corner.map(|i| points[i as usize]);
    Mat3::from_columns(&[a - node, b - node, c - node])
}

/// W⁻¹ of the ideal corner with unit edges.
fn to_ideal(kind: CellKind) -> Mat3 {
    let r3 = 3.0_f64.sqrt();
    let r6 = 6.0_f64.sqrt();
    match kind.linear() {
        // Edges (1, 0, 0) and (1/2, √3/2, 0); then (0, 0, 1), the normal of a triangle or the axis of a wedge.
        CellKind::Tri3 | CellKind::Wedge6 => {
            Mat3::new(1.0, -1.0 / r3, 0.0, 0.0, 2.0 / r3, 0.0, 0.0, 0.0, 1.0)
        }
        // Edges (1, 0, 0), (1/2, √3/2, 0) and (1/2, √3/6, √6/3).
        CellKind::Tet4 => Mat3::new(1.0, -1.0 / r3, -1.0 / r6, 0.0, 2.0 / r3, -1.0 / r6, 0.0, 0.0, 3.0 / r6),
        _ => Mat3::identity(),
    }
}

#[cfg(test)]
mod tests;
