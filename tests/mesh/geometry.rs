//! Regions, skins, groups, transforms and renumbering of meshes read from files.

use approx::{assert_abs_diff_eq, assert_relative_eq};
use ictus::io::gmsh;
use ictus::math::{Rotation, Vec3};
use ictus::mesh::{CellBlock, CellKind, Faces, Group, Mesh, MeshError};

use super::{CUBES, assert_says, data, good};

fn moment_and_area(mesh: &Mesh, faces: &Faces) -> (f64, f64) {
    let (mut moment, mut area) = (0.0, 0.0);
    for (_, nodes) in faces.iter() {
        // A planar face is a fan of triangles with normals n and areas A. By the divergence theorem V = ⅓ Σ x · n A.
        let x = |i: usize| mesh.nodes[nodes[i] as usize];
        for i in 1..nodes.len() - 1 {
            let normal = 0.5 * (x(i) - x(0)).cross(&(x(i + 1) - x(0)));
            area += normal.norm();
            moment += x(0).dot(&normal) / 3.0;
        }
    }
    (moment, area)
}

fn euler_characteristic(faces: &Faces) -> i64 {
    let (mut nodes, mut edges) = (std::collections::HashSet::new(), std::collections::HashSet::new());
    for (_, face) in faces.iter() {
        for (i, &a) in face.iter().enumerate() {
            let b = face[(i + 1) % face.len()];
            nodes.insert(a);
            edges.insert((a.min(b), a.max(b)));
        }
    }
    nodes.len() as i64 - edges.len() as i64 + faces.len() as i64
}

#[test]
fn skin_of_the_cube_is_closed_and_points_out() {
    for name in CUBES {
        let mesh = good(name);
        let skin = mesh.skin().unwrap();
        let (volume, area) = moment_and_area(&mesh, &skin);
        assert_relative_eq!(area, 6.0, epsilon = 1e-13);
        assert_relative_eq!(volume, 1.0, epsilon = 1e-13);
        assert_eq!(euler_characteristic(&skin), 2);
    }
}

#[test]
fn skin_of_mixed_cells_takes_each_kind_of_face() {
    let mesh = good("mixed_41_ascii");
    let skin = mesh.skin().unwrap();
    let (volume, area) = moment_and_area(&mesh, &skin);
    assert_relative_eq!(volume, 3.0, epsilon = 1e-13);
    assert_relative_eq!(area, 14.0, epsilon = 1e-13);
    assert_eq!(euler_characteristic(&skin), 2);
    for face in 0..skin.len() {
        let owner = skin.owner(face);
        let block = &mesh.blocks[owner.block as usize];
        let table = block.kind.faces()[usize::from(owner.face.unwrap())];
        let cell = block.cell(owner.cell as usize);
        let nodes: Vec<u32> = table.nodes.iter().map(|&node| cell[node as usize]).collect();
        assert_eq!(skin.face(face), (table.kind, &nodes[..]));
    }
}

#[test]
fn skin_of_a_plane_mesh_is_its_border_with_the_outside_on_the_right() {
    let mesh = good("plane_41_ascii");
    let skin = mesh.skin().unwrap();
    let (mut length, mut area) = (0.0, 0.0);
    for (kind, nodes) in skin.iter() {
        assert_eq!(kind, CellKind::Line2);
        let [a, b] = [nodes[0], nodes[1]].map(|node| mesh.nodes[node as usize]);
        length += (b - a).norm();
        // Green's theorem: the area is ½ ∮ x · n ds, with the normal n to the right of the segment from a to b.
        area += 0.25 * (a + b).dot(&Vec3::new(b.y - a.y, a.x - b.x, 0.0));
    }
    assert_relative_eq!(length, 6.0, epsilon = 1e-13);
    assert_relative_eq!(area, 2.0, epsilon = 1e-13);
    for (side, x, normal) in [("left side", 0.0, -1.0), ("right side", 2.0, 1.0)] {
        let faces = mesh.group_faces(side).unwrap();
        assert!(faces.len() > 1);
        for (_, nodes) in faces.iter() {
            let [a, b] = [nodes[0], nodes[1]].map(|node| mesh.nodes[node as usize]);
            assert_abs_diff_eq!(a.x, x);
            assert!((b.y - a.y) * normal > 0.0, "{side} points inward");
        }
    }
}

