//! Tests of face polynomials against shape functions, and of the derivatives of F against finite differences.

use super::*;
use crate::detection::face::closest_point::domain::Domain;
use crate::detection::face::closest_point::domain::MAX_FACE_NODES;
use crate::detection::samples::Samples;
use crate::element::{shape_gradients, shape_hessians, shape_values};

struct Differentiate([f64; 2]);

impl Visitor for Differentiate {
    type Output = (Vec3, Derivatives, CellKind);
    fn visit<P: FacePolynomial>(self, polynomial: &P) -> Self::Output {
        (polynomial.offset(self.0), polynomial.derivatives(self.0), P::KIND)
    }
}

struct Expand([f64; 2]);

impl Visitor for Expand {
    type Output = Expansion;
    fn visit<P: FacePolynomial>(self, polynomial: &P) -> Expansion {
        polynomial.expand(self.0)
    }
}

#[test]
fn polynomials_are_the_shape_functions() {
    let mut s = Samples::new(1);
    for kind in Domain::KINDS {
        for _ in 0..200 {
            let nodes: Vec<Vec3> = (0..kind.num_nodes()).map(|_| s.vector(1.0)).collect();
            let query = s.vector(2.0);
            let xi = if kind.dimension() == 1 {
                [s.uniform(-1.0, 1.0), 0.0]
            } else {
                [s.uniform(-1.0, 1.0), s.uniform(-1.0, 1.0)]
            };
            let natural = [xi[0], xi[1], 0.0];
            let mut values = [0.0; MAX_FACE_NODES];
            let mut gradients = [[0.0; 3]; MAX_FACE_NODES];
            let mut hessians = [[0.0; 3]; MAX_FACE_NODES];
            shape_values(kind, natural, &mut values);
            shape_gradients(kind, natural, &mut gradients);
            shape_hessians(kind, natural, &mut hessians);
            let sum =
                |weight: &dyn Fn(usize) -> f64| (0..nodes.len()).map(|a| nodes[a] * weight(a)).sum::<Vec3>();
            let (offset, found, of) = visit(kind, &nodes, &query, Differentiate(xi)).unwrap();
            assert_eq!(of, kind);
            assert!((offset - found.offset).norm() < 1e-14);
            assert!((offset - (sum(&|a| values[a]) - query)).norm() < 1e-13, "{kind:?}");
            for (i, tangent) in found.tangents.iter().enumerate() {
                assert!((tangent - sum(&|a| gradients[a][i])).norm() < 1e-13, "{kind:?} {i}");
            }
            for (i, second) in found.second.iter().enumerate() {
                assert!((second - sum(&|a| hessians[a][i])).norm() < 1e-13, "{kind:?} {i}");
            }
        }
    }
}

#[test]
fn a_face_far_from_the_origin_loses_no_digits() {
    let mut s = Samples::new(2);
    // Multiples of 2⁻²⁰ can be shifted by 10⁶ without rounding.
    let coarse = |v: Vec3| v.map(|x| (x * 2.0_f64.powi(20)).round() * 2.0_f64.powi(-20));
    for kind in Domain::KINDS {
        let nodes: Vec<Vec3> = (0..kind.num_nodes()).map(|_| coarse(s.vector(1.0))).collect();
        let (query, shift) = (coarse(s.vector(2.0)), Vec3::new(1e6, -2e6, 3e6));
        let far: Vec<Vec3> = nodes.iter().map(|x| x + shift).collect();
        let xi = [0.3, if kind.dimension() == 1 { 0.0 } else { 0.2 }];
        let here = visit(kind, &nodes, &query, Differentiate(xi)).unwrap();
        let there = visit(kind, &far, &(query + shift), Differentiate(xi)).unwrap();
        assert_eq!(here, there);
    }
}

/// F,ᵢ and F,ᵢⱼ against central differences of F and of F,ᵢ.
#[test]
fn derivatives_agree_with_differences() {
    let mut s = Samples::new(3);
    for kind in Domain::KINDS {
        let dimension = kind.dimension();
        for _ in 0..250 {
            let nodes: Vec<Vec3> = (0..kind.num_nodes()).map(|_| s.vector(1.0)).collect();
            let query = s.vector(2.0);
            let xi = [s.uniform(0.0, 0.5), if dimension == 1 { 0.0 } else { s.uniform(0.0, 0.5) }];
            let expand = |xi| visit(kind, &nodes, &query, Expand(xi)).unwrap();
            let here = expand(xi);
            let h = 1e-5;
            let moved = |i: usize, h: f64| expand([0, 1].map(|k| xi[k] + if k == i { h } else { 0.0 }));
            for i in 0..dimension {
                let (ahead, behind) = (moved(i, h), moved(i, -h));
                let slope = (ahead.objective - behind.objective) / (2.0 * h);
                assert!((slope - here.gradient[i]).abs() < 1e-7 * (1.0 + here.objective), "{kind:?}");
                for j in 0..dimension {
                    let curvature = (ahead.gradient[j] - behind.gradient[j]) / (2.0 * h);
                    let expected = if i == j { here.hessian[i] } else { here.hessian[2] };
                    assert!((curvature - expected).abs() < 1e-7 * (1.0 + here.objective), "{kind:?}");
                }
            }
        }
    }
}
