//! Stress, energy and forces of four elements at a time, total Lagrangian with mean dilatation.
//!
//! Elements with several quadrature points see F̄ = (J̄/J)^⅓ F, J̄ = Σ w J / Σ w (de Souza Neto, Perić, Dutko and
//! Owen 1996, Int. J. Solids Struct. 33:3277, with the mean instead of the central volume), so that a nearly
//! incompressible material does not lock. The energy is Σ w W(F̄) and the forces are its exact gradient:
//! with α = (J̄/J)^⅓, π = ⅓ P̄ : F̄ and p̂ = Σ w π / (J̄ Σ w) the stress that works on F is
//! α P̄ + (p̂ − π/J) cof F. The small-strain law has tr H for the volume, which makes it the B̄ method
//! (Hughes 1980, Int. J. Numer. Meth. Eng. 15:1413).

#![allow(
    clippy::needless_range_loop,
    reason = "indices are those of the formulas, and closures of iterators escape the vector code"
)]

use super::element_block::PointGeometry;
use super::interpolation::Interpolation;
use crate::material::{Law, Response};
use crate::math::real::{Lanes, Real};
use crate::math::tensor::Tensor;

/// State of the quadrature points of four elements.
pub(super) struct PointStates<const P: usize> {
    /// Displacement gradient H = F − I of the interpolation.
    pub gradients: [Tensor<Lanes>; P],
    /// Gradient H̄ that the law sees.
    pub mean_dilatation_gradients: [Tensor<Lanes>; P],
    /// α − 1 of the finite-strain laws: F̄ = α F.
    stretch_excesses: [Lanes; P],
    /// J = det F.
    pub jacobians: [Lanes; P],
    /// Volume-weighted mean of J, over the reference volume.
    pub mean_jacobian: Lanes,
    /// Reference volume \[m³\].
    pub volume: Lanes,
}

/// Stress that works on F at each point, and the energy of the element.
pub(super) struct Stresses<const P: usize> {
    /// First Piola–Kirchhoff stress \[Pa\].
    pub effective: [Tensor<Lanes>; P],
    /// Strain energy \[J\].
    pub energy: Lanes,
}

/// Deformation at every point.
#[inline(always)]
pub(super) fn point_states<I, L, const N: usize, const P: usize>(
    interpolation: &I,
    geometry: &[PointGeometry; P],
    positions: &[[Lanes; 3]; N],
) -> PointStates<P>
where
    I: Interpolation<N, P>,
    L: Law,
{
    let one = Lanes::splat(1.0);
    let mut states = PointStates {
        gradients: [Tensor::zero(); P],
        mean_dilatation_gradients: [Tensor::zero(); P],
        stretch_excesses: [Lanes::splat(0.0); P],
        jacobians: [one; P],
        mean_jacobian: one,
        volume: Lanes::splat(0.0),
    };
    // Change of volume that the law knows: tr H for a small-strain law, J − 1 for the others.
    let mut dilatations = [one; P];
    let mut sum = Lanes::splat(0.0);
    let natural = interpolation.gradients(positions);
    for k in 0..P {
        let point = &geometry[k];
        let h = natural[k].dot(&point.inverse_jacobian).add_diagonal(-one);
        let change = h.relative_volume_change();
        dilatations[k] = if L::SMALL_STRAIN { h.trace() } else { change };
        sum += point.weight * dilatations[k];
        states.volume += point.weight;
        states.jacobians[k] = change + one;
        states.gradients[k] = h;
    }
    if P == 1 {
        states.mean_jacobian = dilatations[0] + one;
        states.mean_dilatation_gradients = states.gradients;
        return states;
    }
    let mean = sum / states.volume;
    states.mean_jacobian = mean + one;
    for k in 0..P {
        states.mean_dilatation_gradients[k] = if L::SMALL_STRAIN {
            states.gradients[k].add_diagonal((mean - dilatations[k]) * (1.0 / 3.0))
        } else {
            let excess = volume_stretch_excess(mean - dilatations[k], states.jacobians[k]);
            states.stretch_excesses[k] = excess;
            states.gradients[k].scale(excess + one).add_diagonal(excess)
        };
    }
    states
}

/// α − 1 with α = (J̄/J)^⅓, from J̄ − J and J, with no cancellation: (α³ − 1)/(α² + α + 1).
#[inline(always)]
fn volume_stretch_excess(difference: Lanes, jacobian: Lanes) -> Lanes {
    let relative = difference / jacobian;
    let root = (relative + Lanes::splat(1.0)).cube_root();
    relative / (root * root + root + Lanes::splat(1.0))
}

/// Stress at every point and energy.
#[inline(always)]
pub(super) fn stresses<L: Law, const P: usize>(
    law: L,
    geometry: &[PointGeometry; P],
    states: &PointStates<P>,
) -> Stresses<P> {
    let mut effective = [Tensor::zero(); P];
    let mut pressures = [Lanes::splat(0.0); P];
    let (mut energy, mut pressure_sum) = (Lanes::splat(0.0), Lanes::splat(0.0));
    for k in 0..P {
        let h = &states.mean_dilatation_gradients[k];
        let Response { stress, energy: density } = law.response(h);
        energy += geometry[k].weight * density;
        effective[k] = stress;
        if P > 1 {
            // ⅓ P̄ : F̄, or ⅓ tr P at small strain.
            let work = if L::SMALL_STRAIN { stress.trace() } else { stress.double_dot(h) + stress.trace() };
            pressures[k] = work * (1.0 / 3.0);
            pressure_sum += geometry[k].weight * pressures[k];
        }
    }
    if P > 1 {
        let volume = if L::SMALL_STRAIN { states.volume } else { states.volume * states.mean_jacobian };
        let mean = pressure_sum / volume;
        for k in 0..P {
            effective[k] = with_mean_pressure::<L, P>(&effective[k], pressures[k], mean, states, k);
        }
    }
    Stresses { effective, energy }
}

/// The stress that works on F at point `k`, from P̄, its pressure π and the mean pressure p̂.
#[inline(always)]
fn with_mean_pressure<L: Law, const P: usize>(
    stress: &Tensor<Lanes>,
    pressure: Lanes,
    mean: Lanes,
    states: &PointStates<P>,
    k: usize,
) -> Tensor<Lanes> {
    if L::SMALL_STRAIN {
        return stress.add_diagonal(mean - pressure);
    }
    let one = Lanes::splat(1.0);
    let cofactor = states.gradients[k].add_diagonal(one).cofactor();
    stress.scale(states.stretch_excesses[k] + one) + cofactor.scale(mean - pressure / states.jacobians[k])
}

/// f_a = Σ_k w_k P_k ∇N_a.
#[inline(always)]
pub(super) fn nodal_forces<I, const N: usize, const P: usize>(
    interpolation: &I,
    geometry: &[PointGeometry; P],
    stresses: &[Tensor<Lanes>; P],
) -> [[Lanes; 3]; N]
where
    I: Interpolation<N, P>,
{
    let mut natural = [Tensor::zero(); P];
    for k in 0..P {
        natural[k] = stresses[k].scale(geometry[k].weight).dot_transposed(&geometry[k].inverse_jacobian);
    }
    interpolation.divergence(&natural)
}
