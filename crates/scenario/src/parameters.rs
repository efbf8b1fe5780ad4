//! `[parameters]`: expressions such as `"=v*2"` are replaced by their values before the tables are read.

use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::error::{Problem, nearest, suggest};
use super::section::join;
use crate::math::{EXPRESSION_NAMES, TimeFunction};

/// Record of a substitution: the original text `before`, and which of its expressions were replaced.
#[derive(Clone, Debug, Default)]
pub(super) struct Substitution {
    pub before: String,
    /// Byte range in `before` of each replaced expression, and the length of its replacement \[bytes\]. The ranges
    /// ascend.
    replaced: Vec<(Range<usize>, usize)>,
    pub warnings: Vec<Problem>,
}

impl Substitution {
    /// Converts the span of a problem from the changed text, the text after the substitution, to `before`.
    pub fn relocate(&self, problem: Problem) -> Problem {
        let span = problem.span.as_ref().map(|span| self.origin(span));
        Problem { span, ..problem }
    }

    /// Converts a span of the changed text to `before`. A span inside a replacement becomes the span of the whole
    /// expression.
    fn origin(&self, span: &Range<usize>) -> Range<usize> {
        self.byte(span.start, false)..self.byte(span.end, true)
    }

    fn byte(&self, byte: usize, is_end: bool) -> usize {
        let mut start = 0;
        let mut last = 0;
        for (old, length) in &self.replaced {
            let new = start + old.start - last;
            if byte < new || (is_end && byte == new) {
                break;
            }
            if byte < new + length || (is_end && byte == new + length) {
                return if is_end { old.end } else { old.start };
            }
            (start, last) = (new + length, old.end);
        }
        last + byte - start
    }
}

struct Parameter {
    name: String,
    /// NaN if the parameter has a problem. Expressions with this parameter then report no further problem.
    value: f64,
    span: Range<usize>,
    is_used: bool,
}

/// An expression `"=…"` at the dotted key `key`. `text` is the part after `=`.
struct Formula {
    key: String,
    text: String,
    span: Range<usize>,
}

/// Replaces all expressions by their values. If `text` is not TOML, it stays unchanged; the syntax error is reported
/// later, when the tables are read.
pub(super) fn apply(text: &str) -> Result<(String, Substitution), Vec<Problem>> {
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut substitution = Substitution { before: text.into(), ..Substitution::default() };
    if !errors.is_empty() {
        return Ok((text.into(), substitution));
    }
    let mut problems = Vec::new();
    let mut formulas = Vec::new();
    for (key, value) in root.get_ref().iter().filter(|(key, _)| key.get_ref() != "parameters") {
        collect(value, key.get_ref(), &mut formulas);
    }
    let mut parameters = parameters(root.get_ref(), &mut problems);
    formulas.sort_by_key(|formula| formula.span.start);
    let mut changed = String::new();
    let mut last = 0;
    for formula in &formulas {
        if uses_faulty(&formula.text, &parameters) {
            continue;
        }
        match evaluate(formula, &mut parameters) {
            Ok(value) => {
                changed.push_str(&text[last..formula.span.start]);
                changed.push_str(&value);
                last = formula.span.end;
                substitution.replaced.push((formula.span.clone(), value.len()));
            }
            Err(problem) => problems.push(problem),
        }
    }
    changed.push_str(&text[last..]);
    substitution.warnings = parameters.iter().filter(|parameter| !parameter.is_used).map(unused).collect();
    if problems.is_empty() { Ok((changed, substitution)) } else { Err(problems) }
}

fn unused(parameter: &Parameter) -> Problem {
    let name = &parameter.name;
    let problem = Problem::new(format!("the parameter `{name}` is not used"));
    let problem = problem.at(parameter.span.clone()).key(join("parameters", name));
    problem.help(format!("use it as in `velocity = [\"={name}\", 0, 0]`, or remove it"))
}

/// The parameters, in file order. The expression of a parameter can contain the parameters above it.
fn parameters(root: &DeTable<'_>, problems: &mut Vec<Problem>) -> Vec<Parameter> {
    let Some(table) = root.get("parameters") else { return Vec::new() };
    let DeValue::Table(entries) = table.get_ref() else {
        let problem = Problem::new("`parameters` is not a table").at(table.span()).key("parameters");
        problems.push(problem.help("write [parameters] above `NAME = NUMBER`"));
        return Vec::new();
    };
    let mut entries: Vec<_> = entries.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let mut known: Vec<Parameter> = Vec::new();
    for (key, value) in entries {
        let name = key.get_ref().to_string();
        let formula = value.get_ref().as_str().and_then(|text| text.strip_prefix('='));
        let found = match formula {
            Some(text) if uses_faulty(text, &known) => Ok(f64::NAN),
            _ => valid_name(&name, key.span()).and_then(|()| value_of(&name, value, &mut known)),
        };
        let value = found.unwrap_or_else(|problem| {
            problems.push(problem);
            f64::NAN
        });
        known.push(Parameter { name, value, span: key.span(), is_used: false });
    }
    known
}

fn uses_faulty(text: &str, parameters: &[Parameter]) -> bool {
    let is_in = |name: &str| names_in(text).any(|place| &text[place] == name);
    parameters.iter().any(|parameter| parameter.value.is_nan() && is_in(&parameter.name))
}

