//! Search for partners in a list of spheres. The partner of a sphere A is the sphere B for which the joint sphere of A
//! and B is smallest.
//!
//! The list follows a space-filling curve. A run is a group of consecutive spheres. Branch and bound uses a box around
//! the centres of each run.

use crate::detection::volume::Sphere;
use crate::math::Vec3;

const RUN: usize = 8;
const FAN: usize = 4;

pub const NONE: u32 = u32::MAX;

/// Box around the centres of the spheres of a run, and least radius of these spheres.
#[derive(Clone, Copy, Debug)]
struct Run {
    low: Vec3,
    high: Vec3,
    least_radius: f64,
}

#[derive(Clone, Copy, Debug)]
pub struct Partner {
    /// Radius of the joint sphere \[m\].
    pub cost: f64,
    pub place: u32,
}

pub const NO_PARTNER: Partner = Partner { cost: f64::INFINITY, place: NONE };

/// Levels of boxes: around runs of spheres, then around runs of boxes of the level below, up to a single box.
#[derive(Debug, Default)]
pub struct Runs {
    levels: Vec<Vec<Run>>,
}

/// Replaces a removed sphere; its distance from every other sphere is infinite.
pub const REMOVED: Sphere =
    Sphere { centre: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY), radius: 0.0 };

impl Run {
    const EMPTY: Self = Self {
        low: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        high: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
        least_radius: f64::INFINITY,
    };

    fn include(&mut self, other: &Self) {
        self.low = self.low.inf(&other.low);
        self.high = self.high.sup(&other.high);
        self.least_radius = self.least_radius.min(other.least_radius);
    }

    fn of(sphere: &Sphere) -> Self {
        Self { low: sphere.centre, high: sphere.centre, least_radius: sphere.radius }
    }

    /// Lower bound on the radius of the joint sphere of `query` and any sphere of the run.
    ///
    /// # Source
    /// Omohundro 1989, ICSI TR-89-063, pruning of the best-partner search; here with boxes of the centres.
    #[inline]
    fn lower_bound(&self, query: &Sphere) -> f64 {
        let mut distance_squared = 0.0;
        for d in 0..3 {
            let outside = (self.low[d] - query.centre[d]).max(query.centre[d] - self.high[d]).max(0.0);
            distance_squared += outside * outside;
        }
        let joint = 0.5 * (distance_squared.sqrt() + (query.radius + self.least_radius));
        joint.max(query.radius.max(self.least_radius))
    }
}

impl Runs {
    pub fn rebuild(&mut self, spheres: &[Sphere]) {
        self.levels.resize_with(1, Vec::new);
        self.levels[0].clear();
        self.levels[0].extend(spheres.chunks(RUN).map(|run| {
            let mut bounds = Run::EMPTY;
            run.iter().for_each(|sphere| bounds.include(&Run::of(sphere)));
            bounds
        }));
        while let Some(lower) = self.levels.last()
            && lower.len() > 1
        {
            let upper = lower
                .chunks(FAN)
                .map(|run| {
                    let mut bounds = Run::EMPTY;
                    run.iter().for_each(|lower| bounds.include(lower));
                    bounds
                })
                .collect();
            self.levels.push(upper);
        }
    }

    pub fn widen(&mut self, place: u32, sphere: &Sphere) {
        let mut index = place as usize / RUN;
        for level in &mut self.levels {
            level[index].include(&Run::of(sphere));
            index /= FAN;
        }
    }

    /// The partner of the sphere at index `place`. Of several equally good partners, the search returns the first that
    /// it finds.
    pub fn nearest(&self, spheres: &[Sphere], place: u32) -> Partner {
        let query = &spheres[place as usize];
        let mut best = NO_PARTNER;
        for k in 1..RUN as u32 {
            consider(spheres, query, place ^ k, &mut best);
        }
        let mut own = place as usize / RUN;
        for (level, runs) in self.levels.iter().enumerate() {
            let first = own / FAN * FAN;
            for index in first..(first + FAN).min(runs.len()) {
                if index != own {
                    self.descend(spheres, query, (level, index), &mut best);
                }
            }
            own /= FAN;
        }
        best
    }

    /// Searches below a box. The depth of the recursion is at most the number of levels.
    fn descend(
        &self,
        spheres: &[Sphere],
        query: &Sphere,
        (level, index): (usize, usize),
        best: &mut Partner,
    ) {
        if self.levels[level][index].lower_bound(query) >= best.cost {
            return;
        }
        if level == 0 {
            for place in index * RUN..(index + 1) * RUN {
                consider(spheres, query, place as u32, best);
            }
            return;
        }
        let below = self.levels[level - 1].len();
        for child in index * FAN..((index + 1) * FAN).min(below) {
            self.descend(spheres, query, (level - 1, child), best);
        }
    }
}

#[inline]
fn consider(spheres: &[Sphere], query: &Sphere, place: u32, best: &mut Partner) {
    if let Some(sphere) = spheres.get(place as usize) {
        let cost = query.joint_radius(sphere);
        if cost < best.cost {
            *best = Partner { cost, place };
        }
    }
}
