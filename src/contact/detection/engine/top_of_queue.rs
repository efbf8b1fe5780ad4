//! The pairs that the engine looks at next, placed where their bodies are.

use crate::contact::detection::hierarchy::{Hierarchy, VertexMotion};
use crate::contact::detection::{Configuration, Placement, QueuedPair};
use crate::math::RigidMotion;

use super::queue::VertexPair;
use super::{Engine, Phase, Sphere};

impl Engine {
    /// The earliest entry of the queue for each pair of bodies that has one, placed; the roots, due at once, before
    /// anything is predicted.
    pub(super) fn place_top_of_queue(&self, placement: &Placement<'_>) -> Vec<QueuedPair> {
        let mut refitted = vec![Vec::new(); self.trees.len()];
        let earliest = self.earliest_of_pairs(placement.time()).into_iter().flatten();
        earliest.filter_map(|(time, pair)| self.place(placement, time, pair, &mut refitted)).collect()
    }

    /// An entry of the queue with its spheres where they are now; `refitted` holds what this took for other entries.
    fn place(
        &self,
        placement: &Placement<'_>,
        time: f64,
        pair: VertexPair,
        refitted: &mut [Vec<VertexMotion>],
    ) -> Option<QueuedPair> {
        let tree = |k: usize| self.trees[pair.bodies[k] as usize].as_ref();
        let trees = [tree(0)?, tree(1)?];
        let spheres = [0, 1].map(|k| {
            let (body, vertex) = (pair.bodies[k] as usize, pair.vertices[k]);
            match placement {
                Placement::Flying { motions, .. } => carried(&motions[body], trees[k], vertex),
                Placement::Deforming(Configuration { positions, velocities, .. }) => {
                    if refitted[body].is_empty() {
                        trees[k].refit(positions, velocities, &mut refitted[body]);
                    }
                    let sphere = refitted[body][vertex as usize].sphere();
                    Sphere { radius: sphere.radius + self.margin(pair.pair), ..sphere }
                }
            }
        });
        Some(QueuedPair {
            bodies: pair.bodies,
            time,
            depth: [0, 1].map(|k| trees[k].depth_of(pair.vertices[k])),
            num_faces: [0, 1].map(|k| trees[k].num_leaves_below(pair.vertices[k])),
            spheres,
        })
    }

    /// The earliest entry for each pair of bodies, ties by vertices as in the queue.
    fn earliest_of_pairs(&self, now: f64) -> Vec<Option<(f64, VertexPair)>> {
        let mut earliest: Vec<Option<(f64, VertexPair)>> = vec![None; self.model.pairs.len()];
        for (time, pair) in self.queue.valid_entries() {
            let best = &mut earliest[pair.pair as usize];
            if best.is_none_or(|(t, other)| time.total_cmp(&t).then(pair.cmp(&other)).is_lt()) {
                *best = Some((time, pair));
            }
        }
        if self.phase == Phase::Fresh && earliest.iter().all(Option::is_none) {
            let roots = (0..self.model.pairs.len() as u32).map(|pair| Some((now, self.root_pair(pair)?)));
            return roots.collect();
        }
        earliest
    }

    /// What spheres are larger by while bodies deform: half the depth to which contact is looked for \[m\].
    fn margin(&self, pair: u32) -> f64 {
        match self.phase {
            Phase::Contact => 0.5 * self.model.search_depths[pair as usize],
            Phase::Fresh | Phase::Flight => 0.0,
        }
    }
}

/// Sphere of a vertex that its body carries.
fn carried(motion: &RigidMotion, tree: &Hierarchy, vertex: u32) -> Sphere {
    let sphere = tree.reference_sphere(vertex);
    Sphere { centre: motion.point(&sphere.centre, 0.0).0, ..sphere }
}
