//! Exclusion tests of bounding volumes, and fits of the volumes to a triangle.
//!
//! Aragón & Molinari 2014, table 1, give for their tests (C++, 2.6 GHz i7): sphere 39 ns, box 37 ns, 14-DOP 42 ns. This
//! bench uses pairs of random triangles, at such distances that boxes exclude about half of the pairs. The bench runs
//! with 1000 pairs, whose volumes fit into the first- or second-level cache, and with 8192 pairs. The best times of
//! other libraries on such pairs, measured on another machine, are printed next to ours.

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

mod common;
#[path = "closest_point/random.rs"]
mod random;

use std::hint::black_box;

use common::{heading, measure, repetitions, report};
use ictus::contact::detection::volume::{Aabb, AabbRow, Dop8, Dop14, Dop18, Dop26, Obb, Sphere};
use ictus::math::Vec3;
use ictus::math::eight_lanes::EightLanes;
use ictus::math::pack::{Registers, WIDTH};
use ictus::math::vectorised::{Kernel, Vectorised};
use pulp::{Simd, WithSimd};
use random::Random;

type Triangle = [Vec3; 3];

/// Number of tests within one timing.
const TESTS: usize = 16_384;

fn pairs(count: usize) -> Vec<[Triangle; 2]> {
    let mut random = Random(2014);
    let mut triangle = |at: Vec3| [0; 3].map(|_| random.vector(1.0) + at);
    let mut places = Random(2015);
    (0..count).map(|_| [triangle(Vec3::zeros()), triangle(places.vector(0.8))]).collect()
}

/// A volume and its test.
trait Exclusion {
    type Volume;
    fn fit(points: &[Vec3]) -> Self::Volume;
    fn excludes(a: &Self::Volume, b: &Self::Volume) -> bool;
}

macro_rules! exclusion {
    ($name:ident, $volume:ty, $fit:expr, $excludes:path) => {
        struct $name;

        impl Exclusion for $name {
            type Volume = $volume;
            fn fit(points: &[Vec3]) -> $volume {
                $fit(points)
            }
            // A function instead of a closure: a closure would not be compiled for wide vectors.
            #[inline(always)]
            fn excludes(a: &$volume, b: &$volume) -> bool {
                $excludes(a, b)
            }
        }
    };
}

exclusion!(ByBall, Sphere, ball, Sphere::excludes);
exclusion!(ByBox, Aabb, |x| Aabb::fit(x, 0.0), Aabb::excludes);
exclusion!(ByDop8, Dop8, |x| Dop8::fit(x, 0.0), Dop8::excludes);
exclusion!(ByDop14, Dop14, |x| Dop14::fit(x, 0.0), Dop14::excludes);
exclusion!(ByDop18, Dop18, |x| Dop18::fit(x, 0.0), Dop18::excludes);
exclusion!(ByDop26, Dop26, |x| Dop26::fit(x, 0.0), Dop26::excludes);
exclusion!(ByFaces, Obb, |x| Obb::fit(x, 0.0), Obb::excludes_by_faces);
exclusion!(ByAllAxes, Obb, |x| Obb::fit(x, 0.0), Obb::excludes);

/// Passes over all pairs of volumes, compiled for wide vectors.
struct Passes<'a, E: Exclusion> {
    volumes: &'a [[E::Volume; 2]],
    passes: usize,
}

impl<E: Exclusion> Kernel for Passes<'_, E> {
    type Output = ();

    #[inline(always)]
    fn call(self, _: impl EightLanes) {
        for _ in 0..self.passes {
            for [a, b] in self.volumes {
                black_box(E::excludes(a, b));
            }
        }
    }
}

fn test<E: Exclusion>(label: &str, pairs: &[[Triangle; 2]]) {
    let volumes: Vec<[E::Volume; 2]> = pairs.iter().map(|[a, b]| [E::fit(a), E::fit(b)]).collect();
    let excluded = volumes.iter().filter(|[a, b]| E::excludes(a, b)).count();
    let percent = 100.0 * excluded as f64 / pairs.len() as f64;
    let passes = TESTS.div_ceil(pairs.len());
    let vectorised = Vectorised::detect();
    let timing = measure(pairs.len() * passes, repetitions(200), || {
        vectorised.run(Passes::<E> { volumes: &volumes, passes });
    });
    report(&format!("{label}; {percent:.0} % excluded"), "test", timing);
}

/// Passes without tests. For each pair, a pass only reads as many bytes as two boxes have.
struct PassesOfReading<'a> {
    pairs: &'a [[u64; 12]],
    passes: usize,
}

impl Kernel for PassesOfReading<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, _: impl EightLanes) {
        for _ in 0..self.passes {
            let mut all = [0; 12];
            for pair in self.pairs {
                for k in 0..12 {
                    all[k] ^= pair[k];
                }
            }
            black_box(all);
        }
    }
}

