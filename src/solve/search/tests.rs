use super::*;
use crate::known::known;
use crate::solve::Solutions;
use proptest::prelude::{Just, Strategy as _, any, prop_assert_eq, proptest};
use strum::VariantArray as _;

fn empty(n: u32) -> Board {
    Board::new(n).unwrap()
}

fn search(board: &Board, strategy: Strategy) -> Search {
    Search::new(board, strategy, Limits::default()).unwrap()
}

#[test]
fn every_strategy_finds_every_solution_once() {
    for &strategy in Strategy::VARIANTS {
        let tori = (0..=10).map(|n| Board::torus(n).unwrap());
        for board in (0..=12).map(empty).chain(tori) {
            let mut search = search(&board, strategy);
            let mut found: Vec<_> = search.by_ref().collect();
            assert!(search.limit().is_none());
            assert_eq!(search.statistics().solutions, found.len() as u64);
            assert!(!strategy.is_lexicographic() || found.is_sorted());
            found.sort();
            let all = Solutions::new(&board).unwrap();
            assert!(all.eq(found), "{strategy} N = {}", board.n());
        }
    }
}

#[test]
fn branches_of_backtracking_are_the_nodes_of_the_plain_search() {
    for n in 0..=11 {
        let mut search = search(&empty(n), Strategy::Backtrack);
        search.by_ref().for_each(drop);
        let branches = u128::from(search.statistics().branches);
        assert_eq!(Some(branches), known(n).unwrap().nodes, "N = {n}");
    }
}

/// Leaves are the failures and the solutions; in a tree that is walked to its end, a branch leads to every node but
/// the root, and every choice is left once.
#[test]
fn the_statistics_describe_the_tree() {
    for &strategy in Strategy::VARIANTS {
        for n in 0..=8 {
            let mut search = search(&empty(n), strategy);
            let (mut choices, mut leaves, mut ups) = (0, 0, 0);
            let mut count = |step: &Step| match step {
                Step::Choice(_) => choices += 1,
                Step::Failure(_) | Step::Solution(..) => leaves += 1,
                Step::Up => ups += 1,
                Step::End => {}
                Step::Limit(_) => unreachable!("no limit was set"),
            };
            while search.walk(&mut count).is_some() {}
            let all = search.statistics();
            assert_eq!(all.branches + 1, choices + leaves, "{strategy} N = {n}");
            assert_eq!(leaves, all.failures + all.solutions, "{strategy} N = {n}");
            assert_eq!(choices, ups, "{strategy} N = {n}");
        }
    }
}

fn limited(n: u32, strategy: Strategy, limits: Limits) -> Search {
    Search::new(&empty(n), strategy, limits).unwrap()
}

fn branches(most: u64) -> Limits {
    Limits {
        branches: Some(most),
        ..Limits::default()
    }
}

/// What the strategy is for. (In some sizes it loses its way, N = 78 being the first.)
#[test]
fn first_fail_finds_large_solutions_with_few_failures() {
    for n in (4..=77).chain([500, 1000]) {
        let found = limited(n, Strategy::FirstFail, branches(20_000)).next();
        assert!(found.is_some_and(|found| found.is_solution()), "N = {n}");
    }
}

#[test]
fn limits_are_kept() {
    let mut search = limited(30, Strategy::Backtrack, branches(1000));
    assert_eq!(search.next(), None);
    assert_eq!(search.limit(), Some(Limit::Branches));
    assert_eq!(search.statistics().branches, 1000);
    assert_eq!(search.step(), Step::Limit(Limit::Branches));

    let mut search = limited(8, Strategy::Backtrack, branches(2056));
    assert_eq!((search.by_ref().count(), search.limit()), (92, None));

    let no_time = Limits {
        time: Some(Duration::ZERO),
        ..Limits::default()
    };
    let cancelled = Limits::default();
    cancelled.cancel.cancel();
    for (limits, limit) in [(no_time, Limit::Time), (cancelled, Limit::Cancelled)] {
        let mut search = limited(30, Strategy::Backtrack, limits);
        assert_eq!((search.next(), search.limit()), (None, Some(limit)));
    }
}

proptest! {
    /// Boards with preplaced queens and blocked squares, against the solutions of the empty board filtered by hand.
    #[test]
    fn constraints_leave_out_what_they_should(
        (n, torus, queens, blocked) in (1..=8_u32).prop_flat_map(|n| {
            let square = (0..n, 0..n).prop_map(|(column, row)| Square::new(column, row));
            let squares = |most| proptest::collection::vec(square.clone(), 0..most);
            (Just(n), any::<bool>(), squares(3), squares(10))
        })
    ) {
        let plain = if torus { Board::torus(n) } else { Board::new(n) }.unwrap();
        let mut board = plain.clone();
        let queens: Vec<_> = queens.into_iter().filter(|&q| board.place(q).is_ok()).collect();
        let blocked: Vec<_> = blocked.into_iter().filter(|&s| board.block(s).is_ok()).collect();
        let keep = |p: &Placement| {
            let has = |square: &Square| p.rows()[square.column as usize] == square.row;
            queens.iter().all(has) && !blocked.iter().any(has)
        };
        let truth: Vec<_> = Solutions::new(&plain).unwrap().filter(keep).collect();
        prop_assert_eq!(&Solutions::new(&board).unwrap().collect::<Vec<_>>(), &truth);
        for &strategy in Strategy::VARIANTS {
            let mut found: Vec<_> = search(&board, strategy).collect();
            found.sort();
            prop_assert_eq!(&found, &truth, "{}", strategy);
        }
    }
}
