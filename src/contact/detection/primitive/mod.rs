//! Level 3: a node and a face, two edges, two faces that move.

pub(crate) mod edge_edge;
pub(crate) mod node_face;
pub mod time_of_impact;
