//! Iterative solution for the forces of all contacts of a step.

use super::{EnergyMomentum, Reversal};
use crate::math::Vec3;
use crate::response::Bodies;
use crate::response::groups::momentum::Momentum;

/// The sweeps end when no velocity change in a sweep exceeds this fraction of a reference velocity \[-\], plus the
/// rounding error of the velocities. The reference is the largest of the gap rates and slip rates before the kick, and
/// of the velocity changes in all sweeps so far.
const TOLERANCE: f64 = 1e-15;
/// Largest number of Gauss–Seidel sweeps.
const MAX_SWEEPS: usize = 300;
const MAX_JACOBI_SWEEPS: usize = 2000;

/// Ratio of the gap rate after the kick to the closing rate before the kick, above which the motion has reversed \[-\].
const SEPARATION_RATIO: f64 = 1e-9;

impl EnergyMomentum {
    /// Solves with the spring laws. If the motion of contacts with a coefficient of restitution below 1 reverses,
    /// solves again, with prescribed gap rates in these contacts. Returns the number of sweeps.
    pub(super) fn solve(&mut self, bodies: &Bodies<'_>, dt: f64) -> usize {
        let sweeps = if self.holds_gaps() {
            self.iterate_jacobi(bodies, dt)
        } else {
            self.iterate(MAX_SWEEPS, |this| this.gauss_seidel_sweep(bodies, dt))
        };
        if self.mark_reversals(bodies, dt) { sweeps + self.iterate_jacobi(bodies, dt) } else { sweeps }
    }

    /// Whether any compressed spring with a coefficient of restitution e < 1 may unload. Let p be the pressure of the
    /// elastic spring. If the gap stays constant, any pressure from e² p to p satisfies the spring law. The pressures
    /// of several contacts on one rigid body may then not be unique.
    fn holds_gaps(&self) -> bool {
        let mut contacts = self.memory.springs.iter().zip(&self.solutions);
        contacts.any(|(spring, solution)| {
            spring.options.restitution < 1.0 && !solution.closes && spring.gap.is_some_and(|gap| gap < 0.0)
        })
    }

    /// Returns the number of sweeps.
    fn iterate_jacobi(&mut self, bodies: &Bodies<'_>, dt: f64) -> usize {
        self.bound_compliance(bodies);
        for solution in &mut self.solutions {
            (solution.next_pressure, solution.next_traction) = (solution.pressure, solution.traction);
        }
        let mut momentum = Momentum::default();
        let sweeps = self.iterate(MAX_JACOBI_SWEEPS, |this| this.jacobi_sweep(bodies, dt, &mut momentum));
        // Extrapolated forces can violate the spring laws; a final sweep without extrapolation satisfies them.
        self.jacobi_sweep(bodies, dt, &mut Momentum::default());
        sweeps
    }

    /// Marks the contacts whose coefficient of restitution is below 1 and whose motion reverses; returns whether there
    /// are any.
    fn mark_reversals(&mut self, bodies: &Bodies<'_>, dt: f64) -> bool {
        let mut any = false;
        let contacts = self.memory.contacts.iter().zip(self.memory.springs.iter()).zip(&mut self.solutions);
        for ((constraint, spring), solution) in contacts {
            let restitution = spring.options.restitution;
            if restitution == 1.0 || !solution.closes || solution.pressure <= 0.0 {
                continue;
            }
            let nodes = &self.gradient_nodes;
            let rate = solution.gradient.rate(&constraint, nodes, bodies.mobility, &self.kicked);
            if rate > -SEPARATION_RATIO * solution.rate {
                let gap = spring.gap.unwrap_or(0.0) + 0.5 * dt * (solution.rate + rate);
                solution.reversal = Some(Reversal { rate: restitution * rate, gap: gap.min(0.0) });
                any = true;
            }
        }
        any
    }

    /// Repeats sweeps until the velocities converge, at most `most` times; returns the number of sweeps. `sweep`
    /// returns the largest velocity change \[m/s\].
    fn iterate(&mut self, most: usize, mut sweep: impl FnMut(&mut Self) -> f64) -> usize {
        let rates = self.solutions.iter().map(|s| s.rate.abs().max(s.slip_rate.norm()));
        let mut scale = rates.fold(0.0, f64::max);
        let contacts = self.memory.contacts.iter().zip(&self.solutions);
        let roundings =
            contacts.map(|(constraint, solution)| solution.row.rounding(&constraint, &self.kicked));
        let rounding = roundings.fold(0.0, f64::max);
        for count in 1..=most {
            let change = sweep(self);
            scale = scale.max(change);
            if change <= TOLERANCE * scale + rounding {
                return count;
            }
        }
        most
    }

    /// Returns the largest velocity change \[m/s\].
    fn gauss_seidel_sweep(&mut self, bodies: &Bodies<'_>, dt: f64) -> f64 {
        let mut change: f64 = 0.0;
        for k in 0..self.solutions.len() {
            let [along, across] = self.solutions[k].compliance;
            let pressed = self.set_pressure(k, bodies, dt, self.pressure(k, bodies, dt, along));
            let (traction, slips) = self.traction(k, dt, across);
            self.solutions[k].slips = slips;
            change = change.max(pressed + self.set_traction(k, bodies, dt, traction));
        }
        change
    }

