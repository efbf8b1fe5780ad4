mod cases;

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::mesh::CellKind;
use cases::{Case, Random, graded_line, icosphere, scattered, wavy};

const BUILDERS: [Builder; 3] = [Builder::Fast, Builder::BottomUp, Builder::Insertion];

/// Checks a tree against its surface in the configuration of the build and in deformed configurations.
fn assert_well_formed(case: &Case, hierarchy: &Hierarchy, seed: u64) {
    assert_reference_spheres_bound(case, hierarchy);
    let mut fitted = hierarchy.clone();
    fitted.fit_reference_spheres(&case.positions);
    assert_reference_spheres_bound(case, &fitted);
    let mut random = Random(seed);
    let mut spheres = Vec::new();
    for scale in [0.0, 0.01, 10.0] {
        let positions = case.deformed(&mut random, scale);
        hierarchy.refit(&positions, &mut spheres);
        hierarchy.check(&case.surface, &positions, &spheres).unwrap();
    }
}

fn assert_reference_spheres_bound(case: &Case, hierarchy: &Hierarchy) {
    for leaf in (0..hierarchy.num_vertices() as u32).filter(|&v| hierarchy.face(v).is_some()) {
        let nodes = case.surface.face(hierarchy.face(leaf).unwrap() as usize).1;
        for v in std::iter::successors(Some(leaf), |&v| hierarchy.parent(v)) {
            let sphere = hierarchy.reference_sphere(v);
            for &node in nodes {
                let distance = (case.positions[node as usize] - sphere.centre).norm();
                assert!(distance + hierarchy.margin <= sphere.radius * (1.0 + 1e-15), "vertex {v}");
            }
        }
    }
}

fn faces_below(hierarchy: &Hierarchy) -> BTreeSet<Vec<u32>> {
    let mut below: Vec<Vec<u32>> = Vec::new();
    for v in 0..=hierarchy.root() {
        let mut faces: Vec<u32> = hierarchy.face(v).into_iter().collect();
        for child in hierarchy.children(v).into_iter().flatten() {
            faces.extend(&below[child as usize]);
        }
        faces.sort_unstable();
        below.push(faces);
    }
    below.into_iter().collect()
}

/// Greedy agglomeration by its definition: every round merges the best of all pairs of balls. Returns the sum of the
/// volumes of the joint balls, and the faces below each ball.
fn greedy(leaves: &[Sphere]) -> (f64, BTreeSet<Vec<u32>>) {
    let mut live: Vec<(Sphere, Vec<u32>)> =
        leaves.iter().enumerate().map(|(face, sphere)| (*sphere, vec![face as u32])).collect();
    let mut clusters: BTreeSet<Vec<u32>> = live.iter().map(|ball| ball.1.clone()).collect();
    let mut sum = 0.0;
    while live.len() > 1 {
        let mut best = (f64::INFINITY, 0, 0);
        for i in 0..live.len() {
            for j in i + 1..live.len() {
                let volume = live[i].0.joint(&live[j].0).volume();
                if volume < best.0 {
                    best = (volume, i, j);
                }
            }
        }
        let (sphere, faces) = live.remove(best.2);
        let parent = &mut live[best.1];
        parent.0 = parent.0.joint(&sphere);
        parent.1.extend(faces);
        parent.1.sort_unstable();
        sum += parent.0.volume();
        clusters.insert(parent.1.clone());
    }
    (sum, clusters)
}

fn minimum_balls(case: &Case) -> Vec<Sphere> {
    (0..case.surface.num_faces())
        .map(|f| {
            let points: Vec<Vec3> =
                case.surface.face(f).1.iter().map(|&node| case.positions[node as usize]).collect();
            crate::detection::volume::MinimumBall::of(&points).unwrap().sphere
        })
        .collect()
}

#[test]
fn bottom_up_gives_the_tree_of_the_greedy_method() {
    for seed in 0..6 {
        for case in [scattered(110, seed), wavy(8, seed), wavy(3, seed)] {
            let hierarchy = case.build(Builder::BottomUp, 0.0);
            let (sum, clusters) = greedy(&minimum_balls(&case));
            assert!((hierarchy.sum_of_volumes() / sum - 1.0).abs() < 1e-12, "seed {seed}");
            assert_eq!(faces_below(&hierarchy), clusters, "seed {seed}");
        }
    }
}

