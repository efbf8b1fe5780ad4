use std::f64::consts::TAU;

use super::*;
use crate::mesh::{CellBlock, CellKind, Group};

fn mesh(nodes: Vec<Vec3>, kind: CellKind, cells: &[&[u32]]) -> Mesh {
    Mesh {
        node_tags: (1..=nodes.len() as u64).collect(),
        nodes,
        blocks: vec![CellBlock {
            kind,
            connectivity: cells.concat(),
            tags: (1..=cells.len() as u64).collect(),
        }],
        groups: vec![],
    }
}

/// A strip of 12 quadrilaterals around a circle, twisted by `half_turns` half turns.
fn strip(half_turns: u32) -> Mesh {
    const COUNT: u32 = 12;
    let node = |i: u32| {
        let (k, side) = (i / 2, if i.is_multiple_of(2) { -0.3 } else { 0.3 });
        let angle = TAU * f64::from(k) / f64::from(COUNT);
        let tilt = 0.5 * f64::from(half_turns) * angle;
        let radius = 1.0 + side * tilt.cos();
        Vec3::new(radius * angle.cos(), radius * angle.sin(), side * tilt.sin())
    };
    let mut connectivity: Vec<u32> =
        (0..COUNT).flat_map(|k| [2 * k, 2 * k + 2, 2 * k + 3, 2 * k + 1]).collect();
    let last = connectivity.len() - 3;
    let closed = if half_turns % 2 == 1 { [1, 0] } else { [0, 1] };
    connectivity[last..last + 2].copy_from_slice(&closed);
    let cells: Vec<&[u32]> = connectivity.chunks(4).collect();
    mesh((0..2 * COUNT).map(node).collect(), CellKind::Quad4, &cells)
}

/// Two neighbours that traverse their common edge in the same direction disagree; the minority of the part is reversed.
#[test]
fn the_minority_of_a_part_is_reversed() {
    let good = strip(2);
    assert_eq!(good.clone().oriented().unwrap(), (good.clone(), vec![]));
    for wrong in [&[3][..], &[0, 1, 4, 7, 11], &[0, 11]] {
        let mut bad = good.clone();
        wrong.iter().for_each(|&cell| bad.blocks[0].reverse(cell));
        let (mended, turned) = bad.oriented().unwrap();
        assert_eq!(turned, wrong.iter().map(|&cell| cell as u64 + 1).collect::<Vec<_>>());
        assert_eq!(mended, good);
    }
    // With six cells of each orientation, the cell with the lowest tag decides; the order of cells in memory does not
    // matter.
    let mut half = good.clone();
    (6..12).for_each(|cell| half.blocks[0].reverse(cell));
    let (renumbered, _) = half.renumbered().unwrap();
    for half in [half, renumbered] {
        assert_eq!(half.oriented().unwrap().1, [7, 8, 9, 10, 11, 12]);
    }
}

/// In a reversed quadratic cell, the mid-side nodes are permuted with the edges. A triangle beside a quadrilateral is
/// reversed too.
#[test]
fn quadratic_and_mixed_faces_are_reversed() {
    let point = |x: f64, y: f64| Vec3::new(x, y, 0.0);
    let nodes = vec![
        point(0.0, 0.0),
        point(2.0, 0.0),
        point(2.0, 2.0),
        point(0.0, 2.0),
        point(1.0, 0.0),
        point(2.0, 1.0),
        point(1.0, 1.0),
        point(1.0, 2.0),
        point(0.0, 1.0),
    ];
    let bad = mesh(nodes, CellKind::Tri6, &[&[0, 1, 2, 4, 5, 6], &[0, 3, 2, 8, 7, 6]]);
    let (mended, turned) = bad.oriented().unwrap();
    assert_eq!(turned, [2]);
    assert_eq!(mended.blocks[0].cell(1), [0, 2, 3, 6, 7, 8]);
    // A triangle beside a quadrilateral.
    let nodes = vec![point(0.0, 0.0), point(1.0, 0.0), point(1.0, 1.0), point(0.0, 1.0), point(2.0, 0.0)];
    let mut mixed = mesh(nodes, CellKind::Quad4, &[&[0, 1, 2, 3]]);
    mixed.blocks.push(CellBlock { kind: CellKind::Tri3, connectivity: vec![1, 2, 4], tags: vec![2] });
    let (mended, turned) = mixed.oriented().unwrap();
    assert_eq!((turned, mended.blocks[1].cell(0)), (vec![2], &[1, 4, 2][..]));
}

