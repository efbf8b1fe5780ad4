//! Intersections of two faces, at least one of which is curved or warped.

use super::facet::{Facet, fan};
use crate::detection::face::convex_hull::QuadraticBezierFace;
use crate::detection::volume::{Obb, ObbExclusion};
use crate::math::Vec3;
use crate::math::vectorised::Vectorised;

/// Largest number of examined pairs of pieces of the two faces. Faces that touch along a curve or an area exceed this
/// number, and count as not intersecting.
const MAX_PIECES: usize = 16384;
/// Margin by which the polygons of the corners of two pieces must intersect, relative to the parameter `touching` of
/// `crossing_of_bezier_faces`. With this margin, the polygons still intersect if each is perturbed by up to `touching`.
/// The deviations of the two pieces from their polygons add up to at most `touching`, so the faces certainly intersect.
const CLEAR: f64 = 2.0;

/// A point \[m\] that lies on both faces and satisfies `is_inside`, found by subdivision into pieces that are flat up
/// to `touching` \[m\]. The first face may be a segment in space. `None` if no certain intersection is found.
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

/// A common point of two polygons that still intersect if each is perturbed by up to half of `margin`. The first
/// polygon may be a segment.
fn crossing_of_polygons(first: &[Vec3], second: &[Vec3], margin: f64) -> Option<Vec3> {
    if let &[from, to] = first {
        return facets(second).find_map(|facet| facet.passed_by(&[from, to], margin));
    }
    facets(first).find_map(|one| facets(second).find_map(|other| one.crossing_with(&other, margin)))
}

fn facets(corners: &[Vec3]) -> impl Iterator<Item = Facet> {
    fan(corners.len()).map(|facet| Facet::new(facet, |k| corners[k]))
}
