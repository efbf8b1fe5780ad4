//! Normal and tangential spring of one contact.

use super::{Lost, MAX_STEPS_PRESSED, Solution, Spring};
use crate::math::Vec3;
use crate::response::StepWork;

impl Spring {
    /// Energy U of the normal spring \[J\].
    pub(super) fn energy(&self, gap: f64) -> f64 {
        energy(self.stiffness.unwrap_or(0.0), gap)
    }

    pub(super) fn has_friction(&self) -> bool {
        self.options.friction.acts() || self.slip != Vec3::zeros()
    }

    pub(super) fn tangential_energy(&self) -> f64 {
        0.5 * self.stiffness.unwrap_or(0.0) * self.slip.norm_squared()
    }

    /// Called in each step in which detection does not find the contact. Counts the steps in which the spring releases
    /// no energy. Returns whether the contact remains.
    pub(super) fn keep_when_lost(&mut self) -> bool {
        let Lost { steps_pressed } = self.lost.unwrap_or_default();
        let steps_pressed = steps_pressed + u32::from(!self.releases);
        self.lost = Some(Lost { steps_pressed });
        self.gap.is_some_and(|gap| gap < 0.0) && steps_pressed <= MAX_STEPS_PRESSED
    }

    pub(super) fn stored_energy(&self) -> f64 {
        self.energy(self.gap.unwrap_or(0.0)) + self.tangential_energy()
    }

    /// Work that accounts for the energy lost with a discarded spring \[J\]. The tangential energy is dissipated by
    /// friction (`friction` > 0). The normal energy is taken out of the system (`numerical`, the added energy, is < 0).
    pub(super) fn work_at_end(&self) -> StepWork {
        let normal = self.energy(self.gap.unwrap_or(0.0));
        StepWork { friction: self.tangential_energy(), damping: 0.0, numerical: -normal }
    }

    pub(super) fn is_lossy(&self) -> bool {
        self.options.restitution < 1.0 || self.lag[0] > 0.0
    }

    /// Pressure p \[N\]. Over the time of the kick, the spring gap ḡ changes by Δḡ from `gap` to `trial` + `c` p;
    /// `trial` \[m\] is the new gap without p, and `c` is in \[m/N\]. An elastic spring whose pressure is not clipped
    /// to zero satisfies p Δḡ = −ΔU − D, with the dissipation D by damping.
    ///
    /// The spring has the stiffness κ if it is open, if the gap `closes` before the kick, or if the gap would not
    /// increase with κ. Otherwise the spring unloads with the stiffness e² κ, where e is the coefficient of
    /// restitution. If the gap would decrease with e² κ, p keeps the gap constant.
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

    /// Gap \[m\] after a change by `way` \[m\] under `pressure` \[N\]. For a compressed elastic spring, the gap is
    /// computed from the energy, because rounding errors of `gap + way` would accumulate in the energy.
    pub(super) fn gap_after(&self, gap: f64, way: f64, pressure: f64) -> f64 {
        let stiffness = self.stiffness.unwrap_or(0.0);
        let next = gap + way;
        let stored = self.energy(gap) - pressure * way;
        let elastic = !self.is_lossy() && stiffness > 0.0;
        if elastic && next < 0.0 && stored > 0.0 { -(2.0 * stored / stiffness).sqrt() } else { next }
    }

    /// Friction force on the contactor \[N\], and whether it is at Coulomb's bound. `travel` is the tangential
    /// displacement over the kick under the current friction force \[m\], and `c` its change per force \[m/N\].
    pub(super) fn traction(&self, solution: &Solution, travel: &Vec3, c: f64) -> (Vec3, bool) {
        let stiffness = self.stiffness.unwrap_or(0.0);
        let free = travel - solution.traction * c;
        let half = 0.5 + self.lag[1];
        let stick = (self.slip + free * half) * (-stiffness / (1.0 + half * stiffness * c));
        let size = stick.norm();
        let law = &self.options.friction;
        let at_rest = law.at_rest * solution.pressure;
        // Contacts between two rigid bodies: if one contact of the pair was sticking in the previous step, the static
        // coefficient applies to all of them, even to those that slide. The exception is a `travel` longer than the
        // stretch at the static bound: the bodies then rotate about the sticking contact.
        let is_held = self.is_held && travel.norm() * stiffness <= at_rest;
        let sliding =
            if is_held { at_rest } else { law.sliding(solution.slip_rate.norm()) * solution.pressure };
        let bound = if self.slides { sliding } else { at_rest };
        if size <= bound || size == 0.0 { (stick, false) } else { (stick * (sliding / size), true) }
    }

    /// Moves the tangential spring by `travel` \[m\]; returns the dissipation by friction and by damping \[J\].
    ///
    /// A sliding spring takes the stretch −t/κ, with the friction force t and the stiffness κ, limited so that the
    /// dissipation is not negative. The midpoint rule would instead set the mean of the old and the new stretch to
    /// −t/κ; the stretch would then change sign from step to step.
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

/// Largest sliding distance that counts as rounding, relative to the stretch plus the displacement \[-\].
const ROUNDING: f64 = 1e-10;

fn energy(stiffness: f64, gap: f64) -> f64 {
    let penetration = (-gap).max(0.0);
    0.5 * stiffness * penetration * penetration
}

/// Pressure p of an initially compressed spring. The gap changes by Δḡ to `trial` + `c` p. κ is the stiffness, and
/// γ = `viscosity` the damping force per displacement \[N/m\]. A negative p is replaced by zero.
///
/// ```text
/// stays compressed   p = −κ (gap + ½ Δḡ) − γ Δḡ          midpoint rule
/// opens              p Δḡ = ½ κ gap² − γ |gap| Δḡ
/// ```
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

/// Pressure p of a spring that closes in the kick, from `gap` > 0 to ḡ' = `trial` + `c` p < 0. With κ and γ as in
/// `press`:
///
/// ```text
/// p Δḡ = −½ κ ḡ'² − γ |ḡ' Δḡ|,   Δḡ = ḡ' − gap
/// ```
/// For (κ + γ) c < 1, p is the smaller root of this quadratic equation. Otherwise p follows from the negative root of
/// the equation in ḡ':
///
/// ```text
/// (1 + ½ κ c + γ c) ḡ'² − (trial + gap + γ c gap) ḡ' + trial · gap = 0
/// ```
/// The formulas for these roots have no cancellation.
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

    /// p Δḡ = −ΔU − D holds for gaps of either sign and stiffnesses over twelve decades. Reference: the dissipation D
    /// is γ |Δḡ| times the part of |Δḡ| at negative gaps. If damping makes the force vanish, only D ≥ 0 is required.
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
            // γ = ζ √(2 κ/c) with a damping ratio ζ of up to 2.
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
