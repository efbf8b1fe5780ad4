//! Kernels do not use SIMD registers in closures. A closure that is not inlined is compiled for the base processor; each
//! vector operation in it is then a function call. Such a closure once doubled the time of a step.

use std::fs;
use std::path::Path;

use super::source::{strip, without_tests};
use super::words::rust_files;

/// Names of registers and of operations on them.
const REGISTERS: [&str; 2] = ["simd", "Pack"];

/// Lines of the closures that use SIMD registers.
fn closures_on_registers(code: &str) -> Vec<usize> {
    let bars = code.match_indices('|').map(|(at, _)| at);
    let begins_closure = |at: &usize| {
        let before = code[..*at].trim_end();
        before.ends_with(['(', ',', '=', '{']) || before.ends_with("move") || before.ends_with("return")
    };
    let is_on_registers = |at: &usize| {
        let parameters = &code[at + 1..];
        let Some(end) = parameters.find('|') else { return false };
        let body = body_of_closure(&parameters[end + 1..]);
        body.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| REGISTERS.contains(&word))
    };
    let found = bars.filter(begins_closure).filter(is_on_registers);
    found.map(|at| 1 + code[..at].matches('\n').count()).collect()
}

/// The text up to the bracket, comma or semicolon that ends the expression at its beginning.
fn body_of_closure(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return &text[..at],
            ')' | ']' | '}' => depth -= 1,
            ',' | ';' if depth == 0 => return &text[..at],
            _ => {}
        }
    }
    text
}

#[test]
fn no_closure_uses_registers() {
    let mut files = Vec::new();
    rust_files(Path::new("crates"), &mut files);
    files.sort();
    files.retain(|path| !path.iter().any(|part| Path::new(part).file_stem() == Some("tests".as_ref())));
    let mut found = Vec::new();
    for path in files {
        let code = without_tests(&strip(&fs::read_to_string(&path).unwrap()));
        found.extend(closures_on_registers(&code).iter().map(|line| format!("{}:{line}", path.display())));
    }
    assert!(found.is_empty(), "closures may be compiled without SIMD instructions:\n{}", found.join("\n"));
}

/// A closure over several lines is found; patterns with alternatives and closures on other values are not.
#[test]
fn planted_closures_are_found() {
    let code = "let a = rows.map(|row| Pack::load(simd, row, 0));\n\
                let b = match c { A | B => simd.add(a), _ => simd };\n\
                let c = rows.map(|row| row.sum()).map(Pack::new(simd));\n\
                let d = || {\n    let e = 1;\n    simd.splat(e)\n};\n";
    assert_eq!(closures_on_registers(code), [1, 4]);
}
