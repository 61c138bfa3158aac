//! The file that shows the search tree.

use std::path::PathBuf;

use crate::Board;
use crate::report::{LARGEST_EXPLORED, cuts, tree_dot, tree_html, tree_svg};
use crate::solve::tree::{MAX_DRAWN, Tree};

use super::super::exit::UsageError;
use super::super::output::tell;

/// A file for the search tree, and how it shows it.
#[derive(Debug, Clone)]
pub(super) struct TreeFile {
    pub(super) path: PathBuf,
    form: Form,
}

#[derive(Debug, Clone, Copy)]
enum Form {
    Svg,
    Dot,
    Html,
}

impl TreeFile {
    /// What the name of the file says.
    pub(super) fn new(path: PathBuf) -> Result<Self, String> {
        let form = match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => Form::Svg,
            Some("dot") => Form::Dot,
            Some("html") => Form::Html,
            _ => return Err("accepted: a file that ends in .html, .svg or .dot".to_owned()),
        };
        Ok(Self { path, form })
    }

    /// A tree that records what is to be shown.
    pub(super) fn tree(&self, board: &Board) -> Result<Tree, UsageError> {
        let n = board.n();
        match self.form {
            Form::Svg | Form::Dot => Ok(Tree::new(MAX_DRAWN)),
            Form::Html if n <= LARGEST_EXPLORED => Ok(Tree::with_states(MAX_DRAWN)),
            Form::Html => {
                let reason = format!(
                    "a page cannot show a tree of boards of N = {n} (accepted: 0 to {LARGEST_EXPLORED}, or .svg or .dot)"
                );
                Err(UsageError::new("--tree", reason))
            }
        }
    }

    /// The text of the file. What it lacks is said on standard error too.
    pub(super) fn text(&self, tree: &Tree, board: &Board, title: &str) -> String {
        let cuts = cuts(tree);
        if !cuts.is_empty() {
            tell(format_args!("--tree: {}: {cuts}", self.path.display()));
        }
        match self.form {
            Form::Svg => tree_svg(tree, board.n(), title),
            Form::Dot => tree_dot(tree, board.n(), title),
            Form::Html => tree_html(tree, board, title),
        }
    }
}
