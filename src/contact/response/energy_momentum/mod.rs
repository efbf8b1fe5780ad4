//! Energy–momentum response: springs whose force is the discrete gradient of their energy.

mod damping;
mod gradient;
mod iteration;
mod spring;

use super::assembled_stiffness::AssembledStiffness;
use super::damping::Damping;
use super::friction::FrictionLaw;
use super::history::carried::Carried;
use super::history::handover::{Handovers, followed_gap};
use super::history::sticking::StickingPairs;
use super::pairs::PairOptions;
use super::penalty::{Stiffness, turned};
use super::row::{Motion, Row};
use super::{Bodies, ContactAction, ContactResult, Response, Stage, Status, StepLength, UnlistedWork};
use crate::contact::{Constraint, Constraints, ContactKey};
use crate::math::Vec3;
use gradient::Gradient;

/// Constants of the energy–momentum response to a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyMomentumOptions {
    /// Factor f of the stiffness, of any size > 0 \[-\].
    pub factor: f64,
    /// Coefficient of restitution e, in \[0, 1\].
    pub restitution: f64,
    /// Damping along the normal.
    pub damping: Damping,
    /// Damping across the normal, of the spring of friction.
    pub tangential_damping: Damping,
    /// Friction.
    pub friction: FrictionLaw,
}

/// Energy–momentum response.
///
/// The gap of a contact is followed by its rate, ḡ += (dt/2) n · Σ w_a (v_a + v_a'), with the velocities before and after
/// the kick of the step; the force is p = −ΔU/Δḡ with U = κ ḡ²/2 for ḡ < 0. Work is then p Δḡ = −ΔU to rounding,
/// whatever κ is: the response conserves energy and momenta and never shortens the step. The velocities after the
/// kick depend on p; the equation of one contact has a closed solution, contacts that share nodes are iterated over.
///
/// With restitution a spring gives e² of its energy back. In the step in which the motion turns the elastic solution is
/// found first: the gap is left as it would make it, and the bodies part with e times its velocities.
///
/// Damping adds −c Δḡ/dt while the spring is pressed, over the part of the way in which it is: p Δḡ = −ΔU less what it takes,
/// which is never negative, and p is not either. It does not shorten the step.
///
/// Friction is a spring too, with the mean of its force over the step while it sticks; one that slides is returned to
/// Coulomb's circle, and what it takes is never negative. Between rigid bodies the coefficient is that at rest until all of
/// their contacts slide. Laws are those of the faces that a contact is on, the stiffness
/// stays that of where it began.
///
/// Over a flush seam the next body takes the spring over as it is, see `handover`.
///
/// A contact that is found no more though its spring is still compressed is given its energy back along its last normal,
/// with nodal directions that have no moment (see `gradient`), and has friction for as long as it presses.
///
/// # Source
/// Armero & Petőcz, CMAME 158 (1998) 269–300, §3 (dynamic gap, force) and CMAME 179 (1999) 151–178 (friction), staggered
/// in time: geometry is that of the known positions, the gap lives at mid-steps.
#[derive(Clone, Debug)]
pub struct EnergyMomentum {
    stiffness: Stiffness,
    options: PairOptions<EnergyMomentumOptions>,
    /// Contacts found, and those that still have to give their energy back.
    contacts: Constraints,
    before: Constraints,
    /// Names of contacts and their places: workspace.
    order: Vec<(ContactKey, usize)>,
    springs: Carried<Spring>,
    handovers: Handovers,
    solutions: Vec<Solution>,
    gradient_nodes: Vec<Vec3>,
    assembled: AssembledStiffness,
    sticking: StickingPairs,
    velocities: Motion,
    kicked: Motion,
    /// Velocities after half of the kick of all other forces.
    half_kicked: Motion,
    /// Taken by friction and by restitution from the middle of the present step to that of the next \[J\].
    pending: [f64; 2],
    /// Of each contact: energy stored, and what friction and damping take, of which the action tells one step later \[J\].
    energies: Vec<[f64; 3]>,
}

/// What is remembered of a contact.
#[derive(Clone, Copy, Debug)]
struct Spring {
    options: EnergyMomentumOptions,
    /// κ \[N/m\]; `None` until the first force.
    stiffness: Option<f64>,
    /// Dynamic gap ḡ at the middle of the step \[m\]; `None` before the first.
    gap: Option<f64>,
    /// Stretch of the spring across the normal \[m\].
    slip: Vec3,
    slides: bool,
    /// Whether another contact of the same rigid bodies sticks.
    is_held: bool,
    /// Since it began \[s\].
    age: f64,
    /// Force of the damping over that of the spring, at a rate of the one over the step and a stretch of the other: c/(κ dt)
    /// along the normal and across it \[-\].
    lag: [f64; 2],
    /// Steps since it was last found.
    lost: u32,
}

