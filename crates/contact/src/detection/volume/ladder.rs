//! Exclusion of leaf pairs by a ladder of bounding volumes of increasing tightness.
//!
//! The rungs test a pair of leaves in order, until a rung excludes the pair (Aragón & Molinari 2014, §3.2). The sphere
//! of a leaf is given by the caller ([`Leaf::sphere`]). All other volumes are fitted on first use and kept until
//! [`LeafVolumes::invalidate`].

use std::ops::AddAssign;

use ictus_core::vocabulary;

use super::aabb::Aabb;
use super::dop::{Dop8, Dop14, Dop18, Dop26};
use super::obb::{Obb, ObbExclusion};
use super::sphere::Sphere;
use crate::math::Vec3;
use crate::math::vectorised::Vectorised;

vocabulary! {
    /// Kind of a bounding volume, a rung of the ladder.
    #[derive(Hash)]
    #[non_exhaustive]
    pub enum VolumeKind {
        /// The given sphere of the leaf ([`Leaf::sphere`]), enlarged by the margin.
        Sphere = "sphere",
        /// Axis-aligned box.
        Aabb = "aabb",
        /// Polytope of 8 sides in the plane z = 0.
        Dop8 = "dop8",
        /// Polytope of 14 sides.
        Dop14 = "dop14",
        /// Polytope of 18 sides.
        Dop18 = "dop18",
        /// Polytope of 26 sides.
        Dop26 = "dop26",
        /// Oriented box, tested on 15 separating axes.
        Obb = "obb",
    }
}

/// Which pairs of leaves are tested on the ladder, and on which rungs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LadderUse {
    /// If one of two batches contains a curved face, the pairs of their leaves are tested on the rungs that save time.
    /// Other pairs are not tested.
    WhilePaying,
    /// All pairs are tested, on all rungs.
    Always,
}

/// Statistics of a rung.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RungTally {
    /// Number of pairs tested.
    pub tested: u64,
    /// Number of pairs excluded.
    pub excluded: u64,
    /// Number of volumes fitted.
    pub fitted: u64,
}

/// Statistics of a ladder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LadderTally {
    /// Number of pairs of leaves tested.
    pub pairs: u64,
    /// Statistics by kind of volume, in the order of [`VolumeKind`].
    pub rungs: [RungTally; VolumeKind::COUNT],
}

impl AddAssign for LadderTally {
    fn add_assign(&mut self, other: Self) {
        self.pairs += other.pairs;
        for (sum, rung) in self.rungs.iter_mut().zip(other.rungs) {
            sum.tested += rung.tested;
            sum.excluded += rung.excluded;
            sum.fitted += rung.fitted;
        }
    }
}

impl VolumeKind {
    /// Number of kinds.
    pub const COUNT: usize = Self::Obb as usize + 1;

    /// All kinds, in order.
    pub const ALL: [Self; Self::COUNT] =
        [Self::Sphere, Self::Aabb, Self::Dop8, Self::Dop14, Self::Dop18, Self::Dop26, Self::Obb];

    /// Name in scenarios and summaries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sphere => "sphere",
            Self::Aabb => "aabb",
            Self::Dop8 => "dop8",
            Self::Dop14 => "dop14",
            Self::Dop18 => "dop18",
            Self::Dop26 => "dop26",
            Self::Obb => "obb",
        }
    }
}

/// A leaf at the current positions of its nodes.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<'a> {
    /// Number of the leaf within its [`LeafVolumes`].
    pub index: usize,
    /// Ball that contains the points, without the margin.
    pub sphere: Sphere,
    /// Points whose hull contains the leaf; the nodes of a linear face in cyclic order.
    pub points: &'a [Vec3],
    /// Margin by which all volumes of the leaf are enlarged \[m\].
    pub margin: f64,
}

/// Volumes of one kind, one per leaf, each with the value of `LeafVolumes::stamp` at its fit.
#[derive(Clone, Debug)]
struct Cache<V> {
    entries: Vec<Option<(u64, V)>>,
    num_fitted: u64,
}

impl<V: Copy> Cache<V> {
    fn new(num_leaves: usize, wanted: bool) -> Self {
        Self { entries: vec![None; if wanted { num_leaves } else { 0 }], num_fitted: 0 }
    }

    /// The volume of a leaf, fitted now if no volume with the stamp `stamp` is stored.
    #[inline]
    fn volume(&mut self, leaf: &Leaf<'_>, stamp: u64, fit: impl Fn(&[Vec3], f64) -> V) -> V {
        let entry = &mut self.entries[leaf.index];
        match entry {
            Some((fitted, volume)) if *fitted == stamp => *volume,
            _ => {
                self.num_fitted += 1;
                entry.insert((stamp, fit(leaf.points, leaf.margin))).1
            }
        }
    }
}

