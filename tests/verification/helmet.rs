//! A helmet falls on an anvil: the measured force is the rate of change of the momentum.

use ictus::signal::{ChannelClass, Grid};

use crate::model::{exceeds, from_config, momentum, run, worse};

/// Fraction of the largest force above which the forces are compared.
const PLATEAU: f64 = 0.8;

/// Goal: the force on the anvil is the slope of the momentum of helmet and head, without their weight. Reference:
/// Newton's second law. The force of contact springs oscillates from step to step, so both signals are filtered by CFC
/// 60 of SAE J211. Tolerance: 5 % of the slope, wherever this is above 0.8 of its largest value.
#[test]
#[ignore = "long verification: cargo test --release --test verification -- --ignored"]
fn force_on_the_anvil_is_the_slope_of_the_momentum() {
    let mut simulation = from_config("helmet", &[]);
    let anvil = simulation.model().bodies.iter().find(|body| body.is_wall()).unwrap().nodes.start;
    let mass: f64 = simulation.model().bodies.iter().map(|body| body.mass).sum();
    let (mut times, mut forces, mut momenta) = (Vec::new(), Vec::new(), Vec::new());
    run(&mut simulation, |simulation| {
        times.push(simulation.state().time);
        forces.push(-simulation.contact_forces()[anvil].z);
        momenta.push(momentum(simulation).linear.z);
    });
    let grid = Grid::of(&times).unwrap();
    let (spacing, momenta) = (grid.spacing(), grid.sample(&times, &momenta));
    let slope: Vec<f64> = momenta.windows(3).map(|p| (p[2] - p[0]) / (2.0 * spacing) + mass * 9.81).collect();
    let filtered = |signal: &[f64]| ChannelClass::Cfc60.filter(signal, spacing).unwrap();
    let (force, slope) = (filtered(&grid.sample(&times, &forces)), filtered(&slope));
    let largest = slope.iter().copied().fold(0.0, f64::max);
    let pairs = force[1..].iter().zip(&slope).filter(|(_, slope)| **slope > PLATEAU * largest);
    let (count, error) =
        pairs.fold((0, 0.0), |(n, error), (f, s)| (n + 1, worse(error, (f / s - 1.0).abs())));
    println!("{count} samples in the plateau, largest {largest} N, error {error:e}");
    assert!(count > 100 && largest > 5e3);
    assert!(!exceeds(error, 0.05), "{error}");
}
