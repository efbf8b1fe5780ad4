//! Level 3: closest point of a face.
