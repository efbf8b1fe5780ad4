//! Feature edges: edges of a surface that can touch other edges.
//!
//! Sharp convex edges, like the ridges of two roofs, can cross although no node is inside the other body. Concave edges
//! cannot cross. If edges between nearly coplanar faces touch, their nodes touch too.

use ictus_core::vocabulary;

use crate::Surface;
use crate::math::Vec3;

use crate::detection::face::closest_point::normals_beside_edge;

vocabulary! {
    /// Selection of the edges that can touch other edges.
    #[derive(Default)]
    pub enum EdgeSelection {
        /// Sharp convex edges, with face normals at 30° or more to each other, and the borders of open surfaces.
        #[default]
        Feature = "feature",
        /// All convex or flat edges, and the borders of open surfaces.
        All = "all",
        /// No edges.
        None = "none",
    }
}

/// Cosine of 30°, the least angle between the face normals of a feature edge.
const SHARP: f64 = 0.866_025_403_784_438_6;

/// Sine of the largest angle between the face normals at which a concave edge counts as flat.
const FLAT: f64 = 1e-9;

/// Feature edges of one surface.
#[derive(Clone, Debug, Default)]
pub(crate) struct FeatureEdges {
    /// Number of the first edge of this surface. The edges of all surfaces are numbered consecutively.
    pub first_number: u32,
    /// The selected edges: indices into [`Surface::edges`], ascending. Each edge is assigned to the first of its faces;
    /// edges assigned to the same face are consecutive.
    edges: Vec<u32>,
    /// For each face, the end of the range of `edges` that is assigned to this face.
    ends: Vec<u32>,
}

impl FeatureEdges {
    /// Selects edges by the angles at the stress-free `positions` \[m\].
    pub fn select(
        selection: EdgeSelection,
        surface: &Surface,
        positions: &[Vec3],
        first_number: u32,
    ) -> Self {
        let all = 0..surface.edges().len() as u32;
        let edges: Vec<u32> = all.filter(|&edge| is_selected(selection, surface, positions, edge)).collect();
        let of_face = |edge: u32| surface.edges()[edge as usize].face as usize;
        let ends = (0..surface.num_faces()).map(|face| edges.partition_point(|&e| of_face(e) <= face) as u32);
        Self { first_number, ends: ends.collect(), edges }
    }

    /// All feature edges: indices into [`Surface::edges`], ascending.
    pub fn all(&self) -> &[u32] {
        &self.edges
    }

    /// Feature edges assigned to this face: indices into [`Surface::edges`].
    pub fn of_face(&self, face: u32) -> &[u32] {
        let Some(&end) = self.ends.get(face as usize) else { return &[] };
        let first = if face == 0 { 0 } else { self.ends[face as usize - 1] };
        &self.edges[first as usize..end as usize]
    }
}

fn is_selected(selection: EdgeSelection, surface: &Surface, positions: &[Vec3], edge: u32) -> bool {
    let edge = &surface.edges()[edge as usize];
    if selection == EdgeSelection::None {
        return false;
    }
    let [first, second] = normals_beside_edge(surface, &|node| positions[node as usize], edge, 0.5);
    let Some(along) = along(edge.nodes, positions).filter(|_| edge.neighbour.is_some()) else {
        return edge.neighbour.is_none();
    };
    // `turn` is positive if the edge is convex.
    let turn = first.cross(&second).dot(&along);
    match selection {
        EdgeSelection::Feature => turn > 0.0 && first.dot(&second) <= SHARP,
        _ => turn >= -FLAT,
    }
}

/// Unit vector along an edge; `None` if its ends coincide.
fn along([from, to]: [u32; 2], positions: &[Vec3]) -> Option<Vec3> {
    (positions[to as usize] - positions[from as usize]).try_normalize(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::CellKind;

    /// The second triangle is turned down by this angle \[°\].
    fn roof(angle: f64) -> (Surface, Vec<Vec3>) {
        let (sin, cos) = angle.to_radians().sin_cos();
        let positions = [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [cos, 0.0, -sin]];
        let faces = [[0, 1, 2], [1, 0, 3]];
        let surface = Surface::new(faces.iter().map(|nodes| (CellKind::Tri3, nodes.as_slice())));
        (surface, positions.map(Vec3::from).to_vec())
    }

    #[test]
    fn sharp_convex_edges_and_borders_are_features() {
        let count = |angle: f64, selection| {
            let (surface, positions) = roof(angle);
            let found = FeatureEdges::select(selection, &surface, &positions, 0);
            let of_faces: usize = (0..2).map(|face| found.of_face(face).len()).sum();
            assert_eq!(of_faces, found.all().len());
            found.all().len()
        };
        let angles = [-40.0, 0.0, 29.9, 30.1, 90.0, 170.0];
        assert_eq!(angles.map(|angle| count(angle, EdgeSelection::Feature)), [4, 4, 4, 5, 5, 5]);
        assert_eq!(angles.map(|angle| count(angle, EdgeSelection::All)), [4, 5, 5, 5, 5, 5]);
        assert_eq!(angles.map(|angle| count(angle, EdgeSelection::None)), [0; 6]);
    }
}
