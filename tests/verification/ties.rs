//! Two bars that are glued end to end are one bar of twice the length.
//!
//! ```text
//!    p ->  =========|=========       a pulse runs through the joint, and back from the free end
//! ```
//!
//! Source: Graff, Wave Motion in Elastic Solids, 1975, §2.1.

use ictus::math::Vec3;
use ictus::scenario::Scenario;
use ictus::simulation::{SetupError, Simulation};

use crate::closed_form::Bar;
use crate::model::{box_mesh, from_text, mean_displacement, run, worst};

const BAR: Bar = Bar { young: 1e9, density: 1000.0, length: 2.0, area: 0.01 };

/// Bars with these meshes and what ties them; a pulse of pressure on the first.
fn text(bodies: &[&str], ties: &str) -> String {
    let mut text = "[time]\nend = 7e-3\nstep = 1e-5\n\
         [materials.m]\nmodel = \"linear-elastic\"\ndensity = 1000.0\nyoung = 1e9\npoisson = 0.0\n\
         [[loads]]\nbody = \"left\"\ngroup = \"x0\"\npressure = \"1e5*sin(pi*t/4e-4)^2*(t < 4e-4)\"\n"
        .to_owned();
    for name in bodies {
        text += &format!("[[bodies]]\nname = \"{name}\"\nmesh = \"{name}.msh\"\nmaterial = \"m\"\n");
    }
    text + ties
}

const TIED: &str = "[[contact.pairs]]\nbetween = [\"right\", \"left\"]\ntied = true\n";

/// Displacements of the free end, step by step, with the times.
fn free_end(mut simulation: Simulation, body: usize, x: f64) -> Vec<(f64, f64)> {
    let mut history = Vec::new();
    run(&mut simulation, |simulation| {
        history.push((simulation.state().time, mean_displacement(simulation, body, x)));
    });
    assert!(
        simulation.contact_pressures().iter().all(|&pressure| pressure == 0.0),
        "what is tied does not press"
    );
    assert!(simulation.audit().largest_momentum_error() < 1e-10);
    assert!(simulation.pair_balances().is_empty(), "tied bodies do not touch");
    history
}

fn glued(gap: f64, section: usize) -> Vec<(f64, f64)> {
    let far = 1.0 + gap;
    let meshes = [
        ("left.msh", box_mesh([0.0; 3], [1.0, 0.1, 0.1], [50, 1, 1])),
        ("right.msh", box_mesh([far, 0.0, 0.0], [far + 1.0, 0.1, 0.1], [50, section, section])),
    ];
    free_end(from_text(&text(&["left", "right"], TIED), &meshes), 1, far + 1.0)
}

/// Goal: a pulse passes the joint as if there were none, and the period of the free bar is 2 (2 L)/c. Where nodes lie on
/// nodes the joint is that of one mesh: the histories are the same to rounding. Where the sections are meshed otherwise,
/// and the bars 0.1 mm apart, which is 1/200 of a cell that is closed without strain, they differ by the mass of that:
/// 1e-3. Tolerance of the period: dispersion of the front over some cells of L/50, 1 %.
#[test]
fn glued_bars_are_one_bar() {
    let mesh = box_mesh([0.0; 3], [2.0, 0.1, 0.1], [100, 1, 1]);
    let one = free_end(from_text(&text(&["left"], ""), &[("left.msh", mesh)]), 0, 2.0);
    let largest = one.iter().map(|(_, u)| u.abs()).fold(0.0, f64::max);
    for (gap, section, tolerance) in [(0.0, 1, 1e-9), (1e-4, 2, 1e-3)] {
        let glued = glued(gap, section);
        assert_eq!(one.len(), glued.len());
        let off = worst(one.iter().zip(&glued).map(|(a, b)| (a.1 - b.1).abs())) / largest;
        // The end moves by as much in each passage of the pulse: half of the first, and half of the second.
        let last = glued[glued.len() - 1].1;
        let when = |part: f64| glued.iter().find(|(_, u)| *u > part * last).map(|(time, _)| *time).unwrap();
        let period = (when(0.75) - when(0.25)) / (2.0 * BAR.transit_time());
        println!("gap {gap}: off by {off:e}, period {period} of 2 L/c");
        assert!(off < tolerance, "gap {gap}: off by {off:e}");
        assert!((period - 1.0).abs() < 0.01, "gap {gap}: period {period}");
    }
}

/// Goal: bodies that are nowhere near each other cannot be tied, and that is said.
#[test]
fn what_is_apart_is_not_tied() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = |x: f64| box_mesh([x, 0.0, 0.0], [x + 1.0, 0.1, 0.1], [5, 1, 1]);
    std::fs::write(folder.path().join("left.msh"), mesh(0.0)).unwrap();
    std::fs::write(folder.path().join("right.msh"), mesh(1.2)).unwrap();
    let text = text(&["left", "right"], TIED);
    let scenario = Scenario::parse(&text, &folder.path().join("test.toml"), &[]).unwrap();
    let Err(SetupError::NothingTied { within, span, .. }) = Simulation::new(&scenario) else {
        panic!("tied")
    };
    assert!((within - 0.025).abs() < 1e-12);
    assert_eq!(&scenario.source[span], "true");
}

/// Goal: rigid bars that are tied 2 cm apart are one rigid body: set going as that, they turn as one, and the forces of the
/// ties have no moment. The two centres stay 1.02 m apart along a line that turns with ω, and the angular momentum of both
/// is kept; in the plane too. Tolerance: the turn is off by O(ω² dt²), 1e-6, times the 2 rad that it makes; so many
/// ties hold two rigid bodies more than once, and what the sweeps leave of their distances, 1e-7 m, is the arm of their
/// forces.
#[test]
fn rigid_bars_tied_apart_are_one_body() {
    let (gap, turn) = (0.02, 10.0);
    for depth in [1, 0] {
        let body = |name: &str, side: f64| {
            format!(
                "[[bodies]]\nname = \"{name}\"\nmesh = \"{name}.msh\"\nmaterial = \"m\"\n\
                 angular_velocity = [0, 0, {turn:?}]\nvelocity = [3, {:?}, 0]\n",
                side * turn * 0.5 * (1.0 + gap)
            )
        };
        let text = format!(
            "[time]\nend = 0.2\nstep = 1e-4\n[materials.m]\nmodel = \"rigid\"\ndensity = 1000.0\n{}{}{TIED}tied_within = 0.03\n",
            body("left", -1.0),
            body("right", 1.0)
        );
        let thick = 0.1 * depth as f64;
        let meshes = [
            ("left.msh", box_mesh([0.0; 3], [1.0, 0.1, thick], [10, 1, depth])),
            ("right.msh", box_mesh([1.0 + gap, 0.0, 0.0], [2.0 + gap, 0.1, thick], [10, 2, 2 * depth])),
        ];
        let mut simulation = from_text(&text, &meshes);
        run(&mut simulation, |_| ());
        let [left, right] = [0, 1].map(|body| simulation.balances()[body].centre);
        let (apart, angle) = (right - left, turn * simulation.state().time);
        let expected = Vec3::new(angle.cos(), angle.sin(), 0.0) * (1.0 + gap);
        let [momentum, energy] =
            [simulation.audit().largest_angular_error(), simulation.audit().energy_deviation().largest];
        println!("apart {apart:?} of {expected:?}, errors {momentum:e} {energy:e}");
        assert!((apart - expected).norm() < 5e-6, "{apart:?}");
        assert!(momentum < 1e-7 && energy < 1e-5, "{momentum:e} {energy:e}");
    }
}
