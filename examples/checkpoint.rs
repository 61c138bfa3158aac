//! Counts a board in several runs: `cargo run --release --example checkpoint -- 18 q18.ckpt`. Stop
//! it at any time and start it again to resume.

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use queens::store::LedgerFile;
use queens::{CancelToken, Counter, Shard};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let n = arguments.next().as_deref().unwrap_or("12").parse()?;
    let temporary = || std::env::temp_dir().join(format!("queens-{n}.ckpt"));
    let file = arguments.next().map_or_else(temporary, PathBuf::from);

    let mut run = Counter::new(n)?.prepare()?;
    // A file for another board is an error. Damaged lines are an event, and their subproblems are
    // counted again.
    let every = Duration::from_secs(2);
    let mut checkpoint =
        LedgerFile::open(&file, run.plan(), Shard::WHOLE, every, &CancelToken::new())?;
    let (ledger, name) = (checkpoint.ledger(), file.display());
    println!("{name}: {} of {} subproblems are done", ledger.done(), ledger.len());

    let work = run.missing(ledger)?;
    let done = run.count(work, |results| checkpoint.record(results))?;
    let count = run.verify(checkpoint.ledger(), done)?;
    checkpoint.finish(&count.method, count.double_check.as_ref())?;
    println!("Q({n}) = {}, {}", count.total, count.check);
    Ok(())
}
