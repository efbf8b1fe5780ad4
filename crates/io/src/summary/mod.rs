//! `summary.json`: input and results of a run. Scripts read the file, so its field names are stable. A non-finite
//! number is `null`.

mod detection;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::atomic_write::atomic_write;
use crate::error::OutputError;
pub use detection::*;

/// Summary of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Version of the program.
    pub version: String,
    /// Path of the scenario.
    pub scenario: String,
    /// Title of the scenario.
    pub title: String,
    /// System of units of the scenario, such as `mm-t-s`, if the scenario names it.
    pub units: Option<String>,
    /// System of units that the materials indicate, if the scenario names none.
    pub inferred_units: Option<String>,
    /// Number of threads.
    pub threads: usize,
    /// How the run ended.
    pub status: Status,
    /// Cause of the failure, if the run failed.
    pub failure: Option<Failure>,
    /// The bodies, in the order of the scenario.
    pub bodies: Vec<BodySummary>,
    /// The rigid walls, in the order of the scenario.
    pub walls: Vec<WallSummary>,
    /// Number of completed steps, including steps in flight.
    pub steps: u64,
    /// Number of completed steps in flight.
    pub flight_steps: u64,
    /// For each limit of the step length, by its name in `steps.csv`: number of steps whose length this limit set. A
    /// limit that set no step length has no entry.
    pub step_limits: BTreeMap<&'static str, u64>,
    /// Number of steps of dynamic relaxation before the run; `None` without dynamic relaxation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relaxation_steps: Option<u64>,
    /// Start and end of the run in simulated time.
    pub time: TimeSpan,
    /// Simulated time of the checkpoint from which the run continued \[s\]; `None` if the run began at its start.
    /// Detection counts and wall-clock times cover only the run after this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed_at: Option<f64>,
    /// Wall-clock time of each stage of the program.
    pub wall_seconds: TimingSummary,
    /// Operations and wall-clock times of contact detection.
    pub detection: DetectionSummary,
    /// First contact of each body pair that has touched, in chronological order.
    pub first_contacts: Vec<FirstContact>,
    /// Numbers of contact problems that were not solved exactly.
    pub contact: ContactSummary,
    /// Energy balance.
    pub energy: EnergySummary,
    /// Momentum balance.
    pub momentum: MomentumSummary,
    /// Results of the probes, in the order of the scenario.
    pub probes: Vec<ProbeSummary>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Status {
    /// The run reached its end time.
    Finished,
    /// The run stopped on a numerical failure.
    Failed,
    /// The user stopped the run.
    Interrupted,
}

/// Location and cause of a failure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// Error message.
    pub message: String,
    /// Number of the failed step. If the run failed because the stable time step became too small, number of the last
    /// completed step.
    pub step: u64,
    /// Time of the failure \[s\].
    pub time: f64,
    /// Name of the body concerned, if any.
    pub body: Option<String>,
    /// Gmsh tag of the element concerned, if any.
    pub element: Option<u64>,
}

/// One body of the model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BodySummary {
    /// Name in the scenario.
    pub name: String,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of elements.
    pub elements: usize,
    /// Number of faces in contact detection.
    pub faces: usize,
    /// Mass \[kg\].
    pub mass: f64,
    /// Critical step in the reference configuration \[s\]; infinite for a rigid body.
    pub critical_step: f64,
}

/// One rigid wall.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WallSummary {
    /// Name in the scenario.
    pub name: String,
    /// Position of a point of the plane at the start of the run \[m\].
    pub point: [f64; 3],
    /// Unit normal out of the wall.
    pub normal: [f64; 3],
    /// Mass \[kg\]; `None` for a wall that is fixed or has a prescribed velocity.
    pub mass: Option<f64>,
}

/// Results of a probe.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ProbeSummary {
    /// Name in the scenario.
    pub name: String,
    /// Number of samples of the probe.
    pub samples: usize,
    /// Filter of the probe, if any.
    pub filter: Option<String>,
    /// Largest acceleration, in multiples of standard gravity; `None` unless requested.
    pub peak: Option<PeakSummary>,
    /// Head injury criterion over intervals of at most 15 ms; `None` unless requested.
    pub hic15: Option<HeadInjurySummary>,
    /// Head injury criterion over intervals of at most 36 ms; `None` unless requested.
    pub hic36: Option<HeadInjurySummary>,
    /// Warnings about the probe.
    pub warnings: Vec<String>,
}

/// Largest value of a quantity, and the time at which the quantity has this value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PeakSummary {
    /// The value.
    pub value: f64,
    /// Time of the value \[s\].
    pub time: f64,
}

/// Value of a head injury criterion, and its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HeadInjurySummary {
    /// The value.
    pub value: f64,
    /// Start of the interval \[s\].
    pub start: f64,
    /// End of the interval \[s\].
    pub end: f64,
}

/// Simulated time \[s\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TimeSpan {
    /// Start of the run.
    pub start: f64,
    /// Time that the run reached.
    pub end: f64,
}

