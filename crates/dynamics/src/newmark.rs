//! Newmark explicit predictor–corrector, β = 0, γ = 1/2.
//!
//! ```text
//! predict   v½ = v_n + dt a_n / 2,   x_{n+1} = x_n + dt v½
//! correct   v_{n+1} = v½ + dt a_{n+1} / 2
//! ```
//! Here dt is the length of the step. The scheme equals velocity Verlet and, for constant steps, central differences.
//! It is symplectic, of second order, and conserves momentum. Source: Newmark, J. Eng. Mech. Div. ASCE 85 (1959) 67–94.

use rayon::prelude::*;

use crate::math::Vec3;
use crate::math::reduction::nodes_per_task;

/// Advances `velocities` to mid-step, and writes the positions at the end of the step to `positions_next`.
pub fn predict(
    time_step: f64,
    positions: &[Vec3],
    accelerations: &[Vec3],
    velocities: &mut [Vec3],
    positions_next: &mut [Vec3],
) {
    let size = nodes_per_task(velocities.len());
    let motion = velocities.par_chunks_mut(size).zip(accelerations.par_chunks(size));
    let places = positions_next.par_chunks_mut(size).zip(positions.par_chunks(size));
    motion.zip(places).for_each(|((velocities, accelerations), (positions_next, positions))| {
        let motion = velocities.iter_mut().zip(accelerations);
        for ((velocity, acceleration), (next, position)) in
            motion.zip(positions_next.iter_mut().zip(positions))
        {
            for i in 0..3 {
                velocity[i] += acceleration[i] * (0.5 * time_step);
                next[i] = position[i] + velocity[i] * time_step;
            }
        }
    });
}

/// Advances mid-step velocities to the end of the step.
pub fn correct(time_step: f64, accelerations: &[Vec3], velocities: &mut [Vec3]) {
    let size = nodes_per_task(velocities.len());
    let motion = velocities.par_chunks_mut(size).zip(accelerations.par_chunks(size));
    motion.for_each(|(velocities, accelerations)| {
        for (velocity, acceleration) in velocities.iter_mut().zip(accelerations) {
            for i in 0..3 {
                velocity[i] += acceleration[i] * (0.5 * time_step);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The oscillator x'' = −ω² x has the frequency ω̄ = (2/dt) asin(ω dt/2) under central differences (Belytschko, Liu
    /// & Moran, Nonlinear Finite Elements, §6.2).
    #[test]
    fn oscillator_has_the_frequency_of_central_differences() {
        let (omega, dt) = (3.0_f64, 0.1_f64);
        let discrete = 2.0 / dt * (0.5 * omega * dt).asin();
        let mut position = vec![Vec3::x()];
        let mut velocity = vec![Vec3::zeros()];
        let mut acceleration = vec![-position[0] * omega * omega];
        for n in 1..=1000 {
            let mut next = position.clone();
            predict(dt, &position, &acceleration, &mut velocity, &mut next);
            position = next;
            acceleration[0] = -position[0] * omega * omega;
            correct(dt, &acceleration, &mut velocity);
            let exact = (discrete * dt * f64::from(n)).cos();
            assert!((position[0].x - exact).abs() < 1e-11, "step {n}: {} against {exact}", position[0].x);
        }
    }
}
