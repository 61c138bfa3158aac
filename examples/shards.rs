//! Splits a count into shards, with threads in place of machines: `cargo run --release --example
//! shards`. With real machines, run the loop on each of them, with different shards.

use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};

use queens::Counter;
use queens::store::Shards;

const SHARDS: usize = 6;

/// Counts the missing subproblems of a shard and returns its number of solutions.
fn count(shards: &Shards, index: usize) -> Result<u128, Box<dyn Error>> {
    let mut file = shards.open_shard(index)?;
    let mut run = Counter::following(shards.plan().clone()).threads(1).prepare()?;
    run.count(run.missing(file.ledger())?, |results| file.record(results))?;
    file.save()?;
    Ok(file.ledger().sum())
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("queens-shards-{}", std::process::id()));
    let plan = Counter::new(13)?.prepare()?.plan().clone();
    let shards = Shards::create(&folder, &plan, SHARDS)?;

    let next = AtomicUsize::new(0);
    let machine = || -> Result<(), String> {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= SHARDS {
                return Ok(());
            }
            let solutions = count(&shards, index).map_err(|error| error.to_string())?;
            println!("shard {index}: {solutions} solutions");
        }
    };
    std::thread::scope(|scope| {
        let machines: Vec<_> = (0..2).map(|_| scope.spawn(machine)).collect();
        let mut ended = machines.into_iter();
        ended.try_for_each(|machine| machine.join().expect("no machine panics"))
    })?;

    let merged = shards.merge()?;
    println!("Q(13) = {}, {}", merged.total, merged.check);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
