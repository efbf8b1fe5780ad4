//! Bodies made of the cells of one lattice. Many of their faces are flush, and cell indices decide exactly whether
//! bodies overlap.

use std::collections::{BTreeSet, HashMap};

use ictus::contact::detection::{Entry, Penetration, penetrations};
use ictus::math::Vec3;
use ictus::mesh::CellKind;
use rayon::prelude::*;

use crate::samples::Samples;
use crate::scenes::{Scene, Shape, number_of_scenes};

/// Cells along each axis.
const CELLS: usize = 4;

type Cells = BTreeSet<[usize; 3]>;

/// A lattice in space or, if `plane`, in the plane: positions of its lattice planes along each axis. The distances
/// between neighbouring planes differ by a factor of up to 20.
struct Lattice {
    planes: [Vec<f64>; 3],
    plane: bool,
}

impl Lattice {
    fn random(samples: &mut Samples, plane: bool) -> Self {
        let planes = [(); 3].map(|()| {
            (0..CELLS).fold(vec![0.0], |mut planes, _| {
                planes.push(planes[planes.len() - 1] + samples.scale(0.05, 1.0));
                planes
            })
        });
        Self { planes, plane }
    }

    /// The cells of a random box.
    fn cells_of_box(&self, samples: &mut Samples) -> Cells {
        let ranges = [0, 1, 2].map(|axis| {
            let (a, b) = (samples.integer(0, CELLS), samples.integer(0, CELLS - 1));
            let b = if b < a { b } else { b + 1 };
            if self.plane && axis == 2 { 0..1 } else { a.min(b)..a.max(b) }
        });
        let [x, y, z] = ranges;
        x.flat_map(|i| y.clone().flat_map(move |j| (0..CELLS).map(move |k| [i, j, k])))
            .filter(|cell| z.contains(&cell[2]))
            .collect()
    }

    /// Widths of the bounding box of cells along the axes.
    fn widths(&self, cells: &Cells) -> Vec<f64> {
        let width = |axis: usize| {
            let numbers = || cells.iter().map(|cell| cell[axis]);
            let (first, last) = (numbers().min().unwrap(), numbers().max().unwrap());
            self.planes[axis][last + 1] - self.planes[axis][first]
        };
        (0..if self.plane { 2 } else { 3 }).map(width).collect()
    }

    /// Coordinate of a lattice plane after each cell is split into the given number of parts.
    fn coordinate(&self, axis: usize, number: usize, split: usize) -> f64 {
        let (cell, part) = (number / split, number % split);
        let planes = &self.planes[axis];
        let low = planes[cell];
        if part == 0 { low } else { low + (planes[cell + 1] - low) * (part as f64 / split as f64) }
    }

    /// The skin of cells. Each cell is split into the given number of parts along each axis. Faces are quadrilaterals
    /// or triangles, or segments in the plane.
    fn skin(&self, samples: &mut Samples, cells: &Cells, split: usize) -> Shape {
        let mut shape = Shape::default();
        let mut numbers: HashMap<[usize; 3], u32> = HashMap::new();
        let mut node = |shape: &mut Shape, place: [usize; 3]| {
            *numbers.entry(place).or_insert_with(|| {
                let at = |axis: usize| self.coordinate(axis, place[axis], split);
                shape.nodes.push(Vec3::new(at(0), at(1), if self.plane { 0.0 } else { at(2) }));
                shape.nodes.len() as u32 - 1
            })
        };
        let triangles = samples.chance(0.5);
        for (axis, side) in (0..if self.plane { 2 } else { 3 }).flat_map(|axis| [(axis, 0), (axis, 1)]) {
            let beside = |cell: &[usize; 3]| {
                let mut cell = *cell;
                cell[axis] = if side == 1 { cell[axis] + 1 } else { cell[axis].wrapping_sub(1) };
                cell
            };
            let (b, c) = if self.plane { (1 - axis, 2) } else { ((axis + 1) % 3, (axis + 2) % 3) };
            let depth = if self.plane { 1 } else { split };
            for cell in cells.iter().filter(|cell| !cells.contains(&beside(cell))) {
                for (i, j) in (0..split).flat_map(|i| (0..depth).map(move |j| (i, j))) {
                    let mut corner = |(u, v): (usize, usize)| {
                        let mut place = cell.map(|number| number * split);
                        place[axis] += side * split;
                        place[b] += i + u;
                        place[c] += j + v;
                        node(&mut shape, place)
                    };
                    let corners: &[(usize, usize)] =
                        if self.plane { &[(0, 0), (1, 0)] } else { &[(0, 0), (1, 0), (1, 1), (0, 1)] };
                    let mut corners: Vec<u32> = corners.iter().map(|&corner_of| corner(corner_of)).collect();
                    if (side == 0) != (self.plane && axis == 1) {
                        corners.reverse();
                    }
                    push_face(&mut shape, samples, &corners, triangles);
                }
            }
        }
        shape
    }
}

