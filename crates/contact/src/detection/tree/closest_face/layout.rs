//! Construction of a [`ClosestFaceIndex`], a tree with up to eight children per node and up to four faces per leaf.
//! Recursive division sorts the faces, and the boxes are fitted from the leaves up.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use super::*;
use crate::detection::face::control_points::{MAX_CONTROL_POINTS, control_points};
use crate::detection::volume::Aabb;

const FACES_PER_TASK: usize = 2048;

/// Margin of the box around a face, relative to the longest side of the box. Computed closest points may lie slightly
/// off the face.
const MARGIN: f64 = 1e-9;

/// Least number of spare leaves, relative to the number of leaves that suffice if each holds four faces. With spare
/// leaves, leaves need not be full, so a set of faces can be divided at several places.
const SPARE: f64 = 0.15;

/// Largest number of faces for which the build compares several divisions by their cost (see [`divide`]).
const COMPARED: usize = 64;

/// Divisions along an axis are compared if the extent of the faces along this axis is at least this fraction of the
/// longest extent.
const SHORTEST: f32 = 0.4;

/// A face to be assigned to a leaf, with the box of its nodes relative to the origin of the index.
#[derive(Clone, Copy)]
struct Item {
    extent: Extent,
    face: u32,
}

#[derive(Clone, Copy)]
struct Extent {
    lower: [f32; 3],
    upper: [f32; 3],
}

impl Extent {
    const NOTHING: Self = Self { lower: [f32::INFINITY; 3], upper: [f32::NEG_INFINITY; 3] };

    fn union(&self, other: &Self) -> Self {
        let mut union = *self;
        for d in 0..3 {
            union.lower[d] = f32::min(self.lower[d], other.lower[d]);
            union.upper[d] = f32::max(self.upper[d], other.upper[d]);
        }
        union
    }

    fn size(&self) -> [f32; 3] {
        [0, 1, 2].map(|d| self.upper[d] - self.lower[d])
    }

    /// Half the surface area, proportional to the probability that a query visits the box.
    fn area(&self) -> f32 {
        let [x, y, z] = self.size();
        x * y + y * z + z * x
    }
}

impl Item {
    fn new(surface: &Surface, face: usize, positions: &[Vec3], origin: &Vec3) -> Self {
        let (_, nodes) = surface.face(face);
        let extent = nodes.iter().fold(Extent::NOTHING, |extent, &node| {
            let place = (positions[node as usize] - origin).map(|c| c as f32).into();
            extent.union(&Extent { lower: place, upper: place })
        });
        Self { extent, face: face as u32 }
    }

    fn compare(&self, other: &Self, axis: usize) -> Ordering {
        let centre = |item: &Self| item.extent.lower[axis] + item.extent.upper[axis];
        centre(self).total_cmp(&centre(other)).then(self.face.cmp(&other.face))
    }
}

impl Node {
    pub(super) const NOTHING: Self = Self { boxes: [[[f32::NAN; CHILDREN]; 3]; 2], first: 0 };

    pub(super) fn of(children: &[Option<Aabb>], first: usize, origin: &Vec3) -> Self {
        let mut node = Self { first: first as u32, ..Self::NOTHING };
        for (lane, bounds) in children.iter().enumerate() {
            if let Some(bounds) = bounds {
                for d in 0..3 {
                    node.boxes[0][d][lane] = outward(bounds.lower[d] - origin[d])[0];
                    node.boxes[1][d][lane] = outward(bounds.upper[d] - origin[d])[1];
                }
            }
        }
        node
    }
}

#[inline(always)]
pub(super) fn single_precision(x: f64) -> f32 {
    Real::max(Real::min(x, f64::from(f32::MAX)), f64::from(f32::MIN)) as f32
}

/// Two numbers in single precision, below and above `x` by at least the errors of rounding `x` and a nearby query to
/// single precision.
fn outward(x: f64) -> [f32; 2] {
    let near = single_precision(x);
    let slack = near.abs() * (2.0 * f32::EPSILON) + f32::MIN_POSITIVE;
    [near - slack, near + slack]
}

impl ClosestFaceIndex {
    /// Index of the faces of `surface` at `positions` \[m\] of all nodes (global numbering).
    ///
    /// # Cost
    /// O(n log n) for n faces, in parallel.
    ///
    /// # Panics
    /// If `positions` does not cover the largest node number of the surface.
    pub fn build(surface: &Surface, positions: &[Vec3]) -> Self {
        let origin = surface.nodes().first().map_or_else(Vec3::zeros, |&node| positions[node as usize]);
        let origin = if origin.iter().all(|c| c.is_finite()) { origin } else { Vec3::zeros() };
        let mut items: Vec<Item> = (0..surface.num_faces())
            .into_par_iter()
            .with_min_len(FACES_PER_TASK)
            .map(|face| Item::new(surface, face, positions, &origin))
            .collect();
        let mut counts = vec![0; num_leaves(items.len())];
        arrange(&mut items, &mut counts);
        let mut index = Self {
            vectorised: Vectorised::detect(),
            origin,
            nodes: Vec::new(),
            leaves: Vec::with_capacity(counts.len()),
            samples: Vec::new(),
            span: 0.0,
            other_faces: Vec::new(),
            other_nodes: Vec::new(),
        };
        index.fill_leaves(surface, positions, &runs(&items, &counts));
        index
    }

