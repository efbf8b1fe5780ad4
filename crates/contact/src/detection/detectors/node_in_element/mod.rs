//! Contact of nodes inside elements, by the distance field of the target: the detector of Wolff and Bucher.
//!
//! ```text
//! pairs     bodies with overlapping boxes (two-pass contact), and bodies in self-contact
//! element   the element of the target that contains a contactor node; among several, that with the lowest number
//! gap       −|p|, with the linearised projection p = −γ d/|γ|² onto the surface, the distance d from the surface and
//!           the spatial gradient γ = F⁻ᵀ ∂d/∂X of the distance
//! ```
//! For the direction of p, ∂d/∂X is the assumed gradient of the [`DistanceField`]. For the length of p, ∂d/∂X is the
//! gradient of the interpolated distance, or near the medial axis the assumed gradient.
//!
//! The weight of a contact is w = +1 at the contactor, and w = −N_A(ξ) at each element node A. Here ξ are the natural
//! coordinates of the contactor. Then Σ w = 0 and Σ w x = 0 with the nodal positions x. Contact forces of any direction
//! therefore conserve linear and angular momentum. In flight the detector uses [`Buckets`].
//!
//! # Limits
//! Two crossing edges are missed if no node of either body is in an element of the other.
//!
//! # Source
//! Wolff & Bucher, CMAME 259 (2013) 77–92, §4 and §5.

mod elements;

use rayon::prelude::*;

use super::Buckets;
use super::sorted_body::{EMPTY, box_of_face};
use crate::detection::detector::{
    BuildResult, DetectionMemory, Detector, DetectorOptions, DetectorSetup, ProjectionNormal,
    SelectableDetector,
};
use crate::detection::distance_field::{
    DistanceField, DistanceFieldError, DistanceFieldOptions, Projection, Solid,
};
use crate::detection::face::closest_point::vertex_normal;
use crate::detection::model::{Cells, Configuration, ContactModel, both_ways};
use crate::detection::primitive::node_face::NodeFaceOptions;
use crate::detection::report::{DetectionStatistics, Stage, StageClock};
use crate::detection::trajectory::{Flight, Impact};
use crate::detection::tree::body_tree::BodyTree;
use crate::detection::tree::box_tree::Descent;
use crate::detection::volume::Aabb;
use crate::element::{MAX_NODES, shape_values};
use crate::math::Vec3;
use crate::math::pack::Registers;
use crate::{Constraints, ContactKey, NodeOnSurface, Side, Surface};
use elements::{ElementSearch, InElement};

const NODES_PER_TASK: usize = 128;

/// Depth up to which a node in self-contact counts as on the surface, relative to the largest absolute coordinate of
/// the node.
const ON_SURFACE: f64 = 1e-10;

/// For [`ProjectionNormal::Contactor`], the cosine of the angle between the target normal and the reversed contactor
/// normal must exceed this bound in a contact.
const LEAST_COSINE: f64 = 0.1;

/// Options of the detector by distance fields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeInElementOptions {
    /// Options of the distance fields.
    pub field: DistanceFieldOptions,
    /// Direction in which nodes are projected onto the target surface.
    pub normal: ProjectionNormal,
    /// Options of the closest-point searches in flight.
    pub node_face: NodeFaceOptions,
}

/// The detector by distance fields.
pub struct NodeInElement {
    model: ContactModel,
    normal: ProjectionNormal,
    /// One entry per body; `None` for a body without faces.
    targets: Vec<Option<Target>>,
    flights: Buckets,
    bodies: BodyTree,
    boxes: Vec<(u32, Aabb)>,
    is_near: Vec<bool>,
    queries: Vec<Query>,
    found: Vec<Found>,
    /// Key of each contact of the previous step, ascending, and the place of its element in the tree of
    /// `ElementSearch`.
    last: Vec<(NodeOnSurface, u32)>,
    registers: Registers,
    statistics: DetectionStatistics,
}

struct Target {
    field: DistanceField,
    elements: ElementSearch,
}

/// A contactor node in the box of a target.
#[derive(Clone, Copy, Debug)]
struct Query {
    key: NodeOnSurface,
    contactor_body: u32,
    /// Place of the element in which the node was in contact in the previous step, if any; always `None` in
    /// self-contact.
    last: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Penetration {
    key: NodeOnSurface,
    contactor_body: u32,
    at: InElement,
    gap: f64,
    normal: Vec3,
}

#[derive(Clone, Debug, Default)]
struct Found {
    penetrations: Vec<Penetration>,
    descent: Descent,
}

impl NodeInElement {
    /// A detector of contact between the bodies of the model, from the cells of each body. `positions` \[m\] are the
    /// stress-free positions of all nodes. These positions also give the median edge lengths for flight.
    ///
    /// # Errors
    /// The first body whose distance field cannot be computed, and the reason.
    pub fn new(
        model: ContactModel,
        cells: &[Vec<Cells<'_>>],
        options: NodeInElementOptions,
        positions: &[Vec3],
    ) -> Result<Self, (u32, DistanceFieldError)> {
        let target_of = |(body, surface): (u32, &Surface)| {
            if surface.num_faces() == 0 {
                return Ok(None);
            }
            let blocks = cells.get(body as usize).map_or(&[][..], Vec::as_slice);
            let target = Target::new(blocks, surface, &options.field, positions);
            target.map(Some).map_err(|error| (body, error))
        };
        let targets = (0..).zip(&model.surfaces).map(target_of).collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            flights: Buckets::new(model.clone(), options.node_face, positions),
            bodies: BodyTree::new(targets.len()),
            boxes: Vec::new(),
            is_near: vec![false; targets.len()],
            targets,
            queries: Vec::new(),
            found: Vec::new(),
            last: Vec::new(),
            registers: Registers::default(),
            statistics: DetectionStatistics::default(),
            normal: options.normal,
            model,
        })
    }

