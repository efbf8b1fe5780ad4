use super::*;
use crate::detection::detector::Detector;
use crate::detection::detectors::AllPairs;
use crate::detection::face::closest_point::Method;
use crate::detection::primitive::node_face::{NodeFaceOptions, StartFrom};
use crate::mesh::CellKind;
use crate::{NodeOnSurface, Side};

/// Quadrilaterals of a box with node numbers from `first` on.
fn box_faces(first: u32) -> Vec<(CellKind, Vec<u32>)> {
    let faces = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
    faces.map(|face| (CellKind::Quad4, face.map(|node| first + node).to_vec())).to_vec()
}

fn corners(low: Vec3, high: Vec3) -> Vec<Vec3> {
    let ring = [[0, 0], [1, 0], [1, 1], [0, 1]];
    let at = |[i, j]: [usize; 2], k: usize| {
        let pick = |axis: usize, upper: usize| if upper == 0 { low[axis] } else { high[axis] };
        Vec3::new(pick(0, i), pick(1, j), pick(2, k))
    };
    (0..2).flat_map(|k| ring.map(|place| at(place, k))).collect()
}

/// A pointed tool, body 0, penetrates fixed boxes with its tip, node 0.
struct Scene {
    model: ContactModel,
    boxes: Vec<Vec3>,
    detector: AllPairs,
    faces: EntryFaces,
    before: Constraints,
}

impl Scene {
    fn new(boxes: &[[[f64; 3]; 2]]) -> Self {
        let tool = [[0, 2, 1], [0, 3, 2], [0, 1, 3]].map(|face| (CellKind::Tri3, face.to_vec()));
        let surface = |faces: &[(CellKind, Vec<u32>)]| {
            Surface::new(faces.iter().map(|(kind, nodes)| (*kind, nodes.as_slice())))
        };
        let mut surfaces = vec![surface(&tool)];
        let mut nodes = Vec::new();
        for (place, [low, high]) in (0..).zip(boxes) {
            surfaces.push(surface(&box_faces(4 + 8 * place)));
            nodes.extend(corners((*low).into(), (*high).into()));
        }
        let positions = [tool_at(Vec3::new(0.0, 0.0, 9.0)).to_vec(), nodes.clone()].concat();
        let model = ContactModel::new(surfaces, &[], &positions);
        let options = NodeFaceOptions { method: Method::Auto, start: StartFrom::Nearest };
        Self {
            detector: AllPairs::new(model.clone(), options),
            faces: EntryFaces::new(&model),
            model,
            boxes: nodes,
            before: Constraints::default(),
        }
    }

    /// Moves the tip in a step of one second; returns the target and normal of its contacts.
    fn step(&mut self, from: [f64; 3], to: [f64; 3]) -> Vec<(u32, Vec3)> {
        let [from, to] = [from, to].map(Vec3::from);
        let positions = [tool_at(to).to_vec(), self.boxes.clone()].concat();
        let before = [tool_at(from).to_vec(), self.boxes.clone()].concat();
        let configuration =
            Configuration { time: 0.0, time_step: 1.0, positions: &positions, positions_before: &before };
        let mut constraints = Constraints::default();
        self.detector.detect(&configuration, &mut constraints);
        self.faces.choose(&self.model.surfaces, &configuration, &self.before, &mut constraints);
        self.before.clone_from(&constraints);
        let is_tip = |key: ContactKey| matches!(key, ContactKey::Node(NodeOnSurface { contactor: 0, .. }));
        constraints.iter().filter(|c| is_tip(c.key)).map(|c| (c.bodies[1], c.normal)).collect()
    }
}

/// A tip with three faces that point down and to the right.
fn tool_at(tip: Vec3) -> [Vec3; 4] {
    let far = [[1.0, 0.0, 2.0], [-2.0, 1.7, 0.5], [-2.0, -1.7, 0.5]];
    let [a, b, c] = far.map(|offset| tip + Vec3::from(offset));
    [tip, a, b, c]
}

