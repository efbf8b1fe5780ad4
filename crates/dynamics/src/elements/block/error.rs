//! Errors of element blocks.

use crate::mesh::CellKind;

/// Reason why a set of cells is not a valid element block.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ElementError {
    /// The cells are points or segments.
    #[error("cells of kind {} cannot be elements; use triangles, quadrilaterals or volumes", .kind.name())]
    UnsupportedKind {
        /// The kind.
        kind: CellKind,
    },
    /// The number of node indices is not a multiple of the number of nodes of a cell.
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
        /// Index of the element in the block.
        element: usize,
        /// The node index.
        node: u32,
        /// Number of nodes of the mesh.
        num_nodes: usize,
    },
    /// A nodal mass is not positive and finite, because an element is partly inverted or the mass overflows.
    #[error(
        "element {element} gives a node the mass {mass} kg: it is partly inverted or too large; remesh it, or correct its \
         scale or density"
    )]
    NodalMass {
        /// Index of the element in the block.
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
    /// The element is inverted or flat, or has non-finite coordinates.
    #[error(
        "element {element} is inverted or degenerate: its Jacobian at a quadrature point is {jacobian}; renumber or remesh it"
    )]
    Degenerate {
        /// Index of the element in the block.
        element: usize,
        /// First det ∂X/∂ξ at a quadrature point that is not both positive and finite.
        jacobian: f64,
    },
    /// A triangle or quadrilateral has a node off the plane z = 0.
    #[error("element {element} is plane but has a node at z = {z}; plane problems lie in z = 0")]
    OutOfPlane {
        /// Index of the element in the block.
        element: usize,
        /// The z coordinate of the node \[m\].
        z: f64,
    },
}
