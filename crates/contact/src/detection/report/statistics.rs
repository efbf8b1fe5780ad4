//! Counts and wall times of detection by stage, for the cost model of Aragón & Molinari 2014, eq. (19), plus a term for
//! displacement monitors:
//!
//! ```text
//! T = N_t C_t + N_u C_u + N_v C_v + N_p C_p + N_m C_m
//! ```
//!
//! T is the total wall time of detection, N the number of operations of a stage, and C the mean wall time of one of
//! these operations. Only whole stages are timed, because a reading of the clock costs about as much as an operation.

use std::time::Instant;

use crate::detection::volume::LadderTally;

/// Operations by stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageCounts {
    /// N_t: predictions of the time of contact of two spheres, and computations of inflated boxes.
    pub trajectory: u64,
    /// N_u: updated bounding volumes: all volumes of a hierarchy, or the refitted boxes of patches. For the detectors
    /// `Buckets` and `Sorting`, the number of sorts.
    pub update: u64,
    /// N_v: exclusion tests of bounding volumes and of near node–face pairs.
    pub overlap: u64,
    /// N_p: computations of closest points and of times of impact of faces.
    pub primitive: u64,
    /// N_m: monitored displacements, one per body and step.
    pub monitor: u64,
}

/// Wall time by stage \[s\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageSeconds {
    /// Predictions of times of contact, including their queue.
    pub trajectory: f64,
    /// Updates of bounding volumes.
    pub update: f64,
    /// Exclusion tests.
    pub overlap: f64,
    /// Closest points and times of impact.
    pub primitive: f64,
    /// Displacement monitors.
    pub monitor: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Trajectory,
    Update,
    Overlap,
    Primitive,
    Monitor,
}

/// A stopwatch that reads the clock only between stages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StageClock {
    stage: Stage,
    since: Instant,
}

impl StageClock {
    pub fn start(stage: Stage) -> Self {
        Self { stage, since: Instant::now() }
    }

    /// Adds the elapsed time to the current stage, and switches to `stage`.
    pub fn enter(&mut self, stage: Stage, seconds: &mut StageSeconds) {
        if stage != self.stage {
            let now = Instant::now();
            *seconds.of(self.stage) += (now - self.since).as_secs_f64();
            *self = Self { stage, since: now };
        }
    }

    pub fn stop(self, seconds: &mut StageSeconds) {
        *seconds.of(self.stage) += self.since.elapsed().as_secs_f64();
    }
}

impl StageSeconds {
    fn sum(&self) -> f64 {
        self.trajectory + self.update + self.overlap + self.primitive + self.monitor
    }

    fn of(&mut self, stage: Stage) -> &mut f64 {
        match stage {
            Stage::Trajectory => &mut self.trajectory,
            Stage::Update => &mut self.update,
            Stage::Overlap => &mut self.overlap,
            Stage::Primitive => &mut self.primitive,
            Stage::Monitor => &mut self.monitor,
        }
    }
}

/// A predicted time of contact of two bounding volumes, one of each body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Simulated time at which the prediction is made \[s\].
    pub predicted_at: f64,
    /// The two bodies.
    pub bodies: [u32; 2],
    /// Depth of the vertex of each volume in its hierarchy; 0 for the root.
    pub depth: [u32; 2],
    /// Lower bound on the time of contact of the two volumes \[s\].
    pub time: f64,
}

/// Statistics of a hierarchy at its build.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeStatistics {
    /// Body of the hierarchy.
    pub body: u32,
    /// Number of leaves, one per face.
    pub leaves: usize,
    /// Least depth of a leaf.
    pub min_depth: u32,
    /// Mean depth of the leaves.
    pub mean_depth: f64,
    /// Largest depth of a leaf.
    pub max_depth: u32,
    /// Sum of the volumes of the spheres of all inner vertices \[m³\].
    pub sum_of_volumes: f64,
    /// Wall time of the build \[s\].
    pub build_seconds: f64,
}

