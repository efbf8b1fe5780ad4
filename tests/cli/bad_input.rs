//! Wrong input gives exit code 2 and exactly the message expected here.

use std::fs;

use super::{Folder, drop_of, source};

/// A folder with a broken mesh of `tests/data/bad` and a scenario that uses it.
fn with_bad_mesh(name: &str) -> Folder {
    let folder = Folder::new();
    fs::copy(source(&format!("tests/data/bad/{name}")), folder.path(name)).unwrap();
    folder.write("drop.toml", &drop_of(name));
    folder
}

/// Expects `ictus run` to refuse the mesh of `drop.toml`, with a message that points at the mesh's line of the
/// scenario.
#[track_caller]
fn run_refuses_mesh(folder: &Folder, name: &str, fact: &str, help: &str) {
    folder.run(&["run", "drop.toml"]).refuses(&[
        &format!("error: {fact}"),
        "    ,-[drop.toml:15:8]",
        " 14 | name = \"block\"",
        &format!(" 15 | mesh = \"{name}\""),
        &format!("    :        {}", "^".repeat(name.len() + 2)),
        " 16 | material = \"rubber\"",
        "    `----",
        &format!("  help: {help}"),
        "",
    ]);
    assert!(!folder.path("out").exists(), "nothing is written");
}

/// Expects `ictus mesh` and `ictus run` to refuse a file of `tests/data/bad`.
#[track_caller]
fn both_refuse(name: &str, place: &str, fact: &str, help: &str) {
    let folder = with_bad_mesh(name);
    folder.run(&["mesh", name]).refuses(&[
        &format!("error: {fact}"),
        &format!("  --> {place}"),
        &format!("  help: {help}"),
    ]);
    run_refuses_mesh(&folder, name, &format!("body `block`: {place}: {fact}"), help);
}

#[test]
fn a_truncated_mesh() {
    both_refuse(
        "truncated.msh",
        "truncated.msh:228",
        "the file ends where a node of an element is expected in $Elements",
        "it is truncated, save or copy it again",
    );
}

#[test]
fn wrong_counts() {
    both_refuse(
        "wrong_node_count.msh",
        "wrong_node_count.msh:159",
        "$Nodes declares 44 entries but holds 45",
        "make the file again from the geometry",
    );
    both_refuse(
        "wrong_block_count.msh",
        "wrong_block_count.msh:156",
        "$Nodes declares 45 entries but holds 44",
        "make the file again from the geometry",
    );
}

#[test]
fn a_file_that_is_no_mesh() {
    both_refuse(
        "garbage.msh",
        "garbage.msh",
        "not a Gmsh mesh, `$MeshFormat` is missing",
        "save it with `gmsh in.geo -3 -format msh41 -o out.msh`",
    );
}

#[test]
fn an_unknown_element_type() {
    let supported = "those read are points, lines, triangles, quadrangles, tetrahedra and hexahedra of order 1 and 2, \
                     and wedges of order 1";
    both_refuse(
        "unknown_element_type.msh",
        "unknown_element_type.msh:193",
        &format!("element type 140 (unknown) is not read; {supported}"),
        "make the file again from the geometry",
    );
    both_refuse(
        "third_order.msh",
        "third_order.msh:417",
        &format!("element type 21 (10-node third order triangle) is not read; {supported}"),
        "mesh the geometry with `Mesh.ElementOrder = 2;`",
    );
}

#[test]
fn a_coordinate_that_is_no_number() {
    both_refuse(
        "nan_coordinate.msh",
        "nan_coordinate.msh:48",
        "node 2 has the coordinates (0e0, NaN, 0e0), which are not finite",
        "mesh the geometry again",
    );
}

#[test]
fn an_inverted_element() {
    run_refuses_mesh(
        &with_bad_mesh("inverted.msh"),
        "inverted.msh",
        "body `block`, mesh inverted.msh: 1 of 100 cells are inverted or flat (elements 29)",
        "turn those that are inverted with Gmsh, `gmsh in.msh -3 -o out.msh`, and where some are flat, mesh the geometry finer",
    );
}

