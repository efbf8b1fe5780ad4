//! Search for near pairs, level 2 of the [engine](super) in the contact phase: finds the nodes of a patch that lie near
//! faces of given patches of the second body or, in self-contact, of the same body.
//!
//! The traversal finds pairs of batches (up to eight faces each) with overlapping boxes. Nodes of one batch are tested
//! against the face boxes of the second batch, one face per lane. If a batch has a curved face, the ladder of bounding
//! volumes first excludes pairs of faces (by default). Every node is assigned to one face, so that no pair is listed
//! twice.

use std::ops::Range;

use crate::Surface;
use crate::detection::face::control_points::{
    MAX_CONTROL_POINTS, control_points, lies_in_hull_of_nodes, rounding_of,
};
use crate::detection::model::ContactModel;
use crate::detection::primitive::edge_edge::{EdgePair, near_edges};
use crate::detection::volume::{
    Aabb, AabbRow, LadderTally, LadderUse, Leaf, LeafVolumes, Sphere, VolumeKind,
};
use crate::math::Vec3;
use crate::math::pack::{Registers, WIDTH};
use pulp::{Simd, WithSimd};

use super::patches::{FaceBatch, Patches};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NearPair {
    /// Side of the face, 0 or 1; always 0 in self-contact.
    pub target: u32,
    pub node: u32,
    pub face: u32,
    /// Lower bound on the distance of node and face when listed \[m\].
    pub distance: f32,
}

impl NearPair {
    pub fn is_of_same_node(&self, other: &Self) -> bool {
        (self.target, self.node) == (other.target, other.node)
    }

    /// Sorting key: side of the face, node, distance, face.
    pub fn order(&self) -> u128 {
        let words = [self.target, self.node, self.distance.to_bits(), self.face];
        words.into_iter().fold(0, |order, word| order << u32::BITS | u128::from(word))
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// All node–face pairs within reach, and some pairs slightly farther apart.
    pub near: Vec<NearPair>,
    pub edges: Vec<EdgePair>,
    pub has_near_batches: bool,
    pub tests: u64,
    pub ladder: LadderTally,
}

#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub body: u32,
    pub surface: &'a Surface,
    pub patches: &'a Patches,
}

/// A body pair, and the distance within which pairs are listed.
pub(super) struct Traversal<'a> {
    pub model: &'a ContactModel,
    /// The two sides, with equal bodies in self-contact.
    pub sides: [Side<'a>; 2],
    pub positions: &'a [Vec3],
    pub ladder: &'a [VolumeKind],
    pub ladder_use: LadderUse,
    /// Distance within which pairs are listed \[m\].
    pub reach: f64,
    pub registers: Registers,
}

/// Contactor patch (nodes) and target patch (faces).
#[derive(Clone, Copy)]
struct PatchPair {
    target: usize,
    patches: [u32; 2],
    /// Displacement of the contactor patch relative to the target patch since their fits \[m\].
    shift: Vec3,
    /// Boxes are compared as fitted, after the contactor box is moved by `shift`. If the contactor box is then farther
    /// than this margin from the target box, no pair from the two boxes is within reach \[m\].
    margin: f64,
}

struct BatchPair<'a> {
    patch_pair: &'a PatchPair,
    numbers: [u32; 2],
    batches: [FaceBatch<'a>; 2],
}

impl BatchPair<'_> {
    fn is_linear(&self) -> bool {
        self.batches.iter().all(|batch| batch.is_linear)
    }
}

struct Workspace {
    leaves: [[PlacedLeaf; WIDTH]; 2],
    volumes: LeafVolumes,
}

#[derive(Clone, Copy)]
struct PlacedLeaf {
    sphere: Sphere,
    points: [Vec3; MAX_CONTROL_POINTS],
    num_points: usize,
    margin: f64,
}

/// For each face of the contactor batch, a bit for each target face that may be within reach.
type FaceMasks = [u64; WIDTH];

