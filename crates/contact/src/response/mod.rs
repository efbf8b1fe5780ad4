//! Contact response: computes a [`ContactAction`] from the constraints of any detector. The time integration applies
//! the action to the bodies.
//!
//! Three responses treat the same constraints with the same friction law:
//!
//! | response | acts by | conserves or satisfies | limitation |
//! |---|---|---|---|
//! | [`Penalty`] | spring forces | energy (a force corrects it when a contact opens) | penetration, shorter time step |
//! | [`Decomposition`] | impulses, position corrections | impenetrability after each step | loses energy in impacts |
//! | [`EnergyMomentum`] | discrete-gradient springs | energy and momenta to rounding, at any stiffness | penetration |
//!
//! `selected` has the table of the responses that scenarios can name. Between tied surfaces, [`Ties`] act in place of
//! contact constraints, with any of the three responses.

mod assembled_stiffness;
mod decomposition;
mod energy_momentum;
mod groups;
mod history;
mod laws;
mod mobility;
mod offset_points;
mod penalty;
mod row;
#[cfg(test)]
mod samples;
mod selected;
mod setup;
mod ties;

pub use assembled_stiffness::MAX_ON_RIGID_BODIES;
pub use decomposition::{Decomposition, DecompositionMemory, DecompositionOptions, ImpactOptions};
pub use energy_momentum::{EnergyMomentum, EnergyMomentumMemory, EnergyMomentumOptions};
pub use laws::contact_laws::ContactLaws;
pub use laws::damping::Damping;
pub use laws::friction::FrictionLaw;
pub use laws::pairs::PairOptions;
pub use laws::stiffness::Stiffness;
pub use mobility::{Mobility, RigidMobility, TiedMobility};
pub use offset_points::{OffsetPoints, SupportNodes, far_from_coplanar};
pub use penalty::{Penalty, PenaltyMemory, PenaltyOptions};
pub use selected::{ResponseMemory, ResponseMethod, SelectedResponse};
pub use setup::{
    AngularMomentum, Order, ResponseOptions, ResponseProperties, ResponseSetup, Scheme, SelectableResponse,
};
pub use ties::{RigidMotions, RigidPlace, TiedRigidBody, Ties, UnlikeMasses};

use std::ops::Range;

use bytemuck::zeroed_vec;
use fixedbitset::FixedBitSet;
use ictus_core::clone_by_field;
use serde::{Deserialize, Serialize};

use crate::math::Vec3;

use super::Constraints;

/// Friction status of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// Open: no contact force.
    #[default]
    Open,
    /// Sticking.
    Stick,
    /// Sliding.
    Slip,
}

impl Status {
    /// `at_bound`: whether the friction force is at Coulomb's bound. A closed contact without friction slides.
    fn of(normal_force: f64, friction: &FrictionLaw, at_bound: bool) -> Self {
        if normal_force <= 0.0 {
            Self::Open
        } else if at_bound || !friction.acts() {
            Self::Slip
        } else {
            Self::Stick
        }
    }
}

/// Force and energies of one contact. For impulses, the forces are means over the time `ContactAction::spread`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactResult {
    /// Normal force \[N\], ≥ 0.
    pub normal_force: f64,
    /// Friction force on the contactor \[N\].
    pub friction_force: Vec3,
    /// Friction status.
    pub status: Status,
    /// Stored energy \[J\].
    pub stored_energy: f64,
    /// Energy dissipated by friction in the step \[J\].
    pub friction_work: f64,
    /// Energy dissipated by damping and imperfect restitution in the step \[J\].
    pub damping_work: f64,
}

/// Force, stored energy and dissipation that [`ContactAction::results`] do not contain: values of contacts that have
/// ended or that detection has lost, and dissipation in this step by forces of the previous step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UnlistedWork {
    /// Bodies of the contactor and of the target.
    pub bodies: [u32; 2],
    /// Force on the contactor \[N\].
    pub force: Vec3,
    /// Stored energy \[J\].
    pub stored_energy: f64,
    /// Energy dissipated by friction \[J\].
    pub friction_work: f64,
    /// Energy dissipated by damping and imperfect restitution \[J\].
    pub damping_work: f64,
    /// Total moment of `force` and its reaction, which act at different points \[N·m\].
    pub moment: Vec3,
}

/// Correction of the motion of a node.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeCorrection {
    /// Global number of a deformable node.
    pub node: u32,
    /// Velocity jump \[m/s\].
    pub velocity: Vec3,
    /// Position correction \[m\].
    pub position: Vec3,
}

