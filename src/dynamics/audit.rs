//! The audit of energy and momentum that every step passes.

use std::ops::Add;

use crate::math::Vec3;
use crate::math::reduction::fixed_order_sum;

/// Energies at an instant \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// Kinetic, ½ v_n · M v_n.
    pub kinetic: f64,
    /// ⅛ dt² (a_n · M a_n − m g² of free bodies): what that has over ½ v_{n−½} · M v_{n+½}, up to a constant.
    pub kick: f64,
    /// Strain.
    pub strain: f64,
    /// Stored in the hourglass control of elements with one point.
    pub hourglass: f64,
    /// Stored in contacts.
    pub contact: f64,
    /// Drawn by viscous damping of contacts and lost in impacts without full restitution, since the beginning.
    pub viscous_dissipation: f64,
    /// Taken by friction, since the beginning.
    pub friction_dissipation: f64,
    /// Given by what no law of physics asks for, since the beginning: projections of positions, changes of stiffness and of
    /// the step, work of springs that is not in their energy, contacts lost while they are pressed.
    pub numerical_work: f64,
    /// Work of loads, gravity and prescribed motion, since the beginning.
    pub external_work: f64,
}

impl Energies {
    /// What the bodies hold and what they have dissipated, less what the numerics have given.
    pub fn total(&self) -> f64 {
        let held = self.kinetic + self.strain + self.hourglass + self.contact;
        held + self.viscous_dissipation + self.friction_dissipation - self.numerical_work
    }

    /// What central differences conserve with linear forces, less the external work: the sum with ½ v_{n−½} · M v_{n+½} in
    /// place of the kinetic energy, and with what a change of the step makes of it in the numerical work. The sum itself is
    /// off by (ω dt)²/4 of what vibrates.
    ///
    /// # Source
    /// T_{n+1} − T_n = ½ (f_n + f_{n+1}) · Δx + ⅛ dt² (a_{n+1} · M a_{n+1} − a_n · M a_n) of the predictor–corrector, exactly.
    pub fn conserved(&self) -> f64 {
        self.total() - self.kick - self.external_work
    }
}

/// Linear and angular momentum, or force and moment, about the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrench {
    /// Linear momentum \[kg·m/s\], or force \[N\].
    pub linear: Vec3,
    /// Angular momentum \[kg·m²/s\], or moment \[N·m\].
    pub angular: Vec3,
}

impl Wrench {
    /// Nothing.
    pub fn zero() -> Self {
        Self { linear: Vec3::zeros(), angular: Vec3::zeros() }
    }

    /// Of a vector that acts at a point.
    pub fn at(point: &Vec3, vector: Vec3) -> Self {
        Self { linear: vector, angular: point.cross(&vector) }
    }

    /// Sum of nodal vectors at nodal positions.
    pub fn of_nodes(positions: &[Vec3], vectors: &[Vec3]) -> Self {
        fixed_order_sum(positions.len(), &|range| {
            let nodes = positions[range.clone()].iter().zip(&vectors[range]);
            nodes.fold(Self::zero(), |sum, (position, vector)| sum + Self::at(position, *vector))
        })
    }

    /// Scaled by a factor.
    pub fn scaled(self, factor: f64) -> Self {
        Self { linear: self.linear * factor, angular: self.angular * factor }
    }
}

impl Add for Wrench {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }
}

/// Momentum of bodies, over the impulses of a step, below which they are at rest but for rounding.
const AT_REST: f64 = 1e-10;

/// Running balance of a simulation.
#[derive(Clone, Debug)]
pub struct Audit {
    initial_energy: f64,
    /// That which the steps conserve, once the first one is done \[J\].
    initial_conserved: f64,
    has_started: bool,
    initial_momentum: Wrench,
    impulse: Wrench,
    energy_scale: f64,
    momentum_scale: f64,
    angular_scale: f64,
    impulse_scale: f64,
    angular_impulse_scale: f64,
    largest_energy_error: f64,
    largest_momentum_error: f64,
    largest_angular_error: f64,
    energy_error: f64,
}