    fn list_queries(&mut self, positions: &[Vec3]) {
        let Self { model, bodies, boxes, is_near, queries, .. } = self;
        boxes.clear();
        boxes.extend(model.bodies().map(|body| (body, box_of(&model.surfaces[body as usize], positions))));
        bodies.build(boxes);
        is_near.fill(false);
        queries.clear();
        let of_two = bodies.pairs(usize::MAX).unwrap_or_default();
        let of_one = model.foldable().iter().map(|&body| [body; 2]);
        let pairs = of_two.into_iter().filter(|&pair| model.can_meet(pair)).chain(of_one);
        for [contactor, target] in pairs.flat_map(both_ways) {
            is_near[target as usize] = true;
            let bounds = bodies.bounds(target);
            let nodes = model.surfaces[contactor as usize].nodes().iter();
            let inside = nodes.filter(|&&node| bounds.contains(&positions[node as usize]));
            queries.extend(inside.map(|&node| Query {
                key: NodeOnSurface { contactor: node, target },
                contactor_body: contactor,
                last: None,
            }));
        }
        queries.sort_unstable_by_key(|query| query.key);
    }

    /// Starts the queries from the elements of the previous step. Queries in self-contact have no start: the node may
    /// be in several elements, and the element with the lowest number counts.
    fn start_from_last(&mut self) {
        let mut last = self.last.iter().peekable();
        for query in &mut self.queries {
            while last.next_if(|(key, _)| *key < query.key).is_some() {}
            let same = last.next_if(|(key, _)| *key == query.key);
            query.last = same.filter(|_| query.contactor_body != query.key.target).map(|(_, place)| *place);
        }
    }

    fn fit_trees(&mut self, positions: &[Vec3]) {
        let near = self.targets.iter_mut().zip(&self.is_near).filter(|(_, is_near)| **is_near);
        near.filter_map(|(target, _)| target.as_mut()).for_each(|target| target.elements.fit(positions));
    }

    fn find(&mut self, positions: &[Vec3]) {
        let Self { model, normal, targets, queries, found, registers, .. } = self;
        let tasks = queries.par_chunks(NODES_PER_TASK);
        found.resize_with(tasks.len(), Found::default);
        tasks.zip(found.par_iter_mut()).for_each(|(queries, found)| {
            let Found { penetrations, descent } = found;
            penetrations.clear();
            penetrations.extend(queries.iter().filter_map(|query| {
                let target = targets[query.key.target as usize].as_ref()?;
                let at = target.element_of(query, positions, (*registers, descent))?;
                let projection = target.projection(&at, positions)?;
                let Projection { depth, normal } = match normal {
                    ProjectionNormal::Target => projection,
                    ProjectionNormal::Contactor => against_contactor(&projection, query, model, positions)?,
                };
                let &Query { key, contactor_body, .. } = query;
                let is_near = depth <= model.search_depth([contactor_body, key.target]);
                let is_found = is_near && normal != Vec3::zeros();
                is_found.then_some(Penetration { key, contactor_body, at, gap: -depth, normal })
            }));
        });
    }

    fn push(&self, constraints: &mut Constraints) {
        constraints.clear();
        for penetration in self.found.iter().flat_map(|found| &found.penetrations) {
            let &Penetration { key, contactor_body, at, gap, normal } = penetration;
            let Some(target) = &self.targets[key.target as usize] else { continue };
            let (kind, nodes) = target.elements.element(at.place);
            let mut values = [0.0; MAX_NODES];
            shape_values(kind, at.xi, &mut values);
            let contactor = Side { body: contactor_body, nodes: &[key.contactor], shape_values: &[1.0] };
            let target = Side { body: key.target, nodes, shape_values: &values[..nodes.len()] };
            constraints.push(ContactKey::Node(key), gap, normal, contactor, target);
        }
    }
}

