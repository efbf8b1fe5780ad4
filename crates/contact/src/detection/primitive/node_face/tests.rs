use super::batch::Batch;
use super::closest_faces::{Closest, ClosestFaces, Groups};
use super::penetration::Penetration;
use super::search::NODES_PER_TASK;
use super::*;
use crate::detection::face::closest_point::{Method, Outcome, SQUARE, Start, closest_point, signed_gap};
use crate::detection::model::{Candidate, ContactModel};
use crate::detection::samples::Samples;
use crate::element::shape_values;
use crate::flush::are_coplanar;
use crate::math::Vec3;
use crate::mesh::CellKind;
use crate::{Constraints, ContactKey, NodeOnSurface, Surface};

/// The closest face of each node, the penetration of the node, if any, and whether another face is equally close.
fn closest_faces(
    search: &NodeFaceSearch,
    candidates: &[Candidate],
    model: &ContactModel,
    options: NodeFaceOptions,
    positions: &[Vec3],
) -> Vec<Option<(Closest, Option<Penetration>, bool)>> {
    let NodeFaceSearch { vectorised, group_ends, target_faces, last, .. } = search;
    let faces = ClosestFaces { vectorised: *vectorised, model, options, positions, candidates, target_faces };
    let groups = Groups { begin: 0, ends: group_ends, last };
    let mut found = Vec::new();
    faces.find(&groups, &mut Batch::default(), |closest| {
        found.push(closest.map(|closest| (*closest, faces.penetration(closest), faces.is_tied(closest))));
    });
    found
}

/// A warped face and a smaller face under it. The nodes of the smaller face are the contactors.
fn two_faces() -> (ContactModel, Vec<Vec3>, Vec<Candidate>) {
    let target = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.4], [-1.0, 1.0, 0.0]];
    let contactor = [[-0.5, 0.4, -0.05], [0.4, 0.6, -0.05], [0.5, -0.5, -0.05], [-0.4, -0.6, -0.05]];
    let positions: Vec<Vec3> = target.into_iter().chain(contactor).map(Vec3::from).collect();
    let surface = |nodes: [u32; 4]| Surface::new([(CellKind::Quad4, nodes.as_slice())]);
    let model = ContactModel::new(vec![surface([0, 1, 2, 3]), surface([4, 5, 6, 7])], &[], &positions);
    let candidate = |contactor| Candidate::new(NodeOnSurface { contactor, target: 0 }, 0, 1);
    (model, positions, (4..8).map(candidate).collect())
}

#[test]
fn the_step_before_is_a_good_start() {
    let (model, mut positions, candidates) = two_faces();
    let options = |start| NodeFaceOptions { method: Method::Sqp, start };
    let find = |search: &mut NodeFaceSearch, positions: &[Vec3], start| {
        let closest = closest_faces(search, &candidates, &model, options(start), positions);
        let iterations: u32 = closest.iter().flatten().map(|(found, ..)| found.point.iterations).sum();
        let mut constraints = Constraints::default();
        search.find(&candidates, &model, options(start), positions, &mut constraints);
        (iterations, constraints.iter().map(|c| c.gap).collect::<Vec<_>>())
    };
    let mut search = NodeFaceSearch::default();
    search.group(&candidates, &model, StartFrom::Previous);
    let first = find(&mut search, &positions, StartFrom::Previous);
    assert_eq!(first, find(&mut search.clone(), &positions, StartFrom::Nearest));
    positions[4..].iter_mut().for_each(|x| *x += Vec3::new(1e-3, 2e-3, -1e-4));
    let [nearest, centre] =
        [StartFrom::Nearest, StartFrom::Centre].map(|start| find(&mut search.clone(), &positions, start));
    let previous = find(&mut search, &positions, StartFrom::Previous);
    assert!(previous.0 < nearest.0 && previous.0 < centre.0, "{previous:?} {nearest:?} {centre:?}");
    assert_eq!(previous.1.len(), 4);
    for (k, gap) in previous.1.iter().enumerate() {
        assert!((gap - nearest.1[k]).abs() < 1e-12 && (gap - centre.1[k]).abs() < 1e-12);
    }
}