/// Correction of the motion of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RigidCorrection {
    /// The body.
    pub body: u32,
    /// Velocity jump of the centre \[m/s\].
    pub velocity: Vec3,
    /// Angular velocity jump \[rad/s\].
    pub angular_velocity: Vec3,
    /// Position correction of the centre \[m\].
    pub position: Vec3,
    /// Rotation correction about the centre \[rad\].
    pub rotation: Vec3,
}

impl RigidCorrection {
    /// Zero correction.
    pub fn none(body: u32) -> Self {
        let zero = Vec3::zeros();
        Self { body, velocity: zero, angular_velocity: zero, position: zero, rotation: zero }
    }
}

/// Resultant force and moment on a rigid body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RigidForce {
    /// The body.
    pub body: u32,
    /// Force \[N\].
    pub force: Vec3,
    /// Moment about its centre of mass \[N·m\].
    pub moment: Vec3,
}

/// Energies that contact dissipates or adds in one step \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepWork {
    /// Dissipated by friction.
    pub friction: f64,
    /// Dissipated by damping and imperfect restitution.
    pub damping: f64,
    /// Added by the numerical method: position corrections, changes of stiffness or time step, and energy errors of
    /// springs. Energy left in the springs of ended contacts counts as negative.
    pub numerical: f64,
}

impl std::ops::AddAssign for StepWork {
    fn add_assign(&mut self, other: Self) {
        self.friction += other.friction;
        self.damping += other.damping;
        self.numerical += other.numerical;
    }
}

/// Numbers of contact problems that were not solved to tolerance, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsolvedProblems {
    /// Impulse problems. The unconverged impulses act, reduced if they would create energy.
    pub impulses: u64,
    /// Impulse problems with restitution. The contacts that fall short of their rebound velocity (jammed contacts) lose
    /// their restitution.
    pub restitutions: u64,
    /// Projection problems. The unconverged position corrections act.
    pub projections: u64,
    /// Groups of ties. The unconverged tie forces act, and the tied points do not coincide at the end of the following
    /// step.
    pub ties: u64,
    /// Geometries at the middle of a step. The geometry of the last iteration acts; friction then changes the angular
    /// momentum.
    pub geometries: u64,
}

impl std::ops::AddAssign for UnsolvedProblems {
    fn add_assign(&mut self, other: Self) {
        self.impulses += other.impulses;
        self.restitutions += other.restitutions;
        self.projections += other.projections;
        self.ties += other.ties;
        self.geometries += other.geometries;
    }
}

/// Action of contact on the bodies in one step.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ContactAction {
    /// Contact and tie forces on all nodes \[N\].
    #[serde(with = "crate::math::sparse_vectors")]
    pub forces: Vec<Vec3>,
    /// Contact impulses on all nodes \[N·s\]. `node_corrections` and `rigid_corrections` contain their velocity jumps.
    #[serde(with = "crate::math::sparse_vectors")]
    pub impulses: Vec<Vec3>,
    /// Friction part of `forces`, plus the friction part of `impulses` divided by `spread`, on all nodes \[N\].
    #[serde(with = "crate::math::sparse_vectors")]
    pub friction_forces: Vec<Vec3>,
    /// Nodes whose force or impulse may be non-zero, ascending.
    pub nodes: Vec<u32>,
    /// Number of `nodes` with contact; the other `nodes` have tie forces only.
    num_of_contact: usize,
    /// Corrections of nodes, ascending by node.
    pub node_corrections: Vec<NodeCorrection>,
    /// Corrections of rigid bodies, ascending by body.
    pub rigid_corrections: Vec<RigidCorrection>,
    /// Tie impulses on fixed components of nodes \[N·s\]. A node can occur several times.
    pub tie_impulses: Vec<(u32, Vec3)>,
    /// Tie part of the nodal forces \[N\]. A node can occur several times.
    pub tie_forces: Vec<(u32, Vec3)>,
    /// Tie forces on movable rigid bodies, not included in `forces`.
    pub rigid_forces: Vec<RigidForce>,
    /// Force and energies of each contact, in the order of the constraints.
    pub results: Vec<ContactResult>,
    /// Forces, energies and dissipation that `results` do not contain.
    pub unlisted: Vec<UnlistedWork>,
    /// Energy stored in the contacts \[J\].
    pub stored_energy: f64,
    /// Energy dissipated and added in this step.
    pub work: StepWork,
    /// Unsolved problems of this step.
    pub unsolved: UnsolvedProblems,
    /// Largest distance between tied points in unsolved groups of ties \[m\].
    pub tie_gap: f64,
    /// Angular impulse that supports exert on the bodies in reaction to contact impulses \[N·m·s\].
    pub support_moment: Vec3,
    /// Upper bound on the increase of the largest squared angular frequency by contact \[rad²/s²\].
    pub frequency_squared: f64,
    /// The set of `nodes`.
    #[serde(skip)]
    listed: FixedBitSet,
    /// Time over which impulses are averaged for output \[s\].
    spread: f64,
}

