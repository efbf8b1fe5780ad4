//! Meshes read from valid files.

use std::collections::HashMap;

use approx::assert_relative_eq;
use ictus::io::gmsh;
use ictus::math::Vec3;
use ictus::mesh::{CellKind, Mesh, MeshError};

use super::{CUBES, QUADRATIC, assert_says, data, good};

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
        // Gmsh cuts off the name of a group at an inner quotation mark when it reads the file.
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

/// The cells of one dimension, sorted, each as the rounded positions of its nodes. Unlike node numbers, positions do
/// not depend on the tags in the file.
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
    for body in ["cube", "mixed", "plane", "reversed"].into_iter().chain(QUADRATIC.map(|body| body.0)) {
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

/// The crate mshio reads files correctly if their node tags are sparse, or dense and in order. For these files it is
/// the reference.
#[test]
fn agrees_with_mshio_where_mshio_is_right() {
    for name in [
        "cube_41_ascii",
        "cube_41_binary",
        "cube_sparse_tags",
        "mixed_41_ascii",
        "mixed_41_binary",
        "orphan_nodes",
        "tet10_41_ascii",
        "tet10_41_binary",
        "hex20_41_ascii",
        "hex20_41_binary",
        "hex27_41_ascii",
        "quad8_41_ascii",
        "quad9_41_binary",
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
fn a_negative_physical_tag_reverses_its_elements() {
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

/// A binary file of one tetrahedron in either byte order.
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

/// With `Mesh.SaveParametric = 1`, Gmsh adds data after the coordinates of each node (MSH 2.2): the entity of the node,
/// and on a curve or surface the parameters of the node. Only the coordinates are read.
#[test]
fn parametric_nodes_of_version_2_2_are_read() {
    let nodes = "1 0 0 0 0 1\n2 1 0 0 1 2 0.5\n3 0 1 0 2 3 0.25 0.75\n4 0 0 1 3 1\n";
    let text = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$ParametricNodes\n4\n{nodes}$EndParametricNodes\n\
         $Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("parametric.msh");
    std::fs::write(&path, text).unwrap();
    let mesh = gmsh::read(&path).unwrap();
    assert_eq!(mesh.nodes, [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()]);
}

/// If Gmsh reads and writes a file of version 2.2, the new file lists an element of two groups four times: twice for
/// each group. Such repeated elements are merged into one. A copy that belongs to another entity is another element;
/// the skin of the solid then reports the overlap.
#[test]
fn repeated_elements_of_version_2_2_are_merged() {
    let text = std::fs::read_to_string(data("mesh", "cube_22_ascii")).unwrap();
    let (head, elements) = text.split_once("$Elements\n242\n").unwrap();
    let (elements, tail) = elements.split_once("$EndElements").unwrap();
    let again = |entity: fn(&str) -> String| -> String {
        let copy = |line: &str| {
            let fields: Vec<&str> = line.split(' ').collect();
            let tag = fields[0].parse::<u32>().unwrap() + 1000;
            format!(
                "{tag} {} {} {} {} {}\n",
                fields[1],
                fields[2],
                fields[3],
                entity(fields[4]),
                fields[5..].join(" ")
            )
        };
        let copies: String = elements.lines().map(copy).collect();
        format!("{head}$Elements\n484\n{elements}{copies}$EndElements{tail}")
    };
    let original = good("cube_22_ascii");
    let same = gmsh::parse(again(|entity| entity.to_owned()).as_bytes(), "c.msh").unwrap();
    assert_eq!(same, original);
    let other = gmsh::parse(again(|entity| format!("10{entity}")).as_bytes(), "c.msh").unwrap();
    assert_eq!(other.num_cells(3), 2 * original.num_cells(3));
    let error = other.skin().unwrap_err();
    assert!(
        matches!(error, MeshError::OverlappingCells { .. } | MeshError::NonManifoldFace { .. }),
        "{error}"
    );
}
