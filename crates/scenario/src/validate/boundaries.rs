//! `[[boundaries]]`.

use std::ops::Range;

use super::check::Check;
use crate::error::Problem;
use crate::math::TimeFunction;
use crate::raw;
use crate::section::{Section, join};
use crate::spanned::Spanned;
use crate::{Axis, BoundarySpec, Located, PrescribedMotion, PrescribedRotation, Turn};

/// Prescribed motion of one component, with its key and location in the file.
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
    if let Some(raw) = &raw.rotation {
        refuse_beside_rotation(&prescribed, &path, check);
        prescribed.extend(turned(raw, &join(&path, "rotation"), check));
    }
    if prescribed.is_empty() && check.problems.len() == before {
        let problem = Problem::new(format!("`{path}` prescribes nothing")).at(place).key(path.as_str());
        check.report(problem.help(
            "add `fix = [\"x\", \"y\", \"z\"]`, or a displacement, velocity, acceleration or rotation",
        ));
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
            let axis = check.choice(key, word, Axis::WORDS)?;
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
    Axis::WORDS
        .iter()
        .zip([&components.x, &components.y, &components.z])
        .filter_map(|(&(name, axis), function)| {
            let function = function.as_ref()?;
            let key = join(path, name);
            let motion = motion(check.function(&key, function)?);
            Some(Prescribed { axis, motion, span: function.span(), key })
        })
        .collect()
}

/// The rotation as prescribed motion of all three components.
fn turned(raw: &Spanned<raw::Turning>, path: &str, check: &mut Check<'_>) -> Vec<Prescribed> {
    let given = raw.get_ref();
    let axis = check.direction(&join(path, "axis"), &given.axis, "give a direction, such as [0, 0, 1]");
    let point = check.vector(&join(path, "point"), Some(&given.point));
    let turn = match (&given.angle, &given.speed) {
        (Some(angle), None) => check.function(&join(path, "angle"), angle).map(Turn::Angle),
        (None, Some(speed)) => check.function(&join(path, "speed"), speed).map(Turn::Speed),
        (given_angle, _) => {
            let fact = match given_angle {
                Some(_) => format!("`{path}` has an angle and a speed"),
                None => format!("`{path}` has neither an angle nor a speed"),
            };
            let problem = Problem::new(fact).at(raw.span()).key(path);
            check.report(problem.help("give one of `angle` [rad] and `speed` [rad/s]"));
            None
        }
    };
    let (Some(axis), Some(point), Some(turn)) = (axis, point, turn) else { return Vec::new() };
    let rotation = PrescribedRotation { axis, point, turn };
    let along = |&(_, axis): &(&str, Axis)| Prescribed {
        axis,
        motion: PrescribedMotion::Rotation(rotation.clone()),
        span: raw.span(),
        key: path.into(),
    };
    Axis::WORDS.iter().map(along).collect()
}

fn refuse_beside_rotation(prescribed: &[Prescribed], path: &str, check: &mut Check<'_>) {
    let Some(entry) = prescribed.first() else { return };
    let fact = format!("`{path}` prescribes the {:?} axis beside a rotation", entry.axis);
    let problem = Problem::new(fact).at(entry.span.clone()).key(entry.key.as_str());
    check.report(
        problem.help("a rotation prescribes all three axes of its nodes: leave out the one or the other"),
    );
}

fn report_repeated_axes(prescribed: &[Prescribed], path: &str, check: &mut Check<'_>) {
    let is_rotation = |entry: &Prescribed| matches!(entry.motion, PrescribedMotion::Rotation(_));
    for (index, entry) in prescribed.iter().enumerate().filter(|(_, entry)| !is_rotation(entry)) {
        if prescribed[..index].iter().any(|earlier| earlier.axis == entry.axis) {
            let fact = format!("`{path}` prescribes the {:?} axis twice", entry.axis);
            let problem = Problem::new(fact).at(entry.span.clone()).key(entry.key.as_str());
            let help = "prescribe each axis in one of fix, displacement, velocity, acceleration";
            check.report(problem.label("again here").help(help));
        }
    }
}

/// Warns of displacements and angles that are not zero at t = 0.
fn warn_of_jumps(prescribed: &[Prescribed], path: &str, check: &mut Check<'_>) {
    for entry in prescribed {
        let (function, what) = match &entry.motion {
            PrescribedMotion::Displacement(function) => {
                (function, format!("the {:?} displacement", entry.axis))
            }
            PrescribedMotion::Rotation(PrescribedRotation { turn: Turn::Angle(angle), .. })
                if entry.axis == Axis::X =>
            {
                (angle, "the angle [rad]".to_owned())
            }
            _ => continue,
        };
        let start = function.value(0.0);
        if start != 0.0 {
            let fact = format!("`{path}`: {what} starts at {start}, not at 0");
            let problem = Problem::new(fact).at(entry.span.clone()).key(entry.key.as_str());
            let help = format!("the nodes jump there in the first step: subtract {start} from it");
            check.warnings.push(problem.help(help));
        }
    }
}
