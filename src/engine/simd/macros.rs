//! Macros that define instruction sets and vector operations.

/// Defines an instruction set that consists of BMI2 and the given CPU features. `detect` returns a
/// value if the CPU has all of them, and `call` runs a task in a function compiled for them.
#[cfg(target_arch = "x86_64")]
macro_rules! instruction_set {
    ($(#[$doc:meta])* $name:ident, $words:ty, $bits:ty, has_fast_pext: $has_fast_pext:expr; $($feature:tt)+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name(());

        impl $name {
            /// Returns the instruction set, or `None` if the CPU does not support it.
            pub(super) fn detect() -> Option<Self> {
                let has = is_x86_feature_detected!("bmi2") $(&& is_x86_feature_detected!($feature))+;
                has.then_some(Self(()))
            }
        }

        // SAFETY: values are created only by `detect`, which tests for every feature.
        unsafe impl $crate::engine::simd::InstructionSet for $name {
            type Words = $words;
            type Bits = $bits;

            #[inline(always)]
            fn has_fast_pext(self) -> bool {
                $has_fast_pext
            }

            #[inline(always)]
            fn extract(self, word: u64, mask: u64) -> u64 {
                // SAFETY: `self` exists, so `detect` has found BMI2.
                unsafe { _pext_u64(word, mask) }
            }

            #[inline(always)]
            fn call<T: $crate::engine::simd::Task>(self, task: T) -> T::Output {
                #[target_feature(enable = "bmi2")]
                $(#[target_feature(enable = $feature)])+
                fn with_features<T: $crate::engine::simd::Task>(isa: $name, task: T) -> T::Output {
                    task.run(isa)
                }
                // SAFETY: `self` exists, so `detect` has found every feature that the function is
                // compiled for.
                unsafe { with_features(self, task) }
            }
        }
    };
}

/// Defines a function whose body runs as a [`Task`](super::Task). In the body, `I` is the
/// instruction set, the first parameter is its value, and `W` is a constant, which is 1 or 2.
macro_rules! task {
    (
        $(#[$doc:meta])*
        $vis:vis fn $name:ident($isa:ident, $($arg:ident: $type:ty),+) -> $out:ty,
        W = $words:expr => { $($body:tt)* }
    ) => {
        $(#[$doc])*
        $vis fn $name(isa: Isa, $($arg: $type),+) -> $out {
            #[allow(non_camel_case_types)]
            struct Arguments<const W: usize, $($arg),+> { $($arg: $arg),+ }

            impl<const W: usize> $crate::engine::simd::Task for Arguments<W, $($type),+> {
                type Output = $out;

                #[inline(always)]
                fn run<I: InstructionSet>(self, $isa: I) -> $out {
                    let Self { $($arg),+ } = self;
                    $($body)*
                }
            }
            match $words {
                1 => isa.run(Arguments::<1, $($type),+> { $($arg),+ }),
                _ => isa.run(Arguments::<2, $($type),+> { $($arg),+ }),
            }
        }
    };
}

pub(crate) use task;

/// Defines `#[inline(always)]` methods.
macro_rules! inlined {
    ($(fn $name:ident($($argument:tt)*) -> $out:ty { $($body:tt)* })+) => {$(
        #[inline(always)]
        fn $name($($argument)*) -> $out { $($body)* }
    )+};
}

/// Defines `#[inline(always)]` methods of vectors, whose first argument proves that the CPU has the
/// instructions: it is a vector, or the instruction set with these vectors. The bodies only call
/// intrinsics that take no pointers, which are then safe.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! safe_intrinsics {
    ($(
        $(#[$doc:meta])*
        fn $name:ident(
            $proof:ident $(: impl InstructionSet<$role:ident = Self>)?
            $(, $argument:ident: $type:ty)* $(,)?
        ) -> $out:ty { $($body:tt)* }
    )+) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $name(
            $proof $(: impl InstructionSet<$role = Self>)? $(, $argument: $type)*
        ) -> $out {
            // SAFETY: the first argument is a value of the instruction set, or a vector, which was
            // created from such a value or from other vectors. Both exist only on CPUs that have
            // the instructions.
            unsafe { $($body)* }
        }
    )+};
}
