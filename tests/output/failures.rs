//! Files that cannot be written.

use std::fs;
use std::path::Path;

use ictus::io::history::History;
use ictus::io::vtk::Series;
use ictus::io::{OutputError, Tables};

use super::series::{collection, expected_collection, mixed_frame, mixed_grid};
use super::tables::summary;

#[test]
fn a_directory_that_cannot_be_made_is_named_with_the_remedy() {
    let directory = tempfile::tempdir().unwrap();
    let occupied = directory.path().join("out");
    fs::write(&occupied, "a file").unwrap();
    let error = Series::create(&occupied, "drop", mixed_grid()).unwrap_err();
    let message = error.to_string();
    let frames = occupied.join("frames");
    assert!(message.starts_with(&format!("cannot create directory '{}': ", frames.display())), "{message}");
    assert!(message.ends_with("move it or choose another `--output DIR`"), "{message}");
    assert!(std::error::Error::source(&error).is_some());
}

/// The test uses sysfs: even root cannot create files there.
#[cfg(target_os = "linux")]
#[test]
fn a_directory_without_permission_is_named_with_the_remedy() {
    let directory = Path::new("/sys/kernel");
    let remedy = "; choose a directory you may write to (`--output DIR`) or change its permissions";
    for (error, file) in [
        (History::create(&mut Tables::new(directory), &["left"]).unwrap_err(), "history.csv"),
        (summary().write(directory).unwrap_err(), "summary.json"),
    ] {
        let message = error.to_string();
        assert!(message.starts_with(&format!("cannot write '/sys/kernel/{file}': ")), "{message}");
        assert!(message.ends_with(remedy), "{message}");
    }
}

/// `/dev/full` behaves as a file on a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_with_the_remedy() {
    let directory = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/full", directory.path().join("history.csv")).unwrap();
    let message = History::create(&mut Tables::new(directory.path()), &["left"]).unwrap_err().to_string();
    assert!(message.contains("free some space, ask for fewer frames, or choose another disk"), "{message}");
}

#[test]
fn a_failure_of_the_background_thread_surfaces_and_stays() {
    let directory = tempfile::tempdir().unwrap();
    let mut series = Series::create(directory.path(), "drop", mixed_grid()).unwrap();
    series.write(mixed_frame(0.0)).unwrap();
    while !directory.path().join("drop.pvd").is_file() {
        std::thread::yield_now();
    }
    fs::remove_dir_all(directory.path().join("frames")).unwrap();
    let failure = (1..100).find_map(|i| series.write(mixed_frame(f64::from(i))).err()).unwrap();
    assert!(matches!(&failure, OutputError::File { path, .. } if path.ends_with("frames/drop_000001.vtu")));
    assert!(matches!(series.write(mixed_frame(1e3)), Err(OutputError::SeriesStopped { .. })));
    assert!(matches!(series.finish(), Err(OutputError::SeriesStopped { .. })));
    assert_eq!(collection(directory.path(), "drop"), expected_collection("drop", &[0.0]));

    let mut series = Series::create(directory.path(), "last", mixed_grid()).unwrap();
    fs::remove_dir_all(directory.path().join("frames")).unwrap();
    series.write(mixed_frame(0.0)).unwrap();
    assert!(matches!(series.finish(), Err(OutputError::File { .. })));
}
