//! One Cartesian component of the ties of deformable bodies, to each other and to rigid bodies.

use super::reduction::larger;
use super::reduction::{Reduction, Terms};
use super::rigid_bodies::TiedRigidBodies;
use super::rows::{RigidPlace, RigidTerm, Row, Rows};
use crate::math::{SparseCholesky, Vec3};
use crate::response::mobility::{Mobility, TiedNodes};

const NONE: u32 = u32::MAX;

/// Ties of one Cartesian component. The velocity of a dependent node d is v_d = Σ_c s_dc v_c + Σ_b P_db V_b. Here v_c
/// are the velocities of independent nodes c. V_b are the velocities and angular velocities of rigid bodies b. The
/// s_dc are constant weights (see [`Reduction`]). The P_db are rows of coefficients (see `RigidTerm`). Nodes are given
/// by their index in the group.
///
/// Let v be the nodal velocities after the kick without tie forces, and dt' the length of the following step. Of the
/// velocities with which the ties hold at the end of the following step, v + Δv are closest to v in the mass norm:
///
/// ```text
/// j_d = v_d − Σ s_dc v_c + (x_d − Σ s_dc x_c − Σ p_db')/dt'         gap rate
/// (A Δv)_c = Σ_d m_d s_dc (j_d − Σ_b P_db U_b)                      A = M_c + Sᵀ M_d S over the nodes c that are free
/// Δv_d = Σ_c s_dc Δv_c + Σ_b P_db U_b − j_d
/// ```
/// The p_db' are the contributions of the rigid bodies to x_d (`RigidTerm::position`) at the end of the following step.
/// x_d and x_c are the present nodal positions, m_d the nodal masses, and U_b the changes of V_b. M_c and M_d are the
/// diagonal mass matrices of independent and dependent nodes, and S is the matrix of the s_dc. The tie force on a free
/// node is its mass times Δv, divided by the duration of the kick. The tie force on a fixed node c is −Σ_d s_dc f_d
/// with the forces f_d on dependent nodes. No velocity is computed as a difference of large forces, so tied points
/// coincide to rounding for any masses. A is constant in time.
///
/// # Cost
/// Each solution needs a few multiplications per weight s_dc and two per entry of the Cholesky factor.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    axis: usize,
    dependent: Vec<u32>,
    rows: Rows,
    /// Nodal masses \[kg\]; 0 if this component is fixed.
    masses: Vec<f64>,
    /// Index of the unknown of each node; `NONE` for fixed and dependent nodes.
    unknowns: Vec<u32>,
    factor: SparseCholesky,
    right_side: Vec<f64>,
    ordered: Vec<f64>,
    /// Gap rates j_d \[m/s\].
    jumps: Vec<f64>,
}

impl Axis {
    /// `reduction` contains the tie conditions, solved for the dependent nodes. `parts` splits a weighted sum over
    /// nodes into nodal weights and terms of movable rigid bodies. The result is `None` if rounding makes A singular,
    /// at extreme mass ratios.
    pub fn new(
        axis: usize,
        reduction: &Reduction,
        nodes: &[u32],
        mobility: &Mobility,
        parts: impl Fn(&Terms) -> (Vec<(u32, f64)>, Vec<RigidTerm>),
    ) -> Option<Self> {
        let mass = |&node: &u32| match mobility.node(node)[axis] {
            0.0 => 0.0,
            inverse => 1.0 / inverse,
        };
        let masses: Vec<f64> = nodes.iter().map(mass).collect();
        let (mut dependent, mut rows) = (Vec::new(), Rows::default());
        for (&node, sum) in &reduction.sums {
            dependent.push(nodes.partition_point(|&other| other < node) as u32);
            let (shares, rigid) = parts(sum);
            rows.push(shares, rigid);
        }
        let mut unknowns = vec![NONE; nodes.len()];
        let mut num_unknowns = 0;
        for &(place, _) in rows.iter().flat_map(|row| row.shares) {
            let unknown = &mut unknowns[place as usize];
            if masses[place as usize] > 0.0 && *unknown == NONE {
                *unknown = num_unknowns;
                num_unknowns += 1;
            }
        }
        let entries = mass_matrix(&dependent, &rows, &masses, &unknowns);
        let factor = SparseCholesky::factor(num_unknowns as usize, &entries)?;
        let right_side = vec![0.0; num_unknowns as usize];
        let jumps = vec![0.0; dependent.len()];
        let ordered = Vec::with_capacity(right_side.len());
        Some(Self { axis, dependent, rows, masses, unknowns, factor, right_side, ordered, jumps })
    }

