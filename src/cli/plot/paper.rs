//! What figures are drawn on, and with what.

use plotters::prelude::*;

/// Width of a figure \[pixels\]: 85 mm.
pub const WIDTH: u32 = 1004;

/// 8 pt.
pub const FONT: &str = "sans-serif";
pub const SIZE: u32 = 32;

/// Colours that are told apart without red and green (Okabe & Ito 2008), and by their lightness in grey.
pub const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(120, 94, 60),
];

/// Dashes and gaps of the runs: the first is solid.
pub const DASHES: [Option<(i32, i32)>; 4] = [None, Some((16, 8)), Some((4, 8)), Some((28, 10))];

/// What drawing gives.
pub type Drawn = Result<(), Box<dyn std::error::Error>>;

/// How lines are drawn on a kind of paper.
#[derive(Clone, Copy)]
pub struct Paper {
    /// Pixels a unit of length.
    pub zoom: u32,
    /// Whether lines are drawn segment by segment, as the ends of sharp corners of thick ones go astray in pixels.
    pub strokes: Strokes,
}

/// Whether lines are drawn as they are or in pieces.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Strokes {
    /// A line is one stroke.
    Whole,
    /// A stroke a segment.
    Segments,
}

impl Paper {
    /// Pixels of a length.
    pub fn px(self, length: u32) -> u32 {
        self.zoom * length
    }

    /// A style with its width in pixels.
    pub fn style(self, style: ShapeStyle) -> ShapeStyle {
        style.stroke_width(self.px(style.stroke_width))
    }

    /// The same of a coordinate.
    pub fn at(self, length: i32) -> i32 {
        self.zoom as i32 * length
    }
}
