//! The entry face of a node: the face through which the node entered a body. The entry face need not be the nearest
//! face.
//!
//! ```text
//!        block ┆ → slides         A node of a block, at the depth δ in body a, slides with the velocity v over the
//!   ──────●────┆─────────         seam to the flush body b. After the step Δt that crosses the seam, the node is at
//!     a   ┆ δ  ┆ v Δt   b         the depth δ below the top of b, and at most v Δt behind the side of b. The side is
//!                                 often nearer than the top, but is not the entry face.
//! ```
//! The search for the entry face examines only node contacts between two different bodies, and of these only the
//! contacts that are new or whose normal has changed. The *alternatives* of a node are the faces within a distance
//! (`Query::reach`) that satisfy three conditions:
//!
//! - The node is behind the face.
//! - The orthogonal projection of the node lies in the face.
//! - The normals of face and node are opposed.
//!
//! Detection reports the contact with the nearest face. The detected contact stays if the node has fewer than two
//! alternatives, or if no alternative has the normal of the detected contact.
//!
//! # Continued contacts
//! An alternative *continues* a contact of the previous step under three conditions:
//!
//! 1. The contact acted on the node or on a node of the alternative.
//! 2. If the contact acted on the node, the force was along the normal of the alternative; if on a node of the
//!    alternative, the force was opposite to this normal.
//! 3. The depth of the node below the alternative is at most about twice the depth of the contact. The depth of the
//!    contact follows from current positions, with the normal and the weights of the previous step.
//!
//! A contact with a depth beyond rounding is *loaded*. The contacts that satisfy (1) and (2) give an alternative its
//! rank:
//!
//! - 2: at least one of these contacts is loaded.
//! - 1: none is loaded, and at least one is a contact of the node itself.
//! - 0: all are unloaded contacts of nodes of the alternative, or no contact satisfies (1) and (2).
//!
//! Only the alternatives with the largest occurring rank can continue a contact. If this rank is 0, an alternative can
//! instead continue a loaded contact detected in this step, for example when a block lands. This contact is between the
//! same bodies and satisfies two conditions:
//!
//! - The contactor is a node of the alternative, and (2) and (3) hold.
//! - The face of the contact is certain: the contact point is so far from the edges of the face, a triangle or
//!   quadrilateral, that no other face is within reach.
//!
//! # Choice
//! - The entry face is the nearest alternative that continues a contact.
//! - If no alternative continues a contact, the entry face is the alternative whose plane the node crossed last.
//! - If, in addition, the node approaches no alternative, the entry face is the nearest alternative.
//!
//! Alternatives in different planes may be equally good within rounding. If the faces are linear, the contact is then
//! with their common edge or vertex, if any. A mirrored scene therefore has the mirrored result. The normal is:
//!
//! - edge: the normalised sum of the face normals
//! - vertex: the normalised difference of the vertex normals of target and contactor
//!
//! # Nodes without contact
//! Let a node be *new* if the node had no contact with the body in the previous step.
//!
//! - A new node that lies behind the detected face, but on the other side of a thin part, gets no contact. Criterion:
//!   the node was behind the plane of this face before the step, its orthogonal projection lies in the face, and the
//!   node is outside the closed surface.
//! - A node past the rim of a face gets no contact with this face if the node was behind the plane before the step, or
//!   past the rim when it crossed the plane. As an exception, the node stays in contact if a contact force on the node
//!   in the previous step was along the normal of the face.
//!
//! A node can slide past the rim of a face and over a slit that is narrower than the depth of the node below the face.
//! The contact with the face then remains until another face of the body continues the contact. A contact with another
//! body begins when the old contact ends ([`duplicate`]).
//!
//! # Source
//! Developed for this program.

mod duplicate;
mod query;
mod supported;

use crate::flush::{are_coplanar, is_along};
use crate::math::Vec3;
use crate::{Constraint, Constraints, ContactKey, Surface};

use super::model::{Configuration, ContactModel};
use duplicate::drop_duplicates;
use query::{Alternative, Continuation, Origin, Query, Workspace};
use supported::drop_supported;

/// Sine of the smallest dihedral angle assumed between adjacent faces (30°). A point on one face, at distance d from
/// the common edge, is at least d/2 from the adjacent face.
const LEAST_WEDGE: f64 = 0.5;
/// Largest number of faces examined around the nearest face.
const MOST_FACES: usize = 256;

/// Selects the entry faces of contacts.
#[derive(Clone, Debug, Default)]
pub struct EntryFaces {
    search_depths: Vec<f64>,
    offsets: Vec<f64>,
    /// Contacts of the previous step, sorted by node.
    records: Vec<Record>,
    chosen: Constraints,
    workspace: Workspace,
}

