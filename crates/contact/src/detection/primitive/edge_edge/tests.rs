use super::crossing::{CLOSED_SEAM, CROSSING};
use super::*;
use crate::detection::detector::Detector;
use crate::detection::detectors::AllPairs;
use crate::detection::face::closest_point::Method;
use crate::detection::model::{Configuration, EdgeSelection};
use crate::detection::primitive::node_face::{NodeFaceOptions, StartFrom};
use crate::detection::samples::Samples;
use crate::math::Rotation;
use crate::mesh::CellKind;
use crate::{ContactKey, Surface};

const FACES: [[u32; 4]; 6] =
    [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];

/// Boxes with four-node faces. Each box has the given edge lengths \[m\] and its centre at the origin, and is then
/// mapped by its function.
fn boxes<const N: usize>(boxes: [(Vec3, &dyn Fn(Vec3) -> Vec3); N]) -> (Vec<Surface>, Vec<Vec3>) {
    let mut positions = Vec::new();
    let surfaces = boxes.iter().map(|(size, motion)| {
        let first = positions.len() as u32;
        let corner = |k: u32| Vec3::from_fn(|i, _| f64::from(k >> i & 1) - 0.5).component_mul(size);
        positions.extend((0..8).map(|k| motion(corner(k))));
        let faces = FACES.map(|face| face.map(|node| node + first));
        Surface::new(faces.iter().map(|face| (CellKind::Quad4, face.as_slice())))
    });
    (surfaces.collect(), positions)
}

fn found((surfaces, positions): (Vec<Surface>, Vec<Vec3>)) -> Constraints {
    let model = ContactModel::new(surfaces, &[], &positions).with_edges(EdgeSelection::Feature);
    let options = NodeFaceOptions { method: Method::Auto, start: StartFrom::Nearest };
    let mut constraints = Constraints::default();
    let configuration =
        Configuration { time: 0.0, time_step: 1.0, positions: &positions, positions_before: &positions };
    AllPairs::new(model, options).detect(&configuration, &mut constraints);
    constraints
}

fn turn_about_z(degrees: f64) -> Rotation {
    Rotation::from_scaled_axis(Vec3::z() * degrees.to_radians())
}

/// Two stacked cubes. The upper cube is turned by 45°. No node is over a face of the other cube, and all eight edge
/// crossings are in contact.
#[test]
fn cubes_stacked_crosswise_touch_at_eight_crossings() {
    let depth = 0.01;
    let turn = turn_about_z(45.0);
    let upper = |x: Vec3| turn * x + Vec3::z() * (1.0 - depth);
    let constraints = found(boxes([(Vec3::repeat(1.0), &|x| x), (Vec3::repeat(1.0), &upper)]));
    assert_eq!(constraints.len(), 8);
    for constraint in constraints.iter() {
        assert!(matches!(constraint.key, ContactKey::Edges(_)));
        assert_eq!((constraint.bodies, constraint.nodes.len()), ([0, 1], 4));
        assert!((constraint.gap + depth).abs() < 1e-14);
        // The target is the upper cube, whose outward normal points down.
        assert!((constraint.normal + Vec3::z()).norm() < 1e-14);
        assert!(constraint.weights.iter().sum::<f64>().abs() < 1e-15);
    }
}

/// A small cube leans by a thousandth, 1e-6 m above the top of a large block, and 0.18 m of it project beyond the rim
/// of the block. The vertical edges over the block lie behind the plane of its side, but above its top and thus outside
/// the block.
#[test]
fn leaning_edges_over_a_face_do_not_cross_its_rim() {
    for lean in [-1e-3, 1e-3] {
        let cube = |x: Vec3| {
            let height = x.z + 0.1;
            Vec3::new(x.x - 0.58 + lean * height, x.y, 0.5 + 1e-6 + height)
        };
        let constraints = found(boxes([(Vec3::repeat(0.2), &cube), (Vec3::repeat(1.0), &|x| x)]));
        assert!(constraints.is_empty(), "{lean}: {}", constraints.len());
    }
}

