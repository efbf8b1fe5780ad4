//! `--set KEY=VALUE`: changes of the text of a scenario before the text is read and checked.

use std::iter::repeat_n;

use toml_edit::{DocumentMut, Item, Key, Table, Value};

use super::error::{Problem, suggest};

/// `text` with the `overrides` applied. If `text` is not TOML, it stays unchanged; the syntax error is reported later,
/// when the tables are read.
pub(super) fn apply(text: &str, overrides: &[String]) -> Result<String, Vec<Problem>> {
    if overrides.is_empty() {
        return Ok(text.into());
    }
    let Ok(mut document) = text.parse::<DocumentMut>() else { return Ok(text.into()) };
    let problems: Vec<_> =
        overrides.iter().filter_map(|text| set(document.as_item_mut(), text).err()).collect();
    if problems.is_empty() { Ok(document.to_string()) } else { Err(problems) }
}

/// Converts the spans of problems from `changed`, the text after the overrides, to `file`, the text before them.
///
/// If an override wrote the line of a problem, the problem loses its span and its message mentions `--set`.
pub(super) fn relocate(problems: Vec<Problem>, changed: &str, file: &str) -> Vec<Problem> {
    if changed == file {
        return problems;
    }
    let origins = line_origins(changed, file);
    let relocate = |mut problem: Problem| {
        let Some(span) = problem.span.take() else { return problem };
        let (line, column) = position(changed, span.start);
        match origins.get(line).copied().flatten() {
            Some(origin) => {
                let start = file.split_inclusive('\n').take(origin).map(str::len).sum::<usize>() + column;
                problem.at(start..(start + span.len()).min(file.len()))
            }
            None => Problem { message: problem.message + " (from `--set`)", ..problem },
        }
    };
    problems.into_iter().map(relocate).collect()
}

/// Line and column of `byte`, both counted from 0. The column is in bytes.
fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..byte.min(text.len())];
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    (before.iter().filter(|&&byte| byte == b'\n').count(), before.len() - line_start)
}

/// For each line of `changed`, the index of this line in `file`. `None` for a line that an override has written.
fn line_origins(changed: &str, file: &str) -> Vec<Option<usize>> {
    let [changed, file] = [changed, file].map(|text| text.lines().collect::<Vec<_>>());
    let mut origins = Vec::with_capacity(changed.len());
    let mut next = 0;
    while origins.len() < changed.len() {
        let (written, removed) = lines_before_match(&changed[origins.len()..], &file[next..]);
        origins.extend(repeat_n(None, written));
        next += removed;
        if origins.len() < changed.len() {
            origins.push(Some(next));
            next += 1;
        }
    }
    origins
}

/// Number of lines of `changed` and number of lines of `file` before their next common line. Of several common lines,
/// the one with the smallest sum of the two numbers is the next. Without a common line, all lines count.
fn lines_before_match(changed: &[&str], file: &[&str]) -> (usize, usize) {
    let all = (changed.len(), file.len());
    let skips =
        (0..all.0 + all.1).flat_map(|total| (0..=total).map(move |written| (written, total - written)));
    let is_match = |&(written, removed): &(usize, usize)| {
        written < all.0 && removed < all.1 && changed[written] == file[removed]
    };
    skips.into_iter().find(is_match).unwrap_or(all)
}

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

/// Parts of `text` before and after the first `=` outside quotes.
fn split(text: &str) -> Option<(&str, &str)> {
    let (mut quote, mut escaped) = (None, false);
    for (place, character) in text.char_indices() {
        match (quote, character) {
            (None, '=') => return Some((&text[..place], &text[place + 1..])),
            (None, '"' | '\'') => quote = Some(character),
            // A backslash escapes in double quotes only.
            (Some('"'), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(open), _) if open == character && !escaped => quote = None,
            _ => {}
        }
        escaped = false;
    }
    // The key before an `=` inside quotes has an open quote; the parser of the key reports it.
    text.split_once('=')
}

/// A text that is not a TOML value becomes a string.
fn parse_value(text: &str) -> Value {
    text.parse().unwrap_or_else(|_| Value::from(text))
}

/// The part of `item` that `segment` selects. In a table, `segment` is a key, and a missing key is added with an empty
/// table. In a list of tables, `segment` is an index or the `name` of an entry.
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

/// An empty table. Its header, such as `[contact]`, is written only if the table gets keys other than tables.
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

/// Tables with mutually exclusive keys, and these keys. An override of one key removes the others.
const ALTERNATIVES: [(&str, &[&str]); 1] = [("output", &["frames", "interval", "times"])];

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
