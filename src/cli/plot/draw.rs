//! Writes figures as SVG and PNG: 85 mm wide, as a column of a paper, at 300 dots per inch.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use plotters::coord::Shift;
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::element::PathElement;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};

use super::figure::{Axis, Figure, Line, Panel};
use super::legend::{draw_legend, entries, legend_height, names, run_entries, shade_of, style_of};
use super::paper::{DASHES, Drawn, FONT, Paper, SIZE, Strokes, WIDTH};
use super::scale::Scale;
use crate::cli::args::Units;
use crate::cli::failure::Failure;

/// Height in pixels.
const FIRST_PANEL: u32 = 540;
/// Height in pixels.
const OTHER_PANEL: u32 = 330;

/// Number of drawn pixels per pixel of the PNG, in each direction (supersampling).
const FINE: u32 = 3;

/// Largest number of points of a line: two per column of pixels.
const MOST_POINTS: usize = 2 * WIDTH as usize;

type Chart<'a, DB, Y> = ChartContext<'a, DB, Cartesian2d<RangedCoordf64, Y>>;

pub fn write(figure: &Figure, units: Units, directory: &Path) -> Result<[PathBuf; 2], Failure> {
    // Registration fails only for invalid font data. The data of this embedded font are valid.
    let font = register_font(FONT, FontStyle::Normal, dejavu::sans::regular());
    debug_assert!(font.is_ok());
    let paths = ["svg", "png"].map(|ending| directory.join(format!("{}.{ending}", figure.name)));
    write_svg(figure, units, &paths[0]).map_err(|error| Failure::cannot_write(&paths[0], &error))?;
    write_png(figure, units, &paths[1]).map_err(|error| Failure::cannot_write(&paths[1], &error))?;
    Ok(paths)
}

fn write_svg(figure: &Figure, units: Units, path: &Path) -> Drawn {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, size_of(figure)).into_drawing_area();
        draw(figure, units, Paper { zoom: 1, strokes: Strokes::Whole }, &root)?;
        root.present()?;
    }
    // The default mitre joins end in spikes at sharp corners.
    Ok(std::fs::write(path, text.replacen("<svg ", "<svg stroke-linejoin=\"round\" ", 1))?)
}

fn write_png(figure: &Figure, units: Units, path: &Path) -> Drawn {
    let (width, height) = size_of(figure);
    let fine = (FINE * width, FINE * height);
    let mut pixels = vec![255; (3 * fine.0 * fine.1) as usize];
    {
        let root = BitMapBackend::with_buffer(&mut pixels, fine).into_drawing_area();
        draw(figure, units, Paper { zoom: FINE, strokes: Strokes::Segments }, &root)?;
        root.present()?;
    }
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), width, height);
    encoder.set_color(png::ColorType::Rgb);
    // 300 dots per inch are 11 811 pixels per metre.
    encoder.set_pixel_dims(Some(png::PixelDimensions { xppu: 11_811, yppu: 11_811, unit: png::Unit::Meter }));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&coarse(&pixels, width as usize))?;
    Ok(writer.finish()?)
}

/// Means over squares of `FINE` × `FINE` pixels. `width` is the width of the result \[pixels\].
fn coarse(pixels: &[u8], width: usize) -> Vec<u8> {
    let fine = FINE as usize;
    let row = 3 * fine * width;
    let mean = |rows: &[u8], x: usize, channel: usize| {
        let inside = (0..fine * fine).map(|k| rows[k / fine * row + 3 * (x * fine + k % fine) + channel]);
        (inside.map(u32::from).sum::<u32>() / (FINE * FINE)) as u8
    };
    let of_rows = |rows: &[u8]| (0..3 * width).map(|k| mean(rows, k / 3, k % 3)).collect::<Vec<u8>>();
    pixels.chunks_exact(row * fine).flat_map(of_rows).collect()
}

fn size_of(figure: &Figure) -> (u32, u32) {
    let others = figure.panels.len().saturating_sub(1) as u32;
    let legends: i32 = figure.panels.iter().map(|panel| legend_height(&panel.label, &entries(panel))).sum();
    let runs = legend_height("", &run_entries(figure));
    (WIDTH, FIRST_PANEL + others * OTHER_PANEL + (legends + runs) as u32)
}

fn draw<DB: DrawingBackend>(
    figure: &Figure,
    units: Units,
    paper: Paper,
    root: &DrawingArea<DB, Shift>,
) -> Drawn
where
    DB::ErrorType: 'static,
{
    root.fill(&WHITE)?;
    let runs = run_entries(figure);
    let (head, mut rest) = root.split_vertically(paper.at(legend_height("", &runs)));
    draw_legend("", &runs, paper, &head)?;
    let [start, end] = figure.span;
    let time = Scale::of("time", "s", start.abs().max(end.abs()), units);
    for (index, panel) in figure.panels.iter().enumerate() {
        let entries = entries(panel);
        let height = if index == 0 { FIRST_PANEL } else { OTHER_PANEL } as i32;
        let (legend, below) = rest.split_vertically(paper.at(legend_height(&panel.label, &entries)));
        let (area, below) = below.split_vertically(paper.at(height));
        let scale = Scale::of_lines(&panel.label, panel.unit, &panel.lines, units);
        draw_legend(&scale.label, &entries, paper, &legend)?;
        draw_panel(panel, [&time, &scale], figure.span, paper, &area)?;
        rest = below;
    }
    Ok(())
}

