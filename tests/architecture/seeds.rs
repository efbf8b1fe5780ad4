//! Quick tests draw the same random numbers in every run.

use std::fs;
use std::path::Path;

use super::source::strip;
use super::words::rust_files;

/// Names that lead to random numbers which differ between runs.
const SOURCES: [&str; 8] =
    ["RngSeed", "TestRng", "thread_rng", "from_entropy", "OsRng", "RandomState", "SystemTime", "getrandom"];

fn random_sources(text: &str) -> impl Iterator<Item = &'static str> + use<> {
    let code = strip(text);
    SOURCES.into_iter().filter(move |name| code.contains(name))
}

/// Two files are exempt: `properties/seeds.rs` checks the seed of the property tests, and the long verification of
/// `random_scenes.rs`, which prints its seed, reads the clock.
#[test]
fn no_quick_test_has_a_random_seed() {
    let long = Path::new("tests/verification/random_scenes.rs");
    let exempt = [Path::new("tests/properties/seeds.rs"), long];
    let mut files = Vec::new();
    for folder in ["tests", "crates", "src", "benches/common"] {
        rust_files(Path::new(folder), &mut files);
    }
    let found: Vec<String> = files
        .iter()
        .filter(|path| !exempt.contains(&path.as_path()))
        .flat_map(|path| random_sources(&fs::read_to_string(path).unwrap()).map(move |name| (path, name)))
        .map(|(path, name)| format!("{}: {name}", path.display()))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
    let scenes = fs::read_to_string(long).unwrap();
    let count = |text: &str| scenes.matches(text).count();
    assert_eq!(count("#[test]"), count(" = \"long verification: "), "a quick test reads the clock");
}

#[test]
fn planted_random_seeds_are_found() {
    let found: Vec<&str> = random_sources("// OsRng\nlet seed = SystemTime::now();").collect();
    assert_eq!(found, ["SystemTime"]);
}
