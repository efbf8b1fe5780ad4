//! Ties of rigid bodies, by iteration.

use crate::contact::Constraints;
use crate::contact::response::row::{Motion, Row};
use crate::contact::response::{Bodies, StepLength};
use crate::math::{Mat3, Vec3};

/// Relative velocities are found to this part of the largest one before, and to the rounding of the velocities.
const TOLERANCE: f64 = 1e-14;
/// Most sweeps; the rest is taken up by the next step.
const MAX_SWEEPS: usize = 1000;

/// Ties in groups with rigid bodies that can move.
#[derive(Clone, Debug)]
pub(super) struct Swept {
    ties: Constraints,
    kicked: Motion,
    rows: Vec<(Row, Mat3)>,
    forces: Vec<Vec3>,
}

impl Swept {
    /// Ties at these points for a model of so many nodes and bodies.
    pub fn new(ties: Constraints, num_nodes: usize, num_bodies: usize) -> Self {
        let kicked = Motion::new(num_nodes, num_bodies);
        Self { ties, kicked, rows: Vec::new(), forces: Vec::new() }
    }

    /// Finds the forces that hold the ties; accelerations include those of all others already.
    pub fn hold(&mut self, bodies: &Bodies<'_>, step: StepLength) {
        for tie in self.ties.iter() {
            self.kicked.kick(&tie, bodies, step.kick());
        }
        self.rows.clear();
        self.rows.extend(self.ties.iter().map(|tie| {
            let row = Row::new(&tie, bodies);
            let mass = pseudo_inverse(&row.compliance);
            (row, mass)
        }));
        self.solve(bodies, step);
    }

    /// Nodes, of which some come often, and the forces on them \[N\].
    pub fn nodal_forces(&self) -> impl Iterator<Item = (u32, Vec3)> {
        let ties = self.ties.iter().zip(&self.forces);
        ties.flat_map(|(tie, force)| {
            let nodes = tie.nodes.iter().zip(tie.weights);
            nodes.map(move |(&node, &weight)| (node, force * weight))
        })
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
}

/// Inverse where the matrix has one; of a component that nothing moves, zero.
fn pseudo_inverse(compliance: &Mat3) -> Mat3 {
    let eigen = compliance.symmetric_eigen();
    let least = 1e-12 * eigen.eigenvalues.max();
    let inverse = eigen.eigenvalues.map(|value| if value > least { 1.0 / value } else { 0.0 });
    eigen.eigenvectors * Mat3::from_diagonal(&inverse) * eigen.eigenvectors.transpose()
}
