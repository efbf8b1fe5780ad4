mod bits;
mod cells;
mod frequency;
#[cfg(feature = "test-law")]
mod history;
mod one_point;

use super::*;
use crate::element::natural_nodes;
use crate::element::{MAX_NODES, hexahedron, quadrilateral, shape_values};
use crate::elements::block::{ElementError, Integration};
use crate::material::{Elasticity, Material};
use crate::math::{Mat3, Rotation};
use crate::mesh::CellKind;
use cells::{Noise, distorted_mesh, is_plane, mesh, perturbed, regular_cell};
use proptest::prelude::*;

const KINDS: [CellKind; 11] = [
    CellKind::Tri3,
    CellKind::Quad4,
    CellKind::Tet4,
    CellKind::Wedge6,
    CellKind::Hex8,
    CellKind::Tri6,
    CellKind::Quad8,
    CellKind::Quad9,
    CellKind::Tet10,
    CellKind::Hex20,
    CellKind::Hex27,
];
const DENSITY: f64 = 2.0;

fn elasticity(poisson: f64) -> Elasticity {
    Elasticity::from_young_poisson(10.0, poisson).unwrap()
}

fn materials(poisson: f64) -> [Material; 3] {
    let e = elasticity(poisson);
    [Material::LinearElastic(e), Material::StVenantKirchhoff(e), Material::NeoHookean(e)]
}

/// Internal force of one element; `None` if the element is invalid.
fn single(kind: CellKind, material: Material, reference: &[Vec3]) -> Option<InternalForce> {
    let connectivity: Vec<u32> = (0..kind.num_nodes() as u32).collect();
    let block = ElementBlock::new(kind, material, DENSITY, &connectivity, reference).ok()?;
    Some(InternalForce::new(vec![block], reference.len()))
}

fn forces_of(model: &mut InternalForce, positions: &[Vec3]) -> Vec<Vec3> {
    model.evaluate(positions, &mut model.initial_history(), 0.0).unwrap();
    model.forces().to_vec()
}

fn energy_of(model: &mut InternalForce, positions: &[Vec3]) -> f64 {
    forces_of(model, positions);
    model.strain_energy().iter().sum()
}

#[test]
fn force_is_the_gradient_of_the_energy() {
    let mut noise = Noise(1);
    for kind in KINDS {
        for material in materials(0.3) {
            let reference = perturbed(&regular_cell(kind), 0.2, &mut noise, is_plane(kind));
            let current = perturbed(&reference, 0.25, &mut noise, is_plane(kind));
            let mut model = single(kind, material, &reference).unwrap();
            let force = forces_of(&mut model, &current);
            let size = force.iter().map(Vec3::norm).fold(0.0, f64::max);
            assert!(size > 0.1, "{kind:?} {material:?}: nothing to compare");
            for (node, i) in (0..current.len()).flat_map(|node| (0..3).map(move |i| (node, i))) {
                let h = 1e-5;
                let (mut up, mut down) = (current.clone(), current.clone());
                up[node][i] += h;
                down[node][i] -= h;
                let slope = (energy_of(&mut model, &up) - energy_of(&mut model, &down)) / (2.0 * h);
                assert!(
                    (slope - force[node][i]).abs() < 1e-8 * size,
                    "{kind:?} {material:?} node {node} axis {i}: {slope} {}",
                    force[node][i]
                );
            }
        }
    }
}

