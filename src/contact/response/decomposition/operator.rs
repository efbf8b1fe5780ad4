//! The relative velocities of the contacts of a step as a linear operator on what they can move.

use crate::contact::response::Bodies;
use crate::contact::response::groups::connected::Groups;
use crate::contact::response::mobility::Mobility;
use crate::contact::response::row::{deformable_sides, rigid_sides};
use crate::contact::{Constraint, Constraints};
use crate::math::{Mat3, Rotation, Vec3};

/// Marks nodes and bodies that no contact moves.
const NONE: u32 = u32::MAX;

/// What an impulse can move: three velocities each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mover {
    /// A node of a deformable body.
    Node(u32),
    /// The centre of a rigid body.
    Centre(u32),
    /// The rotation of a rigid body.
    Rotation(u32),
}

/// The part of a mover, by its place, in a contact.
type Term<T> = (u32, T);

/// Where the terms of a contact end.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    weights: [u32; 2],
    levers: [u32; 2],
}

/// The operators G of u_k = Σ_m (w_km v_m + v_m × r_km) and M⁻¹ over the movers of all contacts.
///
/// Movers of a group of contacts stand together; what is held is no mover. A field is one vector a mover: velocities
/// \[m/s\] and angular velocities \[rad/s\], or shifts.
#[derive(Clone, Debug, Default)]
pub(super) struct Operator {
    movers: Vec<Mover>,
    inverse_mass: Vec<Mat3>,
    /// Contacts that push each mover.
    sharers: Vec<f64>,
    /// Mover and w.
    weights: Vec<Term<f64>>,
    /// Mover that turns, and r = Σ w_a (x_a − c) \[m\].
    levers: Vec<Term<Vec3>>,
    /// By constraint.
    rows: Vec<Row>,
    /// Where the movers of each group end.
    group_ends: Vec<u32>,
    /// Mover of every node, and of every body behind the nodes.
    places: Vec<u32>,
}

impl Operator {
    /// Of the contacts of a step in their groups.
    pub fn assemble(&mut self, constraints: &Constraints, groups: &Groups, bodies: &Bodies<'_>) {
        let mobility = bodies.mobility;
        self.clear(mobility);
        self.rows.resize(constraints.len(), Row::default());
        for group in 0..groups.ends.len() {
            for &k in &groups.contacts[groups.range(group)] {
                let first = [self.weights.len() as u32, self.levers.len() as u32];
                self.append(&constraints.get(k as usize), bodies);
                let end = [self.weights.len() as u32, self.levers.len() as u32];
                self.rows[k as usize] = Row { weights: [first[0], end[0]], levers: [first[1], end[1]] };
            }
            self.group_ends.push(self.movers.len() as u32);
        }
    }

    fn clear(&mut self, mobility: &Mobility) {
        for mover in self.movers.drain(..) {
            match mover {
                Mover::Node(node) => self.places[node as usize] = NONE,
                Mover::Centre(body) => self.places[mobility.num_nodes() + body as usize] = NONE,
                Mover::Rotation(_) => {}
            }
        }
        self.places.resize(mobility.num_nodes() + mobility.num_bodies(), NONE);
        self.inverse_mass.clear();
        self.sharers.clear();
        self.weights.clear();
        self.levers.clear();
        self.rows.clear();
        self.group_ends.clear();
    }

    fn append(&mut self, constraint: &Constraint<'_>, bodies: &Bodies<'_>) {
        let mobility = bodies.mobility;
        for (body, weight, arm) in rigid_sides(constraint, bodies) {
            let centre = self.rigid_mover(body, mobility);
            self.weights.push((centre, weight));
            self.levers.push((centre + 1, arm));
            self.sharers[centre as usize] += 1.0;
            self.sharers[centre as usize + 1] += 1.0;
        }
        for (_, nodes, weights) in deformable_sides(constraint, mobility) {
            for (&node, &weight) in nodes.iter().zip(weights).filter(|(node, _)| mobility.gives_way(**node)) {
                let mover = self.node_mover(node, mobility);
                self.weights.push((mover, weight));
                self.sharers[mover as usize] += 1.0;
            }
        }
    }

