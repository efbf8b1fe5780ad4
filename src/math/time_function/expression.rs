//! Expressions of `t`: read once into a postfix program, evaluated on a small stack without allocation.
//!
//! Operators and their precedence are left to winnow's Pratt parser (Pratt, *Top down operator precedence*, POPL
//! 1973), which knows the way of mathematics: `-t^2` is −(t²) and `2^3^2` is 2⁹. Crates that also evaluate let a
//! sign bind tighter than any operator, and a load of the wrong sign is a silent fault; nor do they tell where in
//! the text a fault is.

use std::f64::consts;

use winnow::Parser;
use winnow::ascii::{digit0, digit1};
use winnow::combinator::{Infix, Prefix, alt, cut_err, eof, expression, fail, opt, peek, preceded};
use winnow::error::{ErrMode, ParserError};
use winnow::stream::{LocatingSlice, Location, Stateful};
use winnow::token::{one_of, take, take_while};

use super::TimeFunctionError;
use super::jet::Jet;

/// What an expression can use.
pub const EXPRESSION_NAMES: &str = "t [s], pi, e; + - * / ^; < <= > >= == != (0 or 1); min(a, b), max(a, b); abs, sqrt, exp, \
                         ln, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, floor, sign, step, smoothstep";

/// Largest nesting, and size of the evaluation stack.
pub(super) const DEPTH_LIMIT: usize = 32;

/// An expression of `t`, ready to be evaluated.
#[derive(Clone, Debug)]
pub struct Expression {
    text: Box<str>,
    program: Vec<Instruction>,
}

/// Expressions are the same that are written the same.
impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

type Unary = fn(Jet) -> Jet;
type Binary = fn(Jet, Jet) -> Jet;

#[derive(Clone, Copy, Debug)]
enum Instruction {
    Number(f64),
    Time,
    Unary(Unary),
    Binary(Binary),
}

impl Expression {
    /// Reads `text`.
    pub(super) fn parse(text: &str) -> Result<Self, TimeFunctionError> {
        let mut input = Input { input: LocatingSlice::new(text), state: 0 };
        match whole(&mut input) {
            Ok(part) => Ok(Self { text: text.into(), program: part.program }),
            Err(ErrMode::Backtrack(fault) | ErrMode::Cut(fault)) => Err(fault.in_text(text)),
            Err(ErrMode::Incomplete(_)) => Err(Fault::from_input(&input).in_text(text)),
        }
    }

    /// Whether `t` occurs.
    pub(super) fn uses_time(&self) -> bool {
        self.program.iter().any(|instruction| matches!(instruction, Instruction::Time))
    }

    /// Value and derivatives; the parser made sure that the stack neither under- nor overflows.
    pub(super) fn evaluate(&self, time: Jet) -> Jet {
        let mut stack = [Jet::constant(0.0); DEPTH_LIMIT];
        let mut top = 0;
        for instruction in &self.program {
            match *instruction {
                Instruction::Number(value) => {
                    stack[top] = Jet::constant(value);
                    top += 1;
                }
                Instruction::Time => {
                    stack[top] = time;
                    top += 1;
                }
                Instruction::Unary(function) => stack[top - 1] = function(stack[top - 1]),
                Instruction::Binary(function) => {
                    top -= 1;
                    stack[top - 1] = function(stack[top - 1], stack[top]);
                }
            }
        }
        stack[0]
    }
}

/// Functions of one argument.
const UNARY: [(&str, Unary); 17] = [
    ("abs", Jet::abs),
    ("sqrt", Jet::sqrt),
    ("exp", Jet::exp),
    ("ln", Jet::ln),
    ("sin", Jet::sin),
    ("cos", Jet::cos),
    ("tan", Jet::tan),
    ("asin", Jet::asin),
    ("acos", Jet::acos),
    ("atan", Jet::atan),
    ("sinh", Jet::sinh),
    ("cosh", Jet::cosh),
    ("tanh", Jet::tanh),
    ("floor", Jet::floor),
    ("sign", Jet::sign),
    ("step", Jet::step),
    ("smoothstep", Jet::smoothstep),
];

/// Functions of two arguments.
const BINARY: [(&str, Binary); 2] = [("min", Jet::min), ("max", Jet::max)];

fn truth(holds: bool) -> Jet {
    Jet::constant(f64::from(holds))
}

