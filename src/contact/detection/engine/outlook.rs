//! Where faces look, and how much that can change while their points go on their way.
//!
//! Let two points of a face go no farther than s, one towards the other. Of the normal N = e × f between two of its edges
//! then |ΔN| ≤ s (|e| + |f|) + s², or with y = s (|e| + |f|)/|N| at most q |N| with q = y + y²/4, as (|e| + |f|)² ≥ 4 |N|,
//! and the unit normal turns by no more than τ = q/(1 − q/2). The normals of a quadrilateral are sums of those at its four
//! corners with positive weights, those of a node are such sums of the normals of the faces around it, so all of them are
//! in a cone that holds these: one with a half-angle below 90° is convex. Of curved faces no normals are bounded.
//!
//! # Source
//! Volino & Magnenat-Thalmann 1994, "Efficient self-collision detection on smoothly discretized surface animations
//! using geometrical shape regularity", Computer Graphics Forum 13(3), for cones of normals; bounds on their change
//! are ours.

use crate::contact::Surface;
use crate::math::Vec3;
use crate::mesh::CellKind;

/// Largest q for which a turn is bounded.
const LARGEST_CHANGE: f64 = 0.5;

/// Rounding of products of unit normals.
pub(super) const ROUNDING: f64 = 1e-12;

/// A cone of unit normals, of one face or of several.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facing {
    /// Its axis.
    normal: Vec3,
    /// The greatest distance of a normal from it.
    spread: f64,
    /// How fast a normal turns, at most: (|e| + |f|)/|N| \[1/m\]; infinite where that is not known.
    slenderness: f64,
}

/// A cone that holds normals as long as they are on their way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outlook {
    /// Its axis.
    pub normal: Vec3,
    /// Bound on the distance of a normal from it; infinite where the normal may look anywhere.
    pub turn: f64,
}

/// Whether normals are opposed while bodies go on their way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opposed {
    Always,
    Perhaps,
    Never,
}

impl Facing {
    /// Of what may look anywhere.
    const ANYWHERE: Self = Self { normal: Vec3::new(0.0, 0.0, 0.0), spread: 0.0, slenderness: f64::INFINITY };

    /// Of a face where nodes are at these positions \[m\].
    pub fn of(surface: &Surface, face: u32, positions: &[Vec3]) -> Self {
        let (kind, nodes) = surface.face(face as usize);
        let at = |k: usize| positions[nodes[k] as usize];
        let between = |e: Vec3, f: Vec3| Self::of_normal(e.cross(&f), e.norm() + f.norm());
        match kind {
            CellKind::Tri3 => between(at(1) - at(0), at(2) - at(0)),
            CellKind::Quad4 => {
                let corner = |k: usize| between(at((k + 1) % 4) - at(k), at((k + 3) % 4) - at(k));
                Self::joint(&[0, 1, 2, 3].map(corner))
            }
            CellKind::Line2 => {
                let edge = at(1) - at(0);
                Self::of_normal(Vec3::new(edge.y, -edge.x, 0.0), 1.0)
            }
            _ => Self::ANYWHERE,
        }
    }

    /// Of a normal of any length between edges so long in all.
    fn of_normal(normal: Vec3, edges: f64) -> Self {
        let length = normal.norm();
        match length > 0.0 && length.is_finite() {
            true => Self { normal: normal / length, spread: 0.0, slenderness: edges / length },
            false => Self::ANYWHERE,
        }
    }

    /// Of all of these.
    fn joint(facings: &[Self]) -> Self {
        let sum: Vec3 = facings.iter().map(|facing| facing.normal).sum();
        facings.iter().fold(Self::of_normal(sum, 0.0), |joint, facing| Self {
            normal: joint.normal,
            spread: joint.spread.max(facing.spread + (facing.normal - joint.normal).norm()),
            slenderness: joint.slenderness.max(facing.slenderness),
        })
    }

    /// While no two points go farther than this towards each other \[m\].
    pub fn on_way(&self, way: f64) -> Outlook {
        let y = way * self.slenderness;
        let change = y + 0.25 * y * y;
        let turn = self.spread + change / (1.0 - 0.5 * change);
        let is_bounded = change < LARGEST_CHANGE && turn.is_finite();
        Outlook { normal: self.normal, turn: if is_bounded { turn } else { f64::INFINITY } }
    }
}

impl Outlook {
    /// Whether the normals in two cones, or sums of them with positive weights, are opposed.
    pub fn opposed(&self, other: &Self) -> Opposed {
        let product = self.normal.dot(&other.normal);
        // No less than the sine, and mostly enough.
        let loose = self.turn + other.turn + self.turn * other.turn;
        let off = if product.abs() > loose { loose } else { sine_of_sum(self.turn, other.turn) } + ROUNDING;
        match (product < -off, product > off) {
            (true, _) => Opposed::Always,
            (_, true) => Opposed::Never,
            _ => Opposed::Perhaps,
        }
    }
}

/// Sine of the sum of the angles with these chords in the unit circle; infinite from 90° on.
fn sine_of_sum(a: f64, b: f64) -> f64 {
    let [[sin_a, cos_a], [sin_b, cos_b]] =
        [a, b].map(|chord| [chord * (1.0 - 0.25 * chord * chord).sqrt(), 1.0 - 0.5 * chord * chord]);
    let is_acute = cos_a > 0.0 && cos_b > 0.0 && cos_a * cos_b > sin_a * sin_b;
    if is_acute { sin_a * cos_b + cos_a * sin_b } else { f64::INFINITY }
}
