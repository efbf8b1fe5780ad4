//! Ties: bilateral constraints between surfaces.

mod axis;
mod dense;
mod elimination;
mod group;
mod reduction;
mod rigid_bodies;
mod rows;

use std::collections::BTreeMap;

use super::groups::connected::Groups;
use super::mobility::{Mobility, TiedMobility};
use super::{Bodies, ContactAction, StepLength};
use crate::Constraints;
use crate::math::Vec3;
use group::Group;
use reduction::larger;
pub use rows::{RigidMotions, RigidPlace, TiedRigidBody};

/// Ties between points of surfaces: Σ w_a x_a = 0 with the positions x_a and weights w_a of the nodes.
///
/// The tie forces are Lagrange multipliers. They make the points coincide at the end of the following step, of length
/// dt'. Without rigid bodies, the velocities v_a' after the kick by all forces satisfy Σ w_a v_a' = −Σ w_a x_a/dt',
/// with x_a at the end of the current step. The total work and the total moment of the tie forces vanish.
///
/// From each tie with free nodes of deformable bodies, one such node is eliminated (see `axis`). A small dense system
/// remains for the movable rigid bodies (see `rigid_bodies`). Finite rotations require Newton iterations. Each
/// iteration solves the system directly, so its cost does not depend on the masses.
///
/// # Source
/// Carpenter, Taylor & Katona, IJNME 32 (1991) 103–128 (forward increment Lagrange multipliers); Ryckaert, Ciccotti &
/// Berendsen, J. Comput. Phys. 23 (1977) 327–341, apply the same method to bonds.
#[derive(Clone, Debug)]
pub struct Ties {
    ties: Constraints,
    groups: Vec<Group>,
}

/// Tied bodies with very unlike nodal masses: rounding makes the mass matrix of the nodes that are not eliminated (see
/// `axis`) singular.
#[derive(Clone, Debug, PartialEq)]
pub struct UnlikeMasses {
    /// Bodies of the group of ties, ascending.
    pub bodies: Vec<u32>,
    /// Smallest and largest mass of the movable deformable nodes \[kg\].
    pub masses: [f64; 2],
}

impl Ties {
    /// `ties` contains pairs of points that coincide at the reference `positions`. `rigid` returns the data of a
    /// movable rigid body, and `None` for any other body.
    ///
    /// # Errors
    /// [`UnlikeMasses`] for extreme mass ratios.
    pub fn new(
        ties: Constraints,
        positions: &[Vec3],
        mobility: &Mobility,
        rigid: impl Fn(u32) -> Option<TiedRigidBody>,
    ) -> Result<Self, UnlikeMasses> {
        let mut groups = Groups::default();
        groups.find_with(&ties, mobility, |body| rigid(body).map(|_| true));
        let of_group = |group: usize| {
            let mut chosen = Constraints::default();
            let members = &groups.contacts[groups.range(group)];
            let chosen_ones = independent(members, &ties, positions, |body| rigid(body).is_some());
            chosen_ones.iter().for_each(|&k| chosen.push_copy(&ties.get(k as usize)));
            Group::new(&chosen, positions, mobility, &rigid).ok_or_else(|| {
                let mut bodies: Vec<u32> = chosen.iter().flat_map(|tie| tie.bodies).collect();
                bodies.sort_unstable();
                bodies.dedup();
                UnlikeMasses { bodies, masses: extreme_masses(&chosen, mobility) }
            })
        };
        let groups = (0..groups.ends.len()).map(of_group).collect::<Result<_, _>>()?;
        Ok(Self { ties, groups })
    }

    /// Nodes of all ties; a node of several ties occurs several times.
    pub fn nodes(&self) -> impl Iterator<Item = u32> {
        self.ties.iter().flat_map(|tie| tie.nodes.iter().copied())
    }

    /// Mobility of the tied nodes in groups without movable rigid bodies, in a model with `num_nodes` nodes.
    pub fn mobility(&self, num_nodes: usize) -> TiedMobility {
        TiedMobility::new(self.groups.iter().filter_map(Group::tied_group).collect(), num_nodes)
    }

    /// The ties as constraints between points.
    pub fn constraints(&self) -> &Constraints {
        &self.ties
    }

    /// Adds the tie forces to the action. The accelerations of `bodies` must include the contact forces of the action.
    /// Returns the total number of Newton iterations of all groups; a group without movable rigid bodies needs one.
    pub fn hold(
        &mut self,
        bodies: &Bodies<'_>,
        rigid: &impl RigidMotions,
        step: StepLength,
        action: &mut ContactAction,
    ) -> u64 {
        let mut iterations = 0;
        for group in &mut self.groups {
            let solution = group.hold(bodies, rigid, step);
            iterations += u64::from(solution.iterations);
            if let Some(distance) = solution.gap {
                action.unsolved.ties += 1;
                action.tie_gap = larger(action.tie_gap, distance);
            }
            for (node, force) in group.nodal_forces() {
                action.forces[node as usize] += force;
                action.tie_forces.push((node, force));
                action.list(&[node]);
            }
            action.rigid_forces.extend(group.rigid_forces());
        }
        action.sort_tied_nodes();
        iterations
    }
}

