//! Where the CPU's features are stated, once for each instruction set, and how the operations of vectors are written.

/// Makes the type of an instruction set from the list of its CPU features: values are made by `detect`, if the CPU has
/// all of them, and `call` runs a task in a function that is compiled for all of them.
#[cfg(target_arch = "x86_64")]
macro_rules! instruction_set {
    ($(#[$doc:meta])* $name:ident, $words:ty, $bits:ty; $($feature:tt)+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name(());

        impl $name {
            /// The instruction set, if the CPU has it.
            pub(super) fn detect() -> Option<Self> {
                let has = $(is_x86_feature_detected!($feature))&&+;
                has.then_some(Self(()))
            }
        }

        // SAFETY: `detect` alone makes values.
        unsafe impl $crate::engine::simd::InstructionSet for $name {
            type Words = $words;
            type Bits = $bits;

            const DEPOSITS: bool = true;

            #[inline(always)]
            fn deposit(self, word: u64, from: u64, to: u64) -> u64 {
                // SAFETY: every instruction set of x86-64 asks for BMI2.
                unsafe { _pdep_u64(_pext_u64(word, from), to) }
            }

            #[inline(always)]
            fn call<T: $crate::engine::simd::Task, const WIDE: bool>(self, task: T) -> T::Output {
                $(#[target_feature(enable = $feature)])+
                fn with_features<T: $crate::engine::simd::Task, const WIDE: bool>(isa: $name, task: T) -> T::Output {
                    task.run::<_, WIDE>(isa)
                }
                // SAFETY: `detect` has seen every feature that the function is compiled for, or there were no `self`.
                unsafe { with_features::<T, WIDE>(self, task) }
            }
        }
    };
}

/// Writes methods that are `#[inline(always)]`.
macro_rules! inlined {
    ($(fn $name:ident($($argument:tt)*) -> $out:ty { $($body:tt)* })+) => {$(
        #[inline(always)]
        fn $name($($argument)*) -> $out { $($body)* }
    )+};
}

/// Writes methods of vectors, which are `#[inline(always)]`. Their bodies call only intrinsics without pointers, which
/// require nothing but that the CPU has them.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! by_proof {
    ($($(#[$doc:meta])* fn $name:ident($self:ident $(, $arg:ident: $type:ty)*) -> $out:ty { $($body:tt)* })+) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $name($self $(, $arg: $type)*) -> $out {
            // SAFETY: the vector proves that the CPU has its instructions: the first of a computation is made of an
            // `InstructionSet`, all others from one that is there.
            unsafe { $($body)* }
        }
    )+};
}

/// Writes `to_array` of a vector type with one field.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! to_array {
    ($array:ty) => {
        #[inline(always)]
        fn to_array(self) -> $array {
            // SAFETY: the vector and the array have the same size, which the compiler checks, and any bits are valid
            // integers.
            unsafe { std::mem::transmute(self.0) }
        }
    };
}

/// Writes functions that make vectors of an instruction set, which are `#[inline(always)]`. Their bodies call
/// intrinsics, and read nothing but their arguments.
macro_rules! made {
    ($made:ident: $(fn $name:ident($($arg:ident: $type:ty),*) -> $out:ty { $($body:tt)* })+) => {$(
        #[inline(always)]
        #[allow(unused_unsafe)]
        fn $name(_isa: impl InstructionSet<$made = Self>, $($arg: $type),*) -> $out {
            // SAFETY: a value of the instruction set proves that the CPU has the instructions of its vectors;
            // references can be read as a whole.
            unsafe { $($body)* }
        }
    )+};
}
