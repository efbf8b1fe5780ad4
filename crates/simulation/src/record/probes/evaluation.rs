//! Evaluation of probes in the current state.

use crate::dynamics::RigidBody;
use crate::element::{deformation_gradient, tangents};
use crate::math::{Mat3, Vec3};
use crate::scenario::{ProbeFrame, ProbeQuantity};

use super::probe::{ElementSample, Probe, Spot};
use crate::{Phase, Simulation};

struct Motion {
    reference: Vec3,
    position: Vec3,
    velocity: Vec3,
    acceleration: Vec3,
}

impl Simulation {
    /// Values in the columns of a probe. In flight, call [`Simulation::update_nodal_state`] first.
    pub(crate) fn probe_values(&self, probe: &Probe) -> Vec<f64> {
        let motion = match &probe.spot {
            Spot::Nodes(nodes) => self.mean_motion(nodes),
            Spot::OfRigidBody(point) => self.rigid_motion(probe.spec.body, point),
        };
        let (centre, axes) = match probe.spec.frame {
            ProbeFrame::Space => (Vec3::zeros(), Mat3::identity()),
            ProbeFrame::Body => self.body_frame(probe.spec.body),
        };
        let turned = |vector: Vec3| -> Vec<f64> { (axes.transpose() * vector).as_slice().to_vec() };
        let value = |quantity: &ProbeQuantity| match quantity {
            ProbeQuantity::Position => turned(motion.position - centre),
            ProbeQuantity::Displacement => turned(motion.position - motion.reference),
            ProbeQuantity::Velocity => turned(motion.velocity),
            ProbeQuantity::Acceleration => turned(motion.acceleration),
            ProbeQuantity::Stress => components(&(axes.transpose() * self.mean_stress(probe) * axes)),
            // Green–Lagrange strain refers to the reference configuration, and is the same in the frames `Space` and
            // `Body`.
            ProbeQuantity::Strain => components(&self.mean_strain(probe)),
        };
        probe.spec.quantities.iter().flat_map(value).collect()
    }

    fn mean_motion(&self, nodes: &[(u32, f64)]) -> Motion {
        let mean = |values: &[Vec3]| nodes.iter().map(|&(node, weight)| values[node as usize] * weight).sum();
        Motion {
            reference: mean(&self.model.reference_positions),
            position: mean(&self.state.nodes.positions),
            velocity: mean(&self.state.nodes.velocities),
            acceleration: mean(&self.state.nodes.accelerations),
        }
    }

    /// Motion of a point fixed to a rigid body, with the reference position `reference` \[m\].
    fn rigid_motion(&self, body: usize, reference: &Vec3) -> Motion {
        let at_rest = Motion {
            reference: *reference,
            position: *reference,
            velocity: Vec3::zeros(),
            acceleration: Vec3::zeros(),
        };
        let Some(rigid_state) = &self.state.rigid_bodies[body] else { return at_rest };
        let position = rigid_state.position(reference);
        let (arm, spin) = (position - rigid_state.centre(), rigid_state.angular_velocity());
        let [of_centre, spin_rate] = self.rigid_accelerations(body, rigid_state);
        Motion {
            reference: *reference,
            position,
            velocity: rigid_state.velocity_at(&position),
            acceleration: of_centre + spin_rate.cross(&arm) + spin.cross(&spin.cross(&arm)),
        }
    }

    /// Acceleration of the centre \[m/s²\], and angular acceleration \[rad/s²\].
    fn rigid_accelerations(&self, body: usize, rigid_state: &RigidBody) -> [Vec3; 2] {
        let of_body = &self.model.bodies[body];
        if self.state.phase == Phase::Flight {
            return [of_body.free_fall(), rigid_state.angular_acceleration(&Vec3::zeros())];
        }
        let rigid = &self.state.forces.rigid[body];
        let spin_rate = match self.accounts_of_rigid(body) {
            Some(_) => rigid.rotation.map_or_else(Vec3::zeros, |rotation| rotation.spin_rate),
            None => rigid_state.angular_acceleration(&rigid.torque),
        };
        [(rigid.force + rigid.reaction) / rigid_state.mass(), spin_rate]
    }

