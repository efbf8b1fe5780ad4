//! Laws with history. The stress of a relaxing solid agrees with the closed form, and its bits do not depend on threads
//! or registers.

use super::*;
use crate::material::RELAXATION_TIME;

fn relaxing() -> Material {
    Material::Maxwell(elasticity(0.3))
}

/// Stress λ tr(e) I + 2μ e of the strain e.
fn elastic_stress(strain: &Mat3) -> Mat3 {
    let Elasticity { lambda, mu } = elasticity(0.3);
    Mat3::identity() * (lambda * strain.trace()) + strain * (2.0 * mu)
}

fn elastic_energy(strain: &Mat3) -> f64 {
    0.5 * elastic_stress(strain).dot(strain)
}

fn place(reference: &[Vec3], gradient: &Mat3) -> Vec<Vec3> {
    reference.iter().map(|x| gradient * x).collect()
}

/// Takes `count` steps of length `time_step` \[s\] at fixed positions.
fn hold(
    model: &mut InternalForce,
    history: &mut MaterialHistory,
    positions: &[Vec3],
    (count, time_step): (usize, f64),
) {
    for _ in 0..count {
        history.begin_step();
        model.evaluate(positions, history, time_step).unwrap();
    }
}

/// The strain E₁ is imposed for the time t₁, then the strain E₂ for the time t₂. Stress, energy and forces follow in
/// closed form. With the viscous strain V and the relaxation time τ, the elastic strain E − V at the end of t₁ and at
/// the end of t₂ is
///
/// ```text
/// E₁ e^(−t₁/τ),   (E₂ − E₁ + E₁ e^(−t₁/τ)) e^(−t₂/τ)
/// ```
/// Work is done only in the two jumps of the strain. Tolerance: rounding of the updates.
#[test]
fn an_imposed_strain_relaxes_in_closed_form() {
    let gradients = [
        Mat3::new(1.2, 0.1, 0.0, -0.2, 0.9, 0.05, 0.0, 0.3, 1.1),
        Mat3::new(0.9, -0.1, 0.2, 0.1, 1.3, 0.0, 0.1, 0.0, 0.8),
    ];
    let strains = gradients.map(|f| (f.transpose() * f - Mat3::identity()) * 0.5);
    let held = [(5, 0.004), (3, 0.006)];
    let decays = held.map(|(count, time_step)| (-f64::from(count) * time_step / RELAXATION_TIME).exp());
    let first = strains[0] * decays[0];
    let second = strains[1] - strains[0] + first;
    let work = elastic_energy(&strains[0]) - elastic_energy(&first) + elastic_energy(&second);
    let kirchhoff = gradients[1] * elastic_stress(&(second * decays[1])) * gradients[1].transpose();
    let cauchy = kirchhoff / gradients[1].determinant();
    let mut noise = Noise(11);
    let full = [CellKind::Tet4, CellKind::Tet10, CellKind::Hex8, CellKind::Wedge6, CellKind::Hex20];
    let full = full.map(|kind| (kind, Integration::Full));
    for (kind, integration) in full.into_iter().chain([(CellKind::Hex8, Integration::OnePoint)]) {
        let (nodes, connectivity) = distorted_mesh(kind, [2, 2, 1], &mut noise);
        let block =
            ElementBlock::shared((kind, integration, connectivity.into()), relaxing(), DENSITY, &nodes)
                .unwrap();
        let (num_elements, volume) = (block.num_elements(), block.volume());
        let mut model = InternalForce::new(vec![block], nodes.len());
        let mut history = model.initial_history();
        for (gradient, (count, time_step)) in gradients.iter().zip(held) {
            hold(&mut model, &mut history, &place(&nodes, gradient), (count as usize, time_step));
        }
        let current = place(&nodes, &gradients[1]);
        let error = (model.strain_energy()[0] / (volume * work) - 1.0).abs();
        assert!(error < 1e-12, "{kind:?}: energy {error:e}");
        let moment: Mat3 = model.forces().iter().zip(&current).map(|(f, x)| f * x.transpose()).sum();
        let error = (moment / volume - kirchhoff).norm() / kirchhoff.norm();
        assert!(error < 1e-12, "{kind:?}: force {error:e}");
        let mut stress = vec![[f64::NAN; 6]; num_elements];
        model.cauchy_stress(&current, &history, 0, &mut stress);
        let c = cauchy;
        let expected = [c.m11, c.m22, c.m33, c.m12, c.m23, c.m13];
        for (got, expected) in stress.iter().flat_map(|stress| stress.iter().zip(expected)) {
            assert!((got - expected).abs() < 1e-12 * cauchy.norm(), "{kind:?}: {got} for {expected}");
        }
    }
}

