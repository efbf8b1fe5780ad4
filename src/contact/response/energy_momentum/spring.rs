//! The springs of one contact: pressure by cases, friction by return mapping.

use super::{Solution, Spring};
use crate::math::Vec3;

impl Spring {
    /// U(g) \[J\].
    pub(super) fn energy(&self, gap: f64) -> f64 {
        energy(self.stiffness.unwrap_or(0.0), gap)
    }

    /// Whether there is friction, or a stretch left of where there was.
    pub(super) fn rubs(&self) -> bool {
        self.options.friction.acts() || self.slip != Vec3::zeros()
    }

    /// Energy of the spring across the normal \[J\].
    pub(super) fn tangential_energy(&self) -> f64 {
        0.5 * self.stiffness.unwrap_or(0.0) * self.slip.norm_squared()
    }

    /// What friction and damping take where the contact is over: all that it stores \[J\].
    pub(super) fn given_up(&self) -> [f64; 2] {
        [self.tangential_energy(), self.energy(self.gap.unwrap_or(0.0))]
    }

    /// Whether the work of the pressure is not all in the energy.
    pub(super) fn is_lossy(&self) -> bool {
        self.options.restitution < 1.0 || self.lag[0] > 0.0
    }

    /// Pressure p = −ΔU/Δḡ, and of damping, \[N\] where the gap goes from `gap` to `trial` + C p; unloading, of a gap that does
    /// not close at first, gives e² U back.
    pub(super) fn pressure(&self, gap: f64, closes: bool, trial: f64, c: f64) -> f64 {
        let stiffness = self.stiffness.unwrap_or(0.0);
        let viscosity = stiffness * self.lag[0];
        if gap > 0.0 {
            return if trial >= 0.0 { 0.0 } else { touch(stiffness, viscosity, gap, trial, c) };
        }
        let restitution = self.options.restitution;
        let elastic = press(stiffness, viscosity, gap, trial, c);
        if restitution == 1.0 || closes || trial + c * elastic <= gap {
            return elastic;
        }
        let lossy = press(restitution * restitution * stiffness, viscosity, gap, trial, c);
        if trial + c * lossy < gap { (gap - trial) / c } else { lossy }
    }

    /// The gap after a way under this pressure. Of an elastic spring it is that of the energy that the work has left, so
    /// that rounding, which a stiff spring magnifies, does not add up in the energy.
    pub(super) fn gap_after(&self, gap: f64, way: f64, pressure: f64) -> f64 {
        let stiffness = self.stiffness.unwrap_or(0.0);
        let next = gap + way;
        let stored = self.energy(gap) - pressure * way;
        let elastic = !self.is_lossy() && stiffness > 0.0;
        if elastic && next < 0.0 && stored > 0.0 { -(2.0 * stored / stiffness).sqrt() } else { next }
    }

    /// Force of friction on the contactor after a way `travel` that holds the present force of the solution, under its
    /// pressure, and whether it is at its bound; `c` is the way that a unit of force makes \[m/N\].
    pub(super) fn traction(&self, solution: &Solution, travel: &Vec3, c: f64) -> (Vec3, bool) {
        let stiffness = self.stiffness.unwrap_or(0.0);
        let free = travel - solution.traction * c;
        let half = 0.5 + self.lag[1];
        let stick = (self.slip + free * half) * (-stiffness / (1.0 + half * stiffness * c));
        let size = stick.norm();
        let law = &self.options.friction;
        let at_rest = law.at_rest * solution.pressure;
        // What slips by more in a step than springs are stretched turns about those that stick.
        let is_held = self.is_held && travel.norm() * stiffness <= at_rest;
        let sliding =
            if is_held { at_rest } else { law.sliding(solution.slip_rate.norm()) * solution.pressure };
        let bound = if self.slides { sliding } else { at_rest };
        if size <= bound || size == 0.0 { (stick, false) } else { (stick * (sliding / size), true) }
    }

    /// Slides by `travel` under the force of the solution; the energies that friction and damping take \[J\].
    ///
    /// A spring that slides is stretched by its force at the end, as far as the work of the force and what it held before
    /// allow: what it takes is never negative. (A stretch whose mean with that before gives the force would be no less
    /// conservative, but it changes its sign from step to step, and under a pressure that chatters it grows until it turns
    /// the force.)
    pub(super) fn slide(&mut self, solution: &Solution, travel: &Vec3) -> [f64; 2] {
        let stiffness = self.stiffness.unwrap_or(0.0);
        if stiffness == 0.0 {
            return [0.0; 2];
        }
        let trial = (self.slip + travel * (0.5 + self.lag[1])) * -stiffness;
        let slid = (solution.traction - trial) * (2.0 / stiffness);
        self.slides = solution.slips && slid.norm() > ROUNDING * (self.slip.norm() + travel.norm());
        if !self.slides {
            self.slip += travel;
            return [0.0, stiffness * self.lag[1] * travel.norm_squared()];
        }
        let given = self.slip.norm_squared() - 2.0 / stiffness * solution.traction.dot(travel);
        let stretch = solution.traction * (-1.0 / stiffness);
        let stored = stretch.norm_squared().min(given.max(0.0));
        self.slip = stretch.try_normalize(0.0).map_or_else(Vec3::zeros, |along| along * stored.sqrt());
        [0.5 * stiffness * (given - stored), 0.0]
    }
}

