//! Expressions of `t`: parsed once into a postfix program, evaluated on a small stack without allocation.
//!
//! A Pratt parser (Pratt, *Top down operator precedence*, POPL 1973) groups operators as in mathematics: `-t^2` is
//! −(t²) and `2^3^2` is 2⁹. Published crates read `-t^2` as (−t)², which reverses the sign, and do not locate errors in
//! the text.

use std::f64::consts;

use winnow::Parser;
use winnow::ascii::{digit0, digit1};
use winnow::combinator::{Infix, Prefix, alt, cut_err, eof, expression, fail, opt, peek, preceded};
use winnow::error::{ErrMode, ParserError};
use winnow::stream::{LocatingSlice, Location, Stateful};
use winnow::token::{one_of, take, take_while};

use super::breaks::Switch;
use super::enclosure::Enclosure;
use super::error::TimeFunctionError;
use super::jet::Jet;
use super::program::{Binary, Crossing, DEPTH_LIMIT, Instruction, Program, Unary};

/// A parsed expression of `t`.
#[derive(Clone, Debug)]
pub struct Expression {
    text: Box<str>,
    program: Program,
    /// Possible kinks and jumps.
    switches: Vec<Switch>,
}

/// Expressions are equal if their texts are equal.
impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Expression {
    pub(super) fn parse(text: &str) -> Result<Self, TimeFunctionError> {
        let mut input = Input { input: LocatingSlice::new(text), state: 0 };
        match whole(&mut input) {
            Ok(part) => {
                Ok(Self { text: text.into(), program: Program::new(part.program), switches: part.switches })
            }
            Err(ErrMode::Backtrack(fault) | ErrMode::Cut(fault)) => Err(fault.in_text(text)),
            Err(ErrMode::Incomplete(_)) => Err(Fault::from_input(&input).in_text(text)),
        }
    }

    pub(super) fn uses_time(&self) -> bool {
        self.program.uses_time()
    }

    /// Value and first two derivatives. `time` is `Jet::variable(t)`, or `Jet::constant(t)` for the value alone.
    pub(super) fn evaluate(&self, time: Jet) -> Jet {
        self.program.evaluate(time)
    }

    /// Bounds on the value and the slope over the time from `from` to `to`.
    pub(super) fn enclose(&self, from: f64, to: f64) -> Enclosure {
        self.program.enclose(from, to)
    }

    pub(super) fn switches(&self) -> &[Switch] {
        &self.switches
    }
}

macro_rules! unary {
    ($name:ident, $crossing:expr) => {
        (stringify!($name), Unary { of_jets: Jet::$name, of_ranges: Enclosure::$name, crossing: $crossing })
    };
}

const UNARY: [(&str, Unary); 17] = [
    unary!(abs, Some(Crossing::Zero)),
    unary!(sqrt, None),
    unary!(exp, None),
    unary!(ln, None),
    unary!(sin, None),
    unary!(cos, None),
    unary!(tan, None),
    unary!(asin, None),
    unary!(acos, None),
    unary!(atan, None),
    unary!(sinh, None),
    unary!(cosh, None),
    unary!(tanh, None),
    unary!(floor, Some(Crossing::Integers)),
    unary!(sign, Some(Crossing::Zero)),
    unary!(step, Some(Crossing::Zero)),
    unary!(smoothstep, None),
];

const NEGATIVE: Unary = Unary { of_jets: |a| -a, of_ranges: |a| -a, crossing: None };

macro_rules! binary {
    ($operator:tt) => {
        Binary { of_jets: |a, b| a $operator b, of_ranges: |a, b| a $operator b, has_break: false }
    };
    ($name:ident, $has_break:expr) => {
        Binary { of_jets: Jet::$name, of_ranges: Enclosure::$name, has_break: $has_break }
    };
    ($of_jets:expr, $of_ranges:expr) => {
        Binary { of_jets: |a, b| truth($of_jets(&a.value, &b.value)), of_ranges: $of_ranges, has_break: true }
    };
}

const DIFFERENCE: Binary = binary!(-);

const BINARY: [(&str, Binary); 2] = [("min", binary!(min, true)), ("max", binary!(max, true))];

fn truth(holds: bool) -> Jet {
    Jet::constant(f64::from(holds))
}

/// State of the parser: the remaining text, and the number of open brackets, functions, signs and powers (nesting
/// level).
type Input<'a> = Stateful<LocatingSlice<&'a str>, usize>;
type Parsed<T> = Result<T, ErrMode<Fault>>;
type Sign<'a> = Prefix<Input<'a>, Part, ErrMode<Fault>>;
type Operator<'a> = Infix<Input<'a>, Part, ErrMode<Fault>>;

