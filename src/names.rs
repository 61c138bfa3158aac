//! Names of enum variants, which options, files and reports use.

use std::str::FromStr;

use thiserror::Error;

/// A type whose values have names.
pub trait Named: FromStr {
    /// All names, in the order in which help and errors list them.
    const NAMES: &'static [&'static str];
}

/// Error for a name that no value has.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is unknown")]
pub struct NameError(pub String);

/// Defines an enum whose variants have names: the constants `ALL` and [`Named::NAMES`], the method
/// `name`, `Display` and `FromStr`.
#[doc(hidden)]
#[macro_export]
macro_rules! named_enum {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$of_variant:meta])* $variant:ident = $text:literal,)+
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name { $($(#[$of_variant])* $variant,)+ }

        impl $name {
            /// All values.
            $vis const ALL: [Self; [$($text),+].len()] = [$(Self::$variant),+];

            /// Returns the name used in options and reports.
            #[must_use]
            $vis fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }

        impl $crate::names::Named for $name {
            const NAMES: &'static [&'static str] = &[$($text),+];
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::names::NameError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let found = Self::ALL.into_iter().find(|value| value.name() == text);
                found.ok_or_else(|| $crate::names::NameError(text.to_owned()))
            }
        }
    };
}
