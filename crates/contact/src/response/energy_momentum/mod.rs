//! Energy–momentum response: springs whose force is the discrete gradient of their energy.

mod action;
mod damping;
mod gradient;
mod iteration;
mod midpoint;
mod spring;
mod tied_motions;

use std::ops::Range;

use ictus_core::clone_by_field;
use serde::{Deserialize, Serialize};

use super::assembled_stiffness::AssembledStiffness;
use super::history::contact_history::ContactHistory;
use super::history::sticking::StickingPairs;
use super::history::transfer::{ContactTransfers, extrapolated_gap};
use super::laws::damping::Damping;
use super::laws::friction::FrictionLaw;
use super::laws::pairs::PairOptions;
use super::laws::stiffness::Stiffness;
use super::penalty::turned;
use super::row::{Motion, Row};
use super::setup::{ResponseOptions, ResponseProperties, ResponseSetup, Scheme, SelectableResponse};
use super::{
    Bodies, ContactAction, MidpointGeometry, NodeCorrection, Response, RigidCorrection, Stage, StepLength,
    StepWork, UnlistedWork,
};
use crate::math::Vec3;
use crate::{Constraint, Constraints, ContactKey};
use gradient::Gradient;
use tied_motions::TiedMotions;

/// Parameters of the energy–momentum response for a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnergyMomentumOptions {
    /// Factor f of the stiffness, positive \[-\].
    pub factor: f64,
    /// Coefficient of restitution e, in \[0, 1\].
    pub restitution: f64,
    /// Damping of the normal spring.
    pub damping: Damping,
    /// Damping of the tangential spring of friction.
    pub tangential_damping: Damping,
    /// Friction law.
    pub friction: FrictionLaw,
}

impl Scheme {
    /// Time by which the constraint gaps are later than the spring gaps before the kick \[s\].
    fn lead(self, step: StepLength) -> f64 {
        match self {
            Self::Staggered => 0.5 * step.actual,
            Self::Midpoint => 0.0,
        }
    }
}

/// Energy–momentum response.
///
/// Each contact has a normal spring with the dynamic gap ḡ, the stiffness κ, the energy U and the force p, called
/// pressure. A kick of duration dt changes the nodal velocities from v_a to v_a'; n is the normal, and w_a are the
/// weights:
///
/// ```text
/// Δḡ = ½ dt n · Σ w_a (v_a + v_a'),   p = −ΔU/Δḡ,   U = ½ κ ḡ² for ḡ < 0, otherwise 0
/// ```
/// The pressure does the work p Δḡ = −ΔU for any stiffness κ. The response therefore conserves energy and never
/// shortens the step; it also conserves momenta. As p and v_a' depend on each other, coupled contacts are solved
/// iteratively.
///
/// With a coefficient of restitution e < 1, a spring returns e² of its energy. If the gap decreases before a kick and
/// increases after it, the motion of the contact reverses, and the kick is solved twice. In the first solution, the
/// spring is elastic. In the second, the bodies separate at e times the gap rate of the first solution. The first
/// solution gives the gap of the spring after the kick.
///
/// While the spring is compressed, damping adds the force −c Δḡ/dt with the damping coefficient c. The sum of spring
/// force and damping force is never negative.
///
/// Friction is a tangential spring, whose force is scaled back to Coulomb's circle. The static coefficient applies
/// until the contact slides, and between two rigid bodies until all contacts of the pair slide.
///
/// Springs continue over flush surfaces from one body to the next (see `transfer`). If detection loses a contact, its
/// compressed spring remains. It is discarded when it has released its energy, or has released none in more than
/// `MAX_STEPS_PRESSED` steps. The normal energy left in the spring then counts as negative numerical work.
///
/// # Source
/// Armero & Petőcz, CMAME 158 (1998) 269–300, §3 (dynamic gap, force) and CMAME 179 (1999) 151–178 (friction).
/// [`Scheme::Staggered`] differs from the source in the instants of geometry and gap.
#[derive(Clone, Debug)]
pub struct EnergyMomentum {
    scheme: Scheme,
    stiffness: Stiffness,
    options: PairOptions<EnergyMomentumOptions>,
    memory: EnergyMomentumMemory,
    /// Contacts of the previous step.
    before: Constraints,
    /// Workspace: keys and indices of contacts.
    order: Vec<(ContactKey, usize)>,
    transfers: ContactTransfers,
    solutions: Vec<Solution>,
    gradient_nodes: Vec<Vec3>,
    couple_nodes: Vec<Vec3>,
    tied: TiedMotions,
    assembled: AssembledStiffness,
    velocities: Motion,
    kicked: Motion,
    /// Velocities after half the kick, without contact forces.
    half_kicked: Motion,
    /// Stored energy, friction work and damping work of each contact \[J\].
    energies: Vec<[f64; 3]>,
    /// Corrections of nodes in the previous iteration of the geometry.
    earlier_nodes: Vec<NodeCorrection>,
    /// Corrections of rigid bodies in the previous iteration of the geometry.
    earlier_rigid: Vec<RigidCorrection>,
}

