//! Contact constraints: a gap, a normal, and nodal weights that sum to zero.

use ictus_core::clone_by_field;
use serde::{Deserialize, Serialize};

use super::flush::rounding_of_gap;
use crate::element::MAX_NODES;
use crate::math::Vec3;

/// Largest absolute value of a nodal weight that counts as zero \[-\]. If the closest point lies on an edge of a face,
/// the face nodes off this edge have such weights.
const CARRYING: f64 = 1e-9;

/// Identifies a contact as long as the contact lasts. Node contacts sort before edge contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ContactKey {
    /// Node–surface contact.
    Node(NodeOnSurface),
    /// Edge–edge contact.
    Edges(EdgeOnEdge),
}

/// Contact of a node with the surface of a body. The face in contact can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeOnSurface {
    /// Contactor node, global number.
    pub contactor: u32,
    /// Number of the body of the target surface.
    pub target: u32,
}

/// Contact of two crossing edges. Edge numbers run through all surfaces, in the order of the bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EdgeOnEdge {
    /// The edge with the lower number.
    pub contactor: u32,
    /// The edge with the higher number.
    pub target: u32,
}

/// Contact constraints, sorted by key.
///
/// A constraint has a gap g, a unit normal n, and nodes a with positions x_a and weights w_a. N_a is the shape value of
/// node a at the point of contact:
///
/// - contactor (node or edge): w_a = N_a, equal to 1 for a single node
/// - target (face, edge, wall or element): w_a = −N_a
/// - detection by closest points: g = n · Σ w_a x_a minus the offsets of the two surfaces
/// - detection by distance fields: g = −(depth of the contactor node below the target surface)
///
/// A caller can replace the gaps, for example to subtract an initial overlap ([`Constraints::map_gaps`]). A normal
/// force p ≥ 0 acts on node a as p w_a n. As Σ w_a = 0, the contact forces conserve linear momentum.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Constraints {
    keys: Vec<ContactKey>,
    bodies: Vec<[u32; 2]>,
    gaps: Vec<f64>,
    normals: Vec<Vec3>,
    /// For each constraint, the index in `nodes` of its first target node, and one past its last target node.
    ends: Vec<[u32; 2]>,
    nodes: Vec<u32>,
    weights: Vec<f64>,
}

clone_by_field!(Constraints { keys, bodies, gaps, normals, ends, nodes, weights });

/// One side of a contact: a node, an edge, a face or an element.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Number of the body.
    pub body: u32,
    /// Global node numbers.
    pub nodes: &'a [u32],
    /// Shape values of the nodes at the point of contact, with sum 1 \[-\].
    pub shape_values: &'a [f64],
}

/// One constraint, borrowed from [`Constraints`].
#[derive(Clone, Copy, Debug)]
pub struct Constraint<'a> {
    /// Key of the contact.
    pub key: ContactKey,
    /// Bodies of the contactor and the target, equal in self-contact.
    pub bodies: [u32; 2],
    /// Signed distance, negative in penetration \[m\].
    pub gap: f64,
    /// Unit normal out of the target.
    pub normal: Vec3,
    /// Global node numbers, the contactor nodes first.
    pub nodes: &'a [u32],
    /// Weights of the nodes \[-\].
    pub weights: &'a [f64],
    /// Number of contactor nodes.
    pub num_contactor_nodes: usize,
}

impl Constraint<'_> {
    /// Point of contact on the contactor \[m\].
    pub fn point(&self, positions: &[Vec3]) -> Vec3 {
        let nodes = self.nodes.iter().zip(self.weights).take(self.num_contactor_nodes);
        nodes.map(|(&node, &weight)| positions[node as usize] * weight).sum()
    }

    /// Whether the gap is positive, or zero within rounding.
    pub fn is_flush(&self, positions: &[Vec3]) -> bool {
        self.gap >= -rounding_of_gap(self.nodes.iter().map(|&node| &positions[node as usize]))
    }

    /// Whether the target has several nodes, whose forces can form a couple. A wall has one node.
    pub fn can_take_couple(&self) -> bool {
        self.nodes.len() > self.num_contactor_nodes + 1
    }

    /// Target nodes whose absolute weights exceed `CARRYING`.
    pub fn carrying_target_nodes(&self) -> impl Iterator<Item = u32> {
        let target = self.nodes.iter().zip(self.weights).skip(self.num_contactor_nodes);
        target.filter(|(_, weight)| weight.abs() > CARRYING).map(|(&node, _)| node)
    }

    /// The sum Σ w_a q_a over the nodes a, where q_a is the entry of `field` at node a.
    pub fn jump(&self, field: &[Vec3]) -> Vec3 {
        self.nodes.iter().zip(self.weights).map(|(&node, &weight)| field[node as usize] * weight).sum()
    }
}

