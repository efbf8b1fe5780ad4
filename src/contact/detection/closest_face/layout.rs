//! How an index is laid out: faces ordered by halving, boxes from the leaves up.

use super::*;
use crate::contact::detection::control_points::{MAX_CONTROL_POINTS, control_points, lebesgue_constant};
use crate::contact::detection::volume::Aabb;

/// Faces handled by one task at least.
const FACES_PER_TASK: usize = 2048;

/// What bounds the closest points of a face is wider than the face by this part of its extent, and by rounding of
/// the coordinates: closest points in floating point may lie a little off their face.
const MARGIN: f64 = 1e-9;

/// A face on its way to a leaf.
#[derive(Clone, Copy)]
struct Item {
    centre: Vec3,
    face: u32,
}

impl Node {
    const NOTHING: Self =
        Self { lower: [[f32::NAN; CHILDREN]; 3], upper: [[f32::NAN; CHILDREN]; 3], first: 0 };

    fn of(children: &[Aabb], first: usize, origin: &Vec3) -> Self {
        let mut node = Self { first: first as u32, ..Self::NOTHING };
        for (lane, bounds) in children.iter().enumerate() {
            for d in 0..3 {
                node.lower[d][lane] = outward(bounds.lower[d] - origin[d])[0];
                node.upper[d][lane] = outward(bounds.upper[d] - origin[d])[1];
            }
        }
        node
    }
}

/// Numbers of single precision below and above `x`.
#[inline(always)]
pub(super) fn outward(x: f64) -> [f32; 2] {
    let near = Real::max(Real::min(x, f64::from(f32::MAX)), f64::from(f32::MIN)) as f32;
    let slack = near.abs() * f32::EPSILON + f32::MIN_POSITIVE;
    [near - slack, near + slack]
}

impl ClosestFaceIndex {
    /// Index of the faces of `surface` at `positions` \[m\] of all nodes (global numbering).
    ///
    /// # Cost
    /// O(n log n), in parallel.
    ///
    /// # Panics
    /// If `positions` is shorter than the largest node number of the surface asks for.
    pub fn build(surface: &Surface, positions: &[Vec3]) -> Self {
        let mut items: Vec<Item> = (0..surface.num_faces())
            .into_par_iter()
            .with_min_len(FACES_PER_TASK)
            .map(|face| item(surface, face, positions))
            .collect();
        let mut span = LANES;
        while span < items.len() {
            span *= 2;
        }
        arrange(&mut items, span);
        let mut index = Self {
            vectorised: Vectorised::detect(),
            origin: middle(&items),
            nodes: Vec::new(),
            leaves: Vec::with_capacity(items.len().div_ceil(LANES)),
            other_faces: Vec::new(),
            other_nodes: Vec::new(),
            positions: surface.nodes().iter().map(|&node| positions[node as usize]).collect(),
            spread: 1.0,
            margin: 0.0,
        };
        index.fill_leaves(surface, positions, &items);
        index
    }

    fn fill_leaves(&mut self, surface: &Surface, positions: &[Vec3], items: &[Item]) {
        let leaves: Vec<(Leaf, Aabb, f64)> = items
            .par_chunks(LANES)
            .with_min_len(FACES_PER_TASK / LANES)
            .map(|items| leaf(surface, positions, items))
            .collect();
        let mut bounds: Vec<Aabb> = Vec::with_capacity(leaves.len());
        for (mut leaf, around, margin) in leaves {
            self.margin = self.margin.max(margin);
            if let Shapes::Others(places) = &mut leaf.shapes {
                for (place, face) in places.iter_mut().zip(leaf.faces) {
                    *place = self.other_faces.len() as u32;
                    let (kind, nodes) = surface.face(face as usize);
                    self.spread = self.spread.max(lebesgue_constant(kind));
                    self.other_faces.push((kind, self.other_nodes.len() as u32));
                    self.other_nodes.extend(nodes.iter().map(|&node| positions[node as usize]));
                }
            }
            self.leaves.push(leaf);
            bounds.push(around);
        }
        self.stack_boxes(bounds);
    }

