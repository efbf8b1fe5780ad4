//! The README and the book in `docs/` agree with the program. Links and anchors resolve, named files and tests exist,
//! commands are those of the program, scenarios run, and generated parts are up to date.
//!
//! `UPDATE_PAGES=1 cargo test --test readme` rewrites the generated parts.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed test panics")]

mod commands;
mod generated;
mod links;
#[path = "../common/msh.rs"]
mod msh;
mod names;
mod recipes;
mod scenarios;
mod shown;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Folder of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Text of a file of the repository.
fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Names of the files in a folder with an extension, ascending.
fn files(folder: &str, extension: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let of_extension = entries.filter(|path| path.extension().is_some_and(|found| found == extension));
    let mut names: Vec<String> = of_extension.map(|path| name_of(&path)).collect();
    names.sort();
    names
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

/// The pages of the book, relative to the root, with the guide that redirects to them and the table of contents.
fn book_pages() -> Vec<String> {
    files("docs", "md").into_iter().map(|name| format!("docs/{name}")).collect()
}

/// All pages for readers.
fn pages() -> Vec<String> {
    ["README.md", "CONTRIBUTING.md"].map(str::to_owned).into_iter().chain(book_pages()).collect()
}

/// Contents of the fenced blocks of a language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("\n```{language}\n");
    text.split(fence.as_str()).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// Text outside fenced blocks.
fn prose(text: &str) -> String {
    let fenced = |parts: (usize, &str)| parts.0.is_multiple_of(2).then(|| parts.1.to_owned());
    text.split("\n```").enumerate().filter_map(fenced).collect::<Vec<_>>().join("\n")
}

/// Inline code of a text: code between single backticks.
fn inline_code(text: &str) -> Vec<String> {
    prose(text).lines().flat_map(|line| line.split('`').skip(1).step_by(2).map(str::to_owned)).collect()
}

/// Standard output of the program, run in the root.
fn ictus(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ictus"));
    let output = command.args(arguments).env_remove("COLUMNS").current_dir(root()).output().unwrap();
    assert!(output.status.success(), "ictus {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Commands of the program, in the order of its help.
fn subcommands() -> Vec<String> {
    let help = ictus(&["--help"]);
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.map(|line| line.split_whitespace().next().unwrap().to_owned());
    names.filter(|name| name != "help").collect()
}

/// Source files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// Source files of the program and of the crates of its library.
fn library_sources() -> Vec<PathBuf> {
    ["src", "crates"].iter().flat_map(|folder| sources(&root().join(folder))).collect()
}
