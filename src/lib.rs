//! Explicit finite-element dynamics with contact.
//!
//! Bodies fly, collide and deform. Each is cut from a Gmsh mesh, given a material and a velocity by a scenario, and
//! moved by Newton's law on its nodes, M a = f_ext − f_int + f_contact, step by step with central differences. What is
//! hard is to know in time who touches whom: `ictus` predicts it. While bodies fly free they move in closed form up to
//! the instant of the first impact; afterwards hierarchies of bounding volumes leave few faces to look at in a step.
//!
//! # Example
//! Two steel balls meet 14.98 s after they were fired at each other over 1.5 km:
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
//! simulation.advance(scenario.time.end)?; // from here on in stable steps
//! assert_eq!(simulation.constraints().len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! [`simulation::Recorder`] with [`simulation::Simulation::run`] writes what `ictus run` writes.
//!
//! # The way of the data
//! ```text
//! scenario.toml ──► Scenario ──► Model ──► Simulation ──► frames (.vtu, .pvd), history.csv, pairs.csv, summary.json
//!    meshes/*.msh ────────────────┘          │
//!                                            ▼ one step
//!   predict (Newmark) ─► detect ─► respond ─► internal forces ─► correct ─► account ─► record
//! ```
//! [`scenario::Scenario`] is the file, typed and validated; [`simulation::Model`] what does not change in time;
//! [`dynamics::State`] what does; [`simulation::Simulation`] owns both and alone knows the order of a step.
//!
//! # Conventions
//! - **Units**: any consistent set; documentation gives SI, as in \[m/s\].
//! - **Vectors** have three components ([`math::Vec3`]). Plane problems are plane strain in z = 0, of unit thickness.
//! - **Gap**: negative when penetrated. **Normals** point out of the target, and of any face out of its solid.
//! - **Contact**: the `contactor` node (*slave* in much of the literature) touches the `target` face (*master*).
//!   Weights of a constraint sum to zero: +1 on the contactor, −N on the nodes of the face.
//! - **Node order** of cells is that of Gmsh and VTK, which agree on the linear ones: bottom counter-clockwise, then
//!   top ([`mesh::CellKind`]). Nodes are numbered with `u32`, all bodies together, one body after the other.
//! - **Symmetric tensors** in output are XX YY ZZ XY YZ XZ, without factors of two.
//! - **Stress** is Cauchy's in output and first Piola–Kirchhoff in the kernels, which are total Lagrangian; tension is
//!   positive, pressure loads are positive in compression.
//! - **Results** do not depend on the number of threads: sums are taken in a fixed order.
//!
//! # Layers
//! | module | holds | may use |
//! |---|---|---|
//! | [`math`] | vectors, tensors, roots, functions of time | nothing of ours |
//! | [`mesh`], [`scenario`], [`material`] | topology; the file, typed; constitutive laws | `math` |
//! | [`element`] | shape functions, quadrature | `math`, `mesh` |
//! | [`contact`] | surfaces, detection, response | `math`, `mesh`, `element` |
//! | [`dynamics`] | forces, masses, steps, supports, rigid bodies, audit | `math`, `mesh`, `element`, `material` |
//! | [`signal`] | filters, resampling and injury criteria of signals | nothing of ours |
//! | [`io`] | Gmsh in; VTK, history, pairs, summary out | `math`, `mesh` |
//! | [`simulation`] | from a scenario to a run | all of them |
//!
//! Contact knows no forces or materials, dynamics no contact: they meet in a step of the simulation, where contact
//! has become nodal forces and one number, the frequency that it adds.
//!
//! # Limits
//! Elements of order 1 and 2, elastic materials, one computer. The README says more, and when to use something else.
pub mod contact;
pub mod dynamics;
pub mod element;
pub mod io;
pub mod material;
pub mod math;
pub mod mesh;
pub mod scenario;
pub mod signal;
pub mod simulation;
