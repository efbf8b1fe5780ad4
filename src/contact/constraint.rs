//! The one kind of contact constraint: a gap, a normal, and weights on nodes that sum to zero.

use crate::math::Vec3;

/// Names a contact from its beginning to its end, whatever face of the target it slides over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactKey {
    /// Contactor node, global number.
    pub contactor: u32,
    /// Target surface: the number of its body.
    pub target: u32,
}

/// Contact constraints, sorted by key.
///
/// For every constraint g = n · Σ w_a x_a with Σ w_a = 0: the contactor node carries +1, the nodes of the target
/// face −N_a(ξ). A normal force p ≥ 0 then acts on node a as p w_a n, and linear momentum is conserved whatever
/// the response does. Structure of arrays with compressed rows, reused from step to step.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    keys: Vec<ContactKey>,
    gaps: Vec<f64>,
    normals: Vec<Vec3>,
    ends: Vec<u32>,
    nodes: Vec<u32>,
    weights: Vec<f64>,
}

/// One constraint, borrowed from [`Constraints`].
#[derive(Clone, Copy, Debug)]
pub struct Constraint<'a> {
    /// Its name.
    pub key: ContactKey,
    /// Signed distance, negative when penetrated \[m\].
    pub gap: f64,
    /// Unit normal out of the target.
    pub normal: Vec3,
    /// Global nodes it acts on, the contactor first.
    pub nodes: &'a [u32],
    /// Their weights \[-\].
    pub weights: &'a [f64],
}

impl Constraint<'_> {
    /// Σ w_a q_a of a nodal vector field.
    pub fn jump(&self, field: &[Vec3]) -> Vec3 {
        self.nodes.iter().zip(self.weights).map(|(&node, &weight)| field[node as usize] * weight).sum()
    }

    /// Effective mass 1 / Σ (w_a² / m_a) \[kg\]; infinite where nothing can move.
    pub fn effective_mass(&self, inverse_mass: &[f64]) -> f64 {
        let inverse: f64 =
            self.nodes.iter().zip(self.weights).map(|(&node, w)| w * w * inverse_mass[node as usize]).sum();
        1.0 / inverse
    }
}

impl Constraints {
    /// Forgets all constraints, keeps the memory.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.gaps.clear();
        self.normals.clear();
        self.ends.clear();
        self.nodes.clear();
        self.weights.clear();
    }

    /// Appends a constraint between a contactor node and a target face with shape values N_a; keys must ascend.
    pub fn push(&mut self, key: ContactKey, gap: f64, normal: Vec3, face: &[u32], shape_values: &[f64]) {
        debug_assert!(self.keys.last().is_none_or(|last| *last < key), "constraints out of order");
        self.keys.push(key);
        self.gaps.push(gap);
        self.normals.push(normal);
        self.nodes.push(key.contactor);
        self.weights.push(1.0);
        self.nodes.extend_from_slice(face);
        self.weights.extend(shape_values.iter().map(|value| -value));
        self.ends.push(self.nodes.len() as u32);
    }

    /// Number of constraints.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether nothing touches.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The k-th constraint.
    pub fn get(&self, k: usize) -> Constraint<'_> {
        let first = if k == 0 { 0 } else { self.ends[k - 1] as usize };
        let range = first..self.ends[k] as usize;
        Constraint {
            key: self.keys[k],
            gap: self.gaps[k],
            normal: self.normals[k],
            nodes: &self.nodes[range.clone()],
            weights: &self.weights[range],
        }
    }

    /// All constraints, by ascending key.
    pub fn iter(&self) -> impl Iterator<Item = Constraint<'_>> {
        (0..self.len()).map(|k| self.get(k))
    }
}
