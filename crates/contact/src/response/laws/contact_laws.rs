//! Laws of contact between two bodies.

use super::damping::Damping;
use super::friction::FrictionLaw;

/// Laws of contact between two bodies, for all responses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLaws {
    /// Factor f of the spring stiffness \[-\]. The default stiffness is f m_eff/dt², with the effective mass m_eff and
    /// the time step dt.
    pub penalty: f64,
    /// Fraction of critical damping of the normal springs \[-\].
    pub damping: f64,
    /// Fraction of critical damping of the tangential (friction) springs \[-\].
    pub tangential_damping: f64,
    /// For the normal springs and for the tangential springs: whether a default damping acts in persistent contacts
    /// with friction.
    pub calms: [bool; 2],
    /// Law of friction.
    pub friction: FrictionLaw,
    /// Coefficient of restitution of each contact \[-\], in \[0, 1\].
    pub restitution: f64,
}

/// Default damping ratio of the springs of a contact with friction \[-\]. The damping acts only after the duration of
/// an impact, and brings bodies to rest.
const DAMPING_AT_REST: f64 = 0.2;

impl ContactLaws {
    /// Damping of the normal and of the tangential springs.
    pub fn damping_of_springs(&self) -> [Damping; 2] {
        let of = |always: f64, calms: bool| {
            let at_rest = if calms && self.friction.acts() { DAMPING_AT_REST } else { 0.0 };
            Damping { always, at_rest }
        };
        [of(self.damping, self.calms[0]), of(self.tangential_damping, self.calms[1])]
    }
}
