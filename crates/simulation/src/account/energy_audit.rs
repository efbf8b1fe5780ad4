//! Audit of each step: energies, momenta, and work and impulse of the external forces.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::contact::response::Stage;
use crate::dynamics::{Audit, RigidBody, Wrench};
use crate::math::Vec3;
use crate::math::pack::Registers;
use crate::math::reduction::fixed_order_sum;

use super::nodal_sums::{NodalKernel, NodalSums};
use crate::Simulation;
use crate::model::Body;

/// Rounding error of a position, accumulated over many steps, relative to the position \[-\].
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Momentum, kinetic energy and centre of mass of a body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyBalance {
    /// Linear momentum \[kg·m/s\], and angular momentum about the origin \[kg·m²/s\].
    pub momentum: Wrench,
    /// Reference value for errors of the angular momentum \[kg·m²/s\]: Σ |x| |m v|, with mass m, position x and
    /// velocity v of each node. For a rigid body, |x| |m v| of the centre, plus the magnitude of the angular momentum
    /// about the centre.
    pub angular_scale: f64,
    /// Kinetic energy \[J\].
    pub kinetic: f64,
    /// Σ m |a|² \[N·m/s²\] over the nodes, with mass m and acceleration a. For a rigid body, a · F + (I⁻¹ τ) · τ, with
    /// the acceleration a of the centre, force F, torque τ and inertia I. Contributions of free fall, prescribed motion
    /// and loads are subtracted.
    pub force_acceleration: f64,
    /// Centre of mass \[m\].
    pub centre: Vec3,
    /// Lower and upper bounds of each component of the nodal velocities \[m/s\]. For a rigid body, the velocity of the
    /// centre.
    pub velocity_bounds: [Vec3; 2],
}

impl BodyBalance {
    pub(crate) fn at_rest() -> Self {
        Self {
            momentum: Wrench::zero(),
            angular_scale: 0.0,
            kinetic: 0.0,
            force_acceleration: 0.0,
            centre: Vec3::zeros(),
            velocity_bounds: [Vec3::zeros(); 2],
        }
    }

    /// `first` is the position of the first node \[m\], used as centre if the body has no mass. `from_outside` is the
    /// part of Σ m |a|² from prescribed motion, weight and loads \[N·m/s²\].
    pub(crate) fn of_nodes(sums: &NodalSums, body: &Body, first: Vec3, from_outside: f64) -> Self {
        let NodalSums { momentum, angular_scale, kinetic, mass_moment, velocity_bounds, .. } = *sums;
        let centre = if body.mass > 0.0 { mass_moment / body.mass } else { first };
        let force_acceleration = sums.force_acceleration - from_outside;
        Self { momentum, angular_scale, kinetic, force_acceleration, centre, velocity_bounds }
    }

    /// Balance of a rigid body, with zero `force_acceleration`.
    pub(crate) fn of_rigid_state(rigid_state: &RigidBody) -> Self {
        let mut momentum = Wrench::at(&rigid_state.centre(), rigid_state.velocity() * rigid_state.mass());
        momentum.angular += rigid_state.angular_momentum();
        let spin = rigid_state.angular_momentum().norm();
        let angular_scale = rigid_state.centre().norm() * momentum.linear.norm() + spin;
        let (kinetic, centre) = (rigid_state.kinetic_energy(), rigid_state.centre());
        let velocity_bounds = [rigid_state.velocity(); 2];
        Self { momentum, angular_scale, kinetic, force_acceleration: 0.0, centre, velocity_bounds }
    }
}

pub(crate) fn scaled_momenta(balances: &[BodyBalance]) -> impl Iterator<Item = (Wrench, f64)> + '_ {
    balances.iter().map(|balance| (balance.momentum, balance.angular_scale))
}

