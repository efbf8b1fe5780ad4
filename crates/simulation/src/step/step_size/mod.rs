//! Choice of the time step.

mod control;

use rayon::prelude::*;

use crate::math::Vec3;
use crate::math::reduction::nodes_per_task;
use crate::scenario::StepSize;

use crate::Simulation;
use crate::error::{FailureCause, NumericalFailure};
use crate::model::Body;
use crate::progress::StepLimit;
use crate::timings::timed;

use control::{CommittedFor, CommittedStep, keep_or_take, shortest};
pub(crate) use control::{StepControl, is_same_step};

/// Factor by which contact may increase the speed of rigid bodies before a new step is chosen. A free body gains up to
/// twice the speed of a striking body, plus a rotation. Even at three times the speed, no node can tunnel: the chosen
/// step is a small fraction of the step in which a node could tunnel.
const RIGID_SPEED_MARGIN: f64 = 3.0;

/// A step below this fraction of the first step counts as collapsed.
const COLLAPSE_RATIO: f64 = 1e-6;

/// Largest time that counts as a rounding error, relative to the step.
const NEGLIGIBLE_STEP: f64 = 1e-9;

impl Simulation {
    /// Length of the current step \[s\], cut to breaks of driving functions, exact output times and the end time.
    pub(crate) fn choose_time_step(&mut self) -> Result<f64, NumericalFailure> {
        if self.state.control.is_due(self.caches.internal.change_of_shapes(&self.state.control.shapes)) {
            self.refresh_critical_step();
        }
        self.state.control.since_refresh += 1;
        let acts = self.state.contact.action.has_contact();
        let committed = self
            .state
            .control
            .committed
            .take()
            .filter(|committed_step| committed_step.to == CommittedFor::Ties || acts);
        let preferred = match (self.state.control.size, committed) {
            (StepSize::Auto, Some(committed_step)) => self.step_without_tunnelling(committed_step.regular),
            _ => self.preferred_step(),
        };
        self.state.control.limit = match (self.state.control.size, committed) {
            (StepSize::Auto, Some(committed_step)) if preferred < committed_step.regular => {
                StepLimit::Tunnelling
            }
            (StepSize::Fixed(size), _) if preferred < size => StepLimit::Tunnelling,
            (StepSize::Fixed(_), _) => StepLimit::Scenario,
            (StepSize::Auto, _) => self.state.control.limit,
        };
        let longest = self.state.control.longest;
        let wanted = match committed.filter(|committed_step| committed_step.holds(preferred, longest)) {
            Some(committed_step) => committed_step.length,
            None => self.step_to_event(preferred.min(longest)),
        };
        let first = *self.state.control.first.get_or_insert(preferred);
        let remaining = self.remaining_time();
        self.state.control.regular_step = preferred;
        let step = if self.is_last_step(remaining, wanted) { remaining } else { wanted };
        self.state.control.time_step = step;
        let to_contact = committed.filter(|committed_step| committed_step.to == CommittedFor::Contact);
        self.state.control.differs_from_committed = to_contact
            .is_some_and(|committed_step| !is_same_step(step, committed_step.length.min(remaining)));
        if preferred < COLLAPSE_RATIO * first || preferred.is_nan() {
            return Err(self.failure(FailureCause::CollapsedStep, self.state.control.critical_element()));
        }
        Ok(self.state.control.time_step)
    }

    /// Whether `step` \[s\] covers the `remaining` time to the end \[s\] up to rounding.
    pub(crate) fn is_last_step(&self, remaining: f64, step: f64) -> bool {
        remaining <= step + self.rounding_of_step(step)
    }

    /// Largest time that is too short for a step of its own, if steps have the length `step` \[s\]. The second term is
    /// two rounding errors of the end time: one of a step, and one of the sum of steps.
    fn rounding_of_step(&self, step: f64) -> f64 {
        NEGLIGIBLE_STEP * step + 2.0 * f64::EPSILON * self.settings.time.end
    }

    /// Length of the next step, at most `wanted` \[s\]. The step is shorter than `wanted` if it ends at or halfway to a
    /// break of a driving function, or if the time to the next exact output is divided into equal steps.
    fn step_to_event(&self, wanted: f64) -> f64 {
        let Some(due) = self.next_output(wanted) else {
            return self.step_to_break(wanted, f64::INFINITY);
        };
        let even = self.even_step(due - self.state.nodes.time - self.state.nodes.time_remainder, wanted);
        self.step_to_break(even, due - self.rounding_of_step(wanted))
    }

    /// Length of equal steps over the time `remaining` \[s\], each at most `longest` \[s\] up to rounding.
    pub(crate) fn even_step(&self, remaining: f64, longest: f64) -> f64 {
        let count = ((remaining - self.rounding_of_step(longest)) / longest).ceil();
        remaining / count.max(1.0)
    }

