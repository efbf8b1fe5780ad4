//! A plate folded like a letter, with layers in self-contact.

use ictus::contact::Surface;
use ictus::math::Vec3;
use ictus::mesh::CellKind;

use crate::random::Random;
use crate::scaling::Crowd;

/// Layers of the folded plate.
const LAYERS: usize = 6;
/// Thickness of the plate, in lengths of a cell.
const THICKNESS: f64 = 0.5;
/// Distance between the centre lines of neighbouring layers before the plate is pressed, in lengths of a cell. It is
/// the diameter of the folds.
const APART: f64 = 2.0;
/// Distance between the centre lines of neighbouring layers at the centre of the pressed plate, in lengths of a cell.
/// The surfaces overlap by 0.02 lengths on average.
const PRESSED: f64 = THICKNESS - 0.02;
/// Start and end of the transition from `PRESSED` to `APART`, as fractions of half the length of a layer. The folds of
/// plates with fewer than 23 cells per layer end before the transition does.
const PARTING: [f64; 2] = [0.3, 0.95];
/// Number of points of the centre line within a cell.
const FINENESS: usize = 16;

/// Centre line of the pressed plate in the side view: position, normal and layer of each node. Before the plate is
/// pressed, cells have length 1.
fn meander(cells_per_layer: usize) -> Vec<(Vec3, Vec3, usize)> {
    let length = (LAYERS * cells_per_layer) as f64;
    let layer_length = cells_per_layer as f64;
    let bend = 0.5 * std::f64::consts::PI * APART;
    // Neighbouring layers have opposite directions; at a fold the direction turns by 180°.
    let direction = |s: f64| {
        let fold = (s / layer_length - 0.5).floor() + 1.0;
        let turned = ((s - fold * layer_length) / bend + 0.5).clamp(0.0, 1.0);
        let inner = fold > 0.0 && fold < LAYERS as f64;
        let part = if inner { turned } else { f64::from(u8::from(s < 0.5 * length)) };
        std::f64::consts::PI * if fold % 2.0 == 1.0 { part } else { 1.0 - part }
    };
    let count = LAYERS * cells_per_layer * FINENESS;
    let step = length / count as f64;
    let mut places = vec![Vec3::new(-0.5 * layer_length, 0.0, 0.0)];
    for k in 0..count {
        let angle = direction((k as f64 + 0.5) * step);
        places.push(places[k] + Vec3::new(angle.cos(), 0.0, angle.sin()) * step);
    }
    let middle = places.iter().map(|place| place.z).sum::<f64>() / places.len() as f64;
    for place in &mut places {
        let way = (2.0 * place.x.abs() / layer_length - PARTING[0]) / (PARTING[1] - PARTING[0]);
        let parted = way.clamp(0.0, 1.0).powi(2) * (3.0 - 2.0 * way.clamp(0.0, 1.0));
        place.z = (place.z - middle) * (PRESSED / APART + (1.0 - PRESSED / APART) * parted);
    }
    let node = |k: usize| {
        let at = k * FINENESS;
        let along = places[(at + 1).min(count)] - places[at.saturating_sub(1)];
        let normal = Vec3::new(-along.z, 0.0, along.x).normalize();
        (places[at], normal, (k / cells_per_layer).min(LAYERS - 1))
    };
    (0..=LAYERS * cells_per_layer).map(node).collect()
}

/// A plate of about `faces` triangles, but at least 4 cells across. The folded plate is about square. The flat plate is
/// stress-free. The folded plate has rough surfaces: the nodes are moved at random along the normal, by up to 0.1
/// lengths of a cell. In a step, neighbouring layers slide on each other by about 0.002 lengths at their centres, and
/// less towards the folds.
pub fn folded_plate(faces: usize) -> Crowd {
    let across = ((faces as f64 / (4 * LAYERS) as f64).sqrt().round() as usize).max(4);
    let along = LAYERS * across;
    let node = |i: usize, j: usize, side: usize| (2 * (i * (across + 1) + j) + side) as u32;
    let mut quadrilaterals = Vec::new();
    for (i, j) in (0..along).flat_map(|i| (0..across).map(move |j| (i, j))) {
        let corners =
            |side| [node(i, j, side), node(i + 1, j, side), node(i + 1, j + 1, side), node(i, j + 1, side)];
        let [[a, b, c, d], upper] = [corners(0), corners(1)];
        quadrilaterals.extend([[d, c, b, a], upper]);
    }
    let mut rim = |[i, j]: [usize; 2], [k, l]: [usize; 2]| {
        quadrilaterals.push([node(i, j, 0), node(k, l, 0), node(k, l, 1), node(i, j, 1)]);
    };
    (0..along).for_each(|i| rim([i, 0], [i + 1, 0]));
    (0..across).for_each(|j| rim([along, j], [along, j + 1]));
    (0..along).for_each(|i| rim([i + 1, across], [i, across]));
    (0..across).for_each(|j| rim([0, j + 1], [0, j]));
    let triangles: Vec<[u32; 3]> =
        quadrilaterals.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let random = &mut Random(5);
    let (mut reference, mut positions, mut velocities) = (Vec::new(), Vec::new(), Vec::new());
    let half_layer = 0.5 * across as f64;
    for (i, (place, normal, layer)) in meander(across).into_iter().enumerate() {
        let sliding = 1.0 - (place.x / half_layer).powi(2).min(1.0);
        let velocity = Vec3::x() * (sliding * (layer as f64 / (LAYERS - 1) as f64 - 0.5));
        for (j, side) in (0..=across).flat_map(|j| [(j, -0.5), (j, 0.5)]) {
            let height = side * THICKNESS;
            reference.push(Vec3::new(i as f64, j as f64, height));
            positions.push(place + Vec3::y() * j as f64 + normal * (height + 0.2 * random.number()));
            velocities.push(velocity);
        }
    }
    let surface = Surface::new(triangles.iter().map(|face| (CellKind::Tri3, face.as_slice())));
    let nodes_per_layer = positions.len().div_ceil(LAYERS);
    Crowd {
        surfaces: vec![surface],
        foldable: vec![0],
        reference,
        positions,
        velocities,
        nodes_moved_alike: nodes_per_layer,
    }
}
