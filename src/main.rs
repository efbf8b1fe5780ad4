//! The `ictus` command line.

mod cli;

use std::process::ExitCode;

/// Allocator with large pages, which shorten the internal forces of large models by an eighth.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::run()
}