    /// Next exact output time or end time \[s\]. `step` is the largest length of the next step \[s\]. `None` if output
    /// is not exact, if the end time is reached, or if an output interval is below the rounding error of the time.
    pub(crate) fn next_output(&self, step: f64) -> Option<f64> {
        self.settings.exact_output.as_ref()?.first_within_step(self.state.nodes.time, step)
    }

    /// Committed length of the following step, or else the length expected after a step of length `last` \[s\].
    pub(crate) fn following_step(&self, last: f64) -> f64 {
        let control = &self.state.control;
        let expected = || self.step_to_event(control.regular_step.max(last).min(control.longest));
        control.committed.map_or_else(expected, |committed_step| committed_step.length)
    }

    /// Limits the time step to `longest` \[s\] from the next step on, for a coupled program. A value that is not
    /// positive removes the limit. The limit does not apply to a step for whose length discrete-gradient contact forces
    /// have already been computed, nor to steps of flight; for the latter, use the argument of [`Simulation::advance`].
    pub fn limit_step(&mut self, longest: f64) {
        self.forget_copy();
        self.state.control.longest = if longest > 0.0 { longest } else { f64::INFINITY };
    }

    /// Commits the length of the following step for contact, because discrete-gradient forces act from the middle of
    /// the current step to the middle of the following step. Keeps the preferred length of the current step if it
    /// is stable at the speed of rigid bodies divided by [`RIGID_SPEED_MARGIN`]; otherwise, chooses a new length.
    pub(crate) fn commit_step(&mut self) {
        let present = self.state.control.preferred;
        let continues = self.state.control.size == StepSize::Auto && {
            let stable = self
                .largest_stable_step(self.state.contact.action.frequency_squared, RIGID_SPEED_MARGIN)
                .min(self.settings.time.flight_step);
            self.step_without_tunnelling(stable) >= present
        };
        let regular = if continues { present } else { self.preferred_step() };
        self.commit(regular, CommittedFor::Contact);
    }

    /// Commits the length of the following step for ties. If contact acts and a length is committed for contact, that
    /// length remains.
    pub(crate) fn commit_step_for_ties(&mut self) {
        let is_to_contact = self
            .state
            .control
            .committed
            .is_some_and(|committed_step| committed_step.to == CommittedFor::Contact);
        if !(is_to_contact && self.state.contact.action.has_contact()) {
            let regular = self.preferred_step();
            self.commit(regular, CommittedFor::Ties);
        }
    }

    fn commit(&mut self, regular: f64, to: CommittedFor) {
        let length = self.step_to_event(regular.min(self.state.control.longest));
        self.state.control.committed = Some(CommittedStep { regular, length, to });
    }

    fn preferred_step(&mut self) -> f64 {
        match self.state.control.size {
            StepSize::Fixed(size) => {
                self.state.control.spring_step = size;
                // A step above the critical step is not shortened: occasional shorter steps could hide the instability.
                let is_stable = self.state.control.critical_step().is_none_or(|critical| size <= critical);
                if is_stable { self.step_without_tunnelling(size) } else { size }
            }
            StepSize::Auto => self.automatic_step(),
        }
    }

    pub(crate) fn refresh_critical_step(&mut self) {
        let (positions, history) = (&self.state.nodes.positions, &self.state.history);
        let critical =
            timed(&mut self.timings.critical_step, || self.caches.internal.critical_step(positions, history));
        self.state.control.shapes.clear();
        self.state.control.shapes.extend(self.caches.internal.shapes());
        self.state.control.renew(critical);
    }

    fn automatic_step(&mut self) -> f64 {
        let of_contact = self.state.contact.action.frequency_squared;
        let (limit, longest) = shortest(&self.state.control.limits(of_contact, self.fastest_rigid_node()));
        let flight_step = self.settings.time.flight_step;
        let stable = self.step_without_tunnelling(longest.min(flight_step));
        self.state.control.limit = match stable {
            _ if stable < longest.min(flight_step) => StepLimit::Tunnelling,
            _ if flight_step < longest => StepLimit::FlightStep,
            _ => limit,
        };
        keep_or_take(&mut self.state.control.preferred, stable);
        if self.state.control.critical_step().is_none() {
            let is_held_short = stable < longest && self.state.control.resting_contact.is_finite();
            self.state.control.spring_step =
                if is_held_short { longest } else { self.state.control.preferred };
        } else if of_contact == 0.0 {
            keep_or_take(&mut self.state.control.spring_step, stable);
        } else {
            let without_contact = self.largest_stable_step(0.0, 1.0).min(self.settings.time.flight_step);
            let without_contact = self.step_without_tunnelling(without_contact);
            keep_or_take(&mut self.state.control.spring_step, without_contact);
        }
        self.state.control.preferred
    }

