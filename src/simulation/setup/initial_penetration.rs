//! Bodies that overlap at t = 0: refused, kept as they are, or moved apart.
//!
//! | policy | what happens | elsewhere |
//! |---|---|---|
//! | `error` | the scenario is refused, with pairs and depths | |
//! | `offset` | each contact counts its gap from the initial one, which shrinks with it until the contact opens | LS-DYNA, `IGNORE = 1` |
//! | `remove` | nodes are moved to where surfaces touch, and that is where bodies are free of strain | Abaqus/Explicit, strain-free initial adjustments |
//!
//! Only what a detector finds can be kept or moved: nodes not deeper than it looks. Bodies that overlap deeper, or where
//! faces line up so that it finds nothing, are refused whatever the policy.

use std::collections::{BTreeMap, BTreeSet};

use crate::contact::detection::{
    Buckets, Configuration, ContactModel, Detector, Entry, NodeFaceOptions, Penetration, WallDetector,
    penetrations,
};
use crate::contact::{Constraint, Constraints};
use crate::math::Vec3;
use crate::scenario::InitialPenetration;

use crate::simulation::Simulation;
use crate::simulation::error::{Overlap, SetupError};
use crate::simulation::model::Model;
use crate::simulation::step::initial_gaps::InitialGaps;

/// Sweeps over all contacts in which nodes are moved apart.
const SWEEPS: usize = 200;

/// Depth of contact, relative to that within which it is looked for, below which surfaces with a thickness touch.
const TOUCHING: f64 = 1e-9;

/// Gap that is left, relative to the initial depth: rounding must not leave contacts that press on nothing.
const CLEARANCE: f64 = 1e-9;

/// Pairs of bodies, and of bodies and walls, that overlap at these positions, or are nearer than their surfaces are thick.
pub(crate) fn overlaps(
    contact: &ContactModel,
    walls: &WallDetector,
    options: NodeFaceOptions,
    model: &Model,
    positions: &[Vec3],
) -> Vec<Overlap> {
    let overlap = |found: Penetration, deepest: f64| Overlap {
        bodies: found.bodies.map(|body| model.bodies[body as usize].name.clone()),
        entry: found.entry,
        depth: found.depth,
        deepest,
        point: found.point.into(),
    };
    let deepest = |found: &Penetration| match found.entry {
        Entry::Insides => 0.0,
        Entry::Nodes | Entry::Faces => contact.search_depth(found.bodies),
    };
    let of_bodies =
        overlaps_of_bodies(contact, options, positions).into_iter().map(|found| (found, deepest(&found)));
    let of_walls = walls.penetrations(positions).into_iter().map(|found| (found, f64::INFINITY));
    of_bodies.chain(of_walls).map(|(found, deepest)| overlap(found, deepest)).collect()
}

/// Of bodies: how deep nodes are behind faces, and behind what thickness the surfaces have.
fn overlaps_of_bodies(
    contact: &ContactModel,
    options: NodeFaceOptions,
    positions: &[Vec3],
) -> Vec<Penetration> {
    let thickness = |bodies| contact.search_depth(bodies) - contact.penetration_depth(bodies);
    // Where two sheets cross there is no depth to add to.
    let offset = |found: Penetration| {
        let depth = if found.depth > 0.0 { found.depth + thickness(found.bodies) } else { 0.0 };
        (found.bodies, Penetration { depth, ..found })
    };
    let mut found: BTreeMap<_, _> = penetrations(contact, positions).into_iter().map(offset).collect();
    if contact.has_offsets() {
        for near in near_contacts(contact, options, positions) {
            let deepest = found.entry(near.bodies).or_insert(near);
            if near.depth > deepest.depth && deepest.entry != Entry::Insides {
                *deepest = near;
            }
        }
    }
    found.into_values().collect()
}

/// Contacts of different bodies.
fn near_contacts(contact: &ContactModel, options: NodeFaceOptions, positions: &[Vec3]) -> Vec<Penetration> {
    let velocities = vec![Vec3::zeros(); positions.len()];
    let configuration = Configuration { time: 0.0, time_step: 0.0, positions, velocities: &velocities };
    let mut constraints = Constraints::default();
    Buckets::new(contact.clone(), options, positions).detect(&configuration, &mut constraints);
    let penetration = |constraint: Constraint<'_>| {
        let [a, b] = constraint.bodies;
        let (bodies, depth) = ([a.min(b), a.max(b)], -constraint.gap);
        let least = TOUCHING * contact.search_depth(bodies);
        (a != b && depth > least).then(|| Penetration {
            bodies,
            entry: Entry::Nodes,
            depth,
            point: constraint.point(positions),
        })
    };
    constraints.iter().filter_map(penetration).collect()
}

/// Overlaps where faces line up, which nodes cannot be moved out of.
pub(crate) fn lined_up(overlaps: &[Overlap]) -> Vec<Overlap> {
    overlaps.iter().filter(|overlap| overlap.entry == Entry::Insides).cloned().collect()
}

