//! Contact phase of the wall detector: nodes on or behind a rigid wall.
//!
//! In each step, a box that contains all nodal displacements of a body, and the displacement of the wall, give an upper
//! bound on the approach of the nodes to the wall. The nodes of a body form blocks of up to 64 nodes. The test of a
//! block finds the smallest distance of its nodes from the wall. The block is tested again when the approach
//! accumulated since this test reaches this distance.
//!
//! # Cost
//! Per step, one pass over the displacements of each body, for any number of walls, and the tests of near blocks.

use std::time::Instant;

use rayon::prelude::*;

use crate::detection::model::Configuration;
use crate::detection::volume::Aabb;
use crate::flush::rounding_of_gap_at;
use crate::math::Vec3;
use crate::{Constraint, ContactKey, NodeOnSurface};

use super::WallDetector;
use super::walled_body::{BLOCK, Wall, WalledBody, members};

/// Number of steps after which all blocks are tested again, to bound the accumulated rounding.
const STEPS: u32 = 65_536;

/// Bound on the rounding accumulated in `STEPS` steps, relative to the coordinates.
const ROUNDING: f64 = STEPS as f64 * 4.0 * f64::EPSILON;

const NODES_PER_TASK: usize = 8192;

/// Weights of the contactor and of the node of the wall.
const WEIGHTS: [f64; 2] = [1.0, -1.0];

pub(super) struct ContactPhase {
    time: f64,
    steps: u32,
    pairs: Vec<Approach>,
    /// For each body, the box of its nodal displacements in the step \[m\].
    steps_of_bodies: Vec<Aabb>,
}

#[derive(Clone, Debug)]
struct Approach {
    /// Upper bound on the approach of the nodes to the wall since the creation of the `ContactPhase` \[m\]; can be
    /// negative if all nodes recede.
    accumulated: f64,
    /// For each block, the value of `accumulated` at which a node of the block can reach the wall \[m\].
    arrivals: Vec<f64>,
    first_arrival: f64,
}

/// A node on or behind a wall, within rounding.
#[derive(Clone, Copy, Debug)]
pub(super) struct Penetration {
    key: ContactKey,
    bodies: [u32; 2],
    gap: f64,
    normal: Vec3,
    nodes: [u32; 2],
}

impl Penetration {
    pub fn constraint(&self) -> Constraint<'_> {
        let Self { key, bodies, gap, normal, nodes } = self;
        let (key, bodies, gap, normal) = (*key, *bodies, *gap, *normal);
        Constraint { key, bodies, gap, normal, nodes, weights: &WEIGHTS, num_contactor_nodes: 1 }
    }
}

impl WallDetector {
    /// Lists the nodes on or behind walls, by ascending key.
    pub(super) fn find_penetrations(&mut self, configuration: &Configuration<'_>) {
        let start = Instant::now();
        let mut phase = match self.contact.take() {
            Some(phase) if phase.time < configuration.time && phase.steps < STEPS => phase,
            _ => self.begin_contact(),
        };
        phase.time = configuration.time;
        phase.steps += 1;
        phase.steps_of_bodies.clear();
        let boxes = self.bodies.iter().map(|body| box_of_displacements(body, configuration));
        phase.steps_of_bodies.extend(boxes);
        self.statistics.counts.monitor += self.bodies.len() as u64;
        self.found.clear();
        for (&[wall, body], approach) in self.pairs.iter().zip(&mut phase.pairs) {
            let (wall, step) = (&self.walls[wall as usize], &phase.steps_of_bodies[body as usize]);
            approach.accumulated += greatest_approach(wall, step, configuration);
            if approach.accumulated >= approach.first_arrival {
                let body = &self.bodies[body as usize];
                self.statistics.counts.primitive +=
                    approach.test_blocks(wall, body, configuration, &mut self.found);
            }
        }
        self.found.sort_unstable_by_key(|penetration| penetration.key);
        self.contact = Some(phase);
        self.statistics.seconds.primitive += start.elapsed().as_secs_f64();
    }