/// Asserts that the tip has one contact, with this body and this normal.
fn assert_touches(found: &[(u32, Vec3)], body: u32, normal: Vec3) {
    assert!(matches!(found, [(b, n)] if *b == body && (n - normal).norm() < 1e-9), "{found:?}");
}

const LEFT: [[f64; 3]; 2] = [[-1.0, -1.0, -1.0], [0.0, 1.0, 0.0]];
const RIGHT: [[f64; 3]; 2] = [[0.0, -1.0, -1.0], [1.0, 1.0, 0.0]];

/// A tip at a depth of 0.1 in one box moves into the next box, to 0.02 behind the side of the next box. This side is
/// then nearer to the tip than the top. Only the first box supports the tip at first. The support ends when the
/// distance of the tip past the rim of the first box exceeds the depth of the tip.
#[test]
fn seam_is_passed_on_the_top() {
    let mut scene = Scene::new(&[LEFT, RIGHT]);
    assert_touches(&scene.step([-0.06, 0.1, 0.02], [-0.06, 0.1, -0.1]), 1, Vec3::z());
    assert_touches(&scene.step([-0.06, 0.1, -0.1], [0.02, 0.1, -0.1]), 1, Vec3::z());
    assert_touches(&scene.step([0.02, 0.1, -0.1], [0.12, 0.1, -0.1]), 2, Vec3::z());
}

/// Without an earlier contact, the entry face is the face whose plane the tip crossed last.
#[test]
fn the_face_that_was_crossed_last_is_taken() {
    let mut scene = Scene::new(&[RIGHT]);
    assert_touches(&scene.step([-0.02, 0.1, -0.1], [0.15, 0.1, -0.12]), 1, -Vec3::x());
    let mut scene = Scene::new(&[RIGHT]);
    assert_touches(&scene.step([0.05, 0.1, 0.02], [0.07, 0.1, -0.15]), 1, Vec3::z());
}

/// Over a slit of 0.05, narrower than the depth, the contact continues on the top of the next box. Over a slit of 0.15
/// the contact is lost, and the side that the tip crosses becomes the entry face.
#[test]
fn slits_are_crossed_as_far_as_the_tip_is_deep() {
    let mut scene = Scene::new(&[LEFT, [[0.05, -1.0, -1.0], [1.0, 1.0, 0.0]]]);
    assert_touches(&scene.step([-0.04, 0.1, 0.02], [-0.04, 0.1, -0.1]), 1, Vec3::z());
    assert_touches(&scene.step([-0.04, 0.1, -0.1], [0.02, 0.1, -0.1]), 1, Vec3::z());
    assert_touches(&scene.step([0.02, 0.1, -0.1], [0.07, 0.1, -0.1]), 1, Vec3::z());
    assert_touches(&scene.step([0.07, 0.1, -0.1], [0.12, 0.1, -0.1]), 2, Vec3::z());
    let mut wide = Scene::new(&[LEFT, [[0.15, -1.0, -1.0], [1.0, 1.0, 0.0]]]);
    assert_touches(&wide.step([-0.04, 0.1, 0.02], [-0.04, 0.1, -0.1]), 1, Vec3::z());
    assert!(wide.step([-0.04, 0.1, -0.1], [0.12, 0.1, -0.1]).is_empty());
    assert_touches(&wide.step([0.12, 0.1, -0.1], [0.17, 0.1, -0.1]), 2, -Vec3::x());
}

