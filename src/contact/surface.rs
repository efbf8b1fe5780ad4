//! The surface of a body that can touch: its faces with their edges and nodes, cut off from the volume mesh once.

use std::collections::HashMap;

use crate::math::Vec3;
use crate::mesh::CellKind;

/// Marks the missing neighbour of a border edge.
const NONE: u32 = u32::MAX;

/// An edge of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its end nodes, global numbers.
    pub nodes: [u32; 2],
    /// The first face it belongs to.
    pub face: u32,
    /// The face on its other side; `None` on the border of an open surface.
    pub neighbour: Option<u32>,
}

/// Faces of one body, oriented outward, with global node numbers.
///
/// Faces are segments in plane problems and triangles or quadrilaterals in space; kinds may be mixed. The edges
/// of a segment are its end points, so a plane surface has no [`Surface::edges`].
#[derive(Clone, Debug, Default)]
pub struct Surface {
    kinds: Vec<CellKind>,
    offsets: Vec<u32>,
    face_nodes: Vec<u32>,
    nodes: Vec<u32>,
    node_face_offsets: Vec<u32>,
    node_faces: Vec<u32>,
    edges: Vec<Edge>,
    face_edges: Vec<u32>,
}

impl Surface {
    /// Topology of the given faces: (kind, global nodes counter-clockwise seen from outside).
    pub fn new<'a>(faces: impl IntoIterator<Item = (CellKind, &'a [u32])>) -> Self {
        let mut surface = Self { offsets: vec![0], ..Self::default() };
        for (kind, nodes) in faces {
            surface.kinds.push(kind);
            surface.face_nodes.extend_from_slice(nodes);
            surface.offsets.push(surface.face_nodes.len() as u32);
        }
        surface.connect_nodes();
        surface.connect_edges();
        surface
    }

    fn connect_nodes(&mut self) {
        self.nodes = self.face_nodes.clone();
        self.nodes.sort_unstable();
        self.nodes.dedup();
        let mut incidences: Vec<(u32, u32)> =
            (0..self.num_faces()).flat_map(|f| self.face(f).1.iter().map(move |&n| (n, f as u32))).collect();
        incidences.sort_unstable();
        self.node_faces = incidences.iter().map(|i| i.1).collect();
        self.node_face_offsets =
            self.nodes.iter().map(|&n| incidences.partition_point(|i| i.0 < n) as u32).collect();
        self.node_face_offsets.push(incidences.len() as u32);
    }

    fn connect_edges(&mut self) {
        let mut index: HashMap<[u32; 2], u32> = HashMap::new();
        self.face_edges = vec![NONE; self.face_nodes.len()];
        for f in 0..self.num_faces() {
            let (kind, nodes) = self.face(f);
            if kind.dimension() < 2 {
                continue;
            }
            let corners: Vec<u32> = kind.corners().iter().map(|&c| nodes[c as usize]).collect();
            for k in 0..corners.len() {
                let ends = [corners[k], corners[(k + 1) % corners.len()]];
                let key = [ends[0].min(ends[1]), ends[0].max(ends[1])];
                let edge = *index.entry(key).or_insert_with(|| {
                    self.edges.push(Edge { nodes: ends, face: f as u32, neighbour: None });
                    (self.edges.len() - 1) as u32
                });
                if self.edges[edge as usize].face != f as u32 {
                    self.edges[edge as usize].neighbour = Some(f as u32);
                }
                self.face_edges[self.offsets[f] as usize + k] = edge;
            }
        }
    }

    /// Number of faces.
    pub fn num_faces(&self) -> usize {
        self.kinds.len()
    }

    /// Kind and global nodes of a face.
    pub fn face(&self, face: usize) -> (CellKind, &[u32]) {
        let range = self.offsets[face] as usize..self.offsets[face + 1] as usize;
        (self.kinds[face], &self.face_nodes[range])
    }

    /// Edges of a face: the k-th runs from its k-th to its (k+1)-th corner; empty for segments.
    pub fn edges_of_face(&self, face: usize) -> &[u32] {
        let kind = self.kinds[face];
        let first = self.offsets[face] as usize;
        let count = if kind.dimension() < 2 { 0 } else { kind.corners().len() };
        &self.face_edges[first..first + count]
    }

    /// Edges, each once.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Nodes of the surface, global numbers, ascending.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Position of a global node within [`Surface::nodes`].
    pub fn local_node(&self, node: u32) -> Option<usize> {
        self.nodes.binary_search(&node).ok()
    }

    /// Median length of the edges of the faces \[m\] (of the segments themselves in plane problems); 0 without
    /// faces.
    pub fn median_edge(&self, positions: &[Vec3]) -> f64 {
        let mut lengths = Vec::with_capacity(self.face_nodes.len());
        for face in 0..self.num_faces() {
            let (kind, nodes) = self.face(face);
            let corners = kind.corners();
            let corner = |k: usize| positions[nodes[corners[k % corners.len()] as usize] as usize];
            let count = if kind.dimension() < 2 { 1 } else { corners.len() };
            lengths.extend((0..count).map(|k| (corner(k + 1) - corner(k)).norm()));
        }
        lengths.sort_unstable_by(f64::total_cmp);
        lengths.get(lengths.len() / 2).copied().unwrap_or(0.0)
    }

    /// Faces around the node at a position of [`Surface::nodes`].
    pub fn faces_of_local_node(&self, local: usize) -> &[u32] {
        &self.node_faces[self.node_face_offsets[local] as usize..self.node_face_offsets[local + 1] as usize]
    }
}
