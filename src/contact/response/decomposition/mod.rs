//! Decomposition contact response: momenta are split at the contacts and the parts answered one by one.

mod complementarity;
mod impact;
mod mixing;
mod operator;
mod projection;
mod unknown;

use super::friction::FrictionLaw;
use super::groups::connected::Groups;
use super::history::carried::Carried;
use super::history::sticking::StickingPairs;
use super::pairs::PairOptions;
use super::row::sides;
use super::{
    Bodies, ContactAction, ContactResult, NodeCorrection, Response, RigidCorrection, Stage, Status,
    StepLength, UnsolvedProblems,
};
use crate::contact::{Constraint, Constraints};
use crate::math::Vec3;
use impact::ImpactWorkspace;
use operator::{Mover, Operator};
use unknown::Unknown;

/// Order in which the contacts of a group are answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// All together, by iteration to convergence.
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
/// Several contacts that share nodes are one problem, normal and tangential impulses together; see `impact` and [`Order`].
/// Before the impulses the positions are moved, least in the norm of the masses, to where no contact is penetrated; this
/// keeps the centre of mass, and a couple on the nodes of each contact gives back the angular momentum that it costs, or a
/// support takes it. What energy positions gain by that is accounted by the step, with the forces that it knows.
///
/// What slides keeps its coefficient in motion until that stops it. What rests on another, pressed on by no more than the
/// forces and the acceleration of what is driven, has no restitution, and stays where it is.
///
/// # Source
/// Cirak & West, IJNME 64 (2005) 1078–1110; several contacts: see `complementarity` and `impact`.
#[derive(Clone, Debug)]
pub struct Decomposition {
    options: DecompositionOptions,
    since: u32,
    /// Length of the step before \[s\].
    time_step: f64,
    /// What was found in the step before.
    earlier: Carried<Memory>,
    groups: Groups,
    operator: Operator,
    contacts: Vec<Contact>,
    unknowns: Vec<Unknown>,
    /// Of all movers \[m/s\], \[rad/s\].
    velocities: Vec<Vec3>,
    /// What the accelerations at the beginning of the step make of them in half of it.
    kicks: Vec<Vec3>,
    /// Of all movers \[m\], \[rad\].
    shifts: Vec<Vec3>,
    members: Vec<u32>,
    unsolved: UnsolvedProblems,
    workspace: ImpactWorkspace,
    sticking: StickingPairs,
}

/// What a contact that goes on keeps of the step before.
#[derive(Clone, Copy, Debug, Default)]
struct Memory {
    /// Impulse over the time between the middles of the steps, a first guess \[N\].
    force: Vec3,
    /// Normal part of what moved the positions, a first guess \[kg·m\].
    push_out: f64,
    /// Whether friction was at its bound, and it moved.
    slides: bool,
}

/// What is known and found of one contact.
#[derive(Clone, Debug)]
struct Contact {
    laws: ImpactOptions,
    normal: Vec3,
    /// The part of the relative velocity that impulses cannot change \[m/s\].
    drift: Vec3,
    /// Relative velocity before \[m/s\].
    before: Vec3,
    /// Relative velocity before the present solution \[m/s\].
    start: Vec3,
    /// What the forces at the beginning of the step make of it in half a step \[m/s\].
    kick: Vec3,
    /// First guesses of the impulse \[N·s\] and of the normal part of the push-out \[kg·m\].
    guess: Vec3,
    push_out_guess: f64,
    /// Impulse on the contactor \[N·s\].
    impulse: Vec3,
    /// Whether friction is at its bound, and it moves.
    slips: bool,
    /// Whether it has slid in the step before.
    has_slid: bool,
    /// Whether another contact of the same rigid bodies has stuck in the step before.
    is_held: bool,
    /// Speed at which it closes at rest: what forces and prescribed motion give it from one answer to the next \[m/s\].
    resting: f64,
    /// Whether friction keeps it from having its restitution.
    is_jammed: bool,
    /// Time since it has begun, at most a step, if positions are projected \[s\].
    since: f64,
    /// What the forces make of its normal velocity from the middle of the step until it begins, if positions are
    /// projected \[m/s\].
    lead: f64,
    /// What moves the positions, as an impulse moves velocities \[kg·m\].
    push_out: Vec3,
}

impl Contact {
    /// Poses a problem that starts with this relative velocity \[m/s\]. What friction at rest can stop is held where others of
    /// the same rigid bodies stick.
    fn begin(&mut self, unknown: &mut Unknown, start: Vec3) {
        self.start = start;
        let slip = start - self.normal * self.normal.dot(&start);
        let law = &self.laws.friction;
        let sliding = law.sliding(slip.norm());
        let is_stopped = slip.norm() * unknown.mass_across <= law.at_rest * self.normal.dot(&self.guess);
        unknown.friction = if self.is_held && is_stopped {
            [law.at_rest; 2]
        } else if self.has_slid {
            [sliding; 2]
        } else {
            [law.at_rest, sliding]
        };
    }

