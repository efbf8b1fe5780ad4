//! The rungs below the closest point: times of impact, segment pairs, exclusion tests.

use std::hint::black_box;

use ictus::contact::detection::closest_point::segment_segment::closest_parameters;
use ictus::contact::detection::time_of_impact::{FacePath, time_of_impact};
use ictus::contact::detection::volume::{Aabb, Dop14, Dop18, Dop26, Obb, Sphere};
use ictus::math::Vec3;
use ictus::mesh::CellKind;

use crate::common::heading;
use crate::random::Random;
use crate::{COUNT, time};

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

pub fn times_of_impact(random: &mut Random) {
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

/// Segments, the edges of faces that cross.
pub fn segments(random: &mut Random) {
    heading("closest points of two segments");
    let pairs: Vec<[[Vec3; 2]; 2]> =
        (0..COUNT).map(|_| [0; 2].map(|_| [random.vector(1.0), random.vector(1.0)])).collect();
    time("segment to segment", "pair", &pairs, |[a, b]| {
        black_box(closest_parameters(a, b));
    });
}

/// Pairs of triangles, about half of which overlap.
pub fn triangle_pairs(random: &mut Random) -> Vec<[[Vec3; 3]; 2]> {
    (0..COUNT)
        .map(|_| {
            let at = random.vector(0.9);
            [[0; 3].map(|_| random.vector(1.0)), [0; 3].map(|_| random.vector(1.0) + at)]
        })
        .collect()
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

/// Exclusion tests of two triangles.
pub fn exclusions(pairs: &[[[Vec3; 3]; 2]]) {
    heading("exclusion of two triangles (Aragón & Molinari 2014: sphere 39, box 37, 14-DOP 42 ns)");
    let ball = |x: &[Vec3]| {
        let centre = x.iter().sum::<Vec3>() / x.len() as f64;
        Sphere { centre, radius: x.iter().map(|p| (p - centre).norm()).fold(0.0, f64::max) }
    };
    exclusion("sphere", pairs, ball, |a, b| {
        let reach = a.radius + b.radius;
        (a.centre - b.centre).norm_squared() > reach * reach
    });
    exclusion("box", pairs, |x| Aabb::fit(x, 0.0), Aabb::excludes);
    exclusion("14-DOP", pairs, |x| Dop14::fit(x, 0.0), Dop14::excludes);
    exclusion("18-DOP", pairs, |x| Dop18::fit(x, 0.0), Dop18::excludes);
    exclusion("26-DOP", pairs, |x| Dop26::fit(x, 0.0), Dop26::excludes);
    exclusion("oriented box, 6 axes", pairs, |x| Obb::fit(x, 0.0), Obb::excludes_by_faces);
    exclusion("oriented box, 15 axes", pairs, |x| Obb::fit(x, 0.0), Obb::excludes);
    heading("fit to a triangle");
    time("box", "fit", pairs, |[a, _]| {
        black_box(Aabb::fit(a, 0.0));
    });
    time("14-DOP", "fit", pairs, |[a, _]| {
        black_box(Dop14::fit(a, 0.0));
    });
    time("18-DOP", "fit", pairs, |[a, _]| {
        black_box(Dop18::fit(a, 0.0));
    });
    time("26-DOP", "fit", pairs, |[a, _]| {
        black_box(Dop26::fit(a, 0.0));
    });
    time("oriented box", "fit", pairs, |[a, _]| {
        black_box(Obb::fit(a, 0.0));
    });
}
