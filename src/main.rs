//! The `ictus` command line.

mod cli;

use std::process::ExitCode;

/// This allocator requests large pages from the system, which shortens the computation of internal forces by an eighth
/// in a model of millions of elements.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::run()
}
