//! Level 1: when can two moving spheres meet.