/// A cube over the seam between two other cubes. The tops of the two lower cubes are flush, or one of the lower cubes
/// is turned down by 6°, so that the two tops form a ridge. Edges of the upper cube make contact with the rims at the
/// seam only if there is a ridge.
#[test]
fn rims_of_flush_bodies_are_no_edges() {
    let depth = 0.01;
    let upper = |x: Vec3| x * 0.5 + Vec3::z() * (0.75 - depth);
    for (degrees, num_crossings) in [(0.0, 0), (6.0, 4)] {
        // The second lower cube is rotated about the line through the seam parallel to the y axis.
        let turn = Rotation::from_scaled_axis(Vec3::y() * f64::to_radians(degrees));
        let seam = Vec3::z() * 0.5;
        let first = |x: Vec3| x - Vec3::x() * 0.5;
        let second = |x: Vec3| seam + turn * (x + Vec3::x() * 0.5 - seam);
        let size = Vec3::repeat(1.0);
        let constraints = found(boxes([(size, &upper), (size, &first), (size, &second)]));
        let of_upper = constraints.of_edges().filter(|crossing| crossing.bodies.contains(&0));
        let crossings: Vec<f64> = of_upper.map(|crossing| crossing.gap).collect();
        assert_eq!(crossings.len(), num_crossings, "{degrees}");
        assert!(crossings.iter().all(|gap| (gap + depth).abs() < 1e-14), "{crossings:?}");
    }
}

/// A cube penetrates one of two other cubes by a tenth of the width of a closed seam. The second cube is apart from the
/// first, or lower. Edges of the upper cube make contact with the rims of the seam only if the seam is wider than a
/// closed seam, or the step higher. At a step, they touch the rim of the first cube only.
#[test]
fn rims_of_closed_seams_are_no_edges() {
    let unit = Vec3::repeat(1.0);
    let first = |x: Vec3| x - Vec3::x() * 0.5;
    let (surfaces, positions) = boxes([(unit * 0.5, &|x| x), (unit, &first)]);
    let model = ContactModel::new(surfaces, &[], &positions);
    let edges = [0, 1].map(|body| &model.surfaces[body].edges()[0]);
    let seam = CLOSED_SEAM * model.edge_search_depth([0, 1], edges);
    let upper = |x: Vec3| x * 0.5 + Vec3::z() * (0.75 - 0.1 * seam);
    for (width, height, num_crossings) in
        [(0.5, 0.0, 0), (2.0, 0.0, 4), (0.0, 0.5, 0), (0.0, 2.0, 2), (0.5, 0.5, 0)]
    {
        let second = |x: Vec3| x + Vec3::new(0.5 + width * seam, 0.0, -height * seam);
        let constraints = found(boxes([(unit, &upper), (unit, &first), (unit, &second)]));
        let of_upper = constraints.of_edges().filter(|crossing| crossing.bodies.contains(&0));
        assert_eq!(of_upper.count(), num_crossings, "{width}, {height}");
    }
}

/// Equal stacked cubes. The upper cube is turned slightly about the vertical, so that no corner is over a face of the
/// other cube. The four crossings near the corners are in contact. Their distance from the ends of the edges is half
/// the angle times the edge length. The other four crossings, of nearly parallel edges, are in contact if the angle is
/// 1° or more. At 0.5° these edges count as parallel.
#[test]
fn rims_that_cross_next_to_their_ends_touch() {
    for (degrees, crossings) in
        [(2.0, 8), (1.0, 8), (0.5, 4), (0.1, 4), (0.05, 4), (0.01, 4), (1e-3, 4), (1e-6, 4)]
    {
        let depth = 0.1 * f64::to_radians(degrees);
        let turn = turn_about_z(degrees);
        let upper = |x: Vec3| turn * x + Vec3::z() * (1.0 - depth);
        let constraints = found(boxes([(Vec3::repeat(1.0), &|x| x), (Vec3::repeat(1.0), &upper)]));
        assert_eq!(constraints.of_edges().count(), crossings, "{degrees} degrees");
        assert_eq!(constraints.len(), crossings, "{degrees} degrees");
        for constraint in constraints.iter() {
            assert!((constraint.gap + depth).abs() < 1e-14);
            assert!((constraint.normal.z.abs() - 1.0).abs() < 1e-14);
        }
    }
}

/// A cube that is turned by 0.05° on an equal cube, and a block beside both cubes. The block contains one corner of the
/// turned cube. The node at this corner is in contact with the block only. The node therefore covers no crossing of the
/// two cubes, not even the nearest crossing.
#[test]
fn nodes_in_another_body_cover_no_crossing() {
    let (size, depth) = (Vec3::repeat(1.0), 1e-4);
    let turn = turn_about_z(0.05);
    let upper = |x: Vec3| turn * x + Vec3::z() * (1.0 - depth);
    let corner = turn * Vec3::new(0.5, 0.5, 0.0);
    let beside = |x: Vec3| x + Vec3::new(0.5, corner.y - 1e-5 + 0.1, 0.5);
    let blocks = boxes([(size, &|x| x), (size, &upper), (Vec3::new(0.4, 0.2, 0.6), &beside)]);
    let constraints = found(blocks);
    let node = constraints.iter().filter(|c| matches!(c.key, ContactKey::Node(_)) && c.bodies == [1, 2]);
    assert_eq!(node.count(), 1);
    assert_eq!(constraints.of_edges().filter(|crossing| crossing.bodies == [0, 1]).count(), 4);
}