/// A contact of the previous step, recorded at a contactor node, or at a target node whose absolute weight exceeds
/// `CARRYING` (the largest weight that counts as zero). If the contact point is on the edge between two target faces,
/// the recorded target nodes are the nodes of this edge, whichever of the two faces detection reports.
#[derive(Clone, Copy, Debug)]
struct Record {
    node: u32,
    contact: u32,
    /// Sign of the contact force on the node along the normal: 1 on the contactor, −1 on the target.
    sign: f64,
}

impl Record {
    /// Whether the contact force on the node is along a unit normal, within about 26°.
    fn pushes_along(&self, normal: &Vec3, before: &Constraints) -> bool {
        is_along(&(before.get(self.contact as usize).normal * self.sign), normal)
    }
}

impl EntryFaces {
    /// Selection for the surfaces of a model.
    pub fn new(model: &ContactModel) -> Self {
        Self { search_depths: model.search_depths.clone(), offsets: model.offsets.clone(), ..Self::default() }
    }

    /// Replaces the nearest faces of contacts by the entry faces. Removes duplicate contacts of nodes (`duplicate`) and
    /// edge crossings that node contacts make redundant (`supported`). `before` are the contacts of the previous step.
    pub fn choose(
        &mut self,
        surfaces: &[Surface],
        configuration: &Configuration<'_>,
        before: &Constraints,
        constraints: &mut Constraints,
    ) {
        let continues = nodes_of(constraints) == nodes_of(before) && !has_turned(constraints, before);
        if !continues {
            self.look_again(surfaces, configuration, before, constraints);
            drop_duplicates(before, constraints, &mut self.chosen);
        }
        if nodes_of(constraints).len() < constraints.len() {
            drop_supported(configuration.positions, constraints, &mut self.chosen);
        }
    }

    fn note(&mut self, before: &Constraints) {
        for (contact, earlier) in (0..).zip(before.iter()) {
            let contactors = earlier.nodes[..earlier.num_contactor_nodes].iter().map(|&node| (node, 1.0));
            let targets = earlier.carrying_target_nodes().map(|node| (node, -1.0));
            self.records.extend(contactors.chain(targets).map(|(node, sign)| Record { node, contact, sign }));
        }
        self.records.sort_unstable_by_key(|record| record.node);
    }

