//! Rigid sheets in which some or all faces have reversed normals, or have no area.

use std::fs;

use super::msh::msh;
use super::{Folder, block, source};

/// A mesh (MSH 2.2) of the unit square in z = 0: 3 × 3 cells of two triangles each. Triangles face up. Triangles whose
/// element number `turned` accepts face down.
fn square(turned: impl Fn(usize) -> bool) -> String {
    let node = |i: usize, j: usize| i + 4 * j;
    let nodes: Vec<[f64; 3]> = (0..16).map(|n| [(n % 4) as f64 / 3.0, (n / 4) as f64 / 3.0, 0.0]).collect();
    let element = |element: usize| {
        let (i, j) = (element / 2 % 3, element / 6);
        let [a, b, c, d] = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
        let [a, b, c] = if element.is_multiple_of(2) { [a, b, c] } else { [a, c, d] };
        (2, 1, if turned(element + 1) { vec![a, c, b] } else { vec![a, b, c] })
    };
    msh(&nodes, &(0..18).map(element).collect::<Vec<_>>(), &[])
}

/// A cube that falls on a fixed sheet in z = 0; its lowest face starts at `height`.
fn scenario(height: f64) -> String {
    format!(
        r#"title = "A cube falls on a sheet"
gravity = [0.0, 0.0, -9.81]

[time]
end = 0.5
flight_step = 1e-3
step = 1e-4

[materials.rigid]
model = "rigid"
density = 1000.0

[[bodies]]
name = "cube"
mesh = "cube.msh"
material = "rigid"
translate = [0.42, 0.37, {height:?}]

[[bodies]]
name = "sheet"
mesh = "sheet.msh"
material = "rigid"
thickness = 0.01
contact_thickness = 0.0

[[boundaries]]
body = "sheet"
fix = ["x", "y", "z"]

[contact]
response = "decomposition"
restitution = 1.0

[output]
directory = "out"
frames = 2
history = {{ interval = 1e-2 }}
"#
    )
}

fn folder(sheet: &str) -> Folder {
    let folder = Folder::new();
    folder.write("cube.msh", &block([1; 3], 0.2));
    folder.write("sheet.msh", sheet);
    folder.write("fall.toml", &scenario(0.5));
    folder
}

/// The cube meets the sheet after √(2 h/g), with h = 0.5 and g = 9.81, and rebounds without horizontal momentum.
#[track_caller]
fn assert_bounce(folder: &Folder) {
    let summary = folder.json("out/summary.json");
    let time = summary["first_contacts"][0]["time"].as_f64().unwrap();
    assert!((time - (2.0 * 0.5 / 9.81_f64).sqrt()).abs() < 1e-6, "{time}");
    let history = folder.read("out/history.csv");
    let rows: Vec<Vec<&str>> = history.lines().map(|line| line.split(',').collect()).collect();
    let last = |name: &str| -> f64 {
        let column = rows[0].iter().position(|&title| title == name).unwrap();
        rows[rows.len() - 1][column].parse().unwrap()
    };
    let [x, y, z] = ["momentum_x", "momentum_y", "momentum_z"].map(last);
    assert!(z > 0.0 && x.hypot(y) < 1e-9 * z, "{x} {y} {z}");
}

