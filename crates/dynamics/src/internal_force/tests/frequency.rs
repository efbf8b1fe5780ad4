//! The bound on the frequency that gives the critical step, against exact frequencies.

use super::*;

/// Square of the highest frequency of one element. The stiffness follows from central differences of the forces.
pub(super) fn exact_frequency_squared(
    model: &mut InternalForce,
    reference: &[Vec3],
    current: &[Vec3],
) -> f64 {
    let mut mass = vec![0.0; current.len()];
    model.blocks()[0].add_lumped_mass(reference, &mut mass);
    let (n, h) = (current.len() * 3, 1e-6);
    let mut stiffness = nalgebra::DMatrix::zeros(n, n);
    for column in 0..n {
        let (mut up, mut down) = (current.to_vec(), current.to_vec());
        up[column / 3][column % 3] += h;
        down[column / 3][column % 3] -= h;
        let (up, down) = (forces_of(model, &up), forces_of(model, &down));
        for row in 0..n {
            let slope = (up[row / 3][row % 3] - down[row / 3][row % 3]) / (2.0 * h);
            stiffness[(row, column)] = slope / (mass[row / 3] * mass[column / 3]).sqrt();
        }
    }
    let symmetric = (&stiffness + stiffness.transpose()) * 0.5;
    symmetric.symmetric_eigenvalues().max()
}

#[test]
fn the_bound_is_exact_on_a_cube_and_on_a_regular_tetrahedron() {
    let regular = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]].map(Vec3::from);
    let tetrahedron = [regular[0], regular[2], regular[1], regular[3]];
    for (kind, reference) in
        [(CellKind::Tet4, tetrahedron.to_vec()), (CellKind::Hex8, regular_cell(CellKind::Hex8))]
    {
        for material in materials(0.3) {
            let mut model = single(kind, material, &reference).unwrap();
            let bound =
                (2.0 / model.critical_step(&reference, &model.initial_history()).unwrap().time_step).powi(2);
            let exact = exact_frequency_squared(&mut model, &reference, &reference);
            assert!((bound / exact - 1.0).abs() < 1e-6, "{kind:?} {material:?} {bound} {exact}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_critical_step_is_never_too_long(
        seed in 0..u64::MAX, distortion in 0.0..0.5f64, deformation in 0.0..0.5f64, poisson in -0.3..0.495f64,
        flatness in 0.05..1.0f64,
    ) {
        assert_critical_step_is_not_too_long(seed, [distortion, deformation, poisson, flatness]);
    }
}

/// The cells are flat and strongly distorted in the reference configuration, and undeformed.
#[test]
fn the_critical_step_of_flat_distorted_cells() {
    assert_critical_step_is_not_too_long(13396742322725351712, [0.44507672318527836, 0.0, 0.0, 0.05]);
}

fn assert_critical_step_is_not_too_long(seed: u64, [distortion, deformation, poisson, flatness]: [f64; 4]) {
    let mut noise = Noise(seed);
    for kind in KINDS {
        let plane = is_plane(kind);
        let squash = |x: &Vec3| Vec3::new(x.x, x.y * flatness, x.z);
        let reference: Vec<Vec3> =
            perturbed(&regular_cell(kind), distortion, &mut noise, plane).iter().map(squash).collect();
        let offsets: Vec<Vec3> =
            reference.iter().map(|_| noise.vector(plane) * deformation * flatness).collect();
        let current: Vec<Vec3> = reference.iter().zip(&offsets).map(|(x, u)| x + u).collect();
        for material in materials(poisson) {
            let Some(mut model) = single(kind, material, &reference) else { continue };
            if model.evaluate(&current, &mut model.initial_history(), 0.0).is_err() {
                continue;
            }
            let bound =
                (2.0 / model.critical_step(&current, &model.initial_history()).unwrap().time_step).powi(2);
            let exact = exact_frequency_squared(&mut model, &reference, &current);
            assert!(exact <= bound * (1.0 + 1e-5), "{:?} {:?}: {} > {}", kind, material, exact, bound);
        }
    }
}
