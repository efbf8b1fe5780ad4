//! Balls drawn as closed surfaces, which ParaView shows without a filter or glyph.

use std::collections::HashMap;

use super::frame::{FieldData, Frame, Grid, NamedField};
use crate::math::Vec3;
use crate::mesh::CellKind;

/// Number of faces of a ball: an icosahedron with each face split in four.
const FACES: usize = 80;

/// Balls at one instant, with fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Balls {
    /// The instant \[s\].
    pub time: f64,
    /// Centres \[m\].
    pub centres: Vec<Vec3>,
    /// Radii \[m\].
    pub radii: Vec<f64>,
    /// Fields with one value per ball.
    pub fields: Vec<NamedField>,
}

impl Balls {
    /// Surfaces of the balls. Each surface has 80 quadratic triangles and 162 nodes. Cell fields: the `fields`,
    /// `centre` and `radius` of the ball.
    pub fn into_frame(self) -> (Grid, Frame) {
        let unit = UnitSphere::new();
        let Self { time, centres, radii, mut fields } = self;
        let num_points = unit.points.len() as u32;
        let connectivity = (0..centres.len() as u32)
            .flat_map(|ball| unit.triangles.iter().flatten().map(move |&node| ball * num_points + node));
        let grid =
            Grid { kinds: vec![CellKind::Tri6; FACES * centres.len()], connectivity: connectivity.collect() };
        let on_ball = |(centre, radius): (&Vec3, &f64)| {
            let (centre, radius) = (*centre, *radius);
            unit.points.iter().map(move |point| centre + point * radius)
        };
        let points = centres.iter().zip(&radii).flat_map(on_ball).collect();
        fields.push(NamedField::new("centre", FieldData::Vector(centres)));
        fields.push(NamedField::new("radius", FieldData::Scalar(radii)));
        let cell_fields =
            fields.into_iter().map(|field| NamedField { data: of_cells(&field.data), ..field }).collect();
        (grid, Frame { time, points, point_fields: Vec::new(), cell_fields })
    }
}

fn of_cells(data: &FieldData) -> FieldData {
    fn repeated<T: Copy>(values: &[T]) -> Vec<T> {
        values.iter().flat_map(|&value| std::iter::repeat_n(value, FACES)).collect()
    }
    match data {
        FieldData::Scalar(values) => FieldData::Scalar(repeated(values)),
        FieldData::Integer(values) => FieldData::Integer(repeated(values)),
        FieldData::Vector(values) => FieldData::Vector(repeated(values)),
        FieldData::SymmetricTensor(values) => FieldData::SymmetricTensor(repeated(values)),
    }
}

/// Quadratic triangles with their nodes on the unit sphere.
struct UnitSphere {
    points: Vec<Vec3>,
    triangles: Vec<[u32; 6]>,
    /// Index of the middle node of each edge. The key contains the end points of the edge in ascending order.
    middles: HashMap<[u32; 2], u32>,
}

impl UnitSphere {
    fn new() -> Self {
        let (points, faces) = icosahedron();
        let mut sphere = Self { points, triangles: Vec::new(), middles: HashMap::new() };
        for [a, b, c] in faces {
            let [ab, bc, ca] = sphere.middles_of([a, b, c]);
            for corners in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
                let middles = sphere.middles_of(corners);
                let [[i, j, k], [ij, jk, ki]] = [corners, middles];
                sphere.triangles.push([i, j, k, ij, jk, ki]);
            }
        }
        sphere
    }

    /// Indices of the middle nodes of the edges ab, bc and ca. A middle node is the midpoint of the edge, projected
    /// onto the sphere.
    fn middles_of(&mut self, [a, b, c]: [u32; 3]) -> [u32; 3] {
        [[a, b], [b, c], [c, a]].map(|[i, j]| {
            let Self { points, middles, .. } = self;
            *middles.entry([i.min(j), i.max(j)]).or_insert_with(|| {
                points.push((points[i as usize] + points[j as usize]).normalize());
                points.len() as u32 - 1
            })
        })
    }
}

