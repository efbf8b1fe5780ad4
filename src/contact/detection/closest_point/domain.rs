//! The natural domain of a face: a convex polygon (or interval) of natural coordinates.

use super::Feature;
use crate::mesh::CellKind;

/// Most nodes of a face: the size of buffers for its shape functions.
pub const MAX_FACE_NODES: usize = 9;

/// A coordinate this close to the border of its domain is on it; what the sum of two coordinates rounds to.
const BORDER: f64 = 4.0 * f64::EPSILON;

/// A natural domain, its corners in the order of the corner nodes.
#[derive(Debug)]
pub struct Domain {
    /// Corners.
    pub corners: &'static [[f64; 2]],
    /// Centre.
    pub centre: [f64; 2],
    /// `sides[k]` = (n, b): n·ξ ≥ b, with equality on the edge from corner k to corner k + 1; for a segment, at
    /// corner k.
    sides: &'static [([f64; 2], f64)],
}

static SEGMENT: Domain = Domain {
    corners: &[[-1.0, 0.0], [1.0, 0.0]],
    centre: [0.0, 0.0],
    sides: &[([1.0, 0.0], -1.0), ([-1.0, 0.0], -1.0)],
};
static TRIANGLE: Domain = Domain {
    corners: &[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
    centre: [1.0 / 3.0, 1.0 / 3.0],
    sides: &[([0.0, 1.0], 0.0), ([-1.0, -1.0], -1.0), ([1.0, 0.0], 0.0)],
};
static QUADRILATERAL: Domain = Domain {
    corners: &[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]],
    centre: [0.0, 0.0],
    sides: &[([0.0, 1.0], -1.0), ([-1.0, 0.0], -1.0), ([0.0, -1.0], -1.0), ([1.0, 0.0], -1.0)],
};

impl Domain {
    /// Domain of a face; `None` for kinds that are not faces.
    pub fn of(kind: CellKind) -> Option<&'static Self> {
        match kind.linear() {
            CellKind::Line2 => Some(&SEGMENT),
            CellKind::Tri3 => Some(&TRIANGLE),
            CellKind::Quad4 => Some(&QUADRILATERAL),
            _ => None,
        }
    }

    /// 1 for an interval, 2 for a polygon.
    pub fn dimension(&self) -> usize {
        if self.corners.len() > 2 { 2 } else { 1 }
    }

    /// Whether ξ satisfies all constraints.
    pub fn contains(&self, xi: [f64; 2]) -> bool {
        self.sides.iter().all(|(n, b)| n[0] * xi[0] + n[1] * xi[1] >= *b)
    }

    /// Where a point of the domain lies: on the border if within rounding of it.
    pub fn feature(&self, xi: [f64; 2]) -> Feature {
        let on = |k: usize| {
            let (n, b) = self.sides[k];
            n[0] * xi[0] + n[1] * xi[1] - b <= BORDER
        };
        let count = self.sides.len();
        if self.dimension() == 1 {
            return (0..count).find(|&k| on(k)).map_or(Feature::Face, |k| Feature::Vertex(k as u8));
        }
        if let Some(k) = (0..count).find(|&k| on(k) && on((k + count - 1) % count)) {
            return Feature::Vertex(k as u8);
        }
        (0..count).find(|&k| on(k)).map_or(Feature::Face, |k| Feature::Edge(k as u8))
    }
}
