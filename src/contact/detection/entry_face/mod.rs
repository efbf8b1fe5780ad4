//! The face by which a node came into a body, where that is not the nearest one.
//!
//! ```text
//!        block ┆ → slides          A node that rests δ deep in one body and slides over a flush seam is as deep under the
//!   ──────●────┆─────────          top of the next one, and v dt behind its side: often the side is nearer, and was not
//!     a   ┆ δ  ┆ v dt   b          what it came in by.
//! ```
//! Contacts that are new, or whose normal has turned since the step before, are looked at again. The alternatives of a node
//! are the faces near the nearest one that it is straight under. One of them has *footing* if a contact of the step before
//! along its normal, of the node with whatever body, or of a node of the face, is about as deep when it just goes on: the
//! surface goes on there, or has a step lower than the depth. What is pressed outranks what only touches, and of that the
//! node's own contacts those of the nodes of the face; among the faces of the highest rank the nearest is taken; without any,
//! the face whose plane was crossed last on the way: of a convex body that is the one within whose outline the way leads;
//! the nearest one of a node that goes out. Alternatives that are equal but for rounding are none first: the contact is with
//! their common vertex or edge, along the sum of their normals, at a vertex the difference of the normals of both surfaces
//! there, so that a mirrored scene has the mirrored answer.
//!
//! Over a slit that is narrower than the node is deep, it is still past the rim of the face that it comes from, and in contact
//! with it, and with no other that goes on from there. What comes below the plane of a face past its rim
//! is not under it.
//!
//! # Source
//! Derived.

mod carried;
mod doubled;
mod query;

use crate::contact::flush::{are_coplanar, is_along};
use crate::contact::{Constraint, Constraints, ContactKey, Surface};
use crate::math::Vec3;

use super::model::{Configuration, ContactModel};
use carried::drop_carried;
use doubled::drop_doubled;
use query::{Alternative, Footing, Query, Workspace};

/// Sine of the least angle between faces, 30°: inside a wedge a face is no nearer than this part of the distance to its edge.
const LEAST_WEDGE: f64 = 0.5;
/// Most faces that are looked at around the nearest one.
const MOST_FACES: usize = 256;

/// Chooses the faces of new contacts.
#[derive(Clone, Debug, Default)]
pub struct EntryFaces {
    search_depths: Vec<f64>,
    offsets: Vec<f64>,
    /// The contacts of the step before, by their nodes.
    records: Vec<Record>,
    chosen: Constraints,
    workspace: Workspace,
}

/// An earlier contact at one of its nodes.
#[derive(Clone, Copy, Debug)]
struct Record {
    node: u32,
    contact: u32,
    /// 1 on the contactor, −1 on the target: the direction of the push on the node, times the normal.
    sign: f64,
}

impl Record {
    /// Whether the contact pushes its node along a unit normal.
    fn pushes_along(&self, normal: &Vec3, before: &Constraints) -> bool {
        is_along(&(before.get(self.contact as usize).normal * self.sign), normal)
    }
}

impl EntryFaces {
    /// For the surfaces of a model.
    pub fn new(model: &ContactModel) -> Self {
        Self { search_depths: model.search_depths.clone(), offsets: model.offsets.clone(), ..Self::default() }
    }

    /// Gives the contacts of a step, which are with the nearest faces, those by which their nodes came in. `before` are the
    /// contacts of the step before.
    pub fn choose(
        &mut self,
        surfaces: &[Surface],
        configuration: &Configuration<'_>,
        before: &Constraints,
        constraints: &mut Constraints,
    ) {
        let goes_on = nodes_of(constraints) == nodes_of(before) && !has_turned(constraints, before);
        if !goes_on {
            self.look_again(surfaces, configuration, before, constraints);
            drop_doubled(before, constraints, &mut self.chosen);
        }
        if nodes_of(constraints).len() < constraints.len() {
            drop_carried(configuration.positions, constraints, &mut self.chosen);
        }
    }

    /// Sorts the contacts of the step before by their nodes.
    fn note(&mut self, before: &Constraints) {
        for (contact, earlier) in (0..).zip(before.iter()) {
            for (place, &node) in earlier.nodes.iter().enumerate() {
                let sign = if place < earlier.num_contactor_nodes { 1.0 } else { -1.0 };
                self.records.push(Record { node, contact, sign });
            }
        }
        self.records.sort_unstable_by_key(|record| record.node);
    }

