//! Contact settings: detection and response.

use std::ops::Range;

use super::Located;
use crate::vocabulary::vocabulary;

/// Contact settings.
#[derive(Clone, Debug)]
pub struct ContactSettings {
    /// Detection method.
    pub detection: DetectionMethod,
    /// Numbers of steps between the operations of the sorting detector.
    pub sorting: SortingSettings,
    /// Method that builds the hierarchies of bounding spheres.
    pub hierarchy: HierarchyBuilder,
    /// Bounding volumes of the hierarchies below the roots.
    pub hierarchy_volume: HierarchyVolume,
    /// Method that fits spheres to points.
    pub sphere_fit: SphereFit,
    /// Source of the velocities and accelerations of the root spheres, by which detection predicts their motion.
    pub kinematics: Kinematics,
    /// Ladder of bounding volumes tested at the leaves, from loose to tight.
    pub volumes: Vec<BoundingVolume>,
    /// Whether the scenario gives the ladder. Detection tests all volumes of a given ladder, on all faces. Detection
    /// tests the default ladder only on curved faces, and a volume of this ladder only while its test saves time.
    pub volumes_are_given: bool,
    /// Closest-point method of a face.
    pub closest_point: Located<ClosestPointMethod>,
    /// Starting point of iterative closest-point methods.
    pub start: ClosestPointStart,
    /// Contact response.
    pub response: ResponseSettings,
    /// Contact laws of the pairs that have no laws of their own.
    pub laws: ContactLaws,
    /// Pairs with laws of their own, in ascending order of their bodies. A contact that several pairs of the same two
    /// bodies contain has the laws of the first of these pairs.
    pub own_laws: Vec<(SurfacePair, ContactLaws)>,
    /// Whether a step that contains an impact ends at the time of impact.
    pub resolve_impact: bool,
    /// Penetration beyond which a contact is lost \[m\]; with `None`, half the median edge length of the finer of the
    /// two surfaces.
    pub search_depth: Option<f64>,
    /// Contact normal of nodes in elements, for detection by distance fields.
    pub normal: ContactNormal,
    /// Edges with edge-to-edge contact.
    pub edges: TouchingEdges,
    /// One- or two-pass node-to-face contact.
    pub passes: Passes,
    /// Whether deformable bodies without their own setting have self-contact.
    pub self_contact: bool,
    /// Treatment of overlaps at t = 0.
    pub initial_penetration: InitialPenetration,
    /// Tied pairs of bodies, ascending.
    pub tied: Vec<TiedPair>,
    /// Pairs without contact, by ascending bodies.
    pub excluded: Vec<SurfacePair>,
}

/// Two bodies, or a body and a wall; with groups, parts of their surfaces.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfacePair {
    /// Indices of the two, first < second; walls are numbered after the bodies.
    pub bodies: [usize; 2],
    /// Physical groups of faces, in the order of `bodies`; `None` for the whole surface.
    pub groups: [Option<Located<String>>; 2],
}

impl SurfacePair {
    /// Two bodies with their whole surfaces.
    pub fn whole(bodies: [usize; 2]) -> Self {
        Self { bodies, groups: [None, None] }
    }

    /// Whether the pair has the whole surfaces of both bodies.
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
    /// Whether contacts that share nodes are solved together or one by one.
    pub order: ContactOrder,
    /// Number of steps between two contact solves.
    pub every: u32,
    /// Fraction of the penetration removed by a position correction \[-\], in \[0, 1\].
    pub projection: f64,
    /// Whether a couple restores the angular momentum that the position correction changes.
    pub angular_momentum: AngularMomentum,
}

impl ResponseSettings {
    /// Whether contact changes velocities by jumps; accelerations do not include these jumps.
    pub fn acts_by_impulses(&self) -> bool {
        self.method == ResponseMethod::Decomposition || self.scheme == Scheme::Midpoint
    }
}

vocabulary! {
    /// Schemes of the energy–momentum response.
    pub enum Scheme {
        /// Spring forces from the gaps at mid-steps, with normals and closest points at known positions.
        Staggered = "staggered",
        /// Spring forces from the gaps at the ends of steps, with normals and closest points at mid-steps, by iteration.
        Midpoint = "midpoint",
    }
}

