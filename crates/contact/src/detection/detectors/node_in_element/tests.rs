//! Tests of nodes in the elements of blocks that are at rest, deformed or moving.

use std::collections::{BTreeMap, HashMap};

use super::*;
use crate::detection::face::closest_point::Method;
use crate::detection::model::ContactPolicy;
use crate::detection::primitive::node_face::StartFrom;
use crate::detection::samples::Samples;
use crate::element::natural_nodes;
use crate::math::{Mat3, Rotation};
use crate::mesh::CellKind;

const KINDS: [CellKind; 9] = [
    CellKind::Tri3,
    CellKind::Quad4,
    CellKind::Tri6,
    CellKind::Quad8,
    CellKind::Tet4,
    CellKind::Hex8,
    CellKind::Tet10,
    CellKind::Hex20,
    CellKind::Hex27,
];

/// Six tetrahedra of a cube.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]];

/// Elements of one kind and the positions of their nodes.
#[derive(Default)]
struct Mesh {
    positions: Vec<Vec3>,
    cells: Vec<u32>,
    places: HashMap<[i64; 3], u32>,
}

impl Mesh {
    /// A grid of unit cells in the first quadrant or octant, reduced to the cells for which `kept` holds.
    fn grid(kind: CellKind, counts: [usize; 3], kept: impl Fn([usize; 3]) -> bool) -> Self {
        let mut mesh = Self::default();
        let layers = if kind.dimension() == 2 { 1 } else { counts[2] };
        for k in 0..layers {
            for j in 0..counts[1] {
                for i in (0..counts[0]).filter(|&i| kept([i, j, k])) {
                    mesh.add_cube(kind, Vec3::new(i as f64, j as f64, k as f64));
                }
            }
        }
        mesh
    }

    fn add_cube(&mut self, kind: CellKind, at: Vec3) {
        let corner = |c: usize| {
            let [x, y] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]][c % 4];
            at + Vec3::new(x, y, (c / 4) as f64)
        };
        let add = |mesh: &mut Self, corners: &[usize]| {
            let corners: Vec<Vec3> = corners.iter().map(|&c| corner(c)).collect();
            mesh.add_element(kind, &corners);
        };
        match kind.linear() {
            CellKind::Tri3 => [[0, 1, 2], [0, 2, 3]].iter().for_each(|corners| add(self, corners)),
            CellKind::Quad4 => add(self, &[0, 1, 2, 3]),
            CellKind::Tet4 => TETRAHEDRA.iter().for_each(|corners| add(self, corners)),
            _ => add(self, &[0, 1, 2, 3, 4, 5, 6, 7]),
        }
    }

    fn add_element(&mut self, kind: CellKind, corners: &[Vec3]) {
        for xi in natural_nodes(kind) {
            let mut values = [0.0; MAX_NODES];
            shape_values(kind.linear(), xi, &mut values);
            let place: Vec3 = corners.iter().zip(values).map(|(corner, value)| corner * value).sum();
            let key = std::array::from_fn(|i| (place[i] * 4096.0).round() as i64);
            let node = *self.places.entry(key).or_insert_with(|| {
                self.positions.push(place);
                self.positions.len() as u32 - 1
            });
            self.cells.push(node);
        }
    }

    fn surface(&self, kind: CellKind) -> Surface {
        let mut faces: BTreeMap<Vec<u32>, Option<(CellKind, Vec<u32>)>> = BTreeMap::new();
        for element in self.cells.chunks_exact(kind.num_nodes()) {
            for face in kind.faces() {
                let nodes: Vec<u32> = face.nodes.iter().map(|&k| element[k as usize]).collect();
                let mut key = nodes.clone();
                key.sort_unstable();
                let found = faces.entry(key).or_insert(Some((face.kind, nodes.clone())));
                if found.as_ref().is_some_and(|(_, first)| *first != nodes) {
                    *found = None;
                }
            }
        }
        Surface::new(faces.values().flatten().map(|(kind, nodes)| (*kind, nodes.as_slice())))
    }
}

/// A block of 7 × 7 × 6 unit cells (in the plane 7 × 6), and a small simplex, the tip. The tests move the last node of
/// the tip into the block.
struct Scene {
    kind: CellKind,
    block: usize,
    positions: Vec<Vec3>,
    detector: NodeInElement,
}

