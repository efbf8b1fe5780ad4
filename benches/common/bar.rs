//! A bar of 10 × 1 × 1 m, meshed by nearly equal cells.

use std::io::Write;
use std::path::Path;

use ictus::math::Vec3;
use ictus::mesh::CellKind;

/// Corners of the six tetrahedra of a hexahedron; and edges of a tetrahedron by their corners, in the order of the
/// mid-side nodes of Gmsh.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]];
const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [2, 3], [1, 3]];

/// A lattice of half cells in a bar with `cells` cells along each axis.
struct Lattice {
    cells: [usize; 3],
}

impl Lattice {
    /// The lattice of nearly cubic cells that gives about this many elements.
    fn new(kind: CellKind, elements: usize) -> Self {
        let per_cell = if kind == CellKind::Hex8 { 1 } else { 6 };
        let across = ((elements as f64 / (10 * per_cell) as f64).cbrt().round() as usize).max(1);
        let along = (elements as f64 / (per_cell * across * across) as f64).round() as usize;
        Self { cells: [along.max(1), across, across] }
    }

    fn number(&self, [i, j, k]: [usize; 3]) -> usize {
        (k * (2 * self.cells[1] + 1) + j) * (2 * self.cells[0] + 1) + i
    }

    fn position(&self, number: usize) -> Vec3 {
        let [nx, ny, nz] = self.cells.map(|n| 2 * n + 1);
        let at = |place: usize, n: usize, length: f64| length * place as f64 / (n - 1) as f64;
        Vec3::new(at(number % nx, nx, 10.0), at(number / nx % ny, ny, 1.0), at(number / (nx * ny), nz, 1.0))
    }

    /// Lattice points of the nodes of all elements.
    fn elements(&self, kind: CellKind) -> Vec<u32> {
        let mut connectivity = Vec::new();
        let [nx, ny, nz] = self.cells;
        for cell in 0..nx * ny * nz {
            let low = [cell % nx, cell / nx % ny, cell / (nx * ny)];
            let corner = |x: usize, y: usize, z: usize| {
                self.number([2 * (low[0] + x), 2 * (low[1] + y), 2 * (low[2] + z)]) as u32
            };
            let layer = |z| [corner(0, 0, z), corner(1, 0, z), corner(1, 1, z), corner(0, 1, z)];
            let hexahedron = [layer(0), layer(1)].concat();
            if kind == CellKind::Hex8 {
                connectivity.extend(hexahedron);
                continue;
            }
            for corners in TETRAHEDRA.map(|tetrahedron| tetrahedron.map(|local| hexahedron[local])) {
                connectivity.extend(corners);
                if kind == CellKind::Tet10 {
                    // The number of the midpoint of two lattice points is the mean of their numbers.
                    connectivity.extend(EDGES.map(|[a, b]| u32::midpoint(corners[a], corners[b])));
                }
            }
        }
        connectivity
    }
}

/// Writes the bar as binary MSH 2.2.
pub fn write_mesh(path: &Path, kind: CellKind, elements: usize) {
    let lattice = Lattice::new(kind, elements);
    let connectivity = lattice.elements(kind);
    let mut used = vec![false; lattice.cells.iter().map(|n| 2 * n + 1).product()];
    connectivity.iter().for_each(|&place| used[place as usize] = true);
    let nodes = || (0..used.len()).filter(|&place| used[place]);
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    let int = |file: &mut dyn Write, value: usize| file.write_all(&(value as i32).to_le_bytes()).unwrap();
    write!(file, "$MeshFormat\n2.2 1 8\n").unwrap();
    int(&mut file, 1);
    write!(file, "\n$EndMeshFormat\n$Nodes\n{}\n", nodes().count()).unwrap();
    for place in nodes() {
        int(&mut file, place + 1);
        lattice.position(place).iter().for_each(|x| file.write_all(&x.to_le_bytes()).unwrap());
    }
    let (count, number) = match kind {
        CellKind::Tet4 => (connectivity.len() / 4, 4),
        CellKind::Hex8 => (connectivity.len() / 8, 5),
        _ => (connectivity.len() / 10, 11),
    };
    write!(file, "\n$EndNodes\n$Elements\n{count}\n").unwrap();
    [number, count, 0].into_iter().for_each(|value| int(&mut file, value));
    for (element, nodes) in connectivity.chunks_exact(kind.num_nodes()).enumerate() {
        int(&mut file, element + 1);
        nodes.iter().for_each(|&place| int(&mut file, place as usize + 1));
    }
    write!(file, "\n$EndElements\n").unwrap();
}
