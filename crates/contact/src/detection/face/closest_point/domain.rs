//! Natural domain of a face: a triangle, a square or an interval.

use super::Feature;
use crate::mesh::CellKind;

/// Largest number of nodes of a face.
pub const MAX_FACE_NODES: usize = 9;

/// Largest n·ξ − b at which ξ counts as on the side n·ξ = b ([`Domain::sides`]): rounding of a sum of two coordinates.
const BORDER: f64 = 4.0 * f64::EPSILON;

/// The natural domain of a face.
#[derive(Debug)]
pub struct Domain {
    /// Natural coordinates of the corners, in nodal order.
    pub corners: &'static [[f64; 2]],
    /// Natural coordinates of the centre.
    pub centre: [f64; 2],
    /// Entry k is (n, b) of the inequality n·ξ ≥ b. Equality holds on the edge from corner k to the next corner, or at
    /// corner k of an interval.
    pub sides: &'static [([f64; 2], f64)],
}

/// \[−1, 1\].
pub const INTERVAL: Domain = Domain {
    corners: &[[-1.0, 0.0], [1.0, 0.0]],
    centre: [0.0, 0.0],
    sides: &[([1.0, 0.0], -1.0), ([-1.0, 0.0], -1.0)],
};
/// ξ, η ≥ 0, ξ + η ≤ 1.
pub const TRIANGLE: Domain = Domain {
    corners: &[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
    centre: [1.0 / 3.0, 1.0 / 3.0],
    sides: &[([0.0, 1.0], 0.0), ([-1.0, -1.0], -1.0), ([1.0, 0.0], 0.0)],
};
/// \[−1, 1\]².
pub const SQUARE: Domain = Domain {
    corners: &[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]],
    centre: [0.0, 0.0],
    sides: &[([0.0, 1.0], -1.0), ([-1.0, 0.0], -1.0), ([0.0, -1.0], -1.0), ([1.0, 0.0], -1.0)],
};

impl Domain {
    /// The cell kinds of faces.
    pub const KINDS: [CellKind; 7] = [
        CellKind::Line2,
        CellKind::Line3,
        CellKind::Tri3,
        CellKind::Quad4,
        CellKind::Tri6,
        CellKind::Quad8,
        CellKind::Quad9,
    ];

    /// Domain of a face; `None` for kinds that are not faces.
    pub fn of(kind: CellKind) -> Option<&'static Self> {
        match kind.linear() {
            CellKind::Line2 => Some(&INTERVAL),
            CellKind::Tri3 => Some(&TRIANGLE),
            CellKind::Quad4 => Some(&SQUARE),
            _ => None,
        }
    }

    /// 1 for an interval, 2 for a polygon.
    #[inline]
    pub fn dimension(&self) -> usize {
        if self.corners.len() > 2 { 2 } else { 1 }
    }

    /// Whether ξ satisfies all inequalities, without a tolerance.
    #[inline]
    pub fn contains(&self, xi: [f64; 2]) -> bool {
        (0..self.sides.len()).all(|k| self.is_inside(k, xi))
    }

    /// Whether ξ satisfies the k-th inequality, without a tolerance.
    #[inline]
    pub fn is_inside(&self, k: usize, xi: [f64; 2]) -> bool {
        let (n, b) = self.sides[k];
        n[0] * xi[0] + n[1] * xi[1] >= b
    }

    /// Index of the corner at the end of the k-th edge.
    #[inline]
    pub fn next_corner(&self, k: usize) -> usize {
        if k + 1 == self.corners.len() { 0 } else { k + 1 }
    }

    /// The point of the domain closest to ξ; the centre if a coordinate of ξ is NaN.
    pub fn project(&self, xi: [f64; 2]) -> [f64; 2] {
        if xi.iter().any(|x| x.is_nan()) {
            return self.centre;
        }
        match self.corners.len() {
            2 => [xi[0].clamp(-1.0, 1.0), 0.0],
            3 => {
                let excess = 0.5 * (xi[0] + xi[1] - 1.0);
                if excess <= 0.0 {
                    return [xi[0].clamp(0.0, 1.0), xi[1].clamp(0.0, 1.0)];
                }
                let first = (xi[0] - excess).clamp(0.0, 1.0);
                [first, 1.0 - first]
            }
            _ => xi.map(|x| x.clamp(-1.0, 1.0)),
        }
    }

    /// Feature of a point of the domain. A point within rounding of a side counts as on this side.
    #[inline]
    pub fn feature(&self, xi: [f64; 2]) -> Feature {
        let on = |k: usize| {
            let (n, b) = self.sides[k];
            n[0] * xi[0] + n[1] * xi[1] - b <= BORDER
        };
        let count = self.sides.len();
        if self.dimension() == 1 {
            return (0..count).find(|&k| on(k)).map_or(Feature::Face, |k| Feature::Vertex(k as u8));
        }
        let Some(first) = (0..count).find(|&k| on(k)) else { return Feature::Face };
        if first == 0 && on(count - 1) {
            Feature::Vertex(0)
        } else if on(self.next_corner(first)) {
            Feature::Vertex(self.next_corner(first) as u8)
        } else {
            Feature::Edge(first as u8)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::samples::Samples;

    #[test]
    fn projections_are_closest() {
        let mut s = Samples::new(1);
        for domain in [&INTERVAL, &TRIANGLE, &SQUARE] {
            for _ in 0..2000 {
                let xi = if domain.dimension() == 1 {
                    [s.uniform(-3.0, 3.0), 0.0]
                } else {
                    [s.uniform(-3.0, 3.0), s.uniform(-3.0, 3.0)]
                };
                let found = domain.project(xi);
                assert!(domain.contains(found.map(|x| x * (1.0 - 1e-15))), "{xi:?} {found:?}");
                let distance = |p: [f64; 2]| (p[0] - xi[0]).hypot(p[1] - xi[1]);
                for i in -20..=20 {
                    for j in -20..=20 {
                        let point = [f64::from(i) / 20.0, f64::from(j) / 20.0];
                        let inside = domain.contains(point) && (domain.dimension() == 2 || point[1] == 0.0);
                        assert!(!inside || distance(found) <= distance(point) + 1e-14, "{xi:?} {found:?}");
                    }
                }
            }
            assert_eq!(domain.project([f64::NAN, 0.0]), domain.centre);
        }
    }
}
