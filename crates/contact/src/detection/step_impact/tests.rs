use super::*;
use crate::Surface;
use crate::detection::model::EdgeSelection;
use crate::detection::samples::Samples;
use crate::mesh::CellKind;

/// A triangle that faces upwards, and 1 m above it a triangle that faces downwards.
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

/// For nodes on random parabolas, the polynomial and the conservative advancement give the same instant, to 1e-6 of the
/// step.
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
        // With any positive offset, all features use conservative advancement.
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

/// Two faces 1 m apart that close at 1.25 m per step touch after 0.8 of the step. With offsets of 0.1 m each, the faces
/// touch after 0.64 of the step.
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

/// Time of contact of a triangle with a resting face, as a fraction of the step. The face has the offset `offset`
/// \[m\]. The triangle stands on its tip and faces downwards. The tip moves on a parabola through the positions `tip`
/// at the times 0, 0.5 and 1.
fn time_of_tip((kind, face): (CellKind, Vec<Vec3>), offset: f64, tip: impl Fn(f64) -> Vec3) -> Option<f64> {
    let count = face.len();
    let [begin, middle, end] = [0.0, 0.5, 1.0].map(tip);
    let arms = [[0.0, 0.0, 0.0], [0.1, 0.5, 1.0], [0.5, -0.1, 1.0]].map(Vec3::from);
    let positions: Vec<Vec3> = face.into_iter().chain(arms.map(|arm| begin + arm)).collect();
    let nodes: Vec<u32> = (0..positions.len() as u32).collect();
    let (lower, upper) = nodes.split_at(count);
    let surfaces = [(kind, lower), (CellKind::Tri3, upper)].map(|face| Surface::new([face]));
    let model = ContactModel::new(surfaces.into(), &[], &positions)
        .with_edges(EdgeSelection::None)
        .with_offsets(&[offset, 0.0]);
    // Initial velocity of the parabola through the three positions.
    let velocity = middle * 4.0 - begin * 3.0 - end;
    let of_upper = |vector: Vec3| move |k: usize| if k < count { Vec3::zeros() } else { vector };
    let velocities: Vec<Vec3> = (0..positions.len()).map(of_upper(velocity)).collect();
    let displacements = (0..positions.len()).map(of_upper(end - begin));
    let ends: Vec<Vec3> =
        positions.iter().zip(displacements).map(|(x, displacement)| x + displacement).collect();
    let mut paths = StepPaths::default();
    paths.set(&positions, &velocities, &ends, 1.0);
    let met = StepImpactSearch::new(model).first(&paths, &Constraints::default());
    met.map(|impact| impact.fraction)
}

/// A tip slides by 1 m along a flat face of 10 m with an offset of 0.1 m. In the step, the tip sinks by 2e-4 m and
/// begins 1e-4 m above the contact height. The tip therefore touches in the middle of the step. The tolerance of 1e-7
/// of the step corresponds to a gap of 2e-11 m.
#[test]
fn sliding_features_meet_when_they_come_in() {
    for kind in [CellKind::Tri3, CellKind::Quad4, CellKind::Tri6, CellKind::Quad8] {
        let square = [[-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]];
        let count = kind.linear().num_nodes();
        let corner = |k: usize| Vec3::new(square[k][0], square[k][1], 0.0);
        let middle = |k: usize| (corner(k) + corner((k + 1) % count)) * 0.5;
        let nodes = (0..count).map(corner).chain((0..kind.num_nodes() - count).map(middle)).collect();
        let tip = |tau: f64| Vec3::new(1.0 + tau, -2.0, 0.1 + 1e-4 - 2e-4 * tau);
        let met = time_of_tip((kind, nodes), 0.1, tip).unwrap();
        assert!((met - 0.5).abs() < 1e-7, "{kind:?}: {met}");
    }
}

/// A tip slides by 2 m along a parabolic roof of 10 m. The tip begins 1e-2 m above the roof and approaches the roof by
/// 2e-2 m. For any height of the roof, the tip therefore touches in the middle of the step. The tolerance of 1e-7 of
/// the step corresponds to a gap of 2e-9 m.
#[test]
fn what_slides_along_a_curved_face_meets_it_when_it_comes_in() {
    for (sag, kind) in [(0.05, CellKind::Quad8), (1e-4, CellKind::Quad8), (0.5, CellKind::Quad9)] {
        let roof = |x: f64, y: f64| Vec3::new(x, y, sag * (1.0 - (x / 5.0).powi(2)));
        let corners = [[-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]];
        let middles = [[0.0, -5.0], [5.0, 0.0], [0.0, 5.0], [-5.0, 0.0], [0.0, 0.0]];
        let places = corners.iter().chain(&middles).take(kind.num_nodes());
        let nodes = places.map(|&[x, y]| roof(x, y)).collect();
        let tip = |tau: f64| roof(2.0 * tau - 0.5, 0.3) + Vec3::z() * (1e-2 - 2e-2 * tau);
        let met = time_of_tip((kind, nodes), 0.0, tip).unwrap();
        assert!((met - 0.5).abs() < 1e-7, "{sag}, {kind:?}: {met}");
    }
}

/// Two uneven sheets of 200 triangles of size 0.1 m fly a few metres, with random nodal displacements. The search by
/// parts of the step and groups of faces gives the same contact as a search over the whole step and all faces.
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
            let displacement = if up { Vec3::z() * 1.0 } else { Vec3::z() * -2.0 } + samples.vector(0.3);
            for k in 0..121 {
                let flat = Vec3::new(f64::from(k / 11), f64::from(k % 11), 0.0) * 0.1;
                positions.push(place + flat + samples.vector(0.02));
                velocities.push(displacement + samples.vector(0.05));
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
