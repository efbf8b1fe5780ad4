//! Display of detection: the pairs of tree vertices that the engine processes next, with their current spheres.

use crate::detection::model::Configuration;
use crate::detection::report::{Placement, QueuedPair};
use crate::detection::tree::hierarchy::Hierarchy;
use crate::math::RigidMotion;

use super::Engine;
use super::body_pair::BodyPair;
use super::queue::VertexPair;
use crate::detection::detector::Phase;
use crate::detection::volume::Sphere;

impl Engine {
    /// Earliest queue entry of each pair of bodies, with the current spheres. The contact phase uses no queue: the
    /// entry of a body pair then has the time at which a list of near pairs, or the search for active patch pairs, is
    /// next due. Before the queue is first filled, the entries are pairs of roots with the current time.
    pub(super) fn place_top_of_queue(&self, placement: &Placement<'_>) -> Vec<QueuedPair> {
        let mut fitted = vec![Vec::new(); self.trees.len()];
        let earliest = self.earliest_of_pairs(placement);
        earliest
            .into_iter()
            .filter_map(|(time, pair)| self.place(placement, time, pair, &mut fitted))
            .collect()
    }

    /// `fitted` caches the refitted spheres of each body.
    fn place(
        &self,
        placement: &Placement<'_>,
        time: f64,
        pair: VertexPair,
        fitted: &mut [Vec<Sphere>],
    ) -> Option<QueuedPair> {
        let tree = |k: usize| match placement {
            Placement::Flying { .. } => self.trees[pair.bodies[k] as usize].as_ref(),
            Placement::Deforming(_) => self.tree_in_contact(pair.bodies[k]),
        };
        let trees = [tree(0)?, tree(1)?];
        let spheres = [0, 1].map(|k| {
            let (body, vertex) = (pair.bodies[k] as usize, pair.vertices[k]);
            match placement {
                Placement::Flying { motions, .. } => carried(&motions[body], trees[k], vertex),
                Placement::Deforming(Configuration { positions, .. }) => {
                    if fitted[body].is_empty() {
                        trees[k].refit(positions, &mut fitted[body]);
                    }
                    fitted[body][vertex as usize]
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

    fn earliest_of_pairs(&self, placement: &Placement<'_>) -> Vec<(f64, VertexPair)> {
        match (self.phase, placement) {
            (Phase::Contact, Placement::Deforming(configuration)) => self.next_updates(configuration),
            (Phase::Fresh, _) if self.queue.entries().next().is_none() => {
                let roots = |bodies| Some((placement.time(), self.root_pair(bodies)?));
                self.model.pairs().filter_map(roots).take(self.max_pairs()).collect()
            }
            _ => self.earliest_entries(|_| true),
        }
    }

    /// Each body pair with the time at which a list of near pairs, or the search for active patch pairs, is next due.
    /// This time holds if every further step has the displacements of the latest step. The vertices are those that gave
    /// the latest bound on the distance of the bodies, else the leaves of the nearest of the near pairs, else the
    /// roots. Omits body pairs without a finite time.
    fn next_updates(&self, configuration: &Configuration<'_>) -> Vec<(f64, VertexPair)> {
        let next = |body_pair: &BodyPair| {
            let root = self.root_pair(body_pair.bodies)?;
            let nearest = body_pair.nearest.or_else(|| self.nearest_leaves(body_pair));
            let pair = VertexPair { vertices: nearest.unwrap_or(root.vertices), ..root };
            let time = configuration.time + body_pair.steps_left().max(0.0) * configuration.time_step;
            time.is_finite().then_some((time.max(configuration.time.next_up()), pair))
        };
        self.contact.body_pairs.iter().filter_map(next).collect()
    }

    /// For the nearest of the near pairs, the leaf of its face and the leaf of a face that contains its node, in the
    /// order of the bodies.
    fn nearest_leaves(&self, body_pair: &BodyPair) -> Option<[u32; 2]> {
        let nearest = body_pair.near().min_by(|a, b| a.distance.total_cmp(&b.distance))?;
        let (target, contactor) = (nearest.target as usize, 1 - nearest.target as usize);
        let surface = &self.model.surfaces[body_pair.bodies[contactor] as usize];
        let around = surface.faces_of_local_node(surface.local_node(nearest.node)?);
        let mut leaves = [0; 2];
        for (side, face) in [(target, nearest.face), (contactor, *around.first()?)] {
            let tree = self.tree_in_contact(body_pair.bodies[side])?;
            leaves[side] = (0..tree.num_vertices() as u32).find(|&vertex| tree.face(vertex) == Some(face))?;
        }
        Some(leaves)
    }
}

fn carried(motion: &RigidMotion, tree: &Hierarchy, vertex: u32) -> Sphere {
    let sphere = tree.reference_sphere(vertex);
    Sphere { centre: motion.point(&sphere.centre, 0.0).0, ..sphere }
}
