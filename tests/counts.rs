//! Whole counts through the library: known answers for every kernel, and what must not change them.

use std::collections::HashSet;

use proptest::prelude::*;
use queens::known::known;
use queens::{
    Board, CancelToken, CountError, Counter, Engine, Finished, Kernel, Ledger, Plan, Solver,
    Square, Symmetry,
};

/// Every engine with every kernel, the ones that this CPU lacks named on standard error.
fn kernels() -> Vec<(Engine, Kernel)> {
    let mut list = Vec::new();
    for engine in Engine::ALL {
        for &kernel in engine.kernels() {
            if engine.can_run(kernel) {
                list.push((engine, kernel));
            } else {
                eprintln!("left out, since this CPU cannot run it: {engine} {kernel}");
            }
        }
    }
    list
}

#[test]
fn known_answers_with_every_kernel() {
    for (engine, kernel) in kernels() {
        for n in (0..=14).filter(|n| engine.sizes().contains(n)) {
            let count = Counter::new(n)
                .unwrap()
                .engine(engine)
                .kernel(kernel)
                .run()
                .unwrap();
            let published = known(n).unwrap().solutions;
            assert_eq!(count.total(), published, "{engine} {kernel} N = {n}");
            assert_eq!(count.check().word(), "verified");
            assert_eq!((count.engine(), count.kernel()), (engine, kernel));
        }
    }
}

#[test]
fn known_answers_of_larger_boards() {
    check_join(15..=18);
}

/// Minutes: `cargo test --release --test counts -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn known_answers_of_large_boards() {
    check_join(19..=20);
}

/// Counts with every kernel of the join engine.
fn check_join(sizes: std::ops::RangeInclusive<u32>) {
    for &kernel in Engine::Join.available_kernels() {
        for n in sizes.clone() {
            let counter = Counter::new(n).unwrap().engine(Engine::Join);
            let total = counter.kernel(kernel).run().unwrap().total();
            assert_eq!(total, known(n).unwrap().solutions, "{kernel} N = {n}");
        }
    }
}

#[test]
fn the_fastest_engine_is_taken_unless_something_else_was_asked_for() {
    let engine = |counter: Counter<'_>| counter.plan().unwrap().engine();
    assert_eq!(engine(Counter::new(18).unwrap()), Engine::Join);
    assert_eq!(engine(Counter::new(12).unwrap()), Engine::Bitboard);
    assert_eq!(engine(Counter::new(32).unwrap()), Engine::Bitboard);
    assert_eq!(engine(Counter::new(12).unwrap().stats()), Engine::Join);
    let large = || Counter::new(18).unwrap();
    assert_eq!(engine(large().kernel(Kernel::Scalar)), Engine::Bitboard);
    assert_eq!(engine(large().kernel(Kernel::Portable)), Engine::Join);
    assert_eq!(engine(large().symmetry(Symmetry::None)), Engine::Bitboard);
    let mut marked = Board::new(18).unwrap();
    marked.block(Square::new(0, 0)).unwrap();
    assert_eq!(engine(Counter::on(marked)), Engine::Bitboard);
}

#[test]
fn the_join_engine_refuses_what_it_cannot_do() {
    let join = |counter: Counter<'static>| counter.engine(Engine::Join).check().unwrap_err();
    let mut marked = Board::new(12).unwrap();
    marked.block(Square::new(3, 4)).unwrap();
    let refusal = join(Counter::on(marked)).to_string();
    assert!(refusal.contains("marked squares"), "{refusal}");
    for n in [0, 4, 32] {
        let refusal = join(Counter::new(n).unwrap()).to_string();
        assert!(refusal.contains("cannot count N"), "{refusal}");
    }
    let twelve = || Counter::new(12).unwrap();
    let refusal = join(twelve().symmetry(Symmetry::Mirror)).to_string();
    assert!(refusal.contains("symmetry"), "{refusal}");
    let refusal = join(twelve().kernel(Kernel::Reference)).to_string();
    assert!(refusal.contains("no kernel"), "{refusal}");
    let stats = twelve().engine(Engine::Bitboard).stats().check();
    assert!(stats.unwrap_err().to_string().contains("no statistics"));
    // Far more than any machine has, so that the refusal comes before the work.
    let memory = Counter::new(24)
        .unwrap()
        .engine(Engine::Join)
        .threads(4096)
        .check();
    assert!(
        matches!(memory, Err(CountError::Memory { .. })),
        "{memory:?}"
    );
}

