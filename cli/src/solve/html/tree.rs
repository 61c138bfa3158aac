//! A page that explores a search tree.

use serde_json::{Value, json};

use super::super::tree::cut;
use super::{board_data, page};
use crate::human::plural;
use queens::solve::tree::{Kind, Node, Tree};
use queens::solve::{Cause, Lines};
use queens::{Board, Square};

/// The largest board on a page that explores a tree: each node has the squares that went there.
pub const LARGEST_EXPLORED: u32 = 64;

/// A page on which the tree of a search on this board can be folded, unfolded and walked through, with the state of
/// each node as a board. The tree must have been recorded [with its states](Tree::with_states).
#[must_use]
pub fn tree_html(tree: &Tree, board: &Board, title: &str) -> String {
    let n = board.n();
    let squares = (0..n).flat_map(|column| (0..n).map(move |row| Square::new(column, row)));
    let forbidden = squares.filter(|&square| !board.allows(square));
    let mut data = board_data(board);
    data["forbidden"] = json!(
        forbidden
            .map(|square| number(square, n))
            .collect::<Vec<_>>()
    );
    data["cut"] = json!(cuts(tree));
    data["nodes"] = tree.nodes().iter().map(|node| node_data(node, n)).collect();
    let (body, script) = (include_str!("tree.html"), include_str!("tree.js"));
    page(title, n, body, &data, script)
}

/// What a page or a drawing of this tree lacks, in words; empty if nothing. That failed subtrees are folded is a lack
/// only where they should be kept.
#[must_use]
pub fn cuts(tree: &Tree) -> String {
    let is_folded = |node: &&Node| matches!(node.kind, Kind::Folded { .. }) && node.state.is_some();
    let folded = tree.nodes().iter().filter(is_folded).count();
    let folded = (folded > 0).then(|| {
        let subtrees = plural(folded, "failed subtree");
        let were = if folded == 1 { "was" } else { "were" };
        format!("{subtrees} {were} left out to limit the page's size.")
    });
    let sentences: Vec<_> = cut(tree).into_iter().chain(folded).collect();
    sentences.join(" ")
}

/// A node as the page's script reads it.
fn node_data(node: &Node, n: u32) -> Value {
    let branch = node.branch.map(|branch| match branch.queen {
        _ if branch.split => json!(branch.name(n)),
        true => json!(number(branch.square, n)),
        false => json!(-1 - number(branch.square, n)),
    });
    let kind = match node.kind {
        Kind::Choice => "c",
        Kind::Unfinished => "o",
        Kind::Failure(_) => "f",
        Kind::Solution => "s",
        Kind::Folded { .. } => "x",
    };
    let mut removed = Vec::<Vec<i64>>::new();
    let state = node.state.as_deref();
    for removal in state.into_iter().flat_map(|state| &state.removed) {
        let (cause, square) = (cause(removal.cause, n), number(removal.square, n));
        match removed.last_mut() {
            Some(list) if list[0] == cause => list.push(square),
            _ => removed.push(vec![cause, square]),
        }
    }
    let placed = state.into_iter().flat_map(|state| &state.placed);
    let placed: Vec<_> = placed.map(|&queen| number(queen, n)).collect();
    let failure = state.and_then(|state| state.failure);
    let choice = state.and_then(|state| state.choice);
    let why = match (node.kind, failure, choice) {
        (Kind::Folded { failures }, ..) => json!(failures),
        (_, Some(failure), _) => json!(failure.to_string()),
        _ => json!(choice.map(|choice| number(choice, n))),
    };
    json!([node.parent, branch, kind, placed, removed, why])
}

fn number(square: Square, n: u32) -> i64 {
    i64::from(square.column) * i64::from(n) + i64::from(square.row)
}

/// A cause as a number: the square of the queen, or below zero what the script has words for.
fn cause(cause: Cause, n: u32) -> i64 {
    match cause {
        Cause::Queen(queen) => number(queen, n),
        Cause::Branch => -1,
        Cause::Tested => -2,
        Cause::AllDifferent(Lines::Rows) => -3,
        Cause::AllDifferent(Lines::Rising) => -4,
        Cause::AllDifferent(Lines::Falling) => -5,
    }
}
