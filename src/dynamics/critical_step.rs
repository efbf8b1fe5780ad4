//! The largest stable time step, from a bound of the highest frequency of each element.
//!
//! The central difference method is stable for Δt ≤ 2/ω, ω the highest frequency of the mesh, which no element's
//! own highest frequency falls short of (Irons' theorem; Hughes 2000, *The Finite Element Method*, §9.1). For
//! every motion u of an element in its current state, with h = ∂u/∂x and θ = tr h at the quadrature points,
//!
//! uᵀ K u ≤ A Σ w |h|² + b V₀ θ̄²,   Σ w |h|² ≤ s Σ w |∂u/∂X|² ≤ s β uᵀ M u,   V₀ θ̄² ≤ V₀ Σ |B̄_a|²/m_min uᵀ M u
//!
//! where s is the largest eigenvalue of (FᵀF)⁻¹ over the points, β the largest eigenvalue of the element's scalar
//! Laplacian on its lumped masses (reference geometry only, computed once), and B̄ the mean of ∇N over the current
//! volume. A and b come from [`TangentBound`](crate::material::TangentBound). With one point A = a.
//!
//! A quadratic element sees θ itself at its points, and A = a. Let C = F⁻ᵀ there and C̄ its mean. Then
//! θ = C̄ : ∂u/∂X + (C − C̄) : ∂u/∂X, whose first part is the divergence of C̄ᵀu, so that (Minkowski)
//!
//! Σ w θ² ≤ (|C̄|₂ √γ + max |C − C̄| √β)² uᵀ M u
//!
//! with γ the largest eigenvalue of the element's divergence on its lumped masses, again computed once: that of the
//! matrix √(w_k w_l) Σ_a ∇N_a(k)·∇N_a(l)/m_a of its points. On a rotated, unstrained element this is γ.
//!
//! With mean dilatation let r = max J/J̄ ≥ 1 and t = max |P̄ F̄ᵀ|. The tangent works on l̄ = h + ⅓(θ̄ − θ)I, whose
//! Σ w |l̄|² is at most r Σ w |h|², and the second variation of F̄ adds at most 7 r t Σ w |h|² (the parts
//! 2 δln α (τ̄:h), tr τ̄ (δln α)² and tr τ̄ δ²ln α with at most 2.31, 2.31 and 1.74 of r t, from
//! |θ|² ≤ 3|h|², |tr h²| ≤ |h|² and Σ w θ̄² ≤ r Σ w θ²). Hence A = r (a + 7 t).
//!
//! On an undeformed cube or regular tetrahedron (of linear kind) the bound is the exact frequency.

#![allow(
    clippy::needless_range_loop,
    reason = "indices are those of the formulas, and closures of iterators escape the vector code"
)]

use std::ops::Range;

use super::element_block::{ElementBlock, ElementOperation, PointGeometry, Spectrum};
use super::element_kernel::{ElementState, nodal_forces};
use super::interpolation::Interpolation;
use crate::material::Law;
use crate::math::Vec3;
use crate::math::real::{Kernel, LANES, Lanes, Real, Vectorised};
use crate::math::tensor::Tensor;

/// Factor of the stress in the second variation of F̄.
const SECOND_VARIATION: f64 = 7.0;

/// The stable step and the element that asks for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CriticalStep {
    /// Largest Δt known to be stable \[s\].
    pub time_step: f64,
    /// Index of the block.
    pub block: usize,
    /// Element of the block.
    pub element: usize,
}

impl CriticalStep {
    /// The smaller of two; of equals the first, so that the element named does not depend on threads.
    pub(super) fn smaller(self, other: Self) -> Self {
        if other.time_step < self.time_step { other } else { self }
    }
}

/// The element of a chunk with the largest bound of ω².
#[derive(Clone, Copy, Debug)]
pub(super) struct WorstElement {
    element: usize,
    frequency_squared: f64,
}

impl WorstElement {
    pub(super) fn into_step(self, block: usize) -> CriticalStep {
        CriticalStep { time_step: 2.0 / self.frequency_squared.sqrt(), block, element: self.element }
    }
}

/// Bound over some groups of a block, as an operation on elements.
pub(super) struct GroupBound<'a> {
    pub block: &'a ElementBlock,
    pub positions: &'a [Vec3],
    pub groups: Range<usize>,
    pub vectorised: Vectorised,
}

impl ElementOperation for GroupBound<'_> {
    type Output = WorstElement;

    fn run<I, L, const N: usize, const P: usize>(self, interpolation: &I, law: L) -> WorstElement
    where
        I: Interpolation<N, P>,
        L: Law,
    {
        self.vectorised.run(BoundKernel::<I, L, N, P> { work: &self, interpolation, law })
    }
}

struct BoundKernel<'a, I, L, const N: usize, const P: usize> {
    work: &'a GroupBound<'a>,
    interpolation: &'a I,
    law: L,
}

