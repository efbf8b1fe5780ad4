//! Nodes behind rigid walls in contact, where bodies deform.
//!
//! The box of the displacements of all nodes of a body, relative to that of a wall, bounds the descent of its nodes in
//! a step. While the accumulated descent is below the last known height of a block of nodes, none of them is
//! behind the wall. This height is negative while one is: the block is then tested until all nodes have risen by as
//! much. A step thus costs a pass over the displacements of each body, whatever the number of walls, and the nodes near
//! walls.

use std::time::Instant;

use rayon::prelude::*;

use crate::detection::model::Configuration;
use crate::detection::volume::Aabb;
use crate::flush::rounding_of_gap_at;
use crate::math::Vec3;
use crate::{Constraint, ContactKey, NodeOnSurface};

use super::WallDetector;
use super::walled_body::{BLOCK, Wall, WalledBody, members};

/// Steps after which all blocks are tested again, which bounds the accumulated rounding.
const STEPS: u32 = 65_536;

/// Bound on that rounding, relative to the coordinates.
const ROUNDING: f64 = STEPS as f64 * 4.0 * f64::EPSILON;

/// Fewest nodes per task.
const NODES_PER_TASK: usize = 8192;

/// Weights of a contact with a wall: its contactor, and the node of the wall.
const WEIGHTS: [f64; 2] = [1.0, -1.0];

/// State of the pairs of walls and bodies, from step to step.
pub(super) struct ContactPhase {
    time: f64,
    steps: u32,
    pairs: Vec<Descent>,
    /// Boxes of the displacements of the bodies in the step \[m\].
    steps_of_bodies: Vec<Aabb>,
}

/// Bound on the descent of the nodes of a body towards a wall.
#[derive(Clone, Debug)]
struct Descent {
    /// Accumulated descent \[m\].
    accumulated: f64,
    /// Descent at which each block can reach the wall, less than the present one for a block behind it, and the least
    /// of them \[m\].
    arrivals: Vec<f64>,
    first_arrival: f64,
}

/// A node behind a wall.
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
        for (&[wall, body], descent) in self.pairs.iter().zip(&mut phase.pairs) {
            let (wall, step) = (&self.walls[wall as usize], &phase.steps_of_bodies[body as usize]);
            descent.accumulated += greatest_approach(wall, step, configuration);
            if descent.accumulated >= descent.first_arrival {
                let body = &self.bodies[body as usize];
                self.statistics.counts.primitive +=
                    descent.test_blocks(wall, body, configuration, &mut self.found);
            }
        }
        self.found.sort_unstable_by_key(|penetration| penetration.key);
        self.contact = Some(phase);
        self.statistics.seconds.primitive += start.elapsed().as_secs_f64();
    }

    fn begin_contact(&self) -> ContactPhase {
        let descent = |&[_, body]: &[u32; 2]| Descent {
            accumulated: 0.0,
            arrivals: vec![f64::NEG_INFINITY; self.bodies[body as usize].spheres.len()],
            first_arrival: f64::NEG_INFINITY,
        };
        ContactPhase {
            time: f64::NEG_INFINITY,
            steps: 0,
            pairs: self.pairs.iter().map(descent).collect(),
            steps_of_bodies: Vec::with_capacity(self.bodies.len()),
        }
    }
}

impl Descent {
    /// Tests the blocks that can have reached the wall; returns the most nodes these may have.
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
            // Negative behind the wall: the block is tested until it has risen by as much.
            *arrival = self.accumulated + lowest - ROUNDING * size;
            num_tested += BLOCK as u64;
        }
        self.first_arrival = self.arrivals.iter().copied().fold(f64::INFINITY, f64::min);
        num_tested
    }
}

/// Box of the displacements of all nodes of a body in the step \[m\].
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

/// Bound on the approach to a wall of a node with a displacement in this box \[m\]; negative where all recede.
fn greatest_approach(wall: &Wall, displacements: &Aabb, configuration: &Configuration<'_>) -> f64 {
    let Aabb { lower, upper } = displacements;
    let down = lower.zip_zip_map(upper, &wall.normal, |lower, upper, n| (-n * lower).max(-n * upper));
    wall.normal.dot(&configuration.displacement(wall.node)) + down.sum()
}
