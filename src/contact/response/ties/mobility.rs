//! Mobility of tied deformable nodes.

use super::axis::{Axis, Unknowns};
use crate::math::Vec3;

/// Marks nodes that are not tied.
const NONE: u32 = u32::MAX;

/// Mobility of the nodes of deformable bodies that are tied to each other or to fixed bodies.
///
/// An impulse on a tied node acts together with the impulses of the ties that keep the tied points together. With the
/// tie conditions C and the nodal masses M, the mobility is M⁻¹ − M⁻¹ Cᵀ (C M⁻¹ Cᵀ)⁻¹ C M⁻¹ = M⁻¹ Pᵀ, where Pᵀ adds
/// the impulses of the ties ([`TiedMobility::distribute`]).
#[derive(Clone, Debug, Default)]
pub struct TiedMobility {
    groups: Vec<TiedNodes>,
    /// Group of every node; empty without ties.
    group_of: Vec<u32>,
}

/// The nodes of a group of ties, ascending, and their ties along each axis.
#[derive(Clone, Debug)]
pub(super) struct TiedNodes {
    pub nodes: Vec<u32>,
    pub axes: [Axis; 3],
}

/// Workspace of [`TiedMobility::distribute`].
#[derive(Clone, Debug, Default)]
pub(in crate::contact::response) struct Distribution {
    /// Impulses on the nodes of the group, in their order \[N·s\].
    impulses: Vec<Vec3>,
    along_axis: Vec<f64>,
    unknowns: Unknowns,
}

impl TiedMobility {
    /// Mobility of these groups in a model with this number of nodes.
    pub(super) fn new(groups: Vec<TiedNodes>, num_nodes: usize) -> Self {
        let mut group_of = vec![NONE; if groups.is_empty() { 0 } else { num_nodes }];
        for (group, tied) in (0..).zip(&groups) {
            tied.nodes.iter().for_each(|&node| group_of[node as usize] = group);
        }
        Self { groups, group_of }
    }

    /// Group of a node, if it is tied.
    #[inline]
    pub fn group(&self, node: u32) -> Option<u32> {
        self.group_of.get(node as usize).copied().filter(|&group| group != NONE)
    }

    /// First node of a group.
    pub fn first_node(&self, group: u32) -> u32 {
        self.groups[group as usize].nodes[0]
    }

    /// Distributes impulses on nodes of one group over all of its nodes by the ties: the velocity changes M⁻¹ J of the
    /// returned impulses J keep the tied points together. The impulses on fixed components are those that their
    /// supports react to.
    pub(in crate::contact::response) fn distribute<'a>(
        &'a self,
        group: u32,
        impulses: impl Iterator<Item = (u32, Vec3)>,
        workspace: &'a mut Distribution,
    ) -> impl Iterator<Item = (u32, Vec3)> + 'a {
        let TiedNodes { nodes, axes } = &self.groups[group as usize];
        let Distribution { impulses: all, along_axis: along, unknowns } = workspace;
        all.clear();
        all.resize(nodes.len(), Vec3::zeros());
        for (node, impulse) in impulses {
            all[nodes.partition_point(|&other| other < node)] += impulse;
        }
        for (axis, ties) in axes.iter().enumerate() {
            along.clear();
            along.extend(all.iter().map(|impulse| impulse[axis]));
            ties.distribute(along, unknowns);
            all.iter_mut().zip(&*along).for_each(|(impulse, along)| impulse[axis] = *along);
        }
        nodes.iter().copied().zip(all.iter().copied())
    }
}