    pub fn rigid_terms(&self) -> &[RigidTerm] {
        self.rows.rigid_terms()
    }

    /// Computes the gap rates j over the following step of length `following` \[s\]; `ends` are the places of the rigid
    /// bodies at the end of that step. Returns the largest magnitude of j \[m/s\].
    pub fn find_jumps(
        &mut self,
        velocity: impl Fn(u32) -> Vec3,
        position: impl Fn(u32) -> Vec3,
        ends: &[RigidPlace],
        following: f64,
    ) -> f64 {
        let axis = self.axis;
        for ((&dependent, row), jump) in self.dependent.iter().zip(self.rows.iter()).zip(&mut self.jumps) {
            let mut apart = position(dependent)[axis];
            *jump = velocity(dependent)[axis];
            for &(place, share) in row.shares {
                apart -= share * position(place)[axis];
                *jump -= share * velocity(place)[axis];
            }
            for term in row.rigid {
                apart -= term.position(axis, &ends[term.local_body as usize]);
            }
            *jump += apart / following;
        }
        self.jumps.iter().map(|jump| jump.abs()).fold(0.0, larger)
    }

    /// Adds the impulse Σ_d m_d P_db (j_d − Σ_c s_dc Δv_c) to each rigid body b. Δv_c is the solution for U_b = 0.
    pub fn push(&mut self, rigid_bodies: &mut TiedRigidBodies) {
        if self.rigid_terms().is_empty() {
            return;
        }
        self.solve(|_| 0.0);
        for ((&dependent, row), jump) in self.dependent.iter().zip(self.rows.iter()).zip(&self.jumps) {
            let push = self.masses[dependent as usize] * (jump - self.followed_change(row));
            row.rigid.iter().for_each(|term| rigid_bodies.push_at(term, self.axis, push));
        }
    }

    pub fn add_changes(&mut self, rigid_bodies: &TiedRigidBodies, changes: &mut [Vec3]) {
        let axis = self.axis;
        let rigid_motion = |term: &RigidTerm| rigid_bodies.change_at(term, axis);
        self.solve(rigid_motion);
        for (change, &unknown) in changes.iter_mut().zip(&self.unknowns) {
            change[axis] += self.right_side.get(unknown as usize).copied().unwrap_or(0.0);
        }
        for ((&dependent, row), jump) in self.dependent.iter().zip(self.rows.iter()).zip(&self.jumps) {
            let rigid_motion: f64 = row.rigid.iter().map(rigid_motion).sum();
            changes[dependent as usize][axis] += self.followed_change(row) + rigid_motion - jump;
        }
    }

    /// Σ_c s_dc Δv_c.
    fn followed_change(&self, row: Row<'_>) -> f64 {
        let value = |place: u32| self.right_side.get(self.unknowns[place as usize] as usize).copied();
        row.shares.iter().map(|&(place, share)| share * value(place).unwrap_or(0.0)).sum()
    }

    /// Computes Δv_c from the terms P_db U_b, which `rigid_motion` returns. `right_side` receives Δv_c.
    fn solve(&mut self, rigid_motion: impl Fn(&RigidTerm) -> f64) {
        let Self { dependent, rows, masses, unknowns, factor, right_side, ordered, jumps, .. } = self;
        right_side.fill(0.0);
        for ((&dependent, row), jump) in dependent.iter().zip(rows.iter()).zip(jumps) {
            let rest = *jump - row.rigid.iter().map(&rigid_motion).sum::<f64>();
            let momentum = masses[dependent as usize] * rest;
            for &(place, share) in row.shares {
                if let Some(sum) = right_side.get_mut(unknowns[place as usize] as usize) {
                    *sum += share * momentum;
                }
            }
        }
        factor.solve(right_side, ordered);
    }

    pub fn tied_nodes(&self) -> TiedNodes {
        let dependent = self.dependent.iter().copied();
        TiedNodes::new(
            dependent.zip(self.rows.iter().map(|row| row.shares)),
            self.masses.clone(),
            self.unknowns.clone(),
            self.factor.clone(),
        )
    }

