//! How many solutions are really different, by Burnside's lemma.
//!
//! From N = 2 on no reflection leaves a solution as it is ([`SymmetryClass`]), so by Burnside's lemma the solutions up to the
//! eight symmetries of the square are
//!
//! ```text
//! (Q(N) + H + 2 R) / 8,   H solutions unchanged by the half turn, R of these by the quarter turns too.
//! ```
//!
//! ```
//! use queens::Board;
//! use queens::{Classes, Symmetric};
//!
//! let threads = 2;
//! let symmetric = Symmetric::count(&Board::new(8)?, threads, &Default::default())?.unwrap();
//! let classes = Classes::new(8, 92, symmetric)?;
//! assert_eq!(classes.fundamental(), 12); // eleven of eight solutions, one of four
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use thiserror::Error;

use crate::board::SymmetryClass;

/// Solutions that turns leave unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symmetric {
    /// Those unchanged by the half turn, those unchanged by a quarter turn among them.
    pub half_turn: u64,
    /// Those unchanged by a quarter turn.
    pub quarter_turn: u64,
}

/// The solutions of one board sorted by their symmetry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Classes {
    /// Board size N.
    pub n: u32,
    /// All solutions.
    pub solutions: u128,
    /// Those that turns leave unchanged.
    pub symmetric: Symmetric,
}

/// Numbers that cannot be those of one board.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{} solutions for N = {}, {} unchanged by the half turn and {} by a quarter turn contradict each other: orbits of 8, 4 \
     and 2 do not add up to them, and nothing is reported",
    .0.solutions, .0.n, .0.symmetric.half_turn, .0.symmetric.quarter_turn
)]
pub struct Contradiction(pub Classes);

impl Classes {
    /// Sorts `solutions` solutions by symmetry, given those that turns leave unchanged.
    ///
    /// # Errors
    ///
    /// [`Contradiction`] if the solutions of some kind are not a multiple of the size of their orbits.
    pub fn new(n: u32, solutions: u128, symmetric: Symmetric) -> Result<Self, Contradiction> {
        let classes = Self {
            n,
            solutions,
            symmetric,
        };
        let half_turn = u128::from(symmetric.half_turn);
        let is_nested = symmetric.quarter_turn <= symmetric.half_turn && half_turn <= solutions;
        let is_whole = |(symmetry, solutions): (SymmetryClass, u128)| {
            solutions.is_multiple_of(symmetry.orbit_size().into())
        };
        match is_nested && classes.by_symmetry().into_iter().all(is_whole) {
            true => Ok(classes),
            false => Err(Contradiction(classes)),
        }
    }

    /// The solutions that have exactly this symmetry, for each that may occur on a board of this size.
    #[must_use]
    pub fn by_symmetry(&self) -> Vec<(SymmetryClass, u128)> {
        if self.n < 2 {
            return vec![(SymmetryClass::Full, self.solutions)];
        }
        let half_turn = u128::from(self.symmetric.half_turn);
        let quarter_turn = u128::from(self.symmetric.quarter_turn);
        vec![
            (SymmetryClass::None, self.solutions - half_turn),
            (SymmetryClass::HalfTurn, half_turn - quarter_turn),
            (SymmetryClass::QuarterTurn, quarter_turn),
        ]
    }

    /// Solutions up to the eight symmetries of the square.
    #[must_use]
    pub fn fundamental(&self) -> u128 {
        let by_symmetry = self.by_symmetry().into_iter();
        by_symmetry
            .map(|(symmetry, solutions)| solutions / u128::from(symmetry.orbit_size()))
            .sum()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn symmetric(half_turn: u64, quarter_turn: u64) -> Symmetric {
        Symmetric {
            half_turn,
            quarter_turn,
        }
    }

    #[test]
    fn numbers_that_contradict_each_other_are_refused() {
        let classes =
            |solutions, half, quarter| Classes::new(8, solutions, symmetric(half, quarter));
        assert!(classes(92, 4, 0).is_ok());
        for wrong in [0, 88, 90, 91, 93, 94, 96] {
            assert!(classes(wrong, 4, 0).is_err(), "{wrong}");
        }
        assert!(classes(90, 2, 4).is_err());
    }
}
