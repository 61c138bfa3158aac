//! Tests of the promises that each way to find solutions makes.

use std::collections::HashMap;
use std::time::Duration;

use queens::{Board, CancelToken};
use queens_search::{Limit, Limits, RandomSolutions, Search, Step, Strategy, solutions};

fn board(n: u32) -> Board {
    Board::new(n).unwrap()
}

fn random(n: u32, limits: Limits) -> RandomSolutions {
    RandomSolutions::new(&board(n), 1, limits).unwrap()
}

/// The largest board whose solutions are equally likely has 14,200. Pearson's statistic of 71,000
/// samples has a mean of 14,199 and a standard deviation of 169.
#[test]
fn twelve_queens_are_sampled_uniformly() {
    const EXPECTED: usize = 5;
    let ranks: HashMap<_, _> = solutions(12).unwrap().zip(0..).collect();
    let mut counts = vec![0.0; ranks.len()];
    for solution in random(12, Limits::default()).take(EXPECTED * ranks.len()) {
        counts[ranks[&solution]] += 1.0;
    }
    let square = |count: f64| (count - EXPECTED as f64).powi(2) / EXPECTED as f64;
    let statistic: f64 = counts.into_iter().map(square).sum();
    assert!((statistic - 14_199.0).abs() < 6.0 * 169.0, "{statistic}");
}

/// The time limit covers all solutions together, however long the caller takes.
#[test]
fn random_solutions_share_a_time_limit() {
    let time = Duration::from_millis(50);
    let mut found = random(13, Limits { time: Some(time), ..Limits::default() });
    std::thread::sleep(time);
    assert_eq!((found.next(), found.limit()), (None, Some(Limit::Time)));
}

/// A choice from a part of the solutions would be biased.
#[test]
fn a_cancelled_enumeration_is_not_sampled() {
    let cancel = CancelToken::new();
    let mut found = random(10, Limits { cancel: cancel.clone(), ..Limits::default() });
    assert!(found.next().is_some());
    cancel.cancel();
    assert_eq!((found.next(), found.limit()), (None, Some(Limit::Cancelled)));
}

/// The second board is searched, not enumerated. These are the solutions on x86-64.
#[test]
fn a_seed_gives_the_same_solutions_on_every_machine() {
    let rows = |n, seed| {
        let mut found = RandomSolutions::new(&board(n), seed, Limits::default()).unwrap();
        found.next().unwrap().rows().to_vec()
    };
    assert_eq!(rows(8, 1), [4, 6, 1, 5, 2, 0, 7, 3]);
    assert_eq!(rows(13, 1), [4, 0, 10, 3, 7, 12, 8, 2, 5, 1, 11, 9, 6]);
}

/// The first solution for N = 22 is found within milliseconds, but only after many steps back.
#[test]
fn a_cancelled_enumeration_ends() {
    let cancel = CancelToken::new();
    cancel.cancel();
    let mut cancelled = solutions(22).unwrap().cancel_with(cancel);
    assert_eq!(cancelled.next_within(u32::MAX), Err(Limit::Cancelled));
    assert_eq!(cancelled.next(), None);
}

/// Limits are checked about once in 2,048 / N branches, and at each branch of large boards.
#[test]
fn a_search_notices_soon_that_it_is_cancelled() {
    for n in [30, 300, 2_500] {
        let cancel = CancelToken::new();
        let limits = Limits { cancel: cancel.clone(), branches: Some(50_000), ..Limits::default() };
        let mut search = Search::new(&board(n), Strategy::BACKTRACK, limits).unwrap();
        (0..3).for_each(|_| drop(search.step()));
        cancel.cancel();
        let before = search.statistics().branches;
        let end =
            std::iter::from_fn(|| Some(search.step())).find(|step| matches!(step, Step::Limit(_)));
        assert_eq!(end, Some(Step::Limit(Limit::Cancelled)), "N = {n}");
        let more = search.statistics().branches - before;
        assert!(more <= u64::from(2_048 / n) + 1, "N = {n}: {more} branches");
    }
}