impl Scene {
    fn new(kind: CellKind) -> Self {
        let plane = kind.dimension() == 2;
        let block = Mesh::grid(kind, if plane { [7, 6, 1] } else { [7, 7, 6] }, |_| true);
        let count = block.positions.len() as u32;
        let tip_kind = if plane { CellKind::Tri3 } else { CellKind::Tet4 };
        let mut tip = Mesh::default();
        let tops = [[0.1, 0.2, 0.2], [-0.1, 0.2, 0.2], [0.0, -0.2, 0.2], [0.0; 3]].map(Vec3::from);
        let corners =
            if plane { vec![tops[0], tops[1], tops[3]] } else { vec![tops[0], tops[2], tops[1], tops[3]] };
        let corners: Vec<Vec3> =
            corners.into_iter().map(|x| Vec3::new(x.x, x.y, if plane { 0.0 } else { x.z })).collect();
        tip.add_element(tip_kind, &corners);
        let tip_cells: Vec<u32> = tip.cells.iter().map(|node| node + count).collect();
        let above = Vec3::repeat(20.0) - if plane { Vec3::z() * 20.0 } else { Vec3::zeros() };
        let positions: Vec<Vec3> =
            block.positions.iter().copied().chain(tip.positions.iter().map(|x| x + above)).collect();
        let tip_surface = tip.surface(tip_kind);
        let moved: Vec<(CellKind, Vec<u32>)> = (0..tip_surface.num_faces())
            .map(|face| {
                let (kind, nodes) = tip_surface.face(face);
                (kind, nodes.iter().map(|node| node + count).collect())
            })
            .collect();
        let surfaces = vec![
            block.surface(kind),
            Surface::new(moved.iter().map(|(kind, nodes)| (*kind, nodes.as_slice()))),
        ];
        let cells = [vec![(kind, block.cells.as_slice())], vec![(tip_kind, tip_cells.as_slice())]];
        let model = ContactModel::of_solids(surfaces, &cells, ContactPolicy::default(), &positions)
            .with_search_depth(2.0);
        Self { kind, block: count as usize, detector: detector(model, &cells, &positions), positions }
    }

    /// Moves the tip so that its last node is at a position.
    fn place_tip(&mut self, at: Vec3) {
        let by = at - self.positions[self.positions.len() - 1];
        self.positions[self.block..].iter_mut().for_each(|x| *x += by);
    }

    fn detect(&mut self) -> Constraints {
        let mut constraints = Constraints::default();
        let positions = self.positions.as_slice();
        let configuration =
            Configuration { time: 0.0, time_step: 1.0, positions, positions_before: positions };
        self.detector.detect(&configuration, &mut constraints);
        constraints
    }

    /// Maps the block by a random x = A X. The last node of the tip moves to the image of a point below the middle of
    /// the top. Returns A and the depth of this point before the mapping.
    fn map_and_press(&mut self, reference: &[Vec3], samples: &mut Samples) -> (Mat3, f64) {
        let turned = Rotation::from_scaled_axis(match self.kind.dimension() {
            2 => Vec3::z() * samples.uniform(-3.0, 3.0),
            _ => samples.vector(2.0),
        });
        let stretch = Mat3::from_fn(|i, j| {
            let in_plane = i.max(j) < self.kind.dimension();
            let shear = if in_plane { samples.uniform(-0.25, 0.25) } else { 0.0 };
            if i == j { 1.0 + shear } else { shear }
        });
        let map = turned.to_rotation_matrix().into_inner() * stretch;
        for (x, reference) in self.positions.iter_mut().zip(&reference[..self.block]) {
            *x = map * reference;
        }
        let depth = samples.uniform(0.01, 0.9);
        let up = self.up();
        let aside = Vec3::new(3.5 + samples.uniform(-0.5, 0.5), 3.5 + samples.uniform(-0.5, 0.5), 0.0);
        let point = aside - up * aside.dot(&up) + up * (6.0 - depth);
        self.place_tip(map * point);
        (map, depth)
    }

    /// The direction along which the depth is measured.
    fn up(&self) -> Vec3 {
        if self.kind.dimension() == 2 { Vec3::y() } else { Vec3::z() }
    }
}

fn options() -> NodeInElementOptions {
    NodeInElementOptions {
        field: DistanceFieldOptions::default(),
        normal: ProjectionNormal::Target,
        node_face: NodeFaceOptions { method: Method::Auto, start: StartFrom::Nearest },
    }
}

