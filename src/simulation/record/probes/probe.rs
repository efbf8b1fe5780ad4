//! A probe in the model.

use crate::math::Vec3;
use crate::scenario::ProbeSpec;

/// A probe in the model: what of the nodes and elements it is of.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    /// What the scenario says of it.
    pub spec: ProbeSpec,
    /// Where its motion is measured.
    pub spot: Spot,
    /// Elements of which stress and strain are measured, ascending by block and element; the weights sum to 1.
    pub elements: Vec<ElementSample>,
}

/// Where a motion is measured.
#[derive(Clone, Debug)]
pub(crate) enum Spot {
    /// The mean of nodes with these weights, which sum to 1.
    Nodes(Vec<(u32, f64)>),
    /// A point that moves with a rigid body, where it is in the reference configuration \[m\].
    OfRigidBody(Vec3),
}

/// A point of an element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElementSample {
    /// Block of the body.
    pub block: usize,
    /// Element of the block.
    pub element: usize,
    /// Natural coordinates.
    pub xi: [f64; 3],
    /// What it counts.
    pub weight: f64,
}

impl Probe {
    /// Names of its columns.
    pub fn columns(&self) -> Vec<String> {
        let of = |quantity: &crate::scenario::ProbeQuantity| {
            let name = format!("{}.{}", self.spec.name, quantity.name());
            quantity.components().iter().map(move |component| format!("{name}_{component}"))
        };
        self.spec.quantities.iter().flat_map(of).collect()
    }
}
