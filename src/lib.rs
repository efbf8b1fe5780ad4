//! Explicit finite-element dynamics with contact.
//!
//! A scenario gives the meshes, positions, materials and velocities of bodies. The nodes of the bodies obey
//!
//! ```text
//! M a = f_ext − f_int + f_contact
//! ```
//!
//! with the lumped mass matrix M, the accelerations a, and the external, internal and contact forces f. Central
//! differences integrate this equation in time. Up to the first impact, free bodies move in closed form, and contact
//! detection predicts the time of this impact. Afterwards, hierarchies of bounding volumes exclude most node–face pairs
//! from the computation of gaps.
//!
//! # Example
//! Two steel balls fly towards each other from a distance of 1.5 km, and meet after 14.98 s:
//! ```
//! use ictus::scenario::Scenario;
//! use ictus::simulation::Simulation;
//!
//! let path = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/projectiles.toml");
//! let scenario = Scenario::read(path.as_ref(), &[])?;
//! let mut simulation = Simulation::new(&scenario)?;
//! while simulation.first_contacts().is_empty() {
//!     simulation.advance(scenario.time.end)?;
//! }
//! let contact = simulation.first_contacts()[0];
//! assert!((contact.time - 14.98).abs() < 1e-9);
//! assert!((contact.normal_speed - 100.0).abs() < 1e-9);
//!
//! simulation.advance(scenario.time.end)?; // after the flight, one time step for each call
//! assert_eq!(simulation.constraints().len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! [`simulation::Simulation::run`] with a [`simulation::Recorder`] writes the same frames and tables as `ictus run`.
//!
//! # Data flow
//! ```text
//! scenario.toml ──► Scenario ──► Model ──► Simulation ──► frames (.vtu, .pvd), history.csv, pairs.csv, summary.json
//!    meshes/*.msh ────────────────┘          │
//!                                            ▼ one step
//!   predict (Newmark) ─► detect ─► respond ─► internal forces ─► correct ─► account ─► record
//! ```
//! [`scenario::Scenario`] is the typed, validated scenario file. [`simulation::Model`] holds the data that are constant
//! in time. [`simulation::State`] holds the data that evolve in time. [`simulation::Simulation`] owns both.
//!
//! # Conventions
//! - **Units**: any consistent set. The documentation gives SI units, as in \[m/s\].
//! - **Vectors** have three components ([`math::Vec3`]). Plane problems are plane strain in z = 0, of unit thickness.
//! - **Gap**: negative in penetration. **Normals**: the contact normal points out of the target, and the normal of a
//!   face out of its solid.
//! - **Contact**: the `contactor` node (*slave* in much of the literature) touches the `target` face (*master*). The
//!   nodal weights of a constraint sum to zero: +1 on the contactor, and −N_a on each node a of the face. N_a are the
//!   shape values at the closest point.
//! - **Node order** of cells is that of Gmsh ([`mesh::CellKind`]); VTK has the same order for linear and plane cells.
//!   Nodes of all bodies are numbered consecutively with `u32`, body by body.
//! - **Symmetric tensors** in output have the components XX YY ZZ XY YZ XZ. Shear components are not doubled.
//! - **Stress** is the Cauchy stress in output, and the first Piola–Kirchhoff stress in the total Lagrangian kernels.
//!   Tension is positive. A positive pressure load compresses.
//! - **Results** do not depend on the number of threads: sums have a fixed order.
//!
//! # Layers
//! | module | contents | may use |
//! |---|---|---|
//! | [`math`], [`signal`], [`units`] | vectors, tensors, roots, functions of time; filters and injury criteria; systems of units | none of the others |
//! | [`mesh`], [`material`] | topology; constitutive laws | `math` |
//! | [`element`] | shape functions, quadrature | `math`, `mesh` |
//! | [`contact`] | surfaces, detection, response | `math`, `mesh`, `element` |
//! | [`scenario`] | the typed scenario file | `math`, `material`, `signal`, `units`, `contact` (options) |
//! | [`dynamics`] | forces, masses, steps, supports, rigid bodies, audit | `math`, `mesh`, `element`, `material` |
//! | [`io`] | Gmsh in; VTK, history, pairs, summary out | `math`, `mesh` |
//! | [`simulation`] | set-up of a scenario, time stepping, records | all |
//!
//! `math`, `signal`, `units`, `mesh`, `material` and `element` form the crate `ictus-core`, which also has the macro
//! `vocabulary!`: it declares enums with their words in scenarios. Each other layer is a crate of its own. A program
//! with its own dynamics can use `ictus-contact` alone.
//!
//! `contact` and `dynamics` do not depend on each other. Contact enters the dynamics as nodal forces or impulses, and
//! as a frequency that limits the time step.
//!
//! # Limits
//! Elements are of order 1 or 2, materials are elastic, and a run uses the memory of one computer. The README lists all
//! limits, with alternatives.
pub use ictus_contact as contact;
pub use ictus_core::{element, material, math, mesh, signal, units};
pub use ictus_dynamics as dynamics;
pub use ictus_io as io;
pub use ictus_scenario as scenario;
pub use ictus_simulation as simulation;
