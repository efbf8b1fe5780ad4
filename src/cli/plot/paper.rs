//! Dimensions, colours and strokes of figures.

use plotters::prelude::*;

/// 85 mm at 300 dots per inch.
pub const WIDTH: u32 = 1004;

pub const FONT: &str = "sans-serif";
/// About 8 pt at 300 dots per inch.
pub const SIZE: u32 = 32;

/// Distinct for readers with red–green colour blindness (Okabe & Ito 2008), and in greyscale.
pub const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(120, 94, 60),
];

/// Dash and gap \[pixels\] in the lines of each run; `None` for solid lines.
pub const DASHES: [Option<(i32, i32)>; 4] = [None, Some((16, 8)), Some((4, 8)), Some((28, 10))];

pub type Drawn = Result<(), Box<dyn std::error::Error>>;

#[derive(Clone, Copy)]
pub struct Paper {
    /// Output pixels per pixel of the figure.
    pub zoom: u32,
    /// [`Strokes::Segments`] in bitmaps: there, thick polylines have artefacts at sharp corners.
    pub strokes: Strokes,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Strokes {
    /// One stroke per line.
    Whole,
    /// One stroke per segment of a line.
    Segments,
}

impl Paper {
    /// Converts to pixels of the output.
    pub fn px(self, length: u32) -> u32 {
        self.zoom * length
    }

    /// Converts the stroke width to pixels of the output.
    pub fn style(self, style: ShapeStyle) -> ShapeStyle {
        style.stroke_width(self.px(style.stroke_width))
    }

    /// Converts to pixels of the output.
    pub fn at(self, length: i32) -> i32 {
        self.zoom as i32 * length
    }
}
