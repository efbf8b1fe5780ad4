//! Loads: pressure, traction, body force.
//!
//! A surface load t gives the consistent nodal forces f_a = ∫ N_a t dA. At the corners of a quadratic face, f_a can be
//! opposite to t. A body force is distributed like the lumped mass, so that a uniform body force accelerates
//! a free body uniformly.

use super::mass::Lumping;
use crate::element::{MAX_NODES, load_quadrature, shape_gradients, shape_values};
use crate::math::{TimeFunction, Vec3};
use crate::mesh::CellKind;

/// Kind and global nodes of a face or cell.
pub type Cell<'a> = (CellKind, &'a [u32]);

/// Values of a load at the beginning and at the end of a step. A pressure uses only the first component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadOverStep {
    /// Value at the beginning of the step.
    pub start: Vec3,
    /// Value at the end of the step.
    pub end: Vec3,
}

/// A load on nodes.
#[derive(Clone, Debug)]
pub enum Load {
    /// Pressure against the outward normals of the deformed faces.
    Pressure {
        /// Faces, oriented outward.
        faces: Vec<(CellKind, Vec<u32>)>,
        /// Pressure \[Pa\].
        value: TimeFunction,
    },
    /// Dead load per reference area (traction) or volume (body force).
    Dead {
        /// Nodes, ascending, with tributary area \[m²\] or volume \[m³\].
        shares: Vec<(u32, f64)>,
        /// Force per area \[Pa\] or per volume \[N/m³\].
        value: [TimeFunction; 3],
    },
}

impl Load {
    /// Values at the beginning and at the end of a step that begins at `time` \[s\]. If the function is far from linear
    /// in the step (see `TimeFunction::end_values`), both values are the mean of the function over the step, so that
    /// the trapezoidal rule gives the impulse of the load.
    pub fn over_step(&self, time: f64, time_step: f64) -> LoadOverStep {
        let (mut start, mut end) = (Vec3::zeros(), Vec3::zeros());
        let components = match self {
            Self::Pressure { value, .. } => std::slice::from_ref(value),
            Self::Dead { value, .. } => value,
        };
        for (axis, component) in components.iter().enumerate() {
            let values = component.end_values(time, time_step);
            (start[axis], end[axis]) = (values.start, values.end);
        }
        LoadOverStep { start, end }
    }

    /// Adds the nodal forces \[N\]. `value`: pressure (in the first component), or dead load per area or per volume.
    pub fn add_forces(&self, value: &Vec3, positions: &[Vec3], forces: &mut [Vec3]) {
        match self {
            Self::Pressure { faces, .. } => {
                let pressure = value.x;
                for (kind, nodes) in faces {
                    for_each_point(*kind, nodes, positions, |values, area| {
                        for (&node, value) in nodes.iter().zip(values) {
                            forces[node as usize] -= area * (pressure * value);
                        }
                    });
                }
            }
            Self::Dead { shares, .. } => {
                for &(node, share) in shares {
                    forces[node as usize] += value * share;
                }
            }
        }
    }
}

/// Consistent tributary area ∫ N_a dA \[m²\] of each node, in ascending order of nodes.
pub fn consistent_shares<'a>(faces: impl Iterator<Item = Cell<'a>>, positions: &[Vec3]) -> Vec<(u32, f64)> {
    let mut shares: Vec<(u32, f64)> = Vec::new();
    for (kind, nodes) in faces {
        for_each_point(kind, nodes, positions, |values, measure| {
            shares.extend(nodes.iter().zip(values).map(|(&node, value)| (node, value * measure.norm())));
        });
    }
    summed(shares)
}

/// Tributary volume \[m³\] of each node, distributed like the lumped mass, in ascending order of nodes.
pub fn lumped_shares<'a>(cells: impl Iterator<Item = Cell<'a>>, positions: &[Vec3]) -> Vec<(u32, f64)> {
    let mut shares: Vec<(u32, f64)> = Vec::new();
    let mut of_cell = CellShares::default();
    for (kind, nodes) in cells {
        shares.extend(nodes.iter().copied().zip(of_cell.compute((kind, nodes), positions).iter().copied()));
    }
    summed(shares)
}

/// Tributary volumes of the nodes of one cell at a time. The quadrature table is kept for the next cell of the same
/// kind.
#[derive(Clone, Debug, Default)]
pub struct CellShares {
    lumping: Option<Lumping>,
    volumes: [f64; MAX_NODES],
}

