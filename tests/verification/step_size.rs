//! The automatic step for elements that deform fast, and steps at the end of a run.
//!
//! Source: the central difference method is stable up to the critical step of the current state, instead of an earlier
//! state (Belytschko, Liu & Moran, Nonlinear Finite Elements, §6.2.3).

use ictus::dynamics::{ElementBlock, Integration, InternalForce};
use ictus::material::{Elasticity, Material};
use ictus::mesh::CellKind;

use crate::model::{box_mesh, from_text, run, worse};

/// Goal: a rubber block hits a wall at a quarter of its wave speed, so that elements lose half their length in a few
/// steps. No step is longer than the critical step. The test computes the critical step from the positions before every
/// step. There is no tolerance.
#[test]
fn steps_follow_elements_that_are_crushed() {
    let (young, poisson, density) = (1e7, 0.3, 1000.0);
    let cases = [
        ("penalty", "mean-dilatation", Integration::Full),
        ("decomposition", "mean-dilatation", Integration::Full),
        ("penalty", "one-point", Integration::OnePoint),
    ];
    for (response, hex, integration) in cases {
        let text = format!(
            "[time]\nend = 6e-3\nenergy_tolerance = 0.5\n[contact]\nresponse = \"{response}\"\n\
             [materials.rubber]\nmodel = \"neo-hookean\"\ndensity = {density:?}\nyoung = {young:?}\n\
             poisson = {poisson:?}\n[[bodies]]\nname = \"block\"\nmesh = \"block.msh\"\nmaterial = \"rubber\"\n\
             hex = \"{hex}\"\nvelocity = [30, 0, 0]\n\
             [[walls]]\nname = \"wall\"\npoint = [0.1001, 0, 0]\nnormal = [-1, 0, 0]\n"
        );
        let mesh = box_mesh([0.0; 3], [0.1, 0.06, 0.06], [10, 6, 6]);
        let mut simulation = from_text(&text, &[("block.msh", mesh)]);
        let connectivity = simulation.model().bodies[0].blocks[0].connectivity.clone();
        let references = simulation.model().reference_positions.clone();
        let elasticity = Elasticity::from_young_poisson(young, poisson).unwrap();
        let block = ElementBlock::shared(
            (CellKind::Hex8, integration, connectivity),
            Material::NeoHookean(elasticity),
            density,
            &references,
        );
        let elements = InternalForce::new(vec![block.unwrap()], references.len());
        let undeformed = elements.critical_step(&references, &elements.initial_history()).unwrap().time_step;
        let (mut longest, mut shortest, mut num_steps) = (0.0_f64, f64::INFINITY, 0);
        while !simulation.is_finished() {
            let critical = elements
                .critical_step(&simulation.state().positions, &elements.initial_history())
                .unwrap()
                .time_step;
            let flies = simulation.first_contacts().is_empty();
            simulation.advance(f64::INFINITY).unwrap();
            if !flies {
                longest = worse(longest, simulation.progress().time_step / critical);
                shortest = shortest.min(critical / undeformed);
                num_steps += 1;
            }
        }
        println!(
            "{response}, {hex}: {num_steps} steps of at most {longest} of the critical one, which falls to {shortest}"
        );
        assert!(shortest < 0.65 && num_steps > 100, "nothing is crushed: {shortest}, {num_steps} steps");
        assert!(longest <= 1.0, "{response}, {hex}: a step of {longest} times the critical one");
    }
}

/// Goal: a run whose duration is a whole number of steps takes exactly this number of steps, in flight too. Although
/// the step and the end time are rounded, no very short step is left at the end. There is no tolerance.
#[test]
fn no_sliver_ends_a_run() {
    let loads = "[[loads]]\nbody = \"b\"\ntraction = [0.0, 0.0, 0.0]\n";
    for (key, loads) in [("step", loads), ("flight_step", "")] {
        for step in [0.1, 0.3, 1e-3, 0.7e-3, 1.0 / 3.0, 2.2e-7] {
            for count in [1_u32, 2, 3, 7, 10, 49, 1000, 10_007, 60_000] {
                let end = step * f64::from(count);
                let text = format!(
                    "[time]\nend = {end:?}\n{key} = {step:?}\n[materials.m]\nmodel = \"rigid\"\ndensity = 1000.0\n\
                     [[bodies]]\nname = \"b\"\nmesh = \"b.msh\"\nmaterial = \"m\"\nvelocity = [1e-3, 0, 0]\n{loads}"
                );
                let mut simulation = from_text(&text, &[("b.msh", box_mesh([0.0; 3], [1.0; 3], [1, 1, 1]))]);
                run(&mut simulation, |_| {});
                let state = simulation.state();
                assert_eq!((state.step, state.time), (count.into(), end), "{key} {step}, {count}");
                assert_eq!(simulation.steps_in_flight() > 0, loads.is_empty());
            }
        }
    }
}
