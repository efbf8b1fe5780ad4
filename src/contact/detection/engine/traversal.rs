//! Two trees opened against each other, or one against itself, down to the nodes that are near a face.
//!
//! The larger of two spheres is opened until they are farther apart than the reach, or few faces are left below each:
//! those are compared one by one. Two faces whose spheres are near are *met*: the nodes that belong to the one are listed
//! with the other if they are within reach of its sphere, and no volume of the ladder keeps the faces apart. Every node
//! belongs to one face, the first around it, so that no pair is listed twice.

use rayon::prelude::*;

use crate::contact::Surface;
use crate::contact::detection::ContactModel;
use crate::contact::detection::control_points::{
    MAX_CONTROL_POINTS, control_points, is_held_by_nodes, rounding_of,
};
use crate::contact::detection::edge_edge::{EdgePair, near_edges};
use crate::contact::detection::hierarchy::Hierarchy;
use crate::contact::detection::volume::{Leaf, LeafVolumes, Sphere, VolumeKind};
use crate::math::Vec3;
use crate::mesh::CellKind;

use super::owners::NodeOwners;
use super::track::PlacedSpheres;

/// Most leaves below a vertex that is compared leaf by leaf.
const BATCH: usize = 8;

/// Leaves below two vertices that are worth more than one task, and pairs of vertices opened for the tasks.
const TASKS: (u32, usize) = (2048, 256);

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
    pub fn order(&self) -> (u32, u32, u32, u32) {
        (self.target, self.node, self.distance.to_bits(), self.face)
    }
}

/// What a traversal finds.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Pairs within reach, in the order in which they were met.
    pub near: Vec<NearPair>,
    /// Pairs of edges within reach.
    pub edges: Vec<EdgePair>,
    /// No faces that were not met are nearer than this \[m\].
    pub clear: f64,
    /// The vertices that were nearest of those where it turned back.
    pub nearest: Option<[u32; 2]>,
    /// Pairs of spheres and of volumes compared.
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
    /// Which nodes belong to which face.
    pub owners: &'a NodeOwners,
    /// Where the spheres are now.
    pub placed: PlacedSpheres<'a>,
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
}

/// What is compared, reused from pair to pair.
struct Workspace {
    batches: [Batch; 2],
    volumes: LeafVolumes,
}

/// Faces below a vertex.
#[derive(Clone)]
struct Batch {
    faces: [u32; BATCH],
    spheres: [Sphere; BATCH],
    /// Whether they are segments or triangles.
    has_flat: [bool; BATCH],
    /// What the ladder needs of them, which flat ones do without.
    points: [[Vec3; MAX_CONTROL_POINTS]; BATCH],
    num_points: [usize; BATCH],
    margins: [f64; BATCH],
    count: usize,
}

impl Found {
    /// Before anything is looked at.
    pub fn nothing() -> Self {
        Self { near: Vec::new(), edges: Vec::new(), clear: f64::INFINITY, nearest: None, tests: 0 }
    }

    fn joined(mut self, mut other: Self) -> Self {
        self.near.append(&mut other.near);
        self.edges.append(&mut other.edges);
        if other.clear < self.clear {
            (self.clear, self.nearest) = (other.clear, other.nearest);
        }
        self.tests += other.tests;
        self
    }
}

