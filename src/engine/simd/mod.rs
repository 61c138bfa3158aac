//! The vector operations that the kernels need, one file per instruction set, and the one way to run code with them.
//!
//! An algorithm is a [`Task`], written once, generic over an [`InstructionSet`], in `#[inline(always)]` functions.
//! [`with_words`] or [`with_blocks`] looks up a kernel's instruction set and [calls](InstructionSet::call) the task inside
//! the one small function of that set that carries `#[target_feature]`, so that every operation here becomes one
//! instruction of the task's loops. A value of an instruction set is a proof that the CPU has it: only detection makes one.
//!
//! A closure is a function of its own and does not inherit target features. Where the compiler does not inline it before
//! it looks at the features, every vector operation inside becomes a call, at ten to twenty times the cost: loops over
//! vectors are written out, and vectors are handed to nothing that takes a closure.
//!
//! | file | instruction set | words | for |
//! | --- | --- | --- | --- |
//! | [`portable`] | `Arrays<1>` | 1 | any CPU; the same algorithm, a state at a time |
//! | [`portable`] | `Arrays<4>`, `Arrays<8>` | 4, 8 | any CPU; written for the compiler to vectorise, to one or two SSE2 or NEON registers |
//! | `neon` | `Neon` | 4 | 64-bit ARM |
//! | `avx2` | `Avx2`, `Avx2Undealt` | 8 | x86-64 with AVX2, BMI and POPCNT |
//! | `avx512` | `Avx512F` | 16 | x86-64 with AVX-512 F, for words alone |
//! | `avx512` | `Avx512` | 16 | x86-64 with what blocks need besides (Ice Lake, Zen 4 and later) |

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

pub(crate) use traits::{Aligned, BitSum, Bits512, InstructionSet, LaneMask, Row, Task, U32s};

use crate::engine::choice::Kernel;

/// Runs a task that uses words with a kernel's instruction set, or says that the CPU lacks it.
pub(crate) fn with_words<T: Task>(kernel: Kernel, task: T) -> Option<T::Output> {
    match kernel {
        Kernel::Scalar => Some(portable::Arrays::<1>.call(task)),
        Kernel::Portable => Some(portable::Arrays::<4>.call(task)),
        #[cfg(target_arch = "aarch64")]
        Kernel::Neon => Some(neon::Neon.call(task)),
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 => Some(avx2::Avx2::detect()?.call(task)),
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512 => Some(avx512::Avx512F::detect()?.call(task)),
        _ => None,
    }
}

/// Runs a task that uses blocks of 512 bits with a kernel's instruction set, or says that the CPU lacks it.
pub(crate) fn with_blocks<T: Task>(kernel: Kernel, task: T) -> Option<T::Output> {
    match kernel {
        Kernel::Portable => Some(portable::Arrays::<8>.call(task)),
        #[cfg(target_arch = "aarch64")]
        Kernel::Neon => Some(neon::Neon.call(task)),
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 => {
            let isa = avx2::Avx2::detect()?;
            match *avx2::DEALS_SLOWLY {
                true => Some(avx2::Avx2Undealt::detect()?.call(task)),
                false => Some(isa.call(task)),
            }
        }
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512 => Some(avx512::Avx512::detect()?.call(task)),
        _ => None,
    }
}

/// Runs a task that uses blocks as on a CPU with AVX2 that deals out bits slowly.
#[cfg(all(test, target_arch = "x86_64"))]
pub(crate) fn with_undealt_blocks<T: Task>(task: T) -> Option<T::Output> {
    Some(avx2::Avx2Undealt::detect()?.call(task))
}

/// Does nothing: whether it can be run says whether the CPU has an instruction set.
pub(crate) struct Nothing;

impl Task for Nothing {
    type Output = ();

    #[inline(always)]
    fn run<I: InstructionSet>(self, _: I) {}
}
