use std::iter;
use std::time::Duration;

use super::*;
use crate::Solutions;
use proptest::prelude::{Just, Strategy as _, prop_assert, prop_assert_eq, proptest};
use queens::known;

fn empty(n: u32) -> Board {
    Board::new(n).unwrap()
}

fn search(board: &Board, strategy: Strategy) -> Search {
    Search::new(board, strategy, Limits::default()).unwrap()
}

/// Returns all strategies, with those that no search accepts.
fn combinations() -> impl Iterator<Item = Strategy> {
    use Propagation::{Bounds, None, Value};
    let values = super::Value::ALL.into_iter();
    Variable::ALL.into_iter().flat_map(move |variable| {
        values.clone().flat_map(move |value| {
            let propagations = [None { by_loop: true }, None { by_loop: false }, Value, Bounds];
            propagations.map(|propagation| Strategy { variable, value, propagation })
        })
    })
}

fn all_strategies() -> impl Iterator<Item = Strategy> {
    combinations().filter(|strategy| strategy.check().is_ok())
}

/// The leaves are the failures and the solutions. In a fully explored tree, every node except the
/// root is reached by one branch, and every choice is left once.
#[test]
fn every_search_finds_every_solution_once() {
    for board in (0..=8).map(empty) {
        for strategy in all_strategies() {
            let mut search = search(&board, strategy);
            let (mut choices, mut leaves, mut ups) = (0, 0, 0);
            let mut count = |_: &Search, step: &Step| match step {
                Step::Choice => choices += 1,
                Step::Failure(_) | Step::Solution(_) => leaves += 1,
                Step::Up => ups += 1,
                Step::End => {}
                Step::Limit(_) => unreachable!("no limit was set"),
            };
            let mut found: Vec<_> = iter::from_fn(|| search.walk(&mut count)).collect();
            let (all, n) = (search.statistics(), board.n());
            assert!(search.limit().is_none());
            assert_eq!(all.solutions, found.len() as u64);
            let figures = [all.branches, leaves, all.failures + all.solutions, ups];
            let expected = [2 * choices, choices + 1, choices + 1, choices];
            assert_eq!(figures, expected, "{strategy} N = {n}");
            assert!(!strategy.is_lexicographic() || found.is_sorted());
            found.sort();
            assert!(Solutions::new(&board).unwrap().eq(found), "{strategy} N = {n}");
        }
    }
}

/// Each queen placed by the plain search corresponds to a choice with two branches.
#[test]
fn choices_of_backtracking_are_the_nodes_of_the_plain_search() {
    for n in 0..=11 {
        for strategy in [Strategy::NAIVE, Strategy::BACKTRACK] {
            let mut search = search(&empty(n), strategy);
            search.by_ref().for_each(drop);
            let choices = u128::from(search.statistics().branches / 2);
            assert_eq!(Some(choices), known::values(n).unwrap().nodes, "N = {n}");
        }
    }
}

/// The textbook's figures for N = 8 (N. Wirth, Algorithms + Data Structures = Programs, 1976): 876
/// squares are tested and 113 queens are placed to find the first solution, and 15,720 squares are
/// tested to find all of them.
#[test]
fn squares_are_tested_as_in_the_textbook() {
    for strategy in [Strategy::NAIVE, Strategy::BACKTRACK] {
        let mut search = search(&empty(8), strategy);
        assert!(search.next().is_some());
        assert_eq!(search.statistics().tests, 876);
        search.by_ref().for_each(drop);
        assert_eq!(search.statistics().tests, 15_720);
    }
}

/// Failures and branches of OR-Tools' original constraint solver 9.15 when it finds all solutions,
/// for N = 4 and up, with all-different constraints or pairwise not-equal constraints.
/// `scripts/compare-solvers` prints these figures.
#[rstest::rstest]
#[case(Variable::First, Value::Min, Propagation::Bounds, &[4, 4, 32, 70, 304, 1_194, 5_355], &[10, 26, 70, 218, 790, 3_090, 12_156])]
#[case(Variable::First, Value::Min, Propagation::Value, &[4, 4, 36, 72, 324, 1_290, 5_942], &[10, 26, 78, 222, 830, 3_282, 13_330])]
#[case(Variable::First, Value::Middle, Propagation::Bounds, &[4, 4, 32, 70, 311, 1_214, 5_474], &[10, 26, 70, 218, 804, 3_130, 12_394])]
#[case(Variable::SmallestLowestMin, Value::Min, Propagation::Bounds, &[4, 4, 30, 63, 260], &[10, 26, 66, 204, 702])]
#[case(Variable::SmallestLowestMin, Value::Middle, Propagation::Value, &[4, 4, 35, 69, 289], &[10, 26, 76, 216, 760])]
#[case(Variable::SmallestLowestMax, Value::Middle, Propagation::Bounds, &[4, 4, 30, 57, 251], &[10, 26, 66, 192, 684])]
#[case(Variable::SmallestLowestMax, Value::Min, Propagation::Value, &[4, 4, 35, 61, 275], &[10, 26, 76, 200, 732])]
fn failures_and_branches_are_those_of_the_original_solver_of_or_tools(
    #[case] variable: Variable,
    #[case] value: Value,
    #[case] propagation: Propagation,
    #[case] failures: &[u64],
    #[case] branches: &[u64],
) {
    let strategy = Strategy { variable, value, propagation };
    for (n, figures) in (4..).zip(failures.iter().zip(branches)) {
        let mut search = search(&empty(n), strategy);
        search.by_ref().for_each(drop);
        let found = search.statistics();
        assert_eq!((&found.failures, &found.branches), figures, "N = {n}");
    }
}

