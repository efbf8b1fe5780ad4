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

use crate::contact::flush::{DEEPER, are_coplanar, is_along, rounding_of_gap};
use crate::contact::{Constraint, Constraints, ContactKey, Side, Surface};
use crate::element::{MAX_NODES, shape_values};
use crate::math::Vec3;
use crate::mesh::CellKind;

use super::closest_point::{Method, Start, are_opposed, closest_point, face_normal_where, vertex_normal};
use super::node_face::STRAIGHT;
use super::{Configuration, ContactModel};
use carried::drop_carried;
use doubled::drop_doubled;

/// Depth by which a face that goes on may be deeper for its curvature, relative to the way in the step.
const CURVED: f64 = 0.1;
/// Alternatives whose depths, or fractions of the step, differ by no more than this part are equal.
const EQUAL: f64 = 1e-6;
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

/// Contacts of the step before that go on at a face.
#[derive(Clone, Copy, Debug)]
struct Footing {
    /// The largest depth that they have now \[m\].
    depth: f64,
    /// Whether one of them is of the node itself, and not of a node of the face.
    is_of_node: bool,
}

impl Footing {
    /// How much it bears: what just lies against a face, as the side of one floor against that of another, bears nothing.
    fn rank(&self, rounding: f64) -> u8 {
        if self.depth > rounding { 2 } else { u8::from(self.is_of_node) }
    }
}

/// A face that a node may have come in by.
#[derive(Clone, Copy, Debug)]
struct Alternative {
    face: u32,
    xi: [f64; 2],
    gap: f64,
    normal: Vec3,
    /// None without a contact that goes on here.
    footing: Option<Footing>,
    /// Fraction of the step at which its plane was crossed.
    crossed: f64,
}

#[derive(Clone, Debug, Default)]
struct Workspace {
    faces: Vec<u32>,
    alternatives: Vec<Alternative>,
    tied: Vec<Alternative>,
}

/// What a search knows of a contact.
struct Query<'a> {
    surfaces: &'a [Surface],
    configuration: &'a Configuration<'a>,
    constraint: Constraint<'a>,
    /// Thickness between the surfaces, and how deep is looked \[m\].
    offset: f64,
    depth: f64,
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
        self.records_of(query.constraint.nodes[0]).any(|record| {
            let push = before.get(record.contact as usize).normal * record.sign;
            is_along(&push, &query.constraint.normal)
        })
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
            let along = move |record: &&Record| {
                let push = before.get(record.contact as usize).normal * record.sign;
                is_along(&(push * sign), &alternative.normal)
            };
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

