//! Bucket search in the contact phase, in which bodies may deform. Candidates remain in use until the next sorting.

use std::time::Instant;

use rayon::prelude::*;

use crate::detection::model::{Candidate, Configuration, ContactModel, both_ways};
use crate::detection::primitive::edge_edge::{EdgeEdgeSearch, EdgePair, bounds_of_edge};
use crate::detection::primitive::node_face::{NodeFaceSearch, StartFrom, StartingPoint};
use crate::detection::report::{Stage, StageClock};
use crate::detection::volume::Aabb;
use crate::math::Vec3;
use crate::{Constraints, NodeOnSurface, Surface};

use super::super::sorted_body::{SortedBody, box_of_points, union};
use super::Buckets;
use super::cells::{CellLists, Grid};

/// Cell size relative to the median edge length of the contactor: about one node per occupied cell. Aragón, Yastrebov &
/// Molinari 2013, §5.2, use 211 × 211 × 9 cells over 143 × 143 nodes.
const CELL_SIZE: f64 = 2.0 / 3.0;

/// Largest number of cells of a grid per contactor node. The grid of Aragón, Yastrebov & Molinari has 19.
const CELLS_PER_NODE: usize = 32;

/// Two bodies are near if they can touch before the next sorting. Their allowance is their relative displacement in
/// this number of steps at the present velocities, limited by [`ALLOWANCE`].
const STEPS: f64 = 32.0;

/// Least and greatest allowance of two near bodies, relative to the search distance. A larger allowance gives more
/// candidates, a smaller allowance more sortings.
const ALLOWANCE: [f64; 2] = [1.0 / 64.0, 0.5];

/// Rounding of compared distances, relative to the distances.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

pub(super) struct ContactPhase {
    bodies: Vec<SortedBody>,
    /// Cell size for the nodes of each body \[m\].
    cell_sizes: Vec<f64>,
    /// Allowance of each pair \[m\]. If the relative displacement of a pair along an axis exceeds its allowance, all
    /// bodies are sorted again.
    allowances: Vec<f64>,
    least_allowance: f64,
    sorted: bool,
    active: Vec<Direction>,
    sortings: Vec<Sorting>,
    candidates: Vec<Candidate>,
    search: NodeFaceSearch,
    edges: EdgeEdgeSearch,
}

/// The nodes of the body `contactor` are tested against the faces of the body `target`. In self-contact both are the
/// same body.
#[derive(Clone, Copy, Debug)]
struct Direction {
    contactor: u32,
    target: u32,
    /// Length by which the box of each target face is widened \[m\]. Only nodes in the widened box can touch the face
    /// before the next sorting.
    reach: f64,
}

#[derive(Clone, Debug, Default)]
struct Sorting {
    lists: CellLists,
    /// Contactor nodes within reach of the box of the target body, ascending.
    nodes: Vec<u32>,
    /// Target faces whose widened boxes overlap the box of `nodes`, ascending.
    faces: Vec<u32>,
    /// Boxes of `faces`, widened by the reach.
    boxes: Vec<Aabb>,
    candidates: Vec<Candidate>,
    edges: EdgeSorting,
    tests: u64,
}

#[derive(Clone, Debug, Default)]
struct EdgeSorting {
    lists: CellLists,
    /// Edges of the target body that the model selects for edge–edge contact.
    targets: Vec<u32>,
    /// Boxes of `targets`, widened by the reach.
    target_boxes: Vec<Aabb>,
    /// Selected edges of the contactor body whose boxes overlap the smallest box around all `target_boxes`.
    contactors: Vec<u32>,
    contactor_boxes: Vec<Aabb>,
    /// Pairs of a contactor edge and a target edge whose boxes overlap.
    pairs: Vec<[u32; 2]>,
    tests: u64,
}

impl ContactPhase {
    pub fn starting_points(&self) -> Vec<StartingPoint> {
        self.search.starting_points()
    }

    pub fn start_from(&mut self, points: &[StartingPoint]) {
        self.search.start_from(points);
    }

