//! JSON Schema of a scenario, for completion and checks in editors.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::raw::{self, Friction, Function, Names, Step, Stiffness, Surface};
use super::reference;

/// The top level of a scenario.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Document {
    title: Option<String>,
    units: Option<String>,
    gravity: Option<[Function; 3]>,
    parameters: Option<BTreeMap<String, f64>>,
    time: raw::Time,
    dynamic_relaxation: Option<raw::DynamicRelaxation>,
    materials: Option<Materials>,
    bodies: Option<Vec<raw::Body>>,
    walls: Option<Vec<raw::Wall>>,
    velocities: Option<Vec<raw::Velocity>>,
    boundaries: Option<Vec<raw::Boundary>>,
    loads: Option<Vec<raw::Load>>,
    contact: Option<raw::Contact>,
    probes: Option<Vec<raw::Probe>>,
    output: Option<raw::Output>,
}

/// `materials`: the name of a file, or one table per material.
struct Materials;

/// `[materials.NAME]`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Material {
    model: String,
    density: Option<f64>,
    young: Option<f64>,
    poisson: Option<f64>,
}

/// JSON Schema (draft 7) of a scenario: keys with their types, meanings and defaults.
///
/// The schema checks no ranges, no references to materials, bodies and groups, and few of the words that a key allows.
/// [`Scenario::parse`](super::Scenario::parse) checks all of them.
pub fn json_schema() -> Value {
    let mut generator = SchemaSettings::draft07().into_generator();
    let pair = generator.subschema_for::<raw::Pair>();
    let mut schema = generator.into_root_schema_for::<Document>().to_value();
    schema["title"] = json!("ictus scenario");
    let contact = &mut schema["definitions"]["Contact"]["properties"];
    contact["pairs"] = json!({ "type": "array", "items": pair });
    for (definition, table) in TABLES {
        let place = if definition.is_empty() { &mut schema } else { &mut schema["definitions"][definition] };
        if let Some(properties) = place["properties"].as_object_mut() {
            properties.iter_mut().for_each(|(name, property)| describe(property, table, name));
        }
    }
    relax(&mut schema);
    schema
}

/// Pairs of a definition in the schema and the table of the key reference that describes its keys. Both names are empty
/// for the top level.
const TABLES: [(&str, &str); 19] = [
    ("", ""),
    ("Time", "time"),
    ("DynamicRelaxation", "dynamic_relaxation"),
    ("Material", "materials"),
    ("Body", "bodies"),
    ("Rotate", "bodies.rotate"),
    ("Wall", "walls"),
    ("Velocity", "velocities"),
    ("Boundary", "boundaries"),
    ("Components", "boundaries.displacement"),
    ("Turning", "boundaries.rotation"),
    ("Load", "loads"),
    ("Contact", "contact"),
    ("Pair", "contact.pairs"),
    ("FrictionTable", "contact.friction"),
    ("Probe", "probes"),
    ("Output", "output"),
    ("Checkpoint", "output.checkpoint"),
    ("History", "output.history"),
];

/// Adds the meaning and default of a key from the key reference.
fn describe(property: &mut Value, table: &str, name: &str) {
    let Some(entry) = reference::find(table, name) else { return };
    let default = entry.default.map_or(String::new(), |default| format!("; default: {default}"));
    let text = format!("{}{default}", entry.meaning_with_unit());
    if let Some(reference) = property.get("$ref").cloned() {
        // JSON Schema draft 7 ignores all keys beside `$ref`.
        *property = json!({ "allOf": [{ "$ref": reference }] });
    }
    property["description"] = Value::String(text);
}

/// Allows `"=2*v"` in place of each number, and removes `null`, which TOML does not have.
fn relax(value: &mut Value) {
    match value {
        Value::Array(values) => {
            values.retain(|value| *value != json!({ "type": "null" }));
            values.iter_mut().for_each(relax);
        }
        Value::Object(object) => {
            relax_type(object);
            object.values_mut().for_each(relax);
        }
        _ => {}
    }
}

fn relax_type(object: &mut Map<String, Value>) {
    object.remove("format");
    let types: Vec<&str> = match object.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return,
    };
    let mut kinds: Vec<Value> =
        types.iter().filter(|kind| **kind != "null").map(|&kind| json!(kind)).collect();
    let is_number = types.iter().any(|kind| ["number", "integer"].contains(kind));
    if is_number && !types.contains(&"string") {
        kinds.push(json!("string"));
        object.insert("pattern".into(), json!("^="));
    }
    let kind = if kinds.len() == 1 { kinds.swap_remove(0) } else { Value::Array(kinds) };
    object.insert("type".into(), kind);
}

/// Schema of a type whose values have alternative forms. The expression `$schema` gives the list of their schemas.
macro_rules! schema_of {
    ($type:ident, $generator:ident => $schema:expr) => {
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                let schema = $schema;
                json_schema!({ "anyOf": schema })
            }
        }
    };
}

schema_of!(Step, _generator => json!([{ "type": "number" }, { "const": "auto" }]));
schema_of!(Stiffness, _generator => json!([{ "type": "number" }, { "enum": ["mass", "segment"] }]));
schema_of!(Names, _generator => json!([{ "type": "string" }, { "type": "array", "items": { "type": "string" } }]));
schema_of!(Surface, generator => json!([{ "const": false }, generator.subschema_for::<Names>()]));
schema_of!(Friction, generator => json!([{ "type": "number" }, generator.subschema_for::<raw::FrictionTable>()]));
schema_of!(Function, generator => {
    json!([{ "type": "number" }, { "type": "string" }, generator.subschema_for::<Vec<[f64; 2]>>()])
});
schema_of!(Materials, generator => {
    json!([{ "type": "string" }, generator.subschema_for::<BTreeMap<String, Material>>()])
});
