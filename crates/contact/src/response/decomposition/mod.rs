//! Decomposition contact response: impulses from the decomposition of the nodal velocities.

mod complementarity;
mod contact;
mod impact;
mod mixing;
mod operator;
mod options;
mod projection;
mod tied_rows;
mod unknown;

use ictus_core::clone_by_field;
use serde::{Deserialize, Serialize};

use super::groups::connected::Groups;
use super::history::contact_history::ContactHistory;
use super::history::sticking::StickingPairs;
use super::row::sides;
use super::setup::{Order, ResponseOptions, ResponseProperties, ResponseSetup, SelectableResponse};
use super::{
    Bodies, ContactAction, ContactResult, NodeCorrection, Response, RigidCorrection, Stage, Status,
    StepLength, UnsolvedProblems,
};
use crate::math::Vec3;
use crate::{Constraint, Constraints};
use contact::Contact;
use impact::ImpactWorkspace;
use operator::{Mover, Operator};
use unknown::Unknown;

pub use options::{DecompositionOptions, ImpactOptions};

/// Decomposition contact response. A projection corrects the positions after the predictor; impulses then change the
/// velocities.
///
/// With the nodal velocities v_a and weights w_a, the relative velocity of a contact is v_r = Σ w_a v_a. Each part of
/// the motion has its own law:
///
/// - Normal part v_n n of v_r, with the unit normal n: coefficient of restitution e.
/// - Tangential part v_t of v_r: Coulomb's law with the coefficient μ.
/// - Motion that causes no relative velocity: unchanged.
///
/// With the effective mass m_eff and the nodal masses m_a, the impulses of a single contact are
///
/// ```text
/// I_N = −(1 + e) m_eff v_n ≥ 0,   I_T = −min(m_eff |v_t|, μ I_N) v_t/|v_t|,   Δv_a = (w_a/m_a) (I_N n + I_T)
/// ```
///
/// The contacts of a group form one problem (see `impact` and [`Order`]), which is solved by repeated solutions of
/// single contacts (`Unknown::improved`). The projection removes the penetrations with
/// the smallest position corrections in the mass norm. These corrections change the angular momentum; a couple on each
/// contact, or the reaction of a support, balances this change. The work of the corrections against the forces is
/// numerical work.
///
/// A sliding contact keeps the dynamic coefficient of friction until it stops. A contact rests, and has no restitution,
/// if its closing speed is at most twice the closing speed that forces and prescribed motion add from one contact
/// solution to the next.
///
/// # Source
/// Cirak & West, IJNME 64 (2005) 1078–1110; several contacts: see `complementarity` and `impact`.
#[derive(Clone, Debug)]
pub struct Decomposition {
    options: DecompositionOptions,
    memory: DecompositionMemory,
    groups: Groups,
    operator: Operator,
    contacts: Vec<Contact>,
    unknowns: Vec<Unknown>,
    /// Velocities of all movers \[m/s\], \[rad/s\].
    velocities: Vec<Vec3>,
    /// Velocity changes of all movers that the forces cause in half a step \[m/s\], \[rad/s\].
    kicks: Vec<Vec3>,
    /// Position corrections of all movers \[m\], \[rad\].
    corrections: Vec<Vec3>,
    /// Tie impulses on fixed components of nodes \[N·s\].
    tie_impulses: Vec<(u32, Vec3)>,
    members: Vec<u32>,
    unsolved: UnsolvedProblems,
    workspace: ImpactWorkspace,
}

/// Memory of the decomposition response between steps.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct DecompositionMemory {
    steps_to_solution: u32,
    /// Length of the previous step \[s\].
    time_step: f64,
    earlier: ContactHistory<Earlier>,
    sticking: StickingPairs,
}

clone_by_field!(DecompositionMemory { steps_to_solution, time_step, earlier, sticking });

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Earlier {
    /// Impulse divided by the time from the middle of the previous step to the middle of this step \[N\].
    force: Vec3,
    /// Normal part of the projection impulse \[kg·m\].
    push_out: f64,
    slides: bool,
}