impl PlacedSpheres<'_> {
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
        let mut found = Found::nothing();
        let roots = self.sides.map(|side| side.tree.root());
        let is_large = self.sides.iter().any(|side| side.tree.num_leaves_below(side.tree.root()) > TASKS.0);
        let frontier = if is_large { self.frontier(roots, &mut found) } else { vec![roots] };
        let search = |work: &mut Workspace, vertices: &[u32; 2]| self.search(*vertices, work);
        let workspace = || Workspace::new(self.ladder);
        if let [vertices] = frontier[..] {
            return found.joined(search(&mut workspace(), &vertices));
        }
        let parts: Vec<Found> = frontier.par_iter().map_init(workspace, search).collect();
        parts.into_iter().fold(found, Found::joined)
    }

    /// Opens pairs level by level until there are enough for the tasks.
    fn frontier(&self, roots: [u32; 2], found: &mut Found) -> Vec<[u32; 2]> {
        let mut frontier = vec![roots];
        while !frontier.is_empty() && frontier.len() < TASKS.1 {
            let mut next = Vec::with_capacity(3 * frontier.len());
            let mut is_open = false;
            for &vertices in &frontier {
                if self.is_batch(vertices) {
                    next.push(vertices);
                } else {
                    is_open = true;
                    self.open(vertices, found, &mut next);
                }
            }
            frontier = next;
            if !is_open {
                break;
            }
        }
        frontier
    }

    /// All that is below two vertices.
    fn search(&self, vertices: [u32; 2], work: &mut Workspace) -> Found {
        let mut found = Found::nothing();
        let mut pending = vec![vertices];
        while let Some(vertices) = pending.pop() {
            if self.is_batch(vertices) {
                self.compare(vertices, work, &mut found);
            } else {
                self.open(vertices, &mut found, &mut pending);
            }
        }
        found
    }

    fn is_of_one_body(&self) -> bool {
        self.sides[0].body == self.sides[1].body
    }

    fn is_batch(&self, vertices: [u32; 2]) -> bool {
        (0..2).all(|k| self.sides[k].tree.num_leaves_below(vertices[k]) as usize <= BATCH)
    }

    /// Opens the larger of two vertices that are within reach of each other.
    fn open(&self, vertices: [u32; 2], found: &mut Found, opened: &mut Vec<[u32; 2]>) {
        let trees = self.sides.map(|side| side.tree);
        if self.is_of_one_body() && vertices[0] == vertices[1] {
            if let Some([left, right]) = trees[0].children(vertices[0]) {
                opened.extend([[left, left], [right, right], [left, right]]);
            }
            return;
        }
        let spheres = [0, 1].map(|k| self.sides[k].placed.sphere(vertices[k]));
        if self.is_apart(&spheres, vertices, found) {
            return;
        }
        let first_is_larger = spheres[0].radius >= spheres[1].radius;
        match (trees[0].children(vertices[0]), trees[1].children(vertices[1])) {
            (Some(children), second) if first_is_larger || second.is_none() => {
                opened.extend(children.map(|child| [child, vertices[1]]));
            }
            (_, Some(children)) => opened.extend(children.map(|child| [vertices[0], child])),
            (_, None) => {}
        }
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

    /// Compares the faces below two vertices one by one.
    fn compare(&self, vertices: [u32; 2], work: &mut Workspace, found: &mut Found) {
        let itself = self.is_of_one_body() && vertices[0] == vertices[1];
        if !itself {
            let spheres = [0, 1].map(|k| self.sides[k].placed.sphere(vertices[k]));
            if self.is_apart(&spheres, vertices, found) {
                return;
            }
        }
        (found.clear, found.nearest) = (self.reach.min(found.clear), Some(vertices));
        work.volumes.invalidate();
        (0..2).for_each(|k| work.batches[k].fill(&self.sides[k], vertices[k]));
        if !work.batches.iter().all(Batch::is_flat) {
            (0..2).for_each(|k| work.batches[k].place(&self.sides[k], self.positions, self.reach));
        }
        let counts = [0, 1].map(|k| work.batches[k].count);
        for i in 0..counts[0] {
            for j in if itself { i + 1 } else { 0 }..counts[1] {
                let [first, second] = &work.batches;
                let near = first.spheres[i].radius + second.spheres[j].radius + self.reach;
                let offset = first.spheres[i].centre - second.spheres[j].centre;
                found.tests += 1;
                if offset.norm_squared() <= near * near {
                    self.meet([i, j], work, found);
                }
            }
        }
    }

    /// Lists what may touch of two faces whose spheres are near: nodes of either with the other, unless a volume keeps
    /// the faces apart, and edges that belong to them.
    ///
    /// Volumes are tried only where the distance of a node is dearer than they are: it is not, of flat faces.
    fn meet(&self, places: [usize; 2], work: &mut Workspace, found: &mut Found) {
        let Workspace { batches, volumes } = work;
        let faces = [0, 1].map(|k| batches[k].faces[places[k]]);
        let bodies = self.sides.map(|side| side.body);
        if !(0..2).all(|k| batches[k].has_flat[places[k]]) {
            let leaves = [0, 1].map(|k| batches[k].leaf(places[k], k * BATCH));
            if volumes.excluded(&leaves[0], &leaves[1]).is_some() {
                return;
            }
        }
        near_edges(self.model, bodies, faces, self.positions, self.reach, &mut found.edges);
        for (contactor, target) in [(0, 1), (1, 0)] {
            let face = batches[target].faces[places[target]];
            let sphere = &batches[target].spheres[places[target]];
            let distance = sphere.radius + self.reach;
            let body = if self.is_of_one_body() { 0 } else { target as u32 };
            for &node in self.sides[contactor].owners.nodes_of(batches[contactor].faces[places[contactor]]) {
                let offset = self.positions[node as usize] - sphere.centre;
                if offset.norm_squared() <= distance * distance {
                    found.near.push(NearPair { target: body, node, face, distance: 0.0 });
                }
            }
        }
    }
}

