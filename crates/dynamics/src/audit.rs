//! Audit of the energy and momentum balance in every step.

use std::ops::Add;

use serde::{Deserialize, Serialize};

use crate::math::Vec3;
use crate::math::reduction::fixed_order_sum;

/// Energies at the end of step n \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energies {
    /// Kinetic energy ½ v_n · M v_n, with the velocities v_n and the mass matrix M.
    pub kinetic: f64,
    /// Kick energy ⅛ dt² a_n · M a_n with the step length dt and the accelerations a_n: the excess of ½ v_n · M v_n
    /// over ½ v_{n−½} · M v_{n+½}. In a_n · M a_n, the contributions of free fall, prescribed motion and loads are
    /// omitted: the contribution of free fall is constant, and `external_work` accounts for the contributions of
    /// prescribed motion and loads.
    pub kick: f64,
    /// Strain energy.
    pub strain: f64,
    /// Hourglass energy of one-point elements.
    pub hourglass: f64,
    /// Energy stored in contacts.
    pub contact: f64,
    /// Dissipation by contact damping and by restitution below 1, since the start.
    pub viscous_dissipation: f64,
    /// Dissipation by friction, since the start.
    pub friction_dissipation: f64,
    /// Dissipation by mass damping, since the start.
    pub mass_damping_dissipation: f64,
    /// Net energy that the numerical method added since the start, by
    /// - position corrections,
    /// - changes of stiffness and time step,
    /// - differences between the work of contact springs and the change of the energy stored in contacts,
    /// - contacts lost in compression (negative).
    pub numerical_work: f64,
    /// Work of loads, gravity and prescribed motion, since the start.
    pub external_work: f64,
}

impl Energies {
    /// Kinetic and stored energy, plus dissipation, minus numerical work.
    pub fn total(&self) -> f64 {
        let held = self.kinetic + self.strain + self.hourglass + self.contact;
        let dissipated = self.viscous_dissipation + self.friction_dissipation + self.mass_damping_dissipation;
        held + dissipated - self.numerical_work
    }

    /// Total energy − external work − kick energy. If the forces are linear in the displacements, central differences
    /// conserve this value. Without the kick energy, the energy of vibrations of frequency ω would have a relative
    /// error of (ω dt)²/4. With the kinetic energy T, the nodal forces f and the displacements Δx of a step, each step
    /// satisfies
    ///
    /// ```text
    /// T_{n+1} − T_n = ½ (f_n + f_{n+1}) · Δx + ⅛ dt² (a_{n+1} · M a_{n+1} − a_n · M a_n)
    /// ```
    pub fn conserved(&self) -> f64 {
        self.total() - self.kick - self.external_work
    }

    fn work_since(&self, before: &Self) -> f64 {
        let outside = (self.external_work - before.external_work).abs();
        let viscous = (self.viscous_dissipation - before.viscous_dissipation).abs();
        let friction = (self.friction_dissipation - before.friction_dissipation).abs();
        let damping = (self.mass_damping_dissipation - before.mass_damping_dissipation).abs();
        outside + viscous + friction + damping + (self.numerical_work - before.numerical_work).abs()
    }
}

/// Linear and angular momentum, or force and moment, about the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wrench {
    /// Linear momentum \[kg·m/s\], or force \[N\].
    pub linear: Vec3,
    /// Angular momentum \[kg·m²/s\], or moment \[N·m\].
    pub angular: Vec3,
}

impl Wrench {
    /// No momentum, or no force and moment.
    pub const ZERO: Self = Self { linear: Vec3::new(0.0, 0.0, 0.0), angular: Vec3::new(0.0, 0.0, 0.0) };

    /// No momentum, or no force and moment.
    pub fn zero() -> Self {
        Self::ZERO
    }

    /// Wrench of a force or linear momentum `vector` at `point`.
    pub fn at(point: &Vec3, vector: Vec3) -> Self {
        Self { linear: vector, angular: point.cross(&vector) }
    }

    /// Sum of the wrenches of nodal `vectors` at nodal `positions`.
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

/// Bodies count as at rest if no momentum exceeds this fraction of the largest external impulse.
const REST_MOMENTUM_RATIO: f64 = 1e-10;

/// Rounding error of the energy balance, relative to the sum of the magnitudes of all work.
const ROUNDING_OF_WORK: f64 = 1e-6;

/// Largest value of a deviation in a run, and its latest value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Deviation {
    /// Largest value so far; NaN counts as the largest.
    pub largest: f64,
    /// Time of the largest value \[s\].
    pub time: f64,
    /// Value at the latest check.
    pub last: f64,
}

impl Deviation {
    fn note(&mut self, time: f64, size: f64) {
        self.last = size;
        if size > self.largest || (size.is_nan() && !self.largest.is_nan()) {
            (self.largest, self.time) = (size, time);
        }
    }

