//! Tied bodies: nodes of one body are tied to faces of another body. If exactly one body is rigid, the tied nodes
//! belong to the deformable body. Otherwise, they belong to the body with the finer surface.
//!
//! A tied node of a deformable body is moved onto its face. If both bodies are rigid, no node is moved: each tied node
//! is attached to the material point of the target at the location of the node.

use std::collections::HashMap;
use std::ops::Range;

use crate::contact::detection::{ContactModel, TiedSurfaces};
use crate::contact::{Constraint, Constraints, Side, Surface};
use crate::dynamics::{Prescribed, RigidBody};
use crate::math::{Mat3, Vec3};
use crate::scenario::{Scenario, TiedPair};

use super::assembly::Assembly;
use crate::error::{PartingTie, SetupError};
use crate::model::{Behaviour, Model};
use crate::step::free_flight::rigid_state_of_nodes;

/// Default tie distance (largest distance of a tied node from its face), relative to the shortest edge of the two
/// surfaces. With this distance, the nodes one element behind the tied surface are not tied.
const TIE_DISTANCE_RATIO: f64 = 0.25;

/// Largest absolute nodal weight that counts as zero.
const NEGLIGIBLE_WEIGHT: f64 = 1e-9;

const PLACEMENT_SWEEPS: usize = 10;

/// Largest relative difference at which initial velocities count as equal. It exceeds the rounding of decimal input.
const VELOCITY_TOLERANCE: f64 = 1e-9;

/// Largest distance from a line or plane at which a node counts as on it, relative to the length of an edge of the
/// target face.
const PLANARITY_TOLERANCE: f64 = 1e-6;

impl Assembly {
    /// Moves tied nodes of deformable bodies onto their faces in the reference configuration, and so without strain.
    /// Returns the model and its ties.
    ///
    /// # Errors
    /// - [`SetupError::NothingTied`]: no node of a pair is within the tie distance of a face.
    /// - [`SetupError::TiedOffPlane`]: both bodies are rigid, and a tied node is outside the plane or line on which all
    ///   nodes of the target lie, so that the material point of the target at this node is undefined.
    /// - [`SetupError::TornTie`]: different motions are prescribed to the two sides.
    /// - [`SetupError::PartingTie`]: the initial velocities of the two sides differ.
    /// - Errors of [`Assembly::build`] with moved nodes.
    pub(crate) fn tie(self, scenario: &Scenario) -> Result<(Self, Constraints), SetupError> {
        let mut ties = self.find_ties(scenario)?;
        let mut positions = self.model.reference_positions.clone();
        let is_moved = self.place_tied(&ties, &mut positions);
        ties.map_gaps(|_, _| 0.0);
        let tied = if is_moved { Self::build(scenario, Some(&positions))? } else { self };
        tied.refuse_unequal_motions(scenario, &ties)?;
        tied.refuse_unequal_velocities(scenario, &ties)?;
        Ok((tied, ties))
    }

    /// Moves tied nodes of deformable bodies onto their faces, in several sweeps because nodes of a face can also be
    /// tied. Returns whether any node was off its face.
    fn place_tied(&self, ties: &Constraints, positions: &mut [Vec3]) -> bool {
        let is_off =
            |tie: &Constraint<'_>| tie.gap > 0.0 && !self.model.bodies[tie.bodies[0] as usize].is_rigid();
        for _ in 0..PLACEMENT_SWEEPS {
            for tie in ties.iter().filter(is_off) {
                let jump = tie.jump(positions);
                positions[tie.nodes[0] as usize] -= jump;
            }
        }
        ties.iter().any(|tie| is_off(&tie))
    }

