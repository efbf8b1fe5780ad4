//! Sums over nodes, from which energies and momenta are computed.

use std::ops::Add;

use pulp::{Simd, WithSimd};

use crate::dynamics::Wrench;
use crate::math::Vec3;
use crate::math::pack::{Pack, Row, WIDTH};
use crate::math::real::Real;

#[derive(Clone, Copy, Debug)]
pub(crate) struct NodalSums {
    /// Linear momentum \[kg·m/s\], and angular momentum about the origin \[kg·m²/s\].
    pub momentum: Wrench,
    /// Σ |x| |m v|, with mass m, position x and velocity v of each node \[kg·m²/s\].
    pub angular_scale: f64,
    /// Kinetic energy \[J\].
    pub kinetic: f64,
    /// Σ m |a|², with mass m and acceleration a of each node \[N·m/s²\].
    pub force_acceleration: f64,
    /// Σ m x \[kg·m\].
    pub mass_moment: Vec3,
    /// Lower and upper bounds of each velocity component \[m/s\].
    pub velocity_bounds: [Vec3; 2],
}

impl NodalSums {
    pub fn zero() -> Self {
        Self {
            momentum: Wrench::zero(),
            angular_scale: 0.0,
            kinetic: 0.0,
            force_acceleration: 0.0,
            mass_moment: Vec3::zeros(),
            velocity_bounds: [f64::INFINITY, f64::NEG_INFINITY].map(Vec3::repeat),
        }
    }
}

impl Add for NodalSums {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            momentum: self.momentum + other.momentum,
            angular_scale: self.angular_scale + other.angular_scale,
            kinetic: self.kinetic + other.kinetic,
            force_acceleration: self.force_acceleration + other.force_acceleration,
            mass_moment: self.mass_moment + other.mass_moment,
            velocity_bounds: [
                self.velocity_bounds[0].inf(&other.velocity_bounds[0]),
                self.velocity_bounds[1].sup(&other.velocity_bounds[1]),
            ],
        }
    }
}

pub(crate) struct NodalKernel<'a> {
    /// In \[kg\].
    pub masses: &'a [f64],
    /// In \[m\].
    pub positions: &'a [Vec3],
    /// In \[m/s\].
    pub velocities: &'a [Vec3],
    /// In \[m/s²\].
    pub accelerations: &'a [Vec3],
}

impl WithSimd for NodalKernel<'_> {
    type Output = NodalSums;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> NodalSums {
        let mut sums = RowSums::new();
        let (masses, last_masses) = self.masses.as_chunks();
        let (positions, last_positions) = self.positions.as_chunks();
        let (velocities, last_velocities) = self.velocities.as_chunks();
        let (accelerations, last_accelerations) = self.accelerations.as_chunks();
        let motion = positions.iter().zip(velocities).zip(accelerations);
        for (masses, ((positions, velocities), accelerations)) in masses.iter().zip(motion) {
            sums.add(simd, &Row(*masses), [positions, velocities, accelerations]);
        }
        let Some(last_velocity) = last_velocities.last() else { return sums.total() };
        // Nodes without mass and with the velocity of the last node fill up the last row. They do not change the sums
        // and bounds.
        let (mut masses, mut nodes) = ([0.0; WIDTH], [[Vec3::zeros(); WIDTH]; 3]);
        masses[..last_masses.len()].copy_from_slice(last_masses);
        nodes[0][..last_positions.len()].copy_from_slice(last_positions);
        nodes[1].fill(*last_velocity);
        nodes[1][..last_velocities.len()].copy_from_slice(last_velocities);
        nodes[2][..last_accelerations.len()].copy_from_slice(last_accelerations);
        sums.add(simd, &Row(masses), nodes.each_ref());
        sums.total()
    }
}

/// Separate sums and bounds for each of the eight places of a row. Hence the result does not depend on the width of the
/// registers.
struct RowSums {
    momentum: [Row; 3],
    angular: [Row; 3],
    mass_moment: [Row; 3],
    angular_scale: Row,
    kinetic: Row,
    force_acceleration: Row,
    velocity_bounds: [[Row; 3]; 2],
}

