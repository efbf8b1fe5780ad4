//! Table of Gmsh's element types.

use super::cursor::Cursor;
use super::error::GmshError;
use crate::mesh::CellKind;

/// Gmsh's number and name of a type. `cell` is `None` if meshes with this type are refused.
struct ElementType {
    number: i64,
    name: &'static str,
    cell: Option<Cell>,
}

#[derive(Clone, Copy)]
struct Cell {
    kind: CellKind,
    /// Local node `i` of the cell is node `order[i]` in Gmsh's numbering. Empty if both numberings are equal.
    order: &'static [u8],
}

const fn unread(number: i64, name: &'static str) -> ElementType {
    ElementType { number, name, cell: None }
}

const fn same_order(number: i64, name: &'static str, kind: CellKind) -> ElementType {
    ElementType { number, name, cell: Some(Cell { kind, order: &[] }) }
}

/// Source: Gmsh reference manual, MSH file format, table of `elm-type`.
const ELEMENT_TYPES: &[ElementType] = &[
    same_order(15, "1-node point", CellKind::Point1),
    same_order(1, "2-node line", CellKind::Line2),
    same_order(2, "3-node triangle", CellKind::Tri3),
    same_order(3, "4-node quadrangle", CellKind::Quad4),
    same_order(4, "4-node tetrahedron", CellKind::Tet4),
    same_order(6, "6-node prism", CellKind::Wedge6),
    same_order(5, "8-node hexahedron", CellKind::Hex8),
    unread(7, "pyramid with 5 nodes"),
    same_order(8, "3-node second order line", CellKind::Line3),
    same_order(9, "6-node second order triangle", CellKind::Tri6),
    same_order(10, "9-node second order quadrangle", CellKind::Quad9),
    same_order(11, "10-node second order tetrahedron", CellKind::Tet10),
    same_order(12, "27-node second order hexahedron", CellKind::Hex27),
    unread(13, "18-node second order prism"),
    unread(14, "pyramid with 14 nodes"),
    same_order(16, "8-node second order quadrangle", CellKind::Quad8),
    same_order(17, "20-node second order hexahedron", CellKind::Hex20),
    unread(18, "15-node second order prism"),
    unread(19, "pyramid with 13 nodes"),
    unread(20, "9-node third order incomplete triangle"),
    unread(21, "10-node third order triangle"),
    unread(22, "12-node fourth order incomplete triangle"),
    unread(23, "15-node fourth order triangle"),
    unread(24, "15-node fifth order incomplete triangle"),
    unread(25, "21-node fifth order complete triangle"),
    unread(26, "4-node third order edge"),
    unread(27, "5-node fourth order edge"),
    unread(28, "6-node fifth order edge"),
    unread(29, "20-node third order tetrahedron"),
    unread(30, "35-node fourth order tetrahedron"),
    unread(31, "56-node fifth order tetrahedron"),
    unread(92, "64-node third order hexahedron"),
    unread(93, "125-node fourth order hexahedron"),
];

/// Reader of the elements of one type.
#[derive(Clone, Copy)]
pub(super) struct ElementReader {
    pub kind: CellKind,
    order: &'static [u8],
    reversed: bool,
}

impl ElementReader {
    /// `number` is Gmsh's number of the type. An unsupported type is an error at the place of `cursor`.
    pub fn new(number: i64, cursor: &Cursor) -> Result<Self, GmshError> {
        let row = ELEMENT_TYPES.iter().find(|row| row.number == number);
        match row.and_then(|row| row.cell) {
            Some(Cell { kind, order }) => Ok(Self { kind, order, reversed: false }),
            None => Err(GmshError::UnsupportedElement {
                place: cursor.place(),
                number,
                name: row.map_or("unknown", |row| row.name),
            }),
        }
    }

    /// If `reversed`, reverses the orientation of each element.
    pub fn reversed(self, reversed: bool) -> Self {
        Self { reversed, ..self }
    }

    /// Reads the node tags of one element with `next`, and appends them in the node order of the cell.
    pub fn read_nodes(
        self,
        tags: &mut Vec<u64>,
        mut next: impl FnMut() -> Result<u64, GmshError>,
    ) -> Result<(), GmshError> {
        let start = tags.len();
        for _ in 0..self.kind.num_nodes() {
            tags.push(next()?);
        }
        if !self.order.is_empty() {
            permute(&mut tags[start..], self.order);
        }
        if self.reversed {
            permute(&mut tags[start..], self.kind.reversed());
        }
        Ok(())
    }
}

fn permute(nodes: &mut [u64], order: &[u8]) {
    let old = nodes.to_vec();
    for (node, &from) in nodes.iter_mut().zip(order) {
        *node = old[from as usize];
    }
}
