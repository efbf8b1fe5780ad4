//! `[[bodies]]`.

mod mass_damping;
mod rigid;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::check::{Bounds, Check, VectorFunction};
use super::tables::Named;
pub(super) use mass_damping::refuse_unlike_ties;

use crate::error::{Problem, nearest};
use crate::math::Vec3;
use crate::raw::{self, Text};
use crate::section::join;
use crate::spanned::Spanned;
use crate::{BodySpec, ContactSurface, HexIntegration, Located, MaterialModel, MaterialSpec, RigidMass};

pub(super) struct BodyContext<'a> {
    pub folder: &'a Path,
    pub gravity: &'a VectorFunction,
    /// End time, if known \[s\].
    pub end: Option<f64>,
    /// `None` if the file of materials cannot be read.
    pub material_names: Option<&'a [Spanned<String>]>,
    pub materials: &'a [Option<MaterialSpec>],
    /// Self-contact of the deformable bodies without the key `self_contact`.
    pub self_contact: bool,
}

/// `None` if the table of a body has a fault, or if its `material` or `hex` is an unknown word.
pub(super) fn validate(
    bodies: Vec<Named<'_>>,
    context: &BodyContext<'_>,
    check: &mut Check<'_>,
) -> Option<Vec<BodySpec>> {
    if bodies.is_empty() {
        let problem = Problem::new("the scenario has no bodies").key("bodies");
        check.report(problem.help("add [[bodies]] with `name`, `mesh` and `material`"));
    }
    let names: Vec<_> = bodies.iter().map(|body| body.name.clone()).collect();
    let mut known = HashSet::new();
    for (index, name) in names.iter().enumerate() {
        if !name.get_ref().is_empty() && !known.insert(name.get_ref()) {
            let problem = Problem::new(format!("two bodies are named `{}`", name.get_ref())).at(name.span());
            check.report(
                problem
                    .key(format!("bodies.{index}.name"))
                    .label("named again here")
                    .help("give each body its own name"),
            );
        }
    }
    let bodies: Vec<_> = bodies.into_iter().map(|body| one(body, context, check)).collect();
    bodies.into_iter().collect()
}

fn one(body: Named<'_>, context: &BodyContext<'_>, check: &mut Check<'_>) -> Option<BodySpec> {
    let path = body.section.path.clone();
    let key = |name: &str| join(&path, name);
    let raw: raw::Body = body.section.read(&mut check.problems)?;
    check.name(&key("name"), &raw.name);
    let mesh = mesh(&key("mesh"), &raw.mesh, context.folder, check);
    let material = context
        .material_names
        .and_then(|names| check.reference("material", names, &key("material"), &raw.material));
    let region = raw.region.as_ref().map(|names| check.groups(&key("region"), names.get_ref(), names.span()));
    let made_of = material.and_then(|index| context.materials.get(index)?.as_ref());
    let rigid = rigid::validate(&raw, made_of, &path, check);
    let of_shell = if let RigidMass::Shell(thickness) = rigid { thickness } else { 0.0 };
    let thickness = raw.contact_thickness.as_ref();
    let contact_thickness =
        check.number_or(&key("contact_thickness"), thickness, Bounds::NotNegative, of_shell);
    let contact = contact_surface(&key("contact"), raw.contact.as_ref(), check);
    let obstacle = obstacle_to_self_contact(made_of, &contact);
    let self_contact = match &raw.self_contact {
        Some(given) => self_contact(&key("self_contact"), given, obstacle, check),
        None => context.self_contact && obstacle.is_none(),
    };
    let hex = hex(&key("hex"), raw.hex.as_ref(), made_of, check);
    let mut vector = |name: &str, value| check.vector(&key(name), value);
    let translate = vector("translate", raw.translate.as_ref()).unwrap_or_else(Vec3::zeros);
    let velocity = vector("velocity", raw.velocity.as_ref()).unwrap_or_else(Vec3::zeros);
    let angular_velocity =
        vector("angular_velocity", raw.angular_velocity.as_ref()).unwrap_or_else(Vec3::zeros);
    let own_gravity = raw.gravity.as_ref().and_then(|value| check.vector_function(&key("gravity"), value));
    let (gravity, varying_gravity) = match own_gravity.as_ref().unwrap_or(context.gravity) {
        VectorFunction::Constant(gravity) => (*gravity, None),
        VectorFunction::Varying(functions) => (Vec3::zeros(), Some(functions.clone())),
    };
    let damping = raw.mass_damping.as_ref();
    let mass_damping =
        damping.and_then(|rate| mass_damping::validate(&key("mass_damping"), rate, context.end, check));
    Some(BodySpec {
        mesh,
        region: region.unwrap_or_default(),
        material: material?,
        scale: check.number_or(&key("scale"), raw.scale.as_ref(), Bounds::Positive, 1.0),
        rotate: raw.rotate.as_ref().and_then(|rotate| rotation(&key("rotate"), rotate, check)),
        translate,
        velocity,
        angular_velocity,
        gravity,
        varying_gravity,
        mass_damping,
        contact,
        self_contact,
        contact_thickness,
        hex: hex?,
        rigid,
        name: raw.name.into_inner(),
    })
}