/// Three faces on one edge do not constrain each other. A face and its copy do not constrain each other either. Parts
/// are oriented separately.
#[test]
fn edges_of_more_than_two_faces_do_not_connect() {
    let nodes = vec![Vec3::zeros(), Vec3::z(), Vec3::x(), Vec3::y(), -Vec3::x(), Vec3::new(1.0, 0.0, 1.0)];
    let fan = mesh(nodes.clone(), CellKind::Tri3, &[&[0, 1, 2], &[0, 1, 3], &[0, 1, 4]]);
    assert!(fan.oriented().unwrap().1.is_empty());
    let copies = mesh(nodes.clone(), CellKind::Tri3, &[&[0, 1, 2], &[0, 1, 2]]);
    assert!(copies.oriented().unwrap().1.is_empty());
    // The edge 0–1 has three cells and connects none. The edge 1–2 connects the third and the fourth cell.
    let parts = mesh(nodes, CellKind::Tri3, &[&[0, 1, 3], &[0, 1, 4], &[0, 1, 2], &[1, 2, 5]]);
    assert_eq!(parts.oriented().unwrap().1, [4]);
}

/// A Möbius strip has one side only. Each half of the strip is orientable, as the message says. A strip with a full
/// twist is orientable too.
#[test]
fn a_moebius_strip_is_rejected_and_its_halves_are_not() {
    let mut moebius = strip(1);
    let group = |name: &str, first: u32| Group {
        name: name.into(),
        dimension: 2,
        tag: 1 + first as i32,
        cells: (first..first + 6).map(|cell| (0, cell)).collect(),
    };
    moebius.groups = vec![group("one", 0), group("other", 6)];
    let error = moebius.clone().oriented().unwrap_err();
    assert!(matches!(error, MeshError::OneSided { .. }), "{error}");
    assert!(error.to_string().contains("`region`"));
    for half in ["one", "other"] {
        assert!(moebius.region(&[half]).unwrap().oriented().unwrap().1.is_empty());
    }
    assert!(strip(2).oriented().unwrap().1.is_empty());
}

/// Triangles and quadrilaterals with collinear nodes have no area, and thin faces have area, at several positions and
/// sizes.
#[test]
fn faces_without_area_are_distinguished_from_thin_ones() {
    for (scale, offset) in [(1.0, 0.0), (1e-6, 0.0), (1e3, 0.0), (1e-3, 1.0), (1.0, 1e6)] {
        // A point at a distance proportional to `height` from a slanted line.
        let direction = Vec3::new(0.3, -0.7, 0.2) * scale;
        let origin = Vec3::new(1.0, 1.0, -1.0) * offset;
        let at = |along: f64, height: f64| {
            origin + direction * along + Vec3::new(0.7, 0.3, 0.0) * (scale * height)
        };
        let is_left_out = |kind: CellKind, points: &[(f64, f64)]| {
            let nodes: Vec<Vec3> = points.iter().map(|&(along, height)| at(along, height)).collect();
            let cell: Vec<u32> = (0..nodes.len() as u32).collect();
            let mesh = mesh(nodes, kind, &[&cell]);
            let (kept, without) = mesh.with_area(&mesh.shell().unwrap());
            assert_eq!(kept.len() + without.0.len(), 1);
            kept.is_empty()
        };
        let thin = if offset > 1.0 { 1e-7 } else { 1e-9 };
        for (height, left_out) in [(0.0, true), (thin, false), (1.0, false)] {
            for along in [0.4, 0.0, 1.0, -0.3] {
                let triangle = [(0.0, 0.0), (1.0, 0.0), (along, height)];
                assert_eq!(is_left_out(CellKind::Tri3, &triangle), left_out, "{scale} {offset} {triangle:?}");
                let quad = [(0.0, 0.0), (1.0, 0.0), (0.6, height), (along, height)];
                assert_eq!(is_left_out(CellKind::Quad4, &quad), left_out, "{scale} {offset} {quad:?}");
            }
        }
        assert!(is_left_out(CellKind::Tri3, &[(0.4, 0.0); 3]));
    }
}
