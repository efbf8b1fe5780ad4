//! One-point hexahedron with hourglass control.

use super::frequency::exact_frequency_squared;
use super::*;
use crate::newmark;

fn model(material: Material, nodes: &[Vec3], connectivity: Vec<u32>) -> InternalForce {
    let cells = (CellKind::Hex8, Integration::OnePoint, connectivity.into());
    InternalForce::new(vec![ElementBlock::shared(cells, material, DENSITY, nodes).unwrap()], nodes.len())
}

fn one(material: Material, nodes: &[Vec3]) -> InternalForce {
    model(material, nodes, (0..8).collect())
}

/// Strain energy and hourglass energy.
fn energies(model: &mut InternalForce, positions: &[Vec3]) -> [f64; 2] {
    forces_of(model, positions);
    [model.strain_energy()[0], model.hourglass_energy()[0]]
}

#[test]
fn force_is_the_gradient_of_both_energies() {
    let mut noise = Noise(21);
    for material in materials(0.3) {
        let reference = perturbed(&regular_cell(CellKind::Hex8), 0.2, &mut noise, false);
        let current = perturbed(&reference, 0.25, &mut noise, false);
        let mut model = one(material, &reference);
        let force = forces_of(&mut model, &current);
        let size = force.iter().map(Vec3::norm).fold(0.0, f64::max);
        assert!(size > 0.1 && model.hourglass_energy()[0] > 1e-3 * model.strain_energy()[0]);
        for (node, i) in (0..8).flat_map(|node| (0..3).map(move |i| (node, i))) {
            let h = 1e-5;
            let (mut up, mut down) = (current.clone(), current.clone());
            up[node][i] += h;
            down[node][i] -= h;
            let total = |energies: [f64; 2]| energies[0] + energies[1];
            let slope = (total(energies(&mut model, &up)) - total(energies(&mut model, &down))) / (2.0 * h);
            assert!((slope - force[node][i]).abs() < 1e-8 * size, "{material:?} {slope} {}", force[node][i]);
        }
    }
}

/// Affine motions of hexahedra of any shape have no hourglass energy and pass the patch test. Rigid rotations give no
/// force.
#[test]
fn linear_motions_have_no_hourglass_energy_and_pass_the_patch_test() {
    let mut noise = Noise(22);
    let f = Mat3::new(1.1, 0.05, 0.02, -0.1, 0.95, 0.07, 0.03, 0.0, 1.05);
    for material in materials(0.3) {
        let (nodes, connectivity) = distorted_mesh(CellKind::Hex8, [3, 3, 3], &mut noise);
        let mut model = model(material, &nodes, connectivity);
        let current: Vec<Vec3> = nodes.iter().map(|x| f * x + Vec3::new(1.0, -2.0, 0.5)).collect();
        let force = forces_of(&mut model, &current);
        let inner = |x: &&Vec3| (0..3).all(|i| x[i] > 0.5 && x[i] < 2.5);
        let of_inner: Vec<&Vec3> =
            nodes.iter().zip(&force).filter(|(x, _)| inner(x)).map(|(_, force)| force).collect();
        assert!(of_inner.len() == 8 && of_inner.iter().all(|force| force.norm() < 1e-13), "{of_inner:?}");
        let (energy, expected) = exact_patch(material, &f);
        assert!((model.strain_energy()[0] - energy * 27.0).abs() < 1e-11);
        assert!(model.hourglass_energy()[0] < 1e-28, "{:e}", model.hourglass_energy()[0]);
        let mut stress = vec![[f64::NAN; 6]; 27];
        model.cauchy_stress(&current, &model.initial_history(), 0, &mut stress);
        let differences = stress.iter().flat_map(|s| s.iter().zip(&expected)).map(|(a, b)| (a - b).abs());
        assert!(differences.fold(0.0, f64::max) < 1e-12);
        if !matches!(material, Material::LinearElastic(_)) {
            let rotation = Rotation::new(Vec3::new(1.0, -2.0, 0.5));
            let turned: Vec<Vec3> = nodes.iter().map(|x| rotation * x).collect();
            assert!(forces_of(&mut model, &turned).iter().all(|force| force.norm() < 1e-13));
            assert!(model.strain_energy()[0].abs() < 1e-26 && model.hourglass_energy()[0] < 1e-26);
        }
    }
}

