//! Bounding volumes and their exclusion tests.
//!
//! Each volume is fitted to points whose convex hull contains a face; the volume is enlarged by a margin and rounded
//! outward. `excludes` is true only if two volumes, with their margins, are certainly disjoint. `excludes` is false for
//! volumes that touch. Linear faces, including warped quadrilaterals, lie in the hull of their nodes. A quadratic face
//! lies in the hull of its Bézier control points, but not in the hull of its nodes. [`LeafVolumes`] tests volumes in
//! order from cheap and loose to expensive and tight.

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

/// Rounding error of a sum of three products, relative to the sum of their magnitudes. The value includes a margin for
/// the rounding of the bound itself.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
