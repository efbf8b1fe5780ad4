//! Seeds of random tests.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestRunner};

/// Without the variable `PROPTEST_RNG_SEED` of `.cargo/config.toml`, proptest would draw a seed in each run.
#[test]
fn property_tests_draw_the_same_cases_in_every_run() {
    assert!(matches!(ProptestConfig::default().rng_seed, RngSeed::Fixed(_)));
    let draw = || {
        let mut runner = TestRunner::new(ProptestConfig::with_cases(1));
        any::<[u64; 4]>().new_tree(&mut runner).unwrap().current()
    };
    assert_eq!(draw(), draw());
}

/// No test sets a seed or a generator of its own. Only the long verification of random scenes reads the clock.
#[test]
fn no_test_has_a_random_seed() {
    let sources = [
        "RngSeed",
        "TestRng",
        "thread_rng",
        "from_entropy",
        "OsRng",
        "RandomState",
        "SystemTime",
        "getrandom",
    ];
    let exempt = ["tests/properties/seeds.rs", "tests/verification/random_scenes.rs"];
    let mut found = Vec::new();
    let mut open =
        vec![Path::new("tests").to_owned(), "crates".into(), "src".into(), "benches/common".into()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let name = path.to_string_lossy().into_owned();
        if !name.ends_with(".rs") || exempt.contains(&name.as_str()) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        found.extend(
            sources.iter().filter(|word| text.contains(**word)).map(|word| format!("{name}: {word}")),
        );
    }
    assert!(found.is_empty(), "{found:#?}");
    let scenes = fs::read_to_string("tests/verification/random_scenes.rs").unwrap();
    let tests = scenes.matches("#[test]\n").count();
    assert_eq!(
        scenes.matches("#[test]\n#[ignore").count(),
        tests,
        "a quick test of random scenes reads the clock"
    );
}
