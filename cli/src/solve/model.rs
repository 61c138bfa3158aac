//! Textual description of the constraint model, in the notation used in the guides to constraint
//! solvers.

use queens::solve::{Propagation, Strategy};
use queens::{Board, Square};

/// Describes the variables, domains and constraints, and the search strategy, one per line.
pub(super) fn model(board: &Board, strategy: Strategy) -> String {
    let n = board.n();
    if n == 0 {
        return format!("variables: 0\nconstraints: 0\nsearch: {strategy}\n");
    }
    let last = n - 1;
    let variables = if n == 1 { "x0" } else { &format!("x0 to x{last}") };
    let range = |first: u32, last: u32| match first == last {
        true => first.to_string(),
        false => format!("{first}..{last}"),
    };
    let mut text = format!(
        "variables: {n}, {variables}: xi is the zero-based row, from the top, of the queen in column i\n\
         domains: {}\n",
        range(0, last)
    );
    for column in 0..n {
        let allowed = |row: &u32| board.allows(Square::new(column, *row));
        let rows: Vec<_> = (0..n).filter(allowed).collect();
        if rows.len() < n as usize {
            let runs = rows.chunk_by(|row, next| row + 1 == *next);
            let runs: Vec<_> = runs.map(|run| range(run[0], run[run.len() - 1])).collect();
            let domain = if runs.is_empty() { "none" } else { &runs.join(", ") };
            text += &format!("  x{column}: {domain}\n");
        }
    }
    let pairs = u64::from(n) * u64::from(last) / 2;
    let is_global = [Propagation::Bounds, Propagation::Domain].contains(&strategy.propagation);
    text += &match is_global {
        true => "constraints: 3 all-different\n".to_owned(),
        false => format!("constraints: {} disequalities, 3 x {pairs}, for all i < j\n", 3 * pairs),
    };
    for (lines, sign) in [("rows", ""), ("rising diagonals", " + "), ("falling diagonals", " - ")] {
        let term = |i: &str| match (sign, board.is_torus()) {
            ("", _) => format!("x{i}"),
            (_, true) => format!("(x{i}{sign}{i}) mod {n}"),
            (_, false) => format!("x{i}{sign}{i}"),
        };
        let last_term = term(&last.to_string());
        let terms = match n {
            1 => last_term,
            2 => format!("{}, {last_term}", term("0")),
            _ => format!("{}, ..., {last_term}", term("0")),
        };
        text += &match is_global {
            true => format!("  {lines}: all-different({terms})\n"),
            false => format!("  {lines}: {} != {}\n", term("i"), term("j")),
        };
    }
    text + &format!("search: {strategy}\n")
}
