//! The files, tests, items and output columns named by the pages exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{ictus, inline_code, library_sources, pages, read, root, sources};

/// Words of a text that look like files of the repository.
fn named_files(text: &str) -> Vec<&str> {
    let folders =
        ["benches/", "configs/", "crates/", "docs/", "meshes/", "scripts/", "src/", "tests/", ".ci/"];
    let words = text.split(|c: char| c.is_whitespace() || "`\"'()[],;:#".contains(c));
    words
        .filter(|word| folders.iter().any(|folder| word.starts_with(folder)) && !word.contains("NAME"))
        .map(|word| word.trim_end_matches('.'))
        .collect()
}

#[test]
fn files_that_are_named_exist() {
    for page in pages().into_iter().chain(["CHANGELOG.md".to_owned()]) {
        let text = read(&page);
        for file in named_files(&text) {
            assert!(root().join(file).exists(), "{page} names {file}, which does not exist");
        }
    }
    assert!(named_files(&read("docs/verification.md")).len() > 40);
}

/// The functions named in the requirements of `docs/verification.md` are tests.
#[test]
fn tests_that_are_named_exist() {
    let text = read("docs/verification.md");
    let requirements = text.split("## Requirements on the responses").nth(1).unwrap();
    let table: String =
        requirements.lines().filter(|line| line.starts_with('|')).map(|line| format!("{line}\n")).collect();
    let names: Vec<String> =
        inline_code(&table).into_iter().filter(|name| name.matches('_').count() > 1).collect();
    assert!(names.len() > 15, "{names:?}");
    let code: String = sources(&root().join("tests/verification"))
        .iter()
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    for name in names {
        assert!(code.contains(&format!("fn {name}(")), "no test {name}");
    }
}

/// Where CONTRIBUTING.md says "`ITEM` in `FILE`", the file has that item.
#[test]
fn items_that_are_named_are_in_their_files() {
    let text = read("CONTRIBUTING.md");
    let table = text.split("## Add").nth(1).unwrap().split("\n## ").next().unwrap();
    let mut count = 0;
    for (before, after) in table.split("` in `").zip(table.split("` in `").skip(1)) {
        let item = before.rsplit('`').next().unwrap();
        let file = after.split('`').next().unwrap();
        if !file.ends_with('/') {
            assert!(read(file).contains(item), "{file} has no {item}");
            count += 1;
        }
    }
    assert!(count > 8, "{count}");
}

/// CONTRIBUTING.md lists exactly the files that name the neo-Hookean law, as the word `neo-hookean` or in an
/// identifier. Two exceptions: `src/cli/init.rs`, because its starter scenario uses the law, and unit tests.
#[test]
fn a_law_is_named_where_the_table_says() {
    let text = read("CONTRIBUTING.md");
    let row = text.lines().find(|line| line.starts_with("| a hyperelastic law |")).unwrap();
    let listed: BTreeSet<&str> = row.split('`').filter(|code| code.starts_with("crates/")).collect();
    let names_a_law = |file: &Path| {
        let code = fs::read_to_string(file).unwrap();
        let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap();
        code.contains("neo-hookean") || code.contains("NeoHookean")
    };
    let files = library_sources().into_iter().filter(|file| names_a_law(file));
    let files: Vec<String> =
        files.map(|file| file.strip_prefix(root()).unwrap().to_str().unwrap().to_owned()).collect();
    let is_exempt =
        |file: &str| file == "src/cli/init.rs" || file.ends_with("/tests.rs") || file.contains("/tests/");
    let found: BTreeSet<&str> = files.iter().map(String::as_str).filter(|file| !is_exempt(file)).collect();
    assert_eq!(found, listed);
}

/// All columns of `history.csv` and `pairs.csv` and all sections of `summary.json` are described.
#[test]
fn output_of_a_run_is_described() {
    let text = read("docs/reading-the-curves.md");
    let section =
        |name: &str| text.split(&format!("\n### {name}\n")).nth(1).unwrap().split("\n### ").next().unwrap();
    let folder = TempDir::new().unwrap();
    let output = folder.path().to_str().unwrap();
    ictus(&["run", "configs/two-bars.toml", "--set", "time.end=5e-7", "--quiet", "--output", output]);
    for file in ["history.csv", "pairs.csv"] {
        let described: Vec<String> = inline_code(section(file))
            .iter()
            .map(|code| code.trim_start_matches("BODY").to_owned())
            .collect();
        let table = fs::read_to_string(folder.path().join(file)).unwrap();
        for column in table.lines().next().unwrap().split(',') {
            let of_any_body = column.trim_start_matches("left").trim_start_matches("right");
            let column = match of_any_body.rsplit_once('_') {
                Some((quantity, "y" | "z")) => format!("{quantity}_x"),
                _ => of_any_body.to_owned(),
            };
            assert!(described.contains(&column), "{file}: {column} is not described");
        }
    }
    let summary = fs::read_to_string(folder.path().join("summary.json")).unwrap();
    let summary: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&summary).unwrap();
    let described = inline_code(section("summary.json"));
    for key in summary.keys() {
        let is_described = described.iter().any(|code| code.split(['.', '[']).next() == Some(key));
        assert!(is_described, "summary.json: {key} is not described");
    }
}

/// The messages that `docs/when-it-goes-wrong.md` explains occur in the source; `…` stands for the parts that vary.
#[test]
fn messages_that_are_explained_exist() {
    let code: String = library_sources().iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let code: String = code.split("\\\n").map(str::trim_start).collect();
    let text = read("docs/when-it-goes-wrong.md");
    let by_message = text.split("## By message").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = by_message.lines().filter(|line| line.starts_with("| `"));
    let messages: Vec<&str> = rows.map(|row| row[2..].split(" |").next().unwrap()).collect();
    assert!(messages.len() > 15, "{messages:?}");
    for message in messages {
        for part in message.split(['…', '`', ';']).map(str::trim).filter(|part| part.len() > 6) {
            assert!(code.contains(part), "{message}: no message has {part:?}");
        }
    }
}
