//! The scenario file, typed and validated; nothing computed.
//!
//! ```text
//! text ─ overrides ─► text ─ toml ─► tables with spans ─ section ─► raw ─ validate ─► Scenario
//! ```
//!
//! Each table of the file is read on its own, so that one run reports every problem of the file: unknown keys with
//! the nearest known one, wrong types, values out of range, names that refer to nothing. Every problem carries the
//! bytes it is about. Whether a mesh holds the groups that the scenario names is not known here, hence
//! [`Located`].

mod contact;
mod error;
mod located;
mod overrides;
mod probe;
mod raw;
mod reference;
mod section;
mod typed;
mod validate;

use std::path::Path;

pub use contact::*;
pub use error::{Problem, ScenarioError};
pub use located::Located;
pub use probe::*;
pub use reference::{KEYS, KeyReference, reference_markdown};
pub use typed::*;

impl Scenario {
    /// Reads and validates the scenario at `path`, with `overrides` of the form `KEY=VALUE` applied.
    ///
    /// # Errors
    /// A file that cannot be read, or every problem of its content.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, ScenarioError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ScenarioError::Unreadable { path: path.into(), source })?;
        Self::parse(&text, path, overrides)
    }

    /// Validates `text` as the content of the scenario at `path`.
    ///
    /// Meshes are looked for relative to the folder of `path`. An override is a dotted key and a value, as in
    /// `time.end=1.0`, `contact.detection=all-pairs` (quotes are optional), `bodies.0.velocity=[1, 0, 0]` or, by
    /// name, `bodies.left.velocity=[1, 0, 0]`.
    ///
    /// # Errors
    /// Every problem of the text.
    ///
    /// ```
    /// use ictus::scenario::Scenario;
    ///
    /// let text = "[time]\nend = 1.0\nsaftey = 0.5";
    /// let error = Scenario::parse(text, "drop.toml".as_ref(), &[]).unwrap_err();
    /// assert!(error.to_string().contains("unknown key `saftey`"));
    /// assert!(error.to_string().contains("did you mean `safety`?"));
    /// ```
    pub fn parse(text: &str, path: &Path, overrides: &[String]) -> Result<Self, ScenarioError> {
        let invalid =
            |text: String, problems| Err(ScenarioError::Invalid { path: path.into(), text, problems });
        let text = match overrides::apply(text, overrides) {
            Ok(text) => text,
            Err(problems) => return invalid(text.into(), problems),
        };
        match validate::validate(&text, path) {
            Ok(scenario) => Ok(Self { source: text, ..scenario }),
            Err(problems) => invalid(text, problems),
        }
    }
}
