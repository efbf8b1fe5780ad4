//! Contact surface of a body: faces, edges and nodes.

use std::collections::HashMap;

use crate::math::Vec3;
use crate::mesh::CellKind;

/// Unused entry of `Surface::face_edges`. A face has one entry per node, but may have fewer edges than nodes.
const NONE: u32 = u32::MAX;

/// An edge of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Global numbers of the end nodes.
    pub nodes: [u32; 2],
    /// Middle node of a quadratic edge.
    pub middle: Option<u32>,
    /// First face with this edge.
    pub face: u32,
    /// Another face with this edge; `None` on a border.
    pub neighbour: Option<u32>,
}

/// Faces of one body, oriented outward, with global node numbers.
///
/// Faces are segments in plane problems, and triangles or quadrilaterals in space. Linear and quadratic faces may be
/// mixed. Segments have no edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    kinds: Vec<CellKind>,
    distinct_kinds: Vec<CellKind>,
    offsets: Vec<u32>,
    face_nodes: Vec<u32>,
    local_face_nodes: Vec<u32>,
    nodes: Vec<u32>,
    node_face_offsets: Vec<u32>,
    node_faces: Vec<u32>,
    edges: Vec<Edge>,
    face_edges: Vec<u32>,
    is_closed: bool,
}

