//! The README is consistent: its key reference is that of the program, its commands and links exist,
//! and its scenario runs.

#![expect(clippy::unwrap_used, reason = "a failed test panics")]

use std::path::{Path, PathBuf};

use ictus::math::Vec3;
use ictus::scenario::{Scenario, reference_markdown};
use ictus::simulation::Simulation;

const BEGIN: &str = "<!-- scenario keys: begin (generated; UPDATE_README=1 cargo test --test readme) -->\n";
const END: &str = "<!-- scenario keys: end -->\n";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap()
}

/// The lines of the fenced blocks of a language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("\n```{language}\n");
    text.split(fence.as_str()).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// Targets of the links and pictures of a page that are files of the repository, relative to the root.
fn linked_files(page: &str) -> Vec<PathBuf> {
    let text = read(page);
    let folder = Path::new(page).parent().unwrap();
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files = targets.map(|target| target.split('#').next().unwrap());
    files.filter(|file| !file.is_empty() && !file.contains("://")).map(|file| folder.join(file)).collect()
}

/// Words of a text that look like files of the repository.
fn named_files(text: &str) -> Vec<&str> {
    let folders = ["configs/", "docs/", "meshes/", "scripts/", "src/", "tests/", ".ci/"];
    let words = text.split(|c: char| c.is_whitespace() || "`\"'()[],;:".contains(c));
    words
        .filter(|word| folders.iter().any(|folder| word.starts_with(folder)) && !word.contains("NAME"))
        .map(|word| word.trim_end_matches('.'))
        .collect()
}

#[test]
fn the_key_reference_is_that_of_the_program() {
    let text = read("README.md");
    let begin = text.find(BEGIN).unwrap() + BEGIN.len();
    let end = text.find(END).unwrap();
    let wanted = format!("\n{}\n", reference_markdown());
    if text[begin..end] == wanted {
        return;
    }
    if std::env::var_os("UPDATE_README").is_some() {
        let updated = format!("{}{wanted}{}", &text[..begin], &text[end..]);
        std::fs::write(root().join("README.md"), updated).unwrap();
        return;
    }
    panic!("the keys in README.md are stale; run UPDATE_README=1 cargo test --test readme");
}

#[test]
fn files_that_are_named_exist() {
    for page in ["README.md", "docs/guide.md", "docs/contact-recipes.md", "CHANGELOG.md"] {
        let text = read(page);
        let linked = linked_files(page);
        let named = named_files(&text);
        assert!(page == "CHANGELOG.md" || !linked.is_empty() && !named.is_empty(), "nothing found in {page}");
        for file in linked.into_iter().chain(named.into_iter().map(PathBuf::from)) {
            assert!(root().join(&file).exists(), "{page} names {}, which is not there", file.display());
        }
    }
}

/// The quick start runs a scenario, tests, and opens the file that the scenario says it writes.
#[test]
fn the_quick_start_is_three_consistent_commands() {
    let text = read("README.md");
    let shell = blocks(&text, "sh");
    let commands: Vec<&str> = shell[0].lines().collect();
    let [run, test, look] = commands.as_slice() else { panic!("{commands:?}") };
    let file = run.strip_prefix("cargo run --release -- run ").unwrap();
    assert_eq!(*test, "cargo test --release --no-fail-fast");
    let scenario = Scenario::read(&root().join(file), &[]).unwrap();
    let collection = scenario.output.directory.join(format!("{}.pvd", scenario.name));
    assert_eq!(*look, format!("paraview {}", collection.display()));
}