fn draw_panel<DB: DrawingBackend>(
    panel: &Panel,
    [time, scale]: [&Scale; 2],
    span: [f64; 2],
    paper: Paper,
    area: &DrawingArea<DB, Shift>,
) -> Drawn
where
    DB::ErrorType: 'static,
{
    let [start, end] = span.map(|instant| instant / time.factor);
    let mut builder = ChartBuilder::on(area);
    builder
        .margin_top(paper.px(6))
        .margin_right(paper.px(34))
        .x_label_area_size(paper.px(86))
        .y_label_area_size(paper.px(112));
    match panel.axis {
        Axis::Linear => {
            let (low, high) = range(panel, scale.factor);
            let of_value = digits(high - low);
            let chart = builder.build_cartesian_2d(start..end, low..high)?;
            draw_lines(panel, [time, scale], [low, high], &|value| written(value, of_value), paper, chart)
        }
        Axis::Logarithmic => {
            let (low, high) = decades(panel, scale.factor);
            let chart = builder.build_cartesian_2d(start..end, (low..high).log_scale())?;
            draw_lines(panel, [time, scale], [low, high], &|value| written(value, 9), paper, chart)
        }
    }
}

/// `low` and `high` are the ends of the value axis, and `label` returns the text at a value on this axis.
fn draw_lines<DB: DrawingBackend, Y>(
    panel: &Panel,
    [time, scale]: [&Scale; 2],
    [low, high]: [f64; 2],
    label: &dyn Fn(f64) -> String,
    paper: Paper,
    mut chart: Chart<'_, DB, Y>,
) -> Drawn
where
    DB::ErrorType: 'static,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let font = (FONT, paper.px(SIZE)).into_font().color(&BLACK);
    let span = chart.x_range();
    let of_time = digits(span.end - span.start);
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(215, 215, 215).stroke_width(paper.px(1)))
        .axis_style(BLACK.stroke_width(paper.px(2)))
        .set_all_tick_mark_size(paper.px(8))
        .x_labels(6)
        .y_labels(6)
        .x_label_formatter(&|value| written(*value, of_time))
        .y_label_formatter(&|value| label(*value))
        .x_desc(time.label.as_str())
        .axis_desc_style(font.clone())
        .label_style(font)
        .draw()?;
    for (index, interval) in panel.intervals.iter().enumerate() {
        let [from, to] = interval.span.map(|instant| instant / time.factor);
        chart.draw_series([Rectangle::new([(from, low), (to, high)], shade_of(index).filled())])?;
    }
    let names = names(panel);
    for line in &panel.lines {
        let in_units = |(t, value): &(f64, f64)| (t / time.factor, value / scale.factor);
        let points = thinned(&line.points).iter().map(in_units).collect();
        draw_line(line, points, paper.style(style_of(line, &names)), paper, &mut chart)?;
    }
    Ok(())
}

/// `points` are in the units of the axes.
fn draw_line<DB: DrawingBackend, Y>(
    line: &Line,
    points: Vec<(f64, f64)>,
    style: ShapeStyle,
    paper: Paper,
    chart: &mut Chart<'_, DB, Y>,
) -> Drawn
where
    DB::ErrorType: 'static,
    Y: Ranged<ValueType = f64>,
{
    match (DASHES[line.run % DASHES.len()], paper.strokes) {
        (Some((dash, gap)), _) => {
            chart.draw_series(DashedLineSeries::new(points, paper.at(dash), paper.at(gap), style))?;
        }
        (None, Strokes::Whole) => {
            chart.draw_series(LineSeries::new(points, style))?;
        }
        (None, Strokes::Segments) => {
            chart.draw_series(points.windows(2).map(|pair| PathElement::new(pair.to_vec(), style)))?;
        }
    }
    Ok(())
}

/// Ends of a linear value axis. The range contains zero and all finite values divided by `factor`, with a margin at the
/// top, and with one at the bottom if a value is negative.
fn range(panel: &Panel, factor: f64) -> (f64, f64) {
    let values = panel.lines.iter().flat_map(|line| line.points.iter().map(|point| point.1 / factor));
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((0.0_f64, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    let margin = if high > low { 0.05 * (high - low) } else { 1.0 };
    (if low < 0.0 { low - margin } else { 0.0 }, high + margin)
}

/// Ends of a logarithmic axis: powers of ten that enclose all values divided by `factor`.
fn decades(panel: &Panel, factor: f64) -> (f64, f64) {
    let values = || panel.lines.iter().flat_map(|line| line.points.iter().map(|point| point.1 / factor));
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    (10.0_f64.powf(least.log10().floor()), 10.0_f64.powf(most.log10().ceil()))
}

/// Number of decimals, at most 9, with which labels differ if they are a sixth of `span` apart.
fn digits(span: f64) -> usize {
    if span > 0.0 { (1.0 - (span / 6.0).log10()).floor().clamp(0.0, 9.0) as usize } else { 1 }
}

/// At most `digits` decimals, without trailing zeros.
fn written(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.replace('-', "−") }
}

/// All points if there are at most [`MOST_POINTS`]. Otherwise, divides the points into at most [`MOST_POINTS`]/2
/// sections, and keeps the points of smallest and of largest value in each section.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if points.len() <= MOST_POINTS {
        return points.to_vec();
    }
    let of_span = |span: &[(f64, f64)]| {
        let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let [least, largest] = [span.iter().min_by(by_value), span.iter().max_by(by_value)];
        let mut both: Vec<(f64, f64)> = least.into_iter().chain(largest).copied().collect();
        both.sort_by(|a, b| a.0.total_cmp(&b.0));
        both
    };
    points.chunks(points.len().div_ceil(MOST_POINTS / 2)).flat_map(of_span).collect()
}
