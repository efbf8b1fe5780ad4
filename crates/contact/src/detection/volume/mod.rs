//! Bounding volumes and their exclusion tests.
//!
//! Each volume is fitted to points whose convex hull contains a face. The volume is then enlarged by a margin and
//! rounded outward. `excludes` is true only if two volumes are certainly disjoint. Linear faces lie in the hull of
//! their nodes. Quadratic faces lie in the hull of their Bézier control points.

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
pub use ladder::{LadderTally, LadderUse, Leaf, LeafVolumes, RungTally, VolumeKind};
pub use obb::{Obb, ObbExclusion};
pub use sphere::{Directions, Extremes, MinimumBall, RELATIVE_SLACK, Sphere, larger, rounded_up};

/// Bound on the rounding error of a sum of three products, relative to the sum of their magnitudes. The value includes
/// a margin for the rounding of the bound itself.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