/// Scenarios shown to the reader are read without warnings and take a step.
#[test]
fn scenarios_shown_run() {
    for page in ["README.md", "docs/guide.md"] {
        let text = read(page);
        let whole: Vec<&str> =
            blocks(&text, "toml").into_iter().filter(|block| block.contains("[time]")).collect();
        assert_eq!(whole.len(), 1, "{page} shows one whole scenario");
        let path = root().join("configs/shown.toml");
        let scenario =
            Scenario::parse(whole[0], &path, &[]).unwrap_or_else(|error| panic!("{page}: {error}"));
        assert!(scenario.warnings.is_empty(), "{page}: {:?}", scenario.warnings);
        let mut simulation = Simulation::new(&scenario).unwrap();
        simulation.advance(scenario.time.end).unwrap();
        assert!(simulation.state().time > 0.0);
    }
}

/// Pictures are small enough to be looked at on a slow line.
#[test]
fn pictures_are_small() {
    let pictures: Vec<PathBuf> = linked_files("README.md")
        .into_iter()
        .filter(|file| file.extension().is_some_and(|e| e == "png"))
        .collect();
    assert!(pictures.len() >= 2);
    for picture in pictures {
        let size = std::fs::metadata(root().join(&picture)).unwrap().len();
        assert!(size < 300_000, "{} has {size} bytes", picture.display());
    }
}

/// The contact recipes run, and end with the velocity of the first body that they say \[m/s\].
#[test]
fn contact_recipes_give_their_figures() {
    let text = read("docs/contact-recipes.md");
    let expected = [
        ("A rigid body bounces", [0.0, 0.5], 1e-9),
        ("A rigid body bounces on springs", [0.0, 0.5], 1e-9),
        ("An elastic body strikes a floor", [0.0, 0.962], 5e-4),
        ("A body slides to rest", [0.0, 0.0], 0.01),
        ("A body slides over seams", [0.5, 0.0], 0.01),
        ("A thick wheel begins to roll", [1.637, 0.0], 0.02),
        ("A soft body lies on a narrow one", [0.0, 0.0], 0.05),
    ];
    let blocks = blocks(&text, "toml");
    assert_eq!(blocks.len(), expected.len());
    for (block, (title, [x, z], tolerance)) in blocks.iter().zip(expected) {
        let scenario = Scenario::parse(block, &root().join("recipe.toml"), &[]).unwrap();
        assert_eq!(scenario.title, title);
        let found = velocity_in_the_end(&scenario);
        assert!((found.x - x).abs() <= tolerance && (found.z - z).abs() <= tolerance, "{title}: {found:?}");
    }
}

/// Mean velocity of the first body at the end of a run \[m/s\].
fn velocity_in_the_end(scenario: &Scenario) -> Vec3 {
    let mut simulation = Simulation::new(scenario).unwrap();
    while !simulation.is_finished() {
        simulation.advance(f64::INFINITY).unwrap();
    }
    simulation.balances()[0].momentum.linear / simulation.model().bodies[0].mass
}

/// The figures that the recipes give for other keys: what leaves the floor with which velocity \[m/s\].
#[test]
fn contact_recipes_give_their_figures_with_other_keys() {
    let text = read("docs/contact-recipes.md");
    let half = "restitution = 0.5\n";
    let springs = "response = \"energy-momentum\"";
    let penalty = "response = \"penalty\"";
    let expected = [
        (1, vec![(half, "restitution = 1.0\n")], 1.0, 1e-9),
        (1, vec![(half, "")], 1.0, 1e-9),
        (1, vec![(springs, penalty)], 0.507, 5e-4),
        (1, vec![(springs, penalty), (half, "")], 1.0, 1e-8),
        (2, vec![("penalty = 0.1", "penalty = 0.01")], 0.9986, 5e-5),
    ];
    for (recipe, changes, z, tolerance) in expected {
        let mut block = blocks(&text, "toml")[recipe].to_owned();
        for (from, to) in &changes {
            assert!(block.contains(from), "{from} is not in the recipe");
            block = block.replace(from, to);
        }
        let scenario = Scenario::parse(&block, &root().join("recipe.toml"), &[]).unwrap();
        let found = velocity_in_the_end(&scenario);
        assert!((found.z - z).abs() <= tolerance, "{changes:?}: {found:?}");
    }
}
