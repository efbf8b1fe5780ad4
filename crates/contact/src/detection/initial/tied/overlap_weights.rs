//! Consistent weights of tied nodes, by integrals over the overlap of the contactor faces with the target faces (dual
//! mortar method).
//!
//! Each contactor node i has a weight function φ_i. Weighted by φ_i, the jump between the displacement fields u_c of
//! the contactor and u_t of the target is zero on average. The φ_i are dual to the shape functions N_j of the
//! contactor:
//!
//! ```text
//! ∫ φ_i (u_c − u_t) dA = 0,   ∫ φ_i N_j dA = δ_ij ∫ N_j dA
//! ```
//!
//! With the shape functions N_l of the target, the node i has the displacement u_i:
//!
//! ```text
//! u_i = Σ_l s_il u_l,   s_il = ∫ φ_i N_l dA / ∫ N_i dA      over the nodes l of the target
//! on each face f of the contactor:   φ = D M⁻¹ N,   D = diag ∫ N_i dA,   M_ij = ∫ N_i N_j dA
//! ```
//! Because Σ φ_i = 1, the tie transmits uniform tractions (the patch test) and linear displacements exactly.
//!
//! On six-node triangles and eight-node quadrilaterals, some integrals of shape functions are not positive. On these
//! faces, functions Ñ of the same space replace N, with α = 1/5:
//! - at a corner c, Ñ_c = N_c + α Σ N_m, over the adjacent middle nodes m;
//! - at a middle node, Ñ_m = (1 − 2α) N_m.
//!
//! All integrals use the same Gauss points on the triangles of the overlap, in the plane of the contactor face. The
//! duality and Σ φ_i = 1 therefore hold to rounding.
//!
//! # Source
//! Wohlmuth, SIAM J. Numer. Anal. 38 (2000) 989–1012 (dual functions); Puso, IJNME 59 (2004) 315–336 (segments of
//! curved surfaces); Popp, Wohlmuth, Gee & Wall, SIAM J. Sci. Comput. 34 (2012) B421–B446 (quadratic faces).

use std::collections::BTreeMap;

use nalgebra::SMatrix;
use rayon::prelude::*;

use crate::Surface;
use crate::detection::face::closest_point::{
    Domain, Feature, MAX_FACE_NODES, Method, Start, closest_point, pseudo_normal,
};
use crate::detection::initial::overlap::SortedBoxes;
use crate::detection::volume::Aabb;
use crate::element::shape_values;
use crate::math::Vec3;
use crate::mesh::CellKind;

use super::plane_overlap::{Plane, overlap_points};

/// α of the modified shape functions Ñ.
const SHIFT: f64 = 0.2;
/// A contactor face counts as covered if the target overlaps a fraction of its area within this range. On curved
/// surfaces, the fraction may exceed 1.
const COVERED: [f64; 2] = [0.9, 1.1];
/// Overlapped fraction of its area up to which a contactor face counts as uncovered.
const BARE: f64 = 1e-6;
/// Greatest cosine between the normals of two faces that can overlap.
const OPPOSED: f64 = -0.5;
/// Largest magnitude of a weight that is dropped as a rounding error. The weight is Σ ∫ φ_i N_l dA over the contactor
/// faces at node i, relative to Σ ∫ Ñ_i dA.
const NOTHING: f64 = 1e-10;

type Matrix = SMatrix<f64, MAX_FACE_NODES, MAX_FACE_NODES>;

/// Target nodes l and weights s_il of a contactor node i. The sum of the weights is 1.
pub(super) type Shares = Vec<(u32, f64)>;

/// Integrals over the overlap of one contactor face with the target, for each node i of the face.
struct OfFace {
    /// Fraction of the area of the face that the target overlaps.
    covered: f64,
    /// ∫ Ñ_i dA.
    areas: [f64; MAX_FACE_NODES],
    /// ∫ φ_i N_l dA, by the target node l.
    products: Vec<BTreeMap<u32, f64>>,
}

