//! A body as it was when it was last sorted, and how far it has moved since.

use crate::contact::Surface;
use crate::contact::detection::Configuration;
use crate::contact::detection::volume::Aabb;
use crate::element::MAX_NODES;
use crate::math::Vec3;
use crate::mesh::CellKind;

/// Boxes of the faces of one body at the last sorting, and the displacements of its nodes since.
#[derive(Clone, Debug)]
pub struct TrackedBody {
    /// Box of each face, rounded outward.
    pub faces: Vec<Aabb>,
    /// Box of all faces.
    pub bounds: Aabb,
    /// Between them are the displacements of all points of the surface since the last sorting \[m\].
    pub displacement: Bounds,
    /// Between them were the velocities of all points at the last sorting \[m/s\].
    pub velocity: Bounds,
    sorted_at: Vec<Vec3>,
    /// Greatest overshoot of its faces.
    overshoot: f64,
}

/// Least and greatest components of a vector field.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    lower: Vec3,
    upper: Vec3,
}

/// The box of nothing, disjoint from any other.
const EMPTY: Aabb = Aabb {
    lower: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
    upper: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
};

/// Greatest −Σ min(N_a, 0) of the shape functions of a face: what is interpolated leaves the range of the values at
/// the nodes by no more than this times their spread. Reached in the middle of a triangle or quadrilateral, halfway
/// from the middle to an end of a segment.
const fn overshoot(kind: CellKind) -> f64 {
    match kind {
        CellKind::Line3 => 1.0 / 8.0,
        CellKind::Tri6 => 1.0 / 3.0,
        CellKind::Quad8 => 1.0,
        CellKind::Quad9 => 9.0 / 32.0,
        _ => 0.0,
    }
}

impl Bounds {
    const EMPTY: Self = Self {
        lower: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        upper: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// Bounds of the values of a field interpolated between nodes.
    fn of(values: impl Iterator<Item = Vec3>, overshoot: f64) -> Self {
        let bounds =
            values.fold(Self::EMPTY, |bounds, value| bounds.union(&Self { lower: value, upper: value }));
        if overshoot == 0.0 {
            return bounds;
        }
        let beyond = (bounds.upper - bounds.lower) * overshoot;
        Self { lower: bounds.lower - beyond, upper: bounds.upper + beyond }
    }

    /// Bounds of both.
    pub fn union(&self, other: &Self) -> Self {
        Self { lower: self.lower.inf(&other.lower), upper: self.upper.sup(&other.upper) }
    }

    /// The most by which a component of a value of one differs from that of a value of the other.
    pub fn greatest_difference(&self, other: &Self) -> f64 {
        (self.upper - other.lower).max().max((other.upper - self.lower).max())
    }
}

impl TrackedBody {
    /// Nothing is known of the body yet.
    pub fn new(surface: &Surface) -> Self {
        let kinds = (0..surface.num_faces()).map(|face| surface.face(face).0);
        Self {
            faces: Vec::new(),
            bounds: EMPTY,
            displacement: Bounds::EMPTY,
            velocity: Bounds::EMPTY,
            sorted_at: Vec::new(),
            overshoot: kinds.map(overshoot).fold(0.0, f64::max),
        }
    }

    /// Notes where the body is now.
    pub fn sort(&mut self, surface: &Surface, configuration: &Configuration<'_>) {
        let Configuration { positions, velocities, .. } = configuration;
        let nodes = || surface.nodes().iter().map(|&node| node as usize);
        self.sorted_at.clear();
        self.sorted_at.extend(nodes().map(|node| positions[node]));
        self.displacement = Bounds::of(std::iter::once(Vec3::zeros()), 0.0);
        self.velocity = Bounds::of(nodes().map(|node| velocities[node]), self.overshoot);
        self.faces.clear();
        self.faces.extend((0..surface.num_faces()).map(|face| box_of_face(surface, face, positions)));
        self.bounds = union(&self.faces);
    }

    /// Brings the displacements up to date.
    pub fn follow(&mut self, surface: &Surface, positions: &[Vec3]) {
        let moved =
            surface.nodes().iter().zip(&self.sorted_at).map(|(&node, x)| positions[node as usize] - x);
        self.displacement = Bounds::of(moved, self.overshoot);
    }
}

/// Box that holds a face, curved or not, whose nodes are at these positions.
pub fn box_of_face(surface: &Surface, face: usize, positions: &[Vec3]) -> Aabb {
    let (kind, nodes) = surface.face(face);
    let mut points = [Vec3::zeros(); MAX_NODES];
    for (point, &node) in points.iter_mut().zip(nodes) {
        *point = positions[node as usize];
    }
    let bounds = Aabb::fit(&points[..nodes.len()], 0.0);
    let beyond = (bounds.upper - bounds.lower) * overshoot(kind);
    Aabb { lower: bounds.lower - beyond, upper: bounds.upper + beyond }
}

/// Box of boxes.
pub fn union<'a>(boxes: impl IntoIterator<Item = &'a Aabb>) -> Aabb {
    boxes.into_iter().fold(EMPTY, |all, bounds| Aabb {
        lower: all.lower.inf(&bounds.lower),
        upper: all.upper.sup(&bounds.upper),
    })
}

/// Box of points, not rounded.
pub fn box_of_points<'a>(points: impl Iterator<Item = &'a Vec3>) -> Aabb {
    points.fold(EMPTY, |all, point| Aabb { lower: all.lower.inf(point), upper: all.upper.sup(point) })
}

/// A box enlarged on every side.
pub fn grown(bounds: &Aabb, margin: f64) -> Aabb {
    let margin = Vec3::repeat(margin);
    Aabb { lower: bounds.lower - margin, upper: bounds.upper + margin }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::shape_values;

    /// The shape functions of all faces go below zero by no more than the overshoot, and by nothing less somewhere.
    #[test]
    fn overshoot_is_what_shape_functions_leave() {
        let kinds = [
            (CellKind::Line2, 1),
            (CellKind::Line3, 1),
            (CellKind::Tri3, 2),
            (CellKind::Tri6, 2),
            (CellKind::Quad4, 3),
            (CellKind::Quad8, 3),
            (CellKind::Quad9, 3),
        ];
        for (kind, domain) in kinds {
            let part = |k: usize| k as f64 / 48.0;
            let below = |xi: [f64; 3]| -> f64 {
                let mut values = [0.0; MAX_NODES];
                shape_values(kind, xi, &mut values);
                -values[..kind.num_nodes()].iter().map(|value| value.min(0.0)).sum::<f64>()
            };
            let points = (0..=48).flat_map(|i| (0..=48).map(move |j| [part(i), part(j)]));
            let most = points
                .filter(|u| domain != 2 || u[0] + u[1] <= 1.0 + 1e-12)
                .map(|u| match domain {
                    1 => below([2.0 * u[0] - 1.0, 0.0, 0.0]),
                    2 => below([u[0], u[1], 0.0]),
                    _ => below([2.0 * u[0] - 1.0, 2.0 * u[1] - 1.0, 0.0]),
                })
                .fold(0.0, f64::max);
            assert!((most - overshoot(kind)).abs() < 1e-12, "{kind:?}: {most}");
        }
    }
}
