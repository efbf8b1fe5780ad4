//! Round bodies, meshed in code, in MSH 2.2.

use std::f64::consts::TAU;
use std::fmt::Write;

/// A mesh of nodes and cells, each with its Gmsh type and physical group; groups have a dimension, a number and a name.
fn msh(nodes: &[[f64; 3]], cells: &[(u8, u8, Vec<usize>)], groups: &[(u8, u8, &str)]) -> String {
    let mut text = format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n{}\n", groups.len());
    for (dimension, number, name) in groups {
        writeln!(text, "{dimension} {number} \"{name}\"").unwrap();
    }
    writeln!(text, "$EndPhysicalNames\n$Nodes\n{}", nodes.len()).unwrap();
    for (k, [x, y, z]) in nodes.iter().enumerate() {
        writeln!(text, "{} {x:?} {y:?} {z:?}", k + 1).unwrap();
    }
    writeln!(text, "$EndNodes\n$Elements\n{}", cells.len()).unwrap();
    for (k, (kind, group, nodes)) in cells.iter().enumerate() {
        let nodes: Vec<String> = nodes.iter().map(|node| (node + 1).to_string()).collect();
        writeln!(text, "{} {kind} 2 {group} {group} {}", k + 1, nodes.join(" ")).unwrap();
    }
    text + "$EndElements\n"
}

/// A wheel about the y axis that leads with a rim of `count` nodes at `radius`, with a hub node on either side: a rigid
/// body that rolls along x as smoothly as its rim is fine. A node is at the bottom.
pub fn wheel(radius: f64, count: usize) -> String {
    let rim = (0..count).map(|k| {
        let (sine, cosine) = (TAU * k as f64 / count as f64).sin_cos();
        [radius * sine, 0.0, -radius * cosine]
    });
    let nodes: Vec<[f64; 3]> = rim.chain([[0.0, -0.2 * radius, 0.0], [0.0, 0.2 * radius, 0.0]]).collect();
    let cell = |k: usize| {
        let next = (k + 1) % count;
        [(2, 1, vec![k, next, count]), (2, 1, vec![next, k, count + 1])]
    };
    let cells: Vec<_> = (0..count).flat_map(cell).collect();
    msh(&nodes, &cells, &[(2, 1, "wheel")])
}

/// A cylinder of hexahedra along z from 0 to `length`: `across` by `across` cells in the section, `along` along it.
/// The cells of the middle are squares, those of the rim follow it.
pub fn cylinder([radius, length]: [f64; 2], across: usize, along: usize) -> String {
    let disc = |i: usize, j: usize| {
        let [x, y] = [i, j].map(|k| 2.0 * k as f64 / across as f64 - 1.0);
        let outer = f64::max(x.abs(), y.abs());
        let round = [x * (1.0 - 0.5 * y * y).sqrt(), y * (1.0 - 0.5 * x * x).sqrt()];
        [x, y]
            .iter()
            .zip(round)
            .map(|(s, r)| radius * (r * outer + 0.8 * s * (1.0 - outer)))
            .collect::<Vec<_>>()
    };
    let count = across + 1;
    let number = |i: usize, j: usize, k: usize| i + count * (j + count * k);
    let mut nodes = Vec::new();
    for k in 0..=along {
        for j in 0..count {
            for i in 0..count {
                let at = disc(i, j);
                nodes.push([at[0], at[1], length * k as f64 / along as f64]);
            }
        }
    }
    let mut cells = Vec::new();
    for k in 0..along {
        for j in 0..across {
            for i in 0..across {
                let layer =
                    |k| [number(i, j, k), number(i + 1, j, k), number(i + 1, j + 1, k), number(i, j + 1, k)];
                cells.push((5, 1, [layer(k), layer(k + 1)].concat()));
            }
        }
    }
    msh(&nodes, &cells, &[(3, 1, "cylinder")])
}
