//! Counts N and times of detection by stage: the cost model T = N_t C_t + N_u C_u + N_v C_v + N_p C_p of Aragón &
//! Molinari 2014, eq. (19). The term N_m C_m for displacement monitors is added.
//!
//! The mean cost C of an operation is the time of its stage divided by the number N of operations. Only whole stages
//! are timed, because a reading of the clock costs about as much as a single operation.

use std::time::Instant;

use crate::detection::volume::LadderTally;

/// Operations by stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageCounts {
    /// N_t: predicted times of contact of two spheres, and computed inflated boxes.
    pub trajectory: u64,
    /// N_u: updated bounding volumes. Each update counts all volumes of a hierarchy or of the patches of a body. For
    /// buckets, N_u is the number of sorts.
    pub update: u64,
    /// N_v: exclusion tests of bounding volumes and of near node–face pairs.
    pub overlap: u64,
    /// N_p: computed closest points and times of impact of faces.
    pub primitive: u64,
    /// N_m: monitored displacements, one per body and step.
    pub monitor: u64,
}

/// Wall time by stage \[s\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageSeconds {
    /// Predictions, including the queue.
    pub trajectory: f64,
    /// Updates.
    pub update: f64,
    /// Exclusion tests.
    pub overlap: f64,
    /// Closest points and times of impact.
    pub primitive: f64,
    /// Displacement monitors.
    pub monitor: f64,
}

/// A stage of detection that is counted and timed separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Level 1.
    Trajectory,
    /// Refits of trees.
    Update,
    /// Level 2.
    Overlap,
    /// Level 3.
    Primitive,
    /// Displacement monitors.
    Monitor,
}

/// A stopwatch that reads the clock only at the end of a stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StageClock {
    stage: Stage,
    since: Instant,
}

impl StageClock {
    /// Starts with this stage.
    pub fn start(stage: Stage) -> Self {
        Self { stage, since: Instant::now() }
    }

    /// Switches to `stage`, and adds the elapsed time to the current stage.
    pub fn enter(&mut self, stage: Stage, seconds: &mut StageSeconds) {
        if stage != self.stage {
            let now = Instant::now();
            *seconds.of(self.stage) += (now - self.since).as_secs_f64();
            *self = Self { stage, since: now };
        }
    }

    /// Adds the time of the last stage.
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

/// A predicted time of contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Time of the prediction \[s\].
    pub predicted_at: f64,
    /// The two bodies.
    pub bodies: [u32; 2],
    /// Depths of the two tree vertices of the prediction below their roots.
    pub depth: [u32; 2],
    /// Lower bound on the time of contact of the two bodies \[s\].
    pub time: f64,
}

/// Statistics of a hierarchy when it was built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeStatistics {
    /// Body of the hierarchy.
    pub body: u32,
    /// Leaves, one per face.
    pub leaves: usize,
    /// Least depth of a leaf.
    pub min_depth: u32,
    /// Mean depth of the leaves.
    pub mean_depth: f64,
    /// Largest depth of a leaf.
    pub max_depth: u32,
    /// Sum of the volumes of the inner spheres \[m³\].
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
    /// Instants at which the detector was not idle \[s\]. After the first contact, instants are recorded only while
    /// there are fewer than 1000.
    pub operated_times: Vec<f64>,
    /// Wall time of detection at the instants in flights \[s\]. The instant of an impact has the wall time of the face
    /// tests of this impact.
    pub operated_seconds: Vec<f64>,
    /// Predictions, made in flights.
    pub predictions: Vec<Prediction>,
    /// Tests of the ladder of bounding volumes.
    pub ladder: LadderTally,
    /// Hierarchies.
    pub trees: Vec<TreeStatistics>,
}

/// Largest length of the lists that would grow without bound after the first contact.
const CAP_AFTER_CONTACT: usize = 1000;

impl DetectionStatistics {
    /// These statistics plus the counts and wall times of a second detector. The predictions of both detectors are in
    /// chronological order.
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

    /// Assigns the wall time since the reading `seconds` to the new instants: all instants after the first `count`.
    /// Without new instants, the last instant receives the time. If there are two new instants, the second is an impact
    /// and receives the time of the primitive stage.
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

    /// Records an instant at which the detector works.
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

    /// The clock assigns each stage its own time, and the sum does not exceed the total time.
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
