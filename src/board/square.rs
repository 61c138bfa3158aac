//! Squares, their names, and the squares that a queen attacks.
//!
//! Two notations are accepted. *Algebraic* notation, as in chess, uses letters for columns from the
//! left (`a` to `z`, then `aa`, `ab` and so on) and numbers for rows from the bottom, starting
//! at 1. In *`column,row`* notation, both are zero-based numbers. Columns are counted from the left
//! and rows **from the top**, as everywhere in this crate. For N = 8, `c5` and `2,3` name the same
//! square.

use std::fmt;

use super::error::BoardError;

/// A square of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square {
    /// Zero-based column from the left.
    pub column: u32,
    /// Zero-based row from the top.
    pub row: u32,
}

impl Square {
    /// Creates a square from a zero-based column, counted from the left, and a zero-based row,
    /// counted from the top.
    #[must_use]
    pub fn new(column: u32, row: u32) -> Self {
        Self { column, row }
    }

    /// Parses the name of a square on a board of size `n`, such as `c5` or `2,3`.
    ///
    /// ```
    /// use queens::Square;
    /// assert_eq!(Square::parse("c5", 8)?, Square::new(2, 3));
    /// assert_eq!(Square::parse("2,3", 8)?, Square::new(2, 3));
    /// assert!(Square::parse("i1", 8).is_err());
    /// # Ok::<(), queens::BoardError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the text is in neither notation, or if the square is off the board.
    pub fn parse(text: &str, n: u32) -> Result<Self, BoardError> {
        let malformed = || BoardError::Malformed { text: text.into() };
        let (column, row) = if let Some((column, row)) = text.split_once(',') {
            (parse_digits(column.trim()), parse_digits(row.trim()))
        } else {
            let number = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            let letters = &text[..text.len() - number.len()];
            // For row 0 and rows beyond the top edge, the wrapped difference is at least `n`, which
            // is off the board.
            let row =
                parse_digits(number).map(|from_bottom| u64::from(n).wrapping_sub(from_bottom));
            (parse_column(letters), row)
        };
        let (column, row) = column.zip(row).ok_or_else(malformed)?;
        if column.max(row) >= u64::from(n) {
            return Err(Self::off_board(text, n));
        }
        Ok(Self::new(column as u32, row as u32))
    }

    /// Returns the error for a square off the board.
    pub(super) fn off_board(square: impl ToString, n: u32) -> BoardError {
        let accepted = match n.checked_sub(1) {
            None => "none, the board is empty".to_owned(),
            Some(last) => format!("a1 to {}", Self::new(last, 0).name(n)),
        };
        let square = square.to_string();
        BoardError::OffBoard { square, n, accepted }
    }

    /// Returns the algebraic name on a board of size `n`.
    ///
    /// ```
    /// assert_eq!(queens::Square::new(2, 3).name(8), "c5");
    /// assert_eq!(queens::Square::new(26, 0).name(30), "aa30");
    /// ```
    #[must_use]
    pub fn name(self, n: u32) -> String {
        let from_bottom = i64::from(n) - i64::from(self.row);
        format!("{}{from_bottom}", self.column_name())
    }

    /// Returns the letters of the column: a, b, ... z, aa, ab, ...
    #[must_use]
    pub fn column_name(self) -> String {
        let mut letters = String::new();
        let mut rest = u64::from(self.column) + 1;
        while rest > 0 {
            rest -= 1;
            letters.insert(0, char::from(b'a' + (rest % 26) as u8));
            rest /= 26;
        }
        letters
    }

    /// Whether queens on the two squares attack each other. A square does not attack itself.
    #[must_use]
    pub fn attacks(self, other: Self) -> bool {
        let columns = self.column.abs_diff(other.column);
        let rows = self.row.abs_diff(other.row);
        self != other && (columns == 0 || rows == 0 || columns == rows)
    }

    /// Returns the rows attacked in another column by a queen on this square: its own row and up to
    /// two on diagonals.
    #[must_use]
    pub fn rows_attacked_in(self, column: u32, n: u32) -> [Option<u32>; 3] {
        let distance = self.column.abs_diff(column);
        let above = self.row.checked_sub(distance);
        let below = Some(self.row + distance).filter(|&row| row < n);
        [Some(self.row), above, below]
    }
}

impl fmt::Display for Square {
    /// Writes the square as `column,row`, which does not depend on the size of the board.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.column, self.row)
    }
}

/// Parses a number that consists of digits only, without a sign or spaces.
fn parse_digits(text: &str) -> Option<u64> {
    let is_whole = !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    is_whole.then(|| text.parse().unwrap_or(u64::MAX)) // on overflow, off every board
}

/// Parses the letters of a column name. Saturates on overflow.
fn parse_column(letters: &str) -> Option<u64> {
    let mut column = 0_u64;
    for c in letters.bytes() {
        let digit = u64::from(c.to_ascii_lowercase() - b'a') + 1;
        column = column.saturating_mul(26).saturating_add(digit);
    }
    column.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("a1", 8, Square::new(0, 7))]
    #[case("C5", 8, Square::new(2, 3))]
    #[case("0,0", 8, Square::new(0, 0))]
    #[case("7, 2", 8, Square::new(7, 2))]
    #[case("aa1", 27, Square::new(26, 26))]
    #[case("ba60", 60, Square::new(52, 0))]
    fn names_are_parsed(#[case] text: &str, #[case] n: u32, #[case] square: Square) {
        for text in [text, &square.name(n), &square.to_string()] {
            assert_eq!(Square::parse(text, n), Ok(square));
        }
    }

    #[rstest]
    fn malformed_names_are_rejected(
        #[values("", "c", "5", "c-5", "c+5", "5c", "c5x", "1,", "1,2,3", "-1,2", "é5")] text: &str,
    ) {
        let text = text.to_owned();
        assert_eq!(Square::parse(&text, 8), Err(BoardError::Malformed { text }));
    }

    #[rstest]
    fn squares_off_the_board_are_rejected(
        #[values(
            "a0",
            "a9",
            "i1",
            "8,0",
            "0,8",
            "a99999999999999999999",
            "0,99999999999999999999",
            "zzzzzzzzzzzzzzzz1"
        )]
        text: &str,
    ) {
        let error = Square::parse(text, 8).unwrap_err();
        assert!(matches!(error, BoardError::OffBoard { .. }), "{error}");
        assert!(error.to_string().contains(text) && error.to_string().contains("a1 to h8"));
        assert!(Square::parse(text, 0).is_err());
    }

    fn all(n: u32) -> impl Iterator<Item = Square> {
        (0..n).flat_map(move |column| (0..n).map(move |row| Square::new(column, row)))
    }

    /// Compares attacks with their definition: the squares share a column, a row or a diagonal.
    #[rstest]
    fn attacks_match_the_lines(#[values(1, 2, 6, 7)] n: u32) {
        for a in all(n) {
            for b in all(n) {
                let share = a.column == b.column
                    || a.row == b.row
                    || a.column + a.row == b.column + b.row
                    || a.column + n - a.row == b.column + n - b.row;
                assert_eq!(a.attacks(b), a != b && share, "{a:?} {b:?}");
                if a.column != b.column {
                    let rows = a.rows_attacked_in(b.column, n);
                    assert_eq!(rows.contains(&Some(b.row)), share, "{a:?} {b:?}");
                }
            }
        }
    }
}
