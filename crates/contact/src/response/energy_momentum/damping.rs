//! Age-dependent damping of the springs.

use super::{EnergyMomentum, EnergyMomentumOptions, Spring};
use crate::response::laws::damping::Damping;
use crate::response::{Bodies, StepLength};

impl EnergyMomentum {
    /// Updates the damping of each spring for the age of its contact, and then advances the age.
    pub(super) fn damp(&mut self, bodies: &Bodies<'_>, step: StepLength) {
        let is_damped = |options: &EnergyMomentumOptions| {
            options.damping != Damping::none() || options.tangential_damping != Damping::none()
        };
        if !self.options.all().any(is_damped) {
            return;
        }
        self.assembled.clear(bodies.mobility);
        for (constraint, spring) in self.memory.contacts.iter().zip(self.memory.springs.iter()) {
            let friction = spring.options.friction.acts();
            self.assembled.add(&constraint, bodies, spring.stiffness.unwrap_or(0.0), friction);
        }
        self.assembled.bound(bodies.mobility);
        for (constraint, spring) in self.memory.contacts.iter().zip(self.memory.springs.iter_mut()) {
            let bound = self.assembled.of(&constraint, bodies);
            let stiffness = spring.stiffness.unwrap_or(0.0);
            let contact_frequency = self.assembled.contact_frequency(&constraint, bodies, stiffness, bound);
            spring.damp(contact_frequency.square.sqrt(), step.kick());
            spring.age += step.actual;
        }
    }
}

impl Spring {
    /// Sets `lag`, the ratio of the damping coefficient to κ dt with the stiffness κ. `frequency` is the angular
    /// frequency ω of the contact \[rad/s\], and `time_step` the duration dt of the kick \[s\].
    fn damp(&mut self, frequency: f64, time_step: f64) {
        if frequency == 0.0 {
            return;
        }
        // Under the midpoint rule, the contact oscillates at the frequency ω' with tan(½ ω' dt) = ½ ω dt.
        let phase = frequency * time_step;
        let half_periods = self.age / time_step * 2.0 * (0.5 * phase).atan() / std::f64::consts::PI;
        let EnergyMomentumOptions { damping, tangential_damping, .. } = self.options;
        self.lag = [damping, tangential_damping].map(|damping| 2.0 * damping.ratio(half_periods) / phase);
    }
}
