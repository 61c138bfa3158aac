//! Options of the board.

use clap::Args;
use queens::{Board, BoardError, Square};

use crate::exit::Failure;

#[derive(Debug, Clone, Args)]
pub(crate) struct BoardOptions {
    /// Place a queen first, such as c5 (may be repeated)
    ///
    /// Rows count from 1 at the bottom; or column,row from 0,0 at the top left.
    #[arg(long, value_name = "SQUARE", allow_hyphen_values = true)]
    queen: Vec<String>,

    /// Block a square, such as a8 (may be repeated)
    #[arg(long, value_name = "SQUARE", allow_hyphen_values = true)]
    block: Vec<String>,

    /// Let the diagonals wrap around the edges
    #[arg(long, hide_short_help = true)]
    torus: bool,
}

impl BoardOptions {
    /// Returns the board of this size.
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
