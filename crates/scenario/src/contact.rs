//! Contact settings: detection and response.

use std::ops::Range;

use super::Located;
use crate::vocabulary::vocabulary;

/// Contact settings.
#[derive(Clone, Debug)]
pub struct ContactSettings {
    /// Detection method.
    pub detection: DetectionMethod,
    /// Intervals at which the sorting detector repeats its operations.
    pub sorting: SortingSettings,
    /// Method that builds the hierarchies of bounding spheres.
    pub hierarchy: HierarchyBuilder,
    /// Type of the bounding volumes below the roots.
    pub hierarchy_volume: HierarchyVolume,
    /// Method that fits spheres to points.
    pub sphere_fit: SphereFit,
    /// Source of the velocities and accelerations with which detection predicts the motion of the root spheres.
    pub kinematics: Kinematics,
    /// Ladder of bounding volumes tested at the leaves, from loose to tight.
    pub volumes: Vec<BoundingVolume>,
    /// Whether the scenario gives `volumes`. Given volumes are tested on all faces, default volumes only on curved
    /// faces and only while they save time.
    pub volumes_are_given: bool,
    /// Closest-point method of a face.
    pub closest_point: Located<ClosestPointMethod>,
    /// Starting point of iterative closest-point methods.
    pub start: ClosestPointStart,
    /// Contact response.
    pub response: ResponseSettings,
    /// Contact laws of all pairs that are not in `own_laws`.
    pub laws: ContactLaws,
    /// Pairs with laws of their own, in ascending order of their bodies. The first pair that contains a contact
    /// applies.
    pub own_laws: Vec<(SurfacePair, ContactLaws)>,
    /// Whether a step that contains an impact ends at the time of impact.
    pub resolve_impact: bool,
    /// Penetration beyond which a contact is lost \[m\]; by default half the median edge length of the finer surface.
    pub search_depth: Option<f64>,
    /// Contact normal of a node in an element, for detection by distance fields.
    pub normal: ContactNormal,
    /// Edges with edge-to-edge contact.
    pub edges: TouchingEdges,
    /// One- or two-pass node-to-face contact.
    pub passes: Passes,
    /// Whether deformable bodies without the key `self_contact` have self-contact.
    pub self_contact: bool,
    /// Treatment of overlaps at t = 0.
    pub initial_penetration: InitialPenetration,
    /// Tied pairs, in ascending order of their bodies.
    pub tied: Vec<TiedPair>,
    /// Pairs without contact, including the tied pairs.
    pub excluded: Vec<SurfacePair>,
}

/// The surfaces of two bodies, or of a body and a wall.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfacePair {
    /// Indices in ascending order. Walls are numbered after the bodies.
    pub bodies: [usize; 2],
    /// Physical group of faces of each body; `None` for the whole surface.
    pub groups: [Option<Located<String>>; 2],
}

impl SurfacePair {
    /// Pair of the whole surfaces of two bodies.
    pub fn whole(bodies: [usize; 2]) -> Self {
        Self { bodies, groups: [None, None] }
    }

    /// Whether no group restricts the surfaces.
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
    /// Time over which the spring stiffness of a new contact increases to its full value \[s\].
    pub soft_start: f64,
    /// Order in which contacts that share nodes are solved.
    pub order: ContactOrder,
    /// Number of steps from one contact solve to the next.
    pub every: u32,
    /// Fraction of the penetration that a position correction removes \[-\], in \[0, 1\].
    pub projection: f64,
    /// Treatment of the angular momentum that a position correction changes.
    pub angular_momentum: AngularMomentum,
}

impl ResponseSettings {
    /// Whether contact acts by velocity jumps, which the accelerations do not include.
    pub fn acts_by_impulses(&self) -> bool {
        self.method == ResponseMethod::Decomposition || self.scheme == Scheme::Midpoint
    }
}

vocabulary! {
    /// Schemes of the energy–momentum response.
    pub enum Scheme {
        /// Gaps at mid-steps give the spring forces. Normals and closest points are those at the ends of steps.
        Staggered = "staggered",
        /// Gaps at the ends of steps give the spring forces. Normals and closest points are those at mid-steps, by
        /// iteration.
        Midpoint = "midpoint",
    }
}

