//! The explicit predictor–corrector step.

use std::time::Instant;

use crate::contact::detection::Configuration;
use crate::dynamics::{ElementFailure, FailureKind, newmark};

use crate::Simulation;
use crate::error::{FailureCause, NumericalFailure};
use crate::timings::timed;

impl Simulation {
    /// One step of the Newmark explicit predictor–corrector with contact:
    ///
    /// ```text
    /// damp      v_n and v_{n+1} decay by mass damping, each over half the step
    /// predict   load jumps; tie forces, computed again if dt is not the length they were computed for;
    ///           v½ = v_n + dt a_n/2,  x_{n+1} = x_n + dt v½,  prescribed motion;
    ///           repeated with a smaller dt if the step ends at an impact
    /// detect    violated constraints at x_{n+1}
    /// respond   contact forces f_c, or impulses and position corrections: v½ += Δv, x_{n+1} += Δx
    /// forces    f_int(x_{n+1}), f_ext(t_{n+1}, x_{n+1});
    ///           then the run fails if a contact was lost beyond the search depth
    /// respond   contact forces that depend on the other forces, and tie forces
    /// correct   a_{n+1} = M⁻¹ (f_ext − f_int + f_c),  v_{n+1} = v½ + dt a_{n+1}/2
    /// account   energy and momentum balance
    /// ```
    pub(crate) fn step(&mut self) -> Result<(), NumericalFailure> {
        let dt = self.choose_time_step()?;
        self.damp_first_half(dt);
        self.scratch.before.note(&self.state);
        let dt = self.predict_to_impact(dt);
        self.begin_step(dt);
        self.detect(dt);
        self.respond_to_motion(dt);
        self.compute_forces(dt)?;
        self.check_tunnelling()?;
        self.respond_to_forces(dt);
        self.correct(dt);
        self.account(dt);
        Ok(())
    }

    /// Sets the time and the step number to those at the end of a step of length `dt` \[s\].
    fn begin_step(&mut self, dt: f64) {
        self.check_driving_functions(dt);
        self.advance_time(dt);
        self.state.nodes.step += 1;
        self.state.history.begin_step();
        self.swap_contact();
    }

    /// Advances the time by `dt` \[s\], except in dynamic relaxation. Exact output times and the end time are met
    /// without rounding errors.
    pub(crate) fn advance_time(&mut self, dt: f64) {
        if self.is_relaxing() {
            return;
        }
        let stop = self.next_output(dt).unwrap_or(self.settings.time.end);
        self.state.nodes.advance_time(dt);
        self.state.nodes.settle(stop);
    }

    /// Moves the constraints and the contact action (forces and impulses) of the last step to
    /// [`Scratch::before`](crate::parts::Scratch).
    fn swap_contact(&mut self) {
        std::mem::swap(&mut self.state.contact.constraints, &mut self.scratch.before.constraints);
        std::mem::swap(&mut self.state.contact.action, &mut self.scratch.before.action);
    }

    pub(crate) fn predict(&mut self, dt: f64) {
        let start = Instant::now();
        self.start_loads(dt);
        self.plan_supports(dt);
        self.renew_ties(dt);
        for body in 0..self.model.bodies.len() {
            if self.model.bodies[body].is_rigid() {
                self.predict_rigid(body, dt);
            }
        }
        // Consecutive bodies that are not rigid form one range of nodes.
        let rows = self.model.bodies.chunk_by(|a, b| a.is_rigid() == b.is_rigid());
        for row in rows.filter(|row| !row[0].is_rigid()) {
            let nodes = row[0].nodes.start..row[row.len() - 1].nodes.end;
            newmark::predict(
                dt,
                &self.state.nodes.positions[nodes.clone()],
                &self.state.nodes.accelerations[nodes.clone()],
                &mut self.state.nodes.velocities[nodes.clone()],
                &mut self.scratch.positions_next[nodes],
            );
        }
        self.place_supported(dt);
        self.timings.integration += start.elapsed().as_secs_f64();
    }

    fn detect(&mut self, dt: f64) {
        let positions = [self.state.nodes.positions.as_slice(), &self.scratch.positions_next];
        let detected = &self.state.contact.detected_positions;
        let configuration = Configuration {
            time: self.state.nodes.time,
            time_step: dt,
            positions: positions[1],
            positions_before: if detected.is_empty() { positions[0] } else { detected },
        };
        timed(&mut self.timings.detection, || {
            let (before, constraints) =
                (&self.scratch.before.constraints, &mut self.state.contact.constraints);
            self.caches.detector.detect(&configuration, constraints);
            self.caches.wall_detector.detect(&configuration, constraints);
            self.selection.select(&self.model.surfaces, &configuration, before, constraints);
            self.state.contact.initial_gaps.apply(
                &mut self.state.contact.constraints,
                &self.scratch.before.constraints,
                positions,
            );
        });
        self.state.contact.detected_positions.clear();
        if !self.state.contact.constraints.is_empty() {
            self.note_first_contacts();
        }
    }

    /// Forces and material history at the end of a step of length `dt` \[s\].
    pub(crate) fn compute_forces(&mut self, dt: f64) -> Result<(), NumericalFailure> {
        let result = timed(&mut self.timings.internal_force, || {
            self.caches.internal.evaluate(&self.scratch.positions_next, &mut self.state.history, dt)
        });
        if let Err(ElementFailure { block, element, kind }) = result {
            let cause = match kind {
                FailureKind::Inverted { jacobian } => FailureCause::InvertedElement(jacobian),
                FailureKind::NonFinite => FailureCause::NonFinite,
            };
            return Err(self.failure(cause, Some((block, element))));
        }
        self.compute_external_forces();
        Ok(())
    }
}
