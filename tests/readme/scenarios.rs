//! Scenarios and the quick start that the pages show.

use ictus::scenario::Scenario;
use ictus::simulation::Simulation;

use super::{blocks, pages, read, root};

/// The quick start runs a scenario and opens the file that this scenario writes.
#[test]
fn the_quick_start_is_two_commands_that_fit_together() {
    let text = read("README.md");
    let shell = blocks(&text, "sh");
    let commands: Vec<&str> = shell[0].lines().collect();
    let [run, look] = commands.as_slice() else { panic!("{commands:?}") };
    let file = run.strip_prefix("cargo run --release -- run ").unwrap();
    let scenario = Scenario::read(&root().join(file), &[]).unwrap();
    let collection = scenario.output.directory.join(format!("{}.pvd", scenario.name));
    assert_eq!(*look, format!("paraview {}", collection.display()));
}

/// The first `cargo test` command of the README equals the command of `.ci/run`, and runs all tests even after a
/// failure.
#[test]
fn the_readme_tests_as_a_change_is_tested() {
    let text = read("README.md");
    let command = text.lines().find(|line| line.starts_with("cargo test")).unwrap();
    assert_eq!(command, "cargo test --release --no-fail-fast");
}

/// Whole scenarios on a page are read without warnings and take a step; parts of scenarios are valid TOML.
#[test]
fn scenarios_shown_run() {
    let expected = [("README.md", vec!["configs"]), ("docs/own-mesh.md", vec!["meshes", "configs"])];
    for page in pages().into_iter().filter(|page| page != "docs/contact-recipes.md") {
        let text = read(&page);
        let (whole, parts): (Vec<&str>, Vec<&str>) =
            blocks(&text, "toml").into_iter().partition(|block| block.contains("[time]"));
        let folders = expected.iter().find(|(of, _)| *of == page).map_or(&[][..], |(_, folders)| folders);
        assert_eq!(whole.len(), folders.len(), "{page}: whole scenarios");
        for (block, folder) in whole.iter().zip(folders) {
            takes_a_step(&page, block, folder);
        }
        for part in parts {
            assert!(toml::from_str::<toml::Table>(part).is_ok(), "{page}: {part}");
        }
    }
}

fn takes_a_step(page: &str, block: &str, folder: &str) {
    let path = root().join(folder).join("shown.toml");
    let scenario = Scenario::parse(block, &path, &[]).unwrap_or_else(|error| panic!("{page}: {error}"));
    assert!(scenario.warnings.is_empty(), "{page}: {:?}", scenario.warnings);
    let mut simulation = Simulation::new(&scenario).unwrap();
    simulation.advance(scenario.time.end).unwrap();
    assert!(simulation.state().time > 0.0);
}