fn detector(model: ContactModel, cells: &[Vec<Cells<'_>>], positions: &[Vec3]) -> NodeInElement {
    NodeInElement::new(model, cells, options(), positions).unwrap()
}

/// Below the middle of the top of a block, the distance field is the distance from the plane of the top. After a
/// mapping x = A X, the gap and the normal therefore belong to the mapped plane, to 1e-10 (theory: exact). With the
/// weights w and the positions x of the nodes of a contact, Σ w = 0 and Σ w x = 0 to rounding. The nodal forces of a
/// contact therefore have zero resultant and zero moment.
#[test]
fn gaps_below_a_mapped_plane_are_exact() {
    let mut samples = Samples::new(37);
    for kind in KINDS {
        let mut scene = Scene::new(kind);
        let (reference, up) = (scene.positions.clone(), scene.up());
        for _ in 0..40 {
            let (map, depth) = scene.map_and_press(&reference, &mut samples);
            let found = scene.detect();
            let tip = scene.positions.len() as u32 - 1;
            let constraint = found.of_contactor(tip).next();
            let constraint = constraint.unwrap_or_else(|| panic!("{} at depth {depth}", kind.name()));
            let gradient = map.try_inverse().unwrap().transpose() * up;
            let expected = -depth / gradient.norm();
            assert!(
                (constraint.gap - expected).abs() < 1e-10,
                "{}: {} {expected}",
                kind.name(),
                constraint.gap
            );
            assert!((constraint.normal - gradient.normalize()).norm() < 1e-10, "{}", kind.name());
            assert!(constraint.weights.iter().sum::<f64>().abs() < 1e-13);
            assert!(constraint.jump(&scene.positions).norm() < 1e-11, "{}", kind.name());
            let force = samples.vector(1.0);
            let moment: Vec3 = constraint
                .nodes
                .iter()
                .zip(constraint.weights)
                .map(|(&node, weight)| scene.positions[node as usize].cross(&(force * *weight)))
                .sum();
            assert!(moment.norm() < 1e-11, "{}: {moment}", kind.name());
        }
    }
}

/// The change of the gap follows from the weights w and the normal ν. For any displacement δx of the node and any
/// translation of the block, δg = ν · Σ w δx to 1e-10. Below a plane the gap g is linear in these displacements (Wolff
/// & Bucher 2013, (31)).
#[test]
fn gaps_vary_with_the_weights() {
    let mut samples = Samples::new(31);
    for kind in KINDS {
        let mut scene = Scene::new(kind);
        let (reference, block) = (scene.positions.clone(), scene.block);
        for _ in 0..40 {
            scene.map_and_press(&reference, &mut samples);
            let (before, start) = (scene.detect(), scene.positions.clone());
            let plane = |v: Vec3| if kind.dimension() == 2 { Vec3::new(v.x, v.y, 0.0) } else { v };
            let [of_block, of_tip] = [3.0, 0.005].map(|size| plane(samples.vector(size)));
            scene.positions.iter_mut().for_each(|x| *x += of_block);
            scene.positions[block..].iter_mut().for_each(|x| *x += of_tip);
            let after = scene.detect();
            let tip = scene.positions.len() as u32 - 1;
            let [before, after] = [&before, &after].map(|found| found.of_contactor(tip).next().unwrap());
            let travel: Vec<Vec3> = scene.positions.iter().zip(&start).map(|(to, from)| to - from).collect();
            let expected = before.normal.dot(&before.jump(&travel));
            let change = after.gap - before.gap;
            assert!((change - expected).abs() < 1e-10, "{}: {change} {expected}", kind.name());
        }
    }
}

/// A node moves through a block. With and without the element of the last step as start of the search, the detector
/// finds the same element and bitwise the same gap.
#[test]
fn tracked_nodes_are_found_like_others() {
    let mut samples = Samples::new(5);
    for kind in KINDS {
        let [mut tracking, mut forgetful] = [(), ()].map(|()| Scene::new(kind));
        let mut at = Vec3::new(4.2, 4.4, 5.5);
        let mut in_contact = 0;
        for _ in 0..300 {
            at += samples.vector(0.2);
            at = at.sup(&Vec3::repeat(4.1)).inf(&Vec3::new(6.9, 5.9, 5.9));
            // In 30 % of the steps the node is on a corner of an element.
            let snapped = if samples.uniform(0.0, 1.0) < 0.3 { at.map(f64::round) } else { at };
            let place = if kind.dimension() == 2 { Vec3::new(snapped.x, snapped.y, 0.0) } else { snapped };
            tracking.place_tip(place);
            forgetful.place_tip(place);
            forgetful.detector.start_from(&DetectionMemory::default());
            let [one, other] = [&mut tracking, &mut forgetful].map(Scene::detect);
            assert_eq!(format!("{one:?}"), format!("{other:?}"), "{}", kind.name());
            in_contact += one.len();
        }
        assert!(in_contact > 100, "{}: {in_contact}", kind.name());
    }
}

/// A node on a common edge or face of several elements is in the element with the lowest number.
#[test]
fn the_first_element_has_a_node_on_its_side() {
    let mut scene = Scene::new(CellKind::Hex8);
    for (at, element) in [(Vec3::new(2.0, 2.0, 5.5), [1, 1, 5]), (Vec3::new(2.5, 2.5, 5.0), [2, 2, 4])] {
        scene.place_tip(at);
        let found = scene.detect();
        let [i, j, k] = element.map(f64::from);
        let contact = found.of_contactor(scene.positions.len() as u32 - 1).next().unwrap();
        let nodes = contact.nodes[1..].iter().map(|&node| scene.positions[node as usize]);
        let centre = nodes.sum::<Vec3>() / 8.0;
        assert!((centre - Vec3::new(i + 0.5, j + 0.5, k + 0.5)).norm() < 1e-12, "{at}: {centre}");
    }
}

/// A hook with two arms. At rest the detector finds no contact. With the upper arm pressed into the lower arm by 0.1,
/// the detector finds contacts. Where the distance field is the distance from a plane, the gap of the contacts is −0.1
/// to 1e-10.
#[test]
fn bodies_touch_themselves_where_they_overlap() {
    for kind in [CellKind::Hex8, CellKind::Tet4, CellKind::Hex27, CellKind::Quad4, CellKind::Tri6] {
        let plane = kind.dimension() == 2;
        let vertical = kind.dimension() - 1;
        let counts = if plane { [6, 5, 1] } else { [6, 5, 5] };
        let mesh = Mesh::grid(kind, counts, |cell| cell[0] == 0 || cell[vertical] != 2);
        let mut positions = mesh.positions.clone();
        let cells = [vec![(kind, mesh.cells.as_slice())]];
        let model =
            ContactModel::of_solids(vec![mesh.surface(kind)], &cells, ContactPolicy::default(), &positions)
                .with_search_depth(0.5)
                .with_self_contact(&[0]);
        let mut detector = detector(model, &cells, &positions);
        let mut detect = |positions: &[Vec3]| {
            let mut constraints = Constraints::default();
            let configuration =
                Configuration { time: 0.0, time_step: 1.0, positions, positions_before: positions };
            detector.detect(&configuration, &mut constraints);
            constraints
        };
        assert!(detect(&positions).is_empty(), "{}", kind.name());
        // The upper arm bends down: its end, three cells long, moves down by 1.1 and stays parallel to the lower arm.
        for x in positions.iter_mut().filter(|x| x[vertical] > 2.9) {
            x[vertical] -= 1.1 * ((x.x - 1.0) / 2.0).clamp(0.0, 1.0);
        }
        let found = detect(&positions);
        let mut deep = 0;
        for constraint in found.iter() {
            let node = positions[constraint.nodes[0] as usize];
            // The element that contains this node is closer to the contact side of its arm than to the other sides.
            if (node.x - 4.0).abs() < 0.1 && (plane || (1.9..3.1).contains(&node.y)) {
                assert!((constraint.gap + 0.1).abs() < 1e-10, "{} {node}: {}", kind.name(), constraint.gap);
                assert!(
                    constraint.normal[vertical].abs() > 0.999,
                    "{} {node}: {}",
                    kind.name(),
                    constraint.normal
                );
                deep += 1;
            }
        }
        assert!(deep > 0, "{}", kind.name());
    }
}

/// A sheet has no interior, and therefore no distance field.
#[test]
fn sheets_are_refused() {
    let positions = [Vec3::zeros(), Vec3::x(), Vec3::y()];
    let nodes = [0, 1, 2];
    let surface = Surface::new([(CellKind::Tri3, nodes.as_slice())]);
    let cells = [vec![(CellKind::Tri3, nodes.as_slice())]];
    let model = ContactModel::of_solids(vec![surface], &cells, ContactPolicy::default(), &positions);
    let found = NodeInElement::new(model, &cells, options(), &positions);
    assert_eq!(found.map(|_| ()).unwrap_err(), (0, DistanceFieldError::Empty));
}