/// Smallest and largest mass of the movable deformable nodes \[kg\].
fn extreme_masses(ties: &Constraints, mobility: &Mobility) -> [f64; 2] {
    let inverses = ties.iter().flat_map(|tie| tie.nodes).map(|&node| mobility.node(node).amax());
    let masses = inverses.filter(|inverse| *inverse > 0.0).map(|inverse| 1.0 / inverse);
    masses.fold([f64::INFINITY, 0.0], |[least, most], mass| [mass.min(least), mass.max(most)])
}

/// A subset of the ties `members` that implies all of them. For each pair of movable rigid bodies, the subset contains
/// at most three ties, at distant points. The subset contains every tie of any other pair of bodies.
fn independent(
    members: &[u32],
    ties: &Constraints,
    positions: &[Vec3],
    is_rigid: impl Fn(u32) -> bool,
) -> Vec<u32> {
    let mut pairs: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
    let mut chosen = Vec::new();
    for &k in members {
        let [a, b] = ties.get(k as usize).bodies;
        if is_rigid(a) && is_rigid(b) {
            pairs.entry([a.min(b), a.max(b)]).or_default().push(k);
        } else {
            chosen.push(k);
        }
    }
    let point = |k: u32| ties.get(k as usize).point(positions);
    for of_pair in pairs.values() {
        let farthest = |distance: &dyn Fn(&Vec3) -> f64| {
            of_pair.iter().copied().max_by(|&a, &b| distance(&point(a)).total_cmp(&distance(&point(b))))
        };
        let middle: Vec3 = of_pair.iter().map(|&k| point(k)).sum::<Vec3>() / of_pair.len() as f64;
        let Some(first) = farthest(&|point| (point - middle).norm()) else { continue };
        let Some(second) = farthest(&|other| (other - point(first)).norm()) else { continue };
        let way = point(second) - point(first);
        let third = farthest(&|other| (other - point(first)).cross(&way).norm());
        chosen.extend([Some(first), Some(second), third].into_iter().flatten());
    }
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::samples::{INVERSE_MASS, free_nodes, one_contact, positions};

    struct NoRigidBody;

    impl RigidMotions for NoRigidBody {
        fn present(&self, _: u32) -> RigidPlace {
            unreachable!()
        }

        fn inertia(&self, _: u32) -> [crate::math::Mat3; 2] {
            unreachable!()
        }

        fn following(&self, _: u32, _: &[Vec3; 2]) -> RigidPlace {
            unreachable!()
        }
    }

    /// A node is tied to a moving triangle. Over 2000 steps, the points coincide, momenta are conserved to rounding,
    /// and the kinetic energy is conserved to 5e-3.
    #[test]
    fn tied_points_coincide_and_do_no_work() {
        let mut x = positions(0.0);
        let mut v = [0, 1, 2, 3].map(|k| {
            let spin = Vec3::new(0.3, -0.2, 1.0);
            Vec3::new(1.0, 2.0, -0.5) + spin.cross(&x[k])
        });
        let mobility = free_nodes(&INVERSE_MASS);
        let mut ties = Ties::new(one_contact(0.0), &x, &mobility, |_| None).unwrap();
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
            // Springs between the nodes of the triangle keep its shape.
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
                created: 0.0,
            };
            action.begin(dt);
            ties.hold(&bodies, &NoRigidBody, StepLength::regular(dt), &mut action);
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

    #[test]
    fn gaps_close_in_the_step_after_a_cut_one() {
        for part in [1.0, 0.1, 1e-6] {
            let (mut x, mut v) = (positions(1e-6), [Vec3::x() * 3.0; 4]);
            let mobility = free_nodes(&INVERSE_MASS);
            let (mut ties, mut action) =
                (Ties::new(one_contact(0.0), &x, &mobility, |_| None).unwrap(), ContactAction::new(4));
            let dt = 1e-3;
            let step = StepLength { actual: part * dt, ..StepLength::regular(dt) };
            let bodies = Bodies {
                positions: &x,
                velocities: &v,
                accelerations: &[Vec3::zeros(); 4],
                inverse_mass: &INVERSE_MASS,
                mobility: &mobility,
                created: 0.0,
            };
            ties.hold(&bodies, &NoRigidBody, step, &mut action);
            for k in 0..4 {
                v[k] += action.forces[k] * (INVERSE_MASS[k] * 0.5 * (1.0 + part) * dt);
                x[k] += v[k] * dt;
            }
            let gap = one_contact(0.0).get(0).jump(&x).norm();
            assert!(gap < 1e-15, "{part}: {gap:e}");
        }
    }
}
