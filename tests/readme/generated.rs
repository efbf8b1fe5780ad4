//! The generated parts of the book: the keys of a scenario and the help of the commands.

use std::fmt::Write as _;

use ictus::scenario::reference_markdown;

use super::{ictus, read, root, subcommands};

/// Compares the part of a page between its markers with `wanted`. If `UPDATE_PAGES` is set, rewrites the part instead.
fn check_part(page: &str, part: &str, wanted: &str) {
    let begin_marker =
        format!("<!-- {part}: begin (generated; UPDATE_PAGES=1 cargo test --test readme) -->\n");
    let text = read(page);
    let begin = text.find(&begin_marker).unwrap() + begin_marker.len();
    let end = text.find(&format!("<!-- {part}: end -->\n")).unwrap();
    if text[begin..end] == *wanted {
        return;
    }
    assert!(
        std::env::var_os("UPDATE_PAGES").is_some(),
        "{part} in {page} are stale; run UPDATE_PAGES=1 cargo test --test readme"
    );
    std::fs::write(root().join(page), format!("{}{wanted}{}", &text[..begin], &text[end..])).unwrap();
}

#[test]
fn the_key_reference_is_that_of_the_program() {
    check_part("docs/scenario-reference.md", "scenario keys", &format!("\n{}\n", reference_markdown()));
}

#[test]
fn the_command_reference_is_the_help_of_the_program() {
    let mut wanted = format!("\n### ictus\n\n```text\n{}\n```\n", ictus(&["--help"]).trim_end());
    for name in subcommands() {
        let help = ictus(&[name.as_str(), "--help"]);
        write!(wanted, "\n### ictus {name}\n\n```text\n{}\n```\n", help.trim_end()).unwrap();
    }
    check_part("docs/command-reference.md", "commands", &format!("{wanted}\n"));
}
