//! Simulation room.
