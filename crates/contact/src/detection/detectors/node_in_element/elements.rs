//! Search for the elements that contain contactor nodes.

use std::collections::HashMap;

use crate::detection::model::Cells;
use crate::detection::tree::box_tree::{BoxTree, Descent};
use crate::detection::volume::Aabb;
use crate::element::{
    BORDER, ElementPoint, MAX_NODES, bounding_box, centre, deformation_gradient, locate, tangents,
};
use crate::math::pack::Registers;
use crate::math::space_filling_curve::{Cube, order};
use crate::math::{Mat3, Vec3};
use crate::mesh::CellKind;

use crate::detection::detectors::sorted_body::EMPTY;

/// Depth of a point in an element, in natural coordinates \[-\]. If elements do not overlap, a point deeper than this
/// in one element is in no other element. This depth exceeds [`BORDER`], because points up to `BORDER` outside an
/// element also count as inside. The factor 4 allows for neighbours in which a unit of the natural coordinates is less
/// than four times as long as in the element.
const UNIQUE: f64 = 4.0 * BORDER;

/// Elements of one body with a tree over their boxes. The number of an element is its index in the body. The place of
/// an element is its index in the tree.
#[derive(Clone, Debug)]
pub(super) struct ElementSearch {
    elements: Elements,
    tree: BoxTree,
}

/// The elements, by place.
#[derive(Clone, Debug)]
struct Elements {
    numbers: Vec<u32>,
    kinds: Vec<CellKind>,
    /// Index in `nodes` of the first node of each element, then the length of `nodes`.
    offsets: Vec<u32>,
    nodes: Vec<u32>,
    /// Stress-free positions of `nodes` \[m\].
    reference: Vec<Vec3>,
    /// Index in `neighbours` of the first neighbour of each element, then the length of `neighbours`.
    neighbour_offsets: Vec<u32>,
    /// For each element in turn, the places of the elements that share a face with the element.
    neighbours: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct InElement {
    pub place: u32,
    pub xi: [f64; 3],
}

impl ElementSearch {
    /// A search in the cells whose numbers satisfy `is_near`, with stress-free `positions` of all nodes \[m\].
    pub fn new(cells: &[Cells<'_>], is_near: impl Fn(u32) -> bool, positions: &[Vec3]) -> Self {
        let all = cells
            .iter()
            .flat_map(|(kind, nodes)| nodes.chunks_exact(kind.num_nodes()).map(move |nodes| (*kind, nodes)));
        let near: Vec<(u32, (CellKind, &[u32]))> =
            (0..).zip(all).filter(|(number, _)| is_near(*number)).collect();
        let mean = |place: usize| {
            let nodes = near[place].1.1;
            nodes.iter().map(|&node| positions[node as usize]).sum::<Vec3>() / nodes.len() as f64
        };
        let cube = Cube::around((0..near.len()).map(mean));
        let along_curve = order(near.len(), cube, mean);
        let mut elements = Elements {
            numbers: Vec::with_capacity(near.len()),
            kinds: Vec::with_capacity(near.len()),
            offsets: vec![0],
            nodes: Vec::new(),
            reference: Vec::new(),
            neighbour_offsets: vec![0],
            neighbours: Vec::new(),
        };
        for &k in &along_curve {
            let (number, (kind, nodes)) = near[k as usize];
            elements.numbers.push(number);
            elements.kinds.push(kind);
            elements.nodes.extend_from_slice(nodes);
            elements.offsets.push(elements.nodes.len() as u32);
        }
        elements.reference = elements.nodes.iter().map(|&node| positions[node as usize]).collect();
        elements.connect();
        Self { tree: BoxTree::new(near.len(), |_| EMPTY), elements }
    }

    pub fn number(&self, place: u32) -> u32 {
        self.elements.number(place)
    }

    pub fn element(&self, place: u32) -> (CellKind, &[u32]) {
        self.elements.element(place)
    }

    pub fn neighbours(&self, place: u32) -> &[u32] {
        self.elements.neighbours(place)
    }

    pub fn fit(&mut self, positions: &[Vec3]) {
        let elements = &self.elements;
        self.tree.refit(elements.kinds.len(), |place| {
            let mut corners = [Vec3::zeros(); MAX_NODES];
            let (kind, corners) = elements.placed(place as u32, positions, &mut corners);
            let [lower, upper] = bounding_box(kind, corners);
            Aabb { lower, upper }
        });
    }

    /// Among the elements that contain `point` \[m\] and satisfy `is_accepted`, the element with the lowest number.
    ///
    /// The element at the place `last` and its neighbours are searched first. If one of these elements contains the
    /// point deeper than `UNIQUE`, the result is this element, or `None` if `is_accepted` rejects the element.
    /// Otherwise the tree is searched for elements whose places satisfy `may_contain`. If the elements at the point do
    /// not overlap and satisfy `may_contain`, `last` changes only the cost, not the result.
    pub fn find(
        &self,
        positions: &[Vec3],
        point: &Vec3,
        last: Option<u32>,
        (registers, descent): (Registers, &mut Descent),
        may_contain: impl Fn(u32) -> bool,
        mut is_accepted: impl FnMut(&InElement) -> bool,
    ) -> Option<InElement> {
        if let Some(found) = last.and_then(|last| self.elements.track(positions, point, last)) {
            return is_accepted(&found).then_some(found);
        }
        let around = Aabb { lower: *point, upper: *point };
        let mut first: Option<InElement> = None;
        for &place in self.tree.find_overlapping(registers, &around, descent) {
            let is_later = |first: InElement| self.elements.number(first.place) < self.elements.number(place);
            if !may_contain(place) || first.is_some_and(is_later) {
                continue;
            }
            let found = self.elements.point_in(place, positions, point);
            let found = found.map(|ElementPoint { xi, .. }| InElement { place, xi });
            first = found.filter(&mut is_accepted).or(first);
        }
        first
    }

    /// Deformation gradient F = ∂x/∂X; `None` if the element is degenerate.
    pub fn deformation_gradient(&self, at: &InElement, positions: &[Vec3]) -> Option<Mat3> {
        let mut corners = [Vec3::zeros(); MAX_NODES];
        let (kind, corners) = self.elements.placed(at.place, positions, &mut corners);
        let reference = tangents(kind, &self.elements.reference[self.elements.range(at.place)], at.xi);
        deformation_gradient(&tangents(kind, corners, at.xi), &reference, kind.dimension())
    }
}

impl Elements {
    fn connect(&mut self) {
        let mut sides: HashMap<Vec<u32>, [u32; 2]> = HashMap::new();
        let mut pairs = Vec::new();
        for place in 0..self.kinds.len() as u32 {
            let (kind, nodes) = self.element(place);
            for side in kind.faces() {
                let corners = side.kind.corners().iter();
                let mut corners: Vec<u32> =
                    corners.map(|&corner| nodes[side.nodes[corner as usize] as usize]).collect();
                corners.sort_unstable();
                let both = sides.entry(corners).or_insert([place; 2]);
                both[1] = place;
                if both[0] != place {
                    pairs.extend([*both, [both[1], both[0]]]);
                }
            }
        }
        pairs.sort_unstable();
        self.neighbours.extend(pairs.iter().map(|pair| pair[1]));
        let end = |place: u32| pairs.partition_point(|pair| pair[0] <= place) as u32;
        self.neighbour_offsets.extend((0..self.kinds.len() as u32).map(end));
    }