    /// Levels of boxes until a single node is left.
    fn stack_boxes(&mut self, mut bounds: Vec<Aabb>) {
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

/// A place in the midst of the faces.
fn middle(items: &[Item]) -> Vec3 {
    let middle = items.get(items.len() / 2).map_or_else(Vec3::zeros, |item| item.centre);
    if middle.iter().all(|c| c.is_finite()) { middle } else { Vec3::zeros() }
}

fn joint(bounds: &[Aabb]) -> Aabb {
    bounds[1..].iter().fold(bounds[0], |joint, bounds| joint.union(bounds))
}

fn item(surface: &Surface, face: usize, positions: &[Vec3]) -> Item {
    let (_, nodes) = surface.face(face);
    let centre = nodes.iter().map(|&node| positions[node as usize]).sum::<Vec3>() / nodes.len() as f64;
    Item { centre, face: face as u32 }
}

/// Orders faces so that consecutive runs of `span` / 2, `span` / 4, … are compact: halves across the longest
/// extent, halves again, and so on.
fn arrange(items: &mut [Item], span: usize) {
    if items.len() <= LANES {
        return;
    }
    let half = span / 2;
    let (first, second) = split(items, half);
    if span > FACES_PER_TASK {
        rayon::join(|| arrange(first, half), || arrange(second, half));
    } else {
        arrange(first, half);
        arrange(second, half);
    }
}

/// The `first` items with the least coordinate along the longest extent, and the others.
fn split(items: &mut [Item], first: usize) -> (&mut [Item], &mut [Item]) {
    if first >= items.len() {
        return (items, &mut []);
    }
    let (mut lower, mut upper) = (items[0].centre, items[0].centre);
    for item in items.iter() {
        lower = lower.inf(&item.centre);
        upper = upper.sup(&item.centre);
    }
    let axis = (upper - lower).imax();
    let key = |item: &Item| item.centre[axis];
    items.select_nth_unstable_by(first, |a, b| key(a).total_cmp(&key(b)).then(a.face.cmp(&b.face)));
    items.split_at_mut(first)
}

/// A leaf of up to four faces, and what bounds it.
fn leaf(surface: &Surface, positions: &[Vec3], items: &[Item]) -> (Leaf, Aabb, f64) {
    let faces = [0, 1, 2, 3].map(|lane: usize| items[lane.min(items.len() - 1)].face);
    let mut around = Aabb { lower: Vec3::repeat(f64::INFINITY), upper: Vec3::repeat(f64::NEG_INFINITY) };
    let mut triangles = TriangleLanes::ZERO;
    let (mut plain, mut margin) = (true, 0.0);
    for (lane, &face) in faces.iter().enumerate() {
        let (kind, nodes) = surface.face(face as usize);
        let (bounds, slack) = bounds(kind, nodes, positions);
        (around, margin) = (around.union(&bounds), slack.max(margin));
        match (kind, nodes) {
            (CellKind::Tri3, &[a, b, c]) => {
                triangles.set(lane, &[a, b, c].map(|node| positions[node as usize]));
            }
            _ => plain = false,
        }
    }
    plain = plain && !triangles.slivers().any();
    let shapes = if plain { Shapes::Triangles(triangles) } else { Shapes::Others([0; LANES]) };
    (Leaf { faces, shapes }, around, margin)
}

/// Box that holds the closest points of a face, and how much wider it is for their rounding.
fn bounds(kind: CellKind, nodes: &[u32], positions: &[Vec3]) -> (Aabb, f64) {
    let mut buffer = [Vec3::zeros(); MAX_CONTROL_POINTS];
    let (mut lower, mut upper) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for point in control_points(kind, nodes, positions, &mut buffer) {
        lower = lower.inf(point);
        upper = upper.sup(point);
    }
    let margin = MARGIN * (upper - lower).max() + 16.0 * f64::EPSILON * lower.amax().max(upper.amax());
    (Aabb { lower: lower.add_scalar(-margin), upper: upper.add_scalar(margin) }, margin)
}
