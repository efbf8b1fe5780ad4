//! Choices of a distance field.

/// How the distances of the support points are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DistanceAlgorithm {
    /// The closest face of the whole surface by a hierarchy, for every point: exact to rounding.
    #[default]
    Certified,
    /// Closest-feature front marching that walks from face to face to the closest nearby: a local descent.
    RingWalk,
    /// Closest-feature front marching as published (Algorithm 1).
    FrontMarching,
    /// The closest support point on the surface, then the faces that contain it.
    DiscretePoints,
    /// First-order solution of |grad d| = 1 on the sub-simplices of the elements.
    FastMarching,
}

/// Weight of each face in the normal at a support point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NormalWeight {
    /// Its angle at the point: independent of the triangulation.
    #[default]
    Angle,
    /// Its area, as published.
    Area,
}

/// Elements that the field covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Band {
    /// So many layers of elements below the surface; the first touches it with a node.
    Layers(usize),
    /// All elements.
    Whole,
}

impl Default for Band {
    /// Two layers.
    fn default() -> Self {
        Self::Layers(2)
    }
}

/// Options of a distance field; the default is certified, weighted by angles, in two layers of elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DistanceFieldOptions {
    /// How distances are computed.
    pub algorithm: DistanceAlgorithm,
    /// Weights of the normals at the surface.
    pub normal_weight: NormalWeight,
    /// Elements covered.
    pub band: Band,
}
