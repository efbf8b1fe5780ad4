//! The inverse isoparametric map of points inside elements, compared with the closest point of a face.
//!
//! Nodes are displaced at random, along each axis by up to 17 % of the edge in linear elements and by up to 3 % in
//! quadratic elements.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

#[path = "common/mod.rs"]
mod common;
#[path = "closest_point/random.rs"]
mod random;

use std::hint::black_box;

use common::{heading, measure, repetitions, report};
use ictus::contact::detection::face::closest_point::{Method, Start, closest_point};
use ictus::element::{centre, locate, locate_in_box, natural_nodes, position};
use ictus::math::Vec3;
use ictus::mesh::CellKind;
use random::Random;

const SAMPLES: usize = 1000;
const PASSES: usize = 20;

const KINDS: [CellKind; 9] = [
    CellKind::Tri3,
    CellKind::Quad4,
    CellKind::Tri6,
    CellKind::Quad8,
    CellKind::Tet4,
    CellKind::Hex8,
    CellKind::Tet10,
    CellKind::Hex20,
    CellKind::Hex27,
];

/// Natural coordinates of the nodes of an element.
fn nodes_of(kind: CellKind) -> Vec<Vec3> {
    natural_nodes(kind).into_iter().map(Vec3::from).collect()
}

struct Sample {
    nodes: Vec<Vec3>,
    inside: Vec3,
    /// A point in the bounding box of the element, or near it.
    beside: Vec3,
}

fn sample(random: &mut Random, kind: CellKind) -> Sample {
    let by = if kind == kind.linear() { 0.17 } else { 0.03 };
    let edge = if matches!(kind.linear(), CellKind::Tri3 | CellKind::Tet4) { 1.0 } else { 2.0 };
    let within = |vector: Vec3| Vec3::from_fn(|k, _| if k < kind.dimension() { vector[k] } else { 0.0 });
    let nodes: Vec<Vec3> = nodes_of(kind).into_iter().map(|x| x + within(random.vector(by * edge))).collect();
    let corners = nodes_of(kind.linear());
    let shares: Vec<f64> = corners.iter().map(|_| random.unit()).collect();
    let sum: f64 = shares.iter().sum();
    let xi: Vec3 = corners.iter().zip(&shares).map(|(corner, share)| corner * (share / sum)).sum();
    let inside = position(kind, &nodes, xi.into());
    let beside = within(random.vector(0.7 * edge)) + corners.iter().sum::<Vec3>() / corners.len() as f64;
    Sample { nodes, inside, beside }
}

fn time(label: &str, samples: &[Sample], work: impl Fn(&Sample)) {
    let timing = measure(SAMPLES * PASSES, repetitions(30), || {
        for _ in 0..PASSES {
            samples.iter().for_each(&work);
        }
    });
    report(label, "point", timing);
}

fn main() {
    let mut random = Random(2013);
    heading("Inverse isoparametric map, and the closest point of a face of the element");
    for kind in KINDS {
        let samples: Vec<Sample> = (0..SAMPLES).map(|_| sample(&mut random, kind)).collect();
        let found = |sample: &&Sample| locate_in_box(kind, &sample.nodes, &sample.inside);
        let points: Vec<_> = samples.iter().filter_map(|sample| found(&sample)).collect();
        let steps: u32 = points.iter().map(|point| point.steps).sum();
        let most = points.iter().map(|point| point.steps).max().unwrap_or(0);
        let within =
            samples.iter().filter(|sample| locate_in_box(kind, &sample.nodes, &sample.beside).is_some());
        println!(
            "{}: {} of {SAMPLES} found, {:.2} Newton steps in the mean, {most} at most; {} of the near points inside",
            kind.name(),
            points.len(),
            f64::from(steps) / points.len() as f64,
            within.count(),
        );
        time("  points inside, search from the centre", &samples, |sample| {
            black_box(locate(kind, &sample.nodes, &sample.inside, centre(kind)));
        });
        time("  points in or near the box, box tested first", &samples, |sample| {
            black_box(locate_in_box(kind, &sample.nodes, &sample.beside));
        });
        let Some(face) = kind.faces().first() else { continue };
        let nodes_of =
            |sample: &Sample| face.nodes.iter().map(|&k| sample.nodes[k as usize]).collect::<Vec<_>>();
        let faces: Vec<Sample> =
            samples.iter().map(|sample| Sample { nodes: nodes_of(sample), ..*sample }).collect();
        time("  closest point of a face", &faces, |sample| {
            black_box(closest_point(Method::Auto, Start::Nearest, face.kind, &sample.nodes, &sample.inside));
        });
    }
}