/// Each element has its own history. The mesh has several chunks and a second block without history. The results do not
/// depend on the number of threads or on the registers. After a step of 60 relaxation times, only e⁻⁶⁰ of the stress is
/// left. Tolerance: rounding of the strain.
#[test]
fn every_element_has_its_history() {
    let mut noise = Noise(12);
    let (nodes, connectivity) = distorted_mesh(CellKind::Tet4, [9, 9, 9], &mut noise);
    let cut = 4 * 6 * 300 + 4;
    let block =
        |part: &[u32], material| ElementBlock::new(CellKind::Tet4, material, DENSITY, part, &nodes).unwrap();
    let blocks =
        vec![block(&connectivity[..cut], materials(0.3)[2]), block(&connectivity[cut..], relaxing())];
    let num_elements = blocks[1].num_elements();
    let path = [0.02, 0.03].map(|size| perturbed(&nodes, size, &mut noise, false));
    let run = |threads: usize, registers: Registers| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut model = InternalForce::new(blocks.clone(), nodes.len());
        model.registers = registers;
        let mut history = model.initial_history();
        pool.install(|| {
            hold(&mut model, &mut history, &path[0], (2, 0.3 * RELAXATION_TIME));
            hold(&mut model, &mut history, &path[1], (1, 0.3 * RELAXATION_TIME));
            let mut stress = vec![[f64::NAN; 6]; num_elements];
            model.cauchy_stress(&path[1], &history, 1, &mut stress);
            let step = model.critical_step(&path[1], &history);
            let forces = model.forces().to_vec();
            hold(&mut model, &mut history, &path[1], (1, 60.0 * RELAXATION_TIME));
            let mut relaxed = vec![[f64::NAN; 6]; num_elements];
            model.cauchy_stress(&path[1], &history, 1, &mut relaxed);
            (forces, stress, relaxed, step, history)
        })
    };
    let reference = run(1, Registers::default());
    let largest = |stress: &[[f64; 6]]| stress.iter().flatten().map(|s| s.abs()).fold(0.0, f64::max);
    assert!(reference.1.iter().all(|stress| largest(&[*stress]) > 1e-3), "all elements are stressed");
    assert!(largest(&reference.2) < 1e-13, "{:e}", largest(&reference.2));
    for registers in Registers::available() {
        assert!([1, 3].into_iter().all(|threads| run(threads, registers) == reference));
    }
}

/// A failed step leaves the history at the beginning of the step unchanged, and another exchange of the two ends
/// restores this history. Later results have the same bits as without the failed step.
#[test]
fn a_failed_step_leaves_the_history() {
    let nodes = regular_cell(CellKind::Hex8);
    let mut model = single(CellKind::Hex8, relaxing(), &nodes).unwrap();
    let stretched = place(&nodes, &Mat3::from_diagonal(&Vec3::new(1.2, 0.9, 1.0)));
    let inverted = place(&nodes, &Mat3::from_diagonal(&Vec3::new(-0.2, 0.9, 1.0)));
    let mut history = model.initial_history();
    hold(&mut model, &mut history, &stretched, (2, 0.01));
    let present = |model: &InternalForce, history: &MaterialHistory| {
        let mut stress = [[f64::NAN; 6]];
        model.cauchy_stress(&stretched, history, 0, &mut stress);
        (stress, model.critical_step(&stretched, history))
    };
    let before = present(&model, &history);
    let mut other = history.clone();
    history.begin_step();
    assert!(model.evaluate(&inverted, &mut history, 0.01).is_err());
    history.begin_step();
    assert_eq!(present(&model, &history), before);
    hold(&mut model, &mut history, &stretched, (1, 0.01));
    let forces = model.forces().to_vec();
    hold(&mut model, &mut other, &stretched, (1, 0.01));
    assert_eq!((model.forces(), &other), (&forces[..], &history));
}

/// The critical step depends on the present history. Before the stress has relaxed, the critical step is shorter than
/// the critical step of the elastic law. After relaxation the two steps are equal, up to rounding.
#[test]
fn the_critical_step_reads_the_present_history() {
    let nodes = regular_cell(CellKind::Tet4);
    let mut model = single(CellKind::Tet4, relaxing(), &nodes).unwrap();
    let elastic = single(CellKind::Tet4, Material::StVenantKirchhoff(elasticity(0.3)), &nodes).unwrap();
    let stretched = place(&nodes, &Mat3::from_diagonal(&Vec3::new(1.3, 0.9, 1.0)));
    let elastic = elastic.critical_step(&stretched, &elastic.initial_history());
    let mut history = model.initial_history();
    let step = |model: &InternalForce, history: &MaterialHistory| model.critical_step(&stretched, history);
    hold(&mut model, &mut history, &stretched, (1, 0.01));
    assert!(step(&model, &history).unwrap().time_step < 0.99 * elastic.unwrap().time_step);
    hold(&mut model, &mut history, &stretched, (1, 60.0 * RELAXATION_TIME));
    let relative = step(&model, &history).unwrap().time_step / elastic.unwrap().time_step;
    assert!((relative - 1.0).abs() < 1e-14, "{relative}");
}
