use super::law::green_lagrange;
use super::{
    Elasticity, ElasticityError, Hyperelastic, LAWS, Law, LawOperation, LinearElastic, MaterialResponse,
    NeoHookean, PointHistory, StVenantKirchhoff,
};
use crate::math::tensor::Tensor;
use nalgebra::{Rotation3, Vector3};
use proptest::prelude::*;

type Gradient = Tensor<f64>;

fn gradient(size: f64) -> impl Strategy<Value = Gradient> {
    prop::array::uniform3(prop::array::uniform3(-size..size)).prop_map(Tensor)
}

fn constants() -> impl Strategy<Value = Elasticity> {
    (1.0..10.0f64, -0.5..0.49f64).prop_map(|(e, nu)| Elasticity::from_young_poisson(e, nu).unwrap())
}

fn rotation() -> impl Strategy<Value = Rotation3<f64>> {
    prop::array::uniform3(-3.0..3.0f64).prop_map(|v| Rotation3::new(Vector3::from(v)))
}

fn deformation(h: &Gradient) -> nalgebra::Matrix3<f64> {
    nalgebra::Matrix3::from_fn(|i, j| h.0[i][j]) + nalgebra::Matrix3::identity()
}

fn from_deformation(f: nalgebra::Matrix3<f64>) -> Gradient {
    Tensor(std::array::from_fn(|i| std::array::from_fn(|j| f[(i, j)] - f64::from(u8::from(i == j)))))
}

type Checked = Result<(), TestCaseError>;

/// Runs a check for all laws.
fn check_all(e: Elasticity, check: impl LawOperation<Output = Checked> + Copy) -> Checked {
    LAWS.iter().try_for_each(|law| (law.material)(e).with_law(check))
}

/// Response of a point without history, in a step of zero length.
fn respond<L: Law>(law: L, h: &Gradient) -> MaterialResponse<f64> {
    law.response(h, &mut L::History::filled(0.0), 0.0)
}

/// The stress is the derivative of W in the direction `d`, by central differences.
#[derive(Clone, Copy)]
struct Stress<'a> {
    h: &'a Gradient,
    d: &'a Gradient,
}

impl LawOperation for Stress<'_> {
    type Output = Checked;

    fn run<L: Law>(self, law: L) -> Checked {
        let Self { h, d } = self;
        let e = 1e-5;
        let energy = |h: &Gradient| respond(law, h).energy;
        let slope = (energy(&(*h + d.scale(e))) - energy(&(*h - d.scale(e)))) / (2.0 * e);
        let stress = respond(law, h).stress;
        let scale = stress.double_dot(&stress).sqrt() + 1.0;
        let work = stress.double_dot(d);
        prop_assert!((slope - work).abs() < 1e-6 * scale, "{} {}", slope, work);
        Ok(())
    }
}

/// The bound on the tangent for the velocity gradient `l`; Ḟ : ∂P/∂F : Ḟ by central differences.
#[derive(Clone, Copy)]
struct Bound<'a> {
    h: &'a Gradient,
    l: &'a Gradient,
}

impl LawOperation for Bound<'_> {
    type Output = Checked;

    fn run<L: Law>(self, law: L) -> Checked {
        let Self { h, l } = self;
        let e = 1e-6;
        let rate = if L::SMALL_STRAIN { *l } else { l.dot(&h.add_diagonal(1.0)) };
        let bound = law.tangent_bound(h, &L::History::filled(0.0));
        let allowed = bound.gradient * l.double_dot(l) + bound.dilatation * l.trace().powi(2);
        let stress = |h: &Gradient| respond(law, h).stress;
        let change = stress(&(*h + rate.scale(e))) - stress(&(*h - rate.scale(e)));
        let exact = change.scale(0.5 / e).double_dot(&rate);
        prop_assert!(exact <= allowed * (1.0 + 1e-6) + 1e-6, "{} > {}", exact, allowed);
        Ok(())
    }
}

/// A rotation `q` leaves the energy of an objective law unchanged and rotates the stress P.
#[derive(Clone, Copy)]
struct Objectivity<'a> {
    h: &'a Gradient,
    q: &'a Rotation3<f64>,
}

impl LawOperation for Objectivity<'_> {
    type Output = Checked;

    fn run<L: Law>(self, law: L) -> Checked {
        if L::SMALL_STRAIN {
            return Ok(());
        }
        let (h, q) = (self.h, self.q.matrix());
        let (before, after) = (respond(law, h), respond(law, &from_deformation(q * deformation(h))));
        prop_assert!((after.energy - before.energy).abs() < 1e-12 * (1.0 + before.energy));
        let expected = q * nalgebra::Matrix3::from_fn(|i, j| before.stress.0[i][j]);
        let difference = nalgebra::Matrix3::from_fn(|i, j| after.stress.0[i][j]) - expected;
        prop_assert!(difference.norm() < 1e-12 * (1.0 + expected.norm()) * 10.0);
        Ok(())
    }
}

