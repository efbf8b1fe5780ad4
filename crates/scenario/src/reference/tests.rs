use std::fmt;
use std::path::Path;

use serde::de::value::Error;
use serde::de::{DeserializeOwned, Deserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::*;
use crate::{Scenario, raw};

/// Deserializer that collects the names of the fields of a struct.
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
fn keys_are_those_read_by_the_types() {
    let tables = [
        "parameters",
        "time",
        "dynamic_relaxation",
        "materials",
        "bodies",
        "walls",
        "velocities",
        "boundaries",
        "loads",
        "contact",
        "probes",
        "output",
    ];
    let mut head = fields::<raw::Root>();
    head.retain(|name| !tables.contains(name));
    assert_eq!(head.len() + tables.len(), fields::<raw::Root>().len());
    let read = [
        ("", head),
        ("time", fields::<raw::Time>()),
        ("dynamic_relaxation", fields::<raw::DynamicRelaxation>()),
        // The table of a material is read without `model`, because `model` is read separately.
        ("materials", [vec!["model"], fields::<raw::Elastic>()].concat()),
        ("bodies", fields::<raw::Body>()),
        ("bodies.rotate", fields::<raw::Rotate>()),
        ("walls", fields::<raw::Wall>()),
        ("velocities", fields::<raw::Velocity>()),
        ("boundaries", fields::<raw::Boundary>()),
        ("boundaries.displacement", fields::<raw::Components>()),
        ("boundaries.rotation", fields::<raw::Turning>()),
        ("loads", fields::<raw::Load>()),
        ("contact", fields::<raw::Contact>()),
        ("contact.pairs", fields::<raw::Pair>()),
        ("contact.friction", fields::<raw::FrictionTable>()),
        ("probes", fields::<raw::Probe>()),
        ("output", fields::<raw::Output>()),
        ("output.checkpoint", fields::<raw::Checkpoint>()),
        ("output.history", fields::<raw::History>()),
    ];
    for (table, names) in &read {
        let described: Vec<_> = KEYS.iter().filter(|key| key.table == *table).map(|key| key.name).collect();
        assert_eq!(&described, names, "[{table}]");
    }
    assert!(KEYS.iter().all(|key| read.iter().any(|(table, _)| *table == key.table)));
    assert!(fields::<raw::Rigid>().iter().all(|name| find("materials", name).is_some()));
}

/// A scenario with one instance of every table, each with its required keys only.
const BARE: &str = "
    [time]
    end = 2.0
    [dynamic_relaxation]
    [materials.steel]
    model = 'rigid'
    density = 1.0
    [[bodies]]
    name = 'a'
    mesh = 'bar.msh'
    material = 'steel'
    [[bodies]]
    name = 'b'
    mesh = 'bar.msh'
    material = 'steel'
    [materials.rubber]
    model = 'neo-hookean'
    density = 1.0
    young = 1.0
    poisson = 0.1
    [[bodies]]
    name = 'c'
    mesh = 'bar.msh'
    material = 'rubber'
    [[walls]]
    name = 'floor'
    point = [0, 0, -9]
    normal = [0, 0, 1]
    [[velocities]]
    body = 'c'
    velocity = [0, 0, 0]
    [[velocities]]
    body = 'c'
    angular_velocity = [0, 0, 0]
    [[boundaries]]
    body = 'a'
    fix = ['x']
    [[loads]]
    body = 'a'
    pressure = 1
    [[loads]]
    body = 'a'
    traction = [0, 0, 0]
    [[loads]]
    body = 'a'
    body_force = [0, 0, 0]
    [contact]
    [[contact.pairs]]
    between = ['a', 'floor']
    [[probes]]
    name = 'p'
    body = 'a'
    [output]
";

fn bare(overrides: &[String]) -> Scenario {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/scenario/bare.toml");
    Scenario::parse(BARE, &path, overrides).unwrap()
}

/// Text with the contents of a scenario, without its source text and spans, for comparison.
fn contents(mut scenario: Scenario) -> String {
    scenario.source.clear();
    scenario.file_text.clear();
    scenario.substitution = Default::default();
    scenario.contact.closest_point_span = 0..0;
    for body in &mut scenario.bodies {
        (body.mesh.span, body.hex.span) = (0..0, 0..0);
    }
    scenario.probes.iter_mut().for_each(|probe| probe.place.span = 0..0);
    scenario.contact.tied.iter_mut().for_each(|tied| tied.span = 0..0);
    let components = scenario.boundaries.iter_mut().flat_map(|boundary| &mut boundary.components);
    components.for_each(|component| component.span = 0..0);
    format!("{scenario:?}")
}

/// The path of a key in [`BARE`].
fn path_of(key: &KeyReference) -> String {
    match key.table {
        "" => key.name.into(),
        "velocities" if key.name == "velocity" => "velocities.1.velocity".into(),
        "loads" if key.name == "traction" => "loads.1.traction".into(),
        "loads" if key.name == "body_force" => "loads.2.body_force".into(),
        "bodies" | "walls" | "velocities" | "boundaries" | "loads" | "contact.pairs" | "probes" => {
            format!("{}.0.{}", key.table, key.name)
        }
        "boundaries.displacement" | "boundaries.rotation" => {
            key.table.replace("boundaries", "boundaries.0") + "." + key.name
        }
        table => format!("{table}.{}", key.name),
    }
}

#[test]
fn explicit_defaults_change_nothing() {
    let expected = contents(bare(&[]));
    let mut tried = 0;
    for key in KEYS {
        let Some(default) = key.default else { continue };
        // The table of checkpoints requires `interval`, so an override of `keep` alone is invalid.
        if key.table == "output.checkpoint" {
            continue;
        }
        let default = default.replace("end/200", "0.01").replace("end/1000", "0.002");
        if default.parse::<toml_edit::Value>().is_err() {
            continue;
        }
        tried += 1;
        let text = format!("{}={default}", path_of(key));
        assert_eq!(contents(bare(std::slice::from_ref(&text))), expected, "{text}");
    }
    assert!(tried >= 23, "only {tried} defaults could be written out");
}

/// For each optional key: its path, a non-default value, and the overrides without which the key has no effect.
#[rustfmt::skip]
const OTHER_VALUES: &[(&str, &str, &[&str])] = &[
    ("title", "'other'", &[]),
    ("units", "'mm-t-s'", &[]),
    ("gravity", "[0, 0, -1]", &[]),
    ("time.step", "1e-3", &[]),
    ("time.safety", "0.7", &[]),
    ("time.flight_step", "1e-3", &[]),
    ("time.energy_tolerance", "0.1", &[]),
    ("dynamic_relaxation.tolerance", "1e-2", &[]),
    ("dynamic_relaxation.max_steps", "1000", &[]),
    ("bodies.0.region", "'bar'", &[]),
    ("bodies.0.scale", "2.0", &[]),
    ("bodies.0.rotate", "{ axis = [0, 0, 1], angle = 9 }", &[]),
    ("bodies.0.translate", "[1, 0, 0]", &[]),
    ("bodies.0.velocity", "[1, 0, 0]", &[]),
    ("bodies.0.angular_velocity", "[1, 0, 0]", &[]),
    ("bodies.0.gravity", "[1, 0, 0]", &[]),
    ("bodies.0.mass_damping", "20", &[]),
    ("bodies.0.contact", "'end'", &[]),
    ("bodies.0.self_contact", "true", ELASTIC),
    ("bodies.0.contact_thickness", "0.1", &[]),
    ("bodies.0.hex", "'one-point'", ELASTIC),
    ("bodies.0.thickness", "0.1", &[]),
    ("bodies.0.mass", "2.0", GIVEN_MASS),
    ("bodies.0.inertia", "[2, 2, 2]", GIVEN_MASS),
    ("walls.0.mass", "2.0", &[]),
    ("walls.0.velocity", "[0, 0, 1]", &[]),
    ("walls.0.gravity", "[0, 0, 1]", &["walls.0.mass=1.0"]),
    ("walls.0.friction", "0.1", &[]),
    ("walls.0.restitution", "0.1", DECOMPOSITION),
    ("velocities.0.group", "'end'", &[]),
    ("velocities.1.velocity", "[1, 0, 0]", &[]),
    ("velocities.0.angular_velocity", "[1, 0, 0]", &[]),
    ("boundaries.0.group", "'end'", &[]),
    ("boundaries.0.fix", "['y']", &[]),
    ("boundaries.0.displacement", "{ y = 1 }", &[]),
    ("boundaries.0.velocity", "{ y = 1 }", &[]),
    ("boundaries.0.acceleration", "{ y = 1 }", &[]),
    ("boundaries.0.rotation", "{ axis = [0, 0, 1], point = [0, 0, 0], speed = 1 }", TURNED),
    ("boundaries.0.rotation.angle", "2", TURNED_BY_ANGLE),
    ("boundaries.0.rotation.speed", "2", TURNED),
    ("boundaries.0.displacement.x", "1", &["boundaries.0.fix=['y']", "boundaries.0.displacement={ z = 1 }"]),
    ("boundaries.0.displacement.y", "1", &["boundaries.0.displacement={ z = 1 }"]),
    ("boundaries.0.displacement.z", "1", &["boundaries.0.displacement={ y = 1 }"]),
    ("loads.0.group", "'end'", &[]),
    ("loads.0.pressure", "2", &[]),
    ("loads.1.traction", "[1, 0, 0]", &[]),
    ("loads.2.body_force", "[1, 0, 0]", &[]),
    ("contact.detection", "'buckets'", &[]),
    ("contact.sort_every", "5", &["contact.detection='sorting'"]),
    ("contact.sort_space_every", "5", &["contact.detection='sorting'"]),
    ("contact.hierarchy", "'bottom-up'", &[]),
    ("contact.hierarchy_volume", "'aabb'", &[]),
    ("contact.sphere_fit", "'ritter'", &[]),
    ("contact.kinematics", "'from-steps'", &[]),
    ("contact.volumes", "['obb']", &[]),
    ("contact.closest_point", "'sqp'", &[]),
    ("contact.start", "'centre'", &[]),
    ("contact.response", "'decomposition'", &[]),
    ("contact.scheme", "'midpoint'", &["contact.response='energy-momentum'"]),
    ("contact.penalty", "0.4", &[]),
    ("contact.damping", "0.1", &[]),
    ("contact.stiffness", "'segment'", &[]),
    ("contact.soft_start", "0.1", &[]),
    ("contact.friction", "{ static = 0.2, dynamic = 0.1 }", &[]),
    ("contact.restitution", "0.5", DECOMPOSITION),
    ("contact.order", "'one-by-one'", DECOMPOSITION),
    ("contact.every", "2", DECOMPOSITION),
    ("contact.projection", "0.5", DECOMPOSITION),
    ("contact.angular_momentum", "'none'", DECOMPOSITION),
    ("contact.search_depth", "0.1", &[]),
    ("contact.normal", "'contactor'", &["contact.detection='distance-field'"]),
    ("contact.edges", "'none'", &[]),
    ("contact.passes", "1", &[]),
    ("contact.resolve_impact", "true", &[]),
    ("contact.self_contact", "true", &[]),
    ("contact.initial_penetration", "'offset'", &[]),
    ("contact.pairs.0.groups", "['end', 'all']", &["contact.pairs.0.friction=0.1"]),
    ("contact.pairs.0.contact", "false", &[]),
    ("contact.pairs.0.tied", "true", TWO_BODIES),
    ("contact.pairs.0.tied_within", "0.1", TIED),
    ("contact.pairs.0.friction", "0.1", &[]),
    ("contact.pairs.0.restitution", "0.5", DECOMPOSITION),
    ("contact.pairs.0.penalty", "0.4", &[]),
    ("contact.pairs.0.damping", "0.1", &[]),
    ("contact.friction.decay", "1.0", &["contact.friction={ static = 0.2, dynamic = 0.1 }"]),
    ("probes.0.nearest_node", "[1, 0, 0]", &[]),
    ("probes.0.point", "[1, 0, 0]", &[]),
    ("probes.0.group", "'end'", &[]),
    ("probes.0.quantities", "['position']", &[]),
    ("probes.0.frame", "'body'", &[]),
    ("probes.0.interval", "0", &[]),
    ("probes.0.filter", "'CFC 60'", &[]),
    ("probes.0.injury", "'hic15'", &[]),
    ("probes.0.g", "9810", &[]),
    ("probes.0.second", "1000", &[]),
    ("output.directory", "'elsewhere'", &[]),
    ("output.frames", "61", &[]),
    ("output.interval", "0.1", &[]),
    ("output.times", "[0.5]", &[]),
    ("output.exact", "true", &[]),
    ("output.contact_interval", "0.1", &[]),
    ("output.fields", "['acceleration']", &[]),
    ("output.detection_volumes", "true", &[]),
    ("output.checkpoint", "{ interval = 0.1 }", &[]),
    ("output.checkpoint.keep", "5", &["output.checkpoint={ interval = 0.1 }"]),
    ("output.history", "{ interval = 0.001 }", &[]),
];

const ELASTIC: &[&str] =
    &["materials.steel={ model = 'neo-hookean', density = 1.0, young = 1.0, poisson = 0.1 }"];
const TURNED: &[&str] =
    &["boundaries.0.fix=[]", "boundaries.0.rotation={ axis = [1, 0, 0], point = [0, 0, 0], speed = 1 }"];
const TURNED_BY_ANGLE: &[&str] =
    &["boundaries.0.fix=[]", "boundaries.0.rotation={ axis = [1, 0, 0], point = [0, 0, 0], angle = 1 }"];
const GIVEN_MASS: &[&str] = &["bodies.0.mass=1.0", "bodies.0.inertia=[1, 1, 1]"];
const DECOMPOSITION: &[&str] = &["contact.response=decomposition"];
const TWO_BODIES: &[&str] = &["contact.pairs.0.between=['a', 'b']"];
const TIED: &[&str] = &["contact.pairs.0.between=['a', 'b']", "contact.pairs.0.tied=true"];

#[test]
fn non_default_values_have_an_effect() {
    for key in KEYS.iter().filter(|key| key.default.is_some()) {
        let path = path_of(key);
        let (_, value, beside) = OTHER_VALUES.iter().find(|(other, ..)| *other == path).expect(&path);
        let beside: Vec<String> = beside.iter().map(|&text| text.to_owned()).collect();
        let expected = contents(bare(&beside));
        let text = format!("{path}={value}");
        assert_ne!(contents(bare(&[beside, vec![text.clone()]].concat())), expected, "{text}");
    }
}

/// The keys that affect only some responses are keys of `[contact]`. Given to another response, each is refused with
/// the words of the responses that it affects.
#[test]
fn keys_of_responses_are_refused_by_the_others() {
    let mut keys: Vec<&str> =
        ResponseMethod::WORDS.iter().flat_map(|(_, method)| method.properties().keys).copied().collect();
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        let path = format!("contact.{key}");
        let (_, value, _) = OTHER_VALUES.iter().find(|(other, ..)| *other == path).expect(&path);
        for (word, method) in ResponseMethod::WORDS.iter().filter(|(_, method)| !method.uses(key)) {
            let overrides = [format!("contact.response={word}"), format!("{path}={value}")];
            let error = Scenario::parse(BARE, Path::new("bare.toml"), &overrides).unwrap_err().to_string();
            assert!(
                error.contains(&format!("`{path}` has no effect on the response `{}`", method.word())),
                "{error}"
            );
        }
    }
}

#[test]
fn markdown_has_a_row_for_every_key() {
    let markdown = reference_markdown();
    let rows = markdown.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(rows, KEYS.len());
    assert!(markdown.contains("| `safety` | `0.8` | - | fraction of the critical step, in (0, 1] |"));
    assert!(markdown.contains("**`[[contact.pairs]]`**"));
}
