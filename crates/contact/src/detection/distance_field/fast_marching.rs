//! Fast marching: a first-order solution of |∇d| = 1 for the distance d, on the sub-simplices of the elements. The
//! corners of a sub-simplex are support points ([module](super)).
//!
//! The distance of a point is the time at which a front of unit speed from the surface arrives at the point. Let x be a
//! corner of a sub-simplex, and d_i the known arrival times at its other corners x_i. The arrival time at x through
//! this sub-simplex is the minimum, over all weights λ_i ≥ 0 with Σ λ_i = 1, of
//!
//! ```text
//! Σ λ_i d_i + |x − Σ λ_i x_i|
//! ```
//!
//! # Source
//! Kimmel & Sethian, PNAS 95 (1998) 8431–8435.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::marching::Waiting;
use super::sub_simplices::sub_simplices;
use super::support::Support;
use super::target::Closest;
use crate::math::{Mat3, Vec3};

/// Replaces the distances of `closest`; faces and closest points are unchanged.
pub(super) fn fast_marching(support: &Support, mut closest: Vec<Option<Closest>>) -> Vec<Option<Closest>> {
    let mut distances = vec![f64::INFINITY; support.positions.len()];
    let mut heap = BinaryHeap::new();
    for boundary in &support.boundary {
        distances[boundary.point as usize] = 0.0;
        heap.push(Reverse(Waiting { distance: 0.0, point: boundary.point }));
    }
    let mut is_final = vec![false; support.positions.len()];
    while let Some(Reverse(Waiting { point, .. })) = heap.pop() {
        if std::mem::replace(&mut is_final[point as usize], true) {
            continue;
        }
        for simplex in simplices_at(support, point) {
            let is_known = |corner: &usize| is_final[*corner];
            let mut known: Vec<(Vec3, f64)> = simplex
                .into_iter()
                .filter(is_known)
                .map(|corner| (support.positions[corner], distances[corner]))
                .collect();
            // The fourth corner of a triangle repeats the third.
            known.dedup();
            for target in simplex.into_iter().filter(|corner| !is_known(corner)) {
                let arrival = arrival(&known, &support.positions[target]);
                if arrival < distances[target] {
                    distances[target] = arrival;
                    heap.push(Reverse(Waiting { distance: arrival, point: target as u32 }));
                }
            }
        }
    }
    for (closest, distance) in closest.iter_mut().zip(distances) {
        if let Some(closest) = closest {
            closest.distance = distance;
        }
    }
    closest
}

/// The sub-simplices with a corner at the support point `point`, in the elements that the field covers. Each
/// sub-simplex is given by its four corners.
fn simplices_at(support: &Support, point: u32) -> impl Iterator<Item = [usize; 4]> {
    support.elements_of(point as usize).iter().flat_map(move |&(element, local)| {
        let points = support.points_of(element as usize);
        let simplices = sub_simplices(support.kinds[element as usize]).iter();
        simplices
            .filter(move |simplex| simplex.contains(&local))
            .map(|simplex| simplex.map(|corner| points[corner as usize] as usize))
    })
}

/// Earliest arrival time at the point `at`. `known` lists one to three points with their arrival times.
fn arrival(known: &[(Vec3, f64)], at: &Vec3) -> f64 {
    let along = known.iter().map(|(place, time)| time + (at - place).norm()).fold(f64::INFINITY, f64::min);
    let fronts = match *known {
        [a, b] => front([a, b, b], 2, at).into_iter().collect(),
        [a, b, c] => {
            let whole = front([a, b, c], 3, at);
            let sides = [[a, b, b], [b, c, c], [c, a, a]].map(|side| front(side, 2, at));
            sides.into_iter().chain([whole]).flatten().collect()
        }
        _ => Vec::new(),
    };
    fronts.into_iter().fold(along, f64::min)
}

/// Arrival time t at the point `at` of a plane front that passes the first `count` points of `known` at their times.
/// `None` if there is no such front, or if the ray of the front to `at` does not cross the segment or triangle of these
/// points.
///
/// The time is the larger root of (t e − d)ᵀ Q (t e − d) = 1. Here e consists of ones, and d of the times of the
/// points. Q is the inverse Gram matrix of the vectors from the points to `at`.
fn front(known: [(Vec3, f64); 3], count: usize, at: &Vec3) -> Option<f64> {
    let mut gram = Mat3::identity();
    for i in 0..count {
        for j in 0..count {
            gram[(i, j)] = (at - known[i].0).dot(&(at - known[j].0));
        }
    }
    let inverse = gram.try_inverse()?;
    let (mut ones, mut times) = (Vec3::zeros(), Vec3::zeros());
    (0..count).for_each(|i| (ones[i], times[i]) = (1.0, known[i].1));
    let (a, b) = (ones.dot(&(inverse * ones)), ones.dot(&(inverse * times)));
    let c = times.dot(&(inverse * times)) - 1.0;
    let root = b * b - a * c;
    let time = (b + root.max(0.0).sqrt()) / a;
    let weights = inverse * (ones * time - times);
    (root >= 0.0 && (0..count).all(|i| weights[i] >= 0.0)).then_some(time)
}
