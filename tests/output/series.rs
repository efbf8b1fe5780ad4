//! Frames and their collection.

use std::fs;
use std::path::{Path, PathBuf};

use ictus::io::OutputError;
use ictus::io::vtk::{FieldData, Frame, Grid, NamedField, Series};
use ictus::math::Vec3;
use ictus::mesh::CellKind;
use vtkio::model::{Attribute, DataSet, Piece, UnstructuredGridPiece, VertexNumbers};

use super::file_names;

/// Cells of all linear kinds, which share points.
pub fn mixed_grid() -> Grid {
    use CellKind::*;
    Grid {
        kinds: vec![Hex8, Wedge6, Tet4, Quad4, Tri3, Line2, Point1, Hex8],
        connectivity: [
            &[0, 1, 2, 3, 4, 5, 6, 7][..],
            &[1, 8, 2, 5, 9, 6], // on the hexahedron's side x = 1
            &[4, 5, 7, 10],      // on its top
            &[0, 1, 5, 4],
            &[4, 5, 10],
            &[9, 10],
            &[10],
            &[12, 11, 1, 0, 13, 14, 5, 4], // a second hexahedron in front of the first
        ]
        .concat(),
    }
}

fn mixed_points() -> Vec<Vec3> {
    let cube = |z: f64| [[0.0, 0.0, z], [1.0, 0.0, z], [1.0, 1.0, z], [0.0, 1.0, z]];
    let others = [[2.0, 0.5, 0.0], [2.0, 0.5, 1.0], [0.3, 0.3, 2.0]];
    let front = [[1.0, -1.0, 0.0], [0.0, -1.0, 0.0], [0.0, -1.0, 1.0], [1.0, -1.0, 1.0]];
    cube(0.0).into_iter().chain(cube(1.0)).chain(others).chain(front).map(Vec3::from).collect()
}

/// A frame with every type of field. All values of a field are different, except in the field of the status.
pub fn mixed_frame(time: f64) -> Frame {
    let points: Vec<Vec3> = mixed_points().iter().map(|point| point * (1.0 + 0.1 * time)).collect();
    let displacement = points.iter().zip(mixed_points()).map(|(x, reference)| x - reference).collect();
    let (nodes, cells) = (0..points.len(), 0..mixed_grid().kinds.len());
    let gap = nodes.clone().map(|node| 1.0 / (node as f64 - 3.5)).collect();
    let status = nodes.map(|node| node as i32 % 3).collect();
    let stress =
        cells.clone().map(|cell| std::array::from_fn(|i| (cell * 6 + i) as f64 / 7.0 - time)).collect();
    let body = cells.map(|cell| i32::MIN + cell as i32).collect();
    Frame {
        time,
        points,
        point_fields: vec![
            NamedField::new("displacement", FieldData::Vector(displacement)),
            NamedField::new("contact_gap", FieldData::Scalar(gap)),
            NamedField::new("contact_status", FieldData::Integer(status)),
        ],
        cell_fields: vec![
            NamedField::new("stress", FieldData::SymmetricTensor(stress)),
            NamedField::new("body", FieldData::Integer(body)),
        ],
    }
}

/// Segments between consecutive points of a spiral.
fn spiral(num_points: u32) -> (Grid, Frame) {
    let kinds = vec![CellKind::Line2; num_points as usize - 1];
    let connectivity = (1..num_points).flat_map(|i| [i - 1, i]).collect();
    let turn = |i: u32| f64::from(i) * 0.01;
    let points: Vec<Vec3> =
        (0..num_points).map(|i| Vec3::new(turn(i).cos(), turn(i).sin(), turn(i))).collect();
    let point_fields = vec![NamedField::new("velocity", FieldData::Vector(points.clone()))];
    (Grid { kinds, connectivity }, Frame { time: 0.25, points, point_fields, cell_fields: vec![] })
}

/// The directory for kept series, if one is given; without it, the temporary directory.
fn kept(temporary: &tempfile::TempDir) -> PathBuf {
    std::env::var_os("ICTUS_KEEP_OUTPUT").map_or(temporary.path().to_owned(), PathBuf::from)
}

/// Writes a whole series of the mixed grid.
fn write_mixed(directory: &Path, name: &str, times: &[f64]) {
    let mut series = Series::create(directory, name, mixed_grid()).unwrap();
    times.iter().for_each(|&time| series.write(mixed_frame(time)).unwrap());
    series.finish().unwrap();
}

