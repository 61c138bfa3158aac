//! Vector operations for the kernels, with one file per instruction set.
//!
//! Each vectorized loop is a [`Task`]. It is written once, in `#[inline(always)]` functions that
//! are generic over an [`InstructionSet`]. To run a task, [`Isa::run`] passes it to
//! [`InstructionSet::call`]. On x86-64, this runs the task inside a small function with
//! `#[target_feature]`, one for each instruction set. The whole task is inlined into that function,
//! so vector operations become plain instructions. The existence of a value proves that the CPU
//! supports the instruction set, because values are only created on such a CPU.
//!
//! A closure is a separate function and does not inherit target features. If the compiler does not
//! inline it early enough, every vector operation inside becomes a call, which is ten to twenty
//! times slower. This is why loops over vectors are written out, and vectors are not passed to
//! closures.
//!
//! | file | instruction set | lanes | used for |
//! | --- | --- | --- | --- |
//! | [`portable`] | `Arrays<1>` | 1 | any CPU, one state at a time |
//! | [`portable`] | `Arrays<4>` | 4 | any CPU; a vector takes one SSE2 or NEON register |
//! | `neon` | `Neon` | 4 | 64-bit ARM |
//! | `wasm` | `Wasm` | 4 | WebAssembly with 128-bit vectors, in place of `Arrays<4>` |
//! | `avx2` | `Avx2` | 8 | x86-64 with AVX2, BMI and POPCNT |
//! | `avx512` | `Avx512` | 16 | x86-64 with the extensions of Ice Lake, Zen 4 and later |

#[macro_use]
mod macros;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod carry_save;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
mod traits;
#[cfg(target_feature = "simd128")]
mod wasm;

pub(crate) use macros::task;
pub(crate) use traits::{
    Aligned, BitSum, Bits512, InstructionSet, LaneMask, Mask, Row, Task, U32s,
};

use crate::engine::choice::Kernel;

/// The instruction set of a kernel, which this CPU has. It is chosen once, before a count starts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Isa {
    /// No vectors and no tasks, for kernel `reference`.
    Reference,
    /// One state at a time, only in engine `bitboard`.
    Scalar(portable::Arrays<1>),
    #[cfg(not(target_feature = "simd128"))]
    Portable(portable::Arrays<4>),
    #[cfg(target_arch = "aarch64")]
    Neon(neon::Neon),
    #[cfg(target_feature = "simd128")]
    Wasm(wasm::Wasm),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
}

impl Isa {
    /// Returns the instruction set of a kernel, or `None` if this CPU does not have it.
    pub(crate) fn detect(kernel: Kernel) -> Option<Self> {
        match kernel {
            Kernel::Reference => Some(Self::Reference),
            Kernel::Scalar => Some(Self::Scalar(portable::Arrays)),
            #[cfg(not(target_feature = "simd128"))]
            Kernel::Portable => Some(Self::Portable(portable::Arrays)),
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => Some(Self::Neon(neon::Neon)),
            #[cfg(target_feature = "simd128")]
            Kernel::Wasm => Some(Self::Wasm(wasm::Wasm)),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => avx2::Avx2::detect().map(Self::Avx2),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => avx512::Avx512::detect().map(Self::Avx512),
            // Kernels of other targets are listed, so that the compiler reports a kernel without an
            // arm.
            #[cfg(target_feature = "simd128")]
            Kernel::Portable => None,
            #[cfg(not(target_arch = "aarch64"))]
            Kernel::Neon => None,
            #[cfg(not(target_feature = "simd128"))]
            Kernel::Wasm => None,
            #[cfg(not(target_arch = "x86_64"))]
            Kernel::Avx2 | Kernel::Avx512 => None,
        }
    }

    /// Runs a task with vectors. Engine `bitboard` itself calls the kernels without any, so that
    /// the loops of engine `join` are not compiled for them. Compiling them takes 5 of 31 CPU
    /// seconds.
    ///
    /// # Panics
    ///
    /// Panics if the kernel is `reference` or `scalar`.
    #[inline]
    pub(crate) fn run<T: Task>(self, task: T) -> T::Output {
        match self {
            Self::Reference | Self::Scalar(_) => unreachable!("this kernel has no vectors"),
            #[cfg(not(target_feature = "simd128"))]
            Self::Portable(isa) => isa.call(task),
            #[cfg(target_arch = "aarch64")]
            Self::Neon(isa) => isa.call(task),
            #[cfg(target_feature = "simd128")]
            Self::Wasm(isa) => isa.call(task),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(isa) => isa.call(task),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(isa) => isa.call(task),
        }
    }
}

/// Byte shuffles that pack the kept lanes, one for each mask.
#[cfg(any(target_arch = "aarch64", target_feature = "simd128"))]
static KEPT_BYTES: [Aligned<[u8; 16]>; 16] = kept_bytes();

#[cfg(any(target_arch = "aarch64", target_feature = "simd128"))]
const fn kept_bytes() -> [Aligned<[u8; 16]>; 16] {
    let mut table = [Aligned([0; 16]); 16];
    let mut mask = 0;
    while mask < 16 {
        let (mut byte, mut kept) = (0, 0);
        while byte < 16 {
            if mask >> (byte / 4) & 1 == 1 {
                table[mask].0[kept] = byte as u8;
                kept += 1;
            }
            byte += 1;
        }
        mask += 1;
    }
    table
}
