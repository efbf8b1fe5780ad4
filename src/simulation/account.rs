//! The audit of a step: energies, momenta, and the work and impulse of what acts from outside.

use std::ops::Add;
use std::time::Instant;

use pulp::{Simd, WithSimd};

use crate::dynamics::{Audit, Wrench};
use crate::math::Vec3;
use crate::math::pack::{Pack, Registers, Row, WIDTH};
use crate::math::real::Real;
use crate::math::reduction::fixed_order_sum;

use super::{Body, Simulation};

/// Rounding of positions that many steps may add up to, relative to them.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Momentum, kinetic energy and centre of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyBalance {
    /// Linear and angular momentum about the origin.
    pub momentum: Wrench,
    /// Sum of |x| |m v| over its nodes, a scale for errors of angular momentum \[kg·m²/s\].
    pub angular_scale: f64,
    /// Kinetic energy \[J\].
    pub kinetic: f64,
    /// Centre of mass \[m\].
    pub centre: Vec3,
}

impl BodyBalance {
    /// Of a body without motion at the origin.
    pub(super) fn at_rest() -> Self {
        Self { momentum: Wrench::zero(), angular_scale: 0.0, kinetic: 0.0, centre: Vec3::zeros() }
    }
}

/// What the audit wants of each body.
pub(super) fn scaled_momenta(balances: &[BodyBalance]) -> impl Iterator<Item = (Wrench, f64)> + '_ {
    balances.iter().map(|balance| (balance.momentum, balance.angular_scale))
}

/// Sums over the nodes of a body.
struct NodalSums {
    momentum: Wrench,
    angular_scale: f64,
    kinetic: f64,
    mass_moment: Vec3,
}

impl Add for NodalSums {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            momentum: self.momentum + other.momentum,
            angular_scale: self.angular_scale + other.angular_scale,
            kinetic: self.kinetic + other.kinetic,
            mass_moment: self.mass_moment + other.mass_moment,
        }
    }
}

impl Simulation {
    /// Brings energies and momenta up to date after a step and holds them against their balance.
    pub(super) fn account(&mut self, dt: f64) {
        let start = Instant::now();
        let before = self.external_wrench;
        self.external_wrench = self.compute_external_wrench();
        self.audit.add_impulse((before + self.external_wrench).scaled(0.5 * dt));
        if self.acts_by_impulses() {
            let angular = self.wall_couple() * dt;
            self.audit.add_impulse(Wrench { angular, ..Wrench::zero() });
        }
        self.energies.external_work += self.external_work();
        self.energies.viscous_dissipation += self.action.work.damping;
        self.energies.friction_dissipation += self.action.work.friction;
        self.energies.numerical_work += self.action.work.numerical;
        self.measure();
        self.audit.check(&self.energies, scaled_momenta(&self.balances));
        self.account_pairs();
        self.wall.account += start.elapsed().as_secs_f64();
    }

    /// Begins the audit with the present state.
    pub(super) fn begin_audit(&mut self) {
        self.measure();
        let momentum = self.balances.iter().map(|b| b.momentum).fold(Wrench::zero(), |sum, m| sum + m);
        self.audit = Audit::new(&self.energies, momentum, self.energy_of_rounding());
        self.audit.check(&self.energies, scaled_momenta(&self.balances));
    }

    /// Energy of the shortest waves with an amplitude that rounding gives positions, Σ ½ m (ε |x| ω)² over the bodies:
    /// a state at rest is no better than that \[J\].
    fn energy_of_rounding(&self) -> f64 {
        let of_body = |(number, body): (usize, &Body)| {
            let frequency = 2.0 / self.critical_step(number)?.0;
            let farthest =
                self.state.positions[body.nodes.clone()].iter().map(Vec3::amax).fold(0.0, f64::max);
            Some(0.5 * body.mass * (ROUNDING * farthest * frequency).powi(2))
        };
        self.model.bodies.iter().enumerate().filter_map(of_body).sum()
    }

    /// Energies and momenta of the present state.
    pub(super) fn measure(&mut self) {
        self.energies.strain = self.internal.strain_energy().iter().sum();
        self.energies.hourglass = self.internal.hourglass_energy().iter().sum();
        self.energies.contact = self.action.stored_energy;
        for body in 0..self.model.bodies.len() {
            self.balances[body] = self.body_balance(body);
        }
        self.energies.kinetic = self.balances.iter().map(|balance| balance.kinetic).sum();
    }

