//! Dimensions, colours and strokes of figures.

use plotters::prelude::*;

/// Width of a figure \[pixels\]: 85 mm.
pub const WIDTH: u32 = 1004;

/// Font and its size \[pixels\]: 8 pt.
pub const FONT: &str = "sans-serif";
pub const SIZE: u32 = 32;

/// Colours distinguishable with red–green colour blindness (Okabe & Ito 2008), and by their lightness in grey.
pub const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(120, 94, 60),
];

/// Dash and gap lengths of the runs; the first is solid.
pub const DASHES: [Option<(i32, i32)>; 4] = [None, Some((16, 8)), Some((4, 8)), Some((28, 10))];

/// Result of drawing.
pub type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Resolution and strokes of an output format.
#[derive(Clone, Copy)]
pub struct Paper {
    /// Pixels per unit of length.
    pub zoom: u32,
    /// Strokes of solid lines; in bitmaps one per segment, since thick polylines have artefacts at sharp corners.
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
    /// Pixels of a length.
    pub fn px(self, length: u32) -> u32 {
        self.zoom * length
    }

    /// A style with its width in pixels.
    pub fn style(self, style: ShapeStyle) -> ShapeStyle {
        style.stroke_width(self.px(style.stroke_width))
    }

    /// Pixels of a coordinate.
    pub fn at(self, length: i32) -> i32 {
        self.zoom as i32 * length
    }
}
