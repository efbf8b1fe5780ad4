//! Primitives of detection other than the closest point of a face: the time of impact of two faces, and the closest
//! points of two segments. The module also contains the triangle pairs for the distance table.

use std::hint::black_box;

use ictus::contact::detection::face::closest_point::segment_segment::closest_parameters;
use ictus::contact::detection::primitive::time_of_impact::{FacePath, time_of_impact};
use ictus::math::Vec3;
use ictus::mesh::CellKind;

use crate::common::heading;
use crate::random::Random;
use crate::{COUNT, time};

/// A face whose nodes all have the same constant velocity.
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

/// Prints the time for the closest points of two segments.
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
