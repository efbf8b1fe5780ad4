use super::*;
use crate::contact::detection::EdgeSelection;
use crate::contact::detection::samples::Samples;
use crate::mesh::CellKind;

/// One triangle below, its outside up, and above it another one, the outside down.
fn two_triangles() -> (ContactModel, Vec<Vec3>) {
    let lower = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
    let upper = [[-0.6, -0.5, 0.0], [0.1, 0.5, 0.0], [0.5, -0.6, 0.0]];
    let mut positions: Vec<Vec3> = Vec::new();
    let mut surfaces = Vec::new();
    for (corners, height) in [(lower, 0.0), (upper, 1.0)] {
        let first = positions.len() as u32;
        let corner = |k: usize| Vec3::from(corners[k]) + Vec3::z() * height;
        positions.extend((0..3).map(corner));
        let nodes: Vec<u32> = (first..positions.len() as u32).collect();
        surfaces.push(Surface::new([(CellKind::Tri3, nodes.as_slice())]));
    }
    let model = ContactModel::new(surfaces, &[], &positions).with_edges(EdgeSelection::All);
    (model, positions)
}

/// Nodes on random parabolas: the polynomial and the conservative advancement find the same instant.
#[test]
fn polynomial_and_advancement_agree() {
    let samples = &mut Samples::new(21);
    let mut met = 0;
    for _ in 0..600 {
        let (model, begin) = two_triangles();
        let velocities: Vec<Vec3> = begin
            .iter()
            .map(|x| samples.vector(0.4) - Vec3::z() * if x.z > 0.5 { 1.5 } else { 0.0 })
            .collect();
        let end: Vec<Vec3> =
            begin.iter().zip(&velocities).map(|(x, v)| x + v + samples.vector(0.2)).collect();
        let mut paths = StepPaths::default();
        paths.set(&begin, &velocities, &end, 1.0);
        let first = |model: &ContactModel| {
            StepImpactSearch::new(model.clone()).first(&paths, &Constraints::default())
        };
        let exact = first(&model);
        // An offset, however small, makes all features advance.
        let offset = model.with_offsets(&[1e-13, 0.0]);
        let advanced = first(&offset);
        let (Some(exact), Some(advanced)) = (exact, advanced) else {
            assert!(exact.is_none() && advanced.is_none(), "{exact:?} and {advanced:?}");
            continue;
        };
        met += 1;
        assert!((exact.fraction - advanced.fraction).abs() < 1e-6, "{exact:?} and {advanced:?}");
        assert!(exact.closing > 0.0 && (exact.normal.norm() - 1.0).abs() < 1e-12, "{exact:?}");
    }
    assert!(met > 200, "{met}");
}

/// Two faces 1 m apart that close at 1.25 m a step meet after 0.8 of it, offset by 0.1 m each after 0.64.
#[test]
fn offset_surfaces_meet_earlier() {
    let (model, begin) = two_triangles();
    let velocities: Vec<Vec3> =
        begin.iter().map(|x| if x.z > 0.5 { Vec3::z() * -1.25 } else { Vec3::zeros() }).collect();
    let end: Vec<Vec3> = begin.iter().zip(&velocities).map(|(x, v)| x + v).collect();
    let mut paths = StepPaths::default();
    paths.set(&begin, &velocities, &end, 1.0);
    let none = Constraints::default();
    let first = |model: &ContactModel| {
        StepImpactSearch::new(model.clone()).first(&paths, &none).map(|impact| impact.fraction)
    };
    assert!((first(&model).unwrap() - 0.8).abs() < 1e-12);
    let offset = model.with_offsets(&[0.1, 0.1]);
    assert!((first(&offset).unwrap() - 0.64).abs() < 1e-8);
}

/// A node that sinks at 2e-4 m a step to the height of 0.1 m at which a face of 10 m is met, from 1e-4 m above, while it
/// slides over it by 1 m, is there in the middle of the step, flat faces of all kinds.
#[test]
fn sliding_features_meet_when_they_come_in() {
    for kind in [CellKind::Tri3, CellKind::Quad4, CellKind::Tri6, CellKind::Quad8] {
        let square = [[-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]];
        let count = kind.linear().num_nodes();
        let corner = |k: usize| Vec3::new(square[k][0], square[k][1], 0.0);
        let middle = |k: usize| (corner(k) + corner((k + 1) % count)) * 0.5;
        let middles = kind.num_nodes() - count;
        let mut positions: Vec<Vec3> = (0..count).map(corner).chain((0..middles).map(middle)).collect();
        let lower: Vec<u32> = (0..positions.len() as u32).collect();
        // A small face above, outside down, with one corner below the others.
        let tip = Vec3::new(1.0, -2.0, 0.1 + 1e-4);
        positions.extend([tip, tip + Vec3::new(0.1, 0.5, 0.5), tip + Vec3::new(0.5, -0.1, 0.5)]);
        let upper: Vec<u32> = (0..3).map(|k| lower.len() as u32 + k).collect();
        let faces = [(kind, lower.as_slice()), (CellKind::Tri3, upper.as_slice())];
        let surfaces = faces.iter().map(|face| Surface::new([*face])).collect();
        let model = ContactModel::new(surfaces, &[], &positions)
            .with_edges(EdgeSelection::None)
            .with_offsets(&[0.1, 0.0]);
        let way = |k: usize| if k < lower.len() { Vec3::zeros() } else { Vec3::new(1.0, 0.0, -2e-4) };
        let velocities: Vec<Vec3> = (0..positions.len()).map(way).collect();
        let end: Vec<Vec3> = positions.iter().zip(&velocities).map(|(x, v)| x + v).collect();
        let mut paths = StepPaths::default();
        paths.set(&positions, &velocities, &end, 1.0);
        let met = StepImpactSearch::new(model).first(&paths, &Constraints::default()).unwrap();
        assert!((met.fraction - 0.5).abs() < 1e-7, "{kind:?}: {met:?}");
    }
}

