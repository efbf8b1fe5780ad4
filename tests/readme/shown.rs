//! All `ictus` commands shown in the book run.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::commands::words;
use super::{blocks, msh, read, root};

/// End times of the shortened runs, by scenario \[s\].
const ENDS: [(&str, &str); 3] = [("hertz", "6e-4"), ("bar", "2e-5"), ("tube", "0.05")];

/// Pages of the book, in the order of its contents.
fn chapters() -> Vec<String> {
    let contents = read("docs/SUMMARY.md");
    let links = contents.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    links.map(|page| format!("docs/{page}")).collect()
}

/// A command without its comment; a run gets a shorter end time. `None` for other programs.
fn shortened(line: &str) -> Option<Vec<String>> {
    let mut words = words(line);
    if words.first().is_none_or(|program| program != "ictus") {
        return None;
    }
    words.remove(0);
    if words[0] == "run" {
        let stem = Path::new(&words[1]).file_stem().and_then(|stem| stem.to_str()).unwrap();
        let end = ENDS.iter().find(|(name, _)| *name == stem).map(|(_, end)| format!("time.end={end}"));
        words.extend(end.into_iter().flat_map(|end| ["--set".to_owned(), end]));
        words.push("--quiet".into());
    }
    Some(words)
}

/// A bar of 10 × 1 × 1 hexahedra. This mesh replaces the mesh that Gmsh would make of the geometry on the page.
fn bar() -> String {
    let at = |i: usize, j: usize, k: usize| i + 11 * (j + 2 * k);
    let mut nodes = Vec::new();
    for k in 0..2 {
        for j in 0..2 {
            nodes.extend((0..11).map(|i| [0.01 * i as f64, 0.01 * j as f64, 0.01 * k as f64]));
        }
    }
    let corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)];
    let cell = |i: usize| (5, 1, corners.iter().map(|&(a, b, c)| at(i + a, b, c)).collect());
    msh::msh(&nodes, &(0..10).map(cell).collect::<Vec<_>>(), &[(3, 1, "bar")])
}

/// The run that leaves the checkpoint from which a command with `--resume` continues.
fn with_checkpoint(resumed: &[String]) -> Vec<String> {
    let kept = resumed.iter().filter(|word| *word != "--resume").cloned();
    kept.chain(["--set", "output.checkpoint={ interval = 1.0 }"].map(String::from)).collect()
}

fn succeeds(arguments: &[String], folder: &Path, page: &str) {
    let program = env!("CARGO_BIN_EXE_ictus");
    let output = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{page}: {arguments:?}: {message}");
}

/// Every `ictus` command in the book has exit code 0. The commands are executed in the order of the book, and runs are
/// shortened.
#[test]
#[cfg(unix)]
fn commands_of_the_book_run() {
    let folder = TempDir::new().unwrap();
    for name in ["configs", "meshes"] {
        std::os::unix::fs::symlink(root().join(name), folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join("bar.toml"), blocks(&read("docs/own-mesh.md"), "toml")[0]).unwrap();
    fs::write(folder.path().join("bar.msh"), bar()).unwrap();
    let mut count = 0;
    for page in chapters() {
        for line in blocks(&read(&page), "sh").into_iter().flat_map(str::lines) {
            let Some(arguments) = shortened(line) else { continue };
            if arguments.contains(&"--resume".to_owned()) {
                succeeds(&with_checkpoint(&arguments), folder.path(), &page);
            }
            succeeds(&arguments, folder.path(), &page);
            count += 1;
        }
    }
    assert!(count > 15, "{count} commands");
}
