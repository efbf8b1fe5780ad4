//! Linear operator from the velocities of the movers to the relative velocities of the contacts of a step.

use crate::math::{Mat3, Rotation, Vec3};
use crate::response::Bodies;
use crate::response::groups::connected::Groups;
use crate::response::mobility::{Distribution, Mobility};
use crate::response::row::{deformable_sides, rigid_sides};
use crate::{Constraint, Constraints};

/// A contact counts as fixed by ties if the trace of its compliance is at most this fraction of the trace of its
/// shared compliance without the ties (see `shared_compliance`).
const NEGLIGIBLE_COMPLIANCE: f64 = 1e-12;

const NONE: u32 = u32::MAX;

/// A mover, with the index of its node or rigid body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mover {
    Node(u32),
    Centre(u32),
    Rotation(u32),
}

/// Index of a mover (in `reactions`: of a node), and its coefficient in a contact.
pub(super) type Term<T> = (u32, T);

/// Ranges of a contact in the lists of terms.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    weights: [u32; 2],
    levers: [u32; 2],
    tied: [u32; 2],
    pub(super) shares: [u32; 2],
    pub(super) reactions: [u32; 2],
}

/// The operators G and M⁻¹, with the mass matrix M. G maps the velocities of the movers to the relative velocities of
/// the contacts k:
///
/// ```text
/// u_k = Σ_m w_km v_m + Σ_b ω_b × r_kb
/// ```
///
/// The nodes and centres m have velocities v_m and weights w_km; the rotations b have angular velocities ω_b and levers
/// r_kb. With ties, G P replaces G, and the compliance is G P M⁻¹ Pᵀ Gᵀ. P projects on the velocities that keep tied
/// points together.
///
/// The movers of a group have consecutive indices; fixed nodes and bodies have no mover. A field has one vector per
/// mover: a velocity \[m/s\], \[rad/s\], a correction \[m\], \[rad\], or a generalised impulse.
#[derive(Clone, Debug, Default)]
pub(super) struct Operator {
    movers: Vec<Mover>,
    pub(super) inverse_mass: Vec<Mat3>,
    contacts_per_mover: Vec<f64>,
    /// Node or centre mover, and its weight w.
    weights: Vec<Term<f64>>,
    /// Rotation mover and lever r = Σ w_a (x_a − c) \[m\], with the nodal positions x_a and the centre c of the body.
    levers: Vec<Term<Vec3>>,
    /// Mover of a tied node, and its weight w without the ties.
    tied: Vec<Term<f64>>,
    /// Mover of a tied node, and its weight in G P along each axis.
    pub(super) shares: Vec<Term<Vec3>>,
    /// Tied node, and ratio of tie impulse to contact impulse along its fixed axes.
    pub(super) reactions: Vec<Term<Vec3>>,
    pub(super) distribution: Distribution,
    pub(super) rows: Vec<Row>,
    group_ends: Vec<u32>,
    /// Mover of each node, then centre mover of each body; `NONE` without a mover.
    places: Vec<u32>,
}

impl Operator {
    pub fn assemble(&mut self, constraints: &Constraints, groups: &Groups, bodies: &Bodies<'_>) {
        let mobility = bodies.mobility;
        self.clear(mobility);
        self.rows.resize(constraints.len(), Row::default());
        for group in 0..groups.ends.len() {
            for &k in &groups.contacts[groups.range(group)] {
                let first = self.counts();
                self.append(&constraints.get(k as usize), bodies);
                self.append_tied(&constraints.get(k as usize), bodies.mobility);
                let [weights, levers, tied, shares, reactions] =
                    std::array::from_fn(|list| [first[list], self.counts()[list]]);
                self.rows[k as usize] = Row { weights, levers, tied, shares, reactions };
            }
            self.group_ends.push(self.movers.len() as u32);
        }
    }

    fn counts(&self) -> [u32; 5] {
        let Self { weights, levers, tied, shares, reactions, .. } = self;
        [weights.len(), levers.len(), tied.len(), shares.len(), reactions.len()].map(|len| len as u32)
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
        self.contacts_per_mover.clear();
        self.weights.clear();
        self.levers.clear();
        self.tied.clear();
        self.shares.clear();
        self.reactions.clear();
        self.rows.clear();
        self.group_ends.clear();
    }

    fn append(&mut self, constraint: &Constraint<'_>, bodies: &Bodies<'_>) {
        let mobility = bodies.mobility;
        for (body, weight, arm) in rigid_sides(constraint, bodies) {
            let centre = self.rigid_mover(body, mobility);
            self.weights.push((centre, weight));
            self.levers.push((centre + 1, arm));
            self.contacts_per_mover[centre as usize] += 1.0;
            self.contacts_per_mover[centre as usize + 1] += 1.0;
        }
        for (_, nodes, weights) in deformable_sides(constraint, mobility) {
            for (&node, &weight) in nodes.iter().zip(weights) {
                if !mobility.is_movable(node) {
                    continue;
                }
                let mover = self.node_mover(node, mobility);
                match mobility.tied().group(node) {
                    Some(_) => self.tied.push((mover, weight)),
                    None => self.weights.push((mover, weight)),
                }
                self.contacts_per_mover[mover as usize] += 1.0;
            }
        }
    }