fn test_reading(count: usize) {
    let pairs: Vec<[u64; 12]> = (0..count as u64).map(|k| [k; 12]).collect();
    let passes = TESTS.div_ceil(count);
    let vectorised = Vectorised::detect();
    let timing = measure(count * passes, repetitions(200), || {
        vectorised.run(PassesOfReading { pairs: &pairs, passes });
    });
    report("reading of two boxes and no more", "pair", timing);
}

/// Passes over boxes in eight lanes, as in a hierarchy: one box is tested against eight boxes at a time.
struct PassesOfRows<'a> {
    rows: &'a [(AabbRow, Aabb)],
    passes: usize,
}

impl WithSimd for PassesOfRows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for _ in 0..self.passes {
            for (row, other) in self.rows {
                black_box(row.overlapping(simd, other));
            }
        }
    }
}

fn test_rows(pairs: &[[Triangle; 2]]) {
    let mut excluded = 0;
    let of_eight = |eight: &[[Triangle; 2]]| {
        let (mut row, other) = (AabbRow::EMPTY, Aabb::fit(&eight[0][1], 0.0));
        for (lane, [a, _]) in eight.iter().enumerate() {
            let bounds = Aabb::fit(a, 0.0);
            row.set(lane, &bounds);
            excluded += usize::from(bounds.excludes(&other));
        }
        (row, other)
    };
    let rows: Vec<(AabbRow, Aabb)> = pairs.chunks(WIDTH).map(of_eight).collect();
    let percent = 100.0 * excluded as f64 / pairs.len() as f64;
    let passes = TESTS.div_ceil(pairs.len());
    let registers = Registers::default();
    let timing = measure(pairs.len() * passes, repetitions(200), || {
        registers.run(PassesOfRows { rows: &rows, passes });
    });
    report(&format!("boxes of a tree, eight to one; {percent:.0} % excluded"), "test", timing);
}

fn fit<E: Exclusion>(label: &str, pairs: &[[Triangle; 2]]) {
    let passes = TESTS.div_ceil(pairs.len());
    let timing = measure(pairs.len() * passes, repetitions(50), || {
        for [a, _] in (0..passes).flat_map(|_| pairs) {
            black_box(E::fit(a));
        }
    });
    report(label, "fit", timing);
}

/// Prints how many pairs of oriented boxes the test with the six face normals misses, although one of the 15 axes
/// separates the boxes. The number is printed as a fraction of all pairs, and of the pairs not excluded. Aragón &
/// Molinari 2014, §3.2, quote 6 %.
fn wrong_answers(pairs: &[[Triangle; 2]]) {
    let boxes = pairs.iter().map(|pair| pair.map(|triangle| Obb::fit(&triangle, 0.0)));
    let (mut overlaps, mut wrong) = (0, 0);
    for [a, b] in boxes {
        overlaps += usize::from(!a.excludes_by_faces(&b));
        wrong += usize::from(!a.excludes_by_faces(&b) && a.excludes(&b));
    }
    let percent = |of: usize| 100.0 * wrong as f64 / of as f64;
    println!(
        "oriented boxes, 6 axes instead of 15: wrong for {wrong} of {} pairs, {:.1} %, and {:.1} % of the {overlaps} \
         overlaps it reports (paper 6 %)",
        pairs.len(),
        percent(pairs.len()),
        percent(overlaps)
    );
}

fn ball(points: &[Vec3]) -> Sphere {
    let centre = points.iter().sum::<Vec3>() / points.len() as f64;
    Sphere { centre, radius: points.iter().map(|p| (p - centre).norm()).fold(0.0, f64::max) }
}

fn main() {
    for count in [1000, 8192] {
        let pairs = pairs(count);
        heading(&format!("exclusion of two triangles, {count} pairs"));
        test::<ByBall>("sphere (paper 39 ± 0.7, best 1.20)", &pairs);
        test::<ByBox>("box (paper 37 ± 6, best 0.96)", &pairs);
        test_reading(count);
        test_rows(&pairs);
        test::<ByDop8>("8-DOP of the plane", &pairs);
        test::<ByDop14>("14-DOP (paper 42 ± 7, best 3.45)", &pairs);
        test::<ByDop18>("18-DOP", &pairs);
        test::<ByDop26>("26-DOP", &pairs);
        test::<ByFaces>("oriented box, 6 axes", &pairs);
        test::<ByAllAxes>("oriented box, 15 axes (best 17.1)", &pairs);
        wrong_answers(&pairs);
    }
    println!();
    wrong_answers(&pairs(if repetitions(2) == 1 { 1000 } else { 1_000_000 }));
    let pairs = pairs(1000);
    heading("fit to a triangle");
    fit::<ByBox>("box", &pairs);
    fit::<ByDop8>("8-DOP of the plane", &pairs);
    fit::<ByDop14>("14-DOP", &pairs);
    fit::<ByDop18>("18-DOP", &pairs);
    fit::<ByDop26>("26-DOP", &pairs);
    fit::<ByAllAxes>("oriented box", &pairs);
}