    /// Balance of one body: from its carrier where it has one, from its nodes otherwise.
    fn body_balance(&self, body: usize) -> BodyBalance {
        if let Some(carrier) = &self.carriers[body] {
            let mut momentum = Wrench::at(&carrier.centre(), carrier.velocity() * carrier.mass());
            momentum.angular += carrier.angular_momentum();
            let spin = carrier.angular_momentum().norm();
            let angular_scale = carrier.centre().norm() * momentum.linear.norm() + spin;
            let (kinetic, centre) = (carrier.kinetic_energy(), carrier.centre());
            return BodyBalance { momentum, angular_scale, kinetic, centre };
        }
        let nodes = self.model.bodies[body].nodes.clone();
        let masses = &self.model.mass[nodes.clone()];
        let positions = &self.state.positions[nodes.clone()];
        let velocities = &self.state.velocities[nodes];
        let registers = Registers::default();
        let sums = fixed_order_sum(masses.len(), &|range| {
            registers.run(NodalKernel {
                masses: &masses[range.clone()],
                positions: &positions[range.clone()],
                velocities: &velocities[range],
            })
        });
        let mass = self.model.bodies[body].mass;
        let centre = if mass > 0.0 { sums.mass_moment / mass } else { positions[0] };
        let NodalSums { momentum, angular_scale, kinetic, .. } = sums;
        BodyBalance { momentum, angular_scale, kinetic, centre }
    }

    /// Resultant of gravity, loads and reactions at present.
    pub(super) fn compute_external_wrench(&self) -> Wrench {
        let mut wrench = self.reaction_wrench() + self.guide_wrench();
        if !self.acts_by_impulses() {
            wrench.angular += self.wall_couple();
        }
        for (index, body) in self.model.bodies.iter().enumerate() {
            if body.is_rigid() {
                wrench = wrench + self.rigid_external_wrench(index);
            } else if body.is_driven() {
                let nodes = body.nodes.clone();
                let positions = &self.state.positions[nodes.clone()];
                wrench = wrench + Wrench::of_nodes(positions, &self.forces.external[nodes]);
            }
        }
        wrench
    }

    /// Work of gravity, loads and reactions over the last step, by the trapezoidal rule \[J\].
    fn external_work(&self) -> f64 {
        let before = &self.positions_next;
        let mut work = self.reaction_work(before);
        for (index, body) in self.model.bodies.iter().enumerate() {
            if body.is_rigid() {
                work += self.rigid_work(index);
            } else if body.is_driven() {
                let nodes = body.nodes.clone();
                let forces =
                    [&self.forces.external_before[nodes.clone()], &self.forces.external[nodes.clone()]];
                let positions = [&before[nodes.clone()], &self.state.positions[nodes]];
                work += trapezoidal_work(forces, positions);
            }
        }
        work
    }
}

/// Sums over nodes.
struct NodalKernel<'a> {
    masses: &'a [f64],
    positions: &'a [Vec3],
    velocities: &'a [Vec3],
}

impl WithSimd for NodalKernel<'_> {
    type Output = NodalSums;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> NodalSums {
        let mut sums = RowSums::new();
        let (masses, last_masses) = self.masses.as_chunks();
        let (positions, last_positions) = self.positions.as_chunks();
        let (velocities, last_velocities) = self.velocities.as_chunks();
        for ((masses, positions), velocities) in masses.iter().zip(positions).zip(velocities) {
            sums.add(simd, &Row(*masses), positions, velocities);
        }
        // Nodes past the last have no mass.
        let (mut masses, mut nodes) = ([0.0; WIDTH], [[Vec3::zeros(); WIDTH]; 2]);
        masses[..last_masses.len()].copy_from_slice(last_masses);
        nodes[0][..last_positions.len()].copy_from_slice(last_positions);
        nodes[1][..last_velocities.len()].copy_from_slice(last_velocities);
        sums.add(simd, &Row(masses), &nodes[0], &nodes[1]);
        sums.total()
    }
}

/// Sums side by side, each of one node in so many: the same on all registers.
struct RowSums {
    momentum: [Row; 3],
    angular: [Row; 3],
    mass_moment: [Row; 3],
    angular_scale: Row,
    kinetic: Row,
}

