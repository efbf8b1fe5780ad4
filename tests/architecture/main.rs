//! Import rules between modules: the source text is checked against the tables in this file.
//!
//! An import is any path that begins with `crate::`, `super::` or `self::` in a file under src/ or crates/. The path
//! may stand in a `use` tree or in an expression; comments and strings do not count. There are four rules:
//!
//! 1. A layer (a module of `ictus-core`, another crate, or the command line) imports only the layers that the table
//!    `LAYERS` allows. The rule also holds for unit tests.
//! 2. Sibling modules have no import cycles. Module a depends on its sibling b if anything inside a names a path into
//!    b; a name that their parent re-exports (`pub use b::Name`) is a path into b. A child and the `mod.rs` of its
//!    folder have no import cycle either, except through the types in `SPREAD_TYPES`. Unit tests may import anything in
//!    their layer.
//! 3. The submodules of contact detection and of the simulation import only the submodules allowed by
//!    `DETECTION_MODULES` and `SIMULATION_MODULES`.
//! 4. A folder has at most [`MOST_ENTRIES`] entries and, unless it is in `PARENT_FOLDERS`, at most [`MOST_LINES`]
//!    lines.
//!
//! The tests in `words` keep home-made words out of identifiers, those in `kernels` closures out of SIMD kernels, those
//! in `seeds` random seeds out of quick tests.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail the test")]

mod kernels;
mod seeds;
mod source;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use source::{Crate, Module, ModulePath, imports, read_crate, resolve, strip, uses_child, without_tests};

/// Imports allowed to each layer of the library.
const LAYERS: [(&str, &[&str]); 12] = [
    ("math", &[]),
    ("signal", &[]),
    ("units", &[]),
    ("vocabulary", &[]),
    ("mesh", &["math"]),
    ("material", &["math"]),
    ("element", &["math", "mesh"]),
    ("contact", &["math", "mesh", "element", "vocabulary"]),
    ("scenario", &["math", "material", "signal", "units", "vocabulary", "contact"]),
    ("dynamics", &["math", "mesh", "element", "material"]),
    ("io", &["math", "mesh"]),
    (
        "simulation",
        &["math", "mesh", "material", "scenario", "element", "contact", "dynamics", "signal", "io"],
    ),
];

/// Imports allowed to each submodule of contact detection.
const DETECTION_MODULES: [(&str, &[&str]); 14] = [
    ("volume", &[]),
    ("face", &["volume"]),
    ("tree", &["face", "volume"]),
    ("distance_field", &["face", "tree"]),
    ("model", &["face", "tree"]),
    ("report", &["model", "volume"]),
    ("primitive", &["face", "model", "volume"]),
    ("trajectory", &["model", "primitive", "volume"]),
    ("entry_face", &["face", "initial", "model", "primitive"]),
    ("initial", &["face", "model", "tree", "volume"]),
    ("step_impact", &["face", "initial", "model", "primitive", "tree", "volume"]),
    ("detector", &["distance_field", "face", "model", "primitive", "report", "trajectory", "tree", "volume"]),
    (
        "detectors",
        &[
            "detector",
            "distance_field",
            "engine",
            "face",
            "initial",
            "model",
            "primitive",
            "report",
            "step_impact",
            "trajectory",
            "tree",
            "volume",
        ],
    ),
    ("engine", &["detector", "face", "model", "primitive", "report", "trajectory", "tree", "volume"]),
];

/// Imports allowed to each submodule of the simulation.
const SIMULATION_MODULES: [(&str, &[&str]); 11] = [
    ("timings", &[]),
    ("contact_selection", &[]),
    ("progress", &["model"]),
    ("forces", &["model"]),
    ("account", &["forces", "model", "progress"]),
    ("step", &["account", "error", "forces", "model", "progress", "timings"]),
    ("settle", &["account", "error", "model", "progress", "step"]),
    ("state", &["account", "forces", "model", "progress", "settle", "step"]),
    ("record", &["account", "error", "model", "progress", "state"]),
    ("parts", &["account", "error", "model", "record", "settle", "state", "step"]),
    (
        "setup",
        &[
            "account",
            "contact_selection",
            "error",
            "forces",
            "model",
            "parts",
            "progress",
            "record",
            "settle",
            "state",
            "step",
            "timings",
        ],
    ),
];

