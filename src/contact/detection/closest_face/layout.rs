//! How an index is laid out: faces ordered by halving, boxes from the leaves up.

use super::*;
use crate::contact::detection::control_points::{MAX_CONTROL_POINTS, control_points};
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

impl Boxes {
    pub(super) const NOTHING: Self =
        Self { lower: [Lanes([f64::INFINITY; LANES]); 3], upper: [Lanes([f64::NEG_INFINITY; LANES]); 3] };

    pub(super) fn set(&mut self, lane: usize, bounds: &Aabb) {
        for d in 0..3 {
            self.lower[d].0[lane] = bounds.lower[d];
            self.upper[d].0[lane] = bounds.upper[d];
        }
    }

    /// The box around the four.
    fn joint(&self) -> Aabb {
        let fold =
            |lanes: &Lanes, start: f64, choose: fn(f64, f64) -> f64| lanes.0.into_iter().fold(start, choose);
        Aabb {
            lower: Vec3::from_fn(|d, _| fold(&self.lower[d], f64::INFINITY, f64::min)),
            upper: Vec3::from_fn(|d, _| fold(&self.upper[d], f64::NEG_INFINITY, f64::max)),
        }
    }
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
            span *= LANES;
        }
        arrange(&mut items, span);
        let mut index = Self {
            vectorised: Vectorised::detect(),
            nodes: Vec::new(),
            levels: Vec::new(),
            leaves: Vec::with_capacity(items.len().div_ceil(LANES)),
            other_faces: Vec::new(),
            other_nodes: Vec::new(),
        };
        index.fill_leaves(surface, positions, &items);
        index
    }

    fn fill_leaves(&mut self, surface: &Surface, positions: &[Vec3], items: &[Item]) {
        let leaves: Vec<(Leaf, Aabb)> = items
            .par_chunks(LANES)
            .with_min_len(FACES_PER_TASK / LANES)
            .map(|items| leaf(surface, positions, items))
            .collect();
        let mut bounds: Vec<Aabb> = Vec::with_capacity(leaves.len());
        for (mut leaf, around) in leaves {
            if let Shapes::Others(_, places) = &mut leaf.shapes {
                for (place, &face) in places.iter_mut().zip(&leaf.faces) {
                    *place = self.other_faces.len() as u32;
                    let (kind, nodes) = surface.face(face as usize);
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
        while !bounds.is_empty() {
            self.levels.push(self.nodes.len());
            let first = self.nodes.len();
            self.nodes.extend(bounds.chunks(LANES).map(|chunk| {
                let mut boxes = Boxes::NOTHING;
                chunk.iter().enumerate().for_each(|(lane, bounds)| boxes.set(lane, bounds));
                boxes
            }));
            bounds.clear();
            if self.nodes.len() - first > 1 {
                bounds.extend(self.nodes[first..].iter().map(Boxes::joint));
            }
        }
    }
}

fn item(surface: &Surface, face: usize, positions: &[Vec3]) -> Item {
    let (_, nodes) = surface.face(face);
    let centre = nodes.iter().map(|&node| positions[node as usize]).sum::<Vec3>() / nodes.len() as f64;
    Item { centre, face: face as u32 }
}

/// Orders faces so that consecutive runs of `span` / 4, `span` / 16, … are compact: halves across the longest
/// extent, halves again, and so on.
fn arrange(items: &mut [Item], span: usize) {
    if items.len() <= LANES || span <= LANES {
        return;
    }
    let quarter = span / LANES;
    let halves = split(items, 2 * quarter);
    let inner = |half: &mut [Item]| {
        let (first, second) = split(half, quarter);
        arrange(first, quarter);
        arrange(second, quarter);
    };
    if span > FACES_PER_TASK {
        rayon::join(|| inner(halves.0), || inner(halves.1));
    } else {
        inner(halves.0);
        inner(halves.1);
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
fn leaf(surface: &Surface, positions: &[Vec3], items: &[Item]) -> (Leaf, Aabb) {
    let item = |lane: usize| items[lane.min(items.len() - 1)];
    let mut boxes = Boxes::NOTHING;
    let mut triangles = TriangleLanes::ZERO;
    let mut plain = true;
    for lane in 0..LANES {
        let (kind, nodes) = surface.face(item(lane).face as usize);
        boxes.set(lane, &bounds(kind, nodes, positions));
        match (kind, nodes) {
            (CellKind::Tri3, &[a, b, c]) => {
                triangles.set(lane, &[a, b, c].map(|node| positions[node as usize]));
            }
            _ => plain = false,
        }
    }
    plain = plain && !triangles.slivers().any();
    let shapes = if plain { Shapes::Triangles(triangles) } else { Shapes::Others(boxes, [0; LANES]) };
    (Leaf { faces: [0, 1, 2, 3].map(|lane| item(lane).face), shapes }, boxes.joint())
}

/// Box that holds the closest points of a face.
fn bounds(kind: CellKind, nodes: &[u32], positions: &[Vec3]) -> Aabb {
    let mut buffer = [Vec3::zeros(); MAX_CONTROL_POINTS];
    let (mut lower, mut upper) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for point in control_points(kind, nodes, positions, &mut buffer) {
        lower = lower.inf(point);
        upper = upper.sup(point);
    }
    let margin = MARGIN * (upper - lower).max() + 16.0 * f64::EPSILON * lower.amax().max(upper.amax());
    Aabb { lower: lower.add_scalar(-margin), upper: upper.add_scalar(margin) }
}
