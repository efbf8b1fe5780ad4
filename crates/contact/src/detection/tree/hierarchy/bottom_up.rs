//! Greedy agglomeration: repeatedly merges the closest two of all live balls.
//!
//! A ball is live until it is merged. The distance of two balls is the radius of their joint ball, the smallest ball
//! around both. This distance is *reducible*: the joint ball of B and C is at least as far from any ball A as the
//! nearer of B and C. Mutually nearest balls (each is the nearest of the other) therefore remain so until they merge.
//! To merge all mutually nearest pairs at once gives the tree of the greedy method, up to ties.

use rayon::prelude::*;

use super::nearest::{NO_PARTNER, NONE, Partner, REMOVED, Runs};
use crate::detection::volume::Sphere;
use crate::math::Vec3;

const BALLS_PER_TASK: usize = 64;

/// Upper bound on the |coordinates| and radii of balls; below it, squared distances and volumes are finite.
const LARGEST_COMPARABLE: f64 = 1e100;

/// The live balls, listed along a space-filling curve. When two balls merge, the joint ball takes the lower of their
/// two places in the lists, and the higher place becomes empty.
struct Balls {
    spheres: Vec<Sphere>,
    /// Number of each ball: k for leaf k of n leaves, n + k for the result of merge k; `NONE` at an empty place.
    numbers: Vec<u32>,
    partners: Vec<Partner>,
    num_live: usize,
    runs: Runs,
}

/// Merges the spheres into one tree, and returns the numbers of the two balls of each merge, for
/// [`super::topology::Topology::from_merges`]. The spheres must follow a space-filling curve.
///
/// # Cost
/// For n spheres, O(n log n) expected; O(n²) if only a few pairs are mutually nearest at a time. The result does not
/// depend on the number of threads.
///
/// # Source
/// Omohundro 1989, "Five balltree construction algorithms", ICSI TR-89-063, bottom-up algorithm; merging of mutual
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

    /// Merges all mutually nearest pairs. The joint ball takes the lower place of the pair.
    ///
    /// The pair with the least distance (`cost`) is always mutually nearest, so every round merges a pair.
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
            self.spheres[high] = REMOVED;
            self.numbers[high] = NONE;
            (changed[low], changed[high]) = (true, true);
            self.runs.widen(low as u32, &self.spheres[low]);
        }
    }

    /// Lists the live balls that are new or have lost their partner. All other balls keep their partner.
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

/// Replaces a sphere by a point at the origin if a number is NaN or its magnitude reaches `LARGEST_COMPARABLE`.
pub(super) fn make_comparable(sphere: &mut Sphere) {
    let comparable = sphere.centre.iter().chain([&sphere.radius]).all(|x| x.abs() < LARGEST_COMPARABLE);
    if !comparable {
        *sphere = Sphere { centre: Vec3::zeros(), radius: 0.0 };
    }
}