    pub(super) fn node_mover(&mut self, node: u32, mobility: &Mobility) -> u32 {
        let place = &mut self.places[node as usize];
        if *place == NONE {
            *place = self.movers.len() as u32;
            self.movers.push(Mover::Node(node));
            self.inverse_mass.push(mobility.matrix(node));
            self.contacts_per_mover.push(0.0);
        }
        *place
    }

    /// Centre mover of a rigid body; the rotation mover has the next index.
    fn rigid_mover(&mut self, body: u32, mobility: &Mobility) -> u32 {
        let place = &mut self.places[mobility.num_nodes() + body as usize];
        if *place == NONE {
            *place = self.movers.len() as u32;
            self.movers.extend([Mover::Centre(body), Mover::Rotation(body)]);
            let rigid = mobility.rigid(body);
            self.inverse_mass.push(rigid.map_or_else(Mat3::zeros, |r| Mat3::from_diagonal(&r.inverse_mass)));
            self.inverse_mass.push(rigid.map_or_else(Mat3::zeros, |r| r.inverse_inertia));
            self.contacts_per_mover.extend([0.0; 2]);
        }
        *place
    }

    pub fn movers(&self) -> &[Mover] {
        &self.movers
    }

    pub fn movers_of_group(&self, group: usize) -> std::ops::Range<usize> {
        let first = if group == 0 { 0 } else { self.group_ends[group - 1] as usize };
        first..self.group_ends[group] as usize
    }

    pub fn mover_of_node(&self, node: u32) -> Option<usize> {
        let place = self.places[node as usize];
        (place != NONE).then_some(place as usize)
    }

    pub fn rotation_of(&self, body: u32, mobility: &Mobility) -> Option<usize> {
        let place = self.places[mobility.num_nodes() + body as usize];
        (place != NONE).then_some(place as usize + 1)
    }

    pub fn load_velocities(&self, bodies: &Bodies<'_>, field: &mut Vec<Vec3>) {
        field.clear();
        let zero = Vec3::zeros();
        field.extend(self.movers.iter().map(|mover| match *mover {
            Mover::Node(node) => bodies.velocities[node as usize],
            Mover::Centre(body) => bodies.mobility.rigid(body).map_or(zero, |rigid| rigid.velocity),
            Mover::Rotation(body) => bodies.mobility.rigid(body).map_or(zero, |rigid| rigid.angular_velocity),
        }));
    }

    /// Loads the velocity changes that the accelerations cause in `time` \[s\].
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

    /// Rotates each lever r by the rotation correction θ of its body, linearised: r + θ × r.
    pub fn turn(&mut self, corrections: &[Vec3]) {
        self.levers.iter_mut().for_each(|(mover, arm)| *arm += corrections[*mover as usize].cross(arm));
    }

    fn terms(&self, k: u32) -> (&[Term<f64>], &[Term<Vec3>]) {
        let Row { weights, levers, .. } = self.rows[k as usize];
        (part(&self.weights, weights), part(&self.levers, levers))
    }

    /// Relative velocity or displacement (G q)_k for the field q.
    #[inline]
    pub fn jump(&self, k: u32, field: &[Vec3]) -> Vec3 {
        self.translational_part(k, field) + self.rotational_part(k, field)
    }

    /// Part of (G q)_k due to nodes and centres.
    #[inline]
    pub fn translational_part(&self, k: u32, field: &[Vec3]) -> Vec3 {
        let (weights, _) = self.terms(k);
        let untied: Vec3 = weights.iter().map(|&(mover, weight)| field[mover as usize] * weight).sum();
        match self.shares(k) {
            [] => untied,
            shares => untied + tied_part(shares, field),
        }
    }

    /// Sum of the levers after `turn` minus their sum before \[m\].
    pub fn change_of_levers(&self, k: u32, constraint: &Constraint<'_>, bodies: &Bodies<'_>) -> Vec3 {
        let (_, levers) = self.terms(k);
        let turned: Vec3 = levers.iter().map(|&(_, arm)| arm).sum();
        turned - rigid_sides(constraint, bodies).map(|(.., arm)| arm).sum::<Vec3>()
    }

    /// Sum of the levers before `turn`, each rotated by its finite rotation in `corrections`, minus the sum of the
    /// levers after `turn` \[m\].
    pub fn off_levers(
        &self,
        k: u32,
        constraint: &Constraint<'_>,
        bodies: &Bodies<'_>,
        corrections: &[Vec3],
    ) -> Vec3 {
        let (_, levers) = self.terms(k);
        let turned = levers.iter().zip(rigid_sides(constraint, bodies));
        turned
            .map(|(&(mover, lever), (.., arm))| {
                Rotation::from_scaled_axis(corrections[mover as usize]) * arm - lever
            })
            .sum()
    }

