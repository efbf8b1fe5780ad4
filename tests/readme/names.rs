//! The files, tests, items and output columns named by the pages exist.

use std::fs;

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
    assert!(count >= 6, "{count}");
}

/// The code names a law, a detector or a response in its own file or folder and in one row of a table, and nowhere
/// else. Not counted: imports and re-exports, words inside longer messages, unit tests, and the starter scenario of
/// `src/cli/init.rs`. CONTRIBUTING.md lists the tables.
#[test]
fn an_extension_is_named_in_its_file_and_one_row() {
    let contributing = read("CONTRIBUTING.md");
    for (own, table, names) in [
        (
            "crates/core/src/material/neo_hookean.rs",
            "crates/core/src/material/mod.rs",
            ["NeoHookean", "\"neo-hookean\""],
        ),
        (
            "crates/contact/src/detection/detectors/all_pairs.rs",
            "crates/contact/src/detection/detectors/mod.rs",
            ["AllPairs", "\"all-pairs\""],
        ),
        (
            "crates/contact/src/response/energy_momentum/",
            "crates/contact/src/response/selected/mod.rs",
            ["EnergyMomentum", "\"energy-momentum\""],
        ),
    ] {
        assert!(contributing.contains(&format!("`{table}`")), "{table}");
        let mut rows = Vec::new();
        for file in library_sources() {
            let path = file.strip_prefix(root()).unwrap().to_str().unwrap();
            let is_test = path.ends_with("/tests.rs") || path.contains("/tests/");
            if path.starts_with(own) || path == "src/cli/init.rs" || is_test {
                continue;
            }
            let code = fs::read_to_string(&file).unwrap();
            let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap();
            let statements = without_uses_and_comments(code);
            let named = statements.lines().filter(|line| names.iter().any(|name| line.contains(name)));
            rows.extend(named.map(|line| format!("{path}: {}", line.trim())));
        }
        let [row] = rows.as_slice() else { panic!("{names:?}: {rows:#?}") };
        assert!(row.starts_with(table) && names.iter().all(|name| row.contains(name)), "{row}");
    }
}

fn without_uses_and_comments(code: &str) -> String {
    let mut is_use = false;
    let mut kept = String::new();
    for line in code.lines() {
        is_use |= line.starts_with("use ") || line.starts_with("pub use ");
        if !is_use && !line.trim_start().starts_with("//") {
            kept.push_str(line);
            kept.push('\n');
        }
        is_use &= !line.ends_with(';');
    }
    kept
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
