//! Cost of detection in a summary: operations, times, predictions and hierarchies.

use serde::Serialize;

/// Work of contact detection.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DetectionSummary {
    /// Operations by level.
    pub counts: DetectionCounts,
    /// Time by level.
    pub seconds: DetectionSeconds,
    /// Mean time of an operation by level.
    pub cost: DetectionCost,
    /// Time of all levels, the sum of counts times costs \[s\].
    pub total_seconds: f64,
    /// Instants at which the detector was not idle \[s\]. After the first contact, instants are added only until the
    /// list has 1000 entries.
    pub operated_times: Vec<f64>,
    /// Times of detection in flight.
    pub flight: FlightDetection,
    /// Tests of the ladder of bounding volumes, by volume.
    pub ladder: Vec<RungSummary>,
    /// Predictions of the time of contact, made in flights.
    pub predictions: Vec<Prediction>,
    /// The bounding hierarchies.
    pub hierarchies: Vec<HierarchySummary>,
}

/// Times of detection up to the first contact.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FlightDetection {
    /// Instants at which detection was not idle.
    pub instants: Vec<ActiveInstant>,
    /// Wall-clock time of detection at these instants \[s\].
    pub seconds: f64,
    /// Wall-clock time of the construction of the hierarchies \[s\].
    pub construction_seconds: f64,
    /// Time of construction divided by the time of construction and detection together; 0 if nothing was measured.
    pub construction_share: f64,
}

/// An instant at which detection was not idle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ActiveInstant {
    /// The instant \[s\].
    pub time: f64,
    /// Wall-clock time of detection at the instant \[s\].
    pub seconds: f64,
    /// Share of the instant in the detection time of all instants.
    pub share: f64,
}

impl FlightDetection {
    /// From pairs of an instant and the wall-clock time of detection at this instant, and from the wall-clock time of
    /// construction \[s\].
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

/// Tests of one volume of the ladder.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RungSummary {
    /// Name of the volume.
    pub volume: String,
    /// Pairs of faces tested.
    pub tested: u64,
    /// Pairs excluded.
    pub excluded: u64,
    /// Volumes fitted.
    pub fitted: u64,
}

/// Number of operations by level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DetectionCounts {
    /// Contact times of two spheres.
    pub trajectory: u64,
    /// Updates of bounding volumes.
    pub update: u64,
    /// Overlap tests of bounding volumes.
    pub overlap: u64,
    /// Closest-point problems, and times of impact of faces.
    pub primitive: u64,
    /// Travel bounds: checks of the motion of bodies against the margins of predictions and lists.
    pub monitor: u64,
}

/// Wall-clock time by level \[s\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct DetectionSeconds {
    /// Contact times of two spheres.
    pub trajectory: f64,
    /// Updates of bounding volumes.
    pub update: f64,
    /// Overlap tests of bounding volumes.
    pub overlap: f64,
    /// Closest-point problems, and times of impact of faces.
    pub primitive: f64,
    /// Travel bounds: checks of the motion of bodies against the margins of predictions and lists.
    pub monitor: f64,
}

/// Mean wall-clock time of an operation by level \[s\]; `None` without operations, written as null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct DetectionCost {
    /// Contact time of two spheres.
    pub trajectory: Option<f64>,
    /// Update of a bounding volume.
    pub update: Option<f64>,
    /// Overlap test of two bounding volumes.
    pub overlap: Option<f64>,
    /// Closest-point problem, or time of impact of two faces.
    pub primitive: Option<f64>,
    /// Travel bound: check of the motion of a body against the margins of predictions and lists.
    pub monitor: Option<f64>,
}

/// Work of contact detection at one level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectionLevel {
    /// Name of the level.
    pub name: &'static str,
    /// Number of operations, N.
    pub count: u64,
    /// Total time, N C \[s\].
    pub seconds: f64,
    /// Mean time per operation, C \[s\].
    pub cost: Option<f64>,
}

/// Prediction for two bounding volumes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// Time of the prediction \[s\].
    pub asked_at: f64,
    /// Names of the bodies.
    pub bodies: [String; 2],
    /// Depth of each volume in its hierarchy; 0 for the root.
    pub depth: [u32; 2],
    /// Earliest possible contact time \[s\]; infinite for never, written as null.
    pub time: f64,
}

/// Shape of the hierarchy of one body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HierarchySummary {
    /// Name of the body.
    pub body: String,
    /// Name of the builder.
    pub builder: String,
    /// Number of leaves.
    pub leaves: usize,
    /// Depth of the leaves.
    pub depth: DepthSummary,
    /// Sum of the volumes of the bounding spheres \[m³\].
    pub sum_of_volumes: f64,
    /// Build time \[s\].
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
    /// Terms of the cost model T = N_t C_t + N_u C_u + N_v C_v + N_p C_p of Aragón & Molinari 2014, eq. (19), and the
    /// additional term `monitor` of the travel bounds.
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
    /// Mean times: times divided by counts.
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
    /// Total time of all levels \[s\].
    pub fn total(&self) -> f64 {
        let Self { trajectory, update, overlap, primitive, monitor } = self;
        trajectory + update + overlap + primitive + monitor
    }
}