/// Vertices on the unit sphere, and faces counter-clockwise as seen from outside.
fn icosahedron() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    const GOLDEN: f64 = 1.618_033_988_749_895;
    let rectangle = |turn: fn(f64, f64) -> Vec3| {
        [(1.0, GOLDEN), (-1.0, GOLDEN), (1.0, -GOLDEN), (-1.0, -GOLDEN)].map(|(a, b)| turn(a, b).normalize())
    };
    let points: Vec<Vec3> = [
        rectangle(|a, b| Vec3::new(0.0, a, b)),
        rectangle(|a, b| Vec3::new(a, b, 0.0)),
        rectangle(|a, b| Vec3::new(b, 0.0, a)),
    ]
    .concat();
    let edge = 2.0 / Vec3::new(0.0, 1.0, GOLDEN).norm();
    let near = |i: u32, j: u32| (points[i as usize] - points[j as usize]).norm() < 1.01 * edge;
    let mut faces = Vec::new();
    for i in 0..12 {
        for j in (i + 1..12).filter(|&j| near(i, j)) {
            for k in (j + 1..12).filter(|&k| near(i, k) && near(j, k)) {
                let [a, b, c] = [i, j, k].map(|vertex| points[vertex as usize]);
                let outward = (b - a).cross(&(c - a)).dot(&a) > 0.0;
                faces.push(if outward { [i, j, k] } else { [i, k, j] });
            }
        }
    }
    (points, faces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_sphere_is_a_sphere() {
        let sphere = UnitSphere::new();
        assert_eq!((sphere.points.len(), sphere.triangles.len()), (162, FACES));
        assert!(sphere.points.iter().all(|point| (point.norm() - 1.0).abs() < 1e-15));
        let mut edges: HashMap<[u32; 2], u32> = HashMap::new();
        let mut volume = 0.0;
        for triangle in &sphere.triangles {
            for k in 0..3 {
                edges.insert([triangle[k], triangle[(k + 1) % 3]], triangle[3 + k]);
            }
            // Four flat triangles between the six nodes.
            for [i, j, k] in [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]] {
                let [a, b, c] = [i, j, k].map(|node: usize| sphere.points[triangle[node] as usize]);
                volume += a.dot(&b.cross(&c)) / 6.0;
            }
        }
        assert_eq!(edges.len(), 3 * FACES, "every edge has two faces");
        assert!(edges.iter().all(|([i, j], middle)| edges.get(&[*j, *i]) == Some(middle)));
        let exact = 4.0 / 3.0 * std::f64::consts::PI;
        assert!(volume > 0.96 * exact && volume < exact, "{volume}");
    }

    #[test]
    fn faces_have_the_values_of_their_ball() {
        let balls = Balls {
            time: 2.0,
            centres: vec![Vec3::new(1.0, 2.0, 3.0), Vec3::new(-4.0, 0.0, 0.0)],
            radii: vec![0.5, 2.0],
            fields: vec![NamedField::new("body", FieldData::Integer(vec![7, 9]))],
        };
        let (grid, frame) = balls.clone().into_frame();
        grid.check().unwrap();
        frame.check(grid.extent()).unwrap();
        assert_eq!((frame.time, frame.points.len()), (2.0, 2 * 162));
        for (cell, nodes) in grid.connectivity.chunks(6).enumerate() {
            let ball = cell / FACES;
            for &node in nodes {
                let distance = (frame.points[node as usize] - balls.centres[ball]).norm();
                assert!((distance - balls.radii[ball]).abs() < 1e-14);
            }
            assert_eq!(nodes.iter().map(|node| *node as usize / 162).max(), Some(ball));
        }
        let names: Vec<&str> = frame.cell_fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["body", "centre", "radius"]);
        let FieldData::Integer(bodies) = &frame.cell_fields[0].data else { panic!("not integers") };
        assert_eq!((bodies[0], bodies[FACES - 1], bodies[FACES]), (7, 7, 9));
    }
}