#[test]
fn rigid_motions_have_no_energy() {
    let mut noise = Noise(2);
    for kind in KINDS {
        let axis = if is_plane(kind) { Vec3::z() } else { Vec3::new(1.0, -2.0, 0.5).normalize() };
        let rotation = Rotation::new(axis * 2.0);
        for material in [Material::StVenantKirchhoff(elasticity(0.3)), Material::NeoHookean(elasticity(0.3))]
        {
            let reference = perturbed(&regular_cell(kind), 0.2, &mut noise, is_plane(kind));
            let shift = Vec3::new(1.0, 2.0, 0.0);
            let current: Vec<Vec3> = reference.iter().map(|x| rotation * x + shift).collect();
            let mut model = single(kind, material, &reference).unwrap();
            let force = forces_of(&mut model, &current);
            assert!(force.iter().all(|f| f.norm() < 1e-13), "{kind:?} {material:?} {force:?}");
            // The strain is a sum over the nodes, and the energy is the square of the rounding error of this sum.
            let rounding = 1e-28 * (kind.num_nodes() as f64 / 8.0).max(1.0);
            assert!(model.strain_energy()[0].abs() < rounding, "{kind:?} {:e}", model.strain_energy()[0]);
        }
        let moved: Vec<Vec3> = regular_cell(kind).iter().map(|x| x + Vec3::new(0.5, 0.25, 0.0)).collect();
        let mut model = single(kind, materials(0.3)[0], &regular_cell(kind)).unwrap();
        assert!(forces_of(&mut model, &moved).iter().all(|f| f.norm() < 1e-13));
    }
}

#[test]
fn forces_and_moments_balance_and_plane_forces_stay_in_the_plane() {
    let mut noise = Noise(3);
    for kind in KINDS {
        for material in materials(0.3) {
            let (nodes, connectivity) = distorted_mesh(kind, [3, 3, 3], &mut noise);
            let block = ElementBlock::new(kind, material, DENSITY, &connectivity, &nodes).unwrap();
            let mut model = InternalForce::new(vec![block], nodes.len());
            let current = perturbed(&nodes, 0.1, &mut noise, is_plane(kind));
            let force = forces_of(&mut model, &current);
            let sum: Vec3 = force.iter().sum();
            assert!(sum.norm() < 1e-12, "{kind:?} {material:?} {sum:?}");
            if is_plane(kind) {
                assert!(force.iter().all(|f| f.z == 0.0));
            }
            // The small-strain law balances moments in the reference configuration only.
            let arms = if matches!(material, Material::LinearElastic(_)) { &nodes } else { &current };
            let moment: Vec3 = arms.iter().zip(&force).map(|(x, f)| x.cross(f)).sum();
            assert!(moment.norm() < 1e-11, "{kind:?} {material:?} {moment:?}");
        }
    }
}

/// An affine motion x = F X of a distorted mesh gives a uniform stress, no forces on inner nodes, and the energy
/// density W(F) of the law.
#[test]
fn patch_test() {
    let mut noise = Noise(4);
    for kind in KINDS {
        let mut f = Mat3::new(1.1, 0.05, 0.02, -0.1, 0.95, 0.07, 0.03, 0.0, 1.05);
        if is_plane(kind) {
            f = Mat3::new(1.1, 0.05, 0.0, -0.1, 0.95, 0.0, 0.0, 0.0, 1.0);
        }
        for material in materials(0.3) {
            let (nodes, connectivity) = distorted_mesh(kind, [3, 3, 3], &mut noise);
            let block = ElementBlock::new(kind, material, DENSITY, &connectivity, &nodes).unwrap();
            let (volume, num_elements) = (block.volume(), block.num_elements());
            let mut model = InternalForce::new(vec![block], nodes.len());
            let current: Vec<Vec3> = nodes.iter().map(|x| f * x).collect();
            let force = forces_of(&mut model, &current);
            let inner = |x: &Vec3| {
                let axes = if is_plane(kind) { 2 } else { 3 };
                (0..axes).all(|i| x[i] > 0.5 && x[i] < 2.5)
            };
            let mut count = 0;
            for (_, force) in nodes.iter().zip(&force).filter(|(x, _)| inner(x)) {
                assert!(force.norm() < 1e-13, "{kind:?} {material:?} {force:?}");
                count += 1;
            }
            assert!(count >= 4);
            let (energy, expected) = exact_patch(material, &f);
            assert!((model.strain_energy()[0] - energy * volume).abs() < 1e-13 * volume * 10.0);
            let mut stress = vec![[f64::NAN; 6]; num_elements];
            model.cauchy_stress(&current, &model.initial_history(), 0, &mut stress);
            for element in &stress {
                for (got, expected) in element.iter().zip(&expected) {
                    assert!((got - expected).abs() < 1e-12, "{kind:?} {material:?} {element:?} {expected:?}");
                }
            }
        }
    }
}

