//! The remedies in messages about meshes work. `remedies` in tests/data/mesh/make.py runs Gmsh with the commands of the
//! messages; the resulting files must give usable meshes, and the messages must contain these commands.

use approx::assert_relative_eq;
use ictus::io::gmsh;
use ictus::math::Vec3;
use ictus::mesh::{CellBlock, CellKind, Group, Mesh, MeshError};

use super::{assert_says, data, good, message};

fn bad(name: &str) -> Mesh {
    gmsh::read(&data("bad", name)).unwrap_or_else(|error| panic!("{error}"))
}

/// The volume of a mesh. The cells and the skin must be valid.
#[track_caller]
fn volume(name: &str) -> f64 {
    let mesh = good(name);
    let report = mesh.quality().unwrap();
    report.check().unwrap_or_else(|error| panic!("{name}: {error}"));
    mesh.skin().unwrap_or_else(|error| panic!("{name}: {error}"));
    report.volume
}

/// Three solids of linear and of quadratic cells are inverted by a reflection; the remedy keeps nodes and groups. A
/// further solid has one inverted cell. Two plane meshes have all cells or one cell inverted.
#[test]
fn inverted_cells_are_reversed() {
    for name in ["mirrored", "mirrored_tet10", "mirrored_hex20"] {
        let before = bad(name);
        let error = before.quality().unwrap().check().unwrap_err();
        let MeshError::InvertedCells { tags, cells, dimension: 3 } = &error else { panic!("{error}") };
        assert_eq!(tags.0.len(), *cells);
        assert_says(&error.to_string(), &["turn them with Gmsh, `gmsh in.msh -3 -o out.msh`"]);
        let after = format!("{name}_turned");
        let volume = volume(&after);
        assert_relative_eq!(volume, -before.quality().unwrap().volume, max_relative = 1e-12);
        let after = good(&after);
        assert_eq!(after.nodes.len(), before.nodes.len());
        let groups = |mesh: &Mesh| {
            mesh.groups.iter().map(|group| (group.name.clone(), group.cells.len())).collect::<Vec<_>>()
        };
        assert_eq!(groups(&after), groups(&before));
    }
    let error = bad("inverted").quality().unwrap().check().unwrap_err();
    assert_says(&error.to_string(), &["`gmsh in.msh -3 -o out.msh`", "finer"]);
    assert_relative_eq!(volume("inverted_turned"), 1.0, max_relative = 1e-12);

    let error = bad("clockwise").check_plane().unwrap_err();
    let parts =
        ["`gmsh over.geo -2 -o out.msh`", "`Merge \"in.msh\";ReverseMesh Surface{:};` and an empty one"];
    assert_says(&error.to_string(), &parts);
    assert_relative_eq!(volume("clockwise_over"), 2.0, max_relative = 1e-12);
    let error = bad("one_clockwise").check_plane().unwrap_err();
    assert_says(&error.to_string(), &["1 of ", "`gmsh.model.mesh.reverseElements([…])`"]);
    assert_relative_eq!(volume("one_clockwise_over"), 2.0, max_relative = 1e-12);
}

/// A cell may be flat because two of its nodes lie in the same place. Reversing the cell is no remedy, so the message
/// names both nodes.
#[test]
fn nodes_in_the_same_place_are_named() {
    let mut mesh = good("mirrored_turned");
    let [a, b] = [0, 1].map(|k| mesh.blocks_of_dimension(3).next().unwrap().1.cell(0)[k] as usize);
    mesh.nodes[b] = mesh.nodes[a];
    let error = mesh.quality().unwrap().check().unwrap_err();
    let MeshError::CoincidentNodes { nodes, .. } = &error else { panic!("{error}") };
    assert_eq!(*nodes, [mesh.node_tags[a], mesh.node_tags[b]]);
    assert_says(&error.to_string(), &["lie in the same place", "`Coherence;`", "lower kind"]);
}

#[test]
fn files_that_are_not_read_are_converted() {
    assert_says(&message("garbage"), &["`gmsh in.geo -3 -format msh41 -o out.msh`"]);
    assert_says(&message("version_4_0"), &["`gmsh version_4_0.msh -save -format msh41 -o out.msh`"]);
    assert_says(&message("partitioned"), &["`gmsh partitioned.msh -save -format msh22 -o out.msh`"]);
    for name in ["box_of_geometry", "version_4_0_converted", "partitioned_converted"] {
        assert_relative_eq!(volume(name), 1.0, max_relative = 1e-12);
    }
    assert_says(
        &message("element_twice"),
        &["element 1 is defined twice", "`gmsh element_twice.msh -save -o out.msh`"],
    );
    assert_relative_eq!(volume("element_twice_numbered"), 1.0, max_relative = 1e-12);
    assert_says(&message("third_order_box"), &["third order", "`Mesh.ElementOrder = 2;`"]);
    assert_relative_eq!(volume("third_order_box_second"), 1.0, max_relative = 1e-12);
    assert_says(&message("wedges_second_order"), &["prism", "`Mesh.ElementOrder = 1;`"]);
    assert_relative_eq!(volume("wedges_first_order"), 1.0, max_relative = 1e-12);
}

