//! The modules of the crate as text, and the paths that they name.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A path of names from the root of the crate.
pub type ModulePath = Vec<String>;

/// The text of a module, without comments and strings.
pub struct Module {
    pub code: String,
    pub is_test: bool,
}

/// All modules of the crate by path; the path of the root is empty.
pub type Crate = BTreeMap<ModulePath, Module>;

/// The module to which a path leads: among the leading parts of the path, the longest part that is the path of a
/// module. A name that a module re-exports from a child leads to this child.
pub fn resolve(modules: &Crate, path: ModulePath) -> ModulePath {
    let mut module = ModulePath::new();
    for name in path {
        let child: ModulePath = module.iter().chain([&name]).cloned().collect();
        if modules.contains_key(&child) {
            module = child;
            continue;
        }
        let parent = modules.get(&module).map_or("", |parent| parent.code.as_str());
        // A module may re-export its own macro under its own path; this path leads nowhere else.
        if let Some(source) = passed_on(&module, parent, &name).filter(|source| *source != child) {
            return if source.starts_with(&module) { resolve(modules, source) } else { module };
        }
        return passed_on_by_glob(modules, &module, parent, &name).unwrap_or(module);
    }
    module
}

/// The child that a module re-exports by a glob (`pub use child::*`) and that defines this name.
fn passed_on_by_glob(modules: &Crate, module: &ModulePath, code: &str, name: &str) -> Option<ModulePath> {
    let globs = use_trees(code).filter(|(public, tree)| *public && tree.ends_with("::*"));
    let mut children = globs.map(|(_, tree)| [module.as_slice(), &leaves(tree)[0]].concat());
    let defines = |child: &ModulePath| {
        let kinds = ["struct", "enum", "trait", "type", "fn", "const"];
        let code = modules.get(child).map_or("", |child| child.code.as_str());
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        kinds.iter().any(|kind| code.split(&format!("pub {kind} {name}")).skip(1).any(ends))
    };
    children.find(defines)
}

/// Absolute path of the item that a module re-exports under this name.
fn passed_on(module: &ModulePath, code: &str, name: &str) -> Option<ModulePath> {
    use_trees(code).filter(|(public, _)| *public).find_map(|(_, tree)| {
        let leaf = leaves(tree).into_iter().find(|leaf| leaf.last().is_some_and(|last| last == name))?;
        let head = leaf[0].as_str();
        let relative = !matches!(head, "crate" | "super" | "self");
        let path = if relative { [vec!["self".to_owned()], leaf].concat() } else { leaf };
        absolute(module, &path)
    })
}

/// Absolute paths of all names in a text that begin with `crate::`, `super::` or `self::`.
pub fn imports(module: &ModulePath, code: &str) -> Vec<ModulePath> {
    let starts = ["crate::", "super::", "self::"].iter().flat_map(|head| code.match_indices(head));
    let whole = starts.filter(|(at, _)| {
        let before = code[..*at].chars().next_back();
        before.is_none_or(|c| !(c.is_alphanumeric() || c == '_' || c == ':' || c == '$'))
    });
    whole
        .flat_map(|(at, _)| leaves(tree_at(&code[at..])))
        .filter_map(|leaf| absolute(module, &leaf))
        .collect()
}

/// The path from the root of the crate; `None` for a path that does not begin with `crate`, `self` or `super`.
fn absolute(module: &ModulePath, path: &[String]) -> Option<ModulePath> {
    let mut base = module.clone();
    for (k, name) in path.iter().enumerate() {
        match name.as_str() {
            "crate" if k == 0 => base.clear(),
            "self" if k == 0 => {}
            "super" => drop(base.pop()),
            _ if k == 0 => return None,
            _ => return Some([base, path[k..].to_vec()].concat()),
        }
    }
    Some(base)
}

