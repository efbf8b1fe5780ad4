//! Sums over what ties take part in: nodes one by one, rigid bodies as a whole.

use crate::math::{Mat3, Vec3};

/// Where a rigid body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidPlace {
    /// Its centre of mass \[m\].
    pub centre: Vec3,
    /// Its rotation from the reference configuration.
    pub rotation: Mat3,
}

impl RigidPlace {
    /// In the reference configuration of a body with its centre at the origin.
    pub const REFERENCE: Self = Self {
        centre: Vec3::new(0.0, 0.0, 0.0),
        rotation: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    };
}

/// What ties know of a rigid body that can move, from the beginning on.
#[derive(Clone, Copy, Debug)]
pub struct TiedRigidBody {
    /// Its mass \[kg\].
    pub mass: f64,
    /// Its centre of mass in the reference configuration \[m\].
    pub reference_centre: Vec3,
    /// Components of the centre that forces can move.
    pub moves: [bool; 3],
    /// Whether moments can turn it.
    pub turns: bool,
}

/// Rigid bodies as ties find them in a step.
pub trait RigidMotions {
    /// Where a body is at the end of the step.
    fn present(&self, body: u32) -> RigidPlace;

    /// Its inertia about the centre there, and the inverse of that, zero about an axis without inertia, in space \[kg·m²\].
    fn inertia(&self, body: u32) -> [Mat3; 2];

    /// Where it is at the end of the step to come with an impulse \[N·s\] and a moment of impulse about its centre \[N·m·s\] at the
    /// end of the step, beside all other forces.
    fn following(&self, body: u32, impulse: &[Vec3; 2]) -> RigidPlace;
}

/// Part of a rigid body in a sum: Σ w_a x_a = w c + R a over its nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct RigidTerm {
    /// The body by its place among those of its group.
    pub carrier: u32,
    /// w = Σ w_a.
    pub weight: f64,
    /// a = Σ w_a (X_a − C) in the reference configuration \[m\].
    pub arm: Vec3,
}

impl RigidTerm {
    /// Σ w_a x_a along an axis \[m\].
    pub fn position(&self, axis: usize, place: &RigidPlace) -> f64 {
        self.weight * place.centre[axis] + (place.rotation * self.arm)[axis]
    }

    /// What the velocity of the centre and the spin are multiplied with in Σ w_a v_a along an axis.
    pub fn coefficients(&self, axis: usize, place: &RigidPlace) -> [Vec3; 2] {
        let along = Vec3::ith(axis, 1.0);
        [along * self.weight, (place.rotation * self.arm).cross(&along)]
    }
}

/// One sum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    /// Nodes by their places, and their weights.
    pub shares: &'a [(u32, f64)],
    /// Rigid bodies that can move.
    pub rigid: &'a [RigidTerm],
}

/// Sums, compressed.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    ends: Vec<[u32; 2]>,
    shares: Vec<(u32, f64)>,
    rigid: Vec<RigidTerm>,
}

impl Rows {
    pub fn push(
        &mut self,
        shares: impl IntoIterator<Item = (u32, f64)>,
        rigid: impl IntoIterator<Item = RigidTerm>,
    ) {
        self.shares.extend(shares);
        self.rigid.extend(rigid);
        self.ends.push([self.shares.len() as u32, self.rigid.len() as u32]);
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        let starts = std::iter::once([0, 0]).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| Row {
            shares: &self.shares[start[0] as usize..end[0] as usize],
            rigid: &self.rigid[start[1] as usize..end[1] as usize],
        })
    }

    /// All rigid parts.
    pub fn rigid_terms(&self) -> &[RigidTerm] {
        &self.rigid
    }
}