/// Files that were saved before the geometry was meshed, and a file without a group of the volume.
#[test]
fn what_is_missing_is_meshed_and_saved() {
    for name in ["no_mesh", "unmeshed"] {
        assert_says(&message(name), &["$Nodes is missing", "`gmsh in.geo -3 -o out.msh`"]);
    }
    assert_relative_eq!(volume("unmeshed_meshed"), 1.0, max_relative = 1e-12);
    let error = bad("no_volume").require_volume().unwrap_err().to_string();
    assert_says(&error, &["add `Physical Volume(\"…\")` beside `skin` (dimension 2)"]);
    good("no_volume_added").require_volume().unwrap();
    assert_relative_eq!(volume("no_volume_added"), 1.0, max_relative = 1e-12);
}

/// Two volumes in the same place, before and after `Coherence;`.
#[test]
fn parts_in_one_place_are_made_coherent() {
    let error = bad("volume_twice").skin().unwrap_err();
    assert!(matches!(error, MeshError::OverlappingCells { .. }), "{error}");
    assert_says(&error.to_string(), &["`Coherence;`"]);
    assert_relative_eq!(volume("volume_twice_coherent"), 1.0, max_relative = 1e-12);
}

/// Three volumes in the same place, so that a face has more than the two cells allowed: before the remedy, after
/// `Coherence;`, and after two of the volumes are removed.
#[test]
fn faces_of_many_cells_are_made_coherent() {
    let error = bad("volume_thrice").skin().unwrap_err();
    assert!(matches!(error, MeshError::NonManifoldFace { .. }), "{error}");
    assert_says(&error.to_string(), &["remove overlapping volumes or `Coherence;` the geometry"]);
    for name in ["volume_thrice_coherent", "volume_thrice_removed"] {
        assert_relative_eq!(volume(name), 1.0, max_relative = 1e-12);
    }
}

/// A surface lies on a side of a solid, but is meshed separately and shares no nodes with the solid.
#[test]
fn surfaces_are_made_one_with_their_solid() {
    let error = bad("surface_apart").group_faces("spot").unwrap_err();
    assert!(matches!(error, MeshError::DanglingFace { .. }), "{error}");
    assert_says(&error.to_string(), &["`BooleanFragments{ Volume{:}; Delete; }{ Surface{:}; Delete; }`"]);
    assert_relative_eq!(volume("surface_in_one"), 1.0, max_relative = 1e-12);
    assert!(!good("surface_in_one").group_faces("spot").unwrap().is_empty());
}

/// Remedies without Gmsh: another group, another name, or removing the copy of a surface.
#[test]
fn groups_and_names_from_messages_work() {
    let mesh = good("mixed_41_ascii");
    assert!(matches!(mesh.group_faces("interface").unwrap_err(), MeshError::InteriorFace { .. }));
    // Remedy: "take a group on the skin, or make the body of one side only".
    assert!(!mesh.group_faces("bottom").unwrap().is_empty());
    assert!(!mesh.region(&["wedges"]).unwrap().group_faces("interface").unwrap().is_empty());
    let error = mesh.region(&["hexs"]).unwrap_err().to_string();
    assert_says(&error, &["did you mean `hexes`?"]);
    mesh.region(&["hexes"]).unwrap();

    // Remedy: "remove the surface that lies on another one".
    let mut twice = good("cube_41_ascii");
    let bottom = twice.groups.iter().position(|group| group.name == "bottom").unwrap();
    let (block, cell) = twice.groups[bottom].cells[0];
    let cells = &mut twice.blocks[block as usize];
    let copy = cells.cell(cell as usize).to_vec();
    cells.connectivity.extend(copy);
    cells.tags.push(999);
    let last = cells.len() as u32 - 1;
    twice.groups[bottom].cells.push((block, last));
    assert!(matches!(twice.group_faces("bottom").unwrap_err(), MeshError::RepeatedFace { .. }));
    twice.groups[bottom].cells.pop();
    twice.group_faces("bottom").unwrap();
}

/// The remedies "Collapsed cells … write them as a lower kind" and "a plane mesh lies in z = 0: translate it there"
/// work.
#[test]
fn lower_kinds_and_translated_meshes_work() {
    let mesh = |kind: CellKind, connectivity: &[u32], z: f64| Mesh {
        nodes: vec![Vec3::new(0.0, 0.0, z), Vec3::new(1.0, 0.0, z), Vec3::new(0.0, 1.0, z)],
        node_tags: vec![1, 2, 3],
        blocks: vec![CellBlock { kind, connectivity: connectivity.to_vec(), tags: vec![7] }],
        groups: vec![Group { name: "body".into(), dimension: 2, tag: 1, cells: vec![(0, 0)] }],
    };
    let error = mesh(CellKind::Quad4, &[0, 1, 2, 2], 0.0).validate().unwrap_err();
    assert!(matches!(error, MeshError::RepeatedNode { cell: 7, node: 3 }), "{error}");
    assert_says(&error.to_string(), &["write them as a lower kind"]);
    mesh(CellKind::Tri3, &[0, 1, 2], 0.0).check_plane().unwrap();
    let raised = mesh(CellKind::Tri3, &[0, 1, 2], 0.25);
    assert_says(&raised.check_plane().unwrap_err().to_string(), &["translate it there"]);
    raised.translated(Vec3::new(0.0, 0.0, -0.25)).unwrap().check_plane().unwrap();
}
