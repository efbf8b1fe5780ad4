//! Bodies that overlap at t = 0: rejected, kept with offset gaps, or moved apart.
//!
//! | policy | treatment | in other codes |
//! |---|---|---|
//! | `error` | the scenario is rejected | |
//! | `offset` | the gap at t = 0 is subtracted from later gaps, and shrinks as bodies part | LS-DYNA, `IGNORE = 1` |
//! | `remove` | nodes move until surfaces touch, without strain | Abaqus/Explicit, strain-free initial adjustments |
//!
//! `offset` and `remove` apply to penetrations between bodies within the search depth, and to penetrations of walls.
//! Two kinds of overlap are always rejected:
//! - overlaps between bodies deeper than the search depth
//! - overlaps of aligned bodies, for example of equal boxes shifted along an edge: no node is inside the other body and
//!   no faces intersect, so that detection finds no contact

use std::collections::{BTreeMap, BTreeSet};

use crate::contact::detection::{
    Buckets, Configuration, ContactModel, Detector, Entry, NodeFaceOptions, Penetration, WallDetector,
    penetrations,
};
use crate::contact::{Constraint, Constraints};
use crate::math::Vec3;
use crate::scenario::InitialPenetration;

use crate::Simulation;
use crate::error::{BehindWall, Overlap, SetupError};
use crate::model::{Behaviour, Model};
use crate::step::initial_gaps::InitialGaps;

const MAX_SWEEPS: usize = 200;

/// Largest penetration that counts as touching, relative to the search distance or to the depth of an overlap.
const TOUCHING_DEPTH: f64 = 1e-9;

/// Gap to which contacts are opened, relative to the largest penetration. Rounding then leaves no penetration.
const CLEARANCE: f64 = 1e-9;

/// The overlaps include bodies closer than their contact thickness allows. `unit` is the symbol of the unit of length.
pub(crate) fn overlaps(
    contact: &ContactModel,
    walls: &WallDetector,
    options: NodeFaceOptions,
    model: &Model,
    positions: &[Vec3],
    unit: &str,
) -> Vec<Overlap> {
    let overlap = |found: Penetration, deepest: f64| Overlap {
        bodies: found.bodies.map(|body| model.bodies[body as usize].name.clone()),
        entry: found.entry,
        depth: found.depth,
        deepest,
        point: found.point.into(),
        unit: unit.to_owned(),
    };
    let deepest = |found: &Penetration| match found.entry {
        Entry::Insides => 0.0,
        Entry::Nodes | Entry::Faces => contact.search_distance(found.bodies),
    };
    let of_bodies =
        overlaps_of_bodies(contact, options, positions).into_iter().map(|found| (found, deepest(&found)));
    let of_walls = walls.penetrations(positions).into_iter().map(|found| (found, f64::INFINITY));
    of_bodies.chain(of_walls).map(|(found, deepest)| overlap(found, deepest)).collect()
}

/// One overlap per body pair. The depths include the contact thickness.
fn overlaps_of_bodies(
    contact: &ContactModel,
    options: NodeFaceOptions,
    positions: &[Vec3],
) -> Vec<Penetration> {
    let thickness = |bodies| contact.search_distance(bodies) - contact.search_depth(bodies);
    // The overlap of sheets that cross each other has the depth 0.
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

/// Penetrations of the detected contacts between different bodies. Contacts that merely touch do not count.
fn near_contacts(contact: &ContactModel, options: NodeFaceOptions, positions: &[Vec3]) -> Vec<Penetration> {
    let configuration = Configuration { time: 0.0, time_step: 0.0, positions, positions_before: positions };
    let mut constraints = Constraints::default();
    Buckets::new(contact.clone(), options, positions).detect(&configuration, &mut constraints);
    let penetration = |constraint: Constraint<'_>| {
        let [a, b] = constraint.bodies;
        let (bodies, depth) = ([a.min(b), a.max(b)], -constraint.gap);
        let least = TOUCHING_DEPTH * contact.search_distance(bodies);
        (a != b && depth > least).then(|| Penetration {
            bodies,
            entry: Entry::Nodes,
            depth,
            point: constraint.point(positions),
        })
    };
    constraints.iter().filter_map(penetration).collect()
}

/// Overlaps of aligned bodies. Moving nodes apart does not resolve such overlaps.
pub(crate) fn lined_up(overlaps: &[Overlap]) -> Vec<Overlap> {
    overlaps.iter().filter(|overlap| overlap.entry == Entry::Insides).cloned().collect()
}

/// Rejects overlaps that the policy does not allow. After `remove`, faces can still intersect without a node inside
/// the other body; contact resolves such overlaps up to the search depth.
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
    let is_fixed = |name: &String| {
        model.bodies.iter().any(|body| body.name == *name && (body.is_rigid() || body.is_wall()))
    };
    let immovable = |overlap: &&Overlap| overlap.bodies.iter().all(is_fixed);
    let immovable: Vec<Overlap> = overlaps.iter().filter(immovable).cloned().collect();
    match policy {
        _ if overlaps.is_empty() => Ok(()),
        InitialPenetration::Error => {
            refuse_bodies_behind_walls(&overlaps, model)?;
            Err(SetupError::Overlap(overlaps))
        }
        InitialPenetration::Remove if !immovable.is_empty() => Err(SetupError::ImmovableOverlap(immovable)),
        _ => Err(SetupError::DeepOverlap(overlaps)),
    }
}

