//! The command line.

#[allow(dead_code, reason = "the subcommands that report problems are not here yet")]
pub mod diagnostic;
