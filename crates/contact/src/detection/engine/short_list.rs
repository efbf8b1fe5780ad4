//! Short list: the near pairs that can give a constraint before the relative displacement exceeds the allowance s.
//!
//! ```text
//!         ● q         Contact is with the nearest face whose normal is opposed to the normal of the node q. Let A be
//!        ╱┊           opposed as long as the displacement is within s. A is at the distance a and stays within a + s.
//!       ╱ ┊ a         If A can give a constraint up to a + s, a face B at a distance b > a + 2 s never gets nearer
//!   ┄┄┄╱┄┄●━━━A━━━    than A and is excluded. If q stays in front of the planes of A and of all faces around A, no
//!   B ╱               gap is negative, and q is excluded.
//! ```
//! Normal cones bound the rotation of the normals ([`normal_cone`](super::normal_cone)). Let τ bound the change of the
//! unit normal n of a face with a corner c. A node at x stays in front of the plane of the face if
//!
//! ```text
//! (x − c) · n > s + (|x − c| + s) τ
//! ```
//! Distances from a quadrilateral follow from its triangles c₀ c₁ c₂ and c₀ c₂ c₃. The Hausdorff distance of the
//! triangles from the quadrilateral is at most |c₀ − c₁ + c₂ − c₃|/4 and bounds the error. Curved faces, whose normals
//! have no bound, are excluded only by the distance.
//!
//! # Source
//! Developed for this program, inspired by the use of normals in Volino & Magnenat-Thalmann 1994, "Efficient
//! self-collision detection on smoothly discretized surface animations using geometrical shape regularity", Computer
//! Graphics Forum 13(3).

use rayon::prelude::*;

use crate::detection::face::closest_point::batch::{
    ClosestLanes, TriangleLanes, closest_points_of_triangles, points_from_fn,
};
use crate::detection::face::closest_point::{Method, Start, closest_point};
use crate::detection::face::control_points::{MAX_CONTROL_POINTS, control_points, rounding_of};
use crate::detection::model::{Candidate, ContactModel};
use crate::detection::volume::Aabb;
use crate::math::Vec3;
use crate::math::real::LANES;
use crate::math::vectorised::Vectorised;
use crate::mesh::CellKind;
use crate::{NodeOnSurface, Surface};

use super::normal_cone::{FaceNormal, NormalCone, Opposition, ROUNDING};
use super::traversal::NearPair;

const FACES_PER_TASK: usize = 2048;

/// A number times this factor, then rounded to single precision, is a lower bound on the number.
const ROUNDED_DOWN: f64 = 1.0 - f32::EPSILON as f64;

/// The lower bound by `ROUNDED_DOWN`, times this factor, is an upper bound on the number.
const ROUNDED_BACK: f64 = 1.0 + 4.0 * f32::EPSILON as f64;

pub(super) struct PairGeometry<'a> {
    pub model: &'a ContactModel,
    pub bodies: [u32; 2],
    pub positions: &'a [Vec3],
    /// Bound on the rounding of distances \[m\].
    pub rounding: f64,
    pub vectorised: Vectorised,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct TravelBounds {
    /// Relative displacement since the near pairs were listed \[m\].
    pub travelled: f64,
    /// Allowed further relative displacement \[m\].
    pub allowance: f64,
}

/// Normals of all faces of both bodies. Empty for few near pairs, for which computing the normals pair by pair is
/// cheaper.
pub(super) struct FaceNormals([Vec<FaceNormal>; 2]);

#[derive(Clone, Copy)]
struct NearFace {
    distance: f64,
    face: u32,
    opposition: Opposition,
}

struct ShortListBuilder<'a> {
    geometry: &'a PairGeometry<'a>,
    bounds: TravelBounds,
    face_normals: &'a FaceNormals,
}

#[derive(Default)]
struct Workspace {
    pairs: Vec<NearPair>,
    distances: Vec<f64>,
    /// Faces that may give a constraint with the node.
    near: Vec<NearFace>,
    /// Normal cones of the face ring of the node.
    face_ring: Vec<NormalCone>,
    /// Nodes of near faces whose face rings have been tested.
    passed: Vec<u32>,
}

