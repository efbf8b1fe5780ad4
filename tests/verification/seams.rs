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

/// Largest change of the velocity on fine slabs that the README states, relative to this velocity \[-\].
const TILTED: f64 = 3e-4;

/// Two slabs with a seam between them.
#[derive(Clone, Copy, Debug)]
struct Seam {
    /// Distance by which the block starts nearer to the seam, for another phase of the seam in a step \[m\].
    phase: f64,
    /// Distance of the second slab below the first \[m\]; negative if the second slab is higher.
    lower: f64,
    /// Width of the slit between the slabs \[m\].
    slit: f64,
}

/// A block of `cells` cells per side that slides at 0.5 m/s over a seam between slabs of `slab` cells. The edges of the
/// block pass the seam after 0.2 and 0.6 s.
fn block_over_seam(seam: Seam, cells: usize, slab: [usize; 3], response: &str) -> Stage {
    let Seam { phase, lower, slit } = seam;
    let block = Actor {
        at: Vec3::new(0.1 + phase, 0.03, 0.0),
        velocity: Vec3::new(SLIDING, 0.0, 0.0),
        ..Actor::new(box_mesh([0.6, -0.1, 0.0], [0.8, 0.1, 0.2], [cells; 3]))
    };
    let slab_at = |x: f64, z: f64| Actor {
        at: Vec3::new(x, 0.0, z),
        ..Actor::fixed(box_mesh([0.0, -0.5, -0.2], [1.0, 0.5, 0.0], slab))
    };
    let actors = vec![block, slab_at(0.0, 0.0), slab_at(1.0 + slit, -lower)];
    Stage::new(0.8, format!("response = \"{response}\"\n"), actors).heavy()
}

/// Four seams at four phases of a step: two level seams, a seam to a lower slab, and a slit.
const SEAMS: [Seam; 4] = [
    Seam { phase: 0.0, lower: 0.0, slit: 0.0 },
    Seam { phase: 1.3e-4, lower: 0.0, slit: 0.0 },
    Seam { phase: 2.9e-4, lower: 1e-6, slit: 0.0 },
    Seam { phase: 1.7e-4, lower: 0.0, slit: 2e-6 },
];

/// Motion of a block over a seam.
#[derive(Default)]
struct OverSeam {
    /// Largest change of the velocity relative to its initial value \[-\].
    change: f64,
    /// Largest penetration \[m\].
    depth: f64,
    /// Final position of the centre of the block along its path \[m\].
    end: f64,
}

impl OverSeam {
    fn of(placed: &mut Placed) -> Result<Self, String> {
        let mut found = Self::default();
        placed.follow(|placed| {
            let Motion { velocity, centre, .. } = placed.motion(0);
            let change = worst([(velocity.x / SLIDING - 1.0).abs(), velocity.y.abs() / SLIDING]);
            found.change = worst([found.change, change]);
            let depths = placed.simulation.constraints().iter().map(|contact| -contact.gap);
            found.depth = depths.fold(found.depth, f64::max);
            found.end = centre.x;
        })?;
        Ok(found)
    }

    /// Whether the block passed the seam and its velocity is constant within rounding.
    fn is_uniform(&self) -> bool {
        self.change < ROUNDING && self.end > 1.19
    }
}

/// Goal: with every response, a rigid block slides over the seam between two slabs as over one slab, with a velocity
/// constant to 1e-9, for every size and position.
#[test]
fn sliding_over_seams_is_uniform() {
    let mut faults = Faults::default();
    for (name, placement) in [("plain", Placement::plain())].into_iter().chain(variations(0.2)) {
        for response in RESPONSES {
            for seam in SEAMS {
                let stage = block_over_seam(seam, 1, [1; 3], response);
                let label = format!("{name}, {response}, {seam:?}");
                let found = OverSeam::of(&mut stage.placed(placement));
                let Some(found) = faults.take(&label, found) else { continue };
                let OverSeam { change, end, .. } = found;
                println!("{label}: {change:.1e}");
                faults.hold(found.is_uniform(), || format!("{label}: {change:e}, ends at {end}"));
            }
        }
    }
    faults.are_none();
}

/// Goal: a block of stiff rubber also slides over these seams with a constant velocity. All surfaces in contact are
/// level, so no contact force acts along the floor.
#[test]
fn rubber_blocks_slide_uniformly_over_seams() {
    let mut faults = Faults::default();
    for response in RESPONSES {
        for seam in SEAMS {
            let stage = block_over_seam(seam, 2, [1; 3], response);
            let label = format!("{response}, {seam:?}, of rubber");
            let stage = Stage { safety: 0.5, ..of_rubber(stage, 1e7) };
            let Some(found) = faults.take(&label, OverSeam::of(&mut stage.plain())) else { continue };
            let OverSeam { change, depth, end } = found;
            println!("{label}: {change:.1e}, depth {depth:.1e}");
            let holds = depth < DEEPEST && found.is_uniform();
            faults.hold(holds, || format!("{label}: {change:e}, depth {depth:e}, ends at {end}"));
        }
    }
    faults.are_none();
}

/// Goal: a rigid block slides over seams between finely meshed slabs. The nodes of the slabs push on the bottom of the
/// block, which the penetration tilts. Tolerance: by the conservation of energy, the velocity v changes at most by
/// g h/v², with the sum h of the difference in height between the slabs and the largest penetration; the change is also
/// below [`TILTED`].
#[test]
#[ignore = "long verification: cargo test --release --test verification -- --ignored"]
fn nodes_of_fine_slabs_do_not_stop_blocks() {
    let mut faults = Faults::default();
    for response in RESPONSES {
        for seam in
            SEAMS.into_iter().chain([-1e-6, 2e-6].map(|lower| Seam { lower, slit: 1e-6, phase: 2.9e-4 }))
        {
            let label = format!("{response}, {seam:?}, fine");
            let found = OverSeam::of(&mut block_over_seam(seam, 3, [7, 5, 1], response).plain());
            let Some(found) = faults.take(&label, found) else { continue };
            let OverSeam { change, depth, end } = found;
            let most = f64::min(9.81 * (seam.lower.abs() + depth) / (SLIDING * SLIDING), TILTED);
            println!("{label}: {change:.1e} of {most:.1e}, depth {depth:.1e}");
            faults.hold(change < most && end > 1.19, || {
                format!("{label}: {change:e}, {depth:e}, ends at {end}")
            });
        }
    }
    faults.are_none();
}
