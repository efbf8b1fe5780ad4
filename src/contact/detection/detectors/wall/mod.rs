//! Contact of bodies with rigid walls: infinite planes that translate.
//!
//! A wall is a body of one node on its plane; its material is behind the plane, where heights are negative. Walls need
//! no hierarchy and no search depth, so one wall detector complements every detector of surface pairs:
//!
//! ```text
//! flight   first time at which a point of a body is at height zero: a quadratic of time, plus a sine where the body
//!          rotates; blocks of points by bounding spheres, earliest first, down to the points themselves ([`flight`])
//! contact  nodes below the plane; a block of nodes is tested again when the bounds on the velocities allow it to have
//!          reached the wall ([`contact`])
//! step     first root of the heights of the nodes on their parabolas ([`step_impact`])
//! ```
//! # Limits
//! Only the nodes of a face touch, except in flight, where a curved face touches where it bulges.
//!
//! # Source
//! Hallquist, LS-DYNA Theory Manual, "Rigid walls", for walls with prescribed motion or with a mass.

mod contact;
mod flight;
mod height;
mod step_impact;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::contact::{Constraints, Surface};
use crate::math::Vec3;

use crate::contact::detection::face::control_points::{MAX_CONTROL_POINTS, control_points, is_held_by_nodes};
use crate::contact::detection::initial::overlap::{Entry, Penetration as BodyPenetration};
use crate::contact::detection::model::Configuration;
use crate::contact::detection::report::DetectionStatistics;
use crate::contact::detection::trajectory::{Flight, Impact};
use crate::contact::detection::volume::{Aabb, Sphere, rounded_up};
use contact::{ContactPhase, Penetration};
use flight::FlightPhase;

/// An infinite plane with material behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// Number of its body.
    pub body: u32,
    /// Its node, a point of the plane.
    pub node: u32,
    /// Unit normal out of the material.
    pub normal: Vec3,
}

/// Depth below which a body counts as touching a wall, relative to its radius.
const TOUCHING: f64 = 1e-9;

/// Nodes, or faces, per block.
const BLOCK: usize = 64;

/// Finds the contacts of bodies with rigid walls.
pub struct WallDetector {
    walls: Vec<Wall>,
    bodies: Vec<WalledBody>,
    /// Wall and body (indices of the lists above) that can touch.
    pairs: Vec<[u32; 2]>,
    flight: Option<FlightPhase>,
    contact: Option<ContactPhase>,
    found: Vec<Penetration>,
    merged: Constraints,
    statistics: DetectionStatistics,
}

/// The surface of a body as the wall detector uses it.
#[derive(Clone, Debug)]
struct WalledBody {
    body: u32,
    /// Outward offset of its surface \[m\].
    offset: f64,
    /// Nodes, ascending, each with a face that contains it.
    nodes: Vec<u32>,
    faces: Vec<u32>,
    /// Bounding spheres of the blocks of nodes, in the reference configuration.
    spheres: Vec<Sphere>,
    /// Curved faces, which can bulge beyond their nodes, and the surface if it has any.
    curved: Vec<u32>,
    surface: Option<Surface>,
    /// Bounding spheres of the blocks of curved faces.
    curved_spheres: Vec<Sphere>,
}

impl WallDetector {
    /// For walls and the surfaces of all bodies with nodes at these positions, which are the reference positions of
    /// flights. `excluded` pairs of a body and the body of a wall never touch.
    pub fn new(walls: Vec<Wall>, surfaces: &[Surface], excluded: &[[u32; 2]], positions: &[Vec3]) -> Self {
        let touchable = (0_u32..).zip(surfaces).filter(|(_, surface)| surface.num_faces() > 0);
        let bodies: Vec<WalledBody> = if walls.is_empty() {
            Vec::new()
        } else {
            touchable.map(|(body, surface)| WalledBody::new(body, surface, positions)).collect()
        };
        let all = (0..walls.len() as u32).flat_map(|w| (0..bodies.len() as u32).map(move |b| [w, b]));
        let can_touch = |&[w, b]: &[u32; 2]| {
            let pair = [walls[w as usize].body, bodies[b as usize].body];
            !excluded.iter().any(|&[i, j]| [i, j] == pair || [j, i] == pair)
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

    /// The same with outward offsets of all surfaces \[m\]: heights are those of the offset surfaces.
    #[must_use]
    pub fn with_offsets(mut self, offsets: &[f64]) -> Self {
        self.bodies.iter_mut().for_each(|body| body.offset = offsets[body.body as usize]);
        self
    }

    /// First time within a flight at which a body touches a wall, never late; called for consecutive steps of the
    /// flight.
    pub fn first_impact(&mut self, flight: &Flight<'_>) -> Option<Impact> {
        self.contact = None;
        if self.pairs.is_empty() {
            return None;
        }
        let impact = self.find_first_impact(flight);
        if impact.is_some() {
            // An impact starts another flight.
            self.flight = None;
        }
        impact
    }

    /// Adds the constraints of the nodes behind a wall to those of the step; called for consecutive steps.
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

    /// Bodies with nodes behind walls, or nearer than their surface offset, in a given configuration: a check of input,
    /// not part of a step.
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

    /// Statistics, including the predictions of flights.
    pub fn statistics(&self) -> &DetectionStatistics {
        &self.statistics
    }

    /// The walls.
    pub fn walls(&self) -> &[Wall] {
        &self.walls
    }
}

impl WalledBody {
    fn new(body: u32, surface: &Surface, positions: &[Vec3]) -> Self {
        let nodes = surface.nodes().to_vec();
        let faces = (0..nodes.len()).map(|local| surface.faces_of_local_node(local)[0]).collect();
        let of_nodes = |block: &[u32]| sphere_of(block.iter().map(|&node| positions[node as usize]));
        let spheres = nodes.chunks(BLOCK).map(of_nodes).collect();
        let curved: Vec<u32> = (0..surface.num_faces() as u32)
            .filter(|&face| !is_held_by_nodes(surface.face(face as usize).0))
            .collect();
        let of_faces = |block: &[u32]| {
            let mut points = Vec::with_capacity(block.len() * MAX_CONTROL_POINTS);
            for &face in block {
                let (kind, nodes) = surface.face(face as usize);
                let mut buffer = [Vec3::zeros(); MAX_CONTROL_POINTS];
                points.extend_from_slice(control_points(kind, nodes, positions, &mut buffer));
            }
            sphere_of(points.into_iter())
        };
        let curved_spheres = curved.chunks(BLOCK).map(of_faces).collect();
        let surface = (!curved.is_empty()).then(|| surface.clone());
        Self { body, offset: 0.0, nodes, faces, spheres, curved, surface, curved_spheres }
    }
}

/// Members of a block of a list of `count`.
fn members(block: usize, count: usize) -> Range<usize> {
    block * BLOCK..((block + 1) * BLOCK).min(count)
}

/// Bounding sphere of some points about the centre of their box.
fn sphere_of(points: impl Iterator<Item = Vec3> + Clone) -> Sphere {
    let mut bounds: Option<Aabb> = None;
    for point in points.clone() {
        let of_point = Aabb::fit(&[point], 0.0);
        bounds = Some(bounds.map_or(of_point, |all| all.union(&of_point)));
    }
    let centre = bounds.map_or_else(Vec3::zeros, |bounds| (bounds.lower + bounds.upper) * 0.5);
    let radius = points.map(|point| (point - centre).norm()).fold(0.0, f64::max);
    Sphere { centre, radius: rounded_up(radius, &centre) }
}