    pub fn new(model: &ContactModel, num_pairs: usize, positions: &[Vec3]) -> Self {
        let size = |surface: &Surface| CELL_SIZE * surface.median_edge(positions);
        Self {
            bodies: model.surfaces.iter().map(SortedBody::new).collect(),
            cell_sizes: model.surfaces.iter().map(size).collect(),
            allowances: vec![0.0; num_pairs],
            least_allowance: 0.0,
            sorted: false,
            active: Vec::new(),
            sortings: Vec::new(),
            candidates: Vec::new(),
            search: NodeFaceSearch::default(),
            edges: EdgeEdgeSearch::default(),
        }
    }

    pub fn reset(&mut self) {
        self.sorted = false;
    }

    /// Whether the candidates still contain all possible contacts. Criterion: along each axis, the relative
    /// displacement of each pair of bodies since the sorting is at most the allowance of the pair. Then every node that
    /// was outside the widened box of a face at the sorting remains, along some axis, farther from the face than the
    /// search distance.
    fn holds(&mut self, model: &ContactModel, pairs: &[[u32; 2]], positions: &[Vec3]) -> bool {
        if !self.sorted {
            return false;
        }
        let bodies = self.bodies.par_iter_mut().zip(&model.surfaces);
        bodies.for_each(|(body, surface)| body.update(surface, positions));
        let displacement = |body: u32| &self.bodies[body as usize].displacement;
        let all = self.bodies.iter().map(|body| body.displacement).reduce(|a, b| a.union(&b));
        all.is_none_or(|all| all.greatest_difference(&all) <= self.least_allowance)
            || pairs.iter().zip(&self.allowances).all(|(pair, &allowance)| {
                displacement(pair[0]).greatest_difference(displacement(pair[1])) <= allowance
            })
    }

    fn sort_bodies(&mut self, model: &ContactModel, pairs: &[[u32; 2]], configuration: &Configuration<'_>) {
        let bodies = self.bodies.par_iter_mut().zip(&model.surfaces);
        bodies.for_each(|(body, surface)| body.sort(surface, configuration));
        self.active.clear();
        self.least_allowance = f64::INFINITY;
        for (pair, &[first, second]) in pairs.iter().enumerate() {
            let [a, b] = [first, second].map(|body| &self.bodies[body as usize]);
            let depth = model.search_distance([first, second]);
            let per_step = a.step.greatest_difference(&b.step);
            let [least, most] = ALLOWANCE.map(|share| share * depth);
            let mut allowance = (STEPS * per_step).max(least).min(most);
            let between =
                (b.bounds.lower - a.bounds.upper).max().max((a.bounds.lower - b.bounds.upper).max());
            let apart = between - depth * (1.0 + ROUNDING);
            if apart > allowance {
                allowance = apart * (1.0 - ROUNDING);
            } else {
                let reach = (depth + allowance) * (1.0 + ROUNDING);
                for [contactor, target] in both_ways([first, second]) {
                    self.active.push(Direction { contactor, target, reach });
                }
            }
            self.allowances[pair] = allowance;
            self.least_allowance = self.least_allowance.min(allowance);
        }
        self.sorted = true;
    }

    /// Lists the candidates of all near bodies. Returns the number of node–face pairs with a common cell, plus, for
    /// each pair of edges, the number of common cells.
    fn list_candidates(&mut self, model: &ContactModel, start: StartFrom, positions: &[Vec3]) -> u64 {
        let Self { bodies, cell_sizes, active, sortings, candidates, edges, .. } = self;
        if sortings.len() < active.len() {
            sortings.resize_with(active.len(), Sorting::default);
        }
        sortings.par_iter_mut().zip(&*active).for_each(|(sorting, direction)| {
            let contactor = direction.contactor as usize;
            let pair = [&bodies[contactor], &bodies[direction.target as usize]];
            sorting.sort(direction, &model.surfaces[contactor], pair, positions, cell_sizes[contactor]);
            sorting.list_candidates(direction, model, positions);
            sorting.edges.sort(direction, model, positions, cell_sizes[contactor]);
        });
        candidates.clear();
        let sortings = &sortings[..active.len()];
        sortings.iter().for_each(|sorting| candidates.extend_from_slice(&sorting.candidates));
        candidates.sort_unstable();
        let pairs = sortings.iter().zip(&*active).flat_map(|(sorting, direction)| {
            let bodies = [direction.contactor, direction.target];
            sorting.edges.pairs.iter().filter_map(move |&of_edges| EdgePair::new(model, bodies, of_edges))
        });
        edges.set(model, pairs);
        self.search.group(&self.candidates, model, start);
        sortings.iter().map(|sorting| sorting.tests + sorting.edges.tests).sum()
    }

    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    pub fn census(&self) -> impl Iterator<Item = GridCensus> {
        self.sortings.iter().zip(&self.active).map(|(sorting, direction)| sorting.census(direction))
    }
}

