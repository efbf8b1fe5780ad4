//! Goal: the closest point of any face is its global minimum, for all kinds and shapes of faces.
//!
//! An oracle proves the minimum for each query point r: the oracle looks for a point x of the face that is closer to r
//! than the answer of the search. Every face becomes a biquadratic surface over the unit square (a triangle by ξ = s (1
//! − t), η = t), interpolated from the shape functions. The function F = ½ |x − r|² then has Bernstein coefficients,
//! and is nowhere less than the smallest coefficient. The oracle divides the square (de Casteljau) until no part can
//! have a closer point: the coefficients of each part are too large, or its control points lie behind a plane. Around
//! the answer this division would never end. In this case the oracle shows that the Hessian of F is positive definite.
//! F then lies above its tangent plane at the answer.
//!
//! Tolerance: 1e-10 of the size of the face, or of a larger distance. This is ten times the accuracy that the search
//! for global minima guarantees; the factor allows for rounding.

use ictus::contact::detection::face::closest_point::{
    ClosestPoint, Domain, Method, Outcome, Start, closest_point,
};
use ictus::element::{MAX_NODES, shape_gradients, shape_values};
use ictus::math::Vec3;
use ictus::mesh::CellKind;
use rayon::prelude::*;

use crate::model::worst;
use crate::random::Random;

/// Tolerance of the distance, relative to the size of the face.
const TOLERANCE: f64 = 1e-10;
/// Number of parts of a face after which the oracle gives up.
const MAX_PARTS: usize = 300_000;

/// Shapes of faces.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Class {
    /// Plane and distorted, with displaced mid-side nodes.
    Flat,
    /// Warped as in meshes.
    Warped,
    /// Bent beyond practical shapes, folds included.
    StronglyCurved,
    /// Coincident nodes, no area, slivers.
    NearDegenerate,
}

const CLASSES: [Class; 4] = [Class::Flat, Class::Warped, Class::StronglyCurved, Class::NearDegenerate];

