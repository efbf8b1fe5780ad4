//! Rigid sheets: which way their faces look, and bodies that begin behind them.
//!
//! Only the side that a face looks to touches. Which one that is, the order of its nodes in the file says, so a file may
//! mean the wrong one: of some faces, which their neighbours tell, or of all, which nothing tells but a body on the other
//! side.

use std::collections::HashMap;

use crate::contact::Surface;
use crate::contact::detection::ContactModel;
use crate::contact::detection::face::closest_point::{ClosestPoint, Feature, pseudo_normal};
use crate::contact::detection::tree::closest_face::ClosestFaceIndex;
use crate::math::Vec3;
use crate::mesh::{Faces, Mesh, MeshError, TagList};
use crate::scenario::{BodySpec, Scenario};

use crate::simulation::model::Model;

/// Distance from a sheet, relative to the extent of a body, within which a point of the body is on neither side.
const TOUCHING: f64 = 1e-9;

/// Bodies behind a sheet that are named.
const NAMED: usize = 3;

/// What the mesh of a body is the mesh of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// A solid, or a plane body, with its skin.
    Solid,
    /// A surface in space, both sides of which can touch as its faces look.
    Sheet,
}

/// The mesh of a sheet with its faces turned to one side, which is told.
pub(crate) fn orient(spec: &BodySpec, mesh: Mesh, warnings: &mut Vec<String>) -> Result<Mesh, MeshError> {
    let all = mesh.num_cells(2);
    let (mesh, turned) = mesh.oriented()?;
    if !turned.is_empty() {
        warnings.push(format!(
            "{} of {all} faces of the sheet `{}` looked to the other side than the faces beside them and are turned \
             (elements {})",
            turned.len(),
            spec.name,
            TagList(turned)
        ));
    }
    Ok(mesh)
}

/// The faces of a rigid body that have an area; others are told.
pub(crate) fn leave_out_flat(
    spec: &BodySpec,
    mesh: &Mesh,
    faces: &Faces,
    warnings: &mut Vec<String>,
) -> Faces {
    let (kept, flat) = mesh.with_area(faces);
    if !flat.0.is_empty() {
        warnings.push(format!(
            "{} of {} faces of body `{}` have no area and are left out of contact (elements {flat})",
            faces.len() - kept.len(),
            faces.len(),
            spec.name
        ));
    }
    kept
}

/// What is said of bodies that begin behind a sheet, through which they would pass.
///
/// # Cost
/// For each sheet and each body that can touch it a search for one node, if that is in front; for all nodes if not.
pub(crate) fn bodies_behind_sheets(
    scenario: &Scenario,
    contact: &ContactModel,
    model: &Model,
    extents: &[Extent],
) -> Vec<String> {
    let positions = &model.reference_positions;
    let mut warnings = Vec::new();
    let is_sheet = |body: &u32| extents.get(*body as usize) == Some(&Extent::Sheet);
    for sheet in contact.bodies().filter(is_sheet) {
        let front = Front::new(&contact.surfaces[sheet as usize], positions);
        let can_meet = |&other: &u32| {
            let bodies = [sheet.min(other), sheet.max(other)];
            let both = bodies.map(|body| &model.bodies[body as usize]);
            let pair = bodies.map(|body| body as usize);
            let is_tied = || {
                scenario.contact.tied.iter().any(|tie| tie.bodies == pair || tie.bodies == [pair[1], pair[0]])
            };
            other != sheet && contact.can_meet(bodies) && !both.iter().all(|body| body.stays()) && !is_tied()
        };
        let name = |body: u32| format!("`{}`", model.bodies[body as usize].name);
        let behind: Vec<String> = contact
            .bodies()
            .filter(can_meet)
            .filter(|&other| front.has_behind(&contact.surfaces[other as usize]))
            .map(name)
            .collect();
        if !behind.is_empty() {
            warnings.push(describe(&behind, &scenario.bodies[sheet as usize]));
        }
    }
    warnings
}

fn describe(behind: &[String], sheet: &BodySpec) -> String {
    let names = behind[..behind.len().min(NAMED)].join(", ");
    let more = match behind.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let start = if behind.len() == 1 { "starts" } else { "start" };
    let pass = if behind.len() == 1 { "it passes" } else { "they pass" };
    let file = sheet.mesh.value.file_name().unwrap_or_default().display();
    format!(
        "{names}{more} {start} behind the sheet `{name}`, and {pass} through from there; if that side of `{name}` is meant, \
         turn its faces over with `gmsh over.geo -2 -o over.msh`, where over.geo holds the line `Merge \"{file}\";\
         ReverseMesh Surface{{:}};` and an empty one",
        name = sheet.name
    )
}

