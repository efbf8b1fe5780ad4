//! Contact room.
