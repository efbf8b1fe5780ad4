use super::law::green_lagrange;
use super::{Elasticity, ElasticityError, Hyperelastic, LinearElastic, NeoHookean, StVenantKirchhoff};
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

/// Central difference of W in the direction `d`.
fn energy_slope(law: impl Hyperelastic, h: &Gradient, d: &Gradient) -> f64 {
    let e = 1e-5;
    (law.energy(&(*h + d.scale(e))) - law.energy(&(*h - d.scale(e)))) / (2.0 * e)
}

/// Ḟ : ∂P/∂F : Ḟ by central differences.
fn tangent(law: impl Hyperelastic, h: &Gradient, rate: &Gradient) -> f64 {
    let e = 1e-6;
    let change =
        law.first_piola_kirchhoff(&(*h + rate.scale(e))) - law.first_piola_kirchhoff(&(*h - rate.scale(e)));
    change.scale(0.5 / e).double_dot(rate)
}

fn check_stress(law: impl Hyperelastic, h: &Gradient, d: &Gradient) -> Result<(), TestCaseError> {
    let (slope, work) = (energy_slope(law, h, d), law.first_piola_kirchhoff(h).double_dot(d));
    let scale = law.first_piola_kirchhoff(h).double_dot(&law.first_piola_kirchhoff(h)).sqrt() + 1.0;
    prop_assert!((slope - work).abs() < 1e-6 * scale, "{} {}", slope, work);
    Ok(())
}

fn check_bound(law: impl Hyperelastic, h: &Gradient, l: &Gradient) -> Result<(), TestCaseError> {
    let rate = if law_is_small(law) { *l } else { l.dot(&h.add_diagonal(1.0)) };
    let bound = law.tangent_bound(h);
    let allowed = bound.gradient * l.double_dot(l) + bound.dilatation * l.trace().powi(2);
    let exact = tangent(law, h, &rate);
    prop_assert!(exact <= allowed * (1.0 + 1e-6) + 1e-6, "{} > {}", exact, allowed);
    Ok(())
}

fn law_is_small<L: Hyperelastic>(_law: L) -> bool {
    L::SMALL_STRAIN
}

fn check_objective(law: impl Hyperelastic, h: &Gradient, q: &Rotation3<f64>) -> Result<(), TestCaseError> {
    let turned = from_deformation(q.matrix() * deformation(h));
    prop_assert!((law.energy(&turned) - law.energy(h)).abs() < 1e-12 * (1.0 + law.energy(h)));
    let stress = law.first_piola_kirchhoff(h);
    let expected = q.matrix() * nalgebra::Matrix3::from_fn(|i, j| stress.0[i][j]);
    let got = law.first_piola_kirchhoff(&turned);
    let difference = nalgebra::Matrix3::from_fn(|i, j| got.0[i][j]) - expected;
    prop_assert!(difference.norm() < 1e-12 * (1.0 + expected.norm()) * 10.0);
    Ok(())
}

/// The two responses agree: P = F S, equal energies, and P : F = S : C.
fn check_reference_response(law: impl Hyperelastic, h: &Gradient) -> Result<(), TestCaseError> {
    let volumetric = law.volumetric(h.relative_volume_change());
    let (spatial, material) = (law.response(h), law.response_to_strain(&green_lagrange(h), &volumetric));
    let f = h.add_diagonal(1.0);
    let difference = f.dot(&material.stress.full()) - spatial.stress;
    let scale = 1.0 + spatial.stress.double_dot(&spatial.stress).sqrt();
    prop_assert!(difference.double_dot(&difference).sqrt() < 1e-12 * scale);
    prop_assert!((material.energy - spatial.energy).abs() < 1e-12 * scale);
    prop_assert!((material.kirchhoff_trace - spatial.stress.double_dot(&f)).abs() < 1e-12 * scale);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn stress_is_the_derivative_of_the_energy(e in constants(), h in gradient(0.25), d in gradient(1.0)) {
        check_stress(LinearElastic(e), &h, &d)?;
        check_stress(StVenantKirchhoff(e), &h, &d)?;
        check_stress(NeoHookean(e), &h, &d)?;
    }

    #[test]
    fn laws_agree_in_the_reference_configuration(e in constants(), h in gradient(0.25)) {
        check_reference_response(StVenantKirchhoff(e), &h)?;
        check_reference_response(NeoHookean(e), &h)?;
    }

    #[test]
    fn tangent_bound_bounds(e in constants(), h in gradient(0.25), l in gradient(1.0)) {
        check_bound(LinearElastic(e), &h, &l)?;
        check_bound(StVenantKirchhoff(e), &h, &l)?;
        check_bound(NeoHookean(e), &h, &l)?;
        // A uniform dilatation is the direction in which an undeformed point attains the bound.
        let uniform = Gradient::filled(0.0).plus_identity();
        check_bound(StVenantKirchhoff(e), &h, &uniform)?;
        check_bound(NeoHookean(e), &h, &uniform)?;
    }

    #[test]
    fn finite_strain_laws_are_objective(e in constants(), h in gradient(0.25), q in rotation()) {
        check_objective(StVenantKirchhoff(e), &h, &q)?;
        check_objective(NeoHookean(e), &h, &q)?;
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
        let linear = LinearElastic(e).response(&h);
        for other in [StVenantKirchhoff(e).response(&h), NeoHookean(e).response(&h)] {
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
