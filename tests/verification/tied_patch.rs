//! The patch test of ties: tied blocks with non-matching meshes transmit a uniform stress.
//!
//! ```text
//!   |===+====|==+==+==|<- p        the left block is held at its end, the right block is pressed
//! ```
//!
//! Source: Puso, IJNME 59 (2004) 315–336 (patch tests of tied meshes). The exact solution is the uniform stress in
//! equilibrium.

use ictus::math::Vec3;
use ictus::mesh::CellKind;

use crate::model::{box_mesh, from_text, quadratic_box_mesh, run, smooth_weight, worst};

/// Pressure \[Pa\]. It acts on the undeformed area, so that the problem is linear.
const PRESSURE: f64 = 1e3;
/// Young's modulus \[Pa\].
const YOUNG: f64 = 1e6;

/// Two blocks of 0.5 × 1 × 1 that meet at x = 0.5.
struct Blocks {
    /// Meshes of the blocks.
    meshes: [String; 2],
    /// Young's moduli relative to the softer block.
    stiffness: [f64; 2],
    poisson: f64,
    /// Whether lateral displacements of the blocks are fixed.
    is_confined: bool,
    /// Size of the smallest cells \[m\].
    cell: f64,
}

impl Blocks {
    fn of_hexahedra(cells: [usize; 2], stiffness: [f64; 2], poisson: f64, is_confined: bool) -> Self {
        let [left, right] = cells;
        Self {
            meshes: [
                box_mesh([0.0; 3], [0.5, 1.0, 1.0], [2, left, left]),
                box_mesh([0.5, 0.0, 0.0], [1.0, 1.0, 1.0], [2, right, right]),
            ],
            stiffness,
            poisson,
            is_confined,
            cell: 1.0 / left.max(right) as f64,
        }
    }

    /// Two errors. The first is the largest error of the mean displacement of a node after loading, relative to the
    /// shortening of a cell of its body. The reference is the displacement under the uniform stress. The mean
    /// displacement of the body is subtracted. The second is the largest error of the momentum balance.
    fn errors(self) -> [f64; 2] {
        let Self { meshes: [left, right], stiffness, poisson, is_confined, cell } = self;
        let mut text = format!(
            "[time]\nend = 0.6\n\
             [[boundaries]]\nbody = \"left\"\ngroup = \"x0\"\nfix = [\"x\"]\n\
             [[loads]]\nbody = \"right\"\ngroup = \"x1\"\ntraction = [\"-{PRESSURE:?}*smoothstep(t/0.4)\", 0.0, 0.0]\n\
             [[contact.pairs]]\nbetween = [\"left\", \"right\"]\ntied = true\n"
        );
        for (name, stiffness) in ["left", "right"].into_iter().zip(stiffness) {
            text += &format!(
                "[materials.{name}]\nmodel = \"linear-elastic\"\ndensity = 1.0\nyoung = {:?}\npoisson = {poisson:?}\n\
                 [[bodies]]\nname = \"{name}\"\nmesh = \"{name}.msh\"\nregion = \"box\"\nmaterial = \"{name}\"\n",
                YOUNG * stiffness
            );
            if is_confined {
                text += &format!("[[boundaries]]\nbody = \"{name}\"\nfix = [\"y\", \"z\"]\n");
            }
        }
        let mut simulation = from_text(&text, &[("left.msh", left), ("right.msh", right)]);
        let references = simulation.model().reference_positions.clone();
        let (mut sums, mut weights) = (vec![Vec3::zeros(); references.len()], 0.0);
        run(&mut simulation, |simulation| {
            let weight = smooth_weight(simulation, [0.4, 0.6]);
            if weight > 0.0 {
                weights += weight;
                let places = simulation.state().positions.iter().zip(&references);
                sums.iter_mut().zip(places).for_each(|(sum, (now, before))| *sum += (now - before) * weight);
            }
        });
        // With lateral displacements fixed, the modulus is that of uniaxial strain.
        let confined = (1.0 - poisson) / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        let [along, across] = if is_confined { [1.0 / confined, 0.0] } else { [1.0, poisson] };
        let strains = stiffness.map(|stiffness| PRESSURE / (YOUNG * stiffness));
        let off = (0..2).map(|body| {
            let nodes = simulation.model().bodies[body].nodes.clone();
            let off: Vec<Vec3> = nodes
                .map(|node| {
                    let place = references[node];
                    let wider = |x: f64| across * strains[body] * (x - 0.5);
                    let exact = Vec3::new(-along * strains[body] * place.x, wider(place.y), wider(place.z));
                    sums[node] / weights - exact
                })
                .collect();
            // The mean is subtracted, because the strain of the other body displaces this body as a whole.
            let moved = off.iter().sum::<Vec3>() / off.len() as f64;
            worst(off.iter().map(|off| (off - moved).norm() / (strains[body] * cell)))
        });
        [worst(off), simulation.audit().largest_momentum_error()]
    }
}

