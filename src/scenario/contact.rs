//! How contact is found and answered, as the program understands it.

use std::ops::Range;

use super::Located;

/// How contact is found and answered.
#[derive(Clone, Debug)]
pub struct ContactSettings {
    /// Detector.
    pub detection: DetectionMethod,
    /// How trees of bounding spheres are built.
    pub hierarchy: HierarchyBuilder,
    /// Volumes tried at the leaves, from loose to tight.
    pub volumes: Vec<BoundingVolume>,
    /// Closest point of a face.
    pub closest_point: Located<ClosestPointMethod>,
    /// Where an iterative closest-point search starts.
    pub start: ClosestPointStart,
    /// How contact is answered.
    pub response: ResponseSettings,
    /// Laws of contact of all other pairs.
    pub laws: ContactLaws,
    /// Pairs with laws of their own, by ascending bodies; of those of the same two bodies, the first that a contact is of
    /// has its laws.
    pub own_laws: Vec<(SurfacePair, ContactLaws)>,
    /// Whether a step within which something meets ends there.
    pub resolve_impact: bool,
    /// Which edges can touch edges.
    pub edges: TouchingEdges,
    /// Whose nodes touch the faces of the other of two bodies.
    pub passes: Passes,
    /// Whether the bodies that do not say can touch themselves.
    pub self_contact: bool,
    /// What becomes of bodies that overlap at t = 0.
    pub initial_penetration: InitialPenetration,
    /// Pairs of bodies that are tied, ascending.
    pub tied: Vec<TiedPair>,
    /// Pairs that never touch, by ascending bodies.
    pub excluded: Vec<SurfacePair>,
}

/// A pair of bodies, or of a body and a wall, or of parts of their surfaces.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfacePair {
    /// Indices, first < second, walls after the bodies.
    pub bodies: [usize; 2],
    /// Physical groups of their faces; `None` for the whole surface.
    pub groups: [Option<Located<String>>; 2],
}

impl SurfacePair {
    /// Two bodies with all of their surfaces.
    pub fn whole(bodies: [usize; 2]) -> Self {
        Self { bodies, groups: [None, None] }
    }

    /// Whether it is of the whole surfaces of both.
    pub fn is_whole(&self) -> bool {
        self.groups == [None, None]
    }
}

/// How contact is answered, the same for all pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResponseSettings {
    /// Response.
    pub method: ResponseMethod,
    /// Stiffness of springs.
    pub stiffness: StiffnessRule,
    /// Time in which the springs of a new contact come to their stiffness \[s\].
    pub soft_start: f64,
    /// Whether contacts that share nodes are answered together or one by one.
    pub order: ContactOrder,
    /// Contact is answered every so many steps.
    pub every: u32,
    /// Part of the penetration that a projection takes out \[-\], in \[0, 1\].
    pub projection: f64,
}

/// Laws of contact of a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLaws {
    /// Factor f of the stiffness, of f·m_eff/dt² by default \[-\].
    pub penalty: f64,
    /// Fraction of critical damping of springs along the normal \[-\].
    pub damping: f64,
    /// The same across the normal, of the springs of friction \[-\].
    pub tangential_damping: f64,
    /// Whether friction damps bodies at rest, along the normal and across it: where nothing else is given.
    pub calms: [bool; 2],
    /// Coefficients of friction.
    pub friction: Friction,
    /// Coefficient of restitution of each contact \[-\], in \[0, 1\].
    pub restitution: f64,
}

/// Coefficients of friction, μ = dynamic + (static − dynamic) exp(−decay · speed).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// At rest \[-\].
    pub at_rest: f64,
    /// In fast motion \[-\].
    pub in_motion: f64,
    /// Rate of the fall between them \[s/m\].
    pub decay: f64,
}

/// Contact responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseMethod {
    /// Springs.
    Penalty,
    /// Impulses and a projection of positions.
    Decomposition,
    /// Springs that conserve energy and momenta to rounding.
    EnergyMomentum,
}

/// Where the stiffness of the springs of contact comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StiffnessRule {
    /// Mass and step.
    Mass,
    /// Elements behind the surface.
    Segment,
    /// Given for every contact \[N/m\].
    Given(f64),
}

/// Order in which contacts are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactOrder {
    /// Together, by iteration.
    Together,
    /// One by one, the deepest first.
    OneByOne,
}

/// Two bodies whose surfaces stay together where they are near each other at t = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct TiedPair {
    /// Their indices, first < second.
    pub bodies: [usize; 2],
    /// How far a node may be from a face to be tied to it \[m\]; `None` for a part of the edges.
    pub within: Option<f64>,
    /// Where the file ties them.
    pub span: Range<usize>,
}

/// What becomes of bodies that overlap at t = 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialPenetration {
    /// They are refused.
    Error,
    /// They keep their overlap: each contact counts its gap from the initial one, until it opens.
    Offset,
    /// Their nodes are moved apart without strain.
    Remove,
}

/// Contact detectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetectionMethod {
    /// The three-level engine.
    Hierarchy,
    /// A grid of cells.
    Buckets,
    /// Every pair of faces.
    AllPairs,
}

/// Edges that can touch other edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TouchingEdges {
    /// Sharp convex ones, and borders.
    Feature,
    /// All convex ones.
    All,
    /// None.
    None,
}

/// Whose nodes touch the faces of the other of two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// Those of both.
    Two,
    /// Those of the one with the finer surface; of a deformable body with a rigid one, those of the deformable one.
    One,
}

/// Builders of sphere trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HierarchyBuilder {
    /// Locally ordered clustering, spheres fitted to the nodes.
    Fast,
    /// Greedy agglomeration, nested spheres.
    BottomUp,
}

/// Bounding volumes of the ladder at the leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundingVolume {
    /// Sphere.
    Sphere,
    /// Axis-aligned box.
    Aabb,
    /// Discrete orientation polytope of 8 half-spaces, of the plane z = 0.
    Dop8,
    /// Discrete orientation polytope of 14 half-spaces.
    Dop14,
    /// Discrete orientation polytope of 18 half-spaces.
    Dop18,
    /// Discrete orientation polytope of 26 half-spaces.
    Dop26,
    /// Box oriented by inertia.
    Obb,
}

/// Closest-point methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosestPointMethod {
    /// Closed form on flat triangles and segments, sequential quadratic programming elsewhere.
    Auto,
    /// Sequential quadratic programming on every face.
    Sqp,
    /// Active-set Newton method on every face.
    ActiveSet,
    /// Log-barrier interior-point method on every face.
    InteriorPoint,
    /// Newton projection on the face, then its edges and corners.
    Newton,
    /// Closed form by Voronoi regions; flat triangles and segments only.
    Voronoi,
    /// Closed form by plane and edges; flat triangles and segments only.
    BruteForce,
}

/// Starting points of iterative closest-point methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosestPointStart {
    /// The nearest of corners and centre (option I).
    Nearest,
    /// The centre (option II).
    Centre,
    /// The closest point of the step before.
    Previous,
}