    /// Rejects a tie if all its nodes have a prescribed motion along an axis, and these motions differ.
    fn refuse_unequal_motions(&self, scenario: &Scenario, ties: &Constraints) -> Result<(), SetupError> {
        let prescribed = self.prescribed_motions();
        for tie in ties.iter() {
            let terms = tie.nodes.iter().zip(tie.weights);
            let nodes: Vec<u32> =
                terms.filter(|(_, w)| w.abs() > NEGLIGIBLE_WEIGHT).map(|(&node, _)| node).collect();
            let is_torn = |axis: &usize| {
                let motion = |node: &u32| prescribed.get(&(*node, *axis));
                let all: Option<Vec<&&Prescribed>> = nodes.iter().map(motion).collect();
                all.is_some_and(|motions| motions.iter().any(|motion| *motion != motions[0]))
            };
            if let Some(axis) = (0..3).find(is_torn) {
                let is_pair =
                    |pair: &&TiedPair| pair.bodies.iter().all(|&b| tie.bodies.contains(&(b as u32)));
                return Err(SetupError::TornTie {
                    bodies: tie.bodies.map(|body| self.model.bodies[body as usize].name.clone()),
                    node: self.model.node_tags[nodes[0] as usize],
                    axis,
                    span: scenario.contact.tied.iter().find(is_pair).map_or(0..0, |pair| pair.span.clone()),
                });
            }
        }
        Ok(())
    }

    /// Rejects a tie if the initial velocities of its two sides differ. Axes with prescribed motion are exempt:
    /// prescribed motion may be discontinuous at t = 0.
    fn refuse_unequal_velocities(&self, scenario: &Scenario, ties: &Constraints) -> Result<(), SetupError> {
        let prescribed = self.prescribed_motions();
        let mut rigid_states: HashMap<u32, RigidBody> = HashMap::new();
        for body in ties.iter().flat_map(|tie| tie.bodies) {
            let spec = &scenario.bodies[body as usize];
            let of_body = &self.model.bodies[body as usize];
            rigid_states.entry(body).or_insert_with(|| {
                let known = self.rigid_states[body as usize].clone();
                let mut rigid_state = known.unwrap_or_else(|| rigid_state_of_nodes(&self.model, of_body));
                rigid_state.set_velocity(spec.velocity, spec.angular_velocity);
                rigid_state
            });
        }
        for tie in ties.iter() {
            let point = tie.point(&self.model.reference_positions);
            let velocities = tie.bodies.map(|body| rigid_states[&body].velocity_at(&point));
            // A velocity is v + ω × r. Near the instantaneous centre of rotation, the two terms cancel up to rounding.
            // The tolerance is therefore relative to |v| + |ω| |r|.
            let terms = tie.bodies.map(|body| {
                let (state, centre) = (&rigid_states[&body], rigid_states[&body].centre());
                state.velocity_at(&centre).norm() + state.angular_velocity().norm() * (point - centre).norm()
            });
            let speed = terms[0].max(terms[1]);
            let is_free = |axis: usize| !tie.nodes.iter().any(|&node| prescribed.contains_key(&(node, axis)));
            let parts = |axis: usize| {
                (velocities[0][axis] - velocities[1][axis]).abs() > VELOCITY_TOLERANCE * speed
                    && is_free(axis)
            };
            if (0..3).any(parts) {
                let [first, second] = tie.bodies;
                let follows = &rigid_states[&first];
                let is_pair =
                    |pair: &&TiedPair| pair.bodies.iter().all(|&b| tie.bodies.contains(&(b as u32)));
                return Err(SetupError::PartingTie(Box::new(PartingTie {
                    bodies: tie.bodies.map(|body| self.model.bodies[body as usize].name.clone()),
                    node: self.model.node_tags[tie.nodes[0] as usize],
                    velocities: velocities.map(Into::into),
                    velocity: follows.velocity_at(&rigid_states[&second].centre()).into(),
                    angular_velocity: scenario.bodies[first as usize].angular_velocity.into(),
                    span: scenario.contact.tied.iter().find(is_pair).map_or(0..0, |pair| pair.span.clone()),
                })));
            }
        }
        Ok(())
    }

