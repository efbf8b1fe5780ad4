//! Vectors, matrices, polynomials, functions of time and rigid motion.
//!
//! Plane problems are plane strain in z = 0: every vector has three components.
//!
//! # Vector code
//! `pulp` selects the vector code at run time. There are three forms of vector code:
//!
//! | form | for | numbers |
//! |---|---|---|
//! | [`pack`] | kernels over rows of elements, nodes or boxes | registers of any width, up to AVX-512 |
//! | [`real::Lanes`] in [`vectorised`] | closest-point searches, four at a time, by the code for one number | four, AVX2, because AVX-512 was slower |
//! | [`eight_lanes`] in [`vectorised`] | keys, masks and `f32` boxes of tree searches, which compilers do not vectorise | eight of 32 bits, AVX2 |
//!
//! A pack is a register of a kernel and contains neither integers nor `f32`. [`real::Lanes`] are plain data, so that
//! closest-point searches can store them in their structures.

mod clone_by_field;
pub mod eight_lanes;
pub mod pack;
pub mod polynomial;
#[cfg(test)]
#[path = "../../../../tests/common/random.rs"]
pub(crate) mod random;
pub mod real;
pub mod reduction;
mod rigid_motion;
pub mod space_filling_curve;
mod sparse_cholesky;
pub mod sparse_vectors;
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