/// Whether the code of a `mod.rs` uses names of a child, beyond re-exporting them.
pub fn uses_child(code: &str, child: &str) -> bool {
    let mut own = code.to_owned();
    let mut passed_on = Vec::new();
    for (public, tree) in use_trees(code) {
        own = own.replacen(&format!("use {tree}"), "", 1);
        for leaf in leaves(tree) {
            let leaf = if leaf.first().is_some_and(|head| head == "self") { &leaf[1..] } else { &leaf[..] };
            match (public, leaf) {
                (true, [head, .., name]) if head == child => passed_on.push(name.clone()),
                (false, [head, ..]) if head == child => return true,
                _ => {}
            }
        }
    }
    let names =
        |word: &str| own.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|other| other == word);
    passed_on.iter().any(|name| names(name)) || own.contains(&format!("{child}::"))
}

/// The `use` trees of a text, each with whether it is public.
fn use_trees(code: &str) -> impl Iterator<Item = (bool, &str)> {
    code.match_indices("use ").filter_map(|(at, _)| {
        let before = code[..at].trim_end();
        let begins =
            before.is_empty() || before.ends_with([';', '}', '{', ']', ')']) || before.ends_with("pub");
        let public = before.ends_with("pub") || before.ends_with(')');
        begins.then(|| (public, tree_at(&code[at + 4..])))
    })
}

/// The path or `use` tree at the beginning of a text.
fn tree_at(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        let after_colons = text[..at].ends_with("::");
        match c {
            '{' if after_colons || depth > 0 => depth += 1,
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    return &text[..=at];
                }
            }
            _ if depth > 0 => {}
            c if c.is_alphanumeric() || c == '_' || c == ':' || c == '*' => {}
            _ => return &text[..at],
        }
    }
    text
}

/// Paths of a tree `a::{b, c::{d, e as f}}`: `a::b`, `a::c::d` and `a::c::e`; renaming by `as` is ignored.
fn leaves(tree: &str) -> Vec<ModulePath> {
    let Some(open) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap_or("");
        let names = path.split("::").map(str::trim).filter(|name| !name.is_empty() && *name != "*");
        return vec![names.map(str::to_owned).collect()];
    };
    let head = leaves(&tree[..open]).remove(0);
    let inner = tree[open + 1..].trim_end().trim_end_matches('}');
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    let rest = if depth > 0 {
        format!("{}{}", &inner[start..], "}".repeat(depth))
    } else {
        inner[start..].to_owned()
    };
    let parts = parts.into_iter().map(str::to_owned).chain([rest]).filter(|part| !part.trim().is_empty());
    parts
        .flat_map(|part| leaves(part.trim()))
        .map(|leaf| {
            let own = if leaf.first().is_some_and(|name| name == "self") { &leaf[1..] } else { &leaf[..] };
            [head.as_slice(), own].concat()
        })
        .collect()
}

/// Every module of the crates of the layers and of the command line, as one crate. The main.rs of the program is left
/// out.
pub fn read_crate() -> Crate {
    let mut modules = Crate::new();
    read_folder(Path::new("crates/core/src"), &ModulePath::new(), &mut modules);
    for layer in ["contact", "dynamics", "io", "scenario", "simulation"] {
        read_layer(layer, &mut modules);
    }
    read_folder(Path::new("src"), &ModulePath::new(), &mut modules);
    modules.remove(&vec!["main".to_owned()]);
    let root = modules.remove(&vec!["lib".to_owned()]).unwrap();
    modules.insert(ModulePath::new(), root);
    let tests: Vec<ModulePath> =
        modules.iter().flat_map(|(path, module)| test_modules(path, &module.code)).collect();
    for (path, module) in &mut modules {
        module.is_test = tests.iter().any(|test| path.starts_with(test));
    }
    assert!(modules.len() > 100, "the source is not where it was");
    modules
}

fn read_folder(folder: &Path, module: &ModulePath, modules: &mut Crate) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap().to_owned();
        let child = if name == "mod" { module.clone() } else { [module.as_slice(), &[name]].concat() };
        if path.is_dir() {
            read_folder(&path, &child, modules);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let code = strip(&fs::read_to_string(&path).unwrap());
            modules.insert(child, Module { code, is_test: false });
        }
    }
}