    fn over(self, scale: f64) -> Self {
        Self { largest: relative(self.largest, scale), last: relative(self.last, scale), ..self }
    }
}

/// Running balance of energy and momentum of a simulation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Audit {
    initial_energy: f64,
    /// [`Energies::conserved`] at the start \[J\]. `new` gets energies without kick energy; `start` subtracts the kick
    /// energy of the first step.
    initial_conserved: f64,
    has_started: bool,
    initial_momentum: Wrench,
    impulse: Wrench,
    energy_scale: f64,
    /// Rounding error of the initial energy \[J\].
    rounding: f64,
    /// Sum of the rounding errors of the energy in all steps \[J\].
    noise: f64,
    momentum_scale: f64,
    angular_scale: f64,
    impulse_scale: f64,
    angular_impulse_scale: f64,
    before: Energies,
    /// Initial energy plus the magnitudes of all work since the start \[J\].
    work_put_through: f64,
    net_numerical_work: f64,
    imbalance: f64,
    balance: Deviation,
    numerical: Deviation,
    both: Deviation,
    linear: Deviation,
    angular: Deviation,
}

impl Audit {
    /// `rounding`: rounding error of the initial energy \[J\].
    pub fn new(energies: &Energies, momentum: Wrench, rounding: f64) -> Self {
        Self {
            initial_energy: energies.total() - energies.external_work,
            initial_conserved: energies.conserved(),
            has_started: false,
            initial_momentum: momentum,
            impulse: Wrench::zero(),
            energy_scale: 0.0,
            rounding,
            noise: 0.0,
            momentum_scale: 0.0,
            angular_scale: 0.0,
            impulse_scale: 0.0,
            angular_impulse_scale: 0.0,
            before: *energies,
            work_put_through: energies.kinetic + energies.strain + energies.contact,
            net_numerical_work: 0.0,
            imbalance: 0.0,
            balance: Deviation::default(),
            numerical: Deviation::default(),
            both: Deviation::default(),
            linear: Deviation::default(),
            angular: Deviation::default(),
        }
    }

    /// Total energy minus external work at the start \[J\].
    pub fn initial_energy(&self) -> f64 {
        self.initial_energy
    }

    /// Largest value so far of any of these: kinetic energy, strain energy, energy stored in contacts, |external work|
    /// and accumulated rounding error of the energy \[J\].
    pub fn energy_scale(&self) -> f64 {
        self.energy_scale.max(self.rounding + self.noise)
    }

    /// Whether [`Audit::start`] was called.
    pub fn has_started(&self) -> bool {
        self.has_started
    }

    /// Largest momentum of a body so far \[kg·m/s\]. If all bodies have always been at rest: largest external impulse.
    pub fn momentum_scale(&self) -> f64 {
        scale(self.momentum_scale, self.impulse_scale)
    }

    /// Largest angular scale of a body so far, for example Σ |x| |m v| over its nodes \[kg·m²/s\]. If all bodies have
    /// always been at rest: largest external angular impulse. The angular momentum itself is no scale, because it can
    /// consist of rounding errors only.
    pub fn angular_scale(&self) -> f64 {
        scale(self.angular_scale, self.angular_impulse_scale)
    }

    /// Starts the audit with the `kick` energy of the first step \[J\].
    pub fn start(&mut self, kick: f64) {
        self.has_started = true;
        self.initial_conserved -= kick;
    }

    /// Change of [`Energies::conserved`] since the start \[J\].
    pub fn imbalance(&self) -> f64 {
        self.imbalance
    }

    /// Numerical work since the start \[J\], minus the parts that contact impulses absorbed in the step of the work.
    pub fn net_numerical_work(&self) -> f64 {
        self.net_numerical_work
    }

    /// |[`Audit::imbalance`]| divided by [`Audit::energy_scale`], both at present.
    pub fn relative_imbalance(&self) -> f64 {
        relative(self.imbalance.abs(), self.energy_scale())
    }

    /// Whether |imbalance| exceeds all of three bounds: `tolerance` times the energy scale, the rounding error of all
    /// work, and the sum of the energies given to `add_noise`. The second bound is the largest if much work was done
    /// but the energies stayed small; the third, if the system has always been at rest. The result is true if the
    /// imbalance is NaN.
    pub fn is_past(&self, tolerance: f64) -> bool {
        let imbalance = self.imbalance.abs();
        let allowed = [tolerance * self.energy_scale(), ROUNDING_OF_WORK * self.work_put_through, self.noise];
        !allowed.into_iter().any(|most| imbalance <= most)
    }

    /// (|imbalance| + |net numerical work|) divided by the energy scale.
    pub fn energy_error(&self) -> Deviation {
        self.both.over(self.energy_scale())
    }

