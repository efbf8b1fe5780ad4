//! What a run measures: probes.

use super::Located;
use crate::math::Vec3;
use crate::signal::ChannelClass;

/// A point or a group of a body that is measured.
#[derive(Clone, Debug)]
pub struct ProbeSpec {
    /// Unique name, with which its columns begin.
    pub name: String,
    /// Index into [`Scenario::bodies`](super::Scenario::bodies).
    pub body: usize,
    /// What of the body.
    pub place: Located<ProbePlace>,
    /// What is measured there.
    pub quantities: Vec<ProbeQuantity>,
    /// The axes of its components.
    pub frame: ProbeFrame,
    /// Time between samples; 0: every step, `None`: as the rows of the history \[s\].
    pub interval: Option<f64>,
    /// Filter of the samples.
    pub filter: Option<ChannelClass>,
    /// What is made of its acceleration.
    pub injuries: Vec<Injury>,
    /// Acceleration of 1 g in the units of the scenario.
    pub g: f64,
    /// One second in the units of the scenario.
    pub second: f64,
}

/// What of a body is measured.
#[derive(Clone, Debug, PartialEq)]
pub enum ProbePlace {
    /// Its centre of mass.
    Centre,
    /// The node that is nearest to this place at t = 0 \[m\].
    NearestNode(Vec3),
    /// The material point that is at this place at t = 0 \[m\].
    Point(Vec3),
    /// The mean of a physical group.
    Group(String),
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeQuantity {
    /// Position \[m\].
    Position,
    /// Displacement from t = 0 \[m\].
    Displacement,
    /// Velocity \[m/s\].
    Velocity,
    /// Acceleration \[m/s²\].
    Acceleration,
    /// Cauchy stress \[Pa\].
    Stress,
    /// Green–Lagrange strain \[-\].
    Strain,
}

impl ProbeQuantity {
    /// Its name in a scenario and in columns.
    pub fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Displacement => "displacement",
            Self::Velocity => "velocity",
            Self::Acceleration => "acceleration",
            Self::Stress => "stress",
            Self::Strain => "strain",
        }
    }

    /// Endings of its columns.
    pub fn components(self) -> &'static [&'static str] {
        if self.is_of_elements() { &["xx", "yy", "zz", "xy", "yz", "xz"] } else { &["x", "y", "z"] }
    }

    /// Whether elements have it, and not nodes.
    pub fn is_of_elements(self) -> bool {
        matches!(self, Self::Stress | Self::Strain)
    }
}

/// Axes of the components of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeFrame {
    /// Those of space.
    Space,
    /// Those that were the axes of space at t = 0 and turn with the body.
    Body,
}

/// What is made of the acceleration of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Injury {
    /// Its largest size.
    Peak,
    /// Head injury criterion over up to 15 ms.
    Hic15,
    /// Head injury criterion over up to 36 ms.
    Hic36,
}
