//! Options of a distance field.

/// Algorithm for the distances of the support points ([module](super)) from the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DistanceAlgorithm {
    /// The closest face by a hierarchy over the whole surface: exact to rounding.
    #[default]
    Certified,
    /// Closest-feature front marching with a walk from face to face until no neighbouring face is closer.
    RingWalk,
    /// Closest-feature front marching of Wolff & Bucher (Algorithm 1).
    FrontMarching,
    /// First the nearest support point on the surface, then the closest point on the faces that contain this surface
    /// point.
    DiscretePoints,
    /// First-order solution of |∇d| = 1 for the distance d, on simplices with support points as corners.
    FastMarching,
}

/// Weight of each face in the surface normal at a support point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NormalWeight {
    /// Angle of the face at the point: the normal does not depend on the triangulation.
    #[default]
    Angle,
    /// Area of the face, as in Wolff & Bucher.
    Area,
}

/// Elements that the field covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Band {
    /// Number of layers of elements below the surface. The elements of the first layer have a node on the surface.
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

/// Options of a distance field. By default the distances are exact, the normals are weighted by angles, and the field
/// covers two layers of elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DistanceFieldOptions {
    /// Algorithm for the distances.
    pub algorithm: DistanceAlgorithm,
    /// Weights of the faces in the normals.
    pub normal_weight: NormalWeight,
    /// Elements that the field covers.
    pub band: Band,
}
