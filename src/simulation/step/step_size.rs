//! The size of a step.

use rayon::prelude::*;

use crate::dynamics::CriticalStep;
use crate::math::Vec3;
use crate::math::reduction::nodes_per_task;
use crate::scenario::StepSize;

use crate::simulation::Simulation;
use crate::simulation::error::{FailureCause, NumericalFailure};
use crate::simulation::model::Body;
use crate::simulation::record::timings::timed;

/// Most steps between two computations of the critical step.
const MOST_STEPS: u32 = 50;

/// Part by which the critical step may change from one computation to the next, as fast as it has changed before, and by
/// which elements may be compressed or strained meanwhile: a fraction of what the usual safety leaves.
const TOLERATED_CHANGE: f64 = 0.05;

/// Factor by which nodes of rigid bodies may be faster, while contact presses, than the step was chosen for: what strikes a
/// free body of any mass goes on with up to twice the speed, and a spin adds to it. The step is a small part of that in which
/// a node could go through.
const FASTER: f64 = 3.0;

/// A larger stable step is taken only when it is this much larger: changing the step often costs accuracy.
const WORTHWHILE: f64 = 1.1;

/// Below this fraction of the first step a run cannot be expected to end.
const COLLAPSE: f64 = 1e-6;

/// Part by which a step may differ from the one that forces were found for: what that makes of them is rounding.
const SAME: f64 = 1e-12;

/// Part of a step that is not worth one.
const NO_STEP: f64 = 1e-9;

/// Fraction of the joint stability limit of elements and contacts that is used.
const CONTACT_SAFETY: f64 = 0.95;

/// Chooses the size of the next step.
#[derive(Clone, Debug)]
pub(crate) struct StepControl {
    size: StepSize,
    safety: f64,
    critical: Option<CriticalStep>,
    /// How far a node of a rigid body may travel in a step \[m\].
    rigid_travel: f64,
    /// Largest step in which nodes may come and go on the springs of contact \[s\].
    holding: f64,
    /// Largest step in which rigid bodies come to rest under their weight \[s\].
    resting: f64,
    /// Steps from the last computation of the critical step to the next.
    interval: u32,
    since_refresh: u32,
    time_step: f64,
    /// The step as it would be if the run did not end \[s\].
    regular_step: f64,
    /// That which the stiffness of springs follows \[s\].
    spring_step: f64,
    /// The step to come, where forces have been found for it.
    promised: Option<Promise>,
    /// Whether the present step is another one than forces of a discrete gradient were found for.
    has_broken_promise: bool,
    /// Limit from outside for steps that are not promised to contact \[s\].
    longest: f64,
    first: Option<f64>,
    preferred: f64,
    /// What limits the preferred step.
    limit: &'static str,
}

/// A step to come.
#[derive(Clone, Copy, Debug)]
struct Promise {
    /// As it would be if nothing that is due cut it \[s\].
    regular: f64,
    /// As it is to be \[s\].
    length: f64,
    to: Promised,
}

/// What has forces that were found for a step to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Promised {
    /// Contact by a discrete gradient, which keeps the energy in that step only.
    Contact,
    /// Ties, which are solved for again at the beginning of a step of another length.
    Ties,
}

/// Whether a step is so nearly as long as another one that forces found for the one are those for the other \[s\].
pub(crate) fn is_same_step(step: f64, other: f64) -> bool {
    (step - other).abs() <= SAME * other
}

impl Promise {
    /// Whether it can be kept where steps of up to `regular` are allowed, and of up to `longest` are asked for from outside \[s\].
    fn holds(&self, regular: f64, longest: f64) -> bool {
        let is_allowed = self.regular <= regular || self.length <= regular;
        is_allowed && (self.to == Promised::Contact || self.length <= longest)
    }
}

