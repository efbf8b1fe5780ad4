//! The `DataArray` element: numbers compressed block by block and encoded in base64.
//!
//! The element contains two base64 texts: the header, and all compressed blocks. Numbers are little-endian. The header
//! consists of 64-bit integers:
//!
//! ```text
//! [number of blocks] [bytes of a block] [bytes of the last block, 0 if it is full] [compressed bytes of each block …]
//! ```
//!
//! # Source
//! "VTK XML file formats", section "Compressed data".

use std::fmt::Display;
use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::{Compress, Compression, FlushCompress, Status};

/// Length of a full block before compression \[bytes\]: a multiple of the size of each number type.
const BLOCK_BYTES: usize = 1 << 16;
/// Length of the sample from the middle of a block \[bytes\]. The sample is compressed first; if it shrinks enough, the
/// block is compressed.
const SAMPLE_BYTES: usize = 1 << 12;
/// Smallest ratio of compressed to uncompressed size of a sample at which its block is stored without compression.
/// Mantissas of velocities and stresses hardly shrink, and their compression takes the longest.
const INCOMPRESSIBLE: f64 = 0.9;
/// Number of bytes encoded at once: a multiple of 3, so that padding occurs only at the end of the text.
const BASE64_BYTES: usize = 3 << 14;
/// Level of compression. On simulation fields, higher levels take twice the time and save a seventh of the size.
const LEVEL: u32 = 1;

pub(super) trait Number: Copy {
    const TYPE: &'static str;

    /// Appends the little-endian bytes.
    fn append_to(self, bytes: &mut Vec<u8>);
}

macro_rules! number {
    ($type:ty, $name:literal) => {
        impl Number for $type {
            const TYPE: &'static str = $name;

            fn append_to(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        }
    };
}
number!(f64, "Float64");
number!(i32, "Int32");
number!(i64, "Int64");
number!(u8, "UInt8");

#[derive(Clone, Copy, Debug)]
pub(super) struct ArrayHeader<'a> {
    pub name: &'a str,
    /// Number of components per point or cell.
    pub num_components: usize,
    /// Empty for components without names.
    pub component_names: &'a [&'a str],
}

impl<'a> ArrayHeader<'a> {
    pub fn new(name: &'a str, num_components: usize) -> Self {
        Self { name, num_components, component_names: &[] }
    }
}

/// Writer of arrays. Buffers and compressors are reused for each array.
#[derive(Debug)]
pub(super) struct ArrayEncoder {
    compressor: Compress,
    /// Writes zlib streams without compression, for blocks that do not shrink enough.
    storer: Compress,
    block: Vec<u8>,
    sample: Vec<u8>,
    compressed: Vec<u8>,
    block_sizes: Vec<u64>,
    base64: String,
}

impl Default for ArrayEncoder {
    fn default() -> Self {
        Self {
            compressor: Compress::new(Compression::new(LEVEL), true),
            storer: Compress::new(Compression::none(), true),
            block: Vec::new(),
            sample: Vec::new(),
            compressed: Vec::new(),
            block_sizes: Vec::new(),
            base64: String::new(),
        }
    }
}

impl ArrayEncoder {
    pub fn write<T: Number>(
        &mut self,
        writer: &mut dyn Write,
        header: ArrayHeader<'_>,
        values: impl IntoIterator<Item = T>,
    ) -> io::Result<()> {
        self.compress(values)?;
        let ArrayHeader { name, num_components, component_names } = header;
        write!(writer, "<DataArray type=\"{}\" Name=\"{}\"", T::TYPE, Escaped(name))?;
        if num_components > 1 {
            // meshio reads scalars with this attribute as matrices of one column.
            write!(writer, " NumberOfComponents=\"{num_components}\"")?;
        }
        for (component, name) in component_names.iter().enumerate() {
            write!(writer, " ComponentName{component}=\"{}\"", Escaped(name))?;
        }
        writer.write_all(b" format=\"binary\">")?;
        let sizes: Vec<u8> = self.block_sizes.iter().flat_map(|size| size.to_le_bytes()).collect();
        write_base64(writer, &sizes, &mut self.base64)?;
        write_base64(writer, &self.compressed, &mut self.base64)?;
        writer.write_all(b"</DataArray>\n")
    }

    fn compress<T: Number>(&mut self, values: impl IntoIterator<Item = T>) -> io::Result<()> {
        self.compressed.clear();
        self.block_sizes.clear();
        self.block_sizes.extend([0, BLOCK_BYTES as u64, 0]);
        self.block.clear();
        for value in values {
            value.append_to(&mut self.block);
            if self.block.len() == BLOCK_BYTES {
                self.compress_block()?;
            }
        }
        if !self.block.is_empty() {
            self.block_sizes[2] = self.block.len() as u64;
            self.compress_block()?;
        }
        Ok(())
    }