    fn fill_leaves(&mut self, surface: &Surface, positions: &[Vec3], runs: &[&[Item]]) {
        let leaves: Vec<(Leaf, Option<Aabb>)> = runs
            .par_iter()
            .with_min_len(FACES_PER_TASK / LANES)
            .map(|items| leaf(surface, positions, items))
            .collect();
        let mut bounds: Vec<Option<Aabb>> = Vec::with_capacity(leaves.len());
        for (mut leaf, around) in leaves {
            if let Shapes::Others(places) = &mut leaf.shapes {
                for (place, face) in places.iter_mut().zip(leaf.faces) {
                    *place = self.other_faces.len() as u32;
                    let (kind, nodes) = surface.face(face as usize);
                    self.other_faces.push((kind, self.other_nodes.len() as u32));
                    self.other_nodes.extend(nodes.iter().map(|&node| positions[node as usize]));
                }
            }
            self.leaves.push(leaf);
            bounds.push(around);
        }
        self.samples = runs.chunks(CHILDREN).map(|runs| sample(surface, positions, runs)).collect();
        let extents =
            bounds.chunks(CHILDREN).filter_map(joint).map(|joint| (joint.upper - joint.lower).amax());
        self.span = 2.0 * extents.sum::<f64>() / self.samples.len().max(1) as f64;
        self.stack_boxes(bounds);
    }

    /// Adds the levels of nodes from the lowest to the root. `bounds`: boxes of the leaves.
    fn stack_boxes(&mut self, mut bounds: Vec<Option<Aabb>>) {
        let (mut first, origin) = (0, self.origin);
        while !bounds.is_empty() {
            let next = self.leaves.len() + self.nodes.len();
            let places = (first..).step_by(CHILDREN);
            self.nodes
                .extend(bounds.chunks(CHILDREN).zip(places).map(|(b, place)| Node::of(b, place, &origin)));
            if bounds.len() <= CHILDREN {
                break;
            }
            bounds = bounds.chunks(CHILDREN).map(joint).collect();
            first = next;
        }
    }
}

fn joint(bounds: &[Option<Aabb>]) -> Option<Aabb> {
    bounds.iter().flatten().copied().reduce(|joint, bounds| joint.union(&bounds))
}

/// Number of leaves of a complete tree, with spare leaves. Only the root may have fewer than eight children.
fn num_leaves(num_faces: usize) -> usize {
    let wanted = (num_faces as f64 * (1.0 + SPARE) / LANES as f64).ceil() as usize;
    let mut below_a_child = 1;
    while below_a_child * CHILDREN < wanted {
        below_a_child *= CHILDREN;
    }
    wanted.next_multiple_of(below_a_child)
}

/// Sorts the faces into one run of neighbouring faces per leaf. `counts`: output, the lengths of the runs.
fn arrange(items: &mut [Item], counts: &mut [usize]) {
    if counts.len() < 2 {
        counts.fill(items.len());
        return;
    }
    let left = counts.len().next_power_of_two() / 2;
    let (first_counts, second_counts) = counts.split_at_mut(left);
    let at = divide(items, [left, second_counts.len()]);
    let (first, second) = items.split_at_mut(at);
    if first.len() > FACES_PER_TASK {
        rayon::join(|| arrange(first, first_counts), || arrange(second, second_counts));
    } else {
        arrange(first, first_counts);
        arrange(second, second_counts);
    }
}

/// Sorts faces along an axis, divides them between two sets of leaves, and returns the number of faces for the first.
/// `leaves`: number of leaves in each set.
///
/// Up to `COMPARED` faces are divided at the least cost. The cost of a part is the area of its box times the number of
/// leaves that its faces fill; the costs of both parts are added. More than `COMPARED` faces are divided in proportion
/// to the numbers of leaves.
fn divide(items: &mut [Item], leaves: [usize; 2]) -> usize {
    let even = items.len() * leaves[0] / (leaves[0] + leaves[1]);
    if items.len() < 2 {
        return even;
    }
    let size = items.iter().fold(Extent::NOTHING, |extent, item| extent.union(&item.extent)).size();
    let longest = [0, 1, 2].into_iter().fold(0, |a, b| if size[b] > size[a] { b } else { a });
    let (mut best, mut best_axis) = ((f32::INFINITY, even), longest);
    if items.len() <= COMPARED {
        let least = items.len().saturating_sub(leaves[1] * LANES).max(even - even / 3);
        let most = (leaves[0] * LANES).min(even + (items.len() - even) / 3);
        for axis in (0..3).filter(|&axis| size[axis] >= SHORTEST * size[longest]) {
            items.sort_unstable_by(|a, b| a.compare(b, axis));
            let division = best_division(items, least..=most);
            if division.0 < best.0 {
                (best, best_axis) = (division, axis);
            }
        }
    }
    items.select_nth_unstable_by(best.1.min(items.len() - 1), |a, b| a.compare(b, best_axis));
    best.1
}

