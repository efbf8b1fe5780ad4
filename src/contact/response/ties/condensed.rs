//! Ties of deformable bodies, solved for directly.

use super::reduction::Reduction;
use crate::contact::Constraints;
use crate::contact::response::{Bodies, Mobility, StepLength};
use crate::math::{SparseCholesky, Vec3};

/// Marks nodes that are no unknowns.
const NONE: u32 = u32::MAX;

/// Ties between nodes of deformable bodies, and what is held.
///
/// Along each axis the ties make some nodes d follow others c, u_d = Σ_c s_dc u_c ([`Reduction`]). Of all velocities that the
/// ties admit, those nearest to the kicked ones v, by the masses, are v + Δv:
///
/// ```text
/// j_d = v_d − Σ s_dc v_c + (x_d − Σ s_dc x_c)/dt'      what the step to come would bring apart
/// Σ_c' A_cc' Δv_c' = Σ_d m_d s_dc j_d                  A = M_c + Sᵀ M_d S over the nodes c that are free
/// Δv_d = Σ_c s_dc Δv_c − j_d
/// ```
/// The forces are m Δv over the time of the kick, and −Σ_d s_dc f_d on what is held. Velocities are never differences of
/// large forces: the points meet to rounding whatever the masses are. A is a mass matrix, positive definite, and its Cholesky
/// factor is kept, as the masses are.
///
/// # Cost
/// A step: some products for each share, and for each axis two for each entry of the factor.
#[derive(Clone, Debug)]
pub(super) struct Condensed {
    /// All nodes, ascending.
    nodes: Vec<u32>,
    axes: [Axis; 3],
    /// Velocities after the kick, then what ties change of them, by node.
    velocities: Vec<Vec3>,
    changes: Vec<Vec3>,
    /// Of the last step, by node \[N\].
    forces: Vec<Vec3>,
}

/// The ties along one axis; nodes by their places among all of the ties.
#[derive(Clone, Debug)]
struct Axis {
    axis: usize,
    followers: Followers,
    /// Of the nodes; 0 where they are held \[kg\].
    masses: Vec<f64>,
    /// Number of the unknown of a free independent node.
    unknowns: Vec<u32>,
    factor: SparseCholesky,
    right_side: Vec<f64>,
    jumps: Vec<f64>,
}

/// Dependent nodes d and their shares s_dc of others.
#[derive(Clone, Debug, Default)]
struct Followers {
    nodes: Vec<u32>,
    /// Where the shares of each end.
    ends: Vec<u32>,
    shares: Vec<(u32, f64)>,
}

impl Condensed {
    /// Of these ties between nodes with this mobility; `None` where masses differ by so much that rounding leaves A singular.
    pub fn new(ties: &Constraints, mobility: &Mobility) -> Option<Self> {
        let mut nodes: Vec<u32> = ties.iter().flat_map(|tie| tie.nodes.iter().copied()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let [x, y, z] = [0, 1, 2].map(|axis| Axis::new(axis, ties, &nodes, mobility));
        let zeros = vec![Vec3::zeros(); nodes.len()];
        let axes = [x?, y?, z?];
        Some(Self { nodes, axes, velocities: zeros.clone(), changes: zeros.clone(), forces: zeros })
    }

    /// Finds the forces that hold the ties; accelerations include those of all others already.
    pub fn hold(&mut self, bodies: &Bodies<'_>, step: StepLength) {
        let kick = step.kick();
        for (velocity, &node) in self.velocities.iter_mut().zip(&self.nodes) {
            let change = bodies.accelerations[node as usize] * kick;
            *velocity = bodies.velocities[node as usize] + bodies.mobility.free_part(node, &change);
        }
        for axis in &mut self.axes {
            let places = |place: u32| &bodies.positions[self.nodes[place as usize] as usize];
            axis.solve(&self.velocities, places, step.following, &mut self.changes);
        }
        for axis in &self.axes {
            axis.find_forces(&self.changes, kick, &mut self.forces);
        }
    }

    /// Nodes and the forces on them \[N\].
    pub fn nodal_forces(&self) -> impl Iterator<Item = (u32, Vec3)> {
        self.nodes.iter().copied().zip(self.forces.iter().copied())
    }
}

impl Axis {
    fn new(axis: usize, ties: &Constraints, nodes: &[u32], mobility: &Mobility) -> Option<Self> {
        let mut reduction = Reduction::default();
        for tie in ties.iter() {
            reduction.add(tie.nodes, tie.weights, |node| mobility.node(node)[axis] > 0.0);
        }
        let mass = |&node: &u32| match mobility.node(node)[axis] {
            0.0 => 0.0,
            inverse => 1.0 / inverse,
        };
        let masses: Vec<f64> = nodes.iter().map(mass).collect();
        let followers = Followers::new(&reduction, nodes);
        let mut unknowns = vec![NONE; nodes.len()];
        let mut num_unknowns = 0;
        for &(place, _) in &followers.shares {
            let unknown = &mut unknowns[place as usize];
            if masses[place as usize] > 0.0 && *unknown == NONE {
                *unknown = num_unknowns;
                num_unknowns += 1;
            }
        }
        let entries = followers.mass_matrix(&masses, &unknowns);
        let factor = SparseCholesky::factor(num_unknowns as usize, &entries)?;
        let right_side = vec![0.0; num_unknowns as usize];
        let jumps = vec![0.0; followers.nodes.len()];
        Some(Self { axis, followers, masses, unknowns, factor, right_side, jumps })
    }

