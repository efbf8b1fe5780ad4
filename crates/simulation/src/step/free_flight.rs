//! Free flight: bodies without stress and contact move rigidly, in closed form.

use std::time::Instant;

use crate::contact::detection::{Flight, Impact};
use crate::dynamics::{RigidBody, Wrench};
use crate::math::{Mat3, RigidMotion, Vec3};

use crate::account::energy_audit::scaled_momenta;
use crate::model::{Body, Model};
use crate::timings::timed;
use crate::{FirstContact, Phase, Simulation};

/// Largest rotation, per flight step, of a body without a steady axis of rotation \[rad\].
const MAX_UNSTEADY_ROTATION: f64 = 0.02;

/// Rigid state of a body from its nodal masses.
pub(crate) fn rigid_state_of_nodes(model: &Model, body: &Body) -> RigidBody {
    let nodes = || body.nodes.clone().map(|node| (model.mass[node], model.reference_positions[node]));
    let mass: f64 = nodes().map(|(mass, _)| mass).sum();
    let centre = nodes().map(|(mass, position)| position * mass).sum::<Vec3>() / mass;
    let inertia = nodes()
        .map(|(mass, position)| {
            let arm = position - centre;
            (Mat3::identity() * arm.norm_squared() - arm * arm.transpose()) * mass
        })
        .sum();
    RigidBody::new(mass, centre, &inertia)
}

impl Simulation {
    /// Makes a flight step. Its wall-clock time, minus that of detection, counts as integration.
    pub(crate) fn fly_timed(&mut self, until: f64) {
        let (start, before) = (Instant::now(), self.timings);
        self.fly(until);
        let detection = self.timings.detection - before.detection;
        self.timings.integration = before.integration + start.elapsed().as_secs_f64() - detection;
    }

    /// One step of flight, at most to the time `until` \[s\]. An impact ends the step, and time stepping begins.
    pub(crate) fn fly(&mut self, until: f64) {
        let duration = self.flight_duration(until);
        self.plan_motions(duration);
        let flight = Flight {
            time: self.state.nodes.time,
            duration,
            end: self.settings.time.end,
            reference_positions: &self.model.reference_positions,
            motions: &self.scratch.motions,
        };
        let impact = timed(&mut self.timings.detection, || {
            let of_bodies = self.caches.detector.first_impact(&flight);
            Impact::earlier(of_bodies, self.caches.wall_detector.first_impact(&flight))
        });
        let travelled = impact.map_or(duration, |impact| impact.time - self.state.nodes.time);
        self.follow_motions(travelled);
        match impact {
            Some(impact) => (self.state.nodes.time, self.state.nodes.time_remainder) = (impact.time, 0.0),
            None => self.advance_time(duration),
        }
        self.state.nodes.settle(until.min(self.settings.time.end));
        self.state.nodes.step += 1;
        self.state.steps_in_flight += 1;
        self.state.control.set_time_step(travelled);
        self.measure();
        self.state.ledger.audit.check(
            self.state.nodes.time,
            &self.state.ledger.energies,
            scaled_momenta(&self.state.ledger.balances),
        );
        if let Some(Impact { bodies, time, point, normal, normal_speed, .. }) = impact {
            self.note_first_contact(FirstContact { bodies, time, point, normal, normal_speed });
            self.begin_stepping();
        }
    }

    /// Advances the flight to the first impact or to the end time, without output. Outside flight, does not advance.
    /// Returns the first contact of the run so far.
    pub fn fly_to_first_contact(&mut self) -> Option<FirstContact> {
        while self.state.phase == Phase::Flight && !self.is_finished() {
            self.fly(f64::INFINITY);
        }
        self.state.ledger.first_contacts.first().copied()
    }

    /// Length of the next flight step \[s\]. The step ends no later than at the time `until` \[s\].
    fn flight_duration(&self, until: f64) -> f64 {
        let unsteady =
            self.state.rigid_bodies.iter().flatten().filter(|rigid_state| !rigid_state.spins_steadily());
        let fastest = unsteady.map(RigidBody::spin_bound).fold(0.0, f64::max).sqrt();
        let step = self.settings.time.flight_step.min(MAX_UNSTEADY_ROTATION / fastest);
        let to = |instant: f64| instant - self.state.nodes.time - self.state.nodes.time_remainder;
        let step = self.next_output(step).map_or(step, |due| self.even_step(to(due), step));
        let remaining = to(until.min(self.settings.time.end));
        if self.is_last_step(remaining, step) { remaining } else { step }
    }

