//! The blind spot of node-to-face projection: near the bottom of a groove, a node projects inside no face.
//!
//! ```text
//!      \   tip   /        the faces project the tip onto their extensions,
//!       \   v   /         below the bottom of the groove
//!        \ ... /
//!         \ . /  .        blind: the wedge between the normals of the two faces
//! ```
//!
//! Source: Aragón, Yastrebov & Molinari, IJNME 96 (2013) 323–338, fig. 2b.

use ictus::contact::detection::face::closest_point::Method;
use ictus::contact::detection::{
    AllPairs, Configuration, ContactModel, Detector, Engine, EngineOptions, NodeFaceOptions, StartFrom,
};
use ictus::contact::{Constraints, ContactKey, Surface};
use ictus::math::Vec3;
use ictus::mesh::CellKind;

/// Walls of the groove rise with this slope on both sides of the y axis.
const SLOPE: f64 = 0.5;

/// A groove along y of four triangles, and a tetrahedron whose tip points down to (x, 0, z).
fn groove_and_tip(x: f64, z: f64) -> (Vec<Vec3>, Vec<Surface>) {
    let mut positions = vec![
        Vec3::new(0.0, -1.0, 0.0),
        Vec3::new(0.0, 1.0, 0.0),
        Vec3::new(1.0, -1.0, SLOPE),
        Vec3::new(1.0, 1.0, SLOPE),
        Vec3::new(-1.0, -1.0, SLOPE),
        Vec3::new(-1.0, 1.0, SLOPE),
    ];
    let groove = [[0_u32, 2, 3], [0, 3, 1], [0, 1, 5], [0, 5, 4]];
    let tip = Vec3::new(x, 0.0, z);
    positions.extend(
        [(0.0, 0.0), (0.1, 0.1), (-0.1, 0.1), (0.0, -0.1)]
            .map(|(dx, dy)| if (dx, dy) == (0.0, 0.0) { tip } else { tip + Vec3::new(dx, dy, 0.6) }),
    );
    let tetrahedron = [[6_u32, 8, 7], [6, 9, 8], [6, 7, 9], [7, 8, 9]];
    let surface =
        |faces: &[[u32; 3]]| Surface::new(faces.iter().map(|face| (CellKind::Tri3, face.as_slice())));
    (positions, vec![surface(&groove), surface(&tetrahedron)])
}

/// Gap of the tip by a method; `None` without contact. The detection engine and the all-pairs detector must find the
/// same gap.
fn gap(method: Method, x: f64, z: f64) -> Option<f64> {
    let (positions, surfaces) = groove_and_tip(x, z);
    let model = || ContactModel::new(surfaces.clone(), &[], &positions);
    let node_face = NodeFaceOptions { method, start: StartFrom::Nearest };
    let options = EngineOptions { node_face, ..EngineOptions::default() };
    let detectors: [Box<dyn Detector>; 2] =
        [Box::new(AllPairs::new(model(), node_face)), Box::new(Engine::new(model(), options, &positions))];
    let configuration =
        Configuration { time: 0.0, time_step: 1e-6, positions: &positions, positions_before: &positions };
    let gaps = detectors.map(|mut detector| {
        let mut constraints = Constraints::default();
        detector.detect(&configuration, &mut constraints);
        let of_tip = |key: ContactKey| matches!(key, ContactKey::Node(node) if node.contactor == 6);
        constraints.iter().find(|constraint| of_tip(constraint.key)).map(|constraint| constraint.gap)
    });
    assert_eq!(gaps[0], gaps[1], "{method:?}, tip at {x}, {z}");
    gaps[0]
}