impl StepControl {
    /// Control for a run in which nodes of rigid bodies may travel `rigid_travel` in a step \[m\] (infinite: none), and
    /// nodes come and go on springs of contact in steps of up to `holding`, and rigid bodies come to rest in steps of up to
    /// `resting` \[s\].
    pub fn new(size: StepSize, safety: f64, rigid_travel: f64, holding: f64, resting: f64) -> Self {
        Self {
            size,
            safety,
            critical: None,
            rigid_travel,
            holding,
            resting,
            interval: 0,
            since_refresh: 0,
            time_step: 0.0,
            regular_step: 0.0,
            spring_step: f64::INFINITY,
            promised: None,
            has_broken_promise: false,
            longest: f64::INFINITY,
            first: None,
            preferred: f64::INFINITY,
            limit: "step",
        }
    }

    /// Size of the last step \[s\].
    pub fn time_step(&self) -> f64 {
        self.time_step
    }

    /// Size of the last step had it not been cut to end in time \[s\].
    pub fn regular_step(&self) -> f64 {
        self.regular_step
    }

    /// The step that the stiffness of springs follows \[s\]: of deformable bodies that without contact, so that the
    /// stiffness does not depend on the order in which contacts begin. It is neither cut to end in time, nor, where the
    /// weight of rigid bodies gives a scale of its own, held short by that of flight.
    pub fn spring_step(&self) -> f64 {
        self.spring_step
    }

    /// Whether the present step is not the one that forces of a discrete gradient were found for.
    pub fn has_broken_promise(&self) -> bool {
        self.has_broken_promise
    }

    /// Critical step of the elements as last computed \[s\].
    pub fn critical_step(&self) -> Option<f64> {
        self.critical.map(|critical| critical.time_step)
    }

    /// Block and element that control it.
    pub fn critical_element(&self) -> Option<(usize, usize)> {
        self.critical.map(|critical| (critical.block, critical.element))
    }

    /// Notes the size of a step that was not chosen here \[s\].
    pub fn set_time_step(&mut self, time_step: f64) {
        self.time_step = time_step;
    }

    /// Has the critical step computed before the next step, and soon again: from now on it may change faster.
    pub fn invalidate(&mut self) {
        self.interval = 0;
    }

    /// Whether the critical step may have changed by much since it was computed, given the `change_of_shapes` since.
    fn is_due(&self, change_of_shapes: f64) -> bool {
        self.since_refresh >= self.interval || change_of_shapes > TOLERATED_CHANGE
    }

    /// Takes over a critical step, and decides from how fast it has changed when the next is needed.
    fn renew(&mut self, critical: Option<CriticalStep>) {
        let before = std::mem::replace(&mut self.critical, critical);
        let [before, now] = [before, critical].map(|critical| critical.map_or(1.0, |c| c.time_step));
        let change_per_step = (now / before).ln().abs() / f64::from(self.since_refresh);
        let tolerable = (TOLERATED_CHANGE / change_per_step) as u32;
        self.interval = tolerable.min(2 * self.interval).clamp(1, MOST_STEPS);
        self.since_refresh = 0;
    }

    /// Largest stable step: that of the elements, shortened by the frequency that contacts add.
    ///
    /// ω² ≤ ω_elements² + ω_contact², dt ≤ 2/ω.
    fn stable_step(&self, contact_frequency_squared: f64, fastest_rigid: f64) -> f64 {
        shortest(&self.limits(contact_frequency_squared, fastest_rigid)).1
    }

    /// What limits a stable step, and the longest that each allows \[s\].
    fn limits(&self, contact_frequency_squared: f64, fastest_rigid: f64) -> [(&'static str, f64); 5] {
        let elements = self.critical_step().unwrap_or(f64::INFINITY);
        let frequency_squared = (2.0 / elements).powi(2) + contact_frequency_squared;
        let contact = CONTACT_SAFETY * 2.0 / frequency_squared.sqrt();
        [
            ("elements", self.safety * elements),
            (if contact_frequency_squared > 0.0 { "contact" } else { "elements" }, contact),
            ("rigid motion", self.rigid_travel / fastest_rigid),
            ("contact springs", self.holding),
            ("rest", self.resting),
        ]
    }
}

/// The first of the shortest limits.
fn shortest<'a>(limits: &[(&'a str, f64)]) -> (&'a str, f64) {
    limits
        .iter()
        .fold(("nothing", f64::INFINITY), |least, limit| if limit.1 < least.1 { *limit } else { least })
}

