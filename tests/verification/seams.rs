//! Blocks without friction that slide from one slab to the next, in any size and position, rigid and of rubber.

use ictus::math::Vec3;

use crate::model::{RESPONSES, box_mesh, worst};
use crate::stage::{Actor, Motion, Placed, Placement, Stage};
use crate::variations::{Faults, of_rubber, variations};

/// Speed of the block \[m/s\].
const SLIDING: f64 = 0.5;

/// Bound on the change of the velocity, relative to this velocity, where no force acts along the slabs \[-\].
const ROUNDING: f64 = 1e-9;

/// Bound on the penetration of a block of rubber under sudden gravity \[m\].
const DEEPEST: f64 = 2e-5;

/// Two slabs with a seam between them.
#[derive(Clone, Copy, Debug)]
struct Seam {
    /// Distance by which the block starts nearer to the seam, for another phase of the seam in a step \[m\].
    phase: f64,
    /// Distance of the second slab below the first \[m\].
    lower: f64,
    /// Width of the slit between the slabs \[m\].
    slit: f64,
}

/// A block of `cells` cells per side that slides at 0.5 m/s over a seam. The edges of the block pass the seam after 0.2
/// and 0.6 s.
fn block_over_seam(seam: Seam, cells: usize, contact: &str) -> Stage {
    let Seam { phase, lower, slit } = seam;
    let block = Actor {
        at: Vec3::new(0.1 + phase, 0.03, 0.0),
        velocity: Vec3::new(SLIDING, 0.0, 0.0),
        ..Actor::new(box_mesh([0.6, -0.1, 0.0], [0.8, 0.1, 0.2], [cells; 3]))
    };
    let slab = |x: f64, z: f64| Actor {
        at: Vec3::new(x, 0.0, z),
        ..Actor::fixed(box_mesh([0.0, -0.5, -0.2], [1.0, 0.5, 0.0], [1, 1, 1]))
    };
    let actors = vec![block, slab(0.0, 0.0), slab(1.0 + slit, -lower)];
    Stage::new(0.8, contact.to_owned(), actors).heavy()
}

/// Four seams at three phases of a step: two level seams, a seam to a lower slab, and a slit.
const SEAMS: [Seam; 4] = [
    Seam { phase: 0.0, lower: 0.0, slit: 0.0 },
    Seam { phase: 1.3e-4, lower: 0.0, slit: 0.0 },
    Seam { phase: 2.9e-4, lower: 1e-6, slit: 0.0 },
    Seam { phase: 1.7e-4, lower: 0.0, slit: 2e-6 },
];

impl Seam {
    /// Largest relative change of the velocity of a block with a response \[-\]. With energy–momentum springs, nodes past
    /// the seam can hang over the lower slab or the slit. The block then leans on a rim, with its bottom tilted by the
    /// compression of the springs. By the conservation of energy, its velocity v changes at most by g h/v², with the sum
    /// h of the height between the slabs and of a `depth` \[m\] by which the nodes sink.
    fn largest_change(&self, response: &str, depth: f64) -> f64 {
        let height = self.lower + depth;
        let leans = response == "energy-momentum" && (self.lower > 0.0 || self.slit > 0.0);
        ROUNDING + if leans { 9.81 * height / (SLIDING * SLIDING) } else { 0.0 }
    }
}

/// Motion of a block over a seam.
#[derive(Default)]
struct OverSeam {
    /// Largest changes of the velocity relative to its initial value \[-\]: until the front edge reaches the seam, and in
    /// the whole motion.
    changes: [f64; 2],
    /// Largest penetration \[m\].
    depth: f64,
    /// Final position of the centre of the block along its path \[m\].
    end: f64,
}

impl OverSeam {
    fn of(placed: &mut Placed, seam: Seam) -> Result<Self, String> {
        let mut found = Self::default();
        placed.follow(|placed| {
            let Motion { velocity, centre, .. } = placed.motion(0);
            let change = worst([(velocity.x / SLIDING - 1.0).abs(), velocity.y.abs() / SLIDING]);
            let [reaching, whole] = &mut found.changes;
            *whole = worst([*whole, change]);
            if centre.x <= 0.9 + seam.phase {
                *reaching = *whole;
            }
            let depths = placed.simulation.constraints().iter().map(|contact| -contact.gap);
            found.depth = depths.fold(found.depth, f64::max);
            found.end = centre.x;
        })?;
        Ok(found)
    }

    /// Whether the block passed the seam and its velocity changed by at most `within`, and by rounding until its front
    /// edge reached the seam.
    fn is_uniform(&self, within: f64) -> bool {
        let [reaching, whole] = self.changes;
        reaching < ROUNDING && whole < within && self.end > 1.19
    }
}

/// Goal: with every response, a rigid block slides over the seam between two slabs as over one slab, with a velocity
/// constant to 1e-9, for every size and position. Tolerance at rims: [`Seam::largest_change`].
#[test]
fn sliding_over_seams_is_uniform() {
    let mut faults = Faults::default();
    for (name, placement) in [("plain", Placement::plain())].into_iter().chain(variations(0.2)) {
        for response in RESPONSES {
            for seam in SEAMS {
                let stage = block_over_seam(seam, 1, &format!("response = \"{response}\"\n"));
                let label = format!("{name}, {response}, {seam:?}");
                let found = OverSeam::of(&mut stage.placed(placement), seam);
                let Some(found) = faults.take(&label, found) else { continue };
                let OverSeam { changes, end, .. } = found;
                println!("{label}: {changes:?}");
                let holds = found.is_uniform(seam.largest_change(response, 0.0));
                faults.hold(holds, || format!("{label}: {changes:?}, ends at {end}"));
            }
        }
    }
    faults.are_none();
}

/// Goal: a block of stiff rubber also slides over these seams with a constant velocity. All surfaces in contact are
/// level, so no contact force acts along the floor. Tolerance at rims: [`Seam::largest_change`].
#[test]
fn rubber_blocks_slide_uniformly_over_seams() {
    let mut faults = Faults::default();
    for response in RESPONSES {
        for seam in SEAMS {
            let stage = block_over_seam(seam, 2, &format!("response = \"{response}\"\n"));
            let label = format!("{response}, {seam:?}, of rubber");
            let stage = Stage { safety: 0.5, ..of_rubber(stage, 1e7) };
            let Some(found) = faults.take(&label, OverSeam::of(&mut stage.plain(), seam)) else { continue };
            let OverSeam { changes, depth, end } = found;
            println!("{label}: {changes:?}, depth {depth:.1e}");
            let holds = depth < DEEPEST && found.is_uniform(seam.largest_change(response, DEEPEST));
            faults.hold(holds, || format!("{label}: {changes:?}, depth {depth:e}, ends at {end}"));
        }
    }
    faults.are_none();
}