fn valid_name(name: &str, span: Range<usize>) -> Result<(), Problem> {
    let problem = |fact: String| Problem::new(fact).at(span).key(join("parameters", name));
    let is_word = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_word {
        let fact = format!("`{name}` cannot be the name of a parameter");
        return Err(problem(fact).help("use letters, digits and underscores, a letter first"));
    }
    let mut taken = EXPRESSION_NAMES.split(|c: char| !c.is_ascii_alphanumeric());
    if taken.any(|word| word == name) {
        let fact = format!("`{name}` already has a meaning in expressions");
        return Err(problem(fact).help("give the parameter another name"));
    }
    Ok(())
}

fn value_of(name: &str, value: &Spanned<DeValue<'_>>, known: &mut [Parameter]) -> Result<f64, Problem> {
    let key = join("parameters", name);
    let number = f64::deserialize(ValueDeserializer::from(value.clone())).ok();
    let formula = value.get_ref().as_str().and_then(|text| text.strip_prefix('='));
    let problem = |fact: String| Problem::new(fact).at(value.span()).key(key.as_str());
    let found = match (number, formula) {
        (Some(number), _) => number,
        (None, Some(text)) => {
            let formula = Formula { key: key.clone(), text: text.into(), span: value.span() };
            match function(&formula, known)? {
                TimeFunction::Constant(number) => number,
                _ => {
                    let fact = format!("`{key}` depends on the time t");
                    return Err(problem(fact).help("a parameter is a number; use t where a function is read"));
                }
            }
        }
        (None, None) => {
            let fact = format!("`{key}` is not a number");
            return Err(problem(fact).help("write a number, or an expression of the parameters before it"));
        }
    };
    if found.is_finite() {
        return Ok(found);
    }
    Err(problem(format!("`{key}` is {found}, not a finite number")).help("write a finite number"))
}

fn collect(value: &Spanned<DeValue<'_>>, key: &str, formulas: &mut Vec<Formula>) {
    match value.get_ref() {
        DeValue::String(text) => {
            if let Some(text) = text.strip_prefix('=') {
                formulas.push(Formula { key: key.into(), text: text.into(), span: value.span() });
            }
        }
        DeValue::Array(values) => {
            values.iter().enumerate().for_each(|(k, value)| match value.get_ref() {
                DeValue::Table(_) => collect(value, &format!("{key}.{k}"), formulas),
                _ => collect(value, key, formulas),
            });
        }
        DeValue::Table(table) => {
            table.iter().for_each(|(name, value)| collect(value, &join(key, name.get_ref()), formulas));
        }
        _ => {}
    }
}

/// The TOML that replaces an expression. If the expression depends on the time t, this is a string: the expression with
/// each parameter replaced by its value. Otherwise, it is the value of the expression.
fn evaluate(formula: &Formula, parameters: &mut [Parameter]) -> Result<String, Problem> {
    match function(formula, parameters)? {
        TimeFunction::Constant(value) if value.is_finite() => Ok(written(value)),
        TimeFunction::Constant(value) => {
            let problem = Problem::new(format!("`{}`: `={}` is {value}", formula.key, formula.text));
            let problem = problem.at(formula.span.clone()).key(formula.key.as_str());
            Err(problem.help("write an expression with a finite value"))
        }
        _ => Ok(format!("\"{}\"", with_values(&formula.text, parameters))),
    }
}

/// A number as TOML. Whole numbers of magnitude below 10¹⁵ are written as TOML integers, without a decimal point,
/// because a count must be an integer.
fn written(value: f64) -> String {
    const LARGEST_WHOLE: f64 = 1e15;
    if value.fract() == 0.0 && value.abs() < LARGEST_WHOLE {
        format!("{value:.0}")
    } else {
        format!("{value:?}")
    }
}

fn function(formula: &Formula, parameters: &mut [Parameter]) -> Result<TimeFunction, Problem> {
    let Formula { key, text, span } = formula;
    let problem = |fact: String| Problem::new(fact).at(span.clone()).key(key.as_str());
    let words = || EXPRESSION_NAMES.split(|c: char| !c.is_ascii_alphanumeric());
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let is_known = |name: &str| names.contains(&name) || words().any(|word| word == name);
    if let Some(unknown) = names_in(text).find(|name| !is_known(&text[name.clone()])) {
        let unknown = &text[unknown];
        let fact = format!("`{key}`: `={text}` has the unknown name `{unknown}`");
        let help = match nearest(unknown, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => suggest(unknown, "[parameters] above it are", &names),
        };
        return Err(problem(fact).help(help));
    }
    let found = TimeFunction::expression(&with_values(text, parameters));
    found.map_err(|error| problem(format!("`{key}`: {error}")).help("write an expression such as \"=2*v\""))
}

/// Replaces the parameters in an expression by their values and marks them as used.
fn with_values(text: &str, parameters: &mut [Parameter]) -> String {
    let mut changed = String::new();
    let mut last = 0;
    for name in names_in(text) {
        if let Some(parameter) = parameters.iter_mut().find(|parameter| parameter.name == text[name.clone()])
        {
            parameter.is_used = true;
            changed.push_str(&text[last..name.start]);
            changed.push_str(&format!("({:?})", parameter.value));
            last = name.end;
        }
    }
    changed + &text[last..]
}

/// Byte ranges of the names in an expression. The letter `e` in `1e3` is no name.
fn names_in(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + text[at..].find(is_part)?;
            let length = text[start..].find(|c| !is_part(c)).unwrap_or(text.len() - start);
            at = start + length;
            if text[start..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                return Some(start..at);
            }
        }
    })
}
