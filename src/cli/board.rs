//! Options that say what is special about the board.

use crate::{Board, BoardError, Square};
use clap::Args;

use super::exit::UsageError;

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Board")]
pub(crate) struct BoardOptions {
    /// A preplaced queen (may be repeated): c5, rows from 1 at the bottom, or column,row from 0,0 at the top left
    #[arg(long, value_name = "SQUARE", allow_hyphen_values = true)]
    queen: Vec<String>,

    /// A blocked square, on which no queen may stand (may be repeated), named in the same ways
    #[arg(long, value_name = "SQUARE", allow_hyphen_values = true)]
    block: Vec<String>,

    /// Diagonals wrap around the edges: the modular problem
    #[arg(long)]
    torus: bool,
}

impl BoardOptions {
    /// The board of this size.
    pub(crate) fn board(&self, n: u32) -> Result<Board, UsageError> {
        let new = if self.torus { Board::torus } else { Board::new };
        let mut board = new(n).map_err(|error| UsageError::new("N", error))?;
        for_each("--queen", &self.queen, n, |queen| board.place(queen))?;
        for_each("--block", &self.block, n, |square| board.block(square))?;
        Ok(board)
    }
}

/// Does something with each square that an option names.
fn for_each(
    option: &'static str,
    names: &[String],
    n: u32,
    mut action: impl FnMut(Square) -> Result<(), BoardError>,
) -> Result<(), UsageError> {
    for name in names {
        let square = Square::parse(name, n).map_err(|error| UsageError::new(option, error))?;
        action(square).map_err(|error| UsageError::new(option, error))?;
    }
    Ok(())
}
