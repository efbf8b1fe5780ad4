//! The faces of two bodies, or of one against itself, down to the nodes that are near a face.
//!
//! Trees of boxes lead to the batches of eight faces that are near each other: the nodes that belong to the one are held
//! against the boxes of the other in lanes. Where faces are curved, their pairs climb the ladder of volumes before. Every
//! node belongs to one face of one batch, so that no pair is listed twice. If no batches are near, the trees of spheres
//! are opened against each other, the larger of two first, until they are known to be apart, and how far.

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use crate::contact::Surface;
use crate::contact::detection::ContactModel;
use crate::contact::detection::control_points::{
    MAX_CONTROL_POINTS, control_points, is_held_by_nodes, rounding_of,
};
use crate::contact::detection::edge_edge::{EdgePair, near_edges};
use crate::contact::detection::hierarchy::Hierarchy;
use crate::contact::detection::volume::{Aabb, AabbRow, Leaf, LeafVolumes, Sphere, VolumeKind};
use crate::math::Vec3;
use crate::math::pack::{Registers, WIDTH};

use super::face_batches::{FaceBatch, FaceBatches};
use super::track::PlacedVolumes;

/// Most leaves below a vertex that is not opened.
const FEW: u32 = 8;

/// Batches of a task.
const BATCHES_PER_TASK: usize = 16 * WIDTH;

/// A node and a face that are near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NearPair {
    /// Which of the two bodies the face is of.
    pub target: u32,
    /// Global number of the node.
    pub node: u32,
    /// The face.
    pub face: u32,
    /// No less than this was between them when they were listed \[m\].
    pub distance: f32,
}

impl NearPair {
    /// By nodes, and the nearest faces of each first.
    pub fn order(&self) -> u128 {
        let words = [self.target, self.node, self.distance.to_bits(), self.face];
        words.into_iter().fold(0, |order, word| order << u32::BITS | u128::from(word))
    }
}

/// What a traversal finds.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Pairs within reach, in the order in which they were met.
    pub near: Vec<NearPair>,
    /// Pairs of edges within reach.
    pub edges: Vec<EdgePair>,
    /// No faces that were not met are nearer than this \[m\]: the reach, if some were.
    pub clear: f64,
    /// The vertices of the trees of spheres that were nearest to each other, if no faces were met.
    pub nearest: Option<[u32; 2]>,
    /// Pairs of spheres, nodes or faces held against boxes, and volumes of the ladder, compared.
    pub tests: u64,
}

/// One of the two trees.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    /// Its body.
    pub body: u32,
    /// The tree.
    pub tree: &'a Hierarchy,
    /// The surface below it.
    pub surface: &'a Surface,
    /// Where its spheres and the boxes of its faces are now.
    pub placed: PlacedVolumes<'a>,
}

/// Two trees, and how near to each other is near.
pub(super) struct Traversal<'a> {
    /// The surfaces and which of their edges can touch.
    pub model: &'a ContactModel,
    /// The trees; twice the same for a body that can touch itself.
    pub sides: [Side<'a>; 2],
    /// Positions of all nodes \[m\].
    pub positions: &'a [Vec3],
    /// Volumes that are tried on two faces.
    pub ladder: &'a [VolumeKind],
    /// Distance within which pairs are listed \[m\].
    pub reach: f64,
    /// What the processor has.
    pub registers: Registers,
}

/// What is needed of curved faces, reused from pair to pair.
struct Workspace {
    leaves: [[PlacedLeaf; WIDTH]; 2],
    volumes: LeafVolumes,
}

/// What the ladder needs of a face.
#[derive(Clone, Copy)]
struct PlacedLeaf {
    sphere: Sphere,
    points: [Vec3; MAX_CONTROL_POINTS],
    num_points: usize,
    margin: f64,
}

/// Which faces of two batches may be within reach: for each face of either, a bit for each of the other.
type Met = [[u64; WIDTH]; 2];

impl Found {
    /// Before anything is looked at.
    pub fn nothing() -> Self {
        Self { near: Vec::new(), edges: Vec::new(), clear: f64::INFINITY, nearest: None, tests: 0 }
    }

    fn joined(mut self, mut other: Self) -> Self {
        self.near.append(&mut other.near);
        self.edges.append(&mut other.edges);
        self.clear = self.clear.min(other.clear);
        self.tests += other.tests;
        self
    }
}

impl PlacedVolumes<'_> {
    fn sphere(&self, vertex: u32) -> Sphere {
        let sphere = self.spheres[vertex as usize];
        Sphere { centre: sphere.centre + self.shift, radius: sphere.radius + self.growth }
    }
}

