//! Where two faces, one of them curved or both, pass through each other.

use super::facet::{Facet, fan};
use crate::contact::detection::face::convex_hull::QuadraticBezierFace;
use crate::contact::detection::volume::{Obb, ObbExclusion};
use crate::math::Vec3;
use crate::math::vectorised::Vectorised;

/// Most pairs of pieces of two faces looked at; more are near each other only where the faces fit each other.
const MAX_PIECES: usize = 16384;
/// Distance from flat pieces, in units of what they deviate from the faces, beyond which nothing of these is.
const CLEAR: f64 = 2.0;

/// Where two faces cross: what cannot meet drops out as both are split, until what is left is flat but for
/// `touching`. Along a crossing there are many pairs of flat pieces that cross for sure. The first may be a segment in
/// space.
pub fn crossing_of_bezier_faces(
    bezier_faces: [QuadraticBezierFace; 2],
    touching: f64,
    is_inside: impl Fn(&Vec3) -> bool,
) -> Option<Vec3> {
    let vectorised = Vectorised::detect();
    let mut pairs = vec![bezier_faces];
    for _ in 0..MAX_PIECES {
        let pair = pairs.pop()?;
        let [a, b] = [0, 1].map(|k: usize| Obb::fit(pair[k].points(), touching));
        if vectorised.run(ObbExclusion([&a, &b])) {
            continue;
        }
        let thickness = pair.map(|bezier_face| bezier_face.thickness());
        if thickness[0] + thickness[1] <= touching {
            let found = crossing_of_polygons(pair[0].corners(), pair[1].corners(), CLEAR * touching);
            if let Some(point) = found.filter(&is_inside) {
                return Some(point);
            }
            continue;
        }
        let larger = usize::from(pair[1].extent() > pair[0].extent());
        pair[larger].split(|part| {
            let mut parts = pair;
            parts[larger] = part;
            pairs.push(parts);
        });
    }
    None
}

/// Where two polygons cross for sure, though both be off by half of `margin`; the first may be a segment.
fn crossing_of_polygons(first: &[Vec3], second: &[Vec3], margin: f64) -> Option<Vec3> {
    if let &[from, to] = first {
        return facets(second).find_map(|facet| facet.passed_by(&[from, to], margin));
    }
    facets(first).find_map(|one| facets(second).find_map(|other| one.crossing_with(&other, margin)))
}

fn facets(corners: &[Vec3]) -> impl Iterator<Item = Facet> {
    fan(corners.len()).map(|facet| Facet::new(facet, |k| corners[k]))
}