/// The unknowns of a contact in a step.
#[derive(Clone, Debug)]
struct Solution {
    row: Row,
    gradient: Gradient,
    /// n · A n, and the bound on A across n \[1/kg\].
    compliance: [f64; 2],
    /// Bound on what all contacts that push the same give way by \[1/kg\].
    together: f64,
    /// Rates of gap and slip before the kick \[m/s\].
    rate: f64,
    slip_rate: Vec3,
    /// Whether the gap closes before the kick.
    closes: bool,
    pressure: f64,
    traction: Vec3,
    /// Whether friction is at its bound.
    slips: bool,
    /// Those that the last sweep over all contacts at once has found, and that the present one finds \[N\].
    next_pressure: f64,
    next_traction: Vec3,
    farther_pressure: f64,
    farther_traction: Vec3,
    /// Where restitution takes energy as the motion turns in this step.
    turning: Option<Turning>,
}

/// The motion of a contact that turns in a step.
#[derive(Clone, Copy, Debug)]
struct Turning {
    /// Rate of the gap after the kick \[m/s\].
    rate: f64,
    /// Gap that the spring has then \[m\].
    gap: f64,
}

/// A gap that closes by less than this part of what the forces of a step change its rate by is at rest: its sign is that of
/// rounding.
const AT_REST: f64 = 1e-9;

/// Steps for which a contact that is found no more is kept to give its energy back.
const MAX_LOST: u32 = 8;

impl EnergyMomentum {
    /// A response for a model of so many nodes, with bodies of these masses \[kg\].
    pub fn new(
        stiffness: Stiffness,
        options: PairOptions<EnergyMomentumOptions>,
        num_nodes: usize,
        masses: Vec<f64>,
    ) -> Self {
        let num_bodies = masses.len();
        Self {
            stiffness,
            options,
            contacts: Constraints::default(),
            before: Constraints::default(),
            order: Vec::new(),
            springs: Carried::default(),
            handovers: Handovers::default(),
            solutions: Vec::new(),
            gradient_nodes: Vec::new(),
            assembled: AssembledStiffness::new(masses),
            sticking: StickingPairs::default(),
            velocities: Motion::new(num_nodes, num_bodies),
            kicked: Motion::new(num_nodes, num_bodies),
            half_kicked: Motion::new(num_nodes, num_bodies),
            pending: [0.0; 2],
            energies: Vec::new(),
        }
    }

    /// Gives the springs of contacts that end at a seam, or have ended, to those that begin there.
    fn hand_over(&mut self, constraints: &Constraints, velocities: &[Vec3], time_step: f64) {
        let Self { contacts, before, order, springs, handovers, options, .. } = self;
        if handovers.find(contacts, constraints, |key| springs.holds(key), velocities, time_step) {
            contacts.rename(|key| handovers.name_of(key), order, before);
            handovers
                .apply(constraints, springs, |constraint, spring| spring.options = options.of(constraint));
        }
    }

