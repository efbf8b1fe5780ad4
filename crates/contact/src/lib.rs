//! Contact: the surfaces that can touch, contact detection, and the response.
//!
//! ```text
//! surfaces ─► detection (candidates, gaps) ─► constraints ─► response (contact forces) ─► time step
//! ```
//! # Glossary
//! Normals point out of the target. AM14 is Aragón & Molinari 2014.
//!
//! | here | meaning | in the literature |
//! |---|---|---|
//! | contactor, target | node (or edge) whose gap is measured, and face (or edge) from which the gap is measured | slave node, master face |
//! | gap | signed distance along the target normal; negative in penetration | gap function g |
//! | constraint | gap, normal and nodal weights of one contact | contact element, active constraint |
//! | candidate | node–face pair that may touch, a superset of the contacts | candidate contact pair |
//! | feature | vertex, edge or interior of a face on which a closest point lies | Voronoi feature |
//! | face ring | faces that share a node | one-ring, star |
//! | cell ring | cells that share a node | one-ring, star |
//! | entry face | face through which a node entered a body | – |
//! | flush surfaces | adjacent target surfaces in one plane; a node that slides from one to the other stays in contact | – |
//! | seam | joint between two adjacent flush surfaces; closed if its width is below a fraction of the search depth | – |
//! | rim | edge of a face at which the surface turns away or ends | – |
//! | taper | wedge of material with an angle of at most 55° at its edge, the tip | – |
//! | first, second pass | contacts of the nodes of one body of a pair with the faces of the other, and the reverse; one-pass contact omits the second pass | single-pass, two-pass contact |
//! | search depth | penetration beyond which a contact is lost | search tolerance |
//! | search distance | search depth plus the offsets of both bodies: detection lists the pairs within this distance | – |
//! | offset surface | surface moved outwards by the offset of its body, half the contact thickness of the scenario; gaps are measured between offset surfaces | – |
//! | thickness | distance of a surface node from the opposite face of its body | shell or wall thickness |
//! | hierarchy, vertex | binary tree of bounding spheres over the faces of a surface, and an element of this tree | bounding volume hierarchy (AM14 §3.1) |
//! | nested spheres | spheres that each contain the spheres of their children | ball tree (Omohundro 1989) |
//! | joint sphere | smallest sphere that contains two given spheres | – |
//! | block (of a tree) | up to 1024 leaves with the vertices above them, as one or more subtrees, stored contiguously and processed by one task | – |
//! | bounding points | nodes or Bézier control points of a face; their convex hull contains the face | control polygon |
//! | material centre | centre of the sphere of a face: a mean of the bounding points with constant weights | – |
//! | ladder, rung | sequence of bounding volumes of increasing tightness tested at the leaves, and one of these volumes | level 2, refinement at the leaves (AM14 §3.2) |
//! | body pair | two bodies with overlapping inflated boxes, or one body in self-contact | pair of objects |
//! | inflated box | bounding box enlarged by a margin; the body stays inside for some steps | buffer zone (Petőcz & Armero 1998) |
//! | patch | group of up to 64 neighbouring faces of a surface | cluster of faces |
//! | batch | up to eight neighbouring faces, an eighth of a patch; one face per lane | – |
//! | active patch pair | two patches near enough to touch before the next search | front of the traversal |
//! | near pairs, skin | node–face pairs within the search distance plus a margin, the skin | Verlet list, skin (Verlet 1967) |
//! | short list | near pairs that can give a constraint in the next steps | – |
//! | travel | upper bound on an accumulated relative displacement | buffer b > n v_max Δt (Petőcz & Armero 1998) |
//! | allowance | travel up to which a list remains complete | buffer, skin |
//! | due | a list or a search is due when the travel exceeds its allowance | update of a Verlet list |
//! | slack | distance minus the distance at which contact begins; no contact is possible while the travel is smaller than the slack | – |
//! | normal cone | cone that contains the normals of a face during the allowed displacement | normal cone (Volino & Magnenat-Thalmann 1994) |
//! | flight | phase in which all bodies move rigidly in closed form | predicted trajectories, level 1 (AM14 eq. (12)) |
//! | Bézier face | face or part of a face, given by its Bézier control points | Bézier patch |
//! | lanes | data processed by one vector instruction | SIMD lanes |
//! | contact history | state of each contact, kept from step to step under its key | internal variables |
//! | mover | node of a deformable body, or centre or rotation of a rigid body, that impulses can move | generalised coordinate |
//! | group (of contacts) | contacts coupled through common movers, whose impulses are computed together | contact island |
//! | mobility | matrix that maps impulses to velocity changes: inverse masses and inertias of the movers | inverse effective mass |
//! | numerical work | work of contact that corresponds to no law of physics, for example the work of position corrections against the contact forces | – |
//! | position correction | displacement that contact adds to the predicted positions; in the decomposition response, it removes penetration | projection, stabilisation |
//! | kick | velocity change by the accelerations over half a step, or from one mid-step to the next | kick–drift scheme (leapfrog) |

use ictus_core::{element, math, mesh};

mod constraint;
pub mod detection;
pub mod flush;
pub mod response;
mod surface;
mod surface_pair;

pub use constraint::{Constraint, Constraints, ContactKey, EdgeOnEdge, NodeOnSurface, Side};
pub use surface::{Edge, Surface};
pub use surface_pair::SurfacePair;

#[cfg(test)]
#[path = "../../../tests/common/random.rs"]
mod random;
