//! Rigid sheets: orientation of the faces of a sheet, and bodies that begin behind a sheet.
//!
//! A sheet has contact only on the side to which its face normals point. The node order of the mesh file defines the
//! normals. If the order is wrong in all faces, only a body behind the sheet indicates the error.

use std::collections::HashMap;

use crate::contact::Surface;
use crate::contact::detection::ContactModel;
use crate::contact::detection::face::closest_point::{ClosestPoint, Feature, pseudo_normal};
use crate::contact::detection::tree::closest_face::ClosestFaceIndex;
use crate::math::Vec3;
use crate::mesh::{Faces, Mesh, MeshError, TagList};
use crate::scenario::{BodySpec, Scenario};

use crate::model::Model;

/// Largest distance at which a point of a body counts as on a sheet, relative to the longest side of the bounding box
/// of this body.
const TOUCHING_DISTANCE: f64 = 1e-9;

const MAX_NAMES: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Solid,
    /// Body with contact only on the side of its face normals.
    Sheet,
}

pub(crate) fn orient(spec: &BodySpec, mesh: Mesh, warnings: &mut Vec<String>) -> Result<Mesh, MeshError> {
    let all = mesh.num_cells(2);
    let (mesh, turned) = mesh.oriented()?;
    if !turned.is_empty() {
        warnings.push(format!(
            "{} of {all} faces of the sheet `{}` were oriented opposite to their neighbours and are reversed \
             (elements {})",
            turned.len(),
            spec.name,
            TagList(turned)
        ));
    }
    Ok(mesh)
}

pub(crate) fn without_degenerate_faces(
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

/// Warnings of bodies that begin behind a sheet: such bodies would pass through the sheet.
///
/// # Cost
/// For each pair of a sheet and a body: at most one closest-face query per node of the body, and two per node of the
/// sheet.
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
        let front = SheetSides::new(&contact.surfaces[sheet as usize], positions);
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
    let names = behind[..behind.len().min(MAX_NAMES)].join(", ");
    let more = match behind.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let start = if behind.len() == 1 { "starts" } else { "start" };
    let pass = if behind.len() == 1 { "it passes" } else { "they pass" };
    let file = sheet.mesh.value.file_name().unwrap_or_default().display();
    format!(
        "{names}{more} {start} behind the sheet `{name}`, and {pass} through from there; if `{name}` is to be in \
         contact on that side, reverse its faces with `gmsh over.geo -2 -o over.msh`, where over.geo holds the line \
         `Merge \"{file}\";ReverseMesh Surface{{:}};` and an empty one",
        name = sheet.name
    )
}

struct SheetSides<'a> {
    surface: &'a Surface,
    positions: &'a [Vec3],
    faces: ClosestFaceIndex,
    /// For each face: whether another face has the same corner positions. Contact then acts on both sides.
    duplicated: Vec<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// The point lies on the side to which the face normals point.
    Front,
    /// The point lies behind the sheet, and its closest point is not on the boundary of the sheet.
    Behind,
    /// One of three cases: the point lies on the sheet; the closest face has contact on both sides; the point lies
    /// behind the sheet, and its closest point is on the boundary of the sheet.
    Neither,
}

impl<'a> SheetSides<'a> {
    fn new(surface: &'a Surface, positions: &'a [Vec3]) -> Self {
        Self {
            surface,
            positions,
            faces: ClosestFaceIndex::build(surface, positions),
            duplicated: duplicated_faces(surface, positions),
        }
    }

    /// Whether a tested point of `body` is behind the sheet, and no node of `body` is in front. Tested points are the
    /// nodes of `body`, and the points of `body` closest to the nodes of the sheet. The latter are needed for faces
    /// of `body` larger than the sheet.
    fn has_behind(&self, body: &Surface) -> bool {
        let nodes = || body.nodes().iter().map(|&node| self.positions[node as usize]);
        let size = extent(nodes());
        let mut behind = false;
        for point in nodes() {
            match self.side(&point, size) {
                Side::Front => return false,
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

    /// `size` is the longest side of the bounding box of the body to which `point` belongs \[m\].
    fn side(&self, point: &Vec3, size: f64) -> Side {
        let Some(closest) = self.faces.closest(point, f64::INFINITY) else { return Side::Neither };
        let (face, ClosestPoint { xi, feature, point: foot, .. }) = (closest.face as usize, closest.point);
        let normal = pseudo_normal(self.surface, self.positions, face, xi, feature);
        let height = (point - foot).dot(&normal);
        match height {
            _ if self.duplicated[face] || height.abs() <= TOUCHING_DISTANCE * size => Side::Neither,
            _ if height > 0.0 => Side::Front,
            _ if self.is_on_boundary(face, feature) => Side::Neither,
            _ => Side::Behind,
        }
    }

    /// Whether a feature of a face lies on the boundary of the sheet.
    fn is_on_boundary(&self, face: usize, feature: Feature) -> bool {
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

/// Longest side of the bounding box \[m\].
fn extent(points: impl Iterator<Item = Vec3>) -> f64 {
    let start = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    let (low, high) = points.fold(start, |(low, high), point| (low.inf(&point), high.sup(&point)));
    (high - low).max()
}

fn duplicated_faces(surface: &Surface, positions: &[Vec3]) -> Vec<bool> {
    let corners = |face: usize| {
        let (kind, nodes) = surface.face(face);
        // Adding zero changes −0 to +0, so that equal coordinates have equal bits.
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