    /// `deepest` is the largest depth of the contacts of the previous step \[m\].
    fn query<'a>(
        &self,
        surfaces: &'a [Surface],
        configuration: &'a Configuration<'a>,
        constraint: Constraint<'a>,
        deepest: f64,
    ) -> Query<'a> {
        let [contactor, target] = constraint.bodies.map(|body| body as usize);
        let offset = self.offsets[contactor] + self.offsets[target];
        let depth = self.search_depths[contactor].min(self.search_depths[target]);
        Query { surfaces, configuration, constraint, offset, depth, deepest }
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
            let same = earlier.next_if(|other| other.key == constraint.key);
            let continues = same.is_some_and(|other| are_coplanar(&other.normal, &constraint.normal));
            let [contactor, target] = constraint.bodies.map(|body| body as usize);
            let has_faces = surfaces.get(target).is_some_and(|surface| surface.num_faces() > 0);
            let is_node = matches!(constraint.key, ContactKey::Node(_));
            if continues || !is_node || !has_faces || contactor == target {
                chosen.push_copy(&constraint);
                continue;
            }
            let query = self.query(surfaces, configuration, constraint, deepest);
            if same.is_none() && query.is_under_face() && query.was_behind() && query.is_outside() {
                continue;
            }
            if query.is_within_face(query.reach() / LEAST_WEDGE) {
                chosen.push_copy(&constraint);
                continue;
            }
            if self.records.is_empty() {
                self.note(before);
            }
            if query.is_beside() && !self.continues(&query, before) {
                continue;
            }
            self.find_alternatives(&query, [before, constraints], &mut workspace);
            query.push_best(&mut workspace, &mut chosen);
        }
        std::mem::swap(constraints, &mut chosen);
        (self.chosen, self.workspace) = (chosen, workspace);
    }

    /// Whether a contact force on the node in the previous step was along the normal of the detected contact.
    fn continues(&self, query: &Query<'_>, before: &Constraints) -> bool {
        self.records_of(query.constraint.nodes[0])
            .any(|record| record.pushes_along(&query.constraint.normal, before))
    }

    fn records_of(&self, node: u32) -> impl Iterator<Item = &Record> {
        let first = self.records.partition_point(|record| record.node < node);
        self.records[first..].iter().take_while(move |record| record.node == node)
    }

    /// Finds the alternatives within `reach`, from the nearest face outward. `contacts` are the contacts of the
    /// previous step and of this step.
    fn find_alternatives(&self, query: &Query<'_>, contacts: [&Constraints; 2], workspace: &mut Workspace) {
        let Workspace { faces, alternatives, .. } = workspace;
        let (outward, reach) = (query.outward(), query.reach());
        alternatives.clear();
        faces.clear();
        faces.extend(query.nearest_faces());
        let mut next = 0;
        while next < faces.len().min(MOST_FACES) {
            let face = faces[next];
            next += 1;
            let Some((distance, alternative)) = query.evaluate(face, &outward) else { continue };
            if distance > reach {
                continue;
            }
            if let Some(mut alternative) = alternative {
                alternative.continuation = self.continuation(query, &alternative, contacts);
                alternatives.push(alternative);
            }
            query.add_neighbours(face, faces);
        }
    }

    /// The contacts of the previous step that satisfy conditions (1) and (2) at the top of this file. If the rank of
    /// the alternative is 0, the result is instead the loaded contacts detected in this step, if any.
    fn continuation(
        &self,
        query: &Query<'_>,
        alternative: &Alternative,
        [before, detected]: [&Constraints; 2],
    ) -> Option<Continuation> {
        let (_, nodes) = query.target().face(alternative.face as usize);
        let of_node = |node: u32, sign: f64| {
            let normal = alternative.normal * sign;
            let along = move |record: &&Record| record.pushes_along(&normal, before);
            let depth =
                |record: &Record| -self.gap_now(&before.get(record.contact as usize), query.configuration);
            self.records_of(node).filter(along).map(depth).reduce(f64::max)
        };
        let own = of_node(query.constraint.nodes[0], 1.0);
        let of_face = nodes.iter().filter_map(|&node| of_node(node, -1.0));
        let origin = if own.is_some() { Origin::Node } else { Origin::Face };
        let earlier = of_face.chain(own).reduce(f64::max).map(|depth| Continuation { depth, origin });
        if own.is_some() || earlier.is_some_and(|earlier| earlier.depth > query.rounding()) {
            return earlier;
        }
        self.detected_support(query, alternative, detected).or(earlier)
    }

    /// The loaded contacts detected in this step that an alternative can continue.
    fn detected_support(
        &self,
        query: &Query<'_>,
        alternative: &Alternative,
        detected: &Constraints,
    ) -> Option<Continuation> {
        let (_, nodes) = query.target().face(alternative.face as usize);
        let [body, other] = query.constraint.bodies;
        let is_opposed = |contact: &Constraint<'_>| {
            contact.bodies == [other, body] && is_along(&contact.normal, &-alternative.normal)
        };
        let is_unambiguous = |contact: &Constraint<'_>| {
            // The criterion must not depend on the depths of other contacts.
            let query = self.query(query.surfaces, query.configuration, *contact, 0.0);
            query.is_within_face(query.reach() / LEAST_WEDGE)
        };
        let contacts = nodes.iter().flat_map(|&node| detected.of_contactor(node));
        let depths = contacts.filter(|c| is_opposed(c) && is_unambiguous(c)).map(|contact| -contact.gap);
        let depth = depths.reduce(f64::max).filter(|&depth| depth > query.rounding())?;
        Some(Continuation { depth, origin: Origin::Detected })
    }

    /// Gap of a contact of the previous step at current positions, with the normal and weights of that step \[m\].
    fn gap_now(&self, contact: &Constraint<'_>, configuration: &Configuration<'_>) -> f64 {
        let offset = |body: u32| self.offsets.get(body as usize).copied().unwrap_or(0.0);
        let apart = contact.normal.dot(&contact.jump(configuration.positions));
        apart - contact.bodies.into_iter().map(offset).sum::<f64>()
    }
}

fn nodes_of(constraints: &Constraints) -> &[ContactKey] {
    let keys = constraints.keys();
    &keys[..keys.partition_point(|&key| matches!(key, ContactKey::Node(_)))]
}

/// Whether the normal of a node contact has changed since the previous step.
fn has_turned(constraints: &Constraints, before: &Constraints) -> bool {
    let pairs = constraints.iter().zip(before.iter()).take(nodes_of(constraints).len());
    pairs.into_iter().any(|(now, before)| !are_coplanar(&now.normal, &before.normal))
}

#[cfg(test)]
mod tests;