impl RowSums {
    fn new() -> Self {
        let zero = Row::splat(0.0);
        let zeros = [zero; 3];
        Self {
            momentum: zeros,
            angular: zeros,
            mass_moment: zeros,
            angular_scale: zero,
            kinetic: zero,
            force_acceleration: zero,
            velocity_bounds: [f64::INFINITY, f64::NEG_INFINITY].map(|bound| [Row::splat(bound); 3]),
        }
    }

    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, masses: &Row, motion: [&[Vec3; WIDTH]; 3]) {
        let [positions, velocities, accelerations] = motion;
        for part in 0..Pack::<S>::PARTS {
            let mass = Pack::load(simd, masses, part);
            let x = Pack::components(simd, positions, part);
            let v = Pack::components(simd, velocities, part);
            let a = Pack::components(simd, accelerations, part);
            let momentum = [v[0] * mass, v[1] * mass, v[2] * mass];
            for i in 0..3 {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                momentum[i].add_to(&mut self.momentum[i], part);
                (x[j] * momentum[k] - x[k] * momentum[j]).add_to(&mut self.angular[i], part);
                (x[i] * mass).add_to(&mut self.mass_moment[i], part);
                let [lower, upper] = &mut self.velocity_bounds;
                v[i].min(Pack::load(simd, &lower[i], part)).store(&mut lower[i], part);
                v[i].max(Pack::load(simd, &upper[i], part)).store(&mut upper[i], part);
            }
            let speed_squared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
            let distance_squared = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
            ((distance_squared * speed_squared).sqrt() * mass).add_to(&mut self.angular_scale, part);
            (speed_squared * mass * 0.5).add_to(&mut self.kinetic, part);
            let acceleration_squared = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
            (acceleration_squared * mass).add_to(&mut self.force_acceleration, part);
        }
    }

    fn total(&self) -> NodalSums {
        let sum = |row: &Row| row.0.iter().sum::<f64>();
        let vector = |rows: &[Row; 3]| Vec3::from(rows.each_ref().map(sum));
        let bound = |rows: &[Row; 3], of: fn(f64, f64) -> f64| {
            Vec3::from(rows.each_ref().map(|row| row.0.iter().copied().fold(row.0[0], of)))
        };
        NodalSums {
            momentum: Wrench { linear: vector(&self.momentum), angular: vector(&self.angular) },
            angular_scale: sum(&self.angular_scale),
            kinetic: sum(&self.kinetic),
            force_acceleration: sum(&self.force_acceleration),
            mass_moment: vector(&self.mass_moment),
            velocity_bounds: [
                bound(&self.velocity_bounds[0], f64::min),
                bound(&self.velocity_bounds[1], f64::max),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::pack::Registers;

    /// Nodal sums agree with their definitions, and are bitwise equal on registers of all widths.
    #[test]
    fn sums_over_nodes() {
        let vector = |k: usize, shift: usize| {
            Vec3::from([3, 5, 7].map(|factor| ((k * factor + shift) % 11) as f64 - 4.7))
        };
        for count in [0, 1, 8, 29] {
            let masses: Vec<f64> = (0..count).map(|k| 1.0 + (k % 4) as f64 * 0.3).collect();
            let positions: Vec<Vec3> = (0..count).map(|k| vector(k, 1)).collect();
            let velocities: Vec<Vec3> = (0..count).map(|k| vector(k, 4)).collect();
            let accelerations: Vec<Vec3> = (0..count).map(|k| vector(k, 9)).collect();
            let sums_on = |registers: Registers| {
                let (masses, positions) = (&masses, &positions);
                let (velocities, accelerations) = (&velocities, &accelerations);
                let sums = registers.run(NodalKernel { masses, positions, velocities, accelerations });
                let Wrench { linear, angular } = sums.momentum;
                let [lower, upper] = sums.velocity_bounds;
                let vectors = [linear, angular, sums.mass_moment, lower, upper];
                let numbers = vectors.map(|vector| vector.data.0[0]).concat();
                [numbers, vec![sums.angular_scale, sums.kinetic, sums.force_acceleration]].concat()
            };
            let sum = |term: &dyn Fn(f64, Vec3, Vec3) -> Vec3| -> Vec3 {
                (0..count).map(|k| term(masses[k], positions[k], velocities[k])).sum()
            };
            let scales = (0..count).map(|k| {
                let (m, x, v, a) = (masses[k], positions[k], velocities[k], accelerations[k]);
                Vec3::new(m * x.norm() * v.norm(), 0.5 * m * v.norm_squared(), m * a.norm_squared())
            });
            let bound = |of: fn(&Vec3, &Vec3) -> Vec3, none: f64| {
                velocities.iter().fold(Vec3::repeat(none), |bound, velocity| of(&bound, velocity))
            };
            let expected = [
                sum(&|m, _, v| v * m),
                sum(&|m, x, v| x.cross(&v) * m),
                sum(&|m, x, _| x * m),
                bound(Vec3::inf, f64::INFINITY),
                bound(Vec3::sup, f64::NEG_INFINITY),
                scales.sum(),
            ];
            let sums = sums_on(Registers::default());
            for (sum, expected) in sums.iter().zip(expected.iter().flatten()) {
                assert!(
                    sum == expected || (sum - expected).abs() <= 1e-12 * expected.abs().max(1.0),
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