    /// The changes along the axis.
    fn solve<'a>(
        &mut self,
        velocities: &[Vec3],
        positions: impl Fn(u32) -> &'a Vec3,
        following: f64,
        changes: &mut [Vec3],
    ) {
        let Self { axis, followers, masses, unknowns, factor, right_side, jumps } = self;
        let axis = *axis;
        right_side.fill(0.0);
        for ((dependent, shares), jump) in followers.iter().zip(&mut *jumps) {
            let mut apart = positions(dependent)[axis];
            *jump = velocities[dependent as usize][axis];
            for &(place, share) in shares {
                apart -= share * positions(place)[axis];
                *jump -= share * velocities[place as usize][axis];
            }
            *jump += apart / following;
            let momentum = masses[dependent as usize] * *jump;
            for &(place, share) in shares {
                if let Some(sum) = right_side.get_mut(unknowns[place as usize] as usize) {
                    *sum += share * momentum;
                }
            }
        }
        factor.solve(right_side);
        for (change, &unknown) in changes.iter_mut().zip(&*unknowns) {
            change[axis] = right_side.get(unknown as usize).copied().unwrap_or(0.0);
        }
        for ((dependent, shares), jump) in followers.iter().zip(&*jumps) {
            let follows: f64 =
                shares.iter().map(|&(place, share)| share * changes[place as usize][axis]).sum();
            changes[dependent as usize][axis] = follows - jump;
        }
    }

    /// The forces along the axis \[N\].
    fn find_forces(&self, changes: &[Vec3], kick: f64, forces: &mut [Vec3]) {
        let axis = self.axis;
        for ((force, change), mass) in forces.iter_mut().zip(changes).zip(&self.masses) {
            force[axis] = mass * change[axis] / kick;
        }
        for (dependent, shares) in self.followers.iter() {
            let force = forces[dependent as usize][axis];
            for &(place, share) in shares {
                if self.masses[place as usize] == 0.0 {
                    forces[place as usize][axis] -= share * force;
                }
            }
        }
    }
}

impl Followers {
    /// Of these sums over nodes, which are ascending.
    fn new(reduction: &Reduction, nodes: &[u32]) -> Self {
        let place = |node: u32| nodes.partition_point(|&other| other < node) as u32;
        let mut followers = Self::default();
        for (&node, sum) in &reduction.sums {
            followers.nodes.push(place(node));
            followers.shares.extend(sum.iter().map(|(&other, &share)| (place(other), share)));
            followers.ends.push(followers.shares.len() as u32);
        }
        followers
    }

    /// Dependent nodes with their shares.
    fn iter(&self) -> impl Iterator<Item = (u32, &[(u32, f64)])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends).map(|(start, &end)| start as usize..end as usize);
        self.nodes.iter().zip(ranges).map(|(&node, range)| (node, &self.shares[range]))
    }

    /// Entries of the lower triangle of A.
    fn mass_matrix(&self, masses: &[f64], unknowns: &[u32]) -> Vec<(u32, u32, f64)> {
        let own = unknowns.iter().zip(masses).filter(|(unknown, _)| **unknown != NONE);
        let mut entries: Vec<(u32, u32, f64)> =
            own.map(|(&unknown, &mass)| (unknown, unknown, mass)).collect();
        for (dependent, shares) in self.iter() {
            let mass = masses[dependent as usize];
            let free: Vec<(u32, f64)> = shares
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
}
