//! Reader of MSH 2.2. An element names one physical group. For each further group, the file repeats the element.

use super::assembly::Assembly;
use super::cursor::{Cursor, Encoding};
use super::element_type::ElementReader;
use super::error::GmshError;
use super::format::{PhysicalNames, group_tag, read_physical_names};
use crate::mesh::Mesh;

/// Reads the names of groups, the nodes and the elements. All other sections are skipped.
pub(super) fn read(cursor: &mut Cursor) -> Result<Mesh, GmshError> {
    let mut names = PhysicalNames::new();
    let mut assembly = Assembly::default();
    while let Some(name) = cursor.next_section() {
        match name {
            b"$PhysicalNames" => {
                cursor.section = "$PhysicalNames";
                names = read_physical_names(cursor)?;
            }
            b"$Nodes" => {
                assembly.start_nodes(cursor)?;
                read_nodes(cursor, &mut assembly, |_| Ok(()))?;
            }
            b"$ParametricNodes" => {
                assembly.start_nodes(cursor)?;
                cursor.section = "$ParametricNodes";
                read_nodes(cursor, &mut assembly, skip_parameters)?;
            }
            b"$Elements" => {
                assembly.start_elements(cursor)?;
                read_elements(cursor, &mut assembly)?;
            }
            other => cursor.skip_section(other)?,
        }
    }
    assembly.finish(cursor, &names)
}

/// A node is `tag x y z`, in `$ParametricNodes` followed by more numbers. `skip_rest` skips these numbers.
fn read_nodes(
    cursor: &mut Cursor,
    assembly: &mut Assembly,
    skip_rest: impl Fn(&mut Cursor) -> Result<(), GmshError>,
) -> Result<(), GmshError> {
    let count = count_line(cursor, "the number of nodes")?;
    assembly.reserve_nodes(count, cursor);
    for _ in 0..count {
        let tag = positive(cursor, "a node tag")?;
        let node = assembly.num_nodes();
        assembly.push_node_tag(tag);
        assembly.read_position(cursor, node)?;
        skip_rest(cursor)?;
    }
    cursor.end_section()
}

/// Skips what follows the position of a parametric node: dimension and tag of its entity, and its parameters (one
/// number on a curve, two on a surface, none elsewhere).
fn skip_parameters(cursor: &mut Cursor) -> Result<(), GmshError> {
    let dimension = cursor.int("the dimension of the entity of a node")?;
    cursor.int("the tag of the entity of a node")?;
    let count = if (1..=2).contains(&dimension) { dimension } else { 0 };
    (0..count).try_for_each(|_| cursor.float("a parameter of a node").map(|_| ()))
}

/// In ASCII files, an element is `tag type n tags… nodes…`, with n tags after the number n. Binary files contain blocks
/// of elements. A block is `type count n`, then `count` elements `tag tags… nodes…`, each with n tags after its own
/// `tag`.
fn read_elements(cursor: &mut Cursor, assembly: &mut Assembly) -> Result<(), GmshError> {
    let declared = count_line(cursor, "the number of elements")?;
    let mut found = 0;
    while found < declared {
        if cursor.encoding == Encoding::Ascii {
            let tag = positive(cursor, "an element tag")?;
            let reader = read_type(cursor)?;
            let num_tags = positive(cursor, "the number of tags of an element")?;
            read_element(cursor, assembly, tag, (reader, num_tags))?;
            found += 1;
            continue;
        }
        let reader = read_type(cursor)?;
        let count = positive(cursor, "the number of elements of a block")?;
        let num_tags = positive(cursor, "the number of tags of an element")?;
        if count == 0 || count > declared - found {
            return Err(cursor.out_of_range(
                "the number of elements of a block",
                count.into(),
                "from 1 to the number of elements left",
            ));
        }
        for _ in 0..count {
            let tag = positive(cursor, "an element tag")?;
            read_element(cursor, assembly, tag, (reader, num_tags))?;
        }
        found += count;
    }
    cursor.end_section()
}

/// Reads the `num_tags` tags and the nodes of an element. The first two tags are the physical group and the entity.
/// Further tags, such as partitions, are ignored.
fn read_element(
    cursor: &mut Cursor,
    assembly: &mut Assembly,
    tag: u64,
    (reader, num_tags): (ElementReader, u64),
) -> Result<(), GmshError> {
    let (mut physical, mut entity) = (0, 0);
    for i in 0..num_tags {
        let value = cursor.int("a tag of an element")?;
        match i {
            0 => physical = value,
            1 => entity = value,
            _ => {}
        }
    }
    // The sign of the tag is ignored: when Gmsh wrote the file, it already reversed the elements of groups with
    // negative tags.
    let (group, _) = group_tag(cursor, physical.into())?;
    let sink = assembly.cells(reader.kind);
    sink.tags.push(tag);
    sink.entities.push(entity);
    reader.read_nodes(&mut sink.node_tags, || positive(cursor, "a node of an element"))?;
    let cell = sink.len() - 1;
    if group != 0 {
        assembly.add_to_groups(reader.kind, &[group], cell..cell + 1);
    }
    Ok(())
}

fn read_type(cursor: &mut Cursor) -> Result<ElementReader, GmshError> {
    let number = cursor.int("an element type")?;
    ElementReader::new(number.into(), cursor)
}

fn positive(cursor: &mut Cursor, what: &'static str) -> Result<u64, GmshError> {
    let value = cursor.int(what)?;
    u64::try_from(value).map_err(|_| cursor.out_of_range(what, value.into(), "positive"))
}

/// The count at the start of a section is a line of text, also in binary files.
fn count_line(cursor: &mut Cursor, what: &'static str) -> Result<u64, GmshError> {
    let count = cursor.text_integer(what)?;
    if cursor.encoding != Encoding::Ascii {
        cursor.line();
    }
    u64::try_from(count).map_err(|_| cursor.out_of_range(what, count.into(), "positive"))
}