    /// Part of (G q)_k due to rotations.
    #[inline]
    pub fn rotational_part(&self, k: u32, field: &[Vec3]) -> Vec3 {
        let (_, levers) = self.terms(k);
        levers.iter().map(|&(mover, arm)| field[mover as usize].cross(&arm)).sum()
    }

    /// Adds the velocity changes M⁻¹ G_kᵀ p due to an impulse p on the contactor \[N·s\]. G_k is row k of G.
    #[inline]
    pub fn push(&self, k: u32, impulse: &Vec3, field: &mut [Vec3]) {
        let (weights, levers) = self.terms(k);
        for &(mover, weight) in weights {
            field[mover as usize] += self.inverse_mass[mover as usize] * (impulse * weight);
        }
        for &(mover, arm) in levers {
            field[mover as usize] += self.inverse_mass[mover as usize] * arm.cross(impulse);
        }
        for (mover, share) in self.shares(k) {
            field[*mover as usize] += self.inverse_mass[*mover as usize] * share.component_mul(impulse);
        }
    }

    /// Adds the generalised impulses G_kᵀ p of an impulse p on the contactor \[N·s\].
    #[inline]
    pub fn load(&self, k: u32, impulse: &Vec3, field: &mut [Vec3]) {
        let (weights, levers) = self.terms(k);
        weights.iter().for_each(|&(mover, weight)| field[mover as usize] += impulse * weight);
        levers.iter().for_each(|&(mover, arm)| field[mover as usize] += arm.cross(impulse));
        let shares = self.shares(k).iter();
        shares.for_each(|(mover, share)| field[*mover as usize] += share.component_mul(impulse));
    }

    /// Replaces generalised impulses q by velocity changes M⁻¹ q.
    pub fn divide_by_mass(&self, movers: std::ops::Range<usize>, field: &mut [Vec3]) {
        for mover in movers {
            field[mover] = self.inverse_mass[mover] * field[mover];
        }
    }

    /// Compliance W_kk = G_k M⁻¹ G_kᵀ \[1/kg\]. If a mover lies on both sides of the contact, as in self-contact, the
    /// cross terms of its two coefficients are omitted.
    pub fn compliance(&self, k: u32) -> Mat3 {
        let untied = self.compliance_with(k, |_| 1.0);
        match self.shares(k) {
            [] => untied,
            shares => untied + self.compliance_of(shares),
        }
    }

    /// Compliance D_kk = Σ_m n_m W_kk^m \[1/kg\], where W_kk^m is the part of W_kk due to the mover m, which has n_m
    /// contacts. With the block-diagonal matrix D of the D_kk, D − W is positive semi-definite. Tied nodes contribute
    /// their compliance without the ties, an upper bound on that with the ties. If the ties fix the contact, the result
    /// is zero.
    pub fn shared_compliance(&self, k: u32) -> Mat3 {
        let shared = self.compliance_with(k, |mover| self.contacts_per_mover[mover as usize]);
        let Row { tied, .. } = self.rows[k as usize];
        if tied[0] == tied[1] {
            return shared;
        }
        let without = part(&self.tied, tied).iter().map(|&(mover, weight)| {
            let count = self.contacts_per_mover[mover as usize];
            self.inverse_mass[mover as usize] * (weight * weight * count)
        });
        let bound = shared + without.sum::<Mat3>();
        let is_held = self.compliance(k).trace() <= NEGLIGIBLE_COMPLIANCE * bound.trace();
        if is_held { Mat3::zeros() } else { bound }
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

    /// Rounding error 4 ε Σ (|w| |v| + |r| |ω|) of the relative velocity \[m/s\], with the machine precision ε.
    pub fn rounding(&self, k: u32, field: &[Vec3]) -> f64 {
        let (weights, levers) = self.terms(k);
        let moved = weights.iter().map(|&(mover, weight)| field[mover as usize].norm() * weight.abs());
        let turned = levers.iter().map(|&(mover, arm)| field[mover as usize].norm() * arm.norm());
        let shares = self.shares(k).iter();
        let tied = shares.map(|(mover, share)| field[*mover as usize].component_mul(share).norm());
        4.0 * f64::EPSILON * (moved.sum::<f64>() + turned.sum::<f64>() + tied.sum::<f64>())
    }
}

/// Part of (G q)_k due to tied nodes.
pub(super) fn tied_part(shares: &[Term<Vec3>], field: &[Vec3]) -> Vec3 {
    shares.iter().map(|(mover, share)| field[*mover as usize].component_mul(share)).sum()
}

pub(super) fn part<T>(terms: &[Term<T>], [first, end]: [u32; 2]) -> &[Term<T>] {
    &terms[first as usize..end as usize]
}