/// The twelve hourglass motions, four modes in three directions, have no strain at the single point. The control
/// resists all of them equally. The hourglass energy is 1/20 of the energy of the fully integrated element in a plane
/// wave of equal amplitude:
///
/// ```text
/// ½ (λ+2μ) ∫ (∂u/∂x)² dV
/// ```
#[test]
fn hourglass_modes_are_resisted() {
    let nodes = regular_cell(CellKind::Hex8);
    let moved = |axis: usize, mode: fn(&[f64; 3]) -> f64| -> Vec<Vec3> {
        (0..8).map(|a| nodes[a] + Vec3::ith(axis, 1e-2 * mode(&hexahedron::CORNERS[a]))).collect()
    };
    let modes: [fn(&[f64; 3]) -> f64; 4] =
        [|[_, y, z]| y * z, |[x, _, z]| x * z, |[x, y, _]| x * y, |[x, y, z]| x * y * z];
    let mut full = single(CellKind::Hex8, materials(0.3)[0], &nodes).unwrap();
    let wave = energy_of(&mut full, &moved(0, |[x, _, _]| *x));
    assert!((wave / (0.5 * elasticity(0.3).p_wave_modulus() * 1e-4 * 8.0) - 1.0).abs() < 1e-12, "{wave:e}");
    for material in materials(0.3) {
        let mut model = one(material, &nodes);
        for (mode, axis) in (0..4).flat_map(|mode| (0..3).map(move |axis| (mode, axis))) {
            let [strain, hourglass] = energies(&mut model, &moved(axis, modes[mode]));
            assert!(strain.abs() < 1e-15, "{strain:e}");
            assert!((hourglass / (0.05 * wave) - 1.0).abs() < 1e-12, "{hourglass:e} {wave:e}");
        }
    }
}

/// On a cube of edge 2 the nodal masses are m = `DENSITY`, and B_a has components ±1/8. The three parts of the bound
/// follow from
///
/// ```text
/// V Σ_a B_a⊗B_a/m = I/m,   V Σ_a |B_a|²/m = 3/m,   |γ_α|² = 8,   k = κ (λ+2μ)/8,   κ = 0.05
/// ```
/// The bound exceeds the sum of the three parts only by the allowance for the rounding of eigenvalues.
#[test]
fn the_bound_of_a_cube_is_that_of_closed_form_and_on_the_safe_side() {
    let nodes = regular_cell(CellKind::Hex8);
    let constants = elasticity(0.3);
    let model = one(Material::LinearElastic(constants), &nodes);
    let bound = (2.0 / model.critical_step(&nodes, &model.initial_history()).unwrap().time_step).powi(2);
    let springs = 0.05 * constants.p_wave_modulus();
    let exact = (2.0 * constants.mu + 3.0 * constants.lambda + springs) / DENSITY;
    let margin = bound / exact - 1.0;
    assert!(margin > 1e-13 && margin < 2e-12, "{margin:e}");
}

#[test]
fn the_stable_step_is_safe_and_not_far_from_the_limit() {
    let mut noise = Noise(23);
    for material in materials(0.3) {
        for deformation in [0.0, 0.1, 0.3] {
            let reference = perturbed(&regular_cell(CellKind::Hex8), 0.3, &mut noise, false);
            let current = perturbed(&reference, deformation, &mut noise, false);
            let mut model = one(material, &reference);
            if model.evaluate(&current, &mut model.initial_history(), 0.0).is_err() {
                continue;
            }
            let bound =
                (2.0 / model.critical_step(&current, &model.initial_history()).unwrap().time_step).powi(2);
            let exact = exact_frequency_squared(&mut model, &reference, &current);
            assert!(exact <= bound * (1.0 + 1e-6), "{material:?} {exact} {bound}");
            assert!(bound < 4.0 * exact, "{material:?} {exact} {bound}");
        }
    }
}

/// A block with random initial velocities vibrates, in steps of a tenth of the critical step. The total energy,
/// including hourglass energy, deviates from the initial energy by less than 0.3 %.
#[test]
fn energy_balances_with_that_of_hourglass_control() {
    let mut noise = Noise(24);
    let (nodes, connectivity) = distorted_mesh(CellKind::Hex8, [2, 2, 2], &mut noise);
    let mut model = model(materials(0.3)[2], &nodes, connectivity);
    let mut mass = vec![0.0; nodes.len()];
    model.blocks()[0].add_lumped_mass(&nodes, &mut mass);
    let dt = 0.1 * model.critical_step(&nodes, &model.initial_history()).unwrap().time_step;
    let (mut x, mut v) =
        (nodes.clone(), perturbed(&vec![Vec3::zeros(); nodes.len()], 0.1, &mut noise, false));
    let (mut a, mut next) = (vec![Vec3::zeros(); nodes.len()], nodes.clone());
    let kinetic = |v: &[Vec3]| v.iter().zip(&mass).map(|(v, m)| 0.5 * m * v.norm_squared()).sum::<f64>();
    let (initial, mut largest) = (kinetic(&v), 0.0_f64);
    for _ in 0..500 {
        newmark::predict(dt, &x, &a, &mut v, &mut next);
        std::mem::swap(&mut x, &mut next);
        a = forces_of(&mut model, &x).iter().zip(&mass).map(|(f, m)| -f / *m).collect();
        newmark::correct(dt, &a, &mut v);
        let [strain, hourglass] = [model.strain_energy()[0], model.hourglass_energy()[0]];
        largest = largest.max(hourglass);
        assert!((kinetic(&v) + strain + hourglass - initial).abs() < 3e-3 * initial);
    }
    assert!(largest > 0.02 * initial, "{largest} of {initial}");
}
