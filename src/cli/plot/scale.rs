//! Units and scale factors of axes.

use super::figure::{Line, largest};
use crate::cli::args::Units;
use crate::cli::print;

#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// Number on the axis = value / `factor`.
    pub factor: f64,
    pub label: String,
}

const PREFIXES: [(i32, &str); 8] =
    [(-12, "p"), (-9, "n"), (-6, "µ"), (-3, "m"), (0, ""), (3, "k"), (6, "M"), (9, "G")];

impl Scale {
    /// Scale for values up to `size`, with an SI prefix if the unit takes one, and a power of ten otherwise.
    pub fn of(what: &str, unit: &str, size: f64, units: Units) -> Self {
        let power = power_of_thousand(size);
        let prefix = PREFIXES.iter().find(|(other, _)| *other == power).map(|(_, prefix)| *prefix);
        let takes_prefix =
            units == Units::SI && matches!(unit, "s" | "J" | "N" | "m" | "Pa" | "m/s" | "N s" | "N m s");
        if let (true, Some(prefix)) = (takes_prefix, prefix) {
            return Self { factor: 10.0_f64.powi(power), label: format!("{what} [{prefix}{unit}]") };
        }
        let unit = if units == Units::SI && unit != "-" { unit } else { "" };
        let power_text = if power == 0 { String::new() } else { format!("10{}", superscript(power)) };
        let inside = [power_text.as_str(), unit]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
        let label = if inside.is_empty() { what.to_owned() } else { format!("{what} [{inside}]") };
        Self { factor: 10.0_f64.powi(power), label }
    }

    pub fn of_lines(what: &str, unit: &str, lines: &[Line], units: Units) -> Self {
        Self::of(what, unit, largest(lines), units)
    }
}

pub fn with_unit(value: f64, unit: &str, units: Units) -> String {
    let Scale { factor, label } = Scale::of("", unit, value.abs(), units);
    let number = print::number(value / factor);
    match label.trim().trim_start_matches('[').trim_end_matches(']') {
        "" => number,
        unit if unit.starts_with("10") => format!("{number}·{unit}"),
        unit => format!("{number} {unit}"),
    }
}

/// The exponent p, a multiple of three, for which size/10^p has one to three digits before the decimal point.
fn power_of_thousand(size: f64) -> i32 {
    if size > 0.0 && size.is_finite() { ((size.log10() + 1e-9) / 3.0).floor() as i32 * 3 } else { 0 }
}

fn superscript(power: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => char::from_u32(0x2070 + c.to_digit(10).unwrap_or(0)).unwrap_or(c),
    };
    power.to_string().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_few_digits() {
        let label = |unit, size, units| Scale::of("x", unit, size, units).label;
        assert_eq!(label("s", 2e-4, Units::SI), "x [µs]");
        assert_eq!(label("N", 29_922.0, Units::SI), "x [kN]");
        assert_eq!(label("J", 1000.0, Units::SI), "x [kJ]");
        assert_eq!(label("m/s²", 5e4, Units::SI), "x [10³ m/s²]");
        assert_eq!(label("-", 6.4e-5, Units::SI), "x [10⁻⁶]");
        assert_eq!(label("N", 29_922.0, Units::Unknown), "x [10³]");
        assert_eq!(label("N", 0.0, Units::Unknown), "x");
        assert_eq!(Scale::of("x", "s", 2e-4, Units::SI).factor, 1e-6);
        assert_eq!(with_unit(6e-3, "s", Units::SI), "6 ms");
        assert_eq!(with_unit(6e-3, "s", Units::Unknown), "6·10⁻³");
        assert_eq!(with_unit(-2.5, "m/s²", Units::SI), "-2.5 m/s²");
    }
}
