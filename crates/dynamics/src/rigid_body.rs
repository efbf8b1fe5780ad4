//! Rigid bodies: six degrees of freedom.

use serde::{Deserialize, Serialize};

use crate::math::{Mat3, RigidMotion, Rotation, Vec3};

/// A rigid body.
///
/// Newmark steps (β = 0, γ = 1/2) move the centre; a midpoint rule in the body frame rotates the body. The midpoint
/// rule is time-reversible, and conserves angular momentum and energy of a free body up to rounding.
///
/// # Source
/// Simo & Wong, IJNME 31 (1991) 19–52 (conservation by the mean momentum). Here the exponential map replaces the Cayley
/// transform, because the exponential map is exact for a rotation about a principal axis.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RigidBody {
    mass: f64,
    /// Principal moments of inertia \[kg·m²\].
    moments: Vec3,
    /// Rotation from principal axes to the reference configuration.
    principal: Rotation,
    reference_centre: Vec3,
    /// Displacement of the centre from the reference centre, stored instead of the position to avoid the rounding of
    /// large coordinates.
    travel: Vec3,
    velocity: Vec3,
    /// Rotation from principal axes to space.
    orientation: Rotation,
    /// Angular momentum about the centre of mass, in spatial components \[kg·m²/s\].
    angular_momentum: Vec3,
}

/// Largest |L × ω|/(|L||ω|) of a rotation that counts as steady, with the angular momentum L and the angular velocity
/// ω.
const STEADY_SPIN: f64 = 1e-12;

/// Largest rotation in a substep \[rad\]; an unsteady rotation over a time step is divided into equal substeps. Up to
/// this angle, the midpoint rule has a unique solution, and Newton's method converges to it.
const MAX_ROTATION: f64 = 0.5;

/// Largest number of substeps in a time step. If a rotation would need more substeps, their angle exceeds
/// `MAX_ROTATION`, and the rotation is not resolved.
const MAX_SUBSTEPS: f64 = 1e4;

/// Largest number of Newton iterations. For a rotation by `MAX_ROTATION`, ten iterations reach the rounding error.
const MAX_ITERATIONS: usize = 20;

