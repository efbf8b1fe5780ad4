//! Diagnostics of input files.
//!
//! ```text
//! error: `time.step` is -1, not a positive number
//!    ,-[ball.toml:6:8 time.step]
//!  5 | end = 1.0
//!  6 | step = -1
//!    :        ^^
//!    `----
//!   help: give a positive number
//! ```

use std::env;
use std::io::{IsTerminal as _, stderr};
use std::ops::Range;
use std::path::Path;

use ictus::scenario::Problem;
use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report, Severity,
    SourceSpan,
};

/// Renders the problems of the file at `path`; `source` is the text of this file.
///
/// If standard error is a terminal, the report has box characters, and colours if `NO_COLOR` is empty or not set.
/// Otherwise, the report is plain ASCII.
pub fn render(path: &Path, source: &str, problems: &[Problem]) -> String {
    render_with(path, source, problems, Severity::Error, theme(stderr().is_terminal()))
}

pub fn render_warnings(path: &Path, source: &str, problems: &[Problem]) -> String {
    render_with(path, source, problems, Severity::Warning, theme(stderr().is_terminal()))
}

fn theme(terminal: bool) -> GraphicalTheme {
    let mut theme = match (terminal, env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())) {
        (false, _) => GraphicalTheme::none(),
        (true, true) => GraphicalTheme::unicode_nocolor(),
        (true, false) => GraphicalTheme::unicode(),
    };
    theme.characters.error = "error:".into();
    theme.characters.warning = "warning:".into();
    theme
}

fn render_with(
    path: &Path,
    source: &str,
    problems: &[Problem],
    severity: Severity,
    theme: GraphicalTheme,
) -> String {
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_links(false)
        .without_primary_span_start()
        .with_wrap_lines(false)
        .with_context_lines(1);
    let mut text = String::new();
    for problem in problems {
        let report = report(path, source, problem, severity);
        let mut drawn = String::new();
        // A report that cannot be drawn is printed as its message alone.
        if handler.render_report(&mut drawn, report.as_ref()).is_err() {
            drawn.clone_from(&problem.message);
        }
        text.push_str(drawn.trim_start());
        text.push('\n');
    }
    text
}

fn report(path: &Path, source: &str, problem: &Problem, severity: Severity) -> Report {
    let mut diagnostic = MietteDiagnostic::new(problem.message.as_str()).with_severity(severity);
    if let Some(help) = &problem.help {
        diagnostic = diagnostic.with_help(help.as_str());
    }
    let place = problem.span.as_ref().map(|span| within(source, span));
    if let Some(span) = &place {
        let label = problem.label.clone();
        diagnostic =
            diagnostic.with_label(LabeledSpan::new_primary_with_span(label, SourceSpan::from(span.clone())));
    }
    let header = header(path, source, problem, place);
    Report::new(diagnostic).with_source_code(NamedSource::new(header, source.to_owned()))
}

/// The byte range `span`, with each end lowered to a character boundary of `source`.
fn within(source: &str, span: &Range<usize>) -> Range<usize> {
    let boundary = |byte: usize| {
        let byte = byte.min(source.len());
        (0..=byte).rev().find(|at| source.is_char_boundary(*at)).unwrap_or(0)
    };
    boundary(span.start)..boundary(span.end.max(span.start))
}

/// Location in the form `file:line:column key`, from which editors can jump to the place.
fn header(path: &Path, source: &str, problem: &Problem, place: Option<Range<usize>>) -> String {
    let mut header = path.display().to_string();
    if let Some(before) = place.and_then(|span| source.get(..span.start)) {
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        header.push_str(&format!(":{line}:{column}"));
    }
    if let Some(key) = &problem.key {
        header.push(' ');
        header.push_str(key);
    }
    header
}

/// Text for a message `FACT; REMEDY`, with the remedy on a second line.
pub fn plain(severity: &str, message: &str) -> String {
    match split_remedy(message) {
        (fact, Some(help)) => format!("{severity}: {fact}\n  help: {help}\n"),
        (fact, None) => format!("{severity}: {fact}\n"),
    }
}