/// On 100 random meshes without ties, the priority queue and the merging of mutually nearest pairs give identical
/// clusters, because the joint radius is reducible (Omohundro 1989). The sums of volumes agree to 1e-12, because only
/// the order of summation differs. For the tree of the priority queue, the test also checks the structure and the
/// nesting of the spheres.
#[test]
fn insertion_gives_the_tree_of_mutually_nearest_pairs() {
    for seed in 0..100 {
        let case = match seed % 3 {
            0 => scattered(20 + 3 * seed as usize, seed),
            1 => wavy(2 + seed as usize / 10, seed),
            _ => scattered(400, seed),
        };
        let [mutual, queue] = [Builder::BottomUp, Builder::Insertion].map(|builder| case.build(builder, 0.0));
        let ratio = queue.sum_of_volumes() / mutual.sum_of_volumes();
        assert!((ratio - 1.0).abs() < 1e-12, "seed {seed}: {ratio}");
        assert_eq!(faces_below(&queue), faces_below(&mutual), "seed {seed}");
        assert_well_formed(&case, &queue, seed);
    }
}

/// Trees of 100 random meshes, by every builder and with either fit. Every face is in one leaf, and the sphere and the
/// box of each vertex contain all faces below. On average, Ritter's balls of the leaves are no smaller than the minimum
/// balls, and at most a fifth larger.
#[test]
fn volumes_of_random_meshes_contain_their_faces() {
    let (mut ritter, mut minimum) = (0.0, 0.0);
    for seed in 0..100 {
        let case = if seed % 2 == 0 { scattered(60, seed) } else { wavy(6, seed) };
        for builder in BUILDERS {
            for fit in [LeafFit::MinimumBall, LeafFit::Ritter] {
                let built = Hierarchy::build_with(builder, fit, &case.surface, &case.positions, 0.01);
                let hierarchy = built.unwrap();
                assert_well_formed(&case, &hierarchy, seed);
                assert_boxes_bound(&case, &hierarchy);
                let leaves = (0..=hierarchy.root()).filter(|&v| hierarchy.face(v).is_some());
                let sum: f64 = leaves.map(|v| hierarchy.reference_sphere(v).radius - 0.01).sum();
                *if fit == LeafFit::Ritter { &mut ritter } else { &mut minimum } += sum;
            }
        }
    }
    println!("radii of Ritter's balls relative to the minimum balls: {:.3}", ritter / minimum);
    assert!((1.0..1.2).contains(&(ritter / minimum)), "{}", ritter / minimum);
}

fn assert_boxes_bound(case: &Case, hierarchy: &Hierarchy) {
    let mut boxes = Vec::new();
    hierarchy.fit_boxes(&case.positions, &mut boxes);
    for leaf in (0..=hierarchy.root()).filter(|&v| hierarchy.face(v).is_some()) {
        let nodes = case.surface.face(hierarchy.face(leaf).unwrap() as usize).1;
        for v in std::iter::successors(Some(leaf), |&v| hierarchy.parent(v)) {
            let inner = boxes[v as usize].widened(-hierarchy.margin);
            assert!(nodes.iter().all(|&node| inner.widened(1e-15).contains(&case.positions[node as usize])));
        }
    }
}

#[test]
fn bottom_up_gives_the_volume_of_the_greedy_method_where_costs_are_equal() {
    // On an icosphere many pairs have equal costs; the choice among these pairs changes the sum by a few per cent.
    let case = icosphere(1);
    let (sum, _) = greedy(&minimum_balls(&case));
    let ratio = case.build(Builder::BottomUp, 0.0).sum_of_volumes() / sum;
    assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
}

