//! Options that say what is special about the board.

use clap::Args;
use queens::{Board, BoardError, Square};

use super::exit::Failure;

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
    pub(crate) fn board(&self, n: u32) -> Result<Board, Failure> {
        let new = if self.torus { Board::torus } else { Board::new };
        let mut board = new(n).map_err(|error| Failure::usage("N", error))?;
        let at = |option| move |error: BoardError| Failure::usage(option, error);
        for name in &self.queen {
            let queen = Square::parse(name, n).and_then(|queen| board.place(queen));
            queen.map_err(at("--queen"))?;
        }
        for name in &self.block {
            let square = Square::parse(name, n).and_then(|square| board.block(square));
            square.map_err(at("--block"))?;
        }
        Ok(board)
    }
}
