//! Bitwise reproducibility for any number of threads and any width of the registers.

use super::*;

fn bits(force: &[Vec3]) -> Vec<[u64; 3]> {
    force.iter().map(|f| [f.x.to_bits(), f.y.to_bits(), f.z.to_bits()]).collect()
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let mut noise = Noise(6);
    // The mesh has several chunks, lanes without an element, and two blocks with common nodes.
    let (nodes, connectivity) = distorted_mesh(CellKind::Tet4, [9, 9, 9], &mut noise);
    let cut = 4 * 6 * 300 + 4;
    let block =
        |part: &[u32], material| ElementBlock::new(CellKind::Tet4, material, DENSITY, part, &nodes).unwrap();
    let blocks =
        vec![block(&connectivity[..cut], materials(0.3)[2]), block(&connectivity[cut..], materials(0.2)[1])];
    let current = perturbed(&nodes, 0.02, &mut noise, false);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut model = InternalForce::new(blocks.clone(), nodes.len());
        pool.install(|| {
            let force = forces_of(&mut model, &current);
            let energy: Vec<u64> = model.strain_energy().iter().map(|e| e.to_bits()).collect();
            (bits(&force), energy, model.critical_step(&current, &model.initial_history()))
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(8));
}

/// Forces, energies, critical steps and stresses of every formulation have the same bits for all register widths.
#[test]
fn vector_and_baseline_code_have_the_same_bits() {
    let mut noise = Noise(7);
    let full = KINDS.map(|kind| (kind, Integration::Full, false));
    let hexahedra =
        [(Integration::OnePoint, false), (Integration::OnePoint, true), (Integration::Full, true)]
            .map(|(integration, boxes)| (CellKind::Hex8, integration, boxes));
    for (kind, integration, boxes) in full.into_iter().chain(hexahedra) {
        for material in materials(0.3) {
            let (nodes, connectivity) = if boxes {
                mesh(kind, [3, 3, 1], |_| Vec3::zeros())
            } else {
                distorted_mesh(kind, [3, 3, 1], &mut noise)
            };
            let current = perturbed(&nodes, 0.05, &mut noise, is_plane(kind));
            let cells = (kind, integration, connectivity.into());
            let block = ElementBlock::shared(cells, material, DENSITY, &nodes).unwrap();
            let mut model = InternalForce::new(vec![block], nodes.len());
            let mut results = Registers::available().into_iter().map(|registers| {
                model.registers = registers;
                let force = bits(&forces_of(&mut model, &current));
                let energies =
                    [model.strain_energy()[0], model.hourglass_energy()[0]].map(|energy| energy.to_bits());
                let step = model.critical_steps(&current, &model.initial_history())[0]
                    .map(|step| step.time_step.to_bits());
                let mut stress = vec![[f64::NAN; 6]; model.blocks()[0].num_elements()];
                model.cauchy_stress(&current, &model.initial_history(), 0, &mut stress);
                (force, energies, step, stress.iter().map(|s| s.map(f64::to_bits)).collect::<Vec<_>>())
            });
            let baseline = results.next();
            assert!(
                results.all(|result| Some(&result) == baseline.as_ref()),
                "{kind:?} {integration:?} {material:?}"
            );
        }
    }
}
