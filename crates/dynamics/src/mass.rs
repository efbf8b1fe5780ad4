//! Mass, centre of mass and inertia of meshed bodies, and lumped nodal masses.

use crate::element::{
    MAX_NODES, QuadraturePoint, quadrature, second_moment_quadrature, shape_gradients, shape_values,
};
use crate::math::{Mat3, Vec3};
use crate::mesh::CellKind;

/// Mass properties of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass \[m\].
    pub centre: Vec3,
    /// Inertia ∫ ρ (|r|² I − r ⊗ r) dV, with r relative to the centre of mass \[kg·m²\].
    pub inertia: Mat3,
}

impl MassProperties {
    /// No mass: the neutral element of `merge`.
    pub const NONE: Self = Self {
        mass: 0.0,
        centre: Vec3::new(0.0, 0.0, 0.0),
        inertia: Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    /// Mass properties of both bodies together (parallel axis theorem).
    pub fn merge(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        if mass == 0.0 {
            return Self::NONE;
        }
        let offset = other.centre - self.centre;
        let centre = self.centre + offset * (other.mass / mass);
        let reduced_mass = self.mass * other.mass / mass;
        Self { mass, centre, inertia: self.inertia + other.inertia + point_inertia(reduced_mass, &offset) }
    }
}

fn point_inertia(mass: f64, offset: &Vec3) -> Mat3 {
    (Mat3::identity() * offset.norm_squared() - offset * offset.transpose()) * mass
}

/// Mass properties of cells of one kind; exact for straight and curved cells, except for curved surfaces in space.
///
/// Plane cells in z = 0 have thickness 1; their inertia neglects the thickness. Points and segments have no mass.
///
/// # Shapes and units
/// `density` \[kg/m³\]; `positions` \[m\]; `connectivity`: for each cell, `kind.num_nodes()` indices into `positions`.
pub fn mass_properties(
    kind: CellKind,
    connectivity: &[u32],
    positions: &[Vec3],
    density: f64,
) -> MassProperties {
    match kind.dimension() {
        3 => integrate(kind, connectivity, positions, density),
        2 => shell_mass_properties(kind, connectivity, positions, density),
        _ => MassProperties::NONE,
    }
}

/// Mass properties of a surface with `surface_density` = ρ · thickness \[kg/m²\].
///
/// The inertia neglects the thickness. The result is exact for flat faces.
pub fn shell_mass_properties(
    kind: CellKind,
    connectivity: &[u32],
    positions: &[Vec3],
    surface_density: f64,
) -> MassProperties {
    if kind.dimension() != 2 {
        return MassProperties::NONE;
    }
    integrate(kind, connectivity, positions, surface_density)
}

/// Nodal shares of the volume of a cell, proportional to the lumped masses.
///
/// In linear cells, the shares are ∫ N_a dV, the row sums of the consistent mass matrix for density 1. In quadratic
/// cells, row sums can be zero or negative. Therefore the shares of quadratic cells are proportional to the diagonal
/// ∫ N_a² dV of this matrix.
///
/// # Source
/// Hinton, Rock and Zienkiewicz 1976, Earthquake Eng. Struct. Dyn. 4:245 ("HRZ lumping").
#[derive(Clone, Debug)]
pub struct Lumping {
    kind: CellKind,
    points: Vec<LumpingPoint>,
}

#[derive(Clone, Debug)]
struct LumpingPoint {
    weight: f64,
    values: [f64; MAX_NODES],
    gradients: [[f64; 3]; MAX_NODES],
}

impl Lumping {
    pub fn new(kind: CellKind) -> Self {
        let rule = if kind == kind.linear() { quadrature(kind) } else { second_moment_quadrature(kind) };
        let point = |point: &QuadraturePoint| {
            let (mut values, mut gradients) = ([0.0; MAX_NODES], [[0.0; 3]; MAX_NODES]);
            shape_values(kind, point.xi, &mut values);
            shape_gradients(kind, point.xi, &mut gradients);
            LumpingPoint { weight: point.weight, values, gradients }
        };
        Self { kind, points: rule.iter().map(point).collect() }
    }

    pub fn kind(&self) -> CellKind {
        self.kind
    }

