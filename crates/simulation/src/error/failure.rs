//! Failures that end a run early.

use std::fmt;

use crate::io::OutputError;

/// Failure of a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Numerical failure.
    #[error(transparent)]
    Numerical(#[from] NumericalFailure),
    /// The result could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// A numerical failure, with its cause, time and location.
#[derive(Clone, Debug, PartialEq)]
pub struct NumericalFailure {
    /// Cause.
    pub cause: FailureCause,
    /// Number of the failed step. For [`FailureCause::CollapsedStep`], number of the last completed step.
    pub step: u64,
    /// Time at the end of step `step` \[s\].
    pub time: f64,
    /// Length of the failed step \[s\].
    pub time_step: f64,
    /// The body in which the failure occurred, if any.
    pub body: Option<String>,
    /// The user's number of the element in which the failure occurred, if any.
    pub element: Option<u64>,
    /// Critical step at the time of the failure, if known \[s\].
    pub critical_step: Option<f64>,
}

/// Cause of a numerical failure.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FailureCause {
    /// An element is inverted. The value is its smallest ratio of current to reference volume at quadrature points.
    InvertedElement(f64),
    /// A force or position is not a finite number.
    NonFinite,
    /// The energy imbalance exceeds its tolerance in many consecutive steps, or is not finite.
    EnergyImbalance {
        /// Imbalance, relative to the largest energy so far \[-\].
        error: f64,
        /// Tolerated imbalance \[-\].
        tolerance: f64,
    },
    /// Dynamic relaxation has not brought the bodies to rest.
    NotAtRest {
        /// Kinetic energy relative to its peak \[-\].
        share: f64,
        /// Tolerated `share` \[-\].
        tolerance: f64,
    },
    /// The time step would fall below a millionth of the first step, or is not a number.
    CollapsedStep,
    /// The penetration of a node or edge into another body exceeds the search depth.
    Passage(Box<Passage>),
}

/// Loss of a contact whose penetration exceeds the search depth. The penetrating node or edge belongs to
/// [`NumericalFailure::body`].
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// The user's number of the penetrating node, or of the first node of an edge.
    pub node: u64,
    /// Name of the penetrated body.
    pub other: String,
    /// Penetration \[m\].
    pub depth: f64,
    /// Search depth of contact between the two bodies \[m\].
    pub deepest: f64,
}

impl std::error::Error for NumericalFailure {}

impl NumericalFailure {
    /// Remedy to suggest to the user.
    pub fn remedy(&self) -> &'static str {
        let too_long = self.critical_step.is_some_and(|critical| self.time_step > critical);
        match &self.cause {
            _ if too_long => {
                "the step exceeds the critical step and may be unstable: use time.step = \"auto\", or a smaller one"
            }
            FailureCause::InvertedElement(_) => {
                "refine the mesh there, or use a material that stiffens in compression"
            }
            FailureCause::NonFinite => "look for loads or expressions that are not finite",
            FailureCause::EnergyImbalance { .. } => {
                "lower `time.step`; with contact springs, lower contact.penalty or contact.stiffness"
            }
            FailureCause::NotAtRest { .. } => {
                "look in the last frame for a body that falls or slides and support it, or give a larger \
                 dynamic_relaxation.max_steps or tolerance"
            }
            FailureCause::CollapsedStep => "look for an element crushed flat in the last frame",
            FailureCause::Passage(_) => {
                "use larger faces or a stiffer material there; with contact springs, a larger contact.penalty or \
                 contact.stiffness; exclude from contact what is to be pierced"
            }
        }
    }
}

impl fmt::Display for NumericalFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            FailureCause::InvertedElement(jacobian) => {
                write!(f, "an element is inverted (volume ratio {jacobian:.3e})")?;
            }
            FailureCause::NonFinite => write!(f, "a nodal force or position is not finite")?,
            FailureCause::EnergyImbalance { error, tolerance } => {
                let [error, tolerance] = distinct_per_cents(*error, *tolerance);
                write!(
                    f,
                    "the energy imbalance, {error} % of the peak energy, exceeds `time.energy_tolerance` of \
                     {tolerance} %"
                )?;
            }
            FailureCause::NotAtRest { share, tolerance } => {
                let [share, tolerance] = distinct_per_cents(*share, *tolerance);
                write!(
                    f,
                    "dynamic relaxation has not brought the bodies to rest: their kinetic energy is {share} % of its \
                     peak, and has not stayed below {tolerance} %"
                )?;
            }
            FailureCause::CollapsedStep => write!(f, "the stable step has collapsed")?,
            FailureCause::Passage(passage) => {
                let Passage { node, other, depth, deepest } = passage.as_ref();
                write!(f, "node {node} has passed through `{other}`: its penetration is {depth:.3e} m, ")?;
                write!(f, "and the search depth of contact is {deepest:.3e} m,")?;
            }
        }
        write!(f, " in step {} at t = {:.9e} s", self.step, self.time)?;
        if let Some(body) = &self.body {
            write!(f, ", body `{body}`")?;
        }
        if let Some(element) = self.element {
            write!(f, ", element {element}")?;
        }
        if let Some(critical) = self.critical_step {
            let ratio = self.time_step / critical;
            write!(f, "; step {:.3e} s, {ratio:.2} times the critical step", self.time_step)?;
        }
        Ok(())
    }
}

/// Two fractions in per cent, with the fewest decimals from 4 to 12 at which they differ.
fn distinct_per_cents(first: f64, second: f64) -> [String; 2] {
    let texts = |decimals: usize| [first, second].map(|value| format!("{:.decimals$}", 100.0 * value));
    (4..12).map(texts).find(|[first, second]| first != second).unwrap_or_else(|| texts(12))
}
