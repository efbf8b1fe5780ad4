//! Reads a TOML table into its struct, and continues after the first fault.
//!
//! serde stops at the first fault of a table. [`Section`] then removes the faulty entry and reads the table again,
//! until reading succeeds or the table lacks a required entry. A nested table that lacks a required entry is itself a
//! faulty entry.

use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error, ValueDeserializer};

use super::error::{Problem, nearest, suggest};
use super::reference::{self, KeyReference};

pub(super) struct Section<'i> {
    /// Name in the key reference, such as `bodies`.
    pub table: &'static str,
    /// Dotted path in the file, such as `bodies.left`; empty for the top level.
    pub path: String,
    pub value: Spanned<DeValue<'i>>,
}

impl<'i> Section<'i> {
    pub fn key(&self, name: &str) -> String {
        join(&self.path, name)
    }

    /// Reads the table and reports its faults. `None` if it has any.
    pub fn read<T: DeserializeOwned>(self, problems: &mut Vec<Problem>) -> Option<T> {
        let before = problems.len();
        let value = self.read_sound_part(problems);
        value.filter(|_| problems.len() == before)
    }

    /// Reads the table without its faulty entries. `None` if a required entry is missing or faulty. Use only for tables
    /// in which no entry depends on another.
    pub fn read_sound_part<T: DeserializeOwned>(mut self, problems: &mut Vec<Problem>) -> Option<T> {
        let mut reported: Vec<String> = Vec::new();
        loop {
            let error = match T::deserialize(ValueDeserializer::from(self.value.clone())) {
                Ok(value) => return Some(value),
                Err(error) => error,
            };
            let fault = Fault::of(&error);
            let span = error.span().unwrap_or_else(|| self.value.span());
            let place = remove(&mut self.value, &span);
            if !matches!(fault, Fault::Missing(name) if reported.iter().any(|key| key == name)) {
                problems.push(self.explain(&fault, span, place.as_deref().unwrap_or_default()));
            }
            reported.extend(place?.pop());
            if let Fault::Unknown { given, known } = &fault {
                // If a required key is misspelt, the correct key is not reported as missing, too.
                reported.extend(nearest(given, known.iter().copied()).map(str::to_owned));
            }
        }
    }

    /// `place` is the path of the faulty entry within this table.
    fn explain(&self, fault: &Fault<'_>, span: Range<usize>, place: &[String]) -> Problem {
        let key = join_all(&self.path, place);
        let table = |place: &[String]| join_all(self.table, place);
        let (name, parents) = place.split_last().map_or(("", place), |(name, rest)| (name.as_str(), rest));
        let (message, key, help) = match fault {
            Fault::Unknown { given, known } => {
                let owner = heading(&join_all(&self.path, parents));
                let help = suggest(given, "known keys", known);
                (format!("unknown key `{given}` in {owner}"), key, Some(help))
            }
            Fault::Missing(name) => {
                let meaning = reference::find(&table(place), name).map(KeyReference::meaning_with_unit);
                let help =
                    format!("add `{name} = …`{}", meaning.map_or(String::new(), |text| format!(": {text}")));
                (format!("missing key `{name}` in {}", heading(&key)), join(&key, name), Some(help))
            }
            Fault::Mismatch(message) => {
                let entry = reference::find(&table(parents), name);
                let help = entry.map(|entry| format!("`{name}`: {}", entry.meaning_with_unit()));
                (mismatch(&key, message), key, help)
            }
        };
        let problem = Problem::new(message).at(span).key(key);
        match help {
            Some(help) => problem.help(help),
            None => problem,
        }
    }
}

enum Fault<'e> {
    Unknown { given: &'e str, known: Vec<&'e str> },
    Missing(&'e str),
    Mismatch(&'e str),
}

impl<'e> Fault<'e> {
    /// Kind of a fault, from serde's message. The first name in backticks is the unknown or missing key. After an
    /// unknown key, the other names are the known keys.
    fn of(error: &'e Error) -> Self {
        let message = error.message();
        let mut names = message.split('`').skip(1).step_by(2);
        if message.starts_with("unknown field") {
            Self::Unknown { given: names.next().unwrap_or_default(), known: names.collect() }
        } else if message.starts_with("missing field") {
            Self::Missing(names.next().unwrap_or_default())
        } else {
            Self::Mismatch(message)
        }
    }
}

pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.into() } else { format!("{path}.{name}") }
}

fn join_all(path: &str, names: &[String]) -> String {
    names.iter().fold(path.to_owned(), |path, name| join(&path, name))
}

fn heading(path: &str) -> String {
    if path.is_empty() { "the scenario".into() } else { format!("[{path}]") }
}

/// Rewords serde's “invalid type: FOUND, expected WANTED” and similar messages.
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
        "a boolean" => "true or false".into(),
        "a sequence" => "a list".into(),
        other => match other.strip_prefix("an array of length ") {
            Some(count) => format!("a list of {count}"),
            None if other.starts_with("struct ") => "a table".into(),
            None => other.replace("a tuple of size ", "a list of "),
        },
    };
    format!("`{key}` is {found}, not {wanted}")
}

/// Removes the innermost entry whose key or value contains `span`, and returns its path. `None` if no entry contains
/// `span`.
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
