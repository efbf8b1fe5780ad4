//! The forces of all contacts of a step, by iteration.

use super::{Bodies, EnergyMomentum, Turning};

/// Velocities are found to this part of the largest rate, and to their rounding.
const TOLERANCE: f64 = 1e-15;
/// Most sweeps over the contacts.
const MAX_SWEEPS: usize = 300;

impl EnergyMomentum {
    /// Forces of the step: those of elastic springs, and where some of them turn that are not, of these once more.
    pub(super) fn solve(&mut self, bodies: &Bodies<'_>, dt: f64) -> usize {
        let sweeps = self.iterate(bodies, dt);
        if self.turn(bodies, dt) { sweeps + self.iterate(bodies, dt) } else { sweeps }
    }

    /// Notes the contacts whose motion turns though their springs do not give all back; whether there are any.
    fn turn(&mut self, bodies: &Bodies<'_>, dt: f64) -> bool {
        let mut any = false;
        let contacts = self.contacts.iter().zip(self.springs.iter()).zip(&mut self.solutions);
        for ((constraint, spring), solution) in contacts {
            let restitution = spring.options.restitution;
            if restitution == 1.0 || solution.rate >= 0.0 || solution.pressure <= 0.0 {
                continue;
            }
            let nodes = &self.gradient_nodes;
            let rate = solution.gradient.rate(&constraint, nodes, bodies.mobility, &self.kicked);
            if rate > 0.0 {
                let gap = spring.gap.unwrap_or(0.0) + 0.5 * dt * (solution.rate + rate);
                solution.turning = Some(Turning { rate: restitution * rate, gap: gap.min(0.0) });
                any = true;
            }
        }
        any
    }

    /// Gauss–Seidel iteration over the contacts until the velocities stand still; how many sweeps it takes.
    fn iterate(&mut self, bodies: &Bodies<'_>, dt: f64) -> usize {
        let rates = self.solutions.iter().map(|s| s.rate.abs().max(s.slip_rate.norm()));
        let mut scale = rates.fold(0.0, f64::max);
        let contacts = self.contacts.iter().zip(&self.solutions);
        let roundings =
            contacts.map(|(constraint, solution)| solution.row.rounding(&constraint, &self.kicked));
        let rounding = roundings.fold(0.0, f64::max);
        for sweep in 1..=MAX_SWEEPS {
            let mut change: f64 = 0.0;
            for k in 0..self.solutions.len() {
                let pushed = self.improve(k, bodies, dt);
                change = change.max(pushed);
                scale = scale.max(pushed);
            }
            if change <= TOLERANCE * scale + rounding {
                return sweep;
            }
        }
        MAX_SWEEPS
    }

    /// Solves for the forces of one contact with those of the others as they are; by how much they change the
    /// velocities \[m/s\].
    fn improve(&mut self, k: usize, bodies: &Bodies<'_>, dt: f64) -> f64 {
        let spring = *self.springs.get(k);
        let constraint = self.contacts.get(k);
        let (solution, kicked) = (&mut self.solutions[k], &mut self.kicked);
        let [compliance, across] = solution.compliance;
        let nodes = &self.gradient_nodes;
        let mut change = 0.0;
        if compliance > 0.0 {
            let rate = solution.gradient.rate(&constraint, nodes, bodies.mobility, kicked);
            let others = rate - dt * compliance * solution.pressure;
            let gap = spring.gap.unwrap_or(0.0);
            let trial = gap + 0.5 * dt * (solution.rate + others);
            let pressure = match solution.turning {
                Some(turning) => ((turning.rate - others) / (dt * compliance)).max(0.0),
                None => spring.pressure(gap, solution.rate, trial, 0.5 * dt * dt * compliance),
            };
            let push = dt * (pressure - solution.pressure);
            solution.gradient.push(&constraint, nodes, bodies.mobility, kicked, push);
            solution.pressure = pressure;
            change = push.abs() * compliance;
        }
        if spring.rubs() && across > 0.0 {
            let travel = solution.travel(&constraint, kicked, dt);
            let traction = spring.traction(solution, &travel, 0.5 * dt * dt * across);
            let push = (traction - solution.traction) * dt;
            solution.row.push(&constraint, bodies.mobility, kicked, &push);
            solution.traction = traction;
            change += push.norm() * across;
        }
        change
    }
}
