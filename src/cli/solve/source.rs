//! Where `queens solve` has its solutions from.

use std::time::Duration;

use crate::report::human;
use crate::solve::tree::Tree;
use crate::solve::{Limit, Search, Strategy};
use crate::{Placement, Solutions};

use super::super::output::tell;

/// Where solutions come from.
pub(super) enum Source {
    Constructed(Option<Placement>),
    Enumerated(Solutions),
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
            Self::Constructed(placement) => placement.take(),
            Self::Enumerated(solutions) => solutions.next(),
            Self::Searched(Searched { search, tree, .. }) => match tree {
                Some(tree) => tree.next_solution(search),
                None => search.next(),
            },
        }
    }
}

impl Source {
    /// Whether solutions come in lexicographic order.
    pub(super) fn is_in_order(&self) -> bool {
        match self {
            Self::Searched(searched) => searched.strategy.is_lexicographic(),
            Self::Constructed(_) | Self::Enumerated(_) => true,
        }
    }

    /// The limit that ended the search, if one did.
    pub(super) fn limit(&self) -> Option<Limit> {
        match self {
            Self::Searched(searched) => searched.search.limit(),
            Self::Constructed(_) | Self::Enumerated(_) => None,
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