    /// Contacts of this step: those found, and those of the step before that still hold energy, whose gaps are followed by
    /// the velocities over it \[m/s\].
    fn gather(
        &mut self,
        constraints: &Constraints,
        velocities: &[Vec3],
        time_step: f64,
        action: &mut ContactAction,
    ) {
        std::mem::swap(&mut self.contacts, &mut self.before);
        self.contacts.clear();
        let mut found = constraints.iter().peekable();
        for (old, spring) in self.before.iter().zip(self.springs.iter_mut()) {
            while let Some(new) = found.next_if(|new| new.key < old.key) {
                self.contacts.push_copy(&new);
            }
            if let Some(new) = found.next_if(|new| new.key == old.key) {
                spring.lost = 0;
                self.contacts.push_copy(&new);
            } else if spring.gap.is_some_and(|gap| gap < 0.0) && spring.lost < MAX_LOST {
                spring.lost += 1;
                let gap = followed_gap(&old, velocities, time_step);
                self.contacts.push_copy(&Constraint { gap, ..old });
            } else {
                let [friction_work, damping_work] = spring.given_up();
                action.unlisted.push(UnlistedWork {
                    bodies: old.bodies,
                    friction_work,
                    damping_work,
                    ..UnlistedWork::default()
                });
            }
        }
        found.for_each(|new| self.contacts.push_copy(&new));
        let options = &self.options;
        let begin = |constraint: &Constraint<'_>| Spring {
            options: options.of(constraint),
            stiffness: None,
            gap: None,
            slip: Vec3::zeros(),
            slides: false,
            is_held: false,
            age: 0.0,
            lag: [0.0; 2],
            lost: 0,
        };
        self.springs.follow(&self.contacts, begin, |_, spring| {
            let [friction_work, damping_work] = spring.given_up();
            action.work.friction += friction_work;
            action.work.damping += damping_work;
        });
    }

    /// Velocities before the kick and after that of all other forces.
    fn load(&mut self, bodies: &Bodies<'_>, time_step: f64) {
        for constraint in self.contacts.iter() {
            self.velocities.load_velocities(&constraint, bodies);
            self.kicked.kick(&constraint, bodies, time_step);
            self.half_kicked.kick(&constraint, bodies, 0.5 * time_step);
        }
    }

    /// Unknowns at zero; gaps of new contacts at half a step ago, but not below zero: a contact begins without energy.
    fn begin(&mut self, bodies: &Bodies<'_>, step: StepLength) {
        self.solutions.clear();
        self.gradient_nodes.clear();
        let vary = self.options.vary_over_surfaces();
        for (constraint, spring) in self.contacts.iter().zip(self.springs.iter_mut()) {
            if vary {
                spring.options = self.options.of(&constraint);
            }
            spring.is_held = self.sticking.hold(constraint.bodies);
            let row = Row::new(&constraint, bodies);
            let gradient = Gradient::new(&constraint, bodies, &mut self.gradient_nodes);
            let nodes = &self.gradient_nodes;
            let compliance = gradient.compliance(&constraint, nodes, bodies.mobility);
            let rate = gradient.rate(&constraint, nodes, bodies.mobility, &self.velocities);
            let jump = row.jump(&constraint, &self.velocities);
            let slip_rate = jump - constraint.normal * constraint.normal.dot(&jump);
            let free = gradient.rate(&constraint, nodes, bodies.mobility, &self.kicked);
            let start = (constraint.gap - 0.5 * step.actual * rate).max(0.0);
            spring.gap = Some(spring.gap.filter(|&gap| gap < 0.0).unwrap_or(start));
            spring.slip = turned(&spring.slip, &constraint.normal);
            let stiffness = *spring.stiffness.get_or_insert_with(|| {
                let mass = if compliance > 0.0 { 1.0 / compliance } else { 0.0 };
                self.stiffness.of(&constraint, spring.options.factor, mass, step.regular)
            });
            // Of other forces, which may move both sides alike, and of the spring.
            let changes =
                (free - rate).abs() + step.kick() * compliance * stiffness * spring.gap.unwrap_or(0.0).abs();
            let compliance = [compliance, row.across(&constraint.normal)];
            self.solutions.push(Solution {
                row,
                gradient,
                compliance,
                together: 0.0,
                rate,
                slip_rate,
                closes: rate < -AT_REST * changes,
                pressure: 0.0,
                traction: Vec3::zeros(),
                slips: false,
                next_pressure: 0.0,
                next_traction: Vec3::zeros(),
                farther_pressure: 0.0,
                farther_traction: Vec3::zeros(),
                turning: None,
            });
        }
    }

    /// Forces, energies, and the springs as they are in the middle of the next step.
    fn finish(&mut self, bodies: &Bodies<'_>, step: StepLength, action: &mut ContactAction) {
        let (dt, half) = (step.kick(), 0.5 * step.actual);
        let mut first = 0;
        self.energies.clear();
        let contacts = self.contacts.iter().zip(self.springs.iter_mut()).zip(&self.solutions);
        for ((constraint, spring), solution) in contacts {
            let nodes = &self.gradient_nodes;
            let gap = spring.gap.unwrap_or(0.0);
            let kicked_rate = solution.gradient.rate(&constraint, nodes, bodies.mobility, &self.kicked);
            let way = 0.5 * dt * (solution.rate + kicked_rate);
            let next = match solution.turning {
                Some(turning) => turning.gap,
                None => spring.gap_after(gap, way, solution.pressure),
            };
            // Energies are those at the end of the step, half a kick later.
            let half_work = half * solution.pressure * solution.rate;
            let mut stored = spring.energy(gap) + spring.tangential_energy() - half_work;
            let mut damping_work = if spring.is_lossy() {
                spring.energy(gap) - spring.energy(next) - solution.pressure * way
            } else {
                0.0
            };
            spring.gap = Some(next);
            let friction_work = if spring.rubs() {
                let travel = solution.travel(&constraint, &self.kicked, dt);
                stored -= half * solution.traction.dot(&solution.slip_rate);
                let [friction_work, drag_work] = spring.slide(solution, &travel);
                damping_work += drag_work;
                friction_work
            } else {
                0.0
            };
            action.stored_energy += stored;
            self.pending[0] += friction_work;
            self.pending[1] += damping_work;
            self.energies.push([stored, friction_work, damping_work]);
            let count = constraint.nodes.len();
            for (k, &node) in constraint.nodes.iter().enumerate() {
                let friction = solution.traction * constraint.weights[k];
                action.forces[node as usize] += nodes[first + k] * solution.pressure + friction;
                action.friction_forces[node as usize] += friction;
            }
            first += count;
            action.list(constraint.nodes);
        }
        action.sort_nodes();
    }

    /// Takes the moments of friction out, of which the pressures know nothing; friction is told what this takes.
    ///
    /// A force F that is added to others changes the work of all of them by dt F · (v' − ½ dt a + ½ dt M⁻¹ F), with the
    /// velocities v' that the others have created and the acceleration a by all but contact.
    fn take_moments_out(&mut self, bodies: &Bodies<'_>, step: StepLength, action: &mut ContactAction) {
        let (dt, half) = (step.kick(), 0.5 * step.actual);
        let (nodes, mobility) = (&mut self.gradient_nodes, bodies.mobility);
        for (k, (constraint, solution)) in self.contacts.iter().zip(&self.solutions).enumerate() {
            nodes.clear();
            let Some(couple) = Gradient::against_moment(&solution.traction, &constraint, bodies, nodes)
            else {
                continue;
            };
            let rate = |motion: &Motion| couple.rate(&constraint, nodes, mobility, motion);
            let free = rate(&self.half_kicked) - rate(&self.velocities);
            let own = 0.5 * dt * couple.compliance(&constraint, nodes, mobility);
            let taken = -dt * (rate(&self.kicked) - free + own);
            couple.push(&constraint, nodes, mobility, &mut self.kicked, dt);
            self.pending[0] += taken;
            // Like all energies at the end of the step, half a kick later.
            let half_work = half * rate(&self.velocities);
            action.stored_energy -= half_work;
            self.energies[k][0] -= half_work;
            self.energies[k][1] += taken;
            for (&node, force) in constraint.nodes.iter().zip(nodes.iter()) {
                action.forces[node as usize] += force;
            }
        }
    }

    /// What acts in the contacts that were found, and the work of the others.
    fn report(&self, positions: &[Vec3], action: &mut ContactAction) {
        let springs = self.springs.iter().zip(&self.energies);
        for ((constraint, (spring, energies)), solution) in
            self.contacts.iter().zip(springs).zip(&self.solutions)
        {
            let [stored_energy, friction_work, damping_work] = *energies;
            if spring.lost > 0 {
                let bodies = constraint.bodies;
                let force = constraint.normal * solution.pressure + solution.traction;
                let moment = constraint.jump(positions).cross(&force);
                action.unlisted.push(UnlistedWork {
                    bodies,
                    force,
                    stored_energy,
                    friction_work,
                    damping_work,
                    moment,
                });
                continue;
            }
            action.results.push(ContactResult {
                normal_force: solution.pressure,
                friction_force: solution.traction,
                status: Status::of(solution.pressure, &spring.options.friction, spring.slides),
                stored_energy,
                friction_work,
                damping_work,
            });
        }
    }
}

