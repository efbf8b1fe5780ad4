//! `ictus init`: writes a starter scenario and its mesh, ready to run.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use ictus::io::atomic_write;

use super::failure::Failure;
use super::print;

/// Number of cells along each edge of the block.
const CELLS: [usize; 3] = [4, 4, 4];
/// Edge length of a cell \[m\].
const SIZE: f64 = 0.025;

/// Each `NAME` is replaced by the name of the written files, without extension.
const SCENARIO: &str = r#"# A rubber block of 10 cm falls on a floor and bounces. Run it with `ictus run NAME.toml`, look at out/NAME/NAME.pvd in
# ParaView, and draw its energies with `ictus plot out/NAME`. `ictus explain KEY` explains a key.
title = "NAME"
gravity = [0.0, 0.0, -9.81]           # m/s²

[time]
end = 0.3                             # s

[materials.rubber]
model = "neo-hookean"                 # or linear-elastic, st-venant-kirchhoff, rigid
density = 1100.0                      # kg/m³
young = 5e6                           # Pa
poisson = 0.45

[[bodies]]
name = "block"
mesh = "NAME.msh"                     # overwrite it with your own, from Gmsh
material = "rubber"
translate = [0.0, 0.0, 0.1]           # m; for this block, whose lowest corner is then 7.6 cm above the floor
rotate = { axis = [1, 1, 0], angle = 20.0 }

[[walls]]
name = "floor"
point = [0.0, 0.0, 0.0]
normal = [0.0, 0.0, 1.0]              # out of the floor
friction = 0.5

[[probes]]
name = "top"
body = "block"
nearest_node = [0.05, 0.05, 0.2]      # m, at t = 0; of this block
quantities = ["position", "velocity", "acceleration"]

[output]
frames = 60
"#;

/// Writes `NAME.toml` and `NAME.msh`. Writes nothing if one of these files exists.
pub fn init(name: &Path) -> Result<ExitCode, Failure> {
    let is_of_file = name.extension().is_some_and(|extension| extension == "toml" || extension == "msh");
    let stem = if is_of_file { name.with_extension("") } else { name.to_owned() };
    let is_plain = |label: &&str| label.chars().all(|c| c.is_alphanumeric() || "-_. ".contains(c));
    let Some(label) = stem.file_name().and_then(|label| label.to_str()).filter(is_plain) else {
        return Err(Failure::Usage {
            fact: format!("`{}` is no name for a file", name.display()),
            help: "give a name of letters, digits, `-` and `_`, such as `drop`",
        });
    };
    let paths = ["toml", "msh"].map(|ending| stem.with_file_name(format!("{label}.{ending}")));
    if let Some(path) = paths.iter().find(|path| path.exists()) {
        return Err(Failure::Usage {
            fact: format!("`{}` exists already", path.display()),
            help: "give another name, or move the file away",
        });
    }
    write(&paths[0], &SCENARIO.replace("NAME", label))?;
    write(&paths[1], &mesh())?;
    print::text(&format!("{}\n{}\n", paths[0].display(), paths[1].display()));
    print::text(&format!("run it with `ictus run {}`\n", paths[0].display()));
    Ok(ExitCode::SUCCESS)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    Ok(atomic_write(path, |file| file.write_all(text.as_bytes()))?)
}

/// Gmsh mesh (MSH 2.2) of a block of hexahedra with a corner at the origin, in the physical group `block`.
fn mesh() -> String {
    let nodes_along = CELLS.map(|count| count + 1);
    let node = |[i, j, k]: [usize; 3]| 1 + i + nodes_along[0] * (j + nodes_along[1] * k);
    let mut nodes = String::new();
    for place in grid(nodes_along) {
        let [x, y, z] = place.map(|count| count as f64 * SIZE);
        // Writing to a string cannot fail.
        let _ = writeln!(nodes, "{} {x} {y} {z}", node(place));
    }
    let corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];
    let mut elements = String::new();
    for (element, [i, j, k]) in (1..).zip(grid(CELLS)) {
        let corners = corners.map(|[a, b, c]| node([i + a, j + b, k + c]).to_string());
        let _ = writeln!(elements, "{element} 5 2 1 1 {}", corners.join(" "));
    }
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"block\"\n$EndPhysicalNames\n$Nodes\n{}\n\
         {nodes}$EndNodes\n$Elements\n{}\n{elements}$EndElements\n",
        nodes.lines().count(),
        elements.lines().count()
    )
}

/// The first index varies fastest.
fn grid([nx, ny, nz]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..nz).flat_map(move |k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])))
}