/// Types whose methods are spread over the files of their folder, one file for each stage. These files may import from
/// their `mod.rs` only this type.
const SPREAD_TYPES: [(&str, &str); 7] = [
    ("contact::detection::engine", "Engine"),
    ("contact::detection::detectors::buckets", "Buckets"),
    ("contact::detection::detectors::wall", "WallDetector"),
    ("contact::response::decomposition", "Decomposition"),
    ("dynamics::elements::block", "ElementBlock"),
    ("math::time_function", "TimeFunction"),
    ("simulation", "Simulation"),
];

/// Folders that contain other modules; they have no limit of lines.
const PARENT_FOLDERS: [&str; 6] = [
    "crates/core/src",
    "crates/contact/src",
    "crates/contact/src/detection",
    "crates/contact/src/response",
    "crates/dynamics/src",
    "crates/simulation/src",
];

/// Largest number of lines of a folder, including tests and subfolders.
const MOST_LINES: usize = 6_000;
/// Largest number of entries of a folder.
const MOST_ENTRIES: usize = 16;

#[test]
fn modules_import_only_what_the_table_allows() {
    let illegal = illegal_imports(&read_crate());
    assert!(illegal.is_empty(), "not allowed by the table of modules:\n{}", illegal.join("\n"));
}

#[test]
fn every_module_is_in_the_table() {
    let modules = read_crate();
    let layers: BTreeSet<&str> =
        modules.keys().filter(|path| path.len() == 1).map(|path| path[0].as_str()).collect();
    let expected: BTreeSet<&str> = LAYERS.iter().map(|(layer, _)| *layer).chain(["cli"]).collect();
    assert_eq!(layers, expected);
}

#[test]
fn submodules_import_only_what_their_table_allows() {
    let modules = read_crate();
    for (parent, children) in [
        (["contact", "detection"].as_slice(), DETECTION_MODULES.as_slice()),
        (&["simulation"], &SIMULATION_MODULES),
    ] {
        let parent: ModulePath = parent.iter().map(|name| (*name).to_owned()).collect();
        let illegal = illegal_imports_in(&modules, &parent, children);
        assert!(illegal.is_empty(), "not allowed by the table of modules:\n{}", illegal.join("\n"));
    }
}

/// No folder has more entries or lines than allowed.
#[test]
fn folders_and_modules_are_small() {
    let mut large = Vec::new();
    let crates = fs::read_dir("crates").unwrap().map(|entry| entry.unwrap().path().join("src"));
    for folder in crates.chain([PathBuf::from("src")]) {
        measure(&folder, &mut large);
    }
    assert!(large.is_empty(), "too large:\n{}", large.join("\n"));
}

/// Lines of a folder; records folders with too many entries or lines.
fn measure(folder: &Path, large: &mut Vec<String>) -> usize {
    let entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let lines_of = |path: &Path| fs::read_to_string(path).unwrap().lines().count();
    let lines: usize =
        entries.iter().map(|path| if path.is_dir() { measure(path, large) } else { lines_of(path) }).sum();
    let name = folder.to_string_lossy().into_owned();
    if entries.len() > MOST_ENTRIES {
        large.push(format!("{name}: {} entries", entries.len()));
    }
    if lines > MOST_LINES && !PARENT_FOLDERS.contains(&name.as_str()) {
        large.push(format!("{name}: {lines} lines"));
    }
    lines
}

#[test]
fn sibling_modules_have_no_import_cycles() {
    let cycles = cycles(&read_crate());
    assert!(cycles.is_empty(), "import cycles:\n{}", cycles.join("\n"));
}

#[test]
fn folders_and_their_mod_rs_have_no_import_cycles() {
    let cycles = cycles_with_parent(&read_crate());
    assert!(cycles.is_empty(), "import cycles:\n{}", cycles.join("\n"));
}

