//! The midpoint form of the energy–momentum response: conservation of energy and momenta.
//!
//! ```text
//!   ┌───┐ ↘  ↻
//!   └───┘  ┌───┐      Two cubes collide off-centre, the first one rotating; or one bounces on a wall.
//!        ← │   │
//!          └───┘
//! ```
//!
//! Source: Petőcz & Armero, report UCB/SEMM-98/06, 1998, (3)–(5), between the half kicks of central differences.
//! Contact forces p ν w (pressure force p, normal ν, nodal weights w) use the geometry at the middle of the step. The
//! forces do the work p Δg = −ΔU, with the gap g and the energy U of the contact spring. The forces have no moment,
//! because the contactor is on the normal through its closest point at the middle of the step. The energy identity of
//! the predictor–corrector is that of `random_cuts`; it contains the work of the splitting, ¼ dt² f_c · M⁻¹ Δf.

use ictus::simulation::Simulation;

use crate::model::{box_mesh, from_text, worse};

/// Tolerance of the energy balance: rounding of the iterated forces.
const CLOSED: f64 = 1e-12;

/// Tolerance of the energy balance with friction. The dissipation is computed from a difference of works.
const CLOSED_WITH_FRICTION: f64 = 1e-10;

fn material(model: &str) -> String {
    let elastic = if model == "rigid" { "" } else { "young = 1e6\npoisson = 0.3\n" };
    format!("[materials.m]\nmodel = \"{model}\"\ndensity = 1000.0\n{elastic}")
}

fn contact(friction: f64) -> String {
    format!(
        "[time]\nend = 0.05\nflight_step = 1e-3\nsafety = 0.5\n\
         [contact]\nresponse = \"energy-momentum\"\nscheme = \"midpoint\"\nfriction = {friction:?}\n"
    )
}

fn cube() -> (&'static str, String) {
    ("cube.msh", box_mesh([-0.05; 3], [0.05; 3], [2; 3]))
}

/// Two cubes that collide off-centre.
fn two_cubes(model: &str, friction: f64) -> Simulation {
    let text = format!(
        "{}{}[[bodies]]\nname = \"a\"\nmesh = \"cube.msh\"\nmaterial = \"m\"\nvelocity = [1.5, 0.2, -0.1]\n\
         angular_velocity = [3, -5, 8]\ntranslate = [-0.102, 0.03, 0.02]\nrotate = {{ axis = [1, 2, 3], angle = 7 }}\n\
         [[bodies]]\nname = \"b\"\nmesh = \"cube.msh\"\nmaterial = \"m\"\nvelocity = [-0.5, 0, 0]\n\
         translate = [0.02, 0, 0]\n",
        contact(friction),
        material(model)
    );
    from_text(&text, &[cube()])
}

/// A cube thrown obliquely onto a wall.
fn cube_on_wall(model: &str, friction: f64) -> Simulation {
    let text = format!(
        "gravity = [0, 0, -9.81]\n{}{}[[bodies]]\nname = \"a\"\nmesh = \"cube.msh\"\nmaterial = \"m\"\n\
         velocity = [0.8, 0.3, -1.5]\nangular_velocity = [2, 3, 1]\ntranslate = [0, 0, 0.062]\n\
         rotate = {{ axis = [1, 0, 0], angle = 5 }}\n\
         [[walls]]\nname = \"floor\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n",
        contact(friction),
        material(model)
    );
    from_text(&text, &[cube()])
}

/// Largest change of the conserved energy in a step, relative to the largest energy.
fn ledger(simulation: &mut Simulation) -> f64 {
    let mut open = 0.0;
    while !simulation.is_finished() {
        let before = simulation.energies().conserved();
        simulation.advance(f64::INFINITY).unwrap();
        open = worse(open, (simulation.energies().conserved() - before).abs());
    }
    open / simulation.audit().energy_scale()
}

/// Goal: the energy balance closes to rounding in every step, for rigid and linear-elastic bodies. The trapezoidal rule
/// integrates the strain energy of these bodies exactly. Momentum is conserved to rounding.
#[test]
fn ledgers_close_with_the_midpoint_form() {
    for model in ["rigid", "linear-elastic"] {
        for friction in [0.0, 0.3] {
            let scenes = [("cubes", two_cubes(model, friction)), ("wall", cube_on_wall(model, friction))];
            for (name, mut simulation) in scenes {
                let open = ledger(&mut simulation);
                let momentum = simulation.audit().momentum_deviation().largest;
                let case = format!("{model}, {name}, friction {friction}");
                println!("{case}: open by {open:.1e}, momentum {momentum:.1e}");
                assert!(!simulation.first_contacts().is_empty(), "{case}: no contact");
                let closed = if friction == 0.0 { CLOSED } else { CLOSED_WITH_FRICTION };
                assert!(open < closed && momentum < 1e-12, "{case}: {open:e}, {momentum:e}");
            }
        }
    }
}

/// Goal: angular momentum is conserved to rounding, with and without friction. The deformable material is objective, so
/// internal forces have no moment.
#[test]
fn angular_momentum_is_kept_by_the_midpoint_form() {
    for model in ["rigid", "neo-hookean"] {
        for friction in [0.0, 0.3] {
            let scenes = [("cubes", two_cubes(model, friction)), ("wall", cube_on_wall(model, friction))];
            for (name, mut simulation) in scenes {
                ledger(&mut simulation);
                let angular = simulation.audit().angular_deviation().largest;
                let case = format!("{model}, {name}, friction {friction}");
                println!("{case}: angular momentum {angular:.1e}");
                assert!(!simulation.first_contacts().is_empty(), "{case}: no contact");
                assert!(angular < 1e-12, "{case}: {angular:e}");
            }
        }
    }
}