/// Rejects overlaps in which all nodes of a body are behind a wall.
pub(crate) fn refuse_bodies_behind_walls(overlaps: &[Overlap], model: &Model) -> Result<(), SetupError> {
    let found = model.walls().find_map(|(_, wall)| {
        let Behaviour::Wall { normal, .. } = wall.behaviour else { return None };
        let positions = &model.reference_positions;
        let height = |node: usize| normal.dot(&(positions[node] - positions[wall.nodes.start]));
        let is_behind = |overlap: &&Overlap| {
            let least = TOUCHING_DEPTH * overlap.depth;
            let body = model.bodies.iter().find(|body| body.name == overlap.bodies[0]);
            body.is_some_and(|body| body.nodes.clone().all(|node| height(node) <= least))
        };
        let meeting = overlaps.iter().filter(|overlap| overlap.bodies[1] == wall.name);
        let bodies: Vec<String> =
            meeting.filter(is_behind).map(|overlap| overlap.bodies[0].clone()).collect();
        let found = !bodies.is_empty();
        found.then(|| BehindWall { bodies, wall: wall.name.clone(), normal: normal.into() })
    });
    found.map_or(Ok(()), |behind| Err(SetupError::BehindWall(Box::new(behind))))
}

pub(crate) fn describe(overlap: &Overlap, policy: InitialPenetration) -> String {
    let what = match policy {
        InitialPenetration::Remove => "nodes are moved apart without strain",
        _ => "gaps are measured from the initial ones",
    };
    format!("overlap at t = 0 of {overlap}: {what}")
}

/// Nodal positions after at most [`MAX_SWEEPS`] Gauss-Seidel sweeps over the contacts. Each contact opens its gap g to
/// the clearance c by the least-squares correction of its nodes a that can move:
///
/// ```text
/// Δx_a = (c − g) w_a n/Σ w²
/// ```
///
/// Here n is the normal and w_a the nodal weights. Σ is over nodes that can move: those of deformable bodies.
pub(crate) fn moved_apart(
    contact: &ContactModel,
    walls: &mut WallDetector,
    options: NodeFaceOptions,
    model: &Model,
) -> Vec<Vec3> {
    let mut positions = model.reference_positions.clone();
    let mut found_at = positions.clone();
    let mut movable = vec![true; positions.len()];
    for body in model.bodies.iter().filter(|body| body.is_rigid() || body.is_wall()) {
        movable[body.nodes.clone()].fill(false);
    }
    let mut constraints = Constraints::default();
    let mut detector = Buckets::new(contact.clone(), options, &positions);
    let mut clearance = 0.0;
    for sweep in 0..MAX_SWEEPS {
        let configuration = Configuration {
            time: sweep as f64,
            time_step: 1.0,
            positions: &positions,
            positions_before: &found_at,
        };
        detector.detect(&configuration, &mut constraints);
        walls.detect(&configuration, &mut constraints);
        let deepest = constraints.iter().map(|constraint| -constraint.gap).fold(0.0, f64::max);
        if constraints.is_empty() {
            break;
        }
        clearance = CLEARANCE * deepest.max(clearance / CLEARANCE);
        found_at.clone_from(&positions);
        for constraint in constraints.iter() {
            open(&constraint, clearance, &movable, &found_at, &mut positions);
        }
    }
    positions
}

/// Opens a contact to the clearance.
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
    /// Body pairs that overlap at t = 0, before the policy `remove` moves any node.
    pub fn initial_penetrations(&self) -> &[Overlap] {
        &self.settings.initial_penetrations
    }

    /// Stores the gaps of the contacts at t = 0. Returns an error if a node of a body is inside another body, but no
    /// contact between the two is detected.
    pub(crate) fn keep_initial_gaps(&mut self) -> Result<(), SetupError> {
        let positions = &self.state.nodes.positions;
        let configuration =
            Configuration { time: 0.0, time_step: 0.0, positions, positions_before: positions };
        let mut constraints = Constraints::default();
        self.caches.detector.detect(&configuration, &mut constraints);
        self.caches.wall_detector.detect(&configuration, &mut constraints);
        let touching: BTreeSet<[u32; 2]> = constraints.iter().map(|constraint| constraint.bodies).collect();
        let touching: BTreeSet<[String; 2]> = touching
            .into_iter()
            .flat_map(|[a, b]| [[a, b], [b, a]])
            .map(|bodies| self.names(bodies))
            .collect();
        let is_lost =
            |overlap: &&Overlap| overlap.entry == Entry::Nodes && !touching.contains(&overlap.bodies);
        let lost: Vec<Overlap> = self.settings.initial_penetrations.iter().filter(is_lost).cloned().collect();
        if !lost.is_empty() {
            return Err(SetupError::DeepOverlap(lost));
        }
        self.state.contact.initial_gaps = InitialGaps::of(&constraints);
        Ok(())
    }
}
