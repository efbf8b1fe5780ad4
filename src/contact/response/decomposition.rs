//! Decomposition contact response: momenta are split at the contacts and the parts answered one by one.

mod impact;
mod projection;

use super::connected::Groups;
use super::friction::FrictionLaw;
use super::row::{Motion, Row, sides};
use super::{
    Bodies, ContactAction, ContactResult, NodeCorrection, PairOptions, Response, RigidCorrection, Stage,
    Status, StepLength,
};
use crate::contact::Constraints;
use crate::math::Vec3;

/// Order in which the contacts of a group are answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// All together, by projected Gauss–Seidel iteration to convergence.
    #[default]
    Together,
    /// One after another, the deepest first, until none is closing.
    OneByOne,
}

/// Laws of impact of a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactOptions {
    /// Coefficient of restitution e of each contact, in \[0, 1\].
    pub restitution: f64,
    /// Friction.
    pub friction: FrictionLaw,
}

/// Options of the decomposition contact response.
#[derive(Clone, Debug, PartialEq)]
pub struct DecompositionOptions {
    /// Laws of impact.
    pub pairs: PairOptions<ImpactOptions>,
    /// Order of the contacts.
    pub order: Order,
    /// Contact is answered every so many steps, at least 1.
    pub every: u32,
    /// Part of the penetration that is taken out when it is found, in \[0, 1\].
    pub projection: f64,
}

/// Decomposition contact response: impulses and a projection of positions after the predictor.
///
/// At a contact the velocities are split into the normal part, which is answered with restitution, the slip, which is
/// answered with Coulomb's law, and the rest, which is left alone. In impulses, with v_r = Σ w_a v_a:
///
/// ```text
/// I_N = −(1 + e) m_eff v_n ≥ 0,   I_T = −min(m_eff |v_t|, μ I_N) v_t/|v_t|,   Δv_a = (w_a/m_a) (I_N n + I_T)
/// ```
///
/// Several contacts that share nodes are answered together; see [`Order`]. Before the impulses the positions are moved,
/// least in the norm of the masses, to where no contact is penetrated; this keeps the centre of mass, and a couple on the
/// nodes of each contact gives back the angular momentum that it costs. What energy positions gain by that is accounted
/// by the step, with the forces that it knows.
///
/// # Source
/// Cirak & West, IJNME 64 (2005) 1078–1110; several contacts with restitution: Moreau's global law, see `impact`.
#[derive(Clone, Debug)]
pub struct Decomposition {
    options: DecompositionOptions,
    since: u32,
    velocities: Motion,
    shifts: Motion,
    contacts: Vec<Contact>,
    groups: Groups,
    by_depth: Vec<u32>,
}

/// What is known and found of one contact.
#[derive(Clone, Debug)]
struct Contact {
    laws: ImpactOptions,
    row: Row,
    normal: Vec3,
    /// 1/(n · A n) \[kg\]; zero where neither side can move along the normal.
    mass: f64,
    /// Reciprocal of the bound on A across n \[kg\].
    mass_across: f64,
    /// Relative velocity before \[m/s\].
    before: Vec3,
    /// Relative velocity before the present solution \[m/s\].
    start: Vec3,
    /// Impulse on the contactor \[N·s\].
    impulse: Vec3,
    /// Whether friction is at its bound.
    slips: bool,
    /// Parts along and across n of the impulse that the present solution is looking for \[N·s\].
    part: (f64, Vec3),
    /// How far the projection of positions opens it \[m\].
    target: f64,
    /// Time since it has begun, at most a step, if positions are projected \[s\].
    since: f64,
    /// What moves the positions, as an impulse moves velocities \[kg·m\].
    push_out: Vec3,
}

impl Contact {
    /// Finds the effective masses from the row.
    fn weigh(&mut self) {
        let invert = |compliance: f64| if compliance > 0.0 { 1.0 / compliance } else { 0.0 };
        self.mass = invert(self.row.along(&self.normal));
        self.mass_across = invert(self.row.across(&self.normal));
    }
}

impl Decomposition {
    /// A response for a model of so many nodes and bodies.
    pub fn new(options: DecompositionOptions, num_nodes: usize, num_bodies: usize) -> Self {
        Self {
            since: options.every.max(1) - 1,
            options,
            velocities: Motion::new(num_nodes, num_bodies),
            shifts: Motion::new(num_nodes, num_bodies),
            contacts: Vec::new(),
            groups: Groups::default(),
            by_depth: Vec::new(),
        }
    }

