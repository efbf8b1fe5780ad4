//! A probe in the model.

use crate::math::Vec3;
use crate::scenario::ProbeSpec;

/// A probe, with the nodes and elements of the model that it samples.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    /// Specification of the scenario.
    pub spec: ProbeSpec,
    /// Where the motion is sampled.
    pub spot: Spot,
    /// Element points at which stress and strain are sampled, ascending by block and element; the weights sum to 1.
    pub elements: Vec<ElementSample>,
}

/// Where a motion is sampled.
#[derive(Clone, Debug)]
pub(crate) enum Spot {
    /// Weighted mean over nodes; the weights sum to 1.
    Nodes(Vec<(u32, f64)>),
    /// A point fixed to a rigid body, by its reference position \[m\].
    OfRigidBody(Vec3),
}

/// A point of an element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElementSample {
    /// Index of the block of the body.
    pub block: usize,
    /// Index of the element of the block.
    pub element: usize,
    /// Natural coordinates.
    pub xi: [f64; 3],
    /// Weight in the mean of the probe.
    pub weight: f64,
}

impl Probe {
    /// Column names in `probes.csv`.
    pub fn columns(&self) -> Vec<String> {
        let of = |quantity: &crate::scenario::ProbeQuantity| {
            let name = format!("{}.{}", self.spec.name, quantity.name());
            quantity.components().iter().map(move |component| format!("{name}_{component}"))
        };
        self.spec.quantities.iter().flat_map(of).collect()
    }
}
