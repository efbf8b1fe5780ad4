//! Reference elements: shape functions, their derivatives, and quadrature; one file per family.
//!
//! Domain of the natural coordinates ξ, and order of the nodes as in [`CellKind`]:
//!
//! | family | domain | nodes |
//! |---|---|---|
//! | [`mod@line`] | \[−1, 1\] | −1, +1, 0 |
//! | [`triangle`], [`tetrahedron`] | unit simplex | origin, then the unit point of each axis |
//! | [`quadrilateral`], [`hexahedron`] | \[−1, 1\]^d | counter-clockwise, bottom before top |
//! | [`wedge`] | unit triangle × \[−1, 1\] | triangle at ξ₃ = −1, then at +1 |

pub mod hexahedron;
mod inverse_map;
pub mod line;
mod natural_nodes;
mod point_location;
mod quadrature_point;
pub mod quadrilateral;
pub mod tetrahedron;
pub mod triangle;
pub mod wedge;

#[cfg(test)]
mod tests;

use crate::mesh::CellKind;

pub use inverse_map::{centre, deformation_gradient, natural_coordinates, position, tangents};
pub use natural_nodes::natural_nodes;
pub use point_location::{BORDER, ElementPoint, bounding_box, locate, locate_in_box};
pub use quadrature_point::QuadraturePoint;

/// Largest number of nodes of any kind of element.
pub const MAX_NODES: usize = 27;

/// Shape functions N_a(ξ).
///
/// # Shapes and units
/// `values`: at least `kind.num_nodes()` entries. Entries of `xi` beyond the dimension are ignored.
pub fn shape_values(kind: CellKind, xi: [f64; 3], values: &mut [f64]) {
    match kind {
        CellKind::Point1 => values[0] = 1.0,
        CellKind::Line2 => line::values2(xi, values),
        CellKind::Tri3 => triangle::values3(xi, values),
        CellKind::Quad4 => quadrilateral::values4(xi, values),
        CellKind::Tet4 => tetrahedron::values4(xi, values),
        CellKind::Wedge6 => wedge::values6(xi, values),
        CellKind::Hex8 => hexahedron::values8(xi, values),
        CellKind::Line3 => line::values3(xi, values),
        CellKind::Tri6 => triangle::values6(xi, values),
        CellKind::Quad8 => quadrilateral::values8(xi, values),
        CellKind::Quad9 => quadrilateral::values9(xi, values),
        CellKind::Tet10 => tetrahedron::values10(xi, values),
        CellKind::Hex20 => hexahedron::values20(xi, values),
        CellKind::Hex27 => hexahedron::values27(xi, values),
    }
}

/// Derivatives ∂N_a/∂ξ_i.
///
/// # Shapes and units
/// `gradients`: one entry per node; components beyond the dimension are set to zero.
pub fn shape_gradients(kind: CellKind, xi: [f64; 3], gradients: &mut [[f64; 3]]) {
    match kind {
        CellKind::Point1 => gradients[0] = [0.0; 3],
        CellKind::Line2 => line::gradients2(gradients),
        CellKind::Tri3 => triangle::gradients3(gradients),
        CellKind::Quad4 => quadrilateral::gradients4(xi, gradients),
        CellKind::Tet4 => tetrahedron::gradients4(gradients),
        CellKind::Wedge6 => wedge::gradients6(xi, gradients),
        CellKind::Hex8 => hexahedron::gradients8(xi, gradients),
        CellKind::Line3 => line::gradients3(xi, gradients),
        CellKind::Tri6 => triangle::gradients6(xi, gradients),
        CellKind::Quad8 => quadrilateral::gradients8(xi, gradients),
        CellKind::Quad9 => quadrilateral::gradients9(xi, gradients),
        CellKind::Tet10 => tetrahedron::gradients10(xi, gradients),
        CellKind::Hex20 => hexahedron::gradients20(xi, gradients),
        CellKind::Hex27 => hexahedron::gradients27(xi, gradients),
    }
}

