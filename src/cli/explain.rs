//! `ictus explain`: what a key of a scenario means.

use std::process::ExitCode;

use ictus::scenario::{KEYS, KeyReference};

use super::failure::Failure;
use super::print;

/// Tells a key by its path or name, or all keys of a table.
pub fn explain(key: &str) -> Result<ExitCode, Failure> {
    let key = without_indices(key);
    let found: Vec<&KeyReference> = KEYS.iter().filter(|entry| is_meant(entry, &key)).collect();
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

/// Dotted path of a key.
fn path(entry: &KeyReference) -> String {
    if entry.table.is_empty() { entry.name.to_owned() } else { format!("{}.{}", entry.table, entry.name) }
}

/// Whether a key is asked for by its path, its name alone, or its table.
fn is_meant(entry: &KeyReference, key: &str) -> bool {
    path(entry) == key || entry.name == key || entry.table == key
}

/// `probes.0.filter`, as `--set` takes it, is `probes.filter`.
fn without_indices(key: &str) -> String {
    let parts = key.trim_matches(|c| c == '[' || c == ']').split('.');
    parts.filter(|part| part.parse::<usize>().is_err()).collect::<Vec<_>>().join(".")
}

fn text(entry: &KeyReference) -> String {
    let KeyReference { default, unit, meaning, .. } = entry;
    let unit = if unit.is_empty() { String::new() } else { format!(" [{unit}]") };
    let default = default.map_or("required".to_owned(), |default| format!("default: {default}"));
    format!("{}{unit}\n  {meaning}\n  {default}\n", path(entry))
}

/// The key that is likely meant, by at most one slip in three letters.
fn nearest(key: &str) -> Option<String> {
    let names = KEYS.iter().flat_map(|entry| [path(entry), entry.name.to_owned(), entry.table.to_owned()]);
    let distances = names.map(|name| (strsim::damerau_levenshtein(key, &name), name));
    let near =
        distances.filter(|(distance, name)| !name.is_empty() && *distance <= 1 + key.chars().count() / 3);
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}