impl Decomposition {
    /// A response without history.
    pub fn new(options: DecompositionOptions) -> Self {
        Self {
            options,
            memory: DecompositionMemory::default(),
            groups: Groups::default(),
            operator: Operator::default(),
            contacts: Vec::new(),
            unknowns: Vec::new(),
            velocities: Vec::new(),
            kicks: Vec::new(),
            corrections: Vec::new(),
            tie_impulses: Vec::new(),
            members: Vec::new(),
            unsolved: UnsolvedProblems::default(),
            workspace: ImpactWorkspace::default(),
        }
    }

    /// `between` is the time from the middle of the previous step to the middle of this step \[s\].
    fn load(&mut self, constraints: &Constraints, bodies: &Bodies<'_>, time_step: f64, between: f64) {
        self.groups.find(constraints, bodies.mobility);
        self.operator.assemble(constraints, &self.groups, bodies);
        self.operator.load_velocities(bodies, &mut self.velocities);
        self.operator.load_kicks(bodies, 0.5 * time_step, &mut self.kicks);
        self.corrections.clear();
        self.corrections.resize(self.velocities.len(), Vec3::zeros());
        self.memory.earlier.update(constraints, |_| Earlier::default(), |_, _| ());
        self.contacts.clear();
        // Time from one contact solution to the next.
        let span = f64::from(self.options.every.max(1)) * between;
        let kicks = span / (0.5 * time_step);
        for (k, (constraint, earlier)) in (0..).zip(constraints.iter().zip(self.memory.earlier.iter())) {
            let drift = held_velocity(&constraint, bodies)
                + self.operator.tied_drift(k, &constraint, bodies, &self.velocities);
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
                guess: earlier.force * between,
                push_out_guess: earlier.push_out,
                impulse: Vec3::zeros(),
                slips: false,
                has_slid: earlier.slides,
                is_held: self.memory.sticking.hold(constraint.bodies),
                resting: (-constraint.normal.dot(&(kick * kicks + pushed * span))).max(0.0),
                is_jammed: false,
                since: 0.0,
                lead: 0.0,
                lift: 0.0,
                push_out: Vec3::zeros(),
            });
        }
    }

    fn pose_impacts(&mut self) {
        self.operator.turn(&self.corrections);
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

    /// Writes impulses and results. An impulse I dissipates the energy −I · (v_r⁻ + v_r⁺)/2, with the relative
    /// velocities v_r⁻ before and v_r⁺ after I. For the normal part I_n of I, `lead` is added to both normal
    /// velocities, which then refer to the beginning of the contact. The energy −I_n `lead` is numerical work.
    fn report(&mut self, constraints: &Constraints, between: f64, action: &mut ContactAction) {
        let contacts = constraints.iter().zip(&self.contacts).zip(self.memory.earlier.iter_mut());
        for (k, ((constraint, contact), earlier)) in (0..).zip(contacts) {
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
            self.tie_impulses.extend(self.operator.tie_reactions(k, contact.impulse));
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
            *earlier = Earlier { force: contact.impulse / between, push_out, slides: contact.slips };
        }
        action.sort_nodes();
    }

    fn correct(&self, constraints: &Constraints, bodies: &Bodies<'_>, action: &mut ContactAction) {
        for (place, mover) in self.operator.movers().iter().enumerate() {
            let (velocity, position) = (self.velocities[place], self.corrections[place]);
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
                        rotation: self.corrections[place + 1],
                    });
                }
                Mover::Rotation(_) => {}
            }
        }
        // Fixed bodies are included: their supports react to the impulses.
        let held = |body: &u32| bodies.mobility.rigid(*body).is_some_and(|rigid| !rigid.can_move());
        let bodies_in_contact = constraints.iter().flat_map(|constraint| constraint.bodies);
        action.rigid_corrections.extend(bodies_in_contact.filter(held).map(RigidCorrection::none));
        action.node_corrections.sort_unstable_by_key(|correction| correction.node);
        action.rigid_corrections.sort_unstable_by_key(|correction| correction.body);
        action.rigid_corrections.dedup_by_key(|correction| correction.body);
    }
}

impl SelectableResponse for Decomposition {
    type Memory = DecompositionMemory;

    const PROPERTIES: ResponseProperties = ResponseProperties {
        keys: &["order", "every", "projection", "angular_momentum"],
        default_restitution: 0.0,
        least_restitution: 0.0,
        is_stable_for_any_stiffness: false,
        has_explicit_springs: false,
        needs_mobility: true,
    };

