//! Messages explain broken files and meshes, and no damage to a file makes the reader panic.

use ictus::io::gmsh::{self, GmshError};
use ictus::mesh::{Mesh, MeshError};

use super::random::Random;
use super::{assert_says, data, good, message};

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
        &["nan_coordinate.msh:48: node 2 has the coordinates (0e0, NaN, 0e0)"],
    );
    assert_says(
        &message("unknown_element_type"),
        &["element type 140 (unknown)", "lines, triangles, quadrangles"],
    );
    assert_says(
        &message("third_order"),
        &["(10-node third order triangle)", "tetrahedra and hexahedra of order 1 and 2", "ElementOrder = 2"],
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
    assert_says(&error, &["1 of", &format!("elements {}", inverted.tag), "gmsh in.msh -3"]);
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
fn invalid_meshes_are_rejected_without_indexing_them() {
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
        (v4.replace("27 45 1 45", "9999999999999999 45 1 45"), vec!["`$EndNodes` where the dimension"]),
        (v4.replace("\n0 2 0 1\n2\n", "\n0 2 0 1\n1\n"), vec!["node 1 is defined twice"]),
        (v4.replace(nodes, ""), vec!["$Nodes is missing before $Elements"]),
        (v4.replace(nodes, &format!("{nodes}{nodes}")), vec!["a second $Nodes"]),
        (v4.replace(elements, &elements.replace("\n2 5 2 14\n", "\n2 77 2 14\n")), vec!["entity 77 of dimension 2"]),
        (v4.replace(elements, &elements.replace("\n3 1 4 ", "\n3 1 2 ")), vec!["dimension of an element block"]),
        (v4.replace(entities, ""), vec![]),
        (v2.replace("$Elements\n242", "$Elements\n243"), vec!["`$EndElements` where an element tag"]),
        (v2.replace("$Elements\n242", "$Elements\n241"), vec!["where the end of the section"]),
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

impl Random {
    /// A random whole number below a bound.
    fn below(&mut self, bound: usize) -> usize {
        (self.unit() * bound as f64) as usize
    }
}

/// Reads damaged bytes. A mesh that is read must be usable; an error must have a short message.
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

const SMALL: [&str; 9] = [
    "cube_41_ascii",
    "cube_41_binary",
    "cube_22_ascii",
    "cube_22_binary",
    "mixed_41_binary",
    "plane_22_binary",
    "cube_parametric_binary",
    "cube_parametric_22_binary",
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
