//! Reader of MSH 4.1. Elements belong to entities, and entities to physical groups.

use std::collections::BTreeMap;

use super::assembly::Assembly;
use super::cursor::{Cursor, Encoding};
use super::element_type::ElementReader;
use super::error::GmshError;
use super::format::{PhysicalNames, group_dimension, group_tag, read_physical_names};
use crate::mesh::Mesh;

/// Physical groups of an entity. If `reversed`, the reader reverses the orientation of the elements of the entity.
#[derive(Default)]
struct Entity {
    groups: Vec<i32>,
    reversed: bool,
}

/// Entities by (dimension, tag); `None` if the file has no section `$Entities`.
type Entities = Option<BTreeMap<(usize, i32), Entity>>;

/// Reads the names of groups, the entities, the nodes and the elements. All other sections are skipped.
pub(super) fn read(cursor: &mut Cursor) -> Result<Mesh, GmshError> {
    let mut names = PhysicalNames::new();
    let mut entities: Entities = None;
    let mut assembly = Assembly::default();
    while let Some(name) = cursor.next_section() {
        match name {
            b"$PhysicalNames" => {
                cursor.section = "$PhysicalNames";
                names = read_physical_names(cursor)?;
            }
            b"$Entities" => {
                cursor.section = "$Entities";
                entities = Some(read_entities(cursor)?);
            }
            b"$PartitionedEntities" => return Err(GmshError::Partitioned { place: cursor.place() }),
            b"$Nodes" => {
                assembly.start_nodes(cursor)?;
                read_nodes(cursor, &mut assembly)?;
            }
            b"$Elements" => {
                assembly.start_elements(cursor)?;
                read_elements(cursor, &entities, &mut assembly)?;
            }
            other => cursor.skip_section(other)?,
        }
    }
    assembly.finish(cursor, &names)
}

fn read_entities(cursor: &mut Cursor) -> Result<BTreeMap<(usize, i32), Entity>, GmshError> {
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = cursor.size("a number of entities")?;
    }
    let mut entities = BTreeMap::new();
    for (dimension, count) in counts.into_iter().enumerate() {
        for _ in 0..count {
            let tag = cursor.int("the tag of an entity")?;
            // The position of a point, or two opposite corners of the bounding box of any other entity.
            for _ in 0..if dimension == 0 { 3 } else { 6 } {
                cursor.float("a coordinate of an entity")?;
            }
            entities.insert((dimension, tag), read_groups(cursor)?);
            if dimension > 0 {
                for _ in 0..cursor.size("a number of bounding entities")? {
                    cursor.int("the tag of a bounding entity")?;
                }
            }
        }
    }
    cursor.end_section()?;
    Ok(entities)
}

fn read_groups(cursor: &mut Cursor) -> Result<Entity, GmshError> {
    let mut entity = Entity::default();
    for i in 0..cursor.size("a number of physical tags")? {
        let tag = cursor.int("a physical tag")?;
        let (group, reversed) = group_tag(cursor, tag.into())?;
        entity.groups.push(group);
        // The sign of the first group decides for the entity. The same model in version 2.2 gives the same mesh: that
        // file contains a copy of each element for each group, oriented by the sign of the group, and the reader keeps
        // the first copy.
        entity.reversed |= i == 0 && reversed;
    }
    Ok(entity)
}

fn read_nodes(cursor: &mut Cursor, assembly: &mut Assembly) -> Result<(), GmshError> {
    let blocks = cursor.size("the number of node blocks")?;
    let declared = cursor.size("the number of nodes")?;
    cursor.size("the smallest node tag")?;
    cursor.size("the largest node tag")?;
    assembly.reserve_nodes(declared, cursor);
    for _ in 0..blocks {
        let dimension = i64::from(cursor.int("the dimension of a node block")?);
        let dimension = group_dimension(cursor, dimension)?;
        cursor.int("the entity of a node block")?;
        let parameters = match cursor.int("whether a node block is parametric")? {
            0 => 0,
            1 => dimension,
            other => {
                return Err(cursor.out_of_range(
                    "whether a node block is parametric",
                    other.into(),
                    "0 or 1",
                ));
            }
        };
        let count = cursor.size("the number of nodes of a block")?;
        let first = assembly.num_nodes();
        for _ in 0..count {
            assembly.push_node_tag(cursor.size("a node tag")?);
        }
        for node in first..assembly.num_nodes() {
            assembly.read_position(cursor, node)?;
            for _ in 0..parameters {
                cursor.float("a parametric coordinate")?;
            }
        }
    }
    assembly.check_count(cursor, declared, assembly.num_nodes())?;
    cursor.end_section()
}

fn read_elements(cursor: &mut Cursor, entities: &Entities, assembly: &mut Assembly) -> Result<(), GmshError> {
    let blocks = cursor.size("the number of element blocks")?;
    let declared = cursor.size("the number of elements")?;
    cursor.size("the smallest element tag")?;
    cursor.size("the largest element tag")?;
    let mut found = 0_usize;
    let none = Entity::default();
    for _ in 0..blocks {
        let dimension = i64::from(cursor.int("the dimension of an element block")?);
        let dimension = group_dimension(cursor, dimension)?;
        let tag = cursor.int("the entity of an element block")?;
        let entity =
            match entities {
                None => &none,
                Some(entities) => entities
                    .get(&(dimension, tag))
                    .ok_or_else(|| GmshError::UnknownEntity { place: cursor.place(), dimension, tag })?,
            };
        let number = cursor.int("an element type")?;
        let reader = ElementReader::new(number.into(), cursor)?.reversed(entity.reversed);
        if reader.kind.dimension() != dimension {
            let given = dimension as i128;
            return Err(cursor.out_of_range(
                "the dimension of an element block",
                given,
                "that of its elements",
            ));
        }
        let count = cursor.size("the number of elements of a block")?;
        let sink = assembly.cells(reader.kind);
        sink.reserve(count, cursor.remaining() / smallest_element(cursor.encoding));
        let first = sink.len();
        for _ in 0..count {
            sink.entities.push(tag);
            sink.tags.push(cursor.size("an element tag")?);
            reader.read_nodes(&mut sink.node_tags, || cursor.size("a node of an element"))?;
        }
        let cells = first..sink.len();
        found += cells.len();
        assembly.add_to_groups(reader.kind, &entity.groups, cells);
    }
    assembly.check_count(cursor, declared, found)?;
    cursor.end_section()
}

/// Lower bound on the size of an element \[bytes\]: the tag and one node, in ASCII with two separators.
fn smallest_element(encoding: Encoding) -> usize {
    if encoding == Encoding::Ascii { 4 } else { 16 }
}
