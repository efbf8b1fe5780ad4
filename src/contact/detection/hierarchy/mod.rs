//! Level 2: trees of bounding spheres.