/// The ladder for the leaves of one or several trees. The leaves of all trees are numbered consecutively.
///
/// # Cost
/// The memory for the rungs in use is allocated once. Testing a pair allocates nothing.
#[derive(Clone, Debug)]
pub struct LeafVolumes {
    vectorised: Vectorised,
    ladder: Vec<VolumeKind>,
    stamp: u64,
    tally: LadderTally,
    boxes: Cache<Aabb>,
    dops8: Cache<Dop8>,
    dops14: Cache<Dop14>,
    dops18: Cache<Dop18>,
    dops26: Cache<Dop26>,
    oriented_boxes: Cache<Obb>,
}

impl LeafVolumes {
    /// A ladder for `num_leaves` leaves; the loosest rung comes first.
    pub fn new(ladder: &[VolumeKind], num_leaves: usize) -> Self {
        let wants = |kind| ladder.contains(&kind);
        Self {
            vectorised: Vectorised::detect(),
            ladder: ladder.to_vec(),
            stamp: 0,
            tally: LadderTally::default(),
            boxes: Cache::new(num_leaves, wants(VolumeKind::Aabb)),
            dops8: Cache::new(num_leaves, wants(VolumeKind::Dop8)),
            dops14: Cache::new(num_leaves, wants(VolumeKind::Dop14)),
            dops18: Cache::new(num_leaves, wants(VolumeKind::Dop18)),
            dops26: Cache::new(num_leaves, wants(VolumeKind::Dop26)),
            oriented_boxes: Cache::new(num_leaves, wants(VolumeKind::Obb)),
        }
    }

    /// Discards all fitted volumes, after a change of the positions or margins.
    pub fn invalidate(&mut self) {
        self.stamp += 1;
    }

    /// Index of the first rung that excludes the pair; `None` if the leaves may touch.
    pub fn excluded(&mut self, a: &Leaf<'_>, b: &Leaf<'_>) -> Option<usize> {
        self.tally.pairs += 1;
        (0..self.ladder.len()).find(|&rung| {
            let kind = self.ladder[rung];
            let excluded = self.excluded_by(kind, a, b);
            let done = &mut self.tally.rungs[kind as usize];
            done.tested += 1;
            done.excluded += u64::from(excluded);
            excluded
        })
    }

    /// Accumulated statistics of all rungs.
    pub fn tally(&self) -> LadderTally {
        let mut tally = self.tally;
        let fitted = [
            (VolumeKind::Aabb, self.boxes.num_fitted),
            (VolumeKind::Dop8, self.dops8.num_fitted),
            (VolumeKind::Dop14, self.dops14.num_fitted),
            (VolumeKind::Dop18, self.dops18.num_fitted),
            (VolumeKind::Dop26, self.dops26.num_fitted),
            (VolumeKind::Obb, self.oriented_boxes.num_fitted),
        ];
        for (kind, fitted) in fitted {
            tally.rungs[kind as usize].fitted = fitted;
        }
        tally
    }

    fn excluded_by(&mut self, kind: VolumeKind, a: &Leaf<'_>, b: &Leaf<'_>) -> bool {
        let stamp = self.stamp;
        match kind {
            VolumeKind::Sphere => {
                let [a, b] =
                    [a, b].map(|leaf| Sphere { radius: leaf.sphere.radius + leaf.margin, ..leaf.sphere });
                a.excludes(&b)
            }
            VolumeKind::Aabb => {
                let (a, b) = (self.boxes.volume(a, stamp, Aabb::fit), self.boxes.volume(b, stamp, Aabb::fit));
                a.excludes(&b)
            }
            VolumeKind::Dop8 => {
                let a = self.dops8.volume(a, stamp, Dop8::fit);
                a.excludes(&self.dops8.volume(b, stamp, Dop8::fit))
            }
            VolumeKind::Dop14 => {
                let a = self.dops14.volume(a, stamp, Dop14::fit);
                a.excludes(&self.dops14.volume(b, stamp, Dop14::fit))
            }
            VolumeKind::Dop18 => {
                let a = self.dops18.volume(a, stamp, Dop18::fit);
                a.excludes(&self.dops18.volume(b, stamp, Dop18::fit))
            }
            VolumeKind::Dop26 => {
                let a = self.dops26.volume(a, stamp, Dop26::fit);
                a.excludes(&self.dops26.volume(b, stamp, Dop26::fit))
            }
            VolumeKind::Obb => {
                let a = self.oriented_boxes.volume(a, stamp, Obb::fit);
                let b = self.oriented_boxes.volume(b, stamp, Obb::fit);
                self.vectorised.run(ObbExclusion([&a, &b]))
            }
        }
    }
}