/// Weights of the contactor nodes, from integrals over those contactor faces whose nodes are all near the target
/// (`is_near`). The map omits
/// - nodes of such a face that is only partly covered (neither covered nor uncovered), and nodes without a covered
///   face;
/// - on faces with modified shape functions, the middle node of an edge if an end of this edge is omitted.
///
/// # Cost
/// An index of the target faces, and for each contactor face the overlaps with nearby target faces: the boxes of both
/// faces, each enlarged by `within` \[m\], overlap.
pub(super) fn consistent_shares(
    [contactor, target]: [&Surface; 2],
    positions: &[Vec3],
    within: f64,
    is_near: impl Fn(u32) -> bool + Sync,
) -> BTreeMap<u32, Shares> {
    let corners = |surface: &Surface, face: usize| -> Vec<Vec3> {
        surface.face(face).1.iter().map(|&node| positions[node as usize]).collect()
    };
    let boxes = (0..target.num_faces()).map(|face| (Aabb::fit(&corners(target, face), within), face));
    let boxes = SortedBoxes::new(boxes.collect());
    let of_faces: Vec<Option<OfFace>> = (0..contactor.num_faces())
        .into_par_iter()
        .map(|face| {
            let is_over = contactor.face(face).1.iter().all(|&node| is_near(node));
            let near = || boxes.near(&Aabb::fit(&corners(contactor, face), within)).collect();
            is_over.then(|| of_face([contactor, target], face, near(), positions)).flatten()
        })
        .collect();
    let mut nodes: BTreeMap<u32, (f64, BTreeMap<u32, f64>)> = BTreeMap::new();
    for (face, of_face) in of_faces.iter().enumerate() {
        let Some(of_face) = of_face else { continue };
        for ((&node, area), products) in
            contactor.face(face).1.iter().zip(of_face.areas).zip(&of_face.products)
        {
            let sums = nodes.entry(node).or_default();
            // NaN marks the nodes of a face whose covered fraction is outside `COVERED`. These nodes get no weights.
            let is_covered = (COVERED[0]..=COVERED[1]).contains(&of_face.covered);
            sums.0 += if is_covered { area } else { f64::NAN };
            products.iter().for_each(|(&node, value)| *sums.1.entry(node).or_default() += value);
        }
    }
    let mut shares: BTreeMap<u32, Shares> =
        nodes.into_iter().filter_map(|(node, (area, sums))| Some((node, normalised(sums, area)?))).collect();
    shift_back(contactor, &mut shares);
    shares
}

/// Drops the sums with magnitudes up to `NOTHING` times `area`, and divides the others by their total. `None` if the
/// area or the total is not positive.
fn normalised(mut sums: BTreeMap<u32, f64>, area: f64) -> Option<Shares> {
    if area.is_nan() || area <= 0.0 {
        return None;
    }
    sums.retain(|_, value| value.abs() > NOTHING * area);
    let total: f64 = sums.values().sum();
    (total > 0.0).then(|| sums.into_iter().map(|(node, value)| (node, value / total)).collect())
}

/// Converts weights for the coefficients ũ of the modified shape functions to weights for the displacements u. Only the
/// weights of middle nodes m change; c are the two ends of the edge of m:
///
/// ```text
/// u_m = (1 − 2α) ũ_m + α Σ ũ_c
/// ```
fn shift_back(contactor: &Surface, shares: &mut BTreeMap<u32, Shares>) {
    let mut shifted: BTreeMap<u32, Option<Shares>> = BTreeMap::new();
    for face in 0..contactor.num_faces() {
        let (kind, nodes) = contactor.face(face);
        if !is_replaced(kind) {
            continue;
        }
        let count = kind.corners().len();
        for (edge, middle) in nodes[count..].iter().enumerate() {
            let ends = [nodes[edge], nodes[(edge + 1) % count]];
            shifted.entry(*middle).or_insert_with(|| {
                let mut sums = BTreeMap::new();
                let parts = [(*middle, 1.0 - 2.0 * SHIFT), (ends[0], SHIFT), (ends[1], SHIFT)];
                for (node, part) in parts {
                    for (target, share) in shares.get(&node)? {
                        *sums.entry(*target).or_default() += part * share;
                    }
                }
                normalised(sums, 1.0)
            });
        }
    }
    for (middle, of_middle) in shifted {
        match of_middle {
            Some(of_middle) => shares.insert(middle, of_middle),
            None => shares.remove(&middle),
        };
    }
}

