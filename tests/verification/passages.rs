//! A bullet strikes a soft plate. The plate stops the bullet, or the run reports that the bullet has passed through.
//!
//! ```text
//!      ┌─┐
//!      │ │ V          V = 0.1 … 20 √(E/ρ) of the plate
//!      └─┘ ↓
//!   ═══════════════
//! ```

use ictus::simulation::{FailureCause, NumericalFailure, Passage, Simulation};

use crate::model::{RESPONSES, box_mesh, from_text};

/// Density of plates \[kg/m³\].
const DENSITY: f64 = 1000.0;

/// A plate, z < 0, and a bullet above it.
pub struct Shot {
    /// Young's modulus of the plate \[Pa\].
    pub young: f64,
    /// Speed of the bullet relative to √(E/ρ) of the plate.
    pub speed: f64,
    /// Density of the bullet \[kg/m³\].
    pub density: f64,
    /// Stiffness of the bullet relative to the plate; `None` for a rigid bullet.
    pub stiffness: Option<f64>,
    /// Thickness of the plate \[m\].
    pub thickness: f64,
    /// Numbers of cells through the thickness and along the plate.
    pub cells: [usize; 2],
    /// Common velocity of plate and bullet along x \[m/s\].
    pub drift: f64,
}

impl Shot {
    /// A heavy rigid bullet and a thin plate of 1e5 Pa.
    pub fn hard(drift: f64) -> Self {
        let (young, density, stiffness) = (1e5, 8000.0, None);
        Self { young, speed: 1.0, density, stiffness, thickness: 0.02, cells: [1, 10], drift }
    }

    fn speed(&self) -> f64 {
        self.speed * (self.young / DENSITY).sqrt()
    }

    /// Sets up a run with the bullet 5 cm above the plate. In the time of the run, the bullet can travel four times
    /// this distance.
    pub fn simulation(&self, response: &str, detection: &str, keys: &str) -> Simulation {
        let Self { young, density, stiffness, thickness, cells: [through, along], drift, .. } = *self;
        let speed = self.speed();
        let material = match stiffness {
            None => "model = \"rigid\"".into(),
            Some(times) => format!("model = \"neo-hookean\"\nyoung = {:?}\npoisson = 0.3", times * young),
        };
        let text = format!(
            "[time]\nend = {:?}\nflight_step = 1.0\nenergy_tolerance = 1.0\n{keys}\n\
             [materials.soft]\nmodel = \"neo-hookean\"\ndensity = {DENSITY:?}\nyoung = {young:?}\npoisson = 0.3\n\
             [materials.hard]\n{material}\ndensity = {density:?}\n\
             [contact]\nresponse = \"{response}\"\ndetection = \"{detection}\"\n\
             [[bodies]]\nname = \"plate\"\nmesh = \"plate.msh\"\nmaterial = \"soft\"\n\
             velocity = [{drift:?}, 0.0, 0.0]\n\
             [[bodies]]\nname = \"bullet\"\nmesh = \"bullet.msh\"\nmaterial = \"hard\"\n\
             translate = [0.013, 0.007, 0.05]\nvelocity = [{drift:?}, 0.0, {:?}]\n",
            0.2 / speed,
            -speed,
        );
        let plate = box_mesh([-0.5, -0.5, -thickness], [0.5, 0.5, 0.0], [along, along, through]);
        let bullet = box_mesh([-0.04, -0.04, 0.0], [0.04, 0.04, 0.08], [2, 2, 2]);
        from_text(&text, &[("plate.msh", plate), ("bullet.msh", bullet)])
    }
}

/// Whether the bullet is on the far side of the plate: nearer to the back of the plate than to the front.
fn is_through(simulation: &Simulation) -> bool {
    let (model, positions) = (simulation.model(), &simulation.state().positions);
    let bullet = simulation.balances()[1].centre;
    let nodes = model.bodies[0].nodes.clone();
    let lowest = nodes.clone().map(|node| model.reference_positions[node].z).fold(0.0, f64::min);
    let distance = |height: f64| {
        let layer = nodes.clone().filter(|&node| (model.reference_positions[node].z - height).abs() < 1e-9);
        layer.map(|node| (positions[node] - bullet).norm()).fold(f64::INFINITY, f64::min)
    };
    distance(lowest) < distance(0.0)
}

/// Runs to the end or to a failure.
fn fire(simulation: &mut Simulation) -> Result<(), NumericalFailure> {
    while !simulation.is_finished() {
        simulation.advance(f64::INFINITY)?;
    }
    simulation.update_nodal_state();
    Ok(())
}

