//! Tests of the intersections of curved faces. The reference is a fine triangulation of the faces.

use super::*;
use crate::detection::samples::Samples;
use crate::element::shape_values;

/// Coordinates of the nodes of a quadrilateral, and of a triangle, in the square \[−1, 1\]². One side of the triangle
/// is a diagonal of the square.
const PLACES: [[[f64; 2]; 9]; 2] = [
    [
        [-1.0, -1.0],
        [1.0, -1.0],
        [1.0, 1.0],
        [-1.0, 1.0],
        [0.0, -1.0],
        [1.0, 0.0],
        [0.0, 1.0],
        [-1.0, 0.0],
        [0.0, 0.0],
    ],
    [
        [-1.0, -1.0],
        [1.0, -1.0],
        [-1.0, 1.0],
        [0.0, -1.0],
        [0.0, 0.0],
        [-1.0, 0.0],
        [0.0, 0.0],
        [0.0, 0.0],
        [0.0, 0.0],
    ],
];

/// One face, as a surface.
struct Single {
    surface: Surface,
    positions: Vec<Vec3>,
}

impl Single {
    fn new(kind: CellKind, nodes: &[Vec3]) -> Self {
        let numbers: Vec<u32> = (0..nodes.len() as u32).collect();
        Self { surface: Surface::new([(kind, numbers.as_slice())]), positions: nodes.to_vec() }
    }

    /// A face near the origin. Its nodes are those of a plane face, displaced at random.
    fn random(samples: &mut Samples, kind: CellKind) -> Self {
        let places = &PLACES[usize::from(kind.linear() == CellKind::Tri3)];
        let axes = [samples.direction(), samples.direction()];
        let shift = samples.vector(0.8);
        let nodes: Vec<Vec3> = places[..kind.num_nodes()]
            .iter()
            .map(|[u, v]| axes[0] * *u + axes[1] * *v + shift + samples.vector(0.15))
            .collect();
        Self::new(kind, &nodes)
    }

