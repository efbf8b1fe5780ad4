//! Tied blocks, rigid and deformable, fly and spin as one body.
//!
//! ```text
//!    [ a | b | c ]      [ a | b ]      blocks of 1 m, each tied to its neighbours, of different masses and stiffnesses
//!                       [ d | c ]
//! ```
//!
//! References: tied points coincide; without external forces momenta are conserved.

use ictus::math::Vec3;
use ictus::simulation::Simulation;

use crate::model::{box_mesh, from_text, run, worse, worst};

/// A block: rigid or deformable, with its corner \[m\], number of cells along each edge, density \[kg/m³\] and modulus
/// \[Pa\].
#[derive(Clone, Copy)]
struct Block {
    rigid: bool,
    corner: [f64; 3],
    cells: usize,
    density: f64,
    young: f64,
}

impl Block {
    fn centre(&self) -> Vec3 {
        Vec3::from(self.corner) + Vec3::repeat(0.5)
    }

    /// Axis and signed distance of an adjacent block; `None` for other blocks.
    fn faces(&self, other: &Self) -> Option<(usize, f64)> {
        let way = other.centre() - self.centre();
        let is_beside = (way.norm() - 1.0).abs() < 1e-9;
        is_beside.then(|| (way.iamax(), way[way.iamax()]))
    }
}

/// Initial rigid motion of the blocks, given by the velocity of the origin and the spin, and steps of the run.
#[derive(Clone, Copy)]
struct Motion {
    velocity: Vec3,
    spin: Vec3,
    /// Length of the steps \[s\]; `None` for automatic steps.
    step: Option<f64>,
    end: f64,
}

/// Simulation of blocks, each of which is tied to all adjacent blocks. Blocks that are not adjacent have no contact.
fn assembly(blocks: &[Block], motion: &Motion) -> Simulation {
    let step = motion.step.map_or("\"auto\"".to_owned(), |step| format!("{step:?}"));
    let mut text = format!("[time]\nend = {:?}\nstep = {step}\n", motion.end);
    let mut meshes = Vec::new();
    for (k, block) in blocks.iter().enumerate() {
        let velocity = motion.velocity + motion.spin.cross(&block.centre());
        let law = match block.rigid {
            true => "model = \"rigid\"".to_owned(),
            false => format!("model = \"neo-hookean\"\nyoung = {:?}\npoisson = 0.3", block.young),
        };
        text += &format!(
            "[materials.m{k}]\n{law}\ndensity = {:?}\n[[bodies]]\nname = \"b{k}\"\nmesh = \"b{k}.msh\"\nmaterial = \"m{k}\"\n\
             velocity = {:?}\nangular_velocity = {:?}\n",
            block.density,
            velocity.as_slice(),
            motion.spin.as_slice(),
        );
        let end = block.corner.map(|x| x + 1.0);
        meshes.push((format!("b{k}.msh"), box_mesh(block.corner, end, [block.cells; 3])));
    }
    for (a, b) in all_pairs(blocks.len()) {
        let what = if blocks[a].faces(&blocks[b]).is_some() { "tied = true" } else { "contact = false" };
        text += &format!("[[contact.pairs]]\nbetween = [\"b{a}\", \"b{b}\"]\n{what}\n");
    }
    let meshes: Vec<(&str, String)> =
        meshes.iter().map(|(name, mesh)| (name.as_str(), mesh.clone())).collect();
    from_text(&text, &meshes)
}

fn all_pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)))
}