fn hex(
    key: &str,
    given: Option<&Text>,
    material: Option<&MaterialSpec>,
    check: &mut Check<'_>,
) -> Option<Located<HexIntegration>> {
    let value = check.choice_or_first(key, given, HexIntegration::WORDS)?;
    let span = given.map_or(0..0, Spanned::span);
    if value == HexIntegration::OnePoint && material.is_some_and(|m| m.model == MaterialModel::Rigid) {
        let problem =
            Problem::new(format!("`{key}` has no effect on a rigid body")).at(span.clone()).key(key);
        check.report(problem.help("leave it out, or choose a material that deforms"));
    }
    Some(Located { value, span })
}

fn mesh(key: &str, mesh: &Text, folder: &Path, check: &mut Check<'_>) -> Located<PathBuf> {
    let path = folder.join(mesh.get_ref());
    if !path.is_file() {
        let fact = if path.exists() { "is not a file" } else { "does not exist" };
        let problem = Problem::new(format!("the mesh `{}` {fact}", path.display()));
        check.report(
            problem.at(mesh.span()).key(key).help(
                similar_file(&path)
                    .map_or("paths of meshes are relative to the folder of the scenario".into(), |name| {
                        format!("did you mean `{name}` in the same folder?")
                    }),
            ),
        );
    }
    Located { value: path, span: mesh.span() }
}

const MESH_EXTENSION: &str = "msh";

/// Name of a mesh file in the folder of `path`, similar to the file name in `path`.
fn similar_file(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_string_lossy().into_owned();
    let entries = std::fs::read_dir(path.parent()?).ok()?;
    let is_mesh = |path: &PathBuf| path.extension().is_some_and(|extension| extension == MESH_EXTENSION);
    let meshes = entries.flatten().map(|entry| entry.path()).filter(is_mesh);
    let mut names: Vec<_> =
        meshes.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect();
    names.sort();
    nearest(&wanted, names.iter().map(String::as_str)).map(str::to_owned)
}

fn rotation(path: &str, rotate: &raw::Rotate, check: &mut Check<'_>) -> Option<(Vec3, f64)> {
    let angle = check.number(&join(path, "angle"), &rotate.angle, Bounds::Finite).to_radians();
    let axis = check.direction(&join(path, "axis"), &rotate.axis, "give a direction, such as [0, 0, 1]")?;
    Some((axis, angle))
}

fn contact_surface(
    key: &str,
    surface: Option<&Spanned<raw::Surface>>,
    check: &mut Check<'_>,
) -> ContactSurface {
    let Some(surface) = surface else { return ContactSurface::Skin };
    match surface.get_ref() {
        raw::Surface::Nothing => ContactSurface::None,
        raw::Surface::Named(raw::Names::One(name)) if name == "skin" => ContactSurface::Skin,
        raw::Surface::Named(names) => ContactSurface::Groups(check.groups(key, names, surface.span())),
    }
}

/// Reason why a body cannot have self-contact, and the remedy. `None` if the body can have self-contact.
fn obstacle_to_self_contact(
    material: Option<&MaterialSpec>,
    contact: &ContactSurface,
) -> Option<[&'static str; 2]> {
    match (material, contact) {
        (_, ContactSurface::None) => {
            Some(["`contact = false` lets the body touch nothing", "remove one of the two"])
        }
        (Some(MaterialSpec { model: MaterialModel::Rigid, .. }), _) => {
            Some(["a rigid body does not fold", "remove it, or choose a material that deforms"])
        }
        _ => None,
    }
}

fn self_contact(
    key: &str,
    given: &Spanned<bool>,
    obstacle: Option<[&str; 2]>,
    check: &mut Check<'_>,
) -> bool {
    if let (true, Some([reason, help])) = (*given.get_ref(), obstacle) {
        let problem = Problem::new(format!("`{key}` is true, but {reason}")).at(given.span()).key(key);
        check.report(problem.help(help));
    }
    *given.get_ref()
}
