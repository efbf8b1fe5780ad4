//! `[[walls]]`.

use super::check::{Bounds, Check, VectorFunction};
use super::response;
use super::tables::Named;
use crate::contact::response::ContactLaws;
use crate::error::Problem;
use crate::math::{TimeFunction, Vec3};
use crate::raw;
use crate::section::join;
use crate::spanned::Spanned;
use crate::{ResponseSettings, WallMotion, WallSpec};

/// Largest tolerated tangential velocity of a wall with a mass, relative to its speed \[-\]. The tolerance allows for a
/// rounded normal.
const ACROSS: f64 = 1e-6;

pub(super) struct Wall {
    name: Spanned<String>,
    path: String,
    /// `None` if the table cannot be read.
    raw: Option<raw::Wall>,
}

pub(super) fn read(walls: Vec<Named<'_>>, check: &mut Check<'_>) -> Vec<Wall> {
    let read = |Named { name, section }: Named<'_>| {
        let path = section.path.clone();
        Wall { name, path, raw: section.read(&mut check.problems) }
    };
    walls.into_iter().map(read).collect()
}

/// Contact laws of each wall. Missing keys have the values of `all`.
pub(super) fn laws(
    walls: &[Wall],
    all: ContactLaws,
    response: Option<&ResponseSettings>,
    check: &mut Check<'_>,
) -> Vec<ContactLaws> {
    let laws = |Wall { path, raw, .. }: &Wall| {
        let given = raw.as_ref().map(response::Given::wall);
        given.map_or(all, |given| response::laws(path, given, response, Some(all), check))
    };
    walls.iter().map(laws).collect()
}

/// `None` if a wall is unusable.
pub(super) fn validate(
    walls: Vec<Wall>,
    bodies: &[Spanned<String>],
    gravity: &VectorFunction,
    check: &mut Check<'_>,
) -> Option<Vec<WallSpec>> {
    for (index, Wall { name, .. }) in walls.iter().enumerate() {
        let mut earlier = bodies.iter().chain(walls[..index].iter().map(|wall| &wall.name));
        if !name.get_ref().is_empty() && earlier.any(|other| other.get_ref() == name.get_ref()) {
            let fact = format!("another wall or body is named `{}`", name.get_ref());
            let problem = Problem::new(fact).at(name.span()).key(format!("walls.{index}.name"));
            check.report(problem.label("named again here").help("give each wall its own name"));
        }
    }
    let mut all = Some(Vec::new());
    for Wall { path, raw, .. } in walls {
        let wall = raw.and_then(|raw| one(&path, raw, gravity, check));
        all = all.zip(wall).map(|(mut all, wall)| {
            all.push(wall);
            all
        });
    }
    all
}

fn one(path: &str, raw: raw::Wall, gravity: &VectorFunction, check: &mut Check<'_>) -> Option<WallSpec> {
    let key = |name: &str| join(path, name);
    check.name(&key("name"), &raw.name);
    let point = check.vector(&key("point"), Some(&raw.point))?;
    let normal =
        check.direction(&key("normal"), &raw.normal, "give the direction out of the wall, such as [0, 0, 1]");
    let mass = raw.mass.as_ref().map(|mass| check.number(&key("mass"), mass, Bounds::Positive));
    let velocity = raw
        .velocity
        .as_ref()
        .map(|given| given.get_ref().each_ref().map(|component| check.function(&key("velocity"), component)));
    let velocity = match velocity {
        Some([x, y, z]) => Some([x?, y?, z?]),
        None => None,
    };
    let own_gravity = check.vector(&key("gravity"), raw.gravity.as_ref());
    let normal = normal?;
    let motion = match (mass, velocity) {
        (None, velocity) => {
            if let Some(given) = &raw.gravity {
                let problem = Problem::new(format!("`{path}` has gravity but no mass")).at(given.span());
                check.report(problem.key(key("gravity")).help("give its `mass`, or remove `gravity`"));
            }
            match velocity {
                Some(velocity) if !is_zero(&velocity) => WallMotion::Driven(velocity),
                _ => WallMotion::Fixed,
            }
        }
        (Some(mass), velocity) => {
            let velocity = velocity.map_or(Some(0.0), |velocity| {
                let span = raw.velocity.as_ref().map_or(0..0, Spanned::span);
                initial_speed(&velocity, &normal).or_else(|| {
                    let fact = format!("`{}` is not along the normal", key("velocity"));
                    let problem = Problem::new(fact).at(span).key(key("velocity"));
                    check.report(problem.help(
                        "a wall with a mass moves along its normal: give three numbers, a multiple of `normal`; or \
                         remove the `mass` to prescribe the velocity",
                    ));
                    None
                })
            });
            let gravity = own_gravity.or_else(|| inherited_gravity(path, &raw, gravity, check))?.dot(&normal);
            WallMotion::Free { mass, velocity: velocity?, gravity }
        }
    };
    Some(WallSpec { name: raw.name.into_inner(), point, normal, motion })
}

/// Velocity along the normal. `None` if `velocity` is not constant or not along the normal.
fn initial_speed(velocity: &[TimeFunction; 3], normal: &Vec3) -> Option<f64> {
    let is_constant = velocity.iter().all(TimeFunction::is_constant);
    let velocity = Vec3::from_fn(|axis, _| velocity[axis].value(0.0));
    let speed = velocity.dot(normal);
    (is_constant && (velocity - normal * speed).norm() <= ACROSS * velocity.norm()).then_some(speed)
}

fn is_zero(velocity: &[TimeFunction; 3]) -> bool {
    velocity.iter().all(|component| component.is_constant() && component.value(0.0) == 0.0)
}

/// Gravity of the scenario, for a wall with a mass. If the gravity varies in time, reports it and returns `None`.
fn inherited_gravity(
    path: &str,
    raw: &raw::Wall,
    gravity: &VectorFunction,
    check: &mut Check<'_>,
) -> Option<Vec3> {
    if let VectorFunction::Constant(gravity) = gravity {
        return Some(*gravity);
    }
    let problem =
        Problem::new(format!("`{path}` has a mass, and the gravity of the scenario varies in time"));
    let span = raw.mass.as_ref().map_or(0..0, Spanned::span);
    let help = "give the wall a constant `gravity`: the gravity of a wall cannot vary in time";
    check.report(problem.at(span).key(join(path, "mass")).help(help));
    None
}
