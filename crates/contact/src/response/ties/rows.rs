//! Rows of the tie conditions: weighted sums with one term per node and one term per rigid body.

use crate::math::{Mat3, Vec3};

/// Position and rotation of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidPlace {
    /// Centre of mass \[m\].
    pub centre: Vec3,
    /// Rotation from the reference configuration.
    pub rotation: Mat3,
}

impl RigidPlace {
    /// Reference configuration of a body with its centre at the origin.
    pub const REFERENCE: Self = Self {
        centre: Vec3::new(0.0, 0.0, 0.0),
        rotation: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    };
}

/// Constant data of a movable rigid body.
#[derive(Clone, Copy, Debug)]
pub struct TiedRigidBody {
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass in the reference configuration \[m\].
    pub reference_centre: Vec3,
    /// Whether each component of the centre is free.
    pub moves: [bool; 3],
    /// Whether the rotation is free.
    pub turns: bool,
}

/// Motion of the rigid bodies in a step, as input of the ties.
pub trait RigidMotions {
    /// Position of a body at the end of the step.
    fn present(&self, body: u32) -> RigidPlace;

    /// Spatial inertia about the centre at the end of the step \[kg·m²\], and its inverse \[1/(kg·m²)\]. The inverse is
    /// zero about an axis without inertia.
    fn inertia(&self, body: u32) -> [Mat3; 2];

    /// Position at the end of the following step, if an additional `impulse` acts at the beginning of that step: linear
    /// impulse \[N·s\], and angular impulse about the centre \[N·m·s\].
    fn following(&self, body: u32, impulse: &[Vec3; 2]) -> RigidPlace;
}

/// Term of a rigid body in a sum over nodes: Σ w_a x_a = w c + R r. The sum is over the nodes a of the body, with
/// weights w_a and positions x_a; c is the centre and R the rotation of the body.
#[derive(Clone, Copy, Debug)]
pub(super) struct RigidTerm {
    /// Index of the body in its group of ties.
    pub local_body: u32,
    /// w = Σ w_a.
    pub weight: f64,
    /// r = Σ w_a (X_a − C) \[m\], with reference positions X_a and reference centre C.
    pub arm: Vec3,
}

impl RigidTerm {
    /// Component `axis` of Σ w_a x_a \[m\].
    pub fn position(&self, axis: usize, place: &RigidPlace) -> f64 {
        self.weight * place.centre[axis] + (place.rotation * self.arm)[axis]
    }

    /// Coefficients of the velocity of the centre \[-\] and of the angular velocity \[m\] in the component `axis` of
    /// Σ w_a v_a, with the nodal velocities v_a.
    pub fn coefficients(&self, axis: usize, place: &RigidPlace) -> [Vec3; 2] {
        let along = Vec3::ith(axis, 1.0);
        [along * self.weight, (place.rotation * self.arm).cross(&along)]
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    /// Index of each node in the group of ties, and its weight.
    pub shares: &'a [(u32, f64)],
    pub rigid: &'a [RigidTerm],
}

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

    pub fn rigid_terms(&self) -> &[RigidTerm] {
        &self.rigid
    }
}

/// Component `axis` of Σ w_a x_a \[m\].
pub(super) fn gap(axis: usize, row: Row<'_>, places: &[RigidPlace], position: impl Fn(u32) -> Vec3) -> f64 {
    let rigid = row.rigid.iter().map(|term| term.position(axis, &places[term.local_body as usize]));
    let held = row.shares.iter().map(|&(place, share)| share * position(place)[axis]);
    rigid.sum::<f64>() + held.sum::<f64>()
}

pub(super) fn rows_along_axes(rows: &[Rows; 3]) -> impl Iterator<Item = (usize, Row<'_>)> {
    rows.iter().enumerate().flat_map(|(axis, rows)| rows.iter().map(move |row| (axis, row)))
}
