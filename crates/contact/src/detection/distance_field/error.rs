//! Errors of the construction of a distance field.

use crate::mesh::CellKind;

/// Reason why a body has no distance field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DistanceFieldError {
    /// The body has no elements or no faces.
    #[error("a distance field needs elements and a surface; give a solid body with faces")]
    Empty,
    /// The dimension of the cells is not that of the faces plus one, or the cells have no
    /// [enriched element](super::Enriched).
    #[error("{} cells have no interior; give a body of plane or solid elements", .0.name())]
    NotSolid(CellKind),
    /// A node number has no position.
    #[error(
        "the elements or faces name node {node}, but there are {positions} positions; renumber the nodes"
    )]
    MissingNode {
        /// The node number.
        node: u32,
        /// Number of positions.
        positions: usize,
    },
    /// The position of the node is not finite.
    #[error("node {0} has no finite position; correct the mesh")]
    NotFinite(u32),
    /// The element is degenerate or inverted.
    #[error("element {0} has a Jacobian that is not positive; correct the mesh")]
    Inverted(usize),
    /// No element has a node on the surface.
    #[error("no element touches the surface; give the faces of the same body")]
    ForeignSurface,
}