vocabulary! {
    /// Treatment of the angular momentum that position corrections change.
    pub enum AngularMomentum {
        /// A couple on the nodes of each contact restores the angular momentum.
        Restore = "restore",
        /// The angular momentum remains changed.
        None = "none",
    }
}

/// Contact laws of a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLaws {
    /// Factor f of the spring stiffness \[-\]. The default stiffness is f m_eff/dt², with the effective mass m_eff and
    /// the time step dt.
    pub penalty: f64,
    /// Fraction of critical damping of the normal springs \[-\].
    pub damping: f64,
    /// Fraction of critical damping of the tangential (friction) springs \[-\].
    pub tangential_damping: f64,
    /// Whether a default damping acts in persistent contacts with friction: first on the normal springs, second on the
    /// tangential springs.
    pub calms: [bool; 2],
    /// Coefficients of friction.
    pub friction: Friction,
    /// Coefficient of restitution of each contact \[-\], in \[0, 1\].
    pub restitution: f64,
}

/// Coefficients of friction. The coefficient at the sliding speed v is
///
/// ```text
/// μ = in_motion + (at_rest − in_motion) exp(−decay · v)
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// Static coefficient \[-\].
    pub at_rest: f64,
    /// Dynamic coefficient \[-\].
    pub in_motion: f64,
    /// Decay rate of the coefficient with the sliding speed \[s/m\].
    pub decay: f64,
}

vocabulary! {
    /// Contact response methods.
    pub enum ResponseMethod {
        /// Penalty springs.
        Penalty = "penalty",
        /// Impulses and position corrections.
        Decomposition = "decomposition",
        /// Springs that conserve energy and momenta to rounding.
        EnergyMomentum = "energy-momentum",
    }
}

/// Rule for the stiffness of the contact springs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StiffnessRule {
    /// From the nodal masses and the time step.
    Mass,
    /// From the bulk modulus of the elements behind the surface.
    Segment,
    /// Prescribed for every contact \[N/m\].
    Given(f64),
}

vocabulary! {
    /// Order in which contacts that share nodes are solved.
    pub enum ContactOrder {
        /// Together, by iteration.
        Together = "together",
        /// One by one, deepest penetration first.
        OneByOne = "one-by-one",
    }
}

/// Two bodies that are tied where their surfaces are close to each other at t = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct TiedPair {
    /// Indices of the bodies in ascending order.
    pub bodies: [usize; 2],
    /// Largest distance of a tied node from its face \[m\]; by default a quarter of the shortest edge of both surfaces.
    pub within: Option<f64>,
    /// Byte range of the value of the key `tied` in `Scenario::source`.
    pub span: Range<usize>,
}

vocabulary! {
    /// Treatment of overlaps at t = 0.
    pub enum InitialPenetration {
        /// The scenario is refused.
        Error = "error",
        /// Until a contact opens, its gap is measured from the initial gap.
        Offset = "offset",
        /// Nodes are moved out of the overlap, and the new positions are free of strain.
        Remove = "remove",
    }
}

/// Intervals at which the sorting detector repeats its operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortingSettings {
    /// Largest number of steps from one sorting to the next, ≥ 1. A sorting is due earlier if a relative
    /// displacement exceeds the buffer.
    pub every: u32,
    /// Largest number of sortings in one working space, the box of all surface nodes, ≥ 1. The box is computed earlier
    /// if a node leaves it.
    pub space_every: u32,
}

vocabulary! {
    /// Contact detection methods.
    pub enum DetectionMethod {
        /// Hierarchies of bounding volumes, in three levels (AM14: Aragón & Molinari 2014).
        Hierarchy = "hierarchy",
        /// A uniform grid of buckets.
        Buckets = "buckets",
        /// Sorting by a binary space partition.
        Sorting = "sorting",
        /// Nodes against elements, by the distance field of the target.
        DistanceField = "distance-field",
        /// All pairs of faces.
        AllPairs = "all-pairs",
    }
}

vocabulary! {
    /// Contact normals of a node in an element.
    pub enum ContactNormal {
        /// The gradient of the distance field of the target.
        Target = "target",
        /// The direction opposite to the mean normal of the contactor surface at the node.
        Contactor = "contactor",
    }
}