    /// Computes this component of the nodal forces \[N\] that cause the velocity changes `changes` over the time `kick`
    /// \[s\]. Adds the impulses of the dependent nodes on the rigid bodies at the places `present` to `impulses`
    /// \[N·s, N·m·s\].
    pub fn find_forces(
        &self,
        changes: &[Vec3],
        kick: f64,
        present: &[RigidPlace],
        forces: &mut [Vec3],
        impulses: &mut [[Vec3; 2]],
    ) {
        let axis = self.axis;
        for ((force, change), mass) in forces.iter_mut().zip(changes).zip(&self.masses) {
            force[axis] = mass * change[axis] / kick;
        }
        for (&dependent, row) in self.dependent.iter().zip(self.rows.iter()) {
            let force = forces[dependent as usize][axis];
            for &(place, share) in row.shares {
                if self.masses[place as usize] == 0.0 {
                    forces[place as usize][axis] -= share * force;
                }
            }
            for term in row.rigid {
                let coefficients = term.coefficients(axis, &present[term.local_body as usize]);
                let of_local_body = &mut impulses[term.local_body as usize];
                of_local_body.iter_mut().zip(coefficients).for_each(|(sum, of)| *sum -= of * (force * kick));
            }
        }
    }

    /// Added mass H of the nodes tied to `num` rigid bodies, row by row \[kg, kg·m, kg·m²\]. Each body has four
    /// motions along the axis: a translation, and one motion proportional to each reference coordinate relative to the
    /// centre. P has a column for each of these motions: the motion of the dependent nodes if the independent nodes are
    /// at rest. The kinetic energy of all nodes is least if the independent nodes move by −Z; the dependent nodes then
    /// move by W:
    ///
    /// ```text
    /// H = Wᵀ M_d W + Zᵀ M_c Z,   W = P − S Z,   A Z = Sᵀ M_d P
    /// ```
    pub fn added_mass(&mut self, num: usize) -> Vec<f64> {
        let (num_columns, num_dependent) = (4 * num, self.dependent.len());
        // Each column contains nodal motions times √m, with the nodal mass m: first of the dependent nodes, then of the
        // independent nodes.
        let mut columns = vec![vec![0.0; num_dependent + self.right_side.len()]; num_columns];
        let free = |place: u32| self.masses[place as usize].sqrt();
        let of_unknowns: Vec<(usize, f64)> = (0..self.unknowns.len() as u32)
            .filter(|&place| self.unknowns[place as usize] != NONE)
            .map(|place| (self.unknowns[place as usize] as usize, free(place)))
            .collect();
        let of_dependent: Vec<f64> = self.dependent.iter().map(|&place| free(place)).collect();
        for (column, motions) in columns.iter_mut().enumerate() {
            let (local_body, basis) = (column as u32 / 4, column % 4);
            let rigid_motion = |term: &RigidTerm| match basis {
                _ if term.local_body != local_body => 0.0,
                0 => term.weight,
                k => term.arm[k - 1],
            };
            self.jumps.fill(0.0);
            // With zero gap rates, the solution is −Z.
            self.solve(rigid_motion);
            for ((motion, row), root) in motions.iter_mut().zip(self.rows.iter()).zip(&of_dependent) {
                *motion =
                    root * (self.followed_change(row) + row.rigid.iter().map(rigid_motion).sum::<f64>());
            }
            for &(unknown, root) in &of_unknowns {
                motions[num_dependent + unknown] = root * self.right_side[unknown];
            }
        }
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        columns.iter().flat_map(|a| columns.iter().map(move |b| product(a, b))).collect()
    }
}

/// Lower triangle of A as (row, column, value); repeated entries add up.
fn mass_matrix(dependent: &[u32], rows: &Rows, masses: &[f64], unknowns: &[u32]) -> Vec<(u32, u32, f64)> {
    let own = unknowns.iter().zip(masses).filter(|(unknown, _)| **unknown != NONE);
    let mut entries: Vec<(u32, u32, f64)> = own.map(|(&unknown, &mass)| (unknown, unknown, mass)).collect();
    for (&dependent, row) in dependent.iter().zip(rows.iter()) {
        let mass = masses[dependent as usize];
        let free: Vec<(u32, f64)> = row
            .shares
            .iter()
            .map(|&(place, share)| (unknowns[place as usize], share))
            .filter(|(unknown, _)| *unknown != NONE)
            .collect();
        for &(row, share) in &free {
            let lower = free.iter().filter(|(column, _)| *column <= row);
            entries.extend(lower.map(|&(column, other)| (row, column, mass * share * other)));
        }
    }
    entries
}
