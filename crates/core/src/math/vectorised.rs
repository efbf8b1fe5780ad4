//! Kernels compiled twice, for AVX2 and for the compilation target; the version is selected at run time.

use super::eight_lanes::{EightLanes, PortableLanes};

/// Runs the AVX2 and FMA version (x86-64-v3) of a kernel on processors with these instructions, otherwise the version
/// for the compilation target (baseline code). AVX-512 code was slower for kernels on four `f64` lanes.
#[derive(Clone, Copy, Debug)]
pub struct Vectorised {
    #[cfg(target_arch = "x86_64")]
    avx2: Option<pulp::x86::V3>,
}

/// A kernel for [`Vectorised::run`]. A function without `#[inline(always)]` that `call` uses may remain baseline code.
pub trait Kernel {
    /// Result of the kernel.
    type Output;
    /// Runs the kernel with the eight-lane operations of the processor.
    fn call(self, simd: impl EightLanes) -> Self::Output;
}

#[cfg(target_arch = "x86_64")]
struct Bridge<K> {
    kernel: K,
    avx2: pulp::x86::V3,
}

#[cfg(target_arch = "x86_64")]
impl<K: Kernel> pulp::NullaryFnOnce for Bridge<K> {
    type Output = K::Output;
    #[inline(always)]
    fn call(self) -> K::Output {
        self.kernel.call(self.avx2)
    }
}

impl Default for Vectorised {
    fn default() -> Self {
        Self::detect()
    }
}

impl Vectorised {
    /// Selects AVX2 code on processors with AVX2.
    pub fn detect() -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            avx2: pulp::x86::V3::try_new(),
        }
    }

    /// Selects baseline code on every processor.
    pub fn baseline() -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            avx2: None,
        }
    }

    /// Runs `kernel`.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = self.avx2 {
            return avx2.vectorize(Bridge { kernel, avx2 });
        }
        kernel.call(PortableLanes)
    }
}
