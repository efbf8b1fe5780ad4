//! What ends a run before its time.

use std::fmt;

use crate::io::OutputError;

/// A run that ended before its time.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The numbers went wrong.
    #[error(transparent)]
    Numerical(#[from] NumericalFailure),
    /// The result could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// A numerical failure: what happened, when, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct NumericalFailure {
    /// What happened.
    pub cause: FailureCause,
    /// The step in which it did.
    pub step: u64,
    /// Time at the end of that step \[s\].
    pub time: f64,
    /// Size of that step \[s\].
    pub time_step: f64,
    /// The body concerned, if one is.
    pub body: Option<String>,
    /// The user's number of the element concerned, if one is.
    pub element: Option<u64>,
    /// The critical step at that time, if it is known: a longer one that was taken tells why \[s\].
    pub critical_step: Option<f64>,
}

/// What makes a run fail.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FailureCause {
    /// An element is inverted; the ratio of its current to its reference volume.
    InvertedElement(f64),
    /// A force or position is not a finite number.
    NonFinite,
    /// The imbalance of the energy, past the tolerance.
    EnergyImbalance {
        /// Imbalance over the largest energy so far \[-\].
        error: f64,
        /// Tolerance \[-\].
        tolerance: f64,
    },
    /// The stable step has become too small to reach the end of the run.
    CollapsedStep,
    /// A body has gone through another.
    Passage(Box<Passage>),
}

/// A contact that has been lost as it was pressed deeper than contact is looked for; the body that the failure names
/// is that of the node.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// The user's number of the node, of the first one of an edge.
    pub node: u64,
    /// Name of the body that it has gone into.
    pub other: String,
    /// How deep \[m\].
    pub depth: f64,
    /// Greatest depth at which there is contact between the two \[m\].
    pub deepest: f64,
}

impl std::error::Error for NumericalFailure {}

impl NumericalFailure {
    /// What to try.
    pub fn remedy(&self) -> &'static str {
        let too_long = self.critical_step.is_some_and(|critical| self.time_step > critical);
        match &self.cause {
            _ if too_long => "the step is not stable: use time.step = \"auto\", or a smaller one",
            FailureCause::InvertedElement(_) => {
                "refine the mesh there, or use a material that stiffens in compression"
            }
            FailureCause::NonFinite => "look for loads or expressions that are not finite",
            FailureCause::EnergyImbalance { .. } => {
                "a smaller time.step lowers the error, and of contact springs a smaller contact.penalty or \
                 contact.stiffness"
            }
            FailureCause::CollapsedStep => "look for an element crushed flat in the last frame",
            FailureCause::Passage(_) => {
                "larger faces or a stiffer material there hold more, and of contact springs a larger contact.penalty or \
                 contact.stiffness; what is to be pierced has to be left out of contact"
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
                    "the energy imbalance, {error} % of the peak energy, exceeds `time.energy_tolerance`, {tolerance} %"
                )?;
            }
            FailureCause::CollapsedStep => write!(f, "the stable step has collapsed")?,
            FailureCause::Passage(passage) => {
                let Passage { node, other, depth, deepest } = passage.as_ref();
                write!(f, "node {node} has gone through `{other}`: it is {depth:.3e} m deep, ")?;
                write!(f, "and contact is looked for to {deepest:.3e} m,")?;
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

/// Two fractions in per cent, with as many decimals, from 4 to 12, as make them differ.
fn distinct_per_cents(first: f64, second: f64) -> [String; 2] {
    let texts = |decimals: usize| [first, second].map(|value| format!("{:.decimals$}", 100.0 * value));
    (4..12).map(texts).find(|[first, second]| first != second).unwrap_or_else(|| texts(12))
}
