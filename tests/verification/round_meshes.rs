//! Meshes of round bodies, generated in MSH 2.2.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use crate::msh::msh;

/// A wheel about the y axis with a rim of `count` nodes at `radius` and a hub node on either side: a rigid body that
/// rolls along x. One node of the rim is at the bottom.
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

/// A cylinder of hexahedra along z from 0 to `length`: `across` by `across` cells in the section, and `along` cells
/// along z. Inner cells are squares, outer cells follow the rim.
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

/// A ball of `across`³ hexahedra: inner cells are cubes, outer cells follow the sphere.
pub fn solid_ball(radius: f64, across: usize) -> String {
    let count = across + 1;
    let number = |i: usize, j: usize, k: usize| i + count * (j + count * k);
    let mut nodes = Vec::new();
    let mut cells = Vec::new();
    for (k, j, i) in (0..count.pow(3)).map(|n| (n / (count * count), n / count % count, n % count)) {
        let [x, y, z] = [i, j, k].map(|index| 2.0 * index as f64 / across as f64 - 1.0);
        let outer = x.abs().max(y.abs()).max(z.abs());
        let round = |s: f64, a: f64, b: f64| s * (1.0 - 0.5 * (a * a + b * b) + a * a * b * b / 3.0).sqrt();
        let at = |s: f64, a: f64, b: f64| radius * (round(s, a, b) * outer + 0.7 * s * (1.0 - outer));
        nodes.push([at(x, y, z), at(y, z, x), at(z, x, y)]);
        if i.max(j).max(k) < across {
            let layer =
                |k| [number(i, j, k), number(i + 1, j, k), number(i + 1, j + 1, k), number(i, j + 1, k)];
            cells.push((5, 1, [layer(k), layer(k + 1)].concat()));
        }
    }
    msh(&nodes, &cells, &[(3, 1, "ball")])
}

/// An octahedron of eight tetrahedra, with vertices on the axes at a distance of 1 from the centre.
pub fn octahedron() -> String {
    ball(1.0, 0)
}

/// A ball of tetrahedra that share a node at the centre. Its faces are those of an octahedron, split into four `cuts`
/// times.
pub fn ball(radius: f64, cuts: usize) -> String {
    let mut nodes = vec![[0.0; 3]];
    for axis in 0..3 {
        for sign in [1.0, -1.0] {
            nodes.push([0, 1, 2].map(|k| if k == axis { sign } else { 0.0 }));
        }
    }
    let mut faces = Vec::new();
    for x in [1, 2] {
        for y in [3, 4] {
            for z in [5, 6] {
                let right = (x == 1) == ((y == 3) == (z == 5));
                faces.push(if right { [x, y, z] } else { [x, z, y] });
            }
        }
    }
    for _ in 0..cuts {
        faces = split_in_four(&mut nodes, &faces);
    }
    let nodes: Vec<[f64; 3]> = nodes.into_iter().map(|node| node.map(|x| radius * x)).collect();
    let cells: Vec<_> = faces.into_iter().map(|[a, b, c]| (4, 1, vec![0, a, b, c])).collect();
    msh(&nodes, &cells, &[(3, 1, "ball")])
}

/// Divides each triangle into four triangles at the midpoints of its edges, and projects the midpoints onto the unit
/// sphere.
fn split_in_four(nodes: &mut Vec<[f64; 3]>, faces: &[[usize; 3]]) -> Vec<[usize; 3]> {
    let mut middles = BTreeMap::new();
    let mut middle = |a: usize, b: usize| {
        *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            let sum = [0, 1, 2].map(|k| nodes[a][k] + nodes[b][k]);
            let length = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
            nodes.push(sum.map(|x| x / length));
            nodes.len() - 1
        })
    };
    let cut = |&[a, b, c]: &[usize; 3]| {
        let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
        [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
    };
    faces.iter().flat_map(cut).collect()
}

/// A wheel of wedges, 0.1 m wide: a regular polygon with 96 corners at a distance of 0.1 m from the axis.
pub fn solid_wheel() -> String {
    let count = 96;
    let mut nodes = Vec::new();
    for y in [-0.05, 0.05] {
        nodes.push([0.0, y, 0.0]);
        nodes.extend((0..count).map(|corner| {
            let (sine, cosine) = (TAU * corner as f64 / count as f64).sin_cos();
            [0.1 * cosine, y, 0.1 * sine]
        }));
    }
    let far = count + 1;
    let cell = |corner: usize| {
        let (a, b) = (corner + 1, (corner + 1) % count + 1);
        (6, 1, vec![b, a, 0, b + far, a + far, far])
    };
    msh(&nodes, &(0..count).map(cell).collect::<Vec<_>>(), &[(3, 1, "wheel")])
}