impl Simulation {
    /// Adds work, dissipation and external impulse of a step of length `dt` \[s\], sums the energies, and checks the
    /// balances of energy and momentum.
    pub(crate) fn account(&mut self, dt: f64) {
        let start = Instant::now();
        let before = self.state.ledger.external_wrench;
        let (jumps, work_of_supports) = self.account_supports(dt);
        self.state.ledger.external_wrench = self.compute_external_wrench();
        self.state.ledger.audit.add_impulse((before + self.state.ledger.external_wrench).scaled(0.5 * dt));
        jumps.into_iter().for_each(|jump| self.state.ledger.audit.add_impulse(jump));
        if self.acts_by_impulses() {
            let mut angular = self.state.contact.action.support_moment;
            if self.response.stage() != Stage::Middle {
                angular += self.wall_couple() * self.state.contact.action.spread();
            }
            self.state.ledger.audit.add_impulse(Wrench { angular, ..Wrench::zero() });
        }
        self.audit_contact();
        self.state.ledger.energies.external_work += work_of_supports + self.external_work(dt);
        self.state.ledger.energies.viscous_dissipation += self.state.contact.action.work.damping;
        self.state.ledger.energies.friction_dissipation += self.state.contact.action.work.friction;
        self.state.ledger.energies.numerical_work += self.state.contact.action.work.numerical;
        let given =
            self.state.contact.action.work.numerical + self.state.ledger.contact_audit.work_on_held_nodes;
        let absorbed = self.absorbed_by_impulses();
        self.state.ledger.audit.add_numerical_work(given, absorbed);
        self.damp_second_half();
        self.sum_energies(dt);
        let step = self.state.control.regular_step().max(dt);
        self.state.ledger.audit.add_noise(self.state.ledger.rounded_moment * (f64::EPSILON / step).powi(2));
        self.state.ledger.audit.add_noise(self.rounded_work_of_ties());
        self.state.ledger.audit.check(
            self.state.nodes.time,
            &self.state.ledger.energies,
            scaled_momenta(&self.state.ledger.balances),
        );
        self.account_pairs();
        self.account_hourglass();
        self.timings.account += start.elapsed().as_secs_f64();
    }

    /// Accounts for the change of [`kick_energy`] if the step length changes to `dt` \[s\].
    ///
    /// The decrease of the kick energy counts as numerical work. Exception: the contact forces of a response at
    /// `Stage::Accelerated` are discrete gradients and act from mid-step to mid-step. Their part of the decrease,
    /// `excess_work`, is work of contact.
    pub(crate) fn account_step_change(&mut self, dt: f64) {
        let kick = kick_energy(&self.state.ledger.balances, dt);
        let before = std::mem::replace(&mut self.state.ledger.contact_audit.time_step, dt);
        (self.state.ledger.contact_audit.excess_work, self.state.ledger.contact_audit.work_on_held_nodes) =
            (0.0, 0.0);
        if !self.state.ledger.audit.has_started() {
            self.state.ledger.audit.start(kick);
            return;
        }
        let change = 0.125 * (before * before - dt * dt);
        if self.response.stage() == Stage::Accelerated {
            self.state.ledger.contact_audit.excess_work = change * self.contact_force_acceleration();
        } else if change != 0.0 && self.response.stage() == Stage::Moved {
            self.state.ledger.contact_audit.work_on_held_nodes = change * self.held_force_acceleration();
        }
        let given = self.state.ledger.energies.kick - kick - self.state.ledger.contact_audit.excess_work;
        self.state.ledger.energies.numerical_work += given;
        self.state
            .ledger
            .audit
            .add_numerical_work(given - self.state.ledger.contact_audit.work_on_held_nodes, 0.0);
    }

    /// Σ m (a · I)²/|I|² over nodes with a · I < 0 \[N·m/s²\]. At these nodes, impulses absorb the energy of the kicks.
    ///
    /// m is the mass, a the acceleration at the beginning of the step, and I the contact impulse of the previous step
    /// without the components that supports prescribe. Only nodes of deformable bodies count.
    fn held_force_acceleration(&self) -> f64 {
        let action = &self.scratch.before.action;
        let of_node = |&node: &u32| {
            let impulse = self.caches.mobility.free_part(node, &action.impulses[node as usize]);
            let along = impulse.dot(&self.state.nodes.accelerations[node as usize]);
            if along < 0.0 {
                self.model.mass[node as usize] * along * along / impulse.norm_squared()
            } else {
                0.0
            }
        };
        let is_deformable = |node: &&u32| !self.model.bodies[self.model.body_of(**node)].is_rigid();
        action.nodes.iter().filter(is_deformable).map(of_node).sum()
    }

    /// Σ f · a at the beginning of the step \[N·m/s²\], with accelerations a and contact forces f without tie forces.
    /// Components that supports prescribe do not count. Rigid bodies add force times acceleration of the centre, and
    /// moment times angular acceleration.
    fn contact_force_acceleration(&self) -> f64 {
        let of_node = |node: u32, force: &Vec3| {
            if self.model.bodies[self.model.body_of(node)].is_rigid() {
                return 0.0;
            }
            self.caches.mobility.free_part(node, force).dot(&self.state.nodes.accelerations[node as usize])
        };
        let of_nodes = self.scratch.before.action.sum_over_contact(of_node);
        let rigid = (0..self.model.bodies.len()).filter(|&body| self.model.bodies[body].is_rigid());
        of_nodes + rigid.map(|body| self.rigid_contact_acceleration(body)).sum::<f64>()
    }