impl PairGeometry<'_> {
    /// Pairs within `reach` \[m\] that can touch, with their distances.
    pub fn within(&self, near: &[NearPair], reach: f64) -> Vec<NearPair> {
        let mut distances = Vec::with_capacity(near.len());
        self.measure(near, &mut distances);
        let mut within = Vec::with_capacity(distances.iter().filter(|&&distance| distance <= reach).count());
        within.extend(near.iter().zip(distances).filter_map(|(pair, distance)| {
            let is_near = distance <= reach && self.model.can_touch(&self.candidate(pair));
            is_near.then_some(NearPair { distance: (distance * ROUNDED_DOWN) as f32, ..*pair })
        }));
        within
    }

    /// Face normals for the short lists of `num_pairs` near pairs; empty for few pairs.
    ///
    /// # Cost
    /// One parallel pass over the faces.
    pub fn face_normals(&self, num_pairs: usize) -> FaceNormals {
        let num_faces: usize = self.bodies.iter().map(|&body| self.surface(body).num_faces()).sum();
        FaceNormals(match num_pairs > num_faces {
            true => self.bodies.map(|body| face_normals(self.surface(body), self.positions)),
            false => Default::default(),
        })
    }

    /// Candidates that can give a constraint, in the node order of `near`. The cost is least if the pairs of each node
    /// ascend by distance.
    pub fn short_list(
        &self,
        near: &[NearPair],
        bounds: TravelBounds,
        face_normals: &FaceNormals,
    ) -> Vec<Candidate> {
        let short_list = ShortListBuilder { geometry: self, bounds, face_normals };
        let (mut candidates, mut work) = (Vec::new(), Workspace::default());
        for pairs in near.chunk_by(NearPair::is_of_same_node) {
            short_list.add_node(pairs, &mut work, &mut candidates);
        }
        candidates
    }

    fn surface(&self, body: u32) -> &Surface {
        &self.model.surfaces[body as usize]
    }

    fn candidate(&self, pair: &NearPair) -> Candidate {
        let target = pair.target as usize;
        let key = NodeOnSurface { contactor: pair.node, target: self.bodies[target] };
        Candidate::new(key, pair.face, self.bodies[1 - target])
    }

    fn face(&self, pair: &NearPair) -> (CellKind, &[u32]) {
        self.surface(self.bodies[pair.target as usize]).face(pair.face as usize)
    }

    /// Appends the distance of each pair \[m\], or a lower bound for warped and curved faces.
    fn measure(&self, mut pairs: &[NearPair], distances: &mut Vec<f64>) {
        while let Some(first) = pairs.first() {
            let kind = self.face(first).0;
            let triangles = triangles_of(kind);
            let at_once = LANES / triangles.len().max(1);
            let alike = pairs.iter().take(at_once).take_while(|pair| self.face(pair).0 == kind).count();
            // A single triangle is faster without lanes.
            let in_lanes = alike * triangles.len() > 1;
            let (selected, others) = pairs.split_at(if in_lanes { alike } else { 1 });
            if in_lanes {
                let found = self.distances_of_triangles(selected, triangles);
                let of_pair = |(pair, found): (&NearPair, &[f64])| {
                    let nearest = found.iter().copied().fold(f64::INFINITY, f64::min);
                    (nearest - self.warp(pair)).max(0.0)
                };
                distances.extend(selected.iter().zip(found.chunks(triangles.len())).map(of_pair));
            } else {
                distances.push(self.distance(first));
            }
            pairs = others;
        }
    }

    /// Distances of the nodes from the triangles of their faces, one triangle per lane \[m\].
    fn distances_of_triangles(&self, pairs: &[NearPair], triangles: &[[usize; 3]]) -> [f64; LANES] {
        let (mut corners, mut queries) = ([[Vec3::zeros(); 3]; LANES], [Vec3::zeros(); LANES]);
        for lane in 0..LANES {
            let pair = &pairs[(lane / triangles.len()).min(pairs.len() - 1)];
            let nodes = self.face(pair).1;
            corners[lane] = triangles[lane % triangles.len()].map(|k| self.positions[nodes[k] as usize]);
            queries[lane] = self.positions[pair.node as usize];
        }
        let triangles = TriangleLanes::from_fn(|lane, corner| corners[lane][corner]);
        let queries = points_from_fn(|lane| queries[lane]);
        let mut closest = [ClosestLanes::ZERO];
        closest_points_of_triangles(self.vectorised, &[triangles], &[queries], &mut closest);
        closest[0].distance_squared.settled().map(f64::sqrt)
    }

    /// Bound on the distance of a quadrilateral from its two triangles \[m\]; zero for other faces.
    fn warp(&self, pair: &NearPair) -> f64 {
        match self.face(pair) {
            (CellKind::Quad4, nodes) => {
                let at = |k: usize| self.positions[nodes[k] as usize];
                0.25 * (at(0) - at(1) + at(2) - at(3)).norm()
            }
            _ => 0.0,
        }
    }

    /// Distance of a node from a face \[m\]: exact for segments and triangles, otherwise a lower bound.
    fn distance(&self, pair: &NearPair) -> f64 {
        let (kind, nodes) = self.face(pair);
        let position = &self.positions[pair.node as usize];
        let mut points = [Vec3::zeros(); MAX_CONTROL_POINTS];
        let points = control_points(kind, nodes, self.positions, &mut points);
        match kind {
            CellKind::Line2 | CellKind::Tri3 => {
                closest_point(Method::Auto, Start::Nearest, kind, points, position).distance_squared.sqrt()
            }
            _ => Aabb::fit(points, rounding_of(points)).offset(position).norm(),
        }
    }
}

