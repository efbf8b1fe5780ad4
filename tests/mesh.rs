//! Gmsh files of every flavour give the same solid; broken ones a message that helps; nothing panics.
//!
//! `tests/data/mesh/make.py` writes the files with Gmsh itself.

use std::collections::HashMap;
use std::path::PathBuf;

use approx::{assert_abs_diff_eq, assert_relative_eq};
use ictus::io::gmsh::{self, GmshError};
use ictus::math::{Rotation, Vec3};
use ictus::mesh::{CellKind, Faces, Mesh, MeshError};

fn data(folder: &str, name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(folder).join(format!("{name}.msh"))
}

fn good(name: &str) -> Mesh {
    let mesh = gmsh::read(&data("mesh", name)).unwrap_or_else(|error| panic!("{error}"));
    mesh.validate().unwrap();
    mesh
}

/// The message about a bad file, with the file named as a user in the folder would see it.
fn message(name: &str) -> String {
    let bytes = std::fs::read(data("bad", name)).unwrap();
    gmsh::parse(&bytes, &format!("{name}.msh")).expect_err(name).to_string()
}

fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
    assert!(message.len() < 500, "too long: {message}");
}

const CUBES: [&str; 14] = [
    "cube_41_ascii",
    "cube_41_binary",
    "cube_22_ascii",
    "cube_22_binary",
    "cube_permuted_tags",
    "cube_sparse_tags",
    "cube_sparse_tags_binary",
    "cube_converted",
    "cube_converted_binary",
    "cube_parametric",
    "cube_parametric_binary",
    "orphan_nodes",
    "partitioned_converted",
    "version_4_0_converted",
];

#[test]
fn every_flavour_of_the_unit_cube_has_volume_one() {
    for name in CUBES.iter().chain(&["periodic_41_ascii", "periodic_41_binary"]) {
        let report = good(name).quality().unwrap();
        assert_relative_eq!(report.volume, 1.0, epsilon = 1e-14);
        assert!(report.inverted.is_empty(), "{name}");
        assert!(
            report.minimum > 0.2 && report.minimum <= report.mean && report.mean < 1.0,
            "{name}: {report:?}"
        );
    }
}

#[test]
fn every_flavour_of_the_cube_has_its_groups() {
    for name in CUBES {
        let mesh = good(name);
        let tetrahedra = mesh.num_cells(3);
        let counts: Vec<(&str, usize, i32, usize)> =
            mesh.groups.iter().map(|g| (g.name.as_str(), g.dimension, g.tag, g.cells.len())).collect();
        let unnamed = mesh.groups.iter().find(|group| group.tag == 7).unwrap();
        let bottom = unnamed.cells.len();
        // Gmsh itself cuts a name at an inner quotation mark when it reads one.
        let quoted = if name.contains("converted") { "top é " } else { "top é \"quoted\"" };
        let expected = [
            ("bottom", 2, 5, bottom),
            (quoted, 2, 6, bottom),
            ("2:7", 2, 7, bottom),
            ("cube", 3, 1, tetrahedra),
            ("every solid part", 3, 2, tetrahedra),
        ];
        assert_eq!(counts, expected, "{name}");
        assert!(bottom > 4 && tetrahedra > 20, "{name}");
    }
}

/// Cells of one dimension by the positions of their nodes: what stays the same when tags change.
fn cells_by_position(mesh: &Mesh, dimension: usize) -> Vec<Vec<[i64; 3]>> {
    let key =
        |node: &u32| -> [i64; 3] { mesh.nodes[*node as usize].map(|x| (x * 1e9).round() as i64).into() };
    let mut cells: Vec<Vec<[i64; 3]>> = mesh
        .blocks_of_dimension(dimension)
        .flat_map(|(_, block)| block.cells().map(|cell| cell.iter().map(key).collect()).collect::<Vec<_>>())
        .collect();
    cells.sort_unstable();
    cells
}

#[test]
fn versions_and_encodings_agree_cell_by_cell() {
    for body in ["cube", "mixed", "plane", "reversed"] {
        let reference = good(&format!("{body}_41_ascii"));
        for flavour in ["41_binary", "22_ascii", "22_binary"] {
            let mesh = good(&format!("{body}_{flavour}"));
            let groups = |mesh: &Mesh| -> Vec<(String, usize)> {
                mesh.groups.iter().map(|group| (group.name.clone(), group.cells.len())).collect()
            };
            assert_eq!(groups(&mesh), groups(&reference), "{body}_{flavour}");
            for dimension in 0..4 {
                let (a, b) = (cells_by_position(&mesh, dimension), cells_by_position(&reference, dimension));
                assert_eq!(a, b, "{body}_{flavour}, dimension {dimension}");
            }
        }
    }
}

