//! The seed of property tests.

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
