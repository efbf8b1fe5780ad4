//! When two moving faces touch: conservative advancement (Mirtich 1996) on the hulls of their nodes.
//!
//! Take any direction n, turning at a constant rate ṅ, and the gaps n·(x_i − y_j) of every node i of a to every node j
//! of b. While all are positive a plane separates the faces. Over a time h the nodes move by their velocity, their
//! constant acceleration and an unknown part of bounded acceleration, so that each gap is at least
//!
//! ```text
//! (n + ṅ h)·(x_i − y_j + (v_i − w_j) h + (A − B) h²/2) − |n + ṅ h| D h²/2
//! ```
//!
//! A and B are the constant accelerations of a and b, D the sum of the bounds of the unknown parts. The first root
//! over all pairs is a time without contact; time advances by the longest that any of a few directions certifies: that
//! of the distance, and the normals of the faces and of the closest edges, at rest and turning with them. Turning,
//! the bound is true to first order in h, so that the advance converges quadratically on spinning bodies too. The
//! constant parts are exact and, common to both, cancel: two bodies in one field of gravity take a step or two.
//!
//! Linear faces lie in the hull of their nodes; that of a warped quadrilateral is a tetrahedron, so its time is that
//! of the hull: early, by the time it takes to cross the warp.

mod hulls;
#[cfg(test)]
mod tests;

use crate::math::{Vec3, polynomial::first_root_of_quadratic};
use crate::mesh::CellKind;

/// Most nodes a face can have here.
const MAX_NODES: usize = 8;
/// Advances, after which the time reached is returned; faces that slide past each other within rounding need many.
const MAX_ADVANCES: usize = 200;
/// Rounding of positions, gaps and rates, relative to the sum of the sizes of their terms.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// An advance shorter than this fraction of the time reached ends the search.
const SHORTEST_ADVANCE: f64 = 1e-15;

/// The motion of the nodes of a face during a step.
pub trait FacePath {
    /// Kind of the face; its nodes are `kind().num_nodes()`, at most eight.
    fn kind(&self) -> CellKind;

    /// Positions \[m\] and velocities \[m/s\] of the nodes at a time since the start of the step \[s\].
    fn at(&self, time: f64, positions: &mut [Vec3], velocities: &mut [Vec3]);

    /// The part of the acceleration common to all nodes and constant over the step \[m/s²\].
    fn acceleration(&self) -> Vec3;

    /// Bound of |ẍ − acceleration()| for every node at any time of the step \[m/s²\].
    fn deviation(&self) -> f64;
}

/// What came closest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approach {
    /// A node of a and the inside, an edge or a corner of b.
    NodeOfA(u8),
    /// A node of b and the inside, an edge or a corner of a.
    NodeOfB(u8),
    /// Two edges, each by its local end nodes; diagonals are edges of the hull of a warped quadrilateral.
    Edges([u8; 2], [u8; 2]),
}

/// The first touch of two faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Time since the start of the step, not later than the touch \[s\].
    pub time: f64,
    /// Midpoint of the closest points at that time \[m\].
    pub point: Vec3,
    /// Unit normal of the last separating plane, from b to a; of the least overlap if the faces overlap at the start.
    pub normal: Vec3,
    /// Distance left at that time \[m\]: rounding, unless the advances ran out.
    pub distance: f64,
    /// What came closest.
    pub approach: Approach,
}

/// First touch of two faces within \[0, `duration`\] \[s\]; `None` if they certainly do not touch.
///
/// Never late but for the rounding of `at`. Faces that overlap or touch at the start give time 0. A path that
/// yields a NaN, and a motion too close to resolve, give the time up to which no contact is certain.
///
/// # Cost
/// No allocation. A few microseconds an advance; two to six advances for most impacts.
pub fn time_of_impact<A: FacePath, B: FacePath>(a: &A, b: &B, duration: f64) -> Option<Impact> {
    let (mut first, mut second) = (Nodes::new(a.kind()), Nodes::new(b.kind()));
    let relative = Relative {
        acceleration: a.acceleration() - b.acceleration(),
        deviation: a.deviation()
            + b.deviation()
            + ROUNDING * (a.acceleration().norm() + b.acceleration().norm()),
    };
    let mut time = 0.0;
    let mut normal = Vec3::zeros();
    for advance in 0.. {
        first.move_to(a, time);
        second.move_to(b, time);
        let closest = hulls::closest(&first, &second);
        let noise = Noise::new(&first, &second);
        let mut best = Certificate { time: 0.0, gap: f64::NEG_INFINITY };
        for direction in closest.directions.into_iter().chain([Direction::fixed(normal)]) {
            let (certificate, towards_a) =
                relative.certify(&direction, &first, &second, &noise, duration - time);
            if certificate.beats(&best) {
                (best, normal) = (certificate, towards_a);
            }
        }
        if time + best.time > duration {
            return None;
        }
        let resolved = best.time <= SHORTEST_ADVANCE * time || best.gap <= noise.place;
        if resolved || advance == MAX_ADVANCES {
            let [x, y] = closest.points;
            let (point, distance) = ((x + y) * 0.5, (x - y).norm());
            return Some(Impact { time, point, normal, distance, approach: closest.approach });
        }
        time += best.time * (1.0 - ROUNDING);
    }
    None
}

/// Nodes of a face at one time.
struct Nodes {
    count: usize,
    positions: [Vec3; MAX_NODES],
    velocities: [Vec3; MAX_NODES],
    /// Largest distance from the origin.
    reach: f64,
    /// Largest speed.
    speed: f64,
}

impl Nodes {
    fn new(kind: CellKind) -> Self {
        let zeros = [Vec3::zeros(); MAX_NODES];
        let count = kind.num_nodes().min(MAX_NODES);
        Self { count, positions: zeros, velocities: zeros, reach: 0.0, speed: 0.0 }
    }

