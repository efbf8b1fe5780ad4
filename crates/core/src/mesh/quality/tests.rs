use super::*;
use crate::mesh::CellBlock;
use approx::assert_relative_eq;
use proptest::prelude::*;

fn single(kind: CellKind, points: &[[f64; 3]]) -> Mesh {
    Mesh {
        nodes: points.iter().map(|&point| point.into()).collect(),
        node_tags: (1..=points.len() as u64).collect(),
        blocks: vec![CellBlock { kind, connectivity: (0..points.len() as u32).collect(), tags: vec![42] }],
        groups: vec![],
    }
}

/// Nodes and volume of the ideal cell of a kind with edges of length `h`.
fn ideal(kind: CellKind, h: f64) -> (Vec<[f64; 3]>, f64) {
    let r3 = 3.0_f64.sqrt();
    let third = [0.5, r3 / 2.0, 0.0];
    let (points, volume) = match kind {
        CellKind::Tri3 => (vec![[0.0; 3], [1.0, 0.0, 0.0], third], r3 / 4.0),
        CellKind::Quad4 => (square(0.0), 1.0),
        CellKind::Tet4 => {
            let apex = [0.5, r3 / 6.0, (2.0_f64 / 3.0).sqrt()];
            (vec![[0.0; 3], [1.0, 0.0, 0.0], third, apex], 2.0_f64.sqrt() / 12.0)
        }
        CellKind::Wedge6 => {
            let bottom = [[0.0; 3], [1.0, 0.0, 0.0], third];
            let top = bottom.map(|[x, y, _]| [x, y, 1.0]);
            ([bottom, top].concat(), r3 / 4.0)
        }
        _ => ([square(0.0), square(1.0)].concat(), 1.0),
    };
    let scaled = points.iter().map(|point| point.map(|x| x * h)).collect();
    (scaled, volume * h.powi(kind.dimension() as i32))
}

fn square(z: f64) -> Vec<[f64; 3]> {
    vec![[0.0, 0.0, z], [1.0, 0.0, z], [1.0, 1.0, z], [0.0, 1.0, z]]
}

const KINDS: [CellKind; 5] =
    [CellKind::Tri3, CellKind::Quad4, CellKind::Tet4, CellKind::Wedge6, CellKind::Hex8];

#[test]
fn ideal_cells_have_quality_one_and_their_volume() {
    for kind in KINDS {
        let (points, volume) = ideal(kind, 3.0);
        let report = single(kind, &points).quality().unwrap();
        assert_relative_eq!(report.minimum, 1.0, epsilon = 1e-14);
        assert_relative_eq!(report.mean, 1.0, epsilon = 1e-14);
        assert_relative_eq!(report.volume, volume, max_relative = 1e-14);
        assert_relative_eq!(report.smallest_edge, 3.0, max_relative = 1e-14);
        assert!(report.inverted.is_empty());
    }
}

#[test]
fn altitude_of_the_regular_tetrahedron_and_triangle() {
    for (kind, altitude) in [(CellKind::Tet4, (2.0_f64 / 3.0).sqrt()), (CellKind::Tri3, 0.75_f64.sqrt())] {
        let report = single(kind, &ideal(kind, 2.0).0).quality().unwrap();
        assert_relative_eq!(report.smallest_altitude, 2.0 * altitude, max_relative = 1e-14);
    }
}

#[test]
fn reversed_cells_are_inverted_with_the_same_volume_below_zero() {
    for kind in KINDS {
        let (points, volume) = ideal(kind, 1.0);
        let mut mesh = single(kind, &points);
        mesh.blocks[0].reverse(0);
        let report = mesh.quality().unwrap();
        assert_relative_eq!(report.volume, -volume, max_relative = 1e-14);
        assert_eq!(report.inverted.iter().map(|cell| cell.tag).collect::<Vec<_>>(), [42]);
        assert_eq!(report.minimum, 0.0);
    }
}

#[test]
fn one_dented_corner_inverts_a_hexahedron_of_positive_volume() {
    let (mut points, _) = ideal(CellKind::Hex8, 1.0);
    points[6] = [0.2, 0.2, 0.2];
    let report = single(CellKind::Hex8, &points).quality().unwrap();
    assert!(report.volume > 0.0);
    assert_eq!(report.inverted.len(), 1);
}

