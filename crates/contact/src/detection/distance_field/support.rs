//! Support points ([module](super)) of a body, each listed once, and the band: the elements that the field covers.

use std::collections::HashMap;

use super::enriched::Enriched;
use super::{Band, DistanceFieldError};
use crate::Surface;
use crate::detection::face::closest_point::Domain;
use crate::element::position;
use crate::math::Vec3;
use crate::mesh::CellKind;

/// Elements of a body in its reference configuration. Element numbers run through all blocks, in the order of the
/// blocks.
#[derive(Clone, Copy, Debug)]
pub struct Solid<'a> {
    /// Kind of the elements of each block, and nodes of these elements. Nodes are indices into `positions`.
    pub blocks: &'a [(CellKind, &'a [u32])],
    /// Reference positions of all nodes \[m\].
    pub positions: &'a [Vec3],
}

/// Key of a support point on the boundary of an element: the node of a corner, or the ascending corner nodes of an edge
/// or face. Unused entries are `u32::MAX`.
type Key = [u32; 4];

#[derive(Clone, Debug, Default)]
pub(super) struct Support {
    pub positions: Vec<Vec3>,
    pub kinds: Vec<CellKind>,
    pub in_band: Vec<bool>,
    /// Index in `element_points` of the first point of each element, then the length of `element_points`.
    element_offsets: Vec<u32>,
    /// Support points, element by element.
    element_points: Vec<u32>,
    /// Index in `point_elements` of the first entry of each point, then the length of `point_elements`.
    point_offsets: Vec<u32>,
    /// For each point in turn, its elements in the band, with the local number of the point in the element.
    point_elements: Vec<(u32, u8)>,
    pub boundary: Vec<BoundaryPoint>,
    /// Index into `boundary` of each support point on the surface.
    pub boundary_of_point: Vec<Option<u32>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct BoundaryPoint {
    pub point: u32,
    /// Faces that contain the point, and natural coordinates of the point on each face.
    pub faces: Vec<(u32, [f64; 2])>,
    /// Node of the point, if the point is a corner of a face.
    pub corner: Option<u32>,
}

impl Support {
    pub fn new(solid: &Solid<'_>, surface: &Surface, band: Band) -> Result<Self, DistanceFieldError> {
        check(solid, surface)?;
        let mut support = Self { element_offsets: vec![0], ..Self::default() };
        let mut points: HashMap<Key, u32> = HashMap::new();
        for &(kind, nodes) in solid.blocks {
            let enriched = Enriched::of(kind).ok_or(DistanceFieldError::NotSolid(kind))?;
            nodes
                .chunks_exact(kind.num_nodes())
                .for_each(|element| support.push(solid, (kind, enriched), element, &mut points));
        }
        support.find_boundary(surface, &points);
        support.find_band(solid, surface, band)?;
        support.connect_points();
        Ok(support)
    }

    fn push(
        &mut self,
        solid: &Solid<'_>,
        (kind, enriched): (CellKind, Enriched),
        element: &[u32],
        points: &mut HashMap<Key, u32>,
    ) {
        let places: Vec<Vec3> = element.iter().map(|&node| solid.positions[node as usize]).collect();
        for (k, corners) in enriched.points().iter().enumerate() {
            let next = self.positions.len() as u32;
            let is_shared = corners.len() < kind.corners().len();
            let point = if is_shared {
                *points.entry(key(corners.iter().map(|&c| element[c as usize]))).or_insert(next)
            } else {
                next
            };
            if point == next {
                let at_node = places.get(k).copied();
                let place =
                    at_node.unwrap_or_else(|| position(kind, &places, enriched.natural_coordinates(k)));
                self.positions.push(place);
            }
            self.element_points.push(point);
        }
        self.kinds.push(kind);
        self.element_offsets.push(self.element_points.len() as u32);
    }

    fn find_boundary(&mut self, surface: &Surface, points: &HashMap<Key, u32>) {
        self.boundary_of_point = vec![None; self.positions.len()];
        for face in 0..surface.num_faces() {
            let (kind, nodes) = surface.face(face);
            for (corners, xi) in face_points(kind) {
                let Some(&point) = points.get(&key(corners.iter().map(|&c| nodes[c]))) else { continue };
                let next = self.boundary.len() as u32;
                let entry = *self.boundary_of_point[point as usize].get_or_insert(next);
                if entry == next {
                    let corner = (corners.len() == 1).then(|| nodes[corners[0]]);
                    self.boundary.push(BoundaryPoint { point, faces: Vec::new(), corner });
                }
                self.boundary[entry as usize].faces.push((face as u32, xi));
            }
        }
    }

