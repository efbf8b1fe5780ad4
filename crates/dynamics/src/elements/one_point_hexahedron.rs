//! The eight-node hexahedron with one stress point and hourglass control.
//!
//! The mean deformation gradient F = Σ_a x_a ⊗ B_a with B_a = (1/V) ∫ ∇N_a dV passes the patch test, but leaves four
//! hourglass modes without stiffness. In a parallelepiped, these modes are the nodal vectors h_α, α = 1 to 4: the
//! products ηζ, ξζ, ξη and ξηζ of the signs of the natural coordinates at the nodes. Springs of energy ½ k Σ_α |q_α|²
//! resist the modes. With the positions x_a and the reference positions X_b,
//!
//! ```text
//! q_α = Σ_a γ_αa x_a,   γ_αa = h_αa − B_a·H_α,   H_α = Σ_b h_αb X_b
//! ```
//! The vectors γ_α are orthogonal to linear displacements, and a rotation leaves |q_α| unchanged. Source: Flanagan and
//! Belytschko 1981, Int. J. Numer. Meth. Eng. 17:679, §3–4; here in total Lagrangian form.
//!
//! Nodal vectors are decomposed into the modes 1, ξ, η, ζ, ηζ, ξζ, ξη, ξηζ. B_a has no part in the modes 1 and ξηζ. The
//! code computes q_α without γ_α: q_α = c_α − F H_α with c_α = Σ_a h_αa x_a.
//!
//! In a parallelepiped, H_α is zero, and B_a has parts only in the modes ξ, η and ζ.

#![expect(
    clippy::needless_range_loop,
    reason = "indices are those of the formulas, and closures of iterators escape the vector code"
)]

use nalgebra::SMatrix;
use pulp::Simd;

use super::formulation::{ElementFormulation, Evaluation, infinite_where_inverted};
use super::frequency_bound::EIGENVALUE_ROUNDING;
use super::group::GroupPart;
use super::history::{HistoryOfPoints, PresentHistory};
use crate::element::hexahedron::CORNER_BY_SIDE;
use crate::element::{quadrature, shape_gradients};
use crate::material::{Elasticity, Law, MaterialResponse};
use crate::math::pack::Pack;
use crate::math::real::Real;
use crate::math::tensor::{SymmetricTensor, Tensor};
use crate::math::{Mat3, Vec3};
use crate::mesh::CellKind;

/// Ratio of 8 k, where 8 = |h_α|², to the stiffness (λ+2μ) V Σ_a |B_a|²/3 of plane waves. With ratios from 0.02 to 0.1,
/// both the hourglass displacements and the excess stiffness in bending are small.
const HOURGLASS_STIFFNESS: f64 = 0.05;

// In a mode number, bit 0 stands for the factor ξ, bit 1 for η and bit 2 for ζ.
/// The modes of B_a: ξ, η, ζ, then ηζ, ξζ, ξη.
const GRADIENT_MODES: [usize; 6] = [1, 2, 4, 6, 5, 3];
/// ηζ, ξζ, ξη, ξηζ.
const HOURGLASS_MODES: [usize; 4] = [6, 5, 3, 7];

// Rows for the forces: volume; k; coefficients of B_a in `GRADIENT_MODES`; H_α. Parallelepipeds have no rows after
// those of the mode ζ.
const VOLUME: usize = 0;
const STIFFNESS: usize = 1;
const SLOPES: usize = 2;
const HOURGLASS_VECTORS: usize = SLOPES + 3 * GRADIENT_MODES.len();
/// Number of rows for the forces.
pub(crate) const ROWS: usize = HOURGLASS_VECTORS + 3 * HOURGLASS_MODES.len();
/// Number of rows for the forces of parallelepipeds.
pub(crate) const PARALLELEPIPED_ROWS: usize = SLOPES + 3 * 3;

// Rows for the critical step, with the nodal masses m_a:
// - largest eigenvalue of k Σ_α γ_αa γ_αb / √(m_a m_b)
// - largest eigenvalue of V B_a·B_b / √(m_a m_b)
// - 1 / smallest m_a
const HOURGLASS_FREQUENCY: usize = 0;
const LAPLACIAN: usize = 1;
const INVERSE_MASS: usize = 2;
/// Number of rows for the critical step.
pub(crate) const SPECTRUM_ROWS: usize = INVERSE_MASS + 1;

/// The element. Without `GENERAL`, only parallelepipeds are allowed.
pub(crate) struct OnePointHexahedron<const GENERAL: bool>;

impl<const GENERAL: bool> OnePointHexahedron<GENERAL> {
    const NUM_MODES: usize = if GENERAL { GRADIENT_MODES.len() } else { 3 };
}

