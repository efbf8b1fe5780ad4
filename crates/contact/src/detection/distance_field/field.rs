//! The distance field of a body.

use super::closest::closest_points;
use super::enriched::{Enriched, MAX_POINTS};
use super::gradient::{NO_DIRECTION, assumed_gradients, inverse_jacobian, natural_slope, positions_of};
use super::support::{Solid, Support};
use super::target::{Closest, Target};
use super::{DistanceFieldError, DistanceFieldOptions, FieldSample};
use crate::Surface;
use crate::math::{Mat3, Vec3};
use crate::mesh::CellKind;

/// Distances from the surface of a body, and gradients of the distance, at the support points ([module](super)) of its
/// elements. All quantities refer to the reference configuration. The *band* consists of the elements that the field
/// covers.
#[derive(Clone, Debug)]
pub struct DistanceField {
    pub(super) support: Support,
    /// Distances \[m\]; NaN outside the band.
    pub(super) distances: Vec<f64>,
    /// Assumed gradients; zero outside the band.
    gradients: Vec<Vec3>,
    /// Closest surface points \[m\]; NaN outside the band.
    closest_points: Vec<Vec3>,
    /// Closest faces; `None` outside the band.
    closest_faces: Vec<Option<u32>>,
}

impl DistanceField {
    /// The field of a solid and its surface, both in reference positions. Elements are numbered consecutively over all
    /// blocks.
    ///
    /// # Errors
    /// [`DistanceFieldError`] if the solid and the surface define no distance field.
    ///
    /// # Cost
    /// O(n log n) for n support points. The default algorithm uses all threads, the marching algorithms one.
    pub fn new(
        solid: &Solid<'_>,
        surface: &Surface,
        options: &DistanceFieldOptions,
    ) -> Result<Self, DistanceFieldError> {
        let support = Support::new(solid, surface, options.band)?;
        let target = Target { surface, positions: solid.positions };
        let closest = closest_points(options.algorithm, &support, &target);
        let gradients = assumed_gradients(&support, &target, &closest, options.normal_weight)?;
        let distance = |found: &Option<Closest>| found.map_or(f64::NAN, |closest| closest.distance);
        let nowhere = Vec3::repeat(f64::NAN);
        let place = |found: &Option<Closest>| found.map_or(nowhere, |closest| closest.point);
        Ok(Self {
            distances: closest.iter().map(distance).collect(),
            closest_points: closest.iter().map(place).collect(),
            closest_faces: closest.iter().map(|found| found.map(|c| c.face)).collect(),
            gradients,
            support,
        })
    }

    /// Number of elements.
    pub fn num_elements(&self) -> usize {
        self.support.kinds.len()
    }

    /// Kind of an element.
    pub fn kind(&self, element: usize) -> CellKind {
        self.support.kinds[element]
    }

    /// Whether the field covers an element.
    pub fn in_band(&self, element: usize) -> bool {
        self.support.in_band[element]
    }

    /// Support points of an element, the nodes first.
    pub fn points_of(&self, element: usize) -> &[u32] {
        self.support.points_of(element)
    }

    /// Positions of the support points \[m\].
    pub fn positions(&self) -> &[Vec3] {
        &self.support.positions
    }

    /// Distances of the support points \[m\]; NaN outside the band.
    pub fn distances(&self) -> &[f64] {
        &self.distances
    }

    /// Assumed gradients: of unit length except near the medial axis, zero outside the band.
    pub fn gradients(&self) -> &[Vec3] {
        &self.gradients
    }

    /// Closest surface point of each support point \[m\]; NaN outside the band.
    pub fn closest_points(&self) -> &[Vec3] {
        &self.closest_points
    }

    /// Closest face of each support point; `None` outside the band.
    pub fn closest_faces(&self) -> &[Option<u32>] {
        &self.closest_faces
    }

    /// Whether a support point is on the surface.
    pub fn is_on_surface(&self, point: usize) -> bool {
        self.support.boundary_of_point[point].is_some()
    }

    /// The field at natural coordinates of an element; NaN outside the band.
    ///
    /// # Cost
    /// No allocation.
    pub fn sample(&self, element: usize, xi: [f64; 3]) -> FieldSample {
        let (kind, points) = (self.kind(element), self.points_of(element));
        let nothing = Vec3::repeat(f64::NAN);
        let empty = FieldSample { distance: f64::NAN, natural_gradient: nothing, assumed_gradient: nothing };
        let Some(enriched) = Enriched::of(kind).filter(|_| self.in_band(element)) else { return empty };
        let (values, distances) = (enriched.values(xi), self.distances_of(element));
        let distance: f64 = values.iter().zip(distances).map(|(value, distance)| value * distance).sum();
        let gradient: Vec3 =
            points.iter().zip(values).map(|(&point, value)| self.gradients[point as usize] * value).sum();
        let natural = inverse_jacobian(kind, &positions_of(&self.support, element), xi)
            .map_or(nothing, |(inverse, _)| inverse * natural_slope(&enriched.gradients(xi), &distances));
        let has_direction = gradient.norm() >= NO_DIRECTION;
        FieldSample {
            distance: distance.max(0.0),
            natural_gradient: natural,
            assumed_gradient: if has_direction {
                gradient
            } else {
                self.fallback_direction(element, xi, &values)
            },
        }
    }

    /// Substitute for an assumed gradient shorter than [`NO_DIRECTION`]. Let A be the support point of the element with
    /// the largest shape value at ξ. The substitute is the unit vector from the closest surface point of A to the
    /// position of ξ, or zero if these two coincide.
    fn fallback_direction(&self, element: usize, xi: [f64; 3], values: &[f64; MAX_POINTS]) -> Vec3 {
        let points = self.points_of(element).iter().zip(values);
        let nearest = points.max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(&point, _)| point as usize);
        let kind = self.kind(element);
        let nodes = positions_of(&self.support, element);
        let place = crate::element::position(kind, &nodes[..kind.num_nodes()], xi);
        (place - self.closest_points[nearest]).try_normalize(0.0).unwrap_or_else(Vec3::zeros)
    }

    /// Second derivatives of the distance \[1/m\]: the symmetric part of Σ G_A ⊗ grad N_A, with the assumed gradients
    /// G_A and shape functions N_A. Eq. (16) of Wolff & Bucher. NaN outside the band.
    pub fn curvature(&self, element: usize, xi: [f64; 3]) -> Mat3 {
        let (kind, nothing) = (self.kind(element), Mat3::repeat(f64::NAN));
        let Some(enriched) = Enriched::of(kind).filter(|_| self.in_band(element)) else { return nothing };
        let places = positions_of(&self.support, element);
        let Some((inverse, _)) = inverse_jacobian(kind, &places, xi) else { return nothing };
        let points = self.points_of(element).iter().zip(enriched.gradients(xi));
        let sum: Mat3 = points
            .map(|(&point, gradient)| {
                self.gradients[point as usize] * (inverse * Vec3::from(gradient)).transpose()
            })
            .sum();
        (sum + sum.transpose()) * 0.5
    }

    pub(super) fn distances_of(&self, element: usize) -> [f64; MAX_POINTS] {
        let mut distances = [0.0; MAX_POINTS];
        for (distance, &point) in distances.iter_mut().zip(self.points_of(element)) {
            *distance = self.distances[point as usize];
        }
        distances
    }

    pub(super) fn gradient_of(&self, element: usize, local: usize) -> Vec3 {
        self.gradients[self.points_of(element)[local] as usize]
    }
}
