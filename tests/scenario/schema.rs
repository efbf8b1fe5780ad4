//! The JSON Schema accepts what the reader accepts, and refuses misspelt keys and wrong types.

use std::fs;

use serde_json::{Value, json};

use super::*;

fn validator() -> jsonschema::Validator {
    jsonschema::validator_for(&json_schema()).unwrap()
}

/// A TOML text as JSON.
fn as_json(text: &str) -> Value {
    toml::from_str(text).unwrap()
}

/// All scenarios of the repository and of these tests match the schema. The schema is valid under draft 7 of JSON
/// Schema.
#[test]
fn scenarios_match_the_schema() {
    assert!(jsonschema::draft7::meta::is_valid(&json_schema()));
    let validator = validator();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for folder in ["configs", "tests/data/scenario"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "toml")
                || path.ends_with("materials.toml")
            {
                continue;
            }
            let document = as_json(&fs::read_to_string(&path).unwrap());
            let faults: Vec<String> = validator
                .iter_errors(&document)
                .map(|fault| format!("{}: {fault}", fault.instance_path()))
                .collect();
            assert!(faults.is_empty(), "{}: {faults:#?}", path.display());
            count += 1;
        }
    }
    assert!(count > 9, "{count} scenarios");
}

/// The schema contains each key of the reference with its meaning.
#[test]
fn the_schema_explains_every_key() {
    let text = json_schema().to_string();
    for key in KEYS {
        let meaning = Value::from(key.meaning()).to_string();
        let meaning = meaning.trim_matches('"');
        assert!(text.contains(meaning), "{}.{}", key.table, key.name);
    }
}

#[test]
fn parameters_and_files_match_the_schema() {
    let validator = validator();
    let text = "materials = \"materials.toml\"\ngravity = [0, \"=g\", \"-9.81*t\"]\n[parameters]\ng = 1\n\
                [time]\nend = \"=g\"\n[output]\nframes = \"=3*2\"\n[contact]\nstiffness = \"segment\"\nfriction = \"=g/2\"\n";
    assert!(validator.is_valid(&as_json(text)), "{:?}", validator.iter_errors(&as_json(text)).next());
}

#[test]
fn faults_do_not_match_the_schema() {
    let validator = validator();
    let good = as_json(&text("full.toml"));
    for (pointer, value) in [
        ("/time/end", json!("soon")),
        ("/time/step", json!("automatic")),
        ("/gravity", json!([0, 1])),
        ("/bodies/0/velocity", json!(["fast", 0, 0])),
        ("/bodies/0/mesh", json!(3)),
        ("/bodies/0/contact", json!(true)),
        ("/contact/resolve_impact", json!("yes")),
        ("/contact/friction", json!({ "static": 0.3 })),
        ("/materials/steel/density", json!([1])),
        ("/loads/0/pressure", json!([[0, 1, 2]])),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer.rsplit_once('/').unwrap().0).unwrap() = {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            let mut parent =
                if parent.is_empty() { good.clone() } else { good.pointer(parent).unwrap().clone() };
            parent[key] = value;
            parent
        };
        assert!(!validator.is_valid(&bad), "{pointer}");
    }
    for table in ["", "/time", "/bodies/0", "/contact", "/contact/pairs/0", "/materials/steel", "/output"] {
        let mut bad = good.clone();
        bad.pointer_mut(table).unwrap()["misspelt"] = json!(1);
        assert!(!validator.is_valid(&bad), "{table}");
    }
}