#[test]
fn a_missing_physical_group() {
    let folder = Folder::with_drop();
    for (name, help) in [
        ("blok", "did you mean `block`? the mesh has `block` (dimension 3)"),
        ("sphere", "the mesh has `block` (dimension 3)"),
    ] {
        let region = format!("material = \"rubber\"\nregion = \"{name}\"");
        folder.write("drop.toml", &drop_of("block.msh").replace("material = \"rubber\"", &region));
        folder.run(&["run", "drop.toml"]).refuses(&[
            &format!("error: body `block`, mesh block.msh: no physical group `{name}`"),
            "    ,-[drop.toml:17:10]",
            " 16 | material = \"rubber\"",
            &format!(" 17 | region = \"{name}\""),
            &format!("    :          {}", "^".repeat(name.len() + 2)),
            "    `----",
            &format!("  help: {help}"),
            "",
        ]);
    }
}

/// The closed forms of the closest point are for triangles; the faces of hexahedra are refused.
#[test]
fn a_closest_point_method_unsuitable_for_the_faces() {
    let folder = Folder::with_drop();
    for method in ["voronoi", "brute-force"] {
        let setting = format!("closest_point = \"{method}\"");
        folder.write("drop.toml", &format!("{}[contact]\n{setting}\n", drop_of("block.msh")));
        for command in ["run", "check"] {
            folder.run(&[command, "drop.toml"]).refuses(&[
                "error: body `block` has quad4 faces that can touch, and `contact.closest_point` is a closed form for \
                 flat triangles and segments only",
                "    ,-[drop.toml:18:17]",
                " 17 | [contact]",
                &format!(" 18 | {setting}"),
                &format!("    :                 {}", "^".repeat(method.len() + 2)),
                "    `----",
                "  help: use \"auto\", \"sqp\", \"active-set\", \"interior-point\" or \"newton\", or mesh the body with \
                 linear triangles or tetrahedra",
                "",
            ]);
        }
        folder.run(&["check", "drop.toml", "--set", "bodies.block.contact=false"]).succeeds();
    }
}

#[test]
fn a_density_of_zero() {
    Folder::with_drop().run(&["check", "drop.toml", "--set", "materials.rubber.density=0.0"]).refuses(&[
        "error: `materials.rubber.density` is 0, not a positive number (from `--set`)",
        "  help: give a positive number",
        "",
    ]);
}

/// The message names the element that gives a node an infinite mass.
#[test]
fn masses_that_overflow() {
    Folder::with_drop()
        .run(&[
            "check",
            "drop.toml",
            "--set",
            "materials.rubber.density=1e300",
            "--set",
            "bodies.block.scale=1e10",
        ])
        .refuses(&[
            "error: body `block`: element 0 gives a node the mass inf kg: it is partly inverted or too large",
            "    ,-[drop.toml:15:8]",
            " 14 | name = \"block\"",
            " 15 | mesh = \"block.msh\"",
            "    :        ^^^^^^^^^^^",
            " 16 | material = \"rubber\"",
            "    `----",
            "  help: remesh it, or correct its scale or density",
            "",
        ]);
}

#[test]
fn an_unknown_key_with_a_near_name() {
    let folder = Folder::with_drop();
    folder.write("drop.toml", &drop_of("block.msh").replace("gravity", "gravty"));
    folder.run(&["predict", "drop.toml"]).refuses(&[
        "error: unknown key `gravty` in the scenario",
        "   ,-[drop.toml:2:1 gravty]",
        " 1 | title = \"Drop\"",
        " 2 | gravty = [0.0, 0.0, -9.81]",
        "   : ^^^^^^",
        " 3 | ",
        "   `----",
        "  help: did you mean `gravity`?",
        "",
    ]);
}

#[test]
fn a_string_for_a_number() {
    let folder = Folder::with_drop();
    folder.write("drop.toml", &drop_of("block.msh").replace("end = 1.0", "end = \"1.0\""));
    folder.run(&["run", "drop.toml"]).refuses(&[
        "error: `time.end` is the string \"1.0\", not a number",
        "   ,-[drop.toml:5:7 time.end]",
        " 4 | [time]",
        " 5 | end = \"1.0\"",
        "   :       ^^^^^",
        " 6 | ",
        "   `----",
        "  help: `end`: end of the run; it starts at 0 [s]",
        "",
    ]);
}

#[test]
fn a_negative_step() {
    Folder::with_drop().run(&["run", "drop.toml", "--set", "time.step=-1e-6"]).refuses(&[
        "error: `time.step` is -0.000001, not a positive number (from `--set`)",
        "  help: give a positive number",
        "",
    ]);
}

#[test]
fn all_problems_of_a_scenario_are_reported_at_once() {
    let ran = Folder::with_drop().run(&["run", "drop.toml", "--set", "time.step=-1", "--set", "time.edn=2"]);
    assert_eq!(ran.code, Some(2));
    let errors: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(
        errors,
        [
            "error: `time.step` is -1, not a positive number (from `--set`)",
            "error: unknown key `edn` in [time] (from `--set`)"
        ]
    );
}