/// Largest component of H_α that counts as zero, relative to the largest coordinate of the nodes. H_α is a sum of eight
/// rounded positions.
const COORDINATE_ROUNDING: f64 = 32.0 * f64::EPSILON;

pub(crate) fn is_parallelepiped(nodes: &[Vec3; 8]) -> bool {
    let largest = nodes.iter().map(Vec3::amax).fold(0.0, f64::max);
    let plain = nodes.map(|node| [node.x, node.y, node.z]);
    (0..3).all(|i| {
        let sums = mode_sums(&plain, i);
        HOURGLASS_MODES.iter().all(|&mode| sums[mode].abs() <= COORDINATE_ROUNDING * largest)
    })
}

struct Kinematics<S: Simd> {
    /// F − I.
    gradient: Tensor<Pack<S>>,
    /// q_α.
    hourglass: [[Pack<S>; 3]; 4],
}

/// The vector in the rows `first` to `first + 2`.
#[inline(always)]
fn vector<S: Simd>(data: &GroupPart<'_, S>, first: usize) -> [Pack<S>; 3] {
    [data.load(&data.rows[first]), data.load(&data.rows[first + 1]), data.load(&data.rows[first + 2])]
}

/// `low + high` and `high − low`.
#[inline(always)]
fn both<R: Real>(low: R, high: R) -> [R; 2] {
    [low + high, high - low]
}

/// Sums over the four nodes of a face with the signs of 1, ξ, η and ξη. `low`: sum and difference along ξ of the two
/// nodes at negative η; `high`: those of the two nodes at positive η.
#[inline(always)]
fn face_sums<R: Real>(low: [R; 2], high: [R; 2]) -> [R; 4] {
    let [[one, eta], [xi, product]] = [both(low[0], high[0]), both(low[1], high[1])];
    [one, xi, eta, product]
}

/// For each mode, the sum of the nodal values `v` with the signs of the mode. `v` is ordered as `CORNER_BY_SIDE`. There
/// is no loop, because the compiler would not unroll it.
#[inline(always)]
fn sums_with_signs<R: Real>(v: [R; 8]) -> [R; 8] {
    let a = face_sums(both(v[0], v[1]), both(v[2], v[3]));
    let b = face_sums(both(v[4], v[5]), both(v[6], v[7]));
    let [[m0, m4], [m1, m5]] = [both(a[0], b[0]), both(a[1], b[1])];
    let [[m2, m6], [m3, m7]] = [both(a[2], b[2]), both(a[3], b[3])];
    [m0, m1, m2, m3, m4, m5, m6, m7]
}

/// The transpose of `sums_with_signs`.
#[inline(always)]
fn spread_with_signs<R: Real>([m0, m1, m2, m3, m4, m5, m6, m7]: [R; 8]) -> [R; 8] {
    let [v7, v6, v5, v4, v3, v2, v1, v0] = sums_with_signs([m7, m6, m5, m4, m3, m2, m1, m0]);
    [v0, v1, v2, v3, v4, v5, v6, v7]
}

/// For each mode, the sum of component `i` of the nodal vectors with the signs of the mode.
#[inline(always)]
fn mode_sums<R: Real>(nodes: &[[R; 3]; 8], i: usize) -> [R; 8] {
    let mut sides = [nodes[0][i]; 8];
    for side in 0..8 {
        sides[side] = nodes[CORNER_BY_SIDE[side]][i];
    }
    sums_with_signs(sides)
}

#[inline(always)]
fn kinematics<S: Simd, const GENERAL: bool>(
    data: &GroupPart<'_, S>,
    positions: &[[Pack<S>; 3]; 8],
) -> Kinematics<S> {
    let modes = [mode_sums(positions, 0), mode_sums(positions, 1), mode_sums(positions, 2)];
    let mut deformation = Tensor::filled(positions[0][0].constant(0.0));
    for m in 0..OnePointHexahedron::<GENERAL>::NUM_MODES {
        let (mode, slope) = (GRADIENT_MODES[m], vector(data, SLOPES + 3 * m));
        for i in 0..3 {
            for j in 0..3 {
                deformation.0[i][j] = modes[i][mode].mul_add(slope[j], deformation.0[i][j]);
            }
        }
    }
    let mut hourglass = [deformation.0[0]; 4];
    for (alpha, mode) in HOURGLASS_MODES.into_iter().enumerate() {
        for i in 0..3 {
            hourglass[alpha][i] = modes[i][mode];
        }
        if GENERAL {
            let reference = vector(data, HOURGLASS_VECTORS + 3 * alpha);
            for i in 0..3 {
                for j in 0..3 {
                    hourglass[alpha][i] =
                        deformation.0[i][j].negated_mul_add(reference[j], hourglass[alpha][i]);
                }
            }
        }
    }
    Kinematics { gradient: deformation.minus_identity(), hourglass }
}