impl Traversal<'_> {
    /// For each contactor side in `contactors`: near pairs of the nodes of `patch` with the faces of the patches
    /// `others` of the opposite side. Each edge pair is listed once.
    pub fn list(&self, contactors: Range<usize>, patch: u32, others: &[u32]) -> Found {
        let (mut found, mut work, mut pairs) = (Found::default(), None, Vec::new());
        let patch_pairs =
            contactors.flat_map(|contactor| others.iter().map(move |&other| (contactor, other)));
        for (contactor, other) in patch_pairs {
            let (target, patches) = (1 - contactor, [patch, other]);
            let sides = [contactor, target].map(|side| &self.sides[side]);
            let placed = [0, 1].map(|k| sides[k].patches.placed(patches[k]));
            let patch_pair = PatchPair {
                target,
                patches,
                shift: placed[0].shift - placed[1].shift,
                margin: placed[0].growth + placed[1].growth + self.reach,
            };
            self.registers.run(BatchesNearBatches {
                nodes: sides[0].patches.batches(patch),
                faces: sides[1].patches.batches(other),
                patch_pair: &patch_pair,
                pairs: &mut pairs,
            });
            for &numbers in &pairs {
                let batches = [0, 1].map(|k| sides[k].patches.batch(numbers[k]));
                self.compare(&BatchPair { patch_pair: &patch_pair, numbers, batches }, &mut work, &mut found);
            }
        }
        found.ladder = work.map_or_else(LadderTally::default, |work| work.volumes.tally());
        found
    }

    fn is_self_contact(&self) -> bool {
        self.sides[0].body == self.sides[1].body
    }

    fn compare(&self, pair: &BatchPair<'_>, work: &mut Option<Workspace>, found: &mut Found) {
        found.has_near_batches = true;
        let BatchPair { patch_pair, batches, .. } = pair;
        let mut masks = [u64::MAX; WIDTH];
        if self.uses_ladder(pair) || self.lists_edges(pair) {
            self.mask_faces(pair, work, &mut masks, found);
        }
        let placed = self.sides[patch_pair.target].patches.placed(patch_pair.patches[1]);
        self.registers.run(NodesNearFaces {
            nodes: batches[0].nodes,
            positions: self.positions,
            faces: &batches[1],
            shift: placed.shift,
            reach: self.reach + placed.growth,
            masks: &masks,
            target: if self.is_self_contact() { 0 } else { patch_pair.target as u32 },
            near: &mut found.near,
        });
        found.tests += batches[0].nodes.len() as u64;
    }

    /// True by default only for pairs with a curved face, because distances from curved faces cost more than tests of
    /// bounding volumes.
    fn uses_ladder(&self, pair: &BatchPair<'_>) -> bool {
        self.ladder_use == LadderUse::Always || !pair.is_linear()
    }

    /// Batches are tested in both assignments of contactor and target; edge pairs are listed in only one of them, and
    /// only if both bodies have edges.
    fn lists_edges(&self, pair: &BatchPair<'_>) -> bool {
        let is_first_assignment = match self.is_self_contact() {
            true => pair.numbers[0] <= pair.numbers[1],
            false => pair.patch_pair.target == 1,
        };
        is_first_assignment
            && self.sides.iter().all(|side| !self.model.edges[side.body as usize].all().is_empty())
    }

    /// Masks out the pairs of faces that a bounding volume separates. If `lists_edges` is true, lists the near edge
    /// pairs of the remaining face pairs.
    fn mask_faces(
        &self,
        pair: &BatchPair<'_>,
        work: &mut Option<Workspace>,
        masks: &mut FaceMasks,
        found: &mut Found,
    ) {
        let BatchPair { patch_pair, numbers, batches } = pair;
        let sides = [1 - patch_pair.target, patch_pair.target].map(|side| self.sides[side]);
        let (uses_ladder, lists_edges) = (self.uses_ladder(pair), self.lists_edges(pair));
        let is_one_batch = self.is_self_contact() && numbers[0] == numbers[1];
        let mut ladder = uses_ladder.then(|| work.get_or_insert_with(|| Workspace::new(self.ladder)));
        if let Some(ladder) = &mut ladder {
            ladder.place(&sides, batches, self.positions, self.reach);
        }
        let bodies = sides.map(|side| side.body);
        for (i, &face) in batches[0].faces.iter().enumerate() {
            if !uses_ladder && self.model.edges_of_face(bodies[0], face).is_empty() {
                continue;
            }
            let around = batches[0].boxes.get(i).moved(&patch_pair.shift).widened(patch_pair.margin);
            let near = self.registers.run(FacesNearBox { faces: batches[1].boxes, around });
            found.tests += 1;
            for (j, &other) in batches[1].faces.iter().enumerate() {
                if near >> j & 1 == 0 || ladder.as_mut().is_some_and(|ladder| ladder.excludes([i, j])) {
                    masks[i] &= !(1 << j);
                } else if lists_edges && !(is_one_batch && j <= i) {
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

    fn place(&mut self, sides: &[Side<'_>; 2], batches: &[FaceBatch<'_>; 2], positions: &[Vec3], reach: f64) {
        self.volumes.invalidate();
        for (k, leaves) in self.leaves.iter_mut().enumerate() {
            for (leaf, &face) in leaves.iter_mut().zip(batches[k].faces) {
                let (kind, nodes) = sides[k].surface.face(face as usize);
                let points = control_points(kind, nodes, positions, &mut leaf.points);
                let rounding = if lies_in_hull_of_nodes(kind) { 0.0 } else { rounding_of(points) };
                (leaf.num_points, leaf.margin) = (points.len(), 0.5 * reach + rounding);
                leaf.sphere = Sphere { centre: points[0], radius: 0.0 };
                leaf.sphere.grow_over(points);
            }
        }
    }

    /// Whether the ladder separates two faces, given by their places in the two batches.
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

struct BatchesNearBatches<'a> {
    nodes: &'a AabbRow,
    faces: &'a AabbRow,
    patch_pair: &'a PatchPair,
    pairs: &'a mut Vec<[u32; 2]>,
}

impl WithSimd for BatchesNearBatches<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { nodes, faces, patch_pair, pairs } = self;
        let [first, other] = patch_pair.patches.map(|patch| WIDTH as u32 * patch);
        pairs.clear();
        for a in 0..WIDTH {
            let around = nodes.get(a).moved(&patch_pair.shift).widened(patch_pair.margin);
            let mut near = faces.overlapping(simd, &around);
            while near != 0 {
                pairs.push([first + a as u32, other + near.trailing_zeros()]);
                near &= near - 1;
            }
        }
    }
}

/// Finds the faces whose boxes overlap `around`, one bit per face.
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

struct NodesNearFaces<'a> {
    nodes: &'a [(u32, u32)],
    positions: &'a [Vec3],
    faces: &'a FaceBatch<'a>,
    /// Displacement of the face boxes since the fit \[m\].
    shift: Vec3,
    /// Largest distance of a listed node from the box of its face along each axis \[m\].
    reach: f64,
    masks: &'a FaceMasks,
    target: u32,
    near: &'a mut Vec<NearPair>,
}