impl Sorting {
    fn sort(
        &mut self,
        direction: &Direction,
        contactor: &Surface,
        [of_nodes, of_faces]: [&SortedBody; 2],
        positions: &[Vec3],
        cell_size: f64,
    ) {
        let target = of_faces.bounds.widened(direction.reach);
        let near = |node: &u32| target.contains(&positions[*node as usize]);
        self.nodes.clear();
        self.faces.clear();
        self.boxes.clear();
        if !target.excludes(&of_nodes.bounds) {
            self.nodes.extend(contactor.nodes().iter().copied().filter(near));
        }
        let zone = box_of_points(self.nodes.iter().map(|&node| &positions[node as usize]));
        for (face, bounds) in of_faces.faces.iter().enumerate() {
            let bounds = bounds.widened(direction.reach);
            if !bounds.excludes(&zone) {
                self.faces.push(face as u32);
                self.boxes.push(bounds);
            }
        }
        self.lists.begin(Grid::over(&zone, cell_size, CELLS_PER_NODE * self.nodes.len()));
        for &node in &self.nodes {
            let cell = self.lists.grid().cell(&positions[node as usize]);
            self.lists.mark(cell);
        }
        self.lists.fill(&self.boxes);
    }

    fn list_candidates(&mut self, direction: &Direction, model: &ContactModel, positions: &[Vec3]) {
        self.candidates.clear();
        self.tests = 0;
        let &Direction { contactor: contactor_body, target, .. } = direction;
        for &node in &self.nodes {
            let position = &positions[node as usize];
            let bucket = self.lists.list(self.lists.grid().cell(position));
            self.tests += bucket.len() as u64;
            let key = NodeOnSurface { contactor: node, target };
            for &k in bucket {
                if self.boxes[k as usize].contains(position) {
                    let face = self.faces[k as usize];
                    let candidate = Candidate::new(key, face, contactor_body);
                    if model.can_touch(&candidate) {
                        self.candidates.push(candidate);
                    }
                }
            }
        }
    }

    fn census(&self, direction: &Direction) -> GridCensus {
        let groups = || self.candidates.chunk_by(|a, b| a.key == b.key).map(<[Candidate]>::len);
        GridCensus {
            bodies: [direction.contactor, direction.target],
            reach: direction.reach,
            cells: self.lists.grid().counts(),
            node_buckets: self.lists.num_marked(),
            face_buckets: self.lists.num_met(&self.boxes),
            tests: self.tests,
            candidates: self.candidates.len(),
            contactors: groups().count(),
            faces_per_contactor: [groups().min().unwrap_or(0), groups().max().unwrap_or(0)],
        }
    }
}

