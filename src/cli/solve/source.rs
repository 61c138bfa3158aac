//! Where `queens solve` has its solutions from.

use std::time::Duration;

use crate::Placement;
use crate::report::human;
use crate::solve::tree::Tree;
use crate::solve::{Search, Strategy};

use super::super::output::tell;

/// Where solutions come from.
pub(super) enum Source {
    /// Written down or enumerated, in lexicographic order; and which of the two, as words.
    Listed(&'static str, Box<dyn Iterator<Item = Placement>>),
    Searched(Searched),
}

/// A search, and the tree that it records.
pub(super) struct Searched {
    pub(super) search: Search,
    pub(super) strategy: Strategy,
    pub(super) tree: Option<Tree>,
}

impl Iterator for Source {
    type Item = Placement;

    fn next(&mut self) -> Option<Placement> {
        match self {
            Self::Listed(_, solutions) => solutions.next(),
            Self::Searched(Searched { search, tree, .. }) => match tree {
                Some(tree) => tree.next_solution(search),
                None => search.next(),
            },
        }
    }
}

impl Source {
    /// Which solutions come first, as words that follow "solution 1".
    pub(super) fn how(&self) -> String {
        match self {
            Self::Listed(how, _) => (*how).to_owned(),
            Self::Searched(searched) => format!("of strategy {}", searched.strategy),
        }
    }

    /// The search, if there is one.
    pub(super) fn searched(&self) -> Option<&Searched> {
        match self {
            Self::Searched(searched) => Some(searched),
            Self::Listed(..) => None,
        }
    }
}

impl Searched {
    /// What a constraint solver prints at its end.
    pub(super) fn print_statistics(&self, elapsed: Duration) {
        let [branches, failures, solutions] = self.figures();
        for (name, value) in [
            ("strategy", self.strategy.to_string()),
            ("branches", branches),
            ("failures", failures),
            ("wall time", human::seconds(elapsed.as_secs_f64())),
            ("solutions found", solutions),
        ] {
            tell(format_args!("{:<16} {value}", format!("{name}:")));
        }
    }

    /// Branches, failures and solutions.
    pub(super) fn figures(&self) -> [String; 3] {
        let found = self.search.statistics();
        [found.branches, found.failures, found.solutions].map(|x| human::integer(x.into()))
    }
}
