//! Cones that bound face normals while the nodes move.
//!
//! Let the relative displacement of any two points of a face be at most s. The normal N = e × f of two edges e and f
//! then changes by
//!
//! ```text
//! |ΔN| ≤ s (|e| + |f|) + s² ≤ q |N|   with y = s (|e| + |f|)/|N| and q = y + y²/4
//! ```
//! because (|e| + |f|)² ≥ 4 |N|. The unit normal therefore changes by at most τ = q/(1 − q/2).
//!
//! The normals of a quadrilateral are sums of its corner normals with positive coefficients. Nodal normals are sums of
//! the normals of the face ring, also with positive coefficients. A convex cone (half-angle below 90°) that contains
//! the summands contains the sums. Normals of curved faces have no bound.
//!
//! # Source
//! Volino & Magnenat-Thalmann 1994, "Efficient self-collision detection on smoothly discretized surface animations
//! using geometrical shape regularity", Computer Graphics Forum 13(3), for normal cones. The bounds on the change of
//! the normals are our own.

use std::f64::consts::SQRT_2;

use crate::Surface;
use crate::detection::face::closest_point::SQUARE;
use crate::math::Vec3;
use crate::mesh::CellKind;

/// The rotation counts as unbounded if q, defined at the top of this file, reaches this value.
const LARGEST_CHANGE: f64 = 0.5;

/// Rounding of scalar products of unit normals.
pub(super) const ROUNDING: f64 = 1e-12;

/// A cone that contains the unit normals of a face, and their sensitivity to displacements.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceNormal {
    normal: Vec3,
    /// Largest distance of a unit normal from the unit vector of the axis.
    spread: f64,
    /// Bound on the change of a unit normal per relative displacement, to first order \[1/m\]: (|e| + |f|)/|N|, or
    /// 1/|N| on a segment. Infinite if unknown.
    slenderness: f64,
}

/// A cone that contains the unit normals throughout the allowed displacement.
#[derive(Clone, Copy, Debug)]
pub(super) struct NormalCone {
    pub normal: Vec3,
    /// Bound on the distance of a unit normal from the unit vector of the axis, less than √2, or infinite.
    pub turn: f64,
}

/// Whether two normals are opposed (at an angle above 90°) throughout the allowed displacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opposition {
    Always,
    Perhaps,
    Never,
}

impl FaceNormal {
    const UNBOUNDED: Self =
        Self { normal: Vec3::new(0.0, 0.0, 0.0), spread: 0.0, slenderness: f64::INFINITY };

    /// Normals of a face at nodal `positions` \[m\].
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
            _ => Self::UNBOUNDED,
        }
    }

    /// Face normal from a normal N of any length. `edges` bounds the change of N per relative displacement, to first
    /// order \[m\]. For N = e × f, `edges` is |e| + |f|.
    fn of_normal(normal: Vec3, edges: f64) -> Self {
        let length = normal.norm();
        match length > 0.0 && length.is_finite() {
            true => Self { normal: normal / length, spread: 0.0, slenderness: edges / length },
            false => Self::UNBOUNDED,
        }
    }

    fn joint(face_normals: &[Self]) -> Self {
        let sum: Vec3 = face_normals.iter().map(|face_normal| face_normal.normal).sum();
        face_normals.iter().fold(Self::of_normal(sum, 0.0), |joint, face_normal| Self {
            normal: joint.normal,
            spread: joint.spread.max(face_normal.spread + (face_normal.normal - joint.normal).norm()),
            slenderness: joint.slenderness.max(face_normal.slenderness),
        })
    }

    /// The cone for a relative displacement of at most `allowance` \[m\].
    pub fn cone_within(&self, allowance: f64) -> NormalCone {
        let y = allowance * self.slenderness;
        let change = y + 0.25 * y * y;
        let turn = self.spread + change / (1.0 - 0.5 * change);
        let is_bounded = change < LARGEST_CHANGE && turn < SQRT_2;
        NormalCone { normal: self.normal, turn: if is_bounded { turn } else { f64::INFINITY } }
    }
}

impl NormalCone {
    /// Whether any two normals, one of each cone, are opposed: their scalar product is below −[`SQUARE`]. The result
    /// also holds for sums of normals with positive coefficients.
    pub fn opposition(&self, other: &Self) -> Opposition {
        let product = self.normal.dot(&other.normal);
        // Upper bound on sin(α + β) with the half-angles α and β of the cones, sufficient in most cases.
        let loose = self.turn + other.turn + self.turn * other.turn;
        let off = if product.abs() > loose { loose } else { sine_of_sum(self.turn, other.turn) } + ROUNDING;
        match (product < -off - SQUARE, product > off) {
            (true, _) => Opposition::Always,
            (_, true) => Opposition::Never,
            _ => Opposition::Perhaps,
        }
    }
}