#[test]
fn what_was_found_stays_with_its_node() {
    let (model, positions, candidates) = two_faces();
    let options = NodeFaceOptions { method: Method::Sqp, start: StartFrom::Previous };
    let mut search = NodeFaceSearch::default();
    search.group(&candidates, &model, options.start);
    search.find(&candidates, &model, options, &positions, &mut Constraints::default());
    let found = |search: &NodeFaceSearch| -> Vec<_> {
        search.last.iter().map(|last| last.map(|last| (last.key.contactor, last.xi))).collect()
    };
    let all = found(&search);
    assert!(all.iter().enumerate().all(|(k, c)| c.is_some_and(|(node, _)| node == 4 + k as u32)));
    search.group(&candidates[1..3], &model, options.start);
    assert_eq!(found(&search), all[1..3]);
    search.group(&candidates, &model, options.start);
    assert_eq!(found(&search), [None, all[1], all[2], None]);
    // The starting point does not apply to another face.
    let start = |face| StartFrom::Previous.on(face, search.last[1]);
    assert_eq!([start(1), start(0)], [Start::Nearest, Start::Previous(all[1].unwrap().1)]);
}

/// Nodes over a sheet of triangles and some quadrilaterals. The nodes suffice for several tasks. The candidates of each
/// node are up to nine random faces and the faces below the node. The search for all nodes gives each node bitwise the
/// result of a search for this node alone, whatever the lane of a candidate.
#[test]
fn each_node_has_the_closest_of_its_candidates() {
    let samples = &mut Samples::new(4);
    let n = 24;
    let node = |i: u32, j: u32| (n + 1) * i + j;
    let mut faces: Vec<(CellKind, Vec<u32>)> = Vec::new();
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let [a, b, c, d] = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
        if (i + j) % 5 == 0 {
            faces.push((CellKind::Quad4, vec![a, b, c, d]));
        } else {
            faces.extend([(CellKind::Tri3, vec![a, b, c]), (CellKind::Tri3, vec![a, c, d])]);
        }
    }
    let lower = Surface::new(faces.iter().map(|(kind, nodes)| (*kind, nodes.as_slice())));
    let num_nodes = (n + 1) * (n + 1);
    let upper = Surface::new(
        faces
            .iter()
            .map(|(kind, nodes)| {
                let nodes: Vec<u32> = nodes.iter().rev().map(|node| node + num_nodes).collect();
                (*kind, nodes)
            })
            .collect::<Vec<_>>()
            .iter()
            .map(|(kind, nodes)| (*kind, nodes.as_slice())),
    );
    let flat = |k: u32| Vec3::new(f64::from(k / (n + 1)), f64::from(k % (n + 1)), 0.0);
    let mut positions: Vec<Vec3> = (0..num_nodes).map(|k| flat(k) + samples.vector(0.2)).collect();
    positions.extend((0..num_nodes).map(|k| flat(k) + samples.vector(0.2)));
    let model = ContactModel::new(vec![lower, upper], &[], &positions);
    let mut candidates = Vec::new();
    for contactor in (num_nodes..2 * num_nodes).filter(|node| node % 7 != 0) {
        let mut faces: Vec<u32> =
            (0..1 + samples.bits() % 9).map(|_| (samples.bits() % faces.len() as u64) as u32).collect();
        let of_node = |face: &usize| model.surfaces[0].face(*face).1.contains(&(contactor - num_nodes));
        faces.extend((0..model.surfaces[0].num_faces()).filter(of_node).map(|face| face as u32));
        faces.sort_unstable();
        faces.dedup();
        let key = NodeOnSurface { contactor, target: 0 };
        candidates.extend(faces.iter().map(|&face| Candidate::new(key, face, 1)));
    }
    let options = NodeFaceOptions { method: Method::Auto, start: StartFrom::Nearest };
    let find = |candidates: &[Candidate]| {
        let mut search = NodeFaceSearch::default();
        search.group(candidates, &model, options.start);
        closest_faces(&search, candidates, &model, options, &positions)
    };
    let closest = find(&candidates);
    assert!(closest.len() > 2 * NODES_PER_TASK - 20);
    let groups: Vec<&[Candidate]> = candidates.chunk_by(|a, b| a.key == b.key).collect();
    assert_eq!(closest.len(), groups.len());
    let (mut expected, mut tied) = (Vec::new(), Vec::new());
    for (closest, group) in closest.iter().zip(groups) {
        let found = closest.map(|(closest, penetration, _)| {
            (candidates[closest.candidate as usize], closest.point, penetration.map(|found| found.gap))
        });
        let alone = find(group)[0].map(|(closest, penetration, _)| {
            (group[closest.candidate as usize], closest.point, penetration.map(|found| found.gap))
        });
        assert_eq!(found, alone);
        if let Some((Candidate { key, face, .. }, point, Some(gap))) = found {
            let query = &positions[key.contactor as usize];
            let signed = signed_gap(&model.surfaces[0], &positions, face as usize, query, &point);
            // If the two normals differ by less than 1°, the face normal may replace the normal of `signed_gap`.
            let is_straight =
                are_coplanar(&gap.normal, &signed.normal) && (gap.gap / signed.gap - 1.0).abs() < 2e-4;
            assert!(gap == signed || is_straight, "{gap:?}, not {signed:?}");
            let (kind, corners) = model.surfaces[0].face(face as usize);
            let mut values = vec![0.0; corners.len()];
            shape_values(kind, [point.xi[0], point.xi[1], 0.0], &mut values);
            let nodes = std::iter::once(key.contactor).chain(corners.iter().copied()).collect::<Vec<_>>();
            let weights = std::iter::once(1.0).chain(values.iter().map(|value| -value)).collect::<Vec<_>>();
            if closest.is_some_and(|(_, _, is_tied)| is_tied) {
                tied.push(ContactKey::Node(key));
            } else {
                expected.push((ContactKey::Node(key), gap.gap, gap.normal, nodes, weights));
            }
        }
        let is_reached = |candidate: &&Candidate| {
            let (kind, nodes) = model.surfaces[0].face(candidate.face as usize);
            let corners: Vec<Vec3> = nodes.iter().map(|&node| positions[node as usize]).collect();
            let query = &positions[candidate.key.contactor as usize];
            let point = closest_point(Method::Auto, Start::Nearest, kind, &corners, query);
            found.is_none_or(|found| point.distance_squared < found.1.distance_squared)
                && point.distance_squared <= model.reach_of(candidate).powi(2)
        };
        assert_eq!(group.iter().find(is_reached), None);
    }
    assert!(closest.iter().flatten().count() > 300);
    let (mut search, mut constraints) = (NodeFaceSearch::default(), Constraints::default());
    search.group(&candidates, &model, options.start);
    search.find(&candidates, &model, options, &positions, &mut constraints);
    let found = constraints.iter().filter(|c| !tied.contains(&c.key));
    let found = found.map(|c| (c.key, c.gap, c.normal, c.nodes.to_vec(), c.weights.to_vec()));
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert!(expected.len() > 100, "{}", expected.len());
    // Each node starts from its own closest point of the last step, whatever task processes the node.
    let options = NodeFaceOptions { method: Method::Sqp, start: StartFrom::Previous };
    search.group(&candidates, &model, options.start);
    for _ in 0..2 {
        let closest = closest_faces(&search, &candidates, &model, options, &positions);
        search.find(&candidates, &model, options, &positions, &mut constraints);
        let last = closest.iter().map(|found| {
            found.map(|(closest, ..)| {
                let Candidate { key, face, .. } = candidates[closest.candidate as usize];
                StartingPoint { key, face, xi: closest.point.xi }
            })
        });
        assert_eq!(search.last, last.collect::<Vec<_>>());
    }
}

