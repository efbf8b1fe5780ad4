//! When two parts of one surface can face each other at the earliest: a bound on their normals.
//!
//! A node touches a face only if their normals are opposed, n·m < 0, that is |n − m| > √2. So the normals of a part of a
//! surface are held in a ball, as its points are: two balls with |c₁ − c₂| + r₁ + r₂ < √2 belong to parts that do not
//! touch, wherever they are, and a part whose own ball has r < √2/2 does not touch itself. That is half the angle of
//! the test of Volino and Magnenat-Thalmann, and needs no second test of the contour.
//!
//! Balls grow with time. Let nodes of a triangle leave a common translation by no more than δ. Of its normal
//! N = e₁ × e₂ then |ΔN| ≤ 2 δ (|e₁| + |e₂|) + 4 δ², or with y = δ (|e₁| + |e₂|)/|N| at most q |N| with q = 2 y + y², and
//! the unit normal moves by no more than q/(1 − q/2). With δ = rate · s, solved for s, this gives the time sought. It
//! holds for the corners of a bilinear face, whose normals lie between those of its corners, and for segments.
//!
//! # Source
//! Volino & Magnenat-Thalmann 1994, "Efficient self-collision detection on smoothly discretized surface animations
//! using geometrical shape regularity", Computer Graphics Forum 13(3), for the use of normals; balls in the place of
//! cones, and their growth: ours.

use crate::contact::Surface;
use crate::contact::detection::hierarchy::Hierarchy;
use crate::contact::detection::volume::{Sphere, larger};
use crate::math::Vec3;
use crate::mesh::CellKind;

/// Distance of two opposed unit normals, less rounding.
const OPPOSED: f64 = std::f64::consts::SQRT_2 * (1.0 - 1e-9);

/// Radius from which a ball of normals tells nothing: sums of normals must stay in a ball that holds the normals.
const WIDEST: f64 = 1.0;

/// Ball around unit normals, at the instant at which it was found.
#[derive(Clone, Copy, Debug)]
struct NormalBall {
    ball: Sphere,
    /// Largest growth of y \[1/s\].
    rate: f64,
}

/// Normals below every vertex of the tree of one body, those of its nodes included.
#[derive(Clone, Debug, Default)]
pub(super) struct NormalBounds {
    /// When they were found \[s\].
    found_at: f64,
    faces: Vec<NormalBall>,
    nodes: Vec<NormalBall>,
    vertices: Vec<NormalBall>,
}

impl NormalBall {
    /// Any normals.
    const ANY: Self =
        Self { ball: Sphere { centre: Vec3::new(0.0, 0.0, 0.0), radius: f64::INFINITY }, rate: 0.0 };

    /// Ball around balls.
    fn around<'a>(balls: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let (sum, count) = balls
            .clone()
            .fold((Vec3::zeros(), 0.0), |(sum, count), ball| (sum + ball.ball.centre, count + 1.0));
        let centre = sum / f64::max(count, 1.0);
        let (mut radius, mut rate) = (0.0, 0.0);
        for ball in balls {
            radius = larger((ball.ball.centre - centre).norm() + ball.ball.radius, radius);
            rate = larger(ball.rate, rate);
        }
        // Also where the radius is no number.
        if radius < WIDEST { Self { ball: Sphere { centre, radius }, rate } } else { Self::ANY }
    }

    fn joint(&self, other: &Self) -> Self {
        if self.ball.radius.max(other.ball.radius) >= WIDEST {
            return Self::ANY;
        }
        let ball = self.ball.joint_at(&other.ball, self.ball.joint_fraction(&other.ball));
        Self { ball, rate: self.rate.max(other.rate) }
    }

    /// How long normals of two balls cannot be opposed \[s\].
    fn time_until_opposed(&self, other: &Self) -> f64 {
        let [first, second] = [&self.ball, &other.ball];
        let radii = first.radius + second.radius;
        let between = 0.5 * (OPPOSED - (first.centre - second.centre).norm() - radii);
        let path = between.min(WIDEST - first.radius.max(second.radius));
        if path > 0.0 {
            let change = path / (1.0 + 0.5 * path);
            ((1.0 + change).sqrt() - 1.0) / self.rate.max(other.rate)
        } else {
            0.0
        }
    }
}

impl NormalBounds {
    /// Finds the bounds at this instant; they hold while velocities change by no more than `deviation` \[m/s\].
    pub fn find(
        &mut self,
        tree: &Hierarchy,
        surface: &Surface,
        time: f64,
        [positions, velocities]: [&[Vec3]; 2],
        deviation: f64,
    ) {
        self.found_at = time;
        self.faces.clear();
        self.faces.extend((0..surface.num_faces()).map(|face| {
            let (kind, nodes) = surface.face(face);
            normals_of_face(kind, nodes, [positions, velocities], deviation)
        }));
        self.nodes.clear();
        self.nodes.extend((0..surface.nodes().len()).map(|local| {
            let around = surface.faces_of_local_node(local).iter();
            NormalBall::around(around.map(|&face| &self.faces[face as usize]))
        }));
        self.vertices.clear();
        for v in 0..tree.num_vertices() as u32 {
            let ball = match (tree.children(v), tree.face(v)) {
                (Some([left, right]), _) => {
                    self.vertices[left as usize].joint(&self.vertices[right as usize])
                }
                (None, Some(face)) => self.around_nodes(surface, face as usize),
                (None, None) => NormalBall::ANY,
            };
            self.vertices.push(ball);
        }
    }

