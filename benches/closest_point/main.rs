//! Level 3 and the rungs below it: closest points, segment pairs, times of impact, exclusion tests.
//!
//! Aragón & Molinari 2014, table 1, give for their tests (C++, 2.6 GHz i7): sphere 39 ns, box 37 ns, 14-DOP 42 ns,
//! point–triangle distance by sequential quadratic programming 20 457 ns in 12 iterations. The yardstick measured here
//! is Ericson's triangle, written plainly: point only, no natural coordinates, feature or guard for slivers.
#![allow(clippy::print_stdout, reason = "a bench prints its table")]

#[path = "../common/mod.rs"]
mod common;

use std::hint::black_box;

use common::{heading, measure, repetitions, report};
use ictus::contact::detection::closest_point::{
    Method, Sqp, Start, closest_point, local_minimum, segment_segment::closest_parameters, sqp,
};
use ictus::contact::detection::time_of_impact::{FacePath, time_of_impact};
use ictus::contact::detection::volume::{Aabb, Dop14, Dop18, Dop26, Obb, Sphere};
use ictus::math::Vec3;
use ictus::mesh::CellKind;

const COUNT: usize = 1000;
/// Passes over all samples within one timing.
const PASSES: usize = 20;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn vector(&mut self, half: f64) -> Vec3 {
        Vec3::from_fn(|_, _| half * (2.0 * self.uniform() - 1.0))
    }
}

fn time<T>(label: &str, unit: &str, samples: &[T], work: impl Fn(&T)) {
    let timing = measure(samples.len() * PASSES, repetitions(30), || {
        for _ in 0..PASSES {
            samples.iter().for_each(&work);
        }
    });
    report(label, unit, timing);
}

/// Ericson 2005, §5.1.5.
fn plain_triangle(p: &Vec3, [a, b, c]: &[Vec3; 3]) -> Vec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return *a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return *b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return *c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let scale = 1.0 / (va + vb + vc);
    a + ab * (vb * scale) + ac * (vc * scale)
}

/// A face of unit size, its corners moved by up to a fifth, and a query about it.
fn faces(random: &mut Random) -> Vec<([Vec3; 4], Vec3)> {
    let square = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]].map(Vec3::from);
    (0..COUNT).map(|_| (square.map(|x| x + random.vector(0.2)), random.vector(1.5))).collect()
}

fn closest_points_of_faces(random: &mut Random) {
    let samples = faces(random);
    heading("closest point of a face");
    time("Tri3, plain Ericson (yardstick)", "query", &samples, |(x, q)| {
        black_box(plain_triangle(q, &[x[0], x[1], x[2]]));
    });
    for (kind, method, start) in [
        (CellKind::Line2, Method::Auto, Start::Nearest),
        (CellKind::Tri3, Method::Auto, Start::Nearest),
        (CellKind::Tri3, Method::Sqp, Start::Nearest),
        (CellKind::Quad4, Method::Sqp, Start::Nearest),
        (CellKind::Quad4, Method::Sqp, Start::Centre),
    ] {
        let solve =
            |(x, q): &([Vec3; 4], Vec3)| closest_point(method, start, kind, &x[..kind.num_nodes()], q);
        let iterations: u32 = samples.iter().map(|s| solve(s).iterations).sum();
        let mean = f64::from(iterations) / COUNT as f64;
        let label = format!("{}, {method:?}, {start:?}, {mean:.2} iterations", kind.name());
        time(&label, "query", &samples, |s| {
            black_box(solve(s));
        });
    }
    for hessian in [sqp::Hessian::Exact, sqp::Hessian::Bfgs] {
        let solve = |(x, q): &([Vec3; 4], Vec3)| {
            local_minimum(&Sqp { hessian }, Start::Nearest, CellKind::Quad4, x, q).unwrap()
        };
        let iterations: u32 = samples.iter().map(|s| solve(s).iterations).sum();
        let mean = f64::from(iterations) / COUNT as f64;
        time(&format!("quad4, local minimum, {hessian:?}, {mean:.2} iterations"), "query", &samples, |s| {
            black_box(solve(s));
        });
    }
    let pairs: Vec<[[Vec3; 2]; 2]> =
        (0..COUNT).map(|_| [0; 2].map(|_| [random.vector(1.0), random.vector(1.0)])).collect();
    time("segment to segment", "pair", &pairs, |[a, b]| {
        black_box(closest_parameters(a, b));
    });
}

/// Nodes that move uniformly.
struct Uniform {
    nodes: Vec<Vec3>,
    velocity: Vec3,
}

