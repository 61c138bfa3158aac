//! Where `queens solve` has its solutions from.

use std::time::Duration;

use crate::report::human;
use queens::Placement;
use queens::solve::tree::Tree;
use queens::solve::{Propagation, Search, Settings};

use crate::human::tell;

/// Where solutions come from.
pub(super) enum Source {
    /// Written down, enumerated or drawn at random; and which of these, as words.
    Listed(String, Box<dyn Iterator<Item = Placement>>),
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
            Self::Searched(searched) => match &mut searched.tree {
                Some(tree) => tree.next_solution(&mut searched.search),
                None => searched.search.next(),
            },
        }
    }
}

impl Source {
    /// Which solutions come first, as words that follow "solution 1".
    pub(super) fn how(&self) -> String {
        match self {
            Self::Listed(how, _) => how.clone(),
            Self::Searched(searched) => match searched.settings.strategy() {
                Some(strategy) => format!("of strategy {strategy}"),
                None => format!("with {}", searched.settings),
            },
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
    /// How it searches: by the name of a strategy, or part by part.
    pub(super) fn name(&self) -> String {
        let strategy = self.settings.strategy();
        strategy.map_or_else(
            || self.settings.to_string(),
            |strategy| strategy.to_string(),
        )
    }

    /// What a constraint solver prints at its end.
    pub(super) fn print_statistics(&self, elapsed: Duration) {
        let settings = self.settings;
        let strategy = settings.strategy().map(|strategy| format!("{strategy}: "));
        let strategy = format!("{}{settings}", strategy.unwrap_or_default());
        let [branches, failures, solutions] = self.figures();
        let tested = (settings.propagation == Propagation::None).then(|| self.tested());
        let time = human::duration(elapsed);
        for (name, value) in [
            ("strategy", Some(strategy)),
            ("branches", Some(branches)),
            ("failures", Some(failures)),
            ("squares tested", tested),
            ("wall time", Some(time)),
            ("solutions found", Some(solutions)),
        ] {
            if let Some(value) = value {
                tell(format_args!("{:<16} {value}", format!("{name}:")));
            }
        }
    }

    /// How many squares were tested, and how much look-up tables save there.
    fn tested(&self) -> String {
        let found = self.search.statistics();
        let each = found.looks as f64 / found.tests.max(1) as f64;
        let [tests, looks] = [found.tests, found.looks].map(|x| human::integer(x.into()));
        if self.settings.tables {
            format!("{tests}, by {looks} look-ups in tables, {each:.1} a square, never more than 3")
        } else {
            format!(
                "{tests}, by {looks} comparisons with earlier queens, {each:.1} a square; look-up tables take 3 at most"
            )
        }
    }

    /// Branches, failures and solutions.
    pub(super) fn figures(&self) -> [String; 3] {
        let found = self.search.statistics();
        [found.branches, found.failures, found.solutions].map(|x| human::integer(x.into()))
    }
}