/// Contact of a node with four quadrilaterals around a vertex at this height \[m\]. `order` gives the order of the
/// faces. The contactor node is 0.01 m below the vertex and displaced by `beside` along x \[m\]. Returns the gap, the
/// normal, and the weights of the target nodes in ascending order of the nodes.
fn below_a_vertex(height: f64, beside: f64, order: [usize; 4]) -> (f64, Vec3, Vec<(u32, f64)>) {
    let place = |k: u32| Vec3::new(f64::from(k % 3) - 1.0, f64::from(k / 3) - 1.0, 0.0);
    let mut positions: Vec<Vec3> = (0..9).map(place).collect();
    positions[4].z = height;
    let corner = [0, 1, 3, 4];
    let faces = order.map(|k| [corner[k], corner[k] + 1, corner[k] + 4, corner[k] + 3]);
    let below = Vec3::new(beside, 0.0, height - 0.01);
    positions.extend([below, below + Vec3::new(0.1, 0.5, 0.3), below + Vec3::new(0.5, 0.1, 0.3)]);
    let lower = Surface::new(faces.iter().map(|nodes| (CellKind::Quad4, nodes.as_slice())));
    let upper = Surface::new([(CellKind::Tri3, [9_u32, 10, 11].as_slice())]);
    let model = ContactModel::new(vec![lower, upper], &[], &positions);
    let key = NodeOnSurface { contactor: 9, target: 0 };
    let candidates: Vec<Candidate> = (0..4).map(|face| Candidate::new(key, face, 1)).collect();
    let options = NodeFaceOptions { method: Method::Auto, start: StartFrom::Nearest };
    let (mut search, mut constraints) = (NodeFaceSearch::default(), Constraints::default());
    search.group(&candidates, &model, options.start);
    search.find(&candidates, &model, options, &positions, &mut constraints);
    assert_eq!(constraints.len(), 1);
    let found = constraints.get(0);
    let mut weights: Vec<_> =
        found.nodes[1..].iter().copied().zip(found.weights[1..].iter().copied()).collect();
    weights.sort_unstable_by_key(|(node, _)| *node);
    (found.gap, found.normal, weights)
}