    /// Prescribed motion by node and axis.
    fn prescribed_motions(&self) -> HashMap<(u32, usize), &Prescribed> {
        let mut motions = HashMap::new();
        for support in &self.model.supports {
            motions.extend(support.nodes.iter().map(|&node| ((node, support.axis), &support.motion)));
        }
        for body in &self.model.bodies {
            let Behaviour::Rigid { support: Some(support) } = &body.behaviour else { continue };
            for (axis, motion) in support.components.iter().enumerate() {
                let Some(motion) = motion else { continue };
                motions.extend(body.nodes.clone().map(|node| ((node as u32, axis), motion)));
            }
        }
        motions
    }

    fn find_ties(&self, scenario: &Scenario) -> Result<Constraints, SetupError> {
        let (mut ties, mut workspace) = (Constraints::default(), Constraints::default());
        for pair in &scenario.contact.tied {
            let found = self.find_ties_of(pair)?;
            ties.merge(found.iter(), &mut workspace);
        }
        Ok(ties)
    }

    fn find_ties_of(&self, pair: &TiedPair) -> Result<Constraints, SetupError> {
        let positions: &[Vec3] = &self.model.reference_positions;
        let edges = pair.bodies.map(|body| self.surfaces[body].median_edge(positions));
        let is_rigid = pair.bodies.map(|body| self.model.bodies[body].is_rigid());
        let [contactor, target] = match (is_rigid, edges[0] <= edges[1]) {
            ([false, true], _) => [0, 1],
            ([true, false], _) => [1, 0],
            (_, true) => [0, 1],
            (_, false) => [1, 0],
        }
        .map(|side: usize| pair.bodies[side]);
        let shortest = pair.bodies.map(|body| shortest_edge(&self.surfaces[body], positions));
        let within = pair.within.unwrap_or(TIE_DISTANCE_RATIO * shortest[0].min(shortest[1]));
        let tied = TiedSurfaces {
            bodies: [contactor as u32, target as u32],
            surfaces: [&self.surfaces[contactor], &self.surfaces[target]],
            within,
        };
        // On a rigid target, a tie refers to the closest point. On a deformable target, a tie has, where possible,
        // weights on several faces that transmit a uniform traction exactly.
        let ties = match self.model.bodies[target].is_rigid() {
            true => tied.find_points(positions),
            false => tied.find(positions),
        };
        let names = || [contactor, target].map(|body| self.model.bodies[body].name.clone());
        if ties.is_empty() {
            return Err(SetupError::NothingTied { bodies: names(), within, span: pair.span.clone() });
        }
        if is_rigid == [true, true] {
            let nodes = self.model.bodies[target].nodes.clone();
            return tied_in_place(&ties, &nodes, positions).map_err(|gap| SetupError::TiedOffPlane {
                bodies: names(),
                gap,
                span: pair.span.clone(),
            });
        }
        Ok(ties)
    }
}

/// With any response but the penalty response, rejects contact between a tied, movable rigid body and a body to which
/// it is not tied. These responses need the mobility, and the mobility of a rigid body omits the bodies tied to it.
pub(crate) fn refuse_tied_contact(
    scenario: &Scenario,
    contact: &ContactModel,
    model: &Model,
) -> Result<(), SetupError> {
    let method = scenario.contact.response.method;
    if !method.properties().needs_mobility {
        return Ok(());
    }
    let response = method.word();
    let is_tied = |bodies: [u32; 2]| {
        let bodies = bodies.map(|body| body as usize);
        scenario
            .contact
            .tied
            .iter()
            .any(|pair| pair.bodies == bodies || pair.bodies == [bodies[1], bodies[0]])
    };
    for pair in &scenario.contact.tied {
        for body in pair.bodies.into_iter().filter(|&body| model.bodies[body].is_rigid_and_moves()) {
            let body = body as u32;
            let others = contact.bodies().chain(model.walls().map(|(wall, _)| wall));
            let mut met = others.filter(|&other| {
                other != body
                    && contact.can_meet([body.min(other), body.max(other)])
                    && !is_tied([body, other])
            });
            let can_touch = contact.bodies().any(|with_faces| with_faces == body);
            if let (true, Some(other)) = (can_touch, met.next()) {
                let bodies = [body, other].map(|body| model.bodies[body as usize].name.clone());
                return Err(SetupError::TiedContact { bodies, response, span: pair.span.clone() });
            }
        }
    }
    Ok(())
}

