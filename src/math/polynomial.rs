//! Real roots of polynomials.
