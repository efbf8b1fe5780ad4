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
    pub label: String,
    /// SI unit; `-` if dimensionless.
    pub unit: &'static str,
    pub axis: Axis,
    pub lines: Vec<Line>,
    pub intervals: Vec<Interval>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The axis contains zero.
    Linear,
    /// For positive values.
    Logarithmic,
}

#[derive(Clone, Debug)]
pub struct Interval {
    pub name: String,
    pub span: [f64; 2],
}

#[derive(Clone, Debug)]
pub struct Line {
    /// Lines with the same name have the same colour.
    pub name: String,
    /// Index of the run, which determines the dashes.
    pub run: usize,
    pub weight: Weight,
    pub points: Vec<(f64, f64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// For unfiltered contact forces, and for unfiltered probe signals if the filtered signal is drawn, too.
    Faint,
    Plain,
}

/// Largest magnitude of the finite values.
pub fn largest<'a>(lines: impl IntoIterator<Item = &'a Line>) -> f64 {
    let values = lines.into_iter().flat_map(|line| line.points.iter().map(|point| point.1.abs()));
    values.filter(|value| value.is_finite()).fold(0.0, f64::max)
}
