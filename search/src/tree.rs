//! Search trees that are recorded during a search, to be drawn later.
//!
//! Once a tree is nearly full, failed subtrees are *folded* into one node each, which contains the
//! number of its failures, as in Alice's Explorer and Gecode's Gist. The tree then shows the paths
//! to the solutions and the sizes of the failed subtrees beside them.

use super::search::{Branch, FailureCause, Removal, Search, Step};
use queens::board::{Placement, Square};

/// Maximum number of nodes in a tree for drawing.
pub const MAX_DRAWN: usize = 20_000;

/// Recorded part of a search tree.
///
/// ```
/// use queens::Board;
/// use queens_search::{Limits, Search, Strategy, tree::{Kind, Tree}};
///
/// let mut search = Search::new(&Board::new(6)?, Strategy::FIRST_FAIL, Limits::default())?;
/// let mut tree = Tree::new(1_000);
/// while tree.next_solution(&mut search).is_some() {}
/// let solutions = tree.nodes().iter().filter(|node| node.kind == Kind::Solution).count();
/// assert_eq!(solutions, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Tree {
    nodes: Vec<Node>,
    max_nodes: usize,
    left_out: u64,
    /// Choices from the root to the current node of the search.
    path: Vec<OpenChoice>,
}

/// A choice whose subtree has not been fully explored yet.
#[derive(Debug, Clone)]
struct OpenChoice {
    /// Index of the choice's node; `None` if the node was left out.
    node: Option<usize>,
    /// Failures in the subtree so far.
    failures: u64,
    /// Value of `left_out` when the choice was reached.
    left_out_before: u64,
}

/// Kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The root, a choice with a solution below it, or a choice whose failed subtree is kept.
    Choice,
    /// A choice with no solution so far, whose subtree has not been fully explored yet.
    Unfinished,
    /// A node found to have no solution.
    Failure(FailureCause),
    /// A solution.
    Solution,
    /// A choice without solutions, whose subtree is not recorded.
    Folded {
        /// Number of failures in the subtree.
        failures: u64,
    },
}

/// A recorded node.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Node {
    /// Index of the parent; `None` for the root.
    pub parent: Option<usize>,
    /// Branch from the parent; `None` for the root.
    pub branch: Option<Branch>,
    /// Kind of the node.
    pub kind: Kind,
    /// Queens placed by propagation along the branch.
    pub placed: Vec<Square>,
    /// Squares removed along the branch, with their causes.
    pub removed: Vec<Removal>,
    /// Square to branch on, if the node is a choice.
    pub choice: Option<Square>,
}

impl Tree {
    /// Creates an empty tree for up to `most` nodes. It keeps failed subtrees until it is three
    /// quarters full, and counts the nodes that are left out. The last quarter is reserved for the
    /// paths to further solutions.
    #[must_use]
    pub fn new(max_nodes: usize) -> Self {
        Self { nodes: Vec::new(), max_nodes, left_out: 0, path: Vec::new() }
    }

    /// Searches for the next solution and records the steps.
    pub fn next_solution(&mut self, search: &mut Search) -> Option<Placement> {
        search.walk(|search, step| self.record(search, step))
    }

    /// Returns the nodes in the order in which the search reached them. Each node comes after its
    /// parent.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the number of nodes that are neither recorded nor part of a folded subtree.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Records one step of a search.
    pub fn record(&mut self, search: &Search, step: &Step) {
        match *step {
            Step::Choice => {
                let kind = match search.branch() {
                    None => Kind::Choice,
                    Some(_) => Kind::Unfinished,
                };
                let choice = OpenChoice {
                    left_out_before: self.left_out,
                    node: self.add(kind, search),
                    failures: 0,
                };
                self.path.push(choice);
            }
            Step::Failure(failure) => {
                self.add(Kind::Failure(failure), search);
                if let Some(parent) = self.path.last_mut() {
                    parent.failures += 1;
                }
            }
            Step::Solution(_) => {
                self.add(Kind::Solution, search);
                for node in self.path.iter().filter_map(|choice| choice.node) {
                    self.nodes[node].kind = Kind::Choice;
                }
            }
            Step::Up => self.leave(),
            Step::Limit(_) | Step::End => {}
        }
    }

    /// Leaves a choice whose subtree is fully explored, and folds it if it has no solution.
    fn leave(&mut self) {
        let Some(left) = self.path.pop() else {
            return;
        };
        let Some(parent) = self.path.last_mut() else {
            return; // the root is never folded
        };
        parent.failures += left.failures;
        let has_no_solution = |&node: &usize| self.nodes[node].kind == Kind::Unfinished;
        let Some(node) = left.node.filter(has_no_solution) else {
            return;
        };
        if self.nodes.len() <= self.max_nodes - self.max_nodes / 4 {
            self.nodes[node].kind = Kind::Choice;
        } else {
            let failures = left.failures;
            self.nodes[node].kind = Kind::Folded { failures };
            self.nodes.truncate(node + 1); // the nodes after it are its subtree
            self.left_out = left.left_out_before;
        }
    }