struct Part {
    /// In postfix order.
    program: Vec<Instruction>,
    /// Size of the evaluation stack for `program`.
    stack: usize,
    switches: Vec<Switch>,
}

impl Part {
    fn leaf(instruction: Instruction) -> Self {
        Self { program: vec![instruction], stack: 1, switches: Vec::new() }
    }

    fn map(mut self, function: Unary) -> Self {
        if let Some(crossing) = function.crossing {
            self.switch(self.program.clone(), crossing);
        }
        self.program.push(Instruction::Unary(function));
        self
    }

    fn join(mut self, mut right: Self, function: Binary, input: &Input) -> Parsed<Self> {
        self.stack = self.stack.max(1 + right.stack);
        if self.stack > DEPTH_LIMIT {
            return Err(ErrMode::Cut(Fault::TooDeep { at: input.current_token_start() }));
        }
        self.program.append(&mut right.program);
        self.switches.append(&mut right.switches);
        if function.has_break {
            let difference = [self.program.as_slice(), &[Instruction::Binary(DIFFERENCE)]].concat();
            self.switch(difference, Crossing::Zero);
        }
        self.program.push(Instruction::Binary(function));
        Ok(self)
    }

    /// Records a possible kink or jump where `argument` crosses zero or an integer.
    fn switch(&mut self, argument: Vec<Instruction>, crossing: Crossing) {
        let argument = Program::new(argument);
        if argument.uses_time() {
            self.switches.push(Switch { argument, crossing });
        }
    }
}

fn whole(input: &mut Input) -> Parsed<Part> {
    let part = comparison(input)?;
    expect((space, eof), "an operator or the end", input)?;
    Ok(part)
}

/// Parses an expression with at most one comparison outside brackets.
fn comparison(input: &mut Input) -> Parsed<Part> {
    let part = expression(operand).prefix(sign).infix(operator).parse_next(input)?;
    // The only operator that the parser above does not consume is a second comparison.
    match opt(peek(operator)).parse_next(input)? {
        Some(_) => Err(ErrMode::Cut(Fault::ChainedComparison { at: input.current_token_start() })),
        None => Ok(part),
    }
}

fn sign<'a>(input: &mut Input<'a>) -> Parsed<Sign<'a>> {
    let sign = preceded(space, one_of(['+', '-'])).parse_next(input)?;
    open(input)?;
    Ok(match sign {
        '-' => Prefix(7, |input, part| close(input, part.map(NEGATIVE))),
        _ => Prefix(7, close),
    })
}

/// Parses an operator and gives its binding power. `^` binds tighter than a preceding sign.
fn operator<'a>(input: &mut Input<'a>) -> Parsed<Operator<'a>> {
    use Infix::{Left, Neither, Right};
    let symbol = alt(("<=", ">=", "==", "!=", take(1_usize)));
    match preceded(space, symbol).parse_next(input)? {
        "<=" => {
            Ok(Neither(1, |input, a, b| a.join(b, binary!(f64::le, |a, b| a.is_below(b, f64::le)), input)))
        }
        ">=" => {
            Ok(Neither(1, |input, a, b| a.join(b, binary!(f64::ge, |a, b| b.is_below(a, f64::le)), input)))
        }
        "==" => Ok(Neither(1, |input, a, b| a.join(b, binary!(f64::eq, Enclosure::equals), input))),
        "!=" => Ok(Neither(1, |input, a, b| a.join(b, binary!(f64::ne, Enclosure::differs), input))),
        "<" => {
            Ok(Neither(1, |input, a, b| a.join(b, binary!(f64::lt, |a, b| a.is_below(b, f64::lt)), input)))
        }
        ">" => {
            Ok(Neither(1, |input, a, b| a.join(b, binary!(f64::gt, |a, b| b.is_below(a, f64::lt)), input)))
        }
        "+" => Ok(Left(3, |input, a, b| a.join(b, binary!(+), input))),
        "-" => Ok(Left(3, |input, a, b| a.join(b, DIFFERENCE, input))),
        "*" => Ok(Left(5, |input, a, b| a.join(b, binary!(*), input))),
        "/" => Ok(Left(5, |input, a, b| a.join(b, binary!(/), input))),
        "^" => {
            open(input)?;
            Ok(Right(9, |input, a, b| close(input, a.join(b, binary!(power, false), input)?)))
        }
        _ => fail.parse_next(input),
    }
}

fn operand(input: &mut Input) -> Parsed<Part> {
    preceded(space, alt((number, brackets, name))).parse_next(input)
}

