//! Where `queens solve` has its solutions from.

use std::time::Duration;

use crate::human;
use queens::Placement;
use queens::solve::tree::Tree;
use queens::solve::{Limit, Propagation, Restarts, Search, Settings, Statistics, Variable};

use crate::human::tell;

/// Where solutions come from.
pub(super) enum Source {
    /// Written down, enumerated or drawn at random; and which of these, as words.
    Listed(String, Box<dyn Iterator<Item = Placement>>),
    Restarts(&'static str, Box<Restarts>),
    Searched(Box<Searched>),
}

/// A search, and the tree that it records.
pub(super) struct Searched {
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
            Self::Searched(searched) => match &mut searched.tree {
                Some(tree) => tree.next_solution(&mut searched.search),
                None => searched.search.next(),
            },
        }
    }
}

impl Source {
    /// How the solutions are found and which come first, as words that follow "4 solutions".
    pub(super) fn how(&self) -> String {
        match self {
            Self::Listed(how, _) => how.clone(),
            Self::Restarts(how, _) => (*how).to_owned(),
            Self::Searched(searched) => format!("with {}", searched.name()),
        }
    }

    /// The search, if there is one.
    pub(super) fn searched(&self) -> Option<&Searched> {
        match self {
            Self::Searched(searched) => Some(searched),
            Self::Listed(..) | Self::Restarts(..) => None,
        }
    }

    /// Whether the first solution of a class comes before the others.
    pub(super) fn is_lexicographic(&self) -> bool {
        match self {
            Self::Listed(..) => true,
            Self::Restarts(..) => false,
            Self::Searched(searched) => searched.settings.is_lexicographic(),
        }
    }

    /// The limit that ended the search, if one did.
    pub(super) fn limit(&self) -> Option<Limit> {
        match self {
            Self::Listed(..) => None,
            Self::Restarts(_, restarts) => restarts.limit(),
            Self::Searched(searched) => searched.search.limit(),
        }
    }

    /// The option that may help where the search takes long.
    pub(super) fn advice(&self) -> &'static str {
        match self {
            Self::Restarts(..) => "",
            Self::Searched(searched) if searched.settings.variable == Variable::Smallest => {
                "; --variable smallest --value random with some --seed may be faster"
            }
            Self::Listed(..) | Self::Searched(_) => "; --strategy first-fail may be faster",
        }
    }

    /// Prints the statistics of a constraint solver: `written` solutions in a time.
    pub(super) fn print_statistics(&self, written: u64, elapsed: Duration) {
        let line = |name: &str, value: String| {
            tell(format_args!("{:<16} {value}", format!("{name}:")));
        };
        let (how, found) = match self {
            Self::Listed(how, _) => {
                let solutions = written;
                (
                    how.clone(),
                    Statistics {
                        solutions,
                        ..Statistics::default()
                    },
                )
            }
            Self::Restarts(_, restarts) => (self.how(), restarts.statistics()),
            Self::Searched(searched) => {
                let settings = searched.settings;
                let strategy = settings.strategy().map(|strategy| format!("{strategy}: "));
                (
                    strategy.unwrap_or_default() + &settings.to_string(),
                    searched.search.statistics(),
                )
            }
        };
        line("strategy", how);
        line("branches", human::integer(found.branches.into()));
        line("failures", human::integer(found.failures.into()));
        if let Some(Searched { settings, .. }) = self.searched()
            && settings.propagation == Propagation::None
        {
            let each = found.lookups as f64 / found.tests.max(1) as f64;
            let [tests, lookups] = [found.tests, found.lookups].map(|x| human::integer(x.into()));
            let by = match settings.tables {
                true => {
                    format!("{lookups} look-ups in tables, {each:.1} a square, never more than 3")
                }
                false => format!(
                    "{lookups} comparisons with earlier queens, {each:.1} a square; look-up tables take 3 at most"
                ),
            };
            line("squares tested", format!("{tests}, by {by}"));
        }
        line("wall time", human::duration(elapsed));
        line("solutions found", human::integer(found.solutions.into()));
    }
}

impl Searched {
    /// How it searches: by the name of a strategy, or part by part.
    pub(super) fn name(&self) -> String {
        let strategy = self.settings.strategy();
        strategy.map_or_else(
            || self.settings.to_string(),
            |strategy| strategy.to_string(),
        )
    }

    /// Branches, failures and solutions.
    pub(super) fn figures(&self) -> String {
        let found = self.search.statistics();
        let [branches, failures, solutions] =
            [found.branches, found.failures, found.solutions].map(|x| human::integer(x.into()));
        format!("branches {branches}, failures {failures}, solutions {solutions}")
    }
}
