//! Step control: data of the step choice that persist between steps, and the limits of the step.

use ictus_core::clone_by_field;
use serde::{Deserialize, Serialize};

use crate::dynamics::{CriticalStep, Shape};
use crate::scenario::StepSize;

use crate::progress::StepLimit;

/// Largest number of steps between two computations of the critical step.
const MAX_INTERVAL: u32 = 50;

/// Tolerated relative change of the critical step between two computations, extrapolated from its previous rate of
/// change, and tolerated strain of elements meanwhile: a fraction of the usual safety margin.
const TOLERATED_CHANGE: f64 = 0.05;

/// Smallest growth of the stable step that is applied: frequent changes of the step cost accuracy.
const MIN_GROWTH: f64 = 1.1;

/// Relative difference below which a step equals the step that forces were computed for: the effect on the forces is
/// rounding.
const STEP_TOLERANCE: f64 = 1e-12;

/// Fraction of the joint stability limit of elements and contacts.
const CONTACT_SAFETY: f64 = 0.95;

/// Chooses the length of the next step.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StepControl {
    pub(super) size: StepSize,
    pub(super) safety: f64,
    pub(super) critical: Option<CriticalStep>,
    /// Largest travel of a node of a rigid body in a step \[m\].
    pub(super) rigid_travel: f64,
    /// Largest step for nodes that open and close on stiff contact springs \[s\].
    pub(super) stiff_spring: f64,
    /// Largest step in which rigid bodies come to rest under their weight \[s\].
    pub(super) resting_contact: f64,
    /// Number of steps from the last computation of the critical step to the next.
    pub(super) interval: u32,
    pub(super) since_refresh: u32,
    pub(super) time_step: f64,
    /// Step before it is cut to an event or the end time \[s\].
    pub(super) regular_step: f64,
    /// Step that scales the spring stiffness \[s\].
    pub(super) spring_step: f64,
    /// The following step, if forces were computed for it.
    pub(super) committed: Option<CommittedStep>,
    /// Whether the current step differs from the one that discrete-gradient forces were computed for.
    pub(super) differs_from_committed: bool,
    /// Limit set by the caller, for steps not committed for contact \[s\].
    pub(super) longest: f64,
    pub(super) first: Option<f64>,
    pub(super) preferred: f64,
    /// Limit that determines the preferred step.
    pub(super) limit: StepLimit,
    /// Number of steps outside flight by limit, in the order of [`StepLimit::ALL`].
    pub(super) limit_counts: [u64; StepLimit::ALL.len()],
    /// Time of the last impact at which a step ended \[s\].
    pub last_cut: f64,
    /// Deformation of each element chunk at the last computation of the critical step.
    pub(super) shapes: Vec<Shape>,
}

clone_by_field!(StepControl {
    size,
    safety,
    critical,
    rigid_travel,
    stiff_spring,
    resting_contact,
    interval,
    since_refresh,
    time_step,
    regular_step,
    spring_step,
    committed,
    differs_from_committed,
    longest,
    first,
    preferred,
    limit,
    limit_counts,
    last_cut,
    shapes,
});

/// A committed length of the following step.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct CommittedStep {
    /// Length before it is cut to an event \[s\].
    pub(super) regular: f64,
    /// Committed length \[s\].
    pub(super) length: f64,
    pub(super) to: CommittedFor,
}

/// Forces that were computed for the following step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum CommittedFor {
    /// Discrete-gradient contact forces, which conserve energy in that step only.
    Contact,
    /// Tie forces, which are solved again at the beginning of a step of another length.
    Ties,
}

/// Whether two step lengths \[s\] are equal up to rounding, so that forces computed for one length are valid for the
/// other.
pub(crate) fn is_same_step(step: f64, other: f64) -> bool {
    (step - other).abs() <= STEP_TOLERANCE * other
}

impl CommittedStep {
    /// Whether the committed step is allowed by the `regular` step and by the caller's limit `longest` \[s\].
    pub(super) fn holds(&self, regular: f64, longest: f64) -> bool {
        let is_allowed = self.regular <= regular || self.length <= regular;
        is_allowed && (self.to == CommittedFor::Contact || self.length <= longest)
    }
}

impl StepControl {
    /// Step control with the limits `rigid_travel` \[m\], `stiff_spring` and `resting_contact` \[s\]; infinite for no
    /// limit.
    pub fn new(size: StepSize, safety: f64, [rigid_travel, stiff_spring, resting_contact]: [f64; 3]) -> Self {
        Self {
            size,
            safety,
            critical: None,
            rigid_travel,
            stiff_spring,
            resting_contact,
            interval: 0,
            since_refresh: 0,
            time_step: 0.0,
            regular_step: 0.0,
            spring_step: f64::INFINITY,
            committed: None,
            differs_from_committed: false,
            longest: f64::INFINITY,
            first: None,
            preferred: f64::INFINITY,
            limit: StepLimit::Scenario,
            limit_counts: [0; StepLimit::ALL.len()],
            last_cut: f64::NEG_INFINITY,
            shapes: Vec::new(),
        }
    }

