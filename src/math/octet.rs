//! Eight numbers at a time: which of them are small, and which those are.
//!
//! A choice among eight is the bits of a byte, and a table has the numbers of the bits: what is chosen is written with no
//! branch.

#![expect(clippy::needless_range_loop, reason = "closures of iterators escape the vector code")]

/// Numbers of an octet.
pub const OCTET: usize = 8;

/// The numbers of the bits that are set in a byte, then zeros.
static SET_BITS: [[u8; OCTET]; 1 << OCTET] = {
    let mut table = [[0; OCTET]; 1 << OCTET];
    let mut byte = 0;
    while byte < table.len() {
        let (mut bit, mut count) = (0, 0);
        while bit < OCTET {
            if byte >> bit & 1 == 1 {
                table[byte][count] = bit as u8;
                count += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// The numbers of the bits that are set, then zeros.
#[inline(always)]
pub fn set_bits(byte: u8) -> &'static [u8; OCTET] {
    &SET_BITS[byte as usize]
}

/// Bits of the numbers that are at most `limit`.
#[inline(always)]
pub fn at_most<T: Copy + PartialOrd>(numbers: &[T; OCTET], limit: T) -> u8 {
    let mut bits = 0;
    for k in 0..OCTET {
        bits |= u8::from(numbers[k] <= limit) << k;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_their_numbers() {
        let numbers = [3.0, f64::NAN, -1.0, 2.0, 2.5, f64::INFINITY, 0.0, 2.0];
        assert_eq!(at_most(&numbers, 2.0), 0b1100_1100);
        for byte in 0..=u8::MAX {
            let numbers = set_bits(byte);
            let count = byte.count_ones() as usize;
            assert!(numbers[..count].is_sorted_by(|a, b| a < b));
            assert_eq!(numbers[..count].iter().map(|bit| 1 << bit).sum::<u32>(), u32::from(byte));
        }
    }
}