/// The two responses of a finite-strain law agree: P = F S, equal energies, and P : F = S : C.
#[derive(Clone, Copy)]
struct ReferenceResponse<'a> {
    h: &'a Gradient,
}

impl LawOperation for ReferenceResponse<'_> {
    type Output = Checked;

    fn run<L: Law>(self, law: L) -> Checked {
        if L::SMALL_STRAIN {
            return Ok(());
        }
        let h = self.h;
        let volumetric = law.volumetric(h.relative_volume_change());
        let mut history = L::History::filled(0.0);
        let material = law.response_to_strain(&green_lagrange(h), &volumetric, &mut history, 0.0);
        let spatial = respond(law, h);
        let f = h.add_diagonal(1.0);
        let difference = f.dot(&material.stress.full()) - spatial.stress;
        let scale = 1.0 + spatial.stress.double_dot(&spatial.stress).sqrt();
        prop_assert!(difference.double_dot(&difference).sqrt() < 1e-12 * scale);
        prop_assert!((material.energy - spatial.energy).abs() < 1e-12 * scale);
        prop_assert!((material.kirchhoff_trace - spatial.stress.double_dot(&f)).abs() < 1e-12 * scale);
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn stress_is_the_derivative_of_the_energy(e in constants(), h in gradient(0.25), d in gradient(1.0)) {
        check_all(e, Stress { h: &h, d: &d })?;
    }

    #[test]
    fn laws_agree_in_the_reference_configuration(e in constants(), h in gradient(0.25)) {
        check_all(e, ReferenceResponse { h: &h })?;
    }

    #[test]
    fn tangent_bound_bounds(e in constants(), h in gradient(0.25), l in gradient(1.0)) {
        check_all(e, Bound { h: &h, l: &l })?;
        // A uniform dilatation is the direction in which an undeformed point attains the bound.
        check_all(e, Bound { h: &h, l: &Gradient::filled(0.0).plus_identity() })?;
    }

    #[test]
    fn finite_strain_laws_are_objective(e in constants(), h in gradient(0.25), q in rotation()) {
        check_all(e, Objectivity { h: &h, q: &q })?;
    }

    #[test]
    fn a_rotation_gives_strain_within_rounding(e in constants(), q in rotation()) {
        let h = from_deformation(*q.matrix());
        for energy in [StVenantKirchhoff(e).energy(&h), NeoHookean(e).energy(&h)] {
            prop_assert!(energy.abs() < 1e-29 * (e.mu + e.bulk_modulus()), "{}", energy);
        }
        for stress in [StVenantKirchhoff(e).first_piola_kirchhoff(&h), NeoHookean(e).first_piola_kirchhoff(&h)] {
            prop_assert!(stress.double_dot(&stress).sqrt() < 1e-14 * (e.mu + e.bulk_modulus()));
        }
    }

    #[test]
    fn laws_agree_at_small_strain(e in constants(), h in gradient(1e-9)) {
        let linear = respond(LinearElastic(e), &h);
        for other in [respond(StVenantKirchhoff(e), &h), respond(NeoHookean(e), &h)] {
            let difference = other.stress - linear.stress;
            prop_assert!(difference.double_dot(&difference).sqrt() < 1e-7 * 1e-9 * e.p_wave_modulus());
            prop_assert!((other.energy - linear.energy).abs() < 1e-7 * 1e-18 * e.p_wave_modulus());
        }
    }

    #[test]
    fn neo_hookean_energy_is_the_textbook_formula(e in constants(), h in gradient(0.25)) {
        let f = deformation(&h);
        let (j, trace) = (f.determinant(), (f.transpose() * f).trace());
        let w = 0.5 * e.mu * (trace - 3.0) - e.mu * j.ln() + 0.5 * e.lambda * j.ln().powi(2);
        prop_assert!((NeoHookean(e).energy(&h) - w).abs() < 1e-13 * (1.0 + e.mu + e.lambda.abs()));
    }
}

#[test]
fn constants_of_steel() {
    let steel = Elasticity::from_young_poisson(210e9, 0.3).unwrap();
    assert!((steel.mu - 80.769_230_769e9).abs() < 1.0);
    assert!((steel.bulk_modulus() - 175e9).abs() < 1.0);
}

#[test]
fn constants_out_of_range_are_rejected() {
    assert_eq!(Elasticity::from_young_poisson(-1.0, 0.3), Err(ElasticityError::Young(-1.0)));
    assert_eq!(Elasticity::from_young_poisson(1.0, 0.5), Err(ElasticityError::Poisson(0.5)));
    assert!(Elasticity::from_young_poisson(1.0, f64::NAN).is_err());
}
