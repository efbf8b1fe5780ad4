//! Crossings of curved faces, held against faces cut into many triangles.

use super::*;
use crate::contact::detection::samples::Samples;
use crate::element::shape_values;

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

    /// A face that is flat but for random shifts of its nodes, anywhere near the origin.
    fn random(samples: &mut Samples, kind: CellKind) -> Self {
        let square = [
            [-1.0, -1.0],
            [1.0, -1.0],
            [1.0, 1.0],
            [-1.0, 1.0],
            [0.0, -1.0],
            [1.0, 0.0],
            [0.0, 1.0],
            [-1.0, 0.0],
            [0.0, 0.0],
        ];
        let triangle = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [0.0, -1.0], [0.0, 0.0], [-1.0, 0.0]];
        let places: &[[f64; 2]] = if kind.linear() == CellKind::Tri3 { &triangle } else { &square };
        let axes = [samples.direction(), samples.direction()];
        let shift = samples.vector(0.8);
        let nodes: Vec<Vec3> = places[..kind.num_nodes()]
            .iter()
            .map(|[u, v]| axes[0] * *u + axes[1] * *v + shift + samples.vector(0.15))
            .collect();
        Self::new(kind, &nodes)
    }

    /// The face cut into triangles between points of a grid.
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
    curved_crossing([&a.surface, &second], &positions, &common, 1e-9).map(|found| found.1)
}

/// Whether an edge of a triangle of one passes through one of the other.
fn cut(a: &[[Vec3; 3]], b: &[[Vec3; 3]]) -> bool {
    let boxes: Vec<Aabb> = b.iter().map(|triangle| Aabb::fit(triangle, 0.0)).collect();
    a.iter().any(|first| {
        let around = Aabb::fit(first, 0.0);
        b.iter().zip(&boxes).filter(|(_, of_second)| !around.excludes(of_second)).any(|(second, _)| {
            let crosses = |edges: &[Vec3; 3], face: &[Vec3; 3]| {
                (0..3).any(|k| pierces(&[edges[k], edges[(k + 1) % 3]], face, [0.0, 0.0]).is_some())
            };
            crosses(first, second) || crosses(second, first)
        })
    })
}

/// What crosses when cut into triangles is found, but for grazes, and nothing else is.
#[test]
fn crossings_are_those_of_fine_triangles() {
    let samples = &mut Samples::new(12);
    let curved = [CellKind::Tri6, CellKind::Quad8, CellKind::Quad9];
    let any = [CellKind::Tri3, CellKind::Quad4, CellKind::Tri6, CellKind::Quad8, CellKind::Quad9];
    let (mut crossing, mut apart, mut different) = (0, 0, 0);
    for _ in 0..300 {
        let kinds = [samples.pick(&curved), samples.pick(&any)];
        let (a, b) = (Single::random(samples, kinds[0]), Single::random(samples, kinds[1]));
        let is_found = found(&a, &b).is_some();
        let cut_into = |count: u32| cut(&a.triangles(count), &b.triangles(count));
        // A graze is seen differently by coarse triangles.
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

/// Two domes whose tops pass into each other, with all nodes and edges far away: seen down to a depth of some
/// millionths, not seen where they touch or are apart.
#[test]
fn tops_of_domes_that_overlap_are_seen() {
    let dome = |top: f64, bend: f64| {
        let places = [
            [-1.0, -1.0],
            [1.0, -1.0],
            [1.0, 1.0],
            [-1.0, 1.0],
            [0.0, -1.0],
            [1.0, 0.0],
            [0.0, 1.0],
            [-1.0, 0.0],
        ];
        let nodes: Vec<Vec3> =
            places.iter().map(|[x, y]| Vec3::new(*x, *y, top + bend * (x * x + y * y))).collect();
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

/// Two bars in the plane that cross like a plus sign, no node of one inside the other, of straight and of curved sides;
/// laid side by side they only touch.
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
        assert_eq!(found[0].depth, 0.0);
        assert_eq!(find(bar(x * 0.3, y * 2.0, x * 2.3)), [], "{kind:?}");
    }
}
