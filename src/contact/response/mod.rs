//! Contact response: constraints in, a [`ContactAction`] out. A response knows nothing of how a constraint was
//! found and never changes the state of the bodies; the step applies its action.
//!
//! Three responses answer the same constraints with the same law of friction:
//!
//! | response | acts by | keeps | pays with |
//! |---|---|---|---|
//! | [`Penalty`] | forces of springs | the energy of a contact when it opens | penetration, a shorter step |
//! | [`Decomposition`] | impulses and a projection of positions | no penetration at the ends of steps | the energy of the nodes that strike |
//! | [`EnergyMomentum`] | forces of springs with a discrete gradient | energy and momenta to rounding, for any stiffness | penetration |
//!
//! Surfaces that are glued together are not contact but [`Ties`], which hold beside any of the three.

mod assembled_stiffness;
mod couple;
mod damping;
mod decomposition;
mod energy_momentum;
mod friction;
mod groups;
mod history;
mod mobility;
mod offset_points;
mod pairs;
mod penalty;
mod row;
#[cfg(test)]
mod samples;
mod ties;

pub(crate) use assembled_stiffness::ON_RIGID;
pub use damping::Damping;
pub use decomposition::{Decomposition, DecompositionOptions, ImpactOptions, Order};
pub use energy_momentum::{EnergyMomentum, EnergyMomentumOptions};
pub use friction::FrictionLaw;
pub use mobility::{Mobility, RigidMobility};
pub use offset_points::{Carriers, OffsetPoints, spread_out};
pub use pairs::PairOptions;
pub use penalty::{Penalty, PenaltyOptions, Stiffness, damping_of_restitution};
pub use ties::{RigidMotions, RigidPlace, TiedRigidBody, Ties, UnlikeMasses};

use std::ops::Range;

use bytemuck::zeroed_vec;
use fixedbitset::FixedBitSet;

use crate::math::Vec3;

use super::Constraints;

/// Whether the bodies of a contact slide on each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// They part, or no force acts.
    #[default]
    Open,
    /// They do not slide.
    Stick,
    /// They slide.
    Slip,
}

impl Status {
    /// Of a contact with this normal force and law of friction, at its bound or not.
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

/// What acts in one contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactResult {
    /// Normal force \[N\], ≥ 0; of impulses, their mean over the step.
    pub normal_force: f64,
    /// Force of friction on the contactor \[N\].
    pub friction_force: Vec3,
    /// Whether it slides.
    pub status: Status,
    /// Energy stored \[J\].
    pub stored_energy: f64,
    /// Energy that friction takes in the step \[J\].
    pub friction_work: f64,
    /// Energy that damping and imperfect restitution take in the step \[J\].
    pub damping_work: f64,
}

/// What a contact that is over, and not among the constraints of a step, does and takes in it after all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UnlistedWork {
    /// Bodies of the contactor and of the target.
    pub bodies: [u32; 2],
    /// Force that it still has, on the contactor \[N\].
    pub force: Vec3,
    /// Energy that it still stores \[J\].
    pub stored_energy: f64,
    /// Energy that friction takes \[J\].
    pub friction_work: f64,
    /// Energy that damping and imperfect restitution take \[J\].
    pub damping_work: f64,
    /// Moment of the force, where the contactor is not at its point of the target \[N·m\].
    pub moment: Vec3,
}

/// Change of the motion of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeCorrection {
    /// Global node, of a deformable body.
    pub node: u32,
    /// Jump of its velocity \[m/s\].
    pub velocity: Vec3,
    /// Shift of its position \[m\].
    pub position: Vec3,
}

/// Change of the motion of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidCorrection {
    /// The body.
    pub body: u32,
    /// Jump of the velocity of its centre \[m/s\].
    pub velocity: Vec3,
    /// Jump of its angular velocity \[rad/s\].
    pub angular_velocity: Vec3,
    /// Shift of its centre \[m\].
    pub position: Vec3,
    /// Turn about its centre \[rad\].
    pub rotation: Vec3,
}

impl RigidCorrection {
    /// No change of a body.
    fn none(body: u32) -> Self {
        let zero = Vec3::zeros();
        Self { body, velocity: zero, angular_velocity: zero, position: zero, rotation: zero }
    }
}

/// Force on a rigid body as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidForce {
    /// The body.
    pub body: u32,
    /// Force \[N\].
    pub force: Vec3,
    /// Moment about its centre of mass \[N·m\].
    pub moment: Vec3,
}

