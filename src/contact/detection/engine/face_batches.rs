//! The faces of a surface in batches of neighbours, as the lanes take them: the leaves of a tree of boxes.

use crate::contact::Surface;
use crate::contact::detection::near_faces::NearFaces;
use crate::contact::detection::volume::AabbRow;
use crate::math::Vec3;
use crate::mesh::CellKind;

/// The faces of a leaf, and which nodes belong to them.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceBatch<'a> {
    /// The faces.
    pub faces: &'a [u32],
    /// Whether all of them are segments and triangles.
    pub is_flat: bool,
    /// Nodes of the faces that belong to none of another batch, each with the place of the face that it belongs to.
    pub nodes: &'a [(u32, u32)],
    /// Boxes of the faces when they were fitted.
    pub boxes: &'a AabbRow,
}

/// All batches of a surface.
#[derive(Clone, Debug)]
pub(super) struct FaceBatches {
    /// Their boxes.
    pub tree: NearFaces,
    nodes: Vec<(u32, u32)>,
    /// Where the nodes of each end.
    ends: Vec<u32>,
    is_flat: Vec<bool>,
}

impl FaceBatches {
    /// Compact at these positions of all nodes \[m\].
    pub fn new(surface: &Surface, positions: &[Vec3]) -> Self {
        let tree = NearFaces::new(surface, positions, 0.0);
        let (mut nodes, mut ends, mut is_flat) = (Vec::new(), Vec::new(), Vec::new());
        let mut is_owned = vec![false; surface.nodes().len()];
        for faces in tree.leaves() {
            for (place, &face) in (0..).zip(faces) {
                for &local in surface.local_nodes_of_face(face as usize) {
                    if !std::mem::replace(&mut is_owned[local as usize], true) {
                        nodes.push((surface.nodes()[local as usize], place));
                    }
                }
            }
            let is_face_flat =
                |&face: &u32| matches!(surface.face(face as usize).0, CellKind::Line2 | CellKind::Tri3);
            is_flat.push(faces.iter().all(is_face_flat));
            ends.push(nodes.len() as u32);
        }
        Self { tree, nodes, ends, is_flat }
    }

    /// One of them.
    pub fn batch(&self, batch: u32) -> FaceBatch<'_> {
        let (faces, boxes) = self.tree.leaf(batch);
        let batch = batch as usize;
        let begin = batch.checked_sub(1).map_or(0, |before| self.ends[before]);
        let nodes = &self.nodes[begin as usize..self.ends[batch] as usize];
        FaceBatch { faces, is_flat: self.is_flat[batch], nodes, boxes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::detection::samples::Samples;

    /// Every face is in one batch, and every node belongs to one face that has it, whatever its kind.
    #[test]
    fn every_node_belongs_to_a_face_of_its_own() {
        let samples = &mut Samples::new(2);
        let quad = (CellKind::Quad4, vec![3, 9, 8, 5]);
        let triangle = |k: u32| (CellKind::Tri3, vec![k, k + 1, k + 2]);
        let faces: Vec<(CellKind, Vec<u32>)> = (0..40).map(triangle).chain([quad]).collect();
        let surface = Surface::new(faces.iter().map(|(kind, nodes)| (*kind, nodes.as_slice())));
        let positions: Vec<Vec3> = (0..42).map(|_| samples.vector(1.0)).collect();
        let batches = FaceBatches::new(&surface, &positions);
        let (mut seen, mut owned, mut num_flat) = (Vec::new(), Vec::new(), 0);
        for k in 0..batches.tree.num_leaves() as u32 {
            let batch = batches.batch(k);
            seen.extend_from_slice(batch.faces);
            let has = |&(node, place): &(u32, u32)| {
                surface.face(batch.faces[place as usize] as usize).1.contains(&node)
            };
            assert!(batch.nodes.iter().all(has));
            owned.extend(batch.nodes.iter().map(|(node, _)| *node));
            num_flat += usize::from(batch.is_flat);
        }
        seen.sort_unstable();
        owned.sort_unstable();
        assert_eq!(seen, (0..41).collect::<Vec<_>>());
        assert_eq!(owned, surface.nodes());
        assert_eq!(num_flat, 5);
    }
}