    /// Centre of mass of a body \[m\], and its rotation from the reference configuration. For a deformable body outside
    /// flight, the rotation is the mass-weighted least-squares fit to the nodal positions.
    ///
    /// # Source
    /// Kabsch, Acta Cryst. A32 (1976) 922.
    fn body_frame(&self, body: usize) -> (Vec3, Mat3) {
        if let Some(rigid_state) = &self.state.rigid_bodies[body] {
            return (rigid_state.centre(), rigid_state.rotation().to_rotation_matrix().into_inner());
        }
        let nodes = self.model.bodies[body].nodes.clone();
        let (masses, mass) = (&self.model.mass[nodes.clone()], self.model.bodies[body].mass);
        let reference = &self.model.reference_positions[nodes.clone()];
        let present = &self.state.nodes.positions[nodes];
        let centre =
            |positions: &[Vec3]| -> Vec3 { masses.iter().zip(positions).map(|(m, x)| x * (m / mass)).sum() };
        let centres = [centre(reference), centre(present)];
        let pairs = masses.iter().zip(reference.iter().zip(present));
        let product: Mat3 = pairs
            .map(|(m, (before, now))| (now - centres[1]) * ((before - centres[0]) * *m).transpose())
            .sum();
        (centres[1], nearest_rotation(&product))
    }

    /// Weighted mean of the Cauchy stress over the elements of a probe \[Pa\].
    fn mean_stress(&self, probe: &Probe) -> Mat3 {
        let blocks = &self.model.bodies[probe.spec.body].blocks;
        let of_block = |block: &[ElementSample]| {
            let internal = blocks[block.first()?.block].internal?;
            let elements = block.iter().map(|sample| (sample.element, sample.weight));
            Some(symmetric(self.caches.internal.weighted_cauchy_stress(
                &self.state.nodes.positions,
                &self.state.history,
                internal,
                elements,
            )))
        };
        probe.elements.chunk_by(|a, b| a.block == b.block).filter_map(of_block).sum()
    }

    /// Weighted mean of the Green–Lagrange strain ½ (Fᵀ F − 1) \[-\], with the deformation gradient F.
    fn mean_strain(&self, probe: &Probe) -> Mat3 {
        let of = |sample: &ElementSample| {
            let block = &self.model.bodies[probe.spec.body].blocks[sample.block];
            let nodes = block.element(sample.element);
            let on =
                |values: &[Vec3]| -> Vec<Vec3> { nodes.iter().map(|&node| values[node as usize]).collect() };
            let reference = tangents(block.kind, &on(&self.model.reference_positions), sample.xi);
            let present = tangents(block.kind, &on(&self.state.nodes.positions), sample.xi);
            let gradient = deformation_gradient(&present, &reference, block.kind.dimension())?;
            Some((gradient.transpose() * gradient - Mat3::identity()) * (0.5 * sample.weight))
        };
        probe.elements.iter().filter_map(of).sum()
    }
}

/// The rotation R with the largest trace of Rᵀ A, where A is `product`.
fn nearest_rotation(product: &Mat3) -> Mat3 {
    let decomposition = product.svd(true, true);
    let (Some(left), Some(right)) = (decomposition.u, decomposition.v_t) else { return Mat3::identity() };
    let mut signs = Vec3::repeat(1.0);
    // Reverses the sign of the smallest singular value if the result would be a reflection.
    signs[decomposition.singular_values.imin()] = (left * right).determinant().signum();
    left * Mat3::from_diagonal(&signs) * right
}

/// Symmetric matrix with the components XX YY ZZ XY YZ XZ.
fn symmetric([xx, yy, zz, xy, yz, xz]: [f64; 6]) -> Mat3 {
    Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

/// Components XX YY ZZ XY YZ XZ.
fn components(matrix: &Mat3) -> Vec<f64> {
    [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)].map(|place| matrix[place]).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Rotation;

    /// Points rotated by R give R, in space and in a plane. Tolerance: rounding.
    #[test]
    fn rotations_are_found() {
        let turn = Rotation::from_scaled_axis(Vec3::new(0.3, -1.2, 2.0)).to_rotation_matrix().into_inner();
        for extents in [Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.0, 2.0, 1.0)] {
            let product = turn * Mat3::from_diagonal(&extents);
            assert!((nearest_rotation(&product) - turn).norm() < 1e-14);
        }
    }
}