impl Audit {
    /// Begins with these energies and this momentum; `rounding` is the energy that cannot be told from nothing \[J\].
    pub fn new(energies: &Energies, momentum: Wrench, rounding: f64) -> Self {
        Self {
            initial_energy: energies.total() - energies.external_work,
            initial_conserved: energies.conserved(),
            has_started: false,
            initial_momentum: momentum,
            impulse: Wrench::zero(),
            energy_scale: rounding,
            momentum_scale: 0.0,
            angular_scale: 0.0,
            impulse_scale: 0.0,
            angular_impulse_scale: 0.0,
            largest_energy_error: 0.0,
            largest_momentum_error: 0.0,
            largest_angular_error: 0.0,
            energy_error: 0.0,
        }
    }

    /// Total energy at the beginning \[J\].
    pub fn initial_energy(&self) -> f64 {
        self.initial_energy
    }

    /// Largest of kinetic, strain and |external work| seen so far, and of what rounding may store \[J\].
    pub fn energy_scale(&self) -> f64 {
        self.energy_scale
    }

    /// Whether the kick energy of the initial state is noted.
    pub fn has_started(&self) -> bool {
        self.has_started
    }

    /// Notes the kick energy of the initial state in a step of the length of the first one \[J\], in that one.
    pub fn start(&mut self, kick: f64) {
        self.has_started = true;
        self.initial_conserved -= kick;
    }

    /// Change of [`Energies::conserved`] over [`Audit::energy_scale`].
    pub fn energy_error(&self) -> f64 {
        self.energy_error
    }

    /// Largest energy error so far.
    pub fn largest_energy_error(&self) -> f64 {
        self.largest_energy_error
    }

    /// Largest error of linear momentum so far, over the largest momentum of a body, or impulse of a step where all are at
    /// rest.
    pub fn largest_momentum_error(&self) -> f64 {
        self.largest_momentum_error
    }

    /// Largest error of angular momentum so far, over the largest sum of |x| |m v| over the nodes of a body: the
    /// angular momentum itself may be nothing but rounding.
    pub fn largest_angular_error(&self) -> f64 {
        self.largest_angular_error
    }

    /// Adds the impulse of loads and supports. Errors are relative to it where bodies have no momentum but rounding, as at
    /// rest.
    pub fn add_impulse(&mut self, impulse: Wrench) {
        self.impulse_scale = self.impulse_scale.max(impulse.linear.norm());
        self.angular_impulse_scale = self.angular_impulse_scale.max(impulse.angular.norm());
        self.impulse = self.impulse + impulse;
    }

    /// Holds energies and momenta of the bodies against their balance; with each momentum comes the sum of
    /// |x| |m v| over the body.
    pub fn check(&mut self, energies: &Energies, bodies: impl Iterator<Item = (Wrench, f64)>) {
        for energy in [energies.kinetic, energies.strain, energies.external_work] {
            self.energy_scale = self.energy_scale.max(energy.abs());
        }
        let drift = energies.conserved() - self.initial_conserved;
        self.energy_error = relative(drift.abs(), self.energy_scale);
        self.largest_energy_error = larger(self.largest_energy_error, self.energy_error);
        let mut momentum = Wrench::zero();
        for (body, angular_scale) in bodies {
            self.momentum_scale = self.momentum_scale.max(body.linear.norm());
            self.angular_scale = self.angular_scale.max(angular_scale);
            momentum = momentum + body;
        }
        let expected = self.initial_momentum + self.impulse;
        let linear = (momentum.linear - expected.linear).norm();
        let angular = (momentum.angular - expected.angular).norm();
        self.largest_momentum_error = larger(
            self.largest_momentum_error,
            relative(linear, scale(self.momentum_scale, self.impulse_scale)),
        );
        self.largest_angular_error = larger(
            self.largest_angular_error,
            relative(angular, scale(self.angular_scale, self.angular_impulse_scale)),
        );
    }
}

/// Scale of momenta: that of the bodies, or of the impulses of a step where bodies have nothing but their rounding.
fn scale(of_bodies: f64, of_impulses: f64) -> f64 {
    if of_bodies > AT_REST * of_impulses { of_bodies } else { of_impulses }
}

/// A difference relative to a scale; 0 where there is nothing to compare with, NaN for what is no number.
fn relative(difference: f64, scale: f64) -> f64 {
    if scale > 0.0 || difference.is_nan() { difference / scale } else { 0.0 }
}

/// The larger of two errors; what is no number is the largest.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}
