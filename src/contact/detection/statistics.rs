//! Counts and times of detection by stage: the cost model T = N_t C_t + N_u C_u + N_v C_v + N_p C_p of Aragón &
//! Molinari 2014, eq. (19).

/// Operations by stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageCounts {
    /// Predicted times of contact of two spheres, N_t.
    pub trajectory: u64,
    /// Hierarchies brought up to date, N_u.
    pub update: u64,
    /// Exclusion tests of bounding volumes, N_v.
    pub overlap: u64,
    /// Closest points and times of impact of faces, N_p.
    pub primitive: u64,
}

/// Wall time by stage \[s\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageSeconds {
    /// Of predictions, with the queue they feed.
    pub trajectory: f64,
    /// Of updates.
    pub update: f64,
    /// Of exclusion tests.
    pub overlap: f64,
    /// Of closest points and times of impact.
    pub primitive: f64,
}

/// A predicted time of contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// When the engine made it \[s\].
    pub asked_at: f64,
    /// The two bodies.
    pub bodies: [u32; 2],
    /// Depth below the root of the two tree vertices it is made from.
    pub depth: [u32; 2],
    /// No contact of the two bodies before \[s\].
    pub time: f64,
}

/// A hierarchy as it was built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeStatistics {
    /// Body it bounds.
    pub body: u32,
    /// Leaves, one a face.
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

/// Everything a detector reports of its work.
#[derive(Clone, Debug, Default)]
pub struct DetectionStatistics {
    /// Operations by stage.
    pub counts: StageCounts,
    /// Wall time by stage.
    pub seconds: StageSeconds,
    /// Instants at which the detector was not idle \[s\]; capped once bodies have touched.
    pub operated_times: Vec<f64>,
    /// Predictions; capped once bodies have touched.
    pub predictions: Vec<Prediction>,
    /// Hierarchies.
    pub trees: Vec<TreeStatistics>,
}

/// Entries kept of a list that grows without end once bodies touch.
const CAP_AFTER_CONTACT: usize = 1000;

impl DetectionStatistics {
    /// Notes an instant at which the detector works.
    pub(super) fn operated(&mut self, time: f64, touched: bool) {
        if !touched || self.operated_times.len() < CAP_AFTER_CONTACT {
            self.operated_times.push(time);
        }
    }
}
