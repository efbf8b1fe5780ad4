//! Two interpenetrating rough surfaces. The numbers of candidates are known from other libraries.

use ictus::contact::detection::{Buckets, Configuration, Detector};
use ictus::contact::{Constraints, Surface};
use ictus::math::Vec3;
use ictus::mesh::CellKind;

use crate::contact::first_difference;
use crate::rough_surfaces::{CANDIDATES, RoughSurface, SPACING};
use crate::samples::Samples;
use crate::scenes::{NODE_FACE, RIVALS, Rival, Scene, Shape};

fn shape(nodes: Vec<Vec3>, triangles: &[[u32; 3]]) -> Shape {
    Shape { nodes, faces: triangles.iter().map(|face| (CellKind::Tri3, face.to_vec())).collect() }
}

fn rough_pair() -> Scene {
    let (lower, upper) = (RoughSurface::lower(), RoughSurface::upper());
    let below = upper.triangles_from_below();
    Scene::new(&[shape(lower.nodes, &lower.triangles), shape(upper.nodes, &below)], false)
}

/// The boxes of a node and of a triangle, both inflated by r, overlap if the node is within 2 r of the box of the
/// triangle. Candidates for the reach 2 r are therefore the overlaps that the other libraries count.
#[test]
fn candidates_are_those_of_other_libraries() {
    let scene = rough_pair();
    let configuration = Configuration {
        time: 0.0,
        time_step: 1e-6,
        positions: &scene.positions,
        positions_before: &scene.positions,
    };
    let census = |search_depth: f64| {
        let mut model = scene.model();
        model.search_depths = vec![search_depth; 2];
        let mut buckets = Buckets::new(model, NODE_FACE, &scene.positions);
        buckets.detect(&configuration, &mut Constraints::default());
        buckets.census().into_iter().find(|census| census.bodies == [0, 1]).unwrap()
    };
    let reach_per_depth = census(1e-3).reach / 1e-3;
    for (inflation, expected) in CANDIDATES {
        let reach = 2.0 * inflation * SPACING;
        let found = census(reach / reach_per_depth);
        assert!((found.reach - reach).abs() < 1e-12 * reach);
        assert_eq!(found.candidates, expected, "boxes inflated by {inflation} h: {found:?}");
    }
}

/// All rivals, the detectors under test, find the same contacts where thousands of nodes touch.
#[test]
#[ignore = "long verification: cargo test --release --test properties -- --ignored"]
fn all_rivals_find_the_same_contact_of_rough_surfaces() {
    let scene = rough_pair();
    let mut rivals = RIVALS.map(|rival: Rival| scene.rival(rival));
    let mut positions = scene.positions.clone();
    for step in 1..=6 {
        let before = positions.clone();
        for node in scene.bodies[0].clone() {
            let way = Vec3::new(0.1, 0.03, 0.02 * (node as f64).sin()) * SPACING;
            positions[node] += way;
        }
        let time = 1e-6 * f64::from(step);
        let configuration =
            Configuration { time, time_step: 1e-6, positions: &positions, positions_before: &before };
        let [first, others @ ..] = &mut rivals;
        let (mut expected, mut found) = (Constraints::default(), Constraints::default());
        first.detect(&configuration, &mut expected);
        assert!(expected.len() > 5000, "{} constraints", expected.len());
        for rival in others {
            rival.detect(&configuration, &mut found);
            assert_eq!(first_difference(&expected, &found), None);
        }
    }
}

/// Rough surfaces that slide and vibrate. Some nodes are fast for eight steps.
struct Sliding<'a> {
    scene: &'a Scene,
    samples: Samples,
    positions: Vec<Vec3>,
    fast: Vec<(usize, Vec3)>,
    num_steps: u32,
}

impl<'a> Sliding<'a> {
    fn new(scene: &'a Scene) -> Self {
        let positions = scene.positions.clone();
        Self { scene, samples: Samples::new(11), positions, fast: Vec::new(), num_steps: 0 }
    }