/// Keeps a step as it is unless it must shrink, or can grow by a worthwhile amount, to the stable one \[s\].
fn keep_or_take(step: &mut f64, stable: f64) {
    if !(step.is_finite() && stable >= *step && stable <= WORTHWHILE * *step) {
        *step = stable;
    }
}

impl Simulation {
    /// Size of the step to take now: cut to end where functions that drive the run kink or jump, and the last one to end in
    /// time.
    pub(crate) fn choose_time_step(&mut self) -> Result<f64, NumericalFailure> {
        if self.control.is_due(self.internal.change_of_shapes()) {
            self.refresh_critical_step();
        }
        self.control.since_refresh += 1;
        let acts = self.action.has_contact();
        let promised = self.control.promised.take().filter(|promise| promise.to == Promised::Ties || acts);
        let preferred = match (self.control.size, promised) {
            (StepSize::Auto, Some(promise)) => self.step_without_passage(promise.regular),
            _ => self.preferred_step(),
        };
        let longest = self.control.longest;
        let wanted = match promised.filter(|promise| promise.holds(preferred, longest)) {
            Some(promise) => promise.length,
            None => self.step_to_event(preferred.min(longest)),
        };
        let first = *self.control.first.get_or_insert(preferred);
        let remaining = self.remaining_time();
        self.control.regular_step = preferred;
        let step = if self.is_last_step(remaining, wanted) { remaining } else { wanted };
        self.control.time_step = step;
        let to_contact = promised.filter(|promise| promise.to == Promised::Contact);
        self.control.has_broken_promise =
            to_contact.is_some_and(|promise| !is_same_step(step, promise.length.min(remaining)));
        if preferred < COLLAPSE * first || preferred.is_nan() {
            return Err(self.failure(FailureCause::CollapsedStep, self.control.critical_element()));
        }
        Ok(self.control.time_step)
    }

    /// Whether a step of a length, which could be that much longer as sums of steps are rounded, as the step and the end of the
    /// run are themselves, covers what remains of a run \[s\].
    pub(crate) fn is_last_step(&self, remaining: f64, step: f64) -> bool {
        remaining <= step + self.rounding_of_step(step)
    }

    /// What is no step: a part of one, and twice the rounding of the end of the run, as steps of which rounding makes each a
    /// little too short or too long add up to one of it, and their sum to another \[s\].
    fn rounding_of_step(&self, step: f64) -> f64 {
        NO_STEP * step + 2.0 * f64::EPSILON * self.settings.end
    }

    /// Size of the next step that is to be as long as wanted, or to end at a break, or, where output is to be exact, to lead
    /// in equal steps to where it is due \[s\].
    fn step_to_event(&self, wanted: f64) -> f64 {
        let Some(due) = self.next_output(wanted) else {
            return self.step_to_break(wanted, f64::INFINITY);
        };
        let even = self.even_step(due - self.state.time - self.state.time_remainder, wanted);
        self.step_to_break(even, due - self.rounding_of_step(wanted))
    }

    /// The longest of equal steps of up to `longest` that end after the time that remains \[s\].
    pub(crate) fn even_step(&self, remaining: f64, longest: f64) -> f64 {
        let count = ((remaining - self.rounding_of_step(longest)) / longest).ceil();
        remaining / count.max(1.0)
    }

