//! Who imports whom: the table of the design, held against the source text.
//!
//! What counts as an import is every path that begins with `crate::`, `super::` or `self::` in the code of a file
//! under src/, in a `use` tree or in the middle of an expression; comments and strings do not. Four rules:
//!
//! 1. A room (a module at the top) imports only the rooms that the table allows, in its unit tests too.
//! 2. Among the modules of one folder there is no circle. Module a points to its sibling b if anything inside a
//!    names a path into b; a name that their parent only passes on (`pub use b::Name`) is a path into b. What the
//!    parent defines itself belongs to no child, so that children may share their parent's types, and a parent may
//!    use its children. Unit tests are left out: they may look at anything in their room.
//! 3. The rooms of contact detection and of the simulation import only those of their tables.
//! 4. A folder has at most [`MOST_ENTRIES`] entries, and a room that is no house of others at most [`MOST_LINES`] lines.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail the test")]

mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use source::{Crate, Module, ModulePath, imports, read_crate, resolve, strip, without_tests};

/// What each room of the library may import.
const ROOMS: [(&str, &[&str]); 10] = [
    ("math", &[]),
    ("signal", &[]),
    ("mesh", &["math"]),
    ("material", &["math"]),
    ("scenario", &["math", "signal"]),
    ("element", &["math", "mesh"]),
    ("contact", &["math", "mesh", "element"]),
    ("dynamics", &["math", "mesh", "element", "material"]),
    ("io", &["math", "mesh"]),
    (
        "simulation",
        &["math", "mesh", "material", "scenario", "element", "contact", "dynamics", "signal", "io"],
    ),
];

