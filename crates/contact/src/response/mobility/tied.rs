//! Mobility of tied deformable nodes.

use crate::math::{SparseCholesky, Vec3};

const NONE: u32 = u32::MAX;

/// Mobility of deformable nodes that are tied to each other or to fixed bodies.
///
/// With the matrix M of the nodal masses and the tie conditions C v = 0 for the nodal velocities v, the mobility is
///
/// ```text
/// M⁻¹ − M⁻¹ Cᵀ (C M⁻¹ Cᵀ)⁻¹ C M⁻¹ = M⁻¹ Pᵀ
/// ```
/// The matrix Pᵀ adds the impulses of the ties to the nodal impulses (see `distribute`).
#[derive(Clone, Debug, Default)]
pub struct TiedMobility {
    groups: Vec<TiedGroup>,
    /// Group of every node; empty without ties.
    group_of: Vec<u32>,
}

/// Ties coupled through common nodes or bodies. `nodes` are ascending; `axes` are the Cartesian components of the ties.
#[derive(Clone, Debug)]
pub(crate) struct TiedGroup {
    pub nodes: Vec<u32>,
    pub axes: [TiedNodes; 3],
}

/// Ties of a group for one Cartesian component. The displacement of a dependent node d is u_d = Σ_c s_dc u_c, with the
/// displacements u_c of independent nodes c. The index of a node is its place in `TiedGroup::nodes`.
#[derive(Clone, Debug)]
pub(crate) struct TiedNodes {
    /// Index of each dependent node, and end of its entries in `shares`.
    dependent: Vec<(u32, u32)>,
    /// Indices of the independent nodes c, and their weights s_dc.
    shares: Vec<(u32, f64)>,
    /// Nodal masses \[kg\]; 0 if this component is fixed.
    masses: Vec<f64>,
    /// Index of the unknown of each node; `NONE` for fixed and dependent nodes.
    unknowns: Vec<u32>,
    /// Cholesky factor of A = M_c + Sᵀ M_d S over the free independent nodes c. M_c and M_d are the masses of
    /// independent and dependent nodes, and S is the matrix of the s_dc.
    factor: SparseCholesky,
    num_unknowns: usize,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Distribution {
    /// Nodal impulses of the group \[N·s\].
    impulses: Vec<Vec3>,
    along_axis: Vec<f64>,
    /// One component of the velocity changes of the free independent nodes \[m/s\].
    changes: Vec<f64>,
    ordered: Vec<f64>,
}

impl TiedMobility {
    pub(crate) fn new(groups: Vec<TiedGroup>, num_nodes: usize) -> Self {
        let mut group_of = vec![NONE; if groups.is_empty() { 0 } else { num_nodes }];
        for (group, tied) in (0..).zip(&groups) {
            tied.nodes.iter().for_each(|&node| group_of[node as usize] = group);
        }
        Self { groups, group_of }
    }

    /// Group of a node; `None` for nodes without ties.
    #[inline]
    pub fn group(&self, node: u32) -> Option<u32> {
        self.group_of.get(node as usize).copied().filter(|&group| group != NONE)
    }

    /// First node of a group.
    pub fn first_node(&self, group: u32) -> u32 {
        self.groups[group as usize].nodes[0]
    }

    /// Adds the impulses of the ties to `impulses`, and returns the sum J' for every node of the group. The velocity
    /// changes M⁻¹ J' keep the tied points together. On a fixed component, J' changes no velocity.
    pub(crate) fn distribute<'a>(
        &'a self,
        group: u32,
        impulses: impl Iterator<Item = (u32, Vec3)>,
        workspace: &'a mut Distribution,
    ) -> impl Iterator<Item = (u32, Vec3)> + 'a {
        let TiedGroup { nodes, axes } = &self.groups[group as usize];
        let Distribution { impulses: all, along_axis: along, changes, ordered } = workspace;
        all.clear();
        all.resize(nodes.len(), Vec3::zeros());
        for (node, impulse) in impulses {
            all[nodes.partition_point(|&other| other < node)] += impulse;
        }
        for (axis, ties) in axes.iter().enumerate() {
            along.clear();
            along.extend(all.iter().map(|impulse| impulse[axis]));
            ties.distribute(along, changes, ordered);
            all.iter_mut().zip(&*along).for_each(|(impulse, along)| impulse[axis] = *along);
        }
        nodes.iter().copied().zip(all.iter().copied())
    }
}

impl TiedNodes {
    /// `rows` gives each dependent node and its shares, as pairs of independent node and weight. `masses` and
    /// `unknowns` have an entry for every node of the group.
    pub fn new<'a>(
        rows: impl Iterator<Item = (u32, &'a [(u32, f64)])>,
        masses: Vec<f64>,
        unknowns: Vec<u32>,
        factor: SparseCholesky,
    ) -> Self {
        let (mut dependent, mut shares) = (Vec::new(), Vec::new());
        for (node, of_node) in rows {
            shares.extend_from_slice(of_node);
            dependent.push((node, shares.len() as u32));
        }
        let num_unknowns = unknowns.iter().filter(|unknown| **unknown != NONE).count();
        Self { dependent, shares, masses, unknowns, factor, num_unknowns }
    }

    fn rows(&self) -> impl Iterator<Item = (usize, &[(u32, f64)])> {
        let starts = std::iter::once(0).chain(self.dependent.iter().map(|(_, end)| *end));
        let rows = starts.zip(&self.dependent);
        rows.map(|(start, &(node, end))| (node as usize, &self.shares[start as usize..end as usize]))
    }

    /// Adds the impulses of the ties to one component J of the nodal impulses (`impulses`). The sums J' cause the
    /// velocity changes Δv = M⁻¹ J'. For independent nodes c and dependent nodes d:
    ///
    /// ```text
    /// (A Δv)_c = J_c + Σ_d s_dc J_d               free c
    /// Δv_d = Σ_c s_dc Δv_c
    /// J'_c = J_c + Σ_d s_dc (J_d − m_d Δv_d)      fixed c
    /// ```
    fn distribute(&self, impulses: &mut [f64], changes: &mut Vec<f64>, ordered: &mut Vec<f64>) {
        let Self { masses, unknowns, .. } = self;
        changes.clear();
        changes.resize(self.num_unknowns, 0.0);
        for (&unknown, impulse) in unknowns.iter().zip(&*impulses).filter(|(unknown, _)| **unknown != NONE) {
            changes[unknown as usize] = *impulse;
        }
        for (dependent, shares) in self.rows() {
            for &(place, share) in shares {
                if let Some(sum) = changes.get_mut(unknowns[place as usize] as usize) {
                    *sum += share * impulses[dependent];
                }
            }
        }
        self.factor.solve(changes, ordered);
        let change = |place: usize| changes.get(unknowns[place] as usize).copied().unwrap_or(0.0);
        for (dependent, shares) in self.rows() {
            let followed: f64 = shares.iter().map(|&(place, share)| share * change(place as usize)).sum();
            let own = std::mem::replace(&mut impulses[dependent], masses[dependent] * followed);
            let rest = own - impulses[dependent];
            let fixed = shares.iter().filter(|(place, _)| masses[*place as usize] == 0.0);
            fixed.for_each(|&(place, share)| impulses[place as usize] += share * rest);
        }
        for (place, impulse) in impulses.iter_mut().enumerate() {
            if unknowns[place] != NONE {
                *impulse = masses[place] * change(place);
            }
        }
    }
}
