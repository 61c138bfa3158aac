//! Benchmarks of whole counts on all cores, including the planning and verification that users get.
#![allow(missing_docs, reason = "criterion's macros add undocumented items")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use queens::known;
use queens::{Board, Counter, Engine};

fn whole_count(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("count");
    group.sample_size(10);
    for n in 14..=15 {
        group.throughput(Throughput::Elements(known::values(n).unwrap().solutions as u64));
        for engine in Engine::all_for(&Board::new(n).unwrap()) {
            group.bench_function(BenchmarkId::new(engine.name(), n), |bencher| {
                bencher.iter(|| Counter::new(n).unwrap().engine(engine).run().unwrap().total);
            });
        }
    }
    group.finish();
}

criterion_group!(benches, whole_count);
criterion_main!(benches);
