//! Textual description of the constraint model, in the notation used in the guides to constraint
//! solvers.

use crate::{Propagation, Strategy};
use queens::{Board, Square};

/// Describes the variables, domains, constraints and search strategy, one per line.
pub(crate) fn model(board: &Board, strategy: Strategy) -> String {
    let n = board.n();
    let mut text =
        format!("variables: xi, the row of the queen in column i, counted from the top, N = {n}\n");
    text += "domains: all squares of the column";
    for column in 0..n {
        let squares = (0..n).map(|row| Square::new(column, row));
        let names: Vec<_> = squares.filter(|&s| board.allows(s)).map(|s| s.name(n)).collect();
        if names.len() < n as usize {
            let domain = if names.is_empty() { "none" } else { &names.join(" ") };
            text += &format!("; {}: {domain}", Square::new(column, 0).column_name());
        }
    }
    let constraints = match strategy.propagation {
        Propagation::Bounds => "all-different(xi), all-different(xi + i), all-different(xi - i)",
        _ => "xi != xj, xi + i != xj + j, xi - i != xj - j, for all i < j",
    };
    text + &format!("\nconstraints: {constraints}\nsearch: {strategy}\n")
}