    fn begin_contact(&self) -> ContactPhase {
        let approach = |&[_, body]: &[u32; 2]| Approach {
            accumulated: 0.0,
            arrivals: vec![f64::NEG_INFINITY; self.bodies[body as usize].spheres.len()],
            first_arrival: f64::NEG_INFINITY,
        };
        ContactPhase {
            time: f64::NEG_INFINITY,
            steps: 0,
            pairs: self.pairs.iter().map(approach).collect(),
            steps_of_bodies: Vec::with_capacity(self.bodies.len()),
        }
    }
}

impl Approach {
    /// Tests the due blocks. Returns an upper bound on the number of tested nodes.
    fn test_blocks(
        &mut self,
        wall: &Wall,
        body: &WalledBody,
        configuration: &Configuration<'_>,
        found: &mut Vec<Penetration>,
    ) -> u64 {
        let positions = configuration.positions;
        let origin = positions[wall.node as usize];
        let mut num_tested = 0;
        for (block, arrival) in
            self.arrivals.iter_mut().enumerate().filter(|(_, arrival)| self.accumulated >= **arrival)
        {
            let (mut lowest, mut size) = (f64::INFINITY, origin.amax());
            let nodes = &body.nodes[members(block, body.nodes.len())];
            let height = |node: u32| wall.normal.dot(&(positions[node as usize] - origin)) - body.offset;
            for &node in nodes {
                lowest = lowest.min(height(node));
                size = size.max(positions[node as usize].amax());
            }
            let flush = rounding_of_gap_at(size);
            let at_wall = if lowest <= flush { nodes } else { &[] };
            for &node in at_wall {
                let gap = height(node);
                if gap <= flush {
                    found.push(Penetration {
                        key: ContactKey::Node(NodeOnSurface { contactor: node, target: wall.body }),
                        bodies: [body.body, wall.body],
                        gap,
                        normal: wall.normal,
                        nodes: [node, wall.node],
                    });
                }
            }
            // In penetration `lowest` is negative, and `arrival` is below `accumulated`: the block is due again in the
            // next step, unless its nodes recede by more than the penetration.
            *arrival = self.accumulated + lowest - ROUNDING * size;
            num_tested += BLOCK as u64;
        }
        self.first_arrival = self.arrivals.iter().copied().fold(f64::INFINITY, f64::min);
        num_tested
    }
}

fn box_of_displacements(body: &WalledBody, configuration: &Configuration<'_>) -> Aabb {
    let none = || Aabb { lower: Vec3::repeat(f64::INFINITY), upper: Vec3::repeat(f64::NEG_INFINITY) };
    let grow = |bounds: Aabb, node: &u32| {
        let step = configuration.displacement(*node);
        Aabb { lower: bounds.lower.inf(&step), upper: bounds.upper.sup(&step) }
    };
    if body.nodes.len() < 2 * NODES_PER_TASK {
        return body.nodes.iter().fold(none(), grow);
    }
    let parts = body.nodes.par_chunks(NODES_PER_TASK).map(|part| part.iter().fold(none(), grow));
    parts.reduce(none, |a, b| a.union(&b))
}

/// Upper bound on the approach of the nodes of a body to a wall in a step \[m\]; negative only if all nodes recede. The
/// bound is n · w + max(−n · u), with the normal n and the displacement w of the wall. The maximum runs over all
/// displacements u in the box `displacements`.
fn greatest_approach(wall: &Wall, displacements: &Aabb, configuration: &Configuration<'_>) -> f64 {
    let Aabb { lower, upper } = displacements;
    let down = lower.zip_zip_map(upper, &wall.normal, |lower, upper, n| (-n * lower).max(-n * upper));
    wall.normal.dot(&configuration.displacement(wall.node)) + down.sum()
}
