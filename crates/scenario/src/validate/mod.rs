//! Validation of the raw tables: fills in defaults, checks ranges, resolves names and collects the problems.

mod bodies;
mod boundaries;
mod check;
mod contact;
mod loads;
mod materials;
mod output;
mod pairs;
mod probes;
mod response;
mod tables;
mod time;
mod velocities;
mod walls;

use std::path::Path;

use super::error::Problem;
use super::parameters::Substitution;
use super::{Scenario, raw};
use crate::contact::detection::DetectionMethod;
use crate::contact::response::Scheme;
use crate::math::Vec3;
use crate::units::UnitSystem;
use check::{Check, VectorFunction};
use tables::Tables;

/// Scenario with the content `text`. The fields `source`, `file_text` and `substitution` stay empty. Spans refer to
/// `text`.
pub(super) fn validate(text: &str, path: &Path) -> Result<Scenario, Vec<Problem>> {
    let mut check = Check::new(text);
    let scenario =
        Tables::parse(text, &mut check.problems).and_then(|tables| build(tables, path, &mut check));
    match scenario {
        Some(scenario) if check.problems.is_empty() => Ok(Scenario { warnings: check.warnings, ..scenario }),
        _ => Err(check.into_problems()),
    }
}

/// Refuses self-contact with the sorting detector, which pairs nodes only with faces of other bodies.
fn refuse_sorted_self_contact(
    contact: Option<&super::ContactSettings>,
    bodies: &[super::BodySpec],
    check: &mut Check<'_>,
) {
    let sorts = contact.is_some_and(|contact| contact.detection == DetectionMethod::Sorting);
    if let Some(body) = bodies.iter().find(|body| sorts && body.self_contact) {
        let fact = format!(
            "`contact.detection` is `sorting`, which has no self-contact, but body `{}` has",
            body.name
        );
        let help = "use contact.detection = \"hierarchy\" or \"buckets\", or leave out self_contact";
        check.report(Problem::new(fact).key("contact.detection").help(help));
    }
}

/// Refuses groups of faces and contact thickness if detection is by distance fields, because nodes then touch elements,
/// not faces.
fn refuse_unserved_by_fields(
    contact: Option<&super::ContactSettings>,
    bodies: &[super::BodySpec],
    check: &mut Check<'_>,
) {
    let by_field = contact.filter(|contact| contact.detection == DetectionMethod::DistanceField);
    let Some(contact) = by_field else { return };
    let pairs = contact.own_laws.iter().map(|(pair, _)| pair).chain(&contact.excluded);
    if let Some(group) = pairs.flat_map(|pair| pair.groups.iter().flatten()).next() {
        let fact = "`contact.detection` is `distance-field`, by which nodes touch elements, but a pair is limited to \
                    `groups` of faces";
        let help = "use contact.detection = \"hierarchy\" or \"buckets\", or leave out the groups";
        check.report(Problem::new(fact).at(group.span.clone()).key("contact.pairs.groups").help(help));
    }
    if let Some(body) = bodies.iter().find(|body| body.contact_thickness > 0.0) {
        let fact = format!(
            "`contact.detection` is `distance-field`, which has no contact thickness, but body `{}` has",
            body.name
        );
        let help = "use contact.detection = \"hierarchy\" or \"buckets\", or leave out the thickness";
        check.report(Problem::new(fact).key("contact.detection").help(help));
    }
}

/// Refuses contact thickness, distance fields and ties with the midpoint scheme, which has no mid-step geometry for
/// these options.
fn refuse_unserved_by_midpoint(
    contact: Option<&super::ContactSettings>,
    bodies: &[super::BodySpec],
    check: &mut Check<'_>,
) {
    let at_middle = contact.filter(|contact| contact.response.options.scheme == Scheme::Midpoint);
    let Some(contact) = at_middle else { return };
    let thick = bodies.iter().find(|body| body.contact_thickness > 0.0);
    let obstacles = [
        thick.map(|body| format!("body `{}` has a contact thickness", body.name)),
        (contact.detection == DetectionMethod::DistanceField)
            .then(|| "`contact.detection` is `distance-field`".to_owned()),
        (!contact.tied.is_empty()).then(|| "bodies are tied".to_owned()),
    ];
    for obstacle in obstacles.into_iter().flatten() {
        let fact = format!("`contact.scheme` is `midpoint`, but {obstacle}");
        let help = "use contact.scheme = \"staggered\"";
        check.report(Problem::new(fact).key("contact.scheme").help(help));
    }
}

