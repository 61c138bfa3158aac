//! Tests of whole counts through the library: known totals for every kernel, and totals that do not
//! depend on options.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use queens::known;
use queens::{
    Board, CancelToken, CountError, Counter, Engine, Kernel, Ledger, Plan, Sampling, Shard,
    Symmetry,
};

/// The test waits for all threads that were counting when the panic occurred, including those of
/// other tests.
#[cfg(target_os = "linux")]
#[test]
fn a_panic_in_on_progress_ends_all_threads() {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::Duration;
    let counting = || -> HashSet<_> {
        let tasks = std::fs::read_dir("/proc/self/task").unwrap();
        let tasks = tasks.map(|task| task.unwrap().path());
        let name = |task: &std::path::PathBuf| std::fs::read_to_string(task.join("comm"));
        let counts = |task: &_| name(task).is_ok_and(|name| name.starts_with("queens-"));
        tasks.filter(counts).collect()
    };
    let hour = Sampling::for_time(Duration::from_secs(3600), 1);
    let (ends, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for (estimates, threads) in [(false, 2), (true, 2), (false, 1)] {
            let (before, mut seen) = (counting(), HashSet::new());
            // Each subproblem takes minutes, so the threads are still counting.
            let counter = Counter::new(20).unwrap().kernel(Kernel::Reference);
            let run = counter.threads(threads).prepare().unwrap();
            let run = run.on_progress(|_| {
                seen = &counting() - &before;
                assert!(seen.is_empty(), "on purpose");
            });
            let count = AssertUnwindSafe(|| match estimates {
                true => drop(run.estimate(&hour)),
                false => drop(run.run()),
            });
            catch_unwind(count).expect_err("on_progress panics");
            while !counting().is_disjoint(&seen) {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        ends.send(()).unwrap();
    });
    ended.recv_timeout(Duration::from_secs(170)).expect("the threads end");
}

fn board(n: u32) -> Board {
    Board::new(n).unwrap()
}

/// Returns all engines that can count N = `n`, each with all kernels that this CPU can run.
fn kernels(n: u32) -> Vec<(Engine, Kernel)> {
    let kernels = |engine: Engine| engine.available_kernels().map(move |kernel| (engine, kernel));
    Engine::all_for(&board(n)).flat_map(kernels).collect()
}

/// Counts N = `n` and compares the total with the published one.
fn count(n: u32, (engine, kernel): (Engine, Kernel), threads: usize) -> queens::Count {
    let counter = Counter::new(n).unwrap().engine(engine).kernel(kernel);
    let count = counter.threads(threads).run().unwrap();
    let published = known::values(n).unwrap().solutions;
    assert_eq!(count.total, published, "{engine} {kernel} N = {n}");
    count
}

/// Covers small boards with any number of threads.
#[test]
fn known_answers_with_every_kernel() {
    for n in 0..=13 {
        let threads = if [4, 5, 8, 11].contains(&n) { &[1, 2, 3, 5, 16, 64][..] } else { &[2] };
        for (kernel, &threads) in
            kernels(n).iter().flat_map(|of| threads.iter().map(move |t| (of, t)))
        {
            let count = count(n, *kernel, threads);
            assert_eq!(count.check.label(), "verified");
            assert_eq!((count.method.engine, count.method.kernel), *kernel);
            assert_eq!(count.method.threads, threads);
        }
    }
}

/// Other tests skip kernels that the CPU cannot run. `QUEENS_REQUIRE_KERNELS=avx512,avx2` names
/// kernels that must not be skipped.
#[test]
fn required_kernels_can_be_tested() {
    let required = std::env::var("QUEENS_REQUIRE_KERNELS").unwrap_or_default();
    for name in required.split(',').filter(|name| !name.is_empty()) {
        let is_available = kernels(8).iter().any(|(_, kernel)| kernel.name() == name);
        assert!(is_available, "QUEENS_REQUIRE_KERNELS: this machine cannot run '{name}'");
    }
}

#[test]
fn known_answers_of_larger_boards() {
    for n in 14..=17 {
        count(n, (Engine::Join, Engine::Join.fastest_kernel()), 2);
    }
}

/// Run this test with `cargo test --release counts -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn known_answers_of_large_boards() {
    for kernel in Engine::Join.available_kernels() {
        for n in 18..=20 {
            count(n, (Engine::Join, kernel), 2);
        }
    }
}

#[test]
fn the_default_engine_is_the_fastest_that_fits_the_options() {
    let engine = |counter: Counter| counter.prepare().unwrap().plan().engine();
    let of = |n| Counter::new(n).unwrap();
    // Machines may have too little memory to count N = 32.
    for counter in [of(16), of(32).memory(u64::MAX), of(18).kernel(Kernel::Portable)] {
        assert_eq!(engine(counter), Engine::Join);
    }
    let blocked = Counter::on(board(18).with_blocked(["a1"]).unwrap());
    let scalar = of(18).kernel(Kernel::Scalar);
    for counter in [of(4), of(15), scalar, of(18).symmetry(Symmetry::None), blocked] {
        assert_eq!(engine(counter), Engine::Bitboard);
    }
}

/// Returns the smallest and the usual memory of a count with the `join` engine in MiB.
fn memory(n: u32, threads: usize) -> [u64; 2] {
    let plan = Plan::new(board(n), Engine::Join).unwrap();
    [0, u64::MAX].map(|most| plan.memory(threads, most) >> 20)
}

