//! The tables of the file, split so that each table can be read separately.

use std::ops::Range;

use toml::de::{DeString, DeTable, DeValue};

use crate::error::Problem;
use crate::section::Section;
use crate::spanned::Spanned;

pub(super) struct Tables<'i> {
    pub root: Section<'i>,
    pub time: Option<Section<'i>>,
    pub dynamic_relaxation: Option<Section<'i>>,
    pub materials_file: Option<Spanned<String>>,
    pub materials: Vec<Named<'i>>,
    pub bodies: Vec<Named<'i>>,
    pub walls: Vec<Named<'i>>,
    pub velocities: Vec<Section<'i>>,
    pub boundaries: Vec<Section<'i>>,
    pub loads: Vec<Section<'i>>,
    pub contact: Option<Section<'i>>,
    pub pairs: Vec<Section<'i>>,
    pub probes: Vec<Named<'i>>,
    pub output: Option<Section<'i>>,
}

/// A table and its name. The name is empty if the table gives none.
pub(super) struct Named<'i> {
    pub name: Spanned<String>,
    pub section: Section<'i>,
}

pub(super) fn names(tables: &[Named<'_>]) -> Vec<Spanned<String>> {
    tables.iter().map(|table| table.name.clone()).collect()
}

impl<'i> Tables<'i> {
    /// `None` if there are syntax errors.
    pub fn parse(text: &'i str, problems: &mut Vec<Problem>) -> Option<Self> {
        let root = root(text, problems)?;
        Some(Self::split(root, problems))
    }

    fn split(root: toml::Spanned<DeTable<'i>>, problems: &mut Vec<Problem>) -> Self {
        let table = root.get_ref();
        let mut contact = single(table.get("contact"), "contact", problems);
        let pairs = contact.as_mut().and_then(|section| match section.value.get_mut() {
            DeValue::Table(table) => table.remove("pairs"),
            _ => None,
        });
        let bodies = list(table.get("bodies").cloned(), "bodies", problems);
        let walls = list(table.get("walls").cloned(), "walls", problems);
        let probes = list(table.get("probes").cloned(), "probes", problems);
        let materials_value = table.get("materials");
        let materials_file = materials_value
            .and_then(|value| Some(Spanned::new(value.span(), value.get_ref().as_str()?.to_owned())));
        let materials_value = materials_value.filter(|_| materials_file.is_none()).cloned();
        Self {
            materials: materials(materials_value, problems),
            materials_file,
            time: single(table.get("time"), "time", problems),
            dynamic_relaxation: single(table.get("dynamic_relaxation"), "dynamic_relaxation", problems),
            bodies: bodies.into_iter().map(|section| name(section, "bodies")).collect(),
            walls: walls.into_iter().map(|section| name(section, "walls")).collect(),
            velocities: list(table.get("velocities").cloned(), "velocities", problems),
            boundaries: list(table.get("boundaries").cloned(), "boundaries", problems),
            loads: list(table.get("loads").cloned(), "loads", problems),
            contact,
            pairs: list(pairs, "contact.pairs", problems),
            probes: probes.into_iter().map(|section| name(section, "probes")).collect(),
            output: single(table.get("output"), "output", problems),
            root: Section {
                table: "",
                path: String::new(),
                value: toml::Spanned::new(root.span(), DeValue::Table(root.into_inner())),
            },
        }
    }
}

/// Names of the lists of tables. In the file, each entry of the list `NAME` has its own header `[[NAME]]`.
const LISTS: [&str; 7] = ["bodies", "walls", "velocities", "boundaries", "loads", "contact.pairs", "probes"];

/// Parses a text into its root table. `None` if there are syntax errors.
///
/// Only the first error on a line and the first repetition of a table are reported.
pub(super) fn root<'i>(text: &'i str, problems: &mut Vec<Problem>) -> Option<toml::Spanned<DeTable<'i>>> {
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut lines = Vec::new();
    let mut repeated: Vec<RepeatedTable<'_>> = Vec::new();
    for error in &errors {
        let problem = Problem::new(format!("not TOML: {}", error.message()));
        let Some(span) = error.span() else {
            problems.push(problem);
            continue;
        };
        if error.message() == "duplicate key" {
            if repeated.iter().any(|table| table.content.contains(&span.start)) {
                continue;
            }
            if let Some(table) = RepeatedTable::at(text, span.start) {
                if repeated.iter().all(|other| other.name != table.name) {
                    problems.push(table.problem());
                }
                repeated.push(table);
                continue;
            }
        }
        // A syntax error often causes further errors on its line.
        let line = text.get(..span.start).map_or(0, |before| before.matches('\n').count());
        if !lines.contains(&line) {
            lines.push(line);
            problems.push(problem.at(span));
        }
    }
    errors.is_empty().then_some(root)
}

/// A table that repeats the header of an earlier table. The parser reports its header and its keys as duplicates.
struct RepeatedTable<'t> {
    name: &'t str,
    header: Range<usize>,
    /// Byte range from this header to the next header.
    content: Range<usize>,
}

