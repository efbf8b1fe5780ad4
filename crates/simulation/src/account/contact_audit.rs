//! Contact forces, energies and areas of body pairs, and the audit of the energy that contact creates.

use serde::{Deserialize, Serialize};

use crate::contact::Constraint;
use crate::contact::response::{ContactResult, Stage, Status, UnlistedWork, UnsolvedProblems};
use crate::dynamics::CellShares;
use crate::math::Vec3;

use super::hops::Hops;
use crate::Simulation;

/// Contact balance of two bodies, or of a body in self-contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairBalance {
    /// The bodies, in ascending order; equal in self-contact.
    pub bodies: [u32; 2],
    /// Number of contacts detected in the last step.
    pub contacts: u64,
    /// Contact force on the first body at the end of the last step \[N\]; zero in self-contact.
    pub force: Vec3,
    /// Energy stored in contact springs at the end of the last step \[J\].
    pub contact_energy: f64,
    /// Energy dissipated by friction since the start of the run \[J\].
    pub friction_dissipation: f64,
    /// Energy dissipated by contact damping and inelastic impacts since the start of the run \[J\].
    pub damping_dissipation: f64,
    pub(crate) hops: Hops,
}

impl PairBalance {
    fn new(bodies: [u32; 2]) -> Self {
        Self {
            bodies,
            contacts: 0,
            force: Vec3::zeros(),
            contact_energy: 0.0,
            friction_dissipation: 0.0,
            damping_dissipation: 0.0,
            hops: Hops::default(),
        }
    }

    fn add(&mut self, constraint: &Constraint<'_>, result: &ContactResult) {
        self.contacts += 1;
        self.push(constraint.bodies, constraint.normal * result.normal_force + result.friction_force);
        self.contact_energy += result.stored_energy;
        self.friction_dissipation += result.friction_work;
        self.damping_dissipation += result.damping_work;
    }

    /// Adds the force and energies of `work`: the part of contact that belongs to no detected contact. It can belong to
    /// a contact that has ended.
    fn add_unlisted(&mut self, work: &UnlistedWork) {
        self.push(work.bodies, work.force);
        self.contact_energy += work.stored_energy;
        self.friction_dissipation += work.friction_work;
        self.damping_dissipation += work.damping_work;
    }

    /// Adds the contact force on the first body of the pair: `force` if this body is the contactor's, and the reaction
    /// `-force` if it is the target's. In self-contact, `force` and its reaction cancel.
    fn push(&mut self, [contactor, target]: [u32; 2], force: Vec3) {
        if contactor != target {
            self.force += if contactor == self.bodies[0] { force } else { -force };
        }
    }
}

/// Largest tolerated energy error, relative to the largest energy so far \[-\]. The error is the energy that contact
/// has created, or the energy that the friction of a pair has returned (a negative dissipation).
const MAX_CREATED_RATIO: f64 = 0.02;

/// Audit of the energy that contact creates.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ContactAudit {
    /// Energy created since the start of the run \[J\].
    pub created: f64,
    /// Work of the contact forces in the last step, minus the trapezoidal sum Σ ½ (f_n + f_{n+1}) · (x_{n+1} − x_n)
    /// over the nodes, with contact forces f and positions x \[J\].
    pub excess_work: f64,
    pub loads_jump: bool,
    /// Whether damping or another cause outside the time integration has changed velocities since the previous audit.
    pub velocities_jump: bool,
    /// Decrease of the kick energy of held nodes due to the last change of the step length \[J\]. A node is held if its
    /// acceleration points against its contact impulse. Only the component along the impulse counts: the impulse
    /// absorbs the kick energy of this component (see `held_force_acceleration`).
    pub work_on_held_nodes: f64,
    /// Length of the last step \[s\].
    pub time_step: f64,
    unsolved: UnsolvedProblems,
    /// For each of these subjects, whether a warning was issued: created energy, friction, impulses, restitution, ties,
    /// geometry.
    warned: [bool; 6],
}

impl ContactAudit {
    /// Audit at the start of a run after dynamic relaxation. The initial velocities of the bodies count as a jump.
    pub fn begin(&self) -> Self {
        Self { time_step: self.time_step, velocities_jump: true, ..Self::default() }
    }
}