fn frame_path(directory: &Path, name: &str, frame: usize) -> PathBuf {
    directory.join(format!("frames/{name}_{frame:06}.vtu"))
}

fn read_piece(path: &Path) -> UnstructuredGridPiece {
    let DataSet::UnstructuredGrid { pieces, .. } = vtkio::Vtk::import(path).unwrap().data else {
        panic!("{} is not an unstructured grid", path.display());
    };
    match pieces.into_iter().next().unwrap() {
        Piece::Inline(piece) => *piece,
        other => panic!("piece is not inline: {other:?}"),
    }
}

fn array<T: vtkio::model::Scalar + Copy + 'static>(attributes: &[Attribute], name: &str) -> Vec<T> {
    let found = attributes.iter().find_map(|attribute| match attribute {
        Attribute::DataArray(array) if array.name == name => Some(array),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no array '{name}'")).data.clone().into_vec().unwrap()
}

fn flat(vectors: &[Vec3]) -> Vec<f64> {
    vectors.iter().flat_map(|vector| [vector.x, vector.y, vector.z]).collect()
}

fn assert_fields_are(read: &[Attribute], fields: &[NamedField]) {
    assert_eq!(read.len(), fields.len());
    for NamedField { name, data } in fields {
        match data {
            FieldData::Scalar(values) => assert_eq!(&array::<f64>(read, name), values),
            FieldData::Integer(values) => assert_eq!(&array::<i32>(read, name), values),
            FieldData::Vector(values) => assert_eq!(array::<f64>(read, name), flat(values)),
            FieldData::SymmetricTensor(values) => assert_eq!(array::<f64>(read, name), values.as_flattened()),
            other => panic!("unknown data {other:?}"),
        }
    }
}

fn assert_frame_is(piece: &UnstructuredGridPiece, grid: &Grid, frame: &Frame) {
    assert_eq!(piece.points.clone().into_vec::<f64>().unwrap(), flat(&frame.points));
    let VertexNumbers::XML { connectivity, offsets } = &piece.cells.cell_verts else {
        panic!("cells are not in the XML layout");
    };
    assert!(connectivity.iter().copied().eq(grid.connectivity.iter().map(|&node| u64::from(node))));
    let nodes_of_cells = std::iter::once(&0).chain(offsets).zip(offsets).map(|(start, end)| end - start);
    assert!(nodes_of_cells.eq(grid.kinds.iter().map(|kind| kind.num_nodes() as u64)));
    assert_fields_are(&piece.data.point, &frame.point_fields);
    assert_fields_are(&piece.data.cell, &frame.cell_fields);
}

/// Kept.
#[test]
fn values_read_back_equal_those_written() {
    let temporary = tempfile::tempdir().unwrap();
    let directory = kept(&temporary);
    let times = [0.0, 1e-7, 0.1 + 0.2, 12.0];
    write_mixed(&directory, "mixed", &times);
    for (index, &time) in times.iter().enumerate() {
        let path = frame_path(&directory, "mixed", index);
        assert_frame_is(&read_piece(&path), &mixed_grid(), &mixed_frame(time));
        // vtkio skips field data, so the test reads the time from the text of the file.
        let text = fs::read_to_string(&path).unwrap();
        let tag = "Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">";
        let value = text.split_once(tag).unwrap().1.split_once('<').unwrap().0;
        assert_eq!(value.parse::<f64>().unwrap(), time);
    }
}

#[test]
fn cell_types_are_those_of_vtk() {
    use vtkio::model::CellType::*;
    let directory = tempfile::tempdir().unwrap();
    write_mixed(directory.path(), "mixed", &[0.0]);
    let expected = [Hexahedron, Wedge, Tetra, Quad, Triangle, Line, Vertex, Hexahedron];
    assert_eq!(read_piece(&frame_path(directory.path(), "mixed", 0)).cells.types, expected);
}

/// Kept.
#[test]
fn arrays_of_several_blocks_read_back() {
    let temporary = tempfile::tempdir().unwrap();
    let directory = kept(&temporary);
    let (grid, frame) = spiral(40_001);
    let mut series = Series::create(&directory, "spiral", grid.clone()).unwrap();
    series.write(frame.clone()).unwrap();
    series.finish().unwrap();
    assert_frame_is(&read_piece(&frame_path(&directory, "spiral", 0)), &grid, &frame);
}

/// Kept. 32 768 segments and their scalars fill whole blocks of the file; vtkio cannot read such blocks.
#[test]
fn arrays_that_fill_their_blocks_are_written() {
    let temporary = tempfile::tempdir().unwrap();
    let directory = kept(&temporary);
    let (grid, mut frame) = spiral(32_769);
    let row = (0..32_768).map(f64::from).collect();
    frame.cell_fields = vec![NamedField::new("row", FieldData::Scalar(row))];
    let mut series = Series::create(&directory, "full_blocks", grid).unwrap();
    series.write(frame).unwrap();
    series.finish().unwrap();
    assert_eq!(collection(&directory, "full_blocks"), expected_collection("full_blocks", &[0.25]));
}

#[test]
fn the_same_frames_give_the_same_bytes() {
    let (grid, frame) = spiral(40_001);
    let write = |times: &[f64]| {
        let directory = tempfile::tempdir().unwrap();
        let mut series = Series::create(directory.path(), "spiral", grid.clone()).unwrap();
        times.iter().for_each(|&time| series.write(Frame { time, ..frame.clone() }).unwrap());
        series.finish().unwrap();
        let read = |index| fs::read(frame_path(directory.path(), "spiral", index)).unwrap();
        (0..times.len()).map(read).collect::<Vec<_>>()
    };
    let (first, second) = (write(&[0.25, 0.5]), write(&[0.25, 0.5]));
    assert!(first == second, "two runs differ");
    assert!(first[1] == write(&[0.5])[0], "a frame depends on the one before it");
}

/// Each frame has the cells of the grid given last. An inconsistent grid is rejected and changes nothing.
#[test]
fn cells_change_from_frame_to_frame() {
    let directory = tempfile::tempdir().unwrap();
    let (line, at_line) = spiral(5);
    let mut series = Series::create(directory.path(), "change", Grid::default()).unwrap();
    series.write(Frame { time: 0.0, ..Frame::default() }).unwrap();
    series.replace_grid(line.clone()).unwrap();
    series.write(at_line.clone()).unwrap();
    let unfit = Grid { kinds: vec![CellKind::Tet4], connectivity: vec![0, 1, 2] };
    let error = series.replace_grid(unfit).unwrap_err();
    assert!(matches!(error, OutputError::ConnectivityLength { expected: 4, given: 3 }), "{error}");
    let later = Frame { time: 0.5, ..at_line.clone() };
    series.write(later.clone()).unwrap();
    series.replace_grid(mixed_grid()).unwrap();
    let error = series.write(Frame { time: 0.75, ..at_line.clone() }).unwrap_err();
    assert!(matches!(error, OutputError::UnknownPoint { node: 14, num_points: 5, .. }), "{error}");
    series.write(mixed_frame(1.0)).unwrap();
    series.finish().unwrap();
    let path = |frame| frame_path(directory.path(), "change", frame);
    assert_frame_is(&read_piece(&path(1)), &line, &at_line);
    assert_frame_is(&read_piece(&path(2)), &line, &later);
    assert_frame_is(&read_piece(&path(3)), &mixed_grid(), &mixed_frame(1.0));
    assert_eq!(collection(directory.path(), "change"), expected_collection("change", &[0.0, 0.25, 0.5, 1.0]));
}

#[test]
fn a_removed_series_leaves_others_alone() {
    let directory = tempfile::tempdir().unwrap();
    Series::remove(&directory.path().join("nowhere"), "drop").unwrap();
    write_mixed(directory.path(), "drop", &[0.0, 1.0]);
    write_mixed(directory.path(), "drop_volumes", &[0.0, 1.0, 2.0]);
    Series::remove(directory.path(), "drop_volumes").unwrap();
    assert_eq!(file_names(directory.path()), ["drop.pvd", "frames"]);
    assert_eq!(file_names(&directory.path().join("frames")), ["drop_000000.vtu", "drop_000001.vtu"]);
}

/// Attributes `timestep` and `file` of every data set of a collection.
pub fn collection(directory: &Path, name: &str) -> Vec<(f64, String)> {
    let text = fs::read_to_string(directory.join(format!("{name}.pvd"))).unwrap();
    assert!(text.starts_with("<?xml") && text.ends_with("</Collection>\n</VTKFile>\n"), "{text}");
    let attribute = |line: &str, name: &str| {
        let start = line.split_once(&format!(" {name}=\"")).unwrap().1;
        start.split_once('"').unwrap().0.to_owned()
    };
    let data_sets = text.lines().filter(|line| line.starts_with("<DataSet "));
    data_sets.map(|line| (attribute(line, "timestep").parse().unwrap(), attribute(line, "file"))).collect()
}

pub fn expected_collection(name: &str, times: &[f64]) -> Vec<(f64, String)> {
    times.iter().enumerate().map(|(index, &time)| (time, format!("frames/{name}_{index:06}.vtu"))).collect()
}

#[test]
fn the_collection_lists_the_frames_on_disk_with_their_times() {
    let directory = tempfile::tempdir().unwrap();
    let times = [0.0, 2.5e-9, 0.3, 1e21];
    for count in 0..times.len() {
        write_mixed(directory.path(), "drop", &times[..=count]);
        let listed = collection(directory.path(), "drop");
        assert_eq!(listed, expected_collection("drop", &times[..=count]));
        assert!(listed.iter().all(|(_, file)| directory.path().join(file).is_file()));
    }
}

#[test]
fn a_dropped_series_writes_what_it_was_given() {
    let directory = tempfile::tempdir().unwrap();
    let mut series = Series::create(directory.path(), "drop", mixed_grid()).unwrap();
    (0..5).for_each(|i| series.write(mixed_frame(f64::from(i))).unwrap());
    drop(series);
    assert_eq!(collection(directory.path(), "drop"), expected_collection("drop", &[0.0, 1.0, 2.0, 3.0, 4.0]));
}

#[test]
fn a_new_run_removes_the_frames_of_the_last_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let frames = directory.path().join("frames");
    write_mixed(directory.path(), "drop", &[0.0, 1.0, 2.0]);
    write_mixed(directory.path(), "drop_2", &[0.0]);
    fs::write(frames.join(".drop_000003.vtu.a1B2c3.partial"), "killed while writing").unwrap();
    fs::write(directory.path().join(".drop.pvd.a1B2c3.partial"), "killed while writing").unwrap();
    fs::write(frames.join("drop_note.vtu"), "the user's").unwrap();
    fs::write(directory.path().join("drop_000001.vtu"), "the user's").unwrap();
    let series = Series::create(directory.path(), "drop", mixed_grid()).unwrap();
    assert_eq!(file_names(directory.path()), ["drop_000001.vtu", "drop_2.pvd", "frames"]);
    assert_eq!(file_names(&frames), ["drop_2_000000.vtu", "drop_note.vtu"]);
    series.finish().unwrap();
    write_mixed(directory.path(), "drop", &[0.5]);
    assert_eq!(collection(directory.path(), "drop"), expected_collection("drop", &[0.5]));
}