impl CellShares {
    /// Volume \[m³\] or area \[m²\] of each node, distributed like the lumped mass.
    pub fn compute(&mut self, (kind, nodes): Cell<'_>, positions: &[Vec3]) -> &[f64] {
        let of_kind = self.lumping.take().filter(|table| table.kind() == kind);
        let table = self.lumping.insert(of_kind.unwrap_or_else(|| Lumping::new(kind)));
        let mut corners = [Vec3::zeros(); MAX_NODES];
        for (corner, &node) in corners.iter_mut().zip(nodes) {
            *corner = positions[node as usize];
        }
        let volumes = &mut self.volumes[..nodes.len()];
        table.shares(&corners[..nodes.len()], volumes);
        volumes
    }
}

fn summed(mut shares: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    shares.sort_by_key(|share| share.0);
    shares.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    shares
}

/// Calls `visit` at each quadrature point with the shape values N_a and the vector w m, where w is the quadrature
/// weight. For a face, m is the area vector per unit of ξ, along the outward normal. For a volume cell,
/// m = (det ∂x/∂ξ, 0, 0).
fn for_each_point(kind: CellKind, nodes: &[u32], positions: &[Vec3], mut visit: impl FnMut(&[f64], Vec3)) {
    let mut values = [0.0; MAX_NODES];
    let mut gradients = [[0.0; 3]; MAX_NODES];
    for point in load_quadrature(kind) {
        shape_values(kind, point.xi, &mut values[..nodes.len()]);
        shape_gradients(kind, point.xi, &mut gradients[..nodes.len()]);
        let tangent = |direction: usize| -> Vec3 {
            nodes.iter().zip(&gradients).map(|(&node, g)| positions[node as usize] * g[direction]).sum()
        };
        let measure = match kind.dimension() {
            1 => tangent(0).cross(&Vec3::z()),
            2 => tangent(0).cross(&tangent(1)),
            3 => Vec3::x() * tangent(0).cross(&tangent(1)).dot(&tangent(2)),
            _ => Vec3::zeros(),
        };
        visit(&values[..nodes.len()], measure * point.weight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::natural_nodes;
    use crate::mass::{add_lumped_mass, mass_properties};
    use crate::mesh::CellFace;

    /// Each node of a square face of area A carries −p A/4 along the outward normal.
    #[test]
    fn pressure_pushes_against_the_outward_normal() {
        let positions: Vec<Vec3> =
            [(0., 0.), (1., 0.), (1., 1.), (0., 1.)].map(|(x, y)| Vec3::new(x, y, 1.0)).to_vec();
        let faces = vec![(CellKind::Quad4, vec![0, 1, 2, 3])];
        let load = Load::Pressure { faces, value: TimeFunction::Constant(8.0) };
        let mut forces = vec![Vec3::zeros(); 4];
        load.add_forces(&load.over_step(0.0, 1.0).end, &positions, &mut forces);
        for force in forces {
            assert!((force - Vec3::new(0.0, 0.0, -2.0)).norm() < 1e-14);
        }
    }

    /// Shares of corners, mid-side nodes and centre of a straight-sided face under uniform pressure (Cook et al. 2002,
    /// *Concepts and Applications of Finite Element Analysis*, §3.11).
    #[test]
    fn consistent_loads_of_quadratic_faces() {
        for (kind, area, shares) in [
            (CellKind::Line3, 2.0, vec![1.0 / 6.0, 2.0 / 3.0]),
            (CellKind::Tri6, 0.5, vec![0.0, 1.0 / 3.0]),
            (CellKind::Quad8, 4.0, vec![-1.0 / 12.0, 1.0 / 3.0]),
            (CellKind::Quad9, 4.0, vec![1.0 / 36.0, 1.0 / 9.0, 4.0 / 9.0]),
        ] {
            let positions: Vec<Vec3> = natural_nodes(kind).into_iter().map(Vec3::from).collect();
            let nodes: Vec<u32> = (0..positions.len() as u32).collect();
            let mut forces = vec![Vec3::zeros(); nodes.len()];
            let faces = vec![(kind, nodes)];
            Load::Pressure { faces, value: TimeFunction::Constant(3.0) }.add_forces(
                &(Vec3::x() * 3.0),
                &positions,
                &mut forces,
            );
            let against = if kind == CellKind::Line3 { Vec3::y() } else { -Vec3::z() };
            let corners = kind.corners().len();
            for (a, force) in forces.iter().enumerate() {
                let share = if a < corners { shares[0] } else { shares[1 + (a - corners) / 4] };
                assert!((force - against * (3.0 * area * share)).norm() < 1e-14, "{kind:?} {a} {force}");
            }
        }
    }

    /// Uniform pressure on a closed surface has no resultant and no moment.
    #[test]
    fn pressure_on_a_closed_curved_surface_balances() {
        for kind in [
            CellKind::Tri6,
            CellKind::Quad8,
            CellKind::Quad9,
            CellKind::Tet10,
            CellKind::Hex20,
            CellKind::Hex27,
        ] {
            let plane = kind.dimension() == 2;
            let bend = |(i, x): (usize, [f64; 3])| {
                let shift = |k: usize| ((i * 7 + k * 5) % 11) as f64 * 0.02;
                Vec3::new(x[0] + shift(0), x[1] + shift(1), if plane { 0.0 } else { x[2] + shift(2) })
            };
            let positions: Vec<Vec3> = natural_nodes(kind).into_iter().enumerate().map(bend).collect();
            let face =
                |face: &CellFace| (face.kind, face.nodes.iter().map(|&node| u32::from(node)).collect());
            let faces = kind.faces().iter().map(face).collect();
            let mut forces = vec![Vec3::zeros(); positions.len()];
            Load::Pressure { faces, value: TimeFunction::Constant(3.0) }.add_forces(
                &(Vec3::x() * 3.0),
                &positions,
                &mut forces,
            );
            assert!(forces.iter().any(|force| force.norm() > 0.1));
            let moment: Vec3 = positions.iter().zip(&forces).map(|(x, force)| x.cross(force)).sum();
            assert!(forces.iter().sum::<Vec3>().norm() < 1e-13, "{kind:?}");
            assert!(moment.norm() < 1e-13, "{kind:?} {moment}");
            let nodes: Vec<u32> = (0..positions.len() as u32).collect();
            let shares = lumped_shares(std::iter::once((kind, nodes.as_slice())), &positions);
            let total: f64 = shares.iter().map(|share| share.1).sum();
            let volume = mass_properties(kind, &nodes, &positions, 1.0).mass;
            assert!((total - volume).abs() < 1e-13, "{kind:?} {total} {volume}");
        }
    }

    /// The outward normal of a segment points to the right of the direction from its first to its second node.
    #[test]
    fn pressure_on_a_segment_pushes_to_the_left() {
        let positions = vec![Vec3::zeros(), Vec3::new(2.0, 0.0, 0.0)];
        let load =
            Load::Pressure { faces: vec![(CellKind::Line2, vec![0, 1])], value: TimeFunction::Constant(3.0) };
        let mut forces = vec![Vec3::zeros(); 2];
        load.add_forces(&load.over_step(0.0, 0.0).start, &positions, &mut forces);
        assert!((forces[0] - Vec3::new(0.0, 3.0, 0.0)).norm() < 1e-14);
    }

    #[test]
    fn body_force_is_spread_like_the_mass() {
        for kind in CellKind::ALL.into_iter().filter(|kind| kind.dimension() >= 2) {
            let bend = |x: [f64; 3]| Vec3::new(x[0] + 0.1 * x[1] * x[0], x[1] - 0.07 * x[0] * x[2], x[2]);
            let positions: Vec<Vec3> = natural_nodes(kind).into_iter().map(bend).collect();
            let nodes: Vec<u32> = (0..positions.len() as u32).collect();
            let mut mass = vec![0.0; positions.len()];
            add_lumped_mass(kind, &nodes, &positions, 5.0, &mut mass);
            for (node, share) in lumped_shares(std::iter::once((kind, nodes.as_slice())), &positions) {
                assert!((5.0 * share - mass[node as usize]).abs() < 1e-14, "{kind:?} {node}");
            }
        }
    }

    #[test]
    fn body_force_is_spread_by_volume() {
        let positions = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
        let nodes = [0u32, 1, 2, 3];
        let shares = lumped_shares(std::iter::once((CellKind::Tet4, nodes.as_slice())), &positions);
        let load = Load::Dead { shares, value: [0.0, 0.0, -24.0].map(TimeFunction::Constant) };
        let mut forces = vec![Vec3::zeros(); 4];
        load.add_forces(&load.over_step(0.0, 0.0).start, &positions, &mut forces);
        for force in forces {
            assert!((force.z + 1.0).abs() < 1e-14);
        }
    }
}