impl RowSums {
    fn new() -> Self {
        let zero = Row::splat(0.0);
        let zeros = [zero; 3];
        Self { momentum: zeros, angular: zeros, mass_moment: zeros, angular_scale: zero, kinetic: zero }
    }

    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, masses: &Row, positions: &[Vec3; WIDTH], velocities: &[Vec3; WIDTH]) {
        for part in 0..Pack::<S>::PARTS {
            let mass = Pack::load(simd, masses, part);
            let x = Pack::components(simd, positions, part);
            let v = Pack::components(simd, velocities, part);
            let momentum = [v[0] * mass, v[1] * mass, v[2] * mass];
            for i in 0..3 {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                momentum[i].add_to(&mut self.momentum[i], part);
                (x[j] * momentum[k] - x[k] * momentum[j]).add_to(&mut self.angular[i], part);
                (x[i] * mass).add_to(&mut self.mass_moment[i], part);
            }
            let speed_squared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
            let distance_squared = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
            ((distance_squared * speed_squared).sqrt() * mass).add_to(&mut self.angular_scale, part);
            (speed_squared * mass * 0.5).add_to(&mut self.kinetic, part);
        }
    }

    fn total(&self) -> NodalSums {
        let sum = |row: &Row| row.0.iter().sum::<f64>();
        let vector = |rows: &[Row; 3]| Vec3::from(rows.each_ref().map(sum));
        NodalSums {
            momentum: Wrench { linear: vector(&self.momentum), angular: vector(&self.angular) },
            angular_scale: sum(&self.angular_scale),
            kinetic: sum(&self.kinetic),
            mass_moment: vector(&self.mass_moment),
        }
    }
}

/// Σ ½ (f_n + f_{n+1}) · (x_{n+1} − x_n) over nodes \[J\].
fn trapezoidal_work(forces: [&[Vec3]; 2], positions: [&[Vec3]; 2]) -> f64 {
    fixed_order_sum(positions[0].len(), &|range| {
        range
            .map(|node| {
                let travel = positions[1][node] - positions[0][node];
                0.5 * (forces[0][node] + forces[1][node]).dot(&travel)
            })
            .sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same bits on all registers, and the sums of their definitions, of whole rows of nodes and what is left.
    #[test]
    fn sums_over_nodes() {
        let vector = |k: usize, shift: usize| {
            Vec3::from([3, 5, 7].map(|factor| ((k * factor + shift) % 11) as f64 - 4.7))
        };
        for count in [0, 1, 8, 29] {
            let masses: Vec<f64> = (0..count).map(|k| 1.0 + (k % 4) as f64 * 0.3).collect();
            let positions: Vec<Vec3> = (0..count).map(|k| vector(k, 1)).collect();
            let velocities: Vec<Vec3> = (0..count).map(|k| vector(k, 4)).collect();
            let sums_on = |registers: Registers| {
                let (masses, positions, velocities) = (&masses, &positions, &velocities);
                let sums = registers.run(NodalKernel { masses, positions, velocities });
                let Wrench { linear, angular } = sums.momentum;
                let numbers = [linear, angular, sums.mass_moment].map(|vector| vector.data.0[0]).concat();
                [numbers, vec![sums.angular_scale, sums.kinetic]].concat()
            };
            let sum = |term: &dyn Fn(f64, Vec3, Vec3) -> Vec3| -> Vec3 {
                (0..count).map(|k| term(masses[k], positions[k], velocities[k])).sum()
            };
            let scales = sum(&|m, x, v| Vec3::new(m * x.norm() * v.norm(), 0.5 * m * v.norm_squared(), 0.0));
            let expected =
                [sum(&|m, _, v| v * m), sum(&|m, x, v| x.cross(&v) * m), sum(&|m, x, _| x * m), scales];
            let sums = sums_on(Registers::default());
            for (sum, expected) in sums.iter().zip(expected.iter().flatten()) {
                assert!(
                    (sum - expected).abs() <= 1e-12 * expected.abs().max(1.0),
                    "{count}: {sum} {expected}"
                );
            }
            for registers in Registers::available() {
                let bits = |sums: Vec<f64>| sums.into_iter().map(f64::to_bits).collect::<Vec<_>>();
                assert_eq!(bits(sums_on(registers)), bits(sums.clone()));
            }
        }
    }
}
