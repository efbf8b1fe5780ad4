//! Contact settings: detection and response.

use std::ops::Range;

use super::Located;

/// Contact settings.
#[derive(Clone, Debug)]
pub struct ContactSettings {
    /// Detection method.
    pub detection: DetectionMethod,
    /// Steps of the sorting detector.
    pub sorting: SortingSettings,
    /// Builder of the hierarchies of bounding spheres.
    pub hierarchy: HierarchyBuilder,
    /// Volumes of their vertices below the roots.
    pub hierarchy_volume: HierarchyVolume,
    /// Fit of spheres to points.
    pub sphere_fit: SphereFit,
    /// Source of velocities and accelerations of the roots.
    pub kinematics: Kinematics,
    /// Bounding volumes tested at the leaves, from loose to tight.
    pub volumes: Vec<BoundingVolume>,
    /// Whether the volumes are given: then all faces pass all of them.
    pub volumes_are_given: bool,
    /// Closest-point method of a face.
    pub closest_point: Located<ClosestPointMethod>,
    /// Starting point of iterative closest-point methods.
    pub start: ClosestPointStart,
    /// Contact response.
    pub response: ResponseSettings,
    /// Contact laws of all pairs without their own.
    pub laws: ContactLaws,
    /// Pairs with their own laws, by ascending bodies; among pairs of the same two bodies, the first that contains a
    /// contact applies.
    pub own_laws: Vec<(SurfacePair, ContactLaws)>,
    /// Whether a step that contains an impact ends at the time of impact.
    pub resolve_impact: bool,
    /// Penetration beyond which a contact is lost \[m\]; `None` for half the median edge of each surface.
    pub search_depth: Option<f64>,
    /// Normal of nodes in elements.
    pub normal: ContactNormal,
    /// Edges with edge-to-edge contact.
    pub edges: TouchingEdges,
    /// One- or two-pass node-to-face contact.
    pub passes: Passes,
    /// Default of self-contact.
    pub self_contact: bool,
    /// Treatment of overlaps at t = 0.
    pub initial_penetration: InitialPenetration,
    /// Tied pairs of bodies, ascending.
    pub tied: Vec<TiedPair>,
    /// Pairs without contact, by ascending bodies.
    pub excluded: Vec<SurfacePair>,
}

/// Two bodies, a body and a wall, or parts of their surfaces.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfacePair {
    /// Indices, first < second, walls numbered after the bodies.
    pub bodies: [usize; 2],
    /// Physical groups of their faces; `None` for the whole surface.
    pub groups: [Option<Located<String>>; 2],
}

impl SurfacePair {
    /// Two bodies with their whole surfaces.
    pub fn whole(bodies: [usize; 2]) -> Self {
        Self { bodies, groups: [None, None] }
    }

    /// Whether both surfaces are whole.
    pub fn is_whole(&self) -> bool {
        self.groups == [None, None]
    }
}

/// Contact response, common to all pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResponseSettings {
    /// Response method.
    pub method: ResponseMethod,
    /// Scheme of the energy–momentum response.
    pub scheme: Scheme,
    /// Stiffness of the contact springs.
    pub stiffness: StiffnessRule,
    /// Time over which the stiffness of a new contact ramps up \[s\].
    pub soft_start: f64,
    /// Whether contacts that share nodes are solved as a batch or one by one.
    pub order: ContactOrder,
    /// Number of steps between two contact solves.
    pub every: u32,
    /// Fraction of the penetration removed by a position correction \[-\], in \[0, 1\].
    pub projection: f64,
    /// Whether the angular momentum that the position correction changes is restored.
    pub angular_momentum: AngularMomentum,
}

impl ResponseSettings {
    /// Whether contact changes velocities by jumps, which accelerations do not include.
    pub fn acts_by_impulses(&self) -> bool {
        self.method == ResponseMethod::Decomposition || self.scheme == Scheme::Midpoint
    }
}

/// Schemes of the energy–momentum response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Gaps at mid-steps, geometry at known positions.
    Staggered,
    /// Gaps at the ends of steps, geometry at mid-steps.
    Midpoint,
}

/// Treatment of the angular momentum that position corrections change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AngularMomentum {
    /// A couple on the nodes of each contact restores it.
    Restore,
    /// It changes.
    None,
}

/// Contact laws of a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLaws {
    /// Factor f of the stiffness, of f·m_eff/dt² by default \[-\].
    pub penalty: f64,
    /// Fraction of critical damping of the normal springs \[-\].
    pub damping: f64,
    /// Fraction of critical damping of the tangential (friction) springs \[-\].
    pub tangential_damping: f64,
    /// Whether resting contacts with friction are damped, along the normal and tangentially; only with default damping.
    pub calms: [bool; 2],
    /// Coefficients of friction.
    pub friction: Friction,
    /// Coefficient of restitution of each contact \[-\], in \[0, 1\].
    pub restitution: f64,
}