    pub(crate) fn begin_audit(&mut self) {
        self.measure();
        let momentum =
            self.state.ledger.balances.iter().map(|b| b.momentum).fold(Wrench::zero(), |sum, m| sum + m);
        self.state.ledger.rounded_moment = self.rounded_moment();
        self.state.ledger.audit =
            Audit::new(&self.state.ledger.energies, momentum, self.energy_of_rounding());
        self.state.ledger.audit.check(
            self.state.nodes.time,
            &self.state.ledger.energies,
            scaled_momenta(&self.state.ledger.balances),
        );
    }

    /// Energy of the shortest waves with the rounding error of positions as amplitude \[J\]:
    ///
    /// ```text
    /// Σ ½ m (ε |x| ω)²
    /// ```
    /// with the mass m, largest coordinate |x| and highest frequency ω of each deformable body, and ε = [`ROUNDING`].
    /// The energy of a state at rest is known only to within this sum.
    fn energy_of_rounding(&self) -> f64 {
        let of_body = |(number, body): (usize, &Body)| {
            let frequency = 2.0 / self.critical_step(number)?.0;
            Some(0.5 * body.mass * (ROUNDING * self.farthest_coordinate(body) * frequency).powi(2))
        };
        self.model.bodies.iter().enumerate().filter_map(of_body).sum()
    }

    /// 2 Σ m |x|² over the moving bodies \[kg·m²\], with mass m and largest coordinate |x|.
    ///
    /// In each step of length dt, rounding of the positions (machine epsilon ε) can add energy to the shortest waves,
    /// of frequency 2/dt. The added energy is
    ///
    /// ```text
    /// Σ ½ m (ε |x| 2/dt)² = 2 Σ m |x|² (ε/dt)²
    /// ```
    /// The rounding errors of the steps are independent, so the energies of the steps add up.
    ///
    /// # Source
    /// Brouwer, Astronomical Journal 46 (1937) 149–153; Hairer, McLachlan & Razakarivony, BIT 48 (2008) 231–243.
    fn rounded_moment(&self) -> f64 {
        let moving = self.model.bodies.iter().filter(|body| !body.is_rigid() || body.is_rigid_and_moves());
        moving.map(|body| 2.0 * body.mass * self.farthest_coordinate(body).powi(2)).sum()
    }

    fn farthest_coordinate(&self, body: &Body) -> f64 {
        self.state.nodes.positions[body.nodes.clone()].iter().map(Vec3::amax).fold(0.0, f64::max)
    }

    /// Computes energies and momenta of the current state, with zero kick energy.
    pub(crate) fn measure(&mut self) {
        for body in 0..self.model.bodies.len() {
            self.state.ledger.balances[body] = self.body_balance(body);
        }
        self.sum_energies(0.0);
    }

    fn sum_energies(&mut self, dt: f64) {
        self.state.ledger.energies.strain = self.caches.internal.strain_energy().iter().sum();
        self.state.ledger.energies.hourglass = self.caches.internal.hourglass_energy().iter().sum();
        self.state.ledger.energies.contact = self.state.contact.action.stored_energy;
        self.state.ledger.energies.kinetic =
            self.state.ledger.balances.iter().map(|balance| balance.kinetic).sum();
        self.state.ledger.energies.kick = kick_energy(&self.state.ledger.balances, dt);
    }

    fn account_hourglass(&mut self) {
        let of_blocks = [self.caches.internal.strain_energy(), self.caches.internal.hourglass_energy()];
        for (body, audit) in self.model.bodies.iter().zip(&mut self.state.ledger.hourglass_audits) {
            let blocks = || body.blocks.iter().filter_map(|block| block.internal);
            let energies = of_blocks.map(|energies| blocks().map(|block| energies[block]).sum());
            audit.note(self.state.nodes.time, energies, self.state.ledger.audit.energy_scale());
        }
    }

    pub(crate) fn body_balance(&self, body: usize) -> BodyBalance {
        if let Some(rigid_state) = &self.state.rigid_bodies[body] {
            let force_acceleration = self.rigid_force_acceleration(body);
            return BodyBalance { force_acceleration, ..BodyBalance::of_rigid_state(rigid_state) };
        }
        let nodes = &self.model.bodies[body].nodes;
        let masses = &self.model.mass[nodes.clone()];
        let positions = &self.state.nodes.positions[nodes.clone()];
        let velocities = &self.state.nodes.velocities[nodes.clone()];
        let accelerations = &self.state.nodes.accelerations[nodes.clone()];
        let registers = Registers::default();
        let sums = fixed_order_sum(masses.len(), &|range| {
            registers.run(NodalKernel {
                masses: &masses[range.clone()],
                positions: &positions[range.clone()],
                velocities: &velocities[range.clone()],
                accelerations: &accelerations[range],
            })
        });
        let from_outside = self.acceleration_from_outside(body);
        BodyBalance::of_nodes(&sums, &self.model.bodies[body], positions[0], from_outside)
    }