    fn build(setup: ResponseSetup) -> Self {
        let pairs =
            setup.laws.map(|laws| ImpactOptions { restitution: laws.restitution, friction: laws.friction });
        let ResponseOptions { order, every, projection, angular_momentum, .. } = setup.options;
        Self::new(DecompositionOptions { pairs, order, every, projection, angular_momentum })
    }

    fn acts_by_impulses(_: &ResponseOptions) -> bool {
        true
    }

    fn energy_remedy(_: &ResponseOptions, _: bool) -> &'static str {
        "set `contact.response` to \"penalty\" or \"energy-momentum\", or lower `time.step`: the energy added by \
         projections is proportional to it"
    }

    fn exchange(&mut self, memory: &mut DecompositionMemory) {
        std::mem::swap(&mut self.memory, memory);
    }

    /// Always true: contacts are looked up by their keys.
    fn fits(_: &DecompositionMemory, _: usize, _: usize) -> bool {
        true
    }
}

impl Response for Decomposition {
    fn stage(&self) -> Stage {
        Stage::Moved
    }

    fn uses_flush_contacts(&self) -> bool {
        true
    }

    fn respond(
        &mut self,
        constraints: &Constraints,
        bodies: &Bodies<'_>,
        step: StepLength,
        action: &mut ContactAction,
    ) {
        let before = std::mem::replace(&mut self.memory.time_step, step.actual);
        let between = if before > 0.0 { 0.5 * (before + step.actual) } else { step.actual };
        action.begin(between);
        if self.memory.steps_to_solution > 0 {
            self.memory.steps_to_solution -= 1;
            action.results.resize(constraints.len(), ContactResult::default());
            return;
        }
        self.memory.steps_to_solution = self.options.every.max(1) - 1;
        if constraints.is_empty() {
            self.memory.earlier.update(constraints, |_| Earlier::default(), |_, _| ());
            self.memory.sticking.clear();
            return;
        }
        self.unsolved = UnsolvedProblems::default();
        self.load(constraints, bodies, step.actual, between);
        self.project_positions(constraints, bodies.positions, step.actual);
        self.pose_impacts();
        self.solve_impacts(constraints, bodies.created, step.actual);
        self.project_slip(constraints, bodies.positions);
        self.report(constraints, between, action);
        let (given, of_supports) = self.restore_angular_momentum(constraints, bodies);
        action.work.numerical += given;
        action.tie_impulses.append(&mut self.tie_impulses);
        action.unsolved = self.unsolved;
        action.support_moment += of_supports;
        self.correct(constraints, bodies, action);
        self.memory.sticking.note(constraints, &action.results, bodies.mobility);
    }
}

/// Σ w_a v_a over the untied nodes that contact impulses cannot move in any direction \[m/s\].
fn held_velocity(constraint: &Constraint<'_>, bodies: &Bodies<'_>) -> Vec3 {
    let mut velocity = Vec3::zeros();
    for (body, nodes, weights) in sides(constraint) {
        let moves = |node: u32| match bodies.mobility.rigid(body) {
            Some(rigid) => rigid.can_move(),
            None => bodies.mobility.is_movable(node) || bodies.mobility.tied().group(node).is_some(),
        };
        let held = nodes.iter().zip(weights).filter(|&(&node, _)| !moves(node));
        velocity += held.map(|(&node, w)| bodies.velocities[node as usize] * *w).sum::<Vec3>();
    }
    velocity
}

/// Σ w_a a_a over fixed nodes and over the fixed directions of rigid bodies, with the nodal accelerations a_a at the
/// beginning of the step \[m/s²\].
fn prescribed_acceleration(constraint: &Constraint<'_>, bodies: &Bodies<'_>) -> Vec3 {
    let mut sum = Vec3::zeros();
    for (body, nodes, weights) in sides(constraint) {
        let mobility = |node: u32| match bodies.mobility.rigid(body) {
            Some(rigid) if rigid.can_move() => rigid.inverse_mass,
            None if bodies.mobility.is_movable(node) => Vec3::repeat(f64::INFINITY),
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
