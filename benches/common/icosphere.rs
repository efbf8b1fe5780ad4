//! Spheres of equal triangles.

use std::collections::HashMap;

use ictus::math::Vec3;

/// Nodes \[m\] and outward faces of a sphere of radius 1 about the origin. The faces of an icosahedron are split into
/// four, `subdivisions` times in succession.
pub fn icosphere(subdivisions: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let golden = (1.0 + 5_f64.sqrt()) / 2.0;
    let mut positions: Vec<Vec3> = Vec::new();
    for (a, b) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
        positions.extend(
            [Vec3::new(0.0, a, b), Vec3::new(a, b, 0.0), Vec3::new(b, 0.0, a)].map(|p| p.normalize()),
        );
    }
    let at = |node: u32| positions[node as usize];
    let near = |a: u32, b: u32| (at(a) - at(b)).norm() < 1.06;
    let mut faces: Vec<[u32; 3]> = Vec::new();
    for [a, b, c] in (0..12).flat_map(|a| (0..a).flat_map(move |b| (0..b).map(move |c| [a, b, c]))) {
        if near(a, b) && near(b, c) && near(a, c) {
            let is_outward = at(a).dot(&at(b).cross(&at(c))) > 0.0;
            faces.push(if is_outward { [a, b, c] } else { [a, c, b] });
        }
    }
    for _ in 0..subdivisions {
        let mut middles = HashMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                positions.push((positions[a as usize] + positions[b as usize]).normalize());
                positions.len() as u32 - 1
            })
        };
        faces = faces
            .iter()
            .flat_map(|&[a, b, c]| {
                let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
    }
    (positions, faces)
}
