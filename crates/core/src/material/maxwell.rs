//! A viscoelastic law with history, for tests.

use super::law::green_lagrange;
use super::st_venant_kirchhoff::StVenantKirchhoff;
use super::{Elasticity, Law, MaterialResponse, StrainResponse, TangentBound};
use crate::math::real::Real;
use crate::math::tensor::{SymmetricTensor, Tensor};

/// Relaxation time τ \[s\].
pub const RELAXATION_TIME: f64 = 0.05;

/// S = C : (E − V), V̇ = (E − V)/τ, with the moduli C of St. Venant–Kirchhoff. E is the Green–Lagrange strain, V the
/// viscous strain, and τ the relaxation time.
///
/// A step of length Δt multiplies E − V by exp(−Δt/τ), with E at the end of the step. The history consists of V and the
/// dissipated energy.
#[derive(Clone, Copy, Debug)]
pub struct Maxwell(pub Elasticity);

impl Law for Maxwell {
    const SMALL_STRAIN: bool = false;

    type History<R: Real> = [R; 7];

    type Volumetric<R: Real> = ();

    fn volumetric<R: Real>(&self, _: R) {}

    fn response<R: Real>(
        &self,
        displacement_gradient: &Tensor<R>,
        history: &mut [R; 7],
        time_step: f64,
    ) -> MaterialResponse<R> {
        let strain = green_lagrange(displacement_gradient);
        let StrainResponse { stress, energy, .. } = self.response_to_strain(&strain, &(), history, time_step);
        let second = stress.full();
        MaterialResponse { stress: displacement_gradient.dot_plus(&second, &second), energy }
    }

    fn response_to_strain<R: Real>(
        &self,
        strain: &SymmetricTensor<R>,
        (): &(),
        history: &mut [R; 7],
        time_step: f64,
    ) -> StrainResponse<R> {
        let elastic = |strain: &SymmetricTensor<R>| {
            StVenantKirchhoff(self.0).response_to_strain(strain, &(), &mut [], 0.0)
        };
        let [viscous @ .., dissipated] = *history;
        let before = *strain + SymmetricTensor(viscous).times(-1.0);
        let now = before.times((-time_step / RELAXATION_TIME).exp());
        let energy = elastic(&before).energy + dissipated;
        let relaxed = elastic(&now);
        let [xx, yy, zz, xy, yz, xz] = (*strain + now.times(-1.0)).0;
        *history = [xx, yy, zz, xy, yz, xz, energy - relaxed.energy];
        let stress = relaxed.stress;
        let power = stress.full().double_dot(&strain.full());
        StrainResponse { stress, energy, kirchhoff_trace: stress.trace() + power * 2.0 }
    }

    /// The bound of the elastic law, plus the norm of the Kirchhoff stress.
    fn tangent_bound<R: Real>(&self, displacement_gradient: &Tensor<R>, history: &[R; 7]) -> TangentBound<R> {
        let elastic = StVenantKirchhoff(self.0).tangent_bound(displacement_gradient, &[]);
        let stress = self.response(displacement_gradient, &mut { *history }, 0.0).stress;
        let kirchhoff = stress.dot_transposed(&displacement_gradient.plus_identity());
        TangentBound { gradient: elastic.gradient + kirchhoff.double_dot(&kirchhoff).sqrt(), ..elastic }
    }
}