#[test]
fn reversed_faces_are_turned_and_reported() {
    let good = folder(&square(|_| false));
    let ran = good.run(&["run", "fall.toml"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert_bounce(&good);
    let mended = folder(&square(|element| element == 9 || element == 17));
    let told = "warning: 2 of 18 faces of the sheet `sheet` were oriented opposite to their neighbours and are reversed \
                (elements 9, 17)\n";
    for command in ["check", "run"] {
        let ran = mended.run(&[command, "fall.toml"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), told));
    }
    assert_bounce(&mended);
    assert_eq!(good.read("out/history.csv"), mended.read("out/history.csv"));
}

/// The remedy in the message works. The faces of `bad/clockwise` point down, and the cube starts behind this sheet.
/// With the command of the message, Gmsh makes `mesh/clockwise_over` from this mesh, and the cube bounces off the new
/// sheet.
#[test]
fn a_body_behind_a_sheet_is_reported() {
    let mesh = |name: &str| fs::read_to_string(source(&format!("tests/data/{name}.msh"))).unwrap();
    let told = "warning: `cube` starts behind the sheet `sheet`, and it passes through from there\n  help: if `sheet` is to be \
                in contact on that side, reverse its faces with `gmsh over.geo -2 -o over.msh`, where over.geo holds the line `Merge \
                \"sheet.msh\";ReverseMesh Surface{:};` and an empty one\n";
    for down in [square(|_| true), mesh("bad/clockwise")] {
        let folder = folder(&down);
        for command in ["check", "run"] {
            let ran = folder.run(&[command, "fall.toml"]);
            assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), told));
        }
        // Below the sheet the cube is on the side that the normals point to, and there is no warning.
        folder.write("fall.toml", &scenario(-0.9));
        assert_eq!(folder.run(&["check", "fall.toml"]).stderr, "");
    }
    let over = folder(&mesh("mesh/clockwise_over"));
    let ran = over.run(&["run", "fall.toml"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert_bounce(&over);
}

/// A body wholly below a sheet that faces up is behind it, even if the body extends beyond the sheet on all sides.
/// There is no warning in four cases: the body is beside the sheet, touches the sheet from above, or is excluded from
/// contact with the sheet, or the sheet has faces for both sides.
#[test]
fn only_bodies_straight_behind_are_reported() {
    let up = square(|_| false);
    // A sheet with faces for both sides: those that face down have their own nodes at the same positions.
    let both = {
        let down = square(|_| true);
        let lines: Vec<Vec<&str>> = down.lines().map(|line| line.split(' ').collect()).collect();
        let moved = |line: &[&str], numbers: &[usize], by: usize| {
            let moved = |(k, word): (usize, &&str)| match numbers.contains(&k) {
                true => (word.parse::<usize>().unwrap() + by).to_string(),
                false => (*word).to_owned(),
            };
            line.iter().enumerate().map(moved).collect::<Vec<_>>().join(" ") + "\n"
        };
        let nodes: String = lines[5..21].iter().map(|line| moved(line, &[0], 16)).collect();
        let elements = lines[24..42].iter().map(|line| moved(line, &[5, 6, 7], 16));
        let elements: String = elements
            .enumerate()
            .map(|(k, line)| format!("{}{}", k + 19, &line[line.find(' ').unwrap()..]))
            .collect();
        up.replace("$Nodes\n16\n", "$Nodes\n32\n")
            .replace("$EndNodes\n", &(nodes + "$EndNodes\n"))
            .replace("$Elements\n18\n", "$Elements\n36\n")
            .replace("$EndElements\n", &(elements + "$EndElements\n"))
    };
    let cases = [
        (&up, 0.2, "[0.42, 0.37, -0.9]", "", true),
        (&up, 4.0, "[-1.5, -1.5, -5.0]", "", true),
        (&up, 0.2, "[1.1, 0.37, -0.9]", "", false),
        (&up, 0.2, "[1.1, 0.37, -0.2]", "", false),
        (&up, 4.0, "[-5.0, -1.5, -2.0]", "", false),
        (&up, 0.2, "[0.42, 0.37, -0.2]", "", true),
        (&up, 0.2, "[0.42, 0.37, 0.0]", "", false),
        (
            &up,
            0.2,
            "[0.42, 0.37, -0.9]",
            "\n[[contact.pairs]]\nbetween = [\"cube\", \"sheet\"]\ncontact = false\n",
            false,
        ),
        (&both, 0.2, "[0.42, 0.37, -0.9]", "", false),
    ];
    for (sheet, size, place, pair, is_told) in cases {
        let folder = folder(sheet);
        folder.write("cube.msh", &block([1; 3], size));
        folder.write("fall.toml", &(scenario(0.0).replace("[0.42, 0.37, 0.0]", place) + pair));
        let ran = folder.run(&["check", "fall.toml"]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_eq!(ran.stderr.contains("starts behind"), is_told, "{size} {place} {pair}: {}", ran.stderr);
    }
}

#[test]
fn faces_without_area_are_excluded_and_reported() {
    // Nodes 6, 7 and 8 lie on a line.
    let good = square(|_| false);
    let sheet = good
        .replace("$Elements\n18\n", "$Elements\n19\n")
        .replace("$EndElements", "19 2 2 1 1 6 7 8\n$EndElements");
    let folder = folder(&sheet);
    let ran = folder.run(&["run", "fall.toml"]);
    let told =
        "warning: 1 of 19 faces of body `sheet` have no area and are left out of contact (elements 19)\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), told));
    assert_bounce(&folder);
}

/// A Möbius strip of three quadrilaterals.
#[test]
fn a_sheet_with_one_side_is_refused() {
    let nodes = "1 1 0 -0.3\n2 1 0 0.3\n3 -0.5 0.8 -0.2\n4 -0.6 0.9 0.2\n5 -0.5 -0.8 0.2\n6 -0.6 -0.9 -0.2\n";
    let elements = "1 3 2 1 1 1 3 4 2\n2 3 2 1 1 3 5 6 4\n3 3 2 1 1 5 2 1 6\n";
    let strip = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n{nodes}$EndNodes\n$Elements\n3\n{elements}$EndElements\n"
    );
    let ran = folder(&strip).run(&["check", "fall.toml"]);
    assert_eq!(ran.code, Some(2));
    for part in ["one side only", "make two bodies of it", "[bodies.sheet.mesh]"] {
        assert!(ran.stderr.contains(part) || part.starts_with('['), "{}", ran.stderr);
    }
}
