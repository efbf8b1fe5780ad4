//! Whole steps of two blocks tied with non-matching meshes, for several ratios of their densities. The cost of ties
//! should not depend on the ratio.
//!
//! Two blocks of about 19 000 tetrahedra each are tied over faces with 1 226 triangles. Density and stiffness of the
//! right block are multiplied by the ratio, and both blocks rotate as one. Columns: the time of a step and of its ties
//! (medians) \[ms\], and the largest error of the balance of angular momentum.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints its table and may stop")]

mod common;
#[path = "common/tetrahedra.rs"]
mod tetrahedra;

use std::time::Instant;

use common::repetitions;
use ictus::math::Vec3;
use ictus::scenario::Scenario;
use ictus::simulation::Simulation;

/// Two adjacent tied unit cubes along x, with these numbers of cells along x and across. Density and stiffness of the
/// right cube are multiplied by `ratio`.
fn tied_blocks(cells: [[usize; 2]; 2], ratio: f64) -> Simulation {
    let directory = tempfile::tempdir().unwrap();
    let mut text = "[time]\nend = 1.0\n\
                    [[contact.pairs]]\nbetween = [\"left\", \"right\"]\ntied = true\n"
        .to_owned();
    for (place, (name, [along, across])) in ["left", "right"].into_iter().zip(cells).enumerate() {
        let cells = [along, across, across];
        let mesh = tetrahedra::mesh(cells, |at| {
            Vec3::from_fn(|axis, _| at[axis] as f64 / cells[axis] as f64) + Vec3::x() * place as f64
        });
        std::fs::write(directory.path().join(format!("{name}.msh")), mesh).unwrap();
        let factor = ratio.powi(place as i32);
        text += &format!(
            "[materials.{name}]\nmodel = \"st-venant-kirchhoff\"\ndensity = {:?}\nyoung = {:?}\npoisson = 0.3\n\
             [[bodies]]\nname = \"{name}\"\nmesh = \"{name}.msh\"\nregion = \"bulk\"\nmaterial = \"{name}\"\n\
             velocity = [0.0, {:?}, 0.0]\nangular_velocity = [0.0, 0.0, 20.0]\n",
            7800.0 * factor,
            210e9 * factor,
            20.0 * (place as f64 - 0.5)
        );
    }
    Simulation::new(&Scenario::parse(&text, &directory.path().join("tied.toml"), &[]).unwrap()).unwrap()
}

fn main() {
    let cells = if repetitions(2) == 1 { [[3, 4], [3, 5]] } else { [[10, 18], [11, 17]] };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        for ratio in [1.0, 1e2, 1e4, 1e6, 1e8] {
            let mut simulation = tied_blocks(cells, ratio);
            let mut times: [Vec<f64>; 2] = Default::default();
            for _ in 0..repetitions(100) {
                let (start, before) = (Instant::now(), simulation.timings().response);
                simulation.advance(f64::INFINITY).unwrap();
                times[0].push(1e3 * start.elapsed().as_secs_f64());
                times[1].push(1e3 * (simulation.timings().response - before));
            }
            let [step, ties] = times.map(|mut times| {
                times.sort_by(f64::total_cmp);
                times[times.len() / 2]
            });
            println!(
                "density ratio {ratio:7.0e} {step:8.3} ms a step, ties {ties:.4}, angular momentum off by {:.1e}",
                simulation.audit().largest_angular_error()
            );
        }
    });
}
