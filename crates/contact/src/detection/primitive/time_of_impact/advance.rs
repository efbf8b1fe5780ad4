//! Advances in time: durations for which a separating direction shows that two faces do not touch.

use super::direction::{Direction, Motion, Touch};
use super::hull::{Closest, Feature, Hull};
use crate::math::Vec3;

/// Gap, relative to the largest coordinate, below which the line between the closest points is not an accurate normal.
/// The origin of the coordinates is the first node of face a.
const NEAR: f64 = 1e-6;

/// Smallest ratio of an advance that keeps the features (`hold`) to the previous advance. A shorter advance is
/// discarded, and the closest points are computed anew.
const WORTHWHILE: f64 = 0.1;

pub(super) fn are_at_rest<const N: usize>(a: &Hull<N>, b: &Hull<N>) -> bool {
    let velocity = a.velocities()[0];
    [a, b].iter().all(|hull| {
        let finite = |x: &Vec3| x.iter().all(|x| x.is_finite());
        hull.velocities().iter().all(|v| *v == velocity) && hull.positions().iter().all(finite)
    })
}

/// Time for which a direction separates two faces, and this direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Advance {
    /// Features to which `normal` is perpendicular.
    pub feature: Feature,
    pub normal: Vec3,
    /// Time without impact \[s\]: zero on impact, infinite if no impact follows before the end of the search.
    pub step: f64,
    /// Whether a gap separated the faces at the start of this advance. Without a gap, the faces may rest on each other.
    pub apart: bool,
}

/// Advance along the current normal of the features of the previous advance, `before`. The closest points are not
/// computed anew.
///
/// `None` if this normal does not separate the faces by more than rounding, or if the new advance is too short
/// (`WORTHWHILE`).
pub(super) fn hold<const N: usize>(motion: &Motion<'_, N>, before: Advance) -> Option<Advance> {
    let direction = Direction::of_feature(motion.a, motion.b, before.feature, &before.normal)?;
    if motion.separation(&direction.normal) <= motion.rounding {
        return None;
    }
    let step = motion.step(&direction, Touch::Apart);
    let found = Advance { normal: direction.normal, step, apart: true, ..before };
    (step > WORTHWHILE * before.step).then_some(found)
}

/// Advance along the direction given by the features of the closest points.
///
/// For [`Feature::Line`], the direction is the line between the closest points, which is inaccurate for a gap below
/// `NEAR`. If `motion.distance` is zero, the result for such a gap is the longest advance along any direction of
/// [`Direction::for_each`]. If no direction separates the faces, the result is that of [`arrive`] after a previous
/// advance `earlier` with `apart`, otherwise that of [`leave`].
pub(super) fn advance<const N: usize>(
    motion: &Motion<'_, N>,
    closest: &Closest,
    earlier: Option<Advance>,
) -> Advance {
    let feature = closest.feature;
    let mut best: Option<Advance> = None;
    let mut consider = |direction: &Direction| {
        if motion.separation(&direction.normal) > 0.0 {
            let step = motion.step(direction, Touch::Apart);
            if best.is_none_or(|other| step > other.step) {
                best = Some(Advance { feature, normal: direction.normal, step, apart: true });
            }
        }
    };
    if closest.distance - motion.distance > motion.rounding {
        let first = Direction::of_feature(motion.a, motion.b, feature, &closest.line());
        first.iter().for_each(&mut consider);
        let size = motion.a.largest_coordinate().max(motion.b.largest_coordinate());
        if feature == Feature::Line && motion.distance == 0.0 && closest.distance < NEAR * size {
            Direction::for_each(motion.a, motion.b, closest, &mut consider);
        }
    }
    best.unwrap_or_else(|| match earlier {
        Some(before) if before.apart => arrive(motion, before),
        _ => leave(motion, closest, earlier),
    })
}

/// Advance of zero duration on contact, with the current normal of the features of the previous advance, `before`.
fn arrive<const N: usize>(motion: &Motion<'_, N>, before: Advance) -> Advance {
    let direction = Direction::of_feature(motion.a, motion.b, before.feature, &before.normal);
    Advance { normal: direction.map_or(before.normal, |found| found.normal), step: 0.0, ..before }
}

/// Advance of faces that touch or overlap: the longest time for which any one direction separates the faces, or zero.
/// Infinite if the faces overlap at time 0 and do not approach each other along the direction of least overlap.
///
/// Coplanar faces have two opposite common normals. Only the one along the normal of the previous advance, `earlier`,
/// counts; at time 0, without `earlier`, the one along the outward normal of b minus that of a.
pub(super) fn leave<const N: usize>(
    motion: &Motion<'_, N>,
    closest: &Closest,
    earlier: Option<Advance>,
) -> Advance {
    let touch = if earlier.is_some() { Touch::Later } else { Touch::AtStart };
    let side = earlier.map_or_else(|| motion.b.outward() - motion.a.outward(), |before| before.normal);
    let leaving = |direction: &Direction, step| Advance {
        feature: Feature::Line,
        normal: direction.normal,
        step,
        apart: false,
    };
    let mut least_overlap = (f64::NEG_INFINITY, Direction { normal: Vec3::x(), rate: Vec3::zeros() });
    let mut best = (0.0, least_overlap.1);
    Direction::for_each(motion.a, motion.b, closest, |direction| {
        let separation = motion.separation(&direction.normal);
        let either_way = motion.separation(&-direction.normal) >= -motion.rounding;
        if either_way && direction.normal.dot(&side) <= 0.0 {
            return;
        }
        if separation > least_overlap.0 {
            least_overlap = (separation, *direction);
        }
        if separation >= -motion.rounding {
            let step = motion.step(direction, touch);
            if step > best.0 {
                best = (step, *direction);
            }
        }
    });
    let (separation, direction) = least_overlap;
    let overlapping = separation.is_finite() && separation < -motion.rounding;
    let parting = motion.closing_speed(&direction) <= motion.speed_rounding;
    if overlapping && earlier.is_none() && parting {
        leaving(&direction, f64::INFINITY)
    } else if best.0 > 0.0 {
        leaving(&best.1, best.0)
    } else {
        leaving(&direction, 0.0)
    }
}
