//! Kinematics from the first steps: root velocities and accelerations by differences of updated positions.
//!
//! The hierarchies are refitted to the nodes at the first three instants of a flight. Each root is classified as
//! stationary, at constant velocity or accelerating, and keeps its acceleration from then on. A prediction starts from
//! the spheres refitted at the present instant. The differences are not exact: the volumes grow by a bound on their
//! error, so that no contact is predicted late.
//!
//! # Source
//! Aragón & Molinari, CMAME 268 (2014), §3.1 and §5.2: the engine is active at the first two increments.

use rayon::prelude::*;

use crate::contact::detection::model::ContactModel;
use crate::contact::detection::trajectory::Flight;
use crate::contact::detection::trajectory::bounding_spheres::MovingSphere;
use crate::contact::detection::tree::hierarchy::Hierarchy;
use crate::contact::detection::volume::Sphere;
use crate::math::{RigidMotion, Vec3};

/// Rounding of a refitted centre, relative to its coordinates and its radius.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Displacement in a step, relative to the size of the model, below which a root is stationary.
const STATIONARY: f64 = 1e-12;

/// Difference of two displacements, relative to the size of the model, below which a velocity is constant.
const CONSTANT: f64 = 4.0 * ROUNDING;

/// Error of a difference of two positions, relative to the size of the model, with a change below [`CONSTANT`] left out.
const NOISE: f64 = 8.0 * ROUNDING + CONSTANT;

/// Positions of the roots at the first instants, and what follows from them.
#[derive(Clone, Debug, Default)]
pub(crate) struct FirstSteps {
    /// Instants of the positions \[s\], up to three.
    times: Vec<f64>,
    /// Root spheres of all bodies at these instants.
    roots: Vec<Vec<Sphere>>,
    /// Motions of the roots; empty until three positions are known.
    motions: Vec<RootMotion>,
    /// Instant of the spheres below \[s\].
    fitted_at: f64,
    positions: Vec<Vec3>,
    /// Spheres of the vertices, by body.
    spheres: Vec<Vec<Sphere>>,
}

/// Class of the motion of a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MotionClass {
    Stationary,
    ConstantVelocity,
    Accelerating,
}

/// Estimated motion of a root.
#[derive(Clone, Copy, Debug)]
struct RootMotion {
    /// Instant of the velocity \[s\].
    time: f64,
    velocity: Vec3,
    acceleration: Vec3,
    /// Bounds on their errors without rotation.
    errors: [f64; 2],
    /// Sum of the two steps \[s\].
    span: f64,
    /// Distance of the root from the centre of its body \[m\].
    arm: f64,
}

impl FirstSteps {
    /// Whether three positions are known.
    pub fn are_known(&self) -> bool {
        !self.motions.is_empty()
    }

    /// Moving sphere of a vertex, without the offset of its body; `None` until the kinematics are known.
    pub fn sphere(&self, motion: &RigidMotion, body: u32, vertex: u32, time: f64) -> Option<MovingSphere> {
        let sphere = self.spheres.get(body as usize)?.get(vertex as usize)?;
        let root = self.motions.get(body as usize)?;
        Some(root.carry(motion, sphere, time))
    }

    /// Moving material point; `None` until the kinematics are known.
    pub fn carried(
        &self,
        motion: &RigidMotion,
        body: u32,
        reference: &Vec3,
        time: f64,
    ) -> Option<MovingSphere> {
        let root = self.motions.get(body as usize)?;
        let centre = motion.point(reference, 0.0).0;
        Some(root.carry(motion, &Sphere { centre, radius: 0.0 }, time))
    }

    /// Instant of the last positions of the roots \[s\].
    pub fn last_instant(&self) -> Option<f64> {
        self.times.last().copied()
    }

    /// Instant of the spheres of the vertices \[s\].
    pub fn fitted_at(&self) -> f64 {
        self.fitted_at
    }

    /// Takes the positions of the roots at this instant; the third ones give the kinematics. Returns the number of refitted
    /// volumes.
    pub fn take_positions(
        &mut self,
        trees: &[Option<Hierarchy>],
        model: &ContactModel,
        flight: &Flight<'_>,
    ) -> usize {
        let count = self.refit(trees, model, flight);
        let no_faces = Sphere { centre: Vec3::zeros(), radius: 0.0 };
        self.times.push(flight.time);
        self.roots
            .push(self.spheres.iter().map(|spheres| spheres.last().copied().unwrap_or(no_faces)).collect());
        self.estimate(flight.motions);
        count
    }

    /// Refits the spheres of the vertices to the nodes at this instant; returns their number.
    pub fn refit(&mut self, trees: &[Option<Hierarchy>], model: &ContactModel, flight: &Flight<'_>) -> usize {
        let Self { positions, spheres, fitted_at, .. } = self;
        positions.resize(flight.reference_positions.len(), Vec3::zeros());
        for (surface, motion) in model.surfaces.iter().zip(flight.motions) {
            for &node in surface.nodes() {
                positions[node as usize] = motion.point(&flight.reference_positions[node as usize], 0.0).0;
            }
        }
        spheres.resize(trees.len(), Vec::new());
        let refit = |(tree, spheres): (&Option<Hierarchy>, &mut Vec<Sphere>)| {
            tree.as_ref().map_or(0, |tree| {
                tree.refit(positions, spheres);
                spheres.len()
            })
        };
        *fitted_at = flight.time;
        trees.par_iter().zip(spheres).map(refit).sum()
    }

