//! Vectors, matrices, polynomials, functions of time and rigid motion.
//!
//! Plane problems are plane strain in z = 0: every vector has three components.

pub mod eight_lanes;
pub mod pack;
pub mod polynomial;
pub mod real;
pub mod reduction;
mod rigid_motion;
mod sparse_cholesky;
pub(crate) mod sparse_vectors;
pub mod tensor;
mod time_function;
pub mod vectorised;

pub use rigid_motion::RigidMotion;
pub use sparse_cholesky::SparseCholesky;
pub use time_function::{
    EXPRESSION_NAMES, EndValues, Expression, Integrals, TimeFunction, TimeFunctionError,
};

/// Point or vector in space; contiguous as `[f64; 3]`.
pub type Vec3 = nalgebra::Vector3<f64>;
/// 3 × 3 matrix, stored by columns.
pub type Mat3 = nalgebra::Matrix3<f64>;
/// Rotation.
pub type Rotation = nalgebra::UnitQuaternion<f64>;