impl<I: Interpolation<N, P>, L: Law, const N: usize, const P: usize> Kernel for BoundKernel<'_, I, L, N, P> {
    type Output = WorstElement;

    #[inline(always)]
    fn call(self) -> WorstElement {
        let GroupBound { block, positions, groups, .. } = self.work;
        let mut worst = WorstElement { element: groups.start * LANES, frequency_squared: 0.0 };
        let mut state = ElementState::<P>::new();
        for group in groups.clone() {
            let Some(geometry) = block.group_geometry(group).first_chunk::<P>() else { break };
            let x = block.gather_group::<N>(group, positions);
            state.deform::<I, L, N>(self.interpolation, geometry, &x);
            let spectrum = block.spectrum(group);
            let bound = frequency_squared_bound(self.interpolation, self.law, geometry, spectrum, &state);
            let mut smallest = state.jacobians[0];
            for jacobian in &state.jacobians[1..] {
                smallest = smallest.min(*jacobian);
            }
            for lane in 0..LANES {
                let sound = smallest.0[lane] > 0.0 && bound.0[lane] < f64::INFINITY;
                let value = if sound { bound.0[lane] } else { f64::INFINITY };
                if value > worst.frequency_squared {
                    worst = WorstElement { element: group * LANES + lane, frequency_squared: value };
                }
            }
        }
        worst
    }
}

/// Bound of ω² of four elements \[1/s²\].
#[inline(always)]
fn frequency_squared_bound<I, L, const N: usize, const P: usize>(
    interpolation: &I,
    law: L,
    geometry: &[PointGeometry; P],
    spectrum: &Spectrum,
    state: &ElementState<P>,
) -> Lanes
where
    I: Interpolation<N, P>,
    L: Law,
{
    let (zero, one) = (Lanes::splat(0.0), Lanes::splat(1.0));
    let (mut gradient, mut dilatation, mut inverse_stretch, mut stress) = (zero, zero, zero, zero);
    let mut volume_ratio = one;
    let mut cofactors = [Tensor::<Lanes>::zero().add_diagonal(one); P];
    for k in 0..P {
        let h = state.law_gradient::<I, L>(k);
        let bound = law.tangent_bound(&h);
        gradient = gradient.max(bound.gradient);
        dilatation = dilatation.max(bound.dilatation);
        if L::SMALL_STRAIN {
            inverse_stretch = one;
            continue;
        }
        let jacobian = state.jacobians[k];
        let cofactor = state.gradients[k].add_diagonal(one).cofactor();
        let largest = cofactor.transposed_dot_self().largest_eigenvalue_bound() / (jacobian * jacobian);
        inverse_stretch = inverse_stretch.max(largest);
        cofactors[k] = cofactor;
        if I::MEAN_DILATATION {
            volume_ratio = volume_ratio.max(jacobian / state.mean_jacobian);
            let first = law.first_piola_kirchhoff(&h);
            let kirchhoff = first.dot_transposed(&h) + first;
            stress = stress.max(kirchhoff.double_dot(&kirchhoff).sqrt());
        }
    }
    if I::MEAN_DILATATION && !L::SMALL_STRAIN {
        gradient = volume_ratio * (gradient + stress * SECOND_VARIATION);
    }
    let divergence = if I::MEAN_DILATATION || P == 1 {
        let mean = if L::SMALL_STRAIN { one } else { state.mean_jacobian };
        mean_divergence(interpolation, geometry, &mut cofactors, spectrum, &state.volume) / (mean * mean)
    } else if L::SMALL_STRAIN {
        spectrum.divergence
    } else {
        pointwise_divergence(&cofactors, &state.jacobians, spectrum)
    };
    gradient * inverse_stretch * spectrum.laplacian + dilatation * divergence
}

/// V₀ Σ |J̄ B̄_a|²/m_min from cof F, which it overwrites: V₀ J̄ B̄_a = Σ w cof F ∇N_a is the gradient of the current
/// volume.
#[inline(always)]
fn mean_divergence<I, const N: usize, const P: usize>(
    interpolation: &I,
    geometry: &[PointGeometry; P],
    cofactors: &mut [Tensor<Lanes>; P],
    spectrum: &Spectrum,
    volume: &Lanes,
) -> Lanes
where
    I: Interpolation<N, P>,
{
    let mut volume_gradient = [[Lanes::splat(0.0); 3]; N];
    nodal_forces(interpolation, geometry, cofactors, &mut volume_gradient);
    let mut norm_squared = Lanes::splat(0.0);
    for [x, y, z] in volume_gradient {
        norm_squared += x * x + y * y + z * z;
    }
    norm_squared * spectrum.inverse_mass / *volume
}

/// (|C̄|₂ √γ + max |C − C̄| √β)², C = cof F / J.
#[inline(always)]
fn pointwise_divergence<const P: usize>(
    cofactors: &[Tensor<Lanes>; P],
    jacobians: &[Lanes; P],
    spectrum: &Spectrum,
) -> Lanes {
    let one = Lanes::splat(1.0);
    let mut mean = Tensor::<Lanes>::zero();
    for k in 0..P {
        mean = mean + cofactors[k].scale(one / jacobians[k]);
    }
    mean = mean.scale(Lanes::splat(1.0 / P as f64));
    let mut farthest = Lanes::splat(0.0);
    for k in 0..P {
        let difference = cofactors[k].scale(one / jacobians[k]) - mean;
        farthest = farthest.max(difference.double_dot(&difference));
    }
    let largest = mean.transposed_dot_self().largest_eigenvalue_bound();
    let root = (largest * spectrum.divergence).sqrt() + (farthest * spectrum.laplacian).sqrt();
    root * root
}
