//! Stress, energy and forces of several elements at a time, total Lagrangian, by numerical integration.
//!
//! Linear elements with several quadrature points have mean dilatation: they see F̄ = (J̄/J)^⅓ F, J̄ = Σ w J / Σ w (de
//! Souza Neto, Perić, Dutko and Owen 1996, Int. J. Solids Struct. 33:3277, with the mean instead of the central
//! volume), so that a nearly incompressible material does not lock. The energy is Σ w W(F̄) and the forces are its
//! exact gradient: with α = (J̄/J)^⅓, π = ⅓ P̄ : F̄ and p̂ = Σ w π / (J̄ Σ w) the stress that works on F is α P̄ + (p̂
//! − π/J) cof F. The small-strain law has tr H for the volume, which makes it the B̄ method (Hughes 1980, Int. J.
//! Numer. Meth. Eng. 15:1413). Quadratic elements and simplices of one point see F itself ([`Formulation`]).

#![allow(
    clippy::needless_range_loop,
    reason = "indices are those of the formulas, and closures of iterators escape the vector code"
)]

use pulp::Simd;

use super::group::{GroupPart, POINT_ROWS};
use super::interpolation::{Formulation, Interpolation};
use crate::material::{Law, Response};
use crate::math::pack::{Pack, Row};
use crate::math::real::Real;
use crate::math::tensor::Tensor;

/// Reference geometry at the quadrature points of a part of a group.
#[derive(Clone, Copy)]
pub(super) struct PointGeometry<'a, S, const P: usize> {
    part: GroupPart<'a, S>,
    points: &'a [[Row; POINT_ROWS]],
}

impl<'a, S: Simd, const P: usize> PointGeometry<'a, S, P> {
    /// Of elements with `P` points.
    #[inline(always)]
    pub fn new(part: &GroupPart<'a, S>) -> Self {
        let (points, _) = part.rows.as_chunks();
        Self { part: *part, points: &points[..P] }
    }

    /// (∂X/∂ξ)⁻¹ \[1/m\].
    #[inline(always)]
    fn inverse_jacobian(&self, k: usize) -> Tensor<Pack<S>> {
        let mut tensor = Tensor::filled(self.weight(k));
        for i in 0..3 {
            for j in 0..3 {
                tensor.0[i][j] = self.part.load(&self.points[k][3 * i + j]);
            }
        }
        tensor
    }

    /// Quadrature weight times det ∂X/∂ξ \[m³\].
    #[inline(always)]
    pub fn weight(&self, k: usize) -> Pack<S> {
        self.part.load(&self.points[k][9])
    }
}

/// Workspace: state of the `P` quadrature points of the elements of a pack.
///
/// One lives through a chunk of elements; results are written in place, as copies of it would cost as much as
/// the arithmetic.
pub(super) struct ElementState<S: Simd, const P: usize> {
    /// Displacement gradient H = F − I of the interpolation.
    pub gradients: [Tensor<Pack<S>>; P],
    /// J = det F.
    pub jacobians: [Pack<S>; P],
    /// Mean of J over the reference volume (1 + mean of tr H for a small-strain law); of elements that see one volume
    /// change.
    pub mean_jacobian: Pack<S>,
    /// The same less 1, of elements with mean dilatation.
    mean_change: Pack<S>,
    /// Reference volume \[m³\].
    pub volume: Pack<S>,
    /// First Piola–Kirchhoff stress that works on F \[Pa\].
    pub stresses: [Tensor<Pack<S>>; P],
    /// Strain energy \[J\].
    pub energy: Pack<S>,
    /// 1/J, of elements with mean dilatation.
    inverse_jacobians: [Pack<S>; P],
    /// α − 1, or ⅓ (θ̄ − θ) of a small-strain law: what mean dilatation adds.
    corrections: [Pack<S>; P],
}

impl<S: Simd, const P: usize> ElementState<S, P> {
    /// The undeformed state.
    #[inline(always)]
    pub fn new(simd: S) -> Self {
        let (zero, one) = (Pack::splat(simd, 0.0), Pack::splat(simd, 1.0));
        Self {
            gradients: [Tensor::filled(zero); P],
            jacobians: [one; P],
            mean_jacobian: one,
            mean_change: zero,
            volume: zero,
            stresses: [Tensor::filled(zero); P],
            energy: zero,
            inverse_jacobians: [one; P],
            corrections: [zero; P],
        }
    }

