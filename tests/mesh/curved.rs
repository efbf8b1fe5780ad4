//! Quadratic meshes: their groups, skins and volumes, and cells that are inverted by displaced mid-side nodes.

use approx::assert_relative_eq;
use ictus::element::{MAX_NODES, second_moment_quadrature, shape_gradients, shape_values};
use ictus::math::{Mat3, Vec3};
use ictus::mesh::{CellBlock, CellKind, Faces, Mesh, MeshError};
use proptest::prelude::*;

use super::{QUADRATIC, assert_says, good};

/// Position x and Jacobian matrix ∂x/∂ξ of a cell at the reference coordinates ξ.
fn map(kind: CellKind, nodes: &[Vec3], xi: [f64; 3]) -> (Vec3, Mat3) {
    let (mut values, mut gradients) = ([0.0; MAX_NODES], [[0.0; 3]; MAX_NODES]);
    shape_values(kind, xi, &mut values);
    shape_gradients(kind, xi, &mut gradients);
    let (mut position, mut jacobian) = (Vec3::zeros(), Mat3::zeros());
    for (a, node) in nodes.iter().enumerate() {
        position += node * values[a];
        jacobian += node * Vec3::from(gradients[a]).transpose();
    }
    if kind.dimension() == 2 {
        jacobian[(2, 2)] = 1.0;
    }
    (position, jacobian)
}

fn nodes_of(mesh: &Mesh, cell: &[u32]) -> Vec<Vec3> {
    cell.iter().map(|&node| mesh.nodes[node as usize]).collect()
}

/// Volume by the divergence theorem, ∫ x · n dA / d, and area of curved faces; d is the dimension of the mesh.
fn moment_and_area(mesh: &Mesh, faces: &Faces) -> (f64, f64) {
    let (mut moment, mut area) = (0.0, 0.0);
    let dimension = mesh.dimension().unwrap() as f64;
    for (kind, nodes) in faces.iter() {
        for point in second_moment_quadrature(kind) {
            let (x, jacobian) = map(kind, &nodes_of(mesh, nodes), point.xi);
            let along = jacobian.column(0).into_owned();
            let normal = if kind == CellKind::Line3 {
                along.cross(&Vec3::z())
            } else {
                along.cross(&jacobian.column(1))
            };
            moment += x.dot(&normal) * point.weight / dimension;
            area += normal.norm() * point.weight;
        }
    }
    (moment, area)
}

#[test]
fn skins_of_curved_bodies_enclose_their_volume() {
    for (name, kind, face_kind) in QUADRATIC {
        let mesh = good(&format!("{name}_41_ascii"));
        let report = mesh.quality().unwrap();
        report.check().unwrap();
        let skin = mesh.skin().unwrap();
        assert!(
            skin.iter().all(|(kind, nodes)| kind == face_kind && nodes.len() == kind.num_nodes()),
            "{name}"
        );
        let (moment, area) = moment_and_area(&mesh, &skin);
        assert_relative_eq!(moment, report.volume, max_relative = 1e-13);
        // Volumes and surfaces of the exact round shapes. Parabolas through points of a circle approximate the circle
        // to fourth order.
        let pi = std::f64::consts::PI;
        let (volume, surface, tolerance) = match name {
            "tet10" => (4.0 / 3.0 * pi, 4.0 * pi, 0.05),
            "tri6" => (pi, 2.0 * pi, 0.01),
            "quad8" | "quad9" => (0.75 * pi, 2.0 + 1.5 * pi, 1e-3),
            _ => (0.75 * pi, 1.5 * pi + 2.0 + 1.5 * pi, 1e-3),
        };
        assert_relative_eq!(report.volume, volume, max_relative = tolerance);
        assert_relative_eq!(area, surface, max_relative = tolerance);
        // The physical group is the skin, for any orientation of its faces in the file.
        assert_eq!(mesh.group_faces("skin").unwrap(), skin, "{name}");
        assert_eq!(mesh.group_nodes("body").unwrap().len(), mesh.nodes.len(), "{name} {kind:?}");
        let renumbered = mesh.renumbered().unwrap().0;
        assert_relative_eq!(renumbered.quality().unwrap().volume, report.volume, max_relative = 1e-14);
        assert_eq!(renumbered.skin().unwrap().len(), skin.len());
        let region = mesh.region(&["body"]).unwrap();
        assert_eq!(region.group_faces("skin").unwrap().len(), skin.len());
    }
}

