//! The scenario file, typed and validated; nothing computed.

mod typed;

pub use typed::*;