impl Target {
    fn new(
        cells: &[Cells<'_>],
        surface: &Surface,
        options: &DistanceFieldOptions,
        positions: &[Vec3],
    ) -> Result<Self, DistanceFieldError> {
        let dimension = surface.distinct_kinds().iter().map(|kind| kind.dimension()).max();
        let is_solid = |(kind, _): &&Cells<'_>| Some(kind.dimension()) == dimension.map(|faces| faces + 1);
        let cells: Vec<Cells<'_>> = cells.iter().filter(is_solid).copied().collect();
        let field = DistanceField::new(&Solid { blocks: &cells, positions }, surface, options)?;
        let elements = ElementSearch::new(&cells, |element| field.in_band(element as usize), positions);
        Ok(Self { field, elements })
    }

    fn element_of(
        &self,
        query: &Query,
        positions: &[Vec3],
        workspace: (Registers, &mut Descent),
    ) -> Option<InElement> {
        let &Query { key, contactor_body, last } = query;
        let point = &positions[key.contactor as usize];
        let is_other = |place: u32| contactor_body != key.target || !self.has_node(place, key.contactor);
        let is_entered =
            |at: &InElement| contactor_body != key.target || self.is_entered(at, key.contactor, point);
        self.elements.find(positions, point, last, workspace, is_other, is_entered)
    }

    /// Linearised projection of the point `at` of an element onto the surface; `None` if the element is degenerate.
    fn projection(&self, at: &InElement, positions: &[Vec3]) -> Option<Projection> {
        let sample = self.field.sample(self.elements.number(at.place) as usize, at.xi);
        let deformation = self.elements.deformation_gradient(at, positions)?;
        Some(sample.projection(&deformation.try_inverse()?))
    }

    fn has_node(&self, place: u32, node: u32) -> bool {
        self.elements.element(place).1.contains(&node)
    }

    /// Whether a node in an element of its own body has penetrated. If the node belongs to a neighbour of this element,
    /// it has penetrated only if it is deeper below the surface than [`ON_SURFACE`].
    fn is_entered(&self, at: &InElement, node: u32, point: &Vec3) -> bool {
        let distance = || self.field.sample(self.elements.number(at.place) as usize, at.xi).distance;
        let is_beside = || self.elements.neighbours(at.place).iter().any(|&place| self.has_node(place, node));
        !is_beside() || distance() > ON_SURFACE * point.amax()
    }
}

/// Projection against the mean normal of the contactor; `None` if the cosine between this normal, reversed, and the
/// target normal is at most [`LEAST_COSINE`].
fn against_contactor(
    projection: &Projection,
    query: &Query,
    model: &ContactModel,
    positions: &[Vec3],
) -> Option<Projection> {
    let surface = &model.surfaces[query.contactor_body as usize];
    let normal = -vertex_normal(surface, positions, query.key.contactor);
    let cosine = normal.dot(&projection.normal);
    (cosine > LEAST_COSINE).then(|| Projection { depth: projection.depth / cosine, normal })
}

fn box_of(surface: &Surface, positions: &[Vec3]) -> Aabb {
    let faces = (0..surface.num_faces()).map(|face| box_of_face(surface, face, positions));
    faces.reduce(|a, b| a.union(&b)).unwrap_or(EMPTY)
}

impl SelectableDetector for NodeInElement {
    fn build(setup: DetectorSetup<'_>) -> BuildResult<Self> {
        let DetectorOptions { engine, normal, .. } = setup.options;
        let field = DistanceFieldOptions::default();
        let options = NodeInElementOptions { field, normal: *normal, node_face: engine.node_face };
        Self::new(setup.model, setup.cells, options, setup.positions)
    }
}

impl Detector for NodeInElement {
    fn first_impact(&mut self, flight: &Flight<'_>) -> Option<Impact> {
        self.last.clear();
        self.flights.first_impact(flight)
    }

    fn detect(&mut self, configuration: &Configuration<'_>, constraints: &mut Constraints) {
        let positions = configuration.positions;
        self.statistics.operated(configuration.time, true);
        let mut clock = StageClock::start(Stage::Monitor);
        self.list_queries(positions);
        self.start_from_last();
        clock.enter(Stage::Update, &mut self.statistics.seconds);
        self.fit_trees(positions);
        clock.enter(Stage::Primitive, &mut self.statistics.seconds);
        self.find(positions);
        self.push(constraints);
        self.last.clear();
        let found = self.found.iter().flat_map(|found| &found.penetrations);
        self.last.extend(found.map(|penetration| (penetration.key, penetration.at.place)));
        clock.stop(&mut self.statistics.seconds);
        self.statistics.counts.monitor += self.boxes.len() as u64;
        self.statistics.counts.update += self.is_near.iter().filter(|is_near| **is_near).count() as u64;
        self.statistics.counts.primitive += self.queries.len() as u64;
    }

    fn memory(&self) -> DetectionMemory {
        DetectionMemory::default()
    }

    fn start_from(&mut self, _memory: &DetectionMemory) {
        self.last.clear();
        self.flights.start_from(&DetectionMemory::default());
    }

    fn statistics(&self) -> &DetectionStatistics {
        &self.statistics
    }
}

#[cfg(test)]
mod tests;
