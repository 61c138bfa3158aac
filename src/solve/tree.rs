//! The search tree of a strategy, recorded while it is walked, to be drawn afterwards.
//!
//! Subtrees that have been walked to their end without a solution are *folded* into one node that knows how many
//! failures it hides, as constraint programmers know it from Alice's Explorer and Gecode's Gist: what is left is the
//! way to the solutions and the size of the detours. A tree that is to be explored keeps failed subtrees, and what the
//! board is at each node, as long as it has room.

use super::search::{Branch, Failure, Removal, Search, Step};
use crate::board::{Placement, Square};

/// Nodes of a tree that is shown.
pub const MAX_DRAWN: usize = 20_000;

/// A search tree, as far as it has been walked and recorded.
///
/// ```
/// use queens::Board;
/// use queens::solve::{Limits, Search, Strategy, tree::{Kind, Tree}};
///
/// let mut search = Search::new(&Board::new(6)?, Strategy::FirstFail, Limits::default())?;
/// let mut tree = Tree::new(1000);
/// while tree.next_solution(&mut search).is_some() {}
/// let solutions = tree.nodes().iter().filter(|node| node.kind == Kind::Solution).count();
/// assert_eq!(solutions, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Tree {
    nodes: Vec<Node>,
    most: usize,
    /// A failed subtree is folded if there are more nodes than this when it is left.
    roomy: usize,
    has_states: bool,
    left_out: u64,
    /// The choices from the root to where the walk is.
    path: Vec<Walked>,
}

/// A choice whose subtree is being walked.
#[derive(Debug, Clone)]
struct Walked {
    /// Its place in the list; none if it was left out.
    node: Option<usize>,
    /// Failures in the subtree so far.
    failures: u64,
    /// Whether there is a solution in the subtree.
    has_solution: bool,
    /// How many nodes had been left out when the walk came there.
    left_out_before: u64,
}

/// What a node of the tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A choice with a solution below it, or whose subtree is kept though it has none, or the root.
    Choice,
    /// A choice whose subtree has not been walked to its end, and without a solution so far.
    Open,
    /// A node without a solution, known at once.
    Failure,
    /// A solution.
    Solution,
    /// A choice whose whole subtree has no solution; the subtree is left out.
    Folded {
        /// Failures in it.
        failures: u64,
    },
}

/// A node to draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The node above it, by its place in the list; none for the root.
    pub parent: Option<usize>,
    /// The branch to it; none for the root.
    pub branch: Option<Branch>,
    /// What it is.
    pub kind: Kind,
    /// What the board is there, in a tree that keeps that.
    pub state: Option<Box<State>>,
}

/// What the branch to a node changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The queens that propagation placed.
    pub placed: Vec<Square>,
    /// The squares that went, and why.
    pub removed: Vec<Removal>,
    /// Why it is a failure, if it is one.
    pub failure: Option<Failure>,
    /// The square that is to be branched on, if it is a choice.
    pub choice: Option<Square>,
}