/// The library never uses the command line. The command line uses only the public interface of the library.
#[test]
fn only_main_uses_the_command_line() {
    let lib = strip(&fs::read_to_string("src/lib.rs").unwrap());
    assert!(!lib.contains("cli"), "src/lib.rs names the command line");
    for (path, module) in
        read_crate().iter().filter(|(path, _)| path.first().is_some_and(|layer| layer == "cli"))
    {
        for import in imports(path, &module.code) {
            assert_eq!(
                import.first().map(String::as_str),
                Some("cli"),
                "{} imports {import:?}",
                path.join("::")
            );
        }
    }
}

/// Each rule detects a planted violation.
#[test]
fn planted_violations_are_found() {
    let plant = |files: &[(&str, &str)]| -> Crate {
        let module = |(path, text): &(&str, &str)| {
            let path = path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect();
            (path, Module { code: strip(text), is_test: false })
        };
        files.iter().map(module).collect()
    };
    let illegal = |layer: &str, text: &str| {
        let other = "pub struct Scenario; pub mod deep;";
        let modules = plant(&[("", ""), (layer, ""), (&format!("{layer}::a"), text), ("scenario", other)]);
        illegal_imports(&modules).len()
    };
    assert_eq!(illegal("contact", "use crate::scenario::Scenario;"), 1);
    assert_eq!(illegal("contact", "use crate::{\n    math::Vec3,\n    scenario::Scenario as S,\n};"), 1);
    assert_eq!(illegal("contact", "use super::super::scenario::Scenario;"), 1);
    assert_eq!(illegal("contact", "fn f() -> f64 { crate::scenario::Scenario::read() }"), 1);
    assert_eq!(
        illegal("contact", "// use crate::scenario::Scenario;\nconst S: &str = \"crate::scenario::S\";"),
        0
    );
    assert_eq!(illegal("simulation", "use crate::scenario::Scenario;"), 0);

    let parent = vec!["r".to_owned()];
    let children = [("r", "mod a; mod b;"), ("r::a", "use super::b::B;"), ("r::b", "pub struct B;")];
    assert_eq!(illegal_imports_in(&plant(&children), &parent, &[("a", &[])]).len(), 1);
    assert_eq!(illegal_imports_in(&plant(&children), &parent, &[("a", &["b"])]).len(), 0);

    let direct = [("r", "mod a; mod b;"), ("r::a", "use super::b::B;"), ("r::b", "use crate::r::a::A;")];
    assert_eq!(cycles(&plant(&direct)).len(), 1);
    let passed_on = [
        ("r", "mod a; mod b; mod c; pub use c::{C, D as E};"),
        ("r::a", "use super::b::B;"),
        ("r::b", "use super::C;"),
        ("r::c", ""),
        ("r::c::deep", "use super::super::a::A;"),
    ];
    assert_eq!(cycles(&plant(&passed_on)).len(), 1);
    let with_parent = |own: &str, child: &str| {
        let files = [("r", own), ("r::a", child), ("r::b", "pub struct B;")];
        cycles_with_parent(&plant(&files)).len()
    };
    assert_eq!(with_parent("mod a; mod b; use a::A; pub struct P;", "use super::P;"), 1);
    assert_eq!(with_parent("mod a; mod b; pub use a::A; pub struct P { a: A }", "use super::P;"), 1);
    assert_eq!(with_parent("mod a; mod b; pub struct P { a: a::A }", "use super::P;"), 1);
    assert_eq!(with_parent("mod a; mod b; pub use a::A; pub struct P;", "use super::P;"), 0);
    assert_eq!(with_parent("mod a; mod b; use a::A; pub use b::*;", "use super::B;"), 0);
    let tree = [
        ("r", "mod a; mod b; pub use b::B; pub struct P;"),
        ("r::a", "use super::{B, P};"),
        ("r::b", "use super::P;"),
    ];
    assert_eq!(cycles(&plant(&tree)).len(), 0);
}

/// Imports between layers that the table does not allow.
fn illegal_imports(modules: &Crate) -> Vec<String> {
    let mut illegal = Vec::new();
    for (path, module) in modules {
        let Some(layer) = path.first() else { continue };
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| name == layer) else { continue };
        for import in imports(path, &module.code) {
            let target = import.first().map_or("", String::as_str);
            if target != layer && !allowed.contains(&target) {
                illegal.push(format!("{} imports crate::{}", path.join("::"), import.join("::")));
            }
        }
    }
    illegal
}

