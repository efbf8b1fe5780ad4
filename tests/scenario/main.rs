//! Scenario files as written by users: contents of valid files, messages about invalid files.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed test panics")]

mod conflicts;
mod good;
mod overrides;
mod probes;
mod problems;
mod reuse;
mod robustness;
mod schema;

use std::path::{Path, PathBuf};

use ictus::math::Vec3;
use ictus::scenario::*;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scenario").join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(data(name)).unwrap()
}

fn read(name: &str, overrides: &[&str]) -> Result<Scenario, ScenarioError> {
    let overrides: Vec<_> = overrides.iter().map(|text| text.to_string()).collect();
    Scenario::read(&data(name), &overrides)
}

/// The problems of `full.toml` with `old` replaced by `new`, and the text to which the problems refer.
fn problems_with(old: &str, new: &str) -> (Vec<Problem>, String) {
    let full = text("full.toml");
    assert_eq!(full.matches(old).count(), 1, "`{old}` has to stand once in the file");
    problems_of(&full.replace(old, new))
}

fn problems_of(text: &str) -> (Vec<Problem>, String) {
    match Scenario::parse(text, &data("full.toml"), &[]) {
        Err(ScenarioError::Invalid { problems, text, .. }) => (problems, text),
        other => panic!("{other:?} of\n{text}"),
    }
}

/// Asserts that the replacement gives exactly one problem, with this message, this help and this underlined text.
#[track_caller]
fn assert_problem(old: &str, new: &str, message: &str, help: &str, underlined: &str) {
    let (problems, text) = problems_with(old, new);
    let [problem] = problems.as_slice() else { panic!("{problems:#?}") };
    assert_eq!(problem.message, message);
    assert_eq!(problem.help.as_deref().unwrap_or_default(), help);
    assert_eq!(&text[problem.span.clone().unwrap()], underlined);
}
