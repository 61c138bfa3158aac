//! What one piece of work contributes.

use std::ops::AddAssign;

/// The contribution of a subproblem, or of a part of one, to the total: weights of symmetry are included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Solutions. Q(27) is 2.3e17, so a subproblem's contribution fits with room to spare; totals are `u128`.
    pub count: u64,
    /// Nodes of the search, where the kernel counts them (`reference` alone does); 0 otherwise.
    pub nodes: u64,
}

impl Tally {
    /// A number of solutions found by a kernel that does not count nodes.
    #[must_use]
    pub fn of(count: u64) -> Self {
        Self { count, nodes: 0 }
    }

    /// The same with some more nodes.
    ///
    /// # Panics
    ///
    /// If their number does not fit.
    #[must_use]
    pub fn with_nodes(mut self, nodes: u64) -> Self {
        self += Self { count: 0, nodes };
        self
    }

    /// The tally of `weight` such pieces.
    ///
    /// # Panics
    ///
    /// If that does not fit: better no number than a wrong one.
    #[must_use]
    pub fn times(self, weight: u64) -> Self {
        let times = |x: u64| x.checked_mul(weight).expect("a tally fits 64 bits");
        Self {
            count: times(self.count),
            nodes: times(self.nodes),
        }
    }
}

impl AddAssign for Tally {
    /// # Panics
    ///
    /// If the sum does not fit: better no number than a wrong one.
    fn add_assign(&mut self, other: Self) {
        let plus = |x: u64, y: u64| x.checked_add(y).expect("a tally fits 64 bits");
        self.count = plus(self.count, other.count);
        self.nodes = plus(self.nodes, other.nodes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "fits 64 bits")]
    fn an_overflow_is_never_a_number() {
        let mut tally = Tally::of(u64::MAX);
        tally += Tally::of(1);
    }

    #[test]
    #[should_panic(expected = "fits 64 bits")]
    fn nor_is_a_weight_too_many() {
        let _ = Tally::of(u64::MAX / 2 + 1).times(2);
    }
}