/// Cost of the cheapest division of sorted faces, and the size of its first part. `places`: admissible sizes of this
/// part.
fn best_division(items: &[Item], places: RangeInclusive<usize>) -> (f32, usize) {
    let cost = |extent: &Extent, count: usize| extent.area() * count.div_ceil(LANES) as f32;
    let (mut beyond, mut extent) = ([0.0; COMPARED + 1], Extent::NOTHING);
    for at in (1..items.len()).rev() {
        extent = extent.union(&items[at].extent);
        beyond[at] = cost(&extent, items.len() - at);
    }
    let (mut best, mut extent) = ((f32::INFINITY, *places.start()), Extent::NOTHING);
    for at in 1..items.len() {
        extent = extent.union(&items[at - 1].extent);
        let cost = cost(&extent, at) + beyond[at];
        if places.contains(&at) && cost < best.0 {
            best = (cost, at);
        }
    }
    best
}

fn runs<'a>(items: &'a [Item], counts: &[usize]) -> Vec<&'a [Item]> {
    let mut rest = items;
    let mut run = |&count: &usize| {
        let (run, others) = rest.split_at(count);
        rest = others;
        run
    };
    counts.iter().map(&mut run).collect()
}

/// Position of one node of the first face of each leaf; NaN if a node of this face has a non-finite position.
fn sample(surface: &Surface, positions: &[Vec3], runs: &[&[Item]]) -> Sample {
    let mut sample = [[f64::NAN; CHILDREN]; 3];
    for (lane, items) in runs.iter().enumerate() {
        let Some(item) = items.first() else { continue };
        let (_, nodes) = surface.face(item.face as usize);
        let mut positions = nodes.iter().map(|&node| positions[node as usize]);
        if let Some(position) = positions.next()
            && is_finite(&position)
            && positions.all(|position| is_finite(&position))
        {
            (0..3).for_each(|d| sample[d][lane] = position[d]);
        }
    }
    sample
}

/// A leaf of up to four faces and its box. The box is `None` if no face has a finite box.
fn leaf(surface: &Surface, positions: &[Vec3], items: &[Item]) -> (Leaf, Option<Aabb>) {
    let Some(last) = items.last() else {
        return (Leaf { faces: [u32::MAX; LANES], shapes: Shapes::Triangles(TriangleLanes::ZERO) }, None);
    };
    let mut faces = [0, 1, 2, 3].map(|lane| items.get(lane).unwrap_or(last).face);
    faces.sort_unstable();
    let mut around = [None; LANES];
    let mut triangles = TriangleLanes::ZERO;
    let mut plain = true;
    for (lane, &face) in faces.iter().enumerate() {
        let (kind, nodes) = surface.face(face as usize);
        around[lane] = bounds(kind, nodes, positions);
        match (kind, nodes) {
            (CellKind::Tri3, &[a, b, c]) => {
                triangles.set(lane, &[a, b, c].map(|node| positions[node as usize]));
            }
            _ => plain = false,
        }
    }
    plain = plain && !triangles.slivers().any();
    let shapes = if plain { Shapes::Triangles(triangles) } else { Shapes::Others([0; LANES]) };
    (Leaf { faces, shapes }, joint(&around))
}

/// Box that contains the closest points computed on a face, which may lie slightly off the face. NaN coordinates are
/// ignored; `None` if the box is not finite.
fn bounds(kind: CellKind, nodes: &[u32], positions: &[Vec3]) -> Option<Aabb> {
    let mut buffer = [Vec3::zeros(); MAX_CONTROL_POINTS];
    let (mut lower, mut upper) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for point in control_points(kind, nodes, positions, &mut buffer) {
        // `f64::min` and `f64::max` ignore NaN operands, in contrast to `Real::min` and `Real::max`.
        lower = lower.zip_map(point, f64::min);
        upper = upper.zip_map(point, f64::max);
    }
    let margin = MARGIN * (upper - lower).max() + 16.0 * f64::EPSILON * lower.amax().max(upper.amax());
    margin.is_finite().then(|| Aabb { lower, upper }.widened(margin))
}
