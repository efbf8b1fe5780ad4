//! Test surfaces for trees.

use super::*;

/// Pseudo-random numbers in \[0, 1).
pub(super) struct Random(pub u64);

impl Random {
    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn vector(&mut self, scale: f64) -> Vec3 {
        Vec3::from_fn(|_, _| (2.0 * self.next() - 1.0) * scale)
    }
}

pub(super) struct Case {
    pub surface: Surface,
    pub positions: Vec<Vec3>,
}

impl Case {
    pub(super) fn new(faces: &[Vec<u32>], positions: Vec<Vec3>) -> Self {
        let kinds = |nodes: &[u32]| match nodes.len() {
            2 => CellKind::Line2,
            3 => CellKind::Tri3,
            _ => CellKind::Quad4,
        };
        let surface = Surface::new(faces.iter().map(|nodes| (kinds(nodes), nodes.as_slice())));
        Self { surface, positions }
    }

    pub(super) fn build(&self, builder: Builder, margin: f64) -> Hierarchy {
        Hierarchy::build(builder, &self.surface, &self.positions, margin).unwrap()
    }

    pub(super) fn deformed(&self, random: &mut Random, scale: f64) -> Vec<Vec3> {
        self.positions.iter().map(|p| p + random.vector(scale)).collect()
    }
}

pub(super) fn icosphere(subdivisions: usize) -> Case {
    let golden = (1.0 + 5_f64.sqrt()) / 2.0;
    let mut positions: Vec<Vec3> = Vec::new();
    for (a, b) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
        positions.extend([Vec3::new(0.0, a, b), Vec3::new(a, b, 0.0), Vec3::new(b, 0.0, a)]);
    }
    positions.iter_mut().for_each(|p| *p = p.normalize());
    let edge = 1.06;
    let near = |a: usize, b: usize| a != b && (positions[a] - positions[b]).norm() < edge;
    let mut faces: Vec<Vec<u32>> = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(a, c) {
                    faces.push(vec![a as u32, b as u32, c as u32]);
                }
            }
        }
    }
    assert_eq!(faces.len(), 20);
    for _ in 0..subdivisions {
        let mut middles = std::collections::HashMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                positions.push((positions[a as usize] + positions[b as usize]).normalize());
                positions.len() as u32 - 1
            })
        };
        faces = faces
            .iter()
            .flat_map(|f| {
                let [ab, bc, ca] = [middle(f[0], f[1]), middle(f[1], f[2]), middle(f[2], f[0])];
                [vec![f[0], ab, ca], vec![ab, f[1], bc], vec![ca, bc, f[2]], vec![ab, bc, ca]]
            })
            .collect();
    }
    Case::new(&faces, positions)
}

/// Triangles scattered in a cube.
pub(super) fn scattered(num_faces: usize, seed: u64) -> Case {
    let mut random = Random(seed);
    let mut positions = Vec::new();
    let faces: Vec<Vec<u32>> = (0..num_faces as u32)
        .map(|f| {
            let centre = random.vector(1.0);
            positions.extend([(); 3].map(|()| centre + random.vector(0.03)));
            vec![3 * f, 3 * f + 1, 3 * f + 2]
        })
        .collect();
    Case::new(&faces, positions)
}

/// Graded rough sheet of quadrilaterals, with segments along one edge. Two thirds of the quadrilaterals are split into
/// triangles.
pub(super) fn wavy(cells: usize, seed: u64) -> Case {
    let mut random = Random(seed);
    let n = cells as u32 + 1;
    let mut positions = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let (s, t) = (f64::from(i) / cells as f64, f64::from(j) / cells as f64);
            let (x, y) = (s * s, t);
            let z = 0.1 * (9.0 * x).sin() * (7.0 * y).cos();
            positions.push(Vec3::new(x, y, z) + random.vector(0.2 / cells as f64));
        }
    }
    let mut faces = Vec::new();
    for j in 0..n - 1 {
        for i in 0..n - 1 {
            let a = j * n + i;
            let (b, c, d) = (a + 1, a + n + 1, a + n);
            if (i + j) % 3 == 0 {
                faces.push(vec![a, b, c, d]);
            } else {
                faces.extend([vec![a, b, c], vec![a, c, d]]);
            }
        }
        faces.push(vec![j * n, (j + 1) * n]);
    }
    Case::new(&faces, positions)
}

/// Segments along a line, each longer than the previous segment by the factor `ratio`.
pub(super) fn graded_line(num_faces: usize, ratio: f64) -> Case {
    let mut x = 0.0;
    let mut length = 1.0;
    let mut positions = vec![Vec3::zeros()];
    for _ in 0..num_faces {
        x += length;
        length *= ratio;
        positions.push(Vec3::new(x, 0.0, 0.0));
    }
    let faces: Vec<Vec<u32>> = (0..num_faces as u32).map(|f| vec![f, f + 1]).collect();
    Case::new(&faces, positions)
}
