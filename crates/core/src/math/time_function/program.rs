//! Postfix programs, evaluated on jets for derivatives and on intervals for bounds, without allocation.

use super::enclosure::Enclosure;
use super::jet::Jet;

/// Names and operators of expressions.
pub const EXPRESSION_NAMES: &str = "t [s], pi, e; + - * / ^; < <= > >= == != (0 or 1); min(a, b), max(a, b); abs, sqrt, exp, \
                         ln, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, floor, sign, step, smoothstep";

/// Size of the evaluation stack; the nesting level of an expression must be smaller.
pub(super) const DEPTH_LIMIT: usize = 32;

/// Values of the argument at which a function has a kink or a jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crossing {
    Zero,
    Integers,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Unary {
    pub of_jets: fn(Jet) -> Jet,
    pub of_ranges: fn(Enclosure) -> Enclosure,
    /// Kinks and jumps, if any.
    pub crossing: Option<Crossing>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Binary {
    pub of_jets: fn(Jet, Jet) -> Jet,
    pub of_ranges: fn(Enclosure, Enclosure) -> Enclosure,
    /// Whether the function has a kink or a jump where both arguments are equal.
    pub has_break: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Instruction {
    Number(f64),
    Time,
    Unary(Unary),
    Binary(Binary),
}

/// Postfix program. The parser checks that the evaluation neither underflows nor overflows the stack.
#[derive(Clone, Debug)]
pub(super) struct Program(Vec<Instruction>);

trait Arithmetic: Copy {
    fn number(value: f64) -> Self;
    fn unary(function: &Unary) -> fn(Self) -> Self;
    fn binary(function: &Binary) -> fn(Self, Self) -> Self;
}

impl Arithmetic for Jet {
    fn number(value: f64) -> Self {
        Self::constant(value)
    }
    fn unary(function: &Unary) -> fn(Self) -> Self {
        function.of_jets
    }
    fn binary(function: &Binary) -> fn(Self, Self) -> Self {
        function.of_jets
    }
}

impl Arithmetic for Enclosure {
    fn number(value: f64) -> Self {
        Self::constant(value)
    }
    fn unary(function: &Unary) -> fn(Self) -> Self {
        function.of_ranges
    }
    fn binary(function: &Binary) -> fn(Self, Self) -> Self {
        function.of_ranges
    }
}

impl Program {
    pub(super) fn new(instructions: Vec<Instruction>) -> Self {
        Self(instructions)
    }

    fn run<T: Arithmetic>(&self, time: T) -> T {
        let mut stack = [T::number(0.0); DEPTH_LIMIT];
        let mut top = 0;
        for instruction in &self.0 {
            match instruction {
                Instruction::Number(value) => {
                    stack[top] = T::number(*value);
                    top += 1;
                }
                Instruction::Time => {
                    stack[top] = time;
                    top += 1;
                }
                Instruction::Unary(function) => stack[top - 1] = T::unary(function)(stack[top - 1]),
                Instruction::Binary(function) => {
                    top -= 1;
                    stack[top - 1] = T::binary(function)(stack[top - 1], stack[top]);
                }
            }
        }
        stack[0]
    }

    pub(super) fn uses_time(&self) -> bool {
        self.0.iter().any(|instruction| matches!(instruction, Instruction::Time))
    }

    /// Value and first two derivatives. `time` is `Jet::variable(t)`, or `Jet::constant(t)` for the value alone.
    pub(super) fn evaluate(&self, time: Jet) -> Jet {
        self.run(time)
    }

    /// Bounds on the value and the slope over the time from `from` to `to`.
    pub(super) fn enclose(&self, from: f64, to: f64) -> Enclosure {
        self.run(Enclosure::time(from, to))
    }
}