    /// When the next output is due, where it is to be exact, or the end of the run; `None` at the end, and where the steps go
    /// their own way. A step of up to `step` begins at present \[s\].
    pub(crate) fn next_output(&self, step: f64) -> Option<f64> {
        self.exact_output.as_ref()?.first_in_reach(self.state.time, step)
    }

    /// The step to come: the one promised, or that of a state in which the last one of length `last` is regular \[s\].
    pub(crate) fn following_step(&self, last: f64) -> f64 {
        let control = &self.control;
        let expected = || self.step_to_event(control.regular_step.max(last).min(control.longest));
        control.promised.map_or_else(expected, |promise| promise.length)
    }

    /// Cuts steps that would be longer than this \[s\], from the next one on and until it is asked for another: for programs that
    /// run beside this one. What is not positive lifts the limit.
    /// While contact presses by the energy–momentum response, the next step is still the one that its forces have been found
    /// for, and the limit holds from the one after it on. Flights end at the time that [`Simulation::advance`] is given.
    pub fn limit_step(&mut self, longest: f64) {
        self.control.longest = if longest > 0.0 { longest } else { f64::INFINITY };
    }

    /// Chooses the step that follows the present one: where contact then presses, it is taken as it is here. Forces of a
    /// discrete gradient act from the middle of the one to that of the other.
    ///
    /// A body that contact speeds up goes on in equal steps as far as it is no more than [`FASTER`] than they were chosen for.
    pub(crate) fn promise_step(&mut self) {
        let present = self.control.preferred;
        let goes_on = self.control.size == StepSize::Auto && {
            let stable = self
                .largest_stable_step(self.action.frequency_squared, FASTER)
                .min(self.settings.flight_step);
            self.step_without_passage(stable) >= present
        };
        let regular = if goes_on { present } else { self.preferred_step() };
        self.promise(regular, Promised::Contact);
    }

    /// Chooses the step that follows the present one, for ties: where contact has not chosen it already.
    pub(crate) fn promise_step_to_ties(&mut self) {
        let is_to_contact = self.control.promised.is_some_and(|promise| promise.to == Promised::Contact);
        if !(is_to_contact && self.action.has_contact()) {
            let regular = self.preferred_step();
            self.promise(regular, Promised::Ties);
        }
    }

    fn promise(&mut self, regular: f64, to: Promised) {
        let length = self.step_to_event(regular.min(self.control.longest));
        self.control.promised = Some(Promise { regular, length, to });
    }

    fn preferred_step(&mut self) -> f64 {
        match self.control.size {
            StepSize::Fixed(size) => {
                self.control.spring_step = size;
                // A step that is not stable is not mended by a shorter one now and then: it must show.
                let is_stable = self.control.critical_step().is_none_or(|critical| size <= critical);
                if is_stable { self.step_without_passage(size) } else { size }
            }
            StepSize::Auto => self.automatic_step(),
        }
    }

    pub(crate) fn refresh_critical_step(&mut self) {
        let positions = &self.state.positions;
        let critical = timed(&mut self.timings.critical_step, || self.internal.critical_step(positions));
        self.internal.mark_shapes();
        self.control.renew(critical);
    }

    fn automatic_step(&mut self) -> f64 {
        let of_contact = self.action.frequency_squared;
        let (limit, longest) = shortest(&self.control.limits(of_contact, self.fastest_rigid_node()));
        let flight_step = self.settings.flight_step;
        let stable = self.step_without_passage(longest.min(flight_step));
        self.control.limit = match stable {
            _ if stable < longest.min(flight_step) => "passage",
            _ if flight_step < longest => "flight_step",
            _ => limit,
        };
        keep_or_take(&mut self.control.preferred, stable);
        if self.control.critical_step().is_none() {
            let is_held_short = stable < longest && self.control.resting.is_finite();
            self.control.spring_step = if is_held_short { longest } else { self.control.preferred };
        } else if of_contact == 0.0 {
            keep_or_take(&mut self.control.spring_step, stable);
        } else {
            let beside_contact = self.largest_stable_step(0.0, 1.0).min(self.settings.flight_step);
            let beside_contact = self.step_without_passage(beside_contact);
            keep_or_take(&mut self.control.spring_step, beside_contact);
        }
        self.control.preferred
    }

