//! The `--tree` output file.

use std::path::PathBuf;

use super::{LARGEST_EXPLORED, tree_html, tree_svg};
use queens::Board;
use queens::solve::tree::{MAX_DRAWN, Tree};

use crate::exit::Failure;
use crate::options::conversion;

/// Output file for the search tree, either an HTML page or an SVG drawing.
#[derive(Debug, Clone)]
pub(super) struct TreeFile {
    pub(super) path: PathBuf,
    is_page: bool,
}

impl TreeFile {
    /// Infers the file type from the extension of `path`. Does not create the file.
    pub(super) fn new(path: PathBuf) -> Result<Self, String> {
        let extension = path.extension().unwrap_or_default();
        let is_page = match extension.to_ascii_lowercase().to_str() {
            Some("html") => true,
            Some("svg") => false,
            _ => {
                let tip = conversion(&path);
                return Err(format!("accepted: a file that ends in .html or .svg{tip}"));
            }
        };
        Ok(Self { path, is_page })
    }

    /// Creates an empty tree that will record everything that the file shows.
    pub(super) fn empty_tree(&self, n: u32) -> Result<Tree, Failure> {
        match self.is_page {
            true if n > LARGEST_EXPLORED => {
                let reason = format!(
                    "an .html page cannot show boards of N = {n} (accepted: 0 to {LARGEST_EXPLORED}, or an .svg file)"
                );
                Err(Failure::usage("--tree", reason))
            }
            true => Ok(Tree::with_states(MAX_DRAWN)),
            false => Ok(Tree::new(MAX_DRAWN)),
        }
    }

    /// Returns the contents of the file.
    pub(super) fn text(&self, tree: &Tree, board: &Board, title: &str) -> String {
        match self.is_page {
            true => tree_html(tree, board, title),
            false => tree_svg(tree, board.n(), title),
        }
    }
}
