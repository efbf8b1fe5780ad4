//! Meshes for tests.

/// Gmsh mesh (MSH 2.2) of a block of cubes of edge `size` with a corner at the origin: physical groups `block` and, for
/// its face of largest x, `right`.
pub fn block(cells: [usize; 3], size: f64) -> String {
    let [nx, ny, nz] = cells;
    let node = |i: usize, j: usize, k: usize| 1 + i + (nx + 1) * (j + (ny + 1) * k);
    let mut nodes = String::new();
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                let [x, y, z] = [i, j, k].map(|n| n as f64 * size);
                nodes.push_str(&format!("{} {x} {y} {z}\n", node(i, j, k)));
            }
        }
    }
    let mut elements: Vec<String> = Vec::new();
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[a, b]| [i + a, j + b]);
                let level = |k: usize| corners.map(|[i, j]| node(i, j, k).to_string()).join(" ");
                elements.push(format!("{} 5 2 1 1 {} {}", elements.len() + 1, level(k), level(k + 1)));
            }
            let face =
                [[j, k], [j + 1, k], [j + 1, k + 1], [j, k + 1]].map(|[j, k]| node(nx, j, k).to_string());
            elements.push(format!("{} 3 2 2 2 {}", elements.len() + 1, face.join(" ")));
        }
    }
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"block\"\n2 2 \"right\"\n$EndPhysicalNames\n\
         $Nodes\n{}\n{nodes}$EndNodes\n$Elements\n{}\n{}\n$EndElements\n",
        nodes.lines().count(),
        elements.len(),
        elements.join("\n")
    )
}
