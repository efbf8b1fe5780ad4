//! The `.pvd` file, or collection: the list of the frames of a series, with their times.

use std::io::{self, Write};

use super::data_array::Escaped;

pub(super) fn frame_file_name(series: &str, frame: usize) -> String {
    format!("{series}_{frame:06}.vtu")
}

/// Number of the frame with this file name. `None` if the file is no frame of the series.
pub(super) fn frame_number(series: &str, file_name: &str) -> Option<usize> {
    let digits = file_name.strip_prefix(series)?.strip_prefix('_')?.strip_suffix(".vtu")?;
    let is_ours = digits.len() >= 6 && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_ours { digits.parse().ok() } else { None }
}

/// Writes the collection file. Frame `i` has the time `times[i]`. The paths of the frames are relative to the
/// directory of the collection file.
pub(super) fn write_collection(writer: &mut dyn Write, series: &str, times: &[f64]) -> io::Result<()> {
    writer.write_all(
        b"<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n\
          <Collection>\n",
    )?;
    for (frame, time) in times.iter().enumerate() {
        let file = frame_file_name(series, frame);
        writeln!(
            writer,
            "<DataSet timestep=\"{time:?}\" group=\"\" part=\"0\" file=\"frames/{}\"/>",
            Escaped(&file)
        )?;
    }
    writer.write_all(b"</Collection>\n</VTKFile>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_frames_of_the_series_have_a_number() {
        for frame in [0, 7, 999_999, 1_000_000] {
            assert_eq!(frame_number("drop", &frame_file_name("drop", frame)), Some(frame));
        }
        for other in
            ["drop_1.vtu", "drop_2_000001.vtu", "drop_00000x.vtu", "drop_000001.vtk", "rop_000001.vtu"]
        {
            assert_eq!(frame_number("drop", other), None, "{other}");
        }
    }
}