impl Query<'_> {
    fn target(&self) -> &Surface {
        &self.surfaces[self.constraint.bodies[1] as usize]
    }

    fn position(&self, node: u32) -> Vec3 {
        self.configuration.positions[node as usize]
    }

    /// Way of the node relative to its target in the step \[m\].
    fn travel(&self) -> f64 {
        self.constraint.jump(self.configuration.velocities).norm() * self.configuration.time_step
    }

    /// Distance within which faces count \[m\]: that which the node has come in the step, or where an earlier contact can
    /// go on, the deepest of which is so deep \[m\].
    fn reach(&self, deepest: f64) -> f64 {
        let travel = self.travel();
        let reach = (DEEPER * deepest + CURVED * travel).max(2.0 * travel).max(-2.0 * self.constraint.gap);
        reach.min(self.depth) + self.offset
    }

    /// Normal of the surface of the node, of any length.
    fn outward(&self) -> Vec3 {
        let surface = &self.surfaces[self.constraint.bodies[0] as usize];
        vertex_normal(surface, self.configuration.positions, self.constraint.nodes[0])
    }

    /// Distance from a plane within which a node is on it \[m\].
    fn rounding(&self) -> f64 {
        rounding_of_gap(
            self.constraint.nodes.iter().map(|&node| &self.configuration.positions[node as usize]),
        )
    }

    /// Position at the beginning of the step \[m\].
    fn position_before(&self, node: u32) -> Vec3 {
        let moved = self.configuration.velocities[node as usize] * self.configuration.time_step;
        self.position(node) - moved
    }

    /// Whether the node is past the rim of its face, and has come there past the rim: it was behind the plane of the face
    /// before the step, or was past the rim when it crossed that. It is outside.
    fn is_beside(&self) -> bool {
        let Constraint { gap, normal, .. } = self.constraint;
        let across = |vector: Vec3| vector - normal * normal.dot(&vector);
        let apart = self.constraint.jump(self.configuration.positions);
        let (off, rounding) = (across(apart), self.rounding());
        if off.norm() <= STRAIGHT * apart.norm() + rounding {
            return false;
        }
        let travel = self.constraint.jump(self.configuration.velocities) * self.configuration.time_step;
        let way = normal.dot(&travel);
        if gap - way < -rounding {
            return true;
        }
        let since_crossing = if way < 0.0 { (gap / way).clamp(0.0, 1.0) } else { 0.0 };
        off.dot(&(off - across(travel) * since_crossing)) > rounding * off.norm()
    }

    /// Whether the closest point is inside a flat face, farther from its edges than a distance \[m\].
    fn is_within_face(&self, distance: f64) -> bool {
        let (nodes, weights) = (self.constraint.nodes, self.constraint.weights);
        let middle = self.constraint.num_contactor_nodes;
        let (nodes, weights) = (&nodes[middle..], &weights[middle..]);
        let kind = self.target().distinct_kinds();
        if nodes.len() < 3 || kind.iter().any(|kind| !matches!(kind, CellKind::Tri3 | CellKind::Quad4)) {
            return false;
        }
        let point: Vec3 = nodes.iter().zip(weights).map(|(&node, w)| self.position(node) * -w).sum();
        (0..nodes.len()).all(|k| {
            let [from, to] = [k, (k + 1) % nodes.len()].map(|corner| self.position(nodes[corner]));
            let edge = to - from;
            (point - from).cross(&edge).norm_squared() > distance * distance * edge.norm_squared()
        })
    }

    /// A face with all nodes of the target side.
    fn nearest_face(&self) -> Option<u32> {
        let nodes = &self.constraint.nodes[self.constraint.num_contactor_nodes..];
        let surface = self.target();
        let around = surface.local_node(*nodes.first()?).map(|local| surface.faces_of_local_node(local))?;
        around.iter().copied().find(|&face| {
            let of_face = surface.face(face as usize).1;
            nodes.iter().all(|node| of_face.contains(node))
        })
    }

    fn add_neighbours(&self, face: u32, faces: &mut Vec<u32>) {
        let surface = self.target();
        for &local in surface.local_nodes_of_face(face as usize) {
            for &other in surface.faces_of_local_node(local as usize) {
                if !faces.contains(&other) {
                    faces.push(other);
                }
            }
        }
    }

    /// Distance of a face, and what it is as an alternative if the node is straight under it and opposed to it.
    fn look_at(&self, face: u32, outward: &Vec3) -> Option<(f64, Option<Alternative>)> {
        let surface = self.target();
        let (kind, nodes) = surface.face(face as usize);
        let node = self.constraint.nodes[0];
        let mut corners = [Vec3::zeros(); MAX_NODES];
        for (corner, &node) in corners.iter_mut().zip(nodes) {
            *corner = self.position(node);
        }
        let query = self.position(node);
        let corners = &corners[..nodes.len()];
        let point = closest_point(Method::Auto, Start::Nearest, kind, corners, &query);
        let normal = face_normal_where(surface, &|node| self.position(node), face as usize, point.xi);
        let offset = query - point.point;
        let distance = offset.norm();
        let along = offset.dot(&normal);
        let off = (offset - normal * along).norm();
        let gap = along - self.offset;
        let is_under = gap <= self.rounding() && off <= STRAIGHT * distance + self.rounding();
        if !(is_under && are_opposed(&normal, outward)) {
            return Some((distance, None));
        }
        let crossed = self.crossed(face, point.xi, gap);
        let footing = None;
        Some((distance, Some(Alternative { face, xi: point.xi, gap, normal, footing, crossed })))
    }

    /// Fraction of the step at which the plane of a face was crossed; negative before the step, least where the motion does
    /// not approach it.
    fn crossed(&self, face: u32, xi: [f64; 2], gap: f64) -> f64 {
        let surface = self.target();
        let (kind, nodes) = surface.face(face as usize);
        let mut values = [0.0; MAX_NODES];
        shape_values(kind, [xi[0], xi[1], 0.0], &mut values[..nodes.len()]);
        let place =
            nodes.iter().zip(values).map(|(&node, value)| self.position_before(node) * value).sum::<Vec3>();
        let normal = face_normal_where(surface, &|node| self.position_before(node), face as usize, xi);
        let before = normal.dot(&(self.position_before(self.constraint.nodes[0]) - place)) - self.offset;
        if before > gap { before / (before - gap) } else { f64::NEG_INFINITY }
    }

    /// Adds the contact with the best of the alternatives, or as it is where there is no choice.
    fn push_best(&self, workspace: &mut Workspace, chosen: &mut Constraints) {
        let Workspace { alternatives, tied, .. } = workspace;
        let is_nearest = |a: &Alternative| are_coplanar(&a.normal, &self.constraint.normal);
        if alternatives.len() < 2 || !alternatives.iter().any(is_nearest) {
            chosen.push_copy(&self.constraint);
            return;
        }
        let (travel, rounding) = (self.travel(), self.rounding());
        let rank = |footing: &Footing| footing.rank(rounding);
        let highest = alternatives.iter().filter_map(|a| a.footing.as_ref()).map(rank).max();
        let goes_on = |a: &Alternative| {
            a.footing.is_some_and(|footing| {
                -a.gap <= DEEPER * footing.depth + CURVED * travel && highest == Some(rank(&footing))
            })
        };
        let any_goes_on = alternatives.iter().any(goes_on);
        let any_is_approached = alternatives.iter().any(|a| a.crossed > f64::NEG_INFINITY);
        let by_depth = any_goes_on || !any_is_approached;
        // By what the choice is made: the larger, the better.
        let merit = |a: &Alternative| match by_depth {
            true if any_goes_on && !goes_on(a) => f64::NEG_INFINITY,
            true => a.gap,
            false => a.crossed,
        };
        let best = alternatives.iter().map(merit).fold(f64::NEG_INFINITY, f64::max);
        let tolerance = match by_depth {
            true => EQUAL * best.abs() + rounding,
            false => EQUAL + rounding / travel.max(rounding),
        };
        tied.clear();
        tied.extend(alternatives.iter().filter(|a| merit(a) >= best - tolerance));
        let differ = tied.iter().any(|a| !are_coplanar(&a.normal, &tied[0].normal));
        if !(differ && self.push_common(tied, chosen)) {
            self.push_face(&tied[0], chosen);
        }
    }

    fn push_face(&self, alternative: &Alternative, chosen: &mut Constraints) {
        let (kind, nodes) = self.target().face(alternative.face as usize);
        let mut values = [0.0; MAX_NODES];
        shape_values(kind, [alternative.xi[0], alternative.xi[1], 0.0], &mut values[..nodes.len()]);
        self.push(alternative.gap, alternative.normal, nodes, &values[..nodes.len()], chosen);
    }

    fn push(&self, gap: f64, normal: Vec3, nodes: &[u32], shape_values: &[f64], chosen: &mut Constraints) {
        let Constraint { key, bodies, num_contactor_nodes, .. } = self.constraint;
        let contactor = Side {
            body: bodies[0],
            nodes: &self.constraint.nodes[..num_contactor_nodes],
            shape_values: &self.constraint.weights[..num_contactor_nodes],
        };
        chosen.push(key, gap, normal, contactor, Side { body: bodies[1], nodes, shape_values });
    }

    /// Adds the contact with the vertex or edge that equal alternatives share; whether they share one.
    fn push_common(&self, tied: &[Alternative], chosen: &mut Constraints) -> bool {
        let surface = self.target();
        let of = |a: &Alternative| surface.face(a.face as usize).1;
        let is_common = |node: &&u32| tied.iter().all(|a| of(a).contains(node));
        let common: Vec<u32> = of(&tied[0]).iter().filter(is_common).copied().collect();
        let kind = surface.face(tied[0].face as usize).0;
        let query = self.position(self.constraint.nodes[0]);
        match (kind, common.as_slice()) {
            (CellKind::Line2 | CellKind::Tri3 | CellKind::Quad4, &[vertex]) => {
                let positions = self.configuration.positions;
                let contactor = &self.surfaces[self.constraint.bodies[0] as usize];
                let outward = [
                    vertex_normal(surface, positions, vertex),
                    vertex_normal(contactor, positions, self.constraint.nodes[0]),
                ];
                let [Some(target), Some(own)] = outward.map(|normal| normal.try_normalize(0.0)) else {
                    return false;
                };
                let Some(normal) = (target - own).try_normalize(STRAIGHT) else { return false };
                let gap = normal.dot(&(query - self.position(vertex))) - self.offset;
                self.push(gap, normal, &[vertex], &[1.0], chosen);
            }
            (CellKind::Tri3 | CellKind::Quad4, &[first, second]) => {
                let sum: Vec3 = tied.iter().map(|a| a.normal).sum();
                let Some(normal) = sum.try_normalize(STRAIGHT) else { return false };
                let (from, to) = (self.position(first), self.position(second));
                let chord = to - from;
                let place = ((query - from).dot(&chord) / chord.norm_squared()).clamp(0.0, 1.0);
                let gap = normal.dot(&(query - from - chord * place)) - self.offset;
                self.push(gap, normal, &[first, second], &[1.0 - place, place], chosen);
            }
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests;
