//! Boards that have been read, before validation.

use queens::{Placement, PlacementError, Square};

/// A board before validation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParsedBoard {
    /// Number of rows.
    pub n: u32,
    /// Queens.
    pub queens: Vec<Square>,
    /// Blocked squares.
    pub blocked: Vec<Square>,
    /// Number of the top row in a list, 0 or 1; `None` for a drawing and for JSON.
    pub first_row: Option<u32>,
    /// First line in which `*` stands for a queen.
    pub star_line: Option<usize>,
}

impl ParsedBoard {
    /// Returns the board with a queen in each column, in rows that are counted from `first_row`, or
    /// `None` if a row is not on the board.
    pub(super) fn in_rows(rows: &[u32], first_row: u32) -> Option<Self> {
        let n = rows.len() as u32;
        let queen = |(column, row): (u32, &u32)| {
            let row = row.checked_sub(first_row).filter(|row| *row < n)?;
            Some(Square::new(column, row))
        };
        let queens = (0..).zip(rows).map(queen).collect::<Option<_>>()?;
        Some(Self { n, queens, ..Self::default() })
    }

    /// Checks that the board is a solution.
    ///
    /// # Errors
    ///
    /// Returns the reason why it is not.
    pub fn check(&self) -> Result<(), String> {
        let n = self.n;
        let mut rows = vec![None; n as usize];
        for &queen in &self.queens {
            let other = rows[queen.column as usize].replace(queen.row);
            if let Some(left) = other.map(|row| Square::new(queen.column, row)) {
                let attack = PlacementError::Attack { left, right: queen, line: "column", n };
                return Err(attack.to_string());
            }
        }
        if let Some(column) = (0..n).find(|&column| rows[column as usize].is_none()) {
            let column = Square::new(column, 0).column_name();
            return Err(format!("column {column} has no queen"));
        }
        let placement = Placement::new(rows.into_iter().flatten().collect());
        let checked = placement.and_then(|placement| placement.check());
        checked.map_err(|error| error.to_string())
    }
}
