//! `[materials.NAME]` of the scenario, or of a file of materials that several scenarios share.

use std::path::Path;

use toml::de::DeValue;

use super::check::{Bounds, Check};
use super::tables::{self, Named};
use crate::error::Problem;
use crate::material::{LAWS, NamedLaw};
use crate::raw;
use crate::section::Section;
use crate::spanned::Spanned;
use crate::{Elasticity, MaterialModel, MaterialSpec, Scenario};

#[derive(Clone, Copy)]
enum Law {
    Hyperelastic(NamedLaw),
    Rigid,
}

/// Words of the key `model`, with their laws.
fn models() -> Vec<(&'static str, Law)> {
    let laws = LAWS.iter().map(|law| (law.name, Law::Hyperelastic(*law)));
    laws.chain([("rigid", Law::Rigid)]).collect()
}

/// `None` for a material that cannot be read.
pub(super) fn validate(materials: Vec<Named<'_>>, check: &mut Check<'_>) -> Vec<Option<MaterialSpec>> {
    materials.into_iter().map(|material| one(material, check)).collect()
}

/// Names and materials in the materials file `file`, a path relative to `folder`. The names are `None` if the file
/// cannot be read or is not TOML.
///
/// Problems in the file get the span of the file name in the scenario.
pub(super) fn validate_file(
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
    let found = read_file(&text, &mut own);
    for problem in own.into_problems() {
        let start = problem.span.as_ref().map_or(0, |span| span.start);
        let line = 1 + text.get(..start).map_or(0, |before| before.matches('\n').count());
        let message = format!("{} ({name}:{line})", problem.message);
        check.report(Problem { message, span: Some(file.span()), ..problem });
    }
    found
}

fn read_file(text: &str, own: &mut Check<'_>) -> (Option<Vec<Spanned<String>>>, Vec<Option<MaterialSpec>>) {
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
    (Some(tables::names(&materials)), validate(materials, own))
}

fn one(material: Named<'_>, check: &mut Check<'_>) -> Option<MaterialSpec> {
    let Named { name, mut section } = material;
    check.name("materials", &name);
    let name = name.into_inner();
    let law = take_model(&mut section, check)?;
    let key = |name: &str| section.key(name);
    let [density, young, poisson] = [key("density"), key("young"), key("poisson")];
    match law {
        Law::Rigid => {
            let raw: raw::Rigid = section.read(&mut check.problems)?;
            let density = raw.density.map(|value| check.number(&density, &value, Bounds::Positive));
            Some(MaterialSpec { name, density, model: MaterialModel::Rigid })
        }
        Law::Hyperelastic(law) => {
            let raw: raw::Elastic = section.read(&mut check.problems)?;
            let density = Some(check.number(&density, &raw.density, Bounds::Positive));
            let young = check.number(&young, &raw.young, Bounds::Positive);
            let poisson = check.number(&poisson, &raw.poisson, Bounds::Poisson);
            Some(MaterialSpec {
                name,
                density,
                model: MaterialModel::Hyperelastic(law, Elasticity { young, poisson }),
            })
        }
    }
}

/// Removes the key `model` from the table and returns the law that it names. The law determines which other keys the
/// table has.
fn take_model(section: &mut Section<'_>, check: &mut Check<'_>) -> Option<Law> {
    let key = section.key("model");
    let models = models();
    let names = || models.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let DeValue::Table(table) = section.value.get_mut() else {
        let problem = Problem::new(format!("`{}` is not a table", section.path)).at(section.value.span());
        check.report(
            problem.key(section.path.as_str()).help(format!("write [{}] above its keys", section.path)),
        );
        return None;
    };
    let Some(value) = table.remove("model") else {
        let problem = Problem::new(format!("missing key `model` in [{}]", section.path));
        check.report(
            problem.at(section.value.span()).key(key).help(format!("add `model = …`, one of {}", names())),
        );
        return None;
    };
    match value.get_ref().as_str() {
        Some(word) => check.choice(&key, &Spanned::new(value.span(), word.to_owned()), &models),
        None => {
            let problem = Problem::new(format!("`{key}` is not a text")).at(value.span());
            check.report(problem.key(key).help(format!("it is one of {}", names())));
            None
        }
    }
}

pub(super) fn warn_of_unused(scenario: &Scenario, names: &[Spanned<String>], check: &mut Check<'_>) {
    for (index, name) in names.iter().enumerate() {
        if !scenario.bodies.iter().any(|body| body.material == index) {
            let key = format!("materials.{}", name.get_ref());
            let problem = Problem::new(format!("no body is made of the material `{}`", name.get_ref()));
            check.warnings.push(problem.at(name.span()).key(key).help("remove it, or name it in a body"));
        }
    }
}
