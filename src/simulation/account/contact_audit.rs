//! Who presses on whom: forces, energies and areas of contact, pair by pair of bodies.

use crate::contact::Constraint;
use crate::contact::response::{ContactResult, Stage, UnlistedWork, UnsolvedProblems};
use crate::dynamics::lumped_shares;
use crate::math::Vec3;

use crate::simulation::Simulation;

/// Contact of two bodies, or of a body with itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairBalance {
    /// The bodies, first ≤ second.
    pub bodies: [u32; 2],
    /// Contacts of the last step.
    pub contacts: u64,
    /// Resultant on the first body at its end \[N\].
    pub force: Vec3,
    /// Energy stored at its end \[J\].
    pub contact_energy: f64,
    /// Energy friction has taken since the start \[J\].
    pub friction_dissipation: f64,
    /// Energy damping has taken since the start \[J\].
    pub damping_dissipation: f64,
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
        }
    }

    /// Adds what acts in a contact.
    fn add(&mut self, constraint: &Constraint<'_>, result: &ContactResult) {
        self.contacts += 1;
        self.push(constraint.bodies, constraint.normal * result.normal_force + result.friction_force);
        self.contact_energy += result.stored_energy;
        self.friction_dissipation += result.friction_work;
        self.damping_dissipation += result.damping_work;
    }

    /// Adds what a contact that is over still does.
    fn add_unlisted(&mut self, work: &UnlistedWork) {
        self.push(work.bodies, work.force);
        self.contact_energy += work.stored_energy;
        self.friction_dissipation += work.friction_work;
        self.damping_dissipation += work.damping_work;
    }

    /// Adds a force on the contactor, the first of its two bodies.
    fn push(&mut self, [contactor, target]: [u32; 2], force: Vec3) {
        if contactor != target {
            self.force += if contactor == self.bodies[0] { force } else { -force };
        }
    }
}

/// Part of the largest energy seen that contact may create, or friction give back, before there is a warning.
const UNEXPLAINED: f64 = 0.02;

/// What contact does to the energy that no law of contact accounts for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactAudit {
    /// Energy created since the start \[J\].
    pub created: f64,
    /// Work of the contact forces in the last step that the ways of the nodes do not show \[J\].
    pub unseen: f64,
    /// Whether loads jump at the beginning of the step.
    pub loads_jump: bool,
    /// The part of what a change of the step makes of the kick energy in nodes that impulses hold, which take it in the
    /// same step \[J\].
    pub given_to_held: f64,
    /// Length of the last step \[s\].
    pub time_step: f64,
    /// Problems without an answer since the start.
    unsolved: UnsolvedProblems,
    /// Whether there has been a warning, of creation, of friction, of impulses, of restitution and of ties.
    warned: [bool; 5],
    /// What makes less energy.
    remedy: &'static str,
}

impl ContactAudit {
    /// Of a run that has just begun, with what to tell of energy that contact makes.
    pub fn new(remedy: &'static str) -> Self {
        Self {
            created: 0.0,
            unseen: 0.0,
            loads_jump: false,
            given_to_held: 0.0,
            time_step: 0.0,
            unsolved: UnsolvedProblems::default(),
            warned: [false; 5],
            remedy,
        }
    }
}

