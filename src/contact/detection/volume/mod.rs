//! Bounding volumes and their exclusion tests.
//!
//! Each volume is fitted to the points of a convex set, enlarged by a margin and rounded outward; `excludes` is
//! true only if two sets, margins included, are certainly disjoint. Sets that touch are not excluded. The hull of
//! the nodes holds linear faces, warped quadrilaterals among them; a quadratic face is held by the hull of its
//! Bézier control points, not of its nodes. [`LeafVolumes`] climbs from cheap and loose to dear and tight.

mod aabb;
mod aabb_row;
mod adaptive_ladder;
mod dop;
mod ladder;
mod obb;
mod sphere;
#[cfg(test)]
mod tests;

pub use aabb::Aabb;
pub use aabb_row::AabbRow;
pub use adaptive_ladder::AdaptiveLadder;
pub use dop::{Dop, Dop8, Dop14, Dop18, Dop26};
pub use ladder::{LadderTally, Leaf, LeafVolumes, RungTally, VolumeKind};
pub use obb::{Obb, ObbExclusion};
pub use sphere::{Directions, Extremes, MinimumBall, RELATIVE_SLACK, Sphere, larger, rounded_up};

/// Rounding of a sum of three products, relative to the sum of their sizes, with room for the bound it enters.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
