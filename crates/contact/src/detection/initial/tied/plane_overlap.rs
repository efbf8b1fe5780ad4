//! Overlap of two faces in the mean plane of the first face, and Gauss points on the overlap.

use crate::math::Vec3;
use crate::mesh::CellKind;

/// Coordinates of a point in the plane \[m\].
type Point = [f64; 2];

/// Gauss points in \[0, 1\] and their weights; exact for polynomials up to degree seven.
const GAUSS: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_9, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// The mean plane of a face, or the line of a segment. The first axis runs along the first edge.
pub(super) struct Plane {
    origin: Vec3,
    axes: [Vec3; 2],
}

impl Plane {
    /// Plane with this unit normal, through the mean of the nodal positions `places` of a face.
    pub fn new(normal: Vec3, places: &[Vec3]) -> Self {
        let origin = places.iter().sum::<Vec3>() / places.len() as f64;
        let along = places[1] - places[0];
        let first = (along - normal * normal.dot(&along)).try_normalize(0.0).unwrap_or_else(Vec3::x);
        Self { origin, axes: [first, normal.cross(&first)] }
    }

    fn project(&self, place: &Vec3) -> Point {
        self.axes.map(|axis| axis.dot(&(place - self.origin)))
    }

    fn place(&self, [x, y]: Point) -> Vec3 {
        self.origin + self.axes[0] * x + self.axes[1] * y
    }

    /// Signed area of the projection of a face \[m²\], positive if counter-clockwise about the normal; for segments,
    /// the length \[m\].
    pub fn area_of(&self, kind: CellKind, places: &[Vec3]) -> f64 {
        let facets = facets(kind).iter();
        facets.map(|facet| size(&facet.iter().map(|&k| self.project(&places[k])).collect::<Vec<_>>())).sum()
    }
}

/// Convex parts of a face, as lists of local node numbers. A quadratic face is divided at its middle nodes.
fn facets(kind: CellKind) -> &'static [&'static [usize]] {
    match kind {
        CellKind::Line2 => &[&[0, 1]],
        CellKind::Line3 => &[&[0, 2], &[2, 1]],
        CellKind::Tri3 => &[&[0, 1, 2]],
        CellKind::Quad4 => &[&[0, 1, 2, 3]],
        CellKind::Tri6 => &[&[0, 3, 5], &[3, 1, 4], &[5, 4, 2], &[3, 4, 5]],
        _ => &[&[0, 4, 7], &[4, 1, 5], &[5, 2, 6], &[7, 6, 3], &[4, 5, 6, 7]],
    }
}

/// Integration points in the plane, with weights, over the overlap of the projections of two faces. The weights are
/// areas \[m²\] or, for segments, lengths \[m\].
pub(super) fn overlap_points(
    plane: &Plane,
    (kind, places): (CellKind, &[Vec3]),
    (other_kind, other_places): (CellKind, &[Vec3]),
) -> Vec<(Vec3, f64)> {
    let polygons = |kind: CellKind, places: &[Vec3]| -> Vec<Vec<Point>> {
        let of_facet = |facet: &&[usize]| facet.iter().map(|&k| plane.project(&places[k])).collect();
        facets(kind).iter().map(of_facet).collect()
    };
    let mut points = Vec::new();
    for polygon in polygons(kind, places) {
        for mut other in polygons(other_kind, other_places) {
            // `clipped` needs two counter-clockwise polygons, but the normals of the two faces are opposed.
            other.reverse();
            if polygon.len() == 2 {
                append_points_of_segment(plane, &polygon, &other, &mut points);
            } else {
                append_points(plane, &clipped(&polygon, &other), &mut points);
            }
        }
    }
    points
}

fn append_points_of_segment(plane: &Plane, one: &[Point], other: &[Point], points: &mut Vec<(Vec3, f64)>) {
    let start = one[0][0].max(other[0][0].min(other[1][0]));
    let length = one[1][0].min(other[0][0].max(other[1][0])) - start;
    if length > 0.0 {
        points.extend(GAUSS.map(|(at, weight)| (plane.place([start + length * at, 0.0]), weight * length)));
    }
}

