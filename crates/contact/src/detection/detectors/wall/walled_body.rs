//! Walls, and the surfaces of bodies for the wall detector.

use std::ops::Range;

use crate::Surface;
use crate::detection::face::control_points::{MAX_CONTROL_POINTS, control_points, lies_in_hull_of_nodes};
use crate::detection::volume::{Aabb, Sphere, rounded_up};
use crate::math::Vec3;

/// An infinite plane with material behind it. The wall is a body with one node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// Number of the body of the wall.
    pub body: u32,
    /// Node of the wall, on the plane.
    pub node: u32,
    /// Unit normal of the plane, out of the material.
    pub normal: Vec3,
}

/// Largest number of nodes, or of curved faces, in a block. A block consists of successive entries of the list of nodes
/// (or of curved faces) of a body.
pub(super) const BLOCK: usize = 64;

#[derive(Clone, Debug)]
pub(super) struct WalledBody {
    pub body: u32,
    /// Outward offset of the surface \[m\].
    pub offset: f64,
    pub nodes: Vec<u32>,
    /// For each node, one face with this node.
    pub faces: Vec<u32>,
    /// Bounding spheres of the blocks of nodes, in the reference configuration.
    pub spheres: Vec<Sphere>,
    /// Curved faces: those that can bulge beyond the convex hull of their nodes.
    pub curved: Vec<u32>,
    /// The surface; `None` if the body has no curved faces.
    pub surface: Option<Surface>,
    /// Bounding spheres of the blocks of curved faces, in the reference configuration.
    pub curved_spheres: Vec<Sphere>,
}

impl WalledBody {
    pub fn new(body: u32, surface: &Surface, positions: &[Vec3]) -> Self {
        let nodes = surface.nodes().to_vec();
        let faces = (0..nodes.len()).map(|local| surface.faces_of_local_node(local)[0]).collect();
        let of_nodes = |block: &[u32]| sphere_of(block.iter().map(|&node| positions[node as usize]));
        let spheres = nodes.chunks(BLOCK).map(of_nodes).collect();
        let curved: Vec<u32> = (0..surface.num_faces() as u32)
            .filter(|&face| !lies_in_hull_of_nodes(surface.face(face as usize).0))
            .collect();
        let of_faces = |block: &[u32]| {
            let mut points = Vec::with_capacity(block.len() * MAX_CONTROL_POINTS);
            for &face in block {
                let (kind, nodes) = surface.face(face as usize);
                let mut buffer = [Vec3::zeros(); MAX_CONTROL_POINTS];
                points.extend_from_slice(control_points(kind, nodes, positions, &mut buffer));
            }
            sphere_of(points.into_iter())
        };
        let curved_spheres = curved.chunks(BLOCK).map(of_faces).collect();
        let surface = (!curved.is_empty()).then(|| surface.clone());
        Self { body, offset: 0.0, nodes, faces, spheres, curved, surface, curved_spheres }
    }
}

pub(super) fn members(block: usize, count: usize) -> Range<usize> {
    block * BLOCK..((block + 1) * BLOCK).min(count)
}

/// Sphere that contains the points, about the centre of their bounding box.
pub(super) fn sphere_of(points: impl Iterator<Item = Vec3> + Clone) -> Sphere {
    let mut bounds: Option<Aabb> = None;
    for point in points.clone() {
        let of_point = Aabb::fit(&[point], 0.0);
        bounds = Some(bounds.map_or(of_point, |all| all.union(&of_point)));
    }
    let centre = bounds.map_or_else(Vec3::zeros, |bounds| (bounds.lower + bounds.upper) * 0.5);
    let radius = points.map(|point| (point - centre).norm()).fold(0.0, f64::max);
    Sphere { centre, radius: rounded_up(radius, &centre) }
}
