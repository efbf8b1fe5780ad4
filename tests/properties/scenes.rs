//! Random scenes of bodies with all kinds of faces, in all sizes.

use std::collections::HashMap;
use std::ops::Range;

use ictus::contact::Surface;
use ictus::contact::detection::face::closest_point::Method;
use ictus::contact::detection::tree::hierarchy::{Builder, HierarchyVolume, LeafFit};
use ictus::contact::detection::volume::{LadderUse, VolumeKind};
use ictus::contact::detection::{
    AllPairs, Buckets, ContactModel, Detector, EdgeSelection, Engine, EngineOptions, Kinematics,
    NodeFaceOptions, Sorting, SortingOptions, StartFrom,
};
use ictus::math::Vec3;
use ictus::mesh::CellKind;

use crate::icosphere::icosphere;
use crate::samples::Samples;

/// Nodes and faces of one body about the origin, nodes counted from zero.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    pub nodes: Vec<Vec3>,
    pub faces: Vec<(CellKind, Vec<u32>)>,
}

/// Bodies at their reference positions.
pub struct Scene {
    pub plane: bool,
    pub surfaces: Vec<Surface>,
    pub positions: Vec<Vec3>,
    /// Nodes of each body.
    pub bodies: Vec<Range<usize>>,
    /// Median edge of each body \[m\].
    pub edges: Vec<f64>,
    /// Bodies with self-contact.
    pub foldable: Vec<u32>,
    /// Edges that take part in edge–edge contact.
    pub crossing: EdgeSelection,
    /// Outward offset of the surface of each body, half the thickness of a shell \[m\].
    pub offsets: Vec<f64>,
}

pub const NODE_FACE: NodeFaceOptions = NodeFaceOptions { method: Method::Auto, start: StartFrom::Nearest };

/// Detectors that are compared with the oracle.
#[derive(Clone, Copy, Debug)]
pub enum Rival {
    Engine(Builder),
    /// The engine with kinematics from the first steps, hierarchies of spheres or boxes built by insertion, Ritter's
    /// spheres, and the ladder on all faces.
    FirstSteps,
    Buckets,
    /// Sorts again after this number of steps.
    Sorting(u32),
}

pub const RIVALS: [Rival; 6] = [
    Rival::Engine(Builder::Fast),
    Rival::Engine(Builder::BottomUp),
    Rival::FirstSteps,
    Rival::Buckets,
    Rival::Sorting(1),
    Rival::Sorting(20),
];

/// The rivals that find self-contact.
pub const FOLDING_RIVALS: [Rival; 4] = [RIVALS[0], RIVALS[1], RIVALS[2], RIVALS[3]];

/// Detectors of a scene.
pub fn rivals_of(scene: &Scene) -> &'static [Rival] {
    if scene.foldable.is_empty() { &RIVALS } else { &FOLDING_RIVALS }
}

impl Scene {
    pub fn new(shapes: &[Shape], plane: bool) -> Self {
        let mut scene = Self {
            plane,
            surfaces: vec![],
            positions: vec![],
            bodies: vec![],
            edges: vec![],
            foldable: vec![],
            crossing: EdgeSelection::Feature,
            offsets: vec![0.0; shapes.len()],
        };
        for shape in shapes {
            let first = scene.positions.len();
            let faces: Vec<(CellKind, Vec<u32>)> = shape
                .faces
                .iter()
                .map(|(kind, nodes)| (*kind, nodes.iter().map(|node| node + first as u32).collect()))
                .collect();
            scene.positions.extend_from_slice(&shape.nodes);
            scene.bodies.push(first..scene.positions.len());
            let surface = Surface::new(faces.iter().map(|(kind, nodes)| (*kind, nodes.as_slice())));
            scene.edges.push(surface.median_edge(&scene.positions));
            scene.surfaces.push(surface);
        }
        scene
    }

    /// Two to `most` bodies at random positions in a box of this half width.
    pub fn random(samples: &mut Samples, most: usize, half: f64) -> Self {
        let plane = samples.chance(0.25);
        let count = samples.integer(2, most);
        let shapes: Vec<Shape> =
            (0..count).map(|_| Shape::random(samples, plane).shifted(&samples.vector(half, plane))).collect();
        let crossing = samples.pick(&[EdgeSelection::Feature, EdgeSelection::All]);
        Self { crossing, ..Self::new(&shapes, plane) }
    }

    /// Makes shells of some bodies, with a thickness of up to 0.6 of their median edge.
    pub fn thicken(&mut self, samples: &mut Samples) {
        for (offset, edge) in self.offsets.iter_mut().zip(&self.edges) {
            *offset = edge * samples.scale(1e-3, 0.3) * samples.pick(&[0.0, 1.0]);
        }
    }

    pub fn model(&self) -> ContactModel {
        let model = ContactModel::new(self.surfaces.clone(), &[], &self.positions);
        let model = model.with_offsets(&self.offsets).with_edges(self.crossing);
        model.with_self_contact(&self.foldable)
    }