#[test]
fn the_reference_visits_the_published_number_of_nodes() {
    for n in 0..=13 {
        let counter = Counter::new(n).unwrap().engine(Engine::Bitboard);
        let count = counter.kernel(Kernel::Reference).run().unwrap();
        assert_eq!(count.nodes(), known(n).unwrap().nodes, "N = {n}");
    }
}

/// Many threads cut subproblems into parts, so this covers the finer split too.
#[test]
fn threads_never_change_a_total() {
    for (engine, kernel) in kernels() {
        for threads in [1, 2, 3, 5, 16, 64] {
            for n in [4, 5, 8, 11, 12]
                .into_iter()
                .filter(|n| engine.sizes().contains(n))
            {
                let counter = Counter::new(n).unwrap().engine(engine).kernel(kernel);
                let count = counter.threads(threads).run().unwrap();
                let published = known(n).unwrap().solutions;
                assert_eq!(
                    count.total(),
                    published,
                    "{engine} {kernel} N = {n}, {threads} threads"
                );
                assert_eq!(count.threads().count(), threads);
            }
        }
    }
}

#[test]
fn subproblems_contribute_the_same_whatever_the_kernel_and_the_threads() {
    for engine in Engine::ALL {
        for n in (2..=12).filter(|n| engine.sizes().contains(n)) {
            let plan = Plan::new(Board::new(n).unwrap(), engine).unwrap();
            let mut seen = HashSet::new();
            for &kernel in engine.available_kernels() {
                for threads in [1, 50] {
                    let solver = Solver::new(&plan, kernel, threads).unwrap();
                    let mut scratch = solver.scratch();
                    let counts: Vec<u64> = (0..plan.len())
                        .map(|index| solver.solve(index, &mut scratch).count)
                        .collect();
                    let total: u128 = counts.iter().map(|&count| u128::from(count)).sum();
                    assert_eq!(
                        total,
                        known(n).unwrap().solutions,
                        "{engine} {kernel} N = {n}"
                    );
                    seen.insert(counts);
                }
            }
            assert_eq!(seen.len(), 1, "{engine} N = {n}");
        }
    }
}

#[test]
fn progress_reaches_one_and_ends_with_the_total() {
    let mut seen = Vec::new();
    let count = Counter::new(12)
        .unwrap()
        .on_progress(|progress| seen.push((progress.fraction, progress.ledger.sum())))
        .run()
        .unwrap();
    assert!(seen.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1));
    assert_eq!(seen.last(), Some(&(1.0, count.total())));
    assert!(!count.subproblem_seconds().is_empty());
}

#[test]
fn a_cancelled_count_says_what_was_done_and_can_go_on() {
    let cancel = CancelToken::new();
    let order = cancel.clone();
    // Told to stop as soon as something is done; with the slowest kernel, not everything is by then.
    let counter = Counter::new(16)
        .unwrap()
        .engine(Engine::Bitboard)
        .kernel(Kernel::Reference)
        .cancel_with(cancel);
    let stopped = counter
        .on_progress(move |progress| {
            if progress.ledger.done() > 0 {
                order.cancel();
            }
        })
        .run();
    let Err(CountError::Cancelled { ledger }) = stopped else {
        panic!("{stopped:?}");
    };
    assert!(ledger.done() > 0 && !ledger.is_complete());
    assert_eq!(ledger.done() + ledger.pending().count(), ledger.len());

    // Another kernel on other threads takes over.
    let resumed = Counter::new(16).unwrap().engine(Engine::Bitboard);
    let resumed = resumed.symmetry(Symmetry::Mirror).resume(*ledger);
    let count = resumed.threads(3).run().unwrap();
    assert_eq!(count.total(), known(16).unwrap().solutions);
}