vocabulary! {
    /// Edges with edge-to-edge contact.
    pub enum TouchingEdges {
        /// Borders, and convex edges whose two faces have normals at an angle of 30° or more.
        Feature = "feature",
        /// All convex edges.
        All = "all",
        /// No edges.
        None = "none",
    }
}

/// Passes of node-to-face contact between two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// Two passes: the nodes of each body against the faces of the other.
    Two,
    /// The nodes of one body against the faces of the other: nodes of the deformable body if the other body is rigid,
    /// otherwise nodes of the finer surface.
    One,
}

vocabulary! {
    /// Methods that build hierarchies of bounding spheres.
    pub enum HierarchyBuilder {
        /// Locally ordered clustering, with spheres fitted to the nodes.
        Fast = "fast",
        /// Greedy agglomeration, with nested spheres.
        BottomUp = "bottom-up",
        /// The tree of `BottomUp`, built by a queue of pairs and online insertion.
        Insertion = "insertion",
    }
}

vocabulary! {
    /// Types of bounding volumes below the roots of the hierarchies.
    pub enum HierarchyVolume {
        /// Spheres.
        Sphere = "sphere",
        /// Axis-aligned boxes.
        Aabb = "aabb",
    }
}

vocabulary! {
    /// Methods that fit spheres to points.
    pub enum SphereFit {
        /// The smallest sphere that contains the points.
        MinimumBall = "minimum-ball",
        /// Ritter's sphere, in two passes over the points.
        Ritter = "ritter",
    }
}

vocabulary! {
    /// Sources of the velocities and accelerations of root spheres.
    pub enum Kinematics {
        /// The motion of the bodies.
        Exact = "exact",
        /// Differences of the positions of the roots in the first steps.
        FromSteps = "from-steps",
    }
}

vocabulary! {
    /// Bounding volumes of the ladder at the leaves.
    pub enum BoundingVolume {
        /// Sphere.
        Sphere = "sphere",
        /// Axis-aligned box.
        Aabb = "aabb",
        /// Discrete orientation polytope of 8 half-spaces, for plane problems (z = 0).
        Dop8 = "dop8",
        /// Discrete orientation polytope of 14 half-spaces.
        Dop14 = "dop14",
        /// Discrete orientation polytope of 18 half-spaces.
        Dop18 = "dop18",
        /// Discrete orientation polytope of 26 half-spaces.
        Dop26 = "dop26",
        /// Box along the principal axes of inertia of its points.
        Obb = "obb",
    }
}

vocabulary! {
    /// Closest-point methods.
    pub enum ClosestPointMethod {
        /// Closed form on flat triangles and segments, sequential quadratic programming on other faces.
        Auto = "auto",
        /// Sequential quadratic programming on every face.
        Sqp = "sqp",
        /// Sequential quadratic programming on every face, with BFGS instead of the exact Hessian.
        SqpBfgs = "sqp-bfgs",
        /// Active-set Newton method on every face.
        ActiveSet = "active-set",
        /// Log-barrier interior-point method on every face.
        InteriorPoint = "interior-point",
        /// Newton projection on the face, then on edges and corners.
        Newton = "newton",
        /// Newton projection on the face alone. A node that projects outside has no contact.
        Projection = "projection",
        /// The method of `Auto` on the faces around the nearest node of the target.
        NearestNode = "nearest-node",
        /// Closed form by Voronoi regions; flat triangles and segments only.
        Voronoi = "voronoi",
        /// Closed form by plane and edges; flat triangles and segments only.
        BruteForce = "brute-force",
    }
}

vocabulary! {
    /// Starting points of iterative closest-point methods.
    pub enum ClosestPointStart {
        /// The node of the face or its centre, whichever is nearest (option I of Aragón, Yastrebov & Molinari 2013).
        Nearest = "nearest",
        /// The centre of the face (option II of Aragón, Yastrebov & Molinari 2013).
        Centre = "centre",
        /// The closest point of the previous step. `Nearest` applies if this point lies on another face.
        Previous = "previous",
    }
}
