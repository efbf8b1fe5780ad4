use proptest::prelude::*;
use pulp::WithSimd;

use super::*;

/// ln(1 + x), x − ln(1 + x), ∛(1 + x), 1/∛(1 + x) and √|x| of the numbers x of a row, pack by pack.
struct Functions<'a>(&'a Row);

impl WithSimd for Functions<'_> {
    type Output = [Row; 5];

    fn with_simd<S: Simd>(self, simd: S) -> [Row; 5] {
        let mut out = [Row::splat(0.0); 5];
        for part in 0..Pack::<S>::PARTS {
            let x = Pack::load(simd, self.0, part);
            let (logarithm, residual) = x.ln_1p_and_residual();
            let (root, mut inverse_root) = ((x + 1.0).cube_root(), [x]);
            Real::inverse_cube_roots_1p(&mut inverse_root);
            let values = [logarithm, residual, root, inverse_root[0], x.abs().sqrt()];
            for (row, value) in out.iter_mut().zip(values) {
                value.store(row, part);
            }
        }
        out
    }
}

/// Maximum and minimum of two rows, pack by pack.
struct Extremes<'a>([&'a Row; 2]);

impl WithSimd for Extremes<'_> {
    type Output = [Row; 2];

    fn with_simd<S: Simd>(self, simd: S) -> [Row; 2] {
        let mut out = [Row::splat(0.0); 2];
        for part in 0..Pack::<S>::PARTS {
            let [a, b] = self.0.map(|row| Pack::load(simd, row, part));
            a.max(b).store(&mut out[0], part);
            a.min(b).store(&mut out[1], part);
        }
        out
    }
}

/// Gathers vectors by index and adds them back to their slots.
struct Twice<'a>(&'a mut Slots, &'a [u16; WIDTH]);

impl WithSimd for Twice<'_> {
    type Output = [Row; 3];

    fn with_simd<S: Simd>(self, simd: S) -> [Row; 3] {
        let mut rows = [Row::splat(0.0); 3];
        for part in 0..Pack::<S>::PARTS {
            let vector = Pack::gather(simd, self.0, self.1, part);
            for quartet in 0..Pack::<S>::QUARTETS {
                Pack::scatter_add(&vector, self.0, self.1, part, quartet);
            }
            for (row, component) in rows.iter_mut().zip(vector) {
                component.store(row, part);
            }
        }
        rows
    }
}

proptest! {
    #[test]
    fn every_register_has_the_bits_of_the_scalar(
        x in prop::array::uniform8(prop_oneof![-0.9..30.0f64, -0.07..0.07f64]),
    ) {
        for registers in Registers::available() {
            let [logarithm, residual, root, inverse_root, square_root] = registers.run(Functions(&Row(x)));
            let mut inverse_roots = x;
            Real::inverse_cube_roots_1p(&mut inverse_roots);
            prop_assert_eq!(inverse_root.0, inverse_roots);
            for (lane, x) in x.into_iter().enumerate() {
                let scalar = x.ln_1p_and_residual();
                prop_assert_eq!((logarithm.0[lane], residual.0[lane]), scalar);
                prop_assert_eq!(root.0[lane], (x + 1.0).cube_root());
                prop_assert_eq!(square_root.0[lane], x.abs().sqrt());
            }
        }
    }
}

/// The values include NaN on either side, both signs of zero, and infinities.
#[test]
fn every_register_has_the_extremes_of_the_scalar() {
    let values = [f64::NAN, -0.0, 0.0, 1.0, -2.0, f64::INFINITY, f64::NEG_INFINITY, 3.0];
    for shift in 0..WIDTH {
        let rows = [Row(values), Row::from_fn(|lane| values[(lane + shift) % WIDTH])];
        for registers in Registers::available() {
            let [larger, smaller] = registers.run(Extremes([&rows[0], &rows[1]]));
            for lane in 0..WIDTH {
                let [a, b] = [rows[0].0[lane], rows[1].0[lane]];
                assert_eq!(larger.0[lane].to_bits(), Real::max(a, b).to_bits(), "{a} {b}");
                assert_eq!(smaller.0[lane].to_bits(), Real::min(a, b).to_bits(), "{a} {b}");
            }
        }
    }
}

#[test]
fn gathered_vectors_are_in_the_lane_of_their_index_and_go_back() {
    for registers in Registers::available() {
        let mut vectors: Vec<Padded> =
            (0..1 << 16).map(|k| Padded::from_vector([k, k + 100, k + 200].map(f64::from))).collect();
        let indices = [3, 17, 0, 8, 9, 19, u16::MAX, 11];
        let rows = registers.run(Twice(vectors.first_chunk_mut().unwrap(), &indices));
        for (i, row) in rows.iter().enumerate() {
            assert_eq!(row.0, indices.map(|index| f64::from(index) + 100.0 * i as f64));
        }
        for (k, vector) in vectors.iter().enumerate() {
            let factor = if indices.contains(&(k as u16)) { 2.0 } else { 1.0 };
            assert_eq!(vector.0[..3], [0.0, 100.0, 200.0].map(|shift| (shift + k as f64) * factor));
            assert_eq!(vector.0[3], 0.0);
        }
    }
}