    /// Computes the motions of all bodies over a flight step of length `duration` \[s\].
    pub(crate) fn plan_motions(&mut self, duration: f64) {
        self.scratch.motions.clear();
        for (body, rigid_state) in self.model.bodies.iter().zip(&self.state.rigid_bodies) {
            self.scratch.motions.push(match rigid_state {
                Some(rigid_state) if body.flies() => rigid_state.flight(body.gravity, duration),
                _ => RigidMotion::at_rest(Vec3::zeros()),
            });
        }
    }

    /// Advances bodies in flight by `time` \[s\], and adds the work and impulse of gravity to the ledger.
    fn follow_motions(&mut self, time: f64) {
        for ((body, rigid_state), motion) in
            self.model.bodies.iter().zip(&mut self.state.rigid_bodies).zip(&self.scratch.motions)
        {
            let (true, Some(rigid_state)) = (body.flies(), rigid_state) else { continue };
            let weight = body.gravity * rigid_state.mass();
            let (centre, before) = (rigid_state.centre(), rigid_state.travel());
            // The angular impulse of the weight m a is ∫ (c + v s + a s²/2) × m a ds. Here a is the gravity, and c and
            // v are the position and velocity of the centre of mass at the beginning of the step, s = 0. The term with
            // a s²/2 is parallel to a and vanishes.
            let mean_arm = centre + rigid_state.velocity() * (0.5 * time);
            rigid_state.advance_along(motion, time);
            self.state.ledger.energies.external_work += weight.dot(&(rigid_state.travel() - before));
            self.state.ledger.audit.add_impulse(Wrench::at(&mean_arm, weight).scaled(time));
        }
    }

    /// Updates positions, velocities and accelerations of the nodes of bodies in flight.
    pub fn update_nodal_state(&mut self) {
        if self.state.phase != Phase::Flight {
            return;
        }
        for (body, rigid_state) in self.model.bodies.iter().zip(&self.state.rigid_bodies) {
            let (true, Some(rigid_state)) = (body.flies(), rigid_state) else { continue };
            let spin = rigid_state.angular_velocity();
            let spin_rate = rigid_state.angular_acceleration(&Vec3::zeros());
            for node in body.nodes.clone() {
                let position = rigid_state.position(&self.model.reference_positions[node]);
                let arm = position - rigid_state.centre();
                self.state.nodes.positions[node] = position;
                self.state.nodes.velocities[node] = rigid_state.velocity() + spin.cross(&arm);
                self.state.nodes.accelerations[node] =
                    body.gravity + spin_rate.cross(&arm) + spin.cross(&spin.cross(&arm));
            }
        }
    }

    /// Sets the velocities of the nodes of deformable bodies \[m/s\], as a function of their reference positions \[m\].
    /// Ends a flight, and restarts the audit. Ties equalise the velocities of tied points in the following step. No
    /// effect at the end of the run.
    pub fn set_velocities(&mut self, velocity: impl Fn(&Vec3) -> Vec3) {
        if self.is_finished() {
            return;
        }
        self.forget_copy();
        if self.state.phase == Phase::Flight {
            self.begin_stepping();
        }
        for body in self.model.bodies.iter().filter(|body| !(body.is_rigid() || body.is_wall())) {
            for node in body.nodes.clone() {
                self.state.nodes.velocities[node] = velocity(&self.model.reference_positions[node]);
            }
        }
        self.restart_ties();
        self.begin_audit();
    }

    /// Ends the flight.
    fn begin_stepping(&mut self) {
        self.update_nodal_state();
        self.state.contact.detected_positions.clear();
        self.state.phase = Phase::Stepping;
        for (body, rigid_state) in self.model.bodies.iter().zip(&mut self.state.rigid_bodies) {
            if !body.is_rigid() {
                *rigid_state = None;
            }
        }
        self.start_forces();
    }

    /// Computes forces, accelerations and reactions in a step of zero length.
    pub(crate) fn start_forces(&mut self) {
        self.scratch.positions_next.copy_from_slice(&self.state.nodes.positions);
        self.start_loads(0.0);
        self.plan_supports(0.0);
        self.compute_external_forces();
        self.start_ties();
        self.correct(0.0);
        self.state.control.invalidate();
        self.refresh_reactions();
        self.state.ledger.external_wrench = self.compute_external_wrench();
    }
}
