//! The `ictus` command line.
fn main() {}
