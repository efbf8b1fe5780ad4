//! Tables of a scenario file before validation, with the spans of most values. Reading checks keys and types. The
//! module `validate` checks the values.

use std::fmt;
use std::ops::Range;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};

use super::spanned::Spanned;

pub(super) type Number = Spanned<f64>;
pub(super) type Triple = Spanned<[f64; 3]>;
pub(super) type Text = Spanned<String>;
pub(super) type Texts = Spanned<Vec<Text>>;

/// The top level of the file. Tables are read separately, so that a problem in one table does not hide problems in
/// other tables.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the tables are listed as known keys")]
pub(super) struct Root {
    pub title: Option<String>,
    pub units: Option<Text>,
    pub gravity: Option<Spanned<[Spanned<Function>; 3]>>,
    parameters: Option<IgnoredAny>,
    time: Option<IgnoredAny>,
    dynamic_relaxation: Option<IgnoredAny>,
    materials: Option<IgnoredAny>,
    bodies: Option<IgnoredAny>,
    walls: Option<IgnoredAny>,
    velocities: Option<IgnoredAny>,
    boundaries: Option<IgnoredAny>,
    loads: Option<IgnoredAny>,
    contact: Option<IgnoredAny>,
    probes: Option<IgnoredAny>,
    output: Option<IgnoredAny>,
}

/// `[time]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Time {
    pub end: Number,
    pub step: Option<Spanned<Step>>,
    pub safety: Option<Number>,
    pub flight_step: Option<Number>,
    pub energy_tolerance: Option<Number>,
}

/// `[dynamic_relaxation]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DynamicRelaxation {
    pub tolerance: Option<Number>,
    pub max_steps: Option<Spanned<i64>>,
}

/// Table `[materials.NAME]` of a deformable material, after its key `model` was removed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Elastic {
    pub density: Number,
    pub young: Number,
    pub poisson: Number,
}

/// Table `[materials.NAME]` of a rigid material, after its key `model` was removed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rigid {
    pub density: Option<Number>,
}

/// `[[bodies]]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Body {
    pub name: Text,
    pub mesh: Text,
    pub region: Option<Spanned<Names>>,
    pub material: Text,
    pub scale: Option<Number>,
    pub rotate: Option<Rotate>,
    pub translate: Option<Triple>,
    pub velocity: Option<Triple>,
    pub angular_velocity: Option<Triple>,
    pub gravity: Option<Spanned<[Spanned<Function>; 3]>>,
    pub mass_damping: Option<Spanned<Function>>,
    pub contact: Option<Spanned<Surface>>,
    pub self_contact: Option<Spanned<bool>>,
    pub contact_thickness: Option<Number>,
    pub hex: Option<Text>,
    pub thickness: Option<Number>,
    pub mass: Option<Number>,
    pub inertia: Option<Spanned<Vec<f64>>>,
}

/// `[[walls]]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Wall {
    pub name: Text,
    pub point: Triple,
    pub normal: Triple,
    pub mass: Option<Number>,
    pub velocity: Option<Spanned<[Spanned<Function>; 3]>>,
    pub gravity: Option<Triple>,
    pub friction: Option<Spanned<Friction>>,
    pub restitution: Option<Number>,
}

/// `rotate` of a body; the angle is in degrees.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Rotate {
    pub axis: Triple,
    pub angle: Number,
}

/// `[[velocities]]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Velocity {
    pub body: Text,
    pub group: Option<Text>,
    pub velocity: Option<Triple>,
    pub angular_velocity: Option<Triple>,
}

/// `[[boundaries]]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Boundary {
    pub body: Text,
    pub group: Option<Text>,
    pub fix: Option<Texts>,
    pub displacement: Option<Spanned<Components>>,
    pub velocity: Option<Spanned<Components>>,
    pub acceleration: Option<Spanned<Components>>,
    pub rotation: Option<Spanned<Turning>>,
}

/// `rotation` of a boundary about an axis through a point: `angle` in rad, or `speed` in rad/s.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Turning {
    pub axis: Triple,
    pub point: Triple,
    pub angle: Option<Spanned<Function>>,
    pub speed: Option<Spanned<Function>>,
}

/// `displacement`, `velocity` or `acceleration` of a boundary, by component.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Components {
    pub x: Option<Spanned<Function>>,
    pub y: Option<Spanned<Function>>,
    pub z: Option<Spanned<Function>>,
}

