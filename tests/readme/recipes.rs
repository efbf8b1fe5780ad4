//! The contact recipes of the book give the figures stated with them.

use ictus::math::Vec3;
use ictus::scenario::Scenario;
use ictus::simulation::Simulation;

use super::{blocks, read, root};

/// The contact recipes run, and the first body ends with the velocity \[m/s\] that the page states.
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

/// For changed keys, the first body leaves the floor with the velocity \[m/s\] that the page states.
#[test]
fn contact_recipes_give_their_figures_with_other_keys() {
    let text = read("docs/contact-recipes.md");
    let half = "restitution = 0.5\n";
    let springs = "response = \"energy-momentum\"";
    let penalty = "response = \"penalty\"";
    let expected = [
        (1, vec![(half, "restitution = 1.0\n")], 1.0, 1e-9),
        (1, vec![(half, "")], 1.0, 1e-9),
        (1, vec![(springs, penalty)], 0.509, 5e-4),
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