fn ascending([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Index of the balance of two bodies. Inserts a missing balance. The index `guess` is tried first.
fn place_of(balances: &mut Vec<PairBalance>, bodies: [u32; 2], guess: usize) -> usize {
    if balances.get(guess).is_some_and(|balance| balance.bodies == bodies) {
        return guess;
    }
    let place = balances.partition_point(|balance| balance.bodies < bodies);
    if balances.get(place).is_none_or(|balance| balance.bodies != bodies) {
        balances.insert(place, PairBalance::new(bodies));
    }
    place
}

impl Simulation {
    /// Balances of all pairs of bodies that have been in contact, in ascending order of `bodies`.
    pub fn pair_balances(&self) -> &[PairBalance] {
        &self.state.ledger.pair_balances
    }

    pub(crate) fn account_pairs(&mut self) {
        for balance in &mut self.state.ledger.pair_balances {
            (balance.contacts, balance.force, balance.contact_energy) = (0, Vec3::zeros(), 0.0);
        }
        let mut place = 0;
        for (constraint, result) in
            self.state.contact.constraints.iter().zip(&self.state.contact.action.results)
        {
            place = place_of(&mut self.state.ledger.pair_balances, ascending(constraint.bodies), place);
            self.state.ledger.pair_balances[place].add(&constraint, result);
        }
        for work in &self.state.contact.action.unlisted {
            place = place_of(&mut self.state.ledger.pair_balances, ascending(work.bodies), place);
            self.state.ledger.pair_balances[place].add_unlisted(work);
        }
        let time = self.state.nodes.time;
        self.state.ledger.pair_balances.iter_mut().for_each(|pair| pair.hops.note(pair.contacts > 0, time));
        self.warn_of_hops();
        self.state.ledger.contact_audit.unsolved += self.state.contact.action.unsolved;
        self.warn_of_unsolved_problems();
        self.warn_of_contact_energy();
    }

    pub(crate) fn unsolved_problems(&self) -> UnsolvedProblems {
        self.state.ledger.contact_audit.unsolved
    }

    fn warn_of_unsolved_problems(&mut self) {
        let ContactAudit { unsolved, warned, .. } = self.state.ledger.contact_audit;
        let time = self.state.nodes.time;
        if !warned[2] && unsolved.impulses + unsolved.projections > 0 {
            self.state.ledger.contact_audit.warned[2] = true;
            self.state.ledger.warnings.push(format!(
                "contact impulses of coupled contacts did not converge to their tolerance, first at t = {time:.6e} \
                 s: the last iterate is applied, which conserves momentum and creates no energy; the closing report \
                 counts such problems; to avoid them, lower the friction, or set `contact.response` to \"penalty\" \
                 or \"energy-momentum\""
            ));
        }
        if !warned[4] && unsolved.ties > 0 {
            self.state.ledger.contact_audit.warned[4] = true;
            let gap = self.state.contact.action.tie_gap;
            self.state.ledger.warnings.push(format!(
                "tied points are {gap:.3e} m apart, first at t = {time:.6e} s: a rigid body rotates so far in one \
                 step that the tie forces do not converge, and the gap adds a moment error to the angular momentum; \
                 the closing report counts such steps; a shorter `time.step` avoids them"
            ));
        }
        if !warned[5] && unsolved.geometries > 0 {
            self.state.ledger.contact_audit.warned[5] = true;
            self.state.ledger.warnings.push(format!(
                "the geometry of contact at the middle of a step did not converge, first at t = {time:.6e} s: the last \
                 iterate is applied, which conserves energy and momentum, but not the angular momentum of friction; the \
                 closing report counts such steps; a shorter `time.step` avoids them"
            ));
        }
        if !warned[3] && unsolved.restitutions > 0 {
            self.state.ledger.contact_audit.warned[3] = true;
            self.state.ledger.warnings.push(format!(
                "friction jams contacts with restitution, first at t = {time:.6e} s, as in a body wedged in a \
                 groove: restitution is omitted in jammed contacts in such a step, and the closing report counts \
                 these steps; with less friction or restitution = 0 they do not jam"
            ));
        }
    }

    /// Audits the energy that contact created in the last step. In dynamic relaxation and after velocity jumps, this
    /// energy is not added to `created`.
    ///
    /// ```text
    /// created energy = work + change of stored energy + dissipated energy
    /// ```
    /// where the work of the contact forces is the trapezoidal sum plus `excess_work`. For example, a contact that
    /// opens within a step creates energy: its force does more work than its spring had stored.
    ///
    /// If inelastic impulses act, the created energy is instead the numerical work minus the energy absorbed by
    /// impulses. In the midpoint energy–momentum response, the created energy is the numerical work.
    ///
    /// The staggered energy–momentum response computes its forces in advance for the following step, whose length is
    /// committed. If the following step has another length, or if loads or velocities jump, the forces can create
    /// energy. This energy also counts as numerical work.
    pub(crate) fn audit_contact(&mut self) {
        let velocities_jump = std::mem::take(&mut self.state.ledger.contact_audit.velocities_jump);
        let (action, before) = (&self.state.contact.action, &self.scratch.before.action);
        if action.nodes.is_empty() && before.nodes.is_empty() {
            return;
        }
        let created = if self.acts_by_inelastic_impulses() {
            action.work.numerical - self.absorbed_by_impulses()
        } else if self.response.stage() == Stage::Middle {
            action.work.numerical
        } else {
            let along = |node: u32, force: &Vec3| {
                let node = node as usize;
                0.5 * force.dot(&(self.state.nodes.positions[node] - self.scratch.positions_next[node]))
            };
            let done = action.sum_over_contact(along) + before.sum_over_contact(along);
            let mut taken = action.work.friction + action.work.damping;
            if self.response.stage() == Stage::Accelerated {
                // The numerical work of this response is minus the energy left in the springs of lost contacts.
                taken -= action.work.numerical;
            }
            done + self.state.ledger.contact_audit.excess_work + action.stored_energy - before.stored_energy
                + taken
        };
        if !(velocities_jump || self.is_relaxing()) {
            self.state.ledger.contact_audit.created += created;
        }
        let loads_jump = self.state.ledger.contact_audit.loads_jump;
        let differs = self.state.control.differs_from_committed() || loads_jump || velocities_jump;
        if self.response.stage() == Stage::Accelerated && differs {
            self.state.contact.action.work.numerical += created;
        }
    }

    /// Energy that normal impulses and sticking friction absorbed in the last step \[J\]. Zero unless contact acts by
    /// inelastic impulses.
    pub(crate) fn absorbed_by_impulses(&self) -> f64 {
        if !self.acts_by_inelastic_impulses() {
            return 0.0;
        }
        let action = &self.state.contact.action;
        let sticking = action.results.iter().filter(|result| result.status == Status::Stick);
        action.work.damping + sticking.map(|result| result.friction_work).sum::<f64>()
    }

    fn warn_of_contact_energy(&mut self) {
        let scale = self.state.ledger.audit.energy_scale();
        let ContactAudit { created, warned, .. } = self.state.ledger.contact_audit;
        // At nodes that stay in contact, the impulses of the next step will absorb the numerical work of this step.
        let absorbed_next =
            if self.acts_by_inelastic_impulses() { self.state.contact.action.work.numerical } else { 0.0 };
        let created = created - absorbed_next;
        let time = self.state.nodes.time;
        if !warned[0] && created > MAX_CREATED_RATIO * scale {
            self.state.ledger.contact_audit.warned[0] = true;
            self.state.ledger.warnings.push(format!(
                "contact has created {created:.3e} J by t = {time:.6e} s, {:.1} % of the largest energy so far; \
                 {}",
                100.0 * created / scale,
                self.settings.contact_remedy
            ));
        }
        let negative = |balance: &&PairBalance| balance.friction_dissipation < -MAX_CREATED_RATIO * scale;
        if let (false, Some(balance)) = (warned[1], self.state.ledger.pair_balances.iter().find(negative)) {
            let [first, second] = self.names(balance.bodies);
            let given = -balance.friction_dissipation;
            self.state.ledger.contact_audit.warned[1] = true;
            self.state.ledger.warnings.push(format!(
                "friction between `{first}` and `{second}` has returned {given:.3e} J by t = {time:.6e} s instead of \
                 dissipating energy: nodes slide over the edges of coarse faces; refine the surfaces where they slide"
            ));
        }
    }

    /// Contact area of each pair, in the order of [`Simulation::pair_balances`] \[m²\].
    ///
    /// The area is the deformed tributary area of the contactor nodes, projected along the contact normal. Of two
    /// bodies, only the body with more contactor nodes counts: it resolves the contact better.
    ///
    /// # Cost
    /// O(n log n) for n contacts, and one visit of the face ring of each contactor.
    pub fn contact_areas(&self) -> Vec<f64> {
        let mut touched: Vec<([u32; 3], Vec3)> = Vec::new();
        for (constraint, result) in
            self.state.contact.constraints.iter().zip(&self.state.contact.action.results)
        {
            if result.normal_force > 0.0 {
                let bodies = ascending(constraint.bodies);
                let pair =
                    self.state.ledger.pair_balances.binary_search_by(|balance| balance.bodies.cmp(&bodies));
                let side = u32::from(constraint.bodies[0] != bodies[0]);
                let contactors = &constraint.nodes[..constraint.num_contactor_nodes];
                let of_node = |&node: &u32| Some(([pair.ok()? as u32, side, node], constraint.normal));
                touched.extend(contactors.iter().filter_map(of_node));
            }
        }
        touched.sort_by_key(|touched| touched.0);
        touched.dedup_by_key(|touched| touched.0);
        let mut sides = vec![[(0_u64, 0.0); 2]; self.state.ledger.pair_balances.len()];
        let mut shares = CellShares::default();
        for ([pair, side, node], normal) in touched {
            let (count, area) = &mut sides[pair as usize][side as usize];
            (*count, *area) = (*count + 1, *area + self.projected_area(node, &normal, &mut shares));
        }
        sides.iter().map(|[first, second]| if second.0 > first.0 { second.1 } else { first.1 }).collect()
    }

    /// Deformed tributary area of a surface node, projected along the unit vector `force_direction` \[m²\]. Only faces
    /// whose outward normal n has n · `force_direction` < 0 count. Zero for a node that is not on a surface.
    fn projected_area(&self, node: u32, force_direction: &Vec3, shares: &mut CellShares) -> f64 {
        let positions = &self.state.nodes.positions;
        let Some(surface) = self.model.surfaces.get(self.model.body_of(node)) else { return 0.0 };
        let Some(local) = surface.local_node(node) else { return 0.0 };
        let mut area = 0.0;
        for &face in surface.faces_of_local_node(local) {
            let (kind, nodes) = surface.face(face as usize);
            let mut corners = [Vec3::zeros(); 4];
            let count = kind.corners().len();
            for (corner, &k) in corners.iter_mut().zip(kind.corners()) {
                *corner = positions[nodes[k as usize] as usize];
            }
            let outward = area_vector(&corners[..count]).try_normalize(0.0);
            let facing = outward.map_or(0.0, |outward| -outward.dot(force_direction)).max(0.0);
            if facing > 0.0 {
                let shares = nodes.iter().zip(shares.compute((kind, nodes), positions));
                area += facing * shares.filter(|share| *share.0 == node).map(|share| share.1).sum::<f64>();
            }
        }
        area
    }

    /// Contact pressure of each node: normal contact force without tie forces, per projected tributary area \[Pa\].
    pub fn contact_pressures(&self) -> Vec<f64> {
        let mut pressures = vec![0.0; self.state.nodes.positions.len()];
        let mut tied = vec![Vec3::zeros(); pressures.len()];
        self.state.contact.action.tie_forces.iter().for_each(|&(node, force)| tied[node as usize] += force);
        let mut shares = CellShares::default();
        for &node in &self.state.contact.action.nodes {
            let node = node as usize;
            let force = self.state.contact.action.mean_force(node)
                - self.state.contact.action.friction_forces[node]
                - tied[node];
            let size = force.norm();
            let area =
                if size > 0.0 { self.projected_area(node as u32, &(force / size), &mut shares) } else { 0.0 };
            if area > 0.0 {
                pressures[node] = size / area;
            }
        }
        pressures
    }

    pub(crate) fn acts_by_impulses(&self) -> bool {
        !self.state.contact.action.node_corrections.is_empty()
            || !self.state.contact.action.rigid_corrections.is_empty()
    }

    /// Whether contact applied inelastic impulses in the last step (response by decomposition).
    pub(crate) fn acts_by_inelastic_impulses(&self) -> bool {
        self.response.stage() == Stage::Moved && self.acts_by_impulses()
    }

    /// Moment by which supports and sliders (of free walls) prevent a rotation of the walls \[N·m\]. A contact force
    /// acts at the contact point, but the reaction of the support or slider acts at the node of the wall: force and
    /// reaction form a couple.
    pub(crate) fn wall_couple(&self) -> Vec3 {
        let mut couple = Vec3::zeros();
        let first_wall = self.model.walls().next().map_or(u32::MAX, |(number, _)| number);
        for (constraint, result) in self.acting_constraints().iter().zip(&self.state.contact.action.results) {
            if constraint.bodies[1] >= first_wall {
                let force = constraint.normal * result.normal_force + result.friction_force;
                couple += constraint.jump(&self.state.nodes.positions).cross(&force);
            }
        }
        let on_walls = self.state.contact.action.unlisted.iter().filter(|work| work.bodies[1] >= first_wall);
        couple += on_walls.map(|work| work.moment).sum::<Vec3>();
        couple
    }
}

/// Vector along the outward normal of a face with corners counter-clockwise as seen from outside.
fn area_vector(corners: &[Vec3]) -> Vec3 {
    match corners {
        [a, b] => (b - a).cross(&Vec3::z()),
        [a, b, c] => (b - a).cross(&(c - a)),
        [a, b, c, d] => (c - a).cross(&(d - b)),
        _ => Vec3::zeros(),
    }
}
