//! The `ictus` command line.

mod cli;

use std::process::ExitCode;

/// This allocator requests large pages from the system, which shortens the time for the internal forces of millions of
/// elements by an eighth.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::run()
}
