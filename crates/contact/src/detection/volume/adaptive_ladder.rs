//! Selection of the rungs of a ladder that save time, by their exclusion statistics.
//!
//! The ladder omits a rung k whose cost C_k per tested pair, fits included, exceeds its saving:
//!
//! ```text
//! C_k > (1 − a_k) ΣC
//! ```
//!
//! a_k is the fraction of the tested pairs that the rung does not exclude. ΣC is the cost per pair of all following
//! rungs in use and of the distance computation. The costs are constants from a benchmark, so the selection is
//! identical in every run.

use super::ladder::{LadderTally, VolumeKind};

/// Number of pairs that a rung must have tested before its evaluation.
const TRIALS: u64 = 1000;
/// Number of pairs after which all rungs are tried again.
const TERM: u64 = 200_000;
/// Cost of computing the distance of a node from a curved face \[ns\].
const DISTANCE: f64 = 200.0;

impl VolumeKind {
    /// Cost of a test and cost of a fit \[ns\].
    fn costs(self) -> [f64; 2] {
        match self {
            Self::Sphere => [1.5, 0.0],
            Self::Aabb => [1.5, 8.0],
            Self::Dop8 => [1.7, 13.0],
            Self::Dop14 => [3.0, 27.0],
            Self::Dop18 => [4.0, 33.0],
            Self::Dop26 => [6.0, 44.0],
            Self::Obb => [16.0, 115.0],
        }
    }
}

/// A ladder without the rungs that cost more time than they save.
#[derive(Clone, Debug)]
pub struct AdaptiveLadder {
    rungs: Vec<VolumeKind>,
    paying: Vec<VolumeKind>,
    tally: LadderTally,
    is_fixed: bool,
}

impl AdaptiveLadder {
    /// A ladder that uses all rungs until they are evaluated.
    pub fn new(rungs: &[VolumeKind]) -> Self {
        Self { rungs: rungs.to_vec(), paying: rungs.to_vec(), tally: LadderTally::default(), is_fixed: false }
    }

    /// A ladder that always uses all rungs.
    pub fn fixed(rungs: &[VolumeKind]) -> Self {
        Self { is_fixed: true, ..Self::new(rungs) }
    }

    /// The rungs in use, loosest first.
    pub fn paying(&self) -> &[VolumeKind] {
        &self.paying
    }

    /// Adds the statistics since the previous call, and selects the rungs anew. A fixed ladder does not change.
    pub fn learn(&mut self, tally: LadderTally) {
        if tally.pairs == 0 || self.is_fixed {
            return;
        }
        self.tally += tally;
        if self.tally.pairs > TERM {
            self.tally = LadderTally::default();
        }
        let mut later = DISTANCE;
        self.paying.clear();
        for &rung in self.rungs.iter().rev() {
            let done = self.tally.rungs[rung as usize];
            let [test, fit] = rung.costs();
            let cost = test * done.tested as f64 + fit * done.fitted as f64;
            if done.tested < TRIALS || cost <= later * done.excluded as f64 {
                later += if done.tested > 0 { cost / done.tested as f64 } else { test };
                self.paying.push(rung);
            }
        }
        self.paying.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::volume::ladder::RungTally;

    const RUNGS: [VolumeKind; 2] = [VolumeKind::Sphere, VolumeKind::Obb];

    fn tally(sphere: RungTally, oriented: RungTally) -> LadderTally {
        let mut tally = LadderTally { pairs: sphere.tested, ..LadderTally::default() };
        tally.rungs[VolumeKind::Sphere as usize] = sphere;
        tally.rungs[VolumeKind::Obb as usize] = oriented;
        tally
    }

    /// With one fit per two tests, an oriented box costs 16 + 115/2 = 73.5 ns per test. To save time against the
    /// distance computation (200 ns), it must exclude the fraction 0.3675 of the pairs. A sphere costs 1.5 ns and can
    /// save 73.5 + 200 = 273.5 ns, so it must exclude the fraction 0.0055.
    #[test]
    fn rungs_that_save_less_than_they_cost_are_left_out() {
        let tested = |tested, excluded, fitted| RungTally { tested, excluded, fitted };
        let paying_after = |sphere, oriented| {
            let mut ladder = AdaptiveLadder::new(&RUNGS);
            ladder.learn(tally(sphere, oriented));
            ladder.paying().to_vec()
        };
        assert_eq!(paying_after(tested(10_000, 55, 0), tested(2000, 736, 1000)), RUNGS);
        assert_eq!(paying_after(tested(10_000, 54, 0), tested(2000, 736, 1000)), RUNGS[1..]);
        assert_eq!(paying_after(tested(10_000, 100, 0), tested(2000, 734, 1000)), RUNGS[..1]);
        // Without the box, the sphere can save only 200 ns.
        assert_eq!(paying_after(tested(10_000, 74, 0), tested(2000, 734, 1000)), []);
        assert_eq!(paying_after(tested(999, 0, 0), tested(999, 0, 999)), RUNGS);
    }

    #[test]
    fn rungs_that_were_left_out_are_tried_again() {
        let mut ladder = AdaptiveLadder::new(&RUNGS);
        let useless = RungTally { tested: 2000, excluded: 0, fitted: 100 };
        ladder.learn(tally(useless, useless));
        assert_eq!(ladder.paying(), []);
        let mut listings = 1;
        while ladder.paying().is_empty() {
            ladder.learn(LadderTally { pairs: 2000, ..LadderTally::default() });
            listings += 1;
        }
        assert_eq!((listings, ladder.paying()), (TERM / 2000 + 1, RUNGS.as_slice()));
    }
}
