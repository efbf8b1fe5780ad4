//! `--set KEY=VALUE`: edits the text of a scenario before it is read, so that a value from the command line is
//! checked, and shown in messages, like one from the file.

use toml_edit::{DocumentMut, Item, Key, Table, Value};

use super::error::{Problem, suggest};

/// `text` with `overrides` applied; as it is where it cannot be parsed, for the reader to say why.
pub(super) fn apply(text: &str, overrides: &[String]) -> Result<String, Vec<Problem>> {
    if overrides.is_empty() {
        return Ok(text.into());
    }
    let Ok(mut document) = text.parse::<DocumentMut>() else { return Ok(text.into()) };
    let problems: Vec<_> =
        overrides.iter().filter_map(|text| set(document.as_item_mut(), text).err()).collect();
    if problems.is_empty() { Ok(document.to_string()) } else { Err(problems) }
}

/// Applies one override.
fn set(root: &mut Item, text: &str) -> Result<(), Problem> {
    const FORM: &str = "write KEY=VALUE, as in time.end=1.0 or bodies.left.velocity=[1, 0, 0]";
    let Some((key, value)) = split(text) else {
        return Err(Problem::new(format!("override `{text}` has no `=`")).help(FORM));
    };
    let path = Key::parse(key.trim()).map_err(|error| {
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default().trim();
        Problem::new(format!("override `{text}` has the invalid key `{key}`: {reason}")).help(FORM)
    })?;
    let Some((last, tables)) = path.split_last() else {
        return Err(Problem::new(format!("override `{text}` has no key")).help(FORM));
    };
    let mut item = root;
    for (depth, segment) in tables.iter().enumerate() {
        item = descend(item, segment.get(), &dotted(&path[..depth]), text)?;
    }
    replace(item, last.get(), parse_value(value.trim()), &dotted(tables), text)
}

/// Key and value: what is before and after the first `=` that is in no quoted part of the key.
fn split(text: &str) -> Option<(&str, &str)> {
    let (mut quote, mut escaped) = (None, false);
    for (place, character) in text.char_indices() {
        match (quote, character) {
            (None, '=') => return Some((&text[..place], &text[place + 1..])),
            (None, '"' | '\'') => quote = Some(character),
            // A backslash says something in double quotes only.
            (Some('"'), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(open), _) if open == character && !escaped => quote = None,
            _ => {}
        }
        escaped = false;
    }
    // A quote that is not closed is told with its key.
    text.split_once('=')
}

/// The value as TOML, or as text where it is not TOML.
fn parse_value(text: &str) -> Value {
    text.parse().unwrap_or_else(|_| Value::from(text))
}

/// The item that `segment` names in `item`: a key, or an index or the `name` of an entry of a list.
fn descend<'a>(item: &'a mut Item, segment: &str, path: &str, text: &str) -> Result<&'a mut Item, Problem> {
    if let Item::ArrayOfTables(_) = item {
        let index = entry_index(item, segment, path, text)?;
        return match item.get_mut(index) {
            Some(entry) => Ok(entry),
            None => Err(not_a_table(path, text)),
        };
    }
    match item.as_table_like_mut() {
        Some(table) => {
            let absent = || Item::Table(implicit_table());
            Ok(table.entry(segment).or_insert_with(absent))
        }
        None => Err(not_a_table(path, text)),
    }
}

/// A table that is written without a header of its own where it only holds tables.
fn implicit_table() -> Table {
    let mut table = Table::new();
    table.set_implicit(true);
    table
}

fn entry_index(list: &Item, segment: &str, path: &str, text: &str) -> Result<usize, Problem> {
    let tables = list.as_array_of_tables();
    let names: Vec<&str> = tables
        .into_iter()
        .flatten()
        .map(|entry| entry.get("name").and_then(Item::as_str).unwrap_or_default())
        .collect();
    if let Some(index) = names.iter().position(|name| *name == segment) {
        return Ok(index);
    }
    match segment.parse::<usize>() {
        Ok(index) if index < names.len() => Ok(index),
        Ok(index) => Err(Problem::new(format!("override `{text}`: `{path}` has no entry {index}"))
            .help(format!("it has {}, counted from 0", names.len()))),
        Err(_) => {
            let named: Vec<_> = names.into_iter().filter(|name| !name.is_empty()).collect();
            Err(Problem::new(format!("override `{text}`: `{path}` has no entry named `{segment}`"))
                .help(suggest(segment, "entries by name", &named)))
        }
    }
}

/// Keys of a table of which a scenario gives one: setting one takes the place of the others.
const ALTERNATIVES: [(&str, &[&str]); 1] = [("output", &["frames", "interval", "times"])];

/// Puts `value` under `name`, in place of what stands there or says the same in another way.
fn replace(item: &mut Item, name: &str, mut value: Value, path: &str, text: &str) -> Result<(), Problem> {
    let Some(table) = item.as_table_like_mut() else { return Err(not_a_table(path, text)) };
    if let Some(old) = table.get(name).and_then(Item::as_value) {
        *value.decor_mut() = old.decor().clone();
    }
    let alternatives = ALTERNATIVES.iter().filter(|(table, keys)| *table == path && keys.contains(&name));
    for other in alternatives.flat_map(|(_, keys)| *keys).filter(|other| **other != name) {
        table.remove(other);
    }
    table.insert(name, Item::Value(value));
    Ok(())
}

fn not_a_table(path: &str, text: &str) -> Problem {
    let problem = Problem::new(format!("override `{text}`: `{path}` is not a table"));
    problem
        .help("an entry of a list is named by its index, from 0, or by its name: bodies.0.velocity=[1, 0, 0]")
}

fn dotted(path: &[Key]) -> String {
    path.iter().map(Key::get).collect::<Vec<_>>().join(".")
}