fn number(input: &mut Input) -> Parsed<Part> {
    let decimal = alt(((digit1, opt((".", digit0))).void(), (".", digit1).void()));
    let exponent = (one_of(['e', 'E']), opt(one_of(['+', '-'])), digit1);
    let number = (decimal, opt(exponent)).take().parse_to();
    number.map(|value| Part::leaf(Instruction::Number(value))).parse_next(input)
}

fn brackets(input: &mut Input) -> Parsed<Part> {
    "(".parse_next(input)?;
    let part = inner(input)?;
    expect((space, ")"), "an operator or `)`", input)?;
    Ok(part)
}

fn name(input: &mut Input) -> Parsed<Part> {
    let start = input.current_token_start();
    let first = one_of(|c: char| c.is_alphabetic() || c == '_');
    let name =
        (first, take_while(0.., |c: char| c.is_alphanumeric() || c == '_')).take().parse_next(input)?;
    match name {
        "t" => return Ok(Part::leaf(Instruction::Time)),
        "pi" | "π" => return Ok(Part::leaf(Instruction::Number(consts::PI))),
        "e" => return Ok(Part::leaf(Instruction::Number(consts::E))),
        _ => {}
    }
    let unary = UNARY.iter().find(|entry| entry.0 == name);
    let binary = BINARY.iter().find(|entry| entry.0 == name);
    if unary.is_none() && binary.is_none() {
        return Err(ErrMode::Cut(Fault::UnknownName { at: start, name: name.into() }));
    }
    expect((space, "("), "`(` after a function", input)?;
    let mut part = inner(input)?;
    if let Some((_, function)) = unary {
        part = part.map(*function);
    }
    if let Some((_, function)) = binary {
        expect((space, ","), "`,` and a second argument", input)?;
        part = part.join(inner(input)?, *function, input)?;
    }
    expect((space, ")"), "an operator or `)`", input)?;
    Ok(part)
}

/// Parses an expression after `(` or `,`, one nesting level deeper.
fn inner(input: &mut Input) -> Parsed<Part> {
    open(input)?;
    let part = cut_err(comparison).parse_next(input)?;
    close(input, part)
}

/// Increases the nesting level. `DEPTH_LIMIT` bounds the recursion of the parser.
fn open(input: &mut Input) -> Parsed<()> {
    input.state += 1;
    if input.state < DEPTH_LIMIT {
        return Ok(());
    }
    Err(ErrMode::Cut(Fault::TooDeep { at: input.current_token_start() }))
}

fn close(input: &mut Input, part: Part) -> Parsed<Part> {
    input.state -= 1;
    Ok(part)
}

fn expect<'a, T>(
    mut wanted: impl Parser<Input<'a>, T, ErrMode<Fault>>,
    expected: &'static str,
    input: &mut Input<'a>,
) -> Parsed<()> {
    let at = input.current_token_start();
    let found = wanted.parse_next(input);
    found.map(|_| ()).map_err(|_| ErrMode::Cut(Fault::Unexpected { expected, at }))
}

fn space<'a>(input: &mut Input<'a>) -> Parsed<&'a str> {
    take_while(0.., char::is_whitespace).parse_next(input)
}

/// Parse error. `at` is the byte offset of the fault, or of white space before the fault.
#[derive(Debug)]
enum Fault {
    Unexpected { expected: &'static str, at: usize },
    UnknownName { name: String, at: usize },
    ChainedComparison { at: usize },
    TooDeep { at: usize },
}

impl Fault {
    fn in_text(self, text: &str) -> TimeFunctionError {
        let text_from = |at: usize| text.get(at..).unwrap_or_default().trim_start();
        let place = |at: usize| text.len() - text_from(at).len();
        let text = text.to_owned();
        match self {
            Self::Unexpected { expected, at } => {
                let found = text_from(at).chars().next().map_or("its end".into(), |c| format!("`{c}`"));
                TimeFunctionError::Unexpected { found, expected, at: place(at), text }
            }
            Self::UnknownName { name, at } => TimeFunctionError::UnknownName { name, at, text },
            Self::ChainedComparison { at } => TimeFunctionError::ChainedComparison { at: place(at), text },
            Self::TooDeep { at } => TimeFunctionError::TooDeep { at },
        }
    }
}

impl<'a> ParserError<Input<'a>> for Fault {
    type Inner = Self;

    /// Error of a missing operand. All other errors are constructed where the parser finds them.
    fn from_input(input: &Input<'a>) -> Self {
        Self::Unexpected { expected: "a number, a name or `(`", at: input.current_token_start() }
    }

    fn into_inner(self) -> Result<Self, Self> {
        Ok(self)
    }
}
