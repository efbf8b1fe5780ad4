//! Contact constraints of the contactor nodes of all candidates.

use rayon::prelude::*;

use super::batch::Batch;
use super::closest_faces::{ClosestFaces, Groups};
use super::options::{NodeFaceOptions, StartFrom, StartingPoint};
use super::penetration::Penetration;
use super::target_face::TargetFace;
use super::tied::{MeanPoint, NodeContact};
use crate::detection::face::closest_point::Gap;
use crate::detection::model::{Candidate, ContactModel};
use crate::element::{MAX_NODES, shape_values};
use crate::math::Vec3;
use crate::math::vectorised::Vectorised;
use crate::mesh::CellKind;
use crate::{Constraints, ContactKey, Side, Surface};

#[derive(Clone, Debug, Default)]
struct Found {
    contacts: Vec<NodeContact>,
    /// A contact of a node with several faces has one entry per face.
    points: Vec<Penetration>,
    /// Starting points for the next search, one per node; empty unless the option is [`StartFrom::Previous`].
    last: Vec<Option<StartingPoint>>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct NodeFaceSearch {
    pub(super) vectorised: Vectorised,
    /// For each group, the index after its last candidate. A group consists of all candidates with the same contactor
    /// node and target.
    pub(super) group_ends: Vec<u32>,
    pub(super) target_faces: Vec<TargetFace>,
    /// Starting points for the next search, one per group; empty unless the option is [`StartFrom::Previous`].
    pub(super) last: Vec<Option<StartingPoint>>,
    found: Vec<Found>,
}

pub(super) const NODES_PER_TASK: usize = 256;

const CANDIDATES_PER_TASK: usize = 2048;

impl NodeFaceSearch {
    /// Starting points for the next search, ascending by key. Empty unless the option is [`StartFrom::Previous`].
    pub fn starting_points(&self) -> Vec<StartingPoint> {
        self.last.iter().flatten().copied().collect()
    }

    /// Sets the starting points; `points` ascend by key.
    pub fn start_from(&mut self, points: &[StartingPoint]) {
        self.last.clear();
        self.last.extend(points.iter().copied().map(Some));
    }

    /// Groups the candidates by key: contactor node and target. The candidates must be sorted by key. Call after every
    /// change of the candidates.
    pub fn group(&mut self, candidates: &[Candidate], model: &ContactModel, start: StartFrom) {
        let target_face = |candidate: &Candidate| {
            let (kind, nodes) = model.surfaces[candidate.key.target as usize].face(candidate.face as usize);
            let triangle = if kind == CellKind::Tri3 { nodes.first_chunk().copied() } else { None };
            TargetFace { triangle, reach: model.reach_of(candidate) }
        };
        self.target_faces.clear();
        self.target_faces
            .par_extend(candidates.par_iter().with_min_len(CANDIDATES_PER_TASK).map(target_face));
        self.group_ends.clear();
        let mut end = 0;
        for group in candidates.chunk_by(|a, b| a.key == b.key) {
            end += group.len() as u32;
            self.group_ends.push(end);
        }
        let last = std::mem::take(&mut self.last);
        if start == StartFrom::Previous {
            // `last` and `candidates` are sorted by key.
            let mut last = last.iter().flatten().peekable();
            for &end in &self.group_ends {
                let key = candidates[end as usize - 1].key;
                while last.next_if(|closest| closest.key < key).is_some() {}
                self.last.push(last.next_if(|closest| closest.key == key).copied());
            }
        }
    }

    /// Replaces `constraints` by the constraints of the nodes that have penetrated a target.
    ///
    /// The closest face gives the constraint. If several faces are equally close, the constraint is a mean over these
    /// faces (module `tied`). The pseudo-normal at the closest point gives the sign of the gap. A node deeper than
    /// `ContactModel::depth_of` has no constraint.
    pub fn find(
        &mut self,
        candidates: &[Candidate],
        model: &ContactModel,
        options: NodeFaceOptions,
        positions: &[Vec3],
        constraints: &mut Constraints,
    ) {
        let Self { vectorised, group_ends, target_faces, last, found } = self;
        let search =
            ClosestFaces { vectorised: *vectorised, model, options, positions, candidates, target_faces };
        let find = |batch: &mut Batch, (task, (ends, found)): (usize, (&[u32], &mut Found))| {
            let first = NODES_PER_TASK * task;
            let begin = first.checked_sub(1).map_or(0, |before| group_ends[before]);
            let groups = Groups { begin, ends, last: last.get(first..).unwrap_or_default() };
            found.contacts.clear();
            found.points.clear();
            found.last.clear();
            search.find(&groups, batch, |closest| {
                found.contacts.extend(closest.and_then(|closest| search.contact(closest, &mut found.points)));
                if options.start == StartFrom::Previous {
                    found.last.push(closest.map(|closest| search.last(closest)));
                }
            });
        };
        let tasks = group_ends.par_chunks(NODES_PER_TASK);
        found.resize_with(tasks.len(), Found::default);
        if tasks.len() > 1 {
            tasks.zip(&mut *found).enumerate().for_each_init(Batch::default, find);
        } else if let Some(found) = found.first_mut() {
            find(&mut Batch::default(), (0, (group_ends, found)));
        }
        constraints.clear();
        for found in &*found {
            for contact in &found.contacts {
                push(contact, &found.points, candidates, &model.surfaces, constraints);
            }
        }
        last.clear();
        last.extend(found.iter().flat_map(|found| &found.last));
    }
}

fn push(
    contact: &NodeContact,
    points: &[Penetration],
    candidates: &[Candidate],
    surfaces: &[Surface],
    constraints: &mut Constraints,
) {
    let NodeContact { key, gap: Gap { gap, normal }, points: [first, end] } = *contact;
    let points = &points[first as usize..end as usize];
    let Candidate { face, contactor_body, .. } = candidates[points[0].candidate as usize];
    let surface = &surfaces[key.target as usize];
    let contactor = Side { body: contactor_body, nodes: &[key.contactor], shape_values: &[1.0] };
    let mut push = |nodes: &[u32], shape_values: &[f64]| {
        let target = Side { body: key.target, nodes, shape_values };
        constraints.push(ContactKey::Node(key), gap, normal, contactor, target);
    };
    if let [Penetration { xi, .. }] = points {
        let (kind, nodes) = surface.face(face as usize);
        let mut values = [0.0; MAX_NODES];
        shape_values(kind, [xi[0], xi[1], 0.0], &mut values[..nodes.len()]);
        push(nodes, &values[..nodes.len()]);
        return;
    }
    let mut mean = MeanPoint::default();
    for point in points {
        mean.add(surface, candidates[point.candidate as usize].face, point.xi);
    }
    let (nodes, shape_values) = mean.finish();
    push(nodes, shape_values);
}