/// mshio is right where node tags are sparse, or dense and in order; there it is the oracle.
#[test]
fn agrees_with_mshio_where_mshio_is_right() {
    for name in [
        "cube_41_ascii",
        "cube_41_binary",
        "cube_sparse_tags",
        "mixed_41_ascii",
        "mixed_41_binary",
        "orphan_nodes",
    ] {
        let mesh = good(name);
        let theirs = mshio::parse_msh_bytes(&std::fs::read(data("mesh", name)).unwrap()).ok().unwrap();
        let mut position: HashMap<u64, [f64; 3]> = HashMap::new();
        let mut next = 1;
        for block in &theirs.data.nodes.as_ref().unwrap().node_blocks {
            for (i, node) in block.nodes.iter().enumerate() {
                let tag =
                    block.node_tags.as_ref().map_or(next, |tags| *tags.iter().find(|t| *t.1 == i).unwrap().0);
                position.insert(tag, [node.x, node.y, node.z]);
                next += 1;
            }
        }
        assert_eq!(mesh.nodes.len(), position.len());
        for (node, tag) in mesh.nodes.iter().zip(&mesh.node_tags) {
            assert_eq!(position[tag], [node.x, node.y, node.z], "{name}: node {tag}");
        }
        let ours: HashMap<u64, Vec<u64>> = mesh
            .blocks
            .iter()
            .flat_map(|block| {
                block
                    .tags
                    .iter()
                    .zip(block.cells())
                    .map(|(&tag, cell)| {
                        (tag, cell.iter().map(|&node| mesh.node_tags[node as usize]).collect())
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
        let blocks = &theirs.data.elements.as_ref().unwrap().element_blocks;
        assert_eq!(ours.len(), blocks.iter().map(|block| block.elements.len()).sum::<usize>());
        for element in blocks.iter().flat_map(|block| &block.elements) {
            assert_eq!(ours[&element.element_tag], element.nodes, "{name}: element {}", element.element_tag);
        }
    }
}

#[test]
fn nodes_keep_the_numbers_of_the_file_even_if_nothing_uses_them() {
    let mesh = good("cube_sparse_tags");
    assert!(mesh.node_tags.contains(&(10_000_000_000 - 1000)));
    let mesh = good("orphan_nodes");
    let orphan = mesh.node_tags.iter().position(|&tag| tag == 902).unwrap();
    assert_eq!(mesh.nodes[orphan], Vec3::repeat(6.0));
    let cube = mesh.region(&["cube"]).unwrap();
    assert_eq!(cube.nodes.len(), mesh.nodes.len() - 2);
    assert!(!cube.node_tags.contains(&902));
    assert_relative_eq!(cube.quality().unwrap().volume, 1.0, epsilon = 1e-14);
}

#[test]
fn a_negative_physical_tag_turns_its_elements_round() {
    for flavour in ["41_ascii", "41_binary", "22_ascii", "22_binary"] {
        let plane = good(&format!("plane_{flavour}"));
        assert_relative_eq!(plane.quality().unwrap().volume, 2.0, epsilon = 1e-14);
        plane.check_plane().unwrap();
        let kinds: Vec<CellKind> = plane.blocks.iter().map(|block| block.kind).collect();
        assert_eq!(kinds, [CellKind::Line2, CellKind::Tri3, CellKind::Quad4]);

        let reversed = good(&format!("reversed_{flavour}"));
        assert_eq!(reversed.groups.iter().map(|group| group.tag).collect::<Vec<_>>(), [2, 3, 1]);
        let report = reversed.quality().unwrap();
        assert_relative_eq!(report.volume, -2.0, epsilon = 1e-14);
        assert_eq!(report.inverted.len(), report.cells);
        let error = reversed.check_plane().unwrap_err();
        assert!(matches!(error, MeshError::InvertedCells { .. }));
        assert_says(&error.to_string(), &["cells are inverted or flat", "ReverseMesh Surface"]);
    }
}

#[test]
fn mixed_solids_have_their_volumes_and_can_be_cut() {
    for flavour in ["41_ascii", "41_binary", "22_ascii", "22_binary"] {
        let mesh = good(&format!("mixed_{flavour}"));
        assert_relative_eq!(mesh.quality().unwrap().volume, 3.0, epsilon = 1e-14);
        for (names, kinds, volume) in [
            (&["hexes"][..], &[CellKind::Hex8][..], 1.0),
            (&["wedges", "corner"], &[CellKind::Wedge6], 1.0),
            (&["tets", "hexes"], &[CellKind::Tet4, CellKind::Hex8], 2.0),
        ] {
            let part = mesh.region(names).unwrap();
            let report = part.quality().unwrap();
            assert_relative_eq!(report.volume, volume, epsilon = 1e-14);
            let solid: Vec<CellKind> = part.blocks_of_dimension(3).map(|(_, block)| block.kind).collect();
            assert_eq!(solid, kinds);
        }
        let hexes = mesh.region(&["3:1"]).unwrap();
        assert!(hexes.groups.iter().any(|group| group.name == "corner"));
        assert!(hexes.groups.iter().all(|group| group.name != "interface" && group.name != "tets"));
        assert_relative_eq!(hexes.quality().unwrap().minimum, 1.0, epsilon = 1e-14);
    }
}

fn moment_and_area(mesh: &Mesh, faces: &Faces) -> (f64, f64) {
    let (mut moment, mut area) = (0.0, 0.0);
    for (_, nodes) in faces.iter() {
        // Planar faces: a fan of triangles; V = ⅓ Σ x · n A by the divergence theorem.
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
        // Green: A = ½ ∮ x · n ds with the normal to the right of a → b.
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
fn faces_of_a_group_point_out_whatever_the_file_says() {
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
            assert_eq!(maps.new_nodes()[old as usize] as usize, i);
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

#[test]
fn broken_files_are_explained() {
    assert_says(&message("truncated"), &["truncated.msh:", "the file ends", "$Elements", "truncated"]);
    assert_says(
        &message("truncated_binary"),
        &["truncated_binary.msh, byte 7246", "the file ends", "$Elements"],
    );
    assert_says(
        &message("truncated_between_sections"),
        &["truncated_between_sections.msh:", "$Elements is missing"],
    );
    assert_says(&message("garbage"), &["garbage.msh: not a Gmsh mesh", "$MeshFormat", "-format msh41"]);
    assert_says(
        &message("wrong_node_count"),
        &["wrong_node_count.msh:", "$Nodes declares 44 entries but holds 45"],
    );
    assert_says(
        &message("wrong_block_count"),
        &["wrong_block_count.msh:156: $Nodes declares 45 entries but holds 44"],
    );
    assert_says(
        &message("nan_coordinate"),
        &["nan_coordinate.msh:47: node 2 has the coordinates (0, NaN, 0)"],
    );
    assert_says(&message("unknown_element_type"), &["element type 140 (unknown)", "4 (4-node tetrahedron)"]);
    assert_says(
        &message("second_order"),
        &["(6-node second order triangle)", "4-node tetra", "ElementOrder = 1"],
    );
    assert_says(&message("unknown_node"), &["refers to node 4711", "does not define"]);
    assert_says(&message("repeated_node"), &["repeated_node.msh: element", "twice"]);
    let remedy = "gmsh version_4_0.msh -save -format msh41 -o out.msh";
    assert_says(&message("version_4_0"), &["version_4_0.msh:2: mesh format 4 is not read", remedy]);
    assert_says(&message("partitioned"), &["partitioned.msh:41: the mesh is partitioned", "-format msh22"]);
    let missing = gmsh::read(&data("bad", "no such file")).unwrap_err();
    assert!(matches!(missing, GmshError::Unreadable { .. }));
}

#[test]
fn an_inverted_cell_is_found_and_named() {
    let mesh = gmsh::read(&data("bad", "inverted")).unwrap();
    let report = mesh.quality().unwrap();
    let [inverted] = report.inverted[..] else { panic!("{:?}", report.inverted) };
    assert!(inverted.jacobian < 0.0);
    assert_eq!((report.minimum, report.worst), (0.0, inverted.tag));
    assert_eq!(mesh.blocks[inverted.block as usize].tags[inverted.cell as usize], inverted.tag);
    let error = report.check().unwrap_err().to_string();
    assert_says(&error, &["1 of", &format!("elements {}", inverted.tag), "Mesh.Optimize"]);
    assert!(matches!(mesh.skin().unwrap_err(), MeshError::OverlappingCells { .. }));
}

#[test]
fn faces_of_too_many_cells_are_an_error() {
    let mut mesh = good("cube_41_ascii");
    let (block, cells) = mesh.blocks_of_dimension(3).next().map(|(i, b)| (i, b.clone())).unwrap();
    mesh.blocks[block].connectivity.extend(cells.cell(0));
    mesh.blocks[block].tags.push(999);
    let error = mesh.skin().unwrap_err();
    assert!(matches!(error, MeshError::NonManifoldFace { .. }), "{error}");
    assert_says(&error.to_string(), &["999", "3 cells"]);

    let mut mesh = good("cube_41_ascii");
    let bottom = mesh.groups.iter().position(|group| group.name == "bottom").unwrap();
    let (surface, cell) = mesh.groups[bottom].cells[0];
    let copy = mesh.blocks[surface as usize].cell(cell as usize).to_vec();
    mesh.blocks[surface as usize].connectivity.extend(copy);
    mesh.blocks[surface as usize].tags.push(999);
    let last = mesh.blocks[surface as usize].len() as u32 - 1;
    mesh.groups[bottom].cells.push((surface, last));
    let error = mesh.group_faces("bottom").unwrap_err();
    assert!(matches!(error, MeshError::RepeatedFace { .. }), "{error}");
    assert_says(&error.to_string(), &["999", "`bottom`"]);

    let mut mesh = good("cube_41_ascii");
    mesh.blocks[surface as usize].connectivity.splice(0..3, [0, 1, 7]);
    mesh.groups[bottom].cells = vec![(surface, 0)];
    assert!(matches!(mesh.group_faces("bottom").unwrap_err(), MeshError::DanglingFace { .. }));
}

#[test]
fn meshes_built_wrong_are_refused_not_indexed() {
    type Damage = fn(&mut Mesh);
    let damages: [(Damage, &str); 7] = [
        (|mesh| mesh.nodes[3].y = f64::NAN, "not finite"),
        (|mesh| mesh.blocks[1].connectivity[0] = 4000, "refers to node number 4000"),
        (|mesh| mesh.blocks[1].connectivity[0] = mesh.blocks[1].connectivity[1], "twice"),
        (|mesh| mesh.blocks[1].connectivity.push(0), "connectivity of a block has"),
        (|mesh| mesh.blocks[1].tags.push(0), "tags of a block has"),
        (|mesh| mesh.node_tags.push(0), "node_tags has"),
        (|mesh| mesh.groups[0].cells.push((9, 0)), "names cell 0 of block 9"),
    ];
    for (damage, says) in damages {
        let mut mesh = good("cube_41_ascii");
        damage(&mut mesh);
        let errors = [
            mesh.validate().unwrap_err(),
            mesh.skin().unwrap_err(),
            mesh.region(&[]).unwrap_err(),
            mesh.quality().unwrap_err(),
            mesh.renumbered().unwrap_err(),
            mesh.group_faces("bottom").unwrap_err(),
            mesh.group_nodes("bottom").unwrap_err(),
        ];
        for error in errors {
            assert_says(&error.to_string(), &[says]);
        }
    }
    let empty = Mesh::default();
    assert_eq!(empty.quality().unwrap_err(), MeshError::NoCells);
    assert_eq!(empty.skin().unwrap_err(), MeshError::NoCells);
    assert_eq!(empty.region(&[]).unwrap_err(), MeshError::NoCells);
}

/// One tetrahedron in a byte order of choice.
fn binary_tetrahedron(version: &str, big_endian: bool) -> Vec<u8> {
    struct Writer(Vec<u8>, bool);
    impl Writer {
        fn put<const N: usize>(&mut self, little: [u8; N]) {
            let big = little.into_iter().rev();
            if self.1 { self.0.extend(big) } else { self.0.extend(little) }
        }
        fn text(&mut self, text: &str) {
            self.0.extend(text.bytes());
        }
        fn ints(&mut self, values: &[i32]) {
            values.iter().for_each(|value| self.put(value.to_le_bytes()));
        }
        fn sizes(&mut self, values: &[u64]) {
            values.iter().for_each(|value| self.put(value.to_le_bytes()));
        }
        fn floats(&mut self, values: &[f64]) {
            values.iter().for_each(|value| self.put(value.to_le_bytes()));
        }
    }
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut w = Writer(Vec::new(), big_endian);
    w.text(&format!("$MeshFormat\n{version} 1 8\n"));
    w.ints(&[1]);
    w.text("\n$EndMeshFormat\n$Nodes\n");
    if version == "4.1" {
        w.sizes(&[1, 4, 1, 4]);
        w.ints(&[3, 1, 0]);
        w.sizes(&[4, 4, 3, 2, 1]);
        corners.iter().rev().for_each(|corner| w.floats(corner));
        w.text("\n$EndNodes\n$Elements\n");
        w.sizes(&[1, 1, 1, 1]);
        w.ints(&[3, 1, 4]);
        w.sizes(&[1, 1, 1, 2, 3, 4]);
    } else {
        w.text("4\n");
        for (tag, corner) in (1..).zip(&corners) {
            w.ints(&[tag]);
            w.floats(corner);
        }
        w.text("\n$EndNodes\n$Elements\n1\n");
        w.ints(&[4, 1, 2, 1, 7, 1, 1, 2, 3, 4]);
    }
    w.text("\n$EndElements\n");
    w.0
}

#[test]
fn either_byte_order_is_read() {
    for version in ["4.1", "2.2"] {
        for big_endian in [false, true] {
            let mesh = gmsh::parse(&binary_tetrahedron(version, big_endian), "tetrahedron.msh").unwrap();
            assert_relative_eq!(mesh.quality().unwrap().volume, 1.0 / 6.0);
            assert_eq!(mesh.groups.len(), usize::from(version == "2.2"));
        }
    }
    let mut bytes = binary_tetrahedron("4.1", false);
    let mark = bytes.iter().position(|&byte| byte == b'8').unwrap() + 2;
    bytes[mark] = 3;
    assert_says(
        &gmsh::parse(&bytes, "t.msh").unwrap_err().to_string(),
        &["t.msh:3: the byte order mark is 3"],
    );
}

#[test]
fn text_that_gmsh_would_accept_is_accepted() {
    let text = std::fs::read_to_string(data("mesh", "cube_41_ascii")).unwrap();
    let commented = format!("$Comments\nmade by hand\n$EndComments\n{text}");
    for variant in [text.replace('\n', "\r\n"), text.replace("$Nodes\n", "$Nodes  \n\n"), commented] {
        let mesh = gmsh::parse(variant.as_bytes(), "cube.msh").unwrap_or_else(|error| panic!("{error}"));
        assert_relative_eq!(mesh.quality().unwrap().volume, 1.0, epsilon = 1e-14);
        assert_eq!(mesh.groups[1].name, "top é \"quoted\"");
    }
}

#[test]
fn faults_inside_a_file_are_placed_and_explained() {
    let v4 = std::fs::read_to_string(data("mesh", "cube_41_ascii")).unwrap();
    let v2 = std::fs::read_to_string(data("mesh", "cube_22_ascii")).unwrap();
    let nodes = &v4[v4.find("$Nodes").unwrap()..v4.find("$Elements").unwrap()];
    let entities = &v4[v4.find("$Entities").unwrap()..v4.find("$Nodes").unwrap()];
    let elements = &v4[v4.find("$Elements").unwrap()..];
    let cases = [
        (v4.replace("4.1 0 8", "4.1 0 4"), vec!["c.msh:2: the data size is 4, it must be 8"]),
        (v4.replace("4.1 0 8", "4.1 2 8"), vec!["c.msh:2: the file type is 2"]),
        (v4.replace("4.1 0 8", "3 0 8"), vec!["c.msh:2: mesh format 3 is not read, 4.1 and 2.2 are"]),
        (v4.replace("4.1 0 8", "4.1 0 99999999999999999999"), vec!["c.msh:2", "the data size"]),
        (v4.replace("27 45 1 45", "27 9999999999999 1 45"), vec!["$Nodes declares 9999999999999 entries but holds 45"]),
        (v4.replace("27 45 1 45", "9999999999999999 45 1 45"), vec!["`$EndNodes` stands where the dimension"]),
        (v4.replace("\n0 2 0 1\n2\n", "\n0 2 0 1\n1\n"), vec!["node 1 is defined twice"]),
        (v4.replace(nodes, ""), vec!["$Nodes is missing before $Elements"]),
        (v4.replace(nodes, &format!("{nodes}{nodes}")), vec!["a second $Nodes"]),
        (v4.replace(elements, &elements.replace("\n2 5 2 14\n", "\n2 77 2 14\n")), vec!["entity 77 of dimension 2"]),
        (v4.replace(elements, &elements.replace("\n3 1 4 ", "\n3 1 2 ")), vec!["dimension of an element block"]),
        (v4.replace(elements, &elements.replace("\n2 ", "\n1 ")), vec!["$Elements", "c.msh:"]),
        (v4.replace(entities, ""), vec![]),
        (v2.replace("$Elements\n242", "$Elements\n243"), vec!["`$EndElements` stands where an element tag"]),
        (v2.replace("$Elements\n242", "$Elements\n241"), vec!["stands where the end of the section"]),
        (v2.replace("\n3 2 2 5 5 ", "\n1 2 2 5 5 "), vec!["element 1 is defined twice"]),
        (v2.replace("\n2 2 2 7 5 2 12 40", "\n2 2 2 7 5 2 12 -40"), vec!["a node of an element is -40"]),
        (v2.replace("$Nodes\n45", "$Nodes\n0").replace("$Nodes\n0", "$Nodes\n-1"), vec!["the number of nodes is -1"]),
        ("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n0 0 0 0\n$EndNodes\n$Elements\n0 0 0 0\n$EndElements\n".into(), vec!["no nodes"]),
        ("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n".into(), vec!["$Nodes is missing"]),
        (String::new(), vec!["c.msh: not a Gmsh mesh"]),
    ];
    for (text, parts) in cases {
        assert!(text != v4 && text != v2, "{parts:?} changes nothing");
        match gmsh::parse(text.as_bytes(), "c.msh") {
            Err(error) => assert_says(&error.to_string(), &parts),
            Ok(mesh) => {
                assert!(parts.is_empty(), "{parts:?} was read");
                assert_eq!(mesh.groups.iter().map(|group| group.cells.len()).sum::<usize>(), 0);
            }
        }
    }
}

/// Marsaglia's xorshift: numbers that are the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// Reads damaged bytes and uses whatever comes out; the message must stay short.
fn survive(bytes: &[u8]) -> bool {
    match gmsh::parse(bytes, "damaged.msh") {
        Ok(mesh) => {
            mesh.validate().unwrap();
            let _ = (
                mesh.skin(),
                mesh.quality(),
                mesh.region(&["cube"]),
                mesh.renumbered(),
                mesh.group_faces("bottom"),
            );
            true
        }
        Err(error) => {
            assert!(error.to_string().len() < 700, "{error}");
            false
        }
    }
}

const SMALL: [&str; 8] = [
    "cube_41_ascii",
    "cube_41_binary",
    "cube_22_ascii",
    "cube_22_binary",
    "mixed_41_binary",
    "plane_22_binary",
    "cube_parametric_binary",
    "periodic_41_binary",
];

#[test]
fn no_truncation_is_taken_for_a_mesh() {
    for name in SMALL {
        let bytes = std::fs::read(data("mesh", name)).unwrap();
        let end = bytes.windows(12).rposition(|window| window == b"$EndElements").unwrap();
        for cut in (0..end).step_by(7) {
            assert!(!survive(&bytes[..cut]), "{name} cut at {cut}");
        }
    }
}

#[test]
fn no_damage_makes_the_reader_panic() {
    let mut random = Random(0x1c705);
    for name in SMALL {
        let original = std::fs::read(data("mesh", name)).unwrap();
        let mut read = 0;
        for _ in 0..400 {
            let mut bytes = original.clone();
            for _ in 0..1 + random.below(4) {
                let at = random.below(bytes.len());
                match random.below(4) {
                    0 => bytes[at] = random.below(256) as u8,
                    1 => bytes[at] ^= 1 << random.below(8),
                    2 => drop(bytes.remove(at)),
                    _ => bytes.insert(at, b"0123456789-.e \n$\0\xff"[random.below(18)]),
                }
            }
            read += usize::from(survive(&bytes));
        }
        assert!(read < 400, "{name}: every damage was accepted");
    }
}