    /// Motions of the roots from three positions.
    fn estimate(&mut self, motions: &[RigidMotion]) {
        let (&[first, second, third], [before, between, now]) = (&self.times[..], &self.roots[..]) else {
            return;
        };
        let steps = [second - first, third - second];
        let size = |sphere: &Sphere| sphere.centre.amax() + sphere.radius;
        let roots = before.iter().zip(between).zip(now).zip(motions);
        let motions = roots.map(|(((a, b), c), motion)| {
            let size = size(a).max(size(b)).max(size(c));
            let arm = (c.centre - motion.centre).norm();
            RootMotion::from_positions([a.centre, b.centre, c.centre], steps, third, size, arm)
        });
        self.motions = motions.collect();
    }
}

impl MotionClass {
    /// From the travel over two steps and the difference of two displacements, relative to the size of the model.
    fn of(travel: f64, change: f64) -> Self {
        if travel < STATIONARY {
            Self::Stationary
        } else if change < CONSTANT {
            Self::ConstantVelocity
        } else {
            Self::Accelerating
        }
    }
}

impl RootMotion {
    /// From three positions and the two steps between them; `size`: that of the model \[m\].
    ///
    /// With the differences D of the positions over the steps h, a = 2 (D₁ − D₂)/(h₁ + h₂) and v = D₁ + a h₁/2 at the
    /// last position: exact for constant acceleration.
    fn from_positions(positions: [Vec3; 3], [h2, h1]: [f64; 2], time: f64, size: f64, arm: f64) -> Self {
        let [before, between, now] = positions;
        let (last, first) = ((now - between) / h1, (between - before) / h2);
        let change = (last - first) * (2.0 / (h1 + h2));
        let shortest = h1.min(h2);
        let travel = last.norm() * h1 + first.norm() * h2;
        let class = MotionClass::of(travel / size, change.norm() * shortest * shortest / size);
        let (velocity, acceleration) = match class {
            MotionClass::Stationary => (Vec3::zeros(), Vec3::zeros()),
            MotionClass::ConstantVelocity => (last, Vec3::zeros()),
            MotionClass::Accelerating => (last + change * (0.5 * h1), change),
        };
        let noise = size * if class == MotionClass::Stationary { NOISE + STATIONARY } else { NOISE };
        let errors = [noise / shortest, noise / (shortest * shortest)];
        Self { time, velocity, acceleration, errors, span: h1 + h2, arm }
    }

    /// A sphere at its present centre that moves with the root, and grows by the errors of that motion.
    ///
    /// Rotation about the centre of the body, at a distance q from it, adds at most ω q to a velocity and
    /// (ω² + |dω/dt|) q to an acceleration: to the motion of the sphere and, in the mean over the steps, to that of the
    /// root from which it is estimated.
    fn carry(&self, motion: &RigidMotion, sphere: &Sphere, time: f64) -> MovingSphere {
        let (age, spin) = (time - self.time, motion.spin_bound);
        let [of_velocity, of_acceleration] = self.errors;
        let growth_rate = of_acceleration + spin * self.arm;
        let turning = spin.sqrt() * (self.arm + (sphere.centre - motion.centre).norm());
        MovingSphere {
            centre: sphere.centre,
            radius: sphere.radius,
            velocity: self.velocity + self.acceleration * age,
            acceleration: self.acceleration,
            growth: of_velocity + turning + growth_rate * age + spin * self.arm * self.span,
            growth_rate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions on a parabola, in unequal steps: velocity and acceleration to rounding (theory of divided differences,
    /// exact for quadratics); without acceleration and at rest their class.
    #[test]
    fn three_positions_give_the_motion() {
        let (start, velocity) = (Vec3::new(-750.0, 2.0, 1.0), Vec3::new(50.0, -3.0, 86.6));
        for (velocity, acceleration) in [
            (velocity, Vec3::new(0.5, 0.0, -9.81)),
            (velocity, Vec3::zeros()),
            (Vec3::zeros(), Vec3::zeros()),
        ] {
            let at = |t: f64| start + velocity * t + acceleration * (0.5 * t * t);
            let steps = [0.05, 0.07];
            let positions = [at(0.0), at(0.05), at(0.12)];
            let found = RootMotion::from_positions(positions, steps, 0.12, 752.5, 0.0);
            let is_still = |found: Vec3, exact: Vec3| (found == Vec3::zeros()) == (exact == Vec3::zeros());
            assert!(is_still(found.velocity, velocity) && is_still(found.acceleration, acceleration));
            let expected = velocity + acceleration * 0.12;
            let [of_velocity, of_acceleration] = found.errors;
            assert!((found.velocity - expected).norm() < of_velocity.min(1e-7), "{found:?}");
            assert!((found.acceleration - acceleration).norm() < of_acceleration.min(1e-5), "{found:?}");
        }
    }
}