/// Slip below this part of the way is that of rounding.
const ROUNDING: f64 = 1e-10;

fn energy(stiffness: f64, gap: f64) -> f64 {
    let penetration = (-gap).max(0.0);
    0.5 * stiffness * penetration * penetration
}

/// Pressure of a spring that is compressed at the beginning: a damped oscillator in the midpoint rule, or one that is
/// released within the step and gives back all its energy but what damping takes on the way to its length, p Δḡ =
/// U − γ |ḡ| Δḡ. `viscosity` γ is that of a way in the step \[N/m\].
fn press(stiffness: f64, viscosity: f64, gap: f64, trial: f64, c: f64) -> f64 {
    let resisting = -0.5 * stiffness * (trial + gap) - viscosity * (trial - gap);
    let pressure = resisting / (1.0 + (0.5 * stiffness + viscosity) * c);
    if pressure >= 0.0 && trial + c * pressure <= 0.0 {
        return pressure;
    }
    if pressure < 0.0 && trial <= 0.0 {
        return 0.0; // damping would pull
    }
    let (stored, drag) = (energy(stiffness, gap), viscosity * -gap);
    let way = trial - c * drag - gap;
    let root = (way * way + 4.0 * c * stored).sqrt();
    let elastic = if way < 0.0 {
        (root - way) / (2.0 * c)
    } else if stored > 0.0 {
        2.0 * stored / (way + root)
    } else {
        0.0
    };
    (elastic - drag).max(0.0)
}

/// Pressure of a spring that is touched within the step, from p Δḡ = −U(ḡ') − γ |ḡ' Δḡ| with ḡ' = trial + C p. Of a soft
/// spring, the smaller root of a quadratic in p; of a stiff one, from the negative root of (1 + κ C/2 + γ C) ḡ'² − (trial +
/// gap + γ C gap) ḡ' + trial · gap = 0: neither loses digits.
fn touch(stiffness: f64, viscosity: f64, gap: f64, trial: f64, c: f64) -> f64 {
    let (soft, damped, way) = (stiffness * c, viscosity * c, trial - gap);
    if soft + damped < 1.0 {
        let a = c + 0.5 * soft * c + damped * c;
        let b = way + soft * trial + damped * (trial + way);
        let constant = 0.5 * stiffness * trial * trial + viscosity * trial * way;
        return 2.0 * constant / ((b * b - 4.0 * a * constant).sqrt() - b);
    }
    let (a, sum, product) = (1.0 + 0.5 * soft + damped, trial + gap + damped * gap, trial * gap);
    let root = (sum * sum - 4.0 * a * product).sqrt();
    let next = if sum > 0.0 { 2.0 * product / (sum + root) } else { (sum - root) / (2.0 * a) };
    (next - trial) / c
}

#[cfg(test)]
mod tests {
    use super::*;

    /// p Δḡ = −ΔU − D over all cases, for gaps on either side and stiffness over twelve decades, with D = γ |Δḡ| times the part
    /// of the way in which the spring is pressed, or more where no force is left. Undamped, D = 0.
    #[test]
    fn pressure_is_a_discrete_gradient() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut cases = [0; 3];
        for _ in 0..20_000 {
            let stiffness = 10f64.powf(12.0 * random() - 6.0);
            let (gap, way, c) =
                (2.0 * random() - 1.0, 4.0 * random() - 2.0, 10f64.powf(4.0 * random() - 2.0));
            let trial = gap + way;
            // γ = ζ √(2 κ/C), ζ up to 2
            let ratio = (4.0 * random() - 2.0).max(0.0);
            let viscosity = ratio * (2.0 * stiffness / c).sqrt();
            let pressure = if gap > 0.0 {
                if trial >= 0.0 { 0.0 } else { touch(stiffness, viscosity, gap, trial, c) }
            } else {
                press(stiffness, viscosity, gap, trial, c)
            };
            let next = trial + c * pressure;
            let stored = energy(stiffness, next) - energy(stiffness, gap);
            assert!(pressure >= 0.0);
            let taken = -pressure * (next - gap) - stored;
            let damped = viscosity * (next.min(0.0) - gap.min(0.0)).abs() * (next - gap).abs();
            let error = if pressure > 0.0 || viscosity == 0.0 { (taken - damped).abs() } else { -taken };
            let scale = energy(stiffness, gap)
                + energy(stiffness, next)
                + damped
                + pressure * (gap.abs() + way.abs());
            assert!(error <= 1e-9 * scale, "{stiffness} {gap} {way} {c}: {error} of {scale}");
            cases[usize::from(gap <= 0.0) + usize::from(gap <= 0.0 && next > 0.0)] += 1;
        }
        assert!(cases.iter().all(|&count| count > 1000), "{cases:?}");
    }
}