    /// |imbalance| divided by the energy scale.
    pub fn balance_deviation(&self) -> Deviation {
        self.balance.over(self.energy_scale())
    }

    /// |net numerical work| divided by the energy scale.
    pub fn numerical_deviation(&self) -> Deviation {
        self.numerical.over(self.energy_scale())
    }

    /// |error of the linear momentum| divided by the momentum scale.
    pub fn momentum_deviation(&self) -> Deviation {
        self.linear.over(self.momentum_scale())
    }

    /// |error of the angular momentum| divided by the angular scale.
    pub fn angular_deviation(&self) -> Deviation {
        self.angular.over(self.angular_scale())
    }

    /// Largest value of `momentum_deviation`.
    pub fn largest_momentum_error(&self) -> f64 {
        self.momentum_deviation().largest
    }

    /// Largest value of `angular_deviation`.
    pub fn largest_angular_error(&self) -> f64 {
        self.angular_deviation().largest
    }

    /// Adds `energy` \[J\] to the rounding error of the energy.
    pub fn add_noise(&mut self, energy: f64) {
        self.noise += energy;
    }

    /// Adds an external impulse, for example that of gravity, loads and supports in a step.
    pub fn add_impulse(&mut self, impulse: Wrench) {
        self.impulse_scale = self.impulse_scale.max(impulse.linear.norm());
        self.angular_impulse_scale = self.angular_impulse_scale.max(impulse.angular.norm());
        self.impulse = self.impulse + impulse;
    }

    /// Adds the numerical work `given` of a step \[J\], minus the part that the contact impulses of this step absorb.
    /// If contact impulses carry a body at rest, position corrections lift the body in every step, and the impulses
    /// absorb the work of the lift.
    pub fn add_numerical_work(&mut self, given: f64, taken_by_impulses: f64) {
        self.net_numerical_work += given - taken_by_impulses.min(given).max(0.0);
    }

    /// Updates all deviations at `time` \[s\]. `bodies`: for each body, the momentum, and the scale for errors of the
    /// angular momentum, for example Σ |x| |m v| over the nodes of the body.
    pub fn check(&mut self, time: f64, energies: &Energies, bodies: impl Iterator<Item = (Wrench, f64)>) {
        for energy in [energies.kinetic, energies.strain, energies.contact, energies.external_work] {
            self.energy_scale = self.energy_scale.max(energy.abs());
        }
        let before = std::mem::replace(&mut self.before, *energies);
        self.work_put_through += energies.work_since(&before);
        self.imbalance = energies.conserved() - self.initial_conserved;
        let (imbalance, numerical) = (self.imbalance.abs(), self.net_numerical_work.abs());
        self.balance.note(time, imbalance);
        self.numerical.note(time, numerical);
        self.both.note(time, imbalance + numerical);
        let mut momentum = Wrench::zero();
        for (body, angular_scale) in bodies {
            self.momentum_scale = self.momentum_scale.max(body.linear.norm());
            self.angular_scale = self.angular_scale.max(angular_scale);
            momentum = momentum + body;
        }
        let expected = self.initial_momentum + self.impulse;
        self.linear.note(time, (momentum.linear - expected.linear).norm());
        self.angular.note(time, (momentum.angular - expected.angular).norm());
    }
}

/// `of_bodies`, or `of_impulses` if the bodies are at rest up to rounding.
fn scale(of_bodies: f64, of_impulses: f64) -> f64 {
    if of_bodies > REST_MOMENTUM_RATIO * of_impulses { of_bodies } else { of_impulses }
}

