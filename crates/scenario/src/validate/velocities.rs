//! `[[velocities]]`.

use super::check::Check;
use crate::error::Problem;
use crate::math::Vec3;
use crate::raw;
use crate::section::{Section, join};
use crate::spanned::Spanned;
use crate::{BodySpec, MaterialModel, MaterialSpec, VelocitySpec};

pub(super) struct Moved<'a> {
    pub names: &'a [Spanned<String>],
    pub bodies: Option<&'a [BodySpec]>,
    pub materials: &'a [Option<MaterialSpec>],
}

impl Moved<'_> {
    fn is_rigid(&self, body: usize) -> bool {
        let material = self.bodies.map(|bodies| bodies[body].material);
        let material = material.and_then(|material| self.materials[material].as_ref());
        material.is_some_and(|material| material.model == MaterialModel::Rigid)
    }
}

pub(super) fn validate(
    sections: Vec<Section<'_>>,
    moved: &Moved<'_>,
    check: &mut Check<'_>,
) -> Option<Vec<VelocitySpec>> {
    let velocities: Vec<_> = sections.into_iter().map(|section| one(section, moved, check)).collect();
    velocities.into_iter().collect()
}

fn one(section: Section<'_>, moved: &Moved<'_>, check: &mut Check<'_>) -> Option<VelocitySpec> {
    let path = section.path.clone();
    let place = section.value.span();
    let raw: raw::Velocity = section.read(&mut check.problems)?;
    let body = check.reference("body", moved.names, &join(&path, "body"), &raw.body);
    let group = check.group(&join(&path, "group"), raw.group.as_ref());
    let velocity = check.vector(&join(&path, "velocity"), raw.velocity.as_ref());
    let spin = check.vector(&join(&path, "angular_velocity"), raw.angular_velocity.as_ref());
    if raw.velocity.is_none() && raw.angular_velocity.is_none() {
        let problem = Problem::new(format!("`{path}` gives no velocity")).at(place).key(path.as_str());
        check.report(problem.help("add `velocity`, `angular_velocity` or both"));
    }
    if let Some(body) = body.filter(|&body| moved.is_rigid(body)) {
        let name = moved.names[body].get_ref();
        let problem = Problem::new(format!("body `{name}` is rigid and has one velocity"));
        let help =
            format!("give `velocity` and `angular_velocity` in its [[bodies]] (`bodies.{name}.velocity`)");
        check.report(problem.at(raw.body.span()).key(join(&path, "body")).help(help));
    }
    Some(VelocitySpec {
        body: body?,
        group,
        velocity: velocity.unwrap_or_else(Vec3::zeros),
        angular_velocity: spin.unwrap_or_else(Vec3::zeros),
    })
}