impl RigidBody {
    /// A body at rest in its reference configuration.
    ///
    /// `mass` \[kg\], `centre` of mass \[m\], `inertia` about the centre of mass \[kg·m²\], symmetric.
    pub fn new(mass: f64, centre: Vec3, inertia: &Mat3) -> Self {
        let eigen = inertia.symmetric_eigen();
        let mut axes = eigen.eigenvectors;
        if axes.determinant() < 0.0 {
            axes.column_mut(2).neg_mut();
        }
        // This conversion from matrix to quaternion is direct; an iterative conversion can fail for a rotation by π.
        let principal = Rotation::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(axes));
        Self {
            mass,
            moments: eigen.eigenvalues,
            principal,
            reference_centre: centre,
            travel: Vec3::zeros(),
            velocity: Vec3::zeros(),
            orientation: principal,
            angular_momentum: Vec3::zeros(),
        }
    }

    /// Sets the velocity of the centre of mass \[m/s\] and the angular velocity \[rad/s\].
    pub fn set_velocity(&mut self, velocity: Vec3, angular_velocity: Vec3) {
        self.velocity = velocity;
        self.angular_momentum = self.inertia_times(&angular_velocity);
    }

    /// Product of the spatial inertia about the centre of mass and `vector`.
    pub fn inertia_times(&self, vector: &Vec3) -> Vec3 {
        let local = self.orientation.inverse() * vector;
        self.orientation * self.moments.component_mul(&local)
    }

    /// Spatial inertia about the centre of mass \[kg·m²\].
    pub fn inertia(&self) -> Mat3 {
        let axes = *self.orientation.to_rotation_matrix().matrix();
        axes * Mat3::from_diagonal(&self.moments) * axes.transpose()
    }

    /// Mass \[kg\].
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Centre of mass \[m\].
    pub fn centre(&self) -> Vec3 {
        self.reference_centre + self.travel
    }

    /// Displacement of the centre of mass from the reference configuration \[m\].
    pub fn travel(&self) -> Vec3 {
        self.travel
    }

    /// Velocity of the centre of mass \[m/s\].
    pub fn velocity(&self) -> Vec3 {
        self.velocity
    }

    /// Angular momentum about the centre of mass \[kg·m²/s\].
    pub fn angular_momentum(&self) -> Vec3 {
        self.angular_momentum
    }

    /// Angular velocity ω \[rad/s\].
    pub fn angular_velocity(&self) -> Vec3 {
        let local = self.orientation.inverse() * self.angular_momentum;
        self.orientation * self.spin(&local)
    }

    /// Angular acceleration I⁻¹ (τ − ω × L) under a torque τ about the centre of mass \[rad/s²\].
    pub fn angular_acceleration(&self, torque: &Vec3) -> Vec3 {
        let gyroscopic = self.angular_velocity().cross(&self.angular_momentum);
        let local = self.orientation.inverse() * (torque - gyroscopic);
        self.orientation * self.spin(&local)
    }

    /// Angular velocity from angular momentum, both in principal axes; zero about an axis without inertia.
    fn spin(&self, momentum: &Vec3) -> Vec3 {
        momentum.zip_map(&self.moments, |l, moment| if moment > 0.0 { l / moment } else { 0.0 })
    }

    /// Kinetic energy of translation and rotation \[J\].
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * self.mass * self.velocity.norm_squared() + self.rotational_energy()
    }

    /// Rotation from the reference configuration to the present configuration.
    pub fn rotation(&self) -> Rotation {
        self.orientation * self.principal.inverse()
    }

    /// Adds the impulses of `force` \[N\] and of `torque` about the centre of mass \[N·m\] over the time `half_step`
    /// \[s\].
    pub fn kick(&mut self, half_step: f64, force: &Vec3, torque: &Vec3) {
        self.velocity += force * (half_step / self.mass);
        self.angular_momentum += torque * half_step;
    }

    /// Moves the body over a step with constant velocity and angular momentum.
    pub fn drift(&mut self, time_step: f64) {
        self.travel += self.velocity * time_step;
        self.rotate(time_step);
    }

    fn rotate(&mut self, time_step: f64) {
        if self.angular_momentum == Vec3::zeros() {
            return;
        }
        if self.spins_steadily() {
            let turn = Rotation::from_scaled_axis(self.angular_velocity() * time_step);
            self.orientation = turn * self.orientation;
        } else {
            let turns = (self.max_angular_velocity() * time_step.abs() / MAX_ROTATION)
                .ceil()
                .clamp(1.0, MAX_SUBSTEPS);
            for _ in 0..turns as u32 {
                self.orientation *= self.midpoint_rotation(time_step / turns);
            }
        }
        self.orientation.renormalize();
    }

    /// Rotation exp(h ω̄) in the body frame over a step of length h. The angular momenta at the beginning and at the
    /// end of the step, l_n and l_{n+1} in the body frame, give the mean angular velocity ω̄:
    ///
    /// ```text
    /// ω̄ = I⁻¹ l̄,   l̄ = (l_n + l_{n+1})/2
    /// l_{n+1} = exp(−h ω̄) l_n  ⇔  l̄ = l_n + t l̄ × ω̄,   t = tan(h |ω̄|/2)/|ω̄|
    /// ```
    /// The change Δl = l_{n+1} − l_n is normal to ω̄, so that the rotational energy is constant:
    /// Δ(l · I⁻¹ l)/2 = Δl · ω̄ = 0. Newton's method solves for l̄, with t from the previous iterate.
    fn midpoint_rotation(&self, time_step: f64) -> Rotation {
        let before = self.orientation.inverse() * self.angular_momentum;
        let (mut mean, mut spin) = (before, self.spin(&before));
        for _ in 0..MAX_ITERATIONS {
            let speed = spin.norm();
            let t = (0.5 * time_step * speed).tan() / speed;
            let excess = mean - before - mean.cross(&spin) * t;
            // d(l̄ × I⁻¹ l̄) = (l̄ × I⁻¹ − ω̄ ×) dl̄
            let by_spin = Mat3::from_columns(&[0, 1, 2].map(|k| mean.cross(&self.spin(&Vec3::ith(k, 1.0)))));
            let derivative = Mat3::identity() + (spin.cross_matrix() - by_spin) * t;
            let Some(change) = derivative.lu().solve(&excess) else { break };
            mean -= change;
            spin = self.spin(&mean);
            if change.norm() <= f64::EPSILON * before.norm() {
                break;
            }
        }
        Rotation::from_scaled_axis(spin * time_step)
    }

    /// Upper bound on |ω| in a free motion \[rad/s\]:
    ///
    /// ```text
    /// |ω|² ≤ 2 T (I₁ + I₃ − J)/(I₁ I₃),   J = |L|²/(2 T)
    /// ```
    /// T: rotational energy; L: angular momentum; I₁, I₃: smallest and largest principal moment of inertia.
    fn max_angular_velocity(&self) -> f64 {
        let (least, greatest) = (self.moments.min(), self.moments.max());
        let twice_energy = self.angular_momentum.dot(&self.angular_velocity());
        let moment = self.angular_momentum.norm_squared() / twice_energy;
        (twice_energy * (least + greatest - moment) / (least * greatest)).sqrt()
    }

    /// Whether the body rotates about a principal axis, up to rounding.
    pub fn spins_steadily(&self) -> bool {
        let spin = self.angular_velocity();
        let gyroscopic = self.angular_momentum.cross(&spin).norm();
        gyroscopic <= STEADY_SPIN * self.angular_momentum.norm() * spin.norm()
    }

    /// Upper bound on |ω|² + |dω/dt| in the torque-free motion \[rad/s²\]. For an unsteady rotation,
    ///
    /// ```text
    /// |ω| ≤ |L|/I_min,   |dω/dt| ≤ |ω|² (I_max − I_min)/I_min   (Euler's equations)
    /// ```
    pub fn spin_bound(&self) -> f64 {
        if self.angular_momentum == Vec3::zeros() {
            return 0.0;
        }
        if self.spins_steadily() {
            return self.angular_velocity().norm_squared();
        }
        let (least, greatest) = (self.moments.min(), self.moments.max());
        let speed = self.angular_momentum.norm() / least;
        speed * speed * greatest / least
    }

    /// Free flight over a step under a constant acceleration \[m/s²\]. An unsteady rotation is replaced by the shortest
    /// rotation to the same end orientation, at constant angular velocity.
    pub fn flight(&self, acceleration: Vec3, time_step: f64) -> RigidMotion {
        let mut end = self.clone();
        end.rotate(time_step);
        let turn = end.rotation() * self.rotation().inverse();
        let angular_velocity =
            if self.spins_steadily() { self.angular_velocity() } else { turn.scaled_axis() / time_step };
        RigidMotion {
            reference_centre: self.reference_centre,
            centre: self.centre(),
            velocity: self.velocity,
            acceleration,
            rotation: self.rotation(),
            angular_velocity,
            spin_bound: self.spin_bound(),
        }
    }

    /// Moves the body from the beginning of `flight` to the time `s` \[s\] after the beginning. `s` is at most the
    /// length of the step of the flight.
    pub fn advance_along(&mut self, flight: &RigidMotion, s: f64) {
        let later = flight.advanced(s);
        self.travel += flight.displacement(s);
        self.velocity = later.velocity;
        self.orientation = later.rotation * self.principal;
        self.orientation.renormalize();
    }

    /// Position of a material point \[m\].
    pub fn position(&self, reference_position: &Vec3) -> Vec3 {
        let arm = reference_position - self.reference_centre;
        reference_position + (self.travel + (self.rotation() * arm - arm))
    }

    /// Velocity of the body at a spatial point \[m/s\].
    pub fn velocity_at(&self, position: &Vec3) -> Vec3 {
        self.velocity + self.angular_velocity().cross(&(position - self.centre()))
    }

    /// Centre of mass in the reference configuration \[m\].
    pub fn reference_centre(&self) -> Vec3 {
        self.reference_centre
    }

    /// Inverse spatial inertia about the centre of mass \[1/(kg·m²)\]; zero about an axis without inertia.
    pub fn inverse_inertia(&self) -> Mat3 {
        let axes = *self.orientation.to_rotation_matrix().matrix();
        let inverse = self.moments.map(|moment| if moment > 0.0 { 1.0 / moment } else { 0.0 });
        axes * Mat3::from_diagonal(&inverse) * axes.transpose()
    }

    /// Adds jumps of the velocity \[m/s\] and of the angular velocity \[rad/s\].
    pub fn jump(&mut self, velocity: &Vec3, angular_velocity: &Vec3) {
        self.velocity += velocity;
        self.angular_momentum += self.inertia_times(angular_velocity);
    }

    /// Replaces the velocity v by `velocity(v)`, and the angular momentum L by `angular(L)`.
    pub fn map_momenta(&mut self, velocity: impl Fn(&Vec3) -> Vec3, angular: impl Fn(&Vec3) -> Vec3) {
        self.velocity = velocity(&self.velocity);
        self.angular_momentum = angular(&self.angular_momentum);
    }

    /// Displaces the centre of mass \[m\], and rotates the body about this centre by a rotation vector \[rad\].
    /// Velocity and angular momentum are unchanged.
    pub fn shift(&mut self, displacement: &Vec3, rotation: &Vec3) {
        self.travel += displacement;
        if *rotation != Vec3::zeros() {
            self.orientation = Rotation::from_scaled_axis(*rotation) * self.orientation;
            self.orientation.renormalize();
        }
    }

    /// Sets the rotation from the reference configuration.
    pub fn set_rotation(&mut self, rotation: &Rotation) {
        self.orientation = rotation * self.principal;
        self.orientation.renormalize();
    }

    /// Sets the angular velocity \[rad/s\].
    pub fn set_spin(&mut self, angular_velocity: &Vec3) {
        self.angular_momentum = self.inertia_times(angular_velocity);
    }

    /// Kinetic energy of rotation \[J\].
    pub fn rotational_energy(&self) -> f64 {
        0.5 * self.angular_momentum.dot(&self.angular_velocity())
    }

    /// Sets component `axis` of the position \[m\] and the velocity \[m/s\] of the centre.
    pub fn prescribe(&mut self, axis: usize, position: f64, velocity: f64) {
        self.travel[axis] = position - self.reference_centre[axis];
        self.velocity[axis] = velocity;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asymmetric() -> RigidBody {
        let mut body = RigidBody::new(2.0, Vec3::zeros(), &Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 3.0)));
        body.set_velocity(Vec3::zeros(), Vec3::new(0.01, 1.0, 0.01));
        body
    }

    /// The reference value is I ω, the product of the inertia tensor of a rotated box and an angular velocity.
    #[test]
    fn principal_axes_are_found_in_any_attitude() {
        let box_inertia = Mat3::from_diagonal(&Vec3::new(1.0, 2.5, 3.0));
        for axis in [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()] {
            for degrees in 0..360 {
                let turn = Rotation::from_axis_angle(&axis, f64::from(degrees).to_radians());
                let turn = turn.to_rotation_matrix().into_inner();
                let inertia = turn * box_inertia * turn.transpose();
                let body = RigidBody::new(1.0, Vec3::zeros(), &inertia);
                let spin = Vec3::new(0.3, -0.7, 1.1);
                let off = (body.inertia_times(&spin) - inertia * spin).norm();
                assert!(off < 1e-14, "{degrees} degrees about {axis:?}: {off:e}");
            }
        }
    }

    /// Torque-free rotation near the unstable axis (Dzhanibekov).
    #[test]
    fn free_rotation_keeps_angular_momentum_and_energy() {
        for step in [5e-3, 0.3, 7.0] {
            let mut body = asymmetric();
            let (momentum, energy) = (body.angular_momentum(), body.kinetic_energy());
            let mut worst: f64 = 0.0;
            for k in 0..20_000 {
                body.drift(step * (1.0 + 0.5 * f64::from(k).sin()));
                worst = worst.max((body.kinetic_energy() / energy - 1.0).abs());
            }
            assert_eq!(body.angular_momentum(), momentum);
            assert!(worst < 1e-12, "step {step}: energy error {worst:e}");
        }
    }

    /// Here, |L|/I_min = 10⁴ rad/s would greatly overestimate |ω| ≈ 1 rad/s.
    #[test]
    fn needle_keeps_its_energy() {
        let mut body = RigidBody::new(1.0, Vec3::zeros(), &Mat3::from_diagonal(&Vec3::new(1e-4, 0.9, 1.0)));
        body.set_velocity(Vec3::zeros(), Vec3::new(0.1, 0.02, 1.0));
        let energy = body.kinetic_energy();
        let worst = (0..2_000).map(|_| {
            body.drift(0.1);
            (body.kinetic_energy() / energy - 1.0).abs()
        });
        let worst = worst.fold(0.0, f64::max);
        assert!(worst < 1e-12, "energy error {worst:e}");
    }

    #[test]
    fn rotation_is_second_order() {
        let orientation = |steps: u32| {
            let mut body = asymmetric();
            (0..steps).for_each(|_| body.drift(2.0 / f64::from(steps)));
            body.rotation()
        };
        let exact = orientation(20_000);
        let errors = [100, 200].map(|steps| orientation(steps).angle_to(&exact));
        let order = (errors[0] / errors[1]).log2();
        assert!((order - 2.0).abs() < 0.05, "order {order}");
    }

    #[test]
    fn steady_spin_is_exact_for_any_step() {
        let mut body = asymmetric();
        body.set_velocity(Vec3::zeros(), Vec3::z() * 0.7);
        assert!(body.spins_steadily());
        body.drift(std::f64::consts::TAU / 0.7);
        assert!(body.rotation().angle() < 1e-14);
    }

    /// The reference value is a central difference of the angular velocity, with an error O(h²).
    #[test]
    fn angular_acceleration_is_the_rate_of_the_angular_velocity() {
        let mut body = asymmetric();
        body.drift(1.3);
        let mut ends = [body.clone(), body.clone()];
        for (end, h) in ends.iter_mut().zip([-1e-4, 1e-4]) {
            end.drift(h);
        }
        let rate = (ends[1].angular_velocity() - ends[0].angular_velocity()) / 2e-4;
        let found = body.angular_acceleration(&Vec3::zeros());
        assert!((rate - found).norm() < 1e-6 * found.norm(), "{rate} against {found}");
    }

    #[test]
    fn spin_bound_holds() {
        let mut body = asymmetric();
        let bound = body.spin_bound();
        for _ in 0..5_000 {
            let before = body.angular_velocity();
            body.drift(1e-2);
            let rate = (body.angular_velocity() - before).norm() / 1e-2;
            assert!(before.norm_squared() + rate <= bound);
        }
    }

    #[test]
    fn flight_ends_where_the_drift_ends() {
        let mut body = asymmetric();
        let flight = body.flight(Vec3::new(0.0, 0.0, -9.81), 1e-2);
        let mut drifted = body.clone();
        drifted.drift(1e-2);
        body.advance_along(&flight, 1e-2);
        assert!(body.rotation().angle_to(&drifted.rotation()) < 1e-14);
        assert!((body.velocity().z + 9.81e-2).abs() < 1e-15);
    }
}
