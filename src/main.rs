//! The `ictus` command line.

mod cli;

fn main() {}