/// Memory of the energy–momentum response between steps.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct EnergyMomentumMemory {
    /// Detected contacts, and lost contacts that still store energy.
    contacts: Constraints,
    springs: ContactHistory<Spring>,
    sticking: StickingPairs,
    /// Dissipation in the last kick, not yet reported \[J\]: by friction, and by restitution and damping. Zero between
    /// steps in the midpoint scheme.
    pending: [f64; 2],
}

clone_by_field!(EnergyMomentumMemory { contacts, springs, sticking, pending });

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Spring {
    options: EnergyMomentumOptions,
    /// Stiffness κ \[N/m\]; `None` in a new contact.
    stiffness: Option<f64>,
    /// Dynamic gap ḡ \[m\]; `None` in a new contact.
    gap: Option<f64>,
    /// Stretch of the tangential spring \[m\].
    slip: Vec3,
    slides: bool,
    /// Whether a contact of the same pair of rigid bodies was sticking in the previous step.
    is_held: bool,
    /// Time since the beginning of the contact \[s\]; zero in models without damping.
    age: f64,
    /// Ratio c/(κ dt) for the normal and the tangential spring \[-\], with the damping coefficient c and the duration
    /// dt of the kick.
    lag: [f64; 2],
    /// Whether the gap increased in the last kick, so that energy was released.
    releases: bool,
    lost: Option<Lost>,
}

/// Unknowns of a contact in a step.
#[derive(Clone, Debug)]
struct Solution {
    row: Row,
    gradient: Gradient,
    /// Range of the contact in `TiedMotions`.
    tied: Range<usize>,
    /// Compliance along the gap gradient (see `gradient`), and largest tangential compliance; both without the ties
    /// \[1/kg\].
    compliance: [f64; 2],
    /// Upper bound on the compliance of all coupled contacts together, for Jacobi sweeps \[1/kg\].
    coupled_compliance: f64,
    /// Gap rate before the kick \[m/s\].
    rate: f64,
    /// Slip rate before the kick \[m/s\].
    slip_rate: Vec3,
    /// Whether the gap rate before the kick is negative, beyond rounding.
    closes: bool,
    pressure: f64,
    traction: Vec3,
    /// Whether the friction force is at Coulomb's bound.
    slips: bool,
    /// Pressure found by the previous Jacobi sweep \[N\]. The current sweep finds `farther_pressure`, extrapolates
    /// `pressure` along the change from `next_pressure` to `farther_pressure`, and then replaces `next_pressure`.
    next_pressure: f64,
    /// Friction force found by the previous Jacobi sweep \[N\].
    next_traction: Vec3,
    /// Pressure found by the current Jacobi sweep, before extrapolation \[N\].
    farther_pressure: f64,
    /// Friction force found by the current Jacobi sweep, before extrapolation \[N\].
    farther_traction: Vec3,
    /// Set if the coefficient of restitution is below 1 and the motion of the contact reverses.
    reversal: Option<Reversal>,
}

#[derive(Clone, Copy, Debug)]
struct Reversal {
    /// Gap rate after the kick, prescribed for the second solution \[m/s\].
    rate: f64,
    /// Gap of the spring after the kick, from the first solution \[m\].
    gap: f64,
}

/// Largest closing rate that counts as rounding, relative to the rate change in the kick \[-\]: the magnitude of the
/// change by the spring plus that by all other forces.
const RATE_TOLERANCE: f64 = 1e-9;

/// Largest number of steps for which a lost contact remains although its spring releases no energy. Without this limit,
/// a node of a resting body would press on a face that the node has left.
const MAX_STEPS_PRESSED: u32 = 32;

/// State of a contact that detection has lost.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Lost {
    /// Number of steps in which the spring released no energy, since the contact was last detected.
    steps_pressed: u32,
}

