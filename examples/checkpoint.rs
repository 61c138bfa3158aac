//! Counts a board in several runs: `cargo run --release --example checkpoint -- 18 q18.ckpt`. Stop
//! it at any time and start it again to resume.

use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use queens::store::LedgerFile;
use queens::{Counter, Shard};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let n = arguments.next().as_deref().unwrap_or("12").parse()?;
    let temporary = || std::env::temp_dir().join(format!("queens-{n}.ckpt"));
    let file = arguments.next().map_or_else(temporary, PathBuf::from);

    let mut run = Counter::new(n)?.prepare()?;
    // A file for another board is an error. Subproblems on damaged lines are counted again.
    let mut checkpoint = LedgerFile::open(&file, run.plan(), Shard::WHOLE)?;
    let ledger = checkpoint.ledger();
    println!("{}: {} of {} subproblems are done", file.display(), ledger.done(), ledger.len());

    let work = run.missing(ledger)?;
    let mut saved = Instant::now();
    let done = run.count(work, |results| {
        checkpoint.record(results)?;
        if saved.elapsed() > Duration::from_secs(2) {
            checkpoint.save()?;
            saved = Instant::now();
        }
        Ok(())
    })?;
    checkpoint.save()?;
    let count = run.verify(checkpoint.ledger(), done)?;
    println!("Q({n}) = {}, {}", count.total, count.check);
    Ok(())
}
