//! Steps that end where something meets, so that its contact begins with no penetration.

use crate::contact::detection::{ContactModel, StepImpact, StepImpactSearch, StepPaths};
use crate::contact::response::Stage;
use crate::math::Vec3;

use crate::simulation::record::timings::timed;
use crate::simulation::{FirstContact, Simulation};

/// Least part of a regular step between the ends of two steps that end at an impact. Where a face lands on a face its
/// nodes meet one after the other: they are not worth a step each.
const SHORTEST: f64 = 0.1;

/// Looks for impacts within the steps of a run.
pub(crate) struct ImpactControl {
    search: StepImpactSearch,
    paths: StepPaths,
    velocities: Vec<Vec3>,
    /// When a step last ended at an impact \[s\].
    last_cut: f64,
}

impl ImpactControl {
    /// Of these surfaces.
    pub fn new(model: ContactModel) -> Self {
        Self {
            search: StepImpactSearch::new(model),
            paths: StepPaths::default(),
            velocities: Vec::new(),
            last_cut: f64::NEG_INFINITY,
        }
    }
}

impl Simulation {
    /// Predicts a step that ends no later than the first impact in it; its size \[s\].
    ///
    /// Where the springs of the energy–momentum response hold energy the step is not cut. The predictor is a parabola,
    /// so the instant found on it is where it comes to; of a body that turns, or a support that moves as a function of
    /// time, it is but for terms of third order in the step.
    pub(crate) fn predict_to_impact(&mut self, dt: f64) -> f64 {
        // Forces of a discrete gradient were found for the step that was to follow theirs.
        let is_committed = self.response.stage() == Stage::Accelerated && self.action.has_contact();
        let Some(mut control) = self.impact_control.take_if(|_| !is_committed) else {
            self.predict(dt);
            return dt;
        };
        control.velocities.clone_from(&self.state.velocities);
        self.predict(dt);
        control.paths.set(&self.state.positions, &control.velocities, &self.positions_next, dt);
        let impact = timed(&mut self.timings.detection, || {
            let of_bodies = control.search.first(&control.paths, &self.constraints);
            let of_walls = self.wall_detector.first_impact_of_step(&control.paths, &self.constraints);
            of_bodies.into_iter().chain(of_walls).min_by(|a, b| a.fraction.total_cmp(&b.fraction))
        });
        let mut step = dt;
        if let Some(impact) = impact {
            let regular = self.control.regular_step();
            let earliest = control.last_cut + SHORTEST * regular - self.state.time;
            step = (impact.fraction * dt).max(earliest).min(dt);
            if step < dt {
                self.state.velocities.copy_from_slice(&control.velocities);
                self.rigid_states.clone_from(&self.rigid_states_before);
                self.predict(step);
                control.last_cut = self.state.time + step;
                self.control.set_time_step(step);
            }
            self.note_impact(&impact, dt);
        }
        self.impact_control = Some(control);
        step
    }

    /// Notes the impact of two bodies that had no contact before.
    fn note_impact(&mut self, impact: &StepImpact, dt: f64) {
        let [contactor, target] = impact.bodies;
        let bodies = [contactor.min(target), contactor.max(target)];
        let normal = if bodies[0] == target { impact.normal } else { -impact.normal };
        let time = self.state.time + impact.fraction * dt;
        let normal_speed = impact.closing / dt;
        self.note_first_contact(FirstContact { bodies, time, point: impact.point, normal, normal_speed });
    }
}
