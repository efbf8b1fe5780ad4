//! Figures, their panels and lines.

/// Panels one below the other, with a common time axis.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Name of the files, without extension.
    pub name: String,
    /// From top to bottom.
    pub panels: Vec<Panel>,
    /// Labels of the runs; empty for a single run.
    pub runs: Vec<String>,
    /// First and last time on the time axis.
    pub span: [f64; 2],
}

/// Lines over time with a common value axis.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Name of the quantity.
    pub label: String,
    /// SI unit; `-` if dimensionless.
    pub unit: &'static str,
    pub axis: Axis,
    pub lines: Vec<Line>,
    /// Shaded intervals of time.
    pub intervals: Vec<Interval>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Contains zero.
    Linear,
    /// For positive values.
    Logarithmic,
}

#[derive(Clone, Debug)]
pub struct Interval {
    /// Name in the legend.
    pub name: String,
    /// First and last time.
    pub span: [f64; 2],
}

#[derive(Clone, Debug)]
pub struct Line {
    /// Name in the legend. Lines with the same name have the same colour.
    pub name: String,
    /// Index of the run, which determines the dashes.
    pub run: usize,
    pub weight: Weight,
    /// Times and values.
    pub points: Vec<(f64, f64)>,
}

/// Weight of a stroke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Thin and pale, for unfiltered signals.
    Faint,
    Plain,
}

/// Largest magnitude of the finite values.
pub fn largest<'a>(lines: impl IntoIterator<Item = &'a Line>) -> f64 {
    let values = lines.into_iter().flat_map(|line| line.points.iter().map(|point| point.1.abs()));
    values.filter(|value| value.is_finite()).fold(0.0, f64::max)
}
