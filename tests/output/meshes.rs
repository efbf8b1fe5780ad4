//! Meshes for tests.

use crate::msh::msh;

/// Gmsh mesh (MSH 2.2) of a block of cubes of edge `size` with a corner at the origin. The physical groups are `block`
/// and, for the side of largest x, `right`.
pub fn block(cells: [usize; 3], size: f64) -> String {
    let [nx, ny, nz] = cells;
    let node = |i: usize, j: usize, k: usize| i + (nx + 1) * (j + (ny + 1) * k);
    let (mut nodes, mut elements) = (Vec::new(), Vec::new());
    for (k, j) in (0..=nz).flat_map(|k| (0..=ny).map(move |j| (k, j))) {
        nodes.extend((0..=nx).map(|i| [i, j, k].map(|n| n as f64 * size)));
    }
    for (k, j) in (0..nz).flat_map(|k| (0..ny).map(move |j| (k, j))) {
        for i in 0..nx {
            let corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[a, b]| [i + a, j + b]);
            let level = |k: usize| corners.map(|[i, j]| node(i, j, k));
            elements.push((5, 1, [level(k), level(k + 1)].concat()));
        }
        let face = [[j, k], [j + 1, k], [j + 1, k + 1], [j, k + 1]].map(|[j, k]| node(nx, j, k));
        elements.push((3, 2, face.to_vec()));
    }
    msh(&nodes, &elements, &[(3, 1, "block"), (2, 2, "right")])
}