#[test]
fn results_of_another_plan_are_refused() {
    // As many subproblems, but of other solutions.
    let counter = |symmetry| {
        Counter::new(8)
            .unwrap()
            .engine(Engine::Bitboard)
            .symmetry(symmetry)
    };
    let (mirror, eightfold) = (counter(Symmetry::Mirror), counter(Symmetry::Eightfold));
    let foreign = Ledger::new(&mirror.plan().unwrap());
    assert_eq!(foreign.len(), eightfold.plan().unwrap().len());
    let resumed = eightfold.resume(foreign).run();
    assert!(matches!(resumed, Err(CountError::ForeignLedger { .. })));
}

/// A ledger that is wrong makes a total that is wrong, and such a total never gets out.
#[test]
fn a_wrong_contribution_is_a_contradiction() {
    let counter = Counter::new(8).unwrap().engine(Engine::Bitboard);
    let plan = counter.plan().unwrap();
    let mut ledger = Ledger::new(&plan);
    let solver = Solver::new(&plan, Kernel::Reference, 1).unwrap();
    let mut tally = solver.solve(4, &mut solver.scratch());
    tally.count += 1;
    let busy = std::time::Duration::ZERO;
    ledger
        .enter(&Finished {
            index: 4,
            tally,
            busy,
        })
        .unwrap();
    match counter.resume(ledger).run() {
        Err(CountError::Mismatch(mismatch)) => {
            assert_eq!((mismatch.total, mismatch.published), (93, 92));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_cannot_be_honoured_is_refused() {
    let too_large = Counter::new(33).unwrap().run();
    assert!(matches!(too_large, Err(CountError::Engine(_))));
    let none = Counter::new(8).unwrap().threads(0);
    assert!(matches!(none.check(), Err(CountError::Threads(_))));
    assert!(matches!(none.run(), Err(CountError::Threads(_))));
}

/// The plainest check there is: all permutations of rows, no two queens on a diagonal or on a closed square.
fn brute_force(board: &Board) -> u128 {
    fn place(board: &Board, rows: &mut Vec<u32>) -> u128 {
        let (n, column) = (board.n(), rows.len());
        if column == n as usize {
            return 1;
        }
        let mut sum = 0;
        for row in 0..n {
            let attacked = rows
                .iter()
                .enumerate()
                .any(|(other, &r)| r == row || r.abs_diff(row) as usize == column - other);
            if !attacked && board.blocked()[column] >> row & 1 == 0 {
                rows.push(row);
                sum += place(board, rows);
                rows.pop();
            }
        }
        sum
    }
    place(board, &mut Vec::new())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Closed squares, in any pattern: mirror images must be used only where the pattern has them.
    #[test]
    fn closed_squares_are_left_out(
        n in 1..=9_u32,
        squares in proptest::collection::vec((0..9_u32, 0..9_u32), 0..8),
        mirrored: bool,
        threads in 1..=20_usize,
    ) {
        let mut board = Board::new(n).unwrap();
        for (column, row) in squares {
            let (column, row) = (column % n, row % n);
            board.block(Square::new(column, row)).unwrap();
            if mirrored {
                board.block(Square::new(column, n - 1 - row)).unwrap();
            }
        }
        let truth = brute_force(&board);
        for &kernel in Engine::Bitboard.available_kernels() {
            let counter = Counter::on(board.clone()).engine(Engine::Bitboard).kernel(kernel);
            let count = counter.threads(threads).run().unwrap();
            prop_assert_eq!(count.total(), truth, "{}", kernel);
        }
    }
}
