//! No text makes the reader panic.

use proptest::prelude::*;

use super::*;

/// Pieces of TOML that change the meaning of the text around them.
const PIECES: [&str; 20] = [
    "\"",
    "'",
    "[",
    "]",
    "[[",
    "{",
    "}",
    "=",
    ".",
    ",",
    "\n",
    "#",
    "-",
    "nan",
    "1e999",
    "true",
    "\\",
    "é",
    "\"\"\"",
    "99999999999999999999",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Parts of the text are cut off, replaced or copied elsewhere. In every case the reader returns a scenario or
    /// problems. The spans of the problems lie in the text.
    #[test]
    fn no_text_makes_the_reader_panic(
        cut in 0.0_f64..1.0,
        length in 0_usize..40,
        piece in 0..PIECES.len(),
        from in 0.0_f64..1.0,
    ) {
        let full = text("full.toml");
        let place = |fraction: f64| full.char_indices().nth((fraction * 2000.0) as usize).map_or(0, |c| c.0);
        let (start, end) = (place(cut), (place(cut) + length).min(full.len()));
        let copied = &full[place(from)..(place(from) + length).min(full.len())];
        for mutant in [
            format!("{}{}{}", &full[..start], PIECES[piece], &full[end..]),
            format!("{}{copied}{}", &full[..start], &full[start..]),
            full[..start].to_owned(),
        ] {
            check_places(Scenario::parse(&mutant, &data("full.toml"), &[]))?;
        }
    }

    #[test]
    fn no_override_makes_the_reader_panic(
        key in "(time|bodies|contact|output|loads|0|bar|\\.|[a-z\" ]){1,6}",
        value in "\\PC{0,12}",
    ) {
        let overrides = [format!("{key}={value}")];
        check_places(Scenario::parse(&text("full.toml"), &data("full.toml"), &overrides))?;
    }
}

fn check_places(result: Result<Scenario, ScenarioError>) -> Result<(), TestCaseError> {
    if let Err(ScenarioError::Invalid { text, problems, .. }) = result {
        prop_assert!(!problems.is_empty());
        for problem in problems {
            prop_assert!(problem.span.is_none_or(|span| text.get(span).is_some()), "{}", problem.message);
        }
    }
    Ok(())
}
