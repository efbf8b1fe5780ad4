//! Checks of single values. A check reports its problems and lets the validation continue.

use std::ops::Range;

use crate::Located;
use crate::error::{Problem, nearest, suggest};
use crate::math::{TimeFunction, TimeFunctionError, Vec3};
use crate::raw::{self, Number, Text, Texts, Triple};
use crate::spanned::Spanned;

#[derive(Clone, Copy, Debug)]
pub(super) enum Bounds {
    Finite,
    Positive,
    NotNegative,
    /// (0, 1].
    Fraction,
    /// \[0, 1\].
    Part,
    /// (−1, 1/2).
    Poisson,
}

impl Bounds {
    fn contains(self, value: f64) -> bool {
        value.is_finite()
            && match self {
                Self::Finite => true,
                Self::Positive => value > 0.0,
                Self::NotNegative => value >= 0.0,
                Self::Fraction => value > 0.0 && value <= 1.0,
                Self::Part => (0.0..=1.0).contains(&value),
                Self::Poisson => value > -1.0 && value < 0.5,
            }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Finite => "a finite number",
            Self::Positive => "a positive number",
            Self::NotNegative => "zero or a positive number",
            Self::Fraction => "a number in (0, 1]",
            Self::Part => "a number in [0, 1]",
            Self::Poisson => "a number in (-1, 0.5)",
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum VectorFunction {
    Constant(Vec3),
    Varying([TimeFunction; 3]),
}

/// Problems and warnings found so far, with spans in `text`.
pub(super) struct Check<'t> {
    text: &'t str,
    pub problems: Vec<Problem>,
    pub warnings: Vec<Problem>,
}

impl<'t> Check<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, problems: Vec::new(), warnings: Vec::new() }
    }

    /// All problems, in the order of their locations. Problems without a location come first.
    pub fn into_problems(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| problem.span.as_ref().map(|span| span.start));
        self.problems
    }

    pub fn report(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    pub fn number(&mut self, key: &str, value: &Number, range: Bounds) -> f64 {
        self.in_range(key, *value.get_ref(), value.span(), range)
    }

    pub fn number_or(&mut self, key: &str, value: Option<&Number>, range: Bounds, default: f64) -> f64 {
        value.map_or(default, |value| self.number(key, value, range))
    }

    pub fn in_range(&mut self, key: &str, value: f64, span: Range<usize>, range: Bounds) -> f64 {
        if !range.contains(value) {
            let problem = Problem::new(format!("`{key}` is {value}, not {}", range.words()));
            self.report(problem.at(span).key(key).help(format!("give {}", range.words())));
        }
        value
    }

    pub fn vector(&mut self, key: &str, value: Option<&Triple>) -> Option<Vec3> {
        let value = value?;
        for component in value.get_ref() {
            self.in_range(key, *component, value.span(), Bounds::Finite);
        }
        Some(Vec3::from(*value.get_ref()))
    }

    /// `None` if a component is not a valid function.
    pub fn vector_function(
        &mut self,
        key: &str,
        value: &Spanned<[Spanned<raw::Function>; 3]>,
    ) -> Option<VectorFunction> {
        let [x, y, z] = value.get_ref().each_ref().map(|component| self.function(key, component));
        Some(match [x?, y?, z?] {
            [TimeFunction::Constant(x), TimeFunction::Constant(y), TimeFunction::Constant(z)] => {
                VectorFunction::Constant(Vec3::new(x, y, z))
            }
            components => VectorFunction::Varying(components),
        })
    }

    /// Unit vector along `value`. A zero vector is reported with the remedy `help`; the result is then `None`.
    pub fn direction(&mut self, key: &str, value: &Triple, help: &str) -> Option<Vec3> {
        let direction = self.vector(key, Some(value))?;
        let largest = direction.amax();
        if largest == 0.0 {
            let problem = Problem::new(format!("`{key}` is the zero vector")).at(value.span()).key(key);
            self.report(problem.help(help));
            return None;
        }
        // Division by the largest component prevents overflow and underflow of the squares in the norm.
        Some((direction / largest).normalize())
    }

    pub fn choice<T: Copy>(&mut self, key: &str, word: &Text, choices: &[(&str, T)]) -> Option<T> {
        let found = choices.iter().find(|(name, _)| name == word.get_ref());
        if found.is_none() {
            let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
            let problem = Problem::new(format!("`{key}` cannot be `{}`", word.get_ref()));
            self.report(problem.at(word.span()).key(key).help(suggest(
                word.get_ref(),
                "it is one of",
                &names,
            )));
        }
        found.map(|(_, value)| *value)
    }

    /// The value that `choices` gives for `word`. Without a word, the value of the first choice.
    pub fn choice_or_first<T: Copy>(
        &mut self,
        key: &str,
        word: Option<&Text>,
        choices: &[(&str, T)],
    ) -> Option<T> {
        match word {
            Some(word) => self.choice(key, word, choices),
            None => choices.first().map(|(_, value)| *value),
        }
    }

    pub fn choices<T: Copy>(&mut self, key: &str, words: &Texts, choices: &[(&str, T)]) -> Option<Vec<T>> {
        self.distinct(key, words.get_ref());
        let values: Vec<_> = words.get_ref().iter().map(|word| self.choice(key, word, choices)).collect();
        values.into_iter().collect()
    }

    pub fn distinct(&mut self, key: &str, words: &[Text]) {
        for (index, word) in words.iter().enumerate() {
            if words[..index].iter().any(|earlier| earlier.get_ref() == word.get_ref()) {
                let problem = Problem::new(format!("`{key}` has `{}` twice", word.get_ref()));
                self.report(problem.at(word.span()).key(key).label("again here").help("keep one"));
            }
        }
    }

    /// Index of `word` in `names`. `kind` is a word for the message, such as “body”.
    pub fn reference(
        &mut self,
        kind: &str,
        names: &[Spanned<String>],
        key: &str,
        word: &Text,
    ) -> Option<usize> {
        let found =
            names.iter().position(|name| !name.get_ref().is_empty() && name.get_ref() == word.get_ref());
        if found.is_none() {
            let known: Vec<_> =
                names.iter().map(|n| n.get_ref().as_str()).filter(|n| !n.is_empty()).collect();
            let problem = Problem::new(format!("there is no {kind} `{}`", word.get_ref()));
            let help = suggest(word.get_ref(), "the file has", &known);
            self.report(problem.at(word.span()).key(key).help(help));
        }
        found
    }

    pub fn name(&mut self, key: &str, word: &Text) {
        if word.get_ref().trim().is_empty() {
            self.report(
                Problem::new(format!("`{key}` is empty")).at(word.span()).key(key).help("give a name"),
            );
        }
    }

    /// Names of physical groups. Only the mesh, read later, shows whether the groups exist.
    pub fn groups(&mut self, key: &str, names: &raw::Names, span: Range<usize>) -> Vec<Located<String>> {
        let located = |word: &Text| Located { value: word.get_ref().clone(), span: word.span() };
        let groups = names.texts(span.clone());
        if groups.is_empty() {
            let problem = Problem::new(format!("`{key}` is an empty list")).at(span).key(key);
            self.report(problem.help("name a physical group, or leave the key out"));
        }
        groups.iter().for_each(|group| self.name(key, group));
        self.distinct(key, &groups);
        groups.iter().map(located).collect()
    }

    /// Name of a physical group. `None` for `"all"` and without a word.
    pub fn group(&mut self, key: &str, word: Option<&Text>) -> Option<Located<String>> {
        let word = word.filter(|word| word.get_ref() != "all")?;
        self.name(key, word);
        Some(Located { value: word.get_ref().clone(), span: word.span() })
    }

    pub fn function(&mut self, key: &str, value: &Spanned<raw::Function>) -> Option<TimeFunction> {
        let function = match value.get_ref() {
            raw::Function::Number(number) => Ok(TimeFunction::Constant(*number)),
            raw::Function::Expression(text) => TimeFunction::expression(text),
            raw::Function::Table(points) => TimeFunction::table(points),
        };
        match function {
            Ok(TimeFunction::Constant(number)) => {
                Some(TimeFunction::Constant(self.in_range(key, number, value.span(), Bounds::Finite)))
            }
            Ok(function) => Some(function),
            Err(error) => {
                let problem = self.function_problem(key, value, &error);
                self.report(problem);
                None
            }
        }
    }

    fn function_problem(
        &self,
        key: &str,
        value: &Spanned<raw::Function>,
        error: &TimeFunctionError,
    ) -> Problem {
        let span = self.inside(value, error).unwrap_or_else(|| value.span());
        let problem = Problem::new(format!("`{key}`: {error}")).at(span).key(key);
        match error {
            TimeFunctionError::UnknownName { name, .. } => {
                let words = crate::math::EXPRESSION_NAMES.split(|c: char| !c.is_ascii_alphanumeric());
                match nearest(name, words.filter(|word| word.len() > 1)) {
                    Some(near) => problem.help(format!("did you mean `{near}`?")),
                    None => problem.help("an expression has the one variable t, the time in seconds"),
                }
            }
            _ => problem,
        }
    }

    /// Byte range in `self.text` of an error within an expression. `None` if `value` is no expression, if the error has
    /// no position, or if the expression is written with escapes or triple quotes.
    fn inside(&self, value: &Spanned<raw::Function>, error: &TimeFunctionError) -> Option<Range<usize>> {
        let raw::Function::Expression(expression) = value.get_ref() else { return None };
        let at = error.at()?;
        let start = value.span().start + 1;
        let written = self.text.get(start..value.span().end)?;
        let fault = written.strip_prefix(expression.as_str()).and_then(|_| written.get(at..))?;
        let word = fault.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(0);
        let length = if word > 0 { word } else { fault.chars().next().map_or(0, char::len_utf8) };
        Some(start + at..start + at + length)
    }
}