impl Traversal<'_> {
    /// Nodes and faces within reach of each other, each pair once; some are a little farther apart.
    ///
    /// # Cost
    /// In parallel where there are many faces; the result does not depend on the number of threads.
    pub fn run(&self) -> Found {
        let [Some(first), Some(second)] = self.sides.map(|side| side.placed.batches) else {
            return Found::nothing();
        };
        let mut found = self.meet_batches([first, second]);
        if found.clear.is_infinite() {
            self.find_clear(&mut found);
        }
        found
    }

    /// Lists what is near of all batches, those of the smaller body held against the tree of the other.
    fn meet_batches(&self, batches: [&FaceBatches; 2]) -> Found {
        let num_batches = batches.map(|batches| batches.tree.num_leaves());
        let (first, second) = if num_batches[0] <= num_batches[1] { (0, 1) } else { (1, 0) };
        let placed = self.sides.map(|side| side.placed);
        let shift = placed[first].shift - placed[second].shift;
        let margin = placed[first].growth + placed[second].growth + self.reach;
        let meet = |task: usize| {
            let these = BATCHES_PER_TASK * task..num_batches[first].min(BATCHES_PER_TASK * (task + 1));
            let [tree, other] = [first, second].map(|k| &batches[k].tree);
            let (mut found, mut work) = (Found::nothing(), None);
            for [a, b] in tree.pairs_of_leaves(these, other, shift, margin, self.registers) {
                if !self.is_of_one_body() || a <= b {
                    let [a, b] = if first == 0 { [a, b] } else { [b, a] };
                    self.compare(&[batches[0].batch(a), batches[1].batch(b)], &mut work, &mut found);
                }
            }
            found
        };
        let tasks = (0..num_batches[first].div_ceil(BATCHES_PER_TASK)).into_par_iter();
        let parts: Vec<Found> = tasks.map(meet).collect();
        parts.into_iter().fold(Found::nothing(), Found::joined)
    }

    /// How far apart the bodies are, by their spheres: no less than the reach, as their boxes are.
    fn find_clear(&self, found: &mut Found) {
        let mut pending = vec![self.sides.map(|side| side.tree.root())];
        while let Some(vertices) = pending.pop() {
            let spheres = [0, 1].map(|k| self.sides[k].placed.sphere(vertices[k]));
            if self.is_apart(&spheres, vertices, found) {
                continue;
            }
            let trees = self.sides.map(|side| side.tree);
            let can_open = [0, 1].map(|k| trees[k].num_leaves_below(vertices[k]) > FEW);
            let opens_first = can_open[0] && (!can_open[1] || spheres[0].radius >= spheres[1].radius);
            let opens = if opens_first { 0 } else { 1 };
            match trees[opens].children(vertices[opens]).filter(|_| can_open[opens]) {
                Some(children) => pending.extend(children.map(|child| {
                    let mut below = vertices;
                    below[opens] = child;
                    below
                })),
                None => {
                    (found.clear, found.nearest) = (self.reach, Some(vertices));
                    return;
                }
            }
        }
    }

    fn is_of_one_body(&self) -> bool {
        self.sides[0].body == self.sides[1].body
    }

    /// Whether two spheres are farther apart than the reach; how far is noted.
    fn is_apart(&self, spheres: &[Sphere; 2], vertices: [u32; 2], found: &mut Found) -> bool {
        found.tests += 1;
        let radii = spheres[0].radius + spheres[1].radius;
        let near = radii + self.reach;
        let distance_squared = (spheres[0].centre - spheres[1].centre).norm_squared();
        let is_apart = distance_squared > near * near;
        if is_apart {
            let clear = distance_squared.sqrt() - radii;
            if clear < found.clear {
                (found.clear, found.nearest) = (clear, Some(vertices));
            }
        }
        is_apart
    }

    /// Lists the nodes of either of two batches that are near a face of the other, or those of one near its other faces.
    fn compare(&self, batches: &[FaceBatch<'_>; 2], work: &mut Option<Workspace>, found: &mut Found) {
        found.clear = self.reach;
        let mut met = [[u64::MAX; WIDTH]; 2];
        if std::ptr::eq(batches[0].boxes, batches[1].boxes) {
            // Each face with those after it.
            met = [
                std::array::from_fn(|place| u64::MAX << (place + 1)),
                std::array::from_fn(|place| !(u64::MAX << place)),
            ];
        }
        let needs_faces = batches.iter().any(|batch| !batch.is_flat)
            || self.sides.iter().all(|side| !self.model.edges[side.body as usize].all().is_empty());
        if needs_faces {
            self.meet(batches, work, &mut met, found);
        }
        for (contactor, target) in [(0, 1), (1, 0)] {
            let placed = &self.sides[target].placed;
            self.registers.run(NodesNearFaces {
                nodes: batches[contactor].nodes,
                positions: self.positions,
                faces: &batches[target],
                shift: placed.shift,
                reach: self.reach + placed.growth,
                met: &met[contactor],
                target: if self.is_of_one_body() { 0 } else { target as u32 },
                near: &mut found.near,
            });
            found.tests += batches[contactor].nodes.len() as u64;
        }
    }

    /// Leaves out the pairs of faces that a volume keeps apart, and lists the edges that belong to the others.
    ///
    /// Boxes come first. The ladder is climbed only where the distance of a node is dearer: it is not, of flat faces.
    fn meet(
        &self,
        batches: &[FaceBatch<'_>; 2],
        work: &mut Option<Workspace>,
        met: &mut Met,
        found: &mut Found,
    ) {
        let is_flat = batches.iter().all(|batch| batch.is_flat);
        let mut ladder = (!is_flat).then(|| work.get_or_insert_with(|| Workspace::new(self.ladder)));
        if let Some(ladder) = &mut ladder {
            ladder.place(&self.sides, batches, self.positions, self.reach);
        }
        let bodies = self.sides.map(|side| side.body);
        let [first, second] = self.sides.map(|side| side.placed);
        let (shift, margin) = (first.shift - second.shift, first.growth + second.growth + self.reach);
        for (i, &face) in batches[0].faces.iter().enumerate() {
            if is_flat && self.model.edges_of_face(bodies[0], face).is_empty() {
                continue;
            }
            let around = batches[0].boxes.get(i).moved(&shift).widened(margin);
            let near = self.registers.run(FacesNearBox { faces: batches[1].boxes, around });
            found.tests += 1;
            let pending = met[0][i];
            for (j, &other) in batches[1].faces.iter().enumerate().filter(|(j, _)| pending >> j & 1 == 1) {
                if near >> j & 1 == 0 || ladder.as_mut().is_some_and(|ladder| ladder.excludes([i, j])) {
                    met[0][i] &= !(1 << j);
                    met[1][j] &= !(1 << i);
                } else {
                    let faces = [face, other];
                    near_edges(self.model, bodies, faces, self.positions, self.reach, &mut found.edges);
                }
            }
        }
    }
}

impl Workspace {
    fn new(ladder: &[VolumeKind]) -> Self {
        let leaf = PlacedLeaf {
            sphere: Sphere { centre: Vec3::zeros(), radius: 0.0 },
            points: [Vec3::zeros(); MAX_CONTROL_POINTS],
            num_points: 0,
            margin: 0.0,
        };
        Self { leaves: [[leaf; WIDTH]; 2], volumes: LeafVolumes::new(ladder, 2 * WIDTH) }
    }

    /// Notes where the faces of two batches are.
    fn place(&mut self, sides: &[Side<'_>; 2], batches: &[FaceBatch<'_>; 2], positions: &[Vec3], reach: f64) {
        self.volumes.invalidate();
        for (k, leaves) in self.leaves.iter_mut().enumerate() {
            for (leaf, &face) in leaves.iter_mut().zip(batches[k].faces) {
                let (kind, nodes) = sides[k].surface.face(face as usize);
                let points = control_points(kind, nodes, positions, &mut leaf.points);
                let rounding = if is_held_by_nodes(kind) { 0.0 } else { rounding_of(points) };
                (leaf.num_points, leaf.margin) = (points.len(), 0.5 * reach + rounding);
                leaf.sphere = Sphere { centre: points[0], radius: 0.0 };
                leaf.sphere.grow_over(points);
            }
        }
    }

    /// Whether a volume of the ladder keeps two faces apart, one of each batch.
    fn excludes(&mut self, places: [usize; 2]) -> bool {
        let leaf = |k: usize| {
            let PlacedLeaf { sphere, points, num_points, margin } = &self.leaves[k][places[k]];
            Leaf {
                index: WIDTH * k + places[k],
                sphere: *sphere,
                points: &points[..*num_points],
                margin: *margin,
            }
        };
        self.volumes.excluded(&leaf(0), &leaf(1)).is_some()
    }
}

/// Which faces of a batch are near a box: a bit for each.
struct FacesNearBox<'a> {
    faces: &'a AabbRow,
    around: Aabb,
}

impl WithSimd for FacesNearBox<'_> {
    type Output = u64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> u64 {
        self.faces.overlapping(simd, &self.around)
    }
}

/// The nodes of a batch, and the faces of another one, that are near each other.
struct NodesNearFaces<'a> {
    nodes: &'a [(u32, u32)],
    positions: &'a [Vec3],
    faces: &'a FaceBatch<'a>,
    /// How far the boxes of the faces have moved since they were fitted, and how far from them is near \[m\].
    shift: Vec3,
    reach: f64,
    met: &'a [u64; WIDTH],
    target: u32,
    near: &'a mut Vec<NearPair>,
}

impl WithSimd for NodesNearFaces<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { nodes, positions, faces, shift, reach, met, target, near } = self;
        for &(node, place) in nodes {
            let position = positions[node as usize] - shift;
            let around = Aabb { lower: position, upper: position }.widened(reach);
            let mut places = faces.boxes.overlapping(simd, &around) & met[place as usize];
            while places != 0 {
                let face = faces.faces[places.trailing_zeros() as usize];
                near.push(NearPair { target, node, face, distance: 0.0 });
                places &= places - 1;
            }
        }
    }
}
