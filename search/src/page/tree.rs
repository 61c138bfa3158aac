//! Interactive page for exploring a search tree.

use super::{board_data, integer, numbers, page};
use crate::Cause;
use crate::tree::{Kind, Node, Tree};
use queens::{Board, Square};

/// Largest board size for the page of a search tree, which lists the squares removed at each node.
pub const LARGEST_EXPLORED: u32 = 64;

/// Returns a page on which search trees on one board can be folded, unfolded and stepped through
/// together. It shows one or two trees, each with its title and its board.
#[must_use]
pub fn tree_html(trees: &[Tree], titles: &[String], board: &Board, title: &str) -> String {
    let titled = trees.iter().zip(titles);
    let data = titled.map(|(tree, title)| format!("[{title:?},{}]", tree_data(tree, board)));
    let data = format!("[{}]", data.collect::<Vec<_>>().join(","));
    let (body, script) = (include_str!("tree.html"), include_str!("tree.js"));
    page(title, ["", body, &data, script])
}

/// Returns what the script of the page reads: the board, the nodes, and what is missing, as
/// JSON.
#[must_use]
pub fn tree_data(tree: &Tree, board: &Board) -> String {
    let n = board.n();
    let squares = (0..n).flat_map(|column| (0..n).map(move |row| Square::new(column, row)));
    let forbidden = squares.filter(|&square| !board.allows(square));
    let forbidden: Vec<_> = forbidden.map(|square| index(square, n)).collect();
    let nodes: Vec<_> = tree.nodes().iter().map(|node| node_data(node, n)).collect();
    let (board, cut, nodes) = (board_data(board), omissions(tree), nodes.join(","));
    format!(r#"{{{board},"forbidden":{},"cut":{cut:?},"nodes":[{nodes}]}}"#, numbers(&forbidden))
}

/// Returns a sentence about the nodes that are missing from a page, or an empty string.
#[must_use]
pub fn omissions(tree: &Tree) -> String {
    let folded = tree.nodes().iter().map(|node| match node.kind {
        // A failed subtree is a binary tree whose leaves are its failures.
        Kind::Folded { failures } => 2 * failures - 2,
        _ => 0,
    });
    let shown = tree.nodes().len();
    match tree.left_out() + folded.sum::<u64>() {
        0 => String::new(),
        missing => {
            let [shown, missing] = [shown as u128, missing.into()].map(integer);
            format!("Cut at {shown} nodes: {missing} more are left out.")
        }
    }
}

/// Converts a node to the form that the script reads.
fn node_data(node: &Node, n: u32) -> String {
    let number =
        |number: Option<i64>| number.map_or("null".to_owned(), |number| number.to_string());
    let branch = node.branch.map(|branch| match branch.queen {
        true => index(branch.square, n),
        false => -1 - index(branch.square, n),
    });
    let (kind, detail) = match node.kind {
        Kind::Choice | Kind::Unfinished => {
            ('c', number(node.choice.map(|square| index(square, n))))
        }
        Kind::Failure(failure) => ('f', format!("{:?}", failure.to_string())),
        Kind::Solution => ('s', number(None)),
        Kind::Folded { failures } => ('x', failures.to_string()),
    };
    let mut removed = Vec::<Vec<i64>>::new();
    for removal in &node.removed {
        let (cause, square) = (cause_code(removal.cause, n), index(removal.square, n));
        match removed.last_mut() {
            Some(list) if list[0] == cause => list.push(square),
            _ => removed.push(vec![cause, square]),
        }
    }
    let placed: Vec<_> = node.placed.iter().map(|&queen| index(queen, n)).collect();
    let [parent, branch] = [node.parent.map(|parent| parent as i64), branch].map(number);
    format!(r#"[{parent},{branch},"{kind}",{},{},{detail}]"#, numbers(&placed), numbers(&removed))
}

fn index(square: Square, n: u32) -> i64 {
    i64::from(square.column) * i64::from(n) + i64::from(square.row)
}

/// Returns the index of the queen that attacks the square, or a negative code for any other cause.
fn cause_code(cause: Cause, n: u32) -> i64 {
    match cause {
        Cause::Queen(queen) => index(queen, n),
        Cause::Branch => -1,
        Cause::Tested => -2,
        Cause::AllDifferent(lines) => -3 - lines as i64,
    }
}