    pub fn rival(&self, rival: Rival) -> Box<dyn Detector> {
        let ladder = vec![VolumeKind::Sphere, VolumeKind::Aabb, VolumeKind::Dop14, VolumeKind::Obb];
        let options = EngineOptions { ladder, node_face: NODE_FACE, ..EngineOptions::default() };
        let engine = |options| Box::new(Engine::new(self.model(), options, &self.positions));
        match rival {
            Rival::Engine(builder) => engine(EngineOptions { builder, ..options }),
            Rival::FirstSteps => engine(EngineOptions {
                builder: Builder::Insertion,
                fit: LeafFit::Ritter,
                volume: if self.positions.len().is_multiple_of(3) {
                    HierarchyVolume::Sphere
                } else {
                    HierarchyVolume::Box
                },
                kinematics: Kinematics::FromSteps,
                ladder_use: LadderUse::Always,
                ..options
            }),
            Rival::Buckets => Box::new(Buckets::new(self.model(), NODE_FACE, &self.positions)),
            Rival::Sorting(every) => {
                let options = SortingOptions { every, space_every: 1 + every / 4 };
                Box::new(Sorting::new(self.model(), NODE_FACE, options, &self.positions))
            }
        }
    }

    pub fn oracle(&self) -> AllPairs {
        AllPairs::new(self.model(), NODE_FACE)
    }
}

impl Shape {
    /// A random shape with random size, orientation and proportions.
    pub fn random(samples: &mut Samples, plane: bool) -> Self {
        let mut shape = match (plane, samples.integer(0, 4)) {
            (true, _) => Self::polygon(samples.integer(3, 16)),
            (_, 0) => Self::icosphere(0),
            (_, 1) => Self::icosphere(usize::from(samples.chance(0.3))),
            (_, 2) => Self::tetrahedron(),
            (_, 3) => Self::triangle_box(),
            _ => Self::quadrilateral_box(),
        };
        if samples.chance(0.3) {
            shape.nodes.iter_mut().for_each(|node| *node += samples.vector(0.15, plane));
        }
        if samples.chance(0.4) {
            let bulge = samples.pick(&[0.0, 0.05, 0.2]);
            shape = shape.quadratic(|_, length| samples.vector(bulge * length, plane));
        }
        let size = if samples.chance(0.15) { samples.scale(0.01, 0.1) } else { samples.scale(0.2, 2.0) };
        let stretch = Vec3::from_fn(|_, _| size * samples.uniform(0.5, 1.5));
        let rotation = samples.rotation(plane);
        shape.nodes.iter_mut().for_each(|node| *node = rotation * node.component_mul(&stretch));
        shape
    }