clone_by_field!(ContactAction {
    forces,
    impulses,
    friction_forces,
    nodes,
    num_of_contact,
    node_corrections,
    rigid_corrections,
    tie_impulses,
    tie_forces,
    rigid_forces,
    results,
    unlisted,
    stored_energy,
    work,
    unsolved,
    tie_gap,
    support_moment,
    frequency_squared,
    listed,
    spread,
});

impl ContactAction {
    /// Empty action on `num_nodes` nodes.
    pub fn new(num_nodes: usize) -> Self {
        // Zeroed pages of the operating system take no memory until they are written.
        let zeros = || zeroed_vec(num_nodes);
        Self {
            forces: zeros(),
            impulses: zeros(),
            friction_forces: zeros(),
            listed: FixedBitSet::with_capacity(num_nodes),
            ..Self::default()
        }
    }

    /// Rebuilds `listed` after deserialisation; returns whether all lists fit a model of `num_nodes` nodes.
    pub fn restore_listed(&mut self, num_nodes: usize) -> bool {
        let lengths = [self.forces.len(), self.impulses.len(), self.friction_forces.len()];
        let of_ties = self.tie_forces.iter().chain(&self.tie_impulses).map(|(node, _)| node);
        let mut nodes = self.nodes.iter().chain(of_ties);
        let fits = lengths == [num_nodes; 3] && nodes.all(|&node| (node as usize) < num_nodes);
        self.listed = FixedBitSet::with_capacity(num_nodes);
        if fits {
            self.nodes.iter().for_each(|&node| self.listed.insert(node as usize));
        }
        fits && self.num_of_contact <= self.nodes.len()
    }

    /// Whether any node has contact; ties do not count.
    pub fn has_contact(&self) -> bool {
        self.num_of_contact > 0
    }

    /// The part of `nodes` in a range of node numbers.
    pub fn touched_in(&self, range: &Range<usize>) -> &[u32] {
        let place = |end: usize| self.nodes.partition_point(|&node| (node as usize) < end);
        &self.nodes[place(range.start)..place(range.end)]
    }

    /// Force on a node, plus its impulse divided by `spread` \[N\].
    pub fn mean_force(&self, node: usize) -> Vec3 {
        let impulse = self.impulses[node];
        if impulse == Vec3::zeros() { self.forces[node] } else { self.forces[node] + impulse / self.spread }
    }

    /// Sum of `of_force(node, force)` over the nodal forces without their tie parts. Precondition: `of_force` is linear
    /// in the force.
    pub fn sum_over_contact(&self, of_force: impl Fn(u32, &Vec3) -> f64) -> f64 {
        let of_all: f64 = self.nodes.iter().map(|&node| of_force(node, &self.forces[node as usize])).sum();
        of_all - self.tie_forces.iter().map(|(node, force)| of_force(*node, force)).sum::<f64>()
    }

    /// Removes the tie forces.
    pub fn remove_ties(&mut self) {
        for (node, force) in self.tie_forces.drain(..) {
            self.forces[node as usize] -= force;
        }
        self.rigid_forces.clear();
    }

    /// Tie force on a rigid body \[N\], and its moment about the centre \[N·m\]; zero without ties.
    pub fn rigid_force(&self, body: usize) -> [Vec3; 2] {
        let of_body = self.rigid_forces.iter().find(|force| force.body as usize == body);
        of_body.map_or([Vec3::zeros(); 2], |of_body| [of_body.force, of_body.moment])
    }

    /// Time over which impulses are averaged for output \[s\].
    pub fn spread(&self) -> f64 {
        self.spread
    }

    /// Clears the action of the previous step. Impulses of the new step are averaged over `spread` \[s\].
    pub fn begin(&mut self, spread: f64) {
        for &node in &self.nodes {
            self.forces[node as usize] = Vec3::zeros();
            self.impulses[node as usize] = Vec3::zeros();
            self.friction_forces[node as usize] = Vec3::zeros();
        }
        self.nodes.clear();
        self.listed.clear();
        self.num_of_contact = 0;
        self.node_corrections.clear();
        self.rigid_corrections.clear();
        self.results.clear();
        self.unlisted.clear();
        self.stored_energy = 0.0;
        self.work = StepWork::default();
        self.unsolved = UnsolvedProblems::default();
        self.tie_gap = 0.0;
        self.tie_forces.clear();
        self.tie_impulses.clear();
        self.rigid_forces.clear();
        self.support_moment = Vec3::zeros();
        self.frequency_squared = 0.0;
        self.spread = spread;
    }

