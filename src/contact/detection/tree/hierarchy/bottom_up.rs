//! Greedy agglomeration: always merge the pair of live balls whose joint ball is the least.
//!
//! The joint radius is *reducible*: the joint of A with B ∪ C is no smaller than with B or with C. Hence two balls
//! that are each other's nearest partner stay so until they merge, whatever merges elsewhere, and merging all such
//! pairs at once gives the tree of the greedy method (but for ties) without its priority queue.

use rayon::prelude::*;

use super::nearest::{GONE, NO_PARTNER, NONE, Partner, Runs};
use crate::contact::detection::volume::Sphere;
use crate::math::Vec3;

/// Balls handled by one task at least.
const BALLS_PER_TASK: usize = 64;

/// Largest coordinate or radius whose square and cube stay finite.
const LARGEST_COMPARABLE: f64 = 1e100;

/// The live balls along a space-filling curve, with gaps where a ball was merged away.
struct Balls {
    spheres: Vec<Sphere>,
    /// Number of the cluster; `NONE` in a gap.
    numbers: Vec<u32>,
    partners: Vec<Partner>,
    num_live: usize,
    runs: Runs,
}

/// Merges of the spheres, given along a space-filling curve, into one tree: pairs of clusters, numbered as
/// [`super::topology::Topology::new`] has it.
///
/// # Cost
/// O(n log n) expected, O(n²) where sizes are graded so steeply that few pairs are mutual at a time. The result
/// does not depend on the number of threads.
/// # Source
/// Omohundro 1989, "Five balltree construction algorithms", ICSI TR-89-063, bottom-up algorithm; merging mutual
/// pairs after Walter et al. 2008, "Fast agglomerative clustering for rendering", §3.2, and Murtagh 1983.
pub fn merges(spheres: &[Sphere]) -> Vec<[u32; 2]> {
    let mut balls = Balls::new(spheres);
    let mut merges: Vec<[u32; 2]> = Vec::with_capacity(spheres.len() - 1);
    let mut seeking: Vec<u32> = (0..spheres.len() as u32).collect();
    let mut changed = vec![false; spheres.len()];
    while balls.num_live > 1 {
        balls.find_partners(&seeking);
        let num_before = merges.len();
        balls.merge_mutual(spheres.len() as u32, &mut merges, &mut changed);
        balls.num_live -= merges.len() - num_before;
        balls.list_seeking(&changed, &mut seeking);
        changed.fill(false);
        if 4 * balls.num_live < 3 * balls.spheres.len() {
            balls.close_gaps(&mut seeking);
            changed.truncate(balls.spheres.len());
        }
    }
    merges
}

impl Balls {
    fn new(spheres: &[Sphere]) -> Self {
        let mut spheres = spheres.to_vec();
        spheres.iter_mut().for_each(make_comparable);
        let mut runs = Runs::default();
        runs.rebuild(&spheres);
        let num_balls = spheres.len();
        Self {
            spheres,
            numbers: (0..num_balls as u32).collect(),
            partners: vec![NO_PARTNER; num_balls],
            num_live: num_balls,
            runs,
        }
    }

    fn find_partners(&mut self, seeking: &[u32]) {
        let found: Vec<Partner> = seeking
            .par_iter()
            .with_min_len(BALLS_PER_TASK)
            .map(|&place| self.runs.nearest(&self.spheres, place))
            .collect();
        for (&place, partner) in seeking.iter().zip(found) {
            self.partners[place as usize] = partner;
        }
    }

    /// Merges balls whose partner has no better partner itself, each into the place of the first of the two.
    ///
    /// The ball of least cost always qualifies, so that something merges even where costs are equal or rounded.
    fn merge_mutual(&mut self, num_leaves: u32, merges: &mut Vec<[u32; 2]>, changed: &mut [bool]) {
        for place in 0..self.spheres.len() {
            let Partner { cost, place: other } = self.partners[place];
            let other = other as usize;
            if self.numbers[place] == NONE
                || changed[place]
                || changed[other]
                || cost > self.partners[other].cost
            {
                continue;
            }
            let (low, high) = (place.min(other), place.max(other));
            merges.push([self.numbers[low], self.numbers[high]]);
            self.spheres[low] = self.spheres[low].joint(&self.spheres[high]);
            self.numbers[low] = num_leaves + merges.len() as u32 - 1;
            self.spheres[high] = GONE;
            self.numbers[high] = NONE;
            (changed[low], changed[high]) = (true, true);
            self.runs.widen(low as u32, &self.spheres[low]);
        }
    }

    /// Live balls that are new or whose partner is gone. The cost of a partner that is still there is still
    /// the least: new balls are no nearer than the older of the two they hold.
    fn list_seeking(&self, changed: &[bool], seeking: &mut Vec<u32>) {
        seeking.clear();
        seeking.extend((0..self.spheres.len() as u32).filter(|&place| {
            let partner = self.partners[place as usize].place;
            self.numbers[place as usize] != NONE && (changed[place as usize] || changed[partner as usize])
        }));
    }

    fn close_gaps(&mut self, seeking: &mut [u32]) {
        let mut moved_to = vec![NONE; self.spheres.len()];
        let mut kept = 0;
        for (place, moved_to) in moved_to.iter_mut().enumerate() {
            if self.numbers[place] == NONE {
                continue;
            }
            *moved_to = kept as u32;
            self.spheres[kept] = self.spheres[place];
            self.numbers[kept] = self.numbers[place];
            self.partners[kept] = self.partners[place];
            kept += 1;
        }
        self.spheres.truncate(kept);
        self.numbers.truncate(kept);
        self.partners.truncate(kept);
        for partner in &mut self.partners {
            partner.place = moved_to[partner.place as usize];
        }
        for place in seeking {
            *place = moved_to[*place as usize];
        }
        self.runs.rebuild(&self.spheres);
    }
}

/// Moves a sphere that no cost can be computed with to the origin, so that it takes part in the clustering.
fn make_comparable(sphere: &mut Sphere) {
    let comparable = sphere.centre.iter().chain([&sphere.radius]).all(|x| x.abs() < LARGEST_COMPARABLE);
    if !comparable {
        *sphere = Sphere { centre: Vec3::zeros(), radius: 0.0 };
    }
}