/// The free rows are 0, 1, 2 and 7. The midpoint between 0 and 7 is 3, and the nearest free row is
/// 2. The median is 1, the upper of the two middle rows, as in Gecode and Alice.
#[rstest::rstest]
#[case(Value::Min, 0)]
#[case(Value::Median, 1)]
#[case(Value::Middle, 2)]
#[case(Value::Max, 7)]
fn values_choose_the_row_they_name(#[case] value: Value, #[case] row: u32) {
    let mut board = empty(8);
    for row in 3..7 {
        board.block(Square::new(0, row)).unwrap();
    }
    let strategy = Strategy { value, ..Strategy::FIRST_UNBOUND };
    let mut search = search(&board, strategy);
    search.step();
    assert_eq!(search.choice(), Some(Square::new(0, row)));
    search.step();
    assert!(search.free_rows(0).eq([row]));
    while search.branch() != Some(Branch { square: Square::new(0, row), queen: false }) {
        search.step();
    }
    assert!(search.free_rows(0).eq([0, 1, 2, 7].into_iter().filter(|&other| other != row)));
}

/// Compares with the figures of the same solver for the smallest domain and its centre value, up to
/// the first solution, also of a large board.
#[test]
fn first_fail_is_that_of_or_tools() {
    let bounds = Strategy { propagation: Propagation::Bounds, ..Strategy::FIRST_FAIL };
    let first = |n, strategy| {
        let mut search = search(&empty(n), strategy);
        assert!(search.next().is_some());
        (search.statistics().failures, search.statistics().branches)
    };
    let figures = (4..=10).map(|n| first(n, bounds));
    assert!(figures.eq([(0, 1), (0, 2), (3, 8), (2, 6), (2, 7), (2, 8), (0, 6)]));
    let ties_to_lowest = Strategy { variable: Variable::SmallestLowestMax, ..bounds };
    assert_eq!(first(50, ties_to_lowest), (2_984, 6_003));
}

#[test]
fn strategies_are_parsed_as_they_are_written() {
    for strategy in combinations() {
        assert_eq!(strategy.to_string().parse(), Ok(strategy));
    }
}

fn limited(n: u32, strategy: Strategy, limits: Limits) -> Search {
    Search::new(&empty(n), strategy, limits).unwrap()
}

fn branches(max: u64) -> Limits {
    Limits { branches: Some(max), ..Limits::default() }
}

/// The smallest size on which first-fail thrashes is N = 48.
#[test]
fn first_fail_finds_large_solutions_with_few_failures() {
    for n in (4..=47).chain([500, 1000]) {
        let found = limited(n, Strategy::FIRST_FAIL, branches(40_000)).next();
        assert!(found.is_some_and(|found| found.is_solution()), "N = {n}");
    }
}

#[test]
fn limits_are_kept() {
    let mut search = limited(30, Strategy::BACKTRACK, branches(1000));
    assert_eq!(search.next(), None);
    assert_eq!(search.limit(), Some(Limit::Branches));
    assert_eq!(search.statistics().branches, 1000);
    assert_eq!(search.step(), Step::Limit(Limit::Branches));

    let mut search = limited(8, Strategy::BACKTRACK, branches(4112));
    assert_eq!((search.by_ref().count(), search.limit()), (92, None));

    // Without the other limit, this number of branches is soon reached.
    let no_time = Limits { time: Some(Duration::ZERO), ..branches(50_000) };
    let cancelled = branches(50_000);
    cancelled.cancel.cancel();
    for (limits, limit) in [(no_time, Limit::Time), (cancelled, Limit::Cancelled)] {
        let mut search = limited(30, Strategy::BACKTRACK, limits);
        assert_eq!((search.next(), search.limit()), (None, Some(limit)));
    }
}

/// Covers columns of two words.
#[test]
fn rows_are_not_tested_again_once_a_queen_is_taken_back() {
    for strategy in [Strategy::NAIVE, Strategy::BACKTRACK] {
        let mut search = limited(70, strategy, branches(5_000));
        while !matches!(search.step(), Step::Limit(_)) {
            if let Some(Branch { square, queen: false }) = search.branch() {
                assert!(search.free_rows(square.column).all(|row| row > square.row), "{square:?}");
            }
        }
    }
}

