//! Plain recursion, as everyone writes it: the yardstick that the other kernels are timed against, and the truth that
//! they are tested against. It alone counts the nodes of the search, and boards whose diagonals wrap around.

use super::position::{Position, Squares, wrap};
use crate::engine::tally::Tally;

/// Counts the ways to complete `position`, and the queens placed on the way, whether or not they led anywhere.
pub(super) fn count(squares: &Squares, position: Position) -> Tally {
    let columns = &squares.blocked[position.column as usize..squares.n as usize];
    let mut search = Search {
        n: squares.n,
        nodes: 0,
    };
    let descend = if squares.torus {
        Search::descend::<true>
    } else {
        Search::descend::<false>
    };
    let Position {
        rows,
        falling,
        rising,
        ..
    } = position;
    let count = descend(&mut search, columns, rows, falling, rising);
    let nodes = search.nodes;
    Tally { count, nodes }
}

struct Search {
    n: u32,
    nodes: u64,
}

impl Search {
    /// Fills `columns`, given by their blocked rows. The masks are separate words, so that they travel in registers.
    fn descend<const TORUS: bool>(
        &mut self,
        columns: &[u32],
        rows: u32,
        falling: u32,
        rising: u32,
    ) -> u64 {
        let Some((blocked, columns)) = columns.split_first() else {
            return 1;
        };
        let mut free = !(rows | falling | rising | blocked);
        let mut solutions = 0;
        while free != 0 {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            self.nodes += 1;
            let (falling, rising) = (falling | queen, rising | queen);
            let (falling, rising) = if TORUS {
                wrap(falling, rising, self.n)
            } else {
                (falling << 1, rising >> 1)
            };
            solutions += self.descend::<TORUS>(columns, rows | queen, falling, rising);
        }
        solutions
    }
}