#[test]
fn faces_of_a_group_point_out_for_any_orientation_in_the_file() {
    for name in CUBES {
        let mut mesh = good(name);
        for (group, z) in [("bottom", 0.0), ("2:7", 0.0), ("2:6", 1.0)] {
            for _ in 0..2 {
                let faces = mesh.group_faces(group).unwrap();
                let (volume, area) = moment_and_area(&mesh, &faces);
                assert_relative_eq!(area, 1.0, epsilon = 1e-13);
                assert_relative_eq!(volume, z / 3.0, epsilon = 1e-13);
                let (block, _) = mesh.blocks_of_dimension(2).next().unwrap();
                (0..mesh.blocks[block].len()).for_each(|cell| mesh.blocks[block].reverse(cell));
            }
        }
        assert_eq!(mesh.group_nodes("bottom").unwrap().len(), {
            mesh.nodes.iter().filter(|node| node.z == 0.0).count()
        });
    }
}

#[test]
fn a_face_between_two_bodies_belongs_to_the_body_that_is_cut_out() {
    let mesh = good("mixed_41_ascii");
    let error = mesh.group_faces("interface").unwrap_err();
    assert!(matches!(error, MeshError::InteriorFace { .. }), "{error}");
    for (part, z) in [("wedges", 1.0), ("tets", -1.0)] {
        let part = mesh.region(&[part]).unwrap();
        let faces = part.group_faces("interface").unwrap();
        let (moment, area) = moment_and_area(&part, &faces);
        assert_relative_eq!(area, 1.0, epsilon = 1e-13);
        assert_relative_eq!(moment, z / 3.0, epsilon = 1e-13);
    }
    let error = mesh.group_faces("hexes").unwrap_err();
    assert_eq!(error, MeshError::WrongDimension { name: "hexes".into(), given: 3, wanted: 2 });
}

/// The group `part` consists of the first two tetrahedra. All nodes of the triangle (1, 2, 4) belong to `part`, but the
/// triangle bounds only the third tetrahedron.
#[test]
fn a_face_that_only_touches_the_part_with_its_nodes_is_left_out() {
    let group = |name: &str, dimension, cells: &[(u32, u32)]| Group {
        name: name.into(),
        dimension,
        tag: 1,
        cells: cells.to_vec(),
    };
    let mesh = Mesh {
        nodes: (0..8).map(|i| Vec3::new(f64::from(i), f64::from(i * i), f64::from(i * i * i))).collect(),
        node_tags: (1..=8).collect(),
        blocks: vec![
            CellBlock { kind: CellKind::Tri3, connectivity: vec![1, 2, 4, 2, 1, 3], tags: vec![1, 2] },
            CellBlock {
                kind: CellKind::Tet4,
                connectivity: vec![0, 1, 2, 3, 0, 4, 5, 6, 1, 2, 4, 7],
                tags: vec![3, 4, 5],
            },
        ],
        groups: vec![group("side", 2, &[(0, 0), (0, 1)]), group("part", 3, &[(1, 0), (1, 1)])],
    };
    let part = mesh.region(&["part"]).unwrap();
    assert_eq!(part.nodes.len(), 7);
    assert_eq!(part.groups, [group("side", 2, &[(0, 0)]), group("part", 3, &[(1, 0), (1, 1)])]);
    assert_eq!(part.blocks[0].tags, [2]);
    assert_eq!(part.group_faces("side").unwrap().len(), 1);
}

#[test]
fn surface_only_mesh_is_a_shell_but_no_solid() {
    let mesh = gmsh::read(&data("bad", "surface_only")).unwrap();
    let error = mesh.require_volume().unwrap_err();
    assert!(matches!(error, MeshError::NoVolumeElements { dimension: 2, .. }));
    assert_says(
        &error.to_string(),
        &["no volume elements", "Physical Volume", "`bottom` (dimension 2)", "`top`"],
    );
    let (_, area) = moment_and_area(&mesh, &mesh.shell().unwrap());
    assert_relative_eq!(area, 2.0, epsilon = 1e-13);
    let top = mesh.group_shell("top").unwrap();
    let (_, area) = moment_and_area(&mesh, &top);
    assert_relative_eq!(area, 1.0, epsilon = 1e-13);
    assert_eq!(top.owner(0).face, None);
    assert!(mesh.quality().unwrap().inverted.is_empty());
    assert!(matches!(mesh.check_plane().unwrap_err(), MeshError::NotPlane { .. }));
    assert!(matches!(good("cube_41_ascii").shell().unwrap_err(), MeshError::NoFaces { given: 3, .. }));
    good("cube_41_ascii").require_volume().unwrap();
}

