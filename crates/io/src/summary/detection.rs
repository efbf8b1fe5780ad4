//! Contact detection in the summary.

use serde::Serialize;

/// Operations and wall-clock times of contact detection. Here a level is a kind of operation; the levels are the fields
/// of [`DetectionCounts`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DetectionSummary {
    /// Number of operations at each level.
    pub counts: DetectionCounts,
    /// Wall-clock time spent at each level.
    pub seconds: DetectionSeconds,
    /// Mean wall-clock time of an operation at each level.
    pub cost: DetectionCost,
    /// Wall-clock time of all levels together \[s\].
    pub total_seconds: f64,
    /// Simulated times at which the detector did more than check whether a prediction, list or search is due \[s\].
    /// After the first contact, a time is added only while `operated_times` has fewer than 1000 entries.
    pub operated_times: Vec<f64>,
    /// Wall-clock times of detection in flight.
    pub flight: FlightDetection,
    /// Tests with each bounding volume of the ladder, from loose to tight.
    pub ladder: Vec<RungSummary>,
    /// Predictions of contact times in flight.
    pub predictions: Vec<Prediction>,
    /// The bounding hierarchies.
    pub hierarchies: Vec<HierarchySummary>,
}

/// Wall-clock times of detection in flight.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FlightDetection {
    /// Instants in flight at which the detector did more than check whether a prediction is due.
    pub instants: Vec<ActiveInstant>,
    /// Wall-clock time of detection, summed over `instants` \[s\].
    pub seconds: f64,
    /// Wall-clock time in which the hierarchies were built \[s\].
    pub construction_seconds: f64,
    /// `construction_seconds` / (`construction_seconds` + `seconds`) \[-\]; 0 if the divisor is zero.
    pub construction_share: f64,
}

/// An entry of [`FlightDetection::instants`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ActiveInstant {
    /// Simulated time \[s\].
    pub time: f64,
    /// Wall-clock time of detection at the instant and, in flight, until the next entry \[s\].
    pub seconds: f64,
    /// `seconds`, divided by the sum of `seconds` over all instants \[-\]; 0 if this sum is zero.
    pub share: f64,
}

impl FlightDetection {
    /// `instants`: for each instant, the simulated time \[s\] and the wall-clock time of detection \[s\].
    pub fn new(instants: impl Iterator<Item = (f64, f64)> + Clone, construction_seconds: f64) -> Self {
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let seconds = instants.clone().map(|(_, seconds)| seconds).sum();
        let instant =
            |(time, part): (f64, f64)| ActiveInstant { time, seconds: part, share: share(part, seconds) };
        Self {
            instants: instants.map(instant).collect(),
            seconds,
            construction_seconds,
            construction_share: share(construction_seconds, construction_seconds + seconds),
        }
    }
}

/// Tests with one bounding volume of the ladder.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RungSummary {
    /// Name of the volume.
    pub volume: String,
    /// Number of pairs of faces tested.
    pub tested: u64,
    /// Number of pairs of faces that the tests excluded.
    pub excluded: u64,
    /// Number of volumes fitted to faces.
    pub fitted: u64,
}

/// Number of operations at each level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DetectionCounts {
    /// Computations of the contact time of two spheres.
    pub trajectory: u64,
    /// Updates of bounding volumes.
    pub update: u64,
    /// Overlap tests of bounding volumes.
    pub overlap: u64,
    /// Closest-point problems, and computations of the time of impact of two faces.
    pub primitive: u64,
    /// Checks of the travel of bodies against the allowances of predictions and lists.
    pub monitor: u64,
}

/// Wall-clock time at each level \[s\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct DetectionSeconds {
    /// Computations of the contact time of two spheres.
    pub trajectory: f64,
    /// Updates of bounding volumes.
    pub update: f64,
    /// Overlap tests of bounding volumes.
    pub overlap: f64,
    /// Closest-point problems, and computations of the time of impact of two faces.
    pub primitive: f64,
    /// Checks of the travel of bodies against the allowances of predictions and lists.
    pub monitor: f64,
}

