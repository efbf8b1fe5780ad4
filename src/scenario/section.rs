//! From a TOML table to the struct that mirrors it, going on past the first fault.
//!
//! serde stops at the first fault of a table. Here the entry at fault is taken out and the table is read again,
//! until it is read or only a required entry is missing; each fault on the way is a problem, worded for the
//! people who write scenarios.

use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error, ValueDeserializer};

use super::error::{Problem, nearest, suggest};
use super::reference;

/// A table of the file and where it stands.
pub(super) struct Section<'i> {
    /// Table of the key reference it is an instance of, such as `bodies`.
    pub table: &'static str,
    /// Dotted path of this instance, such as `bodies.left`; empty for the top of the file.
    pub path: String,
    /// Its content.
    pub value: Spanned<DeValue<'i>>,
}

impl<'i> Section<'i> {
    /// Dotted path of one of its keys.
    pub fn key(&self, name: &str) -> String {
        join(&self.path, name)
    }

    /// Reads the table as a `T`; `None` if that is not possible.
    pub fn read<T: DeserializeOwned>(mut self, problems: &mut Vec<Problem>) -> Option<T> {
        let mut removed: Vec<String> = Vec::new();
        loop {
            let error = match T::deserialize(ValueDeserializer::from(self.value.clone())) {
                Ok(value) => return removed.is_empty().then_some(value),
                Err(error) => error,
            };
            let missing =
                quoted(error.message()).next().filter(|_| error.message().starts_with("missing field"));
            let already_told = missing.is_some_and(|name| removed.iter().any(|key| key == name));
            let span = error.span().unwrap_or_else(|| self.value.span());
            let place = remove(&mut self.value, &span);
            if !already_told {
                problems.push(self.explain(&error, span, place.as_deref()));
            }
            match place {
                Some(place) => {
                    // A slip of a required key is not a missing key as well.
                    removed.extend(misspelt(error.message()).map(str::to_owned));
                    removed.extend(place.last().cloned());
                }
                None => return None,
            }
        }
    }

    /// A fault in the words of a scenario; `place` is the entry at fault, relative to this table.
    fn explain(&self, error: &Error, span: Range<usize>, place: Option<&[String]>) -> Problem {
        let message = error.message();
        let place = place.unwrap_or_default();
        let key = place.iter().fold(self.path.clone(), |path, name| join(&path, name));
        let mut names = quoted(message);
        if message.starts_with("unknown field") {
            let given = names.next().unwrap_or_default();
            let known: Vec<_> = names.collect();
            let owner = parent(&key);
            return Problem::new(format!("unknown key `{given}` in {}", heading(owner)))
                .at(span)
                .key(key.as_str())
                .help(suggest(given, "known keys", &known));
        }
        if message.starts_with("missing field") {
            let name = names.next().unwrap_or_default();
            let table = place.iter().fold(self.table.to_owned(), |path, part| join(&path, part));
            let help = reference::find(&table, name).map_or(format!("add `{name} = …`"), |entry| {
                format!("add `{name} = …`: {}", entry.meaning_with_unit())
            });
            return Problem::new(format!("missing key `{name}` in {}", heading(&key)))
                .at(span)
                .key(join(&key, name))
                .help(help);
        }
        let problem = Problem::new(mismatch(&key, message)).at(span).key(key.as_str());
        match place.split_last().and_then(|(name, tables)| {
            let table = tables.iter().fold(self.table.to_owned(), |path, part| join(&path, part));
            reference::find(&table, name)
        }) {
            Some(entry) => problem.help(format!("`{}` is {}", entry.name, entry.meaning_with_unit())),
            None => problem,
        }
    }
}

/// The dotted `path` with `name` behind it.
pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.into() } else { format!("{path}.{name}") }
}

fn parent(key: &str) -> &str {
    key.rsplit_once('.').map_or("", |(parent, _)| parent)
}

fn heading(path: &str) -> String {
    if path.is_empty() { "the scenario".into() } else { format!("[{path}]") }
}

/// The words between backticks.
fn quoted(message: &str) -> impl Iterator<Item = &str> {
    message.split('`').skip(1).step_by(2)
}

/// The known key that an unknown one is likely a slip of.
fn misspelt(message: &str) -> Option<&str> {
    let mut names = quoted(message.strip_prefix("unknown field")?);
    let given = names.next()?;
    nearest(given, names)
}

/// serde's “invalid type: FOUND, expected WANTED” and its kin, in plain words.
fn mismatch(key: &str, message: &str) -> String {
    let parts = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "))
        .or_else(|| message.strip_prefix("invalid length "))
        .and_then(|rest| rest.rsplit_once(", expected "));
    let Some((found, wanted)) = parts else { return format!("`{key}`: {message}") };
    let found = match found {
        "sequence" => "a list".into(),
        "map" => "a table".into(),
        count if count.bytes().all(|byte| byte.is_ascii_digit()) => format!("a list of {count}"),
        other => format!("the {}", other.replace("floating point", "number")),
    };
    let wanted = match wanted {
        "f64" => "a number".into(),
        "i64" => "a whole number".into(),
        other => match other.strip_prefix("an array of length ") {
            Some(count) => format!("a list of {count}"),
            None if other.starts_with("struct ") => "a table".into(),
            None => other.replace("a tuple of size ", "a list of "),
        },
    };
    format!("`{key}` is {found}, not {wanted}")
}

/// Takes the innermost entry whose key or value holds `span` out of a table, and gives its path.
fn remove(value: &mut Spanned<DeValue<'_>>, span: &Range<usize>) -> Option<Vec<String>> {
    match value.get_mut() {
        DeValue::Table(table) => remove_from_table(table, span),
        _ => None,
    }
}

fn remove_from_table(table: &mut DeTable<'_>, span: &Range<usize>) -> Option<Vec<String>> {
    let holds = |outer: Range<usize>| outer.start <= span.start && span.end <= outer.end;
    let name = table
        .iter()
        .find(|(key, value)| holds(key.span()) || holds(value.span()))
        .map(|(key, _)| key.get_ref().to_string())?;
    let inner = match table.get_mut(name.as_str()) {
        Some(value) if value.span() != *span => remove(value, span),
        _ => None,
    };
    let mut path = vec![name];
    match inner {
        Some(rest) => path.extend(rest),
        None => {
            table.remove(path[0].as_str());
        }
    }
    Some(path)
}