/// Nodes of a square of side 2, of half of this square, or of a segment of length 2.
fn regular(kind: CellKind) -> Vec<Vec3> {
    let square = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let middle = [[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, 0.0]];
    let nodes: Vec<[f64; 2]> = match kind {
        CellKind::Line2 | CellKind::Line3 => vec![[-1.0, 0.0], [1.0, 0.0], [0.0, 0.0]],
        CellKind::Tri3 | CellKind::Tri6 => {
            vec![[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [0.0, -1.0], [0.0, 0.0], [-1.0, 0.0]]
        }
        _ => [square.as_slice(), middle.as_slice()].concat(),
    };
    nodes[..kind.num_nodes()].iter().map(|&[x, y]| Vec3::new(x, y, 0.0)).collect()
}

fn random_face(random: &mut Random, kind: CellKind, class: Class) -> Vec<Vec3> {
    let mut nodes = regular(kind);
    match class {
        Class::Flat => nodes.iter_mut().for_each(|x| {
            *x += Vec3::new(random.uniform(0.15), random.uniform(0.15), 0.0);
        }),
        Class::Warped => nodes.iter_mut().for_each(|x| *x += random.vector(0.1)),
        Class::StronglyCurved => nodes.iter_mut().for_each(|x| *x += random.vector(1.0)),
        Class::NearDegenerate => make_degenerate(random, &mut nodes),
    }
    nodes
}

/// Flattens a face to a sliver, moves nodes onto each other, or shrinks the face, each up to a small perturbation.
fn make_degenerate(random: &mut Random, nodes: &mut [Vec3]) {
    let bend = random.pick(&[0.0, 0.1, 1.0]);
    let thin = random.pick(&[0.0, 1e-12, 1e-9, 1e-6, 1e-3]);
    nodes.iter_mut().for_each(|x| *x += random.vector(bend));
    let choice = random.uniform(1.0).abs();
    if choice < 0.2 {
        let direction = Vec3::new(0.6, 0.64, 0.48);
        for x in nodes.iter_mut() {
            *x = direction * x.dot(&direction) + *x * thin;
        }
    } else if choice < 0.8 {
        for _ in 0..=(2.5 * (choice - 0.2)) as usize {
            let pair = [0; 2].map(|_| (random.uniform(1.0).abs() * nodes.len() as f64) as usize);
            nodes[pair[0]] = nodes[pair[1]] + random.vector(thin);
        }
    } else {
        let size = random.pick(&[0.0, 1e-9, 1e-3]);
        nodes.iter_mut().for_each(|x| *x = Vec3::x() + *x * size);
    }
}

/// The function F over a rectangular part of the unit square.
#[derive(Clone)]
struct Part {
    /// Control points of x − r; the first index belongs to s.
    net: [[Vec3; 3]; 3],
    low: [f64; 2],
    high: [f64; 2],
}

type Coefficients = Vec<Vec<f64>>;

impl Part {
    fn new(kind: CellKind, nodes: &[Vec3], query: &Vec3) -> Self {
        let at =
            |i: usize, j: usize| point(kind, nodes, natural(kind, [0.5 * i as f64, 0.5 * j as f64])) - query;
        let mut net = [0, 1, 2].map(|i| [0, 1, 2].map(|j| at(i, j)));
        let to_bezier = |p: [Vec3; 3]| [p[0], p[1] * 2.0 - (p[0] + p[2]) * 0.5, p[2]];
        net = transpose(net.map(to_bezier));
        Self { net: transpose(net.map(to_bezier)), low: [0.0; 2], high: [1.0; 2] }
    }

    /// Bernstein coefficients of F, degree 4 in both directions.
    fn coefficients(&self) -> Coefficients {
        let binomial = [1.0, 4.0, 6.0, 4.0, 1.0];
        let weight = [1.0, 2.0, 1.0];
        let mut sums = vec![vec![0.0; 5]; 5];
        for (i, j, k, l) in (0..81).map(|n| (n % 3, n / 3 % 3, n / 9 % 3, n / 27)) {
            let product = self.net[i][j].dot(&self.net[k][l]);
            sums[i + k][j + l] += 0.5 * weight[i] * weight[j] * weight[k] * weight[l] * product;
        }
        for (row, a) in sums.iter_mut().zip(binomial) {
            row.iter_mut().zip(binomial).for_each(|(value, b)| *value /= a * b);
        }
        sums
    }

    fn halves(&self) -> [Self; 2] {
        let length = |net: &[[Vec3; 3]; 3]| {
            net.iter().map(|p| (p[1] - p[0]).norm_squared() + (p[2] - p[1]).norm_squared()).sum::<f64>()
        };
        let turned = transpose(self.net);
        // The part is halved along the direction in which its net is longer. If both lengths are equal, it is halved
        // along t.
        let axis = usize::from(length(&self.net) >= length(&turned));
        let rows = if axis == 1 { self.net } else { turned };
        let (first, second) = cut(rows, 0.5);
        let middle = 0.5 * (self.low[axis] + self.high[axis]);
        let [mut a, mut b] = [first, second].map(|net| Self {
            net: if axis == 1 { net } else { transpose(net) },
            low: self.low,
            high: self.high,
        });
        a.high[axis] = middle;
        b.low[axis] = middle;
        [a, b]
    }

    /// The part of the unit square over a rectangle.
    fn over(&self, low: [f64; 2], high: [f64; 2]) -> Self {
        let window = |net, k: usize| {
            let (left, _) = cut(net, high[k]);
            cut(left, if high[k] > 0.0 { low[k] / high[k] } else { 0.0 }).1
        };
        let net = transpose(window(transpose(window(self.net, 1)), 0));
        Self { net, low, high }
    }

    /// Whether all control points are at least `distance` from the query along one of two directions: to the answer, or
    /// to the middle control point.
    fn is_behind_plane(&self, answer: &Vec3, distance: f64) -> bool {
        [*answer, self.net[1][1]].iter().any(|way| {
            let direction = way / way.norm();
            self.net.iter().flatten().all(|p| p.dot(&direction) >= distance)
        })
    }

    fn is_in(&self, [low, high]: &[[f64; 2]; 2]) -> bool {
        (0..2).all(|k| self.low[k] >= low[k] && self.high[k] <= high[k])
    }
}

fn transpose(p: [[Vec3; 3]; 3]) -> [[Vec3; 3]; 3] {
    [0, 1, 2].map(|j| [0, 1, 2].map(|i| p[i][j]))
}

/// De Casteljau's algorithm on each row: the parts before and after `t`.
fn cut(rows: [[Vec3; 3]; 3], t: f64) -> ([[Vec3; 3]; 3], [[Vec3; 3]; 3]) {
    let parts = rows.map(|[p, q, r]| {
        let (pq, qr) = (p.lerp(&q, t), q.lerp(&r, t));
        let middle = pq.lerp(&qr, t);
        ([p, pq, middle], [middle, qr, r])
    });
    (parts.map(|p| p.0), parts.map(|p| p.1))
}

/// Natural coordinates of a point of the unit square; the inverse is `unit_square`.
fn natural(kind: CellKind, [s, t]: [f64; 2]) -> [f64; 2] {
    match kind.linear() {
        CellKind::Line2 => [2.0 * s - 1.0, 0.0],
        CellKind::Tri3 => [s * (1.0 - t), t],
        _ => [2.0 * s - 1.0, 2.0 * t - 1.0],
    }
}

fn unit_square(kind: CellKind, [x, y]: [f64; 2]) -> [f64; 2] {
    let place = match kind.linear() {
        CellKind::Line2 => [0.5 * (x + 1.0), 0.5],
        CellKind::Tri3 => [if y < 1.0 { x / (1.0 - y) } else { 0.0 }, y],
        _ => [0.5 * (x + 1.0), 0.5 * (y + 1.0)],
    };
    place.map(|s| s.clamp(0.0, 1.0))
}

fn point(kind: CellKind, nodes: &[Vec3], xi: [f64; 2]) -> Vec3 {
    let mut values = [0.0; MAX_NODES];
    shape_values(kind, [xi[0], xi[1], 0.0], &mut values);
    nodes.iter().zip(values).map(|(x, n)| x * n).sum()
}

/// Coefficients of the derivative by the first or second parameter: differences of neighbours times the degree.
fn differentiate(c: &Coefficients, axis: usize) -> Coefficients {
    let degree = if axis == 0 { c.len() } else { c[0].len() } as f64 - 1.0;
    if axis == 0 {
        c.windows(2).map(|w| w[0].iter().zip(&w[1]).map(|(a, b)| degree * (b - a)).collect()).collect()
    } else {
        c.iter().map(|row| row.windows(2).map(|w| degree * (w[1] - w[0])).collect()).collect()
    }
}

/// The coefficients after the degree is raised to four in both directions.
fn raised(c: &Coefficients) -> Coefficients {
    let raise = |row: &[f64]| {
        let mut row = row.to_vec();
        while row.len() < 5 {
            let n = row.len();
            let value = |k: usize| {
                let before = if k > 0 { k as f64 / n as f64 * row[k - 1] } else { 0.0 };
                before + if k < n { (1.0 - k as f64 / n as f64) * row[k] } else { 0.0 }
            };
            row = (0..=n).map(value).collect();
        }
        row
    };
    let rows: Coefficients = c.iter().map(|row| raise(row)).collect();
    let columns: Coefficients =
        (0..5).map(|j| raise(&rows.iter().map(|row| row[j]).collect::<Vec<_>>())).collect();
    (0..5).map(|i| (0..5).map(|j| columns[j][i]).collect()).collect()
}

/// Whether F is convex over a part. On a curve F depends on the first parameter only.
fn is_convex(coefficients: &Coefficients, is_curve: bool) -> bool {
    let [first, second] = [0, 1].map(|axis| differentiate(coefficients, axis));
    let along = raised(&differentiate(&first, 0));
    let across = raised(&differentiate(&second, 1));
    let mixed = raised(&differentiate(&first, 1));
    (0..25).map(|k| (k / 5, k % 5)).all(|(i, j)| {
        let (a, b, c) = (along[i][j], across[i][j], mixed[i][j]);
        if is_curve { a > 0.0 } else { a > 0.0 && b > 0.0 && a * b - c * c > 1e-9 * (a + b) * (a + b) }
    })
}

/// Verdict of the oracle.
#[derive(Debug, PartialEq)]
enum Verdict {
    Closest,
    /// A closer point, and its distance.
    Closer([f64; 2], f64),
    Undecided,
}

/// Searches for a point closer than the point at ξ by more than the tolerance.
fn judge(kind: CellKind, nodes: &[Vec3], query: &Vec3, xi: [f64; 2], tolerance: f64) -> Verdict {
    let whole = Part::new(kind, nodes, query);
    let place = unit_square(kind, xi);
    let answer = point(kind, nodes, xi) - query;
    let distance = answer.norm();
    let threshold = 0.5 * (distance - tolerance).max(0.0).powi(2);
    let settled = neighbourhood(kind, &whole, place, threshold);
    let mut stack = vec![whole];
    let mut count = 0;
    while let Some(part) = stack.pop() {
        if settled.as_ref().is_some_and(|settled| part.is_in(settled)) {
            continue;
        }
        if part.is_behind_plane(&answer, distance - tolerance) {
            continue;
        }
        let coefficients = part.coefficients();
        let least = coefficients.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        if least >= threshold {
            continue;
        }
        for (i, j) in [(0, 0), (0, 4), (4, 0), (4, 4)] {
            let place = [[part.low[0], part.high[0]][i / 4], [part.low[1], part.high[1]][j / 4]];
            let xi = natural(kind, place);
            let found = (point(kind, nodes, xi) - query).norm();
            if found < distance - tolerance {
                return Verdict::Closer(xi, found);
            }
        }
        count += 1;
        if count > MAX_PARTS {
            return Verdict::Undecided;
        }
        stack.extend(part.halves());
    }
    Verdict::Closest
}

/// The largest rectangle around the answer on which F is convex, among rectangles halved in succession. If the tangent
/// plane of F at the answer is at or above the threshold everywhere in this rectangle, then by convexity so is F. The
/// result is `None` if the tangent plane is below the threshold somewhere, or if no rectangle is found.
fn neighbourhood(kind: CellKind, whole: &Part, place: [f64; 2], threshold: f64) -> Option<[[f64; 2]; 2]> {
    let is_curve = kind.dimension() == 1;
    for halvings in 0..12 {
        let radius = 0.5_f64.powi(halvings);
        let low = place.map(|s| (s - radius).max(0.0));
        let high = place.map(|s| (s + radius).min(1.0));
        let coefficients = whole.over(low, high).coefficients();
        if !is_convex(&coefficients, is_curve) {
            continue;
        }
        let offset = blossom(&whole.net, place, |t| [1.0 - t, t]);
        let slopes = [0, 1].map(|k| offset.0.dot(&offset.1[k]));
        let descent = (0..2).map(|k| (slopes[k] * (low[k] - place[k])).min(slopes[k] * (high[k] - place[k])));
        let tangent = 0.5 * offset.0.norm_squared() + descent.sum::<f64>();
        return (tangent >= threshold).then_some([low, high]);
    }
    None
}

/// The vector x − r and its derivatives at a point of the unit square.
fn blossom(net: &[[Vec3; 3]; 3], [s, t]: [f64; 2], w: impl Fn(f64) -> [f64; 2]) -> (Vec3, [Vec3; 2]) {
    let ([a, b], [c, d]) = (w(s), w(t));
    let line = |p: [Vec3; 3], [a, b]: [f64; 2]| {
        let (pq, qr) = (p[0] * a + p[1] * b, p[1] * a + p[2] * b);
        (pq * a + qr * b, (qr - pq) * 2.0)
    };
    let across = net.map(|row| line(row, [c, d]));
    let (offset, along) = line(across.map(|p| p.0), [a, b]);
    (offset, [along, line(across.map(|p| p.1), [a, b]).0])
}

/// Largest decrease of F along a direction d that stays in the face, −(x − r) · d/|d|; at most zero at an optimum. A
/// length |d| below 1e-3 counts as 1e-3.
fn residual(kind: CellKind, nodes: &[Vec3], query: &Vec3, xi: [f64; 2]) -> f64 {
    let mut gradients = [[0.0; 3]; MAX_NODES];
    shape_gradients(kind, [xi[0], xi[1], 0.0], &mut gradients);
    let offset = point(kind, nodes, xi) - query;
    let tangent = |i: usize| nodes.iter().zip(gradients).map(|(x, g)| x * g[i]).sum::<Vec3>();
    let (x1, x2) = (tangent(0), tangent(1));
    let at = |value: f64| value.abs() < 1e-14;
    // Directions, each with whether it leaves the domain at this point. At a point of the hypotenuse of a triangle,
    // directions along the hypotenuse stay in the domain.
    let mut directions = vec![];
    if kind.linear() == CellKind::Tri3 {
        let third = at(1.0 - xi[0] - xi[1]);
        directions.extend([(x2 - x1, at(xi[0])), (x1 - x2, at(xi[1]))]);
        directions.extend([(x1, third), (-x1, at(xi[0])), (x2, third), (-x2, at(xi[1]))]);
    } else {
        directions.extend([(x1, at(xi[0] - 1.0)), (-x1, at(xi[0] + 1.0))]);
        if kind.dimension() == 2 {
            directions.extend([(x2, at(xi[1] - 1.0)), (-x2, at(xi[1] + 1.0))]);
        }
    }
    let free = directions.into_iter().filter(|(_, blocked)| !blocked);
    worst(free.map(|(d, _)| -offset.dot(&d) / d.norm().max(1e-3)))
}

/// Checks the answers to one query of the iterative method and, if there is one, of the closed form. Returns whether
/// the oracle could decide.
fn check(kind: CellKind, class: Class, nodes: &[Vec3], query: &Vec3) -> bool {
    let methods: &[Method] =
        if Method::Voronoi.serves(kind) { &[Method::Sqp, Method::Auto] } else { &[Method::Sqp] };
    methods.iter().all(|&method| check_method(method, kind, class, nodes, query))
}

fn check_method(method: Method, kind: CellKind, class: Class, nodes: &[Vec3], query: &Vec3) -> bool {
    let found: ClosestPoint = closest_point(method, Start::Nearest, kind, nodes, query);
    let size = nodes.iter().map(|x| (x - nodes[0]).norm()).fold(0.0, f64::max);
    let distance = found.distance_squared.sqrt();
    let context = || format!("{method:?} {kind:?} {class:?} {nodes:?} {query:?}: {found:?}");
    assert!(found.outcome != Outcome::Capped, "{}", context());
    // The tolerance contains the rounding of coordinates. This rounding does not decrease with the size of the face.
    let rounding = 1e-14 * (size + distance) + 4.0 * f64::EPSILON * found.point.amax();
    assert!((point(kind, nodes, found.xi) - found.point).norm() <= rounding, "{}", context());
    // A residual slope of 1e-7 changes the relative distance by 1e-14, far below the tolerance of the distance.
    if class != Class::NearDegenerate {
        let residual = residual(kind, nodes, query, found.xi);
        assert!(residual <= 1e-7 * (size + distance), "{residual:e} {}", context());
    }
    let verdict = judge(kind, nodes, query, found.xi, TOLERANCE * size.max(distance));
    assert!(!matches!(verdict, Verdict::Closer(..)), "{verdict:?} {}", context());
    verdict == Verdict::Closest
}

/// Checks `count` answers per kind and class. The oracle must decide every answer.
fn check_all(count: u64) {
    for kind in Domain::KINDS {
        for class in CLASSES {
            let decided = (0..count).into_par_iter().filter(|&k| {
                let mut random =
                    Random(k.wrapping_mul(0x1234_5678_9ABC_DEF1) ^ class as u64 ^ ((kind as u64) << 8));
                let nodes = random_face(&mut random, kind, class);
                let reach = random.pick(&[0.1, 1.0, 3.0]);
                let on = nodes[(random.uniform(1.0).abs() * nodes.len() as f64) as usize];
                let centre = if k % 2 == 0 { on } else { Vec3::zeros() };
                check(kind, class, &nodes, &(centre + random.vector(reach)))
            });
            let undecided = count - decided.count() as u64;
            println!("{} {class:?}: {count} answers, {undecided} undecided", kind.name());
            assert_eq!(undecided, 0, "{kind:?} {class:?}");
        }
    }
}

#[test]
fn closest_points_are_global_minima() {
    check_all(300);
}

#[test]
#[ignore = "long verification: cargo test --release --test verification -- --ignored"]
fn a_million_closest_points_of_each_kind_are_global_minima() {
    check_all(250_000);
}

/// Test of the oracle: for a wrong answer, the oracle must find a closer point.
#[test]
fn the_oracle_refutes_wrong_answers() {
    let mut random = Random(9);
    let mut refuted = 0;
    for kind in Domain::KINDS {
        for _ in 0..200 {
            let nodes = random_face(&mut random, kind, Class::Warped);
            let query = random.vector(1.5);
            let found = closest_point(Method::Auto, Start::Nearest, kind, &nodes, &query);
            let xi = found.xi.map(|x| 0.9 * x);
            let worse = (point(kind, &nodes, xi) - query).norm();
            if worse > found.distance_squared.sqrt() + 1e-6 {
                assert!(matches!(judge(kind, &nodes, &query, xi, 1e-8), Verdict::Closer(..)));
                refuted += 1;
            }
        }
    }
    assert!(refuted > 700, "{refuted}");
}

/// The expected values were found by multi-start optimisation and a 400 × 400 grid. Only the last ξ is the root of the
/// cubic of its edge.
#[test]
fn reference_values_of_a_curved_triangle() {
    let nodes = [
        [0.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [0.0, 2.0, 0.0],
        [1.0, 0.0, 0.3],
        [1.0, 1.0, 0.2],
        [0.0, 1.0, 0.1],
    ]
    .map(Vec3::from);
    for (query, xi, distance) in [
        ([0.7, 0.6, 1.0], [0.367_251_61, 0.278_879_92], 0.724_694_775_739),
        ([3.0, 1.0, 0.5], [0.957_266_28, 0.042_733_72], 1.494_307_304_711),
        ([-1.0, -1.0, 1.0], [0.0, 0.0], 1.732_050_807_569),
        ([0.5, 0.5, -2.0], [0.0, 0.079_240_118_26], 2.117_598_941_246),
    ] {
        let found = closest_point(Method::Sqp, Start::Nearest, CellKind::Tri6, &nodes, &query.into());
        assert!((found.distance_squared.sqrt() - distance).abs() < 1e-11, "{found:?}");
        assert!((0..2).all(|i| (found.xi[i] - xi[i]).abs() < 1e-8), "{found:?}");
    }
}