/// Goal: the stress equals the pressure, with either side finer or stiffer. The lateral strains of both sides are
/// equal, or lateral displacements are fixed. Tolerance: 1e-10 of the strain of a cell, because the remaining waves are
/// below 1e-10 in a mean with smooth weights. The momentum is about 1e-6 of the impulse of the load. It balances to the
/// rounding of this impulse, 1e-9 of the momentum.
#[test]
fn tied_blocks_pass_the_patch_test() {
    for cells in [[2, 2], [2, 3], [3, 2], [4, 5]] {
        for (stiffness, poisson, is_confined) in [
            ([1.0, 1.0], 0.0, false),
            ([1.0, 1.0], 0.3, false),
            ([10.0, 1.0], 0.0, false),
            ([1.0, 10.0], 0.0, false),
            ([10.0, 1.0], 0.3, true),
            ([1.0, 10.0], 0.3, true),
        ] {
            let [off, momentum] = Blocks::of_hexahedra(cells, stiffness, poisson, is_confined).errors();
            println!(
                "{cells:?}, stiffness {stiffness:?}, ν {poisson}: off by {off:.1e}, momentum {momentum:.1e}"
            );
            assert!(off < 1e-10, "{cells:?}, {stiffness:?}, {poisson}: {off:e}");
            assert!(momentum < 1e-9, "{momentum:e}");
        }
    }
}

/// Goal: the patch test also holds for faces of quadratic cells of different kinds. Tolerance: 1e-10, as for hexahedra.
#[test]
fn quadratic_faces_pass_the_patch_test() {
    let cases = [
        (CellKind::Hex20, CellKind::Hex20, [1, 2]),
        (CellKind::Hex27, CellKind::Hex20, [2, 3]),
        (CellKind::Tet10, CellKind::Hex20, [2, 3]),
        (CellKind::Tet10, CellKind::Tet10, [1, 2]),
        (CellKind::Hex20, CellKind::Tet10, [1, 2]),
    ];
    for (left, right, cells) in cases {
        let blocks = Blocks {
            meshes: [
                quadratic_box_mesh(left, [0.0; 3], [0.5, 1.0, 1.0], [1, cells[0], cells[0]]),
                quadratic_box_mesh(right, [0.5, 0.0, 0.0], [1.0, 1.0, 1.0], [1, cells[1], cells[1]]),
            ],
            stiffness: [1.0, 1.0],
            poisson: 0.3,
            is_confined: false,
            cell: 1.0 / cells[1] as f64,
        };
        let [off, momentum] = blocks.errors();
        println!("{left:?} on {right:?}, {cells:?}: off by {off:.1e}, momentum {momentum:.1e}");
        assert!(off < 1e-10, "{left:?} on {right:?}, {cells:?}: {off:e}");
        assert!(momentum < 1e-9, "{momentum:e}");
    }
}
