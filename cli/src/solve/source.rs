//! Descriptions of the sources of solutions, and of the progress of a search.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use queens_search::{Limit, Propagation, Search, Source, Statistics};

use crate::exit::{Failure, Result};
use crate::human;
use crate::message::eprint_line;
use crate::progress::Line;

/// Describes the method and order of the solutions, in words that can follow "4 solutions".
pub(super) fn describe_method(source: &Source) -> String {
    let how = match source {
        Source::Constructed(_) => "by construction (Pauls 1874)",
        Source::Restarts(restarts) if restarts.complete_branches().is_some() => {
            "by random search with restarts, then first-fail"
        }
        Source::Restarts(_) => "by random search with restarts",
        Source::Random(seed, _) => return format!("at random, seed {seed}"),
        Source::Search(search) => return format!("with {}", strategy(search)),
        _ => "in lexicographic order",
    };
    how.to_owned()
}

/// Describes the branches of a search that has not ended, in words that can follow "after".
pub(super) fn how_far(source: &Source) -> Option<String> {
    let count = |branches: u64| {
        let es = if branches == 1 { "" } else { "es" };
        format!("{} branch{es}", human::integer(branches.into()))
    };
    let all = source.statistics().branches;
    match source {
        Source::Restarts(restarts) => Some(match restarts.complete_branches() {
            Some(complete) => {
                let random = count(all - complete);
                format!("{random} of random searches and {} of a complete one", count(complete))
            }
            None => format!("{} of random searches", count(all)),
        }),
        Source::Search(_) => Some(count(all)),
        _ => None,
    }
}

/// Shows the number of solutions and the elapsed time on a terminal until the line is dropped.
pub(super) fn search_progress(n: u32, found: &Arc<AtomicU64>) -> Line {
    let (found, started) = (found.clone(), Instant::now());
    Line::new(move || {
        let found = human::integer(found.load(Ordering::Relaxed).into());
        let elapsed = human::whole_seconds(started.elapsed().as_secs_f64());
        format!("N = {n}: {found} found, {elapsed}")
    })
}

/// Prints statistics to standard error, in the usual format of constraint solvers.
pub(super) fn print_statistics(source: &Source, written: u64, elapsed: Duration) {
    match source {
        Source::Search(search) => print_search(search, elapsed),
        _ => {
            let mut found = source.statistics();
            found.solutions = found.solutions.max(written); // not every method counts them
            print(&describe_method(source).replace("by ", ""), None, found, elapsed);
        }
    }
}

/// Prints the statistics of a search.
pub(super) fn print_search(search: &Search, elapsed: Duration) {
    let strategy = search.strategy();
    print(&strategy.described(), Some(strategy.propagation), search.statistics(), elapsed);
}

fn print(how: &str, by: Option<Propagation>, found: Statistics, elapsed: Duration) {
    let line = |name: &str, value: &str| {
        eprint_line(format_args!("{:<16} {value}", format!("{name}:")));
    };
    let integer = |number: u64| human::integer(number.into());
    line("strategy", how);
    line("branches", &integer(found.branches));
    line("failures", &integer(found.failures));
    if let Some(Propagation::None { by_loop }) = by {
        let [tests, lookups] = [found.tests, found.lookups].map(integer);
        let by = if by_loop { "comparisons with earlier queens" } else { "table look-ups" };
        line("squares tested", &format!("{tests}, by {lookups} {by}"));
    }
    line("wall time", &human::duration(elapsed));
    line("solutions found", &integer(found.solutions));
}

/// Returns the name of a search's strategy, or its choices if they have no name.
pub(super) fn strategy(search: &Search) -> String {
    let strategy = search.strategy();
    strategy.name().map_or_else(|| strategy.to_string(), str::to_owned)
}

/// Returns an error if a limit ended the search that is shown.
pub(super) fn stopped(search: &Search, shown: &str) -> Result<()> {
    let why = format!("stopped: the {shown} is not complete");
    match search.limit() {
        None => Ok(()),
        Some(Limit::Branches) => Err(Failure::new(format!("--max-branches: {why}"))),
        Some(_) => Err(Failure::interrupted(why)),
    }
}