    /// Deformation at every point.
    #[inline(always)]
    pub fn deform<I, L, const N: usize>(
        &mut self,
        interpolation: &I,
        geometry: &PointGeometry<'_, S, P>,
        positions: &[[Pack<S>; 3]; N],
    ) where
        I: Interpolation<N, P>,
        L: Law,
    {
        // Change of volume that the law knows: tr H for a small-strain law, J − 1 for the others.
        let zero = positions[0][0].constant(0.0);
        let (mut sum, mut volume) = (zero, zero);
        interpolation.gradients(positions, &mut self.gradients);
        for k in 0..P {
            let h = self.gradients[k].dot(&geometry.inverse_jacobian(k)).minus_identity();
            let change = h.relative_volume_change();
            let dilatation = if L::SMALL_STRAIN { h.trace() } else { change };
            sum += geometry.weight(k) * dilatation;
            volume += geometry.weight(k);
            self.corrections[k] = dilatation;
            self.jacobians[k] = change + 1.0;
            self.gradients[k] = h;
        }
        self.volume = volume;
        if !I::MEAN_DILATATION {
            self.mean_jacobian = self.jacobians[0];
            return;
        }
        let mean = sum / volume;
        (self.mean_jacobian, self.mean_change) = (mean + 1.0, mean);
        for k in 0..P {
            let difference = mean - self.corrections[k];
            self.corrections[k] = if L::SMALL_STRAIN {
                difference * (1.0 / 3.0)
            } else {
                self.inverse_jacobians[k] = self.jacobians[k].reciprocal();
                volume_stretch_excess(difference * self.inverse_jacobians[k])
            };
        }
    }

    /// Smallest J over the points; not a number if any J is not finite.
    #[inline(always)]
    pub fn smallest_jacobian(&self) -> Pack<S> {
        let (mut smallest, mut sum) = (self.jacobians[0], self.jacobians[0]);
        for jacobian in &self.jacobians[1..] {
            smallest = smallest.min(*jacobian);
            sum += *jacobian;
        }
        smallest + sum * 0.0
    }

    /// Displacement gradient H̄ = F̄ − I that the law sees at point `k`.
    #[inline(always)]
    pub fn law_gradient<I: Formulation, L: Law>(&self, k: usize) -> Tensor<Pack<S>> {
        let (h, correction) = (&self.gradients[k], self.corrections[k]);
        if !I::MEAN_DILATATION {
            *h
        } else if L::SMALL_STRAIN {
            h.add_diagonal(correction)
        } else {
            h.scale(correction + 1.0).add_diagonal(correction)
        }
    }

    /// Stress at every point and energy, for the deformation last given.
    #[inline(always)]
    pub fn stress<I: Formulation, L: Law>(&mut self, law: L, geometry: &PointGeometry<'_, S, P>) {
        let zero = self.volume.constant(0.0);
        let mut pressures = [zero; P];
        let (mut energy, mut pressure_sum) = (zero, zero);
        // All points see the mean volume change.
        let volumetric = law.volumetric(self.mean_change);
        for k in 0..P {
            let h = self.law_gradient::<I, L>(k);
            let response =
                if I::MEAN_DILATATION { law.response_at_volume(&h, &volumetric) } else { law.response(&h) };
            let Response { stress, energy: density } = response;
            energy += geometry.weight(k) * density;
            self.stresses[k] = stress;
            if I::MEAN_DILATATION {
                // ⅓ P̄ : F̄, or ⅓ tr P at small strain.
                let work =
                    if L::SMALL_STRAIN { stress.trace() } else { stress.double_dot(&h) + stress.trace() };
                pressures[k] = work * (1.0 / 3.0);
                pressure_sum += geometry.weight(k) * pressures[k];
            }
        }
        self.energy = energy;
        if I::MEAN_DILATATION {
            let volume = if L::SMALL_STRAIN { self.volume } else { self.volume * self.mean_jacobian };
            let mean = pressure_sum / volume;
            for k in 0..P {
                self.stresses[k] = self.with_mean_pressure::<L>(k, pressures[k], mean);
            }
        }
    }

    /// The stress that works on F at point `k`, from P̄, its pressure π and the mean pressure p̂.
    #[inline(always)]
    fn with_mean_pressure<L: Law>(&self, k: usize, pressure: Pack<S>, mean: Pack<S>) -> Tensor<Pack<S>> {
        let stress = &self.stresses[k];
        if L::SMALL_STRAIN {
            return stress.add_diagonal(mean - pressure);
        }
        let (cofactor, _) = self.gradients[k].deformed_cofactor();
        stress.scale(self.corrections[k] + 1.0) + cofactor.scale(mean - pressure * self.inverse_jacobians[k])
    }
}

/// α − 1 with α = (J̄/J)^⅓, from J̄/J − 1, with no cancellation: (α³ − 1)/(α² + α + 1).
#[inline(always)]
fn volume_stretch_excess<R: Real>(relative: R) -> R {
    let root = (relative + 1.0).cube_root();
    relative / (root * root + root + 1.0)
}

/// f_a = Σ_k w_k P_k ∇N_a; overwrites the stresses.
#[inline(always)]
pub(super) fn nodal_forces<I, S: Simd, const N: usize, const P: usize>(
    interpolation: &I,
    geometry: &PointGeometry<'_, S, P>,
    stresses: &mut [Tensor<Pack<S>>; P],
    forces: &mut [[Pack<S>; 3]; N],
) where
    I: Interpolation<N, P>,
{
    for k in 0..P {
        stresses[k] = stresses[k].scale(geometry.weight(k)).dot_transposed(&geometry.inverse_jacobian(k));
    }
    interpolation.divergence(stresses, forces);
}