    /// Adds a node below the last choice and returns its index, or leaves it out if the tree is
    /// full.
    fn add(&mut self, kind: Kind, search: &Search) -> Option<usize> {
        if self.nodes.len() >= self.max_nodes {
            self.left_out += 1;
            return None;
        }
        let parent = self.path.last().and_then(|parent| parent.node);
        let branch = search.branch();
        self.nodes.push(Node {
            parent,
            branch,
            kind,
            placed: search.propagated_queens().to_vec(),
            removed: search.removed().collect(),
            choice: search.choice(),
        });
        Some(self.nodes.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Strategy};
    use queens::board::Board;
    use std::collections::HashSet;

    fn search(n: u32, strategy: Strategy) -> Search {
        Search::new(&Board::new(n).unwrap(), strategy, Limits::default()).unwrap()
    }

    /// The textbook example of four queens: a queen in the corner leads to no solution, but a queen
    /// one row below does.
    #[test]
    fn four_queens_by_hand() {
        let mut search = search(4, Strategy::BACKTRACK);
        let mut tree = Tree::new(100);
        assert!(tree.next_solution(&mut search).is_some());
        let name = |node: &Node| match (node.branch, node.kind) {
            (branch, Kind::Failure(_)) => format!("{} fails", branch.unwrap().name(4)),
            (None, _) => "root".to_owned(),
            (Some(branch), _) => branch.name(4),
        };
        let names: Vec<_> = tree.nodes().iter().map(name).collect();
        let below_a4 = "a4, b2 fails, not b2, b1, c3 fails, not c3 fails, not b1 fails";
        assert_eq!(names.join(", "), format!("root, {below_a4}, not a4, a3, b1, c4, d2"));
        assert_eq!(tree.nodes().last().unwrap().kind, Kind::Solution);
    }

    #[test]
    fn removals_name_all_kinds_of_lines() {
        let mut search = search(8, "first,min,bounds".parse().unwrap());
        let mut tree = Tree::new(10_000);
        while tree.next_solution(&mut search).is_some() {}
        let removed = tree.nodes().iter().flat_map(|node| &node.removed);
        let names: HashSet<_> = removed.map(|removal| removal.cause.name(8)).collect();
        assert_eq!(names.iter().filter(|name| name.starts_with("all-different")).count(), 3);
    }

    /// Every node is recorded, left out, or in a folded subtree. Its leaves are failures, so it has
    /// one inner node less.
    #[test]
    fn a_tree_accounts_for_every_node() {
        let sizes = (0..=8).flat_map(|n| [1, 50, 200, 10_000].map(|max_nodes| (n, max_nodes)));
        for (n, max_nodes) in sizes {
            for strategy in Strategy::PRESETS {
                let mut search = search(n, strategy);
                let mut tree = Tree::new(max_nodes);
                while tree.next_solution(&mut search).is_some() {}
                let nodes = tree.nodes();
                assert!(nodes.len() <= max_nodes);
                for (i, node) in nodes.iter().enumerate() {
                    assert!(node.parent.map_or(i == 0, |parent| parent < i));
                }
                let folded = nodes.iter().map(|node| match node.kind {
                    Kind::Folded { failures } => 2 * failures - 2,
                    _ => 0,
                });
                let all = nodes.len() as u64 + tree.left_out() + folded.sum::<u64>();
                assert_eq!(all, search.statistics().branches + 1, "{n} {strategy} {max_nodes}");
            }
        }
    }

    /// Nothing is folded up to three quarters of the capacity.
    #[test]
    fn small_trees_are_whole() {
        for n in 4..=8 {
            let mut search = search(n, Strategy::BACKTRACK);
            search.by_ref().for_each(drop);
            let nodes = search.statistics().branches as usize + 1;
            let mut tree = Tree::new(4 * nodes / 3 + 1);
            let mut search = self::search(n, Strategy::BACKTRACK);
            while tree.next_solution(&mut search).is_some() {}
            assert_eq!(tree.nodes().len(), nodes);
        }
    }

    /// Subtrees are folded during the search, so a large failed subtree does not use up the
    /// capacity.
    #[test]
    fn failed_subtrees_do_not_fill_the_tree() {
        let mut search = search(16, Strategy::BACKTRACK);
        let mut tree = Tree::new(1_000);
        assert!(tree.next_solution(&mut search).is_some());
        assert!(search.statistics().branches > 10_000);
        assert_eq!(tree.left_out(), 0);
        assert_eq!(tree.nodes().last().unwrap().kind, Kind::Solution);
    }
}
