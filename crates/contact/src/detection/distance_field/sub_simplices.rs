//! Division of an enriched element into simplices with its support points ([module](super)) as corners.
//!
//! Triangles are divided about their centre into 6 triangles, quadrilaterals into 8. The faces of solid elements are
//! divided likewise; each triangle and the centre of the element give a tetrahedron. Neighbouring elements divide a
//! common face alike.

use std::sync::LazyLock;

use super::enriched::Enriched;
use crate::mesh::CellKind;

/// Local numbers of the support points of a sub-simplex; a triangle repeats its third point.
pub(super) type SubSimplex = [u8; 4];

static DIVISIONS: LazyLock<[Vec<SubSimplex>; 5]> = LazyLock::new(|| {
    [CellKind::Tri3, CellKind::Quad4, CellKind::Tet4, CellKind::Wedge6, CellKind::Hex8].map(divide)
});

pub(super) fn sub_simplices(kind: CellKind) -> &'static [SubSimplex] {
    let place = match kind.linear() {
        CellKind::Tri3 => 0,
        CellKind::Quad4 => 1,
        CellKind::Tet4 => 2,
        CellKind::Wedge6 => 3,
        CellKind::Hex8 => 4,
        _ => return &[],
    };
    &DIVISIONS[place]
}

fn divide(kind: CellKind) -> Vec<SubSimplex> {
    let Some(enriched) = Enriched::of(kind) else { return Vec::new() };
    let centre = (enriched.num_points() - 1) as u8;
    if kind.dimension() == 2 {
        return fan(&enriched, kind.corners(), centre).into_iter().map(|[a, b, c]| [a, b, c, c]).collect();
    }
    let faces = kind.faces().iter().flat_map(|face| {
        fan(&enriched, face.nodes, point_at(&enriched, face.nodes))
            .into_iter()
            .map(|[a, b, c]| [a, b, c, centre])
    });
    faces.collect()
}

/// Triangles of a polygon, each between one half of a side and the point `centre`.
fn fan(enriched: &Enriched, corners: &[u8], centre: u8) -> Vec<[u8; 3]> {
    let count = corners.len();
    let sides = (0..count).flat_map(|k| {
        let (from, to) = (corners[k], corners[(k + 1) % count]);
        let middle = point_at(enriched, &[from, to]);
        [[from, middle, centre], [middle, to, centre]]
    });
    sides.collect()
}

/// Local number of the support point at the mean of the corners.
fn point_at(enriched: &Enriched, corners: &[u8]) -> u8 {
    let has =
        |point: &&'static [u8]| point.len() == corners.len() && point.iter().all(|c| corners.contains(c));
    enriched.points().iter().position(has).unwrap_or(0) as u8
}
