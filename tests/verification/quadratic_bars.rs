//! Bars of quadratic elements: axial vibration and bending. Quadratic elements are more accurate in bending than linear
//! elements.
//!
//! ```text
//!    |=================    g ->  (stretch)  or down (bending)
//!    x0              x1
//! ```
//!
//! Source: Graff, Wave Motion in Elastic Solids, 1975, §2.1 and §3.1.

use ictus::mesh::CellKind;
use ictus::simulation::Simulation;

use crate::model::{box_mesh, from_text, mean_displacement, quadratic_box_mesh, run};

const QUADRATIC: [CellKind; 3] = [CellKind::Tet10, CellKind::Hex20, CellKind::Hex27];

/// A bar of length 1 m, wave speed 1000 m/s and no lateral contraction, held at x = 0, in a field of gravity.
fn bar(mesh: String, end: f64, gravity: [f64; 3]) -> Simulation {
    let text = format!(
        "gravity = {gravity:?}\n[time]\nend = {end}\nsafety = 0.5\n\
         [materials.m]\nmodel = \"linear-elastic\"\ndensity = 1000.0\nyoung = 1e9\npoisson = 0.0\n\
         [[bodies]]\nname = \"bar\"\nmesh = \"bar.msh\"\nmaterial = \"m\"\n\
         [[boundaries]]\nbody = \"bar\"\ngroup = \"x0\"\nfix = [\"x\", \"y\", \"z\"]\n"
    );
    from_text(&text, &[("bar.msh", mesh)])
}

/// Error of the stretch of a hanging bar after half a period; the bar has `cells` elements along its length.
fn stretch_error(kind: CellKind, cells: usize) -> f64 {
    let side = 1.0 / cells as f64;
    let mesh = quadratic_box_mesh(kind, [0.0; 3], [1.0, side, side], [cells, 1, 1]);
    let mut simulation = bar(mesh, 2e-3, [1000.0, 0.0, 0.0]);
    run(&mut simulation, |_| ());
    let audit = simulation.audit();
    assert!(audit.largest_momentum_error() < 1e-10, "{kind:?} {}", audit.largest_momentum_error());
    assert!(audit.relative_imbalance() < 2e-3, "{kind:?} {}", audit.relative_imbalance());
    // The reference is twice the static stretch g L²/(2 c²): all excited modes are odd, and change sign in half a
    // period.
    mean_displacement(&simulation, 0, 1.0) / 1e-3 - 1.0
}

/// Goal: a bar is released under gravity along its axis. After half a period, 2 L/c, the bar has twice its static
/// stretch. The error decreases with the element size. Tolerance with 16 elements: 0.5 %; the shortest wave that
/// matters then has 4 or 5 nodes. With 8 elements the error is at least 1.5 times as large. The decrease is slow, as
/// h^(2/3) at best, because the wave has a corner.
#[test]
fn hanging_bars_swing_about_their_static_stretch() {
    for kind in QUADRATIC {
        let (coarse, fine) = (stretch_error(kind, 8), stretch_error(kind, 16));
        println!("{}: {coarse:+.2e} with 8 elements, {fine:+.2e} with 16", kind.name());
        assert!(fine.abs() < 0.005, "{kind:?} {fine}");
        assert!(fine.abs() < coarse.abs() / 1.5, "{kind:?} {coarse} {fine}");
    }
}

/// Time at which the tip of a bar has its lowest position, relative to half the first period. The bar is twenty times
/// as long as high.
fn half_period(mesh: String, safety_end: f64) -> f64 {
    let radius_of_gyration = 0.05 / 12.0_f64.sqrt();
    // ω = 1.8751² c r/L².
    let half = std::f64::consts::PI / (1.875_104_f64.powi(2) * 1000.0 * radius_of_gyration);
    let mut simulation = bar(mesh, safety_end * half, [0.0, 0.0, -1.0]);
    let (mut lowest, mut time) = (0.0, 0.0);
    run(&mut simulation, |simulation| {
        let references = &simulation.model().reference_positions;
        let tip = references.iter().position(|x| x.x > 1.0 - 1e-9).unwrap();
        let sag = simulation.state().positions[tip].z - references[tip].z;
        if sag < lowest {
            (lowest, time) = (sag, simulation.state().time);
        }
    });
    time / half
}

/// Goal: the tip of a released cantilever reaches its lowest position after half the period of the first mode. Higher
/// modes have 3 % of the deflection, and shift this time by a few per cent. Five quadratic elements along the
/// cantilever and one through its height reproduce this time. Eight-node hexahedra on the same lattice of nodes are
/// several times too stiff in shear, so the tip is lowest before 0.7 of this time. Tolerance: 4 % for hexahedra; 6 %
/// for tetrahedra, because their mesh is not symmetric.
#[test]
fn quadratic_elements_bend() {
    let (low, high) = ([0.0; 3], [1.0, 0.05, 0.05]);
    for (kind, tolerance) in QUADRATIC.into_iter().zip([0.06, 0.04, 0.04]) {
        let ratio = half_period(quadratic_box_mesh(kind, low, high, [5, 1, 1]), 1.3);
        println!("{}: {ratio:.4} of half a period", kind.name());
        assert!((ratio - 1.0).abs() < tolerance, "{kind:?} {ratio}");
    }
    let linear = half_period(box_mesh(low, high, [10, 1, 1]), 1.3);
    println!("hex8, 10 elements: {linear:.4}");
    assert!(linear < 0.7, "linear elements bend as well: the case has lost its point ({linear})");
}
