//! Element room.