/// Imports between submodules of `parent` that the table does not allow. Items defined in the parent itself may be
/// imported.
fn illegal_imports_in(modules: &Crate, parent: &ModulePath, children: &[(&str, &[&str])]) -> Vec<String> {
    let mut illegal = Vec::new();
    for (path, module) in modules.iter().filter(|(_, module)| !module.is_test) {
        let Some(child) = path.strip_prefix(parent.as_slice()).and_then(<[String]>::first) else { continue };
        let Some((_, allowed)) = children.iter().find(|(name, _)| name == child) else { continue };
        for import in imports(path, &without_tests(&module.code)) {
            let target = resolve(modules, import);
            let Some(other) = target.strip_prefix(parent.as_slice()).and_then(<[String]>::first) else {
                continue;
            };
            if other != child && !allowed.contains(&other.as_str()) {
                illegal.push(format!("{} imports {}", path.join("::"), target.join("::")));
            }
        }
    }
    illegal
}

/// Import cycles between a folder and its `mod.rs`: a child names an item that the `mod.rs` defines, and the `mod.rs`
/// names a path into that child.
fn cycles_with_parent(modules: &Crate) -> Vec<String> {
    let mut found = Vec::new();
    for (parent, module) in modules.iter().filter(|(_, module)| !module.is_test) {
        let children: Vec<&ModulePath> = modules
            .iter()
            .filter(|(path, child)| {
                path.len() == parent.len() + 1 && path.starts_with(parent) && !child.is_test
            })
            .map(|(path, _)| path)
            .collect();
        let used =
            children.iter().filter(|child| uses_child(&without_tests(&module.code), child.last().unwrap()));
        let mut open: Vec<&ModulePath> = used.copied().collect();
        let mut seen: BTreeSet<&ModulePath> = open.iter().copied().collect();
        while let Some(child) = open.pop() {
            for (import, target) in targets_inside(modules, child) {
                let is_spread = SPREAD_TYPES.contains(&(&parent.join("::"), import.last().unwrap()));
                if target == *parent && !is_spread {
                    found.push(format!("{} imports {}", child.join("::"), import.join("::")));
                }
                let sibling = children.iter().find(|sibling| target.starts_with(sibling));
                open.extend(sibling.copied().filter(|sibling| seen.insert(sibling)));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Paths that a module and everything inside it name, and the modules that they lead into.
fn targets_inside(modules: &Crate, child: &ModulePath) -> Vec<(ModulePath, ModulePath)> {
    let inside = modules.iter().filter(|(path, module)| path.starts_with(child) && !module.is_test);
    let named = inside.flat_map(|(path, module)| imports(path, &without_tests(&module.code)));
    named.map(|import| (import.clone(), resolve(modules, import))).collect()
}

/// Import cycles among the children of each folder, as text.
fn cycles(modules: &Crate) -> Vec<String> {
    let mut edges: BTreeMap<(ModulePath, String), BTreeSet<String>> = BTreeMap::new();
    for (path, module) in modules.iter().filter(|(_, module)| !module.is_test) {
        for import in imports(path, &without_tests(&module.code)) {
            let target = resolve(modules, import);
            let shared = path.iter().zip(&target).take_while(|(a, b)| a == b).count();
            if let (Some(from), Some(to)) = (path.get(shared), target.get(shared)) {
                edges.entry((path[..shared].to_vec(), from.clone())).or_default().insert(to.clone());
            }
        }
    }
    let reaches = |folder: &ModulePath, from: &String, goal: &String| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(name) = open.pop() {
            for next in edges.get(&(folder.clone(), name)).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        seen.contains(goal)
    };
    let mut cycles = BTreeMap::new();
    for (folder, name) in edges.keys() {
        let siblings = edges.keys().filter(|(other, _)| other == folder).map(|(_, name)| name);
        let cycle: BTreeSet<&String> =
            siblings.filter(|other| reaches(folder, name, other) && reaches(folder, other, name)).collect();
        if cycle.len() > 1 {
            cycles.insert((folder, cycle.clone()), format!("in crate::{}: {cycle:?}", folder.join("::")));
        }
    }
    cycles.into_values().collect()
}
