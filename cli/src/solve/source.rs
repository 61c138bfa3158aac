//! Sources of the solutions of `queens solve`.

use std::time::Duration;

use queens::Placement;
use queens::solve::tree::Tree;
use queens::solve::{Limit, Propagation, Restarts, Search, Settings, Statistics, Variable};

use crate::human::{self, tell};

/// Source of solutions.
pub(super) enum Source {
    /// Constructed, enumerated or random solutions, with a description of the method.
    Listed(String, Box<dyn Iterator<Item = Placement>>),
    Restarts(&'static str, Box<Restarts>),
    Search(Box<TreeSearch>),
}

/// A search and the tree that it records, if requested.
pub(super) struct TreeSearch {
    pub(super) search: Search,
    pub(super) settings: Settings,
    pub(super) tree: Option<Tree>,
}

impl Iterator for Source {
    type Item = Placement;

    fn next(&mut self) -> Option<Placement> {
        match self {
            Self::Listed(_, solutions) => solutions.next(),
            Self::Restarts(_, restarts) => restarts.next(),
            Self::Search(search) => match &mut search.tree {
                Some(tree) => tree.next_solution(&mut search.search),
                None => search.search.next(),
            },
        }
    }
}

impl Source {
    /// Describes the method and order in words that follow "4 solutions".
    pub(super) fn how(&self) -> String {
        match self {
            Self::Listed(how, _) => how.clone(),
            Self::Restarts(how, _) => (*how).to_owned(),
            Self::Search(search) => format!("with {}", search.name()),
        }
    }

    /// Whether the first solution of a class comes before the others.
    pub(super) fn is_lexicographic(&self) -> bool {
        match self {
            Self::Listed(..) => true,
            Self::Restarts(..) => false,
            Self::Search(search) => search.settings.is_lexicographic(),
        }
    }

    /// Returns the limit that ended the search, if any.
    pub(super) fn limit(&self) -> Option<Limit> {
        match self {
            Self::Listed(..) => None,
            Self::Restarts(_, restarts) => restarts.limit(),
            Self::Search(search) => search.search.limit(),
        }
    }

    /// Names an option that may be faster, in words that follow a message.
    pub(super) fn advice(&self) -> &'static str {
        match self {
            Self::Restarts(..) => "",
            Self::Search(search) if search.settings.variable == Variable::Smallest => {
                "; --variable smallest --value random with some --seed may be faster"
            }
            Self::Listed(..) | Self::Search(_) => "; --strategy first-fail may be faster",
        }
    }

    /// Prints statistics on standard error, as constraint solvers do.
    pub(super) fn print_statistics(&self, written: u64, elapsed: Duration) {
        let line = |name: &str, value: String| {
            tell(format_args!("{:<16} {value}", format!("{name}:")));
        };
        let integer = |number: u64| human::integer(number.into());
        let found = match self {
            Self::Listed(..) => Statistics {
                solutions: written,
                ..Statistics::default()
            },
            Self::Restarts(_, restarts) => restarts.statistics(),
            Self::Search(search) => search.search.statistics(),
        };
        let settings = match self {
            Self::Search(search) => Some(search.settings),
            _ => None,
        };
        let strategy = settings.map_or_else(
            || self.how(),
            |settings| match settings.strategy() {
                Some(strategy) => format!("{strategy}: {settings}"),
                None => settings.to_string(),
            },
        );
        line("strategy", strategy);
        line("branches", integer(found.branches));
        line("failures", integer(found.failures));
        if let Some(settings) = settings
            && settings.propagation == Propagation::None
        {
            let each = found.lookups as f64 / found.tests.max(1) as f64;
            let [tests, lookups] = [found.tests, found.lookups].map(integer);
            let by = match settings.tables {
                true => format!("look-ups in tables, {each:.1} a square, never more than 3"),
                false => format!(
                    "comparisons with earlier queens, {each:.1} a square; look-up tables take 3 at most"
                ),
            };
            line("squares tested", format!("{tests}, by {lookups} {by}"));
        }
        line("wall time", human::duration(elapsed));
        line("solutions found", integer(found.solutions));
    }
}

impl TreeSearch {
    /// Returns the name of the strategy, or else the settings.
    pub(super) fn name(&self) -> String {
        let strategy = self.settings.strategy();
        strategy.map_or_else(|| self.settings.to_string(), |name| name.to_string())
    }

    /// Returns branches, failures and solutions.
    pub(super) fn figures(&self) -> String {
        let found = self.search.statistics();
        let [branches, failures, solutions] =
            [found.branches, found.failures, found.solutions].map(|x| human::integer(x.into()));
        format!("branches {branches}, failures {failures}, solutions {solutions}")
    }
}