#[test]
fn a_frame_that_does_not_match_the_grid_is_rejected_and_the_series_continues() {
    let directory = tempfile::tempdir().unwrap();
    let mut series = Series::create(directory.path(), "drop", mixed_grid()).unwrap();
    let mut short = mixed_frame(0.5);
    short.cell_fields[1] = NamedField::new("body", FieldData::Integer(vec![0; 3]));
    let message = series.write(short).unwrap_err().to_string();
    assert_eq!(message, "field 'body' has 3 values at time 0.5, but the grid has 8 cells");
    let mut few_points = mixed_frame(0.5);
    few_points.points.truncate(14);
    let message = series.write(few_points).unwrap_err().to_string();
    assert_eq!(
        message,
        "the grid refers to point 14, but the frame at time 0.5 has 14 points (numbered from 0)"
    );
    series.write(mixed_frame(0.5)).unwrap();
    for time in [0.5, 0.25, f64::NAN] {
        let refused = series.write(mixed_frame(time)).unwrap_err();
        assert!(matches!(refused, OutputError::FrameOrder { previous: 0.5, .. }), "{refused}");
    }
    series.write(mixed_frame(0.75)).unwrap();
    series.finish().unwrap();
    assert_eq!(collection(directory.path(), "drop"), expected_collection("drop", &[0.5, 0.75]));

    let grid = Grid { kinds: vec![CellKind::Tet4], connectivity: vec![0, 1, 2] };
    let refused = Series::create(directory.path(), "drop", grid).unwrap_err();
    assert!(matches!(refused, OutputError::ConnectivityLength { expected: 4, given: 3 }));
}
