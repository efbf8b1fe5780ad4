//! Wrong input: the message as a whole, and the exit code 2.

use std::fs;

use super::{Folder, drop_of, source};

/// A folder with a broken mesh of `tests/data/bad` and a scenario that uses it.
fn with_bad_mesh(name: &str) -> Folder {
    let folder = Folder::new();
    fs::copy(source(&format!("tests/data/bad/{name}")), folder.path(name)).unwrap();
    folder.write("drop.toml", &drop_of(name));
    folder
}

#[test]
fn show_all() {
    for name in [
        "truncated.msh",
        "wrong_node_count.msh",
        "wrong_block_count.msh",
        "garbage.msh",
        "unknown_element_type.msh",
        "inverted.msh",
        "nan_coordinate.msh",
        "second_order.msh",
        "surface_only.msh",
        "partitioned.msh",
        "version_4_0.msh",
        "unknown_node.msh",
    ] {
        let folder = with_bad_mesh(name);
        let ran = folder.run(&["check", "drop.toml"]);
        println!("== {name} {:?}\n{}{}", ran.code, ran.stdout, ran.stderr);
        let ran = folder.run(&["mesh", name]);
        println!("-- mesh {name} {:?}\n{}{}", ran.code, ran.stdout, ran.stderr);
    }
    let folder = Folder::with_drop();
    let good = folder.read("drop.toml");
    let edits: [(&str, &str); 8] = [
        ("material = \"rubber\"", "material = \"rubber\"\nregion = \"blok\""),
        ("material = \"rubber\"", "material = \"rubber\"\nregion = \"sphere\""),
        ("1000.0", "0.0"),
        ("density", "densty"),
        ("end = 1.0", "end = \"1.0\""),
        ("end = 1.0", "end = 1.0\nstep = -1e-6"),
        ("block.msh", "nothing.msh"),
        ("poisson = 0.4", "poisson = 0.5"),
    ];
    for (from, to) in edits {
        folder.write("drop.toml", &good.replace(from, to));
        let ran = folder.run(&["run", "drop.toml"]);
        println!("== {to} {:?}\n{}{}", ran.code, ran.stdout, ran.stderr);
    }
    folder.write("drop.toml", &good);
    folder.write("file", "");
    for arguments in [
        &["run", "nothing.toml"][..],
        &["mesh", "nothing.msh"],
        &["run", "drop.toml", "--output", "file/out"],
        &["run", "drop.toml", "--output", "file"],
        &["run", "drop.toml", "--threads", "0"],
        &["run", "drop.toml", "--set", "time.end"],
        &["run", "drop.toml", "--set", "time.edn=2"],
        &["check", "."],
        &["mesh", "."],
    ] {
        let ran = folder.run(arguments);
        println!("== {arguments:?} {:?}\n{}{}", ran.code, ran.stdout, ran.stderr);
    }
    let folder = Folder::with_impact();
    let ran = folder.run(&["check", "impact.toml", "--set", "bodies.left.translate=[-0.055,0.001,0.002]"]);
    println!("== overlap {:?}\n{}{}", ran.code, ran.stdout, ran.stderr);
}
