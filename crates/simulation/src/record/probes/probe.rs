//! A probe, resolved to nodes and elements of the model.

use crate::math::Vec3;
use crate::scenario::ProbeSpec;

/// Specification of a probe, and the nodes and elements that the probe samples.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    pub spec: ProbeSpec,
    pub spot: Spot,
    /// Sampled points of stress and strain, in ascending order of block and element; their weights sum to 1.
    pub elements: Vec<ElementSample>,
}

/// Where a motion is sampled.
#[derive(Clone, Debug)]
pub(crate) enum Spot {
    /// Weighted mean over nodes; the weights sum to 1.
    Nodes(Vec<(u32, f64)>),
    /// Point fixed to a rigid body: reference position \[m\].
    OfRigidBody(Vec3),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ElementSample {
    /// Index of the block in its body.
    pub block: usize,
    /// Index of the element in its block.
    pub element: usize,
    /// Natural coordinates of the point.
    pub xi: [f64; 3],
    /// Weight in the mean of the probe.
    pub weight: f64,
}

impl Probe {
    /// Column names in `probes.csv`.
    pub fn columns(&self) -> Vec<String> {
        let of = |quantity: &crate::scenario::ProbeQuantity| {
            let name = format!("{}.{}", self.spec.name, quantity.word());
            quantity.components().iter().map(move |component| format!("{name}_{component}"))
        };
        self.spec.quantities.iter().flat_map(of).collect()
    }
}
