//! Patches: groups of neighbouring faces of a surface, their bounding boxes and their displacements.
//!
//! A patch consists of up to eight batches of up to eight faces, one face per lane. The displacements of a patch
//! include those of its adjacent faces (faces that share a node with the patch), because the normals at its nodes
//! depend on these faces.

use std::ops::Range;

use rayon::prelude::*;

use crate::Surface;
use crate::detection::face::bounds::Bounds;
use crate::detection::face::control_points::{
    MAX_CONTROL_POINTS, control_points, lies_in_hull_of_nodes, rounding_of,
};
use crate::detection::model::Configuration;
use crate::detection::tree::box_tree::BoxTree;
use crate::detection::tree::compact_order::compact_order_of_faces;
use crate::detection::volume::{Aabb, AabbRow};
use crate::math::Vec3;
use crate::math::pack::WIDTH;

use super::displacement::Steps;

const FACES: usize = WIDTH * WIDTH;

/// Number of boxes of a full patch: one per face, one per batch, and one for the patch.
pub(super) const BOXES: usize = FACES + WIDTH + 1;

const PER_TASK: usize = 32;
const PATCH_UPDATES_PER_TASK: usize = 256;

/// Up to eight neighbouring faces, and the nodes assigned to them.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceBatch<'a> {
    pub faces: &'a [u32],
    pub is_linear: bool,
    /// Nodes assigned to the batch, with the lane of their face. Each node is assigned to one batch.
    pub nodes: &'a [(u32, u32)],
    /// Boxes of the faces as fitted.
    pub boxes: &'a AabbRow,
}

#[derive(Clone, Copy, Debug)]
struct PatchMotion {
    /// Displacements of the patch and of adjacent faces in the latest step in which the patch was active \[m\].
    step: Bounds,
    /// Bound on the difference of any two of these displacements \[m\].
    extent: f64,
    /// Displacements since the fit of the boxes \[m\].
    since_fit: Bounds,
}

/// Common shift and growth of volumes since their fit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    /// Displacement \[m\].
    pub shift: Vec3,
    /// Growth \[m\].
    pub growth: f64,
}

impl Placed {
    pub fn after(displacements: &Bounds) -> Self {
        Self { shift: displacements.middle(), growth: 0.5 * displacements.extent() }
    }
}

impl PatchMotion {
    /// Bounds the displacements of the step from the nodes `around`; if `around` is `None`, takes the bounds `whole`.
    fn find_step(
        &mut self,
        around: Option<&[u32]>,
        whole: &Bounds,
        steps: &Steps,
        configuration: &Configuration<'_>,
    ) {
        self.step = around.map_or(*whole, |nodes| steps.of(nodes, configuration));
        self.extent = self.step.extent();
    }
}

/// All patches of a surface. Active patches are updated in every step, inactive patches before use.
#[derive(Clone, Debug)]
pub(super) struct Patches {
    num_faces: usize,
    /// Faces of each batch; the last batch may be incomplete.
    faces: Vec<[u32; WIDTH]>,
    nodes: Vec<(u32, u32)>,
    /// For each batch, the index in `nodes` at which its nodes end.
    ends: Vec<u32>,
    is_linear: Vec<bool>,
    /// Boxes of the faces of each batch, as fitted.
    boxes: Vec<AabbRow>,
    /// Boxes of the batches of each patch, as fitted.
    batches: Vec<AabbRow>,
    /// Boxes of the patches as fitted.
    bounds: Vec<Aabb>,
    around: NodesAround,
    motions: Vec<PatchMotion>,
}

/// Nodes of each patch and of its adjacent faces, and the end of each list. Empty if the surface has one patch.
#[derive(Clone, Debug, Default)]
struct NodesAround {
    nodes: Vec<u32>,
    ends: Vec<usize>,
}

impl NodesAround {
    fn of(&self, patch: usize) -> Option<&[u32]> {
        let begin = patch.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.nodes[begin..*self.ends.get(patch)?])
    }
}

impl Patches {
    /// Divides a surface into compact patches at nodal `positions` \[m\]. The boxes are invalid until a fit.
    pub fn new(surface: &Surface, positions: &[Vec3]) -> Self {
        let order = compact_order_of_faces(surface, positions);
        let mut faces = vec![[0; WIDTH]; order.len().div_ceil(WIDTH)];
        faces.as_flattened_mut()[..order.len()].copy_from_slice(&order);
        let num_patches = order.len().div_ceil(FACES);
        let resting = PatchMotion { step: Bounds::ZERO, extent: 0.0, since_fit: Bounds::ZERO };
        let mut patches = Self {
            num_faces: order.len(),
            boxes: vec![AabbRow::EMPTY; faces.len()],
            faces,
            nodes: Vec::new(),
            ends: Vec::new(),
            is_linear: Vec::new(),
            batches: vec![AabbRow::EMPTY; num_patches],
            bounds: vec![AabbRow::EMPTY.joint(); num_patches],
            around: NodesAround::default(),
            motions: vec![resting; num_patches],
        };
        patches.assign_nodes(surface);
        if num_patches > 1 {
            patches.find_surrounding_nodes(surface);
        }
        patches
    }