impl Workspace {
    fn new(ladder: &[VolumeKind]) -> Self {
        let batch = Batch {
            faces: [0; BATCH],
            spheres: [Sphere { centre: Vec3::zeros(), radius: 0.0 }; BATCH],
            has_flat: [false; BATCH],
            points: [[Vec3::zeros(); MAX_CONTROL_POINTS]; BATCH],
            num_points: [0; BATCH],
            margins: [0.0; BATCH],
            count: 0,
        };
        Self { batches: [batch.clone(), batch], volumes: LeafVolumes::new(ladder, 2 * BATCH) }
    }
}

impl Batch {
    /// Takes the faces below a vertex.
    fn fill(&mut self, side: &Side<'_>, vertex: u32) {
        self.count = 0;
        let (mut pending, mut count) = ([vertex; BATCH], 1);
        while count > 0 {
            count -= 1;
            let v = pending[count];
            if let Some([left, right]) = side.tree.children(v) {
                (pending[count], pending[count + 1]) = (right, left);
                count += 2;
            } else if let Some(face) = side.tree.face(v) {
                let k = self.count;
                (self.faces[k], self.spheres[k]) = (face, side.placed.sphere(v));
                let (kind, _) = side.surface.face(face as usize);
                self.has_flat[k] = matches!(kind, CellKind::Line2 | CellKind::Tri3);
                self.count += 1;
            }
        }
    }

    /// Whether all faces are segments and triangles.
    fn is_flat(&self) -> bool {
        self.has_flat[..self.count].iter().all(|&is_flat| is_flat)
    }

    /// Notes where the faces are.
    fn place(&mut self, side: &Side<'_>, positions: &[Vec3], reach: f64) {
        for k in 0..self.count {
            let (kind, nodes) = side.surface.face(self.faces[k] as usize);
            let points = control_points(kind, nodes, positions, &mut self.points[k]);
            let rounding = if is_held_by_nodes(kind) { 0.0 } else { rounding_of(points) };
            (self.num_points[k], self.margins[k]) = (points.len(), 0.5 * reach + rounding);
        }
    }

    /// The k-th face; `first` is the number of the first one among the volumes.
    fn leaf(&self, k: usize, first: usize) -> Leaf<'_> {
        let points = &self.points[k][..self.num_points[k]];
        Leaf { index: first + k, sphere: self.spheres[k], points, margin: self.margins[k] }
    }
}
