//! The ledger of contact over steps that are cut at random.

use ictus::simulation::Simulation;

use crate::model::{RESPONSES, box_mesh, from_text, worse};
use crate::random::Random;

/// What touches what, by which response and law.
#[derive(Clone, Copy, Debug)]
struct Scene {
    response: &'static str,
    friction: f64,
    material: &'static str,
    on_wall: bool,
}

impl Scene {
    fn all() -> impl Iterator<Item = Self> {
        RESPONSES.into_iter().flat_map(|response| {
            [0.0, 0.3].into_iter().flat_map(move |friction| {
                ["rigid", "linear-elastic"].into_iter().flat_map(move |material| {
                    [false, true].map(move |on_wall| Self { response, friction, material, on_wall })
                })
            })
        })
    }

    fn simulation(&self, safety: f64) -> Simulation {
        let Self { response, friction, material, on_wall } = *self;
        let elastic = if material == "rigid" { "" } else { "young = 1e6\npoisson = 0.3\n" };
        let base = if on_wall {
            "[[walls]]\nname = \"base\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n"
        } else {
            "[[bodies]]\nname = \"base\"\nmesh = \"base.msh\"\nmaterial = \"m\"\n"
        };
        let text = format!(
            "gravity = [0, 0, -9.81]\n[time]\nend = 0.2\nflight_step = 1e-3\nsafety = {safety:?}\n\
             energy_tolerance = 10.0\n\
             [contact]\nresponse = \"{response}\"\nfriction = {friction:?}\n\
             [materials.m]\nmodel = \"{material}\"\ndensity = 1000.0\n{elastic}\
             [[bodies]]\nname = \"block\"\nmesh = \"block.msh\"\nmaterial = \"m\"\nvelocity = [0.5, 0.1, -0.5]\n\
             translate = [0, 0, 0.002]\n{base}"
        );
        let meshes = [
            ("block.msh", box_mesh([-0.05, -0.05, 0.0], [0.05, 0.05, 0.1], [2; 3])),
            ("base.msh", box_mesh([-0.2, -0.2, -0.1], [0.2, 0.2, 0.0], [4, 4, 1])),
        ];
        let held: &[&str] = match (on_wall, material) {
            (true, _) => &[],
            (false, "rigid") => &["all"],
            (false, _) => &["x0", "x1"],
        };
        let held = held.iter().map(|group| {
            format!("[[boundaries]]\nbody = \"base\"\ngroup = \"{group}\"\nfix = [\"x\", \"y\", \"z\"]\n")
        });
        let gravity = if on_wall { "" } else { "gravity = [0, 0, 0]\n" };
        let text = format!("{text}{gravity}{}", held.collect::<String>());
        from_text(&text, &meshes)
    }
}

/// What is measured of a run, relative to its largest energy.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    steps: u32,
    cuts: u32,
    /// The ledger of a step.
    open: f64,
    at: f64,
    numerical: f64,
    num_quiet: u32,
    energy: f64,
    momentum: f64,
    angular: f64,
}

fn run(scene: &Scene, safety: f64, rate: f64, seed: u64) -> Outcome {
    let mut simulation = scene.simulation(safety);
    let mut random = Random(seed);
    let (mut whole, mut outcome, mut since) = (0.0, Outcome::default(), 0);
    let mut worst_open = 0.0;
    let total = |simulation: &Simulation| {
        let energies = simulation.energies();
        energies.conserved() + energies.numerical_work
    };
    let first = total(&simulation);
    let mut keys: Vec<_> = Vec::new();
    let mut last_step = 0.0;
    while !simulation.is_finished() {
        let before = *simulation.energies();
        let cuts = rate > 0.0 && random.uniform(1.0).abs() < rate && (rate > 0.5 || since >= 100);
        since += 1;
        let limit = if cuts {
            since = 0;
            whole * random.between(0.1, 1.0)
        } else {
            f64::INFINITY
        };
        outcome.cuts += u32::from(cuts);
        simulation.limit_step(limit);
        simulation.advance(f64::INFINITY).unwrap();
        let step = simulation.progress().time_step;
        if !cuts {
            whole = step;
        }
        outcome.steps += 1;
        let energies = simulation.energies();
        let scale = simulation.audit().energy_scale();
        let open = (energies.conserved() - before.conserved()).abs();
        let quiet = simulation.constraints().keys() == keys && step == last_step;
        last_step = step;
        keys = simulation.constraints().keys().to_vec();
        if open > worst_open {
            worst_open = open;
            outcome.at = simulation.state().time;
        }
        if quiet {
            outcome.num_quiet += 1;
            outcome.numerical =
                worse(outcome.numerical, (energies.numerical_work - before.numerical_work).abs() / scale);
        }
        outcome.energy = worse(outcome.energy, (total(&simulation) - first).abs() / scale);
    }
    let audit = simulation.audit();
    outcome.open = worst_open / audit.energy_scale();
    outcome.momentum = audit.largest_momentum_error();
    outcome.angular = audit.largest_angular_error();
    outcome
}

#[test]
fn ledgers_close_over_cut_steps() {
    for scene in Scene::all() {
        println!("{scene:?}");
        for (safety, rate) in [(0.8, 0.0), (0.8, 0.5), (0.3, 0.0), (0.3, 0.7)] {
            println!("    {safety} {rate} {:?}", run(&scene, safety, rate, 7));
        }
    }
}