/// `[[loads]]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Load {
    pub body: Text,
    pub group: Option<Text>,
    pub pressure: Option<Spanned<Function>>,
    pub traction: Option<Spanned<[Spanned<Function>; 3]>>,
    pub body_force: Option<Spanned<[Spanned<Function>; 3]>>,
}

// The key `pairs` is removed from the table and read separately.
/// `[contact]`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Contact {
    pub detection: Option<Text>,
    pub sort_every: Option<Spanned<i64>>,
    pub sort_space_every: Option<Spanned<i64>>,
    pub hierarchy: Option<Text>,
    pub hierarchy_volume: Option<Text>,
    pub sphere_fit: Option<Text>,
    pub kinematics: Option<Text>,
    pub volumes: Option<Texts>,
    pub closest_point: Option<Text>,
    pub start: Option<Text>,
    pub response: Option<Text>,
    pub scheme: Option<Text>,
    pub penalty: Option<Number>,
    pub damping: Option<Number>,
    pub stiffness: Option<Spanned<Stiffness>>,
    pub soft_start: Option<Number>,
    pub friction: Option<Spanned<Friction>>,
    pub restitution: Option<Number>,
    pub order: Option<Text>,
    pub every: Option<Spanned<i64>>,
    pub projection: Option<Number>,
    pub angular_momentum: Option<Text>,
    pub search_depth: Option<Number>,
    pub normal: Option<Text>,
    pub edges: Option<Text>,
    pub passes: Option<Spanned<i64>>,
    pub resolve_impact: Option<bool>,
    pub self_contact: Option<bool>,
    pub initial_penetration: Option<Text>,
}

/// `friction` as a table: coefficients at rest and in motion, and the decay between them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FrictionTable {
    #[serde(rename = "static")]
    pub at_rest: Number,
    pub dynamic: Number,
    pub decay: Option<Number>,
}

/// `[[contact.pairs]]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Pair {
    pub between: Spanned<[Text; 2]>,
    pub groups: Option<Spanned<[Text; 2]>>,
    pub contact: Option<bool>,
    pub tied: Option<Spanned<bool>>,
    pub tied_within: Option<Number>,
    pub friction: Option<Spanned<Friction>>,
    pub restitution: Option<Number>,
    pub penalty: Option<Number>,
    pub damping: Option<Number>,
}

/// `[[probes]]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Probe {
    pub name: Text,
    pub body: Text,
    pub nearest_node: Option<Triple>,
    pub point: Option<Triple>,
    pub group: Option<Text>,
    pub quantities: Option<Texts>,
    pub frame: Option<Text>,
    pub interval: Option<Number>,
    pub filter: Option<Text>,
    pub injury: Option<Spanned<Names>>,
    pub g: Option<Number>,
    pub second: Option<Number>,
}

/// `[output]`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Output {
    pub directory: Option<Text>,
    pub frames: Option<Spanned<i64>>,
    pub interval: Option<Number>,
    pub times: Option<Spanned<Vec<f64>>>,
    pub exact: Option<bool>,
    pub contact_interval: Option<Number>,
    pub fields: Option<Texts>,
    pub detection_volumes: Option<Spanned<bool>>,
    pub history: Option<History>,
    pub checkpoint: Option<Checkpoint>,
}

/// `checkpoint` of `[output]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Checkpoint {
    pub interval: Number,
    pub keep: Option<Spanned<i64>>,
}

/// `history` of `[output]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct History {
    pub interval: Number,
}

/// A number, or a word that should be `"auto"`. `validate` checks the word.
#[derive(Debug)]
pub(super) enum Step {
    Word(String),
    Size(f64),
}

/// A number, or a word that should be `"mass"` or `"segment"`. `validate` checks the word.
#[derive(Debug)]
pub(super) enum Stiffness {
    Rule(String),
    Given(f64),
}

/// A coefficient of friction, or a table of coefficients.
#[derive(Debug)]
pub(super) enum Friction {
    Constant(f64),
    Table(FrictionTable),
}

/// One name or a list of names.
#[derive(Debug)]
pub(super) enum Names {
    One(String),
    Many(Vec<Text>),
}

impl Names {
    /// The names as a list. `span` is the byte range of `self`; it becomes the span of a single name.
    pub fn texts(&self, span: Range<usize>) -> Vec<Text> {
        match self {
            Self::One(name) => vec![Spanned::new(span, name.clone())],
            Self::Many(names) => names.clone(),
        }
    }
}

