//! Expressions of `t`: read once into a postfix program, evaluated on a small stack without allocation.
//!
//! Why not a general expression crate: those at hand give a sign the higher precedence (`-t^2` = t²), group
//! `2^3^2` to the left, or lack comparisons and derivatives, and a load of the wrong sign is a silent fault.

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
    program: Vec<Instruction>,
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
        let mut parser = Parser { text, at: 0, program: Vec::new(), stack: 0 };
        parser.comparison(0)?;
        match parser.peek() {
            None => Ok(Self { program: parser.program }),
            Some(_) => Err(parser.unexpected("an operator or the end")),
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

/// Comparisons, the longer of two that begin alike first.
const COMPARISONS: [(&str, Binary); 6] = [
    ("<=", |a, b| truth(a.value <= b.value)),
    (">=", |a, b| truth(a.value >= b.value)),
    ("==", |a, b| truth(a.value == b.value)),
    ("!=", |a, b| truth(a.value != b.value)),
    ("<", |a, b| truth(a.value < b.value)),
    (">", |a, b| truth(a.value > b.value)),
];

fn truth(holds: bool) -> Jet {
    Jet::constant(f64::from(holds))
}

/// Recursive descent:
///
/// ```text
/// comparison = sum [("<" | "<=" | …) sum]
/// sum        = product {("+" | "-") product}
/// product    = signed {("*" | "/") signed}
/// signed     = ("+" | "-") signed | power
/// power      = primary ["^" signed]
/// primary    = number | "t" | constant | function "(" … ")" | "(" comparison ")"
/// ```
struct Parser<'a> {
    text: &'a str,
    at: usize,
    program: Vec<Instruction>,
    /// Values on the evaluation stack after `program`.
    stack: usize,
}

type Parsed = Result<(), TimeFunctionError>;

impl<'a> Parser<'a> {
    fn comparison(&mut self, depth: usize) -> Parsed {
        self.sum(depth)?;
        let Some(function) = self.comparison_operator() else { return Ok(()) };
        self.sum(depth)?;
        self.push(Instruction::Binary(function))?;
        let at = self.at;
        if self.comparison_operator().is_some() {
            return Err(TimeFunctionError::ChainedComparison { text: self.text.into(), at });
        }
        Ok(())
    }

    fn sum(&mut self, depth: usize) -> Parsed {
        self.product(depth)?;
        loop {
            let function: Binary = match self.peek() {
                Some('+') => |a, b| a + b,
                Some('-') => |a, b| a - b,
                _ => return Ok(()),
            };
            self.at += 1;
            self.product(depth)?;
            self.push(Instruction::Binary(function))?;
        }
    }

    fn product(&mut self, depth: usize) -> Parsed {
        self.signed(depth)?;
        loop {
            let function: Binary = match self.peek() {
                Some('*') => |a, b| a * b,
                Some('/') => |a, b| a / b,
                _ => return Ok(()),
            };
            self.at += 1;
            self.signed(depth)?;
            self.push(Instruction::Binary(function))?;
        }
    }

    fn signed(&mut self, depth: usize) -> Parsed {
        if depth >= DEPTH_LIMIT {
            return Err(TimeFunctionError::TooDeep { at: self.at });
        }
        match self.peek() {
            Some('-') => {
                self.at += 1;
                self.signed(depth + 1)?;
                self.push(Instruction::Unary(|a| -a))
            }
            Some('+') => {
                self.at += 1;
                self.signed(depth + 1)
            }
            _ => self.power(depth),
        }
    }

    fn power(&mut self, depth: usize) -> Parsed {
        self.primary(depth)?;
        if self.accept('^') {
            self.signed(depth + 1)?;
            self.push(Instruction::Binary(Jet::power))?;
        }
        Ok(())
    }

    fn primary(&mut self, depth: usize) -> Parsed {
        const EXPECTED: &str = "a number, a name or `(`";
        match self.peek() {
            Some('(') => {
                self.at += 1;
                self.comparison(depth + 1)?;
                self.require(')', "an operator or `)`")
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.name(depth),
            _ => Err(self.unexpected(EXPECTED)),
        }
    }

    fn number(&mut self) -> Parsed {
        let length = number_length(self.rest().as_bytes());
        match self.rest()[..length].parse() {
            Ok(value) => {
                self.at += length;
                self.push(Instruction::Number(value))
            }
            Err(_) => Err(self.unexpected("a number")),
        }
    }

    fn name(&mut self, depth: usize) -> Parsed {
        let start = self.at;
        let rest = self.rest();
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let name = &rest[..length];
        self.at += length;
        match name {
            "t" => return self.push(Instruction::Time),
            "pi" | "π" => return self.push(Instruction::Number(std::f64::consts::PI)),
            "e" => return self.push(Instruction::Number(std::f64::consts::E)),
            _ => {}
        }
        if let Some((_, function)) = UNARY.iter().find(|entry| entry.0 == name) {
            self.require('(', "`(` after a function")?;
            self.comparison(depth + 1)?;
            self.require(')', "an operator or `)`")?;
            return self.push(Instruction::Unary(*function));
        }
        if let Some((_, function)) = BINARY.iter().find(|entry| entry.0 == name) {
            self.require('(', "`(` after a function")?;
            self.comparison(depth + 1)?;
            self.require(',', "`,` and a second argument")?;
            self.comparison(depth + 1)?;
            self.require(')', "an operator or `)`")?;
            return self.push(Instruction::Binary(*function));
        }
        Err(TimeFunctionError::UnknownName { text: self.text.into(), name: name.into(), at: start })
    }

    /// Appends an instruction and keeps count of the stack it needs.
    fn push(&mut self, instruction: Instruction) -> Parsed {
        match instruction {
            Instruction::Number(_) | Instruction::Time => self.stack += 1,
            Instruction::Unary(_) => {}
            Instruction::Binary(_) => self.stack -= 1,
        }
        if self.stack > DEPTH_LIMIT {
            return Err(TimeFunctionError::TooDeep { at: self.at });
        }
        self.program.push(instruction);
        Ok(())
    }

    fn comparison_operator(&mut self) -> Option<Binary> {
        self.peek();
        let (symbol, function) = COMPARISONS.iter().find(|entry| self.rest().starts_with(entry.0))?;
        self.at += symbol.len();
        Some(*function)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next character that is not white space.
    fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.rest().chars().next()
    }

    fn accept(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn require(&mut self, wanted: char, expected: &'static str) -> Parsed {
        if self.accept(wanted) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn unexpected(&mut self, expected: &'static str) -> TimeFunctionError {
        let found = self.peek().map_or("its end".into(), |c| format!("`{c}`"));
        TimeFunctionError::Unexpected { text: self.text.into(), found, expected, at: self.at }
    }
}

/// Bytes of the unsigned decimal number that `text` begins with, with fraction and exponent; an `e` without
/// digits after it is not an exponent.
fn number_length(text: &[u8]) -> usize {
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut length = digits(0);
    if text.get(length) == Some(&b'.') {
        length += 1 + digits(length + 1);
    }
    if matches!(text.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits((length + 1 + sign).min(text.len()));
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}