/// The displacement u_x = e x y has the strains ε_xx = e y and ε_xy = e x/2. On straight-sided quadratic elements, the
/// strain energy is the energy of this field, and the mean stress of each cell is the mean stress of the field.
#[test]
fn quadratic_elements_reproduce_a_quadratic_field() {
    let (e, size) = (1e-3, 3.0_f64);
    let Elasticity { lambda, mu } = elasticity(0.3);
    for kind in KINDS.into_iter().filter(|kind| *kind != kind.linear()) {
        // In meshes of simplices, inner nodes are displaced, because straight-sided simplices remain affine.
        let affine = matches!(kind, CellKind::Tri6 | CellKind::Tet10);
        let (nodes, connectivity) = if affine {
            distorted_mesh(kind, [3, 3, 3], &mut Noise(8))
        } else {
            mesh(kind, [3, 3, 3], |_| Vec3::zeros())
        };
        let law = Material::LinearElastic(elasticity(0.3));
        let block = ElementBlock::new(kind, law, DENSITY, &connectivity, &nodes).unwrap();
        let num_elements = block.num_elements();
        let mut model = InternalForce::new(vec![block], nodes.len());
        let current: Vec<Vec3> = nodes.iter().map(|x| x + Vec3::x() * (e * x.x * x.y)).collect();
        let depth = if is_plane(kind) { 1.0 } else { size };
        let exact = e * e * size.powi(4) / 3.0 * (1.5 * mu + 0.5 * lambda) * depth;
        assert!((energy_of(&mut model, &current) / exact - 1.0).abs() < 1e-12, "{kind:?}");
        let mut stress = vec![[f64::NAN; 6]; num_elements];
        model.cauchy_stress(&current, &model.initial_history(), 0, &mut stress);
        let corners = kind.corners().len();
        for (cell, stress) in connectivity.chunks_exact(kind.num_nodes()).zip(&stress) {
            let centre =
                cell[..corners].iter().map(|&node| nodes[node as usize]).sum::<Vec3>() / corners as f64;
            let expected = [(lambda + 2.0 * mu) * e * centre.y, lambda * e * centre.y, mu * e * centre.x];
            // Positions up to 3 have rounding errors of 4e-16. The magnitudes of the shape gradients of a distorted
            // cell sum to 30.
            for (got, expected) in [stress[0], stress[1], stress[3]].iter().zip(expected) {
                assert!((got - expected).abs() < 1e-13 * (lambda + 2.0 * mu), "{kind:?} {got} {expected}");
            }
        }
    }
}

/// Energy density and Cauchy stress from the textbook formulas in F.
fn exact_patch(material: Material, f: &Mat3) -> (f64, [f64; 6]) {
    let Elasticity { lambda, mu } = material.elasticity();
    let (identity, j) = (Mat3::identity(), f.determinant());
    let (energy, sigma) = match material {
        Material::LinearElastic(_) => {
            let strain = (f + f.transpose()) * 0.5 - identity;
            let sigma = identity * (lambda * strain.trace()) + strain * (2.0 * mu);
            (0.5 * sigma.dot(&strain), sigma)
        }
        Material::NeoHookean(_) => {
            let b = f * f.transpose();
            let sigma = ((b - identity) * mu + identity * (lambda * j.ln())) / j;
            (0.5 * mu * (b.trace() - 3.0) - mu * j.ln() + 0.5 * lambda * j.ln().powi(2), sigma)
        }
        // The St. Venant–Kirchhoff law, and the law with history in its initial state.
        _ => {
            let strain = (f.transpose() * f - identity) * 0.5;
            let second = identity * (lambda * strain.trace()) + strain * (2.0 * mu);
            (0.5 * second.dot(&strain), f * second * f.transpose() / j)
        }
    };
    (energy, [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)].map(|ij| sigma[ij]))
}