    /// The part that strikes, and has restitution, where it closes with this speed. What has been lifted by rounding, or by a
    /// rebound of less than it closes with at rest, comes back with up to twice as much: it has rested too.
    fn striking(&self, closing: f64) -> f64 {
        let Self { resting, .. } = *self;
        if closing > 2.0 * resting { (closing / resting - 2.0).min(1.0) } else { 0.0 }
    }

    /// Coefficient of restitution where it closes with this speed \[-\].
    fn restitution(&self, closing: f64) -> f64 {
        self.laws.restitution * self.striking(closing)
    }
}

impl Decomposition {
    /// A response.
    pub fn new(options: DecompositionOptions) -> Self {
        Self {
            since: options.every.max(1) - 1,
            options,
            time_step: 0.0,
            earlier: Carried::default(),
            groups: Groups::default(),
            operator: Operator::default(),
            contacts: Vec::new(),
            unknowns: Vec::new(),
            velocities: Vec::new(),
            kicks: Vec::new(),
            shifts: Vec::new(),
            members: Vec::new(),
            unsolved: UnsolvedProblems::default(),
            workspace: ImpactWorkspace::default(),
            sticking: StickingPairs::default(),
        }
    }

    /// Contacts without impulse and shift, in a step whose middle is a time `between` after that of the one before \[s\].
    fn load(&mut self, constraints: &Constraints, bodies: &Bodies<'_>, time_step: f64, between: f64) {
        self.groups.find(constraints, bodies.mobility);
        self.operator.assemble(constraints, &self.groups, bodies);
        self.operator.load_velocities(bodies, &mut self.velocities);
        self.operator.load_kicks(bodies, 0.5 * time_step, &mut self.kicks);
        self.shifts.clear();
        self.shifts.resize(self.velocities.len(), Vec3::zeros());
        self.earlier.follow(constraints, |_| Memory::default(), |_, _| ());
        self.contacts.clear();
        // From one answer to the next.
        let span = f64::from(self.options.every.max(1)) * between;
        let kicks = span / (0.5 * time_step);
        for (k, (constraint, memory)) in (0..).zip(constraints.iter().zip(self.earlier.iter())) {
            let drift = held_velocity(&constraint, bodies);
            let before = drift + self.operator.jump(k, &self.velocities);
            let kick = self.operator.jump(k, &self.kicks);
            let pushed = prescribed_acceleration(&constraint, bodies);
            self.contacts.push(Contact {
                laws: self.options.pairs.of(&constraint),
                normal: constraint.normal,
                drift,
                before,
                start: before,
                kick,
                guess: memory.force * between,
                push_out_guess: memory.push_out,
                impulse: Vec3::zeros(),
                slips: false,
                has_slid: memory.slides,
                is_held: self.sticking.hold(constraint.bodies),
                resting: (-constraint.normal.dot(&(kick * kicks + pushed * span))).max(0.0),
                is_jammed: false,
                since: 0.0,
                lead: 0.0,
                push_out: Vec3::zeros(),
            });
        }
    }

    /// Relative velocities and unknowns with the bodies where the shifts have brought them.
    fn pose_impacts(&mut self) {
        self.operator.turn(&self.shifts);
        self.unknowns.clear();
        for (k, contact) in (0..).zip(&mut self.contacts) {
            let compliance = match self.options.order {
                Order::Together => self.operator.shared_compliance(k),
                Order::OneByOne => self.operator.compliance(k),
            };
            let mut unknown =
                Unknown::new(contact.normal, &compliance, contact.drift, contact.laws.friction.at_rest);
            contact.before = contact.drift + self.operator.jump(k, &self.velocities);
            contact.begin(&mut unknown, contact.before);
            self.unknowns.push(unknown);
        }
    }

    /// Writes impulses, results and losses: −I · (v_r⁻ + v_r⁺)/2 of each contact, which add up to the change of the
    /// kinetic energy; restitution takes what it does with the velocities at which the contact begins.
    fn report(&mut self, constraints: &Constraints, between: f64, action: &mut ContactAction) {
        let contacts = constraints.iter().zip(&self.contacts).zip(self.earlier.iter_mut());
        for (k, ((constraint, contact), memory)) in (0..).zip(contacts) {
            let after = self.unknowns[k as usize].drift + self.operator.jump(k, &self.velocities);
            let mean = 0.5 * (contact.before + after);
            let normal = contact.normal.dot(&contact.impulse);
            let friction = contact.impulse - contact.normal * normal;
            let damping_work = -normal * (contact.normal.dot(&mean) + contact.lead);
            action.work.numerical -= normal * contact.lead;
            let friction_work = -friction.dot(&mean);
            action.work.damping += damping_work;
            action.work.friction += friction_work;
            for (&node, &weight) in constraint.nodes.iter().zip(constraint.weights) {
                action.impulses[node as usize] += contact.impulse * weight;
                action.friction_forces[node as usize] += friction * (weight / between);
            }
            action.list(constraint.nodes);
            action.results.push(ContactResult {
                normal_force: normal / between,
                friction_force: friction / between,
                status: Status::of(normal, &contact.laws.friction, contact.slips),
                stored_energy: 0.0,
                friction_work,
                damping_work,
            });
            let push_out = contact.normal.dot(&contact.push_out);
            *memory = Memory { force: contact.impulse / between, push_out, slides: contact.slips };
        }
        action.sort_nodes();
    }