/// Tied nodes, each with the corners of its face and the shape values of these corners. The nodes belong to the finer
/// block, or to the deformable block if the other block is rigid.
fn tied_nodes(simulation: &Simulation, blocks: &[Block]) -> Vec<(usize, Vec<(usize, f64)>)> {
    let references = &simulation.model().reference_positions;
    let mut tied = Vec::new();
    for (a, b) in all_pairs(blocks.len()) {
        let Some((axis, side)) = blocks[a].faces(&blocks[b]) else { continue };
        let plane = blocks[a].centre()[axis] + 0.5 * side;
        let fine = match (blocks[a].rigid, blocks[b].rigid) {
            (true, false) => b,
            (false, true) => a,
            _ if blocks[a].cells >= blocks[b].cells => a,
            _ => b,
        };
        let coarse = a + b - fine;
        let on_plane = |body: usize| {
            let nodes = simulation.model().bodies[body].nodes.clone();
            nodes.filter(move |&node| (references[node][axis] - plane).abs() < 1e-9)
        };
        let is_corner = |node: &usize| {
            let away = references[*node] - blocks[coarse].centre();
            away.iter().all(|x| (x.abs() - 0.5).abs() < 1e-9)
        };
        let corners: Vec<usize> = on_plane(coarse).filter(is_corner).collect();
        assert_eq!(corners.len(), 4);
        for node in on_plane(fine) {
            let share = |&corner: &usize| {
                let apart = references[corner] - references[node];
                (corner, apart.iter().map(|x| 1.0 - x.abs()).product::<f64>())
            };
            tied.push((node, corners.iter().map(share).collect()));
        }
    }
    tied
}

/// Results of a run: the largest gap at a tie \[m\], errors of linear and angular momentum, and tie iterations per
/// step.
#[derive(Debug)]
struct Outcome {
    apart: f64,
    linear: f64,
    angular: f64,
    iterations: f64,
}

fn fly(blocks: &[Block], motion: &Motion) -> Outcome {
    let mut simulation = assembly(blocks, motion);
    let tied = tied_nodes(&simulation, blocks);
    let mut apart = 0.0;
    run(&mut simulation, |simulation| {
        let positions = &simulation.state().positions;
        let of_node = |(node, shares): &(usize, Vec<(usize, f64)>)| {
            (positions[*node] - shares.iter().map(|&(corner, share)| positions[corner] * share).sum::<Vec3>())
                .norm()
        };
        apart = worse(apart, worst(tied.iter().map(of_node)));
    });
    assert_eq!(simulation.warnings(), [""; 0]);
    Outcome {
        apart,
        linear: simulation.audit().largest_momentum_error(),
        angular: simulation.audit().largest_angular_error(),
        iterations: simulation.tie_iterations() as f64 / simulation.progress().step as f64,
    }
}

/// Blocks in a row along x, or four blocks in a ring: `R` rigid, `D` deformable, `F` deformable with two cells per
/// edge. The density and the stiffness of every second block are multiplied by `density` and `stiffness`.
fn blocks(kinds: &str, ring: bool, density: f64, stiffness: f64) -> Vec<Block> {
    let block = |(k, kind): (usize, char)| {
        let corner = match ring {
            true => [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]][k],
            false => [k as f64, 0.0, 0.0],
        };
        let [density, stiffness] = [density, stiffness].map(|ratio| if k % 2 == 1 { ratio } else { 1.0 });
        Block {
            rigid: kind == 'R',
            corner,
            cells: if kind == 'F' { 2 } else { 1 },
            density: 1e3 * density,
            young: 1e6 * stiffness,
        }
    };
    kinds.chars().enumerate().map(block).collect()
}

/// Ratios of density and stiffness.
const RATIOS: [(f64, f64); 7] =
    [(1.0, 1.0), (1e4, 1e2), (1e8, 1.0), (1e8, 1e6), (1e-4, 1.0), (1e-8, 1.0), (1e-8, 1e6)];