    /// Triangulation of the face on a grid with `count` divisions per side.
    fn triangles(&self, count: u32) -> Vec<[Vec3; 3]> {
        let (kind, _) = self.surface.face(0);
        let at = |i: usize, j: usize| {
            let (u, v) = (i as f64 / f64::from(count), j as f64 / f64::from(count));
            let xi = if kind.linear() == CellKind::Tri3 {
                [u, v, 0.0]
            } else {
                [2.0 * u - 1.0, 2.0 * v - 1.0, 0.0]
            };
            let mut values = [0.0; 9];
            shape_values(kind, xi, &mut values);
            self.positions.iter().zip(values).map(|(x, n)| x * n).sum()
        };
        let count = count as usize;
        let is_triangle = kind.linear() == CellKind::Tri3;
        let cells = (0..count).flat_map(|i| (0..count).map(move |j| (i, j)));
        cells
            .flat_map(|(i, j)| {
                let lower = [at(i, j), at(i + 1, j), at(i, j + 1)];
                let upper = [at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                let inside = |far: usize| !is_triangle || far <= count;
                [(inside(i + j + 1), lower), (inside(i + j + 2), upper)]
            })
            .filter_map(|(inside, triangle)| inside.then_some(triangle))
            .collect()
    }
}

fn found(a: &Single, b: &Single) -> Option<Vec3> {
    let offset = a.positions.len() as u32;
    let (kind, nodes) = b.surface.face(0);
    let numbers: Vec<u32> = nodes.iter().map(|node| node + offset).collect();
    let second = Surface::new([(kind, numbers.as_slice())]);
    let positions: Vec<Vec3> = a.positions.iter().chain(&b.positions).copied().collect();
    let [first_box, second_box] = [&a.surface, &second].map(|s| bounding_box(s, &positions).unwrap());
    let common = first_box.intersection(&second_box)?;
    crossing(&a.surface, &second, &positions, &common, 1e-9)
        .or_else(|| crossing(&second, &a.surface, &positions, &common, 1e-9))
        .or_else(|| curved_crossing([&a.surface, &second], &positions, &common, 1e-9))
}

/// Whether an edge of a triangle of one set intersects a triangle of the other set.
fn cut(a: &[[Vec3; 3]], b: &[[Vec3; 3]]) -> bool {
    let boxes: Vec<Aabb> = b.iter().map(|triangle| Aabb::fit(triangle, 0.0)).collect();
    a.iter().any(|first| {
        let around = Aabb::fit(first, 0.0);
        b.iter().zip(&boxes).filter(|(_, of_second)| !around.excludes(of_second)).any(|(second, _)| {
            let crosses = |edges: &[Vec3; 3], face: &[Vec3; 3]| {
                (0..3).any(|k| {
                    Facet::new([0, 1, 2], |k| face[k])
                        .pierced_by(&[edges[k], edges[(k + 1) % 3]], 0.0)
                        .is_some()
                })
            };
            crosses(first, second) || crosses(second, first)
        })
    })
}

/// An intersection of two faces is reported if and only if their triangulations intersect. The report must agree with
/// the triangulations with 16 divisions per side, or with those with 128 divisions per side.
#[test]
fn crossings_are_those_of_fine_triangles() {
    let samples = &mut Samples::new(12);
    let any = [CellKind::Tri3, CellKind::Quad4, CellKind::Tri6, CellKind::Quad8, CellKind::Quad9];
    let (mut crossing, mut apart, mut different) = (0, 0, 0);
    for _ in 0..300 {
        let kinds = [samples.pick(&any), samples.pick(&any)];
        let (a, b) = (Single::random(samples, kinds[0]), Single::random(samples, kinds[1]));
        let is_found = found(&a, &b).is_some();
        let cut_into = |count: u32| cut(&a.triangles(count), &b.triangles(count));
        // Coarse triangulations may misjudge faces that only graze each other.
        if cut_into(16) != is_found && cut_into(128) != is_found {
            different += 1;
        } else if is_found {
            crossing += 1;
        } else {
            apart += 1;
        }
    }
    assert!(crossing > 60 && apart > 60 && different == 0, "{crossing}, {apart}, {different}");
}

/// Two domes whose tops overlap, far from all nodes and edges. The overlap is found down to a depth of 1e-6. Touching
/// and separated domes are not reported.
#[test]
fn tops_of_domes_that_overlap_are_seen() {
    let dome = |top: f64, bend: f64| {
        let nodes: Vec<Vec3> =
            PLACES[0][..8].iter().map(|[x, y]| Vec3::new(*x, *y, top + bend * (x * x + y * y))).collect();
        Single::new(CellKind::Quad8, &nodes)
    };
    let lower = dome(0.0, -0.3);
    for depth in [1e-1, 1e-3, 1e-5, 1e-6] {
        let point = found(&dome(-depth, 0.4), &lower);
        assert!(point.is_some_and(|point| point.norm() < 3.0 * depth.sqrt()), "{depth}: {point:?}");
    }
    for gap in [0.0, 1e-9, 1e-5, 1e-2] {
        assert_eq!(found(&dome(gap, 0.4), &lower), None);
    }
}

/// Two bars in the plane that cross like a plus sign. No node of one bar is inside the other bar. The sides have two or
/// three nodes. Bars that only touch are not reported.
#[test]
fn bars_that_cross_in_the_plane_are_seen() {
    let bar = |along: Vec3, across: Vec3, at: Vec3| {
        let corners = [-along - across, along - across, along + across, -along + across].map(|x| x + at);
        let middle = |k: usize| (corners[k] + corners[(k + 1) % 4]) * 0.5;
        (corners.into_iter().chain((0..4).map(middle))).collect::<Vec<Vec3>>()
    };
    let (x, y) = (Vec3::x(), Vec3::y());
    for kind in [CellKind::Line2, CellKind::Line3] {
        let surface = |first: u32| {
            let side = |k: u32| [first + k, first + (k + 1) % 4, first + 4 + k];
            let sides: Vec<[u32; 3]> = (0..4).map(side).collect();
            Surface::new(sides.iter().map(|nodes| (kind, &nodes[..kind.num_nodes()])))
        };
        let find = |second: Vec<Vec3>| {
            let positions: Vec<Vec3> =
                bar(x * 2.0, y * 0.3, Vec3::zeros()).into_iter().chain(second).collect();
            penetrations(&ContactModel::new(vec![surface(0), surface(8)], &[], &positions), &positions)
        };
        let found = find(bar(x * 0.3, y * 2.0, x * 0.9 + y * 0.7));
        assert_eq!(found.len(), 1, "{kind:?}");
        assert_eq!(found[0].entry, Entry::Faces);
        assert!((found[0].depth - 0.6).abs() < 1e-8, "{kind:?}: {found:?}");
        assert_eq!(find(bar(x * 0.3, y * 2.0, x * 2.3)), [], "{kind:?}");
    }
}

/// Two bowls z = ±(a x² + b x y + c y²) touch at the origin. They lie over triangles or parallelograms around the
/// origin, in any orientation. Where the gap between the bowls is smaller than the deviation of their flat pieces, the
/// pieces may intersect, but no intersection is reported.
#[test]
fn bowls_that_touch_do_not_overlap() {
    let samples = &mut Samples::new(3);
    let kinds = [CellKind::Tri3, CellKind::Tri6, CellKind::Quad8, CellKind::Quad9];
    for case in 0..200 {
        let turn = crate::math::Rotation::from_scaled_axis(samples.direction() * samples.uniform(0.0, 3.0));
        let mut bowl = |side: f64, kind: CellKind| {
            let curvature = if kind == CellKind::Tri3 { 0.0 } else { side * samples.uniform(0.01, 1.0) };
            let [skew, narrow] = [samples.uniform(-1.0, 1.0), samples.uniform(0.1, 1.0)];
            let Single { positions, .. } = Single::random(samples, kind);
            let axes = [positions[1] - positions[0], positions[kind.corners().len() - 1] - positions[0]];
            let centre = [0.2, 0.3].map(|place| place + samples.uniform(-0.1, 0.1));
            let square = kind.linear() != CellKind::Tri3;
            let nodes: Vec<Vec3> = (0..kind.num_nodes())
                .map(|k| {
                    let [u, v] = PLACES[if square { 0 } else { 1 }][k].map(|w| 0.5 * (1.0 + w));
                    let x = axes[0] * (u - centre[0]) + axes[1] * (v - centre[1]);
                    let height = x.x * x.x + skew * x.x * x.y * narrow + narrow * x.y * x.y;
                    turn * Vec3::new(x.x, x.y, curvature * height)
                })
                .collect();
            Single::new(kind, &nodes)
        };
        let upper = bowl(1.0, kinds[case % 4]);
        let lower = bowl(-1.0, kinds[1 + case % 3]);
        assert_eq!(found(&upper, &lower), None, "case {case}");
    }
}

/// A flat six-node triangle, and a perpendicular triangle with three or six nodes that crosses the first triangle or
/// stands beside it. Only the crossing triangle is reported.
#[test]
fn straight_faces_of_six_nodes_that_cross_are_seen() {
    let straight = |turn: &dyn Fn(Vec3) -> Vec3, kind: CellKind| {
        let nodes: Vec<Vec3> =
            PLACES[1][..kind.num_nodes()].iter().map(|[x, y]| turn(Vec3::new(*x, *y, 0.0))).collect();
        Single::new(kind, &nodes)
    };
    let lying = straight(&|x| x, CellKind::Tri6);
    for kind in [CellKind::Tri3, CellKind::Tri6] {
        let standing = |shift: f64| straight(&|x| Vec3::new(x.x * 0.4 - 0.2, shift, x.y), kind);
        assert!(found(&lying, &standing(-0.3)).is_some_and(|point| point.z.abs() < 1e-9), "{kind:?}");
        assert_eq!(found(&lying, &standing(-1.1)), None, "{kind:?}");
    }
}

/// A triangle and the saddle z = x y. An edge of the triangle that passes between the saddle and the two flat triangles
/// with the corners of the saddle does not intersect the saddle. An edge that passes through the saddle intersects it.
#[test]
fn warped_quadrilaterals_are_no_triangles() {
    let corners = [[-1.0, -1.0, 1.0], [1.0, -1.0, -1.0], [1.0, 1.0, 1.0], [-1.0, 1.0, -1.0]];
    let saddle = Single::new(CellKind::Quad4, &corners.map(Vec3::from));
    for (heights, crosses) in [([0.3, 0.3], false), ([0.3, -0.3], true)] {
        let end = |x: f64, height: f64| Vec3::new(x, 0.1, 0.1 * x + height);
        let nodes = [end(-0.9, heights[0]), end(0.9, heights[1]), Vec3::new(0.0, 0.3, 3.0)];
        let triangle = Single::new(CellKind::Tri3, &nodes);
        assert_eq!(found(&triangle, &saddle).is_some(), crosses, "{heights:?}");
        assert_eq!(found(&saddle, &triangle).is_some(), crosses, "{heights:?}");
    }
}

/// Two three-node sides cross before they meet in a corner. The region above the loop between the sides is outside the
/// body, although the normal of the adjacent side points away from this region.
#[test]
fn a_node_beside_an_inverted_corner_is_outside() {
    let wedge = [[0.0, 0.0], [1.0, -0.2], [1.0, 0.2], [0.5, 0.1], [1.1, 0.0], [0.5, -0.1]];
    let find = |[x, y]: [f64; 2]| {
        let small = [[x, y], [x + 0.075, y + 0.2], [x - 0.075, y + 0.2]];
        let points = wedge.into_iter().chain(small);
        let positions: Vec<Vec3> = points.map(|[x, y]| Vec3::new(x, y, 0.0)).collect();
        let curved: [[u32; 3]; 3] = [[0, 1, 3], [1, 2, 4], [2, 0, 5]];
        let straight: [[u32; 2]; 3] = [[6, 7], [7, 8], [8, 6]];
        let surfaces = vec![
            Surface::new(curved.iter().map(|nodes| (CellKind::Line3, nodes.as_slice()))),
            Surface::new(straight.iter().map(|nodes| (CellKind::Line2, nodes.as_slice()))),
        ];
        penetrations(&ContactModel::new(surfaces, &[], &positions), &positions)
    };
    assert_eq!(find([0.375, 0.13]), []);
    assert!(find([0.9, 0.0])[0].depth > 0.05);
}