/// Validates all tables, including those after a table with problems. `None` if any part of the scenario has no usable
/// value.
fn build(tables: Tables<'_>, path: &Path, check: &mut Check<'_>) -> Option<Scenario> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let root = tables.root.read_sound_part::<raw::Root>(&mut check.problems);
    let units = root.as_ref().and_then(|root| root.units.as_ref());
    let systems: Vec<_> = UnitSystem::words().collect();
    let units = units.map(|word| check.choice("units", word, &systems));
    let gravity = root.as_ref().and_then(|root| root.gravity.as_ref());
    let gravity = gravity.and_then(|value| check.vector_function("gravity", value));
    let gravity = gravity.unwrap_or(VectorFunction::Constant(Vec3::zeros()));
    let time = time::validate(tables.time, check);
    let dynamic_relaxation = tables.dynamic_relaxation.map(|table| time::validate_relaxation(table, check));
    let end = time.as_ref().map(|time| time.end).filter(|end| end.is_finite() && *end > 0.0);

    let body_names = tables::names(&tables.bodies);
    let folder = path.parent().unwrap_or(Path::new(""));
    let (material_names, materials) = match &tables.materials_file {
        Some(file) => materials::validate_file(file, folder, check),
        None => (Some(tables::names(&tables.materials)), materials::validate(tables.materials, check)),
    };
    let wall_names = tables::names(&tables.walls);
    let names = pairs::Names { bodies: &body_names, walls: &wall_names };
    let raw_walls = walls::read(tables.walls, check);
    let contact = contact::validate(tables.contact, tables.pairs, &raw_walls, names, check);
    let context = bodies::BodyContext {
        folder,
        gravity: &gravity,
        end,
        material_names: material_names.as_deref(),
        materials: &materials,
        self_contact: contact.as_ref().is_some_and(|contact| contact.self_contact),
    };
    let bodies = bodies::validate(tables.bodies, &context, check);
    refuse_sorted_self_contact(contact.as_ref(), bodies.as_deref().unwrap_or_default(), check);
    refuse_unserved_by_fields(contact.as_ref(), bodies.as_deref().unwrap_or_default(), check);
    refuse_unserved_by_midpoint(contact.as_ref(), bodies.as_deref().unwrap_or_default(), check);
    let walls = walls::validate(raw_walls, &body_names, &gravity, check);
    let moved = velocities::Moved { names: &body_names, bodies: bodies.as_deref(), materials: &materials };
    let velocities = velocities::validate(tables.velocities, &moved, check);
    let boundaries = boundaries::validate(tables.boundaries, &body_names, check);
    let loads = loads::validate(tables.loads, &body_names, check);
    let tied = contact.as_ref().map_or(&[][..], |contact| &contact.tied);
    bodies::refuse_unlike_ties(tied, bodies.as_deref().unwrap_or_default(), check);
    let detection = contact.as_ref().map(|contact| contact.detection);
    let run = output::Run { end, name: &name, detection };
    let output = output::validate(tables.output, run, check);
    let measured = probes::Measured {
        names: &body_names,
        bodies: bodies.as_deref(),
        materials: &materials,
        history_interval: output.as_ref().map(|output| output.history_interval),
        units: units.flatten(),
        has_impulses: contact.as_ref().is_some_and(|contact| contact.response.acts_by_impulses()),
    };
    let probes = probes::validate(tables.probes, &measured, check);

    let scenario = Scenario {
        path: path.into(),
        source: String::new(),
        file_text: String::new(),
        substitution: Substitution::default(),
        title: root?.title.unwrap_or_else(|| name.clone()),
        units: units.map_or(Some(None), |system| system.map(Some))?,
        name,
        gravity: if let VectorFunction::Constant(gravity) = gravity { gravity } else { Vec3::zeros() },
        time: time?,
        dynamic_relaxation: dynamic_relaxation.map_or(Some(None), |table| table.map(Some))?,
        materials: materials.into_iter().collect::<Option<_>>()?,
        bodies: bodies?,
        walls: walls?,
        velocities: velocities?,
        boundaries: boundaries?,
        loads: loads?,
        contact: contact?,
        probes: probes?,
        output: output?,
        warnings: Vec::new(),
    };
    if let (None, Some(names)) = (&tables.materials_file, &material_names) {
        materials::warn_of_unused(&scenario, names, check);
    }
    Some(scenario)
}