/// Energies that contact takes, or gives, in one step \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepWork {
    /// Taken by friction.
    pub friction: f64,
    /// Taken by damping and by imperfect restitution.
    pub damping: f64,
    /// Given by what no law of physics asks for: projections of positions, changes of stiffness and of the step, work of
    /// springs that is not in their energy, forces that balance it.
    pub numerical: f64,
}

/// Problems of contacts that have no answer to their tolerance: how many of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnsolvedProblems {
    /// Of impulses that stop what is closing: the nearest ones act, so short that they make no energy.
    pub impulses: u64,
    /// Of impulses with restitution: contacts that friction jams have none.
    pub restitutions: u64,
    /// Of shifts out of penetration: the nearest ones are created.
    pub projections: u64,
    /// Of ties: their points do not meet at the end of the step to come.
    pub ties: u64,
}

impl std::ops::AddAssign for UnsolvedProblems {
    fn add_assign(&mut self, other: Self) {
        self.impulses += other.impulses;
        self.restitutions += other.restitutions;
        self.projections += other.projections;
        self.ties += other.ties;
    }
}

/// What contact does to the bodies in one step.
#[derive(Clone, Debug, Default)]
pub struct ContactAction {
    /// Nodal forces, every node of the model \[N\].
    pub forces: Vec<Vec3>,
    /// Nodal impulses that the corrections deliver, every node of the model \[N·s\].
    pub impulses: Vec<Vec3>,
    /// The part of friction in the forces and impulses, as a force \[N\].
    pub friction_forces: Vec<Vec3>,
    /// Nodes with a force or impulse that may differ from zero, ascending.
    pub nodes: Vec<u32>,
    /// How many of them contact acts on; ties act on the others.
    num_of_contact: usize,
    /// Changes of the motion of nodes, ascending.
    pub node_corrections: Vec<NodeCorrection>,
    /// Changes of the motion of rigid bodies, ascending.
    pub rigid_corrections: Vec<RigidCorrection>,
    /// The part of ties in the forces; a node in several groups of ties comes several times.
    pub tie_forces: Vec<(u32, Vec3)>,
    /// Forces of ties on rigid bodies that can move, which are not among those on nodes.
    pub rigid_forces: Vec<RigidForce>,
    /// What acts in each contact, in the order of the constraints.
    pub results: Vec<ContactResult>,
    /// What contacts that are over take.
    pub unlisted: Vec<UnlistedWork>,
    /// Energy stored in the contacts \[J\].
    pub stored_energy: f64,
    /// Energy taken and given in this step.
    pub work: StepWork,
    /// What has no answer to its tolerance in this step.
    pub unsolved: UnsolvedProblems,
    /// Largest distance at which ties without an answer leave their points \[m\].
    pub tie_gap: f64,
    /// Moment times time by which supports keep what they hold from turning where projections have moved the other side
    /// \[N·m·s\].
    pub support_moment: Vec3,
    /// Square of a bound on the angular frequency the contacts add \[rad²/s²\].
    pub frequency_squared: f64,
    /// Bits of the nodes noted so far, which makes `nodes` of them.
    listed: FixedBitSet,
    /// Time over which impulses are spread where they are shown as forces \[s\].
    spread: f64,
}

impl ContactAction {
    /// No action on `num_nodes` nodes.
    pub fn new(num_nodes: usize) -> Self {
        // Zeros that come from the system take no memory before they are written to.
        let zeros = || zeroed_vec(num_nodes);
        Self {
            forces: zeros(),
            impulses: zeros(),
            friction_forces: zeros(),
            listed: FixedBitSet::with_capacity(num_nodes),
            ..Self::default()
        }
    }

    /// Whether contact acts on any node; what ties do is no contact.
    pub fn has_contact(&self) -> bool {
        self.num_of_contact > 0
    }

    /// Those of its nodes that are in a range.
    pub fn touched_in(&self, range: &Range<usize>) -> &[u32] {
        let place = |end: usize| self.nodes.partition_point(|&node| (node as usize) < end);
        &self.nodes[place(range.start)..place(range.end)]
    }

    /// Mean force of contact on a node over the step \[N\], of impulses too.
    pub fn mean_force(&self, node: usize) -> Vec3 {
        let impulse = self.impulses[node];
        if impulse == Vec3::zeros() { self.forces[node] } else { self.forces[node] + impulse / self.spread }
    }