/// What each room of contact detection may import of the others.
const ROOMS_OF_DETECTION: [(&str, &[&str]); 12] = [
    ("volume", &[]),
    ("face", &["volume"]),
    ("tree", &["face", "volume"]),
    ("model", &["face", "tree"]),
    ("report", &["model", "volume"]),
    ("primitive", &["face", "model", "volume"]),
    ("trajectory", &["model", "primitive"]),
    ("entry_face", &["face", "model", "primitive"]),
    ("initial", &["face", "model", "tree", "volume"]),
    ("step_impact", &["face", "initial", "model", "primitive", "tree", "volume"]),
    (
        "detectors",
        &[
            "detector",
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

/// What each room of the simulation may import of the others.
const ROOMS_OF_SIMULATION: [(&str, &[&str]); 4] = [
    ("account", &["model"]),
    ("record", &["account", "error", "model"]),
    ("step", &["account", "error", "model", "record"]),
    ("setup", &["account", "error", "model", "record", "step"]),
];

/// Folders that are houses of rooms: of these alone the lines are not limited.
const HOUSES: [&str; 6] =
    ["src", "src/contact", "src/contact/detection", "src/contact/response", "src/dynamics", "src/simulation"];

/// Lines of a room, tests included, and entries of a folder, at most.
const MOST_LINES: usize = 6_000;
const MOST_ENTRIES: usize = 16;

#[test]
fn rooms_import_only_what_the_table_allows() {
    let illegal = illegal_imports(&read_crate());
    assert!(illegal.is_empty(), "not allowed by the table of rooms:\n{}", illegal.join("\n"));
}

#[test]
fn every_room_is_in_the_table() {
    let modules = read_crate();
    let rooms: BTreeSet<&str> =
        modules.keys().filter(|path| path.len() == 1).map(|path| path[0].as_str()).collect();
    let expected: BTreeSet<&str> = ROOMS.iter().map(|(room, _)| *room).chain(["cli"]).collect();
    assert_eq!(rooms, expected);
}

#[test]
fn rooms_of_a_house_import_only_what_its_table_allows() {
    let modules = read_crate();
    for (house, rooms) in [
        (["contact", "detection"].as_slice(), ROOMS_OF_DETECTION.as_slice()),
        (&["simulation"], &ROOMS_OF_SIMULATION),
    ] {
        let house: ModulePath = house.iter().map(|name| (*name).to_owned()).collect();
        let illegal = illegal_imports_in(&modules, &house, rooms);
        assert!(illegal.is_empty(), "not allowed by the table of rooms:\n{}", illegal.join("\n"));
    }
}

/// A folder can be taken in at a glance, and a room be read in a day.
#[test]
fn folders_and_rooms_are_small() {
    let mut large = Vec::new();
    measure(Path::new("src"), &mut large);
    assert!(large.is_empty(), "too large:\n{}", large.join("\n"));
}

/// Lines of a folder; notes those of too many entries or lines.
fn measure(folder: &Path, large: &mut Vec<String>) -> usize {
    let entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let lines_of = |path: &Path| fs::read_to_string(path).unwrap().lines().count();
    let lines: usize =
        entries.iter().map(|path| if path.is_dir() { measure(path, large) } else { lines_of(path) }).sum();
    let name = folder.to_string_lossy().into_owned();
    if entries.len() > MOST_ENTRIES {
        large.push(format!("{name}: {} entries", entries.len()));
    }
    if lines > MOST_LINES && !HOUSES.contains(&name.as_str()) {
        large.push(format!("{name}: {lines} lines"));
    }
    lines
}

#[test]
fn modules_of_a_folder_do_not_import_each_other_in_a_circle() {
    let circles = circles(&read_crate());
    assert!(circles.is_empty(), "circles of imports:\n{}", circles.join("\n"));
}

/// The library does not know its command line, which sees the library from outside only.
#[test]
fn only_main_knows_the_command_line() {
    let lib = strip(&fs::read_to_string("src/lib.rs").unwrap());
    assert!(!lib.contains("cli"), "src/lib.rs names the command line");
    for (path, module) in
        read_crate().iter().filter(|(path, _)| path.first().is_some_and(|room| room == "cli"))
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

/// The rules find what they are meant to find: planted faults, one a kind.
#[test]
fn planted_faults_are_found() {
    let plant = |files: &[(&str, &str)]| -> Crate {
        let module = |(path, text): &(&str, &str)| {
            let path = path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect();
            (path, Module { code: strip(text), is_test: false })
        };
        files.iter().map(module).collect()
    };
    let illegal = |room: &str, text: &str| {
        let other = "pub struct Scenario; pub mod deep;";
        let modules = plant(&[("", ""), (room, ""), (&format!("{room}::a"), text), ("scenario", other)]);
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

    let house = vec!["r".to_owned()];
    let rooms = [("r", "mod a; mod b;"), ("r::a", "use super::b::B;"), ("r::b", "pub struct B;")];
    assert_eq!(illegal_imports_in(&plant(&rooms), &house, &[("a", &[])]).len(), 1);
    assert_eq!(illegal_imports_in(&plant(&rooms), &house, &[("a", &["b"])]).len(), 0);

    let direct = [("r", "mod a; mod b;"), ("r::a", "use super::b::B;"), ("r::b", "use crate::r::a::A;")];
    assert_eq!(circles(&plant(&direct)).len(), 1);
    let passed_on = [
        ("r", "mod a; mod b; mod c; pub use c::{C, D as E};"),
        ("r::a", "use super::b::B;"),
        ("r::b", "use super::C;"),
        ("r::c", ""),
        ("r::c::deep", "use super::super::a::A;"),
    ];
    assert_eq!(circles(&plant(&passed_on)).len(), 1);
    let tree = [
        ("r", "mod a; mod b; pub use b::B; pub struct P;"),
        ("r::a", "use super::{B, P};"),
        ("r::b", "use super::P;"),
    ];
    assert_eq!(circles(&plant(&tree)).len(), 0);
}

/// Imports of rooms that the table does not allow.
fn illegal_imports(modules: &Crate) -> Vec<String> {
    let mut illegal = Vec::new();
    for (path, module) in modules {
        let Some(room) = path.first() else { continue };
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| name == room) else { continue };
        for import in imports(path, &module.code) {
            let target = import.first().map_or("", String::as_str);
            if target != room && !allowed.contains(&target) {
                illegal.push(format!("{} imports crate::{}", path.join("::"), import.join("::")));
            }
        }
    }
    illegal
}

/// Imports of one room of a house from another that its table does not allow; what the house itself defines belongs to none.
fn illegal_imports_in(modules: &Crate, house: &ModulePath, rooms: &[(&str, &[&str])]) -> Vec<String> {
    let mut illegal = Vec::new();
    for (path, module) in modules.iter().filter(|(_, module)| !module.is_test) {
        let Some(room) = path.strip_prefix(house.as_slice()).and_then(<[String]>::first) else { continue };
        let Some((_, allowed)) = rooms.iter().find(|(name, _)| name == room) else { continue };
        for import in imports(path, &without_tests(&module.code)) {
            let target = resolve(modules, import);
            let Some(other) = target.strip_prefix(house.as_slice()).and_then(<[String]>::first) else {
                continue;
            };
            if other != room && !allowed.contains(&other.as_str()) {
                illegal.push(format!("{} imports {}", path.join("::"), target.join("::")));
            }
        }
    }
    illegal
}

/// Circles among the children of each folder, as text.
fn circles(modules: &Crate) -> Vec<String> {
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
    let mut circles = BTreeMap::new();
    for (folder, name) in edges.keys() {
        let siblings = edges.keys().filter(|(other, _)| other == folder).map(|(_, name)| name);
        let circle: BTreeSet<&String> =
            siblings.filter(|other| reaches(folder, name, other) && reaches(folder, other, name)).collect();
        if circle.len() > 1 {
            circles.insert((folder, circle.clone()), format!("in crate::{}: {circle:?}", folder.join("::")));
        }
    }
    circles.into_values().collect()
}
