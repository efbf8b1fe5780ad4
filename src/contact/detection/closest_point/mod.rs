//! Level 3: closest point of a face.

pub mod segment_segment;
