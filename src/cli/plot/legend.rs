//! Legends above the panels.

use plotters::coord::Shift;
use plotters::element::PathElement;
use plotters::prelude::*;

use super::figure::{Figure, Line, Panel, Weight};
use super::paper::{COLOURS, DASHES, Drawn, FONT, Paper, SIZE, WIDTH};

/// Height of a row \[pixels\].
const LINE_HEIGHT: i32 = 44;

/// Length of a sample stroke \[pixels\].
const SAMPLE: i32 = 50;
/// Gap after the name of an entry \[pixels\].
const GAP: i32 = 36;
/// Left margin \[pixels\].
const LEFT: i32 = 16;

/// Distinct names in the order of the lines.
pub fn names(panel: &Panel) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for line in &panel.lines {
        if !names.contains(&line.name.as_str()) {
            names.push(&line.name);
        }
    }
    names
}

/// The colour of a faint line `NAME` is a paler tone of the colour of the line `NAME, FILTER`.
pub fn style_of(line: &Line, names: &[&str]) -> ShapeStyle {
    let place = names.iter().position(|name| *name == line.name).unwrap_or(0);
    let of_filtered = |name: &&str| name.starts_with(&format!("{},", line.name));
    match line.weight {
        Weight::Plain => COLOURS[place % COLOURS.len()].stroke_width(4),
        Weight::Faint => {
            let place = names.iter().position(of_filtered).unwrap_or(place);
            COLOURS[place % COLOURS.len()].mix(0.4).stroke_width(2)
        }
    }
}

pub struct Entry {
    name: String,
    style: ShapeStyle,
    dashes: Option<(i32, i32)>,
}

/// Colour of the interval `index` of a panel: a pale tone of [`COLOURS`], in reverse order.
pub fn shade_of(index: usize) -> RGBAColor {
    COLOURS[COLOURS.len() - 1 - index % COLOURS.len()].mix(0.25)
}

pub fn entries(panel: &Panel) -> Vec<Entry> {
    let names = names(panel);
    let entry = |name: &&str| {
        let line = panel.lines.iter().find(|line| line.name == *name)?;
        Some(Entry { name: (*name).to_owned(), style: style_of(line, &names), dashes: None })
    };
    let of_intervals = panel.intervals.iter().enumerate().map(|(index, interval)| Entry {
        name: interval.name.clone(),
        style: shade_of(index).stroke_width(LINE_HEIGHT as u32 / 2),
        dashes: None,
    });
    names.iter().filter_map(entry).chain(of_intervals).collect()
}

/// Empty for a single run.
pub fn run_entries(figure: &Figure) -> Vec<Entry> {
    let entry = |(run, name): (usize, &String)| Entry {
        name: name.clone(),
        style: RGBColor(90, 90, 90).stroke_width(4),
        dashes: DASHES[run % DASHES.len()],
    };
    figure.runs.iter().enumerate().map(entry).collect()
}

/// Upper estimate of the width of `text` \[pixels\]: 0.48 of the font size per letter. The mean is 0.41.
fn width_of(text: &str) -> i32 {
    (0.48 * f64::from(SIZE) * text.chars().count() as f64) as i32
}

/// Place of each entry: x \[pixels\] and row.
fn places(heading: &str, entries: &[Entry]) -> Vec<(i32, i32)> {
    // Five gaps leave space for the unit after the heading.
    let start = if heading.is_empty() { LEFT } else { LEFT + width_of(heading) + 5 * GAP };
    let (mut x, mut row) = (start, 0);
    let place = |entry: &Entry| {
        let width = SAMPLE + 12 + width_of(&entry.name) + GAP;
        if x > LEFT && x + width > WIDTH as i32 {
            (x, row) = (LEFT, row + 1);
        }
        let place = (x, row);
        x += width;
        place
    };
    entries.iter().map(place).collect()
}

/// In pixels.
pub fn legend_height(heading: &str, entries: &[Entry]) -> i32 {
    let rows = places(heading, entries).last().map_or(0, |(_, row)| row + 1);
    let rows = if heading.is_empty() { rows } else { rows.max(1) };
    if rows > 0 { rows * LINE_HEIGHT + 10 } else { 0 }
}

pub fn draw_legend<DB: DrawingBackend>(
    heading: &str,
    entries: &[Entry],
    paper: Paper,
    area: &DrawingArea<DB, Shift>,
) -> Drawn
where
    DB::ErrorType: 'static,
{
    let font = (FONT, paper.px(SIZE)).into_font().color(&BLACK);
    let text = |text: &str, x: i32, y: i32| {
        Text::new(text.to_owned(), (paper.at(x), paper.at(y - SIZE as i32 / 2 - 2)), font.clone())
    };
    if !heading.is_empty() {
        area.draw(&text(heading, LEFT, LINE_HEIGHT / 2 + 6))?;
    }
    // `area` has the height that `legend_height` returned for the heading without its unit. The same text gives the
    // same rows here.
    let name = heading.split(" [").next().unwrap_or_default();
    for (entry, (x, row)) in entries.iter().zip(places(name, entries)) {
        let y = row * LINE_HEIGHT + LINE_HEIGHT / 2;
        let (dash, gap) = entry.dashes.unwrap_or((SAMPLE, 1));
        let mut from = x;
        while from < x + SAMPLE {
            let ends = [from, (from + dash).min(x + SAMPLE)].map(|x| (paper.at(x), paper.at(y)));
            area.draw(&PathElement::new(ends.to_vec(), paper.style(entry.style)))?;
            from += dash + gap;
        }
        area.draw(&text(&entry.name, x + SAMPLE + 12, y + 6))?;
    }
    Ok(())
}
