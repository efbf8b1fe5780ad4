//! `[[loads]]`.

use super::check::Check;
use crate::error::Problem;
use crate::math::TimeFunction;
use crate::raw::{self, Function};
use crate::section::{Section, join};
use crate::spanned::Spanned;
use crate::{LoadKind, LoadSpec};

pub(super) fn validate(
    sections: Vec<Section<'_>>,
    bodies: &[Spanned<String>],
    check: &mut Check<'_>,
) -> Option<Vec<LoadSpec>> {
    let loads: Vec<_> = sections.into_iter().map(|section| one(section, bodies, check)).collect();
    loads.into_iter().collect()
}

fn one(section: Section<'_>, bodies: &[Spanned<String>], check: &mut Check<'_>) -> Option<LoadSpec> {
    let path = section.path.clone();
    let place = section.value.span();
    let raw: raw::Load = section.read(&mut check.problems)?;
    let body = check.reference("body", bodies, &join(&path, "body"), &raw.body);
    let group = check.group(&join(&path, "group"), raw.group.as_ref());
    let pressure = raw.pressure.as_ref().map(|function| check.function(&join(&path, "pressure"), function));
    let mut vector = |name: &str, value: &Option<Spanned<[Spanned<Function>; 3]>>| {
        value.as_ref().map(|components| functions(&join(&path, name), components.get_ref(), check))
    };
    let traction = vector("traction", &raw.traction);
    let body_force = vector("body_force", &raw.body_force);
    let kind = match (pressure, traction, body_force) {
        (Some(pressure), None, None) => LoadKind::Pressure(pressure?),
        (None, Some(traction), None) => LoadKind::Traction(traction?),
        (None, None, Some(force)) => LoadKind::BodyForce(force?),
        (None, None, None) => {
            let problem = Problem::new(format!("`{path}` loads nothing")).at(place).key(path);
            check.report(problem.help("add one of `pressure`, `traction` and `body_force`"));
            return None;
        }
        _ => {
            let given = [
                ("pressure", raw.pressure.as_ref().map(Spanned::span)),
                ("traction", raw.traction.as_ref().map(Spanned::span)),
                ("body_force", raw.body_force.as_ref().map(Spanned::span)),
            ];
            report_several(&path, &given, check);
            return None;
        }
    };
    Some(LoadSpec { body: body?, group, kind })
}

fn report_several(path: &str, kinds: &[(&str, Option<std::ops::Range<usize>>)], check: &mut Check<'_>) {
    let given: Vec<_> = kinds.iter().filter_map(|(name, span)| Some((*name, span.clone()?))).collect();
    let names = given.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
    let Some((name, span)) = given.last() else { return };
    let problem = Problem::new(format!("`{path}` has {names}; a load has one of them"));
    check.report(problem.at(span.clone()).key(join(path, name)).help("write a [[loads]] for each"));
}

fn functions(
    key: &str,
    components: &[Spanned<Function>; 3],
    check: &mut Check<'_>,
) -> Option<[TimeFunction; 3]> {
    let [x, y, z] = components.each_ref().map(|component| check.function(key, component));
    Some([x?, y?, z?])
}