/// Ties with gap zero between each tied node of `ties` and the material point of the rigid target at the location of
/// this node. `nodes` are the nodes of the target. If a point is undefined, the error is the gap of its tie \[m\].
fn tied_in_place(ties: &Constraints, nodes: &Range<usize>, positions: &[Vec3]) -> Result<Constraints, f64> {
    let mut tied = Constraints::default();
    for tie in ties.iter() {
        let (contactor, face) = tie.nodes.split_at(tie.num_contactor_nodes);
        let contactor = Side { body: tie.bodies[0], nodes: contactor, shape_values: &[1.0] };
        let (of_target, shape_values) = if tie.gap == 0.0 {
            (face.to_vec(), tie.weights[1..].iter().map(|weight| -weight).collect())
        } else {
            let point = tie.point(positions);
            affine_values(&point, face, nodes, positions).ok_or(tie.gap)?
        };
        let target = Side { body: tie.bodies[1], nodes: &of_target, shape_values: &shape_values };
        tied.push(tie.key, 0.0, tie.normal, contactor, target);
    }
    Ok(tied)
}

/// Up to four nodes of a rigid body, preferably of `face`, and the affine shape values of these nodes at `point`.
/// `None` if all `nodes` lie in a plane and `point` does not, or if all `nodes` are collinear.
fn affine_values(
    point: &Vec3,
    face: &[u32],
    nodes: &Range<usize>,
    positions: &[Vec3],
) -> Option<(Vec<u32>, Vec<f64>)> {
    let at = |node: u32| positions[node as usize];
    let [first, second] = [*face.first()?, *face.get(1)?];
    let (origin, edge) = (at(first), at(second) - at(first));
    let farthest = |among: &mut dyn Iterator<Item = u32>, distance: &dyn Fn(u32) -> f64| {
        among
            .max_by(|&a, &b| distance(a).total_cmp(&distance(b)))
            .filter(|&node| distance(node) > PLANARITY_TOLERANCE * edge.norm())
    };
    let from_line = |node: u32| (at(node) - origin).cross(&edge).norm() / edge.norm();
    let body = || nodes.clone().map(|node| node as u32);
    let third =
        farthest(&mut face.iter().copied(), &from_line).or_else(|| farthest(&mut body(), &from_line))?;
    let across = edge.cross(&(at(third) - origin)).normalize();
    let from_plane = |node: u32| across.dot(&(at(node) - origin)).abs();
    let fourth = farthest(&mut body(), &from_plane);
    let is_off = across.dot(&(point - origin)).abs() > f64::EPSILON * (point.norm() + origin.norm());
    if fourth.is_none() && is_off {
        return None;
    }
    let last = fourth.map_or(across, |node| at(node) - origin);
    let shares = Mat3::from_columns(&[edge, at(third) - origin, last]).try_inverse()? * (point - origin);
    let mut chosen = vec![first, second, third];
    let mut values = vec![0.0, shares.x, shares.y];
    if let Some(node) = fourth {
        chosen.push(node);
        values.push(shares.z);
    }
    values[0] = 1.0 - values.iter().sum::<f64>();
    Some((chosen, values))
}

/// Shortest distance between neighbouring corner nodes \[m\].
fn shortest_edge(surface: &Surface, positions: &[Vec3]) -> f64 {
    let lengths = (0..surface.num_faces()).flat_map(|face| {
        let (kind, nodes) = surface.face(face);
        let corner = move |k: usize| positions[nodes[kind.corners()[k] as usize] as usize];
        let count = kind.corners().len();
        (0..count).map(move |k| (corner((k + 1) % count) - corner(k)).norm())
    });
    lengths.fold(f64::INFINITY, f64::min)
}
