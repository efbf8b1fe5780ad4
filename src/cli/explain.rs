//! `ictus explain`: reference of the keys of a scenario.

use std::process::ExitCode;

use ictus::scenario::{KEYS, KeyReference};

use super::failure::Failure;
use super::print;

/// Words with fewer letters are not searched for in the names, meanings and defaults of the keys.
const FEWEST_LETTERS: usize = 3;

/// Prints the keys whose path (`TABLE.NAME`), name or table is `key`. If no table is named `key`, also prints the keys
/// with a word in their name, meaning or default that begins with `key`.
pub fn explain(key: &str) -> Result<ExitCode, Failure> {
    let key = without_indices(key);
    let (mut found, others): (Vec<&KeyReference>, Vec<_>) =
        KEYS.iter().partition(|entry| is_meant(entry, &key));
    let is_table = found.iter().any(|entry| entry.table == key);
    if !is_table && key.chars().count() >= FEWEST_LETTERS {
        found.extend(others.into_iter().filter(|entry| mentions(entry, &key)));
    }
    if found.is_empty() {
        let near = nearest(&key).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        return Err(Failure::Usage {
            fact: format!("no scenario has a key or table `{key}`{near}"),
            help: "give a key such as `time.step` or `friction`, or a table such as `contact`",
        });
    }
    let texts: Vec<String> = found.into_iter().map(text).collect();
    print::text(&texts.join("\n"));
    Ok(ExitCode::SUCCESS)
}

/// For example, `time.step`.
fn path(entry: &KeyReference) -> String {
    if entry.table.is_empty() { entry.name.to_owned() } else { format!("{}.{}", entry.table, entry.name) }
}

fn is_meant(entry: &KeyReference, key: &str) -> bool {
    path(entry) == key || entry.name == key || entry.table == key
}

/// Whether a word of an entry begins with `word`, without regard to case.
fn mentions(entry: &KeyReference, word: &str) -> bool {
    let word = word.to_lowercase();
    let texts = [entry.name, &entry.meaning(), entry.default.unwrap_or_default()];
    let mut words = texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    words.any(|other| other.to_lowercase().starts_with(&word))
}

/// For example, the key `probes.0.filter` of `--set` becomes `probes.filter`.
fn without_indices(key: &str) -> String {
    let parts = key.trim_matches(|c| c == '[' || c == ']').split('.');
    parts.filter(|part| part.parse::<usize>().is_err()).collect::<Vec<_>>().join(".")
}

fn text(entry: &KeyReference) -> String {
    let KeyReference { default, unit, .. } = entry;
    let unit = if unit.is_empty() { String::new() } else { format!(" [{unit}]") };
    let default = default.map_or("required".to_owned(), |default| format!("default: {default}"));
    format!("{}{unit}\n  {}\n  {default}\n", path(entry), entry.meaning())
}

/// Nearest key or table within an edit distance of 1 + n/3, where n is the number of letters of `key`.
fn nearest(key: &str) -> Option<String> {
    let names = KEYS.iter().flat_map(|entry| [path(entry), entry.name.to_owned(), entry.table.to_owned()]);
    let distances = names.map(|name| (strsim::damerau_levenshtein(key, &name), name));
    let near =
        distances.filter(|(distance, name)| !name.is_empty() && *distance <= 1 + key.chars().count() / 3);
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}