impl<'t> RepeatedTable<'t> {
    /// Table whose header contains the position `byte`. `None` if the line at `byte` is not a header.
    fn at(text: &'t str, byte: usize) -> Option<Self> {
        let start = text.get(..byte)?.rfind('\n').map_or(0, |end| end + 1);
        let line = text[start..].lines().next()?.trim_end();
        let name = line.trim_start_matches('[').split(']').next()?.trim();
        let is_header = line.starts_with('[') && !name.contains(['{', ',', '=']);
        let end = text[start..].find("\n[").map_or(text.len(), |length| start + length);
        is_header.then_some(Self { name, header: start..start + line.len(), content: start..end })
    }

    fn problem(&self) -> Problem {
        let name = self.name;
        let (fact, help) = if LISTS.contains(&name) {
            (format!("`{name}` is not a list of tables"), format!("write [[{name}]] above each one"))
        } else {
            (format!("[{name}] stands twice"), format!("write all keys of `{name}` below one [{name}]"))
        };
        Problem::new(fact).at(self.header.clone()).key(name).help(help)
    }
}

/// A table that should occur once. If the file has a list instead, reports it and returns its first table.
fn single<'i>(
    value: Option<&toml::Spanned<DeValue<'i>>>,
    table: &'static str,
    problems: &mut Vec<Problem>,
) -> Option<Section<'i>> {
    let mut value = value?;
    if let DeValue::Array(tables) = value.get_ref()
        && let Some(first) = tables.iter().find(|entry| matches!(entry.get_ref(), DeValue::Table(_)))
    {
        let problem = Problem::new(format!("`{table}` is a list of tables, not a table")).at(value.span());
        problems.push(problem.key(table).help(format!("write [{table}] above it, once")));
        value = first;
    }
    Some(Section { table, path: table.into(), value: value.clone() })
}

/// The entries of a list of tables. The path of each entry contains the index of the entry.
fn list<'i>(
    value: Option<toml::Spanned<DeValue<'i>>>,
    table: &'static str,
    problems: &mut Vec<Problem>,
) -> Vec<Section<'i>> {
    let Some(value) = value else { return Vec::new() };
    let span = value.span();
    let entries: Vec<_> = match value.into_inner() {
        DeValue::Array(array) => array.into_iter().collect(),
        other => {
            let problem = Problem::new(format!("`{table}` is not a list of tables"));
            problems
                .push(problem.at(span.clone()).key(table).help(format!("write [[{table}]] above each one")));
            intended_entries(toml::Spanned::new(span, other))
        }
    };
    let section = |(index, value)| Section { table, path: format!("{table}.{index}"), value };
    entries.into_iter().enumerate().map(section).collect()
}

/// The entries meant by `[TABLE]` or `[TABLE.NAME]` in place of `[[TABLE]]`.
///
/// In spite of the wrong header, the entries are read, so that other tables can refer to their names.
fn intended_entries<'i>(value: toml::Spanned<DeValue<'i>>) -> Vec<toml::Spanned<DeValue<'i>>> {
    let DeValue::Table(table) = value.get_ref() else { return Vec::new() };
    let is_table = |value: &toml::Spanned<DeValue<'_>>| matches!(value.get_ref(), DeValue::Table(_));
    if table.contains_key("name") || !table.values().all(is_table) {
        return vec![value];
    }
    let named = |(key, value): (&toml::Spanned<DeString<'i>>, &toml::Spanned<DeValue<'i>>)| {
        let mut entry = value.clone();
        if let DeValue::Table(keys) = entry.get_mut() {
            let name = toml::Spanned::new(key.span(), DeValue::String(key.get_ref().clone()));
            keys.entry(toml::Spanned::new(key.span(), "name".into())).or_insert(name);
        }
        entry
    };
    table.iter().map(named).collect()
}

/// The entries of `[materials]`, in file order.
pub(super) fn materials<'i>(
    value: Option<toml::Spanned<DeValue<'i>>>,
    problems: &mut Vec<Problem>,
) -> Vec<Named<'i>> {
    let Some(value) = value else { return Vec::new() };
    let span = value.span();
    let DeValue::Table(table) = value.into_inner() else {
        let problem = Problem::new("`materials` is not a table").at(span).key("materials");
        problems.push(problem.help("write [materials.NAME] above each one, or `materials = \"FILE\"`"));
        return Vec::new();
    };
    let mut materials: Vec<_> = table
        .into_iter()
        .map(|(key, value)| {
            let name = Spanned::new(key.span(), key.into_inner().into_owned());
            let path = format!("materials.{}", name.get_ref());
            Named { name, section: Section { table: "materials", path, value } }
        })
        .collect();
    materials.sort_by_key(|material| material.name.span().start);
    materials
}

/// The entry with its name. The name replaces the index in the path.
fn name<'i>(mut section: Section<'i>, table: &str) -> Named<'i> {
    let value = match section.value.get_ref() {
        DeValue::Table(table) => table.get("name"),
        _ => None,
    };
    let name = value.and_then(|value| Some(Spanned::new(value.span(), value.get_ref().as_str()?.to_owned())));
    let name = name.unwrap_or_else(|| Spanned::new(section.value.span(), String::new()));
    if !name.get_ref().is_empty() {
        section.path = format!("{table}.{}", name.get_ref());
    }
    Named { name, section }
}
