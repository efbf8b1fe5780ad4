//! The monitor that makes predictions for deforming bodies safe: a band for nodal velocities, checked each step.
//!
//! At the beginning of an epoch the velocities v(t_e) of the surface nodes are stored and a band V is chosen.
//! While |v_a(t) − v_a(t_e)| ≤ V for all nodes, a prediction made at t1 from the velocities of t1 is off by no
//! more than 2 V s after s, so spheres that grow at the rate 2 V bound the nodes. A point of a face is off by
//! |Σ N_a d_a| ≤ Λ max |d_a| with the Lebesgue constant Λ = max Σ |N_a| of the face, 1 where it is linear: spheres that
//! grow at the rate 2 Λ V bound the faces. Velocities are those that take
//! the nodes from step to step, hence the bound holds for the discrete motion exactly. The step in which a node
//! leaves the band is noticed before its positions are used, and a new epoch begins with a wider band.

use crate::contact::Surface;
use crate::contact::detection::volume::larger;
use crate::math::Vec3;

/// Velocity band of one body.
#[derive(Clone, Debug, Default)]
pub(super) struct VelocityMonitor {
    reference: Vec<Vec3>,
    band: f64,
    steps: u32,
    largest: f64,
    /// Square of the largest velocity of the step \[m²/s²\].
    fastest: f64,
    /// Whether nothing has moved since the tree was brought up to date.
    at_rest: bool,
}

/// Steps an epoch should last: bands are widened with the aim of reaching it, and narrowed where a quarter of the band
/// would have done for so long.
const EPOCH_STEPS: u32 = 64;

/// By how much a band may widen at once: a single jump of velocity asks for no wide band, as the next epoch begins
/// after it.
const WIDENING: f64 = 8.0;

impl VelocityMonitor {
    /// Width of the band V \[m/s\].
    pub fn band(&self) -> f64 {
        self.band
    }

    /// Begins an epoch at these velocities with the same band.
    pub fn restart(&mut self, surface: &Surface, velocities: &[Vec3]) {
        self.reference.clear();
        self.reference.extend(surface.nodes().iter().map(|&node| velocities[node as usize]));
        self.steps = 0;
        self.largest = 0.0;
    }

    /// Whether the tree is out of date; it is taken to be brought up to date now.
    pub fn needs_refit(&mut self) -> bool {
        let moved = !self.at_rest;
        self.at_rest = self.fastest == 0.0;
        moved
    }

    /// Makes the tree count as out of date, whatever the velocities.
    pub fn forget_rest(&mut self) {
        self.at_rest = false;
    }

    /// Whether predictions made in this epoch are void (or needlessly wide); the band is then already adapted
    /// and the caller restarts the epoch.
    pub fn is_over(&mut self, surface: &Surface, velocities: &[Vec3]) -> bool {
        self.steps += 1;
        let (mut fastest, mut largest) = (0.0, 0.0);
        for (&node, reference) in surface.nodes().iter().zip(&self.reference) {
            let velocity = velocities[node as usize];
            fastest = larger(velocity.norm_squared(), fastest);
            largest = larger((velocity - reference).norm_squared(), largest);
        }
        let largest = largest.sqrt();
        self.fastest = fastest;
        self.at_rest &= fastest == 0.0;
        self.largest = self.largest.max(largest);
        if largest <= self.band {
            let narrow = self.steps >= EPOCH_STEPS && 4.0 * self.largest < self.band;
            if narrow {
                self.band = 2.0 * self.largest;
            }
            return narrow;
        }
        let lack = f64::from(EPOCH_STEPS) / f64::from(self.steps);
        let wanted = largest * lack.clamp(1.5, 4.0);
        self.band = if self.band > 0.0 { wanted.min(WIDENING * self.band) } else { wanted };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::CellKind;

    /// The band widens when left, holds while kept, and narrows after a long quiet time.
    #[test]
    fn band_follows_the_change_of_velocity() {
        let surface = Surface::new([(CellKind::Tri3, [0u32, 1, 2].as_slice())]);
        let mut monitor = VelocityMonitor::default();
        let mut velocities = vec![Vec3::zeros(); 3];
        monitor.restart(&surface, &velocities);
        assert!(!monitor.is_over(&surface, &velocities));
        velocities[1].x = 1.0;
        assert!(monitor.is_over(&surface, &velocities));
        assert!(monitor.band() >= 1.5);
        monitor.restart(&surface, &velocities);
        velocities[1].x = 1.0 + 0.9 * monitor.band();
        assert!(!monitor.is_over(&surface, &velocities));
        velocities[1].x = 1.0 - 1.1 * monitor.band();
        assert!(monitor.is_over(&surface, &velocities));
        monitor.restart(&surface, &velocities);
        let wide = monitor.band();
        let quiet = (0..EPOCH_STEPS).filter(|_| monitor.is_over(&surface, &velocities)).count();
        assert_eq!(quiet, 1);
        assert!(monitor.band() < wide);
    }
}