impl EnergyMomentum {
    /// A response for a model with `num_nodes` nodes and one body for each of `masses` \[kg\].
    pub fn new(
        scheme: Scheme,
        stiffness: Stiffness,
        options: PairOptions<EnergyMomentumOptions>,
        num_nodes: usize,
        masses: Vec<f64>,
    ) -> Self {
        let num_bodies = masses.len();
        Self {
            scheme,
            stiffness,
            options,
            memory: EnergyMomentumMemory::default(),
            before: Constraints::default(),
            order: Vec::new(),
            transfers: ContactTransfers::default(),
            solutions: Vec::new(),
            gradient_nodes: Vec::new(),
            couple_nodes: Vec::new(),
            tied: TiedMotions::default(),
            assembled: AssembledStiffness::new(masses),
            velocities: Motion::new(num_nodes, num_bodies),
            kicked: Motion::new(num_nodes, num_bodies),
            half_kicked: Motion::new(num_nodes, num_bodies),
            energies: Vec::new(),
            earlier_nodes: Vec::new(),
            earlier_rigid: Vec::new(),
        }
    }

    fn transfer_springs(&mut self, constraints: &Constraints, velocities: &[Vec3], time_step: f64) {
        let Self { memory, before, order, transfers, options, .. } = self;
        let EnergyMomentumMemory { contacts, springs, .. } = memory;
        if transfers.find(contacts, constraints, |key| springs.holds(key), velocities, time_step) {
            contacts.rename(|key| transfers.renamed_key(key), order, before);
            transfers
                .apply(constraints, springs, |constraint, spring| spring.options = options.of(constraint));
        }
    }

    /// Gathers the detected contacts, and the lost contacts that remain. The gaps of lost contacts are extrapolated
    /// over the step with `velocities` \[m/s\].
    fn gather(
        &mut self,
        constraints: &Constraints,
        velocities: &[Vec3],
        time_step: f64,
        action: &mut ContactAction,
    ) {
        std::mem::swap(&mut self.memory.contacts, &mut self.before);
        self.memory.contacts.clear();
        let mut found = constraints.iter().peekable();
        for (old, spring) in self.before.iter().zip(self.memory.springs.iter_mut()) {
            while let Some(new) = found.next_if(|new| new.key < old.key) {
                self.memory.contacts.push_copy(&new);
            }
            if let Some(new) = found.next_if(|new| new.key == old.key) {
                spring.lost = None;
                self.memory.contacts.push_copy(&new);
            } else if spring.keep_when_lost() {
                let gap = extrapolated_gap(&old, velocities, time_step);
                self.memory.contacts.push_copy(&Constraint { gap, ..old });
            } else {
                let StepWork { friction: friction_work, damping: damping_work, .. } = spring.work_at_end();
                action.unlisted.push(UnlistedWork {
                    bodies: old.bodies,
                    friction_work,
                    damping_work,
                    ..UnlistedWork::default()
                });
            }
        }
        found.for_each(|new| self.memory.contacts.push_copy(&new));
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
            releases: false,
            lost: None,
        };
        self.memory.springs.update(&self.memory.contacts, begin, |_, spring| {
            action.work += spring.work_at_end();
        });
    }

    /// Loads the velocities before the kick, after half the kick and after the whole kick, without contact forces.
    fn load(&mut self, bodies: &Bodies<'_>, time_step: f64) {
        for constraint in self.memory.contacts.iter() {
            self.velocities.load_velocities(&constraint, bodies);
            self.kicked.kick(&constraint, bodies, time_step);
            self.half_kicked.kick(&constraint, bodies, 0.5 * time_step);
        }
    }

    /// Starts from zero forces. An uncompressed spring takes the constraint gap, extrapolated backwards with the gap
    /// rate over the time `lead`. A negative result is replaced by zero.
    fn begin(&mut self, bodies: &Bodies<'_>, step: StepLength) {
        self.solutions.clear();
        self.gradient_nodes.clear();
        self.tied.clear();
        let (vary, lead) = (self.options.vary_over_surfaces(), self.scheme.lead(step));
        for (constraint, spring) in self.memory.contacts.iter().zip(self.memory.springs.iter_mut()) {
            if vary {
                spring.options = self.options.of(&constraint);
            }
            spring.is_held = self.memory.sticking.hold(constraint.bodies);
            let row = Row::new(&constraint, bodies);
            let first = self.gradient_nodes.len();
            let gradient = Gradient::new(&constraint, bodies, &mut self.gradient_nodes);
            let nodes = &self.gradient_nodes;
            let tied = self.tied.append(&constraint, &nodes[first..], bodies.mobility);
            let compliance = gradient.compliance(&constraint, nodes, bodies.mobility);
            let rate = gradient.rate(&constraint, nodes, bodies.mobility, &self.velocities);
            let jump = row.jump(&constraint, &self.velocities);
            let slip_rate = jump - constraint.normal * constraint.normal.dot(&jump);
            let free = gradient.rate(&constraint, nodes, bodies.mobility, &self.kicked);
            let start = (constraint.gap - lead * rate).max(0.0);
            spring.gap = Some(spring.gap.filter(|&gap| gap < 0.0).unwrap_or(start));
            spring.slip = turned(&spring.slip, &constraint.normal);
            let stiffness = *spring.stiffness.get_or_insert_with(|| {
                let mass = if compliance > 0.0 { 1.0 / compliance } else { 0.0 };
                self.stiffness.of(&constraint, spring.options.factor, mass, step.regular)
            });
            // Sum of the magnitudes of the rate changes by other forces and by the spring.
            let changes =
                (free - rate).abs() + step.kick() * compliance * stiffness * spring.gap.unwrap_or(0.0).abs();
            let compliance = [compliance, row.across(&constraint.normal)];
            self.solutions.push(Solution {
                row,
                gradient,
                tied,
                compliance,
                coupled_compliance: 0.0,
                rate,
                slip_rate,
                closes: rate < -RATE_TOLERANCE * changes,
                pressure: 0.0,
                traction: Vec3::zeros(),
                slips: false,
                next_pressure: 0.0,
                next_traction: Vec3::zeros(),
                farther_pressure: 0.0,
                farther_traction: Vec3::zeros(),
                reversal: None,
            });
        }
    }
}

