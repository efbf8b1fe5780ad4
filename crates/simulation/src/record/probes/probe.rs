//! A probe, resolved to nodes and elements of the model.

use crate::math::Vec3;
use crate::scenario::ProbeSpec;

#[derive(Clone, Debug)]
pub(crate) struct Probe {
    pub spec: ProbeSpec,
    pub spot: Spot,
    /// Points at which stress and strain are sampled, in ascending order of block and element; the weights sum to 1.
    pub elements: Vec<ElementSample>,
}

#[derive(Clone, Debug)]
pub(crate) enum Spot {
    /// Weighted mean over nodes; the weights sum to 1.
    Nodes(Vec<(u32, f64)>),
    /// Reference position of a point \[m\].
    OfRigidBody(Vec3),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ElementSample {
    /// Index in the body.
    pub block: usize,
    /// Index in the block.
    pub element: usize,
    /// Natural coordinates.
    pub xi: [f64; 3],
    /// Weight in the mean of the probe.
    pub weight: f64,
}

impl Probe {
    pub fn columns(&self) -> Vec<String> {
        let of = |quantity: &crate::scenario::ProbeQuantity| {
            let name = format!("{}.{}", self.spec.name, quantity.word());
            quantity.components().iter().map(move |component| format!("{name}_{component}"))
        };
        self.spec.quantities.iter().flat_map(of).collect()
    }
}
