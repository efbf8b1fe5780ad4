//! Vectors, matrices, polynomials, functions of time and rigid motion.
//!
//! Plane problems are plane strain in the plane z = 0, with vectors of three components.
//!
//! # SIMD code
//! SIMD code has three forms. For each form, the crate `pulp` selects the instruction set at run time:
//!
//! | form | use | registers |
//! |---|---|---|
//! | [`pack`] | kernels over rows of elements, nodes or boxes | any width, up to AVX-512 |
//! | [`real::Lanes`], called within [`vectorised`] | four closest-point searches at once | AVX2; AVX-512 is slower |
//! | [`eight_lanes`], called within [`vectorised`] | tree searches on eight keys, masks or `f32` boxes | AVX2 |
//!
//! A pack is one register of a kernel, with `f64` numbers only. [`real::Lanes`] are plain data that structures can
//! store.

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
