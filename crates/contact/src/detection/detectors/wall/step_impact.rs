//! The first contact of a node of a deforming body with a wall within a step.

use rayon::prelude::*;

use crate::detection::step_impact::{BEGINNING, StepImpact, StepPaths};
use crate::math::polynomial::first_root_of_quadratic;
use crate::{Constraints, ContactKey, NodeOnSurface};

use super::WallDetector;
use super::walled_body::Wall;

impl WallDetector {
    /// The first contact of a node with a wall within a step, except the contacts in `touching`. Contacts in the first
    /// millionth of the step are ignored, because the previous step may have ended at a contact.
    ///
    /// # Cost
    /// O(nodes of surfaces × walls).
    pub fn first_impact_of_step(&self, paths: &StepPaths, touching: &Constraints) -> Option<StepImpact> {
        let of_pair = |&[wall, body]: &[u32; 2]| {
            let (wall, body) = (&self.walls[wall as usize], &self.bodies[body as usize]);
            let met = |&node: &u32| {
                let key = ContactKey::Node(NodeOnSurface { contactor: node, target: wall.body });
                let fraction = time_of_contact(paths, wall, body.offset, node)?;
                (!touching.contains(key)).then_some((fraction, node))
            };
            let earlier = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            let (fraction, node) = body.nodes.par_iter().filter_map(met).min_by(earlier)?;
            let rate = paths.rate(node, fraction) - paths.rate(wall.node, fraction);
            Some(StepImpact {
                fraction,
                bodies: [body.body, wall.body],
                point: paths.at(node, fraction),
                normal: wall.normal,
                closing: -wall.normal.dot(&rate),
            })
        };
        let impacts = self.pairs.iter().filter_map(of_pair);
        impacts.min_by(|a, b| a.fraction.total_cmp(&b.fraction).then(a.bodies.cmp(&b.bodies)))
    }
}

/// Fraction of the step at which a node that begins in front of a wall reaches the wall. `None` if the fraction is
/// outside \[`BEGINNING`, 1\], or if the node begins on or behind the wall. `offset` is the outward offset of the
/// surface of the node \[m\].
fn time_of_contact(paths: &StepPaths, wall: &Wall, offset: f64, node: u32) -> Option<f64> {
    let (of_node, of_wall) = (paths.coefficients(node), paths.coefficients(wall.node));
    let mut height = [0, 1, 2].map(|k| wall.normal.dot(&(of_node[k] - of_wall[k])));
    height[0] -= offset;
    if height[0] <= 0.0 {
        return None;
    }
    first_root_of_quadratic(&height).filter(|fraction| (BEGINNING..=1.0).contains(fraction))
}
