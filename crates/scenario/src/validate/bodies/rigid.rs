//! The mass properties of a rigid body.

use std::ops::Range;

use crate::error::Problem;
use crate::math::Mat3;
use crate::raw;
use crate::section::join;
use crate::spanned::Spanned;
use crate::validate::check::{Bounds, Check};
use crate::{MaterialModel, MaterialSpec, RigidMass};

/// `material` is `None` if the material is unknown or cannot be read.
pub(super) fn validate(
    raw: &raw::Body,
    material: Option<&MaterialSpec>,
    path: &str,
    check: &mut Check<'_>,
) -> RigidMass {
    let key = |name: &str| join(path, name);
    let positive = |name: &str, value: Option<&raw::Number>, check: &mut Check<'_>| {
        value.map(|value| check.number(&key(name), value, Bounds::Positive))
    };
    let thickness = positive("thickness", raw.thickness.as_ref(), check);
    let mass = positive("mass", raw.mass.as_ref(), check);
    let inertia = raw.inertia.as_ref().and_then(|value| inertia(&key("inertia"), value, check));
    match material {
        Some(material) if material.model != MaterialModel::Rigid => deny_on_deformable(raw, path, check),
        Some(material) if material.density.is_none() && raw.mass.is_none() => {
            let fact = format!("nothing gives the mass of `{path}`: `{}` has no density", material.name);
            let help = "give the material a `density`, or the body its `mass`";
            check.report(Problem::new(fact).at(raw.material.span()).key(key("material")).help(help));
        }
        _ => deny_contradictions(raw, path, check),
    }
    match (thickness, mass, inertia) {
        (_, Some(mass), Some(inertia)) => RigidMass::Given(mass, inertia),
        (_, Some(mass), None) => RigidMass::Even(mass),
        (Some(thickness), _, _) => RigidMass::Shell(thickness),
        _ => RigidMass::Volume,
    }
}

/// Those keys of the body `raw` that are only for rigid bodies, with their locations.
fn given(raw: &raw::Body) -> impl Iterator<Item = (&'static str, Range<usize>)> {
    [
        ("thickness", raw.thickness.as_ref().map(Spanned::span)),
        ("mass", raw.mass.as_ref().map(Spanned::span)),
        ("inertia", raw.inertia.as_ref().map(Spanned::span)),
    ]
    .into_iter()
    .filter_map(|(name, span)| Some((name, span?)))
}

fn deny_on_deformable(raw: &raw::Body, path: &str, check: &mut Check<'_>) {
    for (name, span) in given(raw) {
        let key = join(path, name);
        let problem = Problem::new(format!("`{key}` is for rigid bodies")).at(span).key(key);
        check.report(problem.help("remove it, or choose a material with `model = \"rigid\"`"));
    }
}

fn deny_contradictions(raw: &raw::Body, path: &str, check: &mut Check<'_>) {
    if let (Some(inertia), None) = (&raw.inertia, &raw.mass) {
        let problem = Problem::new(format!("`{path}` gives its inertia but not its mass"));
        let help = "give its `mass`, too, or leave out `inertia`";
        check.report(problem.at(inertia.span()).key(join(path, "inertia")).help(help));
    }
    if let Some(thickness) = raw.thickness.as_ref().filter(|_| raw.mass.is_some()) {
        let problem = Problem::new(format!("`{path}` gives both a thickness and its mass"));
        let help = "keep `thickness` if the body is a shell of known density, otherwise keep `mass`";
        check.report(problem.at(thickness.span()).key(join(path, "thickness")).help(help));
    }
}

/// Tolerance of the triangle inequality of the principal moments, relative to the sum of the two smaller moments \[-\].
/// For a lamina, the largest moment equals this sum, up to rounding.
const TRIANGLE_SLACK: f64 = 1e-6;

/// Components xx, yy, zz, xy, yz, xz of an inertia tensor. A tensor is reported if no body can have it: if a principal
/// moment is not positive, or exceeds the sum of the other two.
fn inertia(key: &str, value: &Spanned<Vec<f64>>, check: &mut Check<'_>) -> Option<[f64; 6]> {
    let problem = |fact: String| Problem::new(fact).at(value.span()).key(key);
    let components = match *value.get_ref().as_slice() {
        [xx, yy, zz] => [xx, yy, zz, 0.0, 0.0, 0.0],
        [xx, yy, zz, xy, yz, xz] => [xx, yy, zz, xy, yz, xz],
        ref other => {
            let fact = format!("`{key}` is a list of {}, not of 3 or 6", other.len());
            check.report(problem(fact).help("give xx, yy, zz or xx, yy, zz, xy, yz, xz"));
            return None;
        }
    };
    if components.iter().any(|component| !component.is_finite()) {
        check.report(problem(format!("`{key}` is not finite")).help("give finite numbers"));
        return None;
    }
    let [xx, yy, zz, xy, yz, xz] = components;
    let principal = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz).symmetric_eigenvalues();
    let (smallest, largest) = (principal.min(), principal.max());
    if smallest <= 0.0 || largest > (principal.sum() - largest) * (1.0 + TRIANGLE_SLACK) {
        let mut moments: [f64; 3] = principal.into();
        moments.sort_by(f64::total_cmp);
        let [a, b, c] = moments;
        let fact = format!("no body can have this `{key}`: its principal moments are {a}, {b} and {c}");
        check.report(problem(fact).help("each has to be positive and at most the sum of the other two"));
        return None;
    }
    Some(components)
}