/// Mean wall-clock time of an operation at each level \[s\]; `None` for a level without operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct DetectionCost {
    /// Computation of the contact time of two spheres.
    pub trajectory: Option<f64>,
    /// Update of a bounding volume.
    pub update: Option<f64>,
    /// Overlap test of two bounding volumes.
    pub overlap: Option<f64>,
    /// Closest-point problem, or computation of the time of impact of two faces.
    pub primitive: Option<f64>,
    /// Check of the travel of a body against the allowances of predictions and lists.
    pub monitor: Option<f64>,
}

/// Operations and wall-clock time of contact detection at one level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectionLevel {
    /// Name of the level.
    pub name: &'static str,
    /// Number of operations, N.
    pub count: u64,
    /// Wall-clock time of all operations, N C \[s\].
    pub seconds: f64,
    /// Mean wall-clock time of an operation, C \[s\]; `None` without operations.
    pub cost: Option<f64>,
}

/// Prediction of the contact time of two bounding volumes in flight.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// Simulated time at which the prediction was made \[s\].
    pub asked_at: f64,
    /// Names of the bodies.
    pub bodies: [String; 2],
    /// Depth of each volume in its hierarchy; 0 for the root.
    pub depth: [u32; 2],
    /// Earliest possible contact time of the volumes, in simulated time \[s\]; infinite if the volumes never touch.
    pub time: f64,
}

/// Shape of the hierarchy of one body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HierarchySummary {
    /// Name of the body.
    pub body: String,
    /// Method by which the hierarchy was built.
    pub builder: String,
    /// Number of leaves.
    pub leaves: usize,
    /// Depth of the leaves.
    pub depth: DepthSummary,
    /// Sum of the volumes of the bounding spheres, without the spheres of the leaves \[m³\].
    pub sum_of_volumes: f64,
    /// Wall-clock time in which the hierarchy was built \[s\].
    pub build_seconds: f64,
}

/// Depth of the leaves of a hierarchy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct DepthSummary {
    /// Smallest depth.
    pub min: usize,
    /// Mean depth.
    pub mean: f64,
    /// Largest depth.
    pub max: usize,
}

impl DetectionSummary {
    /// The levels. The wall-clock times of the first four levels are the terms of the total time
    ///
    /// ```text
    /// T = N_t C_t + N_u C_u + N_v C_v + N_p C_p
    /// ```
    /// with the number N of operations and the mean time C of an operation. The indices mean t trajectory, u update,
    /// v overlap of volumes and p primitive. The equation has no term for the fifth level, the checks of the travel.
    ///
    /// # Source
    /// Aragón & Molinari 2014, eq. (19).
    pub fn levels(&self) -> [DetectionLevel; 5] {
        let Self { counts, seconds, cost, .. } = self;
        let level = |name, count, seconds, cost| DetectionLevel { name, count, seconds, cost };
        [
            level("trajectory", counts.trajectory, seconds.trajectory, cost.trajectory),
            level("update", counts.update, seconds.update, cost.update),
            level("overlap", counts.overlap, seconds.overlap, cost.overlap),
            level("primitive", counts.primitive, seconds.primitive, cost.primitive),
            level("travel bound", counts.monitor, seconds.monitor, cost.monitor),
        ]
    }
}

impl DetectionCost {
    /// Divides the time of each level by the number of operations at this level.
    pub fn new(counts: &DetectionCounts, seconds: &DetectionSeconds) -> Self {
        let mean = |seconds: f64, count: u64| (count > 0).then(|| seconds / count as f64);
        Self {
            trajectory: mean(seconds.trajectory, counts.trajectory),
            update: mean(seconds.update, counts.update),
            overlap: mean(seconds.overlap, counts.overlap),
            primitive: mean(seconds.primitive, counts.primitive),
            monitor: mean(seconds.monitor, counts.monitor),
        }
    }
}

impl DetectionSeconds {
    /// Sum over all levels \[s\].
    pub fn total(&self) -> f64 {
        let Self { trajectory, update, overlap, primitive, monitor } = self;
        trajectory + update + overlap + primitive + monitor
    }
}
