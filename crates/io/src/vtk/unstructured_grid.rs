//! Writer of the `.vtu` file.

use std::io::{self, Write};

use super::cell_type::cell_type;
use super::data_array::{ArrayEncoder, ArrayHeader};
use super::frame::{FieldData, Frame, Grid, NamedField};

const OPENING: &str = "<?xml version=\"1.0\"?>\n\
    <VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" \
    compressor=\"vtkZLibDataCompressor\">\n<UnstructuredGrid>\n";
const SYMMETRIC_TENSOR_COMPONENTS: [&str; 6] = ["XX", "YY", "ZZ", "XY", "YZ", "XZ"];

/// Cells of a grid as XML, encoded once for all frames with this grid.
#[derive(Debug)]
pub(super) struct EncodedCells {
    num_cells: usize,
    xml: Vec<u8>,
}

impl EncodedCells {
    /// The length of `grid.connectivity` must be the sum of the numbers of nodes of the `grid.kinds`.
    pub fn new(grid: &Grid) -> io::Result<Self> {
        let mut xml = Vec::new();
        write_cells(&mut xml, grid)?;
        Ok(Self { num_cells: grid.kinds.len(), xml })
    }
}

fn write_cells(writer: &mut dyn Write, grid: &Grid) -> io::Result<()> {
    let mut encoder = ArrayEncoder::default();
    writer.write_all(b"<Cells>\n")?;
    let ends = grid.kinds.iter().scan(0_usize, |end, kind| {
        *end += kind.num_nodes();
        Some(*end)
    });
    let points = grid.kinds.iter().zip(ends.clone()).flat_map(|(&kind, end)| {
        let cell = &grid.connectivity[end - kind.num_nodes()..end];
        cell_type(kind).nodes.iter().map(|&node| cell[usize::from(node)] as usize)
    });
    write_indices(&mut encoder, writer, "connectivity", points)?;
    write_indices(&mut encoder, writer, "offsets", ends)?;
    let codes = grid.kinds.iter().map(|&kind| cell_type(kind).code);
    encoder.write(writer, ArrayHeader::new("types", 1), codes)?;
    writer.write_all(b"</Cells>\n")
}

/// Writes 32-bit integers if all indices fit, otherwise 64-bit integers.
fn write_indices(
    encoder: &mut ArrayEncoder,
    writer: &mut dyn Write,
    name: &str,
    indices: impl Iterator<Item = usize> + Clone,
) -> io::Result<()> {
    let header = ArrayHeader::new(name, 1);
    if indices.clone().all(|index| i32::try_from(index).is_ok()) {
        encoder.write(writer, header, indices.map(|index| index as i32))
    } else {
        encoder.write(writer, header, indices.map(|index| index as i64))
    }
}

pub(super) fn write_unstructured_grid(
    writer: &mut dyn Write,
    encoder: &mut ArrayEncoder,
    cells: &EncodedCells,
    frame: &Frame,
) -> io::Result<()> {
    writer.write_all(OPENING.as_bytes())?;
    writeln!(
        writer,
        "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">\
         {:?}</DataArray>\n</FieldData>",
        frame.time
    )?;
    let num_points = frame.points.len();
    writeln!(writer, "<Piece NumberOfPoints=\"{num_points}\" NumberOfCells=\"{}\">", cells.num_cells)?;
    writer.write_all(b"<Points>\n")?;
    let coordinates = frame.points.iter().flat_map(|point| [point.x, point.y, point.z]);
    encoder.write(writer, ArrayHeader::new("Points", 3), coordinates)?;
    writer.write_all(b"</Points>\n")?;
    writer.write_all(&cells.xml)?;
    write_fields(writer, encoder, "PointData", &frame.point_fields)?;
    write_fields(writer, encoder, "CellData", &frame.cell_fields)?;
    writer.write_all(b"</Piece>\n</UnstructuredGrid>\n</VTKFile>\n")
}

fn write_fields(
    writer: &mut dyn Write,
    encoder: &mut ArrayEncoder,
    section: &str,
    fields: &[NamedField],
) -> io::Result<()> {
    writeln!(writer, "<{section}>")?;
    for NamedField { name, data } in fields {
        match data {
            FieldData::Scalar(values) => {
                encoder.write(writer, ArrayHeader::new(name, 1), values.iter().copied())
            }
            FieldData::Integer(values) => {
                encoder.write(writer, ArrayHeader::new(name, 1), values.iter().copied())
            }
            FieldData::Vector(values) => {
                let components = values.iter().flat_map(|vector| [vector.x, vector.y, vector.z]);
                encoder.write(writer, ArrayHeader::new(name, 3), components)
            }
            FieldData::SymmetricTensor(values) => {
                let component_names = &SYMMETRIC_TENSOR_COMPONENTS;
                let header = ArrayHeader { name, num_components: 6, component_names };
                encoder.write(writer, header, values.iter().flatten().copied())
            }
        }?;
    }
    writeln!(writer, "</{section}>")
}