    fn compress_block(&mut self) -> io::Result<()> {
        let start = self.compressed.len();
        let compressor = if self.block_shrinks()? { &mut self.compressor } else { &mut self.storer };
        append_stream(compressor, &self.block, &mut self.compressed)?;
        self.block_sizes[0] += 1;
        self.block_sizes.push((self.compressed.len() - start) as u64);
        self.block.clear();
        Ok(())
    }

    /// Whether the block is to be compressed. A block shorter than four samples is always compressed.
    fn block_shrinks(&mut self) -> io::Result<bool> {
        if self.block.len() < 4 * SAMPLE_BYTES {
            return Ok(true);
        }
        let start = (self.block.len() - SAMPLE_BYTES) / 2;
        self.sample.clear();
        append_stream(&mut self.compressor, &self.block[start..start + SAMPLE_BYTES], &mut self.sample)?;
        Ok((self.sample.len() as f64) < INCOMPRESSIBLE * SAMPLE_BYTES as f64)
    }
}

/// Appends `bytes` to `stream` as one zlib stream.
fn append_stream(compressor: &mut Compress, bytes: &[u8], stream: &mut Vec<u8>) -> io::Result<()> {
    compressor.reset();
    loop {
        // Data that do not shrink grow by a few bytes in compression.
        let remaining = &bytes[compressor.total_in() as usize..];
        stream.reserve(remaining.len() + 256);
        if compressor.compress_vec(remaining, stream, FlushCompress::Finish)? == Status::StreamEnd {
            return Ok(());
        }
    }
}

fn write_base64(writer: &mut dyn Write, bytes: &[u8], text: &mut String) -> io::Result<()> {
    for chunk in bytes.chunks(BASE64_BYTES) {
        text.clear();
        BASE64.encode_string(chunk, text);
        writer.write_all(text.as_bytes())?;
    }
    Ok(())
}

/// Text escaped for an XML attribute in double quotes.
pub(super) struct Escaped<'a>(pub &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => formatter.write_str("&amp;")?,
                '<' => formatter.write_str("&lt;")?,
                '>' => formatter.write_str("&gt;")?,
                '"' => formatter.write_str("&quot;")?,
                '\t' | '\n' | '\r' => write!(formatter, "&#{};", u32::from(character))?,
                // XML 1.0 excludes all other control characters below U+0020.
                control if control.is_control() => formatter.write_str("\u{fffd}")?,
                other => write!(formatter, "{other}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn header_of<T: Number>(values: impl IntoIterator<Item = T>) -> Vec<u64> {
        let mut encoder = ArrayEncoder::default();
        encoder.compress(values).unwrap();
        assert_eq!(encoder.block_sizes[3..].iter().sum::<u64>(), encoder.compressed.len() as u64);
        encoder.block_sizes[..3].to_vec()
    }

    #[test]
    fn the_header_counts_blocks_and_the_bytes_of_the_last() {
        let block = BLOCK_BYTES as u64;
        assert_eq!(header_of::<f64>([]), [0, block, 0]);
        assert_eq!(header_of([1.0_f64]), [1, block, 8]);
        assert_eq!(header_of(vec![1_i32; BLOCK_BYTES / 4]), [1, block, 0]);
        assert_eq!(header_of(vec![1_i32; BLOCK_BYTES / 4 + 1]), [2, block, 4]);
    }

    #[test]
    fn blocks_that_do_not_shrink_are_stored() {
        let count = BLOCK_BYTES / 8;
        let without_pattern = (0..count).map(|k| (k as f64 + 0.5).sqrt().sin());
        let smooth = (0..count).map(|k| (k / 64) as f64);
        let mut encoder = ArrayEncoder::default();
        let values: Vec<f64> = without_pattern.chain(smooth).collect();
        encoder.compress(values.iter().copied()).unwrap();
        let [stored, shrunk] = [encoder.block_sizes[3], encoder.block_sizes[4]].map(|size| size as usize);
        assert!((BLOCK_BYTES..BLOCK_BYTES + 64).contains(&stored), "{stored}");
        assert!(shrunk < BLOCK_BYTES / 4, "{shrunk}");
        let mut bytes = Vec::new();
        for stream in [&encoder.compressed[..stored], &encoder.compressed[stored..]] {
            flate2::read::ZlibDecoder::new(stream).read_to_end(&mut bytes).unwrap();
        }
        let expected: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        assert!(bytes == expected);
    }

    #[test]
    fn names_cannot_break_the_document() {
        assert_eq!(Escaped("a<b> & \"c\"\n\0").to_string(), "a&lt;b&gt; &amp; &quot;c&quot;&#10;\u{fffd}");
    }
}