#[test]
fn fast_trees_are_within_six_hundredths_of_greedy_ones() {
    let cases = [
        icosphere(3),
        icosphere(4),
        scattered(1500, 1),
        scattered(6000, 2),
        wavy(30, 3),
        wavy(70, 4),
        wavy(100, 5),
    ];
    for (k, case) in cases.iter().enumerate() {
        let [fast, greedy] =
            [Builder::Fast, Builder::BottomUp].map(|builder| case.build(builder, 0.0).sum_of_volumes());
        assert!(fast / greedy < 1.06, "case {k}: {}", fast / greedy);
    }
}

#[test]
fn nested_root_of_a_unit_sphere_is_large_and_fitted_root_is_not() {
    for subdivisions in 2..5 {
        let case = icosphere(subdivisions);
        let nested = case.build(Builder::BottomUp, 0.0);
        let nested = nested.reference_sphere(nested.root()).radius;
        assert!((2.0..3.0).contains(&nested), "{nested}");
        let mut fitted = case.build(Builder::Fast, 0.0);
        fitted.fit_reference_spheres(&case.positions);
        let fitted = fitted.reference_sphere(fitted.root()).radius;
        assert!((1.0 - 1e-12..1.02).contains(&fitted), "{fitted}");
    }
}

#[test]
fn trees_are_well_formed() {
    for (k, case) in [icosphere(2), scattered(400, 9), wavy(12, 9), graded_line(40, 1.2)].iter().enumerate() {
        for builder in BUILDERS {
            for margin in [0.0, 0.02] {
                assert_well_formed(case, &case.build(builder, margin), k as u64);
            }
        }
    }
}