    fn number(&self, place: u32) -> u32 {
        self.numbers[place as usize]
    }

    fn element(&self, place: u32) -> (CellKind, &[u32]) {
        (self.kinds[place as usize], &self.nodes[self.range(place)])
    }

    fn range(&self, place: u32) -> std::ops::Range<usize> {
        self.offsets[place as usize] as usize..self.offsets[place as usize + 1] as usize
    }

    fn neighbours(&self, place: u32) -> &[u32] {
        let [begin, end] = [place, place + 1].map(|place| self.neighbour_offsets[place as usize] as usize);
        &self.neighbours[begin..end]
    }

    fn placed<'a>(
        &self,
        place: u32,
        positions: &[Vec3],
        corners: &'a mut [Vec3; MAX_NODES],
    ) -> (CellKind, &'a [Vec3]) {
        let (kind, nodes) = self.element(place);
        for (corner, &node) in corners.iter_mut().zip(nodes) {
            *corner = positions[node as usize];
        }
        (kind, &corners[..nodes.len()])
    }

    /// The material point of the element at the position `point` \[m\]; `None` if `point` is outside the element.
    fn point_in(&self, place: u32, positions: &[Vec3], point: &Vec3) -> Option<ElementPoint> {
        let mut corners = [Vec3::zeros(); MAX_NODES];
        let (kind, corners) = self.placed(place, positions, &mut corners);
        locate(kind, corners, point, centre(kind))
    }

    /// The element among `last` and its neighbours that contains the point deeper than [`UNIQUE`].
    fn track(&self, positions: &[Vec3], point: &Vec3, last: u32) -> Option<InElement> {
        let near = std::iter::once(&last).chain(self.neighbours(last));
        near.into_iter().find_map(|&place| {
            let ElementPoint { xi, margin, .. } = self.point_in(place, positions, point)?;
            (margin > UNIQUE).then_some(InElement { place, xi })
        })
    }
}
