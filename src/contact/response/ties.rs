//! Surfaces glued together.

mod condensed;
mod reduction;
mod swept;

use super::connected::Groups;
use super::{Bodies, ContactAction, Mobility, StepLength};
use crate::contact::Constraints;
use crate::math::Vec3;
use condensed::Condensed;
use swept::Swept;

/// Points of surfaces that stay on each other: Σ w_a x_a = 0 for each, in all three components and for all time.
///
/// The forces are Lagrange multipliers that make the points meet at the end of the step to come, of length dt': with the
/// velocities v after the kick by all other forces, Σ w_a v_a' = −Σ w_a x_a/dt'. They do no work, and as the points lie on
/// each other they have no moment. Ties hold beside any contact response.
///
/// Ties of deformable bodies are solved for directly, the dependent nodes condensed out, in a time that the masses have no
/// part in (see `condensed`); in groups with a rigid body that can move by iteration.
///
/// # Source
/// Carpenter, Taylor & Katona, IJNME 32 (1991) 103–128 (forward increment Lagrange multipliers); Ryckaert, Ciccotti &
/// Berendsen, J. Comput. Phys. 23 (1977) 327–341, is the same for bonds.
#[derive(Clone, Debug)]
pub struct Ties {
    ties: Constraints,
    /// None where masses differ by so much that rounding leaves their matrix singular: all are swept.
    condensed: Option<Condensed>,
    swept: Swept,
}

impl Ties {
    /// Ties at these points, which lie on each other, of nodes with this mobility. `is_rigid` tells of a body whether it is
    /// rigid and can move.
    pub fn new(ties: Constraints, mobility: &Mobility, is_rigid: impl Fn(u32) -> bool) -> Self {
        let mut groups = Groups::default();
        groups.find(&ties, mobility);
        let mut is_swept = vec![false; ties.len()];
        for group in 0..groups.ends.len() {
            let members = &groups.contacts[groups.range(group)];
            let has_rigid = |&k: &u32| ties.get(k as usize).bodies.into_iter().any(&is_rigid);
            if members.iter().any(has_rigid) {
                members.iter().for_each(|&k| is_swept[k as usize] = true);
            }
        }
        let of_kind = |wanted: bool| {
            let mut chosen = Constraints::default();
            let these = ties.iter().zip(&is_swept).filter(|(_, is_swept)| **is_swept == wanted);
            these.for_each(|(tie, _)| chosen.push_copy(&tie));
            chosen
        };
        let condensed = Condensed::new(&of_kind(false), mobility);
        let swept = if condensed.is_some() { of_kind(true) } else { ties.clone() };
        let swept = Swept::new(swept, mobility.num_nodes(), mobility.num_bodies());
        Self { condensed, swept, ties }
    }

    /// The nodes of all ties; a node of several as often.
    pub fn nodes(&self) -> impl Iterator<Item = u32> {
        self.ties.iter().flat_map(|tie| tie.nodes.iter().copied())
    }

    /// The tied points.
    pub fn constraints(&self) -> &Constraints {
        &self.ties
    }

    /// What the ties of the last step held with: nodes, of which some come often, and forces on them \[N\].
    pub fn nodal_forces(&self) -> impl Iterator<Item = (u32, Vec3)> {
        self.condensed.iter().flat_map(Condensed::nodal_forces).chain(self.swept.nodal_forces())
    }

    /// Adds what the ties of the last step held with to forces on all nodes \[N\].
    pub fn add_forces(&self, forces: &mut [Vec3]) {
        self.nodal_forces().for_each(|(node, force)| forces[node as usize] += force);
    }