#[test]
fn missing_and_empty_groups_are_named_with_the_remedy() {
    let mesh = good("cube_41_ascii");
    let error = mesh.region(&["cubes"]).unwrap_err().to_string();
    assert_says(
        &error,
        &["no physical group `cubes`", "did you mean `cube`?", "`bottom` (dimension 2)", "`2:7`"],
    );
    let error = mesh.group_faces("nothing like it").unwrap_err().to_string();
    assert_says(&error, &["no physical group `nothing like it`; the mesh has `bottom`"]);

    let text = std::fs::read_to_string(data("bad", "surface_only")).unwrap();
    let text = text.replace("$PhysicalNames\n2\n", "$PhysicalNames\n3\n3 9 \"ball\"\n");
    let mesh = gmsh::parse(text.as_bytes(), "ball.msh").unwrap();
    let error = mesh.region(&["ball"]).unwrap_err();
    assert_eq!(error, MeshError::EmptyGroup { name: "ball".into(), dimension: 3 });
    assert_says(&error.to_string(), &["`ball` has no cells", "gmsh -3"]);
}

#[test]
fn moved_meshes_keep_their_shape() {
    let mesh = good("cube_41_ascii");
    let turned = Rotation::from_euler_angles(0.3, -1.2, 2.5);
    let moved = mesh.clone().scaled(2.0).unwrap().rotated(&turned).unwrap();
    let moved = moved.translated(Vec3::new(1e3, -2e3, 5.0)).unwrap();
    let (before, after) = (mesh.quality().unwrap(), moved.quality().unwrap());
    assert_relative_eq!(after.volume, 8.0, max_relative = 1e-11);
    assert_relative_eq!(after.minimum, before.minimum, max_relative = 1e-9);
    assert_relative_eq!(after.smallest_altitude, 2.0 * before.smallest_altitude, max_relative = 1e-9);
    for factor in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(mesh.clone().scaled(factor).unwrap_err(), MeshError::BadScale { .. }));
    }
    let away = mesh.clone().translated(Vec3::new(0.0, f64::NAN, 0.0)).unwrap_err();
    assert!(matches!(away, MeshError::NonFiniteCoordinate { .. }));
}

#[test]
fn renumbering_is_a_permutation_that_brings_neighbours_together() {
    for name in ["cube_permuted_tags", "mixed_41_ascii", "orphan_nodes"] {
        let mesh = good(name);
        let (new, maps) = mesh.renumbered().unwrap();
        new.validate().unwrap();
        for (i, &old) in maps.node_order.iter().enumerate() {
            assert_eq!(new.nodes[i], mesh.nodes[old as usize]);
            assert_eq!(new.node_tags[i], mesh.node_tags[old as usize]);
        }
        for ((block, before), order) in new.blocks.iter().zip(&mesh.blocks).zip(&maps.cell_order) {
            assert_eq!(block.len(), before.len());
            for (cell, &old) in order.iter().enumerate() {
                let tags = |mesh: &Mesh, nodes: &[u32]| -> Vec<u64> {
                    nodes.iter().map(|&node| mesh.node_tags[node as usize]).collect()
                };
                assert_eq!(tags(&new, block.cell(cell)), tags(&mesh, before.cell(old as usize)));
                assert_eq!(block.tags[cell], before.tags[old as usize]);
            }
        }
        let group_tags = |mesh: &Mesh| -> Vec<Vec<u64>> {
            let tag = |&(block, cell): &(u32, u32)| mesh.blocks[block as usize].tags[cell as usize];
            let sorted = |mut tags: Vec<u64>| {
                tags.sort_unstable();
                tags
            };
            mesh.groups.iter().map(|group| sorted(group.cells.iter().map(tag).collect())).collect()
        };
        assert_eq!(group_tags(&new), group_tags(&mesh));
        assert_relative_eq!(new.quality().unwrap().volume, mesh.quality().unwrap().volume, epsilon = 1e-13);
    }
    let spread = |mesh: &Mesh| -> f64 {
        let distance = |cell: &[u32]| cell.iter().max().unwrap() - cell.iter().min().unwrap();
        let (_, block) = mesh.blocks_of_dimension(3).next().unwrap();
        block.cells().map(|cell| f64::from(distance(cell))).sum::<f64>() / block.len() as f64
    };
    let mesh = good("cube_41_ascii");
    let (new, _) = mesh.renumbered().unwrap();
    assert!(spread(&new) < 0.75 * spread(&mesh), "{} {}", spread(&new), spread(&mesh));
}
