//! `[materials.NAME]`.

pub(super) mod shared;

use toml::de::DeValue;

use super::check::{Bounds, Check};
use super::tables::Named;
use crate::scenario::error::Problem;
use crate::scenario::raw;
use crate::scenario::section::Section;
use crate::scenario::spanned::Spanned;
use crate::scenario::{Elasticity, MaterialModel, MaterialSpec, Scenario};

#[derive(Clone, Copy)]
enum Law {
    Elastic(fn(Elasticity) -> MaterialModel),
    Rigid,
}

const MODELS: [(&str, Law); 4] = [
    ("linear-elastic", Law::Elastic(MaterialModel::LinearElastic)),
    ("st-venant-kirchhoff", Law::Elastic(MaterialModel::StVenantKirchhoff)),
    ("neo-hookean", Law::Elastic(MaterialModel::NeoHookean)),
    ("rigid", Law::Rigid),
];

/// The materials by index; `None` for one with problems.
pub(super) fn validate(materials: Vec<Named<'_>>, check: &mut Check<'_>) -> Vec<Option<MaterialSpec>> {
    materials.into_iter().map(|material| one(material, check)).collect()
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
        Law::Elastic(model) => {
            let raw: raw::Elastic = section.read(&mut check.problems)?;
            let density = Some(check.number(&density, &raw.density, Bounds::Positive));
            let young = check.number(&young, &raw.young, Bounds::Positive);
            let poisson = check.number(&poisson, &raw.poisson, Bounds::Poisson);
            Some(MaterialSpec { name, density, model: model(Elasticity { young, poisson }) })
        }
    }
}

/// Removes `model`, which selects the other keys, from the table.
fn take_model(section: &mut Section<'_>, check: &mut Check<'_>) -> Option<Law> {
    let key = section.key("model");
    let names = || MODELS.map(|(name, _)| format!("`{name}`")).join(", ");
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
        Some(word) => check.choice(&key, &Spanned::new(value.span(), word.to_owned()), &MODELS),
        None => {
            let problem = Problem::new(format!("`{key}` is not a text")).at(value.span());
            check.report(problem.key(key).help(format!("it is one of {}", names())));
            None
        }
    }
}

/// Warns of unused materials.
pub(super) fn warn_of_unused(scenario: &Scenario, names: &[Spanned<String>], check: &mut Check<'_>) {
    for (index, name) in names.iter().enumerate() {
        if !scenario.bodies.iter().any(|body| body.material == index) {
            let key = format!("materials.{}", name.get_ref());
            let problem = Problem::new(format!("no body is made of the material `{}`", name.get_ref()));
            check.warnings.push(problem.at(name.span()).key(key).help("remove it, or name it in a body"));
        }
    }
}