    /// Largest stable step at a squared contact frequency \[rad²/s²\], and at the speed of rigid bodies divided by
    /// `faster`.
    fn largest_stable_step(&self, contact_frequency_squared: f64, faster: f64) -> f64 {
        let fastest = self.fastest_rigid_node() / faster;
        self.state.control.stable_step(contact_frequency_squared, fastest)
    }

    /// Length of a step outside flight \[s\]: the fixed step, or the stable step of the current state.
    pub fn stable_step(&mut self) -> f64 {
        self.forget_copy();
        self.refresh_critical_step();
        match self.state.control.size {
            StepSize::Fixed(size) => size,
            StepSize::Auto => self
                .largest_stable_step(self.state.contact.action.frequency_squared, 1.0)
                .min(self.settings.time.flight_step),
        }
    }

    pub(crate) fn step_limit(&self) -> Option<StepLimit> {
        let is_cut = self.state.control.time_step < (1.0 - NEGLIGIBLE_STEP) * self.state.control.regular_step;
        match self.state.nodes.step {
            0 => None,
            step if step == self.state.steps_in_flight => Some(StepLimit::Flight),
            _ if is_cut => Some(StepLimit::Event),
            _ => Some(self.state.control.limit),
        }
    }

    /// Counts the limit of the last step, which must be outside flight.
    pub(crate) fn count_step_limit(&mut self) {
        if let Some(limit) = self.step_limit() {
            self.state.control.limit_counts[limit as usize] += 1;
        }
    }

    /// The counts include steps of flight.
    pub(crate) fn step_limit_counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let in_flight = |limit| if limit == StepLimit::Flight { self.state.steps_in_flight } else { 0 };
        let counts = StepLimit::ALL.into_iter().zip(self.state.control.limit_counts);
        counts
            .map(move |(limit, count)| (limit.name(), count + in_flight(limit)))
            .filter(|(_, count)| *count > 0)
    }

    /// Speed of the fastest node of all rigid bodies \[m/s\].
    fn fastest_rigid_node(&self) -> f64 {
        let of_body = |body: &Body| {
            let velocities = &self.state.nodes.velocities[body.nodes.clone()];
            let squares = velocities.par_iter().map(Vec3::norm_squared);
            squares.with_min_len(nodes_per_task(velocities.len())).reduce(|| 0.0, f64::max)
        };
        let rigid = self.model.bodies.iter().filter(|body| body.is_rigid());
        rigid.map(of_body).fold(0.0, f64::max).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    /// A block is pressed on a wall in equal steps between exact output times. By rounding, many steps are slightly
    /// longer than the committed steps. The longer steps must still count as the committed steps.
    #[test]
    fn steps_longer_by_a_rounding_are_the_committed_ones() {
        let folder = tempfile::tempdir().unwrap();
        let mesh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n\
                    6 1 0 1\n7 1 1 1\n8 0 1 1\n$EndNodes\n$Elements\n1\n1 5 2 1 1 1 2 3 4 5 6 7 8\n$EndElements\n";
        std::fs::write(folder.path().join("a.msh"), mesh).unwrap();
        let text = "[time]\nend = 0.2\nstep = 1e-3\n[contact]\nresponse = \"energy-momentum\"\n\
                    [materials.m]\nmodel = \"rigid\"\ndensity = 1000.0\n[[bodies]]\nname = \"a\"\nmesh = \"a.msh\"\n\
                    material = \"m\"\nvelocity = [0, 0, -0.1]\ngravity = [0, 0, -10]\n\
                    [[walls]]\nname = \"wall\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n\
                    [output]\nexact = true\ninterval = 0.007\nhistory = { interval = 0.011 }\n";
        let scenario = Scenario::parse(text, &folder.path().join("test.toml"), &[]).unwrap();
        let mut simulation = Simulation::new(&scenario).unwrap();
        let (mut longer_ones, mut pressed) = (0, 0);
        while !simulation.is_finished() {
            let acts = simulation.state.contact.action.has_contact();
            simulation.advance(f64::INFINITY).unwrap();
            if acts {
                pressed += 1;
                let longer = simulation.state.control.time_step() - 1e-3;
                longer_ones += u32::from(longer > 0.0 && longer < 1e-15);
                assert!(!simulation.state.control.differs_from_committed(), "{longer:e} s longer");
            }
        }
        assert!(longer_ones > 10, "{longer_ones} of {pressed} steps are longer by a rounding");
        assert!(is_same_step(1e-3 * (1.0 + f64::EPSILON), 1e-3) && !is_same_step(0.999e-3, 1e-3));
    }
}
