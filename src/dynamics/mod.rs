//! Dynamics room.