/// Second derivatives (N_a,11, N_a,22, N_a,12) of the shape functions of a face; zero for solid elements.
pub fn shape_hessians(kind: CellKind, xi: [f64; 3], hessians: &mut [[f64; 3]]) {
    match kind {
        CellKind::Quad4 => quadrilateral::hessians4(hessians),
        CellKind::Line3 => line::hessians3(hessians),
        CellKind::Tri6 => triangle::hessians6(hessians),
        CellKind::Quad8 => quadrilateral::hessians8(xi, hessians),
        CellKind::Quad9 => quadrilateral::hessians9(xi, hessians),
        // Linear shape functions, or a solid element.
        CellKind::Point1
        | CellKind::Line2
        | CellKind::Tri3
        | CellKind::Tet4
        | CellKind::Wedge6
        | CellKind::Hex8
        | CellKind::Tet10
        | CellKind::Hex20
        | CellKind::Hex27 => {
            hessians[..kind.num_nodes()].fill([0.0; 3]);
        }
    }
}

/// Rule for internal forces: full integration of the stiffness of an affine element.
///
/// The rule also integrates N_a det J of distorted linear elements exactly, and hence the volume and the row sums of
/// the mass matrix.
pub fn quadrature(kind: CellKind) -> &'static [QuadraturePoint] {
    match kind {
        CellKind::Point1 => &line::POINT,
        CellKind::Line2 => &line::GAUSS_2,
        CellKind::Tri3 => &triangle::CENTROID,
        CellKind::Quad4 => &quadrilateral::GAUSS_2X2,
        CellKind::Tet4 => &tetrahedron::CENTROID,
        CellKind::Wedge6 => &wedge::GAUSS_3X2,
        CellKind::Hex8 => &hexahedron::GAUSS_2X2X2,
        CellKind::Line3 => &line::GAUSS_3,
        CellKind::Tri6 => &triangle::DEGREE_2,
        CellKind::Quad8 | CellKind::Quad9 => &quadrilateral::GAUSS_3X3,
        CellKind::Tet10 => &tetrahedron::DEGREE_2,
        CellKind::Hex20 | CellKind::Hex27 => &hexahedron::GAUSS_3X3X3,
    }
}

/// Rule for masses and moments of inertia: exact for N_a N_b det J and x ⊗ x det J, with the position x.
///
/// The rule is also exact on distorted and curved elements, except on curved lines and on curved surfaces in space.
pub fn second_moment_quadrature(kind: CellKind) -> &'static [QuadraturePoint] {
    match kind {
        CellKind::Point1 => &line::POINT,
        CellKind::Line2 => &line::GAUSS_2,
        CellKind::Tri3 => &triangle::DEGREE_2,
        CellKind::Quad4 => &quadrilateral::GAUSS_3X3,
        CellKind::Tet4 => &tetrahedron::DEGREE_2,
        CellKind::Wedge6 => &wedge::GAUSS_6X3,
        CellKind::Hex8 => &hexahedron::GAUSS_3X3X3,
        CellKind::Line3 => &line::GAUSS_4,
        CellKind::Tri6 => &triangle::DEGREE_6,
        CellKind::Quad8 | CellKind::Quad9 => &quadrilateral::GAUSS_4X4,
        CellKind::Tet10 => &tetrahedron::DEGREE_7,
        CellKind::Hex20 | CellKind::Hex27 => &hexahedron::GAUSS_5X5X5,
    }
}

/// Rule for loads on straight and curved elements: exact for N_a times the area vector of a face, and for N_a det J of
/// a cell.
pub fn load_quadrature(kind: CellKind) -> &'static [QuadraturePoint] {
    match kind {
        CellKind::Tri6 => &triangle::DEGREE_4,
        CellKind::Tet10 | CellKind::Hex20 | CellKind::Hex27 => second_moment_quadrature(kind),
        _ => quadrature(kind),
    }
}