/// A node that follows a parabolic roof of 10 m at a hundred times the speed with which it comes down on it, from 1e-2 m
/// above, is there in the middle of the step, however high the roof: to 1e-7, as both paths are parabolas.
#[test]
fn what_slides_along_a_curved_face_meets_it_when_it_comes_in() {
    let slide = 2.0;
    for (sag, kind) in [(0.05, CellKind::Quad8), (1e-4, CellKind::Quad8), (0.5, CellKind::Quad9)] {
        let roof = |x: f64, y: f64| Vec3::new(x, y, sag * (1.0 - (x / 5.0).powi(2)));
        let corners = [[-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]];
        let middles = [[0.0, -5.0], [5.0, 0.0], [0.0, 5.0], [-5.0, 0.0], [0.0, 0.0]];
        let places = corners.iter().chain(&middles).take(kind.num_nodes());
        let mut positions: Vec<Vec3> = places.map(|&[x, y]| roof(x, y)).collect();
        let lower: Vec<u32> = (0..positions.len() as u32).collect();
        let tip = |tau: f64| roof(-0.5 + slide * tau, 0.3) + Vec3::z() * (1e-2 * (1.0 - 2.0 * tau));
        positions.extend(
            [Vec3::zeros(), Vec3::new(0.1, 0.5, 1.0), Vec3::new(0.5, -0.1, 1.0)].map(|arm| tip(0.0) + arm),
        );
        let upper: Vec<u32> = (0..3).map(|k| lower.len() as u32 + k).collect();
        let faces = [(kind, lower.as_slice()), (CellKind::Tri3, upper.as_slice())];
        let surfaces = faces.iter().map(|face| Surface::new([*face])).collect();
        let model = ContactModel::new(surfaces, &[], &positions).with_edges(EdgeSelection::None);
        // x(τ) = c₀ + c₁ τ + c₂ τ² with the way and half the bend of the path of the tip.
        let bend = 2.0 * (tip(1.0) - 2.0 * tip(0.5) + tip(0.0));
        let way = tip(1.0) - tip(0.0) - bend;
        let moves = |k: usize| f64::from(u8::from(k >= lower.len()));
        let velocities: Vec<Vec3> = (0..positions.len()).map(|k| way * moves(k)).collect();
        let end: Vec<Vec3> = positions.iter().enumerate().map(|(k, x)| x + (way + bend) * moves(k)).collect();
        let mut paths = StepPaths::default();
        paths.set(&positions, &velocities, &end, 1.0);
        let met = StepImpactSearch::new(model).first(&paths, &Constraints::default()).unwrap();
        assert!((met.fraction - 0.5).abs() < 1e-7, "{sag}, {kind:?}: {met:?}");
    }
}

/// Two uneven sheets of 200 triangles of size 0.1 that fly a few metres, each node a little on its own: what is found
/// in parts of the step, and group of faces by group, is what is found in all of it at once, and among all faces.
#[test]
fn parts_of_a_step_find_what_the_whole_does() {
    let samples = &mut Samples::new(8);
    let mut met = 0;
    for _ in 0..60 {
        let (mut positions, mut surfaces, mut velocities): (Vec<Vec3>, Vec<Surface>, Vec<Vec3>) =
            (Vec::new(), Vec::new(), Vec::new());
        for body in 0..2_u32 {
            let up = body == 0;
            let node = |i: u32, j: u32| 121 * body + 11 * i + j;
            let cells = (0..10).flat_map(|i| (0..10).map(move |j| (i, j)));
            let faces: Vec<[u32; 3]> = cells
                .flat_map(|(i, j)| {
                    let [a, b, c, d] = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
                    if up { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] }
                })
                .collect();
            surfaces.push(Surface::new(faces.iter().map(|face| (CellKind::Tri3, face.as_slice()))));
            let place = if up { Vec3::zeros() } else { Vec3::z() * 1.5 + samples.vector(0.3) };
            let way = if up { Vec3::z() * 1.0 } else { Vec3::z() * -2.0 } + samples.vector(0.3);
            for k in 0..121 {
                let flat = Vec3::new(f64::from(k / 11), f64::from(k % 11), 0.0) * 0.1;
                positions.push(place + flat + samples.vector(0.02));
                velocities.push(way + samples.vector(0.05));
            }
        }
        let end: Vec<Vec3> =
            positions.iter().zip(&velocities).map(|(x, v)| x + v + samples.vector(0.05)).collect();
        let mut paths = StepPaths::default();
        paths.set(&positions, &velocities, &end, 1.0);
        let model = ContactModel::new(surfaces, &[], &positions).with_edges(EdgeSelection::All);
        let mut search = StepImpactSearch::new(model);
        let none = Constraints::default();
        let in_parts = search.first(&paths, &none);
        search.model.search_depths = vec![f64::INFINITY; 2];
        assert_eq!(in_parts, search.first(&paths, &none));
        let one_group = |surface| FaceGroups::new(surface, &positions, usize::MAX);
        search.groups = search.model.surfaces.iter().map(one_group).collect();
        assert_eq!(in_parts, search.first(&paths, &none));
        met += usize::from(in_parts.is_some());
    }
    assert!(met > 20, "{met}");
}
