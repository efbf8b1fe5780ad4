//! Face boxes of a body at its last sorting, and the displacements of the body since then.

use crate::Surface;
use crate::detection::face::bounds::{Bounds, overshoot};
use crate::detection::face::control_points::{
    MAX_CONTROL_POINTS, control_points, lies_in_hull_of_nodes, rounding_of,
};
use crate::detection::model::Configuration;
use crate::detection::volume::Aabb;
use crate::math::Vec3;

#[derive(Clone, Debug)]
pub struct SortedBody {
    /// Box of each face, rounded outward.
    pub faces: Vec<Aabb>,
    /// Box of all faces.
    pub bounds: Aabb,
    /// Bounds on the displacements of the surface since the last sorting \[m\].
    pub displacement: Bounds,
    /// Bounds on the displacements of the surface in the step that ended at the last sorting \[m\].
    pub step: Bounds,
    sorted_at: Vec<Vec3>,
    /// Largest −Σ min(N_a, 0) over the surface, with the shape functions N_a. Interpolated values leave the range of
    /// the nodal values by at most this fraction of the range.
    overshoot: f64,
}

/// Empty box, disjoint from every box.
pub const EMPTY: Aabb = Aabb {
    lower: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
    upper: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
};

impl SortedBody {
    /// A body before its first sorting.
    pub fn new(surface: &Surface) -> Self {
        Self {
            faces: Vec::new(),
            bounds: EMPTY,
            displacement: Bounds::EMPTY,
            step: Bounds::EMPTY,
            sorted_at: Vec::new(),
            overshoot: overshoot(surface),
        }
    }

    /// Stores positions and face boxes, and resets the displacements to zero.
    pub fn sort(&mut self, surface: &Surface, configuration: &Configuration<'_>) {
        let positions = configuration.positions;
        let nodes = || surface.nodes().iter();
        self.sorted_at.clear();
        self.sorted_at.extend(nodes().map(|&node| positions[node as usize]));
        self.displacement = Bounds::of(std::iter::once(Vec3::zeros()), 0.0);
        self.step = Bounds::of(nodes().map(|&node| configuration.displacement(node)), self.overshoot);
        self.faces.clear();
        self.faces.extend((0..surface.num_faces()).map(|face| box_of_face(surface, face, positions)));
        self.bounds = union(&self.faces);
    }

    /// Updates the displacements since the last sorting.
    pub fn update(&mut self, surface: &Surface, positions: &[Vec3]) {
        let moved =
            surface.nodes().iter().zip(&self.sorted_at).map(|(&node, x)| positions[node as usize] - x);
        self.displacement = Bounds::of(moved, self.overshoot);
    }
}

/// Box that contains a face, curved or not.
pub fn box_of_face(surface: &Surface, face: usize, positions: &[Vec3]) -> Aabb {
    let (kind, nodes) = surface.face(face);
    let mut points = [Vec3::zeros(); MAX_CONTROL_POINTS];
    let points = control_points(kind, nodes, positions, &mut points);
    let rounding = if lies_in_hull_of_nodes(kind) { 0.0 } else { rounding_of(points) };
    Aabb::fit(points, rounding)
}

/// Smallest box that contains all `boxes`.
pub fn union<'a>(boxes: impl IntoIterator<Item = &'a Aabb>) -> Aabb {
    boxes.into_iter().fold(EMPTY, |all, bounds| Aabb {
        lower: all.lower.inf(&bounds.lower),
        upper: all.upper.sup(&bounds.upper),
    })
}

/// Smallest box that contains all `points`, not rounded outward.
pub fn box_of_points<'a>(points: impl Iterator<Item = &'a Vec3>) -> Aabb {
    points.fold(EMPTY, |all, point| Aabb { lower: all.lower.inf(point), upper: all.upper.sup(point) })
}
