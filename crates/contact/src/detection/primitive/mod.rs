//! Level 3: exact tests of a node and a face, of two edges, and of two moving faces. Also weights and normals of known
//! contacts at new positions.

pub(crate) mod edge_edge;
pub(crate) mod moved_pair;
pub(crate) mod node_face;
pub mod time_of_impact;
