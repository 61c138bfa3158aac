//! Constraint model of a search, in the notation of solver guides.

use queens::solve::{Propagation, Settings};
use queens::{Board, Square};

/// Describes variables, domains and constraints, one per line.
pub(super) fn model(board: &Board, settings: Settings) -> String {
    let n = board.n();
    let last = n.saturating_sub(1);
    let mut text = format!(
        "variables: {n}, x0 to x{last}: xi is the row of the queen in column i, from 0 at the top\n\
         domains: 0..{last}\n"
    );
    for column in 0..n {
        let allowed = |row: &u32| board.allows(Square::new(column, *row));
        let rows: Vec<_> = (0..n).filter(allowed).collect();
        if rows.len() < n as usize {
            let runs = rows.chunk_by(|row, next| row + 1 == *next);
            let runs = runs.map(|run| match run {
                [row] => row.to_string(),
                run => format!("{}..{}", run[0], run[run.len() - 1]),
            });
            let domain = runs.collect::<Vec<_>>().join(", ");
            text += &format!("  x{column}: {domain}\n");
        }
    }
    let pairs = u64::from(n) * u64::from(last) / 2;
    let is_global = [Propagation::Bounds, Propagation::Domain].contains(&settings.propagation);
    text += &match is_global {
        true => "constraints: 3 all-different\n".to_owned(),
        false => format!(
            "constraints: {} disequalities, 3 x {pairs}, for all i < j\n",
            3 * pairs
        ),
    };
    for (lines, sign) in [
        ("rows", ""),
        ("rising diagonals", " + "),
        ("falling diagonals", " - "),
    ] {
        let term = |i: &str| match (sign, board.is_torus()) {
            ("", _) => format!("x{i}"),
            (_, true) => format!("(x{i}{sign}{i}) mod {n}"),
            (_, false) => format!("x{i}{sign}{i}"),
        };
        text += &match is_global {
            true => format!(
                "  {lines}: all-different({}, ..., {})\n",
                term("0"),
                term(&last.to_string())
            ),
            false => format!("  {lines}: {} != {}\n", term("i"), term("j")),
        };
    }
    text + &format!("search: {settings}\n")
}
