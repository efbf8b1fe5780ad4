//! `materials = "FILE"`: materials shared by several scenarios.

use std::path::Path;

use super::super::check::Check;
use super::super::tables;
use crate::scenario::MaterialSpec;
use crate::scenario::error::Problem;
use crate::scenario::spanned::Spanned;

/// Names and materials of a file, relative to `folder`, with tables `[materials.NAME]`; problems are reported at the
/// key of the scenario, with the file and line. No names if the file cannot be read.
pub(in crate::scenario::validate) fn validate(
    file: &Spanned<String>,
    folder: &Path,
    check: &mut Check<'_>,
) -> (Option<Vec<Spanned<String>>>, Vec<Option<MaterialSpec>>) {
    let name = file.get_ref();
    let text = match std::fs::read_to_string(folder.join(name)) {
        Ok(text) => text,
        Err(error) => {
            let problem = Problem::new(format!("cannot read the materials file `{name}`: {error}"));
            let help = "give a TOML file with tables [materials.NAME], relative to the scenario";
            check.report(problem.at(file.span()).key("materials").help(help));
            return Default::default();
        }
    };
    let mut own = Check::new(&text);
    let found = read(&text, &mut own);
    for problem in own.into_problems() {
        let start = problem.span.as_ref().map_or(0, |span| span.start);
        let line = 1 + text.get(..start).map_or(0, |before| before.matches('\n').count());
        let message = format!("{} ({name}:{line})", problem.message);
        check.report(Problem { message, span: Some(file.span()), ..problem });
    }
    found
}

fn read(text: &str, own: &mut Check<'_>) -> (Option<Vec<Spanned<String>>>, Vec<Option<MaterialSpec>>) {
    let Some(root) = tables::root(text, &mut own.problems) else { return Default::default() };
    for (key, _) in root.get_ref().iter().filter(|(key, _)| key.get_ref() != "materials") {
        let problem = Problem::new(format!("unknown key `{}` in a materials file", key.get_ref()));
        own.report(problem.at(key.span()).help("it has tables [materials.NAME] only"));
    }
    let materials = tables::materials(root.get_ref().get("materials").cloned(), &mut own.problems);
    if materials.is_empty() && own.problems.is_empty() {
        let problem = Problem::new("the materials file has no materials").at(0..0).key("materials");
        own.report(problem.help("write [materials.NAME] above each one"));
    }
    (Some(tables::names(&materials)), super::validate(materials, own))
}