    /// The same shape with quadratic faces: each edge gets a node in its middle, and every second quadrilateral face a
    /// node in its centre. `shift` computes the displacement of a new node; its arguments are the undisplaced position
    /// and the size of the edge or face.
    pub fn quadratic(mut self, mut shift: impl FnMut(Vec3, f64) -> Vec3) -> Self {
        let Self { nodes, faces } = &mut self;
        let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
        for (number, (kind, face)) in faces.iter_mut().enumerate() {
            let corners = face.clone();
            for k in 0..if *kind == CellKind::Line2 { 1 } else { corners.len() } {
                let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
                face.push(*middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                    let (from, to) = (nodes[a as usize], nodes[b as usize]);
                    let middle = (from + to) / 2.0;
                    nodes.push(middle + shift(middle, (to - from).norm()));
                    nodes.len() as u32 - 1
                }));
            }
            *kind = match *kind {
                CellKind::Line2 => CellKind::Line3,
                CellKind::Tri3 => CellKind::Tri6,
                _ if number % 2 == 0 => CellKind::Quad8,
                _ => CellKind::Quad9,
            };
            if *kind == CellKind::Quad9 {
                let at = |k: usize| nodes[face[k] as usize];
                let centre = (at(4) + at(5) + at(6) + at(7)) / 2.0 - (at(0) + at(1) + at(2) + at(3)) / 4.0;
                let size = (at(6) - at(4)).norm();
                nodes.push(centre + shift(centre, size));
                face.push(nodes.len() as u32 - 1);
            }
        }
        self
    }

    /// A ball of six-node triangles, all nodes on the unit sphere.
    pub fn quadratic_sphere(subdivisions: usize) -> Self {
        Self::icosphere(subdivisions).quadratic(|middle, _| middle.normalize() - middle)
    }

    pub fn scaled(mut self, size: f64) -> Self {
        self.nodes.iter_mut().for_each(|node| *node *= size);
        self
    }

    pub fn shifted(mut self, shift: &Vec3) -> Self {
        self.nodes.iter_mut().for_each(|node| *node += shift);
        self
    }

    /// The skin of a plate of this thickness: one layer of `counts` blocks along x and y. Its longer side has length 1.
    pub fn plate(counts: [usize; 2], thickness: f64, triangles: bool) -> Self {
        let [nx, ny] = counts;
        let mut shape = Self::default();
        let node = |i: usize, j: usize, k: usize| ((k * (ny + 1) + j) * (nx + 1) + i) as u32;
        for (k, j, i) in (0..2).flat_map(|k| (0..=ny).flat_map(move |j| (0..=nx).map(move |i| (k, j, i)))) {
            let side = nx.max(ny) as f64;
            shape.nodes.push(Vec3::new(i as f64 / side, j as f64 / side, (k as f64 - 0.5) * thickness));
        }
        let mut quadrilaterals: Vec<[u32; 4]> = Vec::new();
        for (j, i) in (0..ny).flat_map(|j| (0..nx).map(move |i| (j, i))) {
            let square = |k| [node(i, j, k), node(i + 1, j, k), node(i + 1, j + 1, k), node(i, j + 1, k)];
            let [a, b, c, d] = square(0);
            quadrilaterals.extend([square(1), [a, d, c, b]]);
        }
        for i in 0..nx {
            let across = |j: usize| [node(i, j, 0), node(i + 1, j, 0), node(i + 1, j, 1), node(i, j, 1)];
            let [a, b, c, d] = across(ny);
            quadrilaterals.extend([across(0), [a, d, c, b]]);
        }
        for j in 0..ny {
            let across = |i: usize| [node(i, j, 0), node(i, j, 1), node(i, j + 1, 1), node(i, j + 1, 0)];
            let [a, b, c, d] = across(nx);
            quadrilaterals.extend([across(0), [a, d, c, b]]);
        }
        for [a, b, c, d] in quadrilaterals {
            match triangles {
                true => shape.push_triangles(&[[a, b, c], [a, c, d]]),
                false => shape.faces.push((CellKind::Quad4, vec![a, b, c, d])),
            }
        }
        shape
    }

    /// The skin of a plane strip of this thickness along [0, 1]: segments.
    pub fn strip(count: usize, thickness: f64) -> Self {
        let x = |k: usize| k as f64 / count as f64;
        let lower = (0..=count).map(|k| Vec3::new(x(k), -0.5 * thickness, 0.0));
        let upper = (0..=count).rev().map(|k| Vec3::new(x(k), 0.5 * thickness, 0.0));
        let nodes: Vec<Vec3> = lower.chain(upper).collect();
        let next = |k: usize| vec![k as u32, ((k + 1) % nodes.len()) as u32];
        let faces = (0..nodes.len()).map(|k| (CellKind::Line2, next(k))).collect();
        Self { nodes, faces }
    }

    /// A regular polygon on the unit circle, of segments in the plane z = 0.
    pub fn polygon(corners: usize) -> Self {
        let angle = |k: usize| std::f64::consts::TAU * k as f64 / corners as f64;
        let nodes = (0..corners).map(|k| Vec3::new(angle(k).cos(), angle(k).sin(), 0.0)).collect();
        let next = |k: usize| vec![k as u32, ((k + 1) % corners) as u32];
        Self { nodes, faces: (0..corners).map(|k| (CellKind::Line2, next(k))).collect() }
    }

    pub fn tetrahedron() -> Self {
        let nodes = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
        let mut shape = Self { nodes: nodes.map(Vec3::from).to_vec(), faces: vec![] };
        shape.push_triangles(&[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]);
        shape
    }

    /// The cube of edge 1 with four-node faces.
    pub fn quadrilateral_box() -> Self {
        let nodes = (0..8).map(|k| Vec3::from_fn(|i, _| f64::from(k >> i & 1) - 0.5)).collect();
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        Self { nodes, faces: faces.map(|face| (CellKind::Quad4, face.to_vec())).to_vec() }
    }

    /// The cube of edge 1 with triangles.
    pub fn triangle_box() -> Self {
        let quadrilaterals = Self::quadrilateral_box();
        let mut shape = Self { nodes: quadrilaterals.nodes, faces: vec![] };
        for (_, face) in quadrilaterals.faces {
            shape.push_triangles(&[[face[0], face[1], face[2]], [face[0], face[2], face[3]]]);
        }
        shape
    }

    /// An icosahedron with all nodes on the unit sphere. The faces are split into four this many times.
    pub fn icosphere(subdivisions: usize) -> Self {
        let (nodes, faces) = icosphere(subdivisions);
        let mut shape = Self { nodes, faces: Vec::new() };
        shape.push_triangles(&faces);
        shape
    }

    fn push_triangles(&mut self, triangles: &[[u32; 3]]) {
        self.faces.extend(triangles.iter().map(|triangle| (CellKind::Tri3, triangle.to_vec())));
    }
}

/// Number of scenes to run: the value of the environment variable `ICTUS_SCENES`, or `usual` if the variable is not
/// set.
pub fn number_of_scenes(usual: u64) -> u64 {
    std::env::var("ICTUS_SCENES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}
