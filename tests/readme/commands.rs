//! Commands that the pages show: programs, subcommands, options, and the keys that they set.

use std::path::Path;

use ictus::scenario::Scenario;

use super::{blocks, ictus, inline_code, pages, read, root, subcommands};

/// Words of a command line, without its comment. Quoted text is one word.
pub fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.split(" #").next().unwrap().chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a word is an option.
fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && !word[1..].starts_with(|c: char| c.is_ascii_digit())
}

/// Options of a list of words, without values after `=`.
fn options(words: &[String]) -> impl Iterator<Item = &str> {
    words.iter().filter(|word| is_option(word)).map(|word| word.split('=').next().unwrap())
}

/// The value after an option.
fn value_of<'a>(words: &'a [String], option: &str) -> Option<&'a str> {
    let at = words.iter().position(|word| word == option)?;
    words.get(at + 1).map(String::as_str)
}

fn check_ictus(line: &str, arguments: &[String]) {
    let (help, rest) = match arguments.split_first() {
        Some((name, rest)) if !is_option(name) => {
            assert!(subcommands().contains(name), "no command {name}: {line}");
            (ictus(&[name.as_str(), "--help"]), rest)
        }
        _ => (ictus(&["--help"]), arguments),
    };
    let known: Vec<&str> = help.split([' ', ',', '\n']).filter(|word| is_option(word)).collect();
    for option in options(rest) {
        assert!(known.contains(&option), "no option {option}: {line}");
    }
    check_keys(line, rest);
}

/// The keys that a command sets in a scenario of the repository must be known, and their values valid.
fn check_keys(line: &str, arguments: &[String]) {
    let Some(file) = arguments.first().filter(|file| root().join(file.as_str()).is_file()) else { return };
    let pairs = arguments.iter().zip(&arguments[1..]);
    let changes: Vec<String> =
        pairs.filter(|(word, _)| *word == "--set").map(|(_, change)| change.clone()).collect();
    if file.ends_with(".toml") {
        Scenario::read(&root().join(file), &changes).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
}

fn check_cargo(line: &str, arguments: &[String]) {
    let at = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
    let (own, rest) = (&arguments[..at], arguments.get(at + 1..).unwrap_or(&[]));
    let known =
        ["--release", "--profile", "-p", "--test", "--bench", "--no-fail-fast", "--open", "--path", "--all"];
    assert!(options(own).all(|option| known.contains(&option)), "{line}");
    if let Some(profile) = value_of(own, "--profile") {
        assert!(read("Cargo.toml").contains(&format!("[profile.{profile}]")), "{line}");
    }
    if let Some(package) = value_of(own, "-p") {
        let folder = package.strip_prefix("ictus-").unwrap_or_else(|| panic!("no crate {package}: {line}"));
        assert!(root().join("crates").join(folder).is_dir(), "no {package}: {line}");
    }
    for (option, folder) in [("--test", "tests"), ("--bench", "benches")] {
        let Some(name) = value_of(own, option) else { continue };
        let path = root().join(folder).join(name);
        assert!(path.is_dir() || path.with_extension("rs").is_file(), "no {name}: {line}");
    }
    match own.first().map(String::as_str) {
        Some("run") => check_ictus(line, rest),
        Some("test") => assert!(options(rest).all(|o| ["--ignored", "--nocapture"].contains(&o)), "{line}"),
        Some("bench") => check_bench(line, value_of(own, "--bench"), rest),
        Some("doc" | "build" | "install") => assert!(rest.is_empty(), "{line}"),
        other => panic!("unknown cargo command {other:?}: {line}"),
    }
}

/// The options of a command must occur in the source of its bench.
fn check_bench(line: &str, bench: Option<&str>, arguments: &[String]) {
    for option in options(arguments).filter(|option| *option != "--test") {
        let folder = root().join("benches").join(bench.unwrap());
        let sources =
            if folder.is_dir() { super::sources(&folder) } else { vec![folder.with_extension("rs")] };
        let knows = |path: &Path| std::fs::read_to_string(path).unwrap().contains(&format!("\"{option}\""));
        assert!(sources.iter().any(|path| knows(path)), "no option {option}: {line}");
    }
}

/// The script of a command must exist, and its parser must know the options.
fn check_script(line: &str, script: &str, arguments: &[String]) {
    let text = read(script);
    for option in options(arguments) {
        assert!(text.contains(&format!("\"{option}\"")), "no option {option}: {line}");
    }
}

fn check(line: &str) {
    let mut words = words(line);
    words.drain(..words.iter().take_while(|word| word.contains('=') && !is_option(word)).count());
    let Some((program, arguments)) = words.split_first() else { return };
    match program.as_str() {
        "ictus" => check_ictus(line, arguments),
        "cargo" => check_cargo(line, arguments),
        "python3" if arguments[..3] == ["-m", "pip", "install"] => {
            assert!(root().join(value_of(arguments, "-r").unwrap()).is_file(), "{line}");
        }
        "python3" => check_script(line, &arguments[0], &arguments[1..]),
        script if script.starts_with("scripts/") => check_script(line, script, arguments),
        "gmsh" | "paraview" | "mdbook" => {}
        other => panic!("unknown program {other}: {line}"),
    }
}

#[test]
fn commands_shown_are_known() {
    let mut count = 0;
    for page in pages() {
        let text = read(&page);
        let in_blocks = blocks(&text, "sh").into_iter().flat_map(str::lines).map(str::to_owned);
        let programs = ["ictus ", "cargo ", "python3 ", "mdbook "];
        let inline = inline_code(&text).into_iter();
        let inline = inline.filter(|code| programs.iter().any(|program| code.starts_with(program)));
        for line in in_blocks.chain(inline) {
            check(&line);
            count += 1;
        }
    }
    assert!(count > 40, "{count} commands");
}

/// The checks above fail for commands, options and keys that do not exist.
#[test]
fn unknown_commands_are_found() {
    for line in [
        "ictus fly configs/hertz.toml",
        "ictus run configs/hertz.toml --fast",
        "ictus run configs/hertz.toml --set time.ende=1",
        "cargo bench --bench nothing",
        "cargo tests",
        "cargo test --profile swift",
        "python3 scripts/render.py out --colour red",
        "sudo make install",
    ] {
        assert!(std::panic::catch_unwind(|| check(line)).is_err(), "{line}");
    }
}