/// Two cubes that stand on an edge. The ridge of the lower cube is along x. The lower edge of the upper cube is turned
/// by an angle about z, and displaced by `shift` \[m\] from the position in which the middles of this edge and of the
/// ridge touch.
fn crosswise_roofs(degrees: f64, shift: Vec3) -> (Vec<Surface>, Vec<Vec3>) {
    let edgewise = Rotation::from_scaled_axis(Vec3::x() * 45_f64.to_radians());
    let turned = turn_about_z(degrees) * edgewise;
    let upper = |x: Vec3| turned * x + shift + Vec3::z() * 2.0_f64.sqrt();
    boxes([(Vec3::repeat(1.0), &|x| edgewise * x), (Vec3::repeat(1.0), &upper)])
}

/// Two cubes that stand on an edge, one crosswise on the other, have one contact with exact gap and point.
#[test]
fn roofs_crosswise_touch_at_a_point() {
    let (half, depth) = (0.5_f64.sqrt(), 0.02);
    let (surfaces, positions) = crosswise_roofs(60.0, Vec3::new(0.1, 0.05, -depth));
    let constraints = found((surfaces, positions.clone()));
    assert_eq!(constraints.len(), 1);
    let constraint = constraints.get(0);
    assert!((constraint.gap + depth).abs() < 1e-14 && (constraint.normal + Vec3::z()).norm() < 1e-14);
    // The lower edge of the upper cube passes through (x, y) = (0.1, 0.05) at 60° to the ridge, which is along x.
    let expected = Vec3::new(0.1 - 0.05 / 60_f64.to_radians().tan(), 0.0, half);
    assert!((constraint.point(&positions) - expected).norm() < 1e-14);
    assert!((constraint.jump(&positions).dot(&constraint.normal) - constraint.gap).abs() < 1e-14);
}

/// The same crosswise cubes, with the crossing next to an end of the lower edge of the upper cube. The node at this end
/// is in front of a roof of the lower cube. Its distance from the roof is less than the depth of the crossing, but the
/// crossing is inside the lower cube.
#[test]
fn roofs_touch_next_to_the_end_of_a_ridge() {
    let depth = 0.002;
    for beyond in [1.5 * depth, 2.0 * depth, 0.1] {
        let constraints = found(crosswise_roofs(90.0, Vec3::new(0.0, 0.5 - beyond, -depth)));
        assert_eq!(constraints.len(), 1, "{beyond}");
        assert!((constraints.get(0).gap + depth).abs() < 1e-14, "{beyond}");
    }
}

/// Edges make no contact if they are separated, too deep, or side by side, or if they lie on the far sides of thin
/// plates.
#[test]
fn nothing_touches_around_corners_or_through_walls() {
    let edges = |constraints: &Constraints| {
        constraints.iter().filter(|c| matches!(c.key, ContactKey::Edges(_))).count()
    };
    let turn = turn_about_z(45.0);
    for height in [1.001, 0.4, -0.4, -1.001] {
        let upper = |x: Vec3| turn * x + Vec3::z() * height;
        let constraints = found(boxes([(Vec3::repeat(1.0), &|x| x), (Vec3::repeat(1.0), &upper)]));
        assert_eq!(edges(&constraints), 0, "{height}");
    }
    // The edges of equal stacked blocks coincide exactly or nearly.
    for tilt in [0.0, 1e-9, 1e-3] {
        let tilted = Rotation::from_scaled_axis(Vec3::new(tilt, -tilt, tilt));
        let upper = |x: Vec3| tilted * x + Vec3::z() * 0.999;
        assert_eq!(edges(&found(boxes([(Vec3::repeat(1.0), &|x| x), (Vec3::repeat(1.0), &upper)]))), 0);
    }
    // Of two crosswise thin plates, only the eight crossings of the facing rims are in contact, although the rims of
    // the far sides are near.
    let plate = Vec3::new(1.0, 1.0, 0.02);
    let upper = |x: Vec3| turn * x + Vec3::z() * 0.018;
    let constraints = found(boxes([(plate, &|x| x), (plate, &upper)]));
    assert_eq!((constraints.len(), edges(&constraints)), (8, 8));
    assert!(constraints.iter().all(|c| (c.normal + Vec3::z()).norm() < 1e-12 && c.gap > -0.003));
    // A block overhangs a corner of another block. The contact normals are vertical, although a vertical edge also
    // crosses an edge of the other block.
    let upper = |x: Vec3| x + Vec3::new(-0.9, 0.6, 0.97);
    let constraints = found(boxes([(Vec3::repeat(1.0), &|x| x), (Vec3::repeat(1.0), &upper)]));
    assert!(!constraints.is_empty());
    for constraint in constraints.iter() {
        assert!((constraint.normal.z.abs() - 1.0).abs() < 1e-9, "{constraint:?}");
    }
}