/// A sheet and on which side of it points are.
struct Front<'a> {
    surface: &'a Surface,
    positions: &'a [Vec3],
    faces: ClosestFaceIndex,
    /// Whether there is another face in the same place: then both sides touch.
    doubled: Vec<bool>,
}

/// Side of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// That which the faces look to.
    Before,
    /// The other one, within the outline of the sheet.
    Behind,
    /// Neither: on the sheet, beside it, or on a side that cannot be told.
    Neither,
}

impl<'a> Front<'a> {
    fn new(surface: &'a Surface, positions: &'a [Vec3]) -> Self {
        Self {
            surface,
            positions,
            faces: ClosestFaceIndex::build(surface, positions),
            doubled: doubled_faces(surface, positions),
        }
    }

    /// Whether a body is behind the sheet: some of it is straight behind, and no node before. Looked at are its nodes, and
    /// its points closest to nodes of the sheet, as one large face may have no node straight behind a small sheet.
    fn has_behind(&self, body: &Surface) -> bool {
        let nodes = || body.nodes().iter().map(|&node| self.positions[node as usize]);
        let size = extent(nodes());
        let mut behind = false;
        for point in nodes() {
            match self.side(&point, size) {
                Side::Before => return false,
                Side::Behind => behind = true,
                Side::Neither => {}
            }
        }
        behind || {
            let of_body = ClosestFaceIndex::build(body, self.positions);
            let corners = self.surface.nodes().iter().map(|&node| self.positions[node as usize]);
            let mut closest = corners.filter_map(|corner| of_body.closest(&corner, f64::INFINITY));
            closest.any(|closest| self.side(&closest.point.point, size) == Side::Behind)
        }
    }

    /// The side on which a point of a body of this size is.
    fn side(&self, point: &Vec3, size: f64) -> Side {
        let Some(closest) = self.faces.closest(point, f64::INFINITY) else { return Side::Neither };
        let (face, ClosestPoint { xi, feature, point: foot, .. }) = (closest.face as usize, closest.point);
        let normal = pseudo_normal(self.surface, self.positions, face, xi, feature);
        let height = (point - foot).dot(&normal);
        match height {
            _ if self.doubled[face] || height.abs() <= TOUCHING * size => Side::Neither,
            _ if height > 0.0 => Side::Before,
            _ if self.is_on_outline(face, feature) => Side::Neither,
            _ => Side::Behind,
        }
    }

    /// Whether a side or corner of a face is on the border of the sheet.
    fn is_on_outline(&self, face: usize, feature: Feature) -> bool {
        let is_border = |face: usize, k: usize| {
            let edge = self.surface.edges_of_face(face)[k];
            self.surface.edges()[edge as usize].neighbour.is_none()
        };
        match feature {
            Feature::Face => false,
            Feature::Edge(k) => is_border(face, k as usize),
            Feature::Vertex(k) => {
                let (kind, nodes) = self.surface.face(face);
                let node = nodes[kind.corners()[k as usize] as usize];
                let around =
                    self.surface.local_node(node).map(|local| self.surface.faces_of_local_node(local));
                around.unwrap_or_default().iter().any(|&face| {
                    let edges = self.surface.edges_of_face(face as usize);
                    let touches = |k: &usize| self.surface.edges()[edges[*k] as usize].nodes.contains(&node);
                    (0..edges.len()).filter(touches).any(|k| is_border(face as usize, k))
                })
            }
        }
    }
}

/// Longest side of the box around points.
fn extent(points: impl Iterator<Item = Vec3>) -> f64 {
    let start = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    let (low, high) = points.fold(start, |(low, high), point| (low.inf(&point), high.sup(&point)));
    (high - low).max()
}

/// Which faces have their corners where another face has them.
fn doubled_faces(surface: &Surface, positions: &[Vec3]) -> Vec<bool> {
    let corners = |face: usize| {
        let (kind, nodes) = surface.face(face);
        // Adding zero makes the two zeros one.
        let place = |&k: &u8| positions[nodes[k as usize] as usize].map(|x| (x + 0.0).to_bits()).into();
        let mut places: Vec<[u64; 3]> = kind.corners().iter().map(place).collect();
        places.sort_unstable();
        places
    };
    let mut counts: HashMap<Vec<[u64; 3]>, u32> = HashMap::new();
    let keys: Vec<Vec<[u64; 3]>> = (0..surface.num_faces()).map(corners).collect();
    for key in &keys {
        *counts.entry(key.clone()).or_insert(0) += 1;
    }
    keys.iter().map(|key| counts[key] > 1).collect()
}