/// `difference` / `scale`. If the difference is NaN: NaN; otherwise, if the scale is zero: 0.
fn relative(difference: f64, scale: f64) -> f64 {
    if scale > 0.0 || difference.is_nan() { difference / scale } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f64 = 0.1;

    /// `kinetic`: kinetic energy at each check.
    fn audit_of(kinetic: &[f64]) -> Audit {
        let energies = |kinetic| Energies { kinetic, ..Energies::default() };
        let mut audit = Audit::new(&energies(kinetic[0]), Wrench::zero(), 0.0);
        audit.start(0.0);
        for (step, &kinetic) in kinetic.iter().enumerate() {
            audit.check(step as f64 * DT, &energies(kinetic), std::iter::empty());
        }
        audit
    }

    /// Deviations of a run are relative to the largest energy of the run; the present relative imbalance is relative to
    /// the largest energy so far.
    #[test]
    fn errors_are_relative_to_the_peak_of_the_run() {
        let audit = audit_of(&[1.0, 4.0, 2.0]);
        let of_run = audit.balance_deviation();
        assert_eq!(of_run, Deviation { largest: 0.75, time: DT, last: 0.25 });
        assert_eq!(audit_of(&[1.0, 4.0]).relative_imbalance(), 0.75);
        let lost = audit_of(&[1.0, 0.5, 1.0, 11.0]).balance_deviation();
        assert_eq!(lost, Deviation { largest: 10.0 / 11.0, time: 3.0 * DT, last: 10.0 / 11.0 });
        let not_a_number = audit_of(&[1.0, 2.0, f64::NAN, 2.0]).balance_deviation();
        assert!(not_a_number.largest.is_nan() && not_a_number.time == 2.0 * DT && not_a_number.last == 0.5);
    }

    /// A later peak of the momentum changes the relative errors, but not the time of the largest error.
    #[test]
    fn errors_of_momentum_are_relative_to_the_peak_of_the_run() {
        let push = |size: f64| {
            let momentum = Wrench { linear: Vec3::x() * size, angular: Vec3::z() * (3.0 * size) };
            [(momentum, 6.0 * size), (momentum.scaled(-1.0), 6.0 * size)]
        };
        let mut audit = Audit::new(&Energies::default(), Wrench::zero(), 0.0);
        audit.check(0.0, &Energies::default(), push(1.0).into_iter());
        audit.check(DT, &Energies::default(), push(1.0).into_iter().take(1));
        audit.check(2.0 * DT, &Energies::default(), push(5.0).into_iter());
        assert_eq!(audit.momentum_deviation(), Deviation { largest: 0.2, time: DT, last: 0.0 });
        assert_eq!(audit.angular_deviation(), Deviation { largest: 0.1, time: DT, last: 0.0 });
    }

    /// Numerical work that impulses absorb in the same step is no error.
    #[test]
    fn numerical_work_is_in_the_error() {
        let mut audit = audit_of(&[4.0, 4.0]);
        for (given, taken) in [(3.0, 0.0), (5.0, 5.0), (5.0, 9.0), (-0.5, 2.0), (0.5, 0.25)] {
            audit.add_numerical_work(given, taken);
        }
        assert_eq!(audit.net_numerical_work(), 2.75);
        audit.check(DT, &Energies { kinetic: 4.5, ..Energies::default() }, std::iter::empty());
        let parts = [audit.balance_deviation(), audit.numerical_deviation(), audit.energy_error()];
        assert_eq!(parts.map(|part| part.last), [0.5 / 4.5, 2.75 / 4.5, 3.25 / 4.5]);
    }

    /// A body rests on compressed springs.
    #[test]
    fn energy_stored_in_contacts_is_an_energy_scale() {
        let stored = |contact: f64| Energies { contact, ..Energies::default() };
        let after = |contact: f64| {
            let mut audit = Audit::new(&stored(3e-6), Wrench::zero(), 0.0);
            audit.check(DT, &stored(contact), std::iter::empty());
            audit
        };
        assert!(!after(3e-6 + 1e-20).is_past(0.05) && after(3e-6 + 1e-20).relative_imbalance() < 1e-14);
        assert!(after(2.7e-6).is_past(0.05));
    }

    /// For a system at rest, the accumulated rounding of positions is the energy scale.
    #[test]
    fn rounding_of_positions_grows_with_the_steps() {
        let resting = |kinetic: f64| {
            let mut audit = Audit::new(&Energies::default(), Wrench::zero(), 0.0);
            for step in 1..=1000 {
                audit.add_noise(1e-20);
                let energies = Energies { kinetic: kinetic * f64::from(step), ..Energies::default() };
                audit.check(f64::from(step) * DT, &energies, std::iter::empty());
            }
            audit
        };
        assert!(!resting(0.9e-20).is_past(0.05) && resting(1.1e-20).is_past(0.05));
        assert!((resting(0.1e-20).relative_imbalance() - 0.1).abs() < 1e-9);
    }

    #[test]
    fn noise_is_not_past_the_tolerance() {
        assert!(audit_of(&[1.0, 1.06]).is_past(0.05) && !audit_of(&[1.0, 1.04]).is_past(0.05));
        assert!(audit_of(&[1.0, f64::NAN]).is_past(0.05));
        let resting = |imbalance: f64| {
            let mut audit = Audit::new(&Energies::default(), Wrench::zero(), 0.0);
            let mut energies = Energies { kinetic: 1e-7, ..Energies::default() };
            for step in 0..1000 {
                energies.numerical_work += 1e-3;
                energies.viscous_dissipation += 1e-3;
                audit.check(f64::from(step) * DT, &energies, std::iter::empty());
            }
            energies.viscous_dissipation += imbalance;
            audit.check(1000.0 * DT, &energies, std::iter::empty());
            audit
        };
        assert!(resting(1e-6).relative_imbalance() > 1.0 && !resting(1e-6).is_past(0.05));
        assert!(resting(4e-6).is_past(0.05));
    }
}