impl Surface {
    /// Surface of faces, each with its kind and global nodes. The corners of a triangle or quadrilateral run
    /// counter-clockwise seen from outside.
    pub fn new<'a>(faces: impl IntoIterator<Item = (CellKind, &'a [u32])>) -> Self {
        let mut surface = Self { offsets: vec![0], ..Self::default() };
        for (kind, nodes) in faces {
            surface.kinds.push(kind);
            if !surface.distinct_kinds.contains(&kind) {
                surface.distinct_kinds.push(kind);
            }
            surface.face_nodes.extend_from_slice(nodes);
            surface.offsets.push(surface.face_nodes.len() as u32);
        }
        surface.connect_nodes();
        surface.connect_edges();
        surface.is_closed = surface.has_no_border();
        surface
    }

    fn connect_nodes(&mut self) {
        self.nodes = self.face_nodes.clone();
        self.nodes.sort_unstable();
        self.nodes.dedup();
        let local = |node: &u32| self.nodes.partition_point(|other| other < node) as u32;
        self.local_face_nodes = self.face_nodes.iter().map(local).collect();
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
            let edges: Vec<([u32; 2], Option<u32>)> =
                (0..kind.corners().len()).map(|k| edge_nodes(kind, nodes, k)).collect();
            for (k, (ends, middle)) in edges.into_iter().enumerate() {
                let key = [ends[0].min(ends[1]), ends[0].max(ends[1])];
                let edge = *index.entry(key).or_insert_with(|| {
                    self.edges.push(Edge { nodes: ends, middle, face: f as u32, neighbour: None });
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

    /// Kinds of the faces, without repetition.
    pub fn distinct_kinds(&self) -> &[CellKind] {
        &self.distinct_kinds
    }

    /// Global nodes of all faces, if all faces are of one kind with `N` nodes.
    pub fn faces_of_one_kind<const N: usize>(&self) -> Option<&[[u32; N]]> {
        let is_one = self.distinct_kinds.len() == 1 && self.distinct_kinds[0].num_nodes() == N;
        is_one.then(|| self.face_nodes.as_chunks().0)
    }

    /// Kind and global nodes of a face.
    pub fn face(&self, face: usize) -> (CellKind, &[u32]) {
        let range = self.offsets[face] as usize..self.offsets[face + 1] as usize;
        (self.kinds[face], &self.face_nodes[range])
    }

    /// Nodes of a face as indices into [`Surface::nodes`].
    pub fn local_nodes_of_face(&self, face: usize) -> &[u32] {
        &self.local_face_nodes[self.offsets[face] as usize..self.offsets[face + 1] as usize]
    }

    /// Edges of a face as indices into [`Surface::edges`]. The k-th edge runs from the k-th to the (k+1)-th corner.
    /// Empty for segments.
    pub fn edges_of_face(&self, face: usize) -> &[u32] {
        let kind = self.kinds[face];
        let first = self.offsets[face] as usize;
        let count = if kind.dimension() < 2 { 0 } else { kind.corners().len() };
        &self.face_edges[first..first + count]
    }

    /// Edges, without repetition.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Global nodes of the surface, ascending.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Index of a global node in [`Surface::nodes`]; `None` off the surface.
    pub fn local_node(&self, node: u32) -> Option<usize> {
        self.nodes.binary_search(&node).ok()
    }

    /// Whether the surface has no border: along every edge, as many faces run forward as backward. For segments: at
    /// every node, as many segments begin as end.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    fn has_no_border(&self) -> bool {
        let (mut of_edges, mut of_nodes) = (vec![0_i32; self.edges.len()], vec![0_i32; self.nodes.len()]);
        for face in 0..self.num_faces() {
            let (kind, nodes) = self.face(face);
            let corner = |k: usize| nodes[kind.corners()[k % kind.corners().len()] as usize];
            for (k, &edge) in self.edges_of_face(face).iter().enumerate() {
                let forward = self.edges[edge as usize].nodes == [corner(k), corner(k + 1)];
                // A collapsed edge does not count.
                let runs = corner(k) != corner(k + 1);
                of_edges[edge as usize] += i32::from(runs) * if forward { 1 } else { -1 };
            }
            if kind.dimension() == 1
                && let [Some(from), Some(to)] = [0, 1].map(|k| self.local_node(corner(k)))
            {
                of_nodes[from] += 1;
                of_nodes[to] -= 1;
            }
        }
        of_edges.iter().chain(&of_nodes).all(|&count| count == 0)
    }

    /// Whether one face of the surface contains all `nodes`; false if `nodes` is empty.
    pub fn holds(&self, nodes: &[u32]) -> bool {
        let around = nodes.first().map_or(&[][..], |&node| self.faces_of_node(node));
        around.iter().any(|&face| {
            let of_face = self.face(face as usize).1;
            nodes.iter().all(|node| of_face.contains(node))
        })
    }

    /// Whether `nodes` are the nodes of a face, in the order of the face.
    pub fn is_face(&self, nodes: &[u32]) -> bool {
        let around = nodes.first().map_or(&[][..], |&node| self.faces_of_node(node));
        around.iter().any(|&face| self.face(face as usize).1 == nodes)
    }

    /// Faces that contain all `nodes`. If there is none, the faces whose nodes are all among `nodes`.
    pub fn faces_at<'a>(&'a self, nodes: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
        let nodes_of = |&face: &u32| self.face(face as usize).1;
        let has_all = move |face: &u32| nodes.iter().all(|node| nodes_of(face).contains(node));
        let first = nodes.first().map_or(&[][..], |&node| self.faces_of_node(node));
        let others = if first.iter().any(has_all) { &[][..] } else { nodes };
        let has_only = move |&(node, face): &(u32, u32)| {
            let of_face = nodes_of(&face);
            let is_first = nodes.iter().find(|node| of_face.contains(node)) == Some(&node);
            is_first && of_face.iter().all(|node| nodes.contains(node))
        };
        let around = move |&node: &u32| self.faces_of_node(node).iter().map(move |&face| (node, face));
        let only = others.iter().flat_map(around);
        first.iter().copied().filter(has_all).chain(only.filter(has_only).map(|(_, face)| face))
    }

    /// Median distance of neighbouring nodes along the edges or segments \[m\]; 0 without faces.
    ///
    /// A quadratic edge contributes its two halves. An edge of two faces counts twice.
    pub fn median_edge(&self, positions: &[Vec3]) -> f64 {
        let mut lengths = Vec::with_capacity(self.face_nodes.len());
        let distance = |a: u32, b: u32| (positions[b as usize] - positions[a as usize]).norm();
        for face in 0..self.num_faces() {
            let (kind, nodes) = self.face(face);
            let count = if kind.dimension() < 2 { 1 } else { kind.corners().len() };
            for k in 0..count {
                let ([a, b], middle) = edge_nodes(kind, nodes, k);
                match middle {
                    Some(middle) => lengths.extend([distance(a, middle), distance(middle, b)]),
                    None => lengths.push(distance(a, b)),
                }
            }
        }
        lengths.sort_unstable_by(f64::total_cmp);
        lengths.get(lengths.len() / 2).copied().unwrap_or(0.0)
    }

    /// Largest distance of a node from the mean position of all nodes \[m\]; 0 without faces.
    pub fn radius(&self, positions: &[Vec3]) -> f64 {
        let places = self.nodes.iter().map(|&node| positions[node as usize]);
        let mean = places.clone().sum::<Vec3>() / self.nodes.len().max(1) as f64;
        places.map(|place| (place - mean).norm()).fold(0.0, f64::max)
    }

    /// Nodes with their shares of the surface area \[m²\]. Every face distributes the area of its corner polygon
    /// equally among its nodes. Segments have a thickness of 1 m.
    pub fn nodal_areas(&self, positions: &[Vec3]) -> impl Iterator<Item = (u32, f64)> + use<'_> {
        let mut areas = vec![0.0; self.nodes.len()];
        for face in 0..self.num_faces() {
            let (kind, nodes) = self.face(face);
            let corner = |k: usize| positions[nodes[k] as usize];
            let count = kind.corners().len();
            let area = if kind.dimension() < 2 {
                (corner(1) - corner(0)).norm()
            } else {
                let fan = (2..count).map(|k| (corner(k - 1) - corner(0)).cross(&(corner(k) - corner(0))));
                0.5 * fan.sum::<Vec3>().norm()
            };
            for local in nodes.iter().filter_map(|&node| self.local_node(node)) {
                areas[local] += area / nodes.len() as f64;
            }
        }
        self.nodes.iter().copied().zip(areas)
    }

    /// Face ring of a global node; empty off the surface.
    pub fn faces_of_node(&self, node: u32) -> &[u32] {
        self.local_node(node).map_or(&[], |local| self.faces_of_local_node(local))
    }

    /// Face ring of a local node.
    pub fn faces_of_local_node(&self, local: usize) -> &[u32] {
        &self.node_faces[self.node_face_offsets[local] as usize..self.node_face_offsets[local + 1] as usize]
    }
}