/// Text for a message that begins with a location in the file at `path`. Fact, location and remedy are on separate
/// lines.
pub fn in_file(severity: &str, path: &Path, message: &str) -> String {
    let file = path.display().to_string();
    let Some((place, message)) = message.strip_prefix(&file).and_then(|rest| rest.split_once(": ")) else {
        return plain(severity, message);
    };
    let (fact, help) = split_remedy(message);
    let help = help.map_or_else(String::new, |help| format!("  help: {help}\n"));
    format!("{severity}: {fact}\n  --> {file}{place}\n{help}")
}

/// Splits a message into fact and remedy at its last `; `.
pub fn split_remedy(message: &str) -> (String, Option<String>) {
    match message.rsplit_once("; ") {
        Some((fact, remedy)) => (fact.to_owned(), Some(remedy.to_owned())),
        None => (message.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "title = \"bär\"\n[time]\nend = 1.0\nstep = -1\n";

    fn problem(span: Option<Range<usize>>) -> Problem {
        Problem {
            message: "`time.step` is -1, not a positive number".into(),
            span,
            key: Some("time.step".into()),
            label: None,
            help: Some("give a positive number".into()),
        }
    }

    fn plain(problems: &[Problem]) -> String {
        render_with(Path::new("ball.toml"), TEXT, problems, Severity::Error, theme(false))
    }

    #[test]
    fn a_problem_is_rendered_with_its_location_and_remedy() {
        let start = TEXT.find("-1").unwrap();
        let lines = [
            "error: `time.step` is -1, not a positive number",
            "   ,-[ball.toml:4:8 time.step]",
            " 3 | end = 1.0",
            " 4 | step = -1",
            "   :        ^^",
            "   `----",
            "  help: give a positive number",
            "",
            "",
        ];
        assert_eq!(plain(&[problem(Some(start..start + 2))]), lines.join("\n"));
    }

    #[test]
    fn a_problem_without_a_location_is_rendered_with_its_remedy() {
        let lines =
            ["error: `time.step` is -1, not a positive number", "  help: give a positive number", "", ""];
        assert_eq!(plain(&[problem(None)]), lines.join("\n"));
    }

    #[test]
    fn all_problems_are_rendered() {
        let report = plain(&[problem(Some(0..5)), problem(Some(15..21))]);
        assert_eq!(report.matches("error: ").count(), 2);
        assert!(report.contains("ball.toml:1:1") && report.contains("ball.toml:2:1"), "{report}");
    }

    #[test]
    fn spans_beyond_the_text_are_drawn_at_its_end() {
        for span in [0..1000, 900..1000, TEXT.len()..TEXT.len(), 11..11] {
            assert!(plain(&[problem(Some(span))]).contains("ball.toml"));
        }
    }

    #[test]
    fn remedies_are_printed_on_their_own_line() {
        assert_eq!(super::plain("error", "a; b; c"), "error: a; b\n  help: c\n");
        assert_eq!(super::plain("warning", "a"), "warning: a\n");
        let file = |message| in_file("error", Path::new("m.msh"), message);
        assert_eq!(file("m.msh:3: a: b; c"), "error: a: b\n  --> m.msh:3\n  help: c\n");
        assert_eq!(file("m.msh, byte 7: a"), "error: a\n  --> m.msh, byte 7\n");
        assert_eq!(file("m.msh: a; c"), "error: a\n  --> m.msh\n  help: c\n");
        assert_eq!(file("a; c"), "error: a\n  help: c\n");
    }

    #[test]
    fn only_terminals_get_colours() {
        let problems = [problem(Some(0..5))];
        assert!(!plain(&problems).contains('\u{1b}'));
        let coloured = GraphicalTheme::unicode();
        let text = render_with(Path::new("ball.toml"), TEXT, &problems, Severity::Warning, coloured);
        assert!(text.contains('\u{1b}'));
    }
}
