//! Sources of solutions for `queens solve`.

use std::time::Duration;

use queens::Placement;
use queens::solve::tree::Tree;
use queens::solve::{Limit, Propagation, Restarts, Search, Statistics, Variable};

use crate::human;
use crate::message::tell;

/// Source of solutions.
pub(super) enum Source {
    /// Constructed, enumerated or random solutions, with a description of the method.
    Listed(String, Box<dyn Iterator<Item = Placement>>),
    Restarts(&'static str, Box<Restarts>),
    /// A search and, if requested, the tree in which it is recorded.
    Search(Box<Search>, Option<Tree>),
}

impl Iterator for Source {
    type Item = Placement;

    fn next(&mut self) -> Option<Placement> {
        match self {
            Self::Listed(_, solutions) => solutions.next(),
            Self::Restarts(_, restarts) => restarts.next(),
            Self::Search(search, Some(tree)) => tree.next_solution(search),
            Self::Search(search, None) => search.next(),
        }
    }
}

impl Source {
    /// Describes the method and order of the solutions, in words that can follow "4 solutions".
    pub(super) fn how(&self) -> String {
        match self {
            Self::Listed(how, _) => how.clone(),
            Self::Restarts(how, _) => (*how).to_owned(),
            Self::Search(search, _) => format!("with {}", strategy(search)),
        }
    }

    /// Whether solutions can be assumed to come in lexicographic order.
    pub(super) fn is_lexicographic(&self) -> bool {
        match self {
            Self::Listed(..) => true,
            Self::Restarts(..) => false,
            Self::Search(search, _) => search.settings().is_lexicographic(),
        }
    }

    /// Returns the limit that ended the search, if any.
    pub(super) fn limit(&self) -> Option<Limit> {
        match self {
            Self::Listed(..) => None,
            Self::Restarts(_, restarts) => restarts.limit(),
            Self::Search(search, _) => search.limit(),
        }
    }

    /// Returns a suggestion, to append to a message, of an option that may be faster. It is empty
    /// if there is none.
    pub(super) fn advice(&self) -> &'static str {
        match self {
            Self::Restarts(..) => "",
            Self::Search(search, _) if search.settings().variable == Variable::Smallest => {
                "; --variable smallest --value random with some --seed may be faster"
            }
            Self::Listed(..) | Self::Search(..) => "; --strategy first-fail may be faster",
        }
    }

    /// Prints statistics to standard error, in the usual format of constraint solvers.
    pub(super) fn print_statistics(&self, written: u64, elapsed: Duration) {
        let line = |name: &str, value: String| {
            tell(format_args!("{:<16} {value}", format!("{name}:")));
        };
        let integer = |number: u64| human::integer(number.into());
        let (strategy, found, settings) = match self {
            Self::Listed(how, _) => {
                let found = Statistics { solutions: written, ..Statistics::default() };
                (how.clone(), found, None)
            }
            Self::Restarts(how, restarts) => ((*how).to_owned(), restarts.statistics(), None),
            Self::Search(search, _) => {
                let settings = search.settings();
                let strategy = match settings.strategy() {
                    Some(strategy) => format!("{strategy}: {settings}"),
                    None => settings.to_string(),
                };
                (strategy, search.statistics(), Some(settings))
            }
        };
        line("strategy", strategy);
        line("branches", integer(found.branches));
        line("failures", integer(found.failures));
        if let Some(settings) = settings
            && settings.propagation == Propagation::None
        {
            let each = found.lookups as f64 / found.tests.max(1) as f64;
            let [tests, lookups] = [found.tests, found.lookups].map(integer);
            let by = match settings.tables {
                true => format!("table look-ups, {each:.1} per square (at most 3)"),
                false => format!(
                    "comparisons with earlier queens, {each:.1} per square (at most 3 with look-up tables)"
                ),
            };
            line("squares tested", format!("{tests}, by {lookups} {by}"));
        }
        line("wall time", human::duration(elapsed));
        line("solutions found", integer(found.solutions));
    }
}

/// Returns the name of a search's strategy, or its settings if they match no named strategy.
pub(super) fn strategy(search: &Search) -> String {
    let settings = search.settings();
    let strategy = settings.strategy();
    strategy.map_or_else(|| settings.to_string(), |strategy| strategy.to_string())
}

/// Formats the numbers of branches, failures and solutions of a search.
pub(super) fn figures(search: &Search) -> String {
    let found = search.statistics();
    let [branches, failures, solutions] =
        [found.branches, found.failures, found.solutions].map(|x| human::integer(x.into()));
    format!("branches {branches}, failures {failures}, solutions {solutions}")
}