    fn node_mover(&mut self, node: u32, mobility: &Mobility) -> u32 {
        let place = &mut self.places[node as usize];
        if *place == NONE {
            *place = self.movers.len() as u32;
            self.movers.push(Mover::Node(node));
            self.inverse_mass.push(mobility.matrix(node));
            self.sharers.push(0.0);
        }
        *place
    }

    /// The mover of the centre; that of the rotation follows it.
    fn rigid_mover(&mut self, body: u32, mobility: &Mobility) -> u32 {
        let place = &mut self.places[mobility.num_nodes() + body as usize];
        if *place == NONE {
            *place = self.movers.len() as u32;
            self.movers.extend([Mover::Centre(body), Mover::Rotation(body)]);
            let rigid = mobility.rigid(body);
            self.inverse_mass.push(rigid.map_or_else(Mat3::zeros, |r| Mat3::from_diagonal(&r.inverse_mass)));
            self.inverse_mass.push(rigid.map_or_else(Mat3::zeros, |r| r.inverse_inertia));
            self.sharers.extend([0.0; 2]);
        }
        *place
    }

    /// All movers.
    pub fn movers(&self) -> &[Mover] {
        &self.movers
    }

    /// The movers of a group.
    pub fn movers_of_group(&self, group: usize) -> std::ops::Range<usize> {
        let first = if group == 0 { 0 } else { self.group_ends[group - 1] as usize };
        first..self.group_ends[group] as usize
    }

    /// The mover of a node of a deformable body that a contact can move.
    pub fn mover_of_node(&self, node: u32) -> Option<usize> {
        let place = self.places[node as usize];
        (place != NONE).then_some(place as usize)
    }

    /// The mover of the rotation of a rigid body that a contact can move.
    pub fn rotation_of(&self, body: u32, mobility: &Mobility) -> Option<usize> {
        let place = self.places[mobility.num_nodes() + body as usize];
        (place != NONE).then_some(place as usize + 1)
    }

    /// What the bodies do, as a field.
    pub fn load_velocities(&self, bodies: &Bodies<'_>, field: &mut Vec<Vec3>) {
        field.clear();
        let zero = Vec3::zeros();
        field.extend(self.movers.iter().map(|mover| match *mover {
            Mover::Node(node) => bodies.velocities[node as usize],
            Mover::Centre(body) => bodies.mobility.rigid(body).map_or(zero, |rigid| rigid.velocity),
            Mover::Rotation(body) => bodies.mobility.rigid(body).map_or(zero, |rigid| rigid.angular_velocity),
        }));
    }

    /// What the accelerations of the bodies make of their velocities in a time \[s\], as a field.
    pub fn load_kicks(&self, bodies: &Bodies<'_>, time: f64, field: &mut Vec<Vec3>) {
        field.clear();
        let zero = Vec3::zeros();
        let rigid = |body| bodies.mobility.rigid(body);
        field.extend(self.movers.iter().map(|mover| match *mover {
            Mover::Node(node) => bodies.accelerations[node as usize] * time,
            Mover::Centre(body) => rigid(body).map_or(zero, |rigid| rigid.acceleration * time),
            Mover::Rotation(body) => rigid(body).map_or(zero, |rigid| rigid.angular_acceleration * time),
        }));
    }

    /// Turns the levers with their bodies.
    pub fn turn(&mut self, shifts: &[Vec3]) {
        self.levers.iter_mut().for_each(|(mover, arm)| *arm += shifts[*mover as usize].cross(arm));
    }

    fn terms(&self, k: u32) -> (&[Term<f64>], &[Term<Vec3>]) {
        let Row { weights, levers } = self.rows[k as usize];
        (
            &self.weights[weights[0] as usize..weights[1] as usize],
            &self.levers[levers[0] as usize..levers[1] as usize],
        )
    }

    /// (G q)_k: the part of the relative velocity of a contact that its movers have.
    #[inline]
    pub fn jump(&self, k: u32, field: &[Vec3]) -> Vec3 {
        self.translation(k, field) + self.swing(k, field)
    }

    /// The part of the relative motion of a contact that its movers make without turning.
    #[inline]
    pub fn translation(&self, k: u32, field: &[Vec3]) -> Vec3 {
        let (weights, _) = self.terms(k);
        weights.iter().map(|&(mover, weight)| field[mover as usize] * weight).sum()
    }

