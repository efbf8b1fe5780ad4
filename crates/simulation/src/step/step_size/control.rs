//! Limits of the step, and data kept between steps for the choice of the step.

use ictus_core::clone_by_field;
use serde::{Deserialize, Serialize};

use crate::dynamics::{CriticalStep, Shape};
use crate::scenario::StepSize;

use crate::progress::StepLimit;

/// Largest number of steps between two computations of the critical step.
const MAX_INTERVAL: u32 = 50;

/// Tolerated strain of the elements, and tolerated relative change of the critical step, from one computation of the
/// critical step to the next \[-\]. The default step, 20 % below the critical step, remains stable within this
/// tolerance.
const TOLERATED_CHANGE: f64 = 0.05;

/// Largest ratio of the stable step to the time step at which the time step is kept. Frequent changes cost accuracy.
const MIN_GROWTH: f64 = 1.1;

/// Largest relative difference at which two step lengths count as equal. Forces for one length are then valid for the
/// other.
const STEP_TOLERANCE: f64 = 1e-12;

/// Largest step, relative to the joint stability limit of elements and contacts \[-\].
const CONTACT_SAFETY: f64 = 0.95;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StepControl {
    pub(super) size: StepSize,
    pub(super) safety: f64,
    pub(super) critical: Option<CriticalStep>,
    /// Largest travel of a node of a rigid body in a step \[m\].
    pub(super) rigid_travel: f64,
    /// Largest step for nodes whose contacts open and close on stiff springs \[s\].
    pub(super) stiff_spring: f64,
    /// Largest step in a model of rigid bodies \[s\], which bounds the penetration of bodies at rest.
    pub(super) resting_contact: f64,
    /// Number of steps between two computations of the critical step.
    pub(super) interval: u32,
    pub(super) since_refresh: u32,
    pub(super) time_step: f64,
    pub(super) regular_step: f64,
    /// Step dt in the spring stiffness κ ∝ m/dt² \[s\].
    pub(super) spring_step: f64,
    pub(super) committed: Option<CommittedStep>,
    /// Whether the current step differs in length from the step for which the discrete-gradient forces were computed.
    pub(super) differs_from_committed: bool,
    /// Largest step that the caller allows \[s\]. It does not shorten a step for whose length discrete-gradient forces
    /// were computed before the caller set this limit.
    pub(super) longest: f64,
    pub(super) first: Option<f64>,
    pub(super) preferred: f64,
    /// Limit that determines the length of a step, if no event cuts the step. Events are output times, impacts and
    /// breaks of driving functions.
    pub(super) limit: StepLimit,
    /// Number of steps outside flight under each limit, in the order of [`StepLimit::ALL`].
    pub(super) limit_counts: [u64; StepLimit::ALL.len()],
    /// Time at the end of the last step that was cut to an impact \[s\].
    pub last_cut: f64,
    /// Deformation of each chunk of elements at the last computation of the critical step.
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

/// Length of the following step. Forces were computed for this length.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct CommittedStep {
    /// Length without the cut to an event and without the limit of the caller \[s\].
    pub(super) regular: f64,
    /// In seconds.
    pub(super) length: f64,
    pub(super) to: CommittedFor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum CommittedFor {
    /// Discrete-gradient contact forces. They conserve energy only in a step of the committed length.
    Contact,
    /// Tie forces. They are computed again for a step of another length.
    Ties,
}

/// Whether two lengths are equal up to rounding.
pub(crate) fn is_same_step(step: f64, other: f64) -> bool {
    (step - other).abs() <= STEP_TOLERANCE * other
}

impl CommittedStep {
    /// Whether the committed step, with or without the cut to an event, is at most `regular` \[s\]. A step committed
    /// for ties must also be at most the limit `longest` of the caller \[s\].
    pub(super) fn holds(&self, regular: f64, longest: f64) -> bool {
        let is_allowed = self.regular <= regular || self.length <= regular;
        is_allowed && (self.to == CommittedFor::Contact || self.length <= longest)
    }
}

impl StepControl {
    /// Limits: `rigid_travel` \[m\], `stiff_spring` \[s\], `resting_contact` \[s\].
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

    /// Length of the last step \[s\].
    pub fn time_step(&self) -> f64 {
        self.time_step
    }

    /// Length of the last step without cuts to an event or to the end time, and without the limit of the caller \[s\].
    pub fn regular_step(&self) -> f64 {
        self.regular_step
    }

    /// Step dt in the spring stiffness κ ∝ m/dt² \[s\], without cuts to events. In a model with deformable bodies,
    /// contact does not limit this step: the stiffness would otherwise depend on the order in which contacts begin. In
    /// a model of rigid bodies under gravity, the flight step and the guard against tunnelling do not limit this step.
    pub fn spring_step(&self) -> f64 {
        self.spring_step
    }

    pub fn differs_from_committed(&self) -> bool {
        self.differs_from_committed
    }

    /// Critical step at its last computation \[s\]; `None` before the first computation, and without deformable
    /// elements.
    pub fn critical_step(&self) -> Option<f64> {
        self.critical.map(|critical| critical.time_step)
    }

    /// Index of the element block among the blocks with internal forces, and index of the element in this block.
    pub fn critical_element(&self) -> Option<(usize, usize)> {
        self.critical.map(|critical| (critical.block, critical.element))
    }

    pub fn set_time_step(&mut self, time_step: f64) {
        self.time_step = time_step;
    }

    /// The critical step will be computed again before the next step.
    pub fn invalidate(&mut self) {
        self.interval = 0;
    }

    /// `change_of_shapes` is the strain of the elements since the last computation of the critical step \[-\].
    pub(super) fn is_due(&self, change_of_shapes: f64) -> bool {
        self.since_refresh >= self.interval || change_of_shapes > TOLERATED_CHANGE
    }

    /// Stores a new critical step, and derives the interval to its next computation from its rate of change.
    pub(super) fn renew(&mut self, critical: Option<CriticalStep>) {
        let before = std::mem::replace(&mut self.critical, critical);
        let [before, now] = [before, critical].map(|critical| critical.map_or(1.0, |c| c.time_step));
        let change_per_step = (now / before).ln().abs() / f64::from(self.since_refresh);
        let tolerable = (TOLERATED_CHANGE / change_per_step) as u32;
        self.interval = tolerable.min(2 * self.interval).clamp(1, MAX_INTERVAL);
        self.since_refresh = 0;
    }

    /// Largest step within all limits \[s\].
    ///
    /// The joint angular frequency satisfies ω² ≤ ω_elements² + ω_contact², and the stable step dt ≤ 2/ω.
    /// `contact_frequency_squared` is ω_contact² \[rad²/s²\]. `fastest_rigid` is the largest speed of a node of a rigid
    /// body \[m/s\].
    pub(super) fn stable_step(&self, contact_frequency_squared: f64, fastest_rigid: f64) -> f64 {
        shortest(&self.limits(contact_frequency_squared, fastest_rigid)).1
    }

    /// Limits, each with its longest step \[s\].
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

/// The limit with the shortest step; of equal limits, the first.
pub(super) fn shortest(limits: &[(StepLimit, f64)]) -> (StepLimit, f64) {
    let none = (StepLimit::Scenario, f64::INFINITY);
    limits.iter().fold(none, |least, limit| if limit.1 < least.1 { *limit } else { least })
}

/// Sets `step` to `stable` \[s\] if `step` must shrink, or can grow by a factor above [`MIN_GROWTH`].
pub(super) fn keep_or_take(step: &mut f64, stable: f64) {
    if !(step.is_finite() && stable >= *step && stable <= MIN_GROWTH * *step) {
        *step = stable;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// While the critical step is constant, the interval doubles up to its limit. A decrease by a tenth in ten steps is
    /// a change of ln 0.9/10 = −0.0105 per step. The sum of these changes remains below the tolerance of 0.05 for four
    /// steps.
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