vocabulary! {
    /// Treatment of the angular momentum that position corrections change.
    pub enum AngularMomentum {
        /// A couple on the nodes of each contact restores the angular momentum.
        Restore = "restore",
        /// The angular momentum changes.
        None = "none",
    }
}

/// Contact laws of a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLaws {
    /// Factor f of the spring stiffness \[-\]; by default the stiffness is f m_eff/dt², with the effective mass m_eff
    /// of the contact and the time step dt.
    pub penalty: f64,
    /// Fraction of critical damping of the normal springs \[-\].
    pub damping: f64,
    /// Fraction of critical damping of the tangential (friction) springs \[-\].
    pub tangential_damping: f64,
    /// Whether contacts with friction that outlast an impact have the default damping: first along the normal, second
    /// tangentially. Both are false if the scenario gives the damping of the pair. The first is also false if the
    /// scenario gives the restitution of the pair.
    pub calms: [bool; 2],
    /// Coefficients of friction.
    pub friction: Friction,
    /// Coefficient of restitution of each contact \[-\], in \[0, 1\].
    pub restitution: f64,
}

/// Coefficients of friction: μ = dynamic + (static − dynamic) exp(−decay · sliding speed).
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

vocabulary! {
    /// Order of the solution of contacts that share nodes.
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
    /// Indices of the bodies, first < second.
    pub bodies: [usize; 2],
    /// Largest distance of a tied node from its face \[m\]; with `None`, a quarter of the shortest edge.
    pub within: Option<f64>,
    /// Location of `tied` in the file.
    pub span: Range<usize>,
}

vocabulary! {
    /// Treatment of overlaps at t = 0.
    pub enum InitialPenetration {
        /// The scenario is refused.
        Error = "error",
        /// The overlap remains: the gap of a contact is measured from its initial gap until the contact opens.
        Offset = "offset",
        /// Nodes are moved out of the overlap, and the new positions are free of strain.
        Remove = "remove",
    }
}

/// Numbers of steps between the operations of the sorting detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortingSettings {
    /// Number of steps between two sortings, ≥ 1.
    pub every: u32,
    /// Number of sortings between two computations of the working space, ≥ 1.
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
        /// Nodes in elements, with the gap from the distance field of the target.
        DistanceField = "distance-field",
        /// All pairs of faces.
        AllPairs = "all-pairs",
    }
}

vocabulary! {
    /// Contact normals of nodes in elements.
    pub enum ContactNormal {
        /// The gradient of the distance field of the target.
        Target = "target",
        /// Opposite to the mean normal of the contactor's surface at the node.
        Contactor = "contactor",
    }
}

vocabulary! {
    /// Edges with edge-to-edge contact.
    pub enum TouchingEdges {
        /// Convex edges with an angle of 30° or more between the normals of their faces, and borders.
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
    /// One pass: the nodes of the body with the finer surface; of a deformable and a rigid body, the nodes of the
    /// deformable body.
    One,
}

vocabulary! {
    /// Builders of hierarchies of bounding spheres.
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
    /// Bounding volumes of hierarchies below the roots.
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
        /// Minimum balls.
        MinimumBall = "minimum-ball",
        /// Ritter's two passes.
        Ritter = "ritter",
    }
}

vocabulary! {
    /// Sources of the velocities and accelerations of root spheres.
    pub enum Kinematics {
        /// The motion of the bodies.
        Exact = "exact",
        /// Differences of the root positions in the first steps.
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
        /// Box oriented by inertia.
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
        /// Newton projection on the face, then on its edges, then its corners.
        Newton = "newton",
        /// Newton projection on the face alone; a node that projects outside the face has no contact.
        Projection = "projection",
        /// The method of `Auto`, but only on the faces around the nearest node of the target.
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
        /// Nearest to the contactor among the nodes and the centre of the face (option I of Aragón, Yastrebov & Molinari
        /// 2013).
        Nearest = "nearest",
        /// The centre of the face (option II of Aragón, Yastrebov & Molinari 2013).
        Centre = "centre",
        /// The closest point of the previous step. If that point lies on another face, the starting point is that of
        /// `Nearest`.
        Previous = "previous",
    }
}