    fn assign_nodes(&mut self, surface: &Surface) {
        let mut is_owned = vec![false; surface.nodes().len()];
        for batch in 0..self.faces.len() {
            let faces = self.faces_of(batch..batch + 1).to_vec();
            for (place, &face) in (0..).zip(&faces) {
                for &local in surface.local_nodes_of_face(face as usize) {
                    if !std::mem::replace(&mut is_owned[local as usize], true) {
                        self.nodes.push((surface.nodes()[local as usize], place));
                    }
                }
            }
            self.is_linear
                .push(faces.iter().all(|&face| lies_in_hull_of_nodes(surface.face(face as usize).0)));
            self.ends.push(self.nodes.len() as u32);
        }
    }

    fn find_surrounding_nodes(&mut self, surface: &Surface) {
        let (mut seen, mut around) = (vec![usize::MAX; surface.nodes().len()], Vec::new());
        for patch in 0..self.len() {
            let faces = self.faces_of(WIDTH * patch..WIDTH * (patch + 1));
            around.clear();
            for &local in faces.iter().flat_map(|&face| surface.local_nodes_of_face(face as usize)) {
                around.extend_from_slice(surface.faces_of_local_node(local as usize));
            }
            around.sort_unstable();
            around.dedup();
            for &local in around.iter().flat_map(|&face| surface.local_nodes_of_face(face as usize)) {
                if std::mem::replace(&mut seen[local as usize], patch) != patch {
                    self.around.nodes.push(surface.nodes()[local as usize]);
                }
            }
            self.around.ends.push(self.around.nodes.len());
        }
    }

    fn faces_of(&self, batches: Range<usize>) -> &[u32] {
        let range = WIDTH * batches.start..self.num_faces.min(WIDTH * batches.end);
        &self.faces.as_flattened()[range]
    }

    pub fn len(&self) -> usize {
        self.motions.len()
    }

    /// Adds a step to the active patches `selected`, ascending. `whole` bounds the displacements of the surface.
    pub fn update(
        &mut self,
        selected: &[u32],
        whole: &Bounds,
        steps: &Steps,
        configuration: &Configuration<'_>,
    ) {
        self.for_each(selected, |motion, around| {
            motion.find_step(around, whole, steps, configuration);
            motion.since_fit = motion.since_fit.plus(&motion.step);
        });
    }

    /// Measures the displacements of newly active patches `selected`, ascending.
    pub fn find_steps(
        &mut self,
        selected: &[u32],
        whole: &Bounds,
        steps: &Steps,
        configuration: &Configuration<'_>,
    ) {
        self.for_each(selected, |motion, around| motion.find_step(around, whole, steps, configuration));
    }

    /// Calls `act` with the motion of each patch of `selected` (ascending) and with the nodes around the patch.
    fn for_each(&mut self, selected: &[u32], act: impl Fn(&mut PatchMotion, Option<&[u32]>) + Sync + Send) {
        let Self { around, motions, .. } = self;
        let act = |(patch, motion): (usize, &mut PatchMotion)| act(motion, around.of(patch));
        // Waking a thread takes longer than the update of a few patches.
        if selected.len() <= PATCH_UPDATES_PER_TASK {
            selected.iter().for_each(|&patch| act((patch as usize, &mut motions[patch as usize])));
        } else {
            let motions = motions.par_iter_mut().enumerate().with_min_len(PATCH_UPDATES_PER_TASK);
            motions.filter(|(patch, _)| selected.binary_search(&(*patch as u32)).is_ok()).for_each(act);
        }
    }

    /// Adds the displacements of the whole surface to all patches except `selected` (ascending).
    pub fn move_all_but(&mut self, selected: &[u32], displacements: &Bounds) {
        let mut selected = selected.iter().peekable();
        for (patch, motion) in (0..).zip(&mut self.motions) {
            if selected.next_if(|&&other| other == patch).is_none() {
                motion.since_fit = motion.since_fit.plus(displacements);
            }
        }
    }

    /// Displacements of an active patch in the latest step \[m\].
    pub fn step(&self, patch: u32) -> &Bounds {
        &self.motions[patch as usize].step
    }

    /// Bound on the difference of any two displacements of an active patch in the latest step \[m\].
    pub fn extent(&self, patch: u32) -> f64 {
        self.motions[patch as usize].extent
    }

    pub fn placed(&self, patch: u32) -> Placed {
        Placed::after(&self.motions[patch as usize].since_fit)
    }

    pub fn bounds(&self, patch: u32) -> Aabb {
        self.motions[patch as usize].since_fit.displace(&self.bounds[patch as usize])
    }

    pub fn tree(&self) -> BoxTree {
        BoxTree::new(self.len(), |patch| self.bounds(patch as u32))
    }

    /// Boxes of the batches of a patch, as fitted.
    pub fn batches(&self, patch: u32) -> &AabbRow {
        &self.batches[patch as usize]
    }

