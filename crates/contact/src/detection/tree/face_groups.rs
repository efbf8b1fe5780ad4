//! Groups of neighbouring faces: one bounding volume can exclude all faces of a group. Unlike patches, groups have no
//! contact lists and do not change.

use crate::Surface;
use crate::math::Vec3;

use super::compact_order::compact_order_of_faces;
use crate::detection::face::bounds::overshoot;

/// Faces per group. Smaller groups share more nodes with neighbours; larger groups have looser boxes.
pub(crate) const FACES_PER_GROUP: usize = 32;

#[derive(Clone, Debug, Default)]
pub(crate) struct FaceGroups {
    faces_per_group: usize,
    faces: Vec<u32>,
    /// The nodes of each group, first those that the group owns. The first group that contains a node owns the node.
    nodes: Vec<u32>,
    /// For each group, the end of its own nodes and the end of all its nodes in `nodes`.
    ends: Vec<[u32; 2]>,
    overshoot: f64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct FaceGroup<'a> {
    pub faces: &'a [u32],
    pub nodes: &'a [u32],
    /// The nodes that this group owns. Exactly one group owns each node of the surface.
    pub own_nodes: &'a [u32],
}

impl FaceGroups {
    /// Groups of `faces_per_group` faces, spatially compact for the `positions` \[m\] of all nodes. The last group may
    /// be smaller.
    pub fn new(surface: &Surface, positions: &[Vec3], faces_per_group: usize) -> Self {
        let faces = compact_order_of_faces(surface, positions);
        let mut groups = Self { faces_per_group, overshoot: overshoot(surface), ..Self::default() };
        let mut is_owned = vec![false; surface.nodes().len()];
        for group in faces.chunks(faces_per_group) {
            let mut nodes: Vec<u32> =
                group.iter().flat_map(|&face| surface.face(face as usize).1).copied().collect();
            nodes.sort_unstable();
            nodes.dedup();
            let is_new = |node: &u32| {
                surface.local_node(*node).is_some_and(|local| !std::mem::replace(&mut is_owned[local], true))
            };
            let (own, shared): (Vec<u32>, Vec<u32>) = nodes.into_iter().partition(is_new);
            groups.nodes.extend_from_slice(&own);
            let end_of_own = groups.nodes.len() as u32;
            groups.nodes.extend_from_slice(&shared);
            groups.ends.push([end_of_own, groups.nodes.len() as u32]);
        }
        groups.faces = faces;
        groups
    }

    pub fn iter(&self) -> impl Iterator<Item = FaceGroup<'_>> {
        let begins = std::iter::once(0).chain(self.ends.iter().map(|&[_, end]| end as usize));
        self.faces.chunks(self.faces_per_group.max(1)).zip(begins).zip(&self.ends).map(
            |((faces, begin), &[own, all])| {
                let nodes = &self.nodes[begin..all as usize];
                FaceGroup { faces, nodes, own_nodes: &nodes[..own as usize - begin] }
            },
        )
    }

    /// Largest excess of interpolated values on a face over the range of the nodal values, relative to this range;
    /// 0 for linear faces.
    pub fn overshoot(&self) -> f64 {
        self.overshoot
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::CellKind;

    #[test]
    fn every_face_is_in_one_group_and_every_node_is_owned_once() {
        let node = |i: u32, j: u32| 7 + 16 * i + j;
        let cells = (0..20).flat_map(|i| (0..15).map(move |j| (i, j)));
        let faces: Vec<[u32; 3]> = cells
            .flat_map(|(i, j)| {
                let [a, b, c, d] = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
                [[a, b, c], [a, c, d]]
            })
            .collect();
        let surface = Surface::new(faces.iter().map(|face| (CellKind::Tri3, face.as_slice())));
        let place =
            |k: u32| Vec3::new(f64::from(k.wrapping_sub(7) / 16), f64::from(k.wrapping_sub(7) % 16), 0.0);
        let positions: Vec<Vec3> = (0..7 + 21 * 16).map(place).collect();
        let groups = FaceGroups::new(&surface, &positions, FACES_PER_GROUP);
        assert_eq!(groups.iter().count(), 19);
        let mut faces_seen: Vec<u32> = groups.iter().flat_map(|group| group.faces.to_vec()).collect();
        faces_seen.sort_unstable();
        assert_eq!(faces_seen, (0..600).collect::<Vec<_>>());
        let mut nodes_seen: Vec<u32> = groups.iter().flat_map(|group| group.own_nodes.to_vec()).collect();
        nodes_seen.sort_unstable();
        assert_eq!(nodes_seen, surface.nodes());
        for group in groups.iter() {
            let of_faces = group.faces.iter().flat_map(|&face| surface.face(face as usize).1);
            assert!(of_faces.clone().all(|node| group.nodes.contains(node)));
            assert!(group.nodes.iter().all(|node| of_faces.clone().any(|other| other == node)));
            assert!(group.nodes.len() < 40, "compact: {}", group.nodes.len());
        }
    }
}