/// End nodes of the k-th edge of a face, and the middle node of a quadratic edge. Edge 0 of a segment is the segment.
fn edge_nodes(kind: CellKind, nodes: &[u32], k: usize) -> ([u32; 2], Option<u32>) {
    let count = kind.corners().len();
    let middle = if kind == kind.linear() { None } else { nodes.get(count + k).copied() };
    ([nodes[k], nodes[(k + 1) % count]], middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two six-node triangles share the diagonal of a square as a single edge, with its middle node.
    #[test]
    fn edges_of_quadratic_faces_have_their_middle_node() {
        let point = |x: f64, y: f64| Vec3::new(x, y, 0.0);
        let positions = [
            point(0.0, 0.0),
            point(2.0, 0.0),
            point(2.0, 2.0),
            point(0.0, 2.0),
            point(1.0, 0.0),
            point(2.0, 1.0),
            point(1.0, 1.0),
            point(1.0, 2.0),
            point(0.0, 1.0),
        ];
        let faces = [[0, 1, 2, 4, 5, 6], [0, 2, 3, 6, 7, 8]];
        let surface = Surface::new(faces.iter().map(|nodes| (CellKind::Tri6, nodes.as_slice())));
        assert_eq!(surface.edges().len(), 5);
        assert_eq!(surface.nodes().len(), 9);
        let shared: Vec<&Edge> = surface.edges().iter().filter(|edge| edge.neighbour.is_some()).collect();
        assert_eq!(shared.len(), 1);
        assert_eq!((shared[0].middle, shared[0].face, shared[0].neighbour), (Some(6), 0, Some(1)));
        assert_eq!(surface.edges_of_face(1)[0], surface.edges_of_face(0)[2]);
        let held = [&[1][..], &[2, 1], &[5], &faces[0], &[3], &[1, 3], &[0, 2, 3], &faces[1], &[]];
        let first = Surface::new([(CellKind::Tri6, faces[0].as_slice())]);
        assert_eq!(
            held.map(|nodes| first.holds(nodes)),
            [true, true, true, true, false, false, false, false, false]
        );
        // The first triangle contains both ends of the diagonal. No triangle contains both other corners of the square.
        assert!(
            first.holds(&[0, 2]) && surface.holds(&[1]) && surface.holds(&[3]) && !surface.holds(&[1, 3])
        );
        assert_eq!(surface.median_edge(&positions), 1.0);
        let linear = Surface::new([(CellKind::Tri3, [0, 1, 2].as_slice())]);
        assert_eq!((linear.edges()[0].middle, linear.median_edge(&positions)), (None, 2.0));
        let plane = Surface::new([(CellKind::Line3, [0, 1, 4].as_slice())]);
        assert_eq!((plane.nodes().len(), plane.edges().len(), plane.median_edge(&positions)), (3, 0, 1.0));
        // Each triangle has the area 2 and six nodes.
        let areas: Vec<f64> = surface.nodal_areas(&positions).map(|(_, area)| 3.0 * area).collect();
        assert_eq!(areas, [2.0, 1.0, 2.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0]);
        assert_eq!(plane.nodal_areas(&positions).map(|(_, length)| length).sum::<f64>(), 2.0);
    }
}