impl Constraints {
    /// Whether the arrays are consistent, all node numbers are below `num_nodes`, and all body numbers below
    /// `num_bodies`.
    pub fn fit(&self, num_nodes: usize, num_bodies: usize) -> bool {
        let count = self.keys.len();
        let lengths = [self.bodies.len(), self.gaps.len(), self.normals.len(), self.ends.len()];
        let mut first = 0;
        let rows_follow = self.ends.iter().all(|&[contactors, targets]| {
            let follows = first <= contactors && contactors <= targets;
            first = targets;
            follows
        });
        lengths == [count; 4]
            && rows_follow
            && first as usize == self.nodes.len()
            && self.weights.len() == self.nodes.len()
            && self.keys.is_sorted()
            && self.nodes.iter().all(|&node| (node as usize) < num_nodes)
            && self.bodies.iter().flatten().all(|&body| (body as usize) < num_bodies)
    }

    /// Removes all constraints and keeps the allocated memory.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.bodies.clear();
        self.gaps.clear();
        self.normals.clear();
        self.ends.clear();
        self.nodes.clear();
        self.weights.clear();
    }

    /// Appends a constraint. The key must be greater than all present keys.
    // Inlined: otherwise the caller would store the arguments in small parts, and this function would load them in
    // wider parts. A wide load waits for all stores of its parts.
    #[inline(always)]
    pub fn push(&mut self, key: ContactKey, gap: f64, normal: Vec3, contactor: Side<'_>, target: Side<'_>) {
        debug_assert!(self.keys.last().is_none_or(|last| *last < key), "constraints out of order");
        self.keys.push(key);
        self.gaps.push(gap);
        self.normals.push(normal);
        self.bodies.push([contactor.body, target.body]);
        self.nodes.extend_from_slice(contactor.nodes);
        self.weights.extend_from_slice(contactor.shape_values);
        let middle = self.nodes.len() as u32;
        self.nodes.extend_from_slice(target.nodes);
        self.weights.extend(target.shape_values.iter().map(|value| -value));
        self.ends.push([middle, self.nodes.len() as u32]);
    }

    /// Inserts `others`, whose keys must ascend and differ from all present keys. `workspace` is overwritten.
    pub fn merge<'a>(&mut self, others: impl Iterator<Item = Constraint<'a>>, workspace: &mut Self) {
        workspace.clear();
        let mut others = others.peekable();
        for constraint in self.iter() {
            while let Some(other) = others.next_if(|other| other.key < constraint.key) {
                workspace.push_copy(&other);
            }
            workspace.push_copy(&constraint);
        }
        others.for_each(|other| workspace.push_copy(&other));
        std::mem::swap(self, workspace);
    }

    /// Keeps the constraints for which `wanted` returns true; `workspace` is overwritten.
    pub fn retain(&mut self, mut wanted: impl FnMut(&Constraint<'_>) -> bool, workspace: &mut Self) {
        workspace.clear();
        self.iter().filter(|constraint| wanted(constraint)).for_each(|kept| workspace.push_copy(&kept));
        std::mem::swap(self, workspace);
    }

    /// Replaces each key by `name(key)` and sorts the constraints. The new keys must be distinct. `order` and
    /// `workspace` are overwritten.
    pub fn rename(
        &mut self,
        name: impl Fn(ContactKey) -> ContactKey,
        order: &mut Vec<(ContactKey, usize)>,
        workspace: &mut Self,
    ) {
        order.clear();
        order.extend(self.keys.iter().map(|&key| name(key)).zip(0..));
        order.sort_unstable();
        workspace.clear();
        order.iter().for_each(|&(key, k)| workspace.push_copy(&Constraint { key, ..self.get(k) }));
        std::mem::swap(self, workspace);
    }

    /// Replaces every gap \[m\] by `gap(key, old gap)`, in ascending order of the keys.
    pub fn map_gaps(&mut self, mut gap: impl FnMut(ContactKey, f64) -> f64) {
        for (key, value) in self.keys.iter().zip(&mut self.gaps) {
            *value = gap(*key, *value);
        }
    }

    /// Replaces gaps \[m\], normals and weights. `geometry` receives the index, the constraint and a copy of the old
    /// weights. `geometry` overwrites the copy with the new weights, and returns the new gap and normal.
    pub fn renew_geometry(
        &mut self,
        mut geometry: impl FnMut(usize, &Constraint<'_>, &mut [f64]) -> (f64, Vec3),
    ) {
        let mut copy = [0.0; 2 * MAX_NODES];
        for k in 0..self.len() {
            let constraint = self.get(k);
            let weights = &mut copy[..constraint.weights.len()];
            weights.copy_from_slice(constraint.weights);
            let (gap, normal) = geometry(k, &constraint, weights);
            (self.gaps[k], self.normals[k]) = (gap, normal);
            let first = if k == 0 { 0 } else { self.ends[k - 1][1] as usize };
            self.weights[first..first + weights.len()].copy_from_slice(weights);
        }
    }

    pub(super) fn push_copy(&mut self, constraint: &Constraint<'_>) {
        debug_assert!(self.keys.last().is_none_or(|last| *last < constraint.key), "constraints out of order");
        self.keys.push(constraint.key);
        self.bodies.push(constraint.bodies);
        self.gaps.push(constraint.gap);
        self.normals.push(constraint.normal);
        let middle = (self.nodes.len() + constraint.num_contactor_nodes) as u32;
        self.nodes.extend_from_slice(constraint.nodes);
        self.weights.extend_from_slice(constraint.weights);
        self.ends.push([middle, self.nodes.len() as u32]);
    }

    /// The keys, ascending.
    pub fn keys(&self) -> &[ContactKey] {
        &self.keys
    }

    /// Whether a constraint has the key.
    pub fn contains(&self, key: ContactKey) -> bool {
        self.keys.binary_search(&key).is_ok()
    }

    /// The constraint with the key, if any.
    pub fn of(&self, key: ContactKey) -> Option<Constraint<'_>> {
        self.keys.binary_search(&key).ok().map(|k| self.get(k))
    }

    /// The node–surface constraints of a contactor node.
    pub fn of_contactor(&self, node: u32) -> impl Iterator<Item = Constraint<'_>> {
        let is_before = |key: &ContactKey| matches!(key, ContactKey::Node(key) if key.contactor < node);
        let first = self.keys.partition_point(is_before);
        let is_of_node =
            move |&k: &usize| matches!(self.keys[k], ContactKey::Node(key) if key.contactor == node);
        (first..self.len()).take_while(is_of_node).map(|k| self.get(k))
    }

    /// The edge–edge constraints.
    pub fn of_edges(&self) -> impl Iterator<Item = Constraint<'_>> {
        let first = self.keys.partition_point(|key| matches!(key, ContactKey::Node(_)));
        (first..self.len()).map(|k| self.get(k))
    }

    /// Number of constraints.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are no constraints.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The k-th constraint.
    pub fn get(&self, k: usize) -> Constraint<'_> {
        let first = if k == 0 { 0 } else { self.ends[k - 1][1] as usize };
        let [middle, end] = self.ends[k].map(|end| end as usize);
        let range = first..end;
        Constraint {
            key: self.keys[k],
            bodies: self.bodies[k],
            gap: self.gaps[k],
            normal: self.normals[k],
            nodes: &self.nodes[range.clone()],
            weights: &self.weights[range],
            num_contactor_nodes: middle - first,
        }
    }

    /// All constraints, by ascending key.
    pub fn iter(&self) -> impl Iterator<Item = Constraint<'_>> {
        let mut first = 0;
        let (mut nodes, mut weights) = (&self.nodes[..], &self.weights[..]);
        let rows = self.keys.iter().zip(&self.bodies).zip(&self.gaps).zip(&self.normals).zip(&self.ends);
        rows.map(move |((((&key, &bodies), &gap), &normal), &[middle, end])| {
            let (nodes_of_it, other_nodes) = nodes.split_at((end - first) as usize);
            let (weights_of_it, other_weights) = weights.split_at((end - first) as usize);
            let num_contactor_nodes = (middle - first) as usize;
            (first, nodes, weights) = (end, other_nodes, other_weights);
            Constraint {
                key,
                bodies,
                gap,
                normal,
                nodes: nodes_of_it,
                weights: weights_of_it,
                num_contactor_nodes,
            }
        })
    }
}