    /// Contacts at rest in their own motion: no impulse, no shift.
    fn load(&mut self, constraints: &Constraints, bodies: &Bodies<'_>) {
        self.contacts.clear();
        for constraint in constraints.iter() {
            self.velocities.load_velocities(&constraint, bodies);
            self.shifts.clear(&constraint);
            self.contacts.push(Contact {
                laws: self.options.pairs.of(&constraint),
                row: Row::new(&constraint, bodies),
                normal: constraint.normal,
                mass: 0.0,
                mass_across: 0.0,
                before: Vec3::zeros(),
                start: Vec3::zeros(),
                impulse: Vec3::zeros(),
                slips: false,
                part: (0.0, Vec3::zeros()),
                target: 0.0,
                since: 0.0,
                push_out: Vec3::zeros(),
            });
        }
        self.contacts.iter_mut().for_each(Contact::weigh);
    }

    /// Writes impulses, results and losses: −I · (v_r⁻ + v_r⁺)/2 of each contact, which add up to the change of the
    /// kinetic energy.
    fn report(&self, constraints: &Constraints, time_step: f64, action: &mut ContactAction) {
        for (constraint, contact) in constraints.iter().zip(&self.contacts) {
            let after = contact.row.jump(&constraint, &self.velocities);
            let mean = 0.5 * (contact.before + after);
            let normal = contact.normal.dot(&contact.impulse);
            let friction = contact.impulse - contact.normal * normal;
            let damping_work = -normal * contact.normal.dot(&mean);
            let friction_work = -friction.dot(&mean);
            action.work.damping += damping_work;
            action.work.friction += friction_work;
            for (&node, &weight) in constraint.nodes.iter().zip(constraint.weights) {
                action.impulses[node as usize] += contact.impulse * weight;
                action.friction_forces[node as usize] += friction * (weight / time_step);
            }
            action.list(constraint.nodes);
            action.results.push(ContactResult {
                normal_force: normal / time_step,
                friction_force: friction / time_step,
                status: Status::of(normal, &contact.laws.friction, contact.slips),
                stored_energy: 0.0,
                friction_work,
                damping_work,
            });
        }
        action.sort_nodes();
    }

    /// Writes the changes of motion.
    fn correct(&self, constraints: &Constraints, bodies: &Bodies<'_>, action: &mut ContactAction) {
        for constraint in constraints.iter() {
            for (body, nodes, _) in sides(&constraint) {
                if let Some(rigid) = bodies.mobility.rigid(body) {
                    let b = body as usize;
                    action.rigid_corrections.push(RigidCorrection {
                        body,
                        velocity: self.velocities.translations[b] - rigid.velocity,
                        angular_velocity: self.velocities.rotations[b] - rigid.angular_velocity,
                        position: self.shifts.translations[b],
                        rotation: self.shifts.rotations[b],
                    });
                } else {
                    action.node_corrections.extend(nodes.iter().map(|&node| NodeCorrection {
                        node,
                        velocity: self.velocities.nodes[node as usize] - bodies.velocities[node as usize],
                        position: self.shifts.nodes[node as usize],
                    }));
                }
            }
        }
        action.node_corrections.sort_unstable_by_key(|correction| correction.node);
        action.node_corrections.dedup_by_key(|correction| correction.node);
        action.rigid_corrections.sort_unstable_by_key(|correction| correction.body);
        action.rigid_corrections.dedup_by_key(|correction| correction.body);
    }
}

impl Response for Decomposition {
    fn stage(&self) -> Stage {
        Stage::Moved
    }

    fn respond(
        &mut self,
        constraints: &Constraints,
        bodies: &Bodies<'_>,
        step: StepLength,
        action: &mut ContactAction,
    ) {
        action.begin(step.actual);
        self.since += 1;
        if self.since < self.options.every {
            action.results.resize(constraints.len(), ContactResult::default());
            return;
        }
        self.since = 0;
        if constraints.is_empty() {
            return;
        }
        self.load(constraints, bodies);
        self.project_positions(constraints, bodies.mobility, step.actual);
        self.answer_impacts(constraints, bodies.mobility);
        self.project_slip(constraints, bodies.mobility);
        self.report(constraints, step.actual, action);
        action.work.numerical += self.restore_angular_momentum(constraints, bodies);
        self.correct(constraints, bodies, action);
    }
}

#[cfg(test)]
mod tests;
