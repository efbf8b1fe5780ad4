//! The `ictus` command line.

mod cli;

use std::process::ExitCode;

/// This allocator requests large pages from the system. In a model of millions of elements, they shorten the
/// computation of internal forces by an eighth.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::run()
}