/// The trees are large enough to be divided among tasks.
#[test]
fn large_trees_are_well_formed_after_refit() {
    let case = wavy(60, 11);
    for builder in BUILDERS {
        assert_well_formed(&case, &case.build(builder, 0.001), 3);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn random_trees_are_well_formed(num_faces in 1_usize..60, seed in any::<u64>(), lattice in any::<bool>()) {
        let mut random = Random(seed);
        let num_nodes = 2 + num_faces / 2;
        let scale = if lattice { 2.0 } else { 1.0 };
        let mut positions: Vec<Vec3> = (0..num_nodes).map(|_| random.vector(scale)).collect();
        if lattice {
            positions.iter_mut().for_each(|p| *p = p.map(f64::round));
        }
        let faces: Vec<Vec<u32>> = (0..num_faces)
            .map(|f| (0..2 + f % 3).map(|_| (random.next() * num_nodes as f64) as u32).collect())
            .collect();
        let case = Case::new(&faces, positions);
        for builder in BUILDERS {
            assert_well_formed(&case, &case.build(builder, 0.0), seed);
        }
    }
}

#[test]
fn refit_in_the_configuration_of_the_build_gives_the_joint_spheres() {
    let case = wavy(20, 5);
    let hierarchy = case.build(Builder::BottomUp, 0.003);
    let mut spheres = Vec::new();
    hierarchy.refit(&case.positions, &mut spheres);
    for v in 0..=hierarchy.root() {
        assert_eq!(spheres[v as usize], hierarchy.reference_sphere(v));
        if let Some([left, right]) = hierarchy.children(v) {
            let joint = hierarchy.reference_sphere(left).joint(&hierarchy.reference_sphere(right));
            assert_eq!(joint, hierarchy.reference_sphere(v));
        }
    }
}

#[test]
fn depths_agree_with_the_paths_to_the_root() {
    let case = wavy(9, 2);
    for builder in BUILDERS {
        let hierarchy = case.build(builder, 0.0);
        let depths: Vec<u32> = (0..=hierarchy.root())
            .filter(|&v| hierarchy.face(v).is_some())
            .map(|v| hierarchy.depth_of(v))
            .collect();
        let statistics = hierarchy.leaf_depths();
        assert_eq!(statistics.min, *depths.iter().min().unwrap());
        assert_eq!(statistics.max, *depths.iter().max().unwrap());
        let mean = f64::from(depths.iter().sum::<u32>()) / depths.len() as f64;
        assert!((statistics.mean - mean).abs() < 1e-12);
        assert_eq!(hierarchy.depth_of(hierarchy.root()), 0);
        assert!(f64::from(statistics.min) <= (depths.len() as f64).log2());
        assert!(f64::from(statistics.max) >= (depths.len() as f64).log2());
    }
}

#[test]
fn deep_trees_of_steeply_graded_faces_are_well_formed() {
    let case = graded_line(400, 1.5);
    let hierarchy = case.build(Builder::BottomUp, 0.0);
    assert!(hierarchy.leaf_depths().max > 128, "{:?}", hierarchy.leaf_depths());
    for builder in BUILDERS {
        let hierarchy = case.build(builder, 0.0);
        let mut spheres = Vec::new();
        hierarchy.refit(&case.positions, &mut spheres);
        hierarchy.check(&case.surface, &case.positions, &spheres).unwrap();
    }
}

/// The tree is chain-like, has enough leaves for several tasks, and is deeper than the bisection of its blocks into
/// tasks.
#[test]
fn long_steeply_graded_lines_are_refitted() {
    let case = graded_line(6000, 1.01);
    for builder in BUILDERS {
        let hierarchy = case.build(builder, 0.0);
        let mut spheres = Vec::new();
        hierarchy.refit(&case.positions, &mut spheres);
        let root = spheres.last().unwrap();
        assert!(case.positions.iter().all(|p| root.contains(p)));
    }
}

#[test]
fn few_faces() {
    assert!(Hierarchy::build(Builder::Fast, &Surface::new([]), &[], 0.0).is_none());
    assert!(Hierarchy::build(Builder::BottomUp, &Surface::new([]), &[], 0.0).is_none());
    for num_faces in 1..5 {
        let case = graded_line(num_faces, 1.1);
        for builder in BUILDERS {
            let hierarchy = case.build(builder, 0.5);
            assert_eq!(hierarchy.num_vertices(), 2 * num_faces - 1);
            assert_eq!(hierarchy.num_leaves_below(hierarchy.root()) as usize, num_faces);
            assert_eq!(hierarchy.parent(hierarchy.root()), None);
            assert_well_formed(&case, &hierarchy, 1);
        }
    }
    let single = graded_line(1, 1.0).build(Builder::Fast, 0.25);
    assert_eq!((single.children(0), single.face(0), single.sum_of_volumes()), (None, Some(0), 0.0));
    assert!((single.reference_sphere(0).radius - 0.75).abs() < 1e-15);
}

#[test]
fn coincident_and_collapsed_faces_make_balanced_trees() {
    let n = 4096;
    let faces: Vec<Vec<u32>> = (0..n).map(|f| vec![0, f % 2, 1]).collect();
    let case = Case::new(&faces, vec![Vec3::new(3.0, 1.0, 2.0); 2]);
    for builder in BUILDERS {
        let hierarchy = case.build(builder, 0.0);
        assert!(hierarchy.leaf_depths().max <= 40, "{builder:?} {:?}", hierarchy.leaf_depths());
        assert_well_formed(&case, &hierarchy, 1);
    }
}

#[test]
fn positions_that_are_no_numbers_end() {
    for bad in [f64::NAN, f64::INFINITY, f64::MAX, -1e200] {
        for every in [1, 2, 50] {
            let mut case = wavy(20, 8);
            for position in case.positions.iter_mut().step_by(every) {
                position.y = bad;
            }
            for builder in BUILDERS {
                let hierarchy = case.build(builder, 0.0);
                assert_eq!(hierarchy.num_vertices(), 2 * case.surface.num_faces() - 1);
                let mut spheres = Vec::new();
                hierarchy.refit(&case.positions, &mut spheres);
            }
        }
    }
}

/// Rounding destroys the barycentric coordinates of the circumcentre of a needle: their error is ε (length/thickness)²
/// with the machine precision ε. The code uses these coordinates only if (length/thickness)² is below 1e10. The
/// tolerance follows from this limit. The reference is the minimum ball of the corners.
#[test]
fn leaves_of_needles_are_minimum_balls() {
    let mut random = Random(17);
    let mut positions = Vec::new();
    let faces: Vec<Vec<u32>> = (0..400)
        .map(|f| {
            let (tip, along) = (random.vector(1.0), random.vector(1.0));
            // The needles are isosceles, because other needles have an obtuse angle and need no circumcentre.
            let thickness = 10_f64.powf(-4.0 - 10.0 * random.next());
            let across = along.cross(&random.vector(thickness));
            positions.extend([tip, tip + along + across, tip + along - across]);
            vec![3 * f, 3 * f + 1, 3 * f + 2]
        })
        .collect();
    let case = Case::new(&faces, positions);
    let expected = minimum_balls(&case);
    for builder in BUILDERS {
        let hierarchy = case.build(builder, 0.0);
        for v in 0..=hierarchy.root() {
            let Some(face) = hierarchy.face(v) else { continue };
            let ratio = hierarchy.reference_sphere(v).radius / expected[face as usize].radius;
            assert!((ratio - 1.0).abs() < 1e10 * f64::EPSILON, "{builder:?}, face {face}: {ratio}");
        }
    }
}

/// A face with a non-finite or very large coordinate must not collapse all other faces to one point of the
/// space-filling curve.
#[test]
fn a_node_far_out_does_not_spoil_the_tree_of_the_others() {
    let sum_of_cubes = |case: &Case| -> f64 {
        let hierarchy = case.build(Builder::Fast, 0.0);
        let radii = (0..=hierarchy.root()).map(|v| hierarchy.reference_sphere(v).radius);
        radii.filter(|&radius| radius < 0.25).map(|radius| radius.powi(3)).sum()
    };
    let mut case = wavy(60, 3);
    let before = sum_of_cubes(&case);
    for far in [f64::INFINITY, 1e200] {
        case.positions[0] = Vec3::repeat(far);
        let ratio = sum_of_cubes(&case) / before;
        assert!((0.95..1.05).contains(&ratio), "{ratio}");
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let case = wavy(70, 13);
    let positions = case.deformed(&mut Random(1), 0.01);
    for builder in BUILDERS {
        let [one, four] = [1, 4].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut hierarchy = case.build(builder, 0.001);
                hierarchy.fit_reference_spheres(&case.positions);
                let mut spheres = Vec::new();
                hierarchy.refit(&positions, &mut spheres);
                (hierarchy, spheres)
            })
        });
        assert_eq!(one.1, four.1);
        assert_eq!(one.0.reference, four.0.reference);
        assert_eq!(faces_below(&one.0), faces_below(&four.0));
    }
}