/// The node is below a vertex in a dent, or on a ridge, of less than 1°. The contact has the nodes of all four faces
/// and the symmetric normal, whatever the order of the faces.
#[test]
fn equally_close_faces_count_alike() {
    for height in [-0.005, 0.0, 0.005] {
        let expected = below_a_vertex(height, 0.0, [0, 1, 2, 3]);
        let (gap, normal, weights) = &expected;
        assert!((normal - Vec3::z()).norm() < 1e-12, "{normal}");
        assert!((gap + 0.01).abs() < 1e-5, "{gap}");
        assert_eq!(weights.iter().map(|(node, _)| *node).collect::<Vec<_>>(), (0..9).collect::<Vec<_>>());
        for order in [[3, 2, 1, 0], [1, 3, 0, 2]] {
            let found = below_a_vertex(height, 0.0, order);
            assert!((found.0 - gap).abs() < 1e-15 && (found.1 - normal).norm() < 1e-15, "{found:?}");
            let differs = found.2.iter().zip(weights).map(|(a, b)| (a.1 - b.1).abs()).fold(0.0, f64::max);
            assert!(differs < 1e-14, "{differs:.1e}");
        }
    }
}

/// In a dent of less than 1°, the contact normal is the mean of the face normals, even if the node is not exactly below
/// the vertex. The direction from the vertex to the node would deviate by 2e-3.
#[test]
fn face_normals_apply_in_flat_dents() {
    let (gap, normal, _) = below_a_vertex(-0.005, 2e-5, [0, 1, 2, 3]);
    assert!((normal - Vec3::z()).norm() < 1e-12, "{normal}");
    assert!((gap + 0.01).abs() < 1e-5, "{gap}");
}