/// A tip below the top of a box, and past the rim of the top by less than the depth of the tip. The tip is outside
/// unless it entered through the top.
#[test]
fn what_comes_along_the_side_is_outside() {
    let mut scene = Scene::new(&[LEFT]);
    assert!(scene.step([0.2, 0.1, -0.1], [0.08, 0.1, -0.1]).is_empty());
    assert!(scene.step([0.08, 0.1, -0.1], [0.03, 0.1, -0.12]).is_empty());
    let mut scene = Scene::new(&[LEFT]);
    assert!(scene.step([0.03, 0.1, 0.02], [0.03, 0.1, -0.1]).is_empty());
    let mut scene = Scene::new(&[LEFT]);
    assert_touches(&scene.step([-0.05, 0.1, 0.02], [0.03, 0.1, -0.1]), 1, Vec3::z());
}

/// A tip that reaches an edge in the bisecting plane of the two adjacent faces is pushed out in this plane.
#[test]
fn equal_faces_push_between_them() {
    let mut scene = Scene::new(&[RIGHT]);
    let found = scene.step([-0.1, 0.1, 0.1], [0.05, 0.1, -0.05]);
    assert_touches(&found, 1, Vec3::new(-1.0, 0.0, 1.0).normalize());
}

/// A contact on an edge of a quadrilateral acts only on the nodes of the edge.
#[test]
fn nodes_that_carry_nothing_are_not_in_contact() {
    let mut before = Constraints::default();
    let contactor = Side { body: 0, nodes: &[9], shape_values: &[1.0] };
    let target = Side { body: 1, nodes: &[0, 1, 2, 3], shape_values: &[0.25, 0.75, 1e-17, 0.0] };
    let key = ContactKey::Node(NodeOnSurface { contactor: 9, target: 1 });
    before.push(key, -0.1, Vec3::z(), contactor, target);
    let mut faces = EntryFaces::default();
    faces.note(&before);
    let found: Vec<(u32, f64)> = faces.records.iter().map(|record| (record.node, record.sign)).collect();
    assert_eq!(found, [(0, -1.0), (1, -1.0), (9, 1.0)]);
}

/// A tip is below the common edge of two coplanar faces of a floor. The detected contact stays bitwise, although its
/// gap differs by rounding from the gaps of both faces.
#[test]
fn the_original_contact_stays_among_coplanar_faces() {
    let tool = [[0, 2, 1], [0, 3, 2], [0, 1, 3]].map(|face| (CellKind::Tri3, face.as_slice().to_vec()));
    let floor = [[4, 5, 8, 7], [5, 6, 9, 8]].map(|face| (CellKind::Quad4, face.to_vec()));
    let surfaces = [tool.to_vec(), floor.to_vec()]
        .map(|faces| Surface::new(faces.iter().map(|(kind, nodes)| (*kind, nodes.as_slice()))));
    let tip = Vec3::new(0.0, 0.1, -0.1);
    let row = |y: f64| [-1.0, 0.0, 1.0].map(|x| Vec3::new(x, y, 0.0));
    let positions = [tool_at(tip).to_vec(), row(-1.0).to_vec(), row(1.0).to_vec()].concat();
    let mut earlier = positions.clone();
    earlier[..4].iter_mut().for_each(|x| *x += Vec3::z());
    let configuration =
        Configuration { time: 0.0, time_step: 1.0, positions: &positions, positions_before: &earlier };
    let model = ContactModel::new(surfaces.to_vec(), &[], &positions);
    let mut before = Constraints::default();
    let contactor = Side { body: 0, nodes: &[0], shape_values: &[1.0] };
    let target = Side { body: 1, nodes: &[4, 5, 8, 7], shape_values: &[0.0, 0.45, 0.55, 0.0] };
    let key = ContactKey::Node(NodeOnSurface { contactor: 0, target: 1 });
    before.push(key, -0.1 * (1.0 + 1e-15), Vec3::z(), contactor, target);
    let mut chosen = before.clone();
    let mut faces = EntryFaces::new(&model);
    faces.choose(&model.surfaces, &configuration, &Constraints::default(), &mut chosen);
    assert_eq!(chosen.get(0).gap, before.get(0).gap);
    assert_eq!(chosen.get(0).weights, before.get(0).weights);
}