impl WithSimd for NodesNearFaces<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { nodes, positions, faces, shift, reach, masks, target, near } = self;
        for &(node, place) in nodes {
            let position = positions[node as usize] - shift;
            let around = Aabb { lower: position, upper: position }.widened(reach);
            let mut places = faces.boxes.overlapping(simd, &around) & masks[place as usize];
            while places != 0 {
                let face = faces.faces[places.trailing_zeros() as usize];
                near.push(NearPair { target, node, face, distance: 0.0 });
                places &= places - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::engine::body_motion::BodyMotion;
    use crate::detection::face::closest_point::{Method, Start, closest_point};
    use crate::detection::model::Configuration;
    use crate::detection::samples::Samples;
    use crate::mesh::CellKind;

    /// Every node–face pair within reach is listed exactly once, also in self-contact and after motion.
    #[test]
    fn every_pair_within_reach_is_listed_once() {
        let samples = &mut Samples::new(9);
        let (mut within, mut listed_in_all) = (0, 0);
        for counts in [[1_u32, 1], [3, 300], [200, 20], [300, 200]] {
            let (mut positions, mut first) = (Vec::new(), 0);
            let surfaces: Vec<Surface> = counts
                .map(|count| {
                    for _ in 0..count {
                        let centre = samples.vector(1.0);
                        positions.extend((0..3).map(|_| centre + samples.vector(0.05)));
                    }
                    let faces: Vec<[u32; 3]> =
                        (0..count).map(|f| [0, 1, 2].map(|k| first + 3 * f + k)).collect();
                    first += 3 * count;
                    Surface::new(faces.iter().map(|nodes| (CellKind::Tri3, nodes.as_slice())))
                })
                .into();
            let model = ContactModel::new(surfaces, &[], &positions);
            let velocities: Vec<Vec3> =
                (0..positions.len()).map(|_| Vec3::x() * 0.5 + samples.vector(0.1)).collect();
            let before = positions.clone();
            let at_rest =
                Configuration { time: 0.0, time_step: 0.1, positions: &before, positions_before: &before };
            let mut motions: Vec<BodyMotion> =
                model.surfaces.iter().map(|surface| BodyMotion::new(surface, 0.1, 0.0)).collect();
            for (motion, surface) in motions.iter_mut().zip(&model.surfaces) {
                motion.divide(surface, &positions);
                let active = (0..motion.patches().unwrap().len() as u32).step_by(2);
                motion.select_active_patches(active, &at_rest);
            }
            positions.iter_mut().zip(&velocities).for_each(|(x, v)| *x += v * 0.1);
            let configuration =
                Configuration { time: 0.1, time_step: 0.1, positions: &positions, positions_before: &before };
            for (motion, surface) in motions.iter_mut().zip(&model.surfaces) {
                motion.update(surface.nodes(), &configuration);
                motion.fit_patches(surface, &positions, 0..0);
            }
            for bodies in [[0, 1], [1, 1]] {
                let side = |body: u32| {
                    let (surface, motion) = (&model.surfaces[body as usize], &motions[body as usize]);
                    Side { body, surface, patches: motion.patches().unwrap() }
                };
                let traversal = Traversal {
                    model: &model,
                    sides: bodies.map(side),
                    positions: &positions,
                    ladder: &[],
                    ladder_use: LadderUse::WhilePaying,
                    reach: 0.08,
                    registers: Registers::default(),
                };
                let num_contactors = if bodies[0] == bodies[1] { 1 } else { 2 };
                for contactor in 0..num_contactors {
                    let [own, other] = [contactor, 1 - contactor].map(|side| &traversal.sides[side]);
                    let others: Vec<u32> = (0..other.patches.len() as u32).collect();
                    let of_patch = |patch: u32| traversal.list(contactor..contactor + 1, patch, &others).near;
                    let mut listed: Vec<[u32; 2]> = (0..own.patches.len() as u32)
                        .flat_map(of_patch)
                        .map(|pair| {
                            assert_eq!(bodies[pair.target as usize], other.body);
                            [pair.node, pair.face]
                        })
                        .collect();
                    listed.sort_unstable();
                    assert!(listed.is_sorted_by(|a, b| a < b), "a pair is listed twice");
                    let every = own.surface.nodes().iter().flat_map(|&node| {
                        (0..other.surface.num_faces() as u32).map(move |face| [node, face])
                    });
                    for [node, face] in every {
                        let corners = other.surface.face(face as usize).1;
                        let corners: Vec<Vec3> =
                            corners.iter().map(|&node| positions[node as usize]).collect();
                        let x = &positions[node as usize];
                        let closest =
                            closest_point(Method::Auto, Start::Nearest, CellKind::Tri3, &corners, x);
                        if closest.distance_squared.sqrt() <= traversal.reach {
                            assert!(listed.binary_search(&[node, face]).is_ok());
                            within += 1;
                        }
                    }
                    listed_in_all += listed.len();
                }
            }
        }
        assert!(within > 1000 && listed_in_all < 8 * within, "{within} of {listed_in_all}");
    }
}
