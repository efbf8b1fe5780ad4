//! Bounding volumes contain dense samples of curved faces, at rest and after a refit.

pub mod samples;

use super::face::control_points::{MAX_CONTROL_POINTS, control_points};
use super::samples::Samples;
use super::tree::hierarchy::{Builder, Hierarchy};
use super::volume::{Aabb, Dop8, Dop14, Dop18, Dop26, Obb};
use crate::Surface;
use crate::element::shape_values;
use crate::math::Vec3;
use crate::mesh::CellKind;

const CURVED: [CellKind; 4] = [CellKind::Line3, CellKind::Tri6, CellKind::Quad8, CellKind::Quad9];

/// Strongly distorted faces at random positions, without common nodes.
struct RandomFaces {
    surface: Surface,
    positions: Vec<Vec3>,
}

impl RandomFaces {
    fn random(samples: &mut Samples, count: usize, kinds: &[CellKind]) -> Self {
        let mut faces: Vec<(CellKind, Vec<u32>)> = Vec::new();
        let mut positions: Vec<Vec3> = Vec::new();
        for _ in 0..count {
            let (kind, place) = (samples.pick(kinds), samples.vector(5.0));
            let first = positions.len() as u32;
            positions.extend((0..kind.num_nodes()).map(|_| place + samples.vector(0.5)));
            faces.push((kind, (first..positions.len() as u32).collect()));
        }
        let surface = Surface::new(faces.iter().map(|(kind, nodes)| (*kind, nodes.as_slice())));
        Self { surface, positions }
    }

    /// Points of a face for the nodal positions `positions`.
    fn points_of_face(&self, face: usize, positions: &[Vec3]) -> Vec<Vec3> {
        let (kind, nodes) = self.surface.face(face);
        let at = |xi: [f64; 3]| {
            let mut values = [0.0; 9];
            shape_values(kind, xi, &mut values);
            nodes.iter().zip(values).map(|(&node, n)| positions[node as usize] * n).sum()
        };
        natural_grid(kind).into_iter().map(at).collect()
    }
}

fn natural_grid(kind: CellKind) -> Vec<[f64; 3]> {
    let part = |k: usize| k as f64 / 12.0;
    let square = (0..=12).flat_map(|i| (0..=12).map(move |j| [part(i), part(j)]));
    match kind.linear() {
        CellKind::Line2 => (0..=12).map(|i| [2.0 * part(i) - 1.0, 0.0, 0.0]).collect(),
        CellKind::Tri3 => square.filter(|u| u[0] + u[1] <= 1.0).map(|u| [u[0], u[1], 0.0]).collect(),
        _ => square.map(|u| [2.0 * u[0] - 1.0, 2.0 * u[1] - 1.0, 0.0]).collect(),
    }
}

/// Vertices from a leaf to the root.
fn path(tree: &Hierarchy, leaf: u32) -> impl Iterator<Item = u32> + '_ {
    std::iter::successors(Some(leaf), |&v| tree.parent(v))
}

fn leaves(tree: &Hierarchy) -> impl Iterator<Item = (u32, usize)> + '_ {
    (0..tree.num_vertices() as u32).filter_map(|v| Some((v, tree.face(v)? as usize)))
}

#[test]
fn volumes_hold_curved_faces() {
    let samples = &mut Samples::new(7);
    for _ in 0..500 {
        let random_faces = RandomFaces::random(samples, 1, &CURVED);
        let (kind, nodes) = random_faces.surface.face(0);
        let mut buffer = [Vec3::zeros(); MAX_CONTROL_POINTS];
        let points = control_points(kind, nodes, &random_faces.positions, &mut buffer);
        let (aabb, obb) = (Aabb::fit(points, 0.0), Obb::fit(points, 0.0));
        let (dop14, dop18, dop26) =
            (Dop14::fit(points, 0.0), Dop18::fit(points, 0.0), Dop26::fit(points, 0.0));
        let dop8 = Dop8::fit(points, 0.0);
        for point in random_faces.points_of_face(0, &random_faces.positions) {
            let around = [point];
            assert!(!dop8.excludes(&Dop8::fit(&around, 1e-14)));
            assert!(!aabb.excludes(&Aabb::fit(&around, 1e-14)));
            assert!(!dop14.excludes(&Dop14::fit(&around, 1e-14)));
            assert!(!dop18.excludes(&Dop18::fit(&around, 1e-14)));
            assert!(!dop26.excludes(&Dop26::fit(&around, 1e-14)));
            let offset = point - obb.centre;
            assert!((0..3).all(|k| offset.dot(&obb.axes()[k]).abs() <= obb.half.0[k] + 1e-14), "{kind:?}");
        }
    }
}

/// The spheres of all vertices above a face contain this face. This holds for the reference spheres in the
/// configuration of the build, and for the nested spheres after any motion of the nodes.
#[test]
fn trees_hold_curved_faces() {
    let samples = &mut Samples::new(8);
    let mixed = [CellKind::Tri3, CellKind::Quad4, CellKind::Tri6, CellKind::Quad8, CellKind::Quad9];
    let sets: [&[CellKind]; 4] =
        [&[CellKind::Line3], &[CellKind::Tri6, CellKind::Tri3], &[CellKind::Line2, CellKind::Line3], &mixed];
    for round in 0..60 {
        let random_faces = RandomFaces::random(samples, 1 + round, sets[round % 4]);
        let RandomFaces { surface, positions } = &random_faces;
        let moved: Vec<Vec3> = positions.iter().map(|x| x * 1.5 + samples.vector(0.4)).collect();
        for builder in [Builder::Fast, Builder::BottomUp] {
            let mut tree = Hierarchy::build(builder, surface, positions, 0.0).unwrap();
            tree.fit_reference_spheres(positions);
            let mut spheres = Vec::new();
            tree.refit(&moved, &mut spheres);
            assert_eq!(tree.check(surface, &moved, &spheres), Ok(()));
            for (leaf, face) in leaves(&tree) {
                let (at_build, now) =
                    (random_faces.points_of_face(face, positions), random_faces.points_of_face(face, &moved));
                for v in path(&tree, leaf) {
                    let (reference, nested) = (tree.reference_sphere(v), spheres[v as usize]);
                    assert!(
                        at_build.iter().all(|x| (x - reference.centre).norm() <= reference.radius + 1e-14)
                    );
                    assert!(now.iter().all(|x| (x - nested.centre).norm() <= nested.radius + 1e-14));
                }
            }
        }
    }
}