    /// Writes the changes of motion.
    fn correct(&self, constraints: &Constraints, bodies: &Bodies<'_>, action: &mut ContactAction) {
        for (place, mover) in self.operator.movers().iter().enumerate() {
            let (velocity, position) = (self.velocities[place], self.shifts[place]);
            match *mover {
                Mover::Node(node) => action.node_corrections.push(NodeCorrection {
                    node,
                    velocity: velocity - bodies.velocities[node as usize],
                    position,
                }),
                Mover::Centre(body) => {
                    let Some(rigid) = bodies.mobility.rigid(body) else { continue };
                    action.rigid_corrections.push(RigidCorrection {
                        body,
                        velocity: velocity - rigid.velocity,
                        angular_velocity: self.velocities[place + 1] - rigid.angular_velocity,
                        position,
                        rotation: self.shifts[place + 1],
                    });
                }
                Mover::Rotation(_) => {}
            }
        }
        // Held ones too: their supports answer to the impulses.
        let held = |body: &u32| bodies.mobility.rigid(*body).is_some_and(|rigid| !rigid.can_move());
        let bodies_in_contact = constraints.iter().flat_map(|constraint| constraint.bodies);
        action.rigid_corrections.extend(bodies_in_contact.filter(held).map(RigidCorrection::none));
        action.node_corrections.sort_unstable_by_key(|correction| correction.node);
        action.rigid_corrections.sort_unstable_by_key(|correction| correction.body);
        action.rigid_corrections.dedup_by_key(|correction| correction.body);
    }
}

impl Response for Decomposition {
    fn stage(&self) -> Stage {
        Stage::Moved
    }

    fn answers_flush_contacts(&self) -> bool {
        true
    }

    fn respond(
        &mut self,
        constraints: &Constraints,
        bodies: &Bodies<'_>,
        step: StepLength,
        action: &mut ContactAction,
    ) {
        let before = std::mem::replace(&mut self.time_step, step.actual);
        let between = if before > 0.0 { 0.5 * (before + step.actual) } else { step.actual };
        action.begin(between);
        self.since += 1;
        if self.since < self.options.every {
            action.results.resize(constraints.len(), ContactResult::default());
            return;
        }
        self.since = 0;
        if constraints.is_empty() {
            self.earlier.follow(constraints, |_| Memory::default(), |_, _| ());
            self.sticking.clear();
            return;
        }
        self.unsolved = UnsolvedProblems::default();
        self.load(constraints, bodies, step.actual, between);
        self.project_positions(constraints, bodies.positions, step.actual);
        self.pose_impacts();
        self.answer_impacts(constraints, bodies.created, step.actual);
        self.project_slip();
        self.report(constraints, between, action);
        let (given, of_supports) = self.restore_angular_momentum(constraints, bodies);
        action.work.numerical += given;
        action.unsolved = self.unsolved;
        action.support_moment += of_supports;
        self.correct(constraints, bodies, action);
        self.sticking.note(constraints, &action.results, bodies.mobility);
    }
}

/// Σ w_a v_a of what no impulse can move \[m/s\].
fn held_velocity(constraint: &Constraint<'_>, bodies: &Bodies<'_>) -> Vec3 {
    let mut velocity = Vec3::zeros();
    for (body, nodes, weights) in sides(constraint) {
        let moves = |node: u32| match bodies.mobility.rigid(body) {
            Some(rigid) => rigid.can_move(),
            None => bodies.mobility.gives_way(node),
        };
        let held = nodes.iter().zip(weights).filter(|&(&node, _)| !moves(node));
        velocity += held.map(|(&node, w)| bodies.velocities[node as usize] * *w).sum::<Vec3>();
    }
    velocity
}

/// Σ w_a a_a at the beginning of the step of what is prescribed of a contact and is not in the accelerations of its movers
/// \[m/s²\].
fn prescribed_acceleration(constraint: &Constraint<'_>, bodies: &Bodies<'_>) -> Vec3 {
    let mut sum = Vec3::zeros();
    for (body, nodes, weights) in sides(constraint) {
        let mobility = |node: u32| match bodies.mobility.rigid(body) {
            Some(rigid) if rigid.can_move() => rigid.inverse_mass,
            None if bodies.mobility.gives_way(node) => Vec3::repeat(f64::INFINITY),
            _ => Vec3::zeros(),
        };
        for (&node, weight) in nodes.iter().zip(weights) {
            let acceleration = bodies.accelerations[node as usize] * *weight;
            sum += acceleration.zip_map(&mobility(node), |a, inverse| if inverse > 0.0 { 0.0 } else { a });
        }
    }
    sum
}

#[cfg(test)]
mod tests;