    /// Last time step \[s\].
    pub fn time_step(&self) -> f64 {
        self.time_step
    }

    /// Last time step before it was cut to an event or the end time \[s\].
    pub fn regular_step(&self) -> f64 {
        self.regular_step
    }

    /// Step that scales the spring stiffness \[s\]: with deformable bodies the step without contact, so that the
    /// stiffness does not depend on the order in which contacts begin. It is not cut to events, nor to the flight
    /// step if the weight of rigid bodies limits the step.
    pub fn spring_step(&self) -> f64 {
        self.spring_step
    }

    /// Whether the current step differs from the one that discrete-gradient forces were computed for.
    pub fn differs_from_committed(&self) -> bool {
        self.differs_from_committed
    }

    /// Critical step of the elements as last computed \[s\].
    pub fn critical_step(&self) -> Option<f64> {
        self.critical.map(|critical| critical.time_step)
    }

    /// Block and element that control the critical step.
    pub fn critical_element(&self) -> Option<(usize, usize)> {
        self.critical.map(|critical| (critical.block, critical.element))
    }

    /// Sets the length of a step not chosen by this control \[s\].
    pub fn set_time_step(&mut self, time_step: f64) {
        self.time_step = time_step;
    }

    /// Requires the critical step to be computed before the next step, and at short intervals after it.
    pub fn invalidate(&mut self) {
        self.interval = 0;
    }

    /// Whether the critical step must be computed again, given the `change_of_shapes` since its last computation.
    pub(super) fn is_due(&self, change_of_shapes: f64) -> bool {
        self.since_refresh >= self.interval || change_of_shapes > TOLERATED_CHANGE
    }

    /// Sets the critical step, and derives the interval to the next computation from the rate of change of the critical
    /// step.
    pub(super) fn renew(&mut self, critical: Option<CriticalStep>) {
        let before = std::mem::replace(&mut self.critical, critical);
        let [before, now] = [before, critical].map(|critical| critical.map_or(1.0, |c| c.time_step));
        let change_per_step = (now / before).ln().abs() / f64::from(self.since_refresh);
        let tolerable = (TOLERATED_CHANGE / change_per_step) as u32;
        self.interval = tolerable.min(2 * self.interval).clamp(1, MAX_INTERVAL);
        self.since_refresh = 0;
    }

    /// Largest stable step of the elements and the added contact frequency.
    ///
    /// ω² ≤ ω_elements² + ω_contact², dt ≤ 2/ω.
    pub(super) fn stable_step(&self, contact_frequency_squared: f64, fastest_rigid: f64) -> f64 {
        shortest(&self.limits(contact_frequency_squared, fastest_rigid)).1
    }

    /// Limits of a stable step, with the longest step that each allows \[s\].
    pub(super) fn limits(&self, contact_frequency_squared: f64, fastest_rigid: f64) -> [(StepLimit, f64); 5] {
        let elements = self.critical_step().unwrap_or(f64::INFINITY);
        let frequency_squared = (2.0 / elements).powi(2) + contact_frequency_squared;
        let contact = CONTACT_SAFETY * 2.0 / frequency_squared.sqrt();
        [
            (StepLimit::Elements, self.safety * elements),
            (if contact_frequency_squared > 0.0 { StepLimit::Contact } else { StepLimit::Elements }, contact),
            (StepLimit::RigidMotion, self.rigid_travel / fastest_rigid),
            (StepLimit::ContactSprings, self.stiff_spring),
            (StepLimit::Rest, self.resting_contact),
        ]
    }
}

/// The first of the shortest limits \[s\].
pub(super) fn shortest(limits: &[(StepLimit, f64)]) -> (StepLimit, f64) {
    let none = (StepLimit::Scenario, f64::INFINITY);
    limits.iter().fold(none, |least, limit| if limit.1 < least.1 { *limit } else { least })
}

/// Sets the step to the stable step \[s\] if it must shrink or can grow by [`MIN_GROWTH`].
pub(super) fn keep_or_take(step: &mut f64, stable: f64) {
    if !(step.is_finite() && stable >= *step && stable <= MIN_GROWTH * *step) {
        *step = stable;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The interval between computations doubles up to its limit while the critical step is constant. A change by a
    /// tenth in ten steps (ln 0.9/10 = −0.0105 per step, 0.05 in four steps) gives an interval of four; an
    /// invalidation resets it to one.
    #[test]
    fn the_critical_step_is_computed_as_often_as_it_changes() {
        let mut control = StepControl::new(StepSize::Auto, 0.8, [f64::INFINITY; 3]);
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
}