    /// Computes all pressures from the same velocities, and extrapolates them. Then computes all tractions from the
    /// velocities under the new pressures, and extrapolates them. Returns the largest velocity change \[m/s\].
    ///
    /// If the solution is not unique, the sweeps find the pressures closest to the initial pressures, for any order of
    /// the contacts.
    fn jacobi_sweep(&mut self, bodies: &Bodies<'_>, dt: f64, momentum: &mut Momentum) -> f64 {
        let (mut change, mut back): (f64, f64) = (0.0, 0.0);
        let farther = momentum.farther();
        for k in 0..self.solutions.len() {
            self.solutions[k].farther_pressure =
                self.pressure(k, bodies, dt, self.solutions[k].coupled_compliance);
        }
        for k in 0..self.solutions.len() {
            let solution = &mut self.solutions[k];
            let (from, found) = (solution.pressure, solution.farther_pressure);
            let way = found - std::mem::replace(&mut solution.next_pressure, found);
            back += solution.coupled_compliance * (from - found) * way;
            let [along, _] = solution.compliance;
            change = change.max(dt * (found - from).abs() * along);
            self.set_pressure(k, bodies, dt, (found + farther * way).max(0.0));
        }
        for k in 0..self.solutions.len() {
            let (traction, slips) = self.traction(k, dt, self.solutions[k].coupled_compliance);
            (self.solutions[k].farther_traction, self.solutions[k].slips) = (traction, slips);
        }
        for k in 0..self.solutions.len() {
            let solution = &mut self.solutions[k];
            let (from, found) = (solution.traction, solution.farther_traction);
            let way = found - std::mem::replace(&mut solution.next_traction, found);
            back += solution.coupled_compliance * (from - found).dot(&way);
            let [_, across] = solution.compliance;
            change = change.max(dt * (found - from).norm() * across);
            self.set_traction(k, bodies, dt, found + way * farther);
        }
        momentum.end(back);
        change
    }

    /// Sets the `coupled_compliance` of each contact k to an upper bound with which Jacobi sweeps converge: the bound
    /// B_k for the deformable nodes, plus a bound for the rigid bodies. `assembled` computes both from springs of unit
    /// stiffness. The force f_k of contact k acts with the weights w_ka on deformable nodes a of mass m_a:
    ///
    /// ```text
    /// Σ_a (1/m_a) (Σ_k w_ka f_k)² ≤ Σ_k f_k² B_k,   B_k = max_a (1/m_a) Σ_j |w_ja| Σ_b |w_jb|
    /// ```
    /// Here j runs over all contacts, b over the nodes of contact j, and the maximum is over the nodes a of contact k.
    fn bound_compliance(&mut self, bodies: &Bodies<'_>) {
        self.assembled.clear(bodies.mobility);
        for (constraint, spring) in self.memory.contacts.iter().zip(self.memory.springs.iter()) {
            self.assembled.add(&constraint, bodies, 1.0, spring.has_friction());
        }
        self.assembled.bound(bodies.mobility);
        for (constraint, solution) in self.memory.contacts.iter().zip(&mut self.solutions) {
            let bound = self.assembled.of(&constraint, bodies);
            solution.coupled_compliance = bound.nodes + bound.rigid;
        }
    }

    /// Pressure of contact k \[N\] under the forces of all other contacts; `compliance` in \[1/kg\].
    fn pressure(&self, k: usize, bodies: &Bodies<'_>, dt: f64, compliance: f64) -> f64 {
        let (solution, spring) = (&self.solutions[k], self.memory.springs.get(k));
        if solution.compliance[0] <= 0.0 {
            return solution.pressure;
        }
        let (constraint, nodes) = (self.memory.contacts.get(k), &self.gradient_nodes);
        let rate = solution.gradient.rate(&constraint, nodes, bodies.mobility, &self.kicked);
        let others = rate - dt * compliance * solution.pressure;
        let gap = spring.gap.unwrap_or(0.0);
        let trial = gap + 0.5 * dt * (solution.rate + others);
        match solution.reversal {
            Some(reversal) => ((reversal.rate - others) / (dt * compliance)).max(0.0),
            None => spring.pressure(gap, solution.closes, trial, 0.5 * dt * dt * compliance),
        }
    }

    /// Friction force of contact k \[N\] under the forces of all other contacts, and whether it is at its bound.
    fn traction(&self, k: usize, dt: f64, compliance: f64) -> (Vec3, bool) {
        let (solution, spring) = (&self.solutions[k], self.memory.springs.get(k));
        if !spring.has_friction() || solution.compliance[1] <= 0.0 {
            return (solution.traction, true);
        }
        let travel = solution.travel(&self.memory.contacts.get(k), &self.kicked, dt);
        spring.traction(solution, &travel, 0.5 * dt * dt * compliance)
    }

    /// Sets the pressure of contact k; returns the magnitude of the change of its gap rate \[m/s\].
    fn set_pressure(&mut self, k: usize, bodies: &Bodies<'_>, dt: f64, pressure: f64) -> f64 {
        let solution = &mut self.solutions[k];
        let push = dt * (pressure - solution.pressure);
        let (constraint, nodes) = (self.memory.contacts.get(k), &self.gradient_nodes);
        solution.gradient.push(&constraint, nodes, bodies.mobility, &mut self.kicked, push);
        self.tied.push_along(&solution.tied, push, &mut self.kicked);
        solution.pressure = pressure;
        push.abs() * solution.compliance[0]
    }

    /// Sets the friction force of contact k; returns an upper bound on the change of its slip rate \[m/s\].
    fn set_traction(&mut self, k: usize, bodies: &Bodies<'_>, dt: f64, traction: Vec3) -> f64 {
        let solution = &mut self.solutions[k];
        let push = (traction - solution.traction) * dt;
        solution.row.push(&self.memory.contacts.get(k), bodies.mobility, &mut self.kicked, &push);
        self.tied.push_across(&solution.tied, &push, &mut self.kicked);
        solution.traction = traction;
        push.norm() * solution.compliance[1]
    }
}
