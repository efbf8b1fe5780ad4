//! Standard error is a pipe that its reader has closed, as in `ictus run … 2>&1 | head`.

use std::io::pipe;
use std::process::Stdio;

use super::{Folder, Ran};

/// Runs the program twice: the result with a reader of standard error, and the exit code after the reader has closed
/// it.
fn with_both(folder: &Folder, arguments: &[&str]) -> (Ran, Option<i32>) {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    let closed = folder.command(arguments).stdout(Stdio::null()).stderr(writer).status().unwrap();
    (folder.run(arguments), closed.code())
}

/// A run with warnings, a rejected scenario, a failed run, and wrong arguments: each has the same exit code with and
/// without a reader of standard error.
#[test]
fn closed_pipes_are_not_errors() {
    let folder = Folder::with_impact();
    let overlapping = "bodies.left.translate=[-0.059,0.001,0.002]";
    let kept = "contact.initial_penetration=offset";
    let cases: [(i32, &[&str]); 5] = [
        (0, &["run", "impact.toml", "--set", overlapping, "--set", kept, "--set", "time.end=5e-6"]),
        (0, &["check", "impact.toml", "--set", overlapping, "--set", kept]),
        (1, &["run", "impact.toml", "--set", "time.step=1.9e-5"]),
        (2, &["run", "impact.toml", "--set", overlapping]),
        (2, &["run", "impact.toml", "--unknown"]),
    ];
    for (code, arguments) in cases {
        let (heard, closed) = with_both(&folder, arguments);
        assert!(!heard.stderr.is_empty(), "nothing is told: {arguments:?}");
        assert_eq!((heard.code, closed), (Some(code), Some(code)), "{arguments:?}: {}", heard.stderr);
    }
}
