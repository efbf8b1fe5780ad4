//! SIMD registers of the current processor.

use pulp::{Simd, WithSimd};

/// Registers of the processor: AVX-512, AVX2, or scalar. Default: the widest.
#[derive(Clone, Copy, Debug, Default)]
pub struct Registers {
    #[cfg(target_arch = "x86_64")]
    arch: pulp::Arch,
}

impl Registers {
    /// All kinds of registers of this processor, narrowest first.
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

    /// Runs `kernel` on these registers. A function without `#[inline(always)]` that the kernel calls may remain code
    /// for the baseline instruction set.
    #[inline]
    pub fn run<K: WithSimd>(self, kernel: K) -> K::Output {
        #[cfg(target_arch = "x86_64")]
        if !matches!(self.arch, pulp::Arch::Scalar) {
            return self.arch.dispatch(kernel);
        }
        pulp::Scalar::new().vectorize(kernel)
    }

    /// Runs `kernel` on four lanes if these registers are AVX2 or AVX-512, otherwise on one lane. The result is that of
    /// [`Self::run`]. For kernels that are rarely used (less compiled code) or seldom fill eight lanes.
    #[inline]
    pub fn run_in_fours<K: WithSimd>(self, kernel: K) -> K::Output {
        #[cfg(target_arch = "x86_64")]
        if let (true, Some(avx2)) = (!matches!(self.arch, pulp::Arch::Scalar), pulp::x86::V3::try_new()) {
            return Simd::vectorize(avx2, kernel);
        }
        pulp::Scalar::new().vectorize(kernel)
    }
}
