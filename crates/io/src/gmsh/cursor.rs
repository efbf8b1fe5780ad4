//! Sequential reader of the bytes of a mesh file: lines, words and numbers.

use super::error::{GmshError, Place, Position};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

/// Position in the bytes of a mesh file.
///
/// The functions `int`, `size` and `float` are named after the types in binary files. In ASCII encoding, they read the
/// next word.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    file: &'a str,
    pub encoding: Encoding,
    /// Tag of the section being read, such as `$Nodes`, for messages and for `end_section`.
    pub section: &'a str,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8], file: &'a str) -> Self {
        Self { bytes, at: 0, file, encoding: Encoding::Ascii, section: "$MeshFormat" }
    }

    pub fn file(&self) -> String {
        self.file.to_owned()
    }

    /// Place of the cursor in the file, for messages: the line in ASCII encoding, otherwise the byte offset.
    pub fn place(&self) -> Place {
        let position = match self.encoding {
            Encoding::Ascii => {
                // After a line was read, the byte before the cursor is its line break. This line break does not count,
                // so that the place is the line that was read.
                let before = &self.bytes[..self.at.saturating_sub(1)];
                Position::Line(1 + before.iter().filter(|&&byte| byte == b'\n').count())
            }
            Encoding::LittleEndian | Encoding::BigEndian => Position::Byte(self.at),
        };
        Place { file: self.file(), position }
    }

    /// Number of bytes after the cursor. A node or element has at least one byte, so the result is an upper bound on
    /// the number of nodes or elements that follow.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Reads the rest of the line, without white space at both ends; `None` at the end of the file.
    pub fn line(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        if rest.is_empty() {
            return None;
        }
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        self.at = (self.at + end + 1).min(self.bytes.len());
        Some(rest[..end].trim_ascii())
    }

    /// Skips lines until a line starts with `$`, and returns this line; `None` if no such line follows.
    pub fn next_section(&mut self) -> Option<&'a [u8]> {
        loop {
            let line = self.line()?;
            if line.starts_with(b"$") {
                return Some(line);
            }
        }
    }

    /// Skips the rest of the section `name`, such as `$Periodic`, and the line of its end tag. The end tag can be
    /// anywhere in a line, because the data before it can be binary.
    pub fn skip_section(&mut self, name: &'a [u8]) -> Result<(), GmshError> {
        self.section = std::str::from_utf8(name).unwrap_or("an unknown section");
        let end = [b"$End", name.strip_prefix(b"$").unwrap_or(name)].concat();
        let from = self.bytes[self.at..].windows(end.len()).position(|window| window == end);
        match from {
            Some(offset) => {
                self.at += offset;
                self.line();
                Ok(())
            }
            None => {
                self.at = self.bytes.len();
                Err(self.truncated("the end of the section"))
            }
        }
    }

    /// Reads the end tag of the current section.
    pub fn end_section(&mut self) -> Result<(), GmshError> {
        let word = self.word("the end of the section")?;
        let ends =
            word.strip_prefix(b"$End").is_some_and(|name| Some(name) == self.section.as_bytes().get(1..));
        if ends { Ok(()) } else { Err(self.unexpected("the end of the section", word)) }
    }

    /// Reads the next word. White space or the end of the file ends a word.
    pub fn word(&mut self, expected: &'static str) -> Result<&'a [u8], GmshError> {
        let rest = &self.bytes[self.at..];
        let Some(start) = rest.iter().position(|byte| !byte.is_ascii_whitespace()) else {
            self.at = self.bytes.len();
            return Err(self.truncated(expected));
        };
        let rest = &rest[start..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at += start + length;
        Ok(&rest[..length])
    }

    /// Reads decimal text in any encoding, because the header of a binary file is text.
    pub fn text_integer(&mut self, expected: &'static str) -> Result<i64, GmshError> {
        let word = self.word(expected)?;
        std::str::from_utf8(word)
            .ok()
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| self.unexpected(expected, word))
    }

    pub fn int(&mut self, expected: &'static str) -> Result<i32, GmshError> {
        match self.encoding {
            Encoding::Ascii => {
                let value = self.text_integer(expected)?;
                i32::try_from(value)
                    .map_err(|_| self.out_of_range(expected, value.into(), "a 32-bit integer"))
            }
            Encoding::LittleEndian => self.take(expected).map(i32::from_le_bytes),
            Encoding::BigEndian => self.take(expected).map(i32::from_be_bytes),
        }
    }

    /// Reads an unsigned 64-bit integer (`size_t`).
    pub fn size(&mut self, expected: &'static str) -> Result<u64, GmshError> {
        match self.encoding {
            Encoding::Ascii => {
                let word = self.word(expected)?;
                let digit = |value: u64, byte: &u8| {
                    let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
                    value.checked_mul(10)?.checked_add(digit)
                };
                word.iter().try_fold(0, digit).ok_or_else(|| self.unexpected(expected, word))
            }
            Encoding::LittleEndian => self.take(expected).map(u64::from_le_bytes),
            Encoding::BigEndian => self.take(expected).map(u64::from_be_bytes),
        }
    }

    /// Reads a floating-point number, which may be infinite or NaN.
    pub fn float(&mut self, expected: &'static str) -> Result<f64, GmshError> {
        match self.encoding {
            Encoding::Ascii => {
                let word = self.word(expected)?;
                std::str::from_utf8(word)
                    .ok()
                    .and_then(|text| text.parse().ok())
                    .ok_or_else(|| self.unexpected(expected, word))
            }
            Encoding::LittleEndian => self.take(expected).map(f64::from_le_bytes),
            Encoding::BigEndian => self.take(expected).map(f64::from_be_bytes),
        }
    }

    pub fn take<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N], GmshError> {
        match self.bytes[self.at..].first_chunk() {
            Some(chunk) => {
                self.at += N;
                Ok(*chunk)
            }
            None => {
                self.at = self.bytes.len();
                Err(self.truncated(expected))
            }
        }
    }

    pub fn truncated(&self, expected: &'static str) -> GmshError {
        GmshError::Truncated { place: self.place(), section: self.section.to_owned(), expected }
    }

    pub fn unexpected(&self, expected: &'static str, found: &[u8]) -> GmshError {
        const SHOWN: usize = 40;
        let text = String::from_utf8_lossy(&found[..found.len().min(SHOWN)]);
        let found = text.chars().flat_map(char::escape_debug).collect();
        GmshError::Unexpected { place: self.place(), section: self.section.to_owned(), expected, found }
    }

    pub fn out_of_range(&self, what: &'static str, found: i128, allowed: &'static str) -> GmshError {
        GmshError::OutOfRange { place: self.place(), what, found, allowed }
    }
}