#[test]
fn reversed_curved_cells_are_inverted() {
    for (name, ..) in QUADRATIC {
        let mut mesh = good(&format!("{name}_22_binary"));
        let volume = mesh.quality().unwrap().volume;
        let dimension = mesh.dimension().unwrap();
        for block in mesh.blocks.iter_mut().filter(|block| block.kind.dimension() == dimension) {
            (0..block.len()).for_each(|cell| block.reverse(cell));
        }
        let report = mesh.quality().unwrap();
        assert_relative_eq!(report.volume, -volume, max_relative = 1e-14);
        assert_eq!(report.inverted.len(), report.cells);
    }
}

/// A mesh of one cell.
fn single(kind: CellKind, nodes: Vec<Vec3>) -> Mesh {
    let connectivity = (0..nodes.len() as u32).collect();
    Mesh {
        node_tags: (1..=nodes.len() as u64).collect(),
        nodes,
        blocks: vec![CellBlock { kind, connectivity, tags: vec![42] }],
        groups: vec![],
    }
}

/// Nodes of the cell with the same corners and straight edges.
fn straight(kind: CellKind, nodes: &[Vec3]) -> Vec<Vec3> {
    let mut straight = nodes.to_vec();
    let edges: &[[usize; 2]] = match kind {
        CellKind::Tri6 => &[[0, 1], [1, 2], [2, 0]],
        CellKind::Quad8 | CellKind::Quad9 => &[[0, 1], [1, 2], [2, 3], [3, 0]],
        CellKind::Tet10 => &[[0, 1], [1, 2], [2, 0], [0, 3], [2, 3], [1, 3]],
        _ => {
            &[[0, 1], [0, 3], [0, 4], [1, 2], [1, 5], [2, 3], [2, 6], [3, 7], [4, 5], [4, 7], [5, 6], [6, 7]]
        }
    };
    let corners = kind.corners().len();
    for (i, [a, b]) in edges.iter().enumerate() {
        straight[corners + i] = (nodes[*a] + nodes[*b]) * 0.5;
    }
    let mean = |of: &[u8]| of.iter().map(|&c| nodes[c as usize]).sum::<Vec3>() / of.len() as f64;
    match kind {
        CellKind::Quad9 => straight[8] = mean(kind.corners()),
        CellKind::Hex27 => {
            for face in kind.faces() {
                straight[face.nodes[8] as usize] = mean(&face.nodes[..4]);
            }
            straight[26] = mean(kind.corners());
        }
        _ => {}
    }
    straight
}

/// A mid-side node is moved along its straight edge to the quarter point. With the coordinate s along the edge, ∂x/∂s
/// at the near corner is then zero (R. D. Henshell and K. G. Shaw, Int. J. Numer. Meth. Eng. 9 (1975) 495: the crack
/// tip element).
#[test]
fn a_mid_side_node_beyond_the_quarter_point_inverts_its_cell() {
    for (name, kind, _) in QUADRATIC {
        let mesh = good(&format!("{name}_41_ascii"));
        let block = mesh.blocks.iter().find(|block| block.kind == kind).unwrap();
        let nodes = straight(kind, &nodes_of(&mesh, block.cell(0)));
        let mid_side = kind.corners().len();
        for (place, inverted) in [(0.5, false), (0.26, false), (0.25, true), (0.24, true), (0.76, true)] {
            let mut moved = nodes.clone();
            moved[mid_side] = nodes[0] * (1.0 - place) + nodes[1] * place;
            let report = single(kind, moved).quality().unwrap();
            // With the node exactly at the quarter point, rounding decides whether the cell is inverted.
            if place != 0.25 {
                assert_eq!(report.inverted.len(), usize::from(inverted), "{name} {place} {report:?}");
            }
            if inverted && place != 0.25 {
                let error = report.check().unwrap_err();
                assert_says(&error.to_string(), &["1 of 1 cells are inverted or flat (elements 42)"]);
            }
        }
    }
}

/// A regression case of the property test below. The edge from the first corner starts backwards and turns round. The
/// smallest Jacobian of the cell, 0.0444 in a fine sample, lies on this edge. A part of this edge has coincident ends.
/// A check that always halves the longest chord would never halve this part.
#[test]
fn an_edge_that_turns_back_does_not_invert_a_sound_cell() {
    let nodes = [
        [-0.46631896041245613, 0.28612513401104933],
        [1.520288840329713e-17, -0.24483015296942964],
        [-0.18716672813559398, 0.9749279121818236],
        [-0.3822113634397706, 0.2169418695587791],
        [-0.1112604669781572, 0.4874639560909118],
        [-0.6234898018587335, 0.6592637535677509],
    ];
    let nodes: Vec<Vec3> = nodes.map(|[x, y]| Vec3::new(x, y, 0.0)).to_vec();
    let report = single(CellKind::Tri6, nodes.clone()).quality().unwrap();
    assert!(report.inverted.is_empty(), "{report:?}");
    assert!((sampled_jacobian(CellKind::Tri6, &nodes) - 0.0445).abs() < 1e-4);
}

