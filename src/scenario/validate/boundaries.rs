//! `[[boundaries]]`.

use toml::Spanned;

use super::check::Check;
use crate::math::TimeFunction;
use crate::scenario::error::Problem;
use crate::scenario::raw;
use crate::scenario::section::{Section, join};
use crate::scenario::{Axis, BoundarySpec, PrescribedMotion};

const AXES: [(&str, Axis); 3] = [("x", Axis::X), ("y", Axis::Y), ("z", Axis::Z)];

pub(super) fn validate(
    sections: Vec<Section<'_>>,
    bodies: &[Spanned<String>],
    check: &mut Check<'_>,
) -> Option<Vec<BoundarySpec>> {
    let boundaries: Vec<_> = sections.into_iter().map(|section| one(section, bodies, check)).collect();
    boundaries.into_iter().collect()
}

fn one(section: Section<'_>, bodies: &[Spanned<String>], check: &mut Check<'_>) -> Option<BoundarySpec> {
    let path = section.path.clone();
    let place = section.value.span();
    let raw: raw::Boundary = section.read(&mut check.problems)?;
    let body = check.reference("body", bodies, &join(&path, "body"), &raw.body);
    let group = check.group(&join(&path, "group"), raw.group.as_ref());

    let mut components = Vec::new();
    let mut prescribe = |axis, motion, span, key: &str, check: &mut Check<'_>| {
        if components.iter().any(|(other, _)| *other == axis) {
            let problem = Problem::new(format!("`{path}` prescribes the {axis:?} axis twice"))
                .at(span)
                .key(key)
                .label("again here");
            check.report(
                problem.help("prescribe each axis in one of fix, displacement, velocity, acceleration"),
            );
        } else {
            components.push((axis, motion));
        }
    };
    if let Some(fixed) = &raw.fix {
        let key = join(&path, "fix");
        for word in fixed.get_ref() {
            if let Some(axis) = check.choice(&key, word, &AXES) {
                prescribe(axis, PrescribedMotion::Fixed, word.span(), &key, check);
            }
        }
    }
    let kinds: [(&str, &Option<_>, fn(TimeFunction) -> PrescribedMotion); 3] = [
        ("displacement", &raw.displacement, PrescribedMotion::Displacement),
        ("velocity", &raw.velocity, PrescribedMotion::Velocity),
        ("acceleration", &raw.acceleration, PrescribedMotion::Acceleration),
    ];
    for (name, given, motion) in kinds {
        for (axis, key, function) in given.iter().flat_map(|given| axes(given.get_ref(), join(&path, name))) {
            if let Some(value) = check.function(&key, function) {
                prescribe(axis, motion(value), function.span(), &key, check);
            }
        }
    }
    warn_of_jumps(&components, &raw, &path, check);
    if prescribes_nothing(&raw) {
        let problem = Problem::new(format!("`{path}` prescribes nothing")).at(place).key(path);
        check.report(
            problem.help("add `fix = [\"x\", \"y\", \"z\"]`, or a displacement, velocity or acceleration"),
        );
    }
    Some(BoundarySpec { body: body?, group, components })
}

/// The components that are given, with their keys.
fn axes<'a>(
    components: &'a raw::Components,
    path: String,
) -> impl Iterator<Item = (Axis, String, &'a Spanned<raw::Function>)> {
    AXES.into_iter()
        .zip([&components.x, &components.y, &components.z])
        .filter_map(move |((name, axis), function)| Some((axis, join(&path, name), function.as_ref()?)))
}

fn prescribes_nothing(raw: &raw::Boundary) -> bool {
    let given = [&raw.displacement, &raw.velocity, &raw.acceleration];
    raw.fix.as_ref().is_none_or(|axes| axes.get_ref().is_empty())
        && given
            .into_iter()
            .flatten()
            .all(|components| axes(components.get_ref(), String::new()).next().is_none())
}

/// Warns of displacements that do not start at zero, where the mesh is.
fn warn_of_jumps(
    components: &[(Axis, PrescribedMotion)],
    raw: &raw::Boundary,
    path: &str,
    check: &mut Check<'_>,
) {
    let Some(span) = raw.displacement.as_ref().map(Spanned::span) else { return };
    for (axis, motion) in components {
        match motion {
            PrescribedMotion::Displacement(function) if function.value(0.0) != 0.0 => {
                let start = function.value(0.0);
                let fact = format!("`{path}`: the {axis:?} displacement starts at {start}, not at 0");
                let problem = Problem::new(fact).at(span.clone()).key(join(path, "displacement"));
                check.warnings.push(problem.help("the nodes jump there in the first step"));
            }
            _ => {}
        }
    }
}