/// Goal: a speed of √(E/ρ) crushes a bar of the plate material. At a fifth of this speed the plate holds the bullet and
/// the run reaches its end. This holds for soft and stiff plates, and for rigid and deformable bullets; momentum is
/// conserved to 1e-10.
#[test]
fn slow_bullets_are_held() {
    let bullets = [(None, 1e4), (None, 1e5), (None, 1e6), (None, 1e7), (Some(1e3), 1e5), (Some(1.0), 1e5)];
    for ((stiffness, young), response) in
        bullets.into_iter().flat_map(|bullet| RESPONSES.map(|response| (bullet, response)))
    {
        let (thickness, cells) = (0.1, [2, 10]);
        let shot =
            Shot { young, speed: 0.2, density: 2000.0, stiffness, thickness, cells, ..Shot::hard(0.0) };
        let mut simulation = shot.simulation(response, "hierarchy", "");
        let outcome = fire(&mut simulation);
        let away = simulation.balances()[1].momentum.linear.z / simulation.model().bodies[1].mass;
        println!(
            "{response}, E {young:e}, bullet {stiffness:?}: {outcome:?}, {:.3} of the speed",
            away / shot.speed()
        );
        assert_eq!(outcome, Ok(()));
        assert!(!is_through(&simulation), "{response}, E {young:e}, bullet {stiffness:?}");
        assert!(simulation.audit().largest_momentum_error() < 1e-10);
    }
}

/// Goal: the plate holds fast or heavy bullets, or the run reports their passage. Plates have one or two cells through
/// the thickness; bullets are rigid or deformable. The runs use every response and two detectors. No run ends with a
/// bullet behind the plate and without a report.
#[test]
fn no_bullet_passes_through_without_a_report() {
    let mut told = 0;
    for (thickness, cells, density) in
        [(0.02, [1, 10], 8000.0), (0.1, [2, 10], 8000.0), (0.05, [1, 5], 8000.0), (0.02, [1, 10], 1000.0)]
    {
        for (stiffness, speed) in [None, Some(1e3), Some(1.0)]
            .into_iter()
            .flat_map(|stiffness| [0.2, 1.0, 5.0, 20.0].map(|speed| (stiffness, speed)))
        {
            for (k, response) in RESPONSES.into_iter().enumerate() {
                let detection = ["hierarchy", "buckets"][(k + usize::from(stiffness.is_some())) % 2];
                let shot = Shot { speed, density, stiffness, thickness, cells, ..Shot::hard(0.0) };
                let mut simulation = shot.simulation(response, detection, "");
                let outcome = fire(&mut simulation);
                let through = is_through(&simulation);
                let case = format!(
                    "{response}, {detection}, plate {thickness} m {cells:?}, bullet {density} kg/m³ {stiffness:?}, {speed} c"
                );
                match &outcome {
                    Ok(()) => println!("{case}: through {through}"),
                    Err(failure) => println!("{case}: {failure}"),
                }
                assert!(outcome.is_err() || !through, "{case}");
                told += usize::from(
                    outcome.is_err_and(|failure| matches!(failure.cause, FailureCause::Passage(_))),
                );
            }
        }
    }
    println!("{told} told");
    assert!(told > 0);
}

/// Goal: a bullet would travel 15 plate thicknesses in the fixed step of the scenario, but hits the plate, because the
/// run shortens the step. At 200 m/s the bullet travels at most half the search depth in a step. The search depth is
/// 0.02 m. A common velocity of bullet and plate shortens no step.
#[test]
fn fixed_steps_are_cut_where_bodies_would_pass() {
    let step = 1.5e-3;
    let shortest = |speed: f64, drift: f64| {
        let shot = Shot { speed, density: 1.0, cells: [1, 10], ..Shot::hard(drift) };
        let mut simulation = shot.simulation("penalty", "hierarchy", &format!("step = {step:?}"));
        let mut shortest = f64::INFINITY;
        let outcome = loop {
            if simulation.is_finished() {
                break Ok(());
            }
            if let Err(failure) = simulation.advance(f64::INFINITY) {
                break Err(failure);
            }
            if !simulation.progress().in_flight && !simulation.is_finished() {
                shortest = simulation.progress().time_step.min(shortest);
            }
        };
        simulation.update_nodal_state();
        println!("{speed} c, drift {drift} m/s: {outcome:?}, shortest step {shortest:e} s");
        assert!(outcome.is_err() || !is_through(&simulation));
        shortest
    };
    assert!(shortest(20.0, 0.0) < 1.01 * 0.5 * 0.02 / 200.0);
    assert_eq!(shortest(0.01, 3000.0), step);
}

/// A contact lost because of its depth is reported with step, time, node and both bodies. The state is the state after
/// the last valid step.
#[test]
fn passages_are_reported_with_names() {
    let shot = Shot { speed: 20.0, density: 1.0, ..Shot::hard(0.0) };
    let mut simulation = shot.simulation("penalty", "hierarchy", "step = 1.5e-3");
    let failure = fire(&mut simulation).unwrap_err();
    println!("{failure}\n{}", failure.remedy());
    let FailureCause::Passage(passage) = &failure.cause else { panic!("{failure:?}") };
    let Passage { node, other, depth, deepest } = passage.as_ref();
    let body = failure.body.as_deref().unwrap();
    assert!(matches!((body, other.as_str()), ("plate", "bullet") | ("bullet", "plate")), "{failure:?}");
    let count = simulation.model().bodies.iter().find(|of| of.name == body).map_or(0, |of| of.nodes.len());
    assert!((1..=count as u64).contains(node) && depth > deepest, "{failure:?}");
    assert_eq!(failure.step, simulation.state().step + 1);
    assert!(failure.time > simulation.state().time);
    let text = failure.to_string();
    assert!(
        text.contains(&format!("node {node} has passed through `{other}`")) && text.contains(body),
        "{text}"
    );
}