const fn is_replaced(kind: CellKind) -> bool {
    matches!(kind, CellKind::Tri6 | CellKind::Quad8)
}

fn replace(kind: CellKind, values: &mut [f64; MAX_FACE_NODES]) {
    if is_replaced(kind) {
        let count = kind.corners().len();
        for edge in 0..count {
            let middle = values[count + edge];
            values[edge] += SHIFT * middle;
            values[(edge + 1) % count] += SHIFT * middle;
            values[count + edge] -= 2.0 * SHIFT * middle;
        }
    }
}

/// Integrals over the overlap of a contactor face with the target faces `near`; `None` if the face counts as uncovered.
fn of_face(
    [contactor, target]: [&Surface; 2],
    face: usize,
    near: Vec<usize>,
    positions: &[Vec3],
) -> Option<OfFace> {
    let at = |node: u32| positions[node as usize];
    let (kind, nodes) = contactor.face(face);
    let places: Vec<Vec3> = nodes.iter().map(|&node| at(node)).collect();
    let normal = normal_in_middle(contactor, face, positions);
    let plane = Plane::new(normal, &places);
    let values_at = |kind: CellKind, places: &[Vec3], point: &Vec3| {
        let closest = closest_point(Method::Auto, Start::Nearest, kind, places, point);
        let mut values = [0.0; MAX_FACE_NODES];
        shape_values(kind, [closest.xi[0], closest.xi[1], 0.0], &mut values[..places.len()]);
        values
    };
    let mut mass = Matrix::zeros();
    let mut areas = [0.0; MAX_FACE_NODES];
    let mut points: Vec<(f64, [f64; MAX_FACE_NODES], usize, [f64; MAX_FACE_NODES])> = Vec::new();
    for other in near {
        let (other_kind, other_nodes) = target.face(other);
        if normal.dot(&normal_in_middle(target, other, positions)) > OPPOSED {
            continue;
        }
        let other_places: Vec<Vec3> = other_nodes.iter().map(|&node| at(node)).collect();
        for (point, weight) in overlap_points(&plane, (kind, &places), (other_kind, &other_places)) {
            let mut values = values_at(kind, &places, &point);
            replace(kind, &mut values);
            for i in 0..nodes.len() {
                areas[i] += weight * values[i];
                for j in 0..nodes.len() {
                    mass[(i, j)] += weight * values[i] * values[j];
                }
            }
            points.push((weight, values, other, values_at(other_kind, &other_places, &point)));
        }
    }
    let covered = points.iter().map(|point| point.0).sum::<f64>() / plane.area_of(kind, &places);
    if covered.is_nan() || covered <= BARE {
        return None;
    }
    for k in nodes.len()..MAX_FACE_NODES {
        mass[(k, k)] = 1.0;
    }
    // If the mass matrix of a barely covered face is singular, the zero matrix replaces its inverse and gives no
    // weights.
    let inverse = mass.try_inverse().unwrap_or_else(Matrix::zeros);
    let mut products = vec![BTreeMap::new(); nodes.len()];
    for (weight, values, other, other_values) in points {
        for (i, products) in products.iter_mut().enumerate() {
            let dual: f64 = (0..nodes.len()).map(|j| inverse[(i, j)] * values[j]).sum::<f64>() * areas[i];
            for (&node, value) in target.face(other).1.iter().zip(other_values) {
                *products.entry(node).or_default() += weight * dual * value;
            }
        }
    }
    Some(OfFace { covered, areas, products })
}

fn normal_in_middle(surface: &Surface, face: usize, positions: &[Vec3]) -> Vec3 {
    let centre = Domain::of(surface.face(face).0).map_or([0.0; 2], |domain| domain.centre);
    pseudo_normal(surface, positions, face, centre, Feature::Face)
}
