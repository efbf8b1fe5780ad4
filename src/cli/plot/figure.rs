//! Figures, their panels and lines.

/// A figure: panels one below the other, with a common time axis.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Name of the files of the figure, without extension.
    pub name: String,
    /// The panels, from top to bottom.
    pub panels: Vec<Panel>,
    /// Labels of the runs; empty for a single run.
    pub runs: Vec<String>,
    /// First and last time on the time axis.
    pub span: [f64; 2],
}

/// A panel: lines over time with a common value axis.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Name of the quantity.
    pub label: String,
    /// SI unit of the quantity; `-` if dimensionless.
    pub unit: &'static str,
    /// Division of the value axis.
    pub axis: Axis,
    /// The lines.
    pub lines: Vec<Line>,
    /// Shaded intervals of time.
    pub intervals: Vec<Interval>,
}

/// Division of a value axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Linear; the axis contains zero.
    Linear,
    /// Logarithmic, for positive values.
    Logarithmic,
}

/// An interval of time.
#[derive(Clone, Debug)]
pub struct Interval {
    /// Name in the legend.
    pub name: String,
    /// First and last time.
    pub span: [f64; 2],
}

/// A line over time.
#[derive(Clone, Debug)]
pub struct Line {
    /// Name in the legend. Lines with the same name have the same colour.
    pub name: String,
    /// Index of the run. It determines the dashes of the line.
    pub run: usize,
    /// Weight of the stroke.
    pub weight: Weight,
    /// Times and values.
    pub points: Vec<(f64, f64)>,
}

/// Weight of a stroke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Thin and pale, for unfiltered signals.
    Faint,
    /// Normal.
    Plain,
}

/// Largest magnitude of the finite values of lines.
pub fn largest<'a>(lines: impl IntoIterator<Item = &'a Line>) -> f64 {
    let values = lines.into_iter().flat_map(|line| line.points.iter().map(|point| point.1.abs()));
    values.filter(|value| value.is_finite()).fold(0.0, f64::max)
}