/// The text that is left, and how many brackets, functions, signs and powers are open.
type Input<'a> = Stateful<LocatingSlice<&'a str>, usize>;
type Parsed<T> = Result<T, ErrMode<Fault>>;
type Sign<'a> = Prefix<Input<'a>, Part, ErrMode<Fault>>;
type Operator<'a> = Infix<Input<'a>, Part, ErrMode<Fault>>;

/// A part of the text in postfix order.
struct Part {
    program: Vec<Instruction>,
    /// Values it needs on the stack.
    stack: usize,
}

impl Part {
    fn leaf(instruction: Instruction) -> Self {
        Self { program: vec![instruction], stack: 1 }
    }

    fn map(mut self, function: Unary) -> Self {
        self.program.push(Instruction::Unary(function));
        self
    }

    fn join(mut self, mut right: Self, function: Binary, input: &Input) -> Parsed<Self> {
        self.stack = self.stack.max(1 + right.stack);
        if self.stack > DEPTH_LIMIT {
            return Err(ErrMode::Cut(Fault::TooDeep { at: input.current_token_start() }));
        }
        self.program.append(&mut right.program);
        self.program.push(Instruction::Binary(function));
        Ok(self)
    }
}

fn whole(input: &mut Input) -> Parsed<Part> {
    let part = comparison(input)?;
    expect((space, eof), "an operator or the end", input)?;
    Ok(part)
}

/// Anything: comparisons bind least, and at most one stands between two brackets.
fn comparison(input: &mut Input) -> Parsed<Part> {
    let part = expression(operand).prefix(sign).infix(operator).parse_next(input)?;
    // The parser above leaves no operator but a comparison after a comparison.
    match opt(peek(operator)).parse_next(input)? {
        Some(_) => Err(ErrMode::Cut(Fault::ChainedComparison { at: input.current_token_start() })),
        None => Ok(part),
    }
}

fn sign<'a>(input: &mut Input<'a>) -> Parsed<Sign<'a>> {
    let sign = preceded(space, one_of(['+', '-'])).parse_next(input)?;
    open(input)?;
    Ok(match sign {
        '-' => Prefix(7, |input, part| close(input, part.map(|a| -a))),
        _ => Prefix(7, close),
    })
}

/// The number is how tightly an operator binds; `^` binds tighter than a sign before it.
fn operator<'a>(input: &mut Input<'a>) -> Parsed<Operator<'a>> {
    use Infix::{Left, Neither, Right};
    let symbol = alt(("<=", ">=", "==", "!=", take(1_usize)));
    match preceded(space, symbol).parse_next(input)? {
        "<=" => Ok(Neither(1, |input, a, b| a.join(b, |a, b| truth(a.value <= b.value), input))),
        ">=" => Ok(Neither(1, |input, a, b| a.join(b, |a, b| truth(a.value >= b.value), input))),
        "==" => Ok(Neither(1, |input, a, b| a.join(b, |a, b| truth(a.value == b.value), input))),
        "!=" => Ok(Neither(1, |input, a, b| a.join(b, |a, b| truth(a.value != b.value), input))),
        "<" => Ok(Neither(1, |input, a, b| a.join(b, |a, b| truth(a.value < b.value), input))),
        ">" => Ok(Neither(1, |input, a, b| a.join(b, |a, b| truth(a.value > b.value), input))),
        "+" => Ok(Left(3, |input, a, b| a.join(b, |a, b| a + b, input))),
        "-" => Ok(Left(3, |input, a, b| a.join(b, |a, b| a - b, input))),
        "*" => Ok(Left(5, |input, a, b| a.join(b, |a, b| a * b, input))),
        "/" => Ok(Left(5, |input, a, b| a.join(b, |a, b| a / b, input))),
        "^" => {
            open(input)?;
            Ok(Right(9, |input, a, b| close(input, a.join(b, Jet::power, input)?)))
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

/// What stands in brackets, after the first of them.
fn inner(input: &mut Input) -> Parsed<Part> {
    open(input)?;
    let part = cut_err(comparison).parse_next(input)?;
    close(input, part)
}

/// One level more; bounds the recursion of the parser.
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

/// What is wrong, at a byte of the text or in the white space before what is wrong.
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

    /// The only parsers whose failure is told as it is are those of operands.
    fn from_input(input: &Input<'a>) -> Self {
        Self::Unexpected { expected: "a number, a name or `(`", at: input.current_token_start() }
    }

    fn into_inner(self) -> Result<Self, Self> {
        Ok(self)
    }
}