/// The displacement u_x = a x y of a square or cube centred at the origin has zero mean volume change. With mean
/// dilatation the energy must not contain the bulk modulus: with equal shear moduli, the energies for Poisson's ratios
/// 0.3 and 0.4999 agree within 1 %. Without mean dilatation, the energy would contain the bulk modulus and be about
/// 5000 times too large.
#[test]
fn nearly_incompressible_bending_does_not_lock() {
    for kind in [CellKind::Quad4, CellKind::Hex8] {
        let reference: Vec<Vec3> = regular_cell(kind).iter().map(|x| x - Vec3::new(3.0, -2.0, 0.0)).collect();
        let bent: Vec<Vec3> = reference.iter().map(|x| x + Vec3::x() * (1e-4 * x.x * x.y)).collect();
        let energy = |poisson: f64, law: fn(Elasticity) -> Material| {
            let mu = elasticity(0.3).mu;
            let constants = Elasticity::from_young_poisson(2.0 * mu * (1.0 + poisson), poisson).unwrap();
            energy_of(&mut single(kind, law(constants), &reference).unwrap(), &bent)
        };
        for law in [Material::LinearElastic, Material::StVenantKirchhoff, Material::NeoHookean] {
            let (soft, stiff) = (energy(0.3, law), energy(0.4999, law));
            assert!((stiff / soft - 1.0).abs() < 0.01, "{kind:?}: {soft:e} {stiff:e}");
        }
    }
}

#[test]
fn masses_sum_to_the_volume_and_are_those_of_each_block() {
    let mut noise = Noise(5);
    for kind in KINDS {
        let (nodes, connectivity) = distorted_mesh(kind, [3, 2, 2], &mut noise);
        let block = ElementBlock::new(kind, materials(0.3)[0], DENSITY, &connectivity, &nodes).unwrap();
        let volume = if is_plane(kind) { 6.0 } else { 12.0 };
        assert!((block.volume() - volume).abs() < 1e-12);
        let mut mass = vec![0.0; nodes.len()];
        block.add_lumped_mass(&nodes, &mut mass);
        assert!((mass.iter().sum::<f64>() - DENSITY * volume).abs() < 1e-12);
        assert!(mass.iter().all(|m| *m > 0.0));
    }
    let (mut mass, nodes) = (vec![0.0; 4], regular_cell(CellKind::Tet4));
    let block = ElementBlock::new(CellKind::Tet4, materials(0.3)[0], 6.0, &[0, 1, 2, 3], &nodes);
    block.unwrap().add_lumped_mass(&nodes, &mut mass);
    assert!(mass.iter().all(|m| (m - 2.0).abs() < 1e-14), "{mass:?}");
}

