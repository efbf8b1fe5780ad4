//! Two plane blocks collide edge to edge: contact along lines.
//!
//! ```text
//!    +----+        +----+
//!    |    | -> V   |    |      thickness 1, plane strain
//!    +----+        +----+
//! ```

use crate::closed_form::Bar;
use crate::model::{box_mesh, from_text, run, velocity};

/// Goal: with Poisson's ratio zero the blocks are bars of equal length. The bars exchange their velocities, to 1 % for
/// the energy left in oscillations. The contact lasts 2 L/c, to 3 % because wave fronts spread over some cells of size
/// L/60. Momentum is conserved to rounding, 1e-12, and energy to 0.5 %. All motion stays in the plane. Source: Graff
/// 1975, §2.4.
#[test]
fn blocks_exchange_their_velocities() {
    let bar = Bar { young: 1e9, density: 1000.0, length: 1.0, area: 0.1 };
    let speed = 5.0;
    let text = format!(
        "[time]\nend = {}\nflight_step = 1e-5\n\
         [materials.m]\nmodel = \"linear-elastic\"\ndensity = 1000.0\nyoung = 1e9\npoisson = 0.0\n\
         [[bodies]]\nname = \"left\"\nmesh = \"block.msh\"\nmaterial = \"m\"\ntranslate = [-1.0001, 0.0, 0.0]\n\
         velocity = [{speed}, 0.0, 0.0]\n\
         [[bodies]]\nname = \"right\"\nmesh = \"block.msh\"\nmaterial = \"m\"\n",
        2e-5 + 3.0 * bar.transit_time(),
    );
    let mesh = box_mesh([0.0; 3], [1.0, 0.1, 0.0], [60, 6, 0]);
    let mut simulation = from_text(&text, &[("block.msh", mesh)]);
    let mut contact = Vec::new();
    run(&mut simulation, |simulation| {
        if !simulation.constraints().is_empty() {
            contact.push(simulation.state().time);
        }
    });
    let duration = contact.last().unwrap() - contact[0];
    let velocities = [0, 1].map(|body| velocity(&simulation, body));
    let audit = simulation.audit();
    println!(
        "contact {:.4} ms of {:.4}, velocities {velocities:?}, energy {:.1e}, momentum {:.1e}",
        1e3 * duration,
        2e3 * bar.transit_time(),
        audit.energy_error().largest,
        audit.largest_momentum_error()
    );
    assert!((simulation.model().bodies[0].mass / (bar.density * bar.area) - 1.0).abs() < 1e-12);
    assert!((duration / (2.0 * bar.transit_time()) - 1.0).abs() < 0.03, "contact lasts {duration} s");
    assert!(velocities[0].norm() < 0.01 * speed && (velocities[1].x - speed).abs() < 0.01 * speed);
    assert!(simulation.state().positions.iter().all(|x| x.z == 0.0));
    assert!(audit.largest_momentum_error() < 1e-12 && audit.energy_error().largest < 5e-3);
}