/// Triangles of a face, as local corner numbers; empty for segments and curved faces.
fn triangles_of(kind: CellKind) -> &'static [[usize; 3]] {
    match kind {
        CellKind::Tri3 => &[[0, 1, 2]],
        CellKind::Quad4 => &[[0, 1, 2], [0, 2, 3]],
        _ => &[],
    }
}

fn face_normals(surface: &Surface, positions: &[Vec3]) -> Vec<FaceNormal> {
    let faces = (0..surface.num_faces() as u32).into_par_iter().with_min_len(FACES_PER_TASK);
    faces.map(|face| FaceNormal::of(surface, face, positions)).collect()
}

impl ShortListBuilder<'_> {
    fn add_node(&self, group: &[NearPair], work: &mut Workspace, candidates: &mut Vec<Candidate>) {
        let PairGeometry { model, positions, rounding, .. } = *self.geometry;
        let TravelBounds { travelled, allowance } = self.bounds;
        let Candidate { key, contactor_body, .. } = self.geometry.candidate(&group[0]);
        let target = group[0].target as usize;
        let mut farthest = model.reach_of_node(key, contactor_body) + rounding + allowance;
        work.near.clear();
        for pairs in group.chunks(LANES) {
            work.pairs.clear();
            work.pairs.extend(pairs.iter().filter(|pair| f64::from(pair.distance) <= farthest + travelled));
            work.distances.clear();
            if travelled == 0.0 {
                // The listed distances are still current.
                work.distances.extend(work.pairs.iter().map(|pair| f64::from(pair.distance)));
            } else {
                self.geometry.measure(&work.pairs, &mut work.distances);
            }
            for k in 0..work.pairs.len() {
                let (face, distance) = (work.pairs[k].face, work.distances[k]);
                if distance > farthest {
                    continue;
                }
                if work.near.is_empty() {
                    self.find_face_ring(1 - target, key.contactor, work);
                }
                let opposition = opposition(&work.face_ring, &self.normal_cone(target, face));
                let reach = || model.reach_of(&Candidate::new(key, face, contactor_body));
                if opposition == Opposition::Always {
                    let most = distance * ROUNDED_BACK + 2.0 * self.geometry.warp(&work.pairs[k]);
                    if most + allowance <= reach() - rounding {
                        farthest = farthest.min(most + 2.0 * (allowance + rounding));
                    }
                }
                work.near.push(NearFace { distance, face, opposition });
            }
        }
        work.near.retain(|near| near.distance <= farthest && near.opposition != Opposition::Never);
        let position = &positions[key.contactor as usize];
        work.passed.clear();
        if !work.near.iter().all(|near| self.is_in_front_of(target, near.face, position, &mut work.passed)) {
            let candidate = |near: &NearFace| {
                let &NearFace { face, opposition, .. } = near;
                Candidate { key, face, contactor_body, normals_are_opposed: opposition == Opposition::Always }
            };
            work.near.sort_unstable_by_key(|near| near.face);
            candidates.extend(work.near.iter().map(candidate));
        }
    }

    fn surface(&self, side: usize) -> &Surface {
        self.geometry.surface(self.geometry.bodies[side])
    }

    fn normal_cone(&self, side: usize, face: u32) -> NormalCone {
        let PairGeometry { positions, rounding, .. } = *self.geometry;
        let FaceNormals(known) = self.face_normals;
        let face_normal = match known[side].get(face as usize) {
            Some(known) => *known,
            None => FaceNormal::of(self.surface(side), face, positions),
        };
        face_normal.cone_within(self.bounds.allowance + rounding)
    }

    fn find_face_ring(&self, side: usize, node: u32, work: &mut Workspace) {
        let surface = self.surface(side);
        let around = surface.faces_of_node(node);
        work.face_ring.clear();
        work.face_ring.extend(around.iter().map(|&face| self.normal_cone(side, face)));
    }

    /// Whether a point stays in front of the planes of a face and of all faces that share a node with this face.
    /// `passed` lists the nodes whose face rings have been tested.
    fn is_in_front_of(&self, side: usize, face: u32, point: &Vec3, passed: &mut Vec<u32>) -> bool {
        if !self.is_in_front_of_plane(side, face, point) {
            return false;
        }
        let surface = self.surface(side);
        surface.local_nodes_of_face(face as usize).iter().all(|&local| {
            if passed.contains(&local) {
                return true;
            }
            passed.push(local);
            let around = surface.faces_of_local_node(local as usize);
            around.iter().all(|&other| other == face || self.is_in_front_of_plane(side, other, point))
        })
    }

    fn is_in_front_of_plane(&self, side: usize, face: u32, point: &Vec3) -> bool {
        let PairGeometry { model, bodies, positions, rounding, .. } = *self.geometry;
        let (allowance, NormalCone { normal, turn }) = (self.bounds.allowance, self.normal_cone(side, face));
        let (kind, nodes) = self.surface(side).face(face as usize);
        // A segment or a triangle has a single plane.
        let corners = if kind == CellKind::Quad4 { nodes } else { &nodes[..1] };
        corners.iter().all(|&corner| {
            let offset = point - positions[corner as usize];
            let off =
                model.offset(bodies) + allowance + (offset.norm() + allowance) * (turn + ROUNDING) + rounding;
            offset.dot(&normal) > off
        })
    }
}