/// The documents have the measured limits. Those in between grow with N.
#[test]
fn memory_is_as_documented() {
    let read = |page| std::fs::read_to_string(format!("docs/{page}.md")).unwrap();
    let (page, cluster) = (read("VERIFICATION"), read("CLUSTER"));
    let (_, table) = page.split_once("| N | 1 thread | 2 threads |").unwrap();
    let rows = table.lines().skip(2).take_while(|row| row.starts_with('|'));
    for row in rows {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let [n, largest, own] = [1, 4, 5].map(|cell| cells[cell].parse().unwrap_or_default());
        let [one, two] = [1, 2].map(|threads| memory(n, threads)[0]);
        for (cell, limit) in [(2, one), (3, two)] {
            let is_in_table = cells[cell].ends_with(&format!("/{limit}")) || cells[cell].is_empty();
            assert!(is_in_table, "{limit} MiB: {row}");
        }
        assert!(largest < own && two == one + u64::from(own) || n == 20, "{row}");
    }
    for n in [24, 26, 28] {
        let text = format!("{} MiB at {}{n}", memory(n, 1)[1], if n == 24 { "N = " } else { "" });
        assert!(cluster.contains(&text), "{text}");
    }
    for (n, threads) in (23..=30).flat_map(|n| [(n, 1), (n, 100)]) {
        let [now, next, last] = [n, n + 1, n + 2].map(|n| memory(n, threads));
        assert!(now[0] < next[0] && now[1] < last[1] && now[0] <= now[1], "N = {n}");
    }
}

#[test]
fn a_count_needs_exactly_the_least_memory() {
    let least = Plan::new(board(24), Engine::Join).unwrap().memory(2, 0);
    let prepared = |bytes| Counter::new(24).unwrap().threads(2).memory(bytes).prepare();
    assert!(prepared(least).is_ok());
    assert!(matches!(prepared(least - 1), Err(CountError::Memory { .. })));
    let error = CountError::Memory { needed: 12 << 30, available: (512 << 20) - 1 };
    let text = "not enough memory: 12.0 GiB needed, 512 MiB available or allowed";
    assert_eq!(error.to_string(), text);
}

#[test]
fn conflicting_options_are_rejected() {
    let assert_rejected = |counter: Counter, reason: &str| {
        let error = counter.prepare().unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    };
    let join = |n| Counter::new(n).unwrap().engine(Engine::Join);
    let blocked = board(12).with_blocked(["d8"]).unwrap();
    let blocked = Counter::on(blocked);
    assert_rejected(blocked.clone().engine(Engine::Join), "blocked squares");
    assert_rejected(blocked.symmetry(Symmetry::Mirror), "symmetry");
    for n in [0, 4] {
        assert_rejected(join(n), "cannot count N");
    }
    assert_rejected(join(12).symmetry(Symmetry::Mirror), "symmetry");
    assert_rejected(join(12).kernel(Kernel::Reference), "no kernel");
    assert_rejected(join(12).threads(0), "threads");
    let none = Plan::new(board(12), Engine::Join).unwrap().solver(Kernel::Portable, 0);
    assert!(matches!(none, Err(CountError::Threads(_))));
}

/// The board of two has no subproblem. Each update reaches the functions in the order in which they
/// were given.
#[test]
fn progress_reaches_one_and_ends_with_the_total() {
    for n in [2, 12] {
        let (mut seen, updates) = (Vec::new(), AtomicUsize::new(0));
        let run = Counter::new(n).unwrap().prepare().unwrap();
        assert_eq!(run.plan().is_empty(), n == 2);
        let run = run.on_progress(|_| {
            updates.fetch_add(1, Relaxed);
        });
        let run = run.on_progress(|progress| {
            seen.push((progress.fraction, progress.found));
            assert_eq!(updates.load(Relaxed), seen.len());
        });
        let count = run.run().unwrap();
        assert!(seen.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1));
        assert_eq!(seen.last(), Some(&(1.0, count.total)));
    }
}

/// Cancels a count after the first results, and resumes it with another kernel and other threads.
/// One thread takes many times as long for all results as it takes until the next update.
#[test]
fn a_cancelled_count_can_be_resumed() {
    let counter = Counter::new(15).unwrap().engine(Engine::Bitboard).symmetry(Symmetry::None);
    let slowest = counter.clone().kernel(Kernel::Reference).threads(1).prepare().unwrap();
    let token = CancelToken::new();
    let mut ledger = Ledger::new(slowest.plan(), Shard::WHOLE);
    let mut slowest = slowest.cancel_with(token.clone()).on_progress(|progress| {
        if progress.done > 0 {
            token.cancel();
        }
    });
    let outcome = slowest.fill(&mut ledger, |_| Ok(()));
    assert!(matches!(outcome, Err(CountError::Cancelled)));
    assert!(ledger.done() > 0 && !ledger.is_complete());
    assert_eq!(ledger.done(), ledger.entries().count());

    let mut resumed = counter.threads(3).prepare().unwrap();
    resumed.fill(&mut ledger, |_| Ok::<_, CountError>(())).unwrap();
    let count = resumed.verify(&ledger).unwrap();
    assert_eq!(count.total, known::values(15).unwrap().solutions);
}