fn ascending([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Where the balance of these bodies stands, which is often `guess`; it is made where there is none.
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
    /// Balances of all pairs of bodies that have touched, by ascending bodies.
    pub fn pair_balances(&self) -> &[PairBalance] {
        &self.pair_balances
    }

    /// Brings the balances of the pairs up to date after a step.
    pub(crate) fn account_pairs(&mut self) {
        for balance in &mut self.pair_balances {
            (balance.contacts, balance.force, balance.contact_energy) = (0, Vec3::zeros(), 0.0);
        }
        let mut place = 0;
        for (constraint, result) in self.constraints.iter().zip(&self.action.results) {
            place = place_of(&mut self.pair_balances, ascending(constraint.bodies), place);
            self.pair_balances[place].add(&constraint, result);
        }
        for work in &self.action.unlisted {
            place = place_of(&mut self.pair_balances, ascending(work.bodies), place);
            self.pair_balances[place].add_unlisted(work);
        }
        self.contact_audit.unsolved += self.action.unsolved;
        self.warn_of_unsolved_problems();
        self.warn_of_contact_energy();
    }

    /// Problems of contacts that had no answer to their tolerance, since the start.
    pub(crate) fn unsolved_problems(&self) -> UnsolvedProblems {
        self.contact_audit.unsolved
    }

    /// Warns of the first ones.
    fn warn_of_unsolved_problems(&mut self) {
        let ContactAudit { unsolved, warned, .. } = self.contact_audit;
        let time = self.state.time;
        if !warned[2] && unsolved.impulses + unsolved.projections > 0 {
            self.contact_audit.warned[2] = true;
            self.warnings.push(format!(
                "impulses of contacts that push each other were first not found to their tolerance at t = {time:.6e} s: the \
                 nearest ones act, which keep momentum and make no energy, and the closing report counts such problems; \
                 where they are many, less friction makes them fewer, and with `contact.response` = \"penalty\" or \
                 \"energy-momentum\" there are none"
            ));
        }
        if !warned[4] && unsolved.ties > 0 {
            self.contact_audit.warned[4] = true;
            let gap = self.action.tie_gap;
            self.warnings.push(format!(
                "tied points are first left {gap:.3e} m apart at t = {time:.6e} s: a rigid body turns so far in one step that the \
                 forces that hold it are not found, and momenta are off by the moments of such gaps; the closing report counts \
                 such steps, and in shorter ones (`time.step`) there are none"
            ));
        }
        if !warned[3] && unsolved.restitutions > 0 {
            self.contact_audit.warned[3] = true;
            self.warnings.push(format!(
                "friction jams contacts that want restitution, first at t = {time:.6e} s, as of a body wedged in a groove: \
                 those that jam have none in such a step, which the closing report counts; with less friction or restitution \
                 = 0 they do not jam"
            ));
        }
    }

    /// Holds the work of the contact forces over the last step, by the trapezoidal rule, against the energies that
    /// contact says it has stored and taken. Impulses and projections say themselves what they have given and taken: of
    /// nodes that stay in contact they take in every step what they give in the next, and what is left of that counts.
    ///
    /// Theory: work + change of what is stored + what is taken = 0. A contact that opens between two steps, or begins
    /// deep, has done work in between that no spring has stored.
    ///
    /// A step other than the one that forces of a discrete gradient were found for has them do another work than their
    /// springs say, and so have loads that jump at its beginning, when these forces are found: what is left is numerical.
    pub(crate) fn audit_contact(&mut self) {
        let (action, before) = (&self.action, &self.contact_before.1);
        if action.nodes.is_empty() && before.nodes.is_empty() {
            return;
        }
        let created = if self.acts_by_impulses() {
            action.work.numerical - action.work.damping
        } else {
            let along = |node: u32, force: &Vec3| {
                let node = node as usize;
                0.5 * force.dot(&(self.state.positions[node] - self.positions_next[node]))
            };
            let done = action.sum_over_contact(along) + before.sum_over_contact(along);
            let taken = action.work.friction + action.work.damping;
            done + self.contact_audit.unseen + action.stored_energy - before.stored_energy + taken
        };
        self.contact_audit.created += created;
        let is_another = self.control.has_broken_promise() || self.contact_audit.loads_jump;
        if self.response.stage() == Stage::Accelerated && is_another {
            self.action.work.numerical += created;
        }
    }

    fn warn_of_contact_energy(&mut self) {
        let scale = self.audit.energy_scale();
        let ContactAudit { created, warned, remedy, .. } = self.contact_audit;
        let time = self.state.time;
        if !warned[0] && created > UNEXPLAINED * scale {
            self.contact_audit.warned[0] = true;
            self.warnings.push(format!(
                "contact has created {created:.3e} J by t = {time:.6e} s, {:.1} % of the largest energy seen; {remedy}",
                100.0 * created / scale
            ));
        }
        let negative = |balance: &&PairBalance| balance.friction_dissipation < -UNEXPLAINED * scale;
        if let (false, Some(balance)) = (warned[1], self.pair_balances.iter().find(negative)) {
            let [first, second] = self.names(balance.bodies);
            let given = -balance.friction_dissipation;
            self.contact_audit.warned[1] = true;
            self.warnings.push(format!(
                "friction between `{first}` and `{second}` has given {given:.3e} J by t = {time:.6e} s instead of taking \
                 energy: nodes slide over the edges of coarse faces; refine the surfaces where they slide"
            ));
        }
    }

    /// Area of the surface of the nodes of a pair that are in contact, as deformed and as far as it faces the contact, in
    /// the order of [`Simulation::pair_balances`] \[m²\]: of the body with more of them, whose nodes resolve the contact
    /// better.
    ///
    /// # Cost
    /// A look at all contacts and the faces around their contactors.
    pub fn contact_areas(&self) -> Vec<f64> {
        let mut touched: Vec<([u32; 3], Vec3)> = Vec::new();
        for (constraint, result) in self.constraints.iter().zip(&self.action.results) {
            if result.normal_force > 0.0 {
                let bodies = ascending(constraint.bodies);
                let pair = self.pair_balances.binary_search_by(|balance| balance.bodies.cmp(&bodies));
                let side = u32::from(constraint.bodies[0] != bodies[0]);
                let contactors = &constraint.nodes[..constraint.num_contactor_nodes];
                let of_node = |&node: &u32| Some(([pair.ok()? as u32, side, node], constraint.normal));
                touched.extend(contactors.iter().filter_map(of_node));
            }
        }
        touched.sort_by_key(|touched| touched.0);
        touched.dedup_by_key(|touched| touched.0);
        let mut sides = vec![[(0_u64, 0.0); 2]; self.pair_balances.len()];
        for ([pair, side, node], normal) in touched {
            let (count, area) = &mut sides[pair as usize][side as usize];
            (*count, *area) = (*count + 1, *area + self.facing_area(node, &normal));
        }
        sides.iter().map(|[first, second]| if second.0 > first.0 { second.1 } else { first.1 }).collect()
    }

    /// What a node has of the area of the surface of its body as deformed, seen along the force on it \[m²\]: faces along
    /// the force, as those beyond the rim of a contact, do not bear it. 0 off the surface.
    fn facing_area(&self, node: u32, force_direction: &Vec3) -> f64 {
        let positions = &self.state.positions;
        let Some(surface) = self.surfaces.get(self.model.body_of(node)) else { return 0.0 };
        let Some(local) = surface.local_node(node) else { return 0.0 };
        let mut area = 0.0;
        for &face in surface.faces_of_local_node(local) {
            let (kind, nodes) = surface.face(face as usize);
            let shares = lumped_shares(std::iter::once((kind, nodes)), positions);
            let corners = kind.corners().iter().map(|&k| positions[nodes[k as usize] as usize]);
            let outward = area_vector(&corners.collect::<Vec<_>>()).try_normalize(0.0);
            let facing = outward.map_or(0.0, |outward| -outward.dot(force_direction)).max(0.0);
            area += shares.iter().find(|share| share.0 == node).map_or(0.0, |share| share.1 * facing);
        }
        area
    }

    /// Contact pressure of every node: its normal force of contact over the area of the surface around it that faces the
    /// force \[Pa\]. What is glued does not press.
    pub fn contact_pressures(&self) -> Vec<f64> {
        let mut pressures = vec![0.0; self.state.positions.len()];
        let mut tied = vec![Vec3::zeros(); pressures.len()];
        self.action.tie_forces.iter().for_each(|&(node, force)| tied[node as usize] += force);
        for &node in &self.action.nodes {
            let node = node as usize;
            let force = self.action.mean_force(node) - self.action.friction_forces[node] - tied[node];
            let size = force.norm();
            let area = if size > 0.0 { self.facing_area(node as u32, &(force / size)) } else { 0.0 };
            if area > 0.0 {
                pressures[node] = size / area;
            }
        }
        pressures
    }

    /// Whether contact has changed velocities at once in the last step.
    pub(crate) fn acts_by_impulses(&self) -> bool {
        !self.action.node_corrections.is_empty() || !self.action.rigid_corrections.is_empty()
    }

    /// Moment about the origin by which the supports and sliders of walls keep them from turning \[N·m\]: contact acts
    /// where a node touches the plane, and on the wall at its node.
    pub(crate) fn wall_couple(&self) -> Vec3 {
        let mut couple = Vec3::zeros();
        let first_wall = self.model.walls().next().map_or(u32::MAX, |(number, _)| number);
        for (constraint, result) in self.acting_constraints().iter().zip(&self.action.results) {
            if constraint.bodies[1] >= first_wall {
                let force = constraint.normal * result.normal_force + result.friction_force;
                couple += constraint.jump(&self.state.positions).cross(&force);
            }
        }
        let on_walls = self.action.unlisted.iter().filter(|work| work.bodies[1] >= first_wall);
        couple += on_walls.map(|work| work.moment).sum::<Vec3>();
        couple
    }
}

/// Along the outward normal of a face through its corners, counter-clockwise seen from outside.
fn area_vector(corners: &[Vec3]) -> Vec3 {
    match corners {
        [a, b] => (b - a).cross(&Vec3::z()),
        [a, b, c] => (b - a).cross(&(c - a)),
        [a, b, c, d] => (c - a).cross(&(d - b)),
        _ => Vec3::zeros(),
    }
}
