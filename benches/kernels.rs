//! Benchmarks of the kernels on one thread. Each iteration counts all subproblems of a plan,
//! without the thread pool, progress reports or verification.
#![allow(missing_docs, reason = "criterion's macros add undocumented items")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use queens::known;
use queens::{Board, Engine, Plan};

fn kernels(criterion: &mut Criterion) {
    for n in 12..=14 {
        let mut group = criterion.benchmark_group(format!("N={n}"));
        group.throughput(Throughput::Elements(known::values(n).unwrap().solutions as u64));
        group.sample_size(10);
        let board = Board::new(n).unwrap();
        for engine in Engine::all_for(&board) {
            let plan = Plan::new(board.clone(), engine).unwrap();
            for kernel in engine.available_kernels() {
                let solver = plan.solver(kernel, 1).unwrap();
                let mut worker = solver.worker();
                let id = BenchmarkId::new(engine.name(), kernel);
                group.bench_function(id, |bencher| {
                    bencher.iter(|| -> u64 {
                        (0..plan.len())
                            .map(|index| worker.try_count(black_box(index)).unwrap())
                            .sum()
                    });
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, kernels);
criterion_main!(benches);