/// Adds a segment, a quadrilateral, or two triangles that share either diagonal of a quadrilateral.
fn push_face(shape: &mut Shape, samples: &mut Samples, corners: &[u32], triangles: bool) {
    match *corners {
        [a, b, c, d] if triangles => {
            let halves = if samples.chance(0.5) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            shape.faces.extend(halves.map(|half| (CellKind::Tri3, half.to_vec())));
        }
        [_, _] => shape.faces.push((CellKind::Line2, corners.to_vec())),
        _ => shape.faces.push((CellKind::Quad4, corners.to_vec())),
    }
}

/// Overlaps found between bodies of these cells. The cells of each body are split into one to three parts along each
/// axis. In most scenes all bodies are rotated together and shifted by up to a thousand times their size.
fn found(samples: &mut Samples, lattice: &Lattice, bodies: &[Cells]) -> Vec<Penetration> {
    let plane = lattice.plane;
    let far = samples.scale(0.1, 1e3);
    let (rotation, shift, turned) =
        (samples.rotation(plane), samples.vector(far, plane), samples.chance(0.7));
    let shapes: Vec<Shape> = bodies
        .iter()
        .map(|cells| {
            let split = samples.integer(1, 3);
            let mut shape = lattice.skin(samples, cells, split);
            if turned {
                shape.nodes.iter_mut().for_each(|node| *node = rotation * *node + shift);
            }
            shape
        })
        .collect();
    let scene = Scene::new(&shapes, plane);
    penetrations(&scene.model(), &scene.positions)
}

/// Bodies of one or two boxes overlap if and only if they have a cell in common. For bodies of one box the depth of the
/// overlap is checked. The depth is at least 0.9 times the least width of the common box, because the search of the
/// largest ball in this box stops early. The depth is at most the larger of two values: this width, and half the least
/// width of the thicker body (the depth of a node in its middle).
#[test]
fn bodies_overlap_where_they_have_a_cell_in_common() {
    let outcomes = (0..number_of_scenes(1000)).into_par_iter().map(|seed| {
        let samples = &mut Samples::new(seed);
        let plane = samples.chance(0.3);
        let lattice = Lattice::random(samples, plane);
        let boxes = samples.integer(1, 2);
        let bodies =
            [(); 2].map(|()| (0..boxes).flat_map(|_| lattice.cells_of_box(samples)).collect::<Cells>());
        let common: Cells = bodies[0].intersection(&bodies[1]).copied().collect();
        let found = found(samples, &lattice, &bodies);
        assert_eq!(found.is_empty(), common.is_empty(), "seed {seed}: {found:?}, {bodies:?}");
        let [found] = found[..] else { return None };
        if boxes == 1 {
            let widths = lattice.widths(&common);
            let least = widths.into_iter().fold(f64::INFINITY, f64::min);
            let deepest = bodies
                .each_ref()
                .map(|cells| lattice.widths(cells).into_iter().fold(f64::INFINITY, f64::min));
            let most = least.max(0.5 * deepest[0].max(deepest[1]));
            assert!(
                found.depth > 0.9 * least && found.depth < (1.0 + 1e-6) * most,
                "seed {seed}: {found:?}, {least} to {most}"
            );
        }
        Some(found.entry)
    });
    let outcomes: Vec<Option<Entry>> = outcomes.collect();
    let count = |outcome: Option<Entry>| outcomes.iter().filter(|&&other| other == outcome).count();
    let counts = [None, Some(Entry::Nodes), Some(Entry::Faces), Some(Entry::Insides)].map(count);
    println!("apart, by nodes, by faces, by insides: {counts:?}");
    assert!(counts[0] * 10 > outcomes.len() && counts[3] * 40 > outcomes.len(), "{counts:?}");
}

/// A lattice is divided among bodies with different meshes. Neighbouring bodies have flush surfaces, and no bodies
/// overlap.
#[test]
fn flush_assemblies_do_not_overlap() {
    (0..number_of_scenes(200)).into_par_iter().for_each(|seed| {
        let samples = &mut Samples::new(seed);
        let plane = samples.chance(0.3);
        let lattice = Lattice::random(samples, plane);
        let mut bodies: Vec<Cells> = Vec::new();
        for _ in 0..12 {
            let free = |cell: &[usize; 3]| !bodies.iter().any(|body| body.contains(cell));
            let cells: Cells = lattice.cells_of_box(samples).into_iter().filter(free).collect();
            if !cells.is_empty() {
                bodies.push(cells);
            }
        }
        let found = found(samples, &lattice, &bodies);
        assert!(found.is_empty(), "seed {seed}: {found:?}");
    });
}
