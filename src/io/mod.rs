//! Io room.
