//! Surfaces glued together.

use super::row::{Motion, Row};
use super::{Bodies, ContactAction, StepLength};
use crate::contact::Constraints;
use crate::math::{Mat3, Vec3};

/// Points of surfaces that stay on each other: Σ w_a x_a = g n for each, in all three components and for all time.
///
/// The forces are Lagrange multipliers that make the points meet at the end of the step to come, of length dt': with the
/// velocities v after the kick by all other forces, Σ w_a v_a' = −(Σ w_a x_a − g n)/dt'. They do no work, and where the
/// points lie on each other, g = 0, they have no moment. Ties hold beside any contact response.
///
/// # Source
/// Carpenter, Taylor & Katona, IJNME 32 (1991) 103–128 (forward increment Lagrange multipliers); Ryckaert, Ciccotti &
/// Berendsen, J. Comput. Phys. 23 (1977) 327–341, is the same for bonds.
#[derive(Clone, Debug)]
pub struct Ties {
    ties: Constraints,
    kicked: Motion,
    rows: Vec<(Row, Mat3)>,
    forces: Vec<Vec3>,
}

/// Relative velocities are found to this part of the largest one before, and to the rounding of the velocities.
const TOLERANCE: f64 = 1e-14;
/// Most sweeps; the rest is taken up by the next step.
const MAX_SWEEPS: usize = 1000;

impl Ties {
    /// The nodes of all ties; a node of several as often.
    pub fn nodes(&self) -> impl Iterator<Item = u32> {
        self.ties.iter().flat_map(|tie| tie.nodes.iter().copied())
    }

    /// Ties at these points, which are `gap` · `normal` apart, for a model of so many nodes and bodies.
    pub fn new(ties: Constraints, num_nodes: usize, num_bodies: usize) -> Self {
        let kicked = Motion::new(num_nodes, num_bodies);
        Self { ties, kicked, rows: Vec::new(), forces: Vec::new() }
    }

    /// The tied points.
    pub fn constraints(&self) -> &Constraints {
        &self.ties
    }

    /// What the ties of the last step held with: nodes, of which some come often, and forces on them \[N\].
    pub fn nodal_forces(&self) -> impl Iterator<Item = (u32, Vec3)> {
        let ties = self.ties.iter().zip(&self.forces);
        ties.flat_map(|(tie, force)| {
            let nodes = tie.nodes.iter().zip(tie.weights);
            nodes.map(move |(&node, &weight)| (node, force * weight))
        })
    }

    /// Adds what the ties of the last step held with to forces on all nodes \[N\].
    pub fn add_forces(&self, forces: &mut [Vec3]) {
        self.nodal_forces().for_each(|(node, force)| forces[node as usize] += force);
    }

    /// Adds the forces that hold the ties to those of the action; accelerations include the action's forces already.
    pub fn hold(&mut self, bodies: &Bodies<'_>, step: StepLength, action: &mut ContactAction) {
        self.load(bodies, step.kick());
        self.rows.clear();
        self.rows.extend(self.ties.iter().map(|tie| {
            let row = Row::new(&tie, bodies);
            let mass = pseudo_inverse(&row.compliance);
            (row, mass)
        }));
        self.solve(bodies, step);
        self.add_forces(&mut action.forces);
        self.ties.iter().for_each(|tie| action.list(tie.nodes));
        action.sort_nodes();
    }

    /// Gauss–Seidel iteration over the ties for their forces.
    fn solve(&mut self, bodies: &Bodies<'_>, step: StepLength) {
        let kick = step.kick();
        self.forces.clear();
        self.forces.resize(self.ties.len(), Vec3::zeros());
        let roundings =
            self.ties.iter().zip(&self.rows).map(|(tie, (row, _))| row.rounding(&tie, &self.kicked));
        let rounding = roundings.fold(0.0, f64::max);
        let mut scale: f64 = 0.0;
        for _ in 0..MAX_SWEEPS {
            let mut change: f64 = 0.0;
            for ((tie, (row, mass)), force) in self.ties.iter().zip(&self.rows).zip(&mut self.forces) {
                let apart = tie.jump(bodies.positions) - tie.normal * tie.gap;
                let rate = row.jump(&tie, &self.kicked) + apart / step.following;
                scale = scale.max(rate.norm());
                let impulse = -(mass * rate);
                row.push(&tie, bodies.mobility, &mut self.kicked, &impulse);
                *force += impulse / kick;
                change = change.max((row.compliance * impulse).norm());
            }
            if change <= TOLERANCE * scale + rounding {
                return;
            }
        }
    }

    fn load(&mut self, bodies: &Bodies<'_>, time_step: f64) {
        for tie in self.ties.iter() {
            self.kicked.kick(&tie, bodies, time_step);
        }
    }
}

/// Inverse where the matrix has one; of a component that nothing moves, zero.
fn pseudo_inverse(compliance: &Mat3) -> Mat3 {
    let eigen = compliance.symmetric_eigen();
    let least = 1e-12 * eigen.eigenvalues.max();
    let inverse = eigen.eigenvalues.map(|value| if value > least { 1.0 / value } else { 0.0 });
    eigen.eigenvectors * Mat3::from_diagonal(&inverse) * eigen.eigenvectors.transpose()
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
        let mut ties = Ties::new(one_contact(0.0), 4, 2);
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
            let (mut ties, mut action) = (Ties::new(one_contact(0.0), 4, 2), ContactAction::new(4));
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
