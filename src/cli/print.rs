//! Printing. Standard output receives tables or one JSON object, and standard error receives messages.

use std::io::Write;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use ictus::io::summary::{ActiveInstant, FlightDetection};
use ictus::units::UnitSystem;
use serde::Serialize;

/// Ignores write errors: a closed pipe (`ictus mesh … | head`) is not an error, and other errors cannot be reported.
pub fn text(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// If standard error is closed, the message is lost.
pub fn message(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

pub fn json(value: &impl Serialize) {
    if let Ok(mut object) = serde_json::to_string_pretty(value) {
        object.push('\n');
        text(&object);
    }
}

/// A column is aligned left if its name begins with `<`, and right otherwise.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.iter().map(|name| name.trim_start_matches('<')));
    table.add_rows(rows);
    for (column, name) in table.column_iter_mut().zip(header) {
        if !name.starts_with('<') {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt() + "\n"
}

pub fn name_values(pairs: &[(&str, String)]) -> String {
    let width = pairs.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    pairs.iter().map(|(name, value)| format!(" {name:width$}  {value}\n")).collect()
}

/// Largest number of instants with their own row in the table of [`flight`]; the other instants share a row.
const INSTANTS_SHOWN: usize = 12;

/// Table of the wall-clock durations of detection in flight. Empty if detection was not active.
pub fn flight(flight: &FlightDetection, units: UnitSystem) -> String {
    let unit = units.symbol_of("s");
    let FlightDetection { instants, construction_seconds, construction_share, .. } = flight;
    if instants.is_empty() {
        return String::new();
    }
    let row = |name: String, seconds: f64, share: f64| {
        vec![name, format!("{:.3}", 1e3 * seconds), format!("{:.1} %", 100.0 * share)]
    };
    let of_instant =
        |instant: &ActiveInstant| row(format!("{:.9} {unit}", instant.time), instant.seconds, instant.share);
    let mut rows: Vec<_> = instants.iter().take(INSTANTS_SHOWN).map(of_instant).collect();
    let others = &instants[rows.len()..];
    if !others.is_empty() {
        let sum = |of: fn(&ActiveInstant) -> f64| others.iter().map(of).sum();
        rows.push(row(format!("{} more", others.len()), sum(|i| i.seconds), sum(|i| i.share)));
    }
    rows.push(row(
        "hierarchy construction (share of construction + detection)".into(),
        *construction_seconds,
        *construction_share,
    ));
    table(&["<detection at t", "time [ms]", "share"], &rows) + "\n"
}

/// A number that is rounded to zero has no minus sign.
pub fn decimals(value: f64, count: usize) -> String {
    let text = format!("{value:.count$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|c| "0.".contains(c)) => digits.to_owned(),
        _ => text,
    }
}

/// A number with up to six significant digits, or `-` if not finite.
pub fn number(value: f64) -> String {
    const DIGITS: i32 = 6;
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".into() } else { "-".into() };
    }
    let magnitude = value.abs().log10().floor() as i32;
    if !(-4..DIGITS).contains(&magnitude) {
        return format!("{value:.3e}");
    }
    let fixed = format!("{value:.*}", (DIGITS - 1 - magnitude).max(0) as usize);
    match fixed.contains('.') {
        true => fixed.trim_end_matches('0').trim_end_matches('.').into(),
        false => fixed,
    }
}

/// Components with a magnitude below 1e-12 times the largest magnitude are printed as zero.
pub fn point(point: [f64; 3]) -> String {
    const ROUNDING: f64 = 1e-12;
    let largest = point.iter().fold(0.0, |largest, x| x.abs().max(largest));
    let [x, y, z] = point.map(|x| number(if x.abs() < ROUNDING * largest { 0.0 } else { x }));
    format!("({x}, {y}, {z})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_up_to_six_significant_digits() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (14.98, "14.98"),
            (-0.25, "-0.25"),
            (32882.123456, "32882.1"),
            (999_999.6, "1000000"),
            (1e6, "1.000e6"),
            (1.25e-4, "0.000125"),
            (3.6e-7, "3.600e-7"),
            (f64::INFINITY, "-"),
        ];
        for (value, expected) in cases {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn points_are_shown_without_rounding_errors() {
        assert_eq!(point([1.4e-17, 0.0, 196.622]), "(0, 0, 196.622)");
        assert_eq!(point([0.0; 3]), "(0, 0, 0)");
        assert_eq!(point([1e-5, -2e-5, 0.0]), "(1.000e-5, -2.000e-5, 0)");
    }

    #[test]
    fn columns_are_aligned_with_their_names() {
        let rows = [vec!["left".into(), "8".into()], vec!["r".into(), "1024".into()]];
        assert_eq!(table(&["<body", "nodes"], &rows), " body  nodes\n left      8\n r      1024\n");
    }

    #[test]
    fn facts_are_aligned() {
        assert_eq!(name_values(&[("a", "1".into()), ("long", "2".into())]), " a     1\n long  2\n");
    }
}
