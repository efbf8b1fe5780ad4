//! Errors of a scenario.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::PathBuf;

/// Error of reading a scenario.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// The file cannot be read as text.
    #[error("cannot read the scenario `{}`: {source}; give the path of a TOML file in UTF-8", path.display())]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Cause: an error of the operating system, or text that is not UTF-8.
        source: io::Error,
    },
    /// The file is a Gmsh mesh.
    #[error(
        "`{0}` is a Gmsh mesh, not a scenario; give a TOML file that names the mesh, or inspect it with `ictus mesh {0}`",
        path.display()
    )]
    Mesh {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file has problems.
    #[error("{}", Listing { path, text, problems })]
    Invalid {
        /// Path of the file.
        path: PathBuf,
        /// Text of the file, without the changes made by `--set KEY=VALUE`. The spans of the problems refer to this
        /// text.
        text: String,
        /// The problems.
        problems: Vec<Problem>,
    },
}

/// One problem of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// Byte range of the problem in the text of the file; `None` for a problem without a location there.
    pub span: Option<Range<usize>>,
    /// Key that has the problem, in the dotted form used by `--set`, such as `contact.penalty`.
    pub key: Option<String>,
    /// Short note that is printed at the location.
    pub label: Option<String>,
    /// The remedy.
    pub help: Option<String>,
}

impl Problem {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), span: None, key: None, label: None, help: None }
    }

    pub(super) fn at(mut self, span: Range<usize>) -> Self {
        self.span = Some(span);
        self
    }

    pub(super) fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    pub(super) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The name in `names` that is nearest to `given`, ignoring case. `None` if no name is near.
///
/// A name is near if its distance from `given` (Damerau 1964) is at most 1 + n/3, with n the number of characters of
/// `given`.
pub(super) fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&given.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= 1 + given.chars().count() / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The text “did you mean …?” with the nearest name. If no name is near, `heading` and all names.
pub(super) fn suggest(given: &str, heading: &str, names: &[&str]) -> String {
    match nearest(given, names.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None if names.is_empty() => format!("{heading}: none"),
        None => {
            format!("{heading}: {}", names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "))
        }
    }
}

struct Listing<'a> {
    path: &'a PathBuf,
    text: &'a str,
    problems: &'a [Problem],
}

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{}\n  --> {}", problem.message, self.path.display())?;
            if let Some(before) = problem.span.as_ref().and_then(|span| self.text.get(..span.start)) {
                write!(f, ":{}", 1 + before.matches('\n').count())?;
            }
            if let Some(key) = &problem.key {
                write!(f, " [{key}]")?;
            }
            if let Some(help) = &problem.help {
                write!(f, "\n  help: {help}")?;
            }
        }
        Ok(())
    }
}