/// Rotated parallelepipeds far from the origin have the same forces and critical step in two blocks, up to rounding: in
/// a block without other elements, and in a block with one general hexahedron.
#[test]
fn parallelepipeds_equal_general_elements() {
    let shear = Mat3::new(1.0, 0.3, 0.0, 0.1, 0.8, 0.2, 0.0, -0.1, 1.3);
    let rotation = Rotation::new(Vec3::new(0.3, -0.7, 0.2));
    let (mut nodes, mut connectivity) = mesh(CellKind::Hex8, [3, 3, 2], |_| Vec3::zeros());
    nodes.iter_mut().for_each(|x| *x = rotation * (shear * *x) + Vec3::new(10.0, -20.0, 30.0));
    let count = nodes.len();
    let odd = perturbed(&regular_cell(CellKind::Hex8), 0.2, &mut Noise(26), false);
    let mixed_nodes: Vec<Vec3> = nodes.iter().copied().chain(odd).collect();
    let alone = connectivity.clone();
    connectivity.extend(count as u32..count as u32 + 8);
    let cases = [Integration::Full, Integration::OnePoint]
        .map(|integration| materials(0.3).map(|m| (integration, m)));
    for &(integration, material) in cases.as_flattened() {
        let [mut plain, mut mixed] = [(&nodes, &alone), (&mixed_nodes, &connectivity)].map(|(x, cells)| {
            let cells = (CellKind::Hex8, integration, cells.clone().into());
            InternalForce::new(vec![ElementBlock::shared(cells, material, DENSITY, x).unwrap()], x.len())
        });
        let current = perturbed(&nodes, 0.1, &mut Noise(27), false);
        let mixed_current: Vec<Vec3> = current.iter().chain(&mixed_nodes[count..]).copied().collect();
        let (force, expected) = (forces_of(&mut plain, &current), forces_of(&mut mixed, &mixed_current));
        let size = expected.iter().map(Vec3::norm).fold(0.0, f64::max);
        for (force, expected) in force.iter().zip(&expected) {
            // Coordinates up to 40 have rounding errors of 4e-15.
            assert!((force - expected).norm() < 1e-12 * size, "{material:?} {force:?} {expected:?}");
        }
        let steps = [
            plain.critical_step(&current, &plain.initial_history()),
            mixed.critical_step(&mixed_current, &mixed.initial_history()),
        ];
        let [plain, mixed] = steps.map(|step| step.unwrap());
        let difference = plain.time_step / mixed.time_step - 1.0;
        assert!(difference.abs() < 1e-11, "{integration:?} {material:?} {plain:?} {mixed:?} {difference:e}");
    }
}

/// An element whose energy and J are finite is valid, even if the sum of these two numbers overflows. The forces of the
/// element are added once.
#[test]
fn energies_whose_sum_overflows_are_valid() {
    let reference = regular_cell(CellKind::Tet4);
    let stretched: Vec<Vec3> = reference.iter().map(|x| x * 5e102).collect();
    let forces = [1e-10, 1.0].map(|factor| {
        let constants = Elasticity::from_young_poisson(2e102 * factor, 0.0).unwrap();
        let mut model = single(CellKind::Tet4, Material::LinearElastic(constants), &reference).unwrap();
        let force = forces_of(&mut model, &stretched);
        (force, model.strain_energy()[0])
    });
    let jacobian = 5e102_f64.powi(3);
    assert!(forces[1].1.is_finite() && !(forces[1].1 + jacobian).is_finite(), "{} {jacobian}", forces[1].1);
    for (small, large) in forces[0].0.iter().zip(&forces[1].0) {
        assert!((large - small * 1e10).norm() <= 1e-12 * large.norm(), "{small:?} {large:?}");
    }
}

/// Three numberings of the nodes give the same forces: the order of the mesh, the reverse order, and the order of the
/// mesh with every second node in reverse order. The chunks own many, few, or none of their nodes.
#[test]
fn any_numbering_of_the_nodes_has_the_same_forces() {
    let mut noise = Noise(10);
    let (nodes, connectivity) = distorted_mesh(CellKind::Tet4, [9, 9, 9], &mut noise);
    let current = perturbed(&nodes, 0.02, &mut noise, false);
    let last = nodes.len() - 1;
    let numberings: [&dyn Fn(usize) -> usize; 3] = [&|node| node, &|node| last - node, &|node| {
        if node % 2 == 0 { node } else { last + last % 2 - node }
    }];
    let forces = numberings.map(|number| {
        let (mut reference, mut positions) = (nodes.clone(), current.clone());
        for node in 0..nodes.len() {
            (reference[number(node)], positions[number(node)]) = (nodes[node], current[node]);
        }
        let connectivity: Vec<u32> = connectivity.iter().map(|&node| number(node as usize) as u32).collect();
        let block =
            ElementBlock::new(CellKind::Tet4, materials(0.3)[2], DENSITY, &connectivity, &reference).unwrap();
        let mut model = InternalForce::new(vec![block], nodes.len());
        let forces = forces_of(&mut model, &positions);
        assert_eq!(forces, forces_of(&mut model, &positions), "left over from the evaluation before");
        (0..nodes.len()).map(|node| forces[number(node)]).collect::<Vec<_>>()
    });
    for other in &forces[1..] {
        assert!(forces[0].iter().zip(other).all(|(a, b)| (a - b).norm() < 1e-13));
    }
}

