//! Material room.