impl<const GENERAL: bool> ElementFormulation<8> for OnePointHexahedron<GENERAL> {
    const NUM_POINTS: usize = 1;

    type State<S: Simd> = ();

    #[inline(always)]
    fn state<S: Simd>(_simd: S) {}

    #[inline(always)]
    fn forces<S: Simd, L: Law>(
        &self,
        law: L,
        data: &GroupPart<'_, S>,
        positions: &[[Pack<S>; 3]; 8],
        (): &mut (),
        history: &mut impl HistoryOfPoints<S>,
        forces: &mut [[Pack<S>; 3]; 8],
    ) -> Evaluation<S> {
        let Kinematics { gradient, hourglass } = kinematics::<S, GENERAL>(data, positions);
        let (volume, stiffness) = (data.load(&data.rows[VOLUME]), data.load(&data.rows[STIFFNESS]));
        let mut of_point = history.at(0);
        let MaterialResponse { stress, energy } = law.response(&gradient, &mut of_point, history.time_step());
        history.keep(0, &of_point);
        // Work conjugate of F: V P − Σ k q_α ⊗ H_α.
        let mut work = stress.scale(volume);
        let zero = volume.constant(0.0);
        let mut modes = [[zero; 8]; 3];
        let mut square = zero;
        for (alpha, mode) in HOURGLASS_MODES.into_iter().enumerate() {
            for i in 0..3 {
                let force = hourglass[alpha][i] * stiffness;
                square = hourglass[alpha][i].mul_add(force, square);
                modes[i][mode] = force;
            }
            if GENERAL {
                let reference = vector(data, HOURGLASS_VECTORS + 3 * alpha);
                for i in 0..3 {
                    for j in 0..3 {
                        work.0[i][j] = modes[i][mode].negated_mul_add(reference[j], work.0[i][j]);
                    }
                }
            }
        }
        for m in 0..Self::NUM_MODES {
            let (mode, slope) = (GRADIENT_MODES[m], vector(data, SLOPES + 3 * m));
            for i in 0..3 {
                for j in 0..3 {
                    modes[i][mode] = work.0[i][j].mul_add(slope[j], modes[i][mode]);
                }
            }
        }
        for i in 0..3 {
            let sides = spread_with_signs(modes[i]);
            for side in 0..8 {
                forces[CORNER_BY_SIDE[side]][i] = sides[side];
            }
        }
        let jacobian = gradient.relative_volume_change() + 1.0;
        Evaluation { energy: energy * volume, hourglass: square * 0.5, jacobian: jacobian + jacobian * 0.0 }
    }

    #[inline(always)]
    fn mean_stress<S: Simd, L: Law>(
        &self,
        law: L,
        data: &GroupPart<'_, S>,
        positions: &[[Pack<S>; 3]; 8],
        (): &mut (),
        history: PresentHistory<'_, S>,
    ) -> SymmetricTensor<Pack<S>> {
        let h = kinematics::<S, GENERAL>(data, positions).gradient;
        let MaterialResponse { stress, .. } = law.response(&h, &mut history.at(0), history.time_step());
        if L::SMALL_STRAIN {
            return stress.symmetric_part();
        }
        let jacobian = h.relative_volume_change() + 1.0;
        (stress + stress.dot_transposed(&h)).symmetric_part() * jacobian.reciprocal()
    }

    /// Bound of [`super::frequency_bound`] for one point, plus ω² of the hourglass springs alone.
    #[inline(always)]
    fn frequency_squared_bound<S: Simd, L: Law>(
        &self,
        law: L,
        data: &GroupPart<'_, S>,
        positions: &[[Pack<S>; 3]; 8],
        (): &mut (),
        history: PresentHistory<'_, S>,
    ) -> Pack<S> {
        let h = kinematics::<S, GENERAL>(data, positions).gradient;
        let bound = law.tangent_bound(&h, &history.at(0));
        let volume = data.load(&data.rows[VOLUME]);
        let of_spectrum = |row: usize| data.load(&data.spectrum[row]);
        let one = volume.constant(1.0);
        let (mut cofactor, change) = h.deformed_cofactor();
        let jacobian = change + 1.0;
        let (mut inverse_stretch, mut inverse_square) = (one, one);
        if L::SMALL_STRAIN {
            cofactor = Tensor::filled(one * 0.0).plus_identity();
        } else {
            inverse_square = (jacobian * jacobian).reciprocal();
            inverse_stretch = cofactor.transposed_dot_self().largest_eigenvalue_bound() * inverse_square;
        }
        // Σ_a |cof F B_a|² is eight times the sum of the squared mode coefficients of cof F B_a.
        let mut squares = one * 0.0;
        for m in 0..Self::NUM_MODES {
            let slope = vector(data, SLOPES + 3 * m);
            for i in 0..3 {
                let row = cofactor.0[i];
                let component = row[0] * slope[0] + row[1] * slope[1] + row[2] * slope[2];
                squares += component * component;
            }
        }
        let divergence = volume * squares * 8.0 * of_spectrum(INVERSE_MASS) * inverse_square;
        let springs = of_spectrum(HOURGLASS_FREQUENCY);
        let material =
            bound.gradient * inverse_stretch * of_spectrum(LAPLACIAN) + bound.dilatation * divergence;
        infinite_where_inverted(material + springs, jacobian)
    }
}

