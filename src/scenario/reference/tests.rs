use std::fmt;
use std::path::Path;

use serde::de::value::Error;
use serde::de::{DeserializeOwned, Deserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::*;
use crate::scenario::{Scenario, raw};

/// Asks a type which fields it reads.
struct Fields<'a>(&'a mut Vec<&'static str>);

impl<'de> Deserializer<'de> for Fields<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(serde::de::Error::custom("only the fields are wanted"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.extend(fields);
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

fn fields<T: DeserializeOwned + fmt::Debug>() -> Vec<&'static str> {
    let mut fields = Vec::new();
    T::deserialize(Fields(&mut fields)).unwrap_err();
    fields
}

#[test]
fn the_keys_are_those_that_the_types_read() {
    let tables = ["time", "materials", "bodies", "walls", "boundaries", "loads", "contact", "output"];
    let mut head = fields::<raw::Root>();
    head.retain(|name| !tables.contains(name));
    assert_eq!(head.len() + tables.len(), fields::<raw::Root>().len());
    let read = [
        ("", head),
        ("time", fields::<raw::Time>()),
        // `model` and the pairs are read apart from the rest of their tables.
        ("materials", [vec!["model"], fields::<raw::Elastic>()].concat()),
        ("bodies", fields::<raw::Body>()),
        ("bodies.rotate", fields::<raw::Rotate>()),
        ("walls", fields::<raw::Wall>()),
        ("boundaries", fields::<raw::Boundary>()),
        ("boundaries.displacement", fields::<raw::Components>()),
        ("loads", fields::<raw::Load>()),
        ("contact", fields::<raw::Contact>()),
        ("contact.pairs", fields::<raw::Pair>()),
        ("contact.friction", fields::<raw::FrictionTable>()),
        ("output", fields::<raw::Output>()),
        ("output.history", fields::<raw::History>()),
    ];
    for (table, names) in &read {
        let described: Vec<_> = KEYS.iter().filter(|key| key.table == *table).map(|key| key.name).collect();
        assert_eq!(&described, names, "[{table}]");
    }
    assert!(KEYS.iter().all(|key| read.iter().any(|(table, _)| *table == key.table)));
    assert!(fields::<raw::Rigid>().iter().all(|name| find("materials", name).is_some()));
}

/// One instance of every table, where the keys that are not required are left out.
const BARE: &str = "
    [time]
    end = 2.0
    [materials.steel]
    model = 'rigid'
    density = 1.0
    [[bodies]]
    name = 'a'
    mesh = 'bar.msh'
    material = 'steel'
    [[walls]]
    name = 'floor'
    point = [0, 0, -9]
    normal = [0, 0, 1]
    [[boundaries]]
    body = 'a'
    fix = ['x']
    [[loads]]
    body = 'a'
    pressure = 1
    [contact]
    [[contact.pairs]]
    between = ['a', 'floor']
    [output]
";

fn bare(overrides: &[String]) -> Scenario {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scenario/bare.toml");
    Scenario::parse(BARE, &path, overrides).unwrap()
}

/// Everything that a scenario says, but for the text it says it in and the places there.
fn meaning(mut scenario: Scenario) -> String {
    scenario.source.clear();
    scenario.contact.closest_point.span = 0..0;
    scenario.bodies.iter_mut().for_each(|body| body.mesh.span = 0..0);
    let components = scenario.boundaries.iter_mut().flat_map(|boundary| &mut boundary.components);
    components.for_each(|component| component.span = 0..0);
    format!("{scenario:?}")
}

#[test]
fn a_default_written_out_changes_nothing() {
    let expected = meaning(bare(&[]));
    let mut tried = 0;
    for key in KEYS {
        let Some(default) = key.default else { continue };
        let default = default.replace("end/200", "0.01").replace("end/1000", "0.002");
        if default.parse::<toml_edit::Value>().is_err() {
            continue;
        }
        tried += 1;
        let table = match key.table {
            "" => String::new(),
            "bodies" | "walls" | "boundaries" | "loads" | "contact.pairs" => format!("{}.0.", key.table),
            table => format!("{table}."),
        };
        let text = format!("{table}{}={default}", key.name);
        assert_eq!(meaning(bare(std::slice::from_ref(&text))), expected, "{text}");
    }
    assert!(tried >= 23, "only {tried} defaults could be written out");
}

#[test]
fn another_value_than_the_default_changes_something() {
    let expected = meaning(bare(&[]));
    for text in
        ["time.safety=0.7", "contact.start=centre", "output.frames=61", "output.history.interval=0.001"]
    {
        assert_ne!(meaning(bare(&[text.into()])), expected, "{text}");
    }
}

#[test]
fn the_markdown_has_a_row_for_every_key() {
    let markdown = reference_markdown();
    let rows = markdown.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(rows, KEYS.len());
    assert!(markdown.contains("| `safety` | `0.8` | - | fraction of the critical step, in (0, 1] |"));
    assert!(markdown.contains("**`[[contact.pairs]]`**"));
}