/// Smallest det ∂x/∂ξ over a grid of the reference element, faces and corners included.
fn sampled_jacobian(kind: CellKind, nodes: &[Vec3]) -> f64 {
    const N: usize = 16;
    let simplex = matches!(kind, CellKind::Tri6 | CellKind::Tet10);
    let layers = if kind.dimension() == 3 { N } else { 0 };
    let mut smallest = f64::INFINITY;
    for (i, j, k) in (0..=N).flat_map(|i| (0..=N).flat_map(move |j| (0..=layers).map(move |k| (i, j, k)))) {
        let at = |i: usize| if simplex { i as f64 / N as f64 } else { 2.0 * i as f64 / N as f64 - 1.0 };
        if simplex && i + j + k > N {
            continue;
        }
        smallest = smallest.min(map(kind, nodes, [at(i), at(j), at(k)]).1.determinant());
    }
    smallest
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A cell that the sample finds inverted is rejected. A cell is rejected only if the smallest sampled Jacobian is
    /// below a tenth of the mean Jacobian. The volume equals the volume by quadrature.
    #[test]
    fn inverted_curved_cells_are_found(
        shifts in proptest::collection::vec(proptest::array::uniform3(-1.0..1.0f64), 27), size in 0.0..0.5f64,
    ) {
        for (name, kind, _) in QUADRATIC {
            let mesh = good(&format!("{name}_41_ascii"));
            let block = mesh.blocks.iter().find(|block| block.kind == kind).unwrap();
            let mut nodes = nodes_of(&mesh, block.cell(0));
            let length = (nodes[1] - nodes[0]).norm();
            for (node, shift) in nodes.iter_mut().zip(&shifts) {
                let flat = if kind.dimension() == 2 { 0.0 } else { shift[2] };
                *node += Vec3::new(shift[0], shift[1], flat) * (size * length);
            }
            let volume: f64 = second_moment_quadrature(kind)
                .iter()
                .map(|point| point.weight * map(kind, &nodes, point.xi).1.determinant())
                .sum();
            let report = single(kind, nodes.clone()).quality().unwrap();
            prop_assert!((report.volume - volume).abs() < 1e-13 * length.powi(kind.dimension() as i32));
            let sampled = sampled_jacobian(kind, &nodes);
            // The report refers to ξ in [0, 1]; for ξ in [−1, 1], ∂x/∂ξ is half as large.
            let scale = match kind {
                CellKind::Tri6 | CellKind::Tet10 => 1.0,
                _ => 2.0_f64.powi(kind.dimension() as i32),
            };
            match report.inverted[..] {
                [] => prop_assert!(sampled > 0.0, "{} {}", name, sampled),
                [inverted] => {
                    prop_assert!(sampled * scale < 0.1 * volume.abs(), "{} {} {:?}", name, sampled, inverted);
                }
                _ => prop_assert!(false),
            }
        }
    }
}

#[test]
fn cells_that_share_corners_but_not_mid_side_nodes_are_refused() {
    for (name, kind, _) in QUADRATIC {
        let mut mesh = good(&format!("{name}_41_ascii"));
        let block = mesh.blocks.iter().position(|block| block.kind == kind).unwrap();
        // One of the cells of an inner face gets its own copy of a node of that face.
        let skin: Vec<u32> = mesh.skin().unwrap().iter().flat_map(|(_, nodes)| nodes.to_vec()).collect();
        let count = kind.num_nodes();
        let inner = |place: &usize| {
            let cells = &mesh.blocks[block].connectivity;
            let uses = cells.iter().filter(|&&node| node == cells[*place]).count();
            place % count >= kind.corners().len() && uses > 1 && !skin.contains(&cells[*place])
        };
        let place = (0..mesh.blocks[block].connectivity.len()).find(inner).unwrap();
        let node = mesh.blocks[block].connectivity[place] as usize;
        mesh.nodes.push(mesh.nodes[node]);
        mesh.node_tags.push(9999);
        mesh.blocks[block].connectivity[place] = mesh.nodes.len() as u32 - 1;
        let error = mesh.skin().unwrap_err();
        assert!(matches!(error, MeshError::MidSideNodes { .. }), "{name} {error}");
        assert_says(&error.to_string(), &["share the corners", "same order"]);
    }
}