/// The change of shape is at least the relative volume loss. Without volume loss, the change of shape is at least the
/// strain. Rotations and translations do not change the shape. Tolerance: rounding; for the rotation, the square root
/// of the rounding error of the energy.
#[test]
fn changes_of_shape_are_compression_and_strain() {
    let (nodes, connectivity) = distorted_mesh(CellKind::Hex8, [3, 3, 2], &mut Noise(10));
    let block = ElementBlock::new(CellKind::Hex8, materials(0.3)[2], DENSITY, &connectivity, &nodes).unwrap();
    let mut model = InternalForce::new(vec![block], nodes.len());
    assert_eq!(model.change_of_shapes(&[]), 0.0);
    let mut shapes: Vec<Shape> = Vec::new();
    let mut change = |motion: &dyn Fn(&Vec3) -> Vec3| {
        let moved: Vec<Vec3> = nodes.iter().map(motion).collect();
        model.evaluate(&moved, &mut model.initial_history(), 0.0).unwrap();
        let change = model.change_of_shapes(&shapes);
        shapes = model.shapes().collect();
        assert_eq!(model.change_of_shapes(&shapes), 0.0);
        change
    };
    let turn = nalgebra::Rotation3::new(Vec3::new(0.3, 1.0, -0.5));
    assert!(change(&|x| turn * x + Vec3::repeat(5.0)) < 1e-7);
    let compression = change(&|x| Vec3::new(0.5 * x.x, x.y, x.z));
    assert!(compression >= 0.5 - 1e-12, "{compression}");
    change(&|x| *x);
    // E = γ/2 in two components: |E| = γ/√2.
    let shear = change(&|x| x + Vec3::new(0.1 * x.y, 0.0, 0.0));
    assert!(shear >= 0.1 / 2.0_f64.sqrt(), "{shear}");
}

/// The forces and the energy of a mesh are the sums over its single elements. Lanes without an element do not
/// contribute.
#[test]
fn a_mesh_is_the_sum_of_its_elements() {
    let mut noise = Noise(9);
    for kind in KINDS {
        let (nodes, connectivity) = distorted_mesh(kind, [3, 3, 1], &mut noise);
        let current = perturbed(&nodes, 0.05, &mut noise, is_plane(kind));
        let block = |part: &[u32]| ElementBlock::new(kind, materials(0.3)[2], DENSITY, part, &nodes).unwrap();
        let mut whole = InternalForce::new(vec![block(&connectivity)], nodes.len());
        let mut parts =
            InternalForce::new(connectivity.chunks(kind.num_nodes()).map(block).collect(), nodes.len());
        let (a, b) = (forces_of(&mut whole, &current), forces_of(&mut parts, &current));
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).norm() < 1e-13), "{kind:?}");
        let energy: f64 = parts.strain_energy().iter().sum();
        assert!((whole.strain_energy()[0] / energy - 1.0).abs() < 1e-13);
    }
}