/// Coefficients of friction, μ = dynamic + (static − dynamic) exp(−decay · speed).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// Static coefficient \[-\].
    pub at_rest: f64,
    /// Dynamic coefficient \[-\].
    pub in_motion: f64,
    /// Decay rate with sliding speed \[s/m\].
    pub decay: f64,
}

/// Contact response methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseMethod {
    /// Penalty springs.
    Penalty,
    /// Impulses and position corrections.
    Decomposition,
    /// Springs that conserve energy and momenta to rounding.
    EnergyMomentum,
}

/// Rule for the stiffness of contact springs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StiffnessRule {
    /// From nodal masses and time step.
    Mass,
    /// From the bulk modulus of the elements behind the surface.
    Segment,
    /// Prescribed for every contact \[N/m\].
    Given(f64),
}

/// Order of the solution of contacts that share nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactOrder {
    /// As a batch, by iteration.
    Together,
    /// One by one, deepest penetration first.
    OneByOne,
}

/// Two bodies tied where their surfaces are close to each other at t = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct TiedPair {
    /// Indices of the bodies, first < second.
    pub bodies: [usize; 2],
    /// Largest distance of a tied node from its face \[m\]; `None` for a fraction of the edge length.
    pub within: Option<f64>,
    /// Location of `tied` in the file.
    pub span: Range<usize>,
}

/// Treatment of overlaps at t = 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialPenetration {
    /// They are an error.
    Error,
    /// The overlap remains: gaps are measured from the initial gap until the contact opens.
    Offset,
    /// Nodes are moved out of the overlap without strain.
    Remove,
}

/// Steps of the sorting detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortingSettings {
    /// Steps between two sortings, ≥ 1.
    pub every: u32,
    /// Sortings between two computations of the working space, ≥ 1.
    pub space_every: u32,
}

/// Contact detection methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetectionMethod {
    /// Hierarchical detection, three levels.
    Hierarchy,
    /// A uniform grid of buckets.
    Buckets,
    /// Sorting by a binary space partition.
    Sorting,
    /// Nodes in elements, by the distance field of the target.
    DistanceField,
    /// All pairs of faces.
    AllPairs,
}

/// Normals of nodes in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactNormal {
    /// That of the distance field of the target.
    Target,
    /// Against the mean normal of the contactor.
    Contactor,
}

/// Edges with edge-to-edge contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TouchingEdges {
    /// Sharp convex edges and borders.
    Feature,
    /// All convex edges.
    All,
    /// No edges.
    None,
}

/// Passes of node-to-face contact between two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// Two passes: nodes of each body against faces of the other.
    Two,
    /// One pass: nodes of the finer surface; of the deformable body against a rigid one.
    One,
}

/// Builders of hierarchies of bounding spheres.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HierarchyBuilder {
    /// Locally ordered clustering, spheres fitted to the nodes.
    Fast,
    /// Greedy agglomeration, nested spheres.
    BottomUp,
    /// The same by a queue of pairs and online insertion.
    Insertion,
}

/// Volumes of hierarchies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HierarchyVolume {
    /// Spheres.
    Sphere,
    /// Axis-aligned boxes.
    Aabb,
}

/// Fits of spheres to points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SphereFit {
    /// Minimum balls.
    MinimumBall,
    /// Ritter's two passes.
    Ritter,
}

/// Sources of the kinematics of roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinematics {
    /// Those of the bodies.
    Exact,
    /// Differences of positions in the first steps.
    FromSteps,
}

/// Bounding volumes of the ladder at the leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundingVolume {
    /// Sphere.
    Sphere,
    /// Axis-aligned box.
    Aabb,
    /// Discrete orientation polytope of 8 half-spaces, for plane problems (z = 0).
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
    /// Closed form on flat triangles and segments, sequential quadratic programming on other faces.
    Auto,
    /// Sequential quadratic programming on every face.
    Sqp,
    /// The same with BFGS instead of the exact Hessian.
    SqpBfgs,
    /// Active-set Newton method on every face.
    ActiveSet,
    /// Log-barrier interior-point method on every face.
    InteriorPoint,
    /// Newton projection on the face, then its edges and corners.
    Newton,
    /// Newton projection on the face alone, without contact outside.
    Projection,
    /// That of `Auto` on the faces around the nearest node of the target only.
    NearestNode,
    /// Closed form by Voronoi regions; flat triangles and segments only.
    Voronoi,
    /// Closed form by plane and edges; flat triangles and segments only.
    BruteForce,
}

/// Starting points of iterative closest-point methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosestPointStart {
    /// Nearest of the corners and the centre (option I).
    Nearest,
    /// The centre (option II).
    Centre,
    /// Closest point of the previous step.
    Previous,
}