/// Statistics of a detector.
#[derive(Clone, Debug, Default)]
pub struct DetectionStatistics {
    /// Operations by stage.
    pub counts: StageCounts,
    /// Wall time by stage.
    pub seconds: StageSeconds,
    /// Simulated instants at which the detector was not idle \[s\]. After the first contact, instants are recorded only
    /// while the list has fewer than 1000 entries.
    pub operated_times: Vec<f64>,
    /// Wall time of detection at each instant in flight \[s\]. A step with an impact has two instants. The wall time of
    /// its face tests counts for the impact, and its remaining wall time for the start of the step.
    pub operated_seconds: Vec<f64>,
    /// Predictions of times of contact, made in flights.
    pub predictions: Vec<Prediction>,
    /// Tests of the ladder of bounding volumes.
    pub ladder: LadderTally,
    /// Statistics of the hierarchies.
    pub trees: Vec<TreeStatistics>,
}

const CAP_AFTER_CONTACT: usize = 1000;

impl DetectionStatistics {
    /// These statistics plus the counts, wall times and predictions of a second detector.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let (mut all, StageCounts { trajectory, update, overlap, primitive, monitor }) =
            (self.clone(), other.counts);
        all.counts.trajectory += trajectory;
        all.counts.update += update;
        all.counts.overlap += overlap;
        all.counts.primitive += primitive;
        all.counts.monitor += monitor;
        let StageSeconds { trajectory, update, overlap, primitive, monitor } = other.seconds;
        all.seconds.trajectory += trajectory;
        all.seconds.update += update;
        all.seconds.overlap += overlap;
        all.seconds.primitive += primitive;
        all.seconds.monitor += monitor;
        all.predictions.extend_from_slice(&other.predictions);
        all.predictions.sort_by(|a, b| a.predicted_at.total_cmp(&b.predicted_at));
        all
    }

    /// Assigns the wall time spent since the reading `seconds` to the new instants: those of `operated_times` after the
    /// first `count`. Without new instants, the time is added to the last instant. If there are two new instants, the
    /// second is an impact and receives the time of the primitive tests.
    pub(crate) fn close_instants(&mut self, count: usize, seconds: &StageSeconds) {
        let spent = self.seconds.sum() - seconds.sum();
        let of_impact = self.seconds.primitive - seconds.primitive;
        self.operated_seconds.resize(count, 0.0);
        match self.operated_times.len() - count {
            0 => {
                if let Some(last) = self.operated_seconds.last_mut() {
                    *last += spent;
                }
            }
            1 => self.operated_seconds.push(spent),
            _ => self.operated_seconds.extend([spent - of_impact, of_impact]),
        }
    }

    /// `touched`: whether the first contact has already occurred.
    pub(crate) fn operated(&mut self, time: f64, touched: bool) {
        if !touched || self.operated_times.len() < CAP_AFTER_CONTACT {
            self.operated_times.push(time);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_clock_gives_every_stage_its_time() {
        let pause = Duration::from_millis(4);
        let mut seconds = StageSeconds::default();
        let start = Instant::now();
        let mut clock = StageClock::start(Stage::Monitor);
        for stage in [Stage::Trajectory, Stage::Trajectory, Stage::Primitive, Stage::Trajectory] {
            clock.enter(stage, &mut seconds);
            sleep(pause);
        }
        clock.stop(&mut seconds);
        let whole = start.elapsed().as_secs_f64();
        let StageSeconds { trajectory, update, overlap, primitive, monitor } = seconds;
        assert!(trajectory >= 3.0 * pause.as_secs_f64() && primitive >= pause.as_secs_f64(), "{seconds:?}");
        assert!(update == 0.0 && overlap == 0.0 && monitor < trajectory, "{seconds:?}");
        assert!(trajectory + primitive + monitor <= whole, "{seconds:?} of {whole}");
    }
}