/// Sine of the sum of two angles with chords `a` and `b` in the unit circle; infinite for a sum of 90° or more.
fn sine_of_sum(a: f64, b: f64) -> f64 {
    let [[sin_a, cos_a], [sin_b, cos_b]] =
        [a, b].map(|chord| [chord * (1.0 - 0.25 * chord * chord).sqrt(), 1.0 - 0.5 * chord * chord]);
    let is_acute = cos_a > 0.0 && cos_b > 0.0 && cos_a * cos_b > sin_a * sin_b;
    if is_acute { sin_a * cos_b + cos_a * sin_b } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::samples::Samples;

    /// A bent, skewed, reflex or nearly collapsed face.
    fn corners(samples: &mut Samples, kind: CellKind) -> Vec<Vec3> {
        let bend = samples.pick(&[0.0, 0.1, 0.3, 0.7]);
        let flatten = samples.pick(&[1.0, 1.0, 0.03]);
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let corner = |[x, y]: [f64; 2]| Vec3::new(x, flatten * y, 0.0) + samples.vector(bend * flatten);
        square[..kind.num_nodes()].iter().copied().map(corner).collect()
    }

    fn unit_normal(corners: &[Vec3], place: [f64; 2]) -> Vec3 {
        let [s, t] = place;
        let normal = match *corners {
            [a, b] => Vec3::new(b.y - a.y, a.x - b.x, 0.0),
            [a, b, c] => (b - a).cross(&(c - a)),
            [a, b, c, d] => {
                let along = (b - a) * (1.0 - t) + (c - d) * t;
                along.cross(&((d - a) * (1.0 - s) + (c - b) * s))
            }
            _ => unreachable!("faces with two to four corners"),
        };
        normal.normalize()
    }

    /// For any admissible displacement the normals stay in the cone. Some normals reach more than half the angle of the
    /// cone.
    #[test]
    fn normals_stay_in_their_cone() {
        let samples = &mut Samples::new(7);
        for kind in [CellKind::Line2, CellKind::Tri3, CellKind::Quad4] {
            let nodes: Vec<u32> = (0..kind.num_nodes() as u32).collect();
            let surface = Surface::new([(kind, nodes.as_slice())]);
            let (mut bounded, mut closest) = (0, 0.0_f64);
            for _ in 0..4000 {
                let mut positions = corners(samples, kind);
                if kind == CellKind::Line2 {
                    positions.iter_mut().for_each(|position| position.z = 0.0);
                }
                let allowance = samples.pick(&[0.0, 1e-3, 0.02, 0.1]);
                let NormalCone { normal: axis, turn } =
                    FaceNormal::of(&surface, 0, &positions).cone_within(allowance);
                if turn.is_infinite() {
                    continue;
                }
                bounded += 1;
                for _ in 0..10 {
                    let moved: Vec<Vec3> = positions
                        .iter()
                        .map(|position| {
                            let mut step = samples.direction() * (0.5 * allowance);
                            if kind == CellKind::Line2 {
                                step.z = 0.0;
                            }
                            position + step
                        })
                        .collect();
                    let place = [0, 1].map(|_| samples.uniform(-0.2, 1.2).clamp(0.0, 1.0));
                    let off = (unit_normal(&moved, place) - axis).norm();
                    assert!(
                        off <= turn + ROUNDING,
                        "{kind:?} {positions:?}, allowance {allowance}: {off} of {turn}"
                    );
                    if turn > 1e-6 {
                        closest = closest.max(off / turn);
                    }
                }
            }
            assert!(bounded > 1000 && closest > 0.5, "{kind:?}: {bounded} bounded, {closest} of the bound");
        }
    }

    /// Cones with half-angles α and β, and the angle γ between their axes, are always opposed if γ − α − β exceeds 90°
    /// by more than [`SQUARE`]. Cones with γ + α + β < 90° are never opposed.
    #[test]
    fn cones_are_opposed_by_their_angles() {
        let samples = &mut Samples::new(11);
        let mut counts = [0; 3];
        for _ in 0..20_000 {
            let [alpha, beta] = [0, 1].map(|_| samples.pick(&[0.0, 0.02, 0.3, 0.8]));
            let [one, other] = [alpha, beta].map(|angle: f64| NormalCone {
                normal: samples.direction(),
                turn: 2.0 * (0.5 * angle).sin(),
            });
            let gamma = one.normal.dot(&other.normal).clamp(-1.0, 1.0).acos();
            let right = std::f64::consts::FRAC_PI_2;
            let (least, most) = (gamma - alpha - beta - right - SQUARE, right - gamma - alpha - beta);
            if least.abs().min(most.abs()) < 1e-9 {
                continue;
            }
            let expected = match (least > 0.0, most > 0.0) {
                (true, _) => Opposition::Always,
                (_, true) => Opposition::Never,
                _ => Opposition::Perhaps,
            };
            assert_eq!(one.opposition(&other), expected, "{one:?} {other:?}");
            counts[expected as usize] += 1;
        }
        assert!(counts.iter().all(|&count| count > 1000), "{counts:?}");
        let anywhere = NormalCone { normal: Vec3::zeros(), turn: f64::INFINITY };
        assert_eq!(anywhere.opposition(&NormalCone { normal: Vec3::z(), turn: 0.0 }), Opposition::Perhaps);
    }
}