    fn look_again(
        &mut self,
        surfaces: &[Surface],
        configuration: &Configuration<'_>,
        before: &Constraints,
        constraints: &mut Constraints,
    ) {
        self.records.clear();
        let depths = before.iter().map(|contact| -self.gap_now(&contact, configuration));
        let deepest = depths.fold(0.0, f64::max);
        let mut earlier = before.iter().peekable();
        let mut chosen = std::mem::take(&mut self.chosen);
        let mut workspace = std::mem::take(&mut self.workspace);
        chosen.clear();
        for constraint in constraints.iter() {
            while earlier.next_if(|other| other.key < constraint.key).is_some() {}
            let goes_on = earlier
                .next_if(|other| other.key == constraint.key)
                .is_some_and(|other| are_coplanar(&other.normal, &constraint.normal));
            let [contactor, target] = constraint.bodies.map(|body| body as usize);
            let has_faces = surfaces.get(target).is_some_and(|surface| surface.num_faces() > 0);
            let is_node = matches!(constraint.key, ContactKey::Node(_));
            if goes_on || !is_node || !has_faces || contactor == target {
                chosen.push_copy(&constraint);
                continue;
            }
            let query = Query {
                surfaces,
                configuration,
                constraint,
                offset: self.offsets[contactor] + self.offsets[target],
                depth: self.search_depths[contactor].min(self.search_depths[target]),
            };
            let reach = query.reach(deepest);
            if query.is_within_face(reach / LEAST_WEDGE) {
                chosen.push_copy(&constraint);
                continue;
            }
            if self.records.is_empty() {
                self.note(before);
            }
            if query.is_beside() && !self.goes_on(&query, before) {
                continue;
            }
            self.find_alternatives(&query, reach, before, &mut workspace);
            query.push_best(&mut workspace, &mut chosen);
        }
        std::mem::swap(constraints, &mut chosen);
        (self.chosen, self.workspace) = (chosen, workspace);
    }

    /// Whether the node has had a contact along the same normal.
    fn goes_on(&self, query: &Query<'_>, before: &Constraints) -> bool {
        self.records_of(query.constraint.nodes[0])
            .any(|record| record.pushes_along(&query.constraint.normal, before))
    }

    fn records_of(&self, node: u32) -> impl Iterator<Item = &Record> {
        let first = self.records.partition_point(|record| record.node < node);
        self.records[first..].iter().take_while(move |record| record.node == node)
    }

    /// The faces near the nearest one, no farther than `reach` \[m\], that the node is straight under.
    fn find_alternatives(
        &self,
        query: &Query<'_>,
        reach: f64,
        before: &Constraints,
        workspace: &mut Workspace,
    ) {
        let Workspace { faces, alternatives, .. } = workspace;
        let outward = query.outward();
        alternatives.clear();
        faces.clear();
        faces.extend(query.nearest_face());
        let mut next = 0;
        while next < faces.len().min(MOST_FACES) {
            let face = faces[next];
            next += 1;
            let Some((distance, alternative)) = query.look_at(face, &outward) else { continue };
            if distance > reach {
                continue;
            }
            if let Some(mut alternative) = alternative {
                alternative.footing = self.footing(query, &alternative, before);
                alternatives.push(alternative);
            }
            query.add_neighbours(face, faces);
        }
    }

    /// The earlier contacts that go on at a face, if there are any.
    fn footing(&self, query: &Query<'_>, alternative: &Alternative, before: &Constraints) -> Option<Footing> {
        let (_, nodes) = query.target().face(alternative.face as usize);
        let contactor = query.constraint.nodes[0];
        let of_node = |(node, sign): (u32, f64)| {
            let normal = alternative.normal * sign;
            let along = move |record: &&Record| record.pushes_along(&normal, before);
            let depth =
                |record: &Record| -self.gap_now(&before.get(record.contact as usize), query.configuration);
            self.records_of(node).filter(along).map(depth).reduce(f64::max)
        };
        let own = of_node((contactor, 1.0));
        let of_face = nodes.iter().filter_map(|&node| of_node((node, -1.0)));
        let depth = of_face.chain(own).reduce(f64::max)?;
        Some(Footing { depth, is_of_node: own.is_some() })
    }

    /// The gap of an earlier contact that just goes on \[m\].
    fn gap_now(&self, contact: &Constraint<'_>, configuration: &Configuration<'_>) -> f64 {
        let offset = |body: u32| self.offsets.get(body as usize).copied().unwrap_or(0.0);
        let apart = contact.normal.dot(&contact.jump(configuration.positions));
        apart - contact.bodies.into_iter().map(offset).sum::<f64>()
    }
}

/// Names of the contacts of nodes.
fn nodes_of(constraints: &Constraints) -> &[ContactKey] {
    let keys = constraints.keys();
    &keys[..keys.partition_point(|&key| matches!(key, ContactKey::Node(_)))]
}

/// Whether the normal of a contact of a node is no more what it was in the step before; both have the same.
fn has_turned(constraints: &Constraints, before: &Constraints) -> bool {
    let pairs = constraints.iter().zip(before.iter()).take(nodes_of(constraints).len());
    pairs.into_iter().any(|(now, before)| !are_coplanar(&now.normal, &before.normal))
}

#[cfg(test)]
mod tests;