    /// Writes the `shares` of the nodes of one cell: volumes \[m³\], or areas \[m²\] of a surface cell. `nodes`:
    /// positions of the nodes \[m\].
    pub fn shares(&self, nodes: &[Vec3], shares: &mut [f64]) {
        let linear = self.kind == self.kind.linear();
        shares.fill(0.0);
        let (mut volume, mut sum) = (0.0, 0.0);
        for LumpingPoint { weight, values, gradients } in &self.points {
            let element = weight * measure(self.kind, nodes.iter().zip(gradients));
            volume += element;
            for (share, value) in shares.iter_mut().zip(values) {
                let part = element * if linear { *value } else { value * value };
                *share += part;
                sum += part;
            }
        }
        if !linear {
            shares.iter_mut().for_each(|share| *share *= volume / sum);
        }
    }
}

/// Adds the lumped masses of cells to the nodal `mass`.
///
/// # Shapes and units
/// `density` \[kg/m³\], of surfaces \[kg/m²\]; `positions` \[m\] and `mass` \[kg\] of each node; `connectivity`: for
/// each cell, `kind.num_nodes()` node indices.
pub fn add_lumped_mass(
    kind: CellKind,
    connectivity: &[u32],
    positions: &[Vec3],
    density: f64,
    mass: &mut [f64],
) {
    let lumping = Lumping::new(kind);
    let n = kind.num_nodes();
    let (mut nodes, mut shares) = (vec![Vec3::zeros(); n], vec![0.0; n]);
    for cell in connectivity.chunks_exact(n) {
        for (position, node) in nodes.iter_mut().zip(cell) {
            *position = positions[*node as usize];
        }
        lumping.shares(&nodes, &mut shares);
        for (node, share) in cell.iter().zip(&shares) {
            mass[*node as usize] += density * share;
        }
    }
}

/// det ∂x/∂ξ of a volume, |∂x/∂ξ₁ × ∂x/∂ξ₂| of a surface, |∂x/∂ξ₁| of a line. `nodes`: positions and shape gradients.
fn measure<'a>(kind: CellKind, nodes: impl Iterator<Item = (&'a Vec3, &'a [f64; 3])>) -> f64 {
    let mut jacobian = Mat3::zeros();
    for (node, gradient) in nodes {
        jacobian += node * Vec3::from(*gradient).transpose();
    }
    match kind.dimension() {
        3 => jacobian.determinant(),
        2 => jacobian.column(0).cross(&jacobian.column(1)).norm(),
        _ => jacobian.column(0).norm(),
    }
}

