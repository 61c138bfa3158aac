//! Textual description of the constraint model, in the notation used in the guides to constraint
//! solvers.

use crate::{Propagation, Strategy};
use queens::{Board, Square};

/// Describes the variables, domains, constraints and search strategy, one per line.
pub(crate) fn model(board: &Board, strategy: Strategy) -> String {
    let n = board.n();
    let mut text = format!(
        "variables: xi for each column i from 0 to N - 1, N = {n}: the row of its queen, from 0 at the top\n\
         domains: 0 to N - 1"
    );
    for column in 0..n {
        let allowed = |row: &u32| board.allows(Square::new(column, *row));
        let rows: Vec<_> = (0..n).filter(allowed).map(|row| row.to_string()).collect();
        if rows.len() < n as usize {
            let domain = if rows.is_empty() { "none" } else { &rows.join(" ") };
            text += &format!(", x{column}: {domain}");
        }
    }
    let constraints = match strategy.propagation {
        Propagation::Bounds => "all-different(xi), all-different(xi + i), all-different(xi - i)",
        _ => "xi != xj, xi + i != xj + j, xi - i != xj - j, for all i < j",
    };
    text + &format!("\nconstraints: {constraints}\nsearch: {strategy}\n")
}
