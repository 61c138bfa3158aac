//! The search tree of a strategy, recorded while it is walked, to be drawn afterwards.
//!
//! Subtrees that have been walked to their end without a solution are *folded* into one node that knows how many
//! failures it hides, as constraint programmers know it from Alice's Explorer and Gecode's Gist: what is left is the way
//! to the solutions and the size of the detours.

use super::{Search, Step};
use crate::square::Square;

/// A search tree, as far as it has been walked and recorded.
///
/// ```
/// use queens::Puzzle;
/// use queens::solve::{Limits, Search, Strategy, tree::{Kind, Tree}};
///
/// let mut search = Search::new(&Puzzle::new(6, false), Strategy::FirstFail, Limits::default())?;
/// let mut tree = Tree::new(1000);
/// while tree.next_solution(&mut search).is_some() {}
/// let solutions = tree.folded().iter().filter(|node| node.kind == Kind::Solution).count();
/// assert_eq!(solutions, 4);
/// # Ok::<(), queens::BoardError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Tree {
    nodes: Vec<Recorded>,
    most: usize,
    left_out: u64,
    /// The choices from the root to where the walk is; `None` for those that were left out.
    path: Vec<Option<usize>>,
}

#[derive(Debug, Clone)]
struct Recorded {
    parent: Option<usize>,
    queen: Option<Square>,
    kind: Kind,
    /// Whether its whole subtree has been walked and recorded.
    whole: bool,
}

/// What a node of the tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A choice with a solution below it, or the root.
    Choice,
    /// A choice whose subtree has not been walked or recorded to its end, and without a solution so far.
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
    /// The queen that the branch to it places; none for the root.
    pub queen: Option<Square>,
    /// What it is.
    pub kind: Kind,
}

impl Tree {
    /// An empty tree that records `most` nodes and counts those beyond.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self {
            nodes: Vec::new(),
            most,
            left_out: 0,
            path: Vec::new(),
        }
    }

    /// Walks on to the next solution and records the way.
    pub fn next_solution(&mut self, search: &mut Search) -> Option<super::Placement> {
        loop {
            let step = search.step();
            self.record(&step);
            match step {
                Step::Solution(_, placement) => return Some(placement),
                Step::End | Step::Limit(_) => return None,
                Step::Choice(_) | Step::Failure(_) | Step::Up => {}
            }
        }
    }

    /// Nodes that were walked but not recorded.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Records one step of the walk.
    pub fn record(&mut self, step: &Step) {
        match *step {
            Step::Choice(queen) => {
                let node = self.add(queen, Kind::Open, false);
                self.path.push(node);
            }
            Step::Failure(queen) => {
                self.add(queen, Kind::Failure, true);
            }
            Step::Solution(queen, _) => {
                self.add(queen, Kind::Solution, true);
            }
            Step::Up => {
                // What was left out below a node was left out after it, so a node is whole if nothing was by now.
                if let Some(node) = self.path.pop().flatten() {
                    self.nodes[node].whole = self.left_out == 0;
                }
            }
            Step::Limit(_) | Step::End => {}
        }
    }

    fn add(&mut self, queen: Option<Square>, kind: Kind, whole: bool) -> Option<usize> {
        if self.nodes.len() >= self.most {
            self.left_out += 1;
            return None;
        }
        let parent = self.path.last().copied().flatten();
        self.nodes.push(Recorded {
            parent,
            queen,
            kind,
            whole,
        });
        Some(self.nodes.len() - 1)
    }

    /// The nodes to draw, each after the one above it and branches from left to right as they were walked.
    #[must_use]
    pub fn folded(&self) -> Vec<Node> {
        let below = self.leaves_below();
        let mut drawn: Vec<Node> = Vec::new();
        // The place of each recorded node among those drawn; none if it is hidden in a fold.
        let mut places: Vec<Option<usize>> = Vec::with_capacity(self.nodes.len());
        for (node, &(failures, solutions)) in self.nodes.iter().zip(&below) {
            let parent = node.parent.map(|parent| places[parent]);
            let hidden_by_parent = match parent {
                None => false,
                Some(None) => true,
                Some(Some(parent)) => matches!(drawn[parent].kind, Kind::Folded { .. }),
            };
            if hidden_by_parent {
                places.push(None);
                continue;
            }
            let kind = match node.kind {
                Kind::Open if solutions > 0 || node.parent.is_none() => Kind::Choice,
                Kind::Open if node.whole => Kind::Folded { failures },
                kind => kind,
            };
            places.push(Some(drawn.len()));
            let (parent, queen) = (parent.flatten(), node.queen);
            drawn.push(Node {
                parent,
                queen,
                kind,
            });
        }
        drawn
    }

    /// Failures and solutions in the subtree of each node, itself included.
    fn leaves_below(&self) -> Vec<(u64, u64)> {
        let leaf = |node: &Recorded| {
            let is = |kind| u64::from(node.kind == kind);
            (is(Kind::Failure), is(Kind::Solution))
        };
        let mut below: Vec<_> = self.nodes.iter().map(leaf).collect();
        for (index, node) in self.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                let (failures, solutions) = below[index];
                below[parent].0 += failures;
                below[parent].1 += solutions;
            }
        }
        below
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Puzzle;
    use crate::solve::{Limits, Strategy};

    fn search(n: u32, strategy: Strategy) -> Search {
        Search::new(&Puzzle::new(n, false), strategy, Limits::default()).unwrap()
    }

    /// Nothing is lost in folds: failures and solutions drawn or hidden are those that the search counted.
    #[test]
    fn folds_account_for_every_failure() {
        for strategy in Strategy::ALL {
            for n in 0..=8 {
                let mut search = search(n, strategy);
                let mut tree = Tree::new(usize::MAX);
                while tree.next_solution(&mut search).is_some() {}
                let (mut failures, mut solutions) = (0, 0);
                for (i, node) in tree.folded().iter().enumerate() {
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
        let kinds: Vec<_> = tree.folded().iter().map(|node| node.kind).collect();
        let (choice, solution) = (Kind::Choice, Kind::Solution);
        // a4 fails twice: with b2 no row of column c is free, with b1 only c3, after which none of column d is.
        let folded = Kind::Folded { failures: 2 };
        assert_eq!(kinds, [choice, folded, choice, choice, choice, solution]);
    }

    #[test]
    fn what_is_beyond_the_limit_is_counted_and_nothing_is_folded_over_it() {
        let mut whole = search(6, Strategy::Backtrack);
        whole.by_ref().for_each(drop);
        let nodes = whole.statistics().branches + 1;
        let mut search = search(6, Strategy::Backtrack);
        let mut tree = Tree::new(20);
        while tree.next_solution(&mut search).is_some() {}
        assert_eq!(tree.left_out(), nodes - 20);
        assert!(tree.folded().iter().any(|node| node.kind == Kind::Open));
    }
}