/// Whether the normal of a node, a mean over its face ring, is opposed to the normal of a face.
fn opposition(face_ring: &[NormalCone], face: &NormalCone) -> Opposition {
    let mut opposition = face_ring.iter().map(|other| other.opposition(face));
    let Some(first) = opposition.next() else { return Opposition::Never };
    if opposition.all(|other| other == first) { first } else { Opposition::Perhaps }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::primitive::node_face::{NodeFaceOptions, NodeFaceSearch, StartFrom};
    use crate::detection::samples::Samples;
    use crate::{Constraints, ContactKey};

    const CELLS: u32 = 3;
    const NODES: u32 = (CELLS + 1) * (CELLS + 1);

    fn sheet(kind: CellKind, first: u32, faces_up: bool) -> Surface {
        let n = CELLS + 1;
        let cell = |cell: u32| {
            let a = first + cell / CELLS * n + cell % CELLS;
            let [b, c, d] = [a + 1, a + n + 1, a + n];
            match kind {
                CellKind::Quad4 => vec![vec![a, b, c, d]],
                _ => vec![vec![a, b, c], vec![a, c, d]],
            }
        };
        let mut faces: Vec<Vec<u32>> = (0..CELLS * CELLS).flat_map(cell).collect();
        if !faces_up {
            faces.iter_mut().for_each(|face| face.reverse());
        }
        Surface::new(faces.iter().map(|face| (kind, face.as_slice())))
    }

    fn constraints(
        model: &ContactModel,
        candidates: &[Candidate],
        positions: &[Vec3],
    ) -> Vec<(ContactKey, u64, Vec<u32>)> {
        let mut search = NodeFaceSearch::default();
        let mut found = Constraints::default();
        let options = NodeFaceOptions { method: Method::Auto, start: StartFrom::Nearest };
        search.group(candidates, model, options.start);
        search.find(candidates, model, options, positions, &mut found);
        found.iter().map(|c| (c.key, c.gap.to_bits(), c.nodes.to_vec())).collect()
    }

    /// Two interpenetrating bumpy sheets: the short list gives all constraints for any displacement within the
    /// allowance.
    #[test]
    fn the_short_list_gives_all_constraints() {
        let samples = &mut Samples::new(5);
        let (mut listed, mut all, mut penetrated) = ([0; 2], 0, 0);
        for case in 0..800 {
            let kind = [CellKind::Tri3, CellKind::Quad4][case % 2];
            // The largest bumps make some quadrilaterals reflex. Coincident nodes collapse some faces.
            let bump = samples.uniform(0.0, 0.4) * samples.pick(&[1.0, 1.0, 2.0]);
            let (between, offset) = (samples.uniform(-0.4, 0.6), samples.pick(&[0.0, 0.0, 0.1]));
            let collapsed = samples.pick(&[0, 0, 1, 2]);
            let place = |node: u32, bump: Vec3| {
                let (i, j, upper) = (node % NODES % (CELLS + 1), node % NODES / (CELLS + 1), node / NODES);
                Vec3::new(f64::from(i) + 0.3, f64::from(j) + 0.2, between) * f64::from(upper)
                    + Vec3::new(f64::from(i), f64::from(j), 0.0) * f64::from(1 - upper)
                    + bump
            };
            let mut positions: Vec<Vec3> =
                (0..2 * NODES).map(|node| place(node, samples.vector(bump))).collect();
            for node in (CELLS + 2..2 * NODES).step_by(CELLS as usize + 2).take(collapsed) {
                positions[node as usize] = positions[node as usize - 1];
            }
            let surfaces = vec![sheet(kind, 0, true), sheet(kind, NODES, false)];
            let model = ContactModel::new(surfaces, &[], &positions).with_offsets(&[offset, 0.5 * offset]);
            let [travelled, allowance] = [0, 1].map(|_| samples.pick(&[0.0, 0.01, 0.05, 0.2]));
            let geometry = PairGeometry {
                model: &model,
                bodies: [0, 1],
                positions: &positions,
                rounding: 1e-9,
                vectorised: Vectorised::detect(),
            };
            let pairs = |target: u32| {
                let nodes = (1 - target) * NODES..(2 - target) * NODES;
                let num_faces = model.surfaces[target as usize].num_faces() as u32;
                nodes.flat_map(move |node| {
                    (0..num_faces).map(move |face| NearPair { target, node, face, distance: 0.0 })
                })
            };
            let near: Vec<NearPair> = (0..2).flat_map(pairs).collect();
            let mut every: Vec<Candidate> = near.iter().map(|pair| geometry.candidate(pair)).collect();
            every.sort_unstable();
            let unordered =
                geometry.within(&near, model.search_distance([0, 1]) + travelled + allowance + 1e-6);
            let mut near = unordered.clone();
            near.sort_unstable_by_key(NearPair::order);
            let mut go = |from: &[Vec3], allowance: f64| -> Vec<Vec3> {
                from.iter().map(|position| position + samples.direction() * (0.5 * allowance)).collect()
            };
            let positions = go(&positions, travelled);
            let geometry = PairGeometry { positions: &positions, ..geometry };
            let face_normals = geometry.face_normals(usize::MAX);
            let short_list = |near: &[NearPair]| {
                geometry.short_list(near, TravelBounds { travelled, allowance }, &face_normals)
            };
            let short = short_list(&near);
            assert_eq!(short, short_list(&unordered));
            let none = geometry.face_normals(0);
            assert_eq!(short, geometry.short_list(&near, TravelBounds { travelled, allowance }, &none));
            let mut short = short;
            short.sort_unstable();
            listed[case % 2] += short.len();
            all += every.len();
            for _ in 0..10 {
                let moved = go(&positions, allowance);
                let expected = constraints(&model, &every, &moved);
                assert_eq!(constraints(&model, &short, &moved), expected, "bounds {travelled}, {allowance}");
                penetrated += expected.len();
            }
        }
        assert!(penetrated > 20_000, "{penetrated}");
        // Two triangles replace one quadrilateral.
        let [triangles, quadrilaterals] = listed;
        assert!(8 * triangles < 2 * all / 3 && 4 * quadrilaterals < all / 3, "{listed:?} of {all}");
    }
}
