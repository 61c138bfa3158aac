//! The strategies by name.

use strum::{Display, EnumString, VariantArray, VariantNames};

/// How a search picks the next column and row.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, VariantArray, VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum Strategy {
    /// Columns from left to right, rows from the top, attacks looked up in three tables: the textbook's program. A node
    /// fails when no row of the next column is free.
    Backtrack,
    /// The column with the fewest free rows, the leftmost of these, and its middle free row first, after forward
    /// checking: as the n-queens scripts of Alice ML and Gecode do. Most large boards take hardly a failure; in some it
    /// loses its way, N = 78 being the first.
    FirstFail,
    /// The leftmost open column and its lowest row, with the same forward checking: the order of the original constraint
    /// solver of OR-Tools in its example, whose stronger propagation fails earlier and counts both sides of a choice as
    /// branches, so that its figures differ.
    FirstUnbound,
}

impl Strategy {
    /// Whether it meets solutions in lexicographic order.
    #[must_use]
    pub fn is_lexicographic(self) -> bool {
        match self {
            Self::Backtrack | Self::FirstUnbound => true,
            Self::FirstFail => false,
        }
    }
}