/// Wall-clock time by stage \[s\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TimingSummary {
    /// The whole run.
    pub total: f64,
    /// Reading the scenario and the meshes.
    pub read: f64,
    /// Overlap checks, and preparation of elements and contact.
    pub setup: f64,
    /// Building the hierarchies.
    pub hierarchy: f64,
    /// Contact detection.
    pub detection: f64,
    /// Contact response.
    pub response: f64,
    /// Internal forces.
    pub internal_force: f64,
    /// Computation of the critical steps.
    pub critical_step: f64,
    /// Predictor, corrector, momenta of the bodies, loads, supports and flight.
    pub integration: f64,
    /// Audit of energy and momentum.
    pub account: f64,
    /// Submission of output, and waiting for its completion.
    pub output: f64,
}

impl TimingSummary {
    /// Name and time of each stage. The sum of the times is slightly less than `total`.
    pub fn stages(&self) -> [(&'static str, f64); 10] {
        [
            ("read", self.read),
            ("setup", self.setup),
            ("hierarchy", self.hierarchy),
            ("detection", self.detection),
            ("response", self.response),
            ("internal force", self.internal_force),
            ("critical step", self.critical_step),
            ("integration", self.integration),
            ("account", self.account),
            ("output", self.output),
        ]
    }
}

/// First contact of two bodies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FirstContact {
    /// Names of the bodies.
    pub bodies: [String; 2],
    /// Time \[s\].
    pub time: f64,
    /// Position \[m\].
    pub point: [f64; 3],
    /// Unit normal, from the first body to the second.
    pub normal: [f64; 3],
    /// Speed of approach along the normal \[m/s\].
    pub normal_speed: f64,
}

/// Numbers of contact problems that were not solved exactly, summed over the steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ContactSummary {
    /// Groups of contacts whose impulses did not converge. The last iterate was applied, scaled such that it created no
    /// energy.
    pub unsolved_impulses: u64,
    /// Groups of contacts in which friction jammed some contacts. The jammed contacts had no restitution.
    pub jammed_restitutions: u64,
    /// Groups of contacts whose position corrections did not converge. The last iterate was applied.
    pub unsolved_projections: u64,
    /// Groups of coupled ties in which gaps between tied points remained at the end of a step.
    pub unmet_ties: u64,
    /// Steps in which the contact geometry at mid-step did not converge. The last iterate was applied.
    pub unconverged_geometries: u64,
}

/// Largest and final value of an error of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ErrorSummary {
    /// Maximum \[-\].
    pub largest: f64,
    /// Time of the maximum \[s\].
    pub time: f64,
    /// Final value \[-\].
    #[serde(rename = "final")]
    pub end: f64,
}

/// Energy balance. The errors are relative to `peak`. `HistoryRow` defines total energy, imbalance and net numerical
/// work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EnergySummary {
    /// Total energy at the start \[J\].
    pub initial: f64,
    /// Total energy at the end \[J\].
    #[serde(rename = "final")]
    pub end: f64,
    /// Strain energy at the end \[J\].
    pub strain: f64,
    /// Energy stored in hourglass control at the end \[J\].
    pub hourglass: f64,
    /// Energy dissipated by mass damping \[J\].
    pub mass_damping_dissipation: f64,
    /// Largest |imbalance| + |net numerical work| \[-\].
    pub largest_error: f64,
    /// Time of the largest error \[s\].
    pub largest_error_time: f64,
    /// Error at the end \[-\].
    pub final_error: f64,
    /// The term |imbalance| of the error.
    pub imbalance: ErrorSummary,
    /// The term |net numerical work| of the error.
    pub net_numerical_work: ErrorSummary,
    /// Largest value that any of these has in the run: kinetic energy, strain energy, energy stored in contacts,
    /// |external work| and rounding error of the energy \[J\].
    pub peak: f64,
}

/// Momentum balance. The total momentum must be equal to the sum of its initial value and the external impulse; the
/// error is the magnitude of the difference. Errors of the linear momentum are relative to `peak`, errors of the
/// angular momentum to `angular_peak`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MomentumSummary {
    /// Largest error of the linear momentum \[-\].
    pub largest_error: f64,
    /// Time of the largest error of the linear momentum \[s\].
    pub largest_error_time: f64,
    /// Error of the linear momentum at the end \[-\].
    pub final_error: f64,
    /// Largest momentum of a body or, if all bodies are always at rest, largest impulse of gravity, loads and supports
    /// in a step \[kg m/s\].
    pub peak: f64,
    /// Largest error of the angular momentum \[-\].
    pub largest_angular_error: f64,
    /// Time of the largest error of the angular momentum \[s\].
    pub largest_angular_error_time: f64,
    /// Error of the angular momentum at the end \[-\].
    pub final_angular_error: f64,
    /// Largest angular scale (defined below) of a body or, if all bodies are always at rest, largest external angular
    /// impulse in a step \[kg m²/s\].
    ///
    /// Angular scale of a deformable body: Σ |x| |m v| over its nodes, with position x, mass m and velocity v. Angular
    /// scale of a rigid body: |x| |m v| of its centre, plus the magnitude of the angular momentum about the centre.
    pub angular_peak: f64,
}

impl Summary {
    /// Writes or replaces `summary.json` in an existing directory.
    ///
    /// # Errors
    /// [`OutputError::File`].
    pub fn write(&self, directory: &Path) -> Result<(), OutputError> {
        atomic_write(&directory.join("summary.json"), |writer| {
            serde_json::to_writer_pretty(&mut *writer, self)?;
            writer.write_all(b"\n")
        })
    }
}
