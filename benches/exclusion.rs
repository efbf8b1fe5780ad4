//! Exclusion tests of bounding volumes, and their fits to a triangle.
//!
//! Aragón & Molinari 2014, table 1, give for their tests (C++, 2.6 GHz i7): sphere 39 ns, box 37 ns, 14-DOP 42 ns. The
//! pairs are of triangles at random, so far apart that the boxes exclude about half of them: a thousand, whose volumes
//! stay in the first- or second-level cache, and 8192.
#![allow(missing_docs, reason = "a bench has no public items")]

mod common;
#[path = "closest_point/random.rs"]
mod random;

use std::hint::black_box;

use common::{heading, measure, repetitions, report};
use ictus::contact::detection::volume::{Aabb, Dop14, Dop18, Dop26, Obb, Sphere};
use ictus::math::Vec3;
use random::Random;

type Triangle = [Vec3; 3];

/// Tests within one timing.
const TESTS: usize = 16_384;

fn pairs(count: usize) -> Vec<[Triangle; 2]> {
    let mut random = Random(2014);
    let mut triangle = |at: Vec3| [0; 3].map(|_| random.vector(1.0) + at);
    let mut places = Random(2015);
    (0..count).map(|_| [triangle(Vec3::zeros()), triangle(places.vector(1.4))]).collect()
}

/// Times `work` on all samples in turn.
fn time<T>(label: &str, unit: &str, samples: &[T], work: impl Fn(&T)) {
    let passes = TESTS.div_ceil(samples.len());
    let timing = measure(samples.len() * passes, repetitions(200), || {
        for _ in 0..passes {
            samples.iter().for_each(&work);
        }
    });
    report(label, unit, timing);
}

fn test<V>(
    label: &str,
    pairs: &[[Triangle; 2]],
    fit: impl Fn(&[Vec3]) -> V,
    excludes: impl Fn(&V, &V) -> bool,
) {
    let volumes: Vec<[V; 2]> = pairs.iter().map(|[a, b]| [fit(a), fit(b)]).collect();
    let excluded = volumes.iter().filter(|[a, b]| excludes(a, b)).count();
    let percent = 100.0 * excluded as f64 / pairs.len() as f64;
    time(&format!("{label}; {percent:.0} % excluded"), "test", &volumes, |[a, b]| {
        black_box(excludes(a, b));
    });
}

fn ball(points: &[Vec3]) -> Sphere {
    let centre = points.iter().sum::<Vec3>() / points.len() as f64;
    Sphere { centre, radius: points.iter().map(|p| (p - centre).norm()).fold(0.0, f64::max) }
}

fn main() {
    for count in [1000, 8192] {
        let pairs = pairs(count);
        heading(&format!("exclusion of two triangles, {count} pairs"));
        test("sphere (paper: 39)", &pairs, ball, Sphere::excludes);
        test("box (paper: 37)", &pairs, |x| Aabb::fit(x, 0.0), Aabb::excludes);
        test("14-DOP (paper: 42)", &pairs, |x| Dop14::fit(x, 0.0), Dop14::excludes);
        test("18-DOP", &pairs, |x| Dop18::fit(x, 0.0), Dop18::excludes);
        test("26-DOP", &pairs, |x| Dop26::fit(x, 0.0), Dop26::excludes);
        test("oriented box, 6 axes", &pairs, |x| Obb::fit(x, 0.0), Obb::excludes_by_faces);
        test("oriented box, 15 axes", &pairs, |x| Obb::fit(x, 0.0), Obb::excludes);
    }
    let pairs = pairs(1000);
    heading("fit to a triangle");
    let fit = |label: &str, work: &dyn Fn(&Triangle)| time(label, "fit", &pairs, |[a, _]| work(a));
    fit("box", &|a| {
        black_box(Aabb::fit(a, 0.0));
    });
    fit("14-DOP", &|a| {
        black_box(Dop14::fit(a, 0.0));
    });
    fit("18-DOP", &|a| {
        black_box(Dop18::fit(a, 0.0));
    });
    fit("26-DOP", &|a| {
        black_box(Dop26::fit(a, 0.0));
    });
    fit("oriented box", &|a| {
        black_box(Obb::fit(a, 0.0));
    });
}