    /// By how much the levers of a contact have changed since they were assembled \[m\].
    pub fn turn_of_levers(&self, k: u32, constraint: &Constraint<'_>, bodies: &Bodies<'_>) -> Vec3 {
        let (_, levers) = self.terms(k);
        let turned: Vec3 = levers.iter().map(|&(_, arm)| arm).sum();
        turned - rigid_sides(constraint, bodies).map(|(.., arm)| arm).sum::<Vec3>()
    }

    /// From where impulses have had the levers of a contact to where turning the bodies by these shifts brings its points
    /// \[m\]: small turns add up, large ones do not.
    pub fn off_levers(
        &self,
        k: u32,
        constraint: &Constraint<'_>,
        bodies: &Bodies<'_>,
        shifts: &[Vec3],
    ) -> Vec3 {
        let (_, levers) = self.terms(k);
        let turned = levers.iter().zip(rigid_sides(constraint, bodies));
        turned
            .map(|(&(mover, lever), (.., arm))| {
                Rotation::from_scaled_axis(shifts[mover as usize]) * arm - lever
            })
            .sum()
    }

    /// The part of the relative motion of a contact that its movers make as they turn.
    #[inline]
    pub fn swing(&self, k: u32, field: &[Vec3]) -> Vec3 {
        let (_, levers) = self.terms(k);
        levers.iter().map(|&(mover, arm)| field[mover as usize].cross(&arm)).sum()
    }

    /// q += M⁻¹ G_kᵀ P of an impulse on the contactor of a contact \[N·s\].
    #[inline]
    pub fn push(&self, k: u32, impulse: &Vec3, field: &mut [Vec3]) {
        let (weights, levers) = self.terms(k);
        for &(mover, weight) in weights {
            field[mover as usize] += self.inverse_mass[mover as usize] * (impulse * weight);
        }
        for &(mover, arm) in levers {
            field[mover as usize] += self.inverse_mass[mover as usize] * arm.cross(impulse);
        }
    }

    /// q += G_kᵀ P: generalised impulses instead of changes of motion.
    #[inline]
    pub fn load(&self, k: u32, impulse: &Vec3, field: &mut [Vec3]) {
        let (weights, levers) = self.terms(k);
        weights.iter().for_each(|&(mover, weight)| field[mover as usize] += impulse * weight);
        levers.iter().for_each(|&(mover, arm)| field[mover as usize] += arm.cross(impulse));
    }

    /// q ← M⁻¹ q of some movers.
    pub fn divide_by_mass(&self, movers: std::ops::Range<usize>, field: &mut [Vec3]) {
        for mover in movers {
            field[mover] = self.inverse_mass[mover] * field[mover];
        }
    }

    /// W_kk = G_k M⁻¹ G_kᵀ \[1/kg\]. No mover is on both sides of a contact but those of a body that touches itself.
    pub fn compliance(&self, k: u32) -> Mat3 {
        self.compliance_with(k, |_| 1.0)
    }

    /// Σ_m n_m W_kk^m \[1/kg\]: the compliance of a contact with movers that have their mass shared out among the n_m
    /// contacts that push them. As blocks D of a diagonal, these have W ≤ D.
    pub fn shared_compliance(&self, k: u32) -> Mat3 {
        self.compliance_with(k, |mover| self.sharers[mover as usize])
    }

    fn compliance_with(&self, k: u32, factor: impl Fn(u32) -> f64) -> Mat3 {
        let (weights, levers) = self.terms(k);
        let mut compliance = Mat3::zeros();
        for &(mover, weight) in weights {
            compliance += self.inverse_mass[mover as usize] * (weight * weight * factor(mover));
        }
        for &(mover, arm) in levers {
            let cross = arm.cross_matrix();
            compliance -= cross * self.inverse_mass[mover as usize] * cross * factor(mover);
        }
        compliance
    }

    /// Rounding that a relative velocity may have: a few ε Σ |w| |v|. Where all moves fast together the jump itself may be
    /// no larger.
    pub fn rounding(&self, k: u32, field: &[Vec3]) -> f64 {
        let (weights, levers) = self.terms(k);
        let moved = weights.iter().map(|&(mover, weight)| field[mover as usize].norm() * weight.abs());
        let turned = levers.iter().map(|&(mover, arm)| field[mover as usize].norm() * arm.norm());
        4.0 * f64::EPSILON * (moved.sum::<f64>() + turned.sum::<f64>())
    }
}
