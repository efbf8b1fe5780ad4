//! To which face each node of a surface belongs: the first one around it.

use crate::contact::Surface;

/// The nodes that belong to each face.
#[derive(Clone, Debug)]
pub(super) struct NodeOwners {
    offsets: Vec<u32>,
    nodes: Vec<u32>,
}

impl NodeOwners {
    /// Of the nodes of a surface.
    pub fn new(surface: &Surface) -> Self {
        let mut belonging: Vec<(u32, u32)> = surface
            .nodes()
            .iter()
            .enumerate()
            .filter_map(|(local, &node)| Some((*surface.faces_of_local_node(local).first()?, node)))
            .collect();
        belonging.sort_unstable();
        let mut offsets = vec![0; surface.num_faces() + 1];
        for &(face, _) in &belonging {
            offsets[face as usize + 1] += 1;
        }
        for face in 0..surface.num_faces() {
            offsets[face + 1] += offsets[face];
        }
        Self { offsets, nodes: belonging.into_iter().map(|(_, node)| node).collect() }
    }

    /// Global numbers of the nodes that belong to a face.
    pub fn nodes_of(&self, face: u32) -> &[u32] {
        let face = face as usize;
        &self.nodes[self.offsets[face] as usize..self.offsets[face + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::CellKind;

    /// Every node belongs to one face that has it, whatever its kind.
    #[test]
    fn every_node_belongs_to_a_face_of_its_own() {
        let faces: [(CellKind, &[u32]); 3] =
            [(CellKind::Tri3, &[7, 3, 5]), (CellKind::Quad4, &[3, 9, 8, 5]), (CellKind::Tri3, &[9, 2, 8])];
        let surface = Surface::new(faces);
        let owners = NodeOwners::new(&surface);
        let mut owned: Vec<u32> = Vec::new();
        for face in 0..3 {
            let nodes = owners.nodes_of(face);
            assert!(nodes.iter().all(|node| faces[face as usize].1.contains(node)));
            owned.extend(nodes);
        }
        owned.sort_unstable();
        assert_eq!(owned, surface.nodes());
    }
}
