//! The one place where the engine's code becomes that of an instruction set: at the loops that stream over lists.
//!
//! Each of them is a [`Loop`], written once, generic over instruction set and width of patterns, in `#[inline(always)]` functions.
//! All that calls them is ordinary code, compiled once: it holds a [`Loops`], which is chosen once for a board.

use crate::engine::choice::Kernel;
use crate::engine::simd::{Blocks, InstructionSet, Task};

/// A loop over lists of patterns.
pub(crate) trait Loop {
    /// What it results in.
    type Output;

    /// Does it. Patterns have more than 32 bits if `WIDE`.
    fn run<I: InstructionSet, const WIDE: bool>(self, isa: I) -> Self::Output;
}

/// The loops for an instruction set that the CPU has, and for patterns of one width.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loops {
    pub(crate) isa: Blocks,
    /// Whether patterns have more than 32 bits.
    pub(crate) wide: bool,
}

impl Loops {
    /// The loops of a kernel.
    ///
    /// # Panics
    ///
    /// If the CPU lacks its instructions.
    pub(crate) fn new(kernel: Kernel, wide: bool) -> Self {
        let isa = Blocks::detect(kernel).expect("the kernel was chosen for this CPU");
        Self { isa, wide }
    }

    /// Runs a loop.
    #[inline]
    pub(crate) fn run<L: Loop>(self, of: L) -> L::Output {
        if self.wide {
            self.isa.run(OfWidth::<L, true>(of))
        } else {
            self.isa.run(OfWidth::<L, false>(of))
        }
    }
}

/// A loop over patterns of one width.
struct OfWidth<L, const WIDE: bool>(L);

impl<L: Loop, const WIDE: bool> Task for OfWidth<L, WIDE> {
    type Output = L::Output;

    #[inline(always)]
    fn run<I: InstructionSet>(self, isa: I) -> L::Output {
        self.0.run::<I, WIDE>(isa)
    }
}
