//! One Cartesian component of the ties between nodes of deformable bodies.

use super::reduction::larger;
use super::reduction::{Reduction, Terms};
use super::rigid_bodies::TiedRigidBodies;
use super::rows::{RigidPlace, RigidTerm, Row, Rows};
use crate::math::{SparseCholesky, Vec3};
use crate::response::mobility::{Mobility, TiedNodes};

/// Marks nodes without an unknown.
const NONE: u32 = u32::MAX;

/// Ties of one Cartesian component. The displacement of a dependent node d is u_d = Σ_c s_dc u_c + Σ_b P_db U_b. Here
/// u_c are the displacements of independent nodes c, U_b the motions of rigid bodies b, s_dc constant weights, and P_db
/// rows of coefficients ([`Reduction`]). Nodes are given by their index in the group.
///
/// Let v be the nodal velocities after the kick without tie forces, and dt' the length of the following step. Of all
/// velocities that satisfy the ties at the end of the following step, v + Δv are closest to v in the mass norm:
///
/// ```text
/// j_d = v_d − Σ s_dc v_c + (x_d − Σ s_dc x_c − Σ P_db x_b')/dt'    gap rate, with the rigid bodies at x_b' after dt'
/// Σ_c' A_cc' Δv_c' = Σ_d m_d s_dc (j_d − Σ_b P_db U_b)              A = M_c + Sᵀ M_d S over the nodes c that are free
/// Δv_d = Σ_c s_dc Δv_c + Σ_b P_db U_b − j_d
/// ```
/// Here m are the nodal masses, M_c and M_d the diagonal mass matrices of independent and dependent nodes, and S is the
/// matrix of the s_dc. The tie force on a free node is m Δv divided by the duration of the kick. The tie force on a
/// fixed node c is −Σ_d s_dc f_d with the forces f_d on dependent nodes. No velocity is computed as a difference of
/// large forces. The tied points therefore coincide to rounding for any masses. A is a positive definite mass matrix,
/// constant in time; its Cholesky factor is stored.
///
/// # Cost
/// Each solution needs a few products per weight s_dc and two products per entry of the Cholesky factor.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    axis: usize,
    /// Dependent nodes d.
    dependent: Vec<u32>,
    rows: Rows,
    /// Mass of each node of the group \[kg\]; 0 if this component of the node is fixed.
    masses: Vec<f64>,
    /// Number of the unknown of each node of the group; [`NONE`] for nodes that are fixed or dependent.
    unknowns: Vec<u32>,
    factor: SparseCholesky,
    right_side: Vec<f64>,
    /// Workspace of the factor.
    ordered: Vec<f64>,
    /// Gap rates j_d \[m/s\].
    jumps: Vec<f64>,
}

impl Axis {
    /// Ties of the Cartesian component `axis` between `nodes`. `reduction` contains the tie conditions of this
    /// component, solved for the dependent nodes. `parts` splits a sum into nodal weights and terms of movable rigid
    /// bodies. Returns `None` if rounding makes A singular, which happens for extreme mass ratios.
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

    /// Rigid-body terms of all sums.
    pub fn rigid_terms(&self) -> &[RigidTerm] {
        self.rows.rigid_terms()
    }

    /// Computes the gap rates j over the following step, of length `following` \[s\], from the nodal velocities, the
    /// nodal positions, and the positions `ends` of the rigid bodies at the end of the following step. Returns the
    /// largest |j| \[m/s\].
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

    /// Adds the impulses Σ_d m_d P_db (j_d − Σ_c s_dc Δv_c) to the rigid bodies. The Δv_c are the solution for U = 0.
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

    /// Adds the velocity changes of the nodes to this component of `changes`, given the changes of the rigid bodies.
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

    /// Σ_c s_dc Δv_c of one row.
    fn followed_change(&self, row: Row<'_>) -> f64 {
        let value = |place: u32| self.right_side.get(self.unknowns[place as usize] as usize).copied();
        row.shares.iter().map(|&(place, share)| share * value(place).unwrap_or(0.0)).sum()
    }

    /// Solves for Δv_c, given the motion of the rigid bodies; the result is in `right_side`.
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

    /// The nodes and their ties to each other, without rigid bodies.
    pub fn tied_nodes(&self) -> TiedNodes {
        let dependent = self.dependent.iter().copied();
        TiedNodes::new(
            dependent.zip(self.rows.iter().map(|row| row.shares)),
            self.masses.clone(),
            self.unknowns.clone(),
            self.factor.clone(),
        )
    }

    /// Computes this component of the nodal forces \[N\], which cause the velocity changes over the time `kick` \[s\].
    /// Adds the impulses of the nodes on the rigid bodies, at the positions `present`, to `impulses` \[N·s, N·m·s\].
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

    /// Added mass H of the nodes tied to `num` rigid bodies. Each body has four motions in this component: the
    /// translation, and a motion proportional to each of the three reference coordinates from the centre. P contains
    /// the motions of the dependent nodes with fixed independent nodes. The independent nodes c move by −Z so that the
    /// kinetic energy is least:
    ///
    /// ```text
    /// H = Wᵀ M_d W + Zᵀ M_c Z,   W = P − S Z,   A Z = Sᵀ M_d P
    /// ```
    /// H is computed as a sum of squares and stored row by row \[kg, kg·m, kg·m²\].
    pub fn added_mass(&mut self, num: usize) -> Vec<f64> {
        let (num_columns, num_dependent) = (4 * num, self.dependent.len());
        // √m times the motions of the dependent nodes, followed by √m times the motions of the independent nodes.
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
            // With zero gap rates, the solution is the motion of the independent nodes under the motion of the bodies.
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

/// Entries (row, column, value) of the lower triangle of A; the values of repeated entries add up.
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
