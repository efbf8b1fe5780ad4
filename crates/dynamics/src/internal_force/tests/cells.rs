//! Cells and small meshes of every kind, regular and distorted.

use std::collections::HashMap;

use super::*;

/// Deterministic pseudo-random numbers in (−1, 1), for reproducible meshes.
pub(super) struct Noise(pub u64);

impl Noise {
    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(super) fn vector(&mut self, plane: bool) -> Vec3 {
        let (x, y, z) = (self.next(), self.next(), self.next());
        Vec3::new(x, y, if plane { 0.0 } else { z })
    }
}

pub(super) fn is_plane(kind: CellKind) -> bool {
    kind.dimension() == 2
}

/// Nodes of a well-shaped cell of size about 2, away from the origin.
pub(super) fn regular_cell(kind: CellKind) -> Vec<Vec3> {
    let corners: Vec<Vec3> = match kind.linear() {
        CellKind::Hex8 => hexahedron::CORNERS.iter().map(|c| Vec3::from(*c)).collect(),
        CellKind::Quad4 => quadrilateral::CORNERS.iter().map(|c| Vec3::new(c[0], c[1], 0.0)).collect(),
        CellKind::Tri3 => vec![Vec3::zeros(), Vec3::x() * 2.0, Vec3::y() * 2.0],
        CellKind::Tet4 => vec![Vec3::zeros(), Vec3::x() * 2.0, Vec3::y() * 2.0, Vec3::z() * 2.0],
        CellKind::Wedge6 => [-1.0, 1.0]
            .iter()
            .flat_map(|z| [[0.0, 0.0, *z], [2.0, 0.0, *z], [0.0, 2.0, *z]].map(Vec3::from))
            .collect(),
        other => panic!("{other:?}"),
    };
    let corners: Vec<Vec3> = corners.into_iter().map(|x| x + Vec3::new(3.0, -2.0, 0.0)).collect();
    with_mid_nodes(kind, &corners)
}

/// Nodes of the straight-sided cell of a kind with the corners `corners`.
pub(super) fn with_mid_nodes(kind: CellKind, corners: &[Vec3]) -> Vec<Vec3> {
    let mut values = [0.0; MAX_NODES];
    let mut at = |xi: &[f64; 3]| {
        shape_values(kind.linear(), *xi, &mut values);
        corners.iter().zip(values).map(|(x, n)| x * n).sum()
    };
    natural_nodes(kind).iter().map(&mut at).collect()
}

/// Converts a mesh of linear cells to straight-sided cells of `kind`.
pub(super) fn promoted(kind: CellKind, mut nodes: Vec<Vec3>, connectivity: &[u32]) -> (Vec<Vec3>, Vec<u32>) {
    let mut found: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut promoted = Vec::new();
    for cell in connectivity.chunks_exact(kind.linear().num_nodes()) {
        let corners: Vec<Vec3> = cell.iter().map(|&node| nodes[node as usize]).collect();
        let positions = with_mid_nodes(kind, &corners);
        for (xi, position) in natural_nodes(kind).iter().zip(positions) {
            // A node is identified by the corners of its edge, face or cell: the corners whose linear shape functions
            // are not zero at the node.
            let mut values = [0.0; MAX_NODES];
            shape_values(kind.linear(), *xi, &mut values);
            let mut key: Vec<u32> =
                cell.iter().zip(values).filter(|(_, n)| *n > 0.0).map(|(&c, _)| c).collect();
            key.sort_unstable();
            let node = match key[..] {
                [corner] => corner,
                _ => *found.entry(key).or_insert_with(|| {
                    nodes.push(position);
                    nodes.len() as u32 - 1
                }),
            };
            promoted.push(node);
        }
    }
    (nodes, promoted)
}

pub(super) fn perturbed(positions: &[Vec3], size: f64, noise: &mut Noise, plane: bool) -> Vec<Vec3> {
    positions.iter().map(|x| x + noise.vector(plane) * size).collect()
}

/// Box of cubes with edges of length 1; for plane kinds, a rectangle of squares. `n` gives the numbers of cubes along
/// x, y and z. Each cube or square is divided into cells of `kind`. The inner corners are displaced randomly.
pub(super) fn distorted_mesh(kind: CellKind, n: [usize; 3], noise: &mut Noise) -> (Vec<Vec3>, Vec<u32>) {
    mesh(kind, n, |plane| noise.vector(plane) * 0.15)
}

/// The box or rectangle of [`distorted_mesh`], with inner corners displaced by `shift`. The argument of `shift` is true
/// for plane kinds.
pub(super) fn mesh(
    kind: CellKind,
    n: [usize; 3],
    mut shift: impl FnMut(bool) -> Vec3,
) -> (Vec<Vec3>, Vec<u32>) {
    let plane = is_plane(kind);
    let nz = if plane { 0 } else { n[2] };
    let node = |i: usize, j: usize, k: usize| ((k * (n[1] + 1) + j) * (n[0] + 1) + i) as u32;
    let mut nodes = Vec::new();
    for (k, j, i) in (0..=nz).flat_map(|k| (0..=n[1]).flat_map(move |j| (0..=n[0]).map(move |i| (k, j, i)))) {
        let inner = (1..n[0]).contains(&i) && (1..n[1]).contains(&j) && (plane || (1..nz).contains(&k));
        let shift = if inner { shift(plane) } else { Vec3::zeros() };
        nodes.push(Vec3::new(i as f64, j as f64, k as f64) + shift);
    }
    let mut connectivity = Vec::new();
    for (k, j, i) in
        (0..nz.max(1)).flat_map(|k| (0..n[1]).flat_map(move |j| (0..n[0]).map(move |i| (k, j, i))))
    {
        let layer = |k: usize| [node(i, j, k), node(i + 1, j, k), node(i + 1, j + 1, k), node(i, j + 1, k)];
        let bottom = layer(k);
        let hex: Vec<u32> = if plane { bottom.to_vec() } else { [bottom, layer(k + 1)].concat() };
        let local: &[usize] = match kind.linear() {
            CellKind::Hex8 => &[0, 1, 2, 3, 4, 5, 6, 7],
            CellKind::Wedge6 => &[0, 1, 2, 4, 5, 6, 0, 2, 3, 4, 6, 7],
            CellKind::Tet4 => &[0, 1, 2, 6, 0, 2, 3, 6, 0, 3, 7, 6, 0, 7, 4, 6, 0, 4, 5, 6, 0, 5, 1, 6],
            CellKind::Quad4 => &[0, 1, 2, 3],
            _ => &[0, 1, 2, 0, 2, 3],
        };
        connectivity.extend(local.iter().map(|l| hex[*l]));
    }
    promoted(kind, nodes, &connectivity)
}
