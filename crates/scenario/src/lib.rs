//! The scenario file, typed and validated.
//!
//! ```text
//! text ─ overrides, parameters ─► text ─ toml ─► tables with spans ─ section ─► raw ─ validate ─► Scenario
//! ```
//!
//! Problems of overrides, parameters or TOML syntax end the reading. The problems of all tables are reported together.
//! Only the meshes define the physical groups, so the names of groups are checked later, in the set-up. For messages of
//! this check, [`Located`] keeps the byte range of each name in `Scenario::source`, the text with overrides and
//! parameters applied.

use ictus_contact as contact;
use ictus_core::{material, math, signal, units};

mod contact_settings;
mod error;
mod field;
mod located;
mod overrides;
mod parameters;
mod probe;
mod raw;
mod reference;
mod schema;
mod section;
mod spanned;
mod typed;
mod validate;

use std::path::Path;

pub use contact_settings::*;
pub use error::{Problem, ScenarioError};
pub use field::Field;
pub use located::Located;
pub use probe::*;
pub use reference::{KEYS, KeyReference, reference_markdown};
pub use schema::json_schema;
pub use typed::*;

impl Scenario {
    /// Reads and validates the scenario at `path`. Each of the `overrides` has the form `KEY=VALUE`.
    ///
    /// # Errors
    /// [`ScenarioError`], if the file cannot be read, if it is a mesh, or if its content has problems.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, ScenarioError> {
        let unreadable = |source| ScenarioError::Unreadable { path: path.into(), source };
        let bytes = std::fs::read(path).map_err(unreadable)?;
        if bytes.starts_with(b"$") {
            return Err(ScenarioError::Mesh { path: path.into() });
        }
        let text = String::from_utf8(bytes).map_err(|error| unreadable(std::io::Error::other(error)))?;
        Self::parse(&text, path, overrides)
    }

    /// Validates `text` as the content of the scenario at `path`.
    ///
    /// Paths of meshes are relative to the folder of `path`. An override is a dotted key and a value, such as
    /// `contact.detection=all-pairs`. In the key, an index or a name selects an entry of a list: `bodies.0.velocity=[1,
    /// 0, 0]` or `bodies.left.velocity=[1, 0, 0]`. In `text`, a string such as `"=v*2"` is an expression of parameters,
    /// which are defined in `[parameters]`. The value of the expression replaces the string.
    ///
    /// # Errors
    /// [`ScenarioError::Invalid`] with the problems of the text.
    ///
    /// ```
    /// use ictus_scenario::Scenario;
    ///
    /// let text = "[time]\nend = 1.0\nsaftey = 0.5";
    /// let error = Scenario::parse(text, "drop.toml".as_ref(), &[]).unwrap_err();
    /// assert!(error.to_string().contains("unknown key `saftey`"));
    /// assert!(error.to_string().contains("did you mean `safety`?"));
    /// ```
    pub fn parse(text: &str, path: &Path, overrides: &[String]) -> Result<Self, ScenarioError> {
        let invalid = |problems| ScenarioError::Invalid { path: path.into(), text: text.into(), problems };
        let changed = overrides::apply(text, overrides).map_err(invalid)?;
        let invalid_changed = |problems| invalid(overrides::relocate(problems, &changed, text));
        let (source, substitution) = parameters::apply(&changed).map_err(invalid_changed)?;
        let scenario = validate::validate(&source, path).map_err(|problems| {
            invalid_changed(problems.into_iter().map(|problem| substitution.relocate(problem)).collect())
        })?;
        let warnings = scenario.warnings.into_iter().map(|problem| substitution.relocate(problem));
        let warnings = substitution.warnings.iter().cloned().chain(warnings).collect();
        let warnings = overrides::relocate(warnings, &changed, text);
        Ok(Self { source, file_text: text.into(), substitution, warnings, ..scenario })
    }

    /// The part of the scenario that must be the same in a resumed run, as text. Title, units, output, end time and
    /// energy tolerance may change.
    pub fn lasting_keys(&self) -> String {
        let mut keys: toml::Table = toml::from_str(&self.source).unwrap_or_default();
        keys.remove("title");
        keys.remove("units");
        keys.remove("output");
        if let Some(toml::Value::Table(time)) = keys.get_mut("time") {
            time.remove("end");
            time.remove("energy_tolerance");
        }
        // If the materials are in a separate file, `keys` contains only its name. The text thus includes the materials.
        format!("{}\n{keys}\n{:?}", self.name, self.materials)
    }

    /// Converts the span of a problem from [`Self::source`] to [`Self::file_text`]. If an override wrote the line at
    /// the span, the problem loses its span.
    pub fn locate_in_file(&self, problem: Problem) -> Problem {
        let Self { substitution, file_text, .. } = self;
        let before = substitution.relocate(problem.clone());
        overrides::relocate(vec![before], &substitution.before, file_text).pop().unwrap_or(problem)
    }
}