impl EdgeSorting {
    /// Lists the edge pairs with overlapping boxes. Lists none if `contactor` > `target`, because the opposite
    /// direction lists the pairs of the two bodies.
    fn sort(&mut self, direction: &Direction, model: &ContactModel, positions: &[Vec3], cell_size: f64) {
        self.pairs.clear();
        self.tests = 0;
        let &Direction { contactor, target, reach, .. } = direction;
        if contactor > target {
            return;
        }
        self.list_boxes([contactor, target], model, positions, reach);
        let zone = union(&self.contactor_boxes);
        self.lists.begin(Grid::over(&zone, cell_size, CELLS_PER_NODE * self.contactors.len()));
        for bounds in &self.contactor_boxes {
            self.lists.grid().cells(bounds).for_each(|cell| self.lists.mark(cell));
        }
        self.lists.fill(&self.target_boxes);
        for (&edge, bounds) in self.contactors.iter().zip(&self.contactor_boxes) {
            let first = self.pairs.len();
            self.lists.grid().cells(bounds).for_each(|cell| {
                let bucket = self.lists.list(cell);
                self.tests += bucket.len() as u64;
                let near = bucket.iter().filter(|&&k| !self.target_boxes[k as usize].excludes(bounds));
                self.pairs.extend(near.map(|&k| [edge, self.targets[k as usize]]));
            });
            self.pairs[first..].sort_unstable();
        }
        self.pairs.dedup();
    }

    fn list_boxes(
        &mut self,
        [contactor, target]: [u32; 2],
        model: &ContactModel,
        positions: &[Vec3],
        reach: f64,
    ) {
        let bounds = |body: u32, edge: u32| bounds_of_edge(&model.surfaces[body as usize], edge, positions);
        self.targets.clear();
        self.targets.extend(model.edges[target as usize].all());
        self.target_boxes.clear();
        self.target_boxes.extend(self.targets.iter().map(|&edge| bounds(target, edge).widened(reach)));
        let zone = union(&self.target_boxes);
        self.contactors.clear();
        self.contactor_boxes.clear();
        for &edge in model.edges[contactor as usize].all() {
            let bounds = bounds(contactor, edge);
            if !zone.excludes(&bounds) {
                self.contactors.push(edge);
                self.contactor_boxes.push(bounds);
            }
        }
    }
}

impl Buckets {
    pub(super) fn update_candidates(&mut self, configuration: &Configuration<'_>) {
        let mut clock = StageClock::start(Stage::Monitor);
        let holds = self.contact.holds(&self.model, &self.pairs, configuration.positions);
        self.statistics.counts.monitor += self.model.surfaces.len() as u64;
        if !holds {
            clock.enter(Stage::Update, &mut self.statistics.seconds);
            self.statistics.operated(configuration.time, true);
            self.contact.sort_bodies(&self.model, &self.pairs, configuration);
            self.statistics.counts.update += 1;
            clock.enter(Stage::Overlap, &mut self.statistics.seconds);
            self.statistics.counts.overlap +=
                self.contact.list_candidates(&self.model, self.options.start, configuration.positions);
        }
        clock.stop(&mut self.statistics.seconds);
    }

    pub(super) fn find_constraints(
        &mut self,
        configuration: &Configuration<'_>,
        constraints: &mut Constraints,
    ) {
        let start = Instant::now();
        let ContactPhase { candidates, search, edges, .. } = &mut self.contact;
        search.find(candidates, &self.model, self.options, configuration.positions, constraints);
        edges.find(&self.model, configuration.positions, constraints);
        self.statistics.counts.primitive += (candidates.len() + edges.num_candidates()) as u64;
        self.statistics.seconds.primitive += start.elapsed().as_secs_f64();
    }
}

/// Statistics of the buckets for the nodes of one body and the faces of the same or another body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridCensus {
    /// Body of the nodes, and body of the faces.
    pub bodies: [u32; 2],
    /// Length by which the box of each target face is widened \[m\]. Only nodes in the widened box can touch the face
    /// before the next sorting.
    pub reach: f64,
    /// Number of cells along each axis.
    pub cells: [u32; 3],
    /// Number of cells with a node.
    pub node_buckets: usize,
    /// Number of cells that overlap the widened box of a face.
    pub face_buckets: usize,
    /// Number of node–face pairs with a common cell.
    pub tests: u64,
    /// Number of candidates.
    pub candidates: usize,
    /// Number of nodes with a candidate.
    pub contactors: usize,
    /// Smallest and largest number of candidates of a node with candidates; zeros if no node has candidates.
    pub faces_per_contactor: [usize; 2],
}