impl FacePath for Uniform {
    fn kind(&self) -> CellKind {
        if self.nodes.len() == 3 { CellKind::Tri3 } else { CellKind::Quad4 }
    }

    fn node(&self, k: usize) -> Vec3 {
        self.nodes[k]
    }

    fn point(&self, reference: &Vec3, time: f64) -> (Vec3, Vec3) {
        (reference + self.velocity * time, self.velocity)
    }

    fn common_acceleration(&self) -> Vec3 {
        Vec3::zeros()
    }

    fn acceleration_deviation(&self, _reference: &Vec3) -> f64 {
        0.0
    }
}

fn times_of_impact(random: &mut Random) {
    heading("time of impact of two faces");
    for num_nodes in [3, 4] {
        let samples: Vec<[Uniform; 2]> = (0..COUNT)
            .map(|_| {
                let offset = random.vector(3.0);
                let nodes =
                    |random: &mut Random, at: Vec3| (0..num_nodes).map(|_| random.vector(1.0) + at).collect();
                [
                    Uniform { nodes: nodes(random, offset), velocity: -offset },
                    Uniform { nodes: nodes(random, Vec3::zeros()), velocity: Vec3::zeros() },
                ]
            })
            .collect();
        time(&format!("{num_nodes} nodes each, head on"), "pair", &samples, |[a, b]| {
            black_box(time_of_impact(a, b, 1.0));
        });
    }
}

/// Times an exclusion test on pairs of volumes and says how many it excludes.
fn exclusion<V>(
    label: &str,
    pairs: &[[[Vec3; 3]; 2]],
    fit: impl Fn(&[Vec3]) -> V,
    test: impl Fn(&V, &V) -> bool,
) {
    let volumes: Vec<[V; 2]> = pairs.iter().map(|[a, b]| [fit(a), fit(b)]).collect();
    let excluded = volumes.iter().filter(|[a, b]| test(a, b)).count();
    let percent = 100.0 * excluded as f64 / pairs.len() as f64;
    time(&format!("{label}, {percent:.0} % excluded"), "test", &volumes, |[a, b]| {
        black_box(test(a, b));
    });
}

fn exclusions(random: &mut Random) {
    let pairs: Vec<[[Vec3; 3]; 2]> = (0..COUNT)
        .map(|_| {
            let at = random.vector(0.9);
            [[0; 3].map(|_| random.vector(1.0)), [0; 3].map(|_| random.vector(1.0) + at)]
        })
        .collect();
    heading("exclusion of two triangles (Aragón & Molinari 2014: sphere 39, box 37, 14-DOP 42 ns)");
    let ball = |x: &[Vec3]| {
        let centre = x.iter().sum::<Vec3>() / x.len() as f64;
        Sphere { centre, radius: x.iter().map(|p| (p - centre).norm()).fold(0.0, f64::max) }
    };
    exclusion("sphere", &pairs, ball, |a, b| {
        let reach = a.radius + b.radius;
        (a.centre - b.centre).norm_squared() > reach * reach
    });
    exclusion("box", &pairs, |x| Aabb::fit(x, 0.0), Aabb::excludes);
    exclusion("14-DOP", &pairs, |x| Dop14::fit(x, 0.0), Dop14::excludes);
    exclusion("18-DOP", &pairs, |x| Dop18::fit(x, 0.0), Dop18::excludes);
    exclusion("26-DOP", &pairs, |x| Dop26::fit(x, 0.0), Dop26::excludes);
    exclusion("oriented box, 6 axes", &pairs, |x| Obb::fit(x, 0.0), Obb::excludes_by_faces);
    exclusion("oriented box, 15 axes", &pairs, |x| Obb::fit(x, 0.0), Obb::excludes);
    heading("fit to a triangle");
    time("box", "fit", &pairs, |[a, _]| {
        black_box(Aabb::fit(a, 0.0));
    });
    time("14-DOP", "fit", &pairs, |[a, _]| {
        black_box(Dop14::fit(a, 0.0));
    });
    time("18-DOP", "fit", &pairs, |[a, _]| {
        black_box(Dop18::fit(a, 0.0));
    });
    time("26-DOP", "fit", &pairs, |[a, _]| {
        black_box(Dop26::fit(a, 0.0));
    });
    time("oriented box", "fit", &pairs, |[a, _]| {
        black_box(Obb::fit(a, 0.0));
    });
}

fn main() {
    let mut random = Random(2013);
    closest_points_of_faces(&mut random);
    times_of_impact(&mut random);
    exclusions(&mut random);
}