    /// Part of Σ m |a|² of a deformable body from prescribed motion, weight and loads \[N·m/s²\]. Without loads, the
    /// weight counts only for a body without supports.
    pub(crate) fn acceleration_from_outside(&self, body: usize) -> f64 {
        let of_body = &self.model.bodies[body];
        let (accelerations, masses) = (&self.state.nodes.accelerations, &self.model.mass);
        let supports = self.model.supports.iter().enumerate().filter(|(_, support)| {
            !support.motion.is_fixed() && of_body.nodes.contains(&(support.nodes[0] as usize))
        });
        let prescribed: f64 = supports
            .map(|(index, support)| {
                self.sum_over_support(index, 0.0, |node, _| {
                    masses[node] * accelerations[node][support.axis].powi(2)
                })
            })
            .sum();
        let acting = if of_body.loaded {
            self.load_acceleration(body)
        } else {
            of_body.mass * of_body.free_fall().norm_squared()
        };
        prescribed + acting
    }

    /// Resultant of gravity, loads and current reactions \[N\], and its moment about the origin \[N·m\].
    pub(crate) fn compute_external_wrench(&self) -> Wrench {
        let mut wrench = self.reactions() + self.slider_wrench();
        if !self.acts_by_impulses() {
            wrench.angular += self.wall_couple();
        }
        for (index, body) in self.model.bodies.iter().enumerate() {
            if body.is_rigid() {
                wrench = wrench + self.rigid_external_wrench(index);
            } else if !body.loaded {
                wrench =
                    wrench + Wrench::at(&self.state.ledger.balances[index].centre, body.gravity * body.mass);
            } else {
                let nodes = body.nodes.clone();
                let positions = &self.state.nodes.positions[nodes.clone()];
                wrench = wrench + Wrench::of_nodes(positions, &self.state.forces.external[nodes]);
            }
        }
        wrench
    }

    /// Work of gravity and loads over the last step \[J\]: the trapezoidal rule, corrected for loaded bodies by
    /// `work_of_load_kicks`.
    fn external_work(&self, dt: f64) -> f64 {
        let before = &self.scratch.positions_next;
        let mut work = 0.0;
        for (index, body) in self.model.bodies.iter().enumerate() {
            if body.is_rigid() {
                work += self.rigid_work(index, dt);
            } else if !body.loaded {
                let travel =
                    self.state.ledger.balances[index].centre - self.scratch.before.balances[index].centre;
                work += body.mass * body.gravity.dot(&travel);
            } else {
                let nodes = body.nodes.clone();
                let forces = [
                    &self.state.forces.external_before[nodes.clone()],
                    &self.state.forces.external[nodes.clone()],
                ];
                let positions = [&before[nodes.clone()], &self.state.nodes.positions[nodes]];
                work += trapezoidal_work(forces, positions) + self.work_of_load_kicks(index, dt);
            }
        }
        work
    }
}

/// Kick energy \[J\], with the mass matrix M, the velocities v, the accelerations a_n at the end of step n, and the
/// length `dt` \[s\] of this step:
///
/// ```text
/// ⅛ dt² a_n · M a_n = ½ v_n · M v_n − ½ v_{n−½} · M v_{n+½}
/// ```
/// Contributions that [`BodyBalance::force_acceleration`] omits are missing.
pub(crate) fn kick_energy(balances: &[BodyBalance], dt: f64) -> f64 {
    0.125 * dt * dt * balances.iter().map(|balance| balance.force_acceleration).sum::<f64>()
}

/// Σ ½ (f_n + f_{n+1}) · (x_{n+1} − x_n) over nodes \[J\], with forces f and positions x at both ends of the step.
fn trapezoidal_work(forces: [&[Vec3]; 2], positions: [&[Vec3]; 2]) -> f64 {
    fixed_order_sum(positions[0].len(), &|range| {
        range
            .map(|node| {
                let travel = positions[1][node] - positions[0][node];
                0.5 * (forces[0][node] + forces[1][node]).dot(&travel)
            })
            .sum()
    })
}
