//! The program is compared with physics: one module per physical claim.
//!
//! References are closed forms ([`closed_form`]) or brute force ([`brute_force`]), never results of the program itself.
//! Every test states its goal, its source and its tolerance, with the reason for the tolerance. The longest tests are
//! ignored by default; this command runs them:
//!
//! ```text
//! cargo test --release --test verification -- --ignored
//! ```

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "`--nocapture` shows what is measured")]

mod bar_impacts;
mod blind_spot;
mod bouncing;
mod brute_force;
mod closed_form;
mod closest_point;
mod contact_accounts;
mod crossing_edges;
mod disks;
mod distance_field;
mod driven_floors;
mod driving_functions;
mod elastic_balls;
mod everyday;
mod exact_output;
mod flush_floors;
mod flush_lips;
mod free_rotation;
mod friction;
mod helmet;
mod hertz;
mod invariance;
mod iteration_study;
mod kept_state;
mod load_jumps;
mod long_rest;
mod mass_damping;
mod midpoint;
mod model;
mod motorcycle;
#[path = "../common/msh.rs"]
mod msh;
mod one_point_hexahedra;
mod paper_mode;
mod parade;
mod passages;
mod plane_strain;
mod projectiles;
mod quadratic_bars;
mod quadratic_spheres;
mod random;
mod random_cuts;
mod random_scenes;
mod refused_ties;
mod relaxation;
mod renumbered;
mod rest_with_friction;
mod restart;
mod resting;
mod rigid_bodies;
mod rigid_walls;
mod round_meshes;
mod seams;
mod self_contact;
mod situations;
mod sliding_block;
mod stage;
mod step_size;
mod struck_ties;
mod support_accounts;
mod supports_and_loads;
mod surface_groups;
mod tied_assemblies;
mod tied_patch;
mod tied_steps;
mod ties;
mod true_sides;
mod two_bars;
mod variations;
mod varying_gravity;
mod warnings;
