//! Meshes as text: the only writer of all tests and benches.

use std::fmt::Write;

/// A physical group: dimension, number and name.
pub type Group<'a> = (u8, u8, &'a str);

/// An element: Gmsh type, number of the physical group, and nodes, counted from 0.
pub type Element = (u8, u8, Vec<usize>);

/// A mesh in MSH 2.2. Without `groups` the file has no names of groups.
pub fn msh(nodes: &[[f64; 3]], elements: &[Element], groups: &[Group<'_>]) -> String {
    let mut text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n".to_owned();
    if !groups.is_empty() {
        writeln!(text, "$PhysicalNames\n{}", groups.len()).unwrap();
        for (dimension, number, name) in groups {
            writeln!(text, "{dimension} {number} \"{name}\"").unwrap();
        }
        writeln!(text, "$EndPhysicalNames").unwrap();
    }
    writeln!(text, "$Nodes\n{}", nodes.len()).unwrap();
    for (k, [x, y, z]) in nodes.iter().enumerate() {
        writeln!(text, "{} {x:?} {y:?} {z:?}", k + 1).unwrap();
    }
    writeln!(text, "$EndNodes\n$Elements\n{}", elements.len()).unwrap();
    for (k, (kind, group, nodes)) in elements.iter().enumerate() {
        let nodes: Vec<String> = nodes.iter().map(|node| (node + 1).to_string()).collect();
        writeln!(text, "{} {kind} 2 {group} {group} {}", k + 1, nodes.join(" ")).unwrap();
    }
    text + "$EndElements\n"
}
