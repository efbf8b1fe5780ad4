//! The interpolations with which Wolff & Bucher compare their method.

use super::DistanceField;
use super::enriched::Enriched;
use super::gradient::{inverse_jacobian, positions_of};
use super::sub_simplices::sub_simplices;
use crate::element::{MAX_NODES, shape_values};
use crate::math::{Mat3, Vec3};

impl DistanceField {
    /// Distance interpolated only from the corners of the element \[m\].
    pub fn plain_distance(&self, element: usize, xi: [f64; 3]) -> f64 {
        let (values, distances) = (self.corner_values(element, xi), self.distances_of(element));
        values.iter().zip(distances).map(|(value, distance)| value * distance).sum()
    }

    /// Gradient interpolated only from the assumed gradients at the corners of the element.
    pub fn low_order_gradient(&self, element: usize, xi: [f64; 3]) -> Vec3 {
        let corners = self.kind(element).corners().len();
        let values = self.corner_values(element, xi);
        (0..corners).map(|k| self.gradient_of(element, k) * values[k]).sum()
    }

    fn corner_values(&self, element: usize, xi: [f64; 3]) -> [f64; MAX_NODES] {
        let mut values = [0.0; MAX_NODES];
        shape_values(self.kind(element).linear(), xi, &mut values);
        values
    }

    /// Distance, interpolated linearly on simplices with support points as corners, and the gradient of this
    /// interpolation. `None` outside the element, or if the determinant of the Jacobian is not positive.
    pub fn piecewise_linear(&self, element: usize, xi: [f64; 3]) -> Option<(f64, Vec3)> {
        const BORDER: f64 = -1e-12;
        let kind = self.kind(element);
        let enriched = Enriched::of(kind)?;
        let distances = self.distances_of(element);
        for simplex in sub_simplices(kind) {
            let natural = simplex.map(|k| Vec3::from(enriched.natural_coordinates(k as usize)));
            let edges = |at: &[Vec3; 4]| {
                let third = if kind.dimension() == 3 { at[3] - at[0] } else { Vec3::z() };
                Mat3::from_columns(&[at[1] - at[0], at[2] - at[0], third])
            };
            let Some(inverse) = edges(&natural).try_inverse() else { continue };
            let local = inverse * (Vec3::from(xi) - natural[0]);
            let inside = local.iter().all(|&l| l >= BORDER) && 1.0 - local.sum() >= BORDER;
            if inside {
                let rise = |k: usize| distances[simplex[k] as usize] - distances[simplex[0] as usize];
                let third = if kind.dimension() == 3 { rise(3) } else { 0.0 };
                let rises = Vec3::new(rise(1), rise(2), third);
                let distance = distances[simplex[0] as usize] + rises.dot(&local);
                let slope = inverse.transpose() * rises;
                let places = positions_of(&self.support, element);
                return inverse_jacobian(kind, &places, xi).map(|(jacobian, _)| (distance, jacobian * slope));
            }
        }
        None
    }
}
