//! Descriptions of the sources of solutions, and of the progress of a search.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use queens::Board;
use queens_search::{Limits, Propagation, Search, Source, Variable};

use crate::human;
use crate::message::tell;
use crate::progress::Line;

/// Time without a solution after which the progress line suggests an option that may be faster.
const ADVISE_AFTER: Duration = Duration::from_secs(5);

/// Returns the name of a board for titles and errors, such as `N = 8, queen c5`.
pub(super) fn board_name(board: &Board) -> String {
    let n = board.n();
    match human::constraints(board) {
        Some(constraints) => format!("N = {n}, {constraints}"),
        None => format!("N = {n}"),
    }
}

/// Describes the method and order of the solutions, in words that can follow "4 solutions".
pub(super) fn how(source: &Source, board: &Board) -> String {
    let how = match source {
        Source::Constructed(_) => "by construction (Pauls 1874)",
        Source::Restarts(_) if board.has_constraints() => "by random search with restarts",
        Source::Restarts(_) => "by construction and by random search with restarts",
        Source::Random(seed, _) => return format!("at random, seed {seed}"),
        Source::Search(search) => return format!("with {}", strategy(search)),
        _ => "in lexicographic order",
    };
    how.to_owned()
}

/// Returns a suggestion, to append to a message, of an option that may be faster. It is empty if
/// there is none.
pub(super) fn advice(source: &Source) -> &'static str {
    match source {
        Source::Search(search) if search.strategy().variable == Variable::Smallest => {
            "; a search without --strategy restarts, and may be faster"
        }
        Source::Enumerated(_) | Source::Search(_) => "; --strategy first-fail may be faster",
        _ => "",
    }
}

/// Shows the numbers of solutions and branches and the elapsed time on a terminal until the bar is
/// dropped.
pub(super) fn search_progress(
    n: u32,
    found: &Arc<AtomicU64>,
    limits: &Limits,
    advice: &'static str,
) -> Line {
    let (found, branches) = (found.clone(), limits.branches_taken.clone());
    let started = Instant::now();
    Line::new(move || {
        let [found, branches] = [&found, &branches].map(|count| count.load(Ordering::Relaxed));
        let mut words = format!("N = {n}: {} found", human::integer(found.into()));
        if branches > 0 {
            words += &format!(", {} branches", human::integer(branches.into()));
        }
        let elapsed = started.elapsed();
        words += &format!(", {}", human::whole_seconds(elapsed.as_secs_f64()));
        if found == 0 && elapsed >= ADVISE_AFTER {
            words += advice;
        }
        words
    })
}

/// Prints statistics to standard error, in the usual format of constraint solvers.
pub(super) fn print_statistics(source: &Source, board: &Board, written: u64, elapsed: Duration) {
    let line = |name: &str, value: String| {
        tell(format_args!("{:<16} {value}", format!("{name}:")));
    };
    let integer = |number: u64| human::integer(number.into());
    let found = source.statistics();
    let search = match source {
        Source::Search(search) => Some(search.strategy()),
        _ => None,
    };
    let how = search.map(|strategy| match strategy.name() {
        Some(name) => format!("{name}: {strategy}"),
        None => strategy.to_string(),
    });
    line("strategy", how.unwrap_or_else(|| self::how(source, board).replace("by ", "")));
    line("branches", integer(found.branches));
    line("failures", integer(found.failures));
    if let Some(Propagation::None { by_loop }) = search.map(|strategy| strategy.propagation) {
        let each = found.lookups as f64 / found.tests.max(1) as f64;
        let [tests, lookups] = [found.tests, found.lookups].map(integer);
        let by = match by_loop {
            false => format!("table look-ups, {each:.1} per square (at most 3)"),
            true => format!(
                "comparisons with earlier queens, {each:.1} per square (at most 3 with look-up tables)"
            ),
        };
        line("squares tested", format!("{tests}, by {lookups} {by}"));
    }
    line("wall time", human::duration(elapsed));
    // Other methods than a search have no statistics.
    line("solutions found", integer(found.solutions.max(written)));
}

/// Returns the name of a search's strategy, or its choices if they have no name.
pub(super) fn strategy(search: &Search) -> String {
    let strategy = search.strategy();
    strategy.name().map_or_else(|| strategy.to_string(), str::to_owned)
}

/// Formats the numbers of branches, failures and solutions of a search.
pub(super) fn figures(search: &Search) -> String {
    let found = search.statistics();
    let [branches, failures, solutions] =
        [found.branches, found.failures, found.solutions].map(|x| human::integer(x.into()));
    format!("branches {branches}, failures {failures}, solutions {solutions}")
}
