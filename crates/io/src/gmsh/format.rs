//! Common parts of MSH 2.2 and 4.1: the header and the names of physical groups.

use std::collections::BTreeMap;

use super::cursor::{Cursor, Encoding};
use super::error::GmshError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    V4_1,
    V2_2,
}

/// Names of physical groups by (dimension, tag).
pub(super) type PhysicalNames = BTreeMap<(usize, i32), String>;

/// Reads `$MeshFormat` and sets the encoding of the cursor. Sections `$Comments` before `$MeshFormat` are skipped.
pub(super) fn read_header(cursor: &mut Cursor) -> Result<Version, GmshError> {
    loop {
        match cursor.next_section() {
            Some(b"$MeshFormat") => break,
            Some(name @ b"$Comments") => cursor.skip_section(name)?,
            _ => return Err(GmshError::NotGmsh { file: cursor.file() }),
        }
    }
    cursor.section = "$MeshFormat";
    let version = match cursor.word("the version")? {
        b"4.1" => Version::V4_1,
        b"2.2" => Version::V2_2,
        other => {
            let version = String::from_utf8_lossy(&other[..other.len().min(40)]).into_owned();
            return Err(GmshError::UnsupportedVersion { place: cursor.place(), version });
        }
    };
    let binary = match cursor.text_integer("the file type")? {
        0 => false,
        1 => true,
        other => return Err(bad_header(cursor, "the file type", other, "0 (ASCII) or 1 (binary)")),
    };
    match cursor.text_integer("the data size")? {
        8 => {}
        other => return Err(bad_header(cursor, "the data size", other, "8")),
    }
    if binary {
        cursor.line();
        cursor.encoding = read_byte_order(cursor)?;
    }
    cursor.end_section()?;
    Ok(version)
}

fn read_byte_order(cursor: &mut Cursor) -> Result<Encoding, GmshError> {
    match cursor.take("the byte order mark")? {
        [1, 0, 0, 0] => Ok(Encoding::LittleEndian),
        [0, 0, 0, 1] => Ok(Encoding::BigEndian),
        other => {
            Err(bad_header(cursor, "the byte order mark", i32::from_le_bytes(other).into(), "the integer 1"))
        }
    }
}

fn bad_header(cursor: &Cursor, what: &'static str, found: i64, allowed: &'static str) -> GmshError {
    GmshError::BadHeader { place: cursor.place(), what, found: found.to_string(), allowed }
}

/// Reads `$PhysicalNames`: a count, then one line `dimension tag "name"` for each group. The section is text in binary
/// files too.
///
/// Gmsh does not escape quotation marks in names. Hence a name extends from the first to the last quotation mark of the
/// line.
pub(super) fn read_physical_names(cursor: &mut Cursor) -> Result<PhysicalNames, GmshError> {
    let count = cursor.text_integer("the number of physical names")?;
    let mut names = PhysicalNames::new();
    for _ in 0..count {
        let dimension = cursor.text_integer("the dimension of a physical group")?;
        let tag = cursor.text_integer("the tag of a physical group")?;
        let rest = cursor.line().ok_or_else(|| cursor.truncated("the name of a physical group"))?;
        let name = quoted(rest).ok_or_else(|| cursor.unexpected("a name in quotation marks", rest))?;
        names.insert((group_dimension(cursor, dimension)?, group_tag(cursor, tag)?.0), name);
    }
    cursor.end_section()?;
    Ok(names)
}

fn quoted(line: &[u8]) -> Option<String> {
    let first = line.iter().position(|&byte| byte == b'"')?;
    let last = line.iter().rposition(|&byte| byte == b'"').filter(|&last| last > first)?;
    Some(String::from_utf8_lossy(&line[first + 1..last]).into_owned())
}

pub(super) fn group_dimension(cursor: &Cursor, dimension: i64) -> Result<usize, GmshError> {
    match dimension {
        0..=3 => Ok(dimension as usize),
        _ => Err(cursor.out_of_range("a dimension", dimension.into(), "0 to 3")),
    }
}

/// Absolute value of the tag of a physical group, and whether the tag is negative. A negative tag reverses the
/// orientation of the elements. Only the reader of version 4.1 uses the sign.
pub(super) fn group_tag(cursor: &Cursor, tag: i64) -> Result<(i32, bool), GmshError> {
    let positive = i32::try_from(tag.unsigned_abs());
    let positive =
        positive.map_err(|_| cursor.out_of_range("a physical tag", tag.into(), "a 32-bit integer"))?;
    Ok((positive, tag < 0))
}
