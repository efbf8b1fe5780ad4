//! `[[boundaries]]`.

use std::ops::Range;

use toml::Spanned;

use super::check::Check;
use crate::math::TimeFunction;
use crate::scenario::error::Problem;
use crate::scenario::raw;
use crate::scenario::section::{Section, join};
use crate::scenario::{Axis, BoundarySpec, Located, PrescribedMotion};

const AXES: [(&str, Axis); 3] = [("x", Axis::X), ("y", Axis::Y), ("z", Axis::Z)];

/// What is prescribed of one axis, and where.
struct Prescribed {
    axis: Axis,
    motion: PrescribedMotion,
    span: Range<usize>,
    key: String,
}

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

    let before = check.problems.len();
    let mut prescribed = fixed(raw.fix.as_ref(), &join(&path, "fix"), check);
    prescribed.extend(moved(
        raw.displacement.as_ref(),
        &join(&path, "displacement"),
        PrescribedMotion::Displacement,
        check,
    ));
    prescribed.extend(moved(
        raw.velocity.as_ref(),
        &join(&path, "velocity"),
        PrescribedMotion::Velocity,
        check,
    ));
    prescribed.extend(moved(
        raw.acceleration.as_ref(),
        &join(&path, "acceleration"),
        PrescribedMotion::Acceleration,
        check,
    ));
    if prescribed.is_empty() && check.problems.len() == before {
        let problem = Problem::new(format!("`{path}` prescribes nothing")).at(place).key(path.as_str());
        check.report(
            problem.help("add `fix = [\"x\", \"y\", \"z\"]`, or a displacement, velocity or acceleration"),
        );
    }
    report_repeated_axes(&prescribed, &path, check);
    warn_of_jumps(&prescribed, &path, check);
    let components = prescribed
        .into_iter()
        .map(|entry| Located { value: (entry.axis, entry.motion), span: entry.span })
        .collect();
    Some(BoundarySpec { body: body?, group, components })
}

fn fixed(axes: Option<&raw::Texts>, key: &str, check: &mut Check<'_>) -> Vec<Prescribed> {
    let words = axes.into_iter().flat_map(|axes| axes.get_ref());
    words
        .filter_map(|word| {
            let axis = check.choice(key, word, &AXES)?;
            Some(Prescribed { axis, motion: PrescribedMotion::Fixed, span: word.span(), key: key.into() })
        })
        .collect()
}

fn moved(
    components: Option<&Spanned<raw::Components>>,
    path: &str,
    motion: fn(TimeFunction) -> PrescribedMotion,
    check: &mut Check<'_>,
) -> Vec<Prescribed> {
    let Some(components) = components.map(Spanned::get_ref) else { return Vec::new() };
    AXES.into_iter()
        .zip([&components.x, &components.y, &components.z])
        .filter_map(|((name, axis), function)| {
            let function = function.as_ref()?;
            let key = join(path, name);
            let motion = motion(check.function(&key, function)?);
            Some(Prescribed { axis, motion, span: function.span(), key })
        })
        .collect()
}

fn report_repeated_axes(prescribed: &[Prescribed], path: &str, check: &mut Check<'_>) {
    for (index, entry) in prescribed.iter().enumerate() {
        if prescribed[..index].iter().any(|earlier| earlier.axis == entry.axis) {
            let fact = format!("`{path}` prescribes the {:?} axis twice", entry.axis);
            let problem = Problem::new(fact).at(entry.span.clone()).key(entry.key.as_str());
            let help = "prescribe each axis in one of fix, displacement, velocity, acceleration";
            check.report(problem.label("again here").help(help));
        }
    }
}

/// Warns of displacements that do not start at zero, where the mesh is.
fn warn_of_jumps(prescribed: &[Prescribed], path: &str, check: &mut Check<'_>) {
    for entry in prescribed {
        let PrescribedMotion::Displacement(function) = &entry.motion else { continue };
        let start = function.value(0.0);
        if start != 0.0 {
            let fact = format!("`{path}`: the {:?} displacement starts at {start}, not at 0", entry.axis);
            let problem = Problem::new(fact).at(entry.span.clone()).key(entry.key.as_str());
            let help = format!("the nodes jump there in the first step: subtract {start} from it");
            check.warnings.push(problem.help(help));
        }
    }
}
