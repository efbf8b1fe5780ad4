//! Output fields.

use ictus_core::vocabulary;

vocabulary! {
    /// Output fields.
    pub enum Field {
        /// Displacement \[m\].
        Displacement = "displacement",
        /// Velocity \[m/s\].
        Velocity = "velocity",
        /// Acceleration \[m/s²\].
        Acceleration = "acceleration",
        /// Cauchy stress \[Pa\].
        Stress = "stress",
        /// Von Mises stress \[Pa\].
        VonMises = "von-mises",
        /// Contact force \[N\].
        ContactForce = "contact-force",
        /// Friction part of the contact force \[N\].
        FrictionForce = "friction-force",
        /// Normal contact force per area \[Pa\].
        ContactPressure = "contact-pressure",
        /// Contact gap \[m\].
        ContactGap = "contact-gap",
        /// Contact status: open, sticking or sliding.
        ContactStatus = "contact-status",
        /// Distance of each node from the surface of its body, in the reference configuration \[m\].
        Distance = "distance",
        /// Assumed gradient, an interpolated gradient of this distance (Wolff & Bucher, eqs. (13), (14)).
        DistanceGradient = "distance-gradient",
    }
}

impl Field {
    /// Fields in the frames of a scenario without the key `output.fields`.
    pub(super) const DEFAULT: [Self; 9] = [
        Self::Displacement,
        Self::Velocity,
        Self::Stress,
        Self::VonMises,
        Self::ContactForce,
        Self::FrictionForce,
        Self::ContactPressure,
        Self::ContactGap,
        Self::ContactStatus,
    ];
}
