//! Steps that end at an impact, so that contact begins without penetration.

use crate::contact::detection::{ContactModel, StepImpact, StepImpactSearch, StepPaths};
use crate::contact::response::Stage;
use crate::math::Vec3;

use crate::timings::timed;
use crate::{FirstContact, Simulation};

/// Smallest time between two impacts that each end a step, relative to the regular step (the step without cuts to
/// impacts, output times and breaks of driving functions). When two faces meet, their nodes impact at slightly
/// different times. Without this minimum, each of these impacts would end a step.
const MIN_IMPACT_INTERVAL: f64 = 0.1;

pub(crate) struct ImpactControl {
    search: StepImpactSearch,
    paths: StepPaths,
    velocities: Vec<Vec3>,
}

impl ImpactControl {
    pub fn new(model: ContactModel) -> Self {
        Self { search: StepImpactSearch::new(model), paths: StepPaths::default(), velocities: Vec::new() }
    }
}

impl Simulation {
    /// Predicts a step of length `dt` \[s\], and cuts the step to its first impact, as far as [`MIN_IMPACT_INTERVAL`]
    /// allows. Returns the length of the cut step \[s\].
    ///
    /// The predicted path of a node is a parabola, and the impact time on this parabola is exact. For rotating bodies
    /// and driven supports, the error of the impact time is of third order in the step.
    pub(crate) fn predict_to_impact(&mut self, dt: f64) -> f64 {
        // Discrete-gradient forces are valid only for the step length for which they were computed. Such a step is not
        // cut.
        let is_committed =
            self.response.stage() == Stage::Accelerated && self.state.contact.action.has_contact();
        let Some(mut control) = self.caches.impact_control.take_if(|_| !is_committed) else {
            self.predict(dt);
            return dt;
        };
        control.velocities.clone_from(&self.state.nodes.velocities);
        self.predict(dt);
        control.paths.set(&self.state.nodes.positions, &control.velocities, &self.scratch.positions_next, dt);
        let impact = timed(&mut self.timings.detection, || {
            let of_bodies = control.search.first(&control.paths, &self.state.contact.constraints);
            let of_walls = self
                .caches
                .wall_detector
                .first_impact_of_step(&control.paths, &self.state.contact.constraints);
            of_bodies.into_iter().chain(of_walls).min_by(|a, b| a.fraction.total_cmp(&b.fraction))
        });
        let mut step = dt;
        if let Some(impact) = impact {
            let regular = self.state.control.regular_step();
            let earliest =
                self.state.control.last_cut + MIN_IMPACT_INTERVAL * regular - self.state.nodes.time;
            step = (impact.fraction * dt).max(earliest).min(dt);
            if step < dt {
                self.state.nodes.velocities.copy_from_slice(&control.velocities);
                self.state.rigid_bodies.clone_from(&self.scratch.before.rigid_bodies);
                self.predict(step);
                self.state.control.last_cut = self.state.nodes.time + step;
                self.state.control.set_time_step(step);
            }
            self.note_impact(&impact, dt);
        }
        self.caches.impact_control = Some(control);
        step
    }

    /// Records an impact as the first contact of two bodies. `dt` is the uncut length of the step \[s\].
    fn note_impact(&mut self, impact: &StepImpact, dt: f64) {
        let [contactor, target] = impact.bodies;
        let bodies = [contactor.min(target), contactor.max(target)];
        let normal = if bodies[0] == target { impact.normal } else { -impact.normal };
        let time = self.state.nodes.time + impact.fraction * dt;
        let normal_speed = impact.closing / dt;
        self.note_first_contact(FirstContact { bodies, time, point: impact.point, normal, normal_speed });
    }
}