#[test]
fn bodies_that_overlap() {
    // The left block ends at x = 60 mm of its mesh. The left block is translated by −55 mm, so its last 5 mm are inside
    // the right block.
    let translate = "bodies.left.translate=[-0.055,0.001,0.002]";
    Folder::with_impact().run(&["check", "impact.toml", "--set", translate]).refuses(&[
        "error: two bodies overlap at t = 0: `left` and `right` by 5.000e-3 m at (0.000000, 0.010000, 0.010000)",
        "  help: move them apart, exclude the pair with [[contact.pairs]] contact = false, or set contact.initial_penetration \
         to \"offset\" or \"remove\"",
    ]);
}

/// The message about a body wholly behind a wall gives the reversed normal. A body that the plane of the wall cuts is
/// reported as an overlap.
#[test]
fn bodies_behind_a_wall() {
    let folder = Folder::with_drop();
    let wall = |height: &str, policy: &str| {
        let wall = "\n[[walls]]\nname = \"floor\"\nnormal = [0.0, 0.0, -2.0]\npoint = [0.0, 0.0, ";
        folder.write("walled.toml", &format!("{}{wall}{height}]\n", folder.read("drop.toml")));
        folder.run(&["check", "walled.toml", "--set", &format!("contact.initial_penetration={policy}")])
    };
    for (below, policy) in [("0.0", "error"), ("-1.0", "error"), ("-1.0", "remove")] {
        wall(below, policy).refuses(&[
            "error: body `block` is wholly behind wall `floor`, whose normal [0.0, 0.0, -1.0] points to the other side",
            "  help: reverse the normal of the wall (normal = [0.0, 0.0, 1.0]), or move the body to the side it points to",
        ]);
    }
    let cut = wall("0.01", "error");
    let first = "error: two bodies overlap at t = 0: `block` and `floor` by 1.000e-2 m";
    assert!(cut.code == Some(2) && cut.stderr.starts_with(first), "{}", cut.stderr);
}

/// `hex = "one-point"` is refused for a body of tetrahedra and for one of twenty-node hexahedra.
#[test]
fn one_point_without_hexahedra_of_eight_nodes() {
    let folder = Folder::with_drop();
    for mesh in ["cube_22_ascii.msh", "hex20_22_ascii.msh"] {
        let from = source("tests/data/mesh").join(mesh);
        let keys = [format!("bodies.block.mesh={}", from.display()), "bodies.block.hex=one-point".into()];
        let told = folder.run(&["check", "drop.toml", "--set", &keys[0], "--set", &keys[1]]);
        let first = "error: `hex` applies to eight-node hexahedra, and body `block` has none (from `--set`)";
        assert_eq!((told.stderr.lines().next(), told.code), (Some(first), Some(2)), "{}", told.stderr);
        assert!(told.stderr.contains("help: remove it, or mesh the body with hexahedra"), "{}", told.stderr);
    }
    assert_eq!(folder.run(&["check", "drop.toml", "--set", "bodies.block.hex=one-point"]).code, Some(0));
}

/// The scenario of the drop with two boundaries on its block: one on the group `block`, with the keys `first`, and one
/// with the keys `second`.
fn drop_between(first: &str, second: &str) -> Folder {
    let folder = Folder::with_drop();
    let boundary = |text: &str| format!("[[boundaries]]\nbody = \"block\"\n{text}\n");
    let first = boundary(&format!("group = \"block\"\n{first}"));
    folder.write("drop.toml", &format!("{}\n{first}{}", folder.read("drop.toml"), boundary(second)));
    folder
}

#[test]
fn boundaries_that_contradict_each_other() {
    let folder = drop_between("fix = [\"x\", \"y\"]", "velocity = { x = 1.0 }");
    let told = folder.run(&["check", "drop.toml"]);
    assert!(told.stderr.contains("[drop.toml:24:18]"), "{}", told.stderr);
    let first = "error: the boundaries on `block` and `all` of body `block` prescribe the X axis of node 1 differently";
    assert_eq!(told.stderr.lines().next().unwrap(), first);
    let help = "  help: prescribe it in one of the two only, or equally in both";
    assert_eq!((told.stderr.lines().rfind(|line| !line.is_empty()), told.code), (Some(help), Some(2)));

    let rigid = drop_between("velocity = { z = \"t\" }", "velocity = { z = \"2*t\" }");
    let elastic = "\"neo-hookean\"\ndensity = 1000.0\nyoung = 1e7\npoisson = 0.4";
    let text = rigid.read("drop.toml").replace(elastic, "\"rigid\"\ndensity = 1000.0");
    rigid.write("drop.toml", &text);
    let told = rigid.run(&["check", "drop.toml"]);
    let first =
        "error: the boundaries on `block` and `all` of rigid body `block` prescribe its Z axis differently";
    assert_eq!((told.stderr.lines().next(), told.code), (Some(first), Some(2)), "{}", told.stderr);
}