/// Contact surface: `false`, or one name or a list of names. A name is `"skin"` or a physical group.
#[derive(Debug)]
pub(super) enum Surface {
    Nothing,
    Named(Names),
}

/// A function of time: a number, an expression of t, or a table of times and values.
#[derive(Debug)]
pub(super) enum Function {
    Number(f64),
    Expression(String),
    Table(Vec<(f64, f64)>),
}

// For each enum above, the TOML type of a value determines the variant. With `#[serde(untagged)]`, spans would be lost
// and messages would be worse.

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StepVisitor;
        impl Visitor<'_> for StepVisitor {
            type Value = Step;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"auto\" or a number")
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<Step, E> {
                Ok(Step::Word(word.into()))
            }
            fn visit_f64<E: Error>(self, size: f64) -> Result<Step, E> {
                Ok(Step::Size(size))
            }
            fn visit_i64<E: Error>(self, size: i64) -> Result<Step, E> {
                Ok(Step::Size(size as f64))
            }
        }
        deserializer.deserialize_any(StepVisitor)
    }
}

impl<'de> Deserialize<'de> for Stiffness {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StiffnessVisitor;
        impl Visitor<'_> for StiffnessVisitor {
            type Value = Stiffness;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"mass\", \"segment\" or a number")
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<Stiffness, E> {
                Ok(Stiffness::Rule(word.into()))
            }
            fn visit_f64<E: Error>(self, stiffness: f64) -> Result<Stiffness, E> {
                Ok(Stiffness::Given(stiffness))
            }
            fn visit_i64<E: Error>(self, stiffness: i64) -> Result<Stiffness, E> {
                Ok(Stiffness::Given(stiffness as f64))
            }
        }
        deserializer.deserialize_any(StiffnessVisitor)
    }
}

impl<'de> Deserialize<'de> for Friction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FrictionVisitor;
        impl<'de> Visitor<'de> for FrictionVisitor {
            type Value = Friction;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or { static = …, dynamic = …, decay = … }")
            }
            fn visit_f64<E: Error>(self, coefficient: f64) -> Result<Friction, E> {
                Ok(Friction::Constant(coefficient))
            }
            fn visit_i64<E: Error>(self, coefficient: i64) -> Result<Friction, E> {
                Ok(Friction::Constant(coefficient as f64))
            }
            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Friction, A::Error> {
                FrictionTable::deserialize(MapAccessDeserializer::new(table)).map(Friction::Table)
            }
        }
        deserializer.deserialize_any(FrictionVisitor)
    }
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NamesVisitor;
        impl<'de> Visitor<'de> for NamesVisitor {
            type Value = Names;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name or a list of names")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Names, E> {
                Ok(Names::One(name.into()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, names: A) -> Result<Names, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(names)).map(Names::Many)
            }
        }
        deserializer.deserialize_any(NamesVisitor)
    }
}

impl<'de> Deserialize<'de> for Surface {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SurfaceVisitor;
        impl<'de> Visitor<'de> for SurfaceVisitor {
            type Value = Surface;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"skin\", a group, a list of groups, or false")
            }
            fn visit_bool<E: Error>(self, touches: bool) -> Result<Surface, E> {
                if touches {
                    Err(E::invalid_value(Unexpected::Bool(true), &self))
                } else {
                    Ok(Surface::Nothing)
                }
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Surface, E> {
                Ok(Surface::Named(Names::One(name.into())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, names: A) -> Result<Surface, A::Error> {
                let names = Vec::deserialize(SeqAccessDeserializer::new(names))?;
                Ok(Surface::Named(Names::Many(names)))
            }
        }
        deserializer.deserialize_any(SurfaceVisitor)
    }
}

impl<'de> Deserialize<'de> for Function {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FunctionVisitor;
        impl<'de> Visitor<'de> for FunctionVisitor {
            type Value = Function;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, an expression of t or a table [[t, value], …]")
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<Function, E> {
                Ok(Function::Number(value))
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Function, E> {
                Ok(Function::Number(value as f64))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Function, E> {
                Ok(Function::Expression(text.into()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, rows: A) -> Result<Function, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(rows)).map(Function::Table)
            }
        }
        deserializer.deserialize_any(FunctionVisitor)
    }
}