    /// Finds the band layer by layer. The first layer contains the elements with a node on the surface, each further
    /// layer the elements with a node in the previous layer.
    fn find_band(
        &mut self,
        solid: &Solid<'_>,
        surface: &Surface,
        band: Band,
    ) -> Result<(), DistanceFieldError> {
        let mut touched = vec![false; solid.positions.len()];
        surface.nodes().iter().for_each(|&node| touched[node as usize] = true);
        let elements: Vec<&[u32]> =
            solid.blocks.iter().flat_map(|(kind, nodes)| nodes.chunks_exact(kind.num_nodes())).collect();
        self.in_band = vec![false; elements.len()];
        let touches = |element: &[u32], touched: &[bool]| element.iter().any(|&node| touched[node as usize]);
        if !elements.iter().any(|element| touches(element, &touched)) {
            return Err(DistanceFieldError::ForeignSurface);
        }
        let Band::Layers(layers) = band else {
            self.in_band.fill(true);
            return Ok(());
        };
        for _ in 0..layers {
            for (element, inside) in elements.iter().zip(&mut self.in_band) {
                *inside |= touches(element, &touched);
            }
            for (element, _) in elements.iter().zip(&self.in_band).filter(|(_, inside)| **inside) {
                element.iter().for_each(|&node| touched[node as usize] = true);
            }
        }
        Ok(())
    }

    fn connect_points(&mut self) {
        let mut incidences: Vec<(u32, u32, u8)> = Vec::new();
        for element in (0..self.kinds.len()).filter(|&element| self.in_band[element]) {
            let points = self.points_of(element).iter().zip(0..);
            incidences.extend(points.map(|(&point, local)| (point, element as u32, local)));
        }
        incidences.sort_unstable();
        self.point_offsets = (0..=self.positions.len() as u32)
            .map(|p| incidences.partition_point(|i| i.0 < p) as u32)
            .collect();
        self.point_elements = incidences.into_iter().map(|(_, element, local)| (element, local)).collect();
    }

    pub fn points_of(&self, element: usize) -> &[u32] {
        &self.element_points
            [self.element_offsets[element] as usize..self.element_offsets[element + 1] as usize]
    }

    /// Elements of the band that contain a point, and the local number of the point in each element.
    pub fn elements_of(&self, point: usize) -> &[(u32, u8)] {
        &self.point_elements[self.point_offsets[point] as usize..self.point_offsets[point + 1] as usize]
    }

    /// Whether a point belongs to an element of the band.
    pub fn is_covered(&self, point: usize) -> bool {
        self.point_offsets[point] < self.point_offsets[point + 1]
    }

    /// Support points of those elements of the band that contain a point, including repetitions and the point itself.
    pub fn neighbours(&self, point: usize) -> impl Iterator<Item = u32> {
        self.elements_of(point)
            .iter()
            .flat_map(|&(element, _)| self.points_of(element as usize).iter().copied())
    }
}

/// For each support point of a face, local numbers of the corners whose mean is the point, and natural coordinates.
fn face_points(kind: CellKind) -> Vec<(Vec<usize>, [f64; 2])> {
    let Some(domain) = Domain::of(kind) else { return Vec::new() };
    let count = domain.corners.len();
    let corners = (0..count).map(|k| vec![k]);
    let edges = (0..if count == 2 { 1 } else { count }).map(|k| vec![k, (k + 1) % count]);
    let centre = (count > 2).then(|| (0..count).collect());
    let mean = |corners: &[usize]| {
        [0, 1].map(|i| corners.iter().map(|&c| domain.corners[c][i]).sum::<f64>() / corners.len() as f64)
    };
    corners.chain(edges).chain(centre).map(|point: Vec<usize>| (point.clone(), mean(&point))).collect()
}

fn key(corners: impl Iterator<Item = u32>) -> Key {
    let mut key = [u32::MAX; 4];
    key.iter_mut().zip(corners).for_each(|(place, node)| *place = node);
    key.sort_unstable();
    key
}

fn check(solid: &Solid<'_>, surface: &Surface) -> Result<(), DistanceFieldError> {
    let positions = solid.positions.len();
    if surface.num_faces() == 0 || solid.blocks.iter().all(|block| block.1.is_empty()) {
        return Err(DistanceFieldError::Empty);
    }
    let dimension = surface.distinct_kinds().iter().map(|kind| kind.dimension()).max().unwrap_or(0) + 1;
    if let Some(block) = solid.blocks.iter().find(|block| block.0.dimension() != dimension) {
        return Err(DistanceFieldError::NotSolid(block.0));
    }
    let nodes = solid.blocks.iter().flat_map(|block| block.1).chain(surface.nodes());
    for &node in nodes {
        match solid.positions.get(node as usize) {
            None => return Err(DistanceFieldError::MissingNode { node, positions }),
            Some(place) if !place.iter().all(|x| x.is_finite()) => {
                return Err(DistanceFieldError::NotFinite(node));
            }
            Some(_) => {}
        }
    }
    Ok(())
}