    /// `normal` and `friction` are the forces on the contactor \[N\].
    fn add_forces(&mut self, constraint: &super::Constraint<'_>, normal: Vec3, friction: Vec3) {
        let force = normal + friction;
        for (&node, &weight) in constraint.nodes.iter().zip(constraint.weights) {
            self.forces[node as usize] += force * weight;
        }
        if friction != Vec3::zeros() {
            for (&node, &weight) in constraint.nodes.iter().zip(constraint.weights) {
                self.friction_forces[node as usize] += friction * weight;
            }
        }
        self.list(constraint.nodes);
    }

    fn list(&mut self, nodes: &[u32]) {
        nodes.iter().for_each(|&node| self.listed.insert(node as usize));
    }

    /// Builds `nodes` from `listed`. Precondition: all listed nodes have contact.
    fn sort_nodes(&mut self) {
        self.sort_tied_nodes();
        self.num_of_contact = self.nodes.len();
    }

    /// Builds `nodes` from `listed`; some listed nodes can have tie forces only.
    fn sort_tied_nodes(&mut self) {
        self.nodes.clear();
        self.nodes.extend(self.listed.ones().map(|node| node as u32));
    }
}

/// State of the bodies, as input of a response.
#[derive(Clone, Copy, Debug)]
pub struct Bodies<'a> {
    /// Position of every node at the end of the step \[m\]; in [`Stage::Middle`], at the middle of the step.
    pub positions: &'a [Vec3],
    /// Velocity of every node at the middle of the step \[m/s\].
    pub velocities: &'a [Vec3],
    /// Acceleration of every node \[m/s²\]. In [`Stage::Accelerated`]: at the end of the step, without contact forces.
    /// In the other stages: at the beginning of the step, with contact forces.
    pub accelerations: &'a [Vec3],
    /// Inverse lumped mass of every node \[1/kg\]; 0 for fixed nodes. A node of a rigid body has a share of the mass of
    /// the body.
    pub inverse_mass: &'a [f64],
    /// Mobility of nodes and rigid bodies.
    pub mobility: &'a Mobility,
    /// Net energy that contact has created since the start of the run \[J\]. For impulses, this is the numerical work
    /// minus the energy that normal impulses and sticking friction absorb.
    pub created: f64,
}

/// Lengths of the current and the following step \[s\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepLength {
    /// Length of the current step.
    pub actual: f64,
    /// Length that the current step would have if neither events nor flight shortened it. It determines the spring
    /// stiffness, so that contacts are not stiffer in shortened steps than in regular steps.
    pub regular: f64,
    /// Length of the following step. The forces at the end of the current step act in a kick whose second half lies in
    /// the following step. Tie forces make the tied points coincide at the end of the following step.
    pub following: f64,
}

impl StepLength {
    /// A step that is not shortened, followed by an equal step.
    pub fn regular(time_step: f64) -> Self {
        Self { actual: time_step, regular: time_step, following: time_step }
    }

    /// Duration of the kick by the forces at the end of the current step: from the middle of this step to the middle of
    /// the following step \[s\].
    pub fn kick(&self) -> f64 {
        0.5 * (self.actual + self.following)
    }
}

/// Stage of a step at which a response acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// After the predictor, before the computation of the internal forces at the new positions. Corrections change
    /// these positions and the velocities; contact forces act later, together with all other forces.
    Moved,
    /// After the predictor, with the geometry at the middle of the step. Corrections change positions and velocities.
    Middle,
    /// After the computation of the accelerations that all forces other than contact forces cause.
    Accelerated,
}

/// Geometry of the bodies at the middle of a step. It depends on the contact forces.
pub trait MidpointGeometry {
    /// Begins a step. `constraints` refer to the positions predicted without contact.
    fn begin(&mut self, constraints: &Constraints);

    /// Moves the bodies to the middle of the step, with the position corrections of `action`. Computes the closest
    /// points and the normals there, and the gaps along these normals at the beginning of the step \[m\].
    fn renew(&mut self, constraints: &mut Constraints, action: &ContactAction);

    /// The bodies at the middle of the step, with their velocities before contact.
    fn bodies(&self) -> Bodies<'_>;
}

/// A contact response.
pub trait Response: Send {
    /// Stage at which the response acts.
    fn stage(&self) -> Stage;

    /// Whether the response uses contacts whose gap is positive, or zero within rounding (see `Constraint::is_flush`).
    fn uses_flush_contacts(&self) -> bool {
        false
    }

    /// Computes the action of the constraints on the bodies over a step.
    fn respond(
        &mut self,
        constraints: &Constraints,
        bodies: &Bodies<'_>,
        step: StepLength,
        action: &mut ContactAction,
    );
}
