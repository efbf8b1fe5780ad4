//! Vectors, matrices, polynomials, functions of time and rigid motion.
//!
//! Plane problems are plane strain in the plane z = 0. Their vectors have three components as well.
//!
//! # SIMD code
//! The crate `pulp` selects the SIMD code at run time. There are three forms of SIMD code:
//!
//! | form | use | registers |
//! |---|---|---|
//! | [`pack`] | kernels over rows of elements, nodes or boxes | any width, up to AVX-512 |
//! | [`real::Lanes`] in [`vectorised`] | four closest-point searches by the code of one | AVX2, faster than AVX-512 |
//! | [`eight_lanes`] in [`vectorised`] | tree searches: eight keys, masks or `f32` boxes | AVX2 |
//!
//! A pack is the content of a register in a kernel; its numbers are neither integers nor `f32`. [`real::Lanes`] are
//! plain data, so that closest-point searches can store them in their structures.

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

/// Point or vector in space, with the memory layout of `[f64; 3]`.
pub type Vec3 = nalgebra::Vector3<f64>;
/// 3 × 3 matrix, stored by columns.
pub type Mat3 = nalgebra::Matrix3<f64>;
/// Rotation in space, as a unit quaternion.
pub type Rotation = nalgebra::UnitQuaternion<f64>;