#[test]
fn the_lowest_failed_element_is_reported() {
    let mut noise = Noise(8);
    let (nodes, connectivity) = distorted_mesh(CellKind::Hex8, [12, 12, 12], &mut noise);
    let block = ElementBlock::new(CellKind::Hex8, materials(0.3)[2], DENSITY, &connectivity, &nodes).unwrap();
    let mut model = InternalForce::new(vec![block], nodes.len());
    let touching = |node: u32| connectivity.chunks(8).position(|cell| cell.contains(&node)).unwrap();

    let mut broken = nodes.clone();
    let (late, early) = (nodes.len() - 400, nodes.len() / 2);
    broken[late].x = f64::NAN;
    let failure = model.evaluate(&broken, &mut model.initial_history(), 0.0).unwrap_err();
    assert_eq!(
        failure,
        ElementFailure { block: 0, element: touching(late as u32), kind: FailureKind::NonFinite }
    );

    broken[early] += Vec3::new(5.0, 5.0, 5.0);
    let failure = model.evaluate(&broken, &mut model.initial_history(), 0.0).unwrap_err();
    assert!(failure.element < touching(late as u32));
    assert!(matches!(failure.kind, FailureKind::Inverted { jacobian } if jacobian <= 0.0), "{failure}");
    assert_eq!(model.critical_step(&broken, &model.initial_history()).unwrap().time_step, 0.0);
    assert!(model.evaluate(&nodes, &mut model.initial_history(), 0.0).is_ok(), "a failure does not stick");
}

#[test]
fn nodes_without_elements_get_zero_and_no_elements_no_step() {
    let mut reference = regular_cell(CellKind::Tet4);
    reference.push(Vec3::new(9.0, 9.0, 9.0));
    let mut model = single(CellKind::Tet4, materials(0.3)[1], &reference).unwrap();
    let stretched: Vec<Vec3> = reference.iter().map(|x| x * 1.1).collect();
    assert_eq!(forces_of(&mut model, &stretched)[4], Vec3::zeros());
    let mut empty = InternalForce::new(Vec::new(), 5);
    assert_eq!(forces_of(&mut empty, &reference), vec![Vec3::zeros(); 5]);
    assert_eq!(empty.critical_step(&reference, &empty.initial_history()), None);
    let block = ElementBlock::new(CellKind::Hex8, materials(0.3)[0], 1.0, &[], &reference).unwrap();
    assert_eq!(InternalForce::new(vec![block], 5).critical_step(&reference, &empty.initial_history()), None);
}

#[test]
fn impossible_blocks_are_refused() {
    let x = regular_cell(CellKind::Tet4);
    let new = |kind, density, connectivity: &[u32], x: &[Vec3]| {
        ElementBlock::new(kind, materials(0.3)[0], density, connectivity, x).unwrap_err()
    };
    let inverted = new(CellKind::Tet4, 1.0, &[0, 1, 2, 3, 0, 2, 1, 3, 0, 2, 1, 3], &x);
    assert!(matches!(inverted, ElementError::Degenerate { element: 1, jacobian } if jacobian < 0.0));
    let flat = vec![x[0], x[1], x[2], x[1]];
    assert!(matches!(
        new(CellKind::Tet4, 1.0, &[0, 1, 2, 3], &flat),
        ElementError::Degenerate { element: 0, .. }
    ));
    let mut nan = x.clone();
    nan[2].y = f64::NAN;
    assert!(matches!(
        new(CellKind::Tet4, 1.0, &[0, 1, 2, 3], &nan),
        ElementError::Degenerate { element: 0, .. }
    ));
    assert!(matches!(new(CellKind::Tet4, 1.0, &[0, 1, 2, 9], &x), ElementError::UnknownNode { node: 9, .. }));
    assert!(matches!(new(CellKind::Tet4, 1.0, &[0, 1, 2], &x), ElementError::ConnectivityLength { .. }));
    assert!(matches!(new(CellKind::Tet4, 0.0, &[0, 1, 2, 3], &x), ElementError::Density { .. }));
    assert!(matches!(new(CellKind::Line2, 1.0, &[0, 1], &x), ElementError::UnsupportedKind { .. }));
    assert!(matches!(new(CellKind::Tri3, 1.0, &[0, 1, 3], &x), ElementError::OutOfPlane { element: 0, .. }));
}