/// Refuses what the policy does not let a run begin with. Where nodes were moved apart, edges may still cross that no node
/// is behind of, and contact deals with them as with others if they are no deeper than it looks.
pub(crate) fn refuse(
    mut overlaps: Vec<Overlap>,
    policy: InitialPenetration,
    model: &Model,
) -> Result<(), SetupError> {
    overlaps.retain(|overlap| match policy {
        InitialPenetration::Error => true,
        InitialPenetration::Offset => overlap.entry == Entry::Insides || overlap.depth > overlap.deepest,
        InitialPenetration::Remove => overlap.entry != Entry::Faces || overlap.depth > overlap.deepest,
    });
    let keeps_its_place = |name: &String| {
        model.bodies.iter().any(|body| body.name == *name && (body.is_rigid() || body.is_wall()))
    };
    let immovable = |overlap: &&Overlap| overlap.bodies.iter().all(keeps_its_place);
    let immovable: Vec<Overlap> = overlaps.iter().filter(immovable).cloned().collect();
    match policy {
        _ if overlaps.is_empty() => Ok(()),
        InitialPenetration::Error => Err(SetupError::Overlap(overlaps)),
        InitialPenetration::Remove if !immovable.is_empty() => Err(SetupError::ImmovableOverlap(immovable)),
        _ => Err(SetupError::DeepOverlap(overlaps)),
    }
}

/// What is said of an overlap that is not refused.
pub(crate) fn describe(overlap: &Overlap, policy: InitialPenetration) -> String {
    let what = match policy {
        InitialPenetration::Remove => "nodes are moved apart without strain",
        _ => "gaps count from the initial ones",
    };
    format!("overlap at t = 0 of {overlap}: {what}")
}

/// Positions of all nodes with those of deformable bodies moved so far that no node is behind a face or wall.
///
/// Contact by contact, the nodes move by the least squares that open it, Δx_a = (c − g) w_a n/Σ w² up to a clearance c,
/// those of rigid bodies and walls not at all; over and over, as contacts share nodes (Gauss-Seidel on the constraints).
pub(crate) fn moved_apart(
    contact: &ContactModel,
    walls: &mut WallDetector,
    options: NodeFaceOptions,
    model: &Model,
) -> Vec<Vec3> {
    let mut positions = model.reference_positions.clone();
    // What the nodes are moved by in a sweep, which counts as a step of one second.
    let mut velocities = vec![Vec3::zeros(); positions.len()];
    let mut movable = vec![true; positions.len()];
    for body in model.bodies.iter().filter(|body| body.is_rigid() || body.is_wall()) {
        movable[body.nodes.clone()].fill(false);
    }
    let mut constraints = Constraints::default();
    let mut detector = Buckets::new(contact.clone(), options, &positions);
    let mut clearance = 0.0;
    for sweep in 0..SWEEPS {
        let configuration = Configuration {
            time: sweep as f64,
            time_step: 1.0,
            positions: &positions,
            velocities: &velocities,
        };
        detector.detect(&configuration, &mut constraints);
        walls.detect(&configuration, &mut constraints);
        let deepest = constraints.iter().map(|constraint| -constraint.gap).fold(0.0, f64::max);
        if constraints.is_empty() {
            break;
        }
        clearance = CLEARANCE * deepest.max(clearance / CLEARANCE);
        let found_at = positions.clone();
        for constraint in constraints.iter() {
            open(&constraint, clearance, &movable, &found_at, &mut positions);
        }
        velocities = positions.iter().zip(&found_at).map(|(now, before)| now - before).collect();
    }
    positions
}

/// Moves the nodes of a contact until it has a gap, as far as other contacts have not done so before since it was found.
fn open(
    constraint: &Constraint<'_>,
    clearance: f64,
    movable: &[bool],
    found_at: &[Vec3],
    positions: &mut [Vec3],
) {
    let opened = constraint.normal.dot(&(constraint.jump(positions) - constraint.jump(found_at)));
    let gap = constraint.gap + opened;
    let moving =
        || constraint.nodes.iter().zip(constraint.weights).filter(|(node, _)| movable[**node as usize]);
    let sum: f64 = moving().map(|(_, weight)| weight * weight).sum();
    if gap < clearance && sum > 0.0 {
        for (&node, &weight) in moving() {
            positions[node as usize] += constraint.normal * ((clearance - gap) * weight / sum);
        }
    }
}

impl Simulation {
    /// Pairs of bodies, and of bodies and walls, that overlap as the scenario places them.
    pub fn initial_penetrations(&self) -> &[Overlap] {
        &self.initial_penetrations
    }

    /// Keeps the gaps of the contacts that bodies begin with. Bodies with nodes in each other that are no contact are
    /// refused.
    pub(crate) fn keep_initial_gaps(&mut self) -> Result<(), SetupError> {
        let positions = &self.state.positions;
        let velocities = vec![Vec3::zeros(); positions.len()];
        let configuration = Configuration { time: 0.0, time_step: 0.0, positions, velocities: &velocities };
        let mut constraints = Constraints::default();
        self.detector.detect(&configuration, &mut constraints);
        self.wall_detector.detect(&configuration, &mut constraints);
        let touching: BTreeSet<[u32; 2]> = constraints.iter().map(|constraint| constraint.bodies).collect();
        let touching: BTreeSet<[String; 2]> = touching
            .into_iter()
            .flat_map(|[a, b]| [[a, b], [b, a]])
            .map(|bodies| self.names(bodies))
            .collect();
        let is_lost =
            |overlap: &&Overlap| overlap.entry == Entry::Nodes && !touching.contains(&overlap.bodies);
        let lost: Vec<Overlap> = self.initial_penetrations.iter().filter(is_lost).cloned().collect();
        if !lost.is_empty() {
            return Err(SetupError::DeepOverlap(lost));
        }
        self.initial_gaps = InitialGaps::of(&constraints);
        Ok(())
    }
}