#[test]
fn flat_and_folded_cells_of_a_shell_are_found() {
    let flat = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [2.0, 0.0, 1.0]];
    let folded = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.3, 0.3, 1.0], [0.0, 1.0, 1.0]];
    let good = [[0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0], [1.0, 0.0, 2.0]];
    assert_eq!(single(CellKind::Tri3, &flat).quality().unwrap().inverted.len(), 1);
    assert_eq!(single(CellKind::Quad4, &folded).quality().unwrap().inverted.len(), 1);
    let report = single(CellKind::Quad4, &good).quality().unwrap();
    assert!(report.inverted.is_empty());
    assert_relative_eq!(report.volume, 2.0_f64.sqrt(), max_relative = 1e-14);
}

/// ∫ det J over the trilinear cell by the 2 × 2 × 2 Gauss rule. The rule is exact, because det J is quadratic in each
/// coordinate.
fn gauss_volume(points: &[Vec3]) -> f64 {
    const CORNERS: [[f64; 3]; 8] = [
        [-1.0, -1.0, -1.0],
        [1.0, -1.0, -1.0],
        [1.0, 1.0, -1.0],
        [-1.0, 1.0, -1.0],
        [-1.0, -1.0, 1.0],
        [1.0, -1.0, 1.0],
        [1.0, 1.0, 1.0],
        [-1.0, 1.0, 1.0],
    ];
    let jacobian = |xi: [f64; 3]| {
        let mut j = Mat3::zeros();
        for (corner, x) in CORNERS.iter().zip(points) {
            let n: [f64; 3] = std::array::from_fn(|i| 1.0 + corner[i] * xi[i]);
            let gradient =
                Vec3::new(corner[0] * n[1] * n[2], n[0] * corner[1] * n[2], n[0] * n[1] * corner[2]) / 8.0;
            j += x * gradient.transpose();
        }
        j.determinant()
    };
    CORNERS.iter().map(|corner| jacobian(corner.map(|x| x / 3.0_f64.sqrt()))).sum()
}

fn perturbed(kind: CellKind) -> impl Strategy<Value = Vec<Vec3>> {
    let points = ideal(kind, 1.0).0;
    let n = points.len();
    proptest::collection::vec(proptest::array::uniform3(-0.4..0.4), n).prop_map(move |displacements| {
        points
            .iter()
            .zip(displacements)
            .map(|(&point, displacement)| Vec3::from(point) + Vec3::from(displacement))
            .collect()
    })
}

/// Largest distance between two nodes.
fn diagonal(points: &[Vec3]) -> f64 {
    let distances = points.iter().flat_map(|a| points.iter().map(move |b| (a - b).norm()));
    distances.fold(0.0, f64::max)
}

proptest! {
    #[test]
    fn volume_of_a_warped_hexahedron_is_that_of_its_trilinear_map(points in perturbed(CellKind::Hex8)) {
        let volume = cell_volume(CellKind::Hex8, &points);
        // Both volumes are sums of about a hundred products of three coordinate differences. No difference exceeds the
        // diagonal. The tolerance is 64 ε diagonal³ with the machine precision ε.
        let size = diagonal(&points).powi(3);
        prop_assert!((volume - gauss_volume(&points)).abs() <= 64.0 * f64::EPSILON * size);
    }

    /// A. Liu and B. Joe, BIT 34 (1994) 268: η = 12 (3V)^(2/3) / Σ l².
    #[test]
    fn quality_of_a_tetrahedron_is_liu_and_joes_mean_ratio(points in perturbed(CellKind::Tet4)) {
        let volume = cell_volume(CellKind::Tet4, &points);
        prop_assume!(volume > 1e-6);
        let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        let squares: f64 = pairs.iter().map(|&(a, b): &(usize, usize)| (points[a] - points[b]).norm_squared()).sum();
        let expected = 12.0 * (3.0 * volume).powf(2.0 / 3.0) / squares;
        let measured = measure(CellKind::Tet4, &points, false);
        // The volume is a sum of products of three differences. Its error is at most 32 ε diagonal³ with the machine
        // precision ε. The relative error of the quality is two thirds of the relative error of the volume. The
        // tolerance is the relative error of the volume itself, plus 32 ε.
        let rounding = 32.0 * f64::EPSILON * diagonal(&points).powi(3);
        prop_assert!((measured.shape - expected).abs() <= expected * (rounding / volume + 32.0 * f64::EPSILON));
        prop_assert!((measured.jacobian - 6.0 * volume).abs() <= rounding);
    }

    #[test]
    fn quality_stays_between_zero_and_one(points in perturbed(CellKind::Wedge6)) {
        let measured = measure(CellKind::Wedge6, &points, false);
        prop_assert!((0.0..=1.0).contains(&measured.shape));
        prop_assert_eq!(measured.shape == 0.0, measured.jacobian <= 0.0);
    }
}