/// Goal: every method of the constrained closest point finds the penetrating tip at every position. The gap is the
/// distance from the nearer wall or from the bottom of the groove, to 1e-12, and to 1e-9 by the interior-point method.
/// The plain projection finds no contact in the wedge |x| < SLOPE |z| below the bottom. Outside the wedge, the plain
/// projection gives the same gap as the other methods.
#[test]
fn only_the_plain_projection_is_blind_in_a_groove() {
    let (mut blind, mut seen) = (0, 0);
    for depth in [0.005, 0.01, 0.03] {
        for k in -8..=8 {
            let x = f64::from(k) * 0.25 * SLOPE * depth + 1e-4 * depth;
            let is_blind = x.abs() < SLOPE * depth;
            let normal = Vec3::new(-SLOPE * x.signum(), 0.0, 1.0).normalize();
            let wall = (SLOPE * x.abs() + depth) * normal.z;
            let expected = if is_blind { x.hypot(depth) } else { wall };
            for method in [
                Method::Auto,
                Method::Sqp,
                Method::SqpBfgs,
                Method::ActiveSet,
                Method::InteriorPoint,
                Method::Newton,
            ] {
                let found = gap(method, x, -depth);
                let error = found.map_or(f64::INFINITY, |gap| (gap + expected).abs());
                assert!(
                    error < if method == Method::InteriorPoint { 1e-9 } else { 1e-12 },
                    "{method:?}, x = {x}: {found:?}"
                );
            }
            let projected = gap(Method::Projection, x, -depth);
            assert_eq!(projected.is_none(), is_blind, "x = {x}, depth {depth}: {projected:?}");
            if let Some(projected) = projected {
                assert!((projected + wall).abs() < 1e-12, "x = {x}: {projected}");
            }
            (blind, seen) = (blind + usize::from(is_blind), seen + usize::from(!is_blind));
        }
    }
    println!("the projection is blind at {blind} places and sees {seen}");
    assert!(blind > 15 && seen > 15);
}

/// The tip of a tetrahedron is below a wide flat triangle, near the middle of the long side of the triangle. A corner
/// of a nearby bump of the surface is nearer to the tip than the corners of the triangle.
///
/// ```text
///                    tip
///      ───────────────v───────────────      a long face, whose ends are far away
///                       \ /                 a bump below with a near corner
/// ```
fn long_face_and_tip(method: Method) -> Option<f64> {
    const DEPTH: f64 = 0.02;
    let mut positions = vec![
        Vec3::new(-4.0, -4.0, 0.0),
        Vec3::new(4.0, -4.0, 0.0),
        Vec3::new(0.0, 6.0, 0.0),
        Vec3::new(0.3, 0.0, -0.5),
        Vec3::new(0.8, 0.2, -0.5),
        Vec3::new(0.6, -0.3, -0.9),
    ];
    let tip = Vec3::new(0.0, 0.0, -DEPTH);
    positions.extend(
        [(0.0, 0.0, 0.0), (0.1, 0.1, 0.6), (-0.1, 0.1, 0.6), (0.0, -0.1, 0.6)]
            .map(|(x, y, z)| tip + Vec3::new(x, y, z)),
    );
    let surface =
        |faces: &[[u32; 3]]| Surface::new(faces.iter().map(|face| (CellKind::Tri3, face.as_slice())));
    let surfaces =
        vec![surface(&[[0, 1, 2], [3, 5, 4]]), surface(&[[6, 8, 7], [6, 9, 8], [6, 7, 9], [7, 8, 9]])];
    let model = ContactModel::new(surfaces, &[], &positions);
    let configuration =
        Configuration { time: 0.0, time_step: 1e-6, positions: &positions, positions_before: &positions };
    let mut constraints = Constraints::default();
    AllPairs::new(model, NodeFaceOptions { method, start: StartFrom::Nearest })
        .detect(&configuration, &mut constraints);
    let of_tip = |key: ContactKey| matches!(key, ContactKey::Node(node) if node.contactor == 6);
    constraints.iter().find(|constraint| of_tip(constraint.key)).map(|constraint| constraint.gap)
}

/// Goal: the rule of Petőcz & Armero (UCB/SEMM-98/06, 1998) searches only the faces around the node nearest to the
/// contactor. This rule misses a node on a long face if a corner of another face is nearer. The closest point over all
/// faces in reach gives the depth 0.02, to 1e-12.
#[test]
fn the_nearest_node_rule_is_blind_on_a_long_face() {
    let found = long_face_and_tip(Method::Auto);
    assert!(found.is_some_and(|gap| (gap + 0.02).abs() < 1e-12), "{found:?}");
    assert_eq!(long_face_and_tip(Method::NearestNode), None);
}
