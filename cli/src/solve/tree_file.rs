//! The file that shows the search tree.

use std::path::PathBuf;

use super::LARGEST_EXPLORED;
use super::cuts;
use super::tree_html;
use super::tree_svg;
use queens::Board;
use queens::solve::tree::{MAX_DRAWN, Tree};

use crate::exit::Failure;
use crate::human::tell;

/// A file for the search tree, and how it shows it.
#[derive(Debug, Clone)]
pub(super) struct TreeFile {
    pub(super) path: PathBuf,
    /// Whether it shows the board at each node.
    has_states: bool,
    /// The text of the file for a tree with a title.
    show: fn(&Tree, &Board, &str) -> String,
}

impl TreeFile {
    /// What the name of the file says.
    pub(super) fn new(path: PathBuf) -> Result<Self, String> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let show: fn(&Tree, &Board, &str) -> String = match extension {
            Some("svg") => |tree, board, title| tree_svg(tree, board.n(), title),
            Some("html") => tree_html,
            _ => return Err("accepted: a file that ends in .html or .svg".to_owned()),
        };
        Ok(Self {
            has_states: extension == Some("html"),
            path,
            show,
        })
    }

    /// A tree that records what is to be shown.
    pub(super) fn tree(&self, board: &Board) -> Result<Tree, Failure> {
        let n = board.n();
        if self.has_states && n > LARGEST_EXPLORED {
            let reason = format!(
                "a page cannot show a tree of boards of N = {n} (accepted: 0 to {LARGEST_EXPLORED}, or .svg)"
            );
            return Err(Failure::usage("--tree", reason));
        }
        let new = if self.has_states {
            Tree::with_states
        } else {
            Tree::new
        };
        Ok(new(MAX_DRAWN))
    }

    /// The text of the file. What it lacks is said on standard error too.
    pub(super) fn text(&self, tree: &Tree, board: &Board, title: &str) -> String {
        let cuts = cuts(tree);
        if !cuts.is_empty() {
            tell(format_args!("--tree: {}: {cuts}", self.path.display()));
        }
        (self.show)(tree, board, title)
    }
}