/// The vector between the closest points of two nearby parabolas is normal to each curve, unless the point is an end of
/// this curve. The distance is the global minimum, except for fewer than 20 of 2000 pairs.
#[test]
fn closest_points_of_parabolas_are_stationary() {
    let samples = &mut Samples::new(5);
    let mut closer_elsewhere = 0;
    for _ in 0..2000 {
        let mut curve = |bend: f64| Curve {
            ends: [samples.vector(1.0), samples.vector(1.0)],
            height: samples.vector(bend),
        };
        let curves = [curve(0.2), curve(0.2)];
        let [s, t] = closest_places(&curves);
        let [(p, dp), (q, dq)] = [curves[0].at(s), curves[1].at(t)];
        let (offset, distance) = (p - q, (p - q).norm());
        for (place, slope) in [(s, offset.dot(&dp)), (t, -offset.dot(&dq))] {
            let pushes_out = (place == 0.0 && slope >= 0.0) || (place == 1.0 && slope <= 0.0);
            assert!(pushes_out || slope.abs() < 1e-9, "{place}: {slope:e}");
        }
        let grid = || (0..=40).map(|k| f64::from(k) / 40.0);
        let is_closer = |s: f64, t: f64| (curves[0].at(s).0 - curves[1].at(t).0).norm() < distance - 1e-9;
        closer_elsewhere += usize::from(grid().any(|s| grid().any(|t| is_closer(s, t))));
    }
    assert!(closer_elsewhere < 20, "{closer_elsewhere} of 2000 have found another minimum");
}

/// The tests that precede the computation of closest points exclude only straight edges that are nearly parallel, and
/// edges that are apart: `clearance` never exceeds the distance.
#[test]
fn edges_excluded_early_are_parallel_or_apart() {
    let samples = &mut Samples::new(12);
    let mut told = [0; 3];
    for _ in 0..20_000 {
        let along = samples.direction();
        let across = along.cross(&samples.direction()).normalize();
        let angle = CROSSING.asin() * samples.pick(&[0.0, 0.9, 1.0 - 1e-9, 1.0, 1.0 + 1e-9, 1.1, 100.0]);
        let directions = [along, along * angle.cos() + across * angle.sin()];
        let curves = directions.map(|direction| {
            let [far, bent] = [samples.pick(&[1.0, 1e4]), samples.pick(&[0.0, 0.1])];
            let place = samples.vector(far);
            let half = direction * samples.uniform(0.1, 1.0);
            Curve { ends: [place - half, place + half], height: samples.vector(bent) }
        });
        let places = closest_places(&curves);
        let [a, b] = [0, 1].map(|k| curves[k].at(places[k]));
        let sine = a.1.normalize().cross(&b.1.normalize()).norm();
        let is_straight = curves.iter().all(Curve::is_straight);
        let [along, other] = curves.map(|curve| curve.ends[1] - curve.ends[0]);
        let is_told = is_straight && are_parallel(&along, &other);
        if is_told {
            assert!(sine <= CROSSING, "{sine} {curves:?}");
        }
        let clearance = curves[0].clearance(&curves[1]);
        assert!(clearance <= (a.0 - b.0).norm(), "{clearance} {curves:?}");
        told[0] += usize::from(is_told);
        told[1] += usize::from(clearance > 0.0);
        told[2] += usize::from(is_straight && !is_told);
    }
    assert!(told.iter().all(|&count| count > 1000), "{told:?}");
}

/// Curved edges may cross although their chords are parallel, so parallel chords exclude only edges without middle
/// nodes.
#[test]
fn edges_with_middle_nodes_are_not_excluded_by_their_chords() {
    let samples = &mut Samples::new(13);
    let positions: Vec<Vec3> = (0..12).map(|_| samples.vector(1.0)).collect();
    let surface = |kind, nodes: &[u32]| Surface::new([(kind, nodes)]);
    let surfaces = vec![
        surface(CellKind::Tri3, &[0, 1, 2]),
        surface(CellKind::Tri3, &[3, 4, 5]),
        surface(CellKind::Tri6, &[6, 7, 8, 9, 10, 11]),
    ];
    let model = ContactModel::new(surfaces, &[], &positions).with_edges(EdgeSelection::All);
    let pair = |second| EdgePair::new(&model, [0, second], [0, 0]).unwrap();
    let mut search = EdgeEdgeSearch::default();
    search.set(&model, [pair(1), pair(2)]);
    let nodes = search.candidates[0].edges(&model).map(|edge| edge.nodes);
    assert_eq!(search.ends, [Some(nodes), None]);
}