    /// Ball around the normals of the nodes of a face, and those of the faces around them.
    fn around_nodes(&self, surface: &Surface, face: usize) -> NormalBall {
        let nodes = surface.face(face).1.iter();
        NormalBall::around(nodes.filter_map(|&node| self.nodes.get(surface.local_node(node)?)))
    }

    /// Instant before which no node below one vertex can touch a face below the other \[s\].
    pub fn time_of_facing(&self, vertices: [u32; 2]) -> f64 {
        let [first, second] = vertices.map(|v| &self.vertices[v as usize]);
        self.found_at + first.time_until_opposed(second)
    }

    /// Instant before which a node cannot touch a face \[s\].
    pub fn time_of_facing_node(&self, surface: &Surface, node: u32, face: u32) -> f64 {
        let around = surface.local_node(node).map_or(&NormalBall::ANY, |local| &self.nodes[local]);
        self.found_at + around.time_until_opposed(&self.faces[face as usize])
    }
}

/// Ball around the unit normals of a face; of any normals where it is curved or has no area.
fn normals_of_face(
    kind: CellKind,
    nodes: &[u32],
    [positions, velocities]: [&[Vec3]; 2],
    deviation: f64,
) -> NormalBall {
    let at = |k: usize| positions[nodes[k] as usize];
    let spread = {
        let velocity = |node: &u32| velocities[*node as usize];
        let mean = nodes.iter().map(velocity).sum::<Vec3>() / nodes.len() as f64;
        nodes.iter().map(|node| (velocity(node) - mean).norm()).fold(0.0, larger)
    };
    let corner = |normal: Vec3, edges: f64| {
        let area = normal.norm();
        let rate = (spread + deviation) * edges / area;
        match normal.try_normalize(0.0) {
            Some(centre) if rate.is_finite() => NormalBall { ball: Sphere { centre, radius: 0.0 }, rate },
            _ => NormalBall::ANY,
        }
    };
    let between = |before: usize, k: usize, after: usize| {
        let edges = [at(k) - at(before), at(after) - at(k)];
        corner(edges[0].cross(&edges[1]), edges[0].norm() + edges[1].norm())
    };
    match kind {
        CellKind::Line2 => {
            let edge = at(1) - at(0);
            corner(Vec3::new(edge.y, -edge.x, 0.0), 1.0)
        }
        CellKind::Tri3 => between(0, 1, 2),
        CellKind::Quad4 => {
            let corners = [between(3, 0, 1), between(0, 1, 2), between(1, 2, 3), between(2, 3, 0)];
            NormalBall::around(corners.iter())
        }
        _ => NormalBall::ANY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::detection::samples::Samples;

    /// Faces move at random: until the predicted time no normals of them are opposed, and some are not long after.
    #[test]
    fn normals_are_not_opposed_before_their_time() {
        let samples = &mut Samples::new(11);
        let mut latest: f64 = 0.0;
        for _ in 0..3000 {
            let positions: Vec<Vec3> = (0..6).map(|_| samples.vector(1.0)).collect();
            let velocities: Vec<Vec3> = (0..6).map(|_| samples.vector(1.0)).collect();
            let balls = [[0, 1, 2], [3, 4, 5]]
                .map(|nodes| normals_of_face(CellKind::Tri3, &nodes, [&positions, &velocities], 0.0));
            let time = balls[0].time_until_opposed(&balls[1]);
            let normal = |k: usize, s: f64| {
                let at = |i: usize| positions[3 * k + i] + velocities[3 * k + i] * s;
                (at(1) - at(0)).cross(&(at(2) - at(0))).normalize()
            };
            for part in 0..=20 {
                let s = time * f64::from(part) / 20.0;
                assert!(normal(0, s).dot(&normal(1, s)) >= 0.0 || time == 0.0);
            }
            let opposed =
                (1..400).map(|k| f64::from(k) * 0.01).find(|&s| normal(0, s).dot(&normal(1, s)) < 0.0);
            if let (Some(opposed), true) = (opposed, time > 0.0) {
                latest = latest.max(time / opposed);
            }
        }
        assert!(latest > 0.2, "too early to be of use: {latest}");
    }

    /// A quadrilateral that is warped: the normals everywhere on it are in its ball.
    #[test]
    fn a_warped_face_is_held() {
        let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.2], [1.1, 0.9, -0.1], [0.0, 1.0, 0.3]].map(Vec3::from);
        let velocities = [Vec3::zeros(); 4];
        let found = normals_of_face(CellKind::Quad4, &[0, 1, 2, 3], [&positions, &velocities], 0.0);
        for (i, j) in (0..=10).flat_map(|i| (0..=10).map(move |j| (i, j))) {
            let (u, v) = (f64::from(i) / 10.0, f64::from(j) / 10.0);
            let along = (positions[1] - positions[0]) * (1.0 - v) + (positions[2] - positions[3]) * v;
            let across = (positions[3] - positions[0]) * (1.0 - u) + (positions[2] - positions[1]) * u;
            let normal = along.cross(&across).normalize();
            assert!((normal - found.ball.centre).norm() <= found.ball.radius * (1.0 + 1e-12));
        }
        assert!(found.ball.radius < 0.6);
    }
}
