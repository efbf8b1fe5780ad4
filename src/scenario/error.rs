//! What can be wrong with a scenario.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::PathBuf;

/// Why a scenario cannot be used.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// The file cannot be read as text.
    #[error("cannot read the scenario `{}`: {source}; give the path of a TOML file in UTF-8", path.display())]
    Unreadable {
        /// The path given.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file has problems.
    #[error("{}", Listing { path, text, problems })]
    Invalid {
        /// The path given.
        path: PathBuf,
        /// The text with overrides applied, which spans refer to.
        text: String,
        /// All of them, in the order of the file.
        problems: Vec<Problem>,
    },
}

/// One problem of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The fact.
    pub message: String,
    /// Bytes of the text it is about; `None` where the text has no such place.
    pub span: Option<Range<usize>>,
    /// Dotted key, as `--set` takes it.
    pub key: Option<String>,
    /// A few words to stand at the place.
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

/// The name of `names` that `given` is likely a slip of.
///
/// Within 1 + a third of its letters of insertions, deletions, exchanges and swaps (Damerau 1964).
pub(super) fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(given, name), name))
        .filter(|(distance, _)| *distance <= 1 + given.chars().count() / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// “did you mean …?” where a name is near, else all of them under `heading`.
pub(super) fn suggest(given: &str, heading: &str, names: &[&str]) -> String {
    match nearest(given, names.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None if names.is_empty() => format!("{heading}: none"),
        None => {
            format!("{heading}: {}", names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Problems as plain text.
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
