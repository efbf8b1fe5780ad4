//! Identifiers use the terms of the field: they do not contain the home-made words listed here.

use std::fs;
use std::path::{Path, PathBuf};

use super::source::strip;

/// Home-made words, each with the term that replaces it. Words in lower case are sought in all identifiers, words in
/// upper case in names of constants.
const HOME_MADE: [(&str, &str); 22] = [
    ("encounter", "body_pair"),
    ("encounters", "body_pairs"),
    ("neighbourhood", "patch_lists"),
    ("give_room", "inflate"),
    ("has_left", "has_escaped"),
    ("in_play", "short_list"),
    ("outlook", "normal_cone"),
    ("octet", "lanes"),
    ("octets", "lanes"),
    ("materialise", "update_nodal_state"),
    ("carrier", "rigid_body"),
    ("carriers", "rigid_bodies"),
    ("territory", "owned_range"),
    ("territories", "owned_ranges"),
    ("hand_over", "transfer or scatter"),
    ("handover", "transfer"),
    ("handovers", "transfers"),
    ("nest", "nested_spheres"),
    ("shifts", "position_corrections"),
    ("PATIENCE", "the quantity it bounds"),
    ("STALE", "the quantity it bounds"),
    ("DECAYED", "the quantity it bounds"),
];

/// The home-made words that an identifier contains, with the terms that replace them.
fn home_made(identifier: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let own = format!("_{identifier}_");
    let parts = format!("_{}_", snake_case(identifier));
    HOME_MADE.into_iter().filter(move |(word, _)| {
        let word = format!("_{word}_");
        parts.contains(&word) || own.contains(&word)
    })
}

fn snake_case(identifier: &str) -> String {
    let mut snake = String::new();
    let mut after_lower = false;
    for c in identifier.chars() {
        if c.is_uppercase() && after_lower {
            snake.push('_');
        }
        after_lower = c.is_lowercase() || c.is_numeric();
        snake.extend(c.to_lowercase());
    }
    snake
}

/// Messages about home-made words in the code of a file and in the name of the file.
fn home_made_in(path: &Path, text: &str) -> Vec<String> {
    let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let code = strip(text);
    let lines = (1..).zip(code.lines()).flat_map(|(number, line)| {
        line.split(|c: char| !(c.is_alphanumeric() || c == '_')).map(move |identifier| (number, identifier))
    });
    std::iter::once((1, name))
        .chain(lines)
        .flat_map(|(number, identifier)| {
            home_made(identifier).map(move |(word, term)| {
                format!("{}:{number}: `{identifier}` has `{word}`; use {term}", path.display())
            })
        })
        .collect()
}

/// All files with Rust code in a folder.
pub fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn worst_words_are_not_identifiers() {
    let mut files = Vec::new();
    for folder in ["src", "crates"] {
        rust_files(Path::new(folder), &mut files);
    }
    files.sort();
    assert!(files.len() > 100, "the source is not where it was");
    let found: Vec<String> =
        files.iter().flat_map(|path| home_made_in(path, &fs::read_to_string(path).unwrap())).collect();
    assert!(found.is_empty(), "not terms of the field:\n{}", found.join("\n"));
}

/// A word is found in upper, lower and camel case, with the number of its line. A word in a comment, in a string or
/// inside another word is not found.
#[test]
fn planted_words_are_found() {
    let text = "// encounter\nfn f() -> &'static str {\n    \"a\\\n     nest\"\n}\nfn hand_over(a: OutlookCone) {}\n\
                const MAX_STALE: u8 = 0;\nlet (nested, honest, inhand_over) = nest_spheres();\n";
    let found = home_made_in(Path::new("src/octet.rs"), text);
    let places: Vec<&str> = found.iter().filter_map(|text| text.split(" has ").next()).collect();
    let expected = [
        "src/octet.rs:1: `octet`",
        "src/octet.rs:6: `hand_over`",
        "src/octet.rs:6: `OutlookCone`",
        "src/octet.rs:7: `MAX_STALE`",
        "src/octet.rs:8: `nest_spheres`",
    ];
    assert_eq!(places, expected);
}