/// The integrals use positions relative to the first node, because cancellation would be large far from the origin.
fn integrate(kind: CellKind, connectivity: &[u32], positions: &[Vec3], density: f64) -> MassProperties {
    let Some(&first) = connectivity.first() else { return MassProperties::NONE };
    let origin = positions[first as usize];
    let (mut mass, mut moment, mut second) = (0.0, Vec3::zeros(), Mat3::zeros());
    let (mut values, mut gradients) = ([0.0; MAX_NODES], [[0.0; 3]; MAX_NODES]);
    let mut corners = [Vec3::zeros(); MAX_NODES];
    for point in second_moment_quadrature(kind) {
        shape_values(kind, point.xi, &mut values);
        shape_gradients(kind, point.xi, &mut gradients);
        for cell in connectivity.chunks_exact(kind.num_nodes()) {
            let mut x = Vec3::zeros();
            for (a, node) in cell.iter().enumerate() {
                corners[a] = positions[*node as usize] - origin;
                x += corners[a] * values[a];
            }
            let element =
                density * point.weight * measure(kind, corners[..cell.len()].iter().zip(&gradients));
            mass += element;
            moment += x * element;
            second += x * x.transpose() * element;
        }
    }
    if mass == 0.0 {
        return MassProperties::NONE;
    }
    let centre = moment / mass;
    let central = second - moment * centre.transpose();
    let inertia = Mat3::identity() * central.trace() - central;
    MassProperties { mass, centre: origin + centre, inertia }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::hexahedron;
    use crate::element::natural_nodes;

    fn box_corners(size: Vec3, origin: Vec3) -> Vec<Vec3> {
        hexahedron::CORNERS
            .iter()
            .map(|c| origin + Vec3::new(c[0], c[1], c[2]).component_mul(&size) * 0.5)
            .collect()
    }

    fn box_inertia(mass: f64, s: Vec3) -> Mat3 {
        let q = s.component_mul(&s);
        Mat3::from_diagonal(&Vec3::new(q.y + q.z, q.x + q.z, q.x + q.y)) * (mass / 12.0)
    }

    #[test]
    fn a_box_of_any_volume_kind_is_a_box() {
        let (size, origin) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(1e3, -2e3, 5.0));
        let corners = box_corners(size, origin);
        let kinds: [(CellKind, &[u32]); 3] = [
            (CellKind::Hex8, &[0, 1, 2, 3, 4, 5, 6, 7]),
            (CellKind::Wedge6, &[0, 1, 2, 4, 5, 6, 0, 2, 3, 4, 6, 7]),
            (CellKind::Tet4, &[0, 1, 2, 6, 0, 2, 3, 6, 0, 3, 7, 6, 0, 7, 4, 6, 0, 4, 5, 6, 0, 5, 1, 6]),
        ];
        for (kind, connectivity) in kinds {
            let body = mass_properties(kind, connectivity, &corners, 2.0);
            assert!((body.mass - 12.0).abs() < 1e-10, "{kind:?} {}", body.mass);
            assert!((body.centre - origin).norm() < 1e-9, "{kind:?}");
            assert!((body.inertia - box_inertia(12.0, size)).norm() < 1e-9, "{kind:?} {}", body.inertia);
        }
    }

    #[test]
    fn a_distorted_hexahedron_has_the_inertia_of_a_fine_rule() {
        let mut corners = box_corners(Vec3::new(2.0, 2.0, 2.0), Vec3::zeros());
        corners[6] += Vec3::new(0.4, 0.3, -0.2);
        corners[1] += Vec3::new(0.1, -0.3, 0.2);
        let body = mass_properties(CellKind::Hex8, &[0, 1, 2, 3, 4, 5, 6, 7], &corners, 1.0);
        // Midpoint rule on 20³ and 40³ cells, extrapolated to remove the error O(h²).
        let (coarse, fine) = (midpoint(&corners, 20), midpoint(&corners, 40));
        let extrapolated = (fine * 4.0 - coarse) / 3.0;
        let second = Mat3::identity() * (body.inertia.trace() * 0.5) - body.inertia
            + body.centre * body.centre.transpose() * body.mass;
        assert!((second - extrapolated).norm() < 1e-6, "{second} {extrapolated}");
    }

    fn midpoint(corners: &[Vec3], n: usize) -> Mat3 {
        let mut second = Mat3::zeros();
        let at = |i: usize| (i as f64 + 0.5) * 2.0 / n as f64 - 1.0;
        for k in 0..n * n * n {
            let xi = [at(k % n), at(k / n % n), at(k / (n * n))];
            let (mut values, mut gradients) = ([0.0; 8], [[0.0; 3]; 8]);
            hexahedron::values8(xi, &mut values);
            hexahedron::gradients8(xi, &mut gradients);
            let (mut x, mut jacobian) = (Vec3::zeros(), Mat3::zeros());
            for a in 0..8 {
                x += corners[a] * values[a];
                jacobian += corners[a] * Vec3::from(gradients[a]).transpose();
            }
            second += x * x.transpose() * (jacobian.determinant() * 8.0 / (n * n * n) as f64);
        }
        second
    }

    /// Mass fractions of corner and mid-side node of affine elements: Quad8 from Hughes 2000, *The Finite Element
    /// Method*, §7.3, others by exact integration.
    #[test]
    fn masses_of_quadratic_cells_are_those_of_the_scaled_diagonal() {
        for (kind, corner, mid_side) in [
            (CellKind::Tri6, 1.0 / 19.0, 16.0 / 57.0),
            (CellKind::Quad8, 3.0 / 76.0, 4.0 / 19.0),
            (CellKind::Quad9, 1.0 / 36.0, 1.0 / 9.0),
            (CellKind::Tet10, 1.0 / 36.0, 4.0 / 27.0),
            (CellKind::Hex20, 7.0 / 248.0, 2.0 / 31.0),
            (CellKind::Hex27, 1.0 / 216.0, 1.0 / 54.0),
        ] {
            let nodes: Vec<Vec3> = natural_nodes(kind).into_iter().map(|x| Vec3::from(x) * 3.0).collect();
            let connectivity: Vec<u32> = (0..nodes.len() as u32).collect();
            let mut mass = vec![0.0; nodes.len()];
            add_lumped_mass(kind, &connectivity, &nodes, 2.0, &mut mass);
            let total = mass_properties(kind, &connectivity, &nodes, 2.0).mass;
            assert!((mass.iter().sum::<f64>() / total - 1.0).abs() < 1e-14, "{kind:?}");
            let corners = kind.corners().len();
            assert!(mass[..corners].iter().all(|m| (m / total - corner).abs() < 1e-15), "{kind:?} {mass:?}");
            let edges = if kind.dimension() == 2 { corners } else { corners * 3 / 2 };
            let mid_sides = &mass[corners..corners + edges];
            assert!(mid_sides.iter().all(|m| (m / total - mid_side).abs() < 1e-15), "{kind:?} {mass:?}");
        }
    }

    /// The unit cube under x' = x + xy/2, y' = y + x², with det J = 1 + y/2 − x².
    #[test]
    fn mass_properties_of_curved_cells_are_exact() {
        for kind in [CellKind::Tet10, CellKind::Hex20, CellKind::Hex27] {
            let unit = |xi: [f64; 3]| xi.map(|x| 0.5 * (x + 1.0));
            let corners: Vec<Vec3> = hexahedron::CORNERS.iter().map(|c| Vec3::from(unit(*c))).collect();
            let cells: &[[usize; 4]] =
                &[[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]];
            let mut nodes: Vec<Vec3> = Vec::new();
            if kind == CellKind::Tet10 {
                for cell in cells {
                    let [o, a, b, c] = cell.map(|corner| corners[corner]);
                    let at = |[x, y, z]: [f64; 3]| o + (a - o) * x + (b - o) * y + (c - o) * z;
                    nodes.extend(natural_nodes(kind).into_iter().map(at));
                }
            } else {
                nodes.extend(natural_nodes(kind).into_iter().map(|xi| Vec3::from(unit(xi))));
            }
            let map = |x: &Vec3| Vec3::new(x.x + 0.5 * x.x * x.y, x.y + x.x * x.x, x.z);
            let nodes: Vec<Vec3> = nodes.iter().map(map).collect();
            let connectivity: Vec<u32> = (0..nodes.len() as u32).collect();
            let body = mass_properties(kind, &connectivity, &nodes, 1.0);
            assert!((body.mass - 11.0 / 12.0).abs() < 1e-14, "{kind:?} {}", body.mass);
            let second = Mat3::identity() * (body.inertia.trace() * 0.5) - body.inertia
                + body.centre * body.centre.transpose() * body.mass;
            // ∫ x'² det J = ⅓ ∫ (1 + y/2)³ − ⅕ ∫ (1 + y/2)², ∫ z² det J = ⅓ V.
            let squares = (1.5_f64.powi(4) - 1.0) / 6.0 - (1.5_f64.powi(3) - 1.0) * 2.0 / 15.0;
            assert!((second[(0, 0)] - squares).abs() < 1e-14, "{kind:?} {}", second[(0, 0)]);
            assert!((second[(2, 2)] - 11.0 / 36.0).abs() < 1e-14, "{kind:?} {}", second[(2, 2)]);
        }
    }

    #[test]
    fn a_shell_of_a_box_and_a_lamina() {
        let s = Vec3::new(2.0, 2.0, 2.0);
        let corners = box_corners(s, Vec3::new(0.0, 1.0, 0.0));
        let quads: Vec<u32> =
            CellKind::Hex8.faces().iter().flat_map(|f| f.nodes.iter().map(|n| u32::from(*n))).collect();
        let shell = shell_mass_properties(CellKind::Quad4, &quads, &corners, 0.5);
        assert!((shell.mass - 12.0).abs() < 1e-12);
        // Thin hollow cube of side a: I = 5/18 m a².
        let expected = Mat3::identity() * (5.0 / 18.0 * 12.0 * 4.0);
        assert!((shell.inertia - expected).norm() < 1e-12);
        let lamina = mass_properties(CellKind::Tri3, &[0, 1, 2, 0, 2, 3], &corners, 1.0);
        let expected = Mat3::from_diagonal(&Vec3::new(4.0, 4.0, 8.0)) / 3.0;
        assert!((lamina.inertia - expected).norm() < 1e-12, "{}", lamina.inertia);
    }

    #[test]
    fn merged_halves_are_the_whole() {
        let whole = box_corners(Vec3::new(2.0, 1.0, 1.0), Vec3::zeros());
        let nodes = [0, 1, 2, 3, 4, 5, 6, 7];
        let of = |corners: &[Vec3]| mass_properties(CellKind::Hex8, &nodes, corners, 3.0);
        let left = of(&box_corners(Vec3::new(0.5, 1.0, 1.0), Vec3::new(-0.75, 0.0, 0.0)));
        let right = of(&box_corners(Vec3::new(1.5, 1.0, 1.0), Vec3::new(0.25, 0.0, 0.0)));
        let merged = MassProperties::NONE.merge(&left).merge(&right);
        assert!((merged.mass - 6.0).abs() < 1e-12);
        assert!(merged.centre.norm() < 1e-12);
        assert!((merged.inertia - of(&whole).inertia).norm() < 1e-12);
    }
}