/// Goal: tied blocks stay together to 1e-13 of their size, and momenta are conserved to 3e-14. This holds for rigid and
/// deformable blocks of any masses, in rows and in rings. In rings the ties are redundant. At any mass ratio a step
/// takes at most one iteration more than with equal masses. The spin strains deformable blocks by up to a few per cent.
#[test]
fn assemblies_stay_together() {
    for (kinds, ring) in [
        ("RR", false),
        ("RRR", false),
        ("RRRR", true),
        ("RD", false),
        ("RF", false),
        ("RDR", false),
        ("DRD", false),
        ("FRF", false),
        ("DRRF", false),
        ("RDRF", true),
        ("RRRF", true),
        ("DFDF", true),
        ("DFD", false),
    ] {
        let size = if ring { 2.0 } else { kinds.len() as f64 };
        let mut iterations = Vec::new();
        for (density, stiffness) in RATIOS {
            let blocks = blocks(kinds, ring, density, stiffness);
            let speeds =
                blocks.iter().filter(|block| !block.rigid).map(|block| (block.young / block.density).sqrt());
            let (slowest, fastest) =
                speeds.fold((f64::INFINITY, 0.0_f64), |(low, high), speed| (low.min(speed), high.max(speed)));
            let all_rigid = blocks.iter().all(|block| block.rigid);
            let spin = Vec3::new(1.0, 2.0, 3.0).normalize() * if all_rigid { 10.0 } else { 0.03 * slowest };
            let motion = Motion {
                velocity: Vec3::new(3.0, 1.0, -2.0) * spin.norm(),
                spin,
                step: all_rigid.then_some(3e-3),
                end: if all_rigid { 0.6 } else { 60.0 / fastest },
            };
            let outcome = fly(&blocks, &motion);
            println!("{kinds}, ring {ring}, {density:e}, {stiffness:e}: {outcome:?}");
            let Outcome { apart, linear, angular, .. } = outcome;
            assert!(apart <= 1e-13 * size, "{kinds}, {density:e}, {stiffness:e}: apart {apart:e}");
            assert!(
                linear <= 3e-14 && angular <= 3e-14,
                "{kinds}, {density:e}, {stiffness:e}: {linear:e}, {angular:e}"
            );
            iterations.push(outcome.iterations);
        }
        let most = iterations.iter().copied().fold(0.0, f64::max);
        assert!(most <= iterations[0] + 1.0, "{kinds}: {iterations:?}");
    }
}

/// Goal: if velocities are set during a run, the tie forces of the next step belong to the new velocities. A deformable
/// block at rest, tied to a rigid block, is given 1 m/s. The tied points coincide after the next step, and the momentum
/// agrees with the given velocities.
#[test]
fn ties_hold_from_where_velocities_are_set() {
    let blocks = blocks("RF", false, 1.0, 1.0);
    let motion = Motion { velocity: Vec3::zeros(), spin: Vec3::zeros(), step: Some(1e-3), end: 0.02 };
    let mut simulation = assembly(&blocks, &motion);
    let tied = tied_nodes(&simulation, &blocks);
    (0..5).for_each(|_| simulation.advance(f64::INFINITY).unwrap());
    simulation.set_velocities(|_| Vec3::y());
    run(&mut simulation, |simulation| {
        let positions = &simulation.state().positions;
        let apart = |(node, shares): &(usize, Vec<(usize, f64)>)| {
            let place = shares.iter().map(|&(corner, share)| positions[corner] * share).sum::<Vec3>();
            (positions[*node] - place).norm()
        };
        assert!(worst(tied.iter().map(apart)) < 1e-14);
    });
    let momentum: Vec3 = simulation.balances().iter().map(|balance| balance.momentum.linear).sum();
    assert!((momentum - Vec3::y() * 1000.0).norm() < 1e-9, "{momentum}");
    assert!(simulation.audit().largest_angular_error() < 1e-12);
    assert!(simulation.audit().energy_error().largest < 1e-2);
}

/// Goal: rigid blocks stay together to 2e-13 m, even in rotations by 0.3 rad in a step, about an axis oblique to their
/// edges. A step takes fewer than 4.5 iterations in the mean.
#[test]
fn fast_assemblies_stay_together() {
    for (kinds, ring) in [("RR", false), ("RRR", false), ("RRRR", true)] {
        for (density, _) in RATIOS {
            let spin = Vec3::new(1.0, 2.0, 3.0).normalize() * 30.0;
            let motion = Motion { velocity: Vec3::new(3.0, 1.0, -2.0), spin, step: Some(0.01), end: 2.0 };
            let outcome = fly(&blocks(kinds, ring, density, 1.0), &motion);
            println!("{kinds}, ring {ring}, {density:e}: {outcome:?}");
            let Outcome { apart, linear, angular, iterations, .. } = outcome;
            assert!(apart <= 2e-13, "{kinds}, {density:e}: apart {apart:e}");
            assert!(linear <= 3e-14 && angular <= 3e-14, "{kinds}, {density:e}: {linear:e}, {angular:e}");
            assert!(iterations < 4.5, "{kinds}, {density:e}: {iterations} iterations a step");
        }
    }
}