/// Each contactor node belongs to a face that is at a right angle to a nearby triangle, within about eight times
/// [`SQUARE`]. All faces are rotated at random. The test of opposed normals gives the same result in every lane, and in
/// the scalar form, which applies if the group of four contains a quadrilateral.
#[test]
fn sides_agree_in_lanes_and_out() {
    const FAR: u32 = 8;
    let samples = &mut Samples::new(9);
    let (mut triangles, mut quadrilaterals, mut contactors) = (Vec::new(), Vec::new(), Vec::new());
    // In the stress-free configuration the faces are far apart, so that no face is opposite another across the
    // thickness.
    let (mut positions, mut reference): (Vec<Vec3>, Vec<Vec3>) = Default::default();
    let mut candidates = Vec::new();
    // Triangles out of reach fill the lanes.
    for k in 0..FAR {
        let first = positions.len() as u32;
        let corners = [[9.0, 0.0, 0.0], [9.0, 1.0, 0.0], [9.0, 0.0, 1.0]].map(Vec3::from);
        positions.extend(corners);
        reference.extend(corners.map(|corner| corner + Vec3::y() * (10.0 * f64::from(k))));
        triangles.push((CellKind::Tri3, (first..first + 3).collect()));
    }
    let count = 400;
    for k in 0..count {
        let turn = nalgebra::UnitQuaternion::from_scaled_axis(samples.vector(3.0));
        let first = positions.len() as u32;
        let triangle = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let quadrilateral = [[-1.0, -1.0, 0.4], [-1.0, 1.0, 0.4], [1.0, 1.0, 0.4], [1.0, -1.0, 0.4]];
        let leaning = 0.2 + samples.uniform(-8.0, 8.0) * SQUARE;
        let contactor = [[-0.05, 0.2, 0.2], [1.0, 0.5, leaning], [0.2, 1.0, 0.2]];
        let corners = triangle.into_iter().chain(quadrilateral).chain(contactor).map(Vec3::from);
        positions.extend(corners.clone().map(|corner| turn * corner));
        reference.extend(corners.map(|corner| corner - Vec3::y() * (10.0 * f64::from(k + 1))));
        let nodes: Vec<u32> = (first..first + 10).collect();
        triangles.push((CellKind::Tri3, nodes[..3].to_vec()));
        quadrilaterals.push((CellKind::Quad4, nodes[3..7].to_vec()));
        contactors.push((CellKind::Tri3, nodes[7..].to_vec()));
        let key = NodeOnSurface { contactor: nodes[7], target: 0 };
        let far = 0..samples.bits() as u32 % FAR;
        let faces = far.chain([FAR + k, FAR + count + k]);
        candidates.extend(faces.map(|face| Candidate::new(key, face, 1)));
    }
    let surface = |faces: &[(CellKind, Vec<u32>)]| {
        Surface::new(faces.iter().map(|(kind, nodes)| (*kind, nodes.as_slice())))
    };
    let surfaces = vec![surface(&[triangles, quadrilaterals].concat()), surface(&contactors)];
    let model = ContactModel::new(surfaces, &[], &reference);
    let find = |candidates: &[Candidate], method| {
        let mut search = NodeFaceSearch::default();
        search.group(candidates, &model, StartFrom::Nearest);
        let options = NodeFaceOptions { method, start: StartFrom::Nearest };
        closest_faces(&search, candidates, &model, options, &positions)
    };
    let face = |candidates: &[Candidate], (closest, ..): (Closest, Option<Penetration>, bool)| {
        candidates[closest.candidate as usize].face
    };
    let closest = find(&candidates, Method::Auto);
    let mut on_triangles = 0;
    for (closest, group) in closest.iter().zip(candidates.chunk_by(|a, b| a.key == b.key)) {
        let found = closest.map(|closest| face(&candidates, closest));
        assert_eq!(found, find(group, Method::Auto)[0].map(|closest| face(group, closest)));
        on_triangles += usize::from(found.is_some_and(|face| face < FAR + count));
    }
    assert!(on_triangles > 50 && on_triangles < 350, "{on_triangles}");
    let outcomes =
        find(&candidates, Method::Sqp).into_iter().flatten().map(|(found, ..)| found.point.outcome);
    assert!(outcomes.into_iter().all(|outcome| outcome == Outcome::Converged));
}