/// Adds the modules of a layer that is a separate crate, by their paths in the library.
fn read_layer(layer: &str, modules: &mut Crate) {
    let mut own = Crate::new();
    read_folder(&Path::new("crates").join(layer).join("src"), &ModulePath::new(), &mut own);
    let root = own.remove(&vec!["lib".to_owned()]).unwrap();
    own.insert(ModulePath::new(), root);
    let imported = imported_layers(&own[&ModulePath::new()].code);
    for (path, module) in own {
        let code = with_library_paths(&module.code, layer, &imported);
        modules.insert([vec![layer.to_owned()], path].concat(), Module { code, ..module });
    }
}

/// The code of a layer, with paths from the root of its crate changed to paths from the root of the library. `imported`
/// are the layers that the root of the crate imports.
fn with_library_paths(code: &str, layer: &str, imported: &[String]) -> String {
    let mut parts = code.split("crate::");
    let mut result = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let list = part.strip_prefix('{').and_then(|list| list.split(';').next()).unwrap_or("");
        let is_named = |module: &String| list.contains(&format!("{module}::"));
        assert!(!imported.iter().any(is_named), "{layer} imports other layers in a list: {list}");
        let name = part.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
        let is_own = !imported.iter().any(|module| module == name);
        let prefix = if is_own { format!("crate::{layer}::") } else { "crate::".to_owned() };
        result += &(prefix + part);
    }
    result
}

/// Layers that the root of a crate imports, from `use ictus_core::{…}` and `use ictus_LAYER as LAYER`.
fn imported_layers(root: &str) -> Vec<String> {
    let own = use_trees(root).filter(|(_, tree)| tree.starts_with("ictus_"));
    own.flat_map(|(_, tree)| leaves(tree))
        .map(|leaf| leaf[1..].last().unwrap_or(&leaf[0]).trim_start_matches("ictus_").to_owned())
        .collect()
}

/// Modules that a text declares under `#[cfg(test)]`.
fn test_modules(module: &ModulePath, code: &str) -> Vec<ModulePath> {
    let declared = code.match_indices("#[cfg(test)]").filter_map(|(at, mark)| {
        let name =
            code[at + mark.len()..].trim_start().trim_start_matches("pub(super) ").strip_prefix("mod ")?;
        let name = name.split([';', ' ', '{']).next()?;
        Some([module.as_slice(), &[name.to_owned()]].concat())
    });
    declared.collect()
}

/// The text before the unit tests. Unit tests are at the end of a file.
pub fn without_tests(code: &str) -> String {
    let mut end = code.len();
    for (at, mark) in code.match_indices("#[cfg(test)]") {
        let item = code[at + mark.len()..].trim_start();
        if item.starts_with("mod ") && item.split(';').next().is_some_and(|head| head.contains('{')) {
            end = end.min(at);
        }
    }
    code[..end].to_owned()
}

/// A text without its comments and without the content of its strings. All line breaks are kept.
pub fn strip(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if let Some(length) = string_length(rest) {
            code.push_str("\"\"");
            code.extend(rest[..length].matches('\n'));
            rest = &rest[length..];
        } else if let Some(length) = character_length(rest) {
            code.push_str("' '");
            rest = &rest[length..];
        } else {
            code.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    code
}

/// Length of the string literal, plain or raw, at the beginning of a text; `None` if there is none.
fn string_length(text: &str) -> Option<usize> {
    if let Some(raw) = text.strip_prefix('r') {
        let hashes = raw.bytes().take_while(|&b| b == b'#').count();
        let body = raw[hashes..].strip_prefix('"')?;
        let close = format!("\"{}", "#".repeat(hashes));
        return Some(2 + hashes + body.find(&close).unwrap_or_else(|| panic!("open string")) + close.len());
    }
    let body = text.strip_prefix('"')?;
    let mut escaped = false;
    for (at, c) in body.char_indices() {
        match c {
            '"' if !escaped => return Some(at + 2),
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    panic!("open string")
}

/// Length of the character literal at the beginning of a text; `None` if there is none, or a lifetime.
fn character_length(text: &str) -> Option<usize> {
    let mut characters = text.strip_prefix('\'')?.char_indices();
    let (_, first) = characters.next()?;
    if first == '\\' {
        return Some(
            text[2..].find('\'').map(|at| at + 3).unwrap_or_else(|| panic!("open character")).max(4),
        );
    }
    let (at, next) = characters.next()?;
    (next == '\'').then_some(at + 2)
}