/// Fills the rows of an element for the forces (`numbers`) and for the critical step (`spectrum`); returns the volume
/// \[m³\]. The length of `numbers` is `ROWS` or `PARALLELEPIPED_ROWS`.
pub(crate) fn fill_numbers(
    nodes: &[Vec3; 8],
    masses: &[f64],
    elasticity: &Elasticity,
    (numbers, spectrum): (&mut [f64], &mut [f64]),
) -> f64 {
    let (mean_gradients, volume) = mean_gradients(nodes);
    let plain = |vectors: &[Vec3; 8]| vectors.map(|vector| [vector.x, vector.y, vector.z]);
    let modes = |vectors: &[Vec3; 8]| {
        let sums = [0, 1, 2].map(|i| mode_sums(&plain(vectors), i));
        move |mode: usize| [sums[0][mode], sums[1][mode], sums[2][mode]]
    };
    let (slopes, reference) = (modes(&mean_gradients), modes(nodes));
    let slopes = GRADIENT_MODES.map(|mode| slopes(mode).map(|sum| sum / 8.0));
    let vectors = slopes.into_iter().chain(HOURGLASS_MODES.map(&reference));
    for (numbers, vector) in numbers[SLOPES..].chunks_exact_mut(3).zip(vectors) {
        numbers.copy_from_slice(&vector);
    }
    // The divisor is 3 · 8, with 8 = |h_α|². The frequency of the springs alone is lower than that of the element
    // without springs.
    let squares: f64 = mean_gradients.iter().map(Vec3::norm_squared).sum();
    let stiffness = HOURGLASS_STIFFNESS * elasticity.p_wave_modulus() * volume * squares / 24.0;
    let weighted = |a: usize, vector: Vec3| vector / masses[a].sqrt();
    let gradients = SMatrix::<f64, 8, 3>::from_fn(|a, i| weighted(a, mean_gradients[a])[i]);
    let controls = SMatrix::<f64, 8, 4>::from_fn(|a, alpha| {
        let side = CORNER_BY_SIDE.iter().position(|&node| node == a).unwrap_or(0);
        let missing = (HOURGLASS_MODES[alpha] & !side).count_ones();
        let sign = if missing.is_multiple_of(2) { 1.0 } else { -1.0 };
        let gamma = sign - mean_gradients[a].dot(&Vec3::from(reference(HOURGLASS_MODES[alpha])));
        gamma / masses[a].sqrt()
    });
    numbers[VOLUME] = volume;
    numbers[STIFFNESS] = stiffness;
    let rounded_up = 1.0 + EIGENVALUE_ROUNDING;
    spectrum[HOURGLASS_FREQUENCY] =
        rounded_up * stiffness * (controls.transpose() * controls).symmetric_eigenvalues().max();
    spectrum[LAPLACIAN] =
        rounded_up * volume * (gradients.transpose() * gradients).symmetric_eigenvalues().max();
    spectrum[INVERSE_MASS] = 1.0 / masses.iter().copied().fold(f64::INFINITY, f64::min);
    volume
}

/// B_a \[1/m\] and V \[m³\].
fn mean_gradients(nodes: &[Vec3; 8]) -> ([Vec3; 8], f64) {
    let (mut integrals, mut volume, mut slopes) = ([Vec3::zeros(); 8], 0.0, [[0.0; 3]; 8]);
    for point in quadrature(CellKind::Hex8) {
        shape_gradients(CellKind::Hex8, point.xi, &mut slopes);
        let mut jacobian = Mat3::zeros();
        for (x, slope) in nodes.iter().zip(&slopes) {
            jacobian += x * Vec3::from(*slope).transpose();
        }
        volume += point.weight * jacobian.determinant();
        // cof J ∂N/∂ξ = det J · J⁻ᵀ ∂N/∂ξ; the columns of cof J are cross products.
        let [a, b, c] = [0, 1, 2].map(|j| jacobian.column(j).into_owned());
        let cofactor = Mat3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)]);
        for (integral, slope) in integrals.iter_mut().zip(&slopes) {
            *integral += cofactor * Vec3::from(*slope) * point.weight;
        }
    }
    (integrals.map(|integral| integral / volume), volume)
}
