//! Reference elements: shape functions, their derivatives, and quadrature; one file a family.