    /// Σ of what nodes and the forces on them, less those of ties, have: a linear function of the forces.
    pub fn sum_over_contact(&self, of_force: impl Fn(u32, &Vec3) -> f64) -> f64 {
        let of_all: f64 = self.nodes.iter().map(|&node| of_force(node, &self.forces[node as usize])).sum();
        of_all - self.tie_forces.iter().map(|(node, force)| of_force(*node, force)).sum::<f64>()
    }

    /// Takes the forces of ties out.
    pub fn take_ties_out(&mut self) {
        for (node, force) in self.tie_forces.drain(..) {
            self.forces[node as usize] -= force;
        }
        self.rigid_forces.clear();
    }

    /// Force of ties on a rigid body as a whole, and moment about its centre; 0 where there is none.
    pub fn rigid_force(&self, body: usize) -> [Vec3; 2] {
        let of_body = self.rigid_forces.iter().find(|force| force.body as usize == body);
        of_body.map_or([Vec3::zeros(); 2], |of_body| [of_body.force, of_body.moment])
    }

    /// Time over which impulses are spread where they are shown as forces \[s\].
    pub fn spread(&self) -> f64 {
        self.spread
    }

    /// Forgets the action of the step before; `spread` is the time over which impulses are to be spread where they are shown
    /// as forces \[s\].
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
        self.rigid_forces.clear();
        self.support_moment = Vec3::zeros();
        self.frequency_squared = 0.0;
        self.spread = spread;
    }

    /// Adds a contact's force to its nodes: `normal` and `friction` on the contactor \[N\].
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

    /// Notes nodes that a force or impulse acts on.
    fn list(&mut self, nodes: &[u32]) {
        nodes.iter().for_each(|&node| self.listed.insert(node as usize));
    }

    /// Brings all nodes that contact acts on in order, each once.
    fn sort_nodes(&mut self) {
        self.sort_tied_nodes();
        self.num_of_contact = self.nodes.len();
    }

    /// Brings these and the nodes that ties act on in order.
    fn sort_tied_nodes(&mut self) {
        self.nodes.clear();
        self.nodes.extend(self.listed.ones().map(|node| node as u32));
    }
}

/// What a response may know of the bodies.
#[derive(Clone, Copy, Debug)]
pub struct Bodies<'a> {
    /// Position of every node at the end of the step \[m\].
    pub positions: &'a [Vec3],
    /// Velocity of every node at the middle of the step \[m/s\].
    pub velocities: &'a [Vec3],
    /// Acceleration of every node at the end of the step by all but contact \[m/s²\]; in the stage [`Stage::Moved`] that at
    /// its beginning, by contact too.
    pub accelerations: &'a [Vec3],
    /// Reciprocal of the lumped mass of every node \[1/kg\]; 0 where the node is held. A node of a rigid body has its
    /// share of the mass.
    pub inverse_mass: &'a [f64],
    /// How nodes and rigid bodies give way.
    pub mobility: &'a Mobility,
    /// Energy that contact has given to the bodies since the beginning, less what restitution and damping have taken \[J\].
    pub created: f64,
}

/// Length of a step \[s\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepLength {
    /// As it is.
    pub actual: f64,
    /// That which the stiffness of springs follows: as it would be if it were neither cut to end in time nor held short by
    /// that of flight. What begins in a short step must not be stiffer for it.
    pub regular: f64,
    /// That of the step to come; forces of a discrete gradient, and those of ties, are found for it.
    pub following: f64,
}

impl StepLength {
    /// A step that is not cut \[s\].
    pub fn regular(time_step: f64) -> Self {
        Self { actual: time_step, regular: time_step, following: time_step }
    }

    /// Time between the middle of the step and that of the step to come, over which forces at its end act \[s\].
    pub fn kick(&self) -> f64 {
        0.5 * (self.actual + self.following)
    }
}

/// When in a step a response is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// When the bodies have moved, before the forces at the new positions are known: corrections change where and
    /// how fast the bodies are, forces act with the others.
    Moved,
    /// When the accelerations by all other forces are known.
    Accelerated,
}

/// Answers contact.
pub trait Response: Send {
    /// When it is to be asked.
    fn stage(&self) -> Stage;

    /// Whether surfaces that are flush have something to answer: their velocities. A spring is not pressed yet.
    fn answers_flush_contacts(&self) -> bool {
        false
    }

    /// Computes what the constraints do to the bodies over a step.
    fn respond(
        &mut self,
        constraints: &Constraints,
        bodies: &Bodies<'_>,
        step: StepLength,
        action: &mut ContactAction,
    );
}