#[test]
fn boundaries_that_agree_are_no_contradiction() {
    for alike in ["fix = [\"z\"]", "velocity = { z = 0.5 }", "displacement = { z = \"1e-3*sin(t)\" }"] {
        let told = drop_between(alike, alike).run(&["check", "drop.toml"]);
        assert_eq!(told.code, Some(0), "{}", told.stderr);
    }
}

#[test]
fn a_missing_scenario() {
    Folder::new().run(&["run", "nothing.toml"]).refuses(&[
        "error: cannot read the scenario `nothing.toml`: No such file or directory (os error 2)",
        "  help: give the path of a TOML file in UTF-8",
    ]);
}

#[test]
fn a_missing_mesh() {
    let folder = Folder::with_drop();
    folder.run(&["mesh", "nothing.msh"]).refuses(&[
        "error: the file cannot be read: No such file or directory (os error 2)",
        "  --> nothing.msh",
        "  help: give the path of a Gmsh mesh",
    ]);
    folder.write("drop.toml", &drop_of("nothing.msh"));
    folder.run(&["run", "drop.toml"]).refuses(&[
        "error: the mesh `nothing.msh` does not exist",
        "    ,-[drop.toml:15:8 bodies.block.mesh]",
        " 14 | name = \"block\"",
        " 15 | mesh = \"nothing.msh\"",
        "    :        ^^^^^^^^^^^^^",
        " 16 | material = \"rubber\"",
        "    `----",
        "  help: paths of meshes are relative to the folder of the scenario",
        "",
    ]);
}

#[test]
fn an_output_directory_that_cannot_be_written() {
    let folder = Folder::with_drop();
    folder.write("file", "");
    folder.run(&["run", "drop.toml", "--output", "file/out"]).refuses(&[
        "error: cannot create directory 'file/out': Not a directory (os error 20)",
        "  help: a file blocks the directory, or a directory the file: move it or choose another `--output DIR`",
    ]);
}

#[test]
fn wrong_arguments() {
    let folder = Folder::with_drop();
    folder.run(&["run", "drop.toml", "--threads", "0"]).refuses(&[
        "error: invalid value '0' for '--threads <N>': 0 is not in 1..=1024",
        "",
        "For more information, try '--help'.",
    ]);
    folder.run(&["run", "drop.toml", "--set", "time.end"]).refuses(&[
        "error: override `time.end` has no `=`",
        "  help: write KEY=VALUE, as in time.end=1.0 or bodies.left.velocity=[1, 0, 0]",
        "",
    ]);
    assert_eq!(folder.run(&["rum", "drop.toml"]).code, Some(2));
    assert_eq!(folder.run(&[]).code, Some(2));
}

/// Two overlapping rigid bodies cannot be moved apart. The message gives this reason and omits the depth of the
/// overlap.
#[test]
fn rigid_bodies_that_overlap_cannot_be_moved() {
    let folder = Folder::with_impact();
    let text = folder.read("impact.toml").replace("-0.0601", "-0.059");
    let rigid = text.replace("model = \"neo-hookean\"", "model = \"rigid\"");
    let lines = rigid.lines().filter(|line| !line.starts_with("young") && !line.starts_with("poisson"));
    folder.write("rigid.toml", &lines.map(|line| format!("{line}\n")).collect::<String>());
    let with = |policy: &str| {
        folder.run(&["check", "rigid.toml", "--set", &format!("contact.initial_penetration={policy}")])
    };
    let ran = with("remove");
    assert_eq!(ran.code, Some(2));
    for part in [
        "two bodies overlap at t = 0 and cannot be moved",
        "`left` and `right` by 1.000e-3 m",
        "set \"offset\"",
    ] {
        assert!(ran.stderr.contains(part), "{part} is not in {}", ran.stderr);
    }
    assert_eq!(with("offset").code, Some(0));
}