#[test]
fn check_finds_what_is_wrong() {
    let case = wavy(10, 3);
    let positions = case.deformed(&mut Random(2), 0.01);
    let hierarchy = case.build(Builder::Fast, 0.01);
    let mut spheres = Vec::new();
    hierarchy.refit(&positions, &mut spheres);
    let check =
        |hierarchy: &Hierarchy, spheres: &[Sphere]| hierarchy.check(&case.surface, &positions, spheres);
    let leaf = (0..).find(|&v| hierarchy.face(v).is_some()).unwrap() as usize;

    let mut wrong = spheres.clone();
    wrong[leaf].radius -= 1e-9;
    assert!(matches!(check(&hierarchy, &wrong), Err(HierarchyError::NotBounded { .. })));
    let mut wrong = spheres.clone();
    wrong[leaf].radius = f64::NAN;
    assert!(matches!(check(&hierarchy, &wrong), Err(HierarchyError::NotBounded { .. })));
    assert!(matches!(check(&hierarchy, &spheres[1..]), Err(HierarchyError::Size { .. })));

    let links = hierarchy.topology.links().to_vec();
    let blocks = || hierarchy.topology.blocks().to_vec();
    let (first, root) = (links[0], links.len() - 1);
    let mut wrong = hierarchy.clone();
    let mut face_twice = links.clone();
    face_twice[1] = first;
    wrong.topology = Topology::new(face_twice, blocks());
    assert!(matches!(check(&wrong, &spheres), Err(HierarchyError::Face { .. })));
    let mut child_twice = links;
    child_twice[root][0] = child_twice[root][1];
    wrong.topology = Topology::new(child_twice, blocks());
    assert!(matches!(check(&wrong, &spheres), Err(HierarchyError::Order { .. })));
}