/// Gauss points of a convex polygon, divided into triangles at its first corner. Each triangle is the image of a unit
/// square with one side collapsed to this corner.
fn append_points(plane: &Plane, polygon: &[Point], points: &mut Vec<(Vec3, f64)>) {
    for k in 2..polygon.len() {
        let [a, b, c] = [polygon[0], polygon[k - 1], polygon[k]];
        let twice = cross(a, b, c);
        for (u, weight) in GAUSS {
            for (v, other_weight) in GAUSS {
                let [of_b, of_c] = [u * (1.0 - v), u * v];
                let at = |i: usize| a[i] + of_b * (b[i] - a[i]) + of_c * (c[i] - a[i]);
                points.push((plane.place([at(0), at(1)]), twice * u * weight * other_weight));
            }
        }
    }
}

/// Intersection of `polygon` with the convex polygon `by`, both counter-clockwise (Sutherland & Hodgman, Comm. ACM 17
/// (1974) 32–42).
fn clipped(polygon: &[Point], by: &[Point]) -> Vec<Point> {
    let mut part = polygon.to_vec();
    for k in 0..by.len() {
        let side = [by[k], by[(k + 1) % by.len()]];
        let inside = |point: Point| cross(side[0], side[1], point);
        let whole = std::mem::take(&mut part);
        for (m, &point) in whole.iter().enumerate() {
            let next = whole[(m + 1) % whole.len()];
            let [here, there] = [inside(point), inside(next)];
            if here >= 0.0 {
                part.push(point);
            }
            if (here > 0.0 && there < 0.0) || (here < 0.0 && there > 0.0) {
                let at = here / (here - there);
                part.push([0, 1].map(|i| point[i] + at * (next[i] - point[i])));
            }
        }
    }
    part
}

/// Twice the signed area of the triangle a b c; positive if counter-clockwise.
fn cross(a: Point, b: Point, c: Point) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Signed area \[m²\] of a polygon, or length \[m\] of a segment.
fn size(polygon: &[Point]) -> f64 {
    match polygon {
        [a, b] => (b[0] - a[0]).hypot(b[1] - a[1]),
        _ => (2..polygon.len()).map(|k| 0.5 * cross(polygon[0], polygon[k - 1], polygon[k])).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_integrated() {
        let square: Vec<Vec3> =
            [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| Vec3::new(x, y, 0.0)).into();
        let over: Vec<Vec3> =
            [[0.25, 0.5], [0.25, 2.0], [0.75, 2.0], [0.75, 0.5]].map(|[x, y]| Vec3::new(x, y, 0.01)).into();
        let triangle: Vec<Vec3> = [[0.0, 0.0], [0.0, 3.0], [3.0, 0.0], [0.0, 1.5], [1.5, 1.5], [1.5, 0.0]]
            .map(|[x, y]| Vec3::new(x, y, -0.01))
            .into();
        let plane = Plane::new(Vec3::z(), &square);
        let integral = |kind: CellKind, places: &[Vec3]| -> f64 {
            let points = overlap_points(&plane, (CellKind::Quad4, &square), (kind, places));
            points.iter().map(|(point, weight)| weight * point.x.powi(2) * point.y.powi(3)).sum()
        };
        let expected = (0.75f64.powi(3) - 0.25f64.powi(3)) / 3.0 * (1.0 - 0.5f64.powi(4)) / 4.0;
        assert!((integral(CellKind::Quad4, &over) - expected).abs() < 1e-14);
        assert!((integral(CellKind::Tri6, &triangle) - 1.0 / 12.0).abs() < 1e-14);
        assert!((plane.area_of(CellKind::Tri6, &triangle) + 4.5).abs() < 1e-14, "seen from behind");
    }
}