    /// With contacts that add this square of a frequency \[rad²/s²\], and rigid bodies that may be so many times faster.
    fn largest_stable_step(&self, contact_frequency_squared: f64, faster: f64) -> f64 {
        let fastest = self.fastest_rigid_node() / faster;
        self.control.stable_step(contact_frequency_squared, fastest)
    }

    /// Size of the steps that the run takes while it does not fly, as far as the present state tells \[s\].
    pub fn stable_step(&mut self) -> f64 {
        self.refresh_critical_step();
        match self.control.size {
            StepSize::Fixed(size) => size,
            StepSize::Auto => {
                self.largest_stable_step(self.action.frequency_squared, 1.0).min(self.settings.flight_step)
            }
        }
    }

    /// What limits the last step: `flight`, `event` (output, the end of the run, or where a function of time breaks), `step` (that
    /// of the scenario), `flight_step`, `passage` (no body may go through another), `elements`, `contact`, `rigid motion`, `contact
    /// springs` or `rest`; `None` before the first.
    pub(crate) fn step_limit(&self) -> Option<&'static str> {
        let is_cut = self.control.time_step < (1.0 - NO_STEP) * self.control.regular_step;
        match self.state.step {
            0 => None,
            step if step == self.steps_in_flight => Some("flight"),
            _ if is_cut => Some("event"),
            _ => Some(self.control.limit),
        }
    }

    /// Largest speed of a node of a rigid body \[m/s\].
    fn fastest_rigid_node(&self) -> f64 {
        let of_body = |body: &Body| {
            let velocities = &self.state.velocities[body.nodes.clone()];
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

    /// The interval between computations doubles up to the longest while nothing changes; a change by a tenth in ten steps
    /// (ln 0.9/10 = −0.0105 a step, 0.05 of it in four) allows for four, and after contact comes or goes it is one again.
    #[test]
    fn the_critical_step_is_computed_as_often_as_it_changes() {
        let mut control = StepControl::new(StepSize::Auto, 0.8, f64::INFINITY, f64::INFINITY, f64::INFINITY);
        let renew = |control: &mut StepControl, time_step: f64| {
            control.since_refresh = control.interval;
            control.renew(Some(CriticalStep { time_step, block: 0, element: 0 }));
            control.interval
        };
        let intervals: Vec<u32> = (0..8).map(|_| renew(&mut control, 1e-6)).collect();
        assert_eq!(intervals, [1, 2, 4, 8, 16, 32, 50, 50]);
        control.interval = 10;
        assert_eq!(renew(&mut control, 0.9e-6), 4);
        control.invalidate();
        assert!(control.is_due(0.0));
        assert_eq!(renew(&mut control, 0.9e-6), 1);
    }

    /// A block is pressed on a wall by the energy–momentum response in steps of which some fit between outputs that are to be exact:
    /// quotients make many of them longer by a rounding. They are those that forces were found for.
    #[test]
    fn steps_that_are_longer_by_a_rounding_are_those_that_were_promised() {
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
            let acts = simulation.action.has_contact();
            simulation.advance(f64::INFINITY).unwrap();
            if acts {
                pressed += 1;
                let longer = simulation.control.time_step() - 1e-3;
                longer_ones += u32::from(longer > 0.0 && longer < 1e-15);
                assert!(!simulation.control.has_broken_promise(), "{longer:e} s longer");
            }
        }
        assert!(longer_ones > 10, "{longer_ones} of {pressed} steps are longer by a rounding");
        assert!(is_same_step(1e-3 * (1.0 + f64::EPSILON), 1e-3) && !is_same_step(0.999e-3, 1e-3));
    }
}
