//! Meshes of tetrahedra, six per cell of a grid.

use ictus::math::Vec3;

#[path = "../../tests/common/msh.rs"]
mod writer;

use writer::msh;

/// The six paths along edges from a corner of a hexahedron to the opposite corner. The four nodes of a path form a
/// tetrahedron. Each entry gives the axes of the path in order, and whether the axes in this order form a right-handed
/// frame.
const PATHS: [([usize; 3], bool); 6] = [
    ([0, 1, 2], true),
    ([1, 2, 0], true),
    ([2, 0, 1], true),
    ([0, 2, 1], false),
    ([1, 0, 2], false),
    ([2, 1, 0], false),
];

/// A grid in MSH 2.2. `cells` is the number of cells along each axis, at least two along the first axis. Groups: the
/// volume `bulk`, and the faces `low` and `high` at the two ends of the first axis.
///
/// `place` gives the position of a node of the grid \[m\], and must keep the axes right-handed.
pub fn mesh(cells: [usize; 3], place: impl Fn([usize; 3]) -> Vec3) -> String {
    let [nx, ny, nz] = cells;
    let number = |[i, j, k]: [usize; 3]| (k * (ny + 1) + j) * (nx + 1) + i;
    let node = |node: usize| {
        let x = place([node % (nx + 1), node / (nx + 1) % (ny + 1), node / ((nx + 1) * (ny + 1))]);
        [x.x, x.y, x.z]
    };
    let nodes: Vec<[f64; 3]> = (0..(nx + 1) * (ny + 1) * (nz + 1)).map(node).collect();
    let mut elements = Vec::new();
    for cell in 0..nx * ny * nz {
        let low = [cell % nx, cell / nx % ny, cell / (nx * ny)];
        // Paths begin at the corner nearest to the centre of the grid. With at least two cells along each axis, no
        // tetrahedron then has two faces on the skin.
        let is_upper = [0, 1, 2].map(|axis| low[axis] >= cells[axis] / 2);
        for (order, is_even) in PATHS {
            let mut at = [0, 1, 2].map(|axis| low[axis] + usize::from(!is_upper[axis]));
            let mut path = vec![number(at)];
            for axis in order {
                at[axis] = low[axis] + usize::from(is_upper[axis]);
                path.push(number(at));
            }
            let end = [(low[0] == 0, 2), (low[0] == nx - 1, 3)];
            if let (0, Some((_, group))) = (order[0], end.into_iter().find(|(is_end, _)| *is_end)) {
                elements.push((2, group, path[1..].to_vec()));
            }
            if is_even != (is_upper.iter().filter(|is_upper| !**is_upper).count() % 2 == 0) {
                path.swap(2, 3);
            }
            elements.push((4, 1, path));
        }
    }
    msh(&nodes, &elements, &[(3, 1, "bulk"), (2, 2, "low"), (2, 3, "high")])
}
