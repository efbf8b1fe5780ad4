//! Probes: quantities sampled during a run.

use ictus_core::vocabulary;

use super::Located;
use crate::math::Vec3;
use crate::signal::ChannelClass;

/// A probe: quantities sampled at a point or over a group of a body.
#[derive(Clone, Debug)]
pub struct ProbeSpec {
    /// Unique name. The names of the output columns begin with this name.
    pub name: String,
    /// Index into [`Scenario::bodies`](super::Scenario::bodies).
    pub body: usize,
    /// Location on the body.
    pub place: Located<ProbePlace>,
    /// Sampled quantities.
    pub quantities: Vec<ProbeQuantity>,
    /// Axes of the components.
    pub frame: ProbeFrame,
    /// Time between samples \[s\]. 0 for a sample in every step, `None` for the interval of the history rows.
    pub interval: Option<f64>,
    /// Channel class of the filter of the samples; `None` for no filter.
    pub filter: Option<ChannelClass>,
    /// Injury criteria that are computed from the acceleration.
    pub injuries: Vec<Injury>,
    /// Acceleration of 1 g in the units of the scenario.
    pub g: f64,
    /// One second, expressed in the time unit of the scenario.
    pub second: f64,
}

/// Location of a probe on its body.
#[derive(Clone, Debug, PartialEq)]
pub enum ProbePlace {
    /// The centre of mass of the body.
    Centre,
    /// The node nearest to this position at t = 0 \[m\].
    NearestNode(Vec3),
    /// The material point at this position at t = 0 \[m\].
    Point(Vec3),
    /// The mean over the nodes of this physical group.
    Group(String),
}

vocabulary! {
    /// A quantity that probes sample.
    pub enum ProbeQuantity {
        /// Position \[m\].
        Position = "position",
        /// Displacement from t = 0 \[m\].
        Displacement = "displacement",
        /// Velocity \[m/s\].
        Velocity = "velocity",
        /// Acceleration \[m/s²\].
        Acceleration = "acceleration",
        /// Cauchy stress \[Pa\].
        Stress = "stress",
        /// Green–Lagrange strain \[-\].
        Strain = "strain",
    }
}

impl ProbeQuantity {
    /// Suffixes of the column names in the output, one per component of the quantity.
    pub fn components(self) -> &'static [&'static str] {
        if self.is_of_elements() { &["xx", "yy", "zz", "xy", "yz", "xz"] } else { &["x", "y", "z"] }
    }

    /// Whether the quantity is defined on elements instead of nodes.
    pub fn is_of_elements(self) -> bool {
        matches!(self, Self::Stress | Self::Strain)
    }
}

vocabulary! {
    /// Axes of the components of a probe.
    pub enum ProbeFrame {
        /// Spatial axes.
        Space = "space",
        /// Axes that coincide with the spatial axes at t = 0 and rotate with the body.
        Body = "body",
    }
}

vocabulary! {
    /// Injury criterion of the acceleration of a probe.
    pub enum Injury {
        /// Largest magnitude of the acceleration.
        Peak = "peak",
        /// Head injury criterion over intervals of at most 15 ms.
        Hic15 = "hic15",
        /// Head injury criterion over intervals of at most 36 ms.
        Hic36 = "hic36",
    }
}