    /// Takes a step, and passes the configuration to `show`.
    fn step(&mut self, mut show: impl FnMut(&Configuration<'_>)) {
        let Self { scene, samples, positions, fast, num_steps } = self;
        if num_steps.is_multiple_of(8) {
            let nodes: Vec<usize> =
                (0..samples.integer(1, 40)).map(|_| samples.integer(0, positions.len() - 1)).collect();
            *fast = nodes.into_iter().map(|node| (node, samples.vector(0.1, false))).collect();
        }
        *num_steps += 1;
        let (slide, time_step) = (Vec3::new(4e-3, 1e-3, -1e-3), 1e-6);
        let shiver = samples.pick(&[0.0, 1e-3]);
        let mut ways: Vec<Vec3> = (0..positions.len()).map(|_| samples.vector(shiver, false)).collect();
        ways[scene.bodies[1].clone()].iter_mut().for_each(|way| *way += slide);
        for &(node, way) in &*fast {
            ways[node] += if num_steps.is_multiple_of(2) { way } else { way * -0.7 };
        }
        ways.iter_mut().for_each(|way| *way *= SPACING);
        let before = positions.clone();
        positions.iter_mut().zip(&ways).for_each(|(position, way)| *position += way);
        let time = time_step * f64::from(*num_steps);
        show(&Configuration { time, time_step, positions, positions_before: &before });
    }
}

/// The engine keeps lists of near pairs for some steps, and for fewer steps where nodes are fast. The buckets keep no
/// lists, and find the same contacts in every step.
#[test]
fn sliding_surfaces_with_fast_nodes_lose_no_contact() {
    let scene = rough_pair();
    let [mut engine, mut buckets] = [RIVALS[0], Rival::Buckets].map(|rival| scene.rival(rival));
    let mut sliding = Sliding::new(&scene);
    let mut found_in_all = 0;
    for step in 1..=60 {
        sliding.step(|configuration| {
            let (mut expected, mut found) = (Constraints::default(), Constraints::default());
            buckets.detect(configuration, &mut expected);
            engine.detect(configuration, &mut found);
            assert_eq!(first_difference(&expected, &found), None, "step {step}");
            found_in_all += found.len();
        });
    }
    assert!(found_in_all > 60 * 2500, "{found_in_all}");
}

/// The constraints found by the engine and its counts of work, while surfaces slide, do not depend on the number of
/// threads.
#[test]
fn any_number_of_threads_slides_the_same() {
    let scene = rough_pair();
    let slide = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (mut engine, mut sliding) = (scene.rival(RIVALS[0]), Sliding::new(&scene));
        let mut found = vec![Constraints::default(); 12];
        for found in &mut found {
            sliding.step(|configuration| pool.install(|| engine.detect(configuration, found)));
        }
        (found, engine.statistics().counts)
    };
    let (constraints, counts) = slide(1);
    for (again, counts_again) in [2, 5].map(slide) {
        let pairs = constraints.iter().zip(&again);
        assert!(pairs.into_iter().all(|(expected, found)| first_difference(expected, found).is_none()));
        assert_eq!(counts, counts_again);
    }
}

/// The candidates and constraints of the buckets, and their order, do not depend on the number of threads.
#[test]
fn any_number_of_threads_finds_the_same() {
    let scene = rough_pair();
    let find = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (time, time_step, positions) = (0.0, 1e-6, scene.positions.as_slice());
        let configuration = Configuration { time, time_step, positions, positions_before: positions };
        let mut buckets = Buckets::new(scene.model(), NODE_FACE, positions);
        let mut constraints = Constraints::default();
        pool.install(|| buckets.detect(&configuration, &mut constraints));
        (buckets.candidates().collect::<Vec<_>>(), constraints)
    };
    let (candidates, constraints) = find(1);
    assert!(candidates.is_sorted());
    for threads in [2, 5] {
        let (again, found) = find(threads);
        assert_eq!(candidates, again);
        assert_eq!(first_difference(&constraints, &found), None);
    }
}

/// A rough surface touches a single triangle, large or as long and thin as a needle of length 10⁶. All detectors find
/// the contact, and the buckets use at most 32 cells for each node.
#[test]
#[ignore = "long verification: cargo test --release --test properties -- --ignored"]
fn one_face_is_enough_and_a_far_flung_body_needs_little() {
    let lower = RoughSurface::lower();
    let corner = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    let roof = shape(vec![corner(0.2, 0.2, 0.0), corner(0.5, 0.8, 0.0), corner(0.8, 0.2, 0.0)], &[[0, 1, 2]]);
    let tip = lower.nodes[lower.nodes.len() / 2] - Vec3::z() * 1e-3;
    let needle = shape(vec![tip, tip + Vec3::y() * 0.01, tip + Vec3::repeat(1e6)], &[[0, 1, 2]]);
    for other in [roof, needle] {
        let scene = Scene::new(&[shape(lower.nodes.clone(), &lower.triangles), other], false);
        let mut comparison = crate::contact::Comparison::new("one face".to_owned(), &scene);
        let positions = &scene.positions;
        comparison.check(&Configuration {
            time: 0.0,
            time_step: 1e-6,
            positions,
            positions_before: positions,
        });
        assert!(!comparison.expected.is_empty());
        let mut buckets = Buckets::new(scene.model(), NODE_FACE, &scene.positions);
        let configuration =
            Configuration { time: 0.0, time_step: 1e-6, positions, positions_before: positions };
        buckets.detect(&configuration, &mut Constraints::default());
        let nodes = scene.surfaces.iter().map(Surface::nodes).map(<[u32]>::len).sum::<usize>();
        for census in buckets.census() {
            let cells: usize = census.cells.iter().map(|&count| count as usize).product();
            assert!(cells <= 32 * nodes, "{census:?}");
        }
    }
}
