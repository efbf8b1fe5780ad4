use super::*;
use crate::contact::detection::EdgeSelection;
use crate::contact::detection::samples::Samples;

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
        let exact = first_impact_of_step(&model, &paths, &Constraints::default());
        // An offset, however small, makes all features advance.
        let offset = model.with_offsets(&[1e-13, 0.0]);
        let advanced = first_impact_of_step(&offset, &paths, &Constraints::default());
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
    let first =
        |model: &ContactModel| first_impact_of_step(model, &paths, &none).map(|impact| impact.fraction);
    assert!((first(&model).unwrap() - 0.8).abs() < 1e-12);
    let offset = model.with_offsets(&[0.1, 0.1]);
    assert!((first(&offset).unwrap() - 0.64).abs() < 1e-8);
}
