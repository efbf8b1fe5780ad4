//! Dimensions, colours and strokes of figures.

use plotters::prelude::*;

/// Width of a figure \[pixels\]: 85 mm at 300 dots per inch.
pub const WIDTH: u32 = 1004;

/// Font of all texts.
pub const FONT: &str = "sans-serif";
/// Size of the font \[pixels\]: about 8 pt at 300 dots per inch.
pub const SIZE: u32 = 32;

/// Colours of lines and intervals. Readers with red–green colour blindness can distinguish the colours (Okabe & Ito
/// 2008). Printed in grey, the colours differ in lightness.
pub const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(120, 94, 60),
];

/// Lengths of dash and gap \[pixels\] in the lines of each run; `None` for solid lines.
pub const DASHES: [Option<(i32, i32)>; 4] = [None, Some((16, 8)), Some((4, 8)), Some((28, 10))];

/// Result of drawing.
pub type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Resolution and strokes of an output format.
#[derive(Clone, Copy)]
pub struct Paper {
    /// Number of pixels of the output per pixel of the figure.
    pub zoom: u32,
    /// Strokes of solid lines. A bitmap has one stroke per segment, because thick polylines have artefacts at sharp
    /// corners.
    pub strokes: Strokes,
}

/// Division of a solid line into strokes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Strokes {
    /// One stroke per line.
    Whole,
    /// One stroke per segment.
    Segments,
}

impl Paper {
    /// Converts a length from pixels of the figure to pixels of the output.
    pub fn px(self, length: u32) -> u32 {
        self.zoom * length
    }

    /// Converts the stroke width of a style from pixels of the figure to pixels of the output.
    pub fn style(self, style: ShapeStyle) -> ShapeStyle {
        style.stroke_width(self.px(style.stroke_width))
    }

    /// Converts a coordinate from pixels of the figure to pixels of the output.
    pub fn at(self, length: i32) -> i32 {
        self.zoom as i32 * length
    }
}
