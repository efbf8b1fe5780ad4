//! Contact of bodies with rigid walls: infinite planes that translate.
//!
//! A wall is a body with one node on its plane. The material of the wall is behind the plane, at negative heights.
//! Detection at walls needs no hierarchy and no search depth. The wall detector can therefore run beside any detector.
//!
//! ```text
//! flight   first time at which a point of a body has the height zero; the height is quadratic in time, plus a cosine
//!          if the body rotates ([`flight`])
//! contact  nodes on or behind the plane ([`contact`])
//! step     first time in a time step at which a node has the height zero; nodes and walls move on parabolas
//!          ([`step_impact`])
//! ```
//! # Limits
//! In the contact phase, only nodes touch a wall. In flight, a curved face can also touch between its nodes.
//!
//! # Source
//! Hallquist, LS-DYNA Theory Manual, "Rigid walls", for walls with prescribed motion or with a mass.

mod contact;
mod flight;
mod height;
mod step_impact;
#[cfg(test)]
mod tests;
mod walled_body;

use crate::math::Vec3;
use crate::{Constraints, Surface};

use crate::detection::initial::overlap::{Entry, Penetration as BodyPenetration};
use crate::detection::model::{Configuration, ContactPolicy};
use crate::detection::report::DetectionStatistics;
use crate::detection::trajectory::{Flight, Impact};
use contact::{ContactPhase, Penetration};
use flight::FlightPhase;
use walled_body::{WalledBody, sphere_of};

pub use walled_body::Wall;

/// Largest penetration that counts as touching, relative to the radius of the bounding sphere of the body.
const TOUCHING: f64 = 1e-9;

/// Finds the contacts of bodies with rigid walls.
pub struct WallDetector {
    walls: Vec<Wall>,
    bodies: Vec<WalledBody>,
    /// Pairs that can touch, as indices in `walls` and `bodies`.
    pairs: Vec<[u32; 2]>,
    flight: Option<FlightPhase>,
    contact: Option<ContactPhase>,
    found: Vec<Penetration>,
    merged: Constraints,
    statistics: DetectionStatistics,
}

impl WallDetector {
    /// A detector of contact between walls and the surfaces of all bodies. `positions` \[m\] are the reference
    /// positions of all nodes, used in flights.
    pub fn new(walls: Vec<Wall>, surfaces: &[Surface], policy: &ContactPolicy, positions: &[Vec3]) -> Self {
        let touchable = (0_u32..).zip(surfaces).filter(|(_, surface)| surface.num_faces() > 0);
        let bodies: Vec<WalledBody> = if walls.is_empty() {
            Vec::new()
        } else {
            touchable.map(|(body, surface)| WalledBody::new(body, surface, positions)).collect()
        };
        let all = (0..walls.len() as u32).flat_map(|w| (0..bodies.len() as u32).map(move |b| [w, b]));
        let can_touch = |&[w, b]: &[u32; 2]| {
            let [wall, body] = [walls[w as usize].body, bodies[b as usize].body];
            policy.can_meet([wall.min(body), wall.max(body)])
        };
        let pairs = all.filter(can_touch).collect();
        Self {
            walls,
            bodies,
            pairs,
            flight: None,
            contact: None,
            found: Vec::new(),
            merged: Constraints::default(),
            statistics: DetectionStatistics::default(),
        }
    }

    /// Sets the outward offset of the surface of each body \[m\].
    #[must_use]
    pub fn with_offsets(mut self, offsets: &[f64]) -> Self {
        self.bodies.iter_mut().for_each(|body| body.offset = offsets[body.body as usize]);
        self
    }

    /// First impact on a wall within a step of a flight. Its time is never later than the exact time. Must be called
    /// for consecutive steps.
    pub fn first_impact(&mut self, flight: &Flight<'_>) -> Option<Impact> {
        self.contact = None;
        if self.pairs.is_empty() {
            return None;
        }
        let impact = self.find_first_impact(flight);
        if impact.is_some() {
            self.flight = None;
        }
        impact
    }

    /// Discards the data kept from earlier steps.
    pub fn forget(&mut self) {
        (self.flight, self.contact) = (None, None);
    }

    /// Adds the constraints of the nodes on or behind walls to `constraints`. Must be called for consecutive steps.
    pub fn detect(&mut self, configuration: &Configuration<'_>, constraints: &mut Constraints) {
        self.flight = None;
        if self.pairs.is_empty() {
            return;
        }
        self.find_penetrations(configuration);
        if !self.found.is_empty() {
            constraints.merge(self.found.iter().map(Penetration::constraint), &mut self.merged);
        }
    }

    /// Bodies whose offset surface penetrates a wall at a node by more than 1e-9 of their bounding radius. Serves to
    /// check the input.
    pub fn penetrations(&self, positions: &[Vec3]) -> Vec<BodyPenetration> {
        let deepest = |&[wall, body]: &[u32; 2]| {
            let (wall, body) = (&self.walls[wall as usize], &self.bodies[body as usize]);
            let origin = positions[wall.node as usize];
            let depths = body.nodes.iter().map(|&node| {
                let point = positions[node as usize];
                (wall.normal.dot(&(origin - point)) + body.offset, point)
            });
            let (depth, point) = depths.max_by(|a, b| a.0.total_cmp(&b.0))?;
            let touching =
                TOUCHING * sphere_of(body.nodes.iter().map(|&node| positions[node as usize])).radius;
            let bodies = [body.body, wall.body];
            (depth > touching).then_some(BodyPenetration { bodies, entry: Entry::Nodes, depth, point })
        };
        self.pairs.iter().filter_map(deepest).collect()
    }

    /// Statistics, including the impacts predicted in flight.
    pub fn statistics(&self) -> &DetectionStatistics {
        &self.statistics
    }

    /// The walls.
    pub fn walls(&self) -> &[Wall] {
        &self.walls
    }
}