    /// The batch with this number, counted through all patches.
    pub fn batch(&self, batch: u32) -> FaceBatch<'_> {
        let batch = batch as usize;
        let begin = batch.checked_sub(1).map_or(0, |before| self.ends[before]);
        FaceBatch {
            faces: self.faces_of(batch..batch + 1),
            is_linear: self.is_linear[batch],
            nodes: &self.nodes[begin as usize..self.ends[batch] as usize],
            boxes: &self.boxes[batch],
        }
    }

    /// Fits the boxes of the patches selected by `which`. Before the call, all displacements must have been added to
    /// the inactive patches ([`Patches::move_all_but`]).
    pub fn fit(&mut self, surface: &Surface, positions: &[Vec3], which: impl Fn(u32) -> bool + Sync) {
        let num_faces = self.num_faces;
        let patches = self.boxes.par_chunks_mut(WIDTH).zip(self.faces.par_chunks(WIDTH));
        let patches = patches.zip(&mut self.batches).zip(&mut self.bounds).zip(&mut self.motions).enumerate();
        patches.with_min_len(PER_TASK).filter(|(patch, _)| which(*patch as u32)).for_each(
            |(patch, ((((boxes, faces), batches), bounds), motion))| {
                for (k, (row, faces)) in boxes.iter_mut().zip(faces).enumerate() {
                    let first = WIDTH * (WIDTH * patch + k);
                    for (lane, &face) in faces.iter().enumerate().take(num_faces - first) {
                        row.set(lane, &bounds_of_face(surface, face, positions));
                    }
                    batches.set(k, &row.joint());
                }
                (*bounds, motion.since_fit) = (batches.joint(), Bounds::ZERO);
            },
        );
    }
}

/// Box of a face; the box of a curved face is widened by the rounding of its control points.
fn bounds_of_face(surface: &Surface, face: u32, positions: &[Vec3]) -> Aabb {
    let (kind, nodes) = surface.face(face as usize);
    let mut points = [Vec3::zeros(); MAX_CONTROL_POINTS];
    let points = control_points(kind, nodes, positions, &mut points);
    let mut bounds = Aabb { lower: points[0], upper: points[0] };
    for point in &points[1..] {
        bounds = bounds.union(&Aabb { lower: *point, upper: *point });
    }
    if lies_in_hull_of_nodes(kind) { bounds } else { bounds.widened(rounding_of(points)) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::detection::samples::Samples;
    use crate::mesh::CellKind;

    /// Every face is in one batch, and every node is assigned to one of its faces. The motion of a patch includes the
    /// nodes of all adjacent faces.
    #[test]
    fn faces_and_nodes_are_shared_out() {
        let samples = &mut Samples::new(2);
        for count in [10, 40, 300] {
            let curved = (CellKind::Quad8, vec![3, 9, 8, 5, 0, 1, 2, 4]);
            let triangle = |k: u32| (CellKind::Tri3, vec![k, k + 1, k + 2]);
            let faces: Vec<(CellKind, Vec<u32>)> = (0..count).map(triangle).chain([curved]).collect();
            let surface = Surface::new(faces.iter().map(|(kind, nodes)| (*kind, nodes.as_slice())));
            let positions: Vec<Vec3> = (0..count + 2).map(|_| samples.vector(1.0)).collect();
            let patches = Patches::new(&surface, &positions);
            assert_eq!(patches.len(), (count as usize + 1).div_ceil(FACES));
            let (mut seen, mut owned, mut num_linear) = (Vec::new(), Vec::new(), 0);
            let num_batches = (count + 1).div_ceil(WIDTH as u32);
            for k in 0..num_batches {
                let batch = patches.batch(k);
                seen.extend_from_slice(batch.faces);
                let has = |&(node, place): &(u32, u32)| {
                    surface.face(batch.faces[place as usize] as usize).1.contains(&node)
                };
                assert!(batch.nodes.iter().all(has));
                owned.extend(batch.nodes.iter().map(|(node, _)| *node));
                num_linear += usize::from(batch.is_linear);
            }
            seen.sort_unstable();
            owned.sort_unstable();
            assert_eq!(seen, (0..=count).collect::<Vec<_>>());
            assert_eq!(owned, surface.nodes());
            assert_eq!(num_linear, num_batches as usize - 1);
            for patch in 0..patches.len() {
                let Some(active) = patches.around.of(patch) else {
                    assert_eq!(patches.len(), 1);
                    continue;
                };
                let of_faces = |faces: &[u32]| -> BTreeSet<u32> {
                    faces.iter().flat_map(|&face| surface.face(face as usize).1).copied().collect()
                };
                let inside = of_faces(patches.faces_of(WIDTH * patch..WIDTH * (patch + 1)));
                let around = |node: u32| surface.faces_of_local_node(surface.local_node(node).unwrap());
                let expected: BTreeSet<u32> =
                    inside.iter().flat_map(|&node| of_faces(around(node))).collect();
                assert_eq!(active.iter().copied().collect::<BTreeSet<u32>>(), expected);
                assert_eq!(active.len(), expected.len());
            }
        }
    }
}