impl Solution {
    /// Way of the contactor across the normal over the step between the mid-steps \[m\].
    fn travel(&self, constraint: &Constraint<'_>, kicked: &Motion, dt: f64) -> Vec3 {
        let jump = self.row.jump(constraint, kicked);
        let rate = jump - constraint.normal * constraint.normal.dot(&jump);
        (self.slip_rate + rate) * (0.5 * dt)
    }
}

impl Response for EnergyMomentum {
    fn stage(&self) -> Stage {
        Stage::Accelerated
    }

    fn respond(
        &mut self,
        constraints: &Constraints,
        bodies: &Bodies<'_>,
        step: StepLength,
        action: &mut ContactAction,
    ) {
        action.begin(step.actual);
        [action.work.friction, action.work.damping] = std::mem::take(&mut self.pending);
        self.hand_over(constraints, bodies.velocities, step.actual);
        self.gather(constraints, bodies.velocities, step.actual, action);
        if self.contacts.is_empty() {
            self.sticking.clear();
            return;
        }
        self.load(bodies, step.kick());
        self.begin(bodies, step);
        self.damp(bodies, step);
        self.solve(bodies, step.kick());
        self.finish(bodies, step, action);
        self.take_moments_out(bodies, step, action);
        self.report(bodies.positions, action);
        self.sticking.note(constraints, &action.results, bodies.mobility);
    }
}

#[cfg(test)]
mod tests;