    fn move_to(&mut self, path: &impl FacePath, time: f64) {
        let (positions, velocities) = (&mut self.positions[..self.count], &mut self.velocities[..self.count]);
        path.at(time, positions, velocities);
        self.reach = positions.iter().map(Vec3::norm).fold(0.0, f64::max);
        self.speed = velocities.iter().map(Vec3::norm).fold(0.0, f64::max);
    }

    fn positions(&self) -> &[Vec3] {
        &self.positions[..self.count]
    }

    /// Edge vector from node i to node j, and its rate.
    fn edge(&self, i: usize, j: usize) -> [Vec3; 2] {
        [self.positions[j] - self.positions[i], self.velocities[j] - self.velocities[i]]
    }
}

/// Rounding of projected places \[m\] and speeds \[m/s\].
struct Noise {
    place: f64,
    speed: f64,
}

impl Noise {
    fn new(a: &Nodes, b: &Nodes) -> Self {
        Self { place: ROUNDING * (a.reach + b.reach), speed: ROUNDING * (a.speed + b.speed) }
    }
}

/// A direction that may separate the faces.
#[derive(Clone, Copy)]
struct Direction {
    /// Unit vector; zero if there is none.
    normal: Vec3,
    /// Its rate of change \[1/s\].
    rate: Vec3,
}

impl Direction {
    fn fixed(normal: Vec3) -> Self {
        Self { normal, rate: Vec3::zeros() }
    }

    /// The common normal e × f of two moving vectors, each with its rate.
    fn normal_to(e: [Vec3; 2], f: [Vec3; 2]) -> Self {
        let normal = e[0].cross(&f[0]);
        let length = normal.norm();
        if length == 0.0 || length.is_nan() {
            return Self::fixed(Vec3::zeros());
        }
        let rate = (e[1].cross(&f[0]) + e[0].cross(&f[1])) / length;
        let normal = normal / length;
        Self { normal, rate: rate - normal * normal.dot(&rate) }
    }
}

/// What a separating direction is good for.
#[derive(Clone, Copy)]
struct Certificate {
    /// Time without contact from now on \[s\]; infinite if the faces separate for good.
    time: f64,
    /// Least gap along the direction, less its rounding \[m\].
    gap: f64,
}

impl Certificate {
    fn beats(&self, other: &Self) -> bool {
        self.time > other.time || (self.time == other.time && self.gap > other.gap)
    }
}

/// What is known of the relative acceleration.
struct Relative {
    acceleration: Vec3,
    deviation: f64,
}

impl Relative {
    /// The time within `window` for which a direction or its opposite, at rest or turning, certainly separates the
    /// faces, and the normal from b to a.
    fn certify(
        &self,
        direction: &Direction,
        a: &Nodes,
        b: &Nodes,
        noise: &Noise,
        window: f64,
    ) -> (Certificate, Vec3) {
        let (n, rate) = match side(&direction.normal, a, b) {
            side if side >= 0.0 => (direction.normal, direction.rate),
            _ => (-direction.normal, -direction.rate),
        };
        if n == Vec3::zeros() {
            return (Certificate { time: 0.0, gap: f64::NEG_INFINITY }, n);
        }
        let mut certificate = self.separation(&Direction::fixed(n), a, b, noise, f64::INFINITY);
        if rate != Vec3::zeros() && certificate.gap > 0.0 && certificate.time <= window {
            let turning = Direction { normal: n, rate };
            // The bound of the cubic term tightens with the window, so the window closes in on the answer.
            let mut window = window;
            for _ in 0..2 {
                let found = self.separation(&turning, a, b, noise, window);
                certificate.time = certificate.time.max(found.time.min(window));
                window = window.min(4.0 * certificate.time);
            }
        }
        (certificate, n)
    }

    /// Least gap, and first root of the bound of any gap; valid up to `window`, in which the cubic term c₃ h³ of a
    /// turning direction is bounded by c₃ `window` h².
    fn separation(
        &self,
        direction: &Direction,
        a: &Nodes,
        b: &Nodes,
        noise: &Noise,
        window: f64,
    ) -> Certificate {
        let Direction { normal: n, rate } = direction;
        let turn = rate.norm();
        let cubic = 0.5 * (rate.dot(&self.acceleration) - self.deviation * turn).min(0.0);
        let bend = 0.5 * (n.dot(&self.acceleration) - self.deviation) - noise.speed * turn
            + if turn > 0.0 { cubic * window } else { 0.0 };
        let mut certificate = Certificate { time: f64::INFINITY, gap: f64::INFINITY };
        for i in 0..a.count {
            for j in 0..b.count {
                let (x, v) = (a.positions[i] - b.positions[j], a.velocities[i] - b.velocities[j]);
                let gap = n.dot(&x) - noise.place;
                let closing = n.dot(&v) + rate.dot(&x) - noise.speed - noise.place * turn;
                certificate.gap = certificate.gap.min(gap);
                match first_root_of_quadratic(&[gap, closing, bend + rate.dot(&v)]) {
                    Some(time) if time.is_nan() => certificate.time = 0.0,
                    Some(time) => certificate.time = certificate.time.min(time),
                    None => {}
                }
            }
        }
        certificate
    }
}

/// Positive if a lies ahead of b along n: the sum of the distances between the ends of their ranges.
fn side(n: &Vec3, a: &Nodes, b: &Nodes) -> f64 {
    let range = |nodes: &Nodes| {
        let places = nodes.positions().iter().map(|x| n.dot(x));
        places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    };
    let ((low_a, high_a), (low_b, high_b)) = (range(a), range(b));
    (low_a - high_b) - (low_b - high_a)
}