impl Tree {
    /// An empty tree that holds `most` nodes, failed subtrees folded, and counts those beyond.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self {
            nodes: Vec::new(),
            most,
            roomy: 0,
            has_states: false,
            left_out: 0,
            path: Vec::new(),
        }
    }

    /// An empty tree of the same size that keeps the state of each node, and failed subtrees until three quarters of it
    /// are full: the rest is for the way to further solutions.
    #[must_use]
    pub fn with_states(most: usize) -> Self {
        Self {
            roomy: most - most / 4,
            has_states: true,
            ..Self::new(most)
        }
    }

    /// Walks on to the next solution and records the way.
    pub fn next_solution(&mut self, search: &mut Search) -> Option<Placement> {
        search.walk(|search, step| self.record(search, step))
    }

    /// The nodes to draw, each after the one above it and branches from left to right as they were walked.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Nodes that were walked and are neither in the list nor in a folded subtree of it.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Records one step of the walk.
    pub fn record(&mut self, search: &Search, step: &Step) {
        match *step {
            Step::Choice(branch) => {
                let is_root = self.path.is_empty();
                let kind = if is_root { Kind::Choice } else { Kind::Open };
                let walked = Walked {
                    left_out_before: self.left_out,
                    node: self.add(branch, kind, search, None),
                    failures: 0,
                    has_solution: false,
                };
                self.path.push(walked);
            }
            Step::Failure(branch, failure) => {
                self.add(branch, Kind::Failure, search, Some(failure));
                if let Some(above) = self.path.last_mut() {
                    above.failures += 1;
                }
            }
            Step::Solution(branch, _) => {
                self.add(branch, Kind::Solution, search, None);
                for walked in &mut self.path {
                    walked.has_solution = true;
                    if let Some(node) = walked.node {
                        self.nodes[node].kind = Kind::Choice;
                    }
                }
            }
            Step::Up => self.leave(),
            Step::Limit(_) | Step::End => {}
        }
    }

    /// Goes up from a choice whose subtree has been walked to its end, and folds it if there is no solution in it.
    fn leave(&mut self) {
        let Some(left) = self.path.pop() else {
            return;
        };
        let Some(above) = self.path.last_mut() else {
            return; // the root is never folded
        };
        above.failures += left.failures;
        let Some(node) = left.node.filter(|_| !left.has_solution) else {
            return;
        };
        if self.nodes.len() <= self.roomy {
            self.nodes[node].kind = Kind::Choice;
        } else {
            let failures = left.failures;
            self.nodes[node].kind = Kind::Folded { failures };
            // All that comes after it is below it.
            self.nodes.truncate(node + 1);
            self.left_out = left.left_out_before;
        }
    }

    fn add(
        &mut self,
        branch: Option<Branch>,
        kind: Kind,
        search: &Search,
        failure: Option<Failure>,
    ) -> Option<usize> {
        if self.nodes.len() >= self.most {
            self.left_out += 1;
            return None;
        }
        let parent = self.path.last().and_then(|above| above.node);
        let chosen = usize::from(branch.is_some_and(Branch::places_queen));
        let state = self.has_states.then(|| {
            Box::new(State {
                placed: search.new_queens()[chosen..].to_vec(),
                removed: search.removed().collect(),
                failure,
                choice: search.choice(),
            })
        });
        self.nodes.push(Node {
            parent,
            branch,
            kind,
            state,
        });
        Some(self.nodes.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::solve::{Limits, Strategy};
    use strum::VariantArray as _;

    fn search(n: u32, strategy: Strategy) -> Search {
        Search::new(&Board::new(n).unwrap(), strategy, Limits::default()).unwrap()
    }

    /// The whole tree of a search, of which at most `most` nodes are kept.
    fn whole(search: &mut Search, most: usize) -> Tree {
        let mut tree = Tree::new(most);
        while tree.next_solution(search).is_some() {}
        tree
    }

    /// Nothing is lost in folds: failures and solutions drawn or hidden are those that the search counted.
    #[test]
    fn folds_account_for_every_failure() {
        for strategy in Strategy::VARIANTS {
            for n in 0..=8 {
                let mut search = search(n, *strategy);
                let tree = whole(&mut search, usize::MAX);
                let (mut failures, mut solutions) = (0, 0);
                for (i, node) in tree.nodes().iter().enumerate() {
                    assert!(node.parent.is_none_or(|parent| parent < i));
                    assert_eq!(node.parent.is_none(), i == 0);
                    match node.kind {
                        Kind::Failure => failures += 1,
                        Kind::Solution => solutions += 1,
                        Kind::Folded { failures: hidden } => failures += hidden,
                        Kind::Choice => {}
                        Kind::Open => panic!("the whole tree was walked"),
                    }
                }
                let counted = search.statistics();
                assert_eq!((failures, solutions), (counted.failures, counted.solutions));
            }
        }
    }

    /// The textbook's four queens: the first corner leads nowhere, the second row to a solution.
    #[test]
    fn four_queens_by_hand() {
        let mut search = search(4, Strategy::Backtrack);
        let mut tree = Tree::new(100);
        assert!(tree.next_solution(&mut search).is_some());
        let kinds: Vec<_> = tree.nodes().iter().map(|node| node.kind).collect();
        let (choice, solution) = (Kind::Choice, Kind::Solution);
        // a4 fails four times: with b2 no row of column c is free; with b1 only c3, after which none of column d is,
        // nor any without c3; and with neither, none of column b. Then come: not a4, a3, b1, c4, and d2.
        let folded = Kind::Folded { failures: 4 };
        let way = [choice; 4];
        assert_eq!(kinds[..2], [choice, folded]);
        assert_eq!((&kinds[2..6], &kinds[6..]), (&way[..], &[solution][..]));
    }

    /// Whatever is kept or folded for want of room, nothing is lost.
    #[test]
    fn an_explored_tree_keeps_what_has_room() {
        for most in [1, 50, 200, 5_000] {
            let mut search = search(7, Strategy::FirstFail);
            let mut tree = Tree::with_states(most);
            while tree.next_solution(&mut search).is_some() {}
            assert!(
                tree.nodes().len() <= most && tree.nodes().iter().all(|node| node.state.is_some())
            );
            let all = tree.nodes().len() as u64 == search.statistics().branches + 1;
            assert_eq!(all, most == 5_000);
            let failures = tree.nodes().iter().map(|node| match node.kind {
                Kind::Failure => 1,
                Kind::Folded { failures } => failures,
                _ => 0,
            });
            let is_whole = failures.sum::<u64>() == search.statistics().failures;
            assert_eq!(is_whole, tree.left_out() == 0);
        }
    }

    /// Subtrees are folded while the search goes on, so that a detour of any length leaves room for the way on.
    #[test]
    fn detours_do_not_fill_the_tree() {
        let mut search = search(16, Strategy::Backtrack);
        let mut tree = Tree::new(200);
        assert!(tree.next_solution(&mut search).is_some());
        assert!(search.statistics().branches > 2_000);
        assert_eq!(tree.left_out(), 0);
        assert_eq!(tree.nodes().last().unwrap().kind, Kind::Solution);
    }
}