    /// Adds the forces that hold the ties to those of the action; accelerations include the action's forces already.
    pub fn hold(&mut self, bodies: &Bodies<'_>, step: StepLength, action: &mut ContactAction) {
        if let Some(condensed) = &mut self.condensed {
            condensed.hold(bodies, step);
        }
        self.swept.hold(bodies, step);
        self.add_forces(&mut action.forces);
        self.ties.iter().for_each(|tie| action.list(tie.nodes));
        action.sort_nodes();
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{INVERSE_MASS, free_nodes, one_contact, positions};
    use super::*;

    /// A node glued to a triangle that turns and flies: over many steps the points stay together, linear and angular
    /// momentum are kept to rounding and the kinetic energy to O(dt²).
    #[test]
    fn glued_points_stay_together_and_do_no_work() {
        let mut x = positions(0.0);
        let mut v = [0, 1, 2, 3].map(|k| {
            let spin = Vec3::new(0.3, -0.2, 1.0);
            Vec3::new(1.0, 2.0, -0.5) + spin.cross(&x[k])
        });
        let mobility = free_nodes(&INVERSE_MASS);
        let mut ties = Ties::new(one_contact(0.0), &mobility, |_| false);
        let mut action = ContactAction::new(4);
        let momenta = |x: &[Vec3; 4], v: &[Vec3; 4]| {
            let p: Vec3 = (0..4).map(|k| v[k] / INVERSE_MASS[k]).sum();
            let l: Vec3 = (0..4).map(|k| x[k].cross(&v[k]) / INVERSE_MASS[k]).sum();
            let t: f64 = (0..4).map(|k| 0.5 * v[k].norm_squared() / INVERSE_MASS[k]).sum();
            (p, l, t)
        };
        let dt = 1e-3;
        (0..4).for_each(|k| x[k] += v[k] * dt);
        let before = momenta(&x, &v);
        for _ in 0..2000 {
            // Springs between the nodes of the triangle hold its shape.
            let pull = |a: usize, b: usize| {
                let way = x[b] - x[a];
                let length = if a + b == 3 { 2f64.sqrt() } else { 1.0 };
                way * (200.0 * (1.0 - length / way.norm()))
            };
            let force =
                [pull(0, 1) + pull(0, 2), pull(1, 0) + pull(1, 2), pull(2, 0) + pull(2, 1), Vec3::zeros()];
            let accelerations = [0, 1, 2, 3].map(|k| force[k] * INVERSE_MASS[k]);
            let (positions, velocities, inverse_mass) = (&x[..], &v[..], &INVERSE_MASS[..]);
            let bodies = Bodies {
                positions,
                velocities,
                accelerations: &accelerations,
                inverse_mass,
                mobility: &mobility,
                made: 0.0,
            };
            action.begin(dt);
            ties.hold(&bodies, StepLength::regular(dt), &mut action);
            for k in 0..4 {
                v[k] += (force[k] + action.forces[k]) * INVERSE_MASS[k] * dt;
                x[k] += v[k] * dt;
            }
            assert!(one_contact(0.0).get(0).jump(&x).norm() < 1e-13);
        }
        let after = momenta(&x, &v);
        assert!((after.0 - before.0).norm() < 1e-11 && (after.1 - before.1).norm() < 1e-11);
        assert!((after.2 / before.2 - 1.0).abs() < 5e-3, "{} of {}", after.2, before.2);
    }

    /// Points that are apart meet at the end of the step to come, however short the one before was.
    #[test]
    fn what_is_apart_after_a_cut_step_meets_in_the_next() {
        for part in [1.0, 0.1, 1e-6] {
            let (mut x, mut v) = (positions(1e-6), [Vec3::x() * 3.0; 4]);
            let mobility = free_nodes(&INVERSE_MASS);
            let (mut ties, mut action) =
                (Ties::new(one_contact(0.0), &mobility, |_| false), ContactAction::new(4));
            let dt = 1e-3;
            let step = StepLength { actual: part * dt, ..StepLength::regular(dt) };
            let bodies = Bodies {
                positions: &x,
                velocities: &v,
                accelerations: &[Vec3::zeros(); 4],
                inverse_mass: &INVERSE_MASS,
                mobility: &mobility,
                made: 0.0,
            };
            ties.hold(&bodies, step, &mut action);
            for k in 0..4 {
                v[k] += action.forces[k] * (INVERSE_MASS[k] * 0.5 * (1.0 + part) * dt);
                x[k] += v[k] * dt;
            }
            let apart = one_contact(0.0).get(0).jump(&x).norm();
            assert!(apart < 1e-15, "{part}: {apart:e}");
        }
    }
}
