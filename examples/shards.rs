//! A shard runner of one's own: each thread stands for a machine that takes shards of a count from a shared folder,
//! `cargo run --release --example shards`. On real machines, run the loop on each with shards of its own.

use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};

use queens::Counter;
use queens::store::Shards;

const SHARDS: usize = 6;

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
            let shard = shards.shard(index).map_err(|error| error.to_string())?;
            let counter = Counter::following(plan.clone()).threads(1);
            let count = counter
                .run_shard(shard)
                .map_err(|error| error.to_string())?;
            shards
                .put(index, &count)
                .map_err(|error| error.to_string())?;
            println!("shard {index}: {} solutions", count.solutions);
        }
    };
    std::thread::scope(|scope| {
        let machines: Vec<_> = (0..2).map(|_| scope.spawn(machine)).collect();
        let mut ended = machines.into_iter();
        ended.try_for_each(|machine| machine.join().expect("no machine panics"))
    })?;

    let merged = shards.merge()?;
    println!("Q(13) = {}, {}", merged.sum.solutions, merged.check);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
