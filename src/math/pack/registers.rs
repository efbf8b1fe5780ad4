//! Which registers the processor at hand has.

use pulp::{Simd, WithSimd};

/// The widest registers that the processor has: AVX-512, AVX2, or single numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Registers {
    #[cfg(target_arch = "x86_64")]
    arch: pulp::Arch,
}

impl Registers {
    /// All that this processor has, narrowest first.
    #[cfg(test)]
    pub fn available() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        {
            let vectors =
                [pulp::x86::V3::try_new().map(pulp::Arch::V3), pulp::x86::V4::try_new().map(pulp::Arch::V4)];
            let all = std::iter::once(pulp::Arch::Scalar).chain(vectors.into_iter().flatten());
            all.map(|arch| Self { arch }).collect()
        }
        #[cfg(not(target_arch = "x86_64"))]
        vec![Self {}]
    }

    /// Runs `kernel` on them; mark all that it calls `#[inline(always)]`, else it stays baseline code.
    #[inline]
    pub fn run<K: WithSimd>(self, kernel: K) -> K::Output {
        #[cfg(target_arch = "x86_64")]
        if !matches!(self.arch, pulp::Arch::Scalar) {
            return self.arch.dispatch(kernel);
        }
        pulp::Scalar::new().vectorize(kernel)
    }

    /// Runs a `kernel` on four lanes, with the same result: one that seldom runs, so that less code is compiled, or that
    /// seldom has eight of what it needs.
    #[inline]
    pub fn run_in_fours<K: WithSimd>(self, kernel: K) -> K::Output {
        #[cfg(target_arch = "x86_64")]
        if let (true, Some(avx2)) = (!matches!(self.arch, pulp::Arch::Scalar), pulp::x86::V3::try_new()) {
            return Simd::vectorize(avx2, kernel);
        }
        pulp::Scalar::new().vectorize(kernel)
    }
}
