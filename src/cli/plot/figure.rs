//! What is to be drawn.

/// A picture: panels under one another, with the same times.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Name of its files.
    pub name: String,
    /// From top to bottom.
    pub panels: Vec<Panel>,
    /// Names of the runs, where there are several.
    pub runs: Vec<String>,
    /// Times that it spans.
    pub span: [f64; 2],
}

/// Lines over time.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What is drawn.
    pub label: String,
    /// Its unit, in SI; `-` for a number.
    pub unit: &'static str,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it is; lines of a name share a colour.
    pub name: String,
    /// Number of its run, which its dashes tell.
    pub run: usize,
    /// How much it stands out.
    pub weight: Weight,
    /// Time and value.
    pub points: Vec<(f64, f64)>,
}

/// How much a line stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// As what it is filtered from.
    Faint,
    /// As others do.
    Plain,
}

/// Largest size of the values of lines.
pub fn largest<'a>(lines: impl IntoIterator<Item = &'a Line>) -> f64 {
    let values = lines.into_iter().flat_map(|line| line.points.iter().map(|point| point.1.abs()));
    values.filter(|value| value.is_finite()).fold(0.0, f64::max)
}