impl Solution {
    /// Tangential displacement over the kick \[m\].
    fn travel(&self, constraint: &Constraint<'_>, kicked: &Motion, dt: f64) -> Vec3 {
        let jump = self.row.jump(constraint, kicked);
        let rate = jump - constraint.normal * constraint.normal.dot(&jump);
        (self.slip_rate + rate) * (0.5 * dt)
    }
}

impl SelectableResponse for EnergyMomentum {
    type Memory = EnergyMomentumMemory;

    const PROPERTIES: ResponseProperties = ResponseProperties {
        keys: &["scheme", "stiffness", "penalty", "damping"],
        default_restitution: 1.0,
        least_restitution: 0.0,
        is_stable_for_any_stiffness: true,
        has_explicit_springs: false,
        needs_mobility: true,
    };

    fn build(setup: ResponseSetup) -> Self {
        let options = setup.laws.map(|laws| {
            let [damping, tangential_damping] = laws.damping_of_springs();
            EnergyMomentumOptions {
                factor: laws.penalty,
                restitution: laws.restitution,
                damping,
                tangential_damping,
                friction: laws.friction,
            }
        });
        Self::new(setup.options.scheme, setup.stiffness, options, setup.num_nodes, setup.masses)
    }

    fn acts_by_impulses(options: &ResponseOptions) -> bool {
        options.scheme == Scheme::Midpoint
    }

    fn energy_remedy(_: &ResponseOptions, _: bool) -> &'static str {
        "lower `time.step`"
    }

    fn exchange(&mut self, memory: &mut EnergyMomentumMemory) {
        std::mem::swap(&mut self.memory, memory);
    }

    fn fits(memory: &EnergyMomentumMemory, num_nodes: usize, num_bodies: usize) -> bool {
        memory.contacts.fit(num_nodes, num_bodies)
            && memory.springs.is_consistent()
            && memory.springs.iter().count() == memory.contacts.len()
    }

    fn respond_at_middle(
        &mut self,
        constraints: &Constraints,
        geometry: &mut impl MidpointGeometry,
        step: StepLength,
        action: &mut ContactAction,
    ) {
        self.respond_with_midpoints(constraints, geometry, step, action);
    }
}

impl Response for EnergyMomentum {
    fn stage(&self) -> Stage {
        match self.scheme {
            Scheme::Staggered => Stage::Accelerated,
            Scheme::Midpoint => Stage::Middle,
        }
    }

    fn respond(
        &mut self,
        constraints: &Constraints,
        bodies: &Bodies<'_>,
        step: StepLength,
        action: &mut ContactAction,
    ) {
        action.begin(step.actual);
        [action.work.friction, action.work.damping] = std::mem::take(&mut self.memory.pending);
        self.transfer_springs(constraints, bodies.velocities, step.actual);
        self.gather(constraints, bodies.velocities, step.actual, action);
        if self.memory.contacts.is_empty() {
            self.memory.sticking.clear();
            return;
        }
        self.load(bodies, step.kick());
        self.begin(bodies, step);
        self.damp(bodies, step);
        self.solve(bodies, step.kick());
        self.finish(bodies, step, action);
        self.remove_moments(bodies, step, action);
        self.report(bodies.positions, action);
        self.memory.sticking.note(constraints, &action.results, bodies.mobility);
    }
}

#[cfg(test)]
mod tests;