proptest! {
    /// Compares the solutions of constrained boards with the filtered solutions of the empty board.
    #[test]
    fn constrained_boards_have_the_filtered_solutions(
        (n, queens, blocked) in (1..=8_u32).prop_flat_map(|n| {
            let square = (0..n, 0..n).prop_map(|(column, row)| Square::new(column, row));
            let squares = |max| proptest::collection::vec(square.clone(), 0..max);
            (Just(n), squares(3), squares(10))
        })
    ) {
        let plain = empty(n);
        let mut board = plain.clone();
        let queens: Vec<_> = queens.into_iter().filter(|&q| board.place(q).is_ok()).collect();
        let blocked: Vec<_> = blocked.into_iter().filter(|&s| board.block(s).is_ok()).collect();
        let keep = |p: &Placement| {
            let has = |square: &Square| p.rows()[square.column as usize] == square.row;
            queens.iter().all(has) && !blocked.iter().any(has)
        };
        let truth: Vec<_> = Solutions::new(&plain).unwrap().filter(keep).collect();
        prop_assert_eq!(&Solutions::new(&board).unwrap().collect::<Vec<_>>(), &truth);
        for strategy in all_strategies() {
            let mut found: Vec<_> = search(&board, strategy).collect();
            found.sort();
            prop_assert_eq!(&found, &truth, "{}", strategy);
        }
    }
}

// The code below compares propagation at the root with its definition, on small boards with blocked
// squares.

type Rows = Vec<Vec<u32>>;

/// Whether the columns from `column` on can be assigned rows so that no line of this kind is used
/// twice.
fn fits(rows: &Rows, kind: usize, column: u32, used: u32) -> bool {
    let Some(own) = rows.get(column as usize) else {
        return true;
    };
    own.iter().any(|&row| {
        let line = 1 << [row, row + column, row + rows.len() as u32 - column][kind];
        used & line == 0 && fits(rows, kind, column + 1, used | line)
    })
}

/// Whether a row of a column has a support, which is an assignment of all columns that includes
/// this row. The other columns may use all rows between their bounds.
fn is_supported(rows: &Rows, kind: usize, (column, row): (usize, u32)) -> bool {
    let hull = |own: &Vec<u32>| own.first().map_or(0..0, |first| *first..own[own.len() - 1] + 1);
    let mut rows: Rows = rows.iter().map(|own| hull(own).collect()).collect();
    rows[column] = vec![row];
    fits(&rows, kind, 0, 0)
}

/// Returns the rows that propagation leaves according to its definition, or `None` if a column has
/// none left.
fn fixpoint(board: &Board, propagation: Propagation) -> Option<Rows> {
    let n = board.n();
    let allowed = |column| (0..n).filter(move |&row| board.allows(Square::new(column, row)));
    let mut rows: Rows = (0..n).map(|column| allowed(column).collect()).collect();
    loop {
        let before = rows.clone();
        for column in 0..n as usize {
            if let [row] = rows[column][..] {
                let queen = Square::new(column as u32, row);
                for (other, rows) in (0..).zip(&mut rows) {
                    rows.retain(|&row| !queen.attacks(Square::new(other, row)));
                }
            }
        }
        let kinds = if propagation == Propagation::Bounds { 0..3 } else { 0..0 };
        for (kind, column) in kinds.flat_map(|kind| (0..n as usize).map(move |c| (kind, c))) {
            let own = &rows[column];
            let is_bound = |row: &u32| own.first() == Some(row) || own.last() == Some(row);
            let stays = |row: &u32| !is_bound(row) || is_supported(&rows, kind, (column, *row));
            rows[column] = own.iter().copied().filter(stays).collect();
        }
        if rows == before {
            return rows.iter().all(|own| !own.is_empty()).then_some(rows);
        }
    }
}

proptest! {
    #[test]
    fn propagation_agrees_with_its_definition(
        (n, blocked) in (3..=6_u32).prop_flat_map(|n| {
            let square = (0..n, 0..n).prop_map(|(column, row)| Square::new(column, row));
            (Just(n), proptest::collection::vec(square, 0..(n * n) as usize))
        })
    ) {
        let mut board = empty(n);
        for square in blocked {
            board.block(square).unwrap();
        }
        for propagation in [Propagation::Value, Propagation::Bounds] {
            let strategy = Strategy { propagation, ..Strategy::FIRST_UNBOUND };
            let mut search = search(&board, strategy);
            let is_failure = matches!(search.step(), Step::Failure(_));
            let left = || (0..n).map(|column| search.free_rows(column).collect()).collect();
            let left: Option<Rows> = (!is_failure).then(left);
            for Removal { square: Square { column, row }, cause } in search.removed() {
                if let (Some(rows), Cause::AllDifferent(lines)) = (&left, cause) {
                    let is_needed = is_supported(rows, lines as usize, (column as usize, row));
                    prop_assert!(!is_needed, "{:?}: column {}, row {}", &board, column, row);
                }
            }
            // A search also tests whether the columns can have queens in different rows.
            let expected = fixpoint(&board, propagation).filter(|_| has_matching(&board));
            prop_assert_eq!(left, expected, "{} {:?}", propagation, &board);
        }
    }
}
